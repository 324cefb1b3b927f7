//! Changes: which rules they break, and what is left of them.

use super::*;
use crate::sql::engine::{Committed, Constraint};

#[test]
fn each_rule_is_told_with_its_columns() {
    let file = File::of(
        "CREATE TABLE parent(id INTEGER PRIMARY KEY);
         CREATE TABLE \"t.x, y\"(id INTEGER PRIMARY KEY, \"a, b\" TEXT UNIQUE, \"c.d\", e NOT NULL DEFAULT 0,
             price CHECK (price > 0), named CONSTRAINT sane CHECK (named <> 'bad'), up REFERENCES parent,
             UNIQUE (\"c.d\", e));
         CREATE UNIQUE INDEX folded ON \"t.x, y\"(lower(\"c.d\"), price);
         CREATE TABLE pair(a TEXT, b TEXT, PRIMARY KEY (b, a)) WITHOUT ROWID;
         CREATE TABLE strict(id INTEGER PRIMARY KEY, n INT, t TEXT) STRICT;
         CREATE TABLE guarded(a);
         CREATE TRIGGER guard BEFORE INSERT ON guarded WHEN new.a = 1 BEGIN SELECT RAISE(FAIL, 'not one'); END;
         CREATE TRIGGER hard BEFORE INSERT ON guarded WHEN new.a = 2 BEGIN SELECT RAISE(ROLLBACK, 'not two'); END;
         CREATE TRIGGER other AFTER INSERT ON guarded WHEN new.a = 3 BEGIN INSERT INTO pair VALUES ('x', 'y'); END;
         INSERT INTO \"t.x, y\"(id, \"a, b\", \"c.d\", e, price) VALUES (1, 'x', 'k', 'l', 1);
         INSERT INTO pair VALUES ('x', 'y');",
    );
    let sqlite = file.writer();
    let odd = "t.x, y";
    for (table, sql, constraint, columns, says) in [
        (odd, "INSERT INTO \"t.x, y\"(id) VALUES (1)", Constraint::PrimaryKey, &["id"][..], "UNIQUE"),
        (odd, "INSERT INTO \"t.x, y\"(\"a, b\") VALUES ('x')", Constraint::Unique, &["a, b"], "UNIQUE"),
        (
            odd,
            "INSERT INTO \"t.x, y\"(\"c.d\", e) VALUES ('k', 'l')",
            Constraint::Unique,
            &["c.d", "e"],
            "UNIQUE",
        ),
        (
            odd,
            "INSERT INTO \"t.x, y\"(\"c.d\", price) VALUES ('K', 1)",
            Constraint::Unique,
            &["price"],
            "folded",
        ),
        (odd, "UPDATE \"t.x, y\" SET e = NULL", Constraint::NotNull, &["e"], "NOT NULL"),
        (odd, "UPDATE \"t.x, y\" SET price = -1", Constraint::Check, &["price"], "price > 0"),
        (odd, "UPDATE \"t.x, y\" SET named = 'bad'", Constraint::Check, &[], "sane"),
        (odd, "UPDATE \"t.x, y\" SET up = 9", Constraint::ForeignKey, &[], "foreign key"),
        (odd, "UPDATE \"t.x, y\" SET id = 'text'", Constraint::Type, &["id"], "mismatch"),
        ("pair", "INSERT INTO pair VALUES ('x', 'y')", Constraint::PrimaryKey, &["b", "a"], "UNIQUE"),
        ("pair", "INSERT INTO pair VALUES (NULL, 'y')", Constraint::NotNull, &["a"], "NOT NULL"),
        ("strict", "INSERT INTO strict(n) VALUES ('text')", Constraint::Type, &["n"], "cannot store TEXT"),
        ("guarded", "INSERT INTO guarded VALUES (0), (1)", Constraint::Trigger, &[], "not one"),
        ("guarded", "INSERT INTO guarded VALUES (2)", Constraint::Trigger, &[], "not two"),
        ("guarded", "INSERT INTO guarded VALUES (3)", Constraint::PrimaryKey, &[], "pair.b, pair.a"),
    ] {
        let mut session = begin(&sqlite, Purpose::Write);
        let violation = broken(change(&mut *session, table, sql, &[]));
        let found: Vec<&str> = violation.columns.iter().map(|name| &**name).collect();
        assert_eq!((violation.constraint, &*found), (constraint, columns), "{sql}: {}", violation.message);
        assert!(violation.message.contains(says), "{sql}: {}", violation.message);
        // Nothing of it is there, not even what was done before the rule was met; and the transaction goes on.
        let rows = selected(&mut *session, &Statement::new("SELECT * FROM guarded")).unwrap();
        assert_eq!(rows.len(), 0, "{sql}");
    }
}

#[test]
fn after_a_violation_the_same_transaction_can_make_another_change() {
    let file = File::of("CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1)");
    let sqlite = file.writer();
    let mut session = begin(&sqlite, Purpose::Write);
    let two = change(&mut *session, "t", "INSERT INTO t VALUES ($1) RETURNING a, rowid", &[Cell::Integer(2)])
        .unwrap();
    assert_eq!(two, [[Cell::Integer(2), Cell::Integer(2)]]);
    broken(change(&mut *session, "t", "INSERT INTO t VALUES (3), (1)", &[]));
    change(&mut *session, "t", "INSERT INTO t VALUES (4)", &[]).unwrap();
    assert!(matches!(session.commit(), Committed::Done));
    let rows = run(&sqlite, "SELECT a FROM t ORDER BY a", &[]).unwrap();
    assert_eq!(rows, [[Cell::Integer(1)], [Cell::Integer(2)], [Cell::Integer(4)]]);
}

#[test]
fn what_a_rule_took_back_wholly_is_not_committed_in_part() {
    let file = File::of("CREATE TABLE t(a UNIQUE ON CONFLICT ROLLBACK); INSERT INTO t VALUES (1)");
    let sqlite = file.writer();
    let mut session = begin(&sqlite, Purpose::Write);
    change(&mut *session, "t", "INSERT INTO t VALUES (2)", &[]).unwrap();
    assert_eq!(
        broken(change(&mut *session, "t", "INSERT INTO t VALUES (1)", &[])).constraint,
        Constraint::Unique
    );
    change(&mut *session, "t", "INSERT INTO t VALUES (3)", &[]).unwrap();
    assert!(matches!(session.commit(), Committed::RolledBack(ChangeError::Error(_))));
    assert_eq!(run(&sqlite, "SELECT a FROM t", &[]).unwrap(), [[Cell::Integer(1)]]);
}

#[test]
fn a_deferred_foreign_key_is_a_violation_at_the_end_and_nothing_is_left() {
    let file = File::of(
        "CREATE TABLE p(id INTEGER PRIMARY KEY);
         CREATE TABLE c(p REFERENCES p DEFERRABLE INITIALLY DEFERRED);",
    );
    let sqlite = file.writer();
    let mut session = begin(&sqlite, Purpose::Write);
    change(&mut *session, "c", "INSERT INTO c VALUES (7)", &[]).unwrap();
    match session.commit() {
        Committed::RolledBack(ChangeError::Violation(violation)) => {
            assert_eq!(violation.constraint, Constraint::ForeignKey);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(run(&sqlite, "SELECT * FROM c", &[]).unwrap().len(), 0);
    let mut session = begin(&sqlite, Purpose::Write);
    change(&mut *session, "c", "INSERT INTO c VALUES (7)", &[]).unwrap();
    change(&mut *session, "p", "INSERT INTO p VALUES (7)", &[]).unwrap();
    assert!(matches!(session.commit(), Committed::Done));
}

#[test]
fn a_session_that_is_dropped_leaves_nothing_even_by_a_panic() {
    let file = File::of("CREATE TABLE t(a)");
    let sqlite = file.writer();
    let mut session = begin(&sqlite, Purpose::Write);
    change(&mut *session, "t", "INSERT INTO t VALUES (1)", &[]).unwrap();
    drop(session);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut session = begin(&sqlite, Purpose::Write);
        change(&mut *session, "t", "INSERT INTO t VALUES (1)", &[]).unwrap();
        std::panic::resume_unwind(Box::new("in the middle"));
    }));
    assert!(panicked.is_err());
    assert_eq!(run(&sqlite, "SELECT * FROM t", &[]).unwrap().len(), 0);
    let mut session = begin(&sqlite, Purpose::Write);
    change(&mut *session, "t", "INSERT INTO t VALUES (1)", &[]).unwrap();
    assert!(matches!(session.commit(), Committed::Done));
    assert_eq!(run(&sqlite, "SELECT * FROM t", &[]).unwrap().len(), 1);
}

#[test]
fn a_trigger_that_cannot_run_is_no_change_of_the_schema() {
    let file = File::of(
        "CREATE TABLE t(a); CREATE TABLE gone(a);
         CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO gone VALUES (1); END; DROP TABLE gone;",
    );
    let sqlite = file.writer();
    let mut session = begin(&sqlite, Purpose::Write);
    match change(&mut *session, "t", "INSERT INTO \"t\" VALUES (1)", &[]) {
        Err(ChangeError::Error(SqlError::Limit(text))) => assert!(text.contains("main.gone"), "{text}"),
        other => panic!("{other:?}"),
    }
    // So it is where the trigger lacks what the statement itself names too.
    let file = File::of(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE log(x);
         CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log SELECT new.name FROM log WHERE name = 1; END;",
    );
    let sqlite = file.writer();
    let sql = "INSERT INTO \"t\"(\"name\") VALUES (1)";
    match change(&mut *begin(&sqlite, Purpose::Write), "t", sql, &[]) {
        Err(ChangeError::Error(SqlError::Limit(text))) => {
            assert!(text.contains("no such column: name"), "{text}")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_change_that_runs_out_of_time_is_taken_back_and_nothing_can_be_added_to_it() {
    let file = File::of("CREATE TABLE t(a)");
    let sqlite = file.writer();
    let mut session = sqlite.begin(Purpose::Write, &Watch::lasting(Duration::from_millis(200))).unwrap();
    change(&mut *session, "t", "INSERT INTO t VALUES (1)", &[]).unwrap();
    let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) INSERT INTO t SELECT max(i) FROM n";
    let late = change(&mut *session, "t", endless, &[]);
    assert!(matches!(late, Err(ChangeError::Error(SqlError::Overtime(_)))), "{late:?}");
    let more = change(&mut *session, "t", "INSERT INTO t VALUES (2)", &[]);
    assert!(matches!(more, Err(ChangeError::Error(_))), "{more:?}");
    assert!(matches!(session.commit(), Committed::RolledBack(_)));
    assert_eq!(run(&sqlite, "SELECT * FROM t", &[]).unwrap().len(), 0);
}

#[test]
fn triggers_of_the_file_run_and_may_keep_a_full_text_index() {
    let file = File::of(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE VIRTUAL TABLE words USING fts5(a, content=t, content_rowid=id);
         CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO words(rowid, a) VALUES (new.id, new.a); END;",
    );
    let sqlite = file.writer();
    let mut session = begin(&sqlite, Purpose::Write);
    change(&mut *session, "t", "INSERT INTO t(a) VALUES ('some words')", &[]).unwrap();
    assert!(matches!(session.commit(), Committed::Done));
    assert_eq!(run(&sqlite, "SELECT rowid FROM words('words')", &[]).unwrap(), [[Cell::Integer(1)]]);
}

#[test]
fn a_mount_that_is_not_writable_has_no_session_that_writes() {
    let file = File::of("CREATE TABLE t(a)");
    let sqlite = file.reader();
    assert!(sqlite.begin(Purpose::Write, &patient()).is_err());
    let mut session = begin(&sqlite, Purpose::Read);
    let inserted = change(&mut *session, "t", "INSERT INTO t VALUES (1)", &[]);
    assert!(matches!(inserted, Err(ChangeError::Error(SqlError::Failed(_)))), "{inserted:?}");
}

#[test]
fn values_come_back_as_they_were_stored() {
    let file = File::of("CREATE TABLE t(id INTEGER PRIMARY KEY, v)");
    let sqlite = file.writer();
    let values = [
        Cell::Null,
        Cell::Integer(i64::MIN),
        Cell::Integer(i64::MAX),
        Cell::Real(f64::INFINITY),
        Cell::Real(f64::NEG_INFINITY),
        Cell::Real(0.1),
        text(""),
        text("a\0b"),
        text("🦀"),
        Cell::Garbled(Box::new([b'a', 0xff, 0xfe])),
        Cell::Blob(Box::new([])),
        Cell::Blob(Box::new([0, 0xff])),
    ];
    let mut session = begin(&sqlite, Purpose::Write);
    for value in &values {
        let given = std::slice::from_ref(value);
        let returned = change(&mut *session, "t", "INSERT INTO t(v) VALUES ($1) RETURNING v", given).unwrap();
        assert_eq!(returned, [[value.clone()]]);
    }
    // SQLite has no NaN: it is NULL.
    let nan = [Cell::Real(f64::NAN)];
    let returned = change(&mut *session, "t", "INSERT INTO t(v) VALUES ($1) RETURNING v", &nan).unwrap();
    assert_eq!(returned, [[Cell::Null]]);
    assert!(matches!(session.commit(), Committed::Done));
    let rows =
        run(&sqlite, "SELECT v FROM t ORDER BY id LIMIT ?", &[Cell::Integer(values.len() as i64)]).unwrap();
    assert_eq!(rows.concat(), values);
}
