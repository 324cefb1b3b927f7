//! What callers' statements, and whatever is in the file, take of time, memory and stack.

use std::process::Command;
use std::time::Instant;

use super::*;
use crate::sql::sqlite::connect::{LONGEST_PATTERN, Link, identity};
use crate::sql::sqlite::foreign::watched;
use crate::sql::stack;

const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";

fn limit(error: SqlError) -> String {
    match error {
        SqlError::Limit(text) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_long_pattern_is_refused_whoever_wrote_it_and_does_not_end_the_process() {
    let pattern = "%a".repeat(25_000);
    let file = File::of(&format!(
        "CREATE TABLE t(x TEXT); INSERT INTO t VALUES (replace(hex(zeroblob(30000)), '0', 'a'));
         CREATE VIEW v AS SELECT x LIKE '{pattern}' AS a FROM t; CREATE VIEW g AS SELECT x GLOB '{}' AS a FROM t;
         CREATE TABLE w(a); CREATE TRIGGER g1 AFTER INSERT ON w WHEN (SELECT a FROM v) BEGIN SELECT 1; END;",
        pattern.replace('%', "*")
    ));
    let sqlite = file.writer();
    for sql in ["SELECT a FROM v", "SELECT a FROM g", &format!("SELECT x LIKE '{pattern}' FROM t")] {
        let own = limit(selected(&mut *begin(&sqlite, Purpose::Read), &Statement::new(sql)).unwrap_err());
        let callers = limit(run(&sqlite, sql, &[]).unwrap_err());
        assert!(own.contains("longer than 1000 bytes") && callers == own, "{own}; {callers}");
    }
    match change(&mut *begin(&sqlite, Purpose::Write), "w", "INSERT INTO w VALUES (1)", &[]) {
        Err(ChangeError::Error(error)) => assert!(limit(error).contains("1000 bytes")),
        other => panic!("{other:?}"),
    }
    let longest = "%a".repeat(LONGEST_PATTERN as usize / 2);
    let statement = Statement { sql: "SELECT x LIKE ? FROM t".to_owned(), parameters: vec![text(&longest)] };
    let found = selected(&mut *begin(&sqlite, Purpose::Read), &statement).unwrap();
    assert_eq!(found, [[Cell::Integer(1)]]);
}

#[test]
fn statements_of_callers_make_no_files_and_end_where_the_memory_does() {
    let file = File::of("CREATE TABLE t(a); INSERT INTO t VALUES (1)");
    let sqlite = file.reader();
    let doubled = chain(60, |at, before| format!(", c{at}(a) AS (SELECT a + a FROM c{before})"));
    let greedy = [
        format!("WITH c0(a) AS (SELECT a FROM t){doubled} SELECT a FROM c60"),
        format!("{ENDLESS} SELECT length(y) FROM (SELECT zeroblob(900000) || i AS y FROM n ORDER BY 1)"),
        format!(
            "{ENDLESS} SELECT DISTINCT zeroblob(900000) || i, count(*) FROM n GROUP BY zeroblob(900000) || i"
        ),
        format!("SELECT {}", vec!["hex(zeroblob(900000))"; 1_000].join(",")),
        format!("{ENDLESS} SELECT count(*) FROM (SELECT zeroblob(900000) || i FROM n UNION SELECT 1)"),
    ];
    let bounded: i64 = file.other().query_row("PRAGMA hard_heap_limit", [], |row| row.get(0)).unwrap();
    assert_eq!(bounded, 1 << 30);
    // The bound is met sooner where it is lower; but it is the whole process's, and cannot be raised again.
    let alone = [
        "--exact",
        "sql::sqlite::tests::foreign::bounds::statements_of_callers_make_no_files_and_end_where_the_memory_does",
        "--nocapture",
    ];
    if !std::env::args().skip(1).eq(alone) {
        let ran = Command::new(std::env::current_exe().unwrap()).args(alone).output().unwrap();
        let told =
            format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        assert!(ran.status.success() && told.contains("1 passed"), "{told}");
        return;
    }
    let _: i64 = file.other().query_row("PRAGMA hard_heap_limit=100000000", [], |row| row.get(0)).unwrap();
    std::thread::scope(|scope| {
        for sql in &greedy {
            scope.spawn(|| {
                let told = limit(run(&sqlite, sql, &[]).unwrap_err());
                assert!(told.contains("more memory"), "{told}");
            });
        }
    });
    for _ in 0..2 {
        assert_eq!(run(&sqlite, "SELECT a FROM t", &[]).unwrap(), [[Cell::Integer(1)]]);
        let own = selected(&mut *begin(&sqlite, Purpose::Read), &Statement::new(&*greedy[3]));
        assert!(limit(own.unwrap_err()).contains("more memory"));
        assert_eq!(
            selected(&mut *begin(&sqlite, Purpose::Read), &Statement::new("SELECT a FROM t")).unwrap().len(),
            1
        );
    }
}

#[test]
fn views_of_the_file_call_nothing_that_tells_of_this_process() {
    let calls = [
        "sqlite_compileoption_get(1)",
        "load_extension('x')",
        "sqlite_log(1, 'x')",
        "fts3_tokenizer('simple')",
    ];
    let views =
        calls.iter().enumerate().map(|(at, call)| format!("CREATE VIEW v{at} AS SELECT {call} AS a;"));
    let file = File::of(&views.collect::<String>());
    let sqlite = file.writer();
    for (at, call) in calls.iter().enumerate() {
        for purpose in [Purpose::Read, Purpose::Write] {
            let read =
                selected(&mut *begin(&sqlite, purpose), &Statement::new(format!("SELECT a FROM v{at}")));
            assert!(read.is_err(), "{call}: {read:?}");
        }
    }
}

#[test]
fn tables_of_many_columns_and_long_values_beside_what_is_asked_for_can_be_read() {
    let columns: Vec<String> = (0..500).map(|at| format!("c{at} TEXT DEFAULT 'some text'")).collect();
    let file = File::of(&format!(
        "CREATE TABLE wide({}); INSERT INTO wide DEFAULT VALUES; INSERT INTO wide DEFAULT VALUES;
         CREATE TABLE long(id INTEGER PRIMARY KEY, a BLOB, b TEXT); INSERT INTO long VALUES (1, zeroblob(3000000), 'b');",
        columns.join(",")
    ));
    let sqlite = file.reader();
    let rows = run(&sqlite, "SELECT * FROM wide ORDER BY c3, c4", &[]).unwrap();
    assert_eq!(rows.iter().map(Vec::len).collect::<Vec<_>>(), [500, 500]);
    let beside = run(&sqlite, "SELECT id, length(a) FROM long", &[]).unwrap();
    assert_eq!(beside, [[Cell::Integer(1), Cell::Integer(3_000_000)]]);
    let told = limit(run(&sqlite, "SELECT a FROM long", &[]).unwrap_err());
    assert!(told.contains("more than 2 MiB"), "{told}");
}

#[test]
fn a_step_that_does_not_look_at_the_time_is_ended_from_outside() {
    let file = File::of("CREATE TABLE t(a)");
    let link = Link::open(&file.path, Purpose::Foreign).ok().unwrap();
    assert_eq!(link.identity, identity(&file.path).unwrap());
    let since = Instant::now();
    // No progress handler is set: nothing else would end it.
    let ran = watched(&link, &Watch::lasting(Duration::from_millis(200)), |link| {
        link.raw.query_row(&format!("{ENDLESS} SELECT max(i) FROM n"), [], |_| Ok(()))
    });
    let code = ran.unwrap_err().sqlite_error_code();
    assert_eq!(code, Some(rusqlite::ErrorCode::OperationInterrupted));
    assert!(since.elapsed() >= Duration::from_millis(200));
    link.raw.query_row("SELECT 1", [], |_| Ok(())).unwrap();
}

/// As many of these, each of which is made for the one before.
fn chain(number: usize, link: impl Fn(usize, usize) -> String) -> String {
    (1..=number).map(|at| link(at, at - 1)).collect()
}

#[test]
fn what_is_nested_in_the_file_as_deep_as_sqlite_allows_fits_on_the_stack() {
    let sum = format!("a{}", " + 1".repeat(900));
    let views = chain(1_005, |at, before| format!("CREATE VIEW v{at} AS SELECT a FROM v{before};"));
    let sums = chain(10, |at, before| format!("CREATE VIEW s{at} AS SELECT {sum} AS a FROM s{before};"));
    let triggers = chain(1_005, |at, before| {
        format!(
            "CREATE TABLE t{at}(a); CREATE TRIGGER g{at} AFTER INSERT ON t{before} BEGIN INSERT INTO t{at} VALUES (1); END;"
        )
    });
    let arrays = format!("{}{}", "[".repeat(1_000), "]".repeat(1_000));
    let objects = format!("{}1{}", "{\"a\":".repeat(990), "}".repeat(990));
    let nested = format!(
        "BEGIN; CREATE TABLE t0(a); INSERT INTO t0 VALUES (1);
         CREATE VIEW v0 AS SELECT a FROM t0; CREATE VIEW s0 AS SELECT a FROM t0;
         CREATE VIEW j AS SELECT json('{arrays}') AS a, (SELECT count(*) FROM json_tree('{arrays}')) AS b;
         CREATE VIEW p AS SELECT json_patch('{objects}', '{objects}') AS a; {views} {sums} {triggers} COMMIT"
    );
    let file = File::of(&nested);
    stack::deep(|| {
        for (purpose, sql, says) in [
            (Purpose::Read, "SELECT a FROM v1005", "VIEWs and/or subqueries nested too deep"),
            (Purpose::Read, "SELECT a FROM v990", ""),
            (Purpose::Read, "SELECT a FROM s10", ""),
            (Purpose::Read, "SELECT a, b FROM j", ""),
            (Purpose::Read, "SELECT a FROM p", ""),
            (Purpose::Write, "INSERT INTO t0 VALUES (1) RETURNING 1", "triggers nested too deep"),
            (Purpose::Write, "INSERT INTO t900 VALUES (1) RETURNING 1", ""),
        ] {
            let link = Link::open(&file.path, purpose).ok().unwrap();
            let ran = link.raw.query_row(sql, [], |_| Ok(()));
            assert_eq!(ran.err().map_or(String::new(), |error| error.to_string()), says, "{sql}");
        }
    })
    .unwrap();
}

#[test]
fn what_a_caller_nests_as_deep_as_is_allowed_fits_on_the_stack_and_deeper_is_refused() {
    let sum = format!("a{}", " + 1".repeat(95));
    let common = |number| {
        let parts = chain(number, |at, before| format!(", c{at}(a) AS (SELECT {sum} FROM c{before})"));
        format!("WITH c0(a) AS (SELECT a FROM t){parts} SELECT a FROM c{number}")
    };
    let file = File::of("CREATE TABLE t(a); INSERT INTO t VALUES (1)");
    let sqlite = file.reader();
    stack::deep(|| {
        assert_eq!(run(&sqlite, &common(95), &[]).unwrap(), [[Cell::Integer(95 * 95 + 1)]]);
        match run(&sqlite, &common(120), &[]) {
            Err(SqlError::Statement(text)) => assert!(text.contains("nested too deep"), "{text}"),
            other => panic!("{other:?}"),
        }
    })
    .unwrap();
}
