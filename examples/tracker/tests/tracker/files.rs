//! The file: it outlives the program, older ones are brought up to date, others are left alone.

use worldspace_example_tracker::{OpenError, Tracker};

use crate::world::{CONTENT, World};

#[tokio::test]
async fn a_restart_keeps_everything() {
    let world = World::small();
    let ann = world.user("ann");
    ann.call("/garden", "create", &[("title", "Bees".into()), ("body", "Where from?".into())]).await;
    let look = |user: crate::world::User| async move {
        let shown = user.0.fetch(&crate::world::User::entry("/garden/5")).await.unwrap();
        (
            user.call("/garden/5", "read_body", &[]).await,
            user.call("/", "search", &[("text", "bees".into())]).await,
            shown.object().name.clone(),
        )
    };
    let before = look(ann).await;
    let identity = world.rows("SELECT hex(uid) || hex(revision) FROM issues");
    assert_eq!(look(world.user("ann")).await, before);
    assert_eq!(world.rows("SELECT hex(uid) || hex(revision) FROM issues"), identity);
}

#[tokio::test]
async fn an_older_file_is_brought_up_to_date_with_what_it_holds() {
    let world = World::empty();
    let first = include_str!("../../src/migrations/1_issues.sql");
    world.sql(&format!("{first}{CONTENT} PRAGMA user_version = 1; PRAGMA application_id = 0x77697074;"));
    let found = world.user("ann").call("/", "search", &[("text", "hose".into())]).await;
    assert!(found.contains("/tracker/garden/2"), "{found}");
    assert_eq!(world.rows("SELECT CAST(user_version AS TEXT) FROM pragma_user_version"), ["2"]);
}

#[test]
fn an_empty_file_becomes_a_tracker() {
    let world = World::empty();
    std::fs::write(world.file(), "").unwrap();
    world.tracker();
    assert!(world.rows("SELECT name FROM sqlite_schema").contains(&"issues".to_owned()));
}

#[test]
fn what_is_no_tracker_or_of_a_later_version_is_left_alone() {
    for (sql, said) in [
        ("CREATE TABLE other (id)", "is a database of something else"),
        ("CREATE TABLE other (id); PRAGMA user_version = 1", "is a database of something else"),
        (
            "CREATE TABLE other (id); PRAGMA user_version = 99; PRAGMA application_id = 0x77697074",
            "is of version 99, and this program knows 2 at most",
        ),
    ] {
        let world = World::empty();
        world.sql(sql);
        let before = std::fs::read(world.file()).unwrap();
        let told = Tracker::open(&world.file()).unwrap_err().to_string();
        assert!(told.contains(said), "{told}");
        assert!(std::fs::read(world.file()).unwrap() == before);
    }
    let world = World::empty();
    std::fs::write(world.file(), "a text, and no database at all: ".repeat(40)).unwrap();
    assert!(matches!(Tracker::open(&world.file()), Err(OpenError::Sqlite { .. })));
    assert!(matches!(Tracker::open(world.directory.path()), Err(OpenError::Sqlite { .. })));
}
