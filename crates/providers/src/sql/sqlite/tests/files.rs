//! The file: how it is opened, locked, replaced, damaged and left behind by others.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Instant;

use super::*;
use crate::sql::OpenError;
use crate::sql::engine::Committed;
use crate::sql::sqlite::is_sqlite;
use crate::unprivileged;

fn hint(opened: Result<Sqlite, OpenError>) -> String {
    match opened.map(drop) {
        Err(OpenError::Read { hint, .. }) => hint,
        other => panic!("{other:?}"),
    }
}

fn count(sqlite: &Sqlite) -> Result<i64, SqlError> {
    match run(sqlite, "SELECT count(*) FROM t", &[])?.concat().as_slice() {
        [Cell::Integer(count)] => Ok(*count),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_database_is_known_by_its_header_and_nothing_else_is_opened() {
    let file = File::of("CREATE TABLE t(a)");
    assert!(is_sqlite(&file.path).unwrap());
    let at = |name: &str| file.directory.path().join(name);
    std::fs::write(at("empty.db"), "").unwrap();
    std::fs::write(at("text.db"), "SQLite format 3, in a text that goes on and on".repeat(100)).unwrap();
    std::fs::write(at("short.db"), "SQLite").unwrap();
    for name in ["empty.db", "text.db", "short.db"] {
        assert!(!is_sqlite(&at(name)).unwrap(), "{name}");
        let opened = Sqlite::open(&at(name), &Settings::default());
        assert!(matches!(opened, Err(OpenError::Kind { .. })), "{name}");
    }
    let directory = Sqlite::open(file.directory.path(), &Settings::default());
    assert!(matches!(directory, Err(OpenError::Kind { .. })));
    let missing = Sqlite::open(&at("missing.db"), &Settings { writable: true, ..Settings::default() });
    assert!(matches!(missing, Err(OpenError::File { .. })));
    assert!(!at("missing.db").exists());
}

#[test]
fn a_path_is_a_path_and_never_a_uri() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["file:x.db?mode=memory", "a?immutable=1", "100%41.db", "a#b", " "] {
        let path = directory.path().join(name);
        let made = directory.path().join("made");
        Connection::open(&made)
            .unwrap()
            .execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
            .unwrap();
        std::fs::rename(&made, &path).unwrap();
        let sqlite = Sqlite::open(&path, &Settings { writable: true, ..Settings::default() }).unwrap();
        assert_eq!(count(&sqlite).unwrap(), 1, "{name}");
        let mut session = begin(&sqlite, Purpose::Write);
        change(&mut *session, "t", "INSERT INTO t VALUES (1)", &[]).unwrap();
        assert!(matches!(session.commit(), Committed::Done));
        assert_eq!(
            Connection::open_with_flags(&path, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY)
                .unwrap()
                .query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0))
                .unwrap(),
            2
        );
    }
}

#[test]
fn a_file_that_is_put_in_the_place_of_another_is_served_from_then_on() {
    let file = File::of("CREATE TABLE t(a)");
    let other = File::of("CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2)");
    let sqlite = file.writer();
    let stamp = begin(&sqlite, Purpose::Read).stamp();
    assert_eq!(count(&sqlite).unwrap(), 0);
    drop(begin(&sqlite, Purpose::Write));
    std::fs::rename(&other.path, &file.path).unwrap();
    assert_eq!(count(&sqlite).unwrap(), 1);
    assert_ne!(begin(&sqlite, Purpose::Read).stamp(), stamp);
    assert_eq!(relation(&sqlite, "t").columns.len(), 2);
    let mut session = begin(&sqlite, Purpose::Write);
    change(&mut *session, "t", "INSERT INTO t VALUES (3, 4)", &[]).unwrap();
    assert!(matches!(session.commit(), Committed::Done));
    assert_eq!(file.other().query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0)).unwrap(), 2);
    std::fs::remove_file(&file.path).unwrap();
    for purpose in [Purpose::Read, Purpose::Write, Purpose::Foreign] {
        assert!(matches!(sqlite.begin(purpose, &patient()), Err(SqlError::Failed(_))), "{purpose:?}");
    }
    assert!(!file.path.exists());
}

/// Lets go of the file a moment after work that has to wait for it was begun; several times, so that at least once it waited.
fn waiting<T>(file: &File, work: impl Fn() -> T) -> Vec<T> {
    let round = |_| {
        let other = file.other();
        other.execute_batch("BEGIN EXCLUSIVE; UPDATE t SET a = a + 1").unwrap();
        let (begin, begun) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                begun.recv().unwrap();
                std::thread::sleep(Duration::from_millis(50));
                other.execute_batch("COMMIT").unwrap();
            });
            begin.send(()).unwrap();
            work()
        })
    };
    (0..5).map(round).collect()
}

#[test]
fn who_waits_for_a_lock_of_another_program_waits_as_long_as_there_is_time() {
    let file = File::of("CREATE TABLE t(a)");
    let sqlite = file.writer();
    let other = file.other();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    for purpose in [Purpose::Read, Purpose::Write, Purpose::Foreign] {
        // On a slow day the time ends before the lock is met.
        let met = [150, 1_000, 5_000].into_iter().map(Duration::from_millis).any(|time| {
            let since = Instant::now();
            match sqlite.begin(purpose, &Watch::lasting(time)).map(drop) {
                Err(SqlError::Late) => false,
                Err(SqlError::Busy) => {
                    assert!(since.elapsed() >= time, "{purpose:?}: {:?}", since.elapsed());
                    true
                }
                other => panic!("{purpose:?}: {other:?}"),
            }
        });
        assert!(met, "{purpose:?}");
    }
}

#[test]
fn a_lock_that_ends_while_there_is_time_is_none() {
    let file = File::of("CREATE TABLE t(a); INSERT INTO t VALUES (0)");
    let sqlite = file.writer();
    // Whoever came to read before the change was made would not see it.
    let seen = waiting(&file, || run(&sqlite, "SELECT a FROM t", &[]).unwrap());
    assert_eq!(seen, (1..=5).map(|a| [[Cell::Integer(a)]]).collect::<Vec<_>>());
}

#[test]
fn whoever_writes_is_waited_for_and_two_never_write_at_one_time() {
    let file = File::of("CREATE TABLE t(a); INSERT INTO t VALUES (0)");
    let sqlite = file.writer();
    let first = begin(&sqlite, Purpose::Write);
    let second = sqlite.begin(Purpose::Write, &Watch::lasting(Duration::from_millis(50)));
    assert!(matches!(second, Err(SqlError::Busy)));
    drop(second);
    drop(first);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    let mut session = begin(&sqlite, Purpose::Write);
                    change(&mut *session, "t", "UPDATE t SET a = a + 1", &[]).unwrap();
                    assert!(matches!(session.commit(), Committed::Done));
                }
            });
        }
    });
    assert_eq!(run(&sqlite, "SELECT a FROM t", &[]).unwrap(), [[Cell::Integer(40)]]);
}

#[test]
fn opening_waits_for_whoever_has_the_file_locked_for_a_moment() {
    let file = File::of("CREATE TABLE t(a)");
    waiting(&file, || drop(file.writer()));
}

/// Copies a database while a change is half written to it, with the journal that takes the change back.
fn crashed(journal_mode: &str) -> File {
    let file = File::of(&format!(
        "PRAGMA journal_mode={journal_mode}; CREATE TABLE t(a);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
         INSERT INTO t SELECT zeroblob(1000) FROM n;"
    ));
    let writing = file.other();
    writing
        .execute_batch("PRAGMA cache_size=2; BEGIN; UPDATE t SET a = zeroblob(999); INSERT INTO t VALUES (1)")
        .unwrap();
    let copy = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(file.directory.path()).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
    let path = copy.path().join("it.db");
    File { directory: copy, path }
}

#[test]
fn a_change_that_a_crash_left_half_done_is_taken_back_before_anything_is_read() {
    let file = crashed("DELETE");
    assert!(file.directory.path().join("it.db-journal").exists());
    let left = hint(Sqlite::open(&file.path, &Settings::default()));
    assert!(left.contains("ended in the middle"), "{left}");
    let sqlite = file.writer();
    assert_eq!(count(&sqlite).unwrap(), 1_000);
    assert!(!file.directory.path().join("it.db-journal").exists());

    let file = crashed("WAL");
    assert_eq!(count(&file.reader()).unwrap(), 1_000);
    assert_eq!(count(&file.writer()).unwrap(), 1_000);
}

/// Another program changes the file and ends in the middle: what it wrote stands in the file, and its journal beside it.
fn leave(crashed: &File, file: &File) {
    for name in ["it.db-journal", "it.db"] {
        let bytes = std::fs::read(crashed.directory.path().join(name)).unwrap();
        let into = std::fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(file.directory.path().join(name));
        std::os::unix::fs::FileExt::write_all_at(&into.unwrap(), &bytes, 0).unwrap();
    }
}

#[test]
fn a_journal_that_is_left_behind_while_the_file_is_served_is_put_in_order_too() {
    let (file, crashed) = (crashed("DELETE"), crashed("DELETE"));
    let sqlite = file.writer();
    assert_eq!(count(&sqlite).unwrap(), 1_000);
    leave(&crashed, &file);
    assert_eq!(count(&sqlite).unwrap(), 1_000);
    assert!(!file.directory.path().join("it.db-journal").exists());
}

#[test]
fn where_nothing_may_be_written_a_journal_that_is_left_behind_is_said_to_be_in_the_way() {
    let (file, crashed) = (crashed("DELETE"), crashed("DELETE"));
    drop(file.writer());
    let sqlite = file.reader();
    assert_eq!(count(&sqlite).unwrap(), 1_000);
    leave(&crashed, &file);
    for purpose in [Purpose::Read, Purpose::Foreign] {
        match sqlite.begin(purpose, &patient()).map(drop) {
            Err(SqlError::Limit(text)) => assert!(text.contains("serve it writable"), "{text}"),
            other => panic!("{purpose:?}: {other:?}"),
        }
    }
    drop(file.writer());
    assert_eq!(count(&sqlite).unwrap(), 1_000);
}

#[test]
fn a_damaged_file_is_said_to_be_damaged() {
    let file = File::of("CREATE TABLE t(a); INSERT INTO t VALUES (1)");
    let whole = std::fs::read(&file.path).unwrap();
    let with = |at: usize, bytes: &[u8]| {
        let mut damaged = whole.clone();
        damaged[at..at + bytes.len()].copy_from_slice(bytes);
        std::fs::write(&file.path, damaged).unwrap();
    };
    // The page that holds the schema, and the size of pages.
    for (at, bytes) in [(100, &[0xff; 8][..]), (16, &[0x12, 0x34][..])] {
        with(at, bytes);
        for writable in [false, true] {
            let settings = Settings { writable, ..Settings::default() };
            let hint = hint(Sqlite::open(&file.path, &settings));
            assert!(hint.contains("damaged"), "{at}: {hint}");
        }
    }
    // A page of rows: the table fails, and the rest is served.
    with(whole.len() / 2, &[0xff; 64]);
    let sqlite = file.reader();
    assert!(matches!(count(&sqlite), Err(SqlError::Failed(_))));
    assert_eq!(begin(&sqlite, Purpose::Read).list().unwrap().len(), 1);
}

#[test]
fn what_may_not_be_opened_says_so() {
    unprivileged::run(|| {
        let file = File::of("PRAGMA journal_mode=WAL; CREATE TABLE t(a)");
        let mode = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        mode(file.directory.path(), 0o555);
        let not_shared = hint(Sqlite::open(&file.path, &Settings::default()));
        assert!(not_shared.contains("WAL"), "{not_shared}");
        mode(file.directory.path(), 0o755);
        mode(&file.path, 0o444);
        let not_written = hint(Sqlite::open(&file.path, &Settings { writable: true, ..Settings::default() }));
        assert!(not_written.contains("may not write"), "{not_written}");
        mode(&file.path, 0o000);
        let not_read = Sqlite::open(&file.path, &Settings::default());
        assert!(matches!(not_read, Err(OpenError::File { .. })));
    });
}

#[test]
fn readers_of_other_programs_that_stay_too_long_take_a_change_back() {
    let file = File::of("CREATE TABLE t(a); INSERT INTO t VALUES (1)");
    let sqlite = file.writer();
    let other = file.other();
    other.execute_batch("BEGIN; SELECT * FROM t").unwrap();
    let mut reading = other.prepare("SELECT * FROM t").unwrap();
    let mut rows = reading.query([]).unwrap();
    rows.next().unwrap();
    let mut session = begin(&sqlite, Purpose::Write);
    change(&mut *session, "t", "INSERT INTO t VALUES (2)", &[]).unwrap();
    match session.commit() {
        Committed::RolledBack(ChangeError::Error(SqlError::Busy)) => {}
        committed => panic!("{committed:?}"),
    }
    assert_eq!(count(&sqlite).unwrap(), 1);
}
