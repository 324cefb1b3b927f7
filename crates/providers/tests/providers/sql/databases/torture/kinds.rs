//! Tables that are no plain tables, views that fail, rules that refuse, and what is large.

use rusqlite::Connection;

use super::super::one;

/// Columns of `wide` but its key.
const COLUMNS: usize = 300;
/// Rows of `many`.
const ROWS: u64 = 10_000;
const LONG_TEXT: usize = 1 << 20;
const LONG_BLOB: usize = 4 << 20;

pub(super) fn statements() -> Vec<String> {
    let columns: Vec<String> = (0..COLUMNS).map(|at| format!("c{at} INTEGER")).collect();
    let numbers: Vec<String> = (0..COLUMNS).map(|at| at.to_string()).collect();
    let nulls = vec!["NULL"; COLUMNS].join(", ");
    let mut statements = vec![
        format!("CREATE TABLE wide (id INTEGER PRIMARY KEY, {})", columns.join(", ")),
        format!("INSERT INTO wide VALUES (1, {}), (2, {nulls})", numbers.join(", ")),
        format!(
            "CREATE TABLE many (id INTEGER PRIMARY KEY, bucket INTEGER NOT NULL, label TEXT);
             INSERT INTO many WITH RECURSIVE each (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM each WHERE id < {ROWS})
                 SELECT id, id % 7, nullif('label ' || id % 100, 'label 0') FROM each;
             CREATE INDEX many_bucket ON many (bucket)"
        ),
        format!(
            "CREATE TABLE long (id INTEGER PRIMARY KEY, t TEXT, b BLOB);
             INSERT INTO long VALUES (1, printf('%.*c', {LONG_TEXT}, 'x'), NULL), (2, NULL, zeroblob({LONG_BLOB})), (3, 'x', x'00')"
        ),
    ];
    statements.extend(FIXED.iter().map(|statement| (*statement).to_owned()));
    statements
}

const FIXED: &[&str] = &[
    "CREATE TABLE empty (id INTEGER PRIMARY KEY, v TEXT)",
    "CREATE VIEW people AS SELECT id, name, 1 + 1 AS two, upper(name) FROM person",
    "CREATE VIEW \"a view / of ~ all\" AS SELECT * FROM person JOIN message ON sender = person.id",
    "CREATE VIEW \"over what is gone\" AS SELECT * FROM \"not there\"",
    "CREATE VIEW \"over a column that is gone\" AS SELECT gone FROM person",
    "CREATE VIEW \"over itself\" AS SELECT * FROM \"over the other\"",
    "CREATE VIEW \"over the other\" AS SELECT * FROM \"over itself\"",
    "CREATE VIEW \"fails at a row\" AS SELECT id, abs(-9223372036854775807 - id) AS v FROM person",
    "CREATE VIEW \"without end\" AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
    "CREATE VIEW \"without rows\" AS SELECT 1 AS a, 'b' AS b WHERE 0",
    // A view that rows can be put into.
    "CREATE VIEW \"with a trigger\" AS SELECT id, v FROM empty;
     CREATE TRIGGER put INSTEAD OF INSERT ON \"with a trigger\" BEGIN INSERT INTO empty VALUES (NEW.id, NEW.v); END",
    "CREATE VIRTUAL TABLE words USING fts5 (title, body);
     INSERT INTO words VALUES ('one', 'the first words'), ('two', 'and the others')",
    "CREATE VIRTUAL TABLE boxes USING rtree (id, min_x, max_x, min_y, max_y);
     INSERT INTO boxes VALUES (1, 0, 1, 0, 1), (2, 5, 6, 5, 6)",
    "CREATE TABLE made_of AS SELECT id, name FROM person",
    // Counts how often it was updated by others.
    "CREATE TABLE counted (id INTEGER PRIMARY KEY, note TEXT, times INTEGER NOT NULL DEFAULT 0);
     CREATE TRIGGER count_up AFTER UPDATE OF note ON counted BEGIN
         UPDATE counted SET times = times + 1 WHERE id = NEW.id;
     END;
     INSERT INTO counted (id, note) VALUES (1, 'first'), (2, 'second')",
    "CREATE TABLE guarded (id INTEGER PRIMARY KEY, v TEXT);
     CREATE TRIGGER never_deleted BEFORE DELETE ON guarded BEGIN SELECT RAISE(ABORT, 'rows stay \"here\"'); END;
     CREATE TRIGGER rolled_back BEFORE UPDATE ON guarded WHEN NEW.v = 'rollback' BEGIN
         SELECT RAISE(ROLLBACK, 'all is rolled back');
     END;
     CREATE TRIGGER failed AFTER UPDATE ON guarded WHEN NEW.v = 'fail' BEGIN SELECT RAISE(FAIL, 'it fails late'); END;
     CREATE TRIGGER ignored BEFORE UPDATE ON guarded WHEN NEW.v = 'ignore' BEGIN SELECT RAISE(IGNORE); END;
     INSERT INTO guarded VALUES (1, 'a'), (2, 'b')",
    "CREATE TABLE \"broken trigger\" (id INTEGER PRIMARY KEY, v TEXT);
     INSERT INTO \"broken trigger\" VALUES (1, 'a');
     CREATE TRIGGER broken AFTER INSERT ON \"broken trigger\" BEGIN INSERT INTO nowhere VALUES (1); END",
    "CREATE TABLE ruled (
         id INTEGER PRIMARY KEY, age INTEGER NOT NULL CONSTRAINT grown_up CHECK (age >= 18), mail TEXT UNIQUE,
         low INTEGER DEFAULT 0, high INTEGER DEFAULT 9, \"an odd; 'name'\" TEXT CHECK (\"an odd; 'name'\" <> ''),
         CHECK (low < high), CONSTRAINT \"a \"\"rule\"\", of two\" UNIQUE (low, high, age)
     );
     CREATE UNIQUE INDEX shouted ON ruled (upper(mail)) WHERE mail IS NOT NULL;
     INSERT INTO ruled (id, age, mail) VALUES (1, 18, 'a@example.org'), (2, 20, NULL)",
    "CREATE TABLE \"ignores what is twice\" (id INTEGER PRIMARY KEY, v TEXT UNIQUE ON CONFLICT IGNORE);
     CREATE TABLE \"replaces what is twice\" (id INTEGER PRIMARY KEY ON CONFLICT REPLACE, v TEXT UNIQUE ON CONFLICT REPLACE);
     CREATE TABLE \"rolls back what is twice\" (id INTEGER PRIMARY KEY, v TEXT UNIQUE ON CONFLICT ROLLBACK);
     INSERT INTO \"ignores what is twice\" VALUES (1, 'a'), (2, 'b');
     INSERT INTO \"replaces what is twice\" VALUES (1, 'a'), (2, 'b');
     INSERT INTO \"rolls back what is twice\" VALUES (1, 'a'), (2, 'b')",
    "ANALYZE",
];

pub(super) fn check(connection: &Connection) {
    assert_eq!(one::<i64>(connection, "SELECT count(*) FROM pragma_table_info('wide')"), COLUMNS as i64 + 1);
    assert_eq!(one::<i64>(connection, "SELECT count(*) FROM many"), ROWS as i64);
    assert_eq!(one::<i64>(connection, "SELECT length(t) FROM long WHERE id = 1"), LONG_TEXT as i64);
    assert_eq!(one::<i64>(connection, "SELECT length(b) FROM long WHERE id = 2"), LONG_BLOB as i64);
    assert_eq!(one::<String>(connection, "SELECT title FROM words WHERE words MATCH 'others'"), "two");
    assert_eq!(one::<f64>(connection, "SELECT max_x FROM boxes WHERE min_x > 2"), 6.0);
    for view in ["over what is gone", "over a column that is gone", "over itself"] {
        assert!(connection.prepare(&format!("SELECT * FROM \"{view}\"")).is_err(), "{view}");
    }
    connection.execute("UPDATE counted SET note = 'again' WHERE id = 1", []).unwrap();
    assert_eq!(one::<i64>(connection, "SELECT times FROM counted WHERE id = 1"), 1);
    for (refused, says) in [
        ("DELETE FROM guarded", "rows stay \"here\""),
        ("UPDATE guarded SET v = 'fail' WHERE id = 1", "it fails late"),
        ("UPDATE ruled SET age = 17", "grown_up"),
        ("UPDATE ruled SET low = 10", "low < high"),
    ] {
        let error = connection.execute(refused, []).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}
