//! Rules of the model that hold for any input.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests stop at the first surprise")]

use proptest::prelude::*;
use worldspace_model::*;

fn path_text() -> impl Strategy<Value = String> {
    prop::collection::vec("[a-c./%\u{e9}]{0,3}", 0..5).prop_map(|parts| format!("/{}", parts.join("/")))
}

fn path() -> impl Strategy<Value = EntryPath> {
    path_text().prop_filter_map("canonical", |text| EntryPath::parse(&text).ok())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// A path is accepted exactly when each of its parts may be a segment, and is made of its segments again.
    #[test]
    fn a_path_is_its_segments(text in path_text()) {
        let segments: Vec<&str> = text[1..].split('/').collect();
        let canonical = text == "/" || segments.iter().all(|segment| Segment::parse(segment).is_ok());
        match EntryPath::parse(&text) {
            Ok(path) => {
                prop_assert!(canonical);
                let again = path.segments().fold(EntryPath::root(), |above, name| above.child(&Segment::parse(name).unwrap()));
                prop_assert_eq!(&again, &path);
                prop_assert_eq!(path.depth(), if text == "/" { 0 } else { segments.len() });
            }
            Err(_) => prop_assert!(!canonical),
        }
    }

    /// Going down and looking back from there are inverse, and containment is by whole segments.
    #[test]
    fn descending_and_looking_back_are_inverse(above in path(), below in path(), other in path()) {
        let joined = above.descend(&below);
        prop_assert_eq!(above.relative(&joined), Some(below.clone()));
        prop_assert_eq!(joined.depth(), above.depth() + below.depth());
        let ancestors = std::iter::successors(Some(other.clone()), EntryPath::parent);
        prop_assert_eq!(above.contains(&other), ancestors.into_iter().any(|path| path == above));
        prop_assert_eq!(above.relative(&other).is_some(), above.contains(&other));
    }
}

fn nested(depth: usize) -> Result<Value, Fault> {
    (0..depth).try_fold(Value::Unit, |inner, _| Value::list(vec![inner]))
}

#[test]
fn a_value_that_is_too_deep_cannot_be_built() {
    assert_eq!(nested(MAX_DEPTH.into()).unwrap().depth(), MAX_DEPTH);
    assert_eq!(*nested(100_000).unwrap_err().rule(), Rule::TooDeep);
}

#[test]
fn a_type_that_is_too_deep_is_refused_by_its_descriptor_and_drops_on_a_small_stack() {
    let deep = (0..100_000).fold(Type::UNIT, |inner, _| Type::list(inner));
    let declared = |ty| Declaration {
        operations: vec![OperationDeclaration::new("op").returns(ty)],
        ..Declaration::default()
    };
    let fault = Descriptor::new(declared(deep)).unwrap_err();
    assert_eq!(
        (fault.rule(), fault.location().to_string().as_str()),
        (&Rule::TooDeep, "operations.op.returns")
    );
    let deepest = (1..MAX_DEPTH).fold(Type::UNIT, |inner, _| Type::list(inner));
    Descriptor::new(declared(deepest)).unwrap();
}

fn chain(length: usize, last: Type) -> Declaration {
    let declare = |at: usize| TypeDeclaration {
        name: format!("t{at}").into(),
        documentation: None,
        definition: if at + 1 == length { last.clone() } else { Type::named(format!("t{}", at + 1)) },
    };
    let operation = OperationDeclaration::new("op").returns(Type::named("t0"));
    Declaration {
        types: (0..length).map(declare).collect(),
        operations: vec![operation],
        ..Declaration::default()
    }
}

#[test]
fn a_chain_of_a_hundred_thousand_names_compiles_and_stands_for_its_end() {
    let descriptor = Descriptor::new(chain(100_000, Type::ENTRY)).unwrap();
    let operation = descriptor.operation("op").unwrap();
    assert_eq!(operation.returns().kind(), Kind::Entry);
    assert!(operation.returns().holds_entry());
}

#[test]
fn a_circle_of_types_is_refused_with_its_names() {
    let fault = Descriptor::new(chain(3, Type::list(Type::named("t1")))).unwrap_err();
    assert_eq!(fault.to_string(), "types.t1: types contain each other: `t1` → `t2` → `t1`");
    // The circle is named, and the way to it is not.
    let long = Descriptor::new(chain(100_000, Type::named("t50000"))).unwrap_err();
    assert!(long.to_string().len() < 1_000);
}

#[test]
fn faults_say_where_and_what_was_probably_meant() {
    let page = Type::record([
        Field::required(
            "items",
            Type::list(Type::union([UnionCase::carrying("file", Type::ENTRY), UnionCase::bare("none")])),
        ),
        Field::optional("next_cursor", Type::STRING),
    ]);
    let operation = OperationDeclaration::new("op").takes([Field::required("page", page)]);
    let descriptor =
        Descriptor::new(Declaration { operations: vec![operation], ..Declaration::default() }).unwrap();
    let operation = descriptor.operation("op").unwrap();
    let items = |item: Value| Value::record([("items", Some(Value::list(vec![item]).unwrap()))]).unwrap();
    let cases = [
        (
            items(Value::case("fil", None).unwrap()),
            "page.items[0]: there is no case `fil`; did you mean `file`?",
        ),
        (items(Value::case("file", None).unwrap()), "page.items[0]: the case `file` needs a `value`"),
        (
            items(Value::case("none", Some(Value::Unit)).unwrap()),
            "page.items[0]: the case `none` takes no `value`",
        ),
        (
            items(Value::case("file", Some("/a".into())).unwrap()),
            "page.items[0].value: expected entry, found string",
        ),
        (
            Value::record([("next_cursor", Some(Value::from("a")))]).unwrap(),
            "page: the required field `items` is absent",
        ),
        (
            Value::record([("next_curser", Some(Value::from("a")))]).unwrap(),
            "page: there is no field `next_curser`; did you mean `next_cursor`?",
        ),
    ];
    for (value, expected) in cases {
        let record = Record::new(vec![("page".into(), value)]).unwrap();
        assert_eq!(Arguments::check(&operation, record).unwrap_err().to_string(), expected);
    }
}

#[test]
fn a_wide_record_is_checked_in_order_of_its_width() {
    let fields = 20_000;
    let declared = (0..fields).map(|at| Field::required(format!("f{at}"), Type::UNIT));
    let operation = OperationDeclaration::new("op").takes(declared);
    let descriptor =
        Descriptor::new(Declaration { operations: vec![operation], ..Declaration::default() }).unwrap();
    let operation = descriptor.operation("op").unwrap();
    // In reverse, so that no field stands where it was declared, and one short, so that the absent one is looked for.
    let given: Vec<_> = (1..fields).rev().map(|at| (Name::from(format!("f{at}")), Value::Unit)).collect();
    let fault = Arguments::check(&operation, Record::new(given).unwrap()).unwrap_err();
    assert_eq!(*fault.rule(), Rule::MissingParameter { name: "f0".into() });
}

#[test]
fn messages_are_bounded_and_whole_characters() {
    let long = "é".repeat(5_000);
    assert!(Message::new(long.clone()).as_str().len() <= Message::MAX);
    let fault = EntryPath::parse(&long).unwrap_err();
    assert!(fault.to_string().len() < 300);
    let name = Segment::parse(&format!("a/{}", "\u{202e}".repeat(9_000))).unwrap_err().to_string();
    assert!(name.len() < 1_000 && !name.contains('\u{202e}'), "{name}");
}

#[test]
fn a_tree_says_of_itself_what_it_is() {
    use Expansion::{Complete, Leaf, Partial, Unexplored};
    let object = |name: &str| std::sync::Arc::new(Object::bare(ObjectName::parse(name).unwrap()));
    let tree = |nodes: &[(&str, Option<u32>, Expansion)], causes: &[Cause]| {
        let nodes =
            nodes.iter().map(|(name, parent, expansion)| (object(name), *parent, *expansion)).collect();
        Tree::new(nodes, causes.iter().copied().collect())
    };
    let accepted = [
        (
            vec![("", None, Complete), ("a", Some(0), Leaf), ("b", Some(0), Complete), ("c", Some(2), Leaf)],
            vec![],
        ),
        (vec![("", None, Partial), ("a", Some(0), Unexplored)], vec![Cause::Limit, Cause::Depth]),
        (vec![("x", None, Complete)], vec![]),
    ];
    for (nodes, causes) in accepted {
        tree(&nodes, &causes).unwrap();
    }
    let refused = [
        ("no node", vec![], vec![]),
        ("a parent behind its child", vec![("", None, Complete), ("a", Some(1), Leaf)], vec![]),
        ("two tops", vec![("", None, Leaf), ("a", None, Leaf)], vec![]),
        (
            "not breadth first",
            vec![("", None, Complete), ("a", Some(0), Complete), ("b", Some(1), Leaf), ("c", Some(0), Leaf)],
            vec![],
        ),
        ("children of a leaf", vec![("", None, Leaf), ("a", Some(0), Leaf)], vec![]),
        ("partial without children", vec![("", None, Partial)], vec![Cause::Limit]),
        ("twins", vec![("", None, Complete), ("a", Some(0), Leaf), ("a", Some(0), Leaf)], vec![]),
        ("no name", vec![("", None, Complete), ("", Some(0), Leaf)], vec![]),
        ("a cause without a gap", vec![("", None, Complete)], vec![Cause::Depth]),
        ("a gap without a cause", vec![("", None, Unexplored)], vec![]),
    ];
    for (what, nodes, causes) in refused {
        assert!(tree(&nodes, &causes).is_err(), "{what}");
    }
}
