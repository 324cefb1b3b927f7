//! `find`.

use worldspace_model::{ErrorCode, Value};

use super::world::{World, entries, field, grow_old, integer};

fn world() -> World {
    World::of(&[
        (".gitignore", "target/\n"),
        ("Cargo.toml", "[package]\nname = \"a.b\"\n"),
        ("src/main.rs", "fn main() {\n    todo!(); // later\n}\n"),
        ("src/a/deep.rs", "// TODO: ä\r\n// nothing\n"),
        ("src/a/notes.txt", "aXb\na-b\n"),
        ("target/out.rs", "todo!()"),
        ("docs/x.md", "plain"),
        ("binary.rs", "\0todo!()\n"),
        ("docs/mixed.bin", "before\n\0\nbehind\n"),
    ])
}

fn find(world: &World, path: &str, arguments: &[(&str, Value)]) -> Value {
    world.call(path, "find", arguments).unwrap()
}

#[test]
fn globs_are_those_of_ripgrep() {
    let world = world();
    let all = [
        "/Cargo.toml",
        "/binary.rs",
        "/docs/mixed.bin",
        "/docs/x.md",
        "/src/a/deep.rs",
        "/src/a/notes.txt",
        "/src/main.rs",
    ];
    for (path, glob, found) in [
        ("/", None, all.to_vec()),
        ("/", Some("*.rs"), vec!["/binary.rs", "/src/a/deep.rs", "/src/main.rs"]),
        ("/", Some("/*.rs"), vec!["/binary.rs"]),
        ("/", Some("**/a/*"), vec!["/src/a/deep.rs", "/src/a/notes.txt"]),
        ("/", Some("src/**/*.rs"), vec!["/src/a/deep.rs", "/src/main.rs"]),
        ("/", Some("*.{md,toml}"), vec!["/Cargo.toml", "/docs/x.md"]),
        ("/", Some("!*.rs"), vec!["/Cargo.toml", "/docs/mixed.bin", "/docs/x.md", "/src/a/notes.txt"]),
        ("/", Some("!src"), vec!["/Cargo.toml", "/binary.rs", "/docs/mixed.bin", "/docs/x.md"]),
        ("/src", Some("/main.rs"), vec!["/src/main.rs"]),
        ("/src", Some("a/*.rs"), vec!["/src/a/deep.rs"]),
        // What is left out is not found, however it is asked for.
        ("/", Some("target/**"), vec![]),
        ("/", Some(".gitignore"), vec![]),
        ("/", Some("../**"), vec![]),
    ] {
        let arguments: Vec<_> = glob.map(|glob| ("glob", Value::from(glob))).into_iter().collect();
        let result = find(&world, path, &arguments);
        assert_eq!(entries(&result), found, "{path} {glob:?}");
        assert_eq!(field(&result, "truncated"), &Value::from(false));
    }
}

#[test]
fn text_is_literal_unless_it_is_said_to_be_an_expression() {
    let world = world();
    for (text, regex, found) in [
        ("todo", false, vec!["/src/main.rs:2:    todo!(); // later"]),
        ("todo!()", false, vec!["/src/main.rs:2:    todo!(); // later"]),
        ("a.b", false, vec!["/Cargo.toml:2:name = \"a.b\""]),
        (
            "a.b",
            true,
            vec!["/Cargo.toml:2:name = \"a.b\"", "/src/a/notes.txt:1:aXb", "/src/a/notes.txt:2:a-b"],
        ),
        ("(?i)todo", true, vec!["/src/a/deep.rs:1:// TODO: ä", "/src/main.rs:2:    todo!(); // later"]),
        ("ä$", true, vec!["/src/a/deep.rs:1:// TODO: ä"]),
        ("^// n.*g$", true, vec!["/src/a/deep.rs:2:// nothing"]),
        (r"\A}\z", true, vec!["/src/main.rs:3:}"]),
        (r"^\s*todo", true, vec!["/src/main.rs:2:    todo!(); // later"]),
        (r"b\s+a", true, vec![]),
        ("nowhere", false, vec![]),
        ("before", false, vec![]),
        ("behind", false, vec![]),
    ] {
        let result = find(&world, "/", &[("text", Value::from(text)), ("regex", Value::from(regex))]);
        let rows: Vec<String> = field(&result, "matches")
            .as_list()
            .unwrap()
            .iter()
            .map(|row| {
                let (line, text) =
                    (field(row, "line").as_integer().unwrap(), field(row, "text").as_str().unwrap());
                format!("{}:{line}:{text}", entries(row)[0])
            })
            .collect();
        assert_eq!(rows, found, "{text} {regex}");
    }
}

#[test]
fn what_cannot_be_searched_for_is_refused_with_its_reason() {
    let world = world();
    for (arguments, named) in [
        (vec![("glob", Value::from("src/[a"))], "arguments.glob"),
        (vec![("glob", Value::from("{a"))], "arguments.glob"),
        (vec![("text", Value::from("(")), ("regex", Value::from(true))], "arguments.text"),
        (vec![("text", Value::from("(?:a{1000}){1000}")), ("regex", Value::from(true))], "arguments.text"),
        (vec![("text", Value::from(r"(a)\1")), ("regex", Value::from(true))], "arguments.text"),
        (vec![("text", Value::from("a\nb"))], "arguments.text"),
        (vec![("text", Value::from(""))], "arguments.text"),
        (vec![("regex", Value::from(true))], "arguments.regex"),
        (vec![("limit", integer(0))], "arguments.limit"),
    ] {
        let error = world.call("/", "find", &arguments).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArguments, "{error}");
        assert!(error.message.as_str().starts_with(named), "{error}");
    }
}

#[test]
fn a_wrong_text_is_explained_in_one_sentence() {
    let world = world();
    let within = "arguments.text: may hold no line end, since what is looked for stands within one line; look for one \
                  of its lines";
    for (text, regex, message) in [
        ("web-01\n", false, within),
        ("a\nb", true, within),
        (r"a\nb", true, within),
        ("(", true, "arguments.text: is no regular expression: unclosed group, at character 1"),
        ("ää(b", true, "arguments.text: is no regular expression: unclosed group, at character 3"),
        (
            r"(a)\1",
            true,
            "arguments.text: is no regular expression: backreferences are not supported, at character 4",
        ),
        (
            r"\p{Nonsense}",
            true,
            "arguments.text: is no regular expression: Unicode property not found, at character 1",
        ),
        (
            "(?:a{1000}){1000}",
            true,
            "arguments.text: is an expression that takes more than 4 MiB, the limit here; repeat less in it",
        ),
    ] {
        let error = world
            .call("/", "find", &[("text", Value::from(text)), ("regex", Value::from(regex))])
            .unwrap_err();
        assert_eq!(error.message.as_str(), message, "{text}");
    }
}

#[test]
fn what_is_found_in_a_file_can_be_read_there() {
    let world = World::of(&[("marked", "\u{feff}needle\n")]);
    let wide = |text: &str, mark: u16| -> Vec<u8> {
        std::iter::once(mark).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    std::fs::write(world.path("utf16"), wide("needle\n", 0xFEFF)).unwrap();
    let found = find(&world, "/", &[("text", Value::from("^needle$")), ("regex", Value::from(true))]);
    assert_eq!(entries(&found), ["/marked"]);
    assert_eq!(entries(&find(&world, "/", &[("text", Value::from("needle"))])), ["/marked"]);
    assert_eq!(world.read("/utf16").unwrap_err().code, ErrorCode::InvalidArguments);
}

#[test]
fn a_limit_is_told_and_only_where_there_is_more() {
    let world = World::of(&[("a", "x\nx\nx\n"), ("b", "x\n")]);
    for (limit, found, truncated) in
        [(1, 1, true), (3, 3, true), (4, 4, false), (5, 4, false), (1_000_000, 4, false)]
    {
        let result = find(&world, "/", &[("text", Value::from("x")), ("limit", integer(limit))]);
        let rows = field(&result, "matches").as_list().unwrap().len();
        assert_eq!((rows, field(&result, "truncated")), (found, &Value::from(truncated)), "{limit}");
    }
    let result = find(&world, "/", &[("limit", integer(1))]);
    assert_eq!((entries(&result), field(&result, "truncated")), (vec!["/a".to_owned()], &Value::from(true)));
}

#[test]
fn long_lines_deep_directories_and_many_names_are_ordinary() {
    let world = World::new();
    let line = format!("{}needle{}", "a".repeat(3 << 20), "b".repeat(3 << 20));
    world.write_all(&[("line", &line), ("twice", "needle\nneedle")]);
    let deep = "d/".repeat(50);
    world.write_all(&[(&format!("{deep}needle"), "needle")]);
    for at in 0..12_000 {
        std::fs::write(world.path(&format!("many{at:05}")), "").unwrap();
    }
    grow_old();
    let result = find(&world, "/", &[("text", Value::from("needle"))]);
    assert_eq!(entries(&result), [&format!("/{deep}needle"), "/line", "/twice", "/twice"]);
    let shown = field(&field(&result, "matches").as_list().unwrap()[1], "text").as_str().unwrap();
    assert!(shown.len() < 500 && shown.contains("needle") && shown.starts_with('…') && shown.ends_with('…'));
    let result = find(&world, "/", &[("glob", Value::from("many*")), ("limit", integer(2000))]);
    let names: Vec<String> = (0..2000).map(|at| format!("/many{at:05}")).collect();
    assert_eq!(entries(&result).len(), 2000);
    assert!(entries(&result).iter().all(|name| name.starts_with("/many")));
    // Of so many names a part is sorted at a time.
    assert!(entries(&result).is_sorted(), "{:?}", names.first());

    // Deeper than is held open at a time: said, not hidden.
    world.write_all(&[(&format!("{}needle", "e/".repeat(100)), "needle")]);
    grow_old();
    let result = find(&world, "/", &[("glob", Value::from("/e/**"))]);
    assert_eq!((entries(&result).len(), field(&result, "unread")), (0, &integer(1)));
}

#[test]
fn the_text_of_many_matches_stays_within_an_answer() {
    let world = World::new();
    world.write_all(&[("a", &["\u{1}".repeat(300).as_str(), "\n"].concat().repeat(3000))]);
    let result = find(&world, "/", &[("text", Value::from("\u{1}")), ("limit", integer(2000))]);
    let rows = field(&result, "matches").as_list().unwrap().len();
    assert!((200..400).contains(&rows), "{rows}");
    assert_eq!(field(&result, "truncated"), &Value::from(true));
}

#[test]
fn a_search_that_has_no_more_time_gives_what_it_has() {
    let world = World::new();
    let names: Vec<String> = (0..3000).map(|at| format!("/{at:04}")).collect();
    for name in &names {
        std::fs::write(world.path(&name[1..]), "needle\n").unwrap();
    }
    grow_old();
    let arguments = [("text", Value::from("needle")), ("limit", integer(2000))];
    for milliseconds in [2000, 400, 200, 100, 50, 25, 12, 6, 3] {
        let time = std::time::Duration::from_millis(milliseconds);
        // How far it comes depends on the machine; where that is nowhere, the Host answers in its stead.
        let Ok(result) = world.call_within(time, "/", "find", &arguments) else { continue };
        let rows = entries(&result);
        assert_eq!(rows, names[..rows.len()]);
        assert_eq!(field(&result, "truncated"), &Value::from(true), "{} of 3000 rows", rows.len());
    }
}

#[test]
fn what_another_mount_stands_on_is_not_shown() {
    let memory = worldspace_host::Memory::new();
    let world = World::below(&[("/a/m", memory)]);
    world.write_all(&[("a/m/x", ""), ("a/n/x", ""), ("b", "")]);
    assert_eq!(entries(&find(&world, "/", &[])), ["/a/n/x", "/b"]);
    assert_eq!(entries(&world.call("/a", "list", &[]).unwrap()), ["/a/n"]);
    assert_eq!(world.names("/", 9), ["w", "a", "b", "m", "n", "x"]);
}
