//! What others do to the directory while it is read.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use worldspace_model::{ErrorCode, Value};

use super::world::{Fields, World, entries, field};

/// Does something over and over until it is dropped.
pub(super) struct Meanwhile {
    stop: Arc<AtomicBool>,
    rounds: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Meanwhile {
    pub(super) fn run(mut work: impl FnMut(u64) + Send + 'static) -> Self {
        let (stop, rounds) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (stopped, counted) = (stop.clone(), rounds.clone());
        let thread = std::thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                work(counted.fetch_add(1, Ordering::Relaxed));
            }
        });
        Self { stop, rounds, thread: Some(thread) }
    }

    pub(super) fn rounds(&self) -> u64 {
        self.rounds.load(Ordering::Relaxed)
    }
}

impl Drop for Meanwhile {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

fn exchange(a: PathBuf, b: PathBuf) -> Meanwhile {
    Meanwhile::run(move |_| renameat_with(CWD, &a, CWD, &b, RenameFlags::EXCHANGE).unwrap())
}

#[test]
fn whatever_is_swapped_for_a_link_nothing_outside_is_read() {
    let world = World::of(&[("d/f", "inside"), ("d/e/f", "inside"), ("f", "inside")]);
    let outside = world.outside().join("outside");
    fs::create_dir_all(outside.join("e")).unwrap();
    for name in ["f", "e/f", "canary-name"] {
        fs::write(outside.join(name), "the canary").unwrap();
    }
    symlink(&outside, world.path("l")).unwrap();
    symlink(outside.join("f"), world.path("k")).unwrap();
    let swappers = [exchange(world.path("d"), world.path("l")), exchange(world.path("f"), world.path("k"))];

    let text = [("text", Value::from("canary"))];
    let calls: [(&str, &str, Fields<'_>); 8] = [
        ("/d/f", "read_text", &[]),
        ("/d/e/f", "read_text", &[]),
        ("/f", "read_text", &[]),
        ("/f", "read_bytes", &[]),
        ("/d", "list", &[]),
        ("/d", "find", &[]),
        ("/", "find", &text),
        ("/d/e", "list", &[]),
    ];
    let (mut answered, mut refused) = (0, 0);
    for round in 0..2000 {
        let (path, operation, arguments) = calls[round % calls.len()];
        match world.call(path, operation, arguments) {
            Ok(value) => {
                let shown = format!("{value:?}");
                let bytes =
                    value.as_record().unwrap().get("data").and_then(Value::as_bytes).unwrap_or(b"inside");
                assert!(!shown.contains("canary") && bytes == b"inside", "{path} {operation}: {shown}");
                answered += 1;
            }
            Err(error) => {
                let codes = [
                    ErrorCode::NotFound,
                    ErrorCode::ValidatorMismatch,
                    ErrorCode::InterfaceMismatch,
                    ErrorCode::OperationNotFound,
                ];
                assert!(codes.contains(&error.code), "{path} {operation}: {error}");
                refused += 1;
            }
        }
        if round % 50 == 0 {
            let tree = format!("{:?}", world.tree("/", 5));
            assert!(!tree.contains("canary"), "{tree}");
        }
    }
    assert!(answered > 100 && refused > 100, "{answered} answered, {refused} refused");
    assert!(swappers.iter().all(|swapper| swapper.rounds() > 1000), "hardly anything was swapped");
}

#[test]
fn what_is_said_of_a_link_is_of_one_link() {
    let world = World::new();
    for (name, target) in [("l", "a"), ("m", "./b"), ("k", "a")] {
        symlink(target, world.path(name)).unwrap();
    }
    fs::write(world.path("f"), "").unwrap();
    let swappers = [exchange(world.path("l"), world.path("m")), exchange(world.path("k"), world.path("f"))];
    let (mut answered, mut refused) = (0, 0);
    for _ in 0..1000 {
        match world.call("/l", "metadata", &[]) {
            Ok(link) => {
                let target = entries(&link).remove(0);
                let size = field(&link, "size").as_integer().unwrap();
                assert!([(1, "/a"), (3, "/b")].contains(&(size, &*target)), "{size} {target}");
                answered += 1;
            }
            Err(error) => {
                assert_eq!(error.code, ErrorCode::ValidatorMismatch, "{error}");
                refused += 1;
            }
        }
        // A link and a file: whichever it is, it is never absent, and never called as the other.
        match world.call("/k", "metadata", &[]) {
            Ok(thing) => assert!(["file", "link"].contains(&field(&thing, "kind").as_str().unwrap())),
            Err(error) => {
                assert!(
                    [ErrorCode::ValidatorMismatch, ErrorCode::InterfaceMismatch].contains(&error.code),
                    "{error}"
                );
            }
        }
    }
    assert!(answered > 100, "{answered} answered, {refused} refused");
    assert!(swappers.iter().all(|swapper| swapper.rounds() > 1000), "hardly anything was swapped");
}

#[test]
fn a_root_that_is_built_anew_again_and_again_is_served_whenever_it_stands() {
    let world = World::of(&[("a", "0")]);
    let (root, next) = (world.path(""), world.outside().join("next"));
    let (asked, done) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let (asked_by_then, ended) = (asked.clone(), done.clone());
    let builder = Meanwhile::run(move |round| {
        fs::create_dir(&next).unwrap();
        fs::write(next.join("a"), round.to_string()).unwrap();
        fs::remove_dir_all(&root).unwrap();
        fs::rename(&next, &root).unwrap();
        // It stands for as long as a few questions take, so that two of them at least fall into that time as a whole.
        let before = asked_by_then.load(Ordering::SeqCst);
        while asked_by_then.load(Ordering::SeqCst) < before + 3 && !ended.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
    });
    let mut answered = 0;
    while builder.rounds() < 200 {
        match world.read("/a") {
            Ok(text) => answered += u64::from(text.parse::<u64>().is_ok()),
            Err(error) => {
                // Half removed, gone, or another one by now.
                let codes = [ErrorCode::NotFound, ErrorCode::Internal, ErrorCode::ValidatorMismatch];
                assert!(codes.contains(&error.code), "{error}");
            }
        }
        asked.fetch_add(1, Ordering::SeqCst);
    }
    let rounds = builder.rounds();
    done.store(true, Ordering::SeqCst);
    drop(builder);
    assert!(answered + 10 > 2 * rounds.min(200), "{answered} answers to {rounds} roots");
    assert!(world.read("/a").is_ok());
}

#[test]
fn what_vanishes_midway_is_left_out_and_breaks_nothing() {
    let world = World::of(&[("stays/a", "x"), ("stays/b", "x")]);
    let root = world.path("");
    let churn = Meanwhile::run(move |round| {
        let path = root.join(format!("d{}", round % 50));
        if round % 100 < 50 {
            let _ = fs::create_dir(&path);
            let _ = fs::write(path.join("f"), "x");
        } else {
            let _ = fs::remove_dir_all(&path);
        }
    });
    for _ in 0..150 {
        let tree = world.tree("/", 3);
        let names: Vec<_> = tree.nodes().iter().map(|node| node.object.name.as_str()).collect();
        assert!(names.contains(&"stays") && names.contains(&"b"), "{names:?}");
        match world.call("/", "find", &[("text", Value::from("x"))]) {
            Ok(found) => assert!(entries(&found).contains(&"/stays/a".to_owned())),
            Err(error) => assert_eq!(error.code, ErrorCode::ValidatorMismatch, "{error}"),
        }
        match world.call("/", "list", &[]) {
            Ok(listed) => assert!(entries(&listed).contains(&"/stays".to_owned())),
            Err(error) => assert_eq!(error.code, ErrorCode::ValidatorMismatch, "{error}"),
        }
    }
    assert!(churn.rounds() > 100);
}
