//! The examples: the same ones each time, sound, and varied enough to search in.

use crate::world::World;

fn filled(issues: usize) -> World {
    let world = World::empty();
    world.tracker().fill(issues).unwrap();
    world
}

const CONTENT: [&str; 4] = [
    "SELECT concat_ws('|', project_id, number, title, body, author, assignee, closed_as, created_at, updated_at) FROM issues ORDER BY id",
    "SELECT concat_ws('|', id, project_id, issue_id, author, text, written_at) FROM comments ORDER BY id",
    "SELECT concat_ws('|', issue_id, label) FROM labels ORDER BY 1",
    "SELECT concat_ws('|', issue_id, kind, other_id) FROM relations ORDER BY 1",
];

#[test]
fn they_are_the_same_each_time_but_for_identities() {
    let (one, other) = (filled(300), filled(300));
    for query in CONTENT {
        assert_eq!(one.rows(query), other.rows(query));
    }
    let identities = "SELECT hex(uid) FROM issues";
    assert_ne!(one.rows(identities), other.rows(identities));
}

#[test]
fn a_tracker_is_filled_once() {
    let world = filled(50);
    let before = world.rows(CONTENT[0]);
    world.tracker().fill(50).unwrap();
    assert_eq!(world.rows(CONTENT[0]), before);
}

#[test]
fn they_are_sound_and_varied() {
    let world = filled(worldspace_example_tracker::ISSUES);
    let count =
        |sql: &str| world.rows(&format!("SELECT CAST(({sql}) AS TEXT)")).remove(0).parse::<usize>().unwrap();
    assert_eq!(count("SELECT count(*) FROM issues"), 3000);
    assert!(count("SELECT count(DISTINCT title) FROM issues") > 2000);
    assert!(count("SELECT count(DISTINCT body) FROM issues") > 2900);
    assert!(count("SELECT count(*) FROM issues WHERE closed_as IS NULL") > 500);
    assert!(count("SELECT count(*) FROM comments") > 3000);
    assert_eq!(count("SELECT count(*) FROM issues WHERE body || title LIKE '%{%'"), 0);
    assert_eq!(count("SELECT count(*) FROM issues WHERE updated_at < created_at"), 0);
    let open = "FROM relations JOIN issues a ON a.id = issue_id JOIN issues b ON b.id = other_id WHERE kind = 'blocked_by'
        AND b.closed_as IS NULL";
    assert!(count(&format!("SELECT count(*) {open}")) > 100);
    assert_eq!(count(&format!("SELECT count(*) {open} AND a.closed_as = 'done'")), 0);
    assert_eq!(
        count(
            "SELECT count(*) FROM projects WHERE last_number <> (SELECT max(number) FROM issues WHERE project_id = projects.id)"
        ),
        0
    );
}
