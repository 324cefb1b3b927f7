//! The directory that the operator named, and what becomes of it.

use std::os::unix::fs::symlink;

use worldspace_model::{Cause, ErrorCode, Expansion, Value};
use worldspace_providers::files::{Files, OpenError, Settings};

use super::world::{World, field, no_identities};

#[test]
fn only_a_directory_is_opened_and_the_operator_is_told_why_not() {
    let world = World::of(&[("file", "")]);
    for path in ["file", "none"] {
        let error = Files::open(world.path(path), Settings::default()).unwrap_err();
        assert!(matches!(error, OpenError::Directory { .. }), "{error:?}");
        assert!(error.to_string().contains(path), "{error}");
    }
}

#[test]
fn the_root_stays_the_same_directory_wherever_it_goes() {
    let world = World::of(&[("a", "inside")]);
    let moved = world.outside().join("moved");
    std::fs::rename(world.path(""), &moved).unwrap();
    std::fs::create_dir(world.path("")).unwrap();
    std::fs::write(world.path("a"), "another").unwrap();
    assert_eq!(world.read("/a").as_deref(), Ok("inside"));
    // Only when it is no more, the other one that stands at its path counts.
    std::fs::remove_dir_all(&moved).unwrap();
    assert_eq!(world.read("/a").as_deref(), Ok("another"));
}

#[test]
fn a_root_that_was_removed_fails_until_there_is_another() {
    let world = World::of(&[("a", "first"), ("b", "")]);
    let identity = |path: &str| world.fetch(path).unwrap().r#ref.clone();
    let (seen, root) = (world.fetch("/a").unwrap(), identity("/"));
    let page = world.call("/", "list", &[("limit", Value::integer(1).unwrap())]).unwrap();
    let unavailable = || {
        let bare = world.fetch("/").unwrap();
        assert_eq!((&bare.description, bare.interfaces.len(), &bare.r#ref), (&None, 0, &None));
        let tree = world.tree("/", 3);
        assert_eq!(tree.nodes()[0].expansion, Expansion::Unexplored);
        assert!(tree.truncated_by().iter().eq([Cause::Unavailable]), "{tree:?}");
        for error in [
            world.fetch("/a").unwrap_err(),
            world.fetch("/none").unwrap_err(),
            world.call_seen(&seen, "/a", "read_text", &[]).unwrap_err(),
        ] {
            assert_eq!(error.code, ErrorCode::Internal);
            assert!(!error.message.as_str().contains(world.outside().to_str().unwrap()), "{error}");
        }
    };
    std::fs::remove_dir_all(world.path("")).unwrap();
    unavailable();
    // A link in its place is nobody's word that something else is to be served.
    let other = world.outside().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("a"), "second").unwrap();
    let place = world.path("").parent().unwrap().join("root");
    symlink(&other, &place).unwrap();
    unavailable();
    std::fs::remove_file(&place).unwrap();
    std::fs::write(&place, "a file").unwrap();
    unavailable();

    std::fs::remove_file(&place).unwrap();
    std::fs::rename(&other, &place).unwrap();
    assert_eq!(world.read("/a").as_deref(), Ok("second"));
    let told_apart = !no_identities();
    if told_apart {
        assert!(root.is_some() && identity("/") != root);
        assert!(seen.r#ref.is_some() && identity("/a") != seen.r#ref);
    }
    let stale = world.call_seen(&seen, "/a", "read_text", &[]).unwrap_err();
    assert_eq!(stale.code, ErrorCode::ValidatorMismatch);
    let cursor = field(&page, "next_cursor").clone();
    if told_apart {
        let stale = world.call("/", "list", &[("cursor", cursor)]).unwrap_err();
        assert_eq!(stale.code, ErrorCode::InvalidArguments, "{stale}");
    }
    // Once more, at once.
    std::fs::remove_dir_all(&place).unwrap();
    std::fs::create_dir(&place).unwrap();
    assert_eq!((world.names("/", 9), world.description("/")), (vec!["w".to_owned()], "directory".to_owned()));
}

#[test]
fn a_root_that_is_named_by_a_link_is_where_it_leads() {
    let parent = tempfile::tempdir().unwrap();
    let place = |name: &str| parent.path().join(name);
    for name in ["one", "two"] {
        std::fs::create_dir(place(name)).unwrap();
        std::fs::write(place(name).join("a"), name).unwrap();
    }
    symlink("one", place("link")).unwrap();
    let world = World::serving(place("link/"), Settings::default());
    let lead_to = |name: &str| {
        std::fs::remove_file(place("link")).unwrap();
        symlink(name, place("link")).unwrap();
    };
    assert_eq!(world.read("/a").as_deref(), Ok("one"));
    lead_to("two");
    assert_eq!(world.read("/a").as_deref(), Ok("one"), "what was opened is still there");
    std::fs::remove_dir_all(place("one")).unwrap();
    assert_eq!(world.read("/a").as_deref(), Ok("two"));
}

#[test]
fn a_link_above_the_root_counts_only_when_the_root_was_removed() {
    let parent = tempfile::tempdir().unwrap();
    let place = |name: &str| parent.path().join(name);
    for (name, text) in [("a/root", "mine"), ("b/root", "theirs")] {
        std::fs::create_dir_all(place(name)).unwrap();
        std::fs::write(place(name).join("f"), text).unwrap();
    }
    let world = World::serving(place("a/root"), Settings::default());
    std::fs::rename(place("a"), place("aside")).unwrap();
    symlink("b", place("a")).unwrap();
    assert_eq!(world.read("/f").as_deref(), Ok("mine"));
    // Whoever may write above the root decides what stands at its path.
    std::fs::remove_dir_all(place("aside/root")).unwrap();
    assert_eq!(world.read("/f").as_deref(), Ok("theirs"));
}
