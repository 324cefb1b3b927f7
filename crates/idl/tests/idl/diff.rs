//! Whether callers break is told by what they give and get, not by names of types.

use worldspace_idl::diff::{Change, diff};
use worldspace_idl::{DeclaredInterface, NoFiles, check};

#[track_caller]
fn interfaces(text: &str) -> Vec<DeclaredInterface> {
    let checked = check("a.wip", text, &mut NoFiles);
    assert!(checked.diagnostics.is_empty(), "{text}\n{:?}", checked.diagnostics);
    checked.interfaces
}

/// `!` before what breaks.
fn told(changes: &[Change]) -> Vec<String> {
    let mark = |change: &Change| if change.breaks { "! " } else { "" };
    changes.iter().map(|change| format!("{}{}: {}", mark(change), change.place, change.what)).collect()
}

#[track_caller]
fn changes(old: &str, new: &str) -> Vec<String> {
    told(&diff(&interfaces(old), &interfaces(new)))
}

/// Of one operation within the interface `i`.
#[track_caller]
fn within(old: &str, new: &str, wanted: &[&str]) {
    let whole = |inner: &str| format!("interface i {{ {inner} }}");
    assert_eq!(changes(&whole(old), &whole(new)), wanted, "{old}\n{new}");
}

#[test]
fn interfaces_and_operations_are_told_by_name() {
    assert_eq!(
        changes("interface a {} interface b {}", "interface b {} interface c {}"),
        ["! a: the interface is gone", "c: the interface is new"]
    );
    within(
        "operation o() -> unit; operation p() -> unit;",
        "operation p() -> unit; operation q() -> unit;",
        &["! i.o: the operation is gone", "i.q: the operation is new"],
    );
    within(
        "operation o() -> unit; operation p() -> unit;",
        "operation p() -> unit; operation o() -> unit;",
        &["i: the operations stand in another order"],
    );
}

/// What `wip inspect --idl` prints can be held against the file that its author wrote.
#[test]
fn a_name_without_scope_meets_the_only_one_that_it_can_be() {
    let bare = "interface a.b { operation o() -> unit; }";
    let full = r#"interface "/x::a.b" {}"#;
    assert_eq!(
        changes(bare, full),
        ["a.b: the interface is named `/x::a.b` now", "! a.b.o: the operation is gone"]
    );
    assert_eq!(changes(full, bare).len(), 2);
    let two = r#"interface "/x::a.b" {} interface "/y::a.b" {}"#;
    assert_eq!(
        changes(bare, two),
        ["! a.b: the interface is gone", "/x::a.b: the interface is new", "/y::a.b: the interface is new"]
    );
    assert_eq!(changes(full, r#"interface "/y::a.b" {}"#).len(), 2);
}

#[test]
fn what_callers_give_may_grow() {
    for (old, new, wanted) in [
        ("a: string", "a: string, b?: string", &["i.o(b): the parameter is new, and may be left out"][..]),
        ("a: string", "a: string, b: string", &["! i.o(b): the parameter is new, and required"]),
        ("a: string", "", &["! i.o(a): the parameter is gone"]),
        ("a: string", "a?: string", &["i.o(a): the parameter may be left out now"]),
        ("a?: string", "a: string", &["! i.o(a): the parameter is required now, and could be left out"]),
        ("a: integer", "a: number", &["i.o(a): takes `number` now, and not `integer`"]),
        ("a: number", "a: integer", &["! i.o(a): takes `integer` now, and not `number`"]),
        ("a: enum { x }", "a: string", &["i.o(a): takes `string` now, and not an enum"]),
        ("a: string", "a: enum { x }", &["! i.o(a): takes an enum now, and not `string`"]),
        ("a: [{ b: string }]", "a: json", &["i.o(a): takes `json` now, and not a list"]),
        ("a: [{ b: entry }]", "a: json", &["! i.o(a): takes `json` now, and not a list"]),
        ("a: string", "a: entry", &["! i.o(a): takes `entry` now, and not `string`"]),
        ("a: enum { x, y }", "a: enum { x }", &["! i.o(a.y): the case is gone"]),
        ("a: enum { x }", "a: enum { x, y }", &["i.o(a.y): the case is new"]),
        (
            "a: [{ b?: string }]",
            "a: [{ b: string }]",
            &["! i.o(a[].b): the field is required now, and could be left out"],
        ),
        ("a: { b: string }", "a: { b: string, c: string }", &["! i.o(a.c): the field is new, and required"]),
        ("a: union { x }", "a: union { x(string) }", &["! i.o(a.x): carries a value now, and carried none"]),
        (
            "a: union { x({ y: integer }) }",
            "a: union { x({ y: string }) }",
            &["! i.o(a.x.y): takes `string` now, and not `integer`"],
        ),
        ("a: string, b: string", "b: string, a: string", &["i.o: the parameters stand in another order"]),
    ] {
        within(&format!("operation o({old}) -> unit;"), &format!("operation o({new}) -> unit;"), wanted);
    }
}

#[test]
fn what_callers_get_may_say_less() {
    for (old, new, wanted) in [
        ("{ a: string }", "{ a: string, b: string }", &["i.o -> b: the field is new"][..]),
        ("{ a: string, b: string }", "{ a: string }", &["! i.o -> b: the field is gone"]),
        (
            "{ a: string }",
            "{ a?: string }",
            &["! i.o -> a: the field may be absent now, and was always there"],
        ),
        ("{ a?: string }", "{ a: string }", &["i.o -> a: the field is always there now"]),
        ("enum { x }", "enum { x, y }", &["! i.o -> y: the case is new, and callers do not know it"]),
        ("enum { x, y }", "enum { x }", &["! i.o -> y: the case is gone"]),
        (
            "union { x }",
            "union { x, y(string) }",
            &["! i.o -> y: the case is new, and callers do not know it"],
        ),
        ("union { x(string) }", "union { x }", &["! i.o -> x: carries no value any more"]),
        ("integer", "number", &["! i.o ->: gives `number` now, and not `integer`"]),
        ("number", "integer", &["i.o ->: gives `integer` now, and not `number`"]),
        ("[string]", "[entry]", &["! i.o -> []: gives `entry` now, and not `string`"]),
        ("unit", "string", &["! i.o ->: gives `string` now, and not `unit`"]),
        ("json", "{ a: string }", &["i.o ->: gives a record now, and not `json`"]),
        ("json", "{ a: bytes }", &["! i.o ->: gives a record now, and not `json`"]),
    ] {
        within(&format!("operation o() -> {old};"), &format!("operation o() -> {new};"), wanted);
    }
}

#[test]
fn promises_are_kept_and_warnings_are_told() {
    for (old, new, wanted) in [
        ("@read", "", &["! i.o: `@read` is gone: what ran freely may change something now"][..]),
        ("", "@read", &["i.o: `@read` is new: it changes nothing any more"]),
        (
            "@idempotent",
            "",
            &["! i.o: `@idempotent` is gone: running it twice may differ from running it once"],
        ),
        (
            "@idempotent",
            "@read",
            &[
                "i.o: `@read` is new: it changes nothing any more",
                "i.o: `@idempotent` is gone: `@read` says it too",
            ],
        ),
        ("", "@guarded", &["! i.o: `@guarded` is new: calls that send no state are refused now"]),
        (
            "@guarded",
            "",
            &["i.o: `@guarded` is gone: no state has to be sent; one that is sent still has to match"],
        ),
        (
            "",
            "@destructive",
            &["i.o: `@destructive` is new: it may remove or overwrite; ask before running it"],
        ),
        ("@destructive", "", &["i.o: `@destructive` is gone: it removes and overwrites nothing any more"]),
    ] {
        within(&format!("{old} operation o() -> unit;"), &format!("{new} operation o() -> unit;"), wanted);
    }
}

#[test]
fn documentation_is_harmless() {
    within(
        "/// A.\noperation o(\n/// B.\nb: string) -> enum {\n/// X.\nx };",
        "operation o(\n/// C.\nb: string)\n/// New.\n-> enum { x };",
        &[
            "i.o: the documentation is gone",
            "i.o: the documentation of the result is new",
            "i.o(b): the documentation changed",
            "i.o -> x: the documentation is gone",
        ],
    );
    assert_eq!(changes("interface i {}", "/// D.\ninterface i {}"), ["i: the documentation is new"]);
}

#[test]
fn types_are_what_they_are_made_of() {
    within(
        "type R = enum { x }; operation o(a: R) -> R;",
        "type S = enum { x }; operation o(a: S) -> S;",
        &["i type R: the type is named `S` now"],
    );
    within(
        "type R = enum { x }; operation o(a: R) -> unit;",
        "operation o(a: enum { x }) -> unit;",
        &["i type R: the type is not declared any more"],
    );
    within(
        "type A = enum { x }; type B = A; operation o(a: B) -> unit;",
        "type A = enum { x, y }; type B = A; operation o(a: B) -> unit;",
        &["i.o(a.y): the case is new"],
    );
    within(
        "type A = string; type B = string; operation o(a: A) -> unit;",
        "type A = string; type B = string; operation o(a: B) -> unit;",
        &["i type A: `B` stands where it stood"],
    );
    within(
        "type A = string; operation o() -> unit;",
        "type A = integer; type B = unit; operation o() -> unit;",
        &[
            "i type A: the type changed, and no operation that was there before uses it",
            "i type B: the type is new",
        ],
    );
}

#[test]
fn a_type_is_told_once_and_wherever_it_breaks() {
    let old =
        "type R = { k: enum { x, y } }; operation o(a: R) -> R; operation p(r: [R], s: { t: R }) -> unit;";
    let new = old.replace("x, y", "x, y, z").replacen("y, z", "z", 1);
    within(
        old,
        &new,
        &[
            "! i.o(a.k.y): the case is gone",
            "i.o(a.k.z): the case is new",
            "! i.o -> k.y: the case is gone",
            "! i.o -> k.z: the case is new, and callers do not know it",
            "! i.p(r[]): breaks as i.o(a) does",
            "! i.p(s.t): breaks as i.o(a) does",
        ],
    );
}

#[test]
fn names_are_quoted_as_in_the_idl() {
    assert_eq!(
        changes(
            "interface `a b` { operation `type`(`x.y`: string) -> unit; }",
            "interface `a b` { operation `type`() -> unit; }"
        ),
        ["! `a b`.`type`(`x.y`): the parameter is gone"]
    );
}

/// Types that contain each other in a chain, each twice, would be compared 2^n times, or overflow a stack.
#[test]
fn large_descriptors_take_no_time() {
    let chain = |last: &str| {
        let mut text = format!("interface i {{ type T0 = {last};\n");
        for at in 1..3000 {
            text.push_str(&format!("type T{at} = {{ a: T{0}, b: [T{0}] }};\n", at - 1));
        }
        text + "operation o(a: T2999) -> T2999; operation p(a: T2999) -> T1; }"
    };
    let (old, new) = (interfaces(&chain("{ x: integer }")), interfaces(&chain("{ x: string }")));
    let begun = std::time::Instant::now();
    let changes = diff(&old, &new);
    assert!(
        changes.len() < 10_000 && begun.elapsed().as_secs() < 10,
        "{} {:?}",
        changes.len(),
        begun.elapsed()
    );
    assert!(changes.iter().all(|change| change.breaks && change.place.len() < 100));
    assert_eq!(changes[0].place, format!("i.o(….{}.x)", ["a"; 11].join(".")));
    assert!(diff(&old, &old).is_empty());
}
