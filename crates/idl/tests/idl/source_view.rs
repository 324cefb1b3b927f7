//! What the IDL's own printer writes reads back to exactly the same, and reads well.

use proptest::prelude::*;
use worldspace_idl::{DeclaredName, NoFiles, check, diagnostic, format, source_view};
use worldspace_model::{
    Declaration, Descriptor, Documentation, EffectTable, Field, InterfaceName, OperationDeclaration, Type,
};

use crate::arbitrary::{Declared, interface};

/// The one interface that a text declares.
#[track_caller]
fn read(text: &str) -> Declared {
    let checked = check("printed.wip", text, &mut NoFiles);
    let told: Vec<String> =
        checked.diagnostics.iter().map(|told| diagnostic::render(&checked.sources, told)).collect();
    assert!(told.is_empty(), "{text}\n{}", told.concat());
    let [declared] = &checked.interfaces[..] else { panic!("{text}") };
    (declared.name.clone(), declared.descriptor.clone(), declared.effects.clone())
}

fn documented(summary: &str, details: Option<&str>) -> Descriptor {
    let documentation =
        Some(Documentation { summary: summary.to_owned(), details: details.map(str::to_owned) });
    Descriptor::new(Declaration { documentation, ..Declaration::default() }).unwrap()
}

fn print(descriptor: &Descriptor) -> String {
    let name = DeclaredName::Bare(InterfaceName::parse("i").unwrap());
    source_view::interface(&name, descriptor, &EffectTable::default())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Names, documentation, effects and the reference, whatever they hold.
    #[test]
    fn what_is_printed_reads_back((name, descriptor, effects) in interface()) {
        let printed = source_view::interface(&name, &descriptor, &effects);
        prop_assert_eq!(read(&printed), (name, descriptor, effects), "{}", printed);
    }

    /// One layout: the formatter has nothing to do.
    #[test]
    fn what_is_printed_is_formatted((name, descriptor, effects) in interface()) {
        let printed = source_view::interface(&name, &descriptor, &effects);
        prop_assert_eq!(format("printed.wip", &printed).unwrap(), printed);
    }
}

#[test]
fn documentation_stands_plain_where_that_says_the_same() {
    for (summary, details, printed) in [
        ("Closes it.", None, "/// Closes it.\n"),
        (
            "Closes it.",
            Some("At once.\n\n  - or later"),
            "/// Closes it.\n///\n/// At once.\n///\n///   - or later\n",
        ),
        ("\"It\" is closed.", None, "/// \"It\" is closed.\n"),
        ("\"a\" and \"b\"", None, "/// \"a\" and \"b\"\n"),
        ("\"It\"", None, "/// \"\\\"It\\\"\"\n"),
        ("", None, "/// \"\"\n"),
        ("", Some(""), "/// \"\"\n/// \"\"\n"),
        ("a", Some(""), "/// \"a\"\n/// \"\"\n"),
        ("a", Some("b\n"), "/// \"a\"\n/// \"b\\n\"\n"),
        ("a\nb", None, "/// \"a\\nb\"\n"),
        (" a", None, "///  a\n"),
        ("a ", None, "/// \"a \"\n"),
        ("a", Some("b \nc"), "/// \"a\"\n/// \"b \\nc\"\n"),
        ("a\u{202e}b", None, "/// \"a\\u202eb\"\n"),
        ("a\u{1b}b", None, "/// \"a\\u001bb\"\n"),
        ("a  b", None, "/// a  b\n"),
        ("日本", None, "/// 日本\n"),
    ] {
        let descriptor = documented(summary, details);
        let text = print(&descriptor);
        assert_eq!(text, format!("{printed}interface i {{}}\n"));
        assert_eq!(read(&text).1, descriptor);
    }
}

#[test]
fn a_long_summary_is_broken_where_single_blanks_stand() {
    let descriptor =
        documented(&format!("{}.  Two blanks stay.", "words and words ".repeat(12).trim_end()), None);
    let text = print(&descriptor);
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("///")).collect();
    assert!(lines.len() == 3 && lines.iter().all(|line| line.len() <= 100), "{text}");
    assert_eq!(read(&text).1, descriptor);
    let word = documented(&"x".repeat(300), None);
    assert_eq!(print(&word).lines().count(), 2);
}

#[test]
fn whoever_shows_it_says_what_can_stand_plain() {
    let (name, descriptor) =
        (DeclaredName::Bare(InterfaceName::parse("i").unwrap()), documented("a\u{200b}", None));
    let mut text = String::new();
    source_view::write_interface(&mut text, &name, &descriptor, None, &|line| line.is_ascii());
    assert_eq!(text, "/// \"a\u{200b}\"\ninterface i {}\n");
}

/// Names and calls are not compared one by one.
#[test]
fn printing_is_linear() {
    let operation = |at| {
        let parameters = (0..20).map(|at| Field::required(format!("parameter_{at}"), Type::STRING));
        OperationDeclaration::new(format!("operation_{at}")).documented("Does it.").takes(parameters)
    };
    let operations = (0..10_000).map(operation).collect();
    let descriptor = Descriptor::new(Declaration { operations, ..Declaration::default() }).unwrap();
    let effects = EffectTable::new(&descriptor, Vec::new()).unwrap();
    let name = DeclaredName::Bare(InterfaceName::parse("i").unwrap());
    let begun = std::time::Instant::now();
    let text = source_view::interface(&name, &descriptor, &effects);
    assert!(text.len() > 3_000_000 && begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
}
