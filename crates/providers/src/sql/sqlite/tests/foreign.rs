//! Statements of callers: each reads, or is refused and leaves everything as it was.

use super::*;

mod bounds;
mod functions;

const CANARY: &str = "CREATE TABLE canary(a); INSERT INTO canary VALUES ('alive');
                      CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT, surname TEXT);
                      INSERT INTO people VALUES (1, 'Ada', 'L'), (2, 'Bob', 'M');";

#[test]
fn statements_that_read_are_run() {
    let file = File::of(
        "CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO people VALUES (1, 'Ada'), (2, 'Bob');
         CREATE VIRTUAL TABLE words USING fts5(body); INSERT INTO words VALUES ('a word'), ('another');
         CREATE VIRTUAL TABLE old USING fts4(body); INSERT INTO old VALUES ('a word');
         CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1); INSERT INTO boxes VALUES (1, 0, 2);",
    );
    let sqlite = file.reader();
    for (sql, rows) in [
        ("SELECT name FROM people ORDER BY id", 2),
        ("  -- first\nVALUES (1), (2), (3); /* last */ ; ", 3),
        ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n", 5),
        ("SELECT json_extract(value, '$.a') FROM json_each('[{\"a\": 1}]')", 1),
        ("SELECT name FROM pragma_table_info('people')", 2),
        ("PRAGMA table_info(people)", 2),
        ("PRAGMA main.foreign_key_list(people)", 0),
        ("SELECT name FROM sqlite_schema WHERE name = 'people'", 1),
        ("SELECT snippet(words, 0, '[', ']', '', 9) FROM words WHERE words MATCH 'word'", 1),
        ("SELECT bm25(words) FROM words('another')", 1),
        ("SELECT * FROM old WHERE old MATCH 'word'", 1),
        ("SELECT id FROM boxes WHERE x0 < 1 AND x1 > 1", 1),
        ("SELECT date('now'), random(), sum(id) OVER () FROM people", 2),
    ] {
        match run(&sqlite, sql, &[]) {
            Ok(found) => assert_eq!(found.len(), rows, "{sql}"),
            Err(error) => panic!("{sql}: {error}"),
        }
    }
    for sql in ["EXPLAIN QUERY PLAN SELECT * FROM people", "EXPLAIN SELECT * FROM people"] {
        assert!(!run(&sqlite, sql, &[]).unwrap().is_empty(), "{sql}");
    }
}

#[test]
fn hostile_statements_are_refused_and_nothing_is_touched() {
    let file = File::of(CANARY);
    let beside = file.directory.path().join("beside.db");
    let new = file.directory.path().join("new.db");
    Connection::open(&beside).unwrap().execute_batch("CREATE TABLE secret(a)").unwrap();
    let (beside, new) = (beside.display().to_string(), new.display().to_string());
    let bytes = || (std::fs::read(&file.path).unwrap(), std::fs::read(&beside).unwrap());
    let before = bytes();
    // Also where the mount is writable: what callers write never runs on the connection that writes.
    for sqlite in [file.reader(), file.writer()] {
        for sql in [
            "DELETE FROM canary",
            "UPDATE canary SET a = 'dead'",
            "INSERT INTO canary VALUES (1)",
            "INSERT INTO canary VALUES (1) RETURNING a",
            "REPLACE INTO people VALUES (1, 'x', 'y') RETURNING id",
            "WITH x AS (SELECT 1) DELETE FROM canary RETURNING a",
            "DROP TABLE canary",
            "CREATE TABLE t(a)",
            "CREATE TEMP TABLE t(a)",
            "CREATE TEMP VIEW t AS SELECT 1",
            "CREATE TEMP TRIGGER t AFTER INSERT ON canary BEGIN SELECT 1; END",
            "CREATE INDEX i ON canary(a)",
            "CREATE VIRTUAL TABLE t USING fts5(a)",
            "ALTER TABLE canary RENAME TO gone",
            "VACUUM",
            &format!("VACUUM INTO '{new}'"),
            "REINDEX",
            "ANALYZE",
            "BEGIN",
            "COMMIT",
            "ROLLBACK",
            "SAVEPOINT s",
            "RELEASE one",
            &format!("ATTACH '{beside}' AS b"),
            &format!("ATTACH '{new}' AS b"),
            "ATTACH ':memory:' AS b",
            "DETACH main",
            "PRAGMA query_only=OFF",
            "PRAGMA writable_schema=ON",
            "PRAGMA journal_mode=WAL",
            "PRAGMA journal_mode",
            "PRAGMA user_version=7",
            "PRAGMA schema_version(7)",
            "PRAGMA application_id=7",
            "PRAGMA encoding='UTF-16'",
            "PRAGMA foreign_keys=OFF",
            "PRAGMA trusted_schema=ON",
            "PRAGMA mmap_size=1000000",
            "PRAGMA temp_store_directory='/'",
            "PRAGMA wal_checkpoint",
            "PRAGMA optimize",
            "PRAGMA incremental_vacuum",
            "PRAGMA integrity_check",
            "PRAGMA database_list",
            "SELECT file FROM pragma_database_list",
            "SELECT * FROM pragma_query_only(0)",
            "SELECT * FROM pragma_user_version(7)",
            "SELECT load_extension('x')",
            "SELECT LOAD_EXTENSION('x', 'y')",
            "SELECT fts3_tokenizer('simple')",
            "SELECT fts3_tokenizer('simple', x'00')",
            "SELECT sqlite_log(1, 'x')",
            "SELECT sqlite_compileoption_get(1)",
            "SELECT readfile('/etc/passwd')",
            "SELECT writefile('x', 'y')",
            "SELECT * FROM dbstat",
            "SELECT * FROM DBSTAT('main')",
            "SELECT * FROM sqlite_dbpage",
            "SELECT 1; DELETE FROM canary",
            "SELECT 1; SELECT 2",
            "SELECT 1; nonsense",
            "EXPLAIN DELETE FROM canary",
            "",
            " ; -- nothing",
            "SELECT 1\0; DELETE FROM canary",
            "SELECT \"alive\"",
        ] {
            match run(&sqlite, sql, &[]) {
                Err(SqlError::Statement(text)) => {
                    assert!(!text.contains(&*file.directory.path().to_string_lossy()), "{text}");
                }
                other => panic!("{sql}: {other:?}"),
            }
        }
        let canary = run(&sqlite, "SELECT a FROM canary", &[]).unwrap();
        assert_eq!(canary, [[text("alive")]]);
    }
    assert!(bytes() == before, "a file was written");
    assert!(!std::path::Path::new(&new).exists());
}

#[test]
fn what_is_refused_is_named_where_that_is_known() {
    let file = File::of(CANARY);
    let sqlite = file.reader();
    for (sql, says) in [
        ("DELETE FROM canary", "this operation only reads"),
        ("SELECT sqlite_log(1, 'x')", "function: sqlite_log"),
        ("SELECT * FROM dbstat", "access to dbstat"),
    ] {
        match run(&sqlite, sql, &[]) {
            Err(SqlError::Statement(text)) => assert!(text.contains(says), "{text}"),
            other => panic!("{sql}: {other:?}"),
        }
    }
}

#[test]
fn a_statement_that_was_refused_leaves_the_connection_for_others() {
    let file = File::of(CANARY);
    let sqlite = file.reader();
    let mut session = begin(&sqlite, Purpose::Foreign);
    let mut once = |sql: &str| session.run(sql, &[], &mut |_| Ok(()), &mut |_| Ok(Flow::More));
    assert!(once("DELETE FROM canary").is_err());
    once("SELECT * FROM canary").unwrap();
    // What the engine itself reads is not held to what callers may.
    assert_eq!(session.list().unwrap().len(), 2);
    assert!(session.relation("people").unwrap().is_some());
}

#[test]
fn parameters_are_values_by_position_and_as_many_as_there_are_places() {
    let file = File::of(CANARY);
    let sqlite = file.reader();
    let hostile = text("' OR 1=1; DELETE FROM canary; --");
    let rows = run(&sqlite, "SELECT ?, ? + 1", &[hostile.clone(), Cell::Integer(41)]).unwrap();
    assert_eq!(rows, [[hostile, Cell::Integer(42)]]);
    for parameters in [&[][..], &[Cell::Null][..], &[Cell::Null, Cell::Null, Cell::Null][..]] {
        match run(&sqlite, "SELECT ?, ?", parameters) {
            Err(SqlError::Statement(text)) => assert!(text.contains("2 placeholders"), "{text}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_names_of_columns_come_first() {
    let file = File::of(CANARY);
    let sqlite = file.reader();
    let mut heads = Vec::new();
    let mut session = begin(&sqlite, Purpose::Foreign);
    let mut head = |names: &[&str]| {
        heads.push(names.join(","));
        Ok(())
    };
    session
        .run("SELECT id, name AS n, 1 + 1 FROM people LIMIT 0", &[], &mut head, &mut |_| panic!())
        .unwrap();
    assert_eq!(heads, ["id,n,1 + 1"]);
}

#[test]
fn errors_are_sqlites_and_name_what_was_probably_meant() {
    let file = File::of(CANARY);
    let sqlite = file.reader();
    for (sql, says) in [
        ("SELEC 1", "near \"SELEC\": syntax error"),
        ("SELECT * FROM peopel", "no such table: peopel; near names: people"),
        ("SELECT p.nmae FROM people p", "no such column: p.nmae; near names: name"),
        ("SELECT surnam FROM people", "no such column: surnam; near names: surname"),
        ("SELECT nothing_like_it FROM people", "no such column: nothing_like_it"),
        (
            "SELECT \"name\", \"surnam\" FROM people",
            "no such column: \"surnam\" - should this be a string literal in single-quotes?; near names: surname",
        ),
        ("SELECT nosuch(1)", "no such function: nosuch"),
        ("SELECT abs(-9223372036854775808)", "integer overflow"),
    ] {
        match run(&sqlite, sql, &[]) {
            Err(SqlError::Statement(text)) => assert_eq!(text, says),
            other => panic!("{sql}: {other:?}"),
        }
    }
}

#[test]
fn a_statement_that_never_ends_is_ended_and_says_whose_limit_it_was() {
    let file = File::of(CANARY);
    let sqlite = file.reader();
    let watch = Watch::lasting(Duration::from_millis(200));
    let mut session = sqlite.begin(Purpose::Foreign, &watch).unwrap();
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
    let ran = session.run(endless, &[], &mut |_| Ok(()), &mut |_| Ok(Flow::More));
    assert!(matches!(ran, Err(SqlError::Overtime(time)) if time.as_millis() == 200), "{ran:?}");
    drop(session);
    let mut session = sqlite.begin(Purpose::Read, &Watch::lasting(Duration::from_millis(200))).unwrap();
    let ran = selected(&mut *session, &Statement::new(endless));
    assert!(matches!(ran, Err(SqlError::Overtime(_))), "{ran:?}");
    drop(session);
    // The connections are as good as before.
    assert_eq!(run(&sqlite, "SELECT count(*) FROM people", &[]).unwrap(), [[Cell::Integer(2)]]);
    assert!(selected(&mut *begin(&sqlite, Purpose::Read), &Statement::new("SELECT * FROM canary")).is_ok());
}

#[test]
fn what_would_take_too_much_memory_is_refused() {
    let file = File::of(CANARY);
    let sqlite = file.reader();
    let deep = format!("SELECT {}1{}", "(".repeat(5_000), ")".repeat(5_000));
    let wide = format!("SELECT 1{}", " UNION ALL SELECT 1".repeat(200));
    let long = format!("SELECT '{}'", "x".repeat(2 << 20));
    let sum = format!("SELECT 1{}", " + 1".repeat(1_000));
    for sql in [
        "SELECT zeroblob(100000000)",
        "SELECT printf('%*d', 100000000, 1)",
        "SELECT replace(hex(zeroblob(8000000)), '0', '0123456789')",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT group_concat(hex(zeroblob(100000))) FROM n",
        &deep,
        &wide,
        &long,
        &sum,
    ] {
        let start: String = sql.chars().take(60).collect();
        match run(&sqlite, sql, &[]) {
            Err(SqlError::Limit(_) | SqlError::Statement(_)) => {}
            other => panic!("{start}: {other:?}"),
        }
    }
}

#[test]
fn limits_of_callers_statements_do_not_hold_for_the_schema() {
    let wide = format!("SELECT 1 AS a{}", " UNION ALL SELECT 1".repeat(400));
    let file = File::of(&format!("CREATE VIEW wide AS {wide}; CREATE TABLE t(a); INSERT INTO t VALUES (1)"));
    let sqlite = file.reader();
    assert_eq!(run(&sqlite, "SELECT a FROM t", &[]).unwrap().len(), 1);
    file.other().execute_batch("CREATE TABLE u(a)").unwrap();
    assert_eq!(run(&sqlite, "SELECT a FROM t", &[]).unwrap().len(), 1);
}
