//! Paths, links and special files that would lead out, or make a reader wait.

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
use worldspace_model::{EntryPath, ErrorCode, Value};
use worldspace_providers::files::Settings;

use super::world::{Fields, World, entry};

/// What stands outside and must never be seen.
const CANARY: &str = "the-canary-sings";

/// A root with every kind of way out of it, and what is to be found in it.
fn trap() -> (World, Vec<&'static str>, UnixListener) {
    let world = World::with(Settings { hidden: true, ..Settings::default() });
    world.write_all(&[("a/in", "inside"), ("a/deep/er", "inside")]);
    let outside = world.outside();
    std::fs::create_dir(outside.join("root_extra")).unwrap();
    for name in ["canary", "root_extra/canary", "in"] {
        std::fs::write(outside.join(name), CANARY).unwrap();
    }
    let links = [
        ("leaf", "../canary"),
        ("parent", ".."),
        ("here", "."),
        ("inner", "a"),
        ("dangling", "nowhere"),
        ("absolute", outside.to_str().unwrap()),
        ("slash", "/"),
        ("chain", "parent"),
        ("loop", "loop"),
        ("proc", "/proc/self/root"),
        ("cwd", "/proc/self/cwd"),
        ("zero", "/dev/zero"),
        ("sibling", "../root_extra"),
    ];
    for (name, target) in links {
        symlink(target, world.path(name)).unwrap();
    }
    mknodat(CWD, world.path("pipe"), FileType::Fifo, Mode::from_raw_mode(0o666), 0).unwrap();
    // Only a privileged user may make devices; the link to one is there in any case.
    let device = mknodat(
        CWD,
        world.path("null"),
        FileType::CharacterDevice,
        Mode::from_raw_mode(0o666),
        makedev(1, 3),
    );
    let socket = UnixListener::bind(world.path("socket")).unwrap();
    let mut there = vec!["/", "/a", "/a/in", "/a/deep", "/a/deep/er", "/pipe", "/socket"];
    there.extend([
        "/leaf",
        "/parent",
        "/here",
        "/inner",
        "/dangling",
        "/absolute",
        "/slash",
        "/chain",
        "/loop",
        "/proc",
        "/cwd",
        "/zero",
        "/sibling",
    ]);
    there.extend(device.is_ok().then_some("/null"));
    (world, there, socket)
}

/// Segments that are tried alone and one below the other.
fn segments() -> Vec<String> {
    let mut segments: Vec<String> = [
        "..",
        ".",
        "",
        "%2e%2e",
        "%2e",
        "..%2f",
        "%2e%2e%2f",
        "..\\",
        "a\\..\\..",
        "\\",
        "\0",
        "a\0",
        "..\0",
        "․․",
        "．．",
        "\u{200b}..",
        "a",
        "A",
        "a ",
        "in",
        "IN",
        "deep",
        "leaf",
        "parent",
        "here",
        "inner",
        "dangling",
        "absolute",
        "slash",
        "chain",
        "loop",
        "proc",
        "cwd",
        "zero",
        "null",
        "sibling",
        "pipe",
        "socket",
        "root",
        "root_extra",
        "canary",
        "etc",
        "passwd",
        "C:",
        "~",
        "//",
        "file:",
        "\u{202e}in",
    ]
    .map(str::to_owned)
    .to_vec();
    segments.push("x".repeat(256));
    segments.push("x".repeat(100_000));
    segments
}

#[test]
fn of_thousands_of_hostile_paths_only_what_is_inside_is_found() {
    let (world, there, _socket) = trap();
    let segments = segments();
    let mut paths: Vec<String> = segments.iter().map(|segment| format!("/{segment}")).collect();
    for first in &segments {
        paths.extend(segments.iter().map(|second| format!("/{first}/{second}")));
    }
    for first in ["a", "a/deep", "parent", "slash/proc", "here/here", "a/.."] {
        paths.extend(segments.iter().map(|second| format!("/{first}/{second}")));
    }
    paths.extend(["/etc/passwd", "/a/../../canary", "/parent/root_extra/canary"].map(str::to_owned));
    assert!(paths.len() > 1000);
    let mut found = 0;
    for path in paths {
        let short = &path[..path.len().min(80)];
        match world.fetch(&path) {
            Ok(_) => {
                assert!(there.contains(&&*path), "{short}");
                found += 1;
            }
            Err(error) if EntryPath::parse(&entry(&path)).is_ok() => {
                assert!(!there.contains(&&*path), "{short}: {error}");
                // The same as for a name that is simply not there, but for the name.
                let absent = "nothing is at `";
                assert_eq!(error.code, ErrorCode::NotFound, "{short}");
                assert!(error.message.as_str().starts_with(absent), "{short}: {error}");
            }
            Err(error) => assert_eq!(error.code, ErrorCode::InvalidRequest, "{short}"),
        }
    }
    assert!(found > 15, "{found}");
}

#[test]
fn no_operation_and_no_tree_shows_what_stands_outside() {
    let (world, there, _socket) = trap();
    let calls: [(&str, Fields<'_>); 6] = [
        ("list", &[]),
        ("find", &[]),
        ("find", &[("text", Value::from("the-canary"))]),
        ("metadata", &[]),
        ("read_text", &[]),
        ("read_bytes", &[]),
    ];
    let mut answers = 0;
    for path in &there {
        let tree = format!("{:?}", world.tree(path, 64));
        assert!(!tree.contains("canary"), "{tree}");
        for (operation, arguments) in &calls {
            match world.call(path, operation, arguments) {
                Ok(value) => {
                    let shown = format!("{value:?}");
                    assert!(
                        !shown.contains("canary") && !shown.contains("passwd"),
                        "{path} {operation}: {shown}"
                    );
                    answers += 1;
                }
                Err(error) => {
                    assert_eq!(error.code, ErrorCode::OperationNotFound, "{path} {operation}: {error}");
                    assert!(!error.message.as_str().contains(world.outside().to_str().unwrap()), "{error}");
                }
            }
        }
    }
    assert!(answers >= 25, "{answers}");
}

#[test]
fn no_operation_and_no_tree_opens_a_pipe_or_a_device() {
    let (world, there, _socket) = trap();
    let watch = inotify::init(CreateFlags::NONBLOCK).unwrap();
    let on = |name: &str| inotify::add_watch(&watch, world.path(name), WatchFlags::OPEN).unwrap();
    let plain = on("a/in");
    let special: Vec<i32> =
        ["pipe", "socket", "null"].into_iter().filter(|name| world.path(name).exists()).map(on).collect();
    let calls: [(&str, Fields<'_>); 6] = [
        ("list", &[]),
        ("find", &[]),
        ("find", &[("text", Value::from("n"))]),
        ("metadata", &[]),
        ("read_text", &[]),
        ("read_bytes", &[]),
    ];
    for path in &there {
        world.tree(path, 64);
        for (operation, arguments) in &calls {
            let _ = world.call(path, operation, arguments);
        }
    }
    let mut buffer = [const { std::mem::MaybeUninit::uninit() }; 4096];
    let mut reader = inotify::Reader::new(&watch, &mut buffer);
    let mut opened = Vec::new();
    while let Ok(event) = reader.next() {
        opened.push(event.wd());
    }
    assert!(opened.contains(&plain), "nothing would have been noticed");
    assert!(!opened.iter().any(|wd| special.contains(wd)), "{opened:?}: {special:?}");
}

#[test]
fn links_are_leaves_so_that_no_tree_goes_round() {
    let (world, _, _socket) = trap();
    let names = world.names("/", 64);
    assert_eq!(names.iter().filter(|name| *name == "in").count(), 1);
    assert_eq!(names.iter().filter(|name| *name == "deep").count(), 1);
    assert!(!world.tree("/", 64).is_truncated());
}
