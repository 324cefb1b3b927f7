//! Keys and foreign keys, in every form that they can be declared in.

use super::*;
use crate::sql::catalog::Key;

fn columns(places: &[usize], when_null: Option<&'static str>) -> Key {
    Key::Columns { places: places.to_vec(), when_null }
}

#[test]
fn a_row_is_told_by_its_primary_key_or_else_by_a_rowid_that_no_column_hides() {
    for (sql, key) in [
        ("CREATE TABLE t(id INTEGER PRIMARY KEY, a)", columns(&[0], None)),
        ("CREATE TABLE t(a, id integer, PRIMARY KEY(id ASC))", columns(&[1], None)),
        ("CREATE TABLE t(id INTEGER PRIMARY KEY DESC)", columns(&[0], Some("rowid"))),
        ("CREATE TABLE t(id INT PRIMARY KEY)", columns(&[0], Some("rowid"))),
        ("CREATE TABLE t(id INT NOT NULL PRIMARY KEY)", columns(&[0], None)),
        ("CREATE TABLE t(id TEXT PRIMARY KEY, rowid)", columns(&[0], Some("_rowid_"))),
        ("CREATE TABLE t(a, b, c, PRIMARY KEY (c, a))", columns(&[2, 0], Some("rowid"))),
        ("CREATE TABLE t(a, b, PRIMARY KEY (b, a)) WITHOUT ROWID", columns(&[1, 0], None)),
        ("CREATE TABLE t(id INTEGER PRIMARY KEY) WITHOUT ROWID", columns(&[0], None)),
        ("CREATE TABLE t(a)", Key::Rowid("rowid")),
        ("CREATE TABLE t(RowID TEXT)", Key::Rowid("_rowid_")),
        ("CREATE TABLE t(rowid, _ROWID_)", Key::Rowid("oid")),
        ("CREATE TABLE t(rowid, _rowid_, oid)", Key::None),
        ("CREATE TABLE t(rowid TEXT PRIMARY KEY, _rowid_, oid)", Key::None),
        ("CREATE TABLE t(rowid INTEGER PRIMARY KEY, _rowid_, oid)", columns(&[0], None)),
        ("CREATE VIEW t AS SELECT 1 AS id", Key::None),
        ("CREATE VIRTUAL TABLE t USING fts5(a)", Key::None),
    ] {
        let file = File::of(sql);
        let found = relation(&file.reader(), "t");
        assert_eq!(found.key, key, "{sql}");
        let aliased = sql.contains("INTEGER PRIMARY KEY,") || sql.contains("id ASC");
        let automatic = found.columns.iter().any(|column| column.automatic);
        assert_eq!(automatic, aliased && !sql.contains("WITHOUT"), "{sql}");
    }
}

#[test]
fn foreign_keys_are_found_in_every_form_that_they_can_be_declared_in() {
    let file = File::of(
        "CREATE TABLE Parent(Id INTEGER PRIMARY KEY, Code TEXT UNIQUE, a, b, part TEXT, UNIQUE(a, b));
         CREATE UNIQUE INDEX some ON Parent(part) WHERE part IS NOT NULL;
         CREATE TABLE pair(x, y, PRIMARY KEY (x, y)) WITHOUT ROWID;
         CREATE VIEW seen AS SELECT * FROM Parent;
         CREATE TABLE child(
             p INTEGER REFERENCES parent,
             c TEXT REFERENCES PARENT(CODE),
             q, r, s,
             self REFERENCES child(s),
             FOREIGN KEY (q, r) REFERENCES pair,
             FOREIGN KEY (R, Q) REFERENCES Parent(B, A),
             FOREIGN KEY (q) REFERENCES Parent(a),
             FOREIGN KEY (q) REFERENCES Parent(part),
             FOREIGN KEY (q) REFERENCES missing(id),
             FOREIGN KEY (q) REFERENCES missing,
             FOREIGN KEY (q) REFERENCES pair,
             FOREIGN KEY (q) REFERENCES Parent(nix),
             FOREIGN KEY (q) REFERENCES seen(Id),
             UNIQUE (s));",
    );
    let sqlite = file.reader();
    let child = relation(&sqlite, "child");
    let names = |key: &crate::sql::catalog::ForeignKey| {
        let from: Vec<&str> = key.columns.iter().map(|place| &*child.columns[*place].name).collect();
        let to: Vec<&str> = key.referenced.iter().map(|name| &**name).collect();
        format!("{} -> {}({})", from.join(","), key.table, to.join(","))
    };
    let found: Vec<String> = child.foreign_keys.iter().map(names).collect();
    assert_eq!(
        found,
        [
            "p -> Parent(Id)",
            "c -> Parent(Code)",
            "self -> child(s)",
            "q,r -> pair(x,y)",
            "r,q -> Parent(b,a)",
            "q -> Parent()",
            "q -> Parent()",
            "q -> missing()",
            "q -> missing()",
            "q -> pair()",
            "q -> Parent()",
            "q -> seen()",
        ]
    );
    let mut session = begin(&sqlite, Purpose::Read);
    let mut places = |name: &str| -> Vec<usize> {
        let incoming = session.incoming(name).unwrap();
        assert!(incoming.iter().all(|key| &*key.table == "child"));
        incoming.iter().map(|key| key.foreign_key).collect()
    };
    assert_eq!(places("Parent"), [0, 1, 4, 5, 6, 10]);
    assert_eq!(places("pair"), [3, 9]);
    assert_eq!(places("child"), [2]);
    assert_eq!(places("nothing"), [0_usize; 0]);
}

#[test]
fn what_refers_to_a_table_comes_by_the_names_of_tables() {
    let file = File::of(
        "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE z(a REFERENCES p, b REFERENCES P(id));
         CREATE TABLE a(x REFERENCES p); CREATE TABLE \"M\"(x REFERENCES p);",
    );
    let sqlite = file.reader();
    let incoming = begin(&sqlite, Purpose::Read).incoming("p").unwrap();
    let found: Vec<(&str, usize)> = incoming.iter().map(|key| (&*key.table, key.foreign_key)).collect();
    assert_eq!(found, [("M", 0), ("a", 0), ("z", 0), ("z", 1)]);
}
