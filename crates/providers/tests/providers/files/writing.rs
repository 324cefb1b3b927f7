//! The operations that change something: what they answer, and what is on the disk then.

use std::os::unix::fs::{MetadataExt, PermissionsExt};

use worldspace_model::{ErrorCode, Record, Value};
use worldspace_providers::files::Settings;

use super::world::{Fields, World, entry, integer, no_identities};

fn text(text: &str) -> Value {
    Value::from(text)
}

fn place(path: &str) -> Value {
    Value::Entry(worldspace_model::EntryPath::parse(&entry(path)).unwrap())
}

/// The case of a union, and what it carries.
fn case(value: &Value) -> (String, Option<Value>) {
    let record: &Record = value.as_record().unwrap();
    (record.get("$case").unwrap().as_str().unwrap().to_owned(), record.get("value").cloned())
}

/// Everything on the disk below the root, hidden names too, but for where changes are made ready: paths, and what files
/// hold.
fn disk(world: &World) -> Vec<(String, Option<String>)> {
    fn walk(at: &std::path::Path, way: &str, found: &mut Vec<(String, Option<String>)>) {
        for item in std::fs::read_dir(at).unwrap().map(Result::unwrap) {
            let path = format!("{way}/{}", item.file_name().to_str().unwrap());
            if path == "/.wip-writes" {
                continue;
            }
            if item.file_type().unwrap().is_dir() {
                found.push((path.clone(), None));
                walk(&item.path(), &path, found);
            } else {
                found.push((path, Some(std::fs::read_to_string(item.path()).unwrap_or_default())));
            }
        }
    }
    let mut found = Vec::new();
    walk(&world.path(""), "", &mut found);
    found.sort();
    found
}

/// A world in which everything can be changed, with these files.
fn world(files: &[(&str, &str)]) -> World {
    let world = World::writable();
    world.write_all(files);
    world
}

/// Calls an operation, and says what came of it and what is on the disk then.
fn check(
    files: &[(&str, &str)],
    path: &str,
    operation: &str,
    arguments: Fields<'_>,
    answer: &str,
    then: &[&str],
) {
    let world = world(files);
    let told = match world.call(path, operation, arguments) {
        Ok(Value::Unit) => "unit".to_owned(),
        Ok(value) => match case(&value) {
            (name, None) => name,
            (name, Some(Value::Entry(at))) => format!("{name} {}", &at.as_str()["/w".len()..]),
            (name, Some(value)) => format!("{name} {}", value.as_integer().unwrap()),
        },
        Err(error) => format!("{}: {}", error.code, error.message),
    };
    assert!(told == answer || (told.contains(answer) && told.contains(": ")), "{operation} {path}: {told}");
    let found: Vec<String> = disk(&world)
        .into_iter()
        .map(|(path, content)| match content {
            None => format!("{path}/"),
            Some(content) => format!("{path}={content}"),
        })
        .collect();
    assert_eq!(found, then, "{operation} {path}");
}

#[test]
fn new_things_are_made_beside_others_and_never_over_them() {
    let files = [("a", "1"), ("d/", "")];
    let make = |name: &'static str| [("name", text(name))];
    check(&files, "/", "create_file", &make("b"), "created /b", &["/a=1", "/b=", "/d/"]);
    check(
        &files,
        "/d",
        "create_file",
        &[("name", text("b")), ("text", text("x\n"))],
        "created /d/b",
        &["/a=1", "/d/", "/d/b=x\n"],
    );
    let data = [("name", text("b")), ("data", Value::bytes(*b"x"))];
    check(&files, "/", "create_file", &data, "created /b", &["/a=1", "/b=x", "/d/"]);
    check(&files, "/", "create_file", &make("a"), "exists /a", &["/a=1", "/d/"]);
    check(&files, "/", "create_file", &make("d"), "exists /d", &["/a=1", "/d/"]);
    check(&files, "/", "create_directory", &make("e"), "created /e", &["/a=1", "/d/", "/e/"]);
    check(&files, "/", "create_directory", &make("a"), "exists /a", &["/a=1", "/d/"]);
    let both = [("name", text("b")), ("text", text("")), ("data", Value::bytes(*b""))];
    check(&files, "/", "create_file", &both, "give one of them", &["/a=1", "/d/"]);
}

#[test]
fn names_that_would_not_be_found_again_are_refused() {
    let long = "x".repeat(256);
    for (name, why) in [
        (".hidden", "not offered here"),
        (".wip-writes", "not offered here"),
        ("ignored.o", "not offered here"),
        ("a/b", "arguments.name"),
        ("..", "arguments.name"),
        (".", "arguments.name"),
        ("", "arguments.name"),
        ("a\0b", "zero byte"),
        (long.as_str(), "255 bytes"),
    ] {
        let files = [(".gitignore", "*.o\n"), ("f", "1")];
        let unchanged = ["/.gitignore=*.o\n", "/f=1"];
        for operation in ["create_file", "create_directory"] {
            check(&files, "/", operation, &[("name", text(name))], why, &unchanged);
        }
        check(&files, "/f", "move", &[("to", place("/")), ("name", text(name))], why, &unchanged);
    }
}

#[test]
fn content_is_replaced_whole() {
    let files = [("f", "old")];
    check(&files, "/f", "write", &[("text", text("new"))], "unit", &["/f=new"]);
    check(&files, "/f", "write", &[("text", text(""))], "unit", &["/f="]);
    check(&files, "/f", "write", &[("data", Value::bytes(*b"new"))], "unit", &["/f=new"]);
    check(&files, "/f", "write", &[], "neither `text` nor `data`", &["/f=old"]);
    let both = [("text", text("")), ("data", Value::bytes(*b""))];
    check(&files, "/f", "write", &both, "give one of them", &["/f=old"]);
    check(&files, "/f", "append", &[("text", text(" and new"))], "unit", &["/f=old and new"]);
    check(&files, "/f", "append", &[("text", text(""))], "unit", &["/f=old"]);
}

#[test]
fn a_text_is_replaced_if_it_stands_there_as_often_as_expected() {
    let files = [("f", "a b a b\r\n")];
    let edit = |old: &'static str, new: &'static str| vec![("old", text(old)), ("new", text(new))];
    let counted = |old, new, count| [edit(old, new), vec![("count", integer(count))]].concat();
    let same = ["/f=a b a b\r\n"];
    check(&files, "/f", "replace_text", &edit("b\r\n", "c"), "replaced 1", &["/f=a b a c"]);
    check(&files, "/f", "replace_text", &counted("a", "xy", 2), "replaced 2", &["/f=xy b xy b\r\n"]);
    check(&files, "/f", "replace_text", &counted("a", "", 2), "replaced 2", &["/f= b  b\r\n"]);
    check(&files, "/f", "replace_text", &edit("a", "x"), "found 2", &same);
    check(&files, "/f", "replace_text", &edit("z", "x"), "found 0", &same);
    check(&files, "/f", "replace_text", &edit("b\n", "x"), "found 0", &same);
    check(&files, "/f", "replace_text", &counted("b", "x", 3), "found 2", &same);
    check(&files, "/f", "replace_text", &counted("b", "x", 0), "at least 1", &same);
    check(&files, "/f", "replace_text", &edit("", "x"), "arguments.old", &same);
    check(&[("f", "aaaa")], "/f", "replace_text", &counted("aa", "b", 2), "replaced 2", &["/f=bb"]);
}

#[test]
fn things_move_within_the_mount_and_never_over_others() {
    let files = [("a", "1"), ("d/b", "2"), ("e/", "")];
    let all = ["/a=1", "/d/", "/d/b=2", "/e/"];
    let to = |path: &'static str| vec![("to", place(path))];
    let named = |path, name: &'static str| [to(path), vec![("name", text(name))]].concat();
    check(&files, "/a", "move", &to("/e"), "moved /e/a", &["/d/", "/d/b=2", "/e/", "/e/a=1"]);
    check(&files, "/a", "move", &named("/", "c"), "moved /c", &["/c=1", "/d/", "/d/b=2", "/e/"]);
    check(&files, "/d", "move", &to("/e"), "moved /e/d", &["/a=1", "/e/", "/e/d/", "/e/d/b=2"]);
    check(&files, "/a", "move", &named("/d", "b"), "exists /d/b", &all);
    check(&files, "/a", "move", &to("/"), "exists /a", &all);
    check(&files, "/d", "move", &to("/d"), "within what is to be moved", &all);
    check(&files, "/a", "move", &to("/d/b"), "leads to no directory", &all);
    check(&files, "/a", "move", &to("/nowhere"), "leads to no directory", &all);
    check(&files, "/", "move", &to("/d"), "cannot be moved from within", &all);
    let elsewhere = Value::Entry(worldspace_model::EntryPath::parse("/other").unwrap());
    check(&files, "/a", "move", &[("to", elsewhere)], "arguments.to: `/other` is not below", &all);
}

#[test]
fn things_are_deleted_and_full_directories_only_where_that_was_said() {
    let files = [("a", "1"), ("d/x/y", "2"), ("d/.h", "3"), ("e/", "")];
    let all = ["/a=1", "/d/", "/d/.h=3", "/d/x/", "/d/x/y=2", "/e/"];
    let recursive = |value: bool| [("recursive", Value::from(value))];
    check(&files, "/a", "delete", &[], "deleted", &all[1..]);
    check(&files, "/e", "delete", &[], "deleted", &all[..5]);
    check(&files, "/d", "delete", &[], "not_empty", &all);
    check(&files, "/d", "delete", &recursive(false), "not_empty", &all);
    check(&files, "/d", "delete", &recursive(true), "deleted", &["/a=1", "/e/"]);
    check(&files, "/", "delete", &recursive(true), "cannot be deleted from within", &all);
}

/// Where a thing is named by a deep path, only as many directories as it takes are open.
#[test]
fn a_deep_directory_is_deleted_whole() {
    let world = World::writable();
    let deep = (0..150).map(|_| "d").collect::<Vec<_>>().join("/");
    std::fs::create_dir_all(world.path(&deep)).unwrap();
    std::fs::write(world.path(&deep).join("f"), "").unwrap();
    let deleted = world.call("/d", "delete", &[("recursive", Value::from(true))]).unwrap();
    assert_eq!(case(&deleted).0, "deleted");
    assert_eq!(disk(&world), []);
    let deeper = (0..250).map(|_| "d").collect::<Vec<_>>().join("/");
    std::fs::create_dir_all(world.path(&deeper)).unwrap();
    let refused = world.call("/d", "delete", &[("recursive", Value::from(true))]).unwrap_err();
    assert_eq!(refused.code, ErrorCode::ResourceLimitExceeded, "{}", refused.message);
    assert_eq!(disk(&world).len(), 250);
}

#[test]
fn what_takes_the_place_of_a_file_is_the_same_thing() {
    if no_identities() {
        return;
    }
    let world = world(&[("f", "0"), ("d/", "")]);
    let first = world.fetch("/f").unwrap();
    let identity = first.r#ref.clone().unwrap();
    let mut seen = first.validator.clone().unwrap();
    for number in 1..20 {
        let object = world.fetch("/f").unwrap();
        let content = [("text", text(&number.to_string()))];
        let answer =
            world.block_on(world.answering(world.context(), &object, "/f", "write", &content)).unwrap();
        let now = world.fetch("/f").unwrap();
        assert_eq!(now.r#ref.as_ref(), Some(&identity), "after {number}");
        assert_eq!(answer.validator, now.validator, "the state behind the call is the one that is told");
        assert_ne!(now.validator.as_ref(), Some(&seen));
        seen = now.validator.clone().unwrap();
    }
    world.call("/f", "move", &[("to", place("/d")), ("name", text("g"))]).unwrap();
    assert_eq!(world.fetch("/d/g").unwrap().r#ref.as_ref(), Some(&identity));
    world.call("/d/g", "delete", &[]).unwrap();
    world.call("/d", "create_file", &[("name", text("g"))]).unwrap();
    assert_ne!(world.fetch("/d/g").unwrap().r#ref.as_ref(), Some(&identity), "a new thing is new");
}

#[test]
fn a_large_file_has_a_state_behind_the_call_too() {
    let world = World::writable();
    std::fs::write(world.path("f"), "x".repeat(3 << 20)).unwrap();
    let object = world.fetch("/f").unwrap();
    let more = [("text", text("y"))];
    let answer = world.block_on(world.answering(world.context(), &object, "/f", "append", &more)).unwrap();
    assert_eq!(std::fs::metadata(world.path("f")).unwrap().len(), (3 << 20) + 1);
    assert!(answer.validator.is_some());
    assert_eq!(answer.validator, world.fetch("/f").unwrap().validator);
}

#[test]
fn what_is_not_content_stays_as_it_was() {
    let world = world(&[("f", "old")]);
    let path = world.path("f");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o4751)).unwrap();
    let attribute = rustix::fs::setxattr(&path, "user.note", b"kept", rustix::fs::XattrFlags::empty());
    world.call("/f", "write", &[("text", text("new"))]).unwrap();
    // What lets a program run as its owner does not outlive its content.
    assert_eq!(path.metadata().unwrap().mode() & 0o7777, 0o751);
    if attribute.is_ok() {
        let mut value = Vec::with_capacity(16);
        rustix::fs::getxattr(&path, "user.note", rustix::buffer::spare_capacity(&mut value)).unwrap();
        assert_eq!(value, b"kept");
    } else {
        eprintln!("skipped: the filesystem of temporary files keeps no attributes");
    }
}

#[test]
fn of_a_file_with_several_names_the_others_keep_what_they_have() {
    let world = world(&[("f", "old")]);
    std::fs::hard_link(world.path("f"), world.path("g")).unwrap();
    world.call("/f", "write", &[("text", text("new"))]).unwrap();
    assert_eq!(
        disk(&world),
        [("/f".to_owned(), Some("new".to_owned())), ("/g".to_owned(), Some("old".to_owned()))]
    );
}

#[test]
fn every_change_needs_the_state_that_was_seen_and_creation_does_not() {
    let world = world(&[("f", "old"), ("d/x", "1")]);
    let calls: &[(&str, &str, Fields<'_>)] = &[
        ("/f", "write", &[("text", text("mine"))]),
        ("/f", "append", &[("text", text("mine"))]),
        ("/f", "replace_text", &[("old", text("old")), ("new", text("mine"))]),
        ("/f", "move", &[("to", place("/d"))]),
        ("/f", "delete", &[]),
        ("/d", "move", &[("to", place("/")), ("name", text("e"))]),
        ("/d", "delete", &[("recursive", Value::from(true))]),
    ];
    for (path, operation, arguments) in calls {
        let seen = world.fetch(path).unwrap();
        let blind = worldspace_model::Object { validator: None, ..(*seen).clone() };
        let refused = world.call_seen(&blind, path, operation, arguments).unwrap_err();
        assert_eq!(refused.code, ErrorCode::ValidatorRequired, "{operation} {path}");
        match *path {
            "/f" => std::fs::write(world.path("f"), "others").unwrap(),
            _ => std::fs::write(world.path("d").join(operation), "others").unwrap(),
        }
        let refused = world.call_seen(&seen, path, operation, arguments).unwrap_err();
        assert_eq!(refused.code, ErrorCode::ValidatorMismatch, "{operation} {path}");
        std::fs::write(world.path("f"), "old").unwrap();
    }
    let seen = world.fetch("/d").unwrap();
    let blind = worldspace_model::Object { validator: None, ..(*seen).clone() };
    let created = world.call_seen(&blind, "/d", "create_file", &[("name", text("new"))]).unwrap();
    assert_eq!(case(&created).0, "created");
}

#[test]
fn what_may_only_be_read_is_not_replaced() {
    crate::unprivileged::run(|| {
        let world = world(&[("f", "old"), ("d/x", "1"), ("d/e/y", "2")]);
        let lock = |name: &str, mode| {
            std::fs::set_permissions(world.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
        };
        let before = disk(&world);
        lock("f", 0o444);
        lock("d/e", 0o555);
        for (path, operation, arguments) in [
            ("/f", "write", vec![("text", text("new"))]),
            ("/d", "delete", vec![("recursive", Value::from(true))]),
            ("/d/e", "create_file", vec![("name", text("n"))]),
            ("/d/e", "create_directory", vec![("name", text("n"))]),
            ("/d/e/y", "delete", vec![]),
            ("/d/e/y", "move", vec![("to", place("/"))]),
        ] {
            let refused = world.call(path, operation, &arguments).unwrap_err();
            assert_eq!(refused.code, ErrorCode::PermissionDenied, "{operation} {path}: {}", refused.message);
        }
        lock("f", 0o644);
        lock("d/e", 0o755);
        assert_eq!(disk(&world), before);
    });
}

#[test]
fn where_writing_is_not_offered_nothing_of_it_is_there() {
    let world = World::with(Settings::default());
    world.write_all(&[("f", "1")]);
    for path in ["/", "/f"] {
        let names: Vec<_> =
            world.fetch(path).unwrap().interfaces.iter().map(|i| i.name().as_str().to_owned()).collect();
        assert!(names.iter().all(|name| !name.ends_with("write")), "{names:?}");
    }
    let refused = world.call("/f", "write", &[("text", text("new"))]).unwrap_err();
    assert_eq!(refused.code, ErrorCode::OperationNotFound);
}

#[test]
fn where_changes_are_made_ready_is_never_published() {
    let world = World::with(Settings { writable: true, hidden: true, ..Settings::default() });
    world.write_all(&[("f", "1")]);
    world.call("/f", "write", &[("text", text("2"))]).unwrap();
    assert!(world.path(".wip-writes").is_dir());
    assert_eq!(world.names("/", 3), ["w", "f"]);
    assert!(
        !world
            .path("f")
            .with_file_name(".wip-writes")
            .read_dir()
            .unwrap()
            .any(|own| { own.unwrap().path().read_dir().unwrap().next().is_some() })
    );
    assert_eq!(world.fetch("/.wip-writes").unwrap_err().code, ErrorCode::NotFound);
    let root = world.path("");
    drop(world);
    assert!(!root.join(".wip-writes").exists());
}

#[test]
fn a_text_that_would_grow_beyond_bounds_is_refused_before_anything_is_held() {
    let world = World::writable();
    std::fs::write(world.path("f"), "a".repeat(1 << 20)).unwrap();
    let arguments = [("old", text("a")), ("new", text(&"b".repeat(300 << 10))), ("count", integer(1 << 20))];
    let refused = world.call("/f", "replace_text", &arguments).unwrap_err();
    assert_eq!(refused.code, ErrorCode::ResourceLimitExceeded, "{}", refused.message);
    assert_eq!(std::fs::metadata(world.path("f")).unwrap().len(), 1 << 20);
}

#[test]
fn where_changes_are_made_ready_may_be_taken_away_and_is_not_followed() {
    let world = world(&[("f", "1"), ("g", "1"), ("d/x", "1")]);
    let calls: [(&str, &str, Fields<'_>); 4] = [
        ("/f", "write", &[("text", text("2"))]),
        ("/", "create_file", &[("name", text("n"))]),
        ("/g", "delete", &[]),
        ("/d", "delete", &[("recursive", Value::from(true))]),
    ];
    for (number, (path, operation, arguments)) in calls.into_iter().enumerate() {
        world.call("/f", "append", &[("text", text("."))]).unwrap();
        if number % 2 == 0 {
            std::fs::remove_dir_all(world.path(".wip-writes")).unwrap();
        } else {
            std::fs::rename(world.path(".wip-writes"), world.outside().join(operation)).unwrap();
        }
        world.call(path, operation, arguments).unwrap_or_else(|error| panic!("{operation}: {error}"));
    }
    for moved in ["create_file", "delete"] {
        for own in std::fs::read_dir(world.outside().join(moved)).unwrap() {
            let held = std::fs::read_dir(own.unwrap().path()).unwrap().count();
            assert_eq!(held, 0, "something was made ready outside");
        }
    }
}

/// Whoever may write at the root could put there what he may not delete himself.
#[test]
fn what_is_not_the_hosts_own_is_neither_used_nor_cleared() {
    type Plant = fn(&std::path::Path);
    let plant: [(&str, Plant); 3] = [
        ("open to others", |at| {
            std::fs::create_dir_all(at.join("left/dir")).unwrap();
            std::fs::write(at.join("left/dir/kept"), "theirs").unwrap();
            std::fs::set_permissions(at, std::fs::Permissions::from_mode(0o777)).unwrap();
        }),
        ("a file", |at| std::fs::write(at, "theirs").unwrap()),
        ("a link", |at| std::os::unix::fs::symlink("/", at).unwrap()),
    ];
    for (what, plant) in plant {
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path().join(".wip-writes");
        plant(&at);
        std::fs::write(directory.path().join("f"), "1").unwrap();
        let before = std::fs::symlink_metadata(&at).unwrap().modified().unwrap();
        let world = World::serving(directory.path(), Settings { writable: true, ..Settings::default() });
        let refused = world.call("/f", "write", &[("text", text("2"))]).unwrap_err();
        assert_eq!(refused.code, ErrorCode::PermissionDenied, "{what}: {}", refused.message);
        assert!(refused.message.as_str().contains(".wip-writes"), "{what}: {}", refused.message);
        assert_eq!(world.read("/f").unwrap(), "1", "{what}");
        drop(world);
        assert_eq!(std::fs::symlink_metadata(&at).unwrap().modified().unwrap(), before, "{what}");
        assert!(what != "open to others" || at.join("left/dir/kept").exists());
    }
}

#[test]
fn where_names_cannot_be_brought_to_the_disk_nothing_is_made() {
    crate::unprivileged::run(|| {
        let world = world(&[("d/f", "1")]);
        let mode = |mode| {
            std::fs::set_permissions(world.path("d"), std::fs::Permissions::from_mode(mode)).unwrap();
        };
        mode(0o333);
        for (path, operation, arguments) in [
            ("/d", "create_file", vec![("name", text("n"))]),
            ("/d", "create_directory", vec![("name", text("n"))]),
            ("/d/f", "write", vec![("text", text("2"))]),
            ("/d/f", "delete", vec![]),
            ("/d/f", "move", vec![("to", place("/"))]),
        ] {
            let refused = world.call(path, operation, &arguments).unwrap_err();
            assert_eq!(refused.code, ErrorCode::PermissionDenied, "{operation}: {}", refused.message);
        }
        mode(0o755);
        let all = [("/d".to_owned(), None), ("/d/f".to_owned(), Some("1".to_owned()))];
        assert_eq!(disk(&world), all);
    });
}

#[test]
fn what_was_deleted_or_left_behind_is_cleared_in_the_end() {
    let cleared = |at: std::path::PathBuf, what: &str| {
        let end = std::time::Instant::now() + std::time::Duration::from_secs(30);
        let is_empty = || {
            let held = std::fs::read_dir(&at).into_iter().flatten();
            held.flatten().all(|own| std::fs::read_dir(own.path()).unwrap().next().is_none())
        };
        while !is_empty() {
            assert!(std::time::Instant::now() < end, "{what} is still there");
            std::thread::yield_now();
        }
    };
    let world = world(&[]);
    for number in 0..500 {
        world.write_all(&[(&format!("d/{}/{number}", number % 20), "x")]);
    }
    world.call("/d", "delete", &[("recursive", Value::from(true))]).unwrap();
    cleared(world.path(".wip-writes"), "what was deleted");

    // A program that ends at once removes it first.
    let directory = tempfile::tempdir().unwrap();
    for number in 0..2000 {
        let at = directory.path().join(format!("d/{}", number % 20));
        std::fs::create_dir_all(&at).unwrap();
        std::fs::write(at.join(number.to_string()), "x").unwrap();
    }
    let short = World::serving(directory.path(), Settings { writable: true, ..Settings::default() });
    short.call("/d", "delete", &[("recursive", Value::from(true))]).unwrap();
    drop(short);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);

    let directory = tempfile::tempdir().unwrap();
    let left = directory.path().join(".wip-writes/0123456789abcdef");
    for deep in ["a/b/c", "d"] {
        std::fs::create_dir_all(left.join(deep)).unwrap();
        std::fs::write(left.join(deep).join("f"), "x").unwrap();
    }
    let kept = left.join("kept-f");
    std::fs::write(&kept, "somebody's").unwrap();
    for at in [left.parent().unwrap(), &left] {
        std::fs::set_permissions(at, std::fs::Permissions::from_mode(0o700)).unwrap();
    }
    let _world = World::serving(directory.path(), Settings { writable: true, ..Settings::default() });
    let end = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while std::fs::read_dir(&left).unwrap().count() > 1 {
        assert!(std::time::Instant::now() < end, "what was left behind is still there");
        std::thread::yield_now();
    }
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "somebody's");
}

#[test]
fn holes_stay_holes() {
    let world = World::writable();
    let file = std::fs::File::create(world.path("f")).unwrap();
    file.set_len(1 << 40).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, b"within", 1 << 39).unwrap();
    world.call("/f", "append", &[("text", text("end"))]).unwrap();
    let (file, mut found) = (std::fs::File::open(world.path("f")).unwrap(), [0; 6]);
    let metadata = file.metadata().unwrap();
    std::os::unix::fs::FileExt::read_exact_at(&file, &mut found, 1 << 39).unwrap();
    assert_eq!((metadata.len(), &found), ((1 << 40) + 3, b"within"));
    assert!(metadata.blocks() < 4096, "{} blocks", metadata.blocks());
}
