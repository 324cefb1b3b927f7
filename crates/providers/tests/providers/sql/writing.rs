//! The operations that change rows: what they answer, and what is in the file then.

use rusqlite::types::ValueRef;
use worldspace_model::{ProtocolError, Record, Value};

use super::world::{Fields, World, integer as int};
use crate::hosted::MOUNT;

/// What another program reads in the file: rows as lines.
pub(super) fn rows(world: &World, sql: &str) -> String {
    let connection = world.beside();
    let mut statement = connection.prepare(sql).unwrap();
    let columns = statement.column_count();
    let line = |row: &rusqlite::Row<'_>| {
        let values = (0..columns).map(|at| match row.get_ref(at).unwrap() {
            ValueRef::Null => "NULL".to_owned(),
            ValueRef::Integer(value) => value.to_string(),
            ValueRef::Real(value) => format!("{value:?}"),
            ValueRef::Text(text) => format!("'{}'", String::from_utf8_lossy(text)),
            ValueRef::Blob(bytes) => format!("{bytes:?}"),
        });
        Ok(values.collect::<Vec<_>>().join(" "))
    };
    let lines = statement.query_map([], line).unwrap().collect::<Result<Vec<_>, _>>().unwrap();
    lines.join("; ")
}

/// Calls an operation, and says what came of it and what is in the file then.
pub(super) fn check(
    world: &World,
    (path, operation, arguments): (&str, &str, Fields<'_>),
    answer: &str,
    (sql, then): (&str, &str),
) {
    let told = told(world.call(path, operation, arguments));
    assert!(told.starts_with(answer), "{operation} {path}: {told}");
    assert_eq!(rows(world, sql), then, "{operation} {path}: {told}");
}

/// What came of a call, in a line.
pub(super) fn told(answer: Result<Value, ProtocolError>) -> String {
    let value = match answer {
        Ok(value) => value,
        Err(error) => return format!("{}: {}", error.code, error.message),
    };
    let case = value.as_record().unwrap().get("$case").unwrap().as_str().unwrap().to_owned();
    match value.as_record().unwrap().get("value") {
        None => case,
        Some(Value::Entry(entry)) => format!("{case} {}", &entry.as_str()[MOUNT.len()..]),
        Some(violation) => {
            let violation = violation.as_record().unwrap();
            let text = |name: &str| violation.get(name).unwrap().as_str().unwrap().to_owned();
            let columns = violation.get("columns").unwrap().as_list().unwrap();
            let columns: Vec<&str> = columns.iter().filter_map(Value::as_str).collect();
            format!("{case} {} [{}]: {}", text("constraint"), columns.join(", "), text("message"))
        }
    }
}

pub(super) fn object(fields: Fields<'_>) -> Value {
    Value::record(fields.iter().map(|(name, value)| (*name, Some(value.clone())))).unwrap()
}

/// The argument of the exact forms.
fn exact(fields: Fields<'_>) -> [(&'static str, Value); 1] {
    [("columns", object(fields))]
}

pub(super) fn text(text: &str) -> Value {
    Value::from(text)
}

pub(super) fn list(items: &[Value]) -> Value {
    Value::list(items.to_vec()).unwrap()
}

pub(super) fn digits(value: i64) -> Value {
    object(&[("$integer", text(&value.to_string()))])
}

pub(super) const PEOPLE: &str = "CREATE TABLE people (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        mail TEXT UNIQUE,
        age INTEGER CHECK (age >= 0),
        note TEXT DEFAULT 'none',
        loud TEXT GENERATED ALWAYS AS (upper(name)) VIRTUAL
    );
    INSERT INTO people (id, name, mail, age) VALUES (1, 'ann', 'a@x', 30), (2, 'bob', 'b@x', NULL)";
pub(super) const ALL: &str = "SELECT * FROM people WHERE id <> 2 ORDER BY id";
pub(super) const ANN: &str = "1 'ann' 'a@x' 30 'none' 'ANN'";

#[test]
fn a_row_is_added_with_defaults_for_what_is_left_out() {
    let then = |row: &str| if row.is_empty() { ANN.to_owned() } else { format!("{ANN}; {row}") };
    let null =
        |columns: &[&str]| ("set_null", list(&columns.iter().map(|name| text(name)).collect::<Vec<_>>()));
    for (arguments, answer, row) in [
        (&[("name", text("eve"))][..], "inserted /people/3", "3 'eve' NULL NULL 'none' 'EVE'"),
        (&[("name", text("eve")), ("id", int(9))], "inserted /people/9", "9 'eve' NULL NULL 'none' 'EVE'"),
        (&[("name", text("eve")), ("note", text(""))], "inserted /people/3", "3 'eve' NULL NULL '' 'EVE'"),
        (&[("name", text("eve")), null(&["note"])], "inserted /people/3", "3 'eve' NULL NULL NULL 'EVE'"),
        (&[("name", text("eve")), ("id", int(1))], "refused primary_key [id]: ", ""),
        (&[("name", text("eve")), ("mail", text("a@x"))], "refused unique [mail]: ", ""),
        (&[("name", text("eve")), ("age", int(-1))], "refused check [", ""),
        (
            &[("name", text("e")), ("age", int(1)), null(&["age"])],
            "invalid_arguments: arguments.set_null[0]: `age` is given",
            "",
        ),
        (
            &[("name", text("e")), null(&["note", "note"])],
            "invalid_arguments: arguments.set_null[1]: `note` is given",
            "",
        ),
        (&[("name", text("e")), null(&["name"])], "invalid_arguments", ""),
        (&[("name", text("e")), ("loud", text("E"))], "invalid_arguments", ""),
        (&[], "invalid_arguments", ""),
    ] {
        check(&World::writable(PEOPLE), ("/people", "insert", arguments), answer, (ALL, &then(row)));
    }
}

#[test]
fn a_row_is_changed_in_what_is_given_alone() {
    let null = |column: &str| ("set_null", list(&[text(column)]));
    for (arguments, answer, row) in [
        (&[("name", text("eve"))][..], "updated", "1 'eve' 'a@x' 30 'none' 'EVE'"),
        (&[null("mail"), ("age", int(31))], "updated", "1 'ann' NULL 31 'none' 'ANN'"),
        (&[("id", int(7))], "updated", "7 'ann' 'a@x' 30 'none' 'ANN'"),
        (&[("name", text("ann"))], "updated", ANN),
        (&[("mail", text("b@x"))], "refused unique [mail]: ", ANN),
        (&[("id", int(2))], "refused primary_key [id]: ", ANN),
        (&[("age", int(-1)), ("name", text("eve"))], "refused check [", ANN),
        (&[("age", int(1)), null("age")], "invalid_arguments: arguments.set_null[0]: `age` is given", ANN),
        (&[], "invalid_arguments: nothing is to be changed", ANN),
        (&[null("name")], "invalid_arguments", ANN),
        (&[null("id")], "invalid_arguments", ANN),
    ] {
        check(&World::writable(PEOPLE), ("/people/1", "update", arguments), answer, (ALL, row));
    }
}

#[test]
fn the_exact_forms_take_what_types_cannot_say_and_nothing_else() {
    let big = i64::MAX;
    let infinity = object(&[("$real", text("-Infinity"))]);
    let bytes = object(&[("$bytes", text("AAEC"))]);
    let garbled = object(&[("$text", text("/2E="))]);
    let table =
        "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER NOT NULL, r REAL, s TEXT DEFAULT 'd', g AS (n))";
    for (operation, path, columns, answer, row) in [
        ("insert_exact", "/t", &[("n", digits(big))][..], "inserted /t/2", "2 9223372036854775807 NULL 'd'"),
        (
            "insert_exact",
            "/t",
            &[("id", digits(big)), ("n", int(1))],
            "inserted /t/9223372036854775807",
            "9223372036854775807 1 NULL 'd'",
        ),
        (
            "insert_exact",
            "/t",
            &[("n", bytes.clone()), ("s", Value::Unit)],
            "inserted /t/2",
            "2 [0, 1, 2] NULL NULL",
        ),
        (
            "insert_exact",
            "/t",
            &[("n", Value::Boolean(true)), ("r", infinity.clone())],
            "inserted /t/2",
            "2 1 -inf 'd'",
        ),
        ("insert_exact", "/t", &[("n", int(1)), ("s", garbled)], "inserted /t/2", "2 1 NULL '\u{fffd}a'"),
        ("insert_exact", "/t", &[("s", text("x"))], "refused not_null [n]: ", ""),
        ("insert_exact", "/t", &[("n", Value::Unit)], "refused not_null [n]: ", ""),
        ("insert_exact", "/t", &[], "refused not_null [n]: ", ""),
        (
            "insert_exact",
            "/t",
            &[("m", int(1))],
            "invalid_arguments: arguments.columns: there is no column `m`; did you mean `n`",
            "",
        ),
        (
            "insert_exact",
            "/t",
            &[("g", int(1)), ("n", int(1))],
            "invalid_arguments: arguments.columns.g: is computed",
            "",
        ),
        ("insert_exact", "/t", &[("n", list(&[]))], "invalid_arguments: arguments.columns.n: ", ""),
        (
            "insert_exact",
            "/t",
            &[("n", object(&[("$omitted", object(&[]))]))],
            "invalid_arguments: arguments.columns.n: ",
            "",
        ),
        ("update_exact", "/t/1", &[("n", digits(i64::MIN))], "updated", "1 -9223372036854775808 NULL 'd'"),
        ("update_exact", "/t/1", &[("r", infinity), ("s", bytes)], "updated", "1 0 -inf [0, 1, 2]"),
        ("update_exact", "/t/1", &[("s", Value::Unit)], "updated", "1 0 NULL NULL"),
        ("update_exact", "/t/1", &[("n", Value::Unit)], "refused not_null [n]: ", "1 0 NULL 'd'"),
        ("update_exact", "/t/1", &[], "invalid_arguments: nothing is to be changed", "1 0 NULL 'd'"),
    ] {
        let world = World::writable(&format!("{table}; INSERT INTO t (id, n) VALUES (1, 0)"));
        let sql = "SELECT id, n, r, s FROM t ORDER BY id DESC LIMIT 1";
        let then = if row.is_empty() { "1 0 NULL 'd'" } else { row };
        check(&world, (path, operation, &exact(columns)), answer, (sql, then));
    }
    let world = World::writable(table);
    check(
        &world,
        ("/t", "insert_exact", &[("columns", text("n"))]),
        "invalid_arguments: arguments.columns: is an object",
        ("SELECT * FROM t", ""),
    );
}

#[test]
fn what_was_read_in_the_exact_form_can_be_written_as_it_is() {
    let world = World::writable(
        "CREATE TABLE t (id TEXT PRIMARY KEY, a INTEGER, b TEXT, c REAL, d);
         INSERT INTO t VALUES ('old', 9223372036854775807, x'00ff', 9e999, CAST(x'ff' AS TEXT)), ('new', 1, '1', 1.0, NULL)",
    );
    let read = world.call("/t/old", "read_exact", &[]).unwrap();
    let mut fields = read.as_record().unwrap().fields().to_vec();
    fields.retain(|(name, _)| **name != *"id");
    let columns = Value::Record(Record::new(fields).unwrap());
    assert_eq!(told(world.call("/t/new", "update_exact", &[("columns", columns)])), "updated");
    assert_eq!(rows(&world, "SELECT count(*) FROM t AS x JOIN t AS y USING (a, b, c, d)"), "4");
}

#[test]
fn where_the_key_changes_the_row_stands_at_another_path() {
    let two = "CREATE TABLE t (a TEXT, b INTEGER, v TEXT, PRIMARY KEY (a, b))";
    for (table, row, arguments, old, new) in [
        ("CREATE TABLE t (id INTEGER PRIMARY KEY, v)", "1, 'v'", &[("id", int(5))][..], "/t/1", "/t/5"),
        (
            "CREATE TABLE t (k TEXT PRIMARY KEY, v) WITHOUT ROWID",
            "'a', 'v'",
            &[("k", text("../b"))],
            "/t/a",
            "/t/..~1b",
        ),
        (two, "'x', 1, 'v'", &[("a", text("y,z"))], "/t/x,1", "/t/y~2z,1"),
        (two, "'x', 1, 'v'", &[("set_null", list(&[text("a")]))], "/t/x,1", "/t/~rowid1"),
        (two, "NULL, 1, 'v'", &[("a", text(""))], "/t/~rowid1", "/t/,1"),
    ] {
        let world = World::writable(&format!("{table}; INSERT INTO t VALUES ({row})"));
        assert_eq!(told(world.call(old, "update", arguments)), "updated", "{table}");
        assert!(world.fetch(old).is_err(), "{old} is still there");
        assert_eq!(told(world.call(new, "delete", &[])), "deleted", "{table}");
        assert_eq!(rows(&world, "SELECT count(*) FROM t"), "0");
    }
}

#[test]
fn rows_of_every_kind_of_key_are_added_changed_and_deleted() {
    for (table, arguments, at) in [
        ("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)", &[][..], "/t/1"),
        ("CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, v TEXT)", &[], "/t/1"),
        ("CREATE TABLE t (v TEXT)", &[], "/t/1"),
        ("CREATE TABLE t (rowid TEXT, v TEXT)", &[("rowid", text("x"))], "/t/1"),
        ("CREATE TABLE t (k TEXT PRIMARY KEY, v TEXT)", &[], "/t/~rowid1"),
        ("CREATE TABLE t (k TEXT PRIMARY KEY, v TEXT)", &[("k", text("."))], "/t/~t."),
        (
            "CREATE TABLE t (k BLOB PRIMARY KEY, v TEXT) WITHOUT ROWID",
            &[("k", Value::bytes(*b"\x00/"))],
            "/t/~x002f",
        ),
        (
            "CREATE TABLE t (a INT, b TEXT, v TEXT, PRIMARY KEY (b, a)) WITHOUT ROWID",
            &[("a", int(1)), ("b", text(","))],
            "/t/~2,1",
        ),
        ("CREATE TABLE t (k TEXT PRIMARY KEY COLLATE NOCASE, v TEXT)", &[("k", text("Key"))], "/t/Key"),
        ("CREATE TABLE t (k TEXT PRIMARY KEY, v TEXT) STRICT", &[("k", text("42"))], "/t/42"),
    ] {
        let world = World::writable(table);
        assert_eq!(told(world.call("/t", "insert", arguments)), format!("inserted {at}"), "{table}");
        check(&world, (at, "update", &[("v", text("new"))]), "updated", ("SELECT v FROM t", "'new'"));
        check(&world, (at, "delete", &[]), "deleted", ("SELECT v FROM t", ""));
    }
}

#[test]
fn rows_without_keys_are_added_and_have_no_entry() {
    let world = World::writable("CREATE TABLE t (rowid TEXT, _rowid_ TEXT, oid TEXT)");
    check(&world, ("/t", "insert", &[("oid", text("x"))]), "inserted", ("SELECT * FROM t", "NULL NULL 'x'"));
}

#[test]
fn parameters_have_names_beside_those_of_columns() {
    let world = World::writable(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, set_null TEXT DEFAULT 'd', columns TEXT, \"a\"\"b\" TEXT)",
    );
    let arguments = [("set_null_2", list(&[text("set_null")])), ("columns", text("c")), ("a\"b", text("q"))];
    check(&world, ("/t", "insert", &arguments), "inserted /t/1", ("SELECT * FROM t", "1 NULL 'c' 'q'"));
    let arguments = [("set_null", text("s")), ("set_null_2", list(&[text("columns"), text("a\"b")]))];
    check(&world, ("/t/1", "update", &arguments), "updated", ("SELECT * FROM t", "1 's' NULL NULL"));
}

#[test]
fn a_value_that_a_strict_column_does_not_take_is_told() {
    let world = World::writable(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, s TEXT) STRICT; INSERT INTO t VALUES (1, 1, 'a')",
    );
    let sql = "SELECT * FROM t";
    check(
        &world,
        ("/t/1", "update_exact", &exact(&[("n", text("x"))])),
        "refused type [n]: ",
        (sql, "1 1 'a'"),
    );
    check(
        &world,
        ("/t", "insert_exact", &exact(&[("n", text("x"))])),
        "refused type [n]: ",
        (sql, "1 1 'a'"),
    );
}
