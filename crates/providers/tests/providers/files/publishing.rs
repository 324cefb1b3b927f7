//! What is published, and what is left out.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use worldspace_model::{Effects, ErrorCode, Expansion, Field, OperationDeclaration, Type, TypeKind};
use worldspace_providers::files::Settings;

use super::world::{World, entry};

#[test]
fn a_tree_shows_what_each_thing_is() {
    let world = World::of(&[("src/main.rs", "fn main() {}"), ("notes.md", "# a"), ("empty/", ""), ("x", "")]);
    symlink("notes.md", world.path("link")).unwrap();
    let tree = world.tree("/", 9);
    let shown: Vec<_> = tree
        .nodes()
        .iter()
        .map(|node| {
            let object = &node.object;
            let interface = object.interfaces[0].to_string();
            (object.name.as_str().to_owned(), object.description.as_deref().unwrap().to_owned(), interface)
        })
        .collect();
    let directory = "/w::files.directory".to_owned();
    let file = "/w::files.file".to_owned();
    let expected = [
        ("w", "directory", &directory),
        ("empty", "directory", &directory),
        ("link", "symbolic link, not followed", &"/w::files.other".to_owned()),
        ("notes.md", "Markdown text", &file),
        ("src", "directory", &directory),
        ("x", "file", &file),
        ("main.rs", "Rust source", &file),
    ];
    let expected: Vec<_> = expected
        .map(|(name, words, interface)| (name.to_owned(), words.to_owned(), interface.clone()))
        .to_vec();
    assert_eq!(shown, expected);
    assert!(!tree.is_truncated());
    assert!(tree.nodes().iter().all(|node| matches!(node.expansion, Expansion::Leaf | Expansion::Complete)));
}

#[test]
fn hidden_and_ignored_names_are_absent_in_every_way() {
    let files = [
        (".gitignore", "*.log\n/build/\n!keep.log\nsecret\nlink\n"),
        ("a.log", "needle"),
        ("keep.log", "needle"),
        ("build/out.rs", "needle"),
        ("src/build/in.rs", "needle"),
        ("src/.gitignore", "*.rs\n!in.rs\n!*.log\n"),
        ("src/gone.rs", "needle"),
        ("src/b.log", "needle"),
        ("secret/keep.log", "needle"),
        (".git/config", "needle"),
        (".env", "needle"),
        ("deep/.hidden/x.txt", "needle"),
    ];
    let out = [
        "/.gitignore",
        "/a.log",
        "/build",
        "/build/out.rs",
        "/src/gone.rs",
        "/secret",
        "/secret/keep.log",
        "/.git",
        "/.git/config",
        "/.env",
        "/deep/.hidden",
        "/deep/.hidden/x.txt",
        "/src/.gitignore",
    ];
    let world = World::of(&files);
    let shown = ["w", "deep", "keep.log", "src", "b.log", "build", "in.rs"];
    assert_eq!(world.names("/", 9), shown);
    for path in out {
        let hidden = world.fetch(path).unwrap_err();
        assert_eq!(hidden.code, ErrorCode::NotFound, "{path}");
        let absent = world.fetch("/none").unwrap_err().message.as_str().replace("/w/none", &entry(path));
        assert_eq!(hidden.message.as_str(), absent, "{path}");
    }

    // What configuration turns on is there, and nothing else changes.
    for (settings, there) in [
        (settings(false, false), vec!["/a.log", "/build/out.rs", "/src/gone.rs", "/secret/keep.log"]),
        (settings(true, true), vec!["/.git/config", "/.env", "/deep/.hidden/x.txt"]),
        (settings(false, true), out.to_vec()),
    ] {
        let world = World::with(settings.clone());
        world.write_all(&files);
        for path in out {
            assert_eq!(world.fetch(path).is_ok(), covers(&there, path), "{path} {settings:?}");
        }
    }
}

fn settings(gitignore: bool, hidden: bool) -> Settings {
    Settings { gitignore, hidden, ..Settings::default() }
}

/// Whether a path, or one below it, is among these; ignore files are hidden like all else.
fn covers(paths: &[&str], path: &str) -> bool {
    let hidden = paths.contains(&"/.git/config");
    (hidden && path.ends_with(".gitignore"))
        || paths
            .iter()
            .any(|other| *other == path || other.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')))
}

#[test]
fn a_changed_ignore_file_counts_at_once() {
    let world = World::of(&[("a.txt", ""), ("b.txt", ""), (".gitignore", "a.txt\n")]);
    // The same length each time, and no time in between.
    for _ in 0..20 {
        std::fs::write(world.path(".gitignore"), "b.txt\n").unwrap();
        assert_eq!(world.names("/", 1), ["w", "a.txt"]);
        std::fs::write(world.path(".gitignore"), "a.txt\n").unwrap();
        assert_eq!(world.names("/", 1), ["w", "b.txt"]);
    }
    std::fs::remove_file(world.path(".gitignore")).unwrap();
    assert_eq!(world.names("/", 1), ["w", "a.txt", "b.txt"]);
    // What is no text, no pattern or no file leaves nothing out and breaks nothing.
    std::fs::write(world.path(".gitignore"), b"\xff\xfe[\n{a\n/\nb.txt").unwrap();
    assert_eq!(world.names("/", 1), ["w", "a.txt"]);
    std::fs::remove_file(world.path(".gitignore")).unwrap();
    symlink(world.path("a.txt"), world.path(".gitignore")).unwrap();
    assert_eq!(world.names("/", 1), ["w", "a.txt", "b.txt"]);
}

#[test]
fn a_directory_of_many_names_says_so_and_is_a_leaf() {
    let world = World::new();
    let fill = |directory: &str, count: usize| {
        std::fs::create_dir(world.path(directory)).unwrap();
        for at in 0..count {
            std::fs::write(world.path(&format!("{directory}/{at}")), "").unwrap();
        }
    };
    fill("full", 1000);
    fill("over", 1001);
    assert_eq!(world.description("/full"), "directory");
    assert_eq!(world.description("/over"), "directory with more than 1,000 names; use `list` or `find`");
    let tree = world.tree("/", 2);
    assert_eq!(tree.nodes().len(), 1 + 2 + 1000);
    let over = tree.nodes().iter().find(|node| node.object.name.as_str() == "over").unwrap();
    assert_eq!(over.expansion, Expansion::Leaf);
    assert!(!tree.is_truncated());
    assert!(world.fetch("/over/1000").is_ok(), "what is not indexable is still there");

    let few = World::with(Settings { indexable_names: 2, ..Settings::default() });
    few.write_all(&[("two/a", ""), ("two/b", ""), ("a", ""), (".hidden", "")]);
    assert_eq!(few.description("/two"), "directory");
    assert!(few.description("/").contains("more than 2 names"));

    // Counting follows the names as they come and go.
    std::fs::remove_file(world.path("over/0")).unwrap();
    assert_eq!(world.description("/over"), "directory");
    std::fs::write(world.path("over/new"), "").unwrap();
    assert_ne!(world.description("/over"), "directory");
}

#[test]
fn pages_of_children_join_without_gaps() {
    let world = World::new();
    let names: Vec<String> = (0..900).map(|at| format!("{:03}", at * 7 % 900)).collect();
    for name in &names {
        std::fs::write(world.path(name), "").unwrap();
    }
    let mut sorted = names.clone();
    sorted.sort();
    assert_eq!(world.names("/", 1)[1..], sorted[..]);
}

#[test]
fn names_are_entries_as_they_stand_or_not_at_all() {
    let world = World::new();
    let long = "x".repeat(255);
    let names = [
        "a\\b",
        "\\..",
        "%2e%2e",
        "%2F",
        "…",
        "new\nline",
        "tab\t",
        " ",
        "~",
        "-rf",
        "a:b",
        "\u{202e}txt",
        "é",
        "e\u{301}",
        "ß",
        "ss",
        "Case",
        "case",
        "CON",
        "name.",
        "name ",
        &long,
        "*",
        "[a]",
        "\u{1}",
    ];
    for name in names {
        std::fs::write(world.path(name), name).unwrap();
    }
    std::fs::write(world.path("").join(std::ffi::OsStr::from_bytes(b"not\xffutf8")), "").unwrap();
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    assert_eq!(world.names("/", 1)[1..], sorted[..]);
    for name in names {
        assert_eq!(world.read(&format!("/{name}")).as_deref(), Ok(name), "{name:?}");
    }
    for absent in
        ["CASE", "not\u{fffd}utf8", "SS", "E\u{301}", &"x".repeat(256), &"x".repeat(70_000), "a\0", "\0"]
    {
        assert_eq!(world.fetch(&format!("/{absent}")).unwrap_err().code, ErrorCode::NotFound, "{absent:?}");
    }
}

#[test]
fn names_without_an_entry_are_told_of_where_names_are_counted() {
    let world = World::with(Settings { indexable_names: 5, ..Settings::default() });
    let raw = |directory: &str, name: &[u8]| {
        std::fs::write(world.path(directory).join(std::ffi::OsStr::from_bytes(name)), "").unwrap();
    };
    world.write_all(&[("d/a", ""), ("hidden/", ""), ("many/1", ""), ("many/2", ""), ("many/3", "")]);
    raw("d", b"\xff");
    assert_eq!(
        world.description("/d"),
        "directory; 1 name is not UTF-8 and has no entry (`list` counts such names)"
    );
    raw("d", b"\xfe");
    assert_eq!(
        world.description("/d"),
        "directory; 2 names are not UTF-8 and have no entry (`list` counts such names)"
    );
    // What is left out anyway is neither told of nor counted.
    raw("hidden", b".\xff");
    assert_eq!(world.description("/hidden"), "directory");
    assert!(world.call("/hidden", "list", &[]).unwrap().as_record().unwrap().get("unnamed").is_none());
    for name in [b"\xfc", b"\xfd", b"\xfe"] {
        raw("many", name);
    }
    assert!(world.description("/many").contains("more than 5 names"));
    std::fs::remove_file(world.path("d").join(std::ffi::OsStr::from_bytes(b"\xff"))).unwrap();
    std::fs::remove_file(world.path("d").join(std::ffi::OsStr::from_bytes(b"\xfe"))).unwrap();
    assert_eq!(world.description("/d"), "directory");
}

#[test]
fn every_summary_fits_a_line_of_a_screen() {
    let world = World::of(&[("a", "")]);
    symlink("a", world.path("link")).unwrap();
    for path in ["/", "/a", "/link"] {
        for operation in &world.interface(path).descriptor.declaration().operations {
            let own = operation.documentation.iter();
            let fields = operation.parameters.iter().chain(fields(&operation.returns));
            for words in own.chain(fields.filter_map(|field| field.documentation.as_ref())) {
                assert!(!words.summary.is_empty() && words.summary.len() <= 90, "{}", words.summary);
            }
        }
    }
}

/// All fields that stand in a type.
fn fields(ty: &Type) -> Vec<&Field> {
    match ty.kind() {
        TypeKind::Record(own) => {
            own.iter().flat_map(|field| [vec![field], fields(&field.ty)].concat()).collect()
        }
        TypeKind::List(items) => fields(items),
        _ => Vec::new(),
    }
}

#[test]
fn the_operations_have_the_signatures_that_were_published() {
    let world = World::of(&[("a", "")]);
    symlink("a", world.path("link")).unwrap();
    for (path, operations) in [
        (
            "/",
            vec![
                "list(cursor?: string, limit?: integer) -> { items: [{ entry: entry, kind: enum { directory, file, \
                 link, other }, size?: integer, modified?: string }], next_cursor?: string, unnamed?: integer }",
                "find(glob?: string, text?: string, regex?: boolean, limit?: integer) -> { matches: [{ entry: \
                 entry, line?: integer, text?: string }], truncated: boolean, unread?: integer }",
            ],
        ),
        (
            "/a",
            vec![
                METADATA,
                "read_text(start_line?: integer, lines?: integer) -> { text: string, start_line: integer, \
                 total_lines: integer, truncated: boolean }",
                "read_bytes(offset?: integer, length?: integer) -> { data: bytes, size: integer }",
            ],
        ),
        ("/link", vec![METADATA]),
    ] {
        let interface = world.interface(path);
        let declared = &interface.descriptor.declaration().operations;
        let found: Vec<String> = declared.iter().map(signature).collect();
        assert_eq!(found, operations, "{path}");
        let effects = interface.effects.unwrap();
        assert!(effects.iter().all(|(_, effects)| effects == Effects::READ), "{path}");
    }
}

const METADATA: &str = "metadata() -> { kind: enum { directory, file, link, other }, size: integer, modified: \
                        string, created?: string, executable: boolean, links: integer, target?: entry }";

/// An operation on one line, without its documentation.
fn signature(operation: &OperationDeclaration) -> String {
    let parameters = members(&operation.parameters);
    format!("{}({parameters}) -> {}", operation.name, written(&operation.returns))
}

fn members(fields: &[Field]) -> String {
    let member = |field: &Field| {
        let mark = if field.required { "" } else { "?" };
        format!("{}{mark}: {}", field.name, written(&field.ty))
    };
    fields.iter().map(member).collect::<Vec<_>>().join(", ")
}

fn written(ty: &Type) -> String {
    match ty.kind() {
        TypeKind::Record(fields) => format!("{{ {} }}", members(fields)),
        TypeKind::List(items) => format!("[{}]", written(items)),
        TypeKind::Enum(cases) => {
            let names: Vec<&str> = cases.iter().map(|case| &*case.name).collect();
            format!("enum {{ {} }}", names.join(", "))
        }
        TypeKind::Named(name) => format!("a named {name}"),
        scalar => format!("{scalar:?}").to_lowercase(),
    }
}
