//! Keys of every kind, and tables that have none.

use rusqlite::Connection;

use super::super::one;
use super::{insert, literal};

/// Keys of `keys of text`. Three more rows have NULL for theirs, one bytes, and one text that is not UTF-8.
const TEXT_KEYS: &[&str] = &[
    "",
    " ",
    ".",
    "..",
    "...",
    "/",
    "a/b",
    "/etc/passwd",
    "~",
    "~t",
    "~0",
    "~~",
    "~rowid1",
    "~x00",
    ",",
    "a,b",
    "42",
    "042",
    "-1",
    "1.5",
    "1e3",
    "inf",
    "NULL",
    "null",
    "100%",
    "%2F",
    "back\\slash",
    "\"",
    "'",
    "' OR 1=1 --",
    "line\nbreak",
    "a\tb",
    "\u{0}",
    "a\u{0}b",
    "Case",
    "case",
    "é",
    "e\u{301}",
    "🦀",
    "\u{202e}x",
    "\u{feff}",
    "\u{10ffff}",
];

/// The largest integer that travels as itself.
const LAST: i64 = (1 << 53) - 1;

/// A text as a literal, whatever is in it: where a NUL stands, statements end.
fn whole(text: &str) -> String {
    let parts: Vec<String> = text.split('\0').map(literal).collect();
    format!("({})", parts.join(" || char(0) || "))
}

pub(super) fn statements() -> Vec<String> {
    let texts: Vec<String> =
        TEXT_KEYS.iter().enumerate().map(|(at, key)| format!("{}, {at}", whole(key))).collect();
    let long = literal(&"k".repeat(2_000));
    let mut statements = vec![
        "CREATE TABLE \"keys of text\" (k TEXT PRIMARY KEY, v)".to_owned(),
        insert("keys of text", &texts),
        format!(
            "INSERT INTO \"keys of text\" VALUES (NULL, 'a'), (NULL, 'b'), (NULL, NULL), ({long}, 'long')"
        ),
        "INSERT INTO \"keys of text\" VALUES (x'00ff', 'bytes'), (CAST(x'ff61' AS TEXT), 'not UTF-8')"
            .to_owned(),
        format!(
            "CREATE TABLE \"keys of integers\" (k INTEGER PRIMARY KEY, v TEXT);
             INSERT INTO \"keys of integers\" VALUES (0, 'zero'), (-1, 'below'), ({LAST}, 'last'),
                 ({LAST} + 1, 'next'), ({LAST} + 2, 'one more'), (-{LAST} - 1, 'first below'),
                 (9223372036854775807, 'most'), (-9223372036854775807 - 1, 'least')"
        ),
    ];
    for fixed in FIXED {
        statements.push((*fixed).to_owned());
    }
    statements
}

const FIXED: &[&str] = &[
    // 1 and 1.0 are one key; 1 and '1' are two.
    "CREATE TABLE \"keys of anything\" (k PRIMARY KEY, v);
     INSERT INTO \"keys of anything\" VALUES (1, 'integer'), ('1', 'text'), (1.5, 'real'), ('1.5', 'text'), ('', 'empty'),
         (x'', 'no bytes'), (x'31', 'bytes'), (NULL, 'null'), (NULL, 'null'), (9e999, 'infinity'), ('inf', 'text')",
    "CREATE TABLE \"keys of bytes\" (k BLOB PRIMARY KEY, v);
     INSERT INTO \"keys of bytes\" VALUES (x'', 'none'), (x'00', 'a zero'), (x'2f', 'a slash'), (x'ff', 'more'),
         ('text', 'text')",
    "CREATE TABLE \"keys of reals\" (k REAL PRIMARY KEY, v);
     INSERT INTO \"keys of reals\" VALUES (0.1, 'a tenth'), (0, 'zero'), (1, 'one'), (-1e300, 'little'), (9e999, 'infinity'),
         (-9e999, 'minus infinity'), (5e-324, 'least'), (9007199254740993, 'rounded'), ('text', 'text'), (NULL, 'null')",
    "CREATE TABLE \"keys of any case\" (k TEXT PRIMARY KEY COLLATE NOCASE, v);
     INSERT INTO \"keys of any case\" VALUES ('Ann', 1), ('bob', 2), ('É', 3), ('é', 4)",
    "CREATE TABLE \"keys of any space\" (k TEXT PRIMARY KEY COLLATE RTRIM, v);
     INSERT INTO \"keys of any space\" VALUES ('a', 1), ('b  ', 2), ('', 3)",
    "CREATE TABLE \"keys of numerals\" (k NUMERIC PRIMARY KEY, v);
     INSERT INTO \"keys of numerals\" VALUES (1, 'one'), ('2', 'two'), ('x', 'text'), (2.5, 'real')",
    // INT is no INTEGER: any value is taken, and NULL several times.
    "CREATE TABLE \"keys of INT\" (k INT PRIMARY KEY, v);
     INSERT INTO \"keys of INT\" VALUES (1, 'one'), ('x', 'text'), (NULL, 'null'), (NULL, 'null')",
    "CREATE TABLE \"keys going down\" (k INTEGER PRIMARY KEY DESC, v);
     INSERT INTO \"keys going down\" VALUES (1, 'one'), (2, 'two'), (NULL, 'null')",
    "CREATE TABLE \"keys that count\" (k INTEGER PRIMARY KEY AUTOINCREMENT, v);
     INSERT INTO \"keys that count\" (v) VALUES ('one'), ('two')",
    // The key's order is not that of the columns.
    "CREATE TABLE \"keys of several\" (a TEXT, b INTEGER, c TEXT, v, PRIMARY KEY (c, a, b));
     INSERT INTO \"keys of several\" VALUES ('', 0, '', 'empty'), ('a,b', 1, 'c', 'a comma'), ('a', 1, 'b,c', 'a comma'),
         ('/', 2, '~', 'signs'), ('.', 3, '..', 'dots'), ('~2', 4, ',', 'escapes'), ('x', 9007199254740993, 'y', 'large'),
         (NULL, 1, 'c', 'null'), (NULL, 1, 'c', 'null'), (NULL, NULL, NULL, 'nulls'), ('n', 'no number', 'm', 'text')",
    "CREATE TABLE \"no rowid\" (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
     INSERT INTO \"no rowid\" VALUES ('', 'empty'), ('a/b', 'a slash'), ('..', 'dots')",
    "CREATE TABLE \"no rowid, several\" (v, b BLOB, a ANY, PRIMARY KEY (a, b)) WITHOUT ROWID;
     INSERT INTO \"no rowid, several\" VALUES (1, x'', 1), (2, x'00', '1'), (3, 'text', 1.5)",
    "CREATE TABLE \"no key\" (a, b);
     INSERT INTO \"no key\" VALUES (1, 'same'), (1, 'same'), (NULL, NULL), (NULL, NULL), (2, x'00')",
    "CREATE TABLE \"no key, but unique\" (a TEXT NOT NULL UNIQUE, b, UNIQUE (a, b));
     INSERT INTO \"no key, but unique\" VALUES ('a', 1), ('b', NULL)",
    // Each name of the rowid is that of a column.
    "CREATE TABLE \"no key to be had\" (rowid TEXT, _rowid_ TEXT, oid TEXT);
     INSERT INTO \"no key to be had\" VALUES ('a', 'b', 'c'), ('a', 'b', 'c'), (NULL, NULL, NULL)",
    "CREATE TABLE \"rowid is another\" (rowid TEXT, v);
     INSERT INTO \"rowid is another\" VALUES ('seven', 1), (NULL, 2)",
    "CREATE TABLE \"rowid is the key\" (RowId TEXT PRIMARY KEY, _rowid_ TEXT, v);
     INSERT INTO \"rowid is the key\" VALUES ('a', 'b', 1), (NULL, 'c', 2)",
    "CREATE TABLE \"no key, large rowids\" (v);
     INSERT INTO \"no key, large rowids\" (rowid, v) VALUES (-5, 'below'), (9007199254740993, 'large'),
         (9223372036854775807, 'most')",
];

pub(super) fn check(connection: &Connection) {
    let count = |table: &str| one::<i64>(connection, &format!("SELECT count(*) FROM \"{table}\""));
    assert_eq!(count("keys of text"), TEXT_KEYS.len() as i64 + 6);
    assert_eq!(one::<i64>(connection, "SELECT count(*) FROM \"keys of text\" WHERE k IS NULL"), 3);
    let with_nul = "SELECT length(CAST(k AS BLOB)) FROM \"keys of text\" WHERE hex(k) = '610062'";
    assert_eq!(one::<i64>(connection, with_nul), 3);
    assert_eq!(one::<i64>(connection, "SELECT max(k) FROM \"keys of integers\""), i64::MAX);
    assert_eq!(one::<i64>(connection, "SELECT min(k) FROM \"keys of integers\""), i64::MIN);
    assert_eq!(one::<String>(connection, "SELECT v FROM \"keys of reals\" WHERE k = 9e999"), "infinity");
    let kinds = "SELECT group_concat(DISTINCT typeof(k)) FROM (SELECT k FROM \"keys of anything\" ORDER BY typeof(k))";
    assert_eq!(one::<String>(connection, kinds), "blob,integer,null,real,text");
    assert_eq!(count("keys going down"), 3);
    assert_eq!(one::<i64>(connection, "SELECT count(*) FROM \"keys of several\" WHERE a IS NULL"), 3);
    assert!(connection.prepare("SELECT rowid FROM \"no rowid\"").is_err());
}
