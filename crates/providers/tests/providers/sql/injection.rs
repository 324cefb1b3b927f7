//! What callers and the file itself write is never taken for SQL: beside what is attacked stands a table that nobody asks
//! for, and afterwards it holds what it held and no answer has told of it.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use worldspace_model::{ErrorCode, ProtocolError, Value};

use super::world::{World, field, integer, json};

/// What the canary holds. No attack contains it.
const SONG: &str = "tweet-5c1d";

/// What would do something if it were SQL, or end the text that it stands in.
const HOSTILE: &[&str] = &[
    "'",
    "\"",
    "`",
    "]",
    "--",
    "/*",
    ";",
    "\\",
    "%",
    "_",
    "$1",
    "?",
    ":a",
    "@a",
    "NULL",
    "x'00'",
    "\u{0}",
    "\u{feff}",
    "' OR '1'='1",
    "\" OR \"1\"=\"1",
    "1 OR 1=1",
    "1; DELETE FROM canary",
    "'; DELETE FROM canary; --",
    "\"; DELETE FROM canary; --",
    "') UNION SELECT song FROM canary --",
    "\" UNION SELECT song FROM canary --",
    "(SELECT song FROM canary)",
    "id) FROM t UNION SELECT song FROM canary --",
    "id\" FROM canary --",
    "*",
    "rowid",
    "sqlite_schema",
    "pragma_table_info('canary')",
    "load_extension('x')",
    "CASE WHEN 1 THEN song END",
    "1 COLLATE nosuch",
    "a\" = (SELECT song FROM canary) --",
    "\"\"",
    "''",
    "\u{2019} OR 1=1",
    "0x1",
    "1e400",
];

const CANARY: &str = "CREATE TABLE canary (id INTEGER PRIMARY KEY, song TEXT NOT NULL); INSERT INTO canary VALUES (1, 'tweet-5c1d');";

/// Sees to it that an answer says nothing of the canary.
fn silent(what: &str, answer: &Result<Value, ProtocolError>) {
    let told = match answer {
        Ok(value) => format!("{value:?}"),
        Err(error) => format!("{error:?}"),
    };
    assert!(!told.contains(SONG), "{what} tells of the canary: {told}");
    if let Err(error) = answer {
        assert_ne!(error.code, ErrorCode::Internal, "{what}: {error}");
        assert_ne!(error.code, ErrorCode::OperationOutcomeUnknown, "{what}: {error}");
    }
}

/// Sees to it that the canary is as it was.
fn alive(world: &World) {
    let connection = world.beside();
    let all: Vec<(i64, String)> = connection
        .prepare("SELECT id, song FROM canary")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(all, [(1, SONG.to_owned())]);
}

fn text(value: &str) -> String {
    serde_json::to_string(value).unwrap()
}

fn plain() -> World {
    World::writable(&format!(
        "{CANARY}
         CREATE TABLE u (id INTEGER PRIMARY KEY);
         CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b, u_id INTEGER REFERENCES u);
         INSERT INTO u VALUES (1), (2); INSERT INTO t VALUES (1, 'x', 1, 1), (2, 'y', 2, 2);"
    ))
}

#[test]
fn values_in_filters_are_only_compared() {
    let world = plain();
    for hostile in HOSTILE {
        let value = text(hostile);
        for (column, test) in [
            ("a", format!(r#"{{"$case": "equal", "value": {value}}}"#)),
            ("a", format!(r#"{{"$case": "like", "value": {value}}}"#)),
            ("a", format!(r#"{{"$case": "in", "value": [{value}, "none"]}}"#)),
            ("a", format!(r#"{{"$case": "greater", "value": {value}}}"#)),
            ("b", format!(r#"{{"$case": "equal", "value": {value}}}"#)),
        ] {
            let filter = json(&format!(r#"[[{{"$case": "{column}", "value": {test}}}]]"#));
            for operation in ["query", "count"] {
                let answer = world.call("/t", operation, &[("where", filter.clone())]);
                silent(hostile, &answer);
                if operation == "count" && test.contains("equal") {
                    assert_eq!(field(&answer.unwrap(), "count"), &integer(0), "{hostile}");
                }
            }
        }
        let exact = format!(
            r#"[[{{"$case": "exact", "value": {{"column": "a", "test": {{"$case": "equal", "value": {value}}}}}}}]]"#
        );
        silent(hostile, &world.call("/t", "query", &[("where", json(&exact))]));
    }
    alive(&world);
}

#[test]
fn names_in_arguments_are_looked_up_and_never_written_out() {
    let world = plain();
    for hostile in HOSTILE {
        let value = text(hostile);
        let refused = [
            ("/t", "query", "where", format!(r#"[[{{"$case": {value}, "value": {{"$case": "null"}}}}]]"#)),
            (
                "/t",
                "query",
                "where",
                format!(r#"[[{{"$case": "a", "value": {{"$case": {value}, "value": "x"}}}}]]"#),
            ),
            ("/t", "query", "order_by", format!(r#"[{{"column": {value}}}]"#)),
            ("/t", "frequent_values", "column", value.clone()),
            ("/t/1", "read_bytes", "column", value.clone()),
            ("/t/1", "update", "set_null", format!("[{value}]")),
            ("/t/1", "update_exact", "columns", format!("{{{value}: 1}}")),
            ("/t", "insert_exact", "columns", format!("{{{value}: 1}}")),
        ];
        for (path, operation, name, argument) in refused {
            let answer = world.call(path, operation, &[(name, json(&argument))]);
            silent(hostile, &answer);
            let code = answer.unwrap_err().code;
            assert_eq!(code, ErrorCode::InvalidArguments, "{operation} of {hostile:?}");
        }
    }
    alive(&world);
}

#[test]
fn values_that_are_written_are_stored_as_they_are() {
    let world = plain();
    for hostile in HOSTILE {
        let answer = world.call("/t/1", "update", &[("a", Value::string(*hostile))]);
        silent(hostile, &answer);
        assert_eq!(answer.unwrap(), Value::case("updated", None).unwrap());
        let row = world.call("/t/1", "read", &[]).unwrap();
        assert_eq!(field(&row, "a"), &Value::string(*hostile));
        let inserted = world.call("/t", "insert", &[("a", Value::string(*hostile))]);
        silent(hostile, &inserted);
    }
    let stored: i64 =
        world.beside().query_row("SELECT count(*) FROM t WHERE id > 2", [], |row| row.get(0)).unwrap();
    assert_eq!(stored, i64::try_from(HOSTILE.len()).unwrap());
    alive(&world);
}

#[test]
fn keys_in_paths_name_a_row_or_nothing() {
    let world = World::writable(&format!(
        "{CANARY} CREATE TABLE t (k TEXT PRIMARY KEY, a TEXT); CREATE TABLE n (id INTEGER PRIMARY KEY, a TEXT);
         INSERT INTO t VALUES ('x', 'a'); INSERT INTO n VALUES (1, 'a');"
    ));
    for hostile in HOSTILE {
        let escaped = hostile.replace('~', "~0").replace('/', "~1");
        for path in
            [format!("/t/{escaped}"), format!("/n/{escaped}"), format!("/{escaped}"), format!("/{escaped}/1")]
        {
            match world.fetch(&path) {
                Ok(object) => panic!("{path} is {object:?}"),
                Err(error) => {
                    let known = [ErrorCode::NotFound, ErrorCode::InvalidRequest];
                    assert!(
                        known.contains(&error.code) && !error.to_string().contains(SONG),
                        "{path}: {error}"
                    );
                }
            }
        }
        // Where there is such a key, it is that row and no other.
        let inserted =
            world.call("/t", "insert", &[("k", Value::string(*hostile)), ("a", Value::string(*hostile))]);
        silent(hostile, &inserted);
        match inserted {
            Ok(_) => {
                let row = world.call(&format!("/t/{escaped}"), "read", &[]).unwrap();
                assert_eq!(field(&row, "a"), &Value::string(*hostile), "{hostile}");
            }
            // No path holds a zero byte.
            Err(error) => assert!(hostile.contains('\0'), "{hostile:?}: {error}"),
        }
    }
    alive(&world);
}

#[test]
fn identifiers_of_the_file_are_names_and_nothing_else() {
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let names: Vec<&str> =
        HOSTILE.iter().copied().filter(|name| !name.contains('\0') && *name != "sqlite_schema").collect();
    let mut made = CANARY.to_owned();
    for (at, name) in names.iter().enumerate() {
        let column = quoted(if *name == "rowid" { "row" } else { name });
        made.push_str(&format!(
            "CREATE TABLE {0} (id INTEGER PRIMARY KEY, {column} TEXT, t{at} INTEGER REFERENCES {0});
             INSERT INTO {0} VALUES (1, 'x', NULL), (2, 'y', 1);",
            quoted(name)
        ));
    }
    let world = World::writable(&made);
    for name in names {
        let column = if name == "rowid" { "row" } else { name };
        let table = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
        let filter =
            format!(r#"[[{{"$case": {}, "value": {{"$case": "equal", "value": "y"}}}}]]"#, text(column));
        let order = format!(r#"[{{"column": {}, "descending": true}}]"#, text(column));
        let found = world.call(&table, "query", &[("where", json(&filter)), ("order_by", json(&order))]);
        silent(name, &found);
        let found = found.unwrap();
        let rows = field(&found, "rows").as_list().unwrap();
        assert_eq!(rows.len(), 1, "{name}");
        assert_eq!(field(field(&rows[0], "row"), column), &Value::from("y"), "{name}");
        for (path, operation, arguments) in [
            (table.clone(), "count", vec![]),
            (table.clone(), "frequent_values", vec![("column", Value::string(column))]),
            (table.clone(), "insert", vec![(column, Value::from("z"))]),
            (format!("{table}/2"), "update", vec![(column, Value::from("w"))]),
            (format!("{table}/2"), "read", vec![]),
            (format!("{table}/1"), name, vec![]),
            (format!("{table}/2"), "delete", vec![]),
        ] {
            let answer = world.call(&path, operation, &arguments);
            silent(name, &answer);
            answer.unwrap_or_else(|error| panic!("{operation} of {name:?}: {error}"));
        }
    }
    alive(&world);
}

#[test]
fn entries_of_other_tables_are_no_rows_of_this_one() {
    let world = plain();
    let by = |entry: &str| {
        let condition =
            Value::case("u", Some(Value::Entry(worldspace_model::EntryPath::parse(entry).unwrap()))).unwrap();
        let filter = Value::list(vec![Value::list(vec![condition]).unwrap()]).unwrap();
        world.call("/t", "count", &[("where", filter)])
    };
    assert_eq!(field(&by("/w/u/2").unwrap(), "count"), &integer(1));
    assert_eq!(field(&by("/w/u/3").unwrap(), "count"), &integer(0));
    for other in ["/w/canary/1", "/w/u", "/w", "/", "/w/u/1/2", "/elsewhere/1", "/w/u/~i1", "/w/t/1"] {
        let answer = by(other);
        silent(other, &answer);
        assert_eq!(answer.unwrap_err().code, ErrorCode::InvalidArguments, "{other}");
    }
    alive(&world);
}

#[test]
fn a_cursor_that_was_edited_opens_nothing() {
    let world = plain();
    let page = world.call("/t", "query", &[("limit", integer(1))]).unwrap();
    let cursor = field(&page, "next_cursor").as_str().unwrap().to_owned();
    let other = world.call("/u", "query", &[("limit", integer(1))]).unwrap();
    let mut edited: Vec<String> = (0..cursor.len())
        .map(|at| {
            let mut bytes = cursor.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            String::from_utf8(bytes).unwrap()
        })
        .collect();
    edited.extend(HOSTILE.iter().map(|hostile| (*hostile).to_owned()));
    edited.extend([cursor[1..].to_owned(), format!("{cursor}A"), format!("{cursor}{cursor}"), String::new()]);
    edited.push(field(&other, "next_cursor").as_str().unwrap().to_owned());
    for cursor in edited {
        let answer =
            world.call("/t", "query", &[("limit", integer(1)), ("cursor", Value::string(cursor.as_str()))]);
        silent(&cursor, &answer);
        assert_eq!(answer.unwrap_err().code, ErrorCode::InvalidArguments, "{cursor}");
    }
    alive(&world);
}

/// Parts of SQL in any order.
fn soup() -> impl Strategy<Value = String> {
    let parts = prop_oneof![
        proptest::sample::select(HOSTILE).prop_map(str::to_owned),
        proptest::sample::select(vec![
            "SELECT ", "song ", "FROM ", "canary ", "WHERE ", "UNION ", "(", ")", ",", "a", "t", "=", " "
        ])
        .prop_map(str::to_owned),
        ".{0,3}",
    ];
    proptest::collection::vec(parts, 0..6).prop_map(|parts| parts.concat())
}

#[test]
fn no_soup_of_sql_reads_or_writes_the_canary() {
    let world = plain();
    let mut runner = TestRunner::new(Config { cases: 300, failure_persistence: None, ..Config::default() });
    runner
        .run(&(soup(), soup()), |(one, two)| {
            let (first, second) = (text(&one), text(&two));
            let filter = format!(
                r#"[[{{"$case": "a", "value": {{"$case": "like", "value": {first}}}}}, {{"$case": "b", "value": {{"$case": "in", "value": [{second}]}}}}], []]"#
            );
            silent(&one, &world.call("/t", "query", &[("where", json(&filter)), ("cursor", Value::string(two.as_str()))]));
            silent(&one, &world.call("/t", "query", &[("where", json(&filter))]));
            silent(&one, &world.call("/t", "frequent_values", &[("column", Value::string(one.as_str()))]));
            silent(&one, &world.call("/t/1", "update", &[("a", Value::string(one.as_str()))]));
            silent(&two, &world.call("/t/1", "update_exact", &[("columns", json(&format!("{{{first}: {second}}}")))]));
            let path = format!("/t/{}", one.replace('~', "~0").replace('/', "~1"));
            if let Err(error) = world.fetch(&path) {
                prop_assert!(!error.to_string().contains(SONG));
            }
            Ok(())
        })
        .unwrap();
    alive(&world);
}
