//! A table of as many rows as is wished, made quickly.

use std::path::Path;

use rusqlite::Connection;

/// How many rows share a value of the indexed column.
pub(crate) const EACH: u64 = 100;

/// Makes a database of two tables of so many rows: `things` with a key, two indexed columns (one of them with three values, and
/// without one in every fourth row) and a text, and `pairs` with a key of two columns.
pub(crate) fn make(path: &Path, rows: u64) {
    let connection = Connection::open(path).unwrap();
    let make = format!(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;
         CREATE TABLE things (id INTEGER PRIMARY KEY, batch INTEGER NOT NULL, part INTEGER,
             label TEXT NOT NULL);
         CREATE TABLE pairs (part INTEGER, id INTEGER, PRIMARY KEY (part, id)) WITHOUT ROWID;
         BEGIN;
         INSERT INTO things
             WITH RECURSIVE each (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM each WHERE id < {rows})
             SELECT id, (id - 1) / {EACH}, nullif(id % 4, 3), 'thing ' || id FROM each;
         INSERT INTO pairs SELECT part, id FROM things WHERE part IS NOT NULL ORDER BY part, id;
         CREATE INDEX things_batch ON things (batch);
         CREATE INDEX things_part ON things (part);
         COMMIT;
         PRAGMA journal_mode = DELETE;"
    );
    connection.execute_batch(&make).unwrap();
}

#[test]
fn a_table_of_any_size_is_numbered_and_batched() {
    let directory = super::directory();
    let path = directory.path().join("scale.db");
    make(&path, 1_000);
    let connection = Connection::open(&path).unwrap();
    let one = |sql| super::one::<i64>(&connection, sql);
    assert_eq!(one("SELECT count(*) FROM things"), 1_000);
    assert_eq!(one("SELECT max(id) FROM things"), 1_000);
    assert_eq!(one("SELECT count(*) FROM things WHERE batch = 9"), EACH as i64);
    assert_eq!(one("SELECT count(*) FROM pragma_index_list('things')"), 2);
    assert_eq!(one("SELECT count(*) FROM things WHERE part IS NULL"), 250);
    assert_eq!(one("SELECT count(*) FROM pairs"), 750);
}
