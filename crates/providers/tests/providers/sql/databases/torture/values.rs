//! Values of every kind in columns of every kind.

use rusqlite::Connection;

use super::super::one;

/// Literals, each of which stands in every column of `values`.
const VALUES: &[&str] = &[
    "NULL",
    "0",
    "1",
    "2",
    "-1",
    "9007199254740991",
    "9007199254740992",
    "-9007199254740992",
    "9223372036854775807",
    "-9223372036854775807 - 1",
    "0.5",
    "-0.0",
    "1e15",
    "1e308",
    "5e-324",
    "9e999",
    "-9e999",
    "''",
    "' '",
    "'text'",
    "'12'",
    "'1e3'",
    "'0x10'",
    "'true'",
    "'9007199254740993'",
    "'{\"$bytes\": \"\"}'",
    "'null'",
    "'a' || char(0) || 'b'",
    "char(0)",
    "CAST(x'ff61' AS TEXT)",
    "CAST(x'eda080' AS TEXT)",
    "'🦀' || char(8238) || char(27) || char(10)",
    "x''",
    "x'00'",
    "x'ff00fe'",
    "x'74657874'",
    "'2024-02-29'",
    "'2023-02-29'",
    "'2024-02-29T12:00:00Z'",
    "'2024-02-29 12:00:00.123456789+14:00'",
    "'24:00'",
    "1709208000",
    "2460370.5",
];

/// Types as they are declared; `values` has a column of each.
const TYPES: &[&str] = &[
    "",
    "INTEGER",
    "INT",
    "BIGINT UNSIGNED",
    "REAL",
    "DOUBLE PRECISION",
    "FLOATING POINT",
    "NUMERIC",
    "DECIMAL(10,2)",
    "TEXT",
    "VARCHAR(3)",
    "STRING",
    "BLOB",
    "BOOLEAN",
    "BOOL",
    "DATE",
    "TIME",
    "DATETIME",
    "TIMESTAMP WITH TIME ZONE",
    "JSON",
    "UUID",
    "ANY",
    "\"what \"\"is\"\" this?\"",
];

pub(super) fn statements() -> Vec<String> {
    let columns: Vec<String> = TYPES.iter().enumerate().map(|(at, kind)| format!("c{at} {kind}")).collect();
    let mut statements =
        vec![format!("CREATE TABLE \"values\" (id INTEGER PRIMARY KEY, {})", columns.join(", "))];
    let all = |value: &str| vec![value; TYPES.len()].join(", ");
    for (at, value) in VALUES.iter().enumerate() {
        statements.push(format!("INSERT INTO \"values\" VALUES ({}, {})", at + 1, all(value)));
    }
    // NULL in every position, and in none.
    statements.push("CREATE TABLE nulls (a INTEGER, b TEXT, c REAL, d BLOB)".to_owned());
    for bits in 0..16 {
        let value = |bit: i32, value| if bits & (1 << bit) == 0 { "NULL" } else { value };
        let row = [value(0, "1"), value(1, "'b'"), value(2, "0.5"), value(3, "x'04'")].join(", ");
        statements.push(format!("INSERT INTO nulls VALUES ({row})"));
    }
    let fixed = FIXED.iter().map(|statement| (*statement).to_owned());
    statements.into_iter().chain(fixed).collect()
}

const FIXED: &[&str] = &[
    "CREATE TABLE \"made by SQLite\" (
         id INTEGER PRIMARY KEY, price REAL NOT NULL, amount INTEGER NOT NULL DEFAULT 1,
         total REAL GENERATED ALWAYS AS (price * amount) STORED,
         label TEXT AS ('no. ' || id || ' of ' || total) VIRTUAL,
         large INTEGER AS (amount * 9007199254740993) VIRTUAL,
         made TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, dice INTEGER DEFAULT (abs(random()) % 6 + 1),
         \"says \"\"no\"\"\" TEXT DEFAULT 'it''s, \"so\" '
     );
     INSERT INTO \"made by SQLite\" (price, amount) VALUES (0.5, 3), (1.25, 0)",
    "CREATE TABLE \"made, first\" (total AS (price * 2) STORED, price REAL);
     INSERT INTO \"made, first\" (price) VALUES (1), (NULL)",
    "CREATE TABLE strict (id INTEGER PRIMARY KEY, i INT, j INTEGER, r REAL, t TEXT, b BLOB, a ANY) STRICT;
     INSERT INTO strict VALUES (1, 1, 2, 3, '4', x'05', 6), (2, 9223372036854775807, -1, 9e999, '', x'', '6'),
         (3, NULL, NULL, NULL, NULL, NULL, NULL), (4, 0, 0, 0, 'x', x'00', x'00')",
    "CREATE TABLE \"by convention\" (id INTEGER PRIMARY KEY, is_open BOOLEAN NOT NULL, day DATE, at DATETIME,
         unix_time TIMESTAMP, julian DATE, flag TINYINT(1));
     INSERT INTO \"by convention\" VALUES (1, 1, '2024-02-29', '2024-02-29 12:00:00', 1709208000, 2460370.5, 1),
         (2, 0, NULL, '2024-02-29T12:00:00Z', -1, 0, 0), (3, 'yes', 'soon', '', 1.5, NULL, 7)",
];

pub(super) fn check(connection: &Connection) {
    assert_eq!(one::<i64>(connection, "SELECT count(*) FROM \"values\""), VALUES.len() as i64);
    assert_eq!(one::<i64>(connection, "SELECT count(*) FROM nulls WHERE a IS NULL AND d IS NOT NULL"), 4);
    // Both in the same column, of text: nothing is checked.
    let kinds = |column: &str| {
        let order = format!("SELECT {column} FROM \"values\" ORDER BY typeof({column})");
        one::<String>(connection, &format!("SELECT group_concat(DISTINCT typeof({column})) FROM ({order})"))
    };
    assert_eq!(kinds("c0"), "blob,integer,null,real,text");
    assert_eq!(kinds("c1"), "blob,integer,null,real,text");
    assert_eq!(kinds("c9"), "blob,null,text");
    assert_eq!(one::<f64>(connection, "SELECT total FROM \"made by SQLite\" WHERE id = 1"), 1.5);
    assert_eq!(one::<f64>(connection, "SELECT max(r) FROM strict"), f64::INFINITY);
    assert_eq!(one::<String>(connection, "SELECT hex(c9) FROM \"values\" WHERE hex(c9) = 'FF61'"), "FF61");
}
