//! Checking costs what the text is long, whatever stands in it.

use std::fmt::Write;
use std::time::{Duration, Instant};

use worldspace_idl::{Loader, NoFiles, check, diagnostic};

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, at| {
        writeln!(text, "{}", line(at)).unwrap();
        text
    })
}

fn inside(members: &str) -> String {
    format!("interface i {{\n{members}}}\n")
}

/// The shortest of some runs, which noise reaches last.
fn time(text: &str) -> Duration {
    (0..3)
        .map(|_| {
            let start = Instant::now();
            let checked = check("a.wip", text, &mut NoFiles);
            for each in checked.diagnostics.iter().take(1_000) {
                diagnostic::render(&checked.sources, each);
            }
            start.elapsed()
        })
        .min()
        .unwrap()
}

#[test]
fn eight_times_the_text_takes_about_eight_times_as_long() {
    type Shape = (&'static str, fn(usize) -> String);
    let shapes: &[Shape] = &[
        ("types", |n| lines(n, |at| format!("type T{at} = {{ a: string, b?: [integer] }};"))),
        ("a chain of types", |n| {
            lines(n, |at| format!("type T{at} = [T{}];", at + 1)) + &format!("type T{n} = unit;")
        }),
        ("a circle of types", |n| lines(n, |at| format!("type T{at} = [T{}];", (at + 1) % n))),
        ("types that all name the first", |n| {
            lines(n, |at| format!("type T{at} = {{ a: T{}, b: T0 }};", (at + 1) % n))
        }),
        ("operations", |n| {
            inside(&lines(n, |at| format!("/// Doc.\n@read operation o{at}(a: string) -> unit;")))
        }),
        ("local types", |n| inside(&lines(n, |at| format!("type T{at} = T{};", at / 2 + n)))),
        ("interfaces", |n| lines(n, |at| format!("interface i{at} {{ operation o() -> unit; }}"))),
        ("interfaces that reach all types", |n| {
            lines(n, |at| format!("type T{at} = [T{}];", at + 1))
                + &format!("type T{n} = unit;")
                + &lines(n, |at| format!("interface i{at} {{ operation o() -> T0; }}"))
        }),
        ("unknown types", |n| lines(n, |at| format!("type Abcdefgh{at} = Abcdefhg{at};"))),
        ("one line of errors", |n| format!("type A = {{ {} }};", "a: X, ".repeat(n))),
        ("fields", |n| {
            format!("type A = {{ {} }};", (0..n).map(|at| format!("f{at}: string,")).collect::<String>())
        }),
        ("duplicates", |n| "type A = unit;\n".repeat(n)),
        ("open brackets", |n| format!("type A = {}", "[".repeat(n * 8))),
        ("open braces", |n| "{".repeat(n * 8)),
        ("closing brackets", |n| "}])".repeat(n * 3)),
        ("nested to the bound and unclosed", |n| {
            format!("type A = {};\n", "[".repeat(255) + "}").repeat(n / 32)
        }),
        ("semicolons", |n| ";".repeat(n * 8)),
        ("at signs", |n| "@".repeat(n * 8)),
        ("attributes", |n| inside(&("@read ".repeat(n) + "operation o() -> unit;"))),
        ("question marks", |n| format!("type A = {}", "?".repeat(n * 8))),
        ("list suffixes", |n| format!("type A = string{};", "[]".repeat(n * 4))),
        ("alternatives", |n| format!("type A = a{};", " | b".repeat(n * 2))),
        ("generics", |n| format!("type A = {};", "list<".repeat(n * 2))),
        ("block comments", |n| "/* a\n".repeat(n)),
        ("quotation marks", |n| "\" ".repeat(n * 4)),
        ("documentation", |n| "/// a\n".repeat(n)),
        ("strange signs", |n| "$ a ".repeat(n * 2)),
        ("words", |n| "a ".repeat(n * 4)),
        ("interface words", |n| "interface ".repeat(n)),
        ("operation words", |n| inside(&"operation ".repeat(n))),
        ("type words", |n| "type ".repeat(n * 2)),
        ("dots", |n| format!("interface a{} {{}}", ".a".repeat(n * 4))),
        ("escapes", |n| format!("type `{}` = unit;", "\\q".repeat(n * 4))),
        ("a long name", |n| format!("type A = {};", "a".repeat(n * 8))),
        ("empty lines", |n| "\n".repeat(n * 8)),
        ("no text", |n| "\0".repeat(n * 8)),
    ];
    let size = 500;
    let mut slow = Vec::new();
    for (name, shape) in shapes {
        let (little, much) = (time(&shape(size)), time(&shape(size * 8)));
        // Quadratic work would take 64 times as long.
        if much > little.mul_f64(24.0) + Duration::from_millis(20) {
            slow.push(format!("{name}: {little:?} and {much:?}"));
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

#[test]
fn files_use_each_other_as_deep_as_they_like() {
    struct Chain(usize);
    impl Loader for Chain {
        fn load(&mut self, _: &str, path: &str) -> Result<(String, String), String> {
            let at: usize = path.parse().unwrap();
            let next = if at < self.0 { format!("use \"{}\";", at + 1) } else { String::new() };
            let names = if at < self.0 { format!("[T{}]", at + 1) } else { "string".to_owned() };
            Ok((path.to_owned(), format!("{next} type T{at} = {names};")))
        }
    }
    let depth = 5_000;
    let text = "use \"0\"; interface i { operation o() -> T0; }";
    let checked = check("first", text, &mut Chain(depth));
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics.first());
    let types = &checked.interfaces[0].descriptor.declaration().types;
    assert_eq!(types.len(), depth + 1);
    assert_eq!(&*types[0].name, format!("T{depth}"));
}

#[test]
fn a_type_that_comes_by_two_ways_stands_once_and_before_those_that_use_it() {
    struct Diamond;
    impl Loader for Diamond {
        fn load(&mut self, _: &str, path: &str) -> Result<(String, String), String> {
            let text = match path {
                "left" => "use \"base\"; type Left = Base;",
                "right" => "use \"base\"; type Right = Base;",
                _ => "type Base = string; type Unused = string;",
            };
            Ok((path.to_owned(), text.to_owned()))
        }
    }
    let text = "type Own = { l: Left, r: Right }; interface i { type Local = Own; operation o() -> Local; } \
                use \"right\"; use \"left\";";
    let checked = check("first", text, &mut Diamond);
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    let types = &checked.interfaces[0].descriptor.declaration().types;
    let names: Vec<&str> = types.iter().map(|ty| &*ty.name).collect();
    assert_eq!(names, ["Base", "Right", "Left", "Own", "Local"]);
}
