//! What is read of schemas, the odd ones above all.

use super::*;
use crate::sql::catalog::ColumnKind::{self, *};
use crate::sql::catalog::Kind;

#[test]
fn what_is_offered_are_tables_and_views_and_nothing_that_belongs_to_sqlite() {
    let long = "n".repeat(1_000);
    let file = File::of(&format!(
        "CREATE TABLE \"select\"(a); CREATE TABLE \"a\"\"b\"(a); CREATE TABLE \"🦀 crab\"(a); CREATE TABLE \"\"(a);
         CREATE TABLE \"{long}\"(a); CREATE TABLE \"Case\"(id INTEGER PRIMARY KEY AUTOINCREMENT);
         INSERT INTO \"Case\" DEFAULT VALUES; CREATE INDEX i ON \"Case\"(id); ANALYZE;
         CREATE VIEW \"see it\" AS SELECT * FROM \"Case\";
         CREATE VIRTUAL TABLE words USING fts5(body); CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1);"
    ));
    let sqlite = file.reader();
    let mut session = begin(&sqlite, Purpose::Read);
    let list = session.list().unwrap();
    let names: Vec<&str> = list.iter().map(|listed| &*listed.name).collect();
    let mut expected = ["", "Case", "a\"b", "boxes", &long, "see it", "select", "words", "🦀 crab"].to_vec();
    expected.sort_unstable();
    assert_eq!(names, expected);
    let kind = |name: &str| list.iter().find(|listed| &*listed.name == name).unwrap().kind;
    assert_eq!((kind("see it"), kind("words"), kind("boxes")), (Kind::View, Kind::Virtual, Kind::Virtual));
    for name in expected {
        let relation = session.relation(name).unwrap().unwrap();
        assert_eq!((&*relation.name, relation.kind), (name, kind(name)));
        let mut statement = Statement::new("SELECT * FROM ");
        selected(&mut *session, statement.name(name)).unwrap();
    }
    for none in
        ["case", "CASE", "sqlite_sequence", "sqlite_stat1", "sqlite_schema", "words_data", "i", "nothing"]
    {
        assert!(session.relation(none).unwrap().is_none(), "{none}");
    }
}

#[test]
fn columns_are_typed_as_sqlite_would_take_them() {
    let file = File::of(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, name VARCHAR(9) NOT NULL DEFAULT 'x''y', flag BOOLEAN, at DATETIME,
                        price DECIMAL(9,2), rate REAL, data BLOB, any, code UUID, \"\" TEXT,
                        twice INT GENERATED ALWAYS AS (rate * 2), kept TEXT AS (name || '!') STORED);
         CREATE TABLE s(a INT NOT NULL, b REAL, c TEXT, d BLOB, e ANY, PRIMARY KEY (a, c)) STRICT;
         CREATE VIEW v AS SELECT id, name AS title, count(*) AS n, 1 + 1 AS two, max(at) FROM t;",
    );
    let sqlite = file.reader();
    let table = relation(&sqlite, "t");
    let kinds: Vec<(&str, ColumnKind)> = table.columns.iter().map(|c| (&*c.name, c.kind)).collect();
    assert_eq!(
        kinds,
        [
            ("id", Integer),
            ("name", Text),
            ("flag", Boolean),
            ("at", Time),
            ("price", Number),
            ("rate", Number),
            ("data", Bytes),
            ("any", Any),
            ("code", Any),
            ("", Text),
            ("twice", Integer),
            ("kept", Text),
        ]
    );
    let column = |name: &str| &table.columns[table.place(name).unwrap()];
    assert!(column("id").automatic && !column("id").nullable);
    assert_eq!((column("name").nullable, column("name").default.as_deref()), (false, Some("'x''y'")));
    assert!(column("twice").generated && column("kept").generated && column("twice").default.is_none());
    assert!(column("code").numeric && !column("any").numeric && !column("name").numeric);
    assert_eq!(column("price").declared, "DECIMAL(9,2)");

    let strict = relation(&sqlite, "s");
    let facts: Vec<_> = strict.columns.iter().map(|c| (c.kind, c.nullable, c.numeric)).collect();
    assert_eq!(
        facts,
        [
            (Integer, false, true),
            (Number, true, true),
            (Text, false, false),
            (Bytes, true, false),
            (Any, true, false),
        ]
    );

    let view = relation(&sqlite, "v");
    let columns: Vec<(&str, ColumnKind)> = view.columns.iter().map(|c| (&*c.name, c.kind)).collect();
    assert_eq!(
        columns,
        [("id", Integer), ("title", Text), ("n", Any), ("two", Any), ("max(at)", Any)],
        "{:?}",
        view.columns
    );
}

#[test]
fn integers_are_digits_where_the_mount_says_so_and_the_stamp_tells() {
    let file = File::of("CREATE TABLE t(id INTEGER PRIMARY KEY, n BIGINT, x REAL)");
    let settings = Settings { exact_integers: true, ..Settings::default() };
    let (exact, plain) = (Sqlite::open(&file.path, &settings).unwrap(), file.reader());
    let kinds: Vec<_> = relation(&exact, "t").columns.iter().map(|c| c.kind).collect();
    assert_eq!(kinds, [Digits, Digits, Number]);
    assert_ne!(begin(&exact, Purpose::Read).stamp(), begin(&plain, Purpose::Read).stamp());
}

#[test]
fn texts_are_compared_by_the_collation_of_the_column_whatever_its_indexes_have() {
    let file = File::of(
        "CREATE TABLE t(a TEXT COLLATE NOCASE UNIQUE, b TEXT UNIQUE, c TEXT COLLATE rtrim, d TEXT, e INTEGER PRIMARY KEY);
         CREATE UNIQUE INDEX folded ON t(d COLLATE NOCASE); CREATE VIEW v AS SELECT a FROM t;",
    );
    let sqlite = file.reader();
    let table = relation(&sqlite, "t");
    let collations: Vec<_> = table.columns.iter().map(|c| c.collation.as_deref()).collect();
    assert_eq!(collations, [Some("NOCASE"), None, Some("rtrim"), None, None]);
    assert_eq!(relation(&sqlite, "v").columns[0].collation, None);
}

#[test]
fn tables_named_like_what_sqlite_tells_of_schemas_by_are_tables_like_others() {
    let names = ["index_list", "index_xinfo", "foreign_key_list", "table_list", "table_xinfo"];
    let made = names.map(|name| format!("CREATE TABLE pragma_{name}(arg INTEGER PRIMARY KEY, name UNIQUE);"));
    let file =
        File::of(&format!("{} CREATE TABLE t(a UNIQUE REFERENCES pragma_table_list(name))", made.concat()));
    let sqlite = file.reader();
    let mut session = begin(&sqlite, Purpose::Read);
    assert_eq!(session.list().unwrap().len(), 6);
    assert_eq!(session.relation("pragma_table_xinfo").unwrap().unwrap().columns.len(), 2);
    assert_eq!(session.relation("t").unwrap().unwrap().foreign_keys[0].referenced, ["name".into()]);
    assert_eq!(session.incoming("pragma_table_list").unwrap().len(), 1);
}

#[test]
fn hidden_columns_and_shadow_tables_of_modules_are_not_shown() {
    let file = File::of("CREATE VIRTUAL TABLE words USING fts5(title, body)");
    let names: Vec<String> =
        relation(&file.reader(), "words").columns.iter().map(|column| column.name.to_string()).collect();
    assert_eq!(names, ["title", "body"]);
}

#[test]
fn what_cannot_be_read_of_a_view_is_said_and_leaves_the_rest_in_order() {
    let file = File::of(
        "CREATE TABLE gone(a); CREATE VIEW v AS SELECT a FROM gone; DROP TABLE gone;
         CREATE VIEW w AS SELECT nosuch(1); CREATE VIEW x AS SELECT b FROM t; CREATE TABLE t(a);
         PRAGMA writable_schema=ON;
         INSERT INTO sqlite_schema VALUES ('table', 'm', 'm', 0, 'CREATE VIRTUAL TABLE m USING nomodule(x)');",
    );
    let sqlite = file.reader();
    let mut session = begin(&sqlite, Purpose::Read);
    let names: Vec<String> = session.list().unwrap().iter().map(|listed| listed.name.to_string()).collect();
    assert_eq!(names, ["m", "t", "v", "w", "x"]);
    for (name, says) in [
        ("v", "no such table: main.gone"),
        ("w", "no such function: nosuch"),
        ("x", "no such column: b"),
        ("m", "no such module: nomodule"),
    ] {
        match session.relation(name) {
            Err(SqlError::Unreadable(text)) => assert!(text.ends_with(says), "{text}"),
            other => panic!("{name}: {other:?}"),
        }
    }
    assert_eq!(session.relation("t").unwrap().unwrap().columns.len(), 1);
}

#[test]
fn what_is_no_utf_8_is_left_out() {
    let file = File::of("CREATE TABLE t(aXb, c INTEGER PRIMARY KEY); CREATE TABLE uYv(a);");
    let garbled = |from: &str, to: &str| {
        format!(
            "PRAGMA writable_schema=ON;
             UPDATE sqlite_schema SET name = CAST(replace(CAST(name AS BLOB), x'{from}', x'{to}') AS TEXT),
                                      tbl_name = CAST(replace(CAST(tbl_name AS BLOB), x'{from}', x'{to}') AS TEXT),
                                      sql = CAST(replace(CAST(sql AS BLOB), x'{from}', x'{to}') AS TEXT);"
        )
    };
    file.other().execute_batch(&garbled("58", "ff")).unwrap();
    file.other().execute_batch(&garbled("59", "ff")).unwrap();
    let sqlite = file.reader();
    let names: Vec<String> =
        begin(&sqlite, Purpose::Read).list().unwrap().iter().map(|listed| listed.name.to_string()).collect();
    assert_eq!(names, ["t"]);
    let columns: Vec<String> = relation(&sqlite, "t").columns.iter().map(|c| c.name.to_string()).collect();
    assert_eq!(columns, ["c"]);
    run(&sqlite, "SELECT c FROM t", &[]).unwrap();
    match run(&sqlite, "SELECT * FROM t", &[]) {
        Err(SqlError::Statement(text)) => assert!(text.contains("not UTF-8"), "{text}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_schema_that_changes_has_another_stamp_and_is_read_anew() {
    let file = File::of("CREATE TABLE t(a)");
    let sqlite = file.reader();
    let mut before = begin(&sqlite, Purpose::Read);
    assert_eq!(before.relation("t").unwrap().unwrap().columns.len(), 1);
    let stamp = before.stamp();
    assert_eq!(begin(&sqlite, Purpose::Foreign).stamp(), stamp);
    drop(before);
    file.other().execute_batch("ALTER TABLE t ADD COLUMN b; CREATE TABLE u(a)").unwrap();
    let mut after = begin(&sqlite, Purpose::Read);
    assert_ne!(after.stamp(), stamp);
    assert_eq!(after.relation("t").unwrap().unwrap().columns.len(), 2);
    assert_eq!(after.list().unwrap().len(), 2);
}

#[test]
fn a_transaction_sees_one_state_of_schema_and_rows() {
    let file = File::of("PRAGMA journal_mode=WAL; CREATE TABLE t(a)");
    let sqlite = file.reader();
    let mut session = begin(&sqlite, Purpose::Read);
    file.other().execute_batch("INSERT INTO t VALUES (1); CREATE TABLE u(a)").unwrap();
    assert_eq!(session.list().unwrap().len(), 1);
    assert_eq!(selected(&mut *session, &Statement::new("SELECT * FROM t")).unwrap(), Vec::<Vec<Cell>>::new());
}
