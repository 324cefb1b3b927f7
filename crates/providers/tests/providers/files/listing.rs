//! `list`.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;

use worldspace_model::{ErrorCode, Value};

use super::world::{World, entries, field, grow_old, integer};

/// All pages, and how many there were.
fn pages(world: &World, path: &str, limit: i64) -> (Vec<String>, u64, usize) {
    let (mut names, mut unnamed, mut count) = (Vec::new(), 0, 0);
    let mut cursor: Option<Value> = None;
    loop {
        let mut arguments = vec![("limit", integer(limit))];
        arguments.extend(cursor.map(|cursor| ("cursor", cursor)));
        let page = world.call(path, "list", &arguments).unwrap();
        count += 1;
        names.extend(entries(&page));
        let record = page.as_record().unwrap();
        unnamed += record.get("unnamed").map_or(0, |unnamed| unnamed.as_integer().unwrap() as u64);
        cursor = record.get("next_cursor").cloned();
        if cursor.is_none() {
            return (names, unnamed, count);
        }
    }
}

#[test]
fn a_list_says_kind_size_and_time() {
    let world = World::of(&[("a", "four"), ("d/x", "")]);
    std::os::unix::fs::symlink("a", world.path("l")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(world.path("s")).unwrap();
    let listed = world.call("/", "list", &[]).unwrap();
    let mut rows: Vec<_> = field(&listed, "items")
        .as_list()
        .unwrap()
        .iter()
        .map(|item| {
            let size = item.as_record().unwrap().get("size").map(|size| size.as_integer().unwrap());
            let time = field(item, "modified").as_str().unwrap();
            assert!(time.ends_with('Z') && time.len() >= "2026-01-01T00:00:00Z".len(), "{time}");
            (entries(item).remove(0), field(item, "kind").as_str().unwrap().to_owned(), size)
        })
        .collect();
    rows.sort();
    let row = |path: &str, kind: &str, size| (path.to_owned(), kind.to_owned(), size);
    let expected = [
        row("/a", "file", Some(4)),
        row("/d", "directory", None),
        row("/l", "link", None),
        row("/s", "other", None),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn pages_of_a_huge_directory_are_complete_and_repeat_nothing() {
    let world = World::new();
    std::fs::create_dir(world.path("d")).unwrap();
    // Many names of few files: files of their own would take the disk ten times as long. A file has 65,000 at most.
    let count = 200_000;
    for at in 0..count {
        let name = world.path(&format!("d/{at}"));
        let file = at - at % 50_000;
        if at == file {
            std::fs::write(name, "").unwrap();
        } else {
            std::fs::hard_link(world.path(&format!("d/{file}")), name).unwrap();
        }
    }
    grow_old();
    let (names, unnamed, pages) = pages(&world, "/d", 4_000);
    assert_eq!((names.len(), unnamed, pages), (count, 0, count / 4_000));
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), count);
    // It is a leaf of the tree, and counting its names stops early.
    assert!(world.description("/d").contains("1,000"));
}

#[test]
fn small_pages_join_while_names_come_and_go() {
    let world = World::new();
    for at in 0..300 {
        std::fs::write(world.path(&format!("stays{at}")), "").unwrap();
        std::fs::write(world.path(&format!("goes{at}")), "").unwrap();
    }
    let mut seen = Vec::new();
    let mut cursor: Option<Value> = None;
    for round in 0.. {
        let mut arguments = vec![("limit", integer(7))];
        arguments.extend(cursor.take().map(|cursor| ("cursor", cursor)));
        let page = world.call("/", "list", &arguments).unwrap();
        seen.extend(entries(&page));
        let _ = std::fs::remove_file(world.path(&format!("goes{round}")));
        cursor = page.as_record().unwrap().get("next_cursor").cloned();
        if cursor.is_none() {
            break;
        }
    }
    let stays = seen.iter().filter(|name| name.starts_with("/stays")).count();
    assert_eq!((stays, seen.iter().collect::<BTreeSet<_>>().len()), (300, seen.len()));
}

#[test]
fn what_is_left_out_fills_no_page_and_unnamed_names_are_counted() {
    let world = World::of(&[(".gitignore", "*.tmp\n"), ("a", ""), ("b", ""), (".hidden", "")]);
    for at in 0..50 {
        std::fs::write(world.path(&format!("{at}.tmp")), "").unwrap();
    }
    for at in 0..5u8 {
        let name = [b'n', 0xF0 + at];
        std::fs::write(world.path("").join(std::ffi::OsStr::from_bytes(&name)), "").unwrap();
    }
    for limit in [1, 2, 100] {
        let (mut names, unnamed, _) = pages(&world, "/", limit);
        names.sort();
        assert_eq!((names, unnamed), (vec!["/a".to_owned(), "/b".to_owned()], 5), "limit {limit}");
    }
    assert_eq!(field(&world.call("/", "find", &[]).unwrap(), "unread"), &integer(5));
}

#[test]
fn a_cursor_serves_its_own_list_alone() {
    let world = World::of(&[("a/1", ""), ("a/2", ""), ("a/3", ""), ("b/1", ""), ("b/2", "")]);
    let first = world.call("/a", "list", &[("limit", integer(1))]).unwrap();
    let cursor = field(&first, "next_cursor").as_str().unwrap().to_owned();
    let refused = |path: &str, cursor: &str| {
        let error = world.call(path, "list", &[("cursor", Value::from(cursor))]).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArguments, "{error}");
        assert!(error.message.as_str().starts_with("arguments.cursor: "), "{error}");
        assert!(error.message.as_str().contains("leave it out"), "{error}");
    };
    refused("/b", &cursor);
    for at in [0, 10, cursor.len() - 1] {
        let mut edited = cursor.clone().into_bytes();
        edited[at] = if edited[at] == b'A' { b'B' } else { b'A' };
        refused("/a", &String::from_utf8(edited).unwrap());
    }
    for nonsense in ["", "0", "…", &cursor[1..]] {
        refused("/a", nonsense);
    }
    // Another directory in its place is not gone on with.
    std::fs::rename(world.path("a"), world.path("c")).unwrap();
    std::fs::rename(world.path("b"), world.path("a")).unwrap();
    refused("/a", &cursor);
    for limit in [0, -1] {
        let error = world.call("/a", "list", &[("limit", integer(limit))]).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArguments);
        assert!(error.message.as_str().contains("arguments.limit"), "{error}");
    }
}
