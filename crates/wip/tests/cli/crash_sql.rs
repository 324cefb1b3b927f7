//! A server of a database that is killed while it writes: each write is there wholly or not at all.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::Connection;
use worldspace_client::{CallOptions, Client};
use worldspace_model::{EntryPath, Record, Value};

use crate::victim::{Served, serve};

const ROWS: usize = 40;
const WRITES: usize = 200;
/// So many pages of the file that a part of a write would be seen.
const SIZE: usize = 50_000;

/// What a row holds in one version: every line tells.
fn content(row: usize, version: usize) -> String {
    let line = format!("row {row} version {version}\n");
    line.repeat(SIZE / line.len())
}

/// Rows that say in each column in which version they are, and another table that a write changes too.
fn make(path: &Path, journal: &str) {
    let connection = Connection::open(path).unwrap();
    let set: String =
        connection.query_row(&format!("PRAGMA journal_mode = {journal}"), [], |row| row.get(0)).unwrap();
    assert_eq!(set, journal);
    let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, body TEXT NOT NULL, copy TEXT NOT NULL);
        CREATE INDEX by_version ON t (version);
        CREATE TABLE done (row INTEGER NOT NULL, version INTEGER NOT NULL);
        CREATE TRIGGER note AFTER UPDATE ON t BEGIN INSERT INTO done VALUES (NEW.id, NEW.version); END;
        BEGIN;";
    connection.execute_batch(schema).unwrap();
    for row in 0..ROWS {
        let content = content(row, 0);
        connection.execute("INSERT INTO t VALUES (?, 0, ?, ?)", (row as i64, &content, &content)).unwrap();
    }
    connection.execute_batch("COMMIT").unwrap();
}

/// Writes the next version of a row; whether that was answered as done.
async fn write(client: &Client, row: usize, version: usize) -> bool {
    let entry = EntryPath::parse(&format!("/db/t/{row}")).unwrap();
    let Ok(seen) = client.fetch(&entry).await else { return false };
    let Ok(interface) = client.resolve(&seen, "update", None).await else { return false };
    let content = Value::from(content(row, version));
    let columns = vec![
        ("version".into(), Value::count(version as u64)),
        ("body".into(), content.clone()),
        ("copy".into(), content),
    ];
    let columns = Record::new(columns).unwrap();
    let called = client.call(&seen, &interface, "update", columns, CallOptions::default()).await;
    called.is_ok_and(|outcome| format!("{:?}", outcome.result).contains("updated"))
}

/// Looks at the file as the next program would, but at a copy: what is left over is there for the next start.
fn check(database: &Path, answered: &[AtomicUsize]) {
    let aside = tempfile::tempdir().unwrap();
    for item in std::fs::read_dir(database.parent().unwrap()).unwrap() {
        let item = item.unwrap();
        // Not what only running programs share, and which holds nothing of its own.
        if !item.file_name().to_string_lossy().ends_with("-shm") {
            std::fs::copy(item.path(), aside.path().join(item.file_name())).unwrap();
        }
    }
    let connection = Connection::open(aside.path().join(database.file_name().unwrap())).unwrap();
    let sound: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    for (row, answered) in answered.iter().enumerate() {
        let found =
            connection.query_row("SELECT version, body, copy FROM t WHERE id = ?", [row as i64], |found| {
                Ok((found.get::<_, i64>(0)?, found.get::<_, String>(1)?, found.get::<_, String>(2)?))
            });
        let (version, body, copy) = found.unwrap();
        let version = usize::try_from(version).unwrap();
        assert!(body == content(row, version) && copy == body, "row {row} is neither old nor new");
        let last =
            "SELECT coalesce(max(version), 0), count(*) - count(DISTINCT version) FROM done WHERE row = ?";
        let (last, twice): (i64, i64) =
            connection.query_row(last, [row as i64], |found| Ok((found.get(0)?, found.get(1)?))).unwrap();
        assert_eq!((last, twice), (version as i64, 0), "the write of row {row} is half there");
        let answered = answered.load(Ordering::SeqCst);
        assert!(version >= answered, "row {row} was answered as {answered} and is {version}");
    }
}

fn killed(journal: &str, kills: &[usize]) {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("rows.db");
    make(&database, journal);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    // The last version of each row that was answered as done, in whichever round.
    let answered: Vec<AtomicUsize> = (0..ROWS).map(|_| AtomicUsize::new(0)).collect();
    for (round, killed_after) in kills.iter().copied().enumerate() {
        let Served { mut child, client } = serve("db", &database);
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let pid = child.id().to_string();
        runtime.block_on(async {
            let writer = || async {
                loop {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    if number >= WRITES {
                        return;
                    }
                    let (row, version) = (number % ROWS, round * WRITES + number + 1);
                    if write(&client, row, version).await {
                        answered[row].fetch_max(version, Ordering::SeqCst);
                        if done.fetch_add(1, Ordering::SeqCst) + 1 == killed_after {
                            let kill = std::process::Command::new("kill").args(["-KILL", &pid]).status();
                            assert!(kill.unwrap().success());
                        }
                    }
                }
            };
            tokio::join!(writer(), writer(), writer(), writer());
        });
        child.wait().unwrap();
        let done = done.load(Ordering::SeqCst);
        assert!(
            (killed_after..WRITES).contains(&done),
            "{done} writes were answered, not about {killed_after}"
        );
        check(&database, &answered);
    }
    // The next start goes on from what is there.
    let Served { mut child, client } = serve("db", &database);
    let next = kills.len() * WRITES + 1;
    assert!(runtime.block_on(write(&client, 0, next)));
    answered[0].store(next, Ordering::SeqCst);
    child.kill().unwrap();
    child.wait().unwrap();
    check(&database, &answered);
}

#[test]
fn a_server_that_is_killed_leaves_every_row_old_or_new() {
    killed("delete", &[5, 40, 90, 140, 190]);
}

#[test]
fn a_server_that_is_killed_leaves_every_row_old_or_new_where_changes_are_logged_ahead() {
    killed("wal", &[5, 90, 190]);
}
