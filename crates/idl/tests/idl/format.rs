//! The formatter keeps what a file means and what its author noted, and has nothing to do twice.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use worldspace_idl::{Checked, DeclaredName, NoFiles, check, format, source_view};
use worldspace_model::{Descriptor, EffectTable};

use crate::arbitrary::interface;

const EXAMPLE: &str = include_str!("format/example.ok.wip");

#[track_caller]
fn formatted(text: &str) -> String {
    format("a.wip", text).unwrap_or_else(|(_, told)| panic!("{text}\n{told:?}"))
}

fn meaning(text: &str) -> Vec<(DeclaredName, Descriptor, EffectTable)> {
    let Checked { interfaces, .. } = check("a.wip", text, &mut NoFiles);
    interfaces.into_iter().map(|declared| (declared.name, declared.descriptor, declared.effects)).collect()
}

/// The comments of a text in their order, and without the blanks at their ends.
fn comments(text: &str) -> Vec<&str> {
    let mut comments = Vec::new();
    for line in text.lines() {
        let mut rest = line;
        while let Some(at) = rest.find(['"', '`', '/']) {
            rest = &rest[at..];
            if rest.starts_with("//") {
                if !rest.starts_with("///") || rest.starts_with("////") {
                    comments.push(rest.trim_end());
                }
                break;
            }
            let delimiter = rest.chars().next().unwrap();
            rest = &rest[1..];
            if delimiter != '/' {
                let mut escaped = false;
                let end = rest.find(|c| {
                    let closes = c == delimiter && !escaped;
                    escaped = c == '\\' && !escaped;
                    closes
                });
                rest = end.map_or("", |end| &rest[end + 1..]);
            }
        }
    }
    comments
}

/// What must hold of every sound text.
#[track_caller]
fn holds(text: &str) {
    let once = formatted(text);
    assert_eq!(formatted(&once), once, "not idempotent:\n{text}\n---\n{once}");
    assert_eq!(meaning(&once), meaning(text), "another meaning:\n{text}\n---\n{once}");
    assert_eq!(comments(&once), comments(text), "comments were lost:\n{text}\n---\n{once}");
    let untidy = once.lines().find(|line| line.ends_with([' ', '\t', '\r']));
    assert!(untidy.is_none() && !once.contains("\n\n\n") && !once.starts_with('\n'), "untidy:\n{once}");
    assert!(once.is_empty() || (once.ends_with('\n') && !once.ends_with("\n\n")), "no end:\n{once}");
}

fn fixtures() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/idl/format");
    let mut found: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found.into_iter().map(|path| (path.clone(), std::fs::read_to_string(&path).unwrap())).collect()
}

/// `NAME.ok.wip` is formatted; `NAME.in.wip` becomes `NAME.out.wip`, which `WIP_UPDATE_GOLDEN=1` writes anew.
#[test]
#[allow(clippy::disallowed_methods, reason = "whoever runs the tests says so there")]
fn the_fixtures_are_formatted_as_they_say() {
    let fixtures = fixtures();
    assert!(fixtures.len() > 4);
    for (path, text) in &fixtures {
        let name = path.file_name().unwrap().to_str().unwrap();
        let wanted = match name.strip_suffix(".in.wip") {
            Some(stem) => {
                let path = path.with_file_name(format!("{stem}.out.wip"));
                if std::env::var_os("WIP_UPDATE_GOLDEN").is_some() {
                    std::fs::write(&path, formatted(text)).unwrap();
                }
                std::fs::read_to_string(path).unwrap()
            }
            None => text.clone(),
        };
        assert_eq!(formatted(text), wanted, "{name}");
        holds(text);
    }
}

#[test]
fn a_faulty_file_is_not_formatted() {
    for text in ["type A = ;", "interface i {", "type A = string", "operation x() -> unit;", "\u{0}"] {
        let (sources, told) = format("a.wip", text).unwrap_err();
        assert!(!told.is_empty());
        assert_eq!(sources.name(told[0].span.file), "a.wip");
    }
    // What it means is another matter.
    assert_eq!(formatted("type A=B;type A=A ;"), "type A = B;\ntype A = A;\n");
}

#[test]
fn line_ends_and_a_mark_of_byte_order_are_made_plain() {
    let written = format!("\u{feff}{}", EXAMPLE.replace('\n', "\r\n"));
    assert_eq!(formatted(&written), EXAMPLE);
}

#[test]
fn members_stand_on_a_line_of_a_hundred_columns() {
    let line =
        |name: &str| format!("type {name} = {{ a: string, b: string, c: enum {{ x, y }}, d?: [entry] }};\n");
    let exact = line(&"A".repeat(100 - line("").len() + 1));
    assert_eq!(exact.trim_end().len(), 100);
    assert_eq!(formatted(&exact), exact);
    let longer = exact.replacen("type A", "type AA", 1);
    assert_eq!(formatted(&longer).lines().count(), 6);
    // The comma behind the last member keeps it so.
    assert_eq!(formatted(&formatted(&longer)), formatted(&longer));
    holds(&longer);
}

/// The tokens of a text; none of the texts here has blanks or slashes within quotes.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    for line in text.lines() {
        if let Some(at) = line.find("//") {
            let (before, rest) = line.split_at(at);
            split(before, &mut tokens);
            tokens.push(format!("{}\n", rest.trim_end()));
        } else {
            split(line, &mut tokens);
        }
    }
    tokens
}

fn split(text: &str, tokens: &mut Vec<String>) {
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '`' => rest[1..].find(first).unwrap() + 2,
            '-' => 2,
            c if c.is_alphanumeric() || c == '_' => {
                rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
            }
            c => c.len_utf8(),
        };
        tokens.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
}

/// What may stand between two tokens.
fn between() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        " ",
        " ",
        " ",
        " ",
        " ",
        " ",
        "\n",
        "\n\n\n",
        "\t",
        "\r\n",
        " // a\n",
        "\n// b\n",
        "\n\n  //c \n\n",
        " // d\n // e\n",
        "\n//// f\n",
    ])
    .prop_map(str::to_owned)
}

const ODD: &str = r#"
// Types first.
type `unit` = { };
type Empty = union { a ( ), };
use "b.wip" ;
interface "/a::b" { }
/// One.
///
///Two.
interface c . d {
  /// "quoted"
  ///   "form"
  type X = [ [ { a : string , `b c` ? : X , } ] ] ;
  /// Does.
  @idempotent @guarded operation do ( a : union { p ( { q : bytes } ) , r } , /// b
  b ? : enum { } ) /// What.
  -> [ string ] ;
  operation name ( ) -> unit ;
}
"#;

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Comments and line ends between any two tokens.
    #[test]
    fn nothing_is_lost_wherever_it_stands(
        odd in any::<bool>(),
        gaps in prop::collection::vec(between(), 200),
    ) {
        let mut text = String::new();
        for (token, gap) in tokens(if odd { ODD } else { EXAMPLE }).iter().zip(gaps.iter().cycle()) {
            text.push_str(token);
            // What is trailed by documentation is refused, not formatted.
            text.push_str(gap);
        }
        if format("a.wip", &text).is_ok() {
            holds(&text);
        }
    }

    #[test]
    fn a_file_with_few_comments_keeps_them(
        odd in any::<bool>(),
        places in prop::collection::btree_map(0..120usize, between(), 0..6),
    ) {
        let mut text = String::new();
        for (at, token) in tokens(if odd { ODD } else { EXAMPLE }).iter().enumerate() {
            text.push_str(places.get(&at).map_or(" ", |gap| gap));
            text.push_str(token);
        }
        if format("a.wip", &text).is_ok() {
            holds(&text);
        }
    }

    /// Whatever is printed, its line ends taken away where they may be.
    #[test]
    fn any_interface_keeps_its_meaning((name, descriptor, effects) in interface(), to in prop::sample::select(vec![" ", "\n", "\n\n\n"])) {
        let printed = source_view::interface(&name, &descriptor, &effects);
        let lines: Vec<&str> = printed.lines().collect();
        let mut text = String::new();
        for line in lines {
            text.push_str(line.trim_start());
            text.push_str(if line.trim_start().starts_with("//") { "\n" } else { to });
        }
        if format("a.wip", &text).is_ok() {
            holds(&text);
        }
    }
}

#[test]
fn formatting_is_linear() {
    let mut text = String::new();
    for at in 0..20_000 {
        text.push_str(&format!("type T{at} = {{ a: [string], b: enum {{ x, y }} }}; // note {at}\n"));
    }
    text.push_str(&format!("type Deep = {}string{};\n", "[".repeat(100), "]".repeat(100)));
    text.push_str(&format!(
        "type Long = enum {{ {} }};\n",
        (0..20_000).map(|at| format!("c{at}, ")).collect::<String>()
    ));
    text.push_str(&"// comment\n".repeat(20_000));
    let begun = std::time::Instant::now();
    let once = formatted(&text);
    assert!(text.len() > 1_000_000 && begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
    assert_eq!(formatted(&once), once);
}
