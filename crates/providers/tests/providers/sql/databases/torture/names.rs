//! Names that nobody expects, of tables and of columns, and words that the provider uses itself.

use rusqlite::Connection;

use super::super::{names, one, quoted};
use super::{insert, literal};

/// Each is the name of a table, and of a column of it and of `odd columns`.
const NAMES: &[&str] = &[
    "",
    ".",
    "..",
    "...",
    "/",
    "a/b",
    "/etc/passwd",
    "~",
    "~t",
    "~0",
    "~1",
    "~rowid1",
    "two words",
    " space around ",
    "\t",
    "line\nbreak",
    "return\r",
    "it's \"quoted\" `so` [or so]",
    "\"",
    "]",
    "\"; DROP TABLE canary; --",
    "'; DROP TABLE canary; --",
    "select",
    "table",
    "null",
    "dots.in.it",
    "main.canary",
    "commas,in,it",
    "100%",
    "%2e%2e",
    "back\\slash",
    "C:\\con",
    "$dollar",
    "@at",
    ":colon",
    "#hash",
    "?",
    "*",
    "-rf",
    "{braces}",
    "1",
    "🦀",
    "👩‍👩‍👧",
    "é",
    "e\u{301}",
    "É",
    "日本語",
    "\u{202e}exe.txt",
    "\u{200b}",
    "\u{feff}",
    "\u{1b}[2J",
    "\u{7f}",
    "\u{10ffff}",
];

/// Columns of `own words`: what the provider calls its fields, operations and cases, and SQLite its hidden columns.
const OWN_WORDS: &[&str] = &[
    "entry",
    "row",
    "rows",
    "exact",
    "where",
    "order_by",
    "limit",
    "cursor",
    "next_cursor",
    "count",
    "column",
    "value",
    "values",
    "set_null",
    "read",
    "query",
    "get",
    "insert",
    "update",
    "delete",
    "inserted",
    "updated",
    "deleted",
    "refused",
    "constraint",
    "message",
    "columns",
    "equal",
    "not",
    "less",
    "greater",
    "in",
    "like",
    "null",
    "and",
    "or",
    "$case",
    "$value",
    "$integer",
    "rowid",
    "_rowid_",
    "own words",
    "own words_by_entry",
];

/// A name of 1,000 characters.
fn long_name() -> String {
    "Long name. ".chars().cycle().take(1_000).collect()
}

/// The segments of the tables that are named so.
pub(crate) fn segments() -> Vec<String> {
    let segment = |name: &str| match name {
        "" | "." | ".." => format!("~t{name}"),
        name => name.replace('~', "~0").replace('/', "~1"),
    };
    NAMES.iter().map(|name| segment(name)).chain([long_name()]).collect()
}

pub(super) fn statements() -> Vec<String> {
    let long = long_name();
    let all: Vec<&str> = NAMES.iter().copied().chain([&*long]).collect();
    let mut statements =
        vec!["CREATE TABLE canary (secret TEXT)".to_owned(), insert("canary", &["'never read'".to_owned()])];
    for name in &all {
        let name = quoted(name);
        // A column may not be called as the key is.
        statements.push(format!("CREATE TABLE {name} (\"the key\" INTEGER PRIMARY KEY, {name} TEXT)"));
        statements.push(format!("INSERT INTO {name} VALUES (1, 'one'), (2, NULL)"));
    }
    let texts: Vec<String> = all.iter().map(|name| format!("{} TEXT", quoted(name))).collect();
    statements.push(format!("CREATE TABLE \"odd columns\" (id INTEGER PRIMARY KEY, {})", texts.join(", ")));
    let values: Vec<String> = all.iter().map(|name| literal(name)).collect();
    statements.push(insert("odd columns", &[format!("1, {}", values.join(", "))]));

    let words: Vec<String> = OWN_WORDS.iter().map(|name| quoted(name)).collect();
    let key = "id INTEGER PRIMARY KEY";
    let reference = "FOREIGN KEY (entry) REFERENCES \"own words\" (id)";
    statements.push(format!("CREATE TABLE \"own words\" ({key}, {}, {reference})", words.join(", ")));
    let numbers: Vec<String> = (1..=OWN_WORDS.len()).map(|number| number.to_string()).collect();
    statements.push(insert("own words", &[format!("1, {}", numbers.join(", "))]));
    // Each of its own table, so that their rows are told by their own names.
    for word in ["query", "row", "entry", "sql", "canary2"] {
        statements.push(format!("CREATE TABLE {} (id INTEGER PRIMARY KEY, Name TEXT, NAME2)", quoted(word)));
    }
    statements.push("CREATE TABLE \"cased\" (ID INTEGER PRIMARY KEY, nAME TEXT, É, é)".to_owned());
    statements
}

pub(super) fn check(connection: &Connection) {
    let there = names(connection);
    let long = long_name();
    assert_eq!(long.chars().count(), 1_000);
    for (place, name) in NAMES.iter().copied().chain([&*long]).enumerate() {
        assert!(there.contains(&name.to_owned()), "no table {name:?}");
        let column = format!("SELECT {} FROM \"odd columns\"", quoted(name));
        assert_eq!(one::<String>(connection, &column), name, "column {place}");
    }
    let place = OWN_WORDS.iter().position(|word| *word == "$case").unwrap();
    assert_eq!(one::<i64>(connection, "SELECT \"$case\" FROM \"own words\""), place as i64 + 1);
    assert_eq!(one::<String>(connection, "SELECT secret FROM canary"), "never read");
}
