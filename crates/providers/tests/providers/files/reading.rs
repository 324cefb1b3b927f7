//! `read_text`, `read_bytes` and `metadata`.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};

use proptest::prelude::*;
use worldspace_model::{ErrorCode, Value};

use super::world::{Fields, World, entries, field, grow_old, integer};
use crate::unprivileged;

fn read_text(world: &World, path: &str, arguments: &[(&str, Value)]) -> (String, i64, i64, bool) {
    let read = world.call(path, "read_text", arguments).unwrap();
    let number = |name| field(&read, name).as_integer().unwrap();
    let text = field(&read, "text").as_str().unwrap().to_owned();
    (text, number("start_line"), number("total_lines"), field(&read, "truncated").as_bool().unwrap())
}

#[test]
fn text_is_read_by_lines() {
    let world = World::of(&[("a", "one\r\ntwo\nthree"), ("empty", ""), ("long", &"x\n".repeat(2001))]);
    for (path, start, lines, expected) in [
        ("/a", None, None, ("one\r\ntwo\nthree", 1, 3, false)),
        ("/a", Some(2), None, ("two\nthree", 2, 3, false)),
        ("/a", Some(2), Some(1), ("two\n", 2, 3, false)),
        ("/a", Some(4), Some(1), ("", 4, 3, false)),
        ("/empty", None, None, ("", 1, 0, false)),
        ("/long", Some(2000), None, ("x\nx\n", 2000, 2001, false)),
        ("/long", None, None, (&*"x\n".repeat(2000), 1, 2001, true)),
        ("/long", None, Some(2000), (&*"x\n".repeat(2000), 1, 2001, false)),
        ("/long", None, Some(5000), (&*"x\n".repeat(2001), 1, 2001, false)),
    ] {
        let mut arguments = Vec::new();
        arguments.extend(start.map(|start| ("start_line", integer(start))));
        arguments.extend(lines.map(|lines| ("lines", integer(lines))));
        let (text, start_line, total, truncated) = expected;
        let expected = (text.to_owned(), start_line, total, truncated);
        assert_eq!(read_text(&world, path, &arguments), expected, "{path} {start:?} {lines:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn walking_through_a_text_by_its_lines_gives_all_of_it(
        lines in prop::collection::vec("[a-cä\"\r]{0,40}", 0..60),
        ended: bool,
    ) {
        let mut content = lines.join("\n");
        if ended {
            content.push('\n');
        }
        let world = World::of(&[("a", &content)]);
        // So few bytes that a longest line just has room.
        let bytes = (2 << 10) + 6 * 82;
        let (mut walked, mut start, mut answers) = (String::new(), 1, 0);
        loop {
            let read =
                world.call_fitting(bytes, "/a", "read_text", &[("start_line", integer(start))]).unwrap();
            let text = field(&read, "text").as_str().unwrap();
            prop_assert_eq!(field(&read, "start_line"), &integer(start));
            walked.push_str(text);
            start += text.split_inclusive('\n').count() as i64;
            answers += 1;
            if field(&read, "truncated") == &Value::from(false) {
                prop_assert_eq!(field(&read, "total_lines"), &integer(start - 1));
                break;
            }
            prop_assert!(answers < 100 && text.ends_with('\n'), "{answers}: {text:?}");
        }
        prop_assert_eq!(walked, content);
    }
}

#[test]
fn a_line_that_is_longer_than_an_answer_is_cut_and_the_next_one_is_reached() {
    let long = "ä".repeat(100_000);
    let world = World::of(&[("a", &format!("first\n{long}\nlast\n"))]);
    let read = |start| read_text(&world, "/a", &[("start_line", integer(start))]);
    assert_eq!(read(1), ("first\n".to_owned(), 1, 3, true));
    assert_eq!(read(2), (long[..128 << 10].to_owned(), 2, 3, true));
    assert_eq!(read(3), ("last\n".to_owned(), 3, 3, false));
}

#[test]
fn what_is_not_text_is_refused_with_the_way_to_read_it() {
    let world = World::new();
    std::fs::write(world.path("b"), b"ok\nnot \xff text\n").unwrap();
    let error = world.call("/b", "read_text", &[]).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArguments);
    assert!(
        error.message.as_str().contains("line 2") && error.message.as_str().contains("`read_bytes`"),
        "{error}"
    );
    assert_eq!(read_text(&world, "/b", &[("lines", integer(1))]).0, "ok\n");
    let read = world.call("/b", "read_bytes", &[("offset", integer(3)), ("length", integer(5))]).unwrap();
    assert_eq!(field(&read, "data").as_bytes().unwrap(), b"not \xff");
    for (operation, name, value) in [
        ("read_text", "start_line", 0),
        ("read_text", "lines", 0),
        ("read_bytes", "offset", -1),
        ("read_bytes", "length", 0),
    ] {
        let error = world.call("/b", operation, &[(name, integer(value))]).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArguments);
        assert!(error.message.as_str().contains(&format!("arguments.{name}")), "{error}");
    }
}

#[test]
fn a_file_of_two_gigabytes_is_read_where_it_is_asked_for() {
    let world = World::new();
    let size: u64 = 2 << 30;
    let mut file = File::create(world.path("huge")).unwrap();
    file.write_all(b"head\nsecond\n").unwrap();
    file.set_len(size).unwrap();
    file.seek(SeekFrom::Start(size - 5)).unwrap();
    file.write_all(b"tail\n").unwrap();
    drop(file);
    grow_old();
    let end = integer(size as i64 - 5);
    let read = world.call("/huge", "read_bytes", &[("offset", end)]).unwrap();
    assert_eq!(field(&read, "data").as_bytes().unwrap(), b"tail\n");
    assert_eq!(field(&read, "size"), &integer(size as i64));
    let behind = world.call("/huge", "read_bytes", &[("offset", integer(size as i64 * 4))]).unwrap();
    assert_eq!(field(&behind, "data").as_bytes().unwrap(), b"");
    let most = world.call("/huge", "read_bytes", &[("length", integer(1 << 40))]).unwrap();
    assert_eq!(field(&most, "data").as_bytes().unwrap().len(), 4 << 20);
    let (text, start, total, truncated) = read_text(&world, "/huge", &[("lines", integer(2))]);
    assert_eq!((&*text, start, total, truncated), ("head\nsecond\n", 1, 3, false));
}

#[test]
fn metadata_says_what_the_filesystem_says() {
    let world = World::of(&[("d/a", "four"), ("twin", "")]);
    std::fs::hard_link(world.path("twin"), world.path("other")).unwrap();
    std::os::unix::fs::symlink("../twin", world.path("d/in")).unwrap();
    std::os::unix::fs::symlink("../../outside", world.path("d/out")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", world.path("d/absolute")).unwrap();
    let metadata = |path: &str| world.call(path, "metadata", &[]).unwrap();
    let file = metadata("/d/a");
    assert_eq!((field(&file, "kind"), field(&file, "size")), (&Value::from("file"), &integer(4)));
    assert!(field(&file, "modified").as_str().unwrap().ends_with('Z'));
    assert_eq!(field(&metadata("/twin"), "links"), &integer(2));
    assert_eq!(entries(&metadata("/d/in")), ["/twin"]);
    for path in ["/d/out", "/d/absolute"] {
        let link = metadata(path);
        assert_eq!(field(&link, "kind"), &Value::from("link"));
        assert_eq!(entries(&link), [""; 0], "{path}");
        assert!(!format!("{link:?}").contains("passwd"));
    }
}

#[test]
fn what_may_not_be_read_is_said_to_be() {
    use std::os::unix::fs::PermissionsExt;
    unprivileged::run(|| {
        let world = World::of(&[("closed", "x"), ("shut/x", "")]);
        let allow = |name: &str, mode| {
            std::fs::set_permissions(world.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
        };
        allow("closed", 0o000);
        allow("shut", 0o000);
        grow_old();
        assert_eq!(world.description("/shut"), "directory that the Host may not read");
        assert!(!world.tree("/", 3).is_truncated());
        for (path, operation) in
            [("/closed", "read_text"), ("/closed", "read_bytes"), ("/shut", "list"), ("/shut", "find")]
        {
            let error = world.call(path, operation, &[]).unwrap_err();
            assert_eq!(error.code, ErrorCode::PermissionDenied, "{error}");
        }
        assert_eq!(world.fetch("/shut/x").unwrap_err().code, ErrorCode::NotFound);
        allow("shut", 0o700);
    });
}

#[test]
fn answers_fit_into_what_a_response_holds() {
    let world = World::of(&[("quotes", &"\"\n".repeat(90_000)), ("text", &"x".repeat(300_000))]);
    let names: Vec<(String, &str)> = (0..900).map(|at| (format!("many/{at}"), "line\n")).collect();
    world.write_all(&names.iter().map(|(name, content)| (&**name, *content)).collect::<Vec<_>>());
    for bytes in [8 << 10, 64 << 10, 8 << 20] {
        let call = |path, operation, arguments: Fields<'_>| {
            let value = world.call_fitting(bytes, path, operation, arguments).unwrap();
            let length = format!("{value:?}").len();
            (value, length)
        };
        let lines = integer(1 << 20);
        let (read, length) = call("/quotes", "read_text", &[("lines", lines)]);
        assert!(length < bytes && field(&read, "truncated").as_bool().unwrap(), "{length} of {bytes}");
        let (read, _) = call("/text", "read_bytes", &[("length", integer(1 << 20))]);
        let data = field(&read, "data").as_bytes().unwrap().len();
        assert!(data == 300_000 || (bytes / 2..bytes * 3 / 4).contains(&data), "{data} of {bytes}");
        for (operation, rows, most) in [("list", "items", 5_000), ("find", "matches", 2_000)] {
            let (read, length) = call("/many", operation, &[("limit", integer(most))]);
            assert!(length < bytes, "{operation}: {length} of {bytes}");
            let rows = field(&read, rows).as_list().unwrap().len();
            assert_eq!(rows == 900, bytes == 8 << 20, "{operation}: {rows} rows");
        }
    }
}
