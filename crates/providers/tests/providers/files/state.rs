//! Identity and state: never a false "same".

use std::fs::{self, File};
use std::io::Write;

use worldspace_model::{ErrorCode, Object};

use super::world::{World, grow_old, no_identities};

fn state(world: &World, path: &str) -> Vec<u8> {
    world.fetch(path).unwrap().validator.as_ref().unwrap().as_bytes().to_vec()
}

fn identity(world: &World, path: &str) -> Option<String> {
    world.fetch(path).unwrap().r#ref.as_ref().map(|r#ref| r#ref.as_str().to_owned())
}

#[test]
fn a_rewrite_of_the_same_size_with_its_time_put_back_is_a_change() {
    let world = World::of(&[("a", "0000")]);
    let time = fs::metadata(world.path("a")).unwrap().modified().unwrap();
    let mut seen = vec![state(&world, "/a")];
    for at in 1..200 {
        let mut file = File::options().write(true).open(world.path("a")).unwrap();
        file.write_all(format!("{at:04}").as_bytes()).unwrap();
        file.set_modified(time).unwrap();
        drop(file);
        let now = state(&world, "/a");
        assert!(!seen.contains(&now), "rewrite {at}");
        seen.push(now);
    }
}

#[test]
fn a_state_that_was_seen_at_once_stays_when_nothing_changes() {
    let world = World::of(&[("a", "x"), ("d/x", ""), ("wide/", "")]);
    for at in 0..1001 {
        fs::write(world.path(&format!("wide/{at}")), "").unwrap();
    }
    let seen = ["/", "/a", "/d"].map(|path| (path, state(&world, path), identity(&world, path)));
    for _ in 0..2 {
        grow_old();
        for (path, validator, identity_) in &seen {
            assert_eq!((&state(&world, path), &identity(&world, path)), (validator, identity_), "{path}");
        }
    }
    assert_eq!(state(&world, "/wide"), state(&world, "/wide"));
}

#[test]
fn what_is_too_large_to_read_has_no_lasting_state_until_it_is_old() {
    let world = World::new();
    File::create(world.path("big")).unwrap().set_len(3 << 20).unwrap();
    let (first, second) = (state(&world, "/big"), state(&world, "/big"));
    grow_old();
    let old = state(&world, "/big");
    assert!(first != second || second == old, "young states match nothing");
    assert_eq!(old, state(&world, "/big"));
}

#[test]
fn a_directory_is_in_another_state_when_its_own_names_are() {
    let world = World::of(&[("d/a", "1"), ("d/e/x", "")]);
    let mut before = state(&world, "/d");
    let mut changed = |what: &str, is_change: bool| {
        let now = state(&world, "/d");
        assert_eq!(before != now, is_change, "{what}");
        before = now;
    };
    fs::write(world.path("d/a"), "2").unwrap();
    changed("a file in it was written", false);
    fs::write(world.path("d/e/y"), "").unwrap();
    changed("a name was added further down", false);
    fs::write(world.path("d/b"), "").unwrap();
    changed("a name was added", true);
    fs::rename(world.path("d/b"), world.path("d/c")).unwrap();
    changed("a name was changed", true);
    fs::remove_file(world.path("d/c")).unwrap();
    changed("a name was removed", true);
    grow_old();
    changed("time passed", false);
}

#[test]
fn an_identity_goes_with_its_file_and_never_to_another() {
    if no_identities() {
        return;
    }
    let world = World::of(&[("a", "x"), ("d/", "")]);
    let (file, directory) = (identity(&world, "/a").unwrap(), identity(&world, "/d").unwrap());
    fs::rename(world.path("a"), world.path("d/b")).unwrap();
    fs::rename(world.path("d"), world.path("e")).unwrap();
    assert_eq!(identity(&world, "/e/b"), Some(file.clone()));
    assert_eq!(identity(&world, "/e"), Some(directory));
    fs::write(world.path("e/b"), "another text").unwrap();
    assert_eq!(identity(&world, "/e/b"), Some(file), "writing makes no new file");

    // Inode numbers are given away anew at once.
    let mut seen = Vec::new();
    for round in 0..300 {
        fs::write(world.path("short"), "x").unwrap();
        let now = identity(&world, "/short");
        assert!(now.is_none() || !seen.contains(&now), "round {round}");
        seen.push(now);
        fs::remove_file(world.path("short")).unwrap();
    }
    assert!(seen.iter().filter(|identity| identity.is_some()).count() > 100, "nothing was shown");
}

#[test]
fn a_file_with_several_names_has_no_identity() {
    if no_identities() {
        return;
    }
    let world = World::of(&[("a", "x")]);
    let alone = identity(&world, "/a");
    assert!(alone.is_some());
    fs::hard_link(world.path("a"), world.path("b")).unwrap();
    assert_eq!((identity(&world, "/a"), identity(&world, "/b")), (None, None));
    fs::remove_file(world.path("a")).unwrap();
    assert_eq!(identity(&world, "/b"), alone);
}

#[test]
fn a_call_on_a_state_that_is_gone_is_refused() {
    let world = World::of(&[("a", "1")]);
    let seen = world.fetch("/a").unwrap();
    assert!(world.call_seen(&seen, "/a", "read_text", &[]).is_ok());
    fs::write(world.path("a"), "2").unwrap();
    let error = world.call_seen(&seen, "/a", "read_text", &[]).unwrap_err();
    assert_eq!(error.code, ErrorCode::ValidatorMismatch);
}

/// Refs and validators of all nodes below a directory.
fn seen(world: &World, path: &str) -> Vec<(String, Option<String>, Vec<u8>)> {
    let tree = world.tree(path, 9);
    let one = |object: &Object| {
        let r#ref = object.r#ref.as_ref().map(|r#ref| r#ref.as_str().to_owned());
        (object.name.as_str().to_owned(), r#ref, object.validator.as_ref().unwrap().as_bytes().to_vec())
    };
    tree.nodes().iter().map(|node| one(&node.object)).collect()
}

#[test]
fn many_new_files_have_the_same_refs_and_validators_whenever_they_are_looked_at() {
    if no_identities() {
        return;
    }
    let world = World::new();
    for at in 0..300 {
        File::create(world.path(&at.to_string())).unwrap();
    }
    let first = seen(&world, "/");
    assert_eq!(first.len(), 301);
    assert!(first.iter().all(|(_, r#ref, _)| r#ref.is_some()));
    assert_eq!(seen(&world, "/"), first);
    grow_old();
    assert_eq!(seen(&world, "/"), first);
}

#[test]
fn one_new_file_is_the_same_however_often_it_is_asked_for() {
    if no_identities() {
        return;
    }
    let world = World::of(&[("a", "x")]);
    for _ in 0..4 {
        let all = world.fetch_all(&["/a"; 64]);
        assert!(all[0].as_ref().unwrap().r#ref.is_some());
        assert!(all.iter().all(|object| object == &all[0]), "{all:?}");
    }
}
