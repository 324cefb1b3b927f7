//! Several who change the same things at once: callers among each other, and programs that know nothing of the Host.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use rustix::fs::{RenameFlags, renameat_with};
use worldspace_model::{ErrorCode, ProtocolError, Ref, Value};
use worldspace_providers::files::Settings;

use super::racing::Meanwhile;
use super::world::{World, no_identities};

fn writable() -> Settings {
    Settings { writable: true, ..Settings::default() }
}

fn text(text: impl AsRef<str>) -> [(&'static str, Value); 1] {
    [("text", Value::from(text.as_ref()))]
}

#[test]
fn of_many_who_count_in_one_file_no_one_loses_a_step() {
    const WRITERS: u64 = 16;
    const STEPS: u64 = 12;
    let world = World::writable();
    fs::write(world.path("count"), "0").unwrap();
    let refused = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..WRITERS {
            scope.spawn(|| {
                let mut done = 0;
                while done < STEPS {
                    let seen = world.fetch("/count").unwrap();
                    let Ok(read) = world.call_seen(&seen, "/count", "read_text", &[]) else { continue };
                    let count: u64 =
                        read.as_record().unwrap().get("text").unwrap().as_str().unwrap().parse().unwrap();
                    let next = text((count + 1).to_string());
                    match world.call_seen(&seen, "/count", "write", &next) {
                        Ok(_) => done += 1,
                        Err(error) => {
                            assert_eq!(error.code, ErrorCode::ValidatorMismatch, "{error}");
                            refused.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    assert_eq!(fs::read_to_string(world.path("count")).unwrap(), (WRITERS * STEPS).to_string());
    assert!(refused.load(Ordering::Relaxed) > 0, "nobody met anybody");
}

/// Writes into a file as it is, and sets the time of its last change back.
fn rewrite(path: &Path, content: &str) {
    let before: SystemTime = path.metadata().unwrap().modified().unwrap();
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, content.as_bytes(), 0).unwrap();
    file.set_modified(before).unwrap();
}

#[test]
fn a_rewrite_of_the_same_size_that_sets_the_time_back_is_noticed() {
    for age in [None, Some(Duration::from_millis(200))] {
        let world = World::writable();
        world.write_all(&[("f", "mine"), ("g", "mine")]);
        // Young or old: both are told apart.
        std::thread::sleep(age.unwrap_or_default());
        for (path, operation, arguments) in [
            ("/f", "write", text("next").to_vec()),
            ("/f", "append", text("next").to_vec()),
            ("/g", "delete", vec![]),
        ] {
            let seen = world.fetch(path).unwrap();
            let disk = world.path(&path[1..]);
            rewrite(&disk, "them");
            let refused = world.call_seen(&seen, path, operation, &arguments).unwrap_err();
            assert_eq!(refused.code, ErrorCode::ValidatorMismatch, "{operation}");
            assert_eq!(fs::read_to_string(&disk).unwrap(), "them", "{operation}");
            rewrite(&disk, "mine");
        }
    }
}

/// A program that replaces the file again and again, as editors do. What it wrote last is there, or is what a caller saw
/// who wrote since: everyone writes down the last number of the program that they know of.
#[test]
fn what_another_program_writes_is_never_overwritten_unseen() {
    let world = World::writable();
    fs::write(world.path("f"), "0").unwrap();
    let (root, outside) = (world.path(""), world.outside().to_owned());
    let unseen = Arc::new(AtomicU64::new(0));
    let counted = unseen.clone();
    let mut number = 0;
    let other = Meanwhile::run(move |round| {
        let is_there = || fs::read_to_string(root.join("f")).unwrap().starts_with(&format!("{number} "));
        // For a moment what is about to be undone may stand there.
        let later = || {
            std::thread::sleep(Duration::from_millis(50));
            is_there()
        };
        if number > 0 && !is_there() && !later() {
            counted.fetch_add(1, Ordering::Relaxed);
        }
        number = round + 1;
        let next = outside.join("next");
        fs::write(&next, format!("{number} other")).unwrap();
        fs::rename(&next, root.join("f")).unwrap();
        std::thread::sleep(Duration::from_micros(500 * (round % 13)));
    });
    let (mut done, mut refused) = (0, 0);
    while done < 50 || refused < 50 {
        assert!(done + refused < 100_000, "{done} done, {refused} refused");
        let Ok(seen) = world.fetch("/f") else { continue };
        let Ok(read) = world.call_seen(&seen, "/f", "read_text", &[]) else { continue };
        let read = read.as_record().unwrap().get("text").unwrap().as_str().unwrap();
        let last = read.split_once(' ').map_or("0", |(number, _)| number);
        match world.call_seen(&seen, "/f", "write", &text(format!("{last} mine"))) {
            Ok(_) => done += 1,
            Err(error) => {
                assert_eq!(error.code, ErrorCode::ValidatorMismatch, "{error}");
                refused += 1;
            }
        }
    }
    drop(other);
    assert_eq!(unseen.load(Ordering::Relaxed), 0);
    assert_eq!(left_over(&world), Vec::<String>::new());
}

/// What is kept where changes are made ready.
fn left_over(world: &World) -> Vec<String> {
    let mut found = Vec::new();
    for own in fs::read_dir(world.path(".wip-writes")).into_iter().flatten() {
        for name in fs::read_dir(own.unwrap().path()).unwrap() {
            found.push(name.unwrap().file_name().to_str().unwrap().to_owned());
        }
    }
    found
}

/// Two programs exchange files, directories and links as fast as they can, while a caller changes what it saw.
#[test]
fn whatever_is_swapped_no_other_thing_is_changed_than_the_one_that_was_seen() {
    if no_identities() {
        return;
    }
    // In memory where that can be had: the disk is not what is tested.
    let memory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let at = |name: &str| memory.path().join(name);
    for directory in ["root/d", "root/e", "outside"] {
        fs::create_dir_all(at(directory)).unwrap();
    }
    let places = ["a", "b", "d/f", "e/f"];
    for (place, letter) in places.iter().zip(["A", "B", "D", "E"]) {
        fs::write(at("root").join(place), format!("{letter}:0")).unwrap();
    }
    for canary in ["f", "g"] {
        fs::write(at("outside").join(canary), "canary").unwrap();
    }
    symlink(at("outside"), at("root/l")).unwrap();
    symlink(at("outside/f"), at("root/k")).unwrap();
    let world = World::serving(at("root"), writable());
    let things: Vec<Thing> = places
        .iter()
        .zip(["A", "B", "D", "E"])
        .map(|(place, letter)| {
            let identity = world.fetch(&format!("/{place}")).unwrap().r#ref.clone().unwrap();
            Thing { letter, identity, changed: Mutex::default(), lost: AtomicBool::new(false) }
        })
        .collect();
    let open = |path: &str| Arc::new(fs::File::open(at(path)).unwrap());
    // Held by what they are: by its path a directory could be the link to the outside.
    let (root, within) = (open("root"), open("root/e"));
    let swap = |pairs: [(&'static str, &'static str); 3]| {
        let (root, within) = (root.clone(), within.clone());
        Meanwhile::run(move |round| {
            if round == 0 {
                // They leave the callers most of the time, who would otherwise hardly ever come to their point.
                let _ = rustix::process::nice(8);
            }
            let (one, other) = pairs[(round % 3) as usize];
            let (from, one) = one.strip_prefix("e/").map_or((&root, one), |name| (&within, name));
            let _ = renameat_with(from, one, &root, other, RenameFlags::EXCHANGE);
            if round % 64 == 0 {
                std::thread::yield_now();
            }
        })
    };
    let swappers = [swap([("a", "b"), ("d", "l"), ("a", "k")]), swap([("d", "e"), ("b", "k"), ("e/f", "b")])];

    let (left, tally) = (AtomicU64::new(OPERATIONS), Tally::default());
    std::thread::scope(|scope| {
        for caller in 0..CALLERS {
            let (world, things, left, tally) = (&world, &things, &left, &tally);
            scope.spawn(move || {
                let take = |left: u64| left.checked_sub(1);
                while let Ok(number) = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) {
                    let path = format!("/{}", places[((number + caller) % 4) as usize]);
                    tally.count(act(world, things, &path, number % 2 == 0));
                }
            });
        }
    });
    let rounds: u64 = swappers.iter().map(Meanwhile::rounds).sum();
    drop(swappers);
    let written: u64 = things.iter().map(|thing| *thing.changed.lock().unwrap()).sum();
    eprintln!("{tally:?}, {written} of them changes; {rounds} swaps");

    // Every file is the one that it was, with the last change that was answered as done.
    let mut found: Vec<String> = Vec::new();
    for directory in ["root", "root/d", "root/e", "root/l", "root/k", "root/a", "root/b"] {
        let real = fs::symlink_metadata(at(directory)).is_ok_and(|is| is.is_dir());
        for item in fs::read_dir(at(directory)).into_iter().flatten().filter(|_| real) {
            let path = item.unwrap().path();
            if fs::symlink_metadata(&path).unwrap().is_file() {
                found.push(fs::read_to_string(path).unwrap());
            }
        }
    }
    found.sort();
    let certain = |text: &String| {
        let thing = things.iter().find(|thing| text.starts_with(thing.letter)).unwrap();
        !thing.lost.load(Ordering::Relaxed)
    };
    let wanted = things.iter().map(|thing| format!("{}:{}", thing.letter, thing.changed.lock().unwrap()));
    let mut wanted: Vec<String> = wanted.collect();
    wanted.sort();
    found.retain(certain);
    wanted.retain(certain);
    assert_eq!(found, wanted);
    let mut outside: Vec<_> = fs::read_dir(at("outside")).unwrap().map(|item| item.unwrap().path()).collect();
    outside.sort();
    assert_eq!(outside, [at("outside/f"), at("outside/g")]);
    assert!(outside.iter().all(|canary| fs::read_to_string(canary).unwrap() == "canary"));
    assert!(written > 500 && rounds > 10_000, "hardly anything met");
    let unknown = tally.unknown.load(Ordering::Relaxed);
    assert!(unknown * 100 < written, "{unknown} unknown outcomes of {written}");
}

const OPERATIONS: u64 = 100_000;
const CALLERS: u64 = 8;

/// A file, by what it is.
struct Thing {
    letter: &'static str,
    identity: Ref,
    /// How often it was changed; held while it is.
    changed: Mutex<u64>,
    /// Whether nobody knows what became of a change.
    lost: AtomicBool,
}

#[derive(Debug, Default)]
struct Tally {
    answered: AtomicU64,
    refused: AtomicU64,
    unknown: AtomicU64,
}

impl Tally {
    fn count(&self, answer: Result<(), ErrorCode>) {
        let counter = match answer {
            Ok(()) => &self.answered,
            Err(ErrorCode::OperationOutcomeUnknown) => &self.unknown,
            Err(_) => &self.refused,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// Reads or changes what a path leads to.
fn act(world: &World, things: &[Thing], path: &str, reading: bool) -> Result<(), ErrorCode> {
    let seen = world.fetch(path).map_err(refused)?;
    if reading {
        let read = world.call_seen(&seen, path, "read_text", &[]).map_err(refused)?;
        let read = format!("{read:?}");
        assert!(!read.contains("canary"), "{read}");
        return Ok(());
    }
    // A link has no content to be changed.
    let thing = things.iter().find(|thing| seen.r#ref.as_ref() == Some(&thing.identity));
    let thing = thing.ok_or(ErrorCode::NotFound)?;
    let mut changed = thing.changed.lock().unwrap();
    let next = text(format!("{}:{}", thing.letter, *changed + 1));
    match world.call_seen(&seen, path, "write", &next) {
        Ok(_) => {
            *changed += 1;
            Ok(())
        }
        Err(error) => {
            thing.lost.fetch_or(error.code == ErrorCode::OperationOutcomeUnknown, Ordering::Relaxed);
            Err(refused(error))
        }
    }
}

fn refused(error: ProtocolError) -> ErrorCode {
    let codes = [
        ErrorCode::ValidatorMismatch,
        ErrorCode::NotFound,
        ErrorCode::InterfaceMismatch,
        ErrorCode::OperationNotFound,
        ErrorCode::OperationOutcomeUnknown,
    ];
    assert!(codes.contains(&error.code), "{error}");
    error.code
}

/// Two programs exchange two files, and a directory with a link, while a caller deletes and moves the one that it means.
#[test]
fn whatever_is_swapped_no_other_thing_is_deleted_or_moved() {
    if no_identities() {
        return;
    }
    let memory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let at = |name: &str| memory.path().join(name);
    for directory in ["root/d", "root/t", "outside"] {
        fs::create_dir_all(at(directory)).unwrap();
    }
    for (name, content) in
        [("root/d/a", "mine"), ("root/d/b", "not mine"), ("outside/a", "canary"), ("outside/b", "canary")]
    {
        fs::write(at(name), content).unwrap();
    }
    symlink(at("outside"), at("root/l")).unwrap();
    let world = World::serving(at("root"), writable());
    let open = |path: &str| Arc::new(fs::File::open(at(path)).unwrap());
    let swap = |directory: Arc<fs::File>, one: &'static str, other: &'static str| {
        Meanwhile::run(move |round| {
            if round == 0 {
                let _ = rustix::process::nice(15);
            }
            let _ = renameat_with(&directory, one, &directory, other, RenameFlags::EXCHANGE);
        })
    };
    // Held before anything is swapped: by its path it could be the link to the outside.
    let held = open("root/d");
    let swappers = [swap(held.clone(), "a", "b"), swap(open("root"), "d", "l")];
    let entry =
        |path: &str| Value::Entry(worldspace_model::EntryPath::parse(&super::world::entry(path)).unwrap());
    let name = |name: &str| ("name", Value::from(name));
    let mut mine = loop {
        let Ok(seen) = world.fetch("/d/a") else { continue };
        if world
            .call_seen(&seen, "/d/a", "read_text", &[])
            .is_ok_and(|read| format!("{read:?}").contains("\"mine\""))
        {
            break seen.r#ref.clone();
        }
    };
    let within = |name: &str| {
        fs::read_to_string(format!("/proc/self/fd/{}/{name}", std::os::fd::AsRawFd::as_raw_fd(&*held))).ok()
    };
    // Both names are there, whatever stands under which, and nothing has been moved.
    let untouched = || {
        let there =
            |name: &str| rustix::fs::statat(&*held, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).is_ok();
        there("a") && there("b") && !at("root/t/m").exists()
    };
    // Which of the names is free can change with each refusal, since both were there for a moment.
    let free = || if within("a").is_none() { "a" } else { "b" };
    let (mut moved, mut deleted, mut refused) = (0, 0, 0);
    while moved < 25 || deleted < 25 {
        assert!(moved + deleted + refused < 1_000_000, "{moved} moved, {deleted} deleted, {refused} refused");
        let Ok(seen) = world.fetch("/d/a") else { continue };
        if seen.r#ref.is_none() || seen.r#ref != mine {
            continue;
        }
        let moving = moved <= deleted;
        let done = match moving {
            true => world.call_seen(&seen, "/d/a", "move", &[("to", entry("/t")), name("m")]),
            false => world.call_seen(&seen, "/d/a", "delete", &[]),
        };
        if let Err(error) = &done {
            let codes = [ErrorCode::ValidatorMismatch, ErrorCode::NotFound, ErrorCode::InterfaceMismatch];
            assert!(codes.contains(&error.code), "{error}");
            assert!(untouched(), "moving: {moving}, refused, t/m: {:?}", fs::read_to_string(at("root/t/m")));
            refused += 1;
            continue;
        }
        // What is left is the other one, under whichever of the names.
        let left: Vec<String> = ["a", "b"].into_iter().filter_map(within).collect();
        assert_eq!(
            left,
            ["not mine"],
            "moving: {moving} {done:?} t/m: {:?}",
            fs::read_to_string(at("root/t/m"))
        );
        if moving {
            moved += 1;
            assert_eq!(fs::read_to_string(at("root/t/m")).unwrap(), "mine");
            // Until the directory is where it is looked for.
            while let Err(error) = world.call("/t/m", "move", &[("to", entry("/d")), name(free())]) {
                assert_ne!(error.code, ErrorCode::OperationOutcomeUnknown, "{error}");
                assert_eq!(fs::read_to_string(at("root/t/m")).unwrap(), "mine", "{error}");
            }
            assert!(untouched(), "t/m: {:?}", fs::read_to_string(at("root/t/m")));
        } else {
            deleted += 1;
            let content = ("text", Value::from("mine"));
            while world.call("/d", "create_file", &[name(free()), content.clone()]).is_err() {}
            mine = loop {
                let path =
                    format!("/d/{}", if within("a").is_some_and(|text| text == "mine") { "a" } else { "b" });
                let Ok(seen) = world.fetch(&path) else { continue };
                let read = world.call_seen(&seen, &path, "read_text", &[]);
                if read.is_ok_and(|read| format!("{read:?}").contains("\"mine\"")) {
                    break seen.r#ref.clone();
                }
            };
        }
    }
    drop(swappers);
    for canary in ["outside/a", "outside/b"] {
        assert_eq!(fs::read_to_string(at(canary)).unwrap(), "canary");
    }
    assert_eq!(fs::read_dir(at("outside")).unwrap().count(), 2);
    eprintln!("{moved} moved, {deleted} deleted, {refused} refused");
}

/// A file that is swapped for another and back again while it is read: what is read is of the state that was seen.
#[test]
fn a_read_of_the_state_that_was_seen_is_not_of_another_thing() {
    if no_identities() {
        return;
    }
    let world = World::writable();
    world.write_all(&[("a", "mine"), ("b", "others")]);
    let mine = world.fetch("/a").unwrap();
    let root = fs::File::open(world.path("")).unwrap();
    let swapper = Meanwhile::run(move |round| {
        if round == 0 {
            let _ = rustix::process::nice(8);
        }
        let _ = renameat_with(&root, "a", &root, "b", RenameFlags::EXCHANGE);
    });
    let (mut read, mut refused) = (0, 0);
    while read < 50 || refused < 50 {
        assert!(read + refused < 1_000_000, "{read} read, {refused} refused");
        // A rename sets the time of the last change, and so makes another state of the same thing.
        let Ok(seen) = world.fetch("/a") else { continue };
        if seen.r#ref != mine.r#ref {
            continue;
        }
        for operation in ["read_text", "read_bytes", "metadata"] {
            match world.call_seen(&seen, "/a", operation, &[]) {
                Ok(value) => {
                    let fields = value.as_record().unwrap();
                    let text = fields.get("text").and_then(Value::as_str).unwrap_or("mine");
                    let size = fields.get("size").and_then(Value::as_integer).unwrap_or(4);
                    assert_eq!((text, size), ("mine", 4), "{operation}");
                    read += 1;
                }
                Err(_) => refused += 1,
            }
        }
    }
    drop(swapper);
}
