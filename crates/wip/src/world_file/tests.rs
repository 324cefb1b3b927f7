//! The documentation of `world.toml` is held to what is read, and what is read to it.

use std::path::Path;

use super::keys::{ALL, KINDS, Keys};
use super::*;
use crate::world::Mounted;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md");

/// A row of a table in the documentation.
struct Row {
    option: String,
    default: String,
    example: String,
}

/// The rows below the heading of a table.
fn rows(page: &str, keys: &Keys) -> Vec<Row> {
    let heading = format!(" `{}`\n", keys.head);
    let (_, below) = page.split_once(&heading).unwrap_or_else(|| panic!("{} has no heading", keys.head));
    let below = below.split_once("\n#").map_or(below, |(until, _)| until);
    let cell = |text: &str| text.trim().trim_matches('`').to_owned();
    below
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split('|').map(cell).collect::<Vec<_>>())
        .map(|cells| match <[String; 4]>::try_from(cells) {
            Ok([option, _, default, example]) => Row { option, default, example },
            Err(cells) => panic!("a row has four cells: {cells:?}"),
        })
        .collect()
}

/// A directory with all that the examples name.
fn surroundings() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for name in ["docs", "notes"] {
        std::fs::create_dir(dir.path().join(name)).unwrap();
    }
    std::fs::write(dir.path().join("shop.db"), "SQLite format 3\0").unwrap();
    let made = worldspace_http::tls::self_signed(&["localhost".to_owned()]).unwrap();
    std::fs::write(dir.path().join("cert.pem"), &made.certificate_pem).unwrap();
    std::fs::write(dir.path().join("key.pem"), made.key_pem.reveal()).unwrap();
    worldspace_http::auth::TokenFile::add(dir.path().join("tokens"), "me").unwrap();
    dir
}

/// What is read of the text, which is right.
#[track_caller]
fn read_well(text: &str, base: &Path) -> String {
    let (file, mistakes) = understand(text, base);
    assert!(mistakes.is_empty(), "{text}\n{mistakes:?}");
    format!("{file:?}")
}

/// The file with one line more in the table, whose own line for that option gives way.
fn with(keys: &Keys, line: &str) -> String {
    beside("files = \"docs\"", keys, line)
}

/// As [`with`], where that is mounted.
fn beside(mounted: &str, keys: &Keys, line: &str) -> String {
    let option = line.split(' ').next().unwrap();
    let line = if line.is_empty() { String::new() } else { format!("{line}\n") };
    let is_kind = |option: &str| KINDS.iter().any(|(kind, _)| *kind == option);
    let mut mount = String::from("[[mount]]\n");
    if keys.head != "[[mount]]" || option != "at" {
        mount.push_str("at = \"/docs\"\n");
    }
    if keys.head != "[[mount]]" || !is_kind(option) {
        mount.push_str(&format!("{mounted}\n"));
    }
    match keys.head {
        "[[mount]]" => mount + &line,
        "tls" => format!("{mount}[[listen]]\n{line}"),
        head => format!("{mount}{head}\n{line}"),
    }
}

/// What an option of a mount stands beside.
fn mounted_with(option: &str) -> &'static str {
    match KINDS.iter().find(|(_, options)| options.contains(&option)) {
        Some(("sqlite", _)) => "sqlite = \"shop.db\"",
        _ => "files = \"docs\"",
    }
}

#[test]
fn every_option_is_documented_and_every_documented_option_is_read() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let dir = surroundings();
    let mut options = 0;
    for keys in ALL.into_iter().filter(|keys| !keys.head.is_empty() && keys.head != "[limits]") {
        let rows = rows(&page, keys);
        let documented: Vec<&str> = rows.iter().map(|row| row.option.as_str()).collect();
        assert_eq!(documented, keys.known, "{}", keys.head);
        for Row { option, default, example } in &rows {
            let read = |line: &str| read_well(&beside(mounted_with(option), keys, line), dir.path());
            let (usual, changed) = (read(""), read(example));
            assert_ne!(changed, usual, "{option} changes nothing: {example}");
            if !default.starts_with("required") && default != "none" {
                let same = read(&format!("{option} = {default}"));
                assert_eq!(same, usual, "{option} has another default than {default}");
            }
            options += 1;
        }
    }
    assert!(options > 30, "{options} options are none to speak of");
}

#[test]
fn every_example_of_the_documentation_is_right() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let dir = surroundings();
    let mut examples = 0;
    for block in page.split("```toml\n").skip(1) {
        let (block, _) = block.split_once("```").unwrap();
        // Nobody has this directory.
        let notes = dir.path().join("notes");
        read_well(&block.replace("/home/me/notes", notes.to_str().unwrap()), dir.path());
        examples += 1;
    }
    assert!(examples > 0, "there is no example");
}

#[test]
fn what_is_read_is_what_the_file_says() {
    let dir = surroundings();
    let text = "\
        mount = [\n\
            { at = '/', files = 'docs', writable = true, gitignore = false },\n\
            { at = '/shop', sqlite = 'shop.db', statement_time = '1500 ms', exact_integers = true },\n\
        ]\n\
        limits.wire.request_bytes = '2 MiB'\n\
        limits.http = { drain_timeout = '0 s', requests = 'unlimited' }\n\
        [[listen]]\naddress = '0'\ntls = 'self-signed'\n\
        [[listen]]\naddress = '192.0.2.1'\nallow_plain_http = true\n\
        [[listen]]\naddress = 8_421\n";
    let (file, mistakes) = understand(text, dir.path());
    assert_eq!(mistakes, []);
    let [mount, shop] = &file.mounts[..] else { panic!("{:?}", file.mounts) };
    let Mounted::Directory(path, settings) = &mount.what else { panic!("{mount:?}") };
    assert!(mount.at.is_root() && *path == dir.path().join("docs"));
    assert!(settings.writable && !settings.gitignore && !settings.hidden);
    let Mounted::Sqlite(path, settings) = &shop.what else { panic!("{shop:?}") };
    assert!(shop.at.as_str() == "/shop" && *path == dir.path().join("shop.db"));
    assert!(!settings.writable && settings.exact_integers && settings.statement_time.as_millis() == 1500);
    assert_eq!(file.limits.wire.request_bytes(), 2 << 20);
    assert_eq!((file.limits.http.drain_timeout, file.limits.http.requests), (Default::default(), usize::MAX));
    assert_eq!(file.listeners[0].address.to_string(), "127.0.0.1:0");
    // It is writable, so a token is made, and only what is not encrypted had to be allowed.
    assert_eq!(file.listeners[1].address.to_string(), "192.0.2.1:8420");
    assert!(file.listeners[1].makes_token(true));
    assert_eq!(file.listeners[2].address.to_string(), "127.0.0.1:8421");
}

/// Whoever mends one line should not find the next mistake only then.
#[test]
fn a_line_that_cannot_be_read_hides_nothing_below_it() {
    let dir = surroundings();
    let bad = "[[mount]]\nat = \"/x\"\nsqlite = \"docs\"\n";
    for line in
        ["sqlite \"shop.db\"", "sqlite", "ü", "\"a b\"", "a.b", "a.", "sqlite = shop.db", "sqlite =", "= 5"]
    {
        let text = format!("[[mount]]\nat = \"/a\"\n{line}\n{bad}[[mount]]\nat = \"/b\"\nfiles \n\n{bad}");
        let (_, mistakes) = understand(&text, dir.path());
        let lines: Vec<usize> =
            mistakes.iter().map(|mistake| text[..mistake.span.start].matches('\n').count() + 1).collect();
        assert_eq!(lines, [3, 6, 9, 12, 13], "{text}{mistakes:?}");
    }
}

#[test]
fn no_text_brings_the_reader_down() {
    let dir = surroundings();
    let whole = with(
        &keys::LISTEN,
        "tls = { certificate = \"cert.pem\", key = \"key.pem\" } # ü\n[limits]\nhttp = 1",
    );
    for (cut, _) in whole.char_indices() {
        for text in [&whole[..cut], &whole[cut..]] {
            let (_, mistakes) = understand(text, dir.path());
            for mistake in mistakes {
                failure(&Text { name: "world.toml", content: text }, mistake);
            }
        }
    }
}
