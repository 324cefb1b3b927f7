//! Pages put together are what the database itself gives in that order, whatever the order, the size of a page and the
//! values (NULLs, other kinds of values, rows that are alike), and whatever comes and goes meanwhile.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rusqlite::types::ValueRef;
use worldspace_model::Value;

use super::world::{World, field, integer, json};

/// Tables whose rows are told in each of the ways that there are, and a view.
const TABLES: [(&str, &str); 6] = [
    ("by_id", "id INTEGER PRIMARY KEY, a, b TEXT COLLATE NOCASE, c REAL"),
    ("by_text", "id INTEGER, a, b TEXT PRIMARY KEY, c REAL"),
    ("by_two", "id INTEGER, a, b TEXT, c REAL, PRIMARY KEY (b, c)"),
    ("by_rowid", "id INTEGER, a, b TEXT, c REAL"),
    ("without", "id INTEGER PRIMARY KEY, a, b TEXT, c REAL, UNIQUE (b, id)"),
    ("by_nothing", "rowid INTEGER, _rowid_, oid TEXT, c REAL"),
];

/// Few values, so that many are alike.
pub(super) fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just("NULL".to_owned()),
        4 => (-2_i64..3).prop_map(|value| value.to_string()),
        1 => Just("9007199254740993".to_owned()),
        2 => Just("0.5".to_owned()),
        1 => Just("9e999".to_owned()),
        4 => "[abAB]{0,2}".prop_map(|text| format!("'{text}'")),
        1 => Just("x'00ff'".to_owned()),
        1 => Just("CAST(x'ff' AS TEXT)".to_owned()),
    ]
}

/// A value in a form that tells it from every other.
fn told(value: ValueRef<'_>) -> String {
    format!("{value:?}")
}

/// The same of a value in the exact form, or of a typed one.
fn told_of(value: Option<&Value>) -> String {
    use base64::Engine as _;
    let bytes =
        |value: &Value| base64::engine::general_purpose::STANDARD.decode(value.as_str().unwrap()).unwrap();
    match value {
        None | Some(Value::Unit) => told(ValueRef::Null),
        Some(Value::Integer(value)) => told(ValueRef::Integer(value.get())),
        Some(Value::Number(value)) => told(ValueRef::Real(value.get())),
        Some(Value::String(text)) => told(ValueRef::Text(text.as_bytes())),
        Some(Value::Record(record)) => match &record.fields()[0] {
            (tag, value) if &**tag == "$integer" => {
                told(ValueRef::Integer(value.as_str().unwrap().parse().unwrap()))
            }
            (tag, _) if &**tag == "$real" => told(ValueRef::Real(f64::INFINITY)),
            (tag, value) if &**tag == "$text" => told(ValueRef::Text(&bytes(value))),
            (_, value) => told(ValueRef::Blob(&bytes(value))),
        },
        other => panic!("{other:?}"),
    }
}

/// Every row, page by page.
fn paged(world: &World, table: &str, order: &str, limit: i64, columns: &[String]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut cursor: Option<Value> = None;
    for _ in 0..1_000 {
        let mut arguments = vec![("order_by", json(order)), ("limit", integer(limit))];
        arguments.extend(cursor.clone().map(|cursor| ("cursor", cursor)));
        let page = world.call(&format!("/{table}"), "query", &arguments).unwrap();
        for row in field(&page, "rows").as_list().unwrap() {
            let row = row.as_record().unwrap();
            let record = row.get("row").or(row.get("exact")).and_then(Value::as_record).unwrap();
            rows.push(columns.iter().map(|column| told_of(record.get(column))).collect());
        }
        match page.as_record().unwrap().get("next_cursor") {
            Some(next) => cursor = Some(next.clone()),
            None => return rows,
        }
    }
    panic!("there is no end");
}

/// Every row, as the database itself gives it.
fn selected(world: &World, sql: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let connection = world.beside();
    let mut statement = connection.prepare(sql).unwrap();
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let width = columns.len();
    let rows = statement
        .query_map([], |row| {
            (0..width).map(|at| Ok(told(row.get_ref(at)?))).collect::<rusqlite::Result<Vec<_>>>()
        })
        .unwrap();
    let rows = rows.map(Result::unwrap).collect();
    (columns, rows)
}

#[test]
fn pages_put_together_are_every_row_once_and_in_order() {
    let mut runner = TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
    let rows = proptest::collection::vec((cell(), cell(), cell()), 0..25);
    let orders = proptest::collection::vec((0_usize..4, any::<bool>()), 0..3);
    runner
        .run(&(0..TABLES.len(), rows, orders, 1_i64..8), |(table, rows, orders, limit)| {
            let (name, columns) = TABLES[table];
            let without = if name == "without" { " WITHOUT ROWID" } else { "" };
            let world = World::of(&format!("CREATE TABLE {name} ({columns}){without};"));
            let connection = world.beside();
            for (at, (a, b, c)) in rows.iter().enumerate() {
                // What a key or type does not take is left out by the database.
                let insert = format!("INSERT OR IGNORE INTO {name} VALUES ({at}, {a}, {b}, {c})");
                let _ = connection.execute(&insert, []);
            }
            drop(connection);
            let named: Vec<&str> =
                columns.split(", ").filter_map(|column| column.split(' ').next()).take(4).collect();
            let mut by: Vec<(usize, bool)> = Vec::new();
            for (at, descending) in orders {
                if !by.iter().any(|(known, _)| *known == at) {
                    by.push((at, descending));
                }
            }
            let order: Vec<String> = by
                .iter()
                .map(|(at, descending)| {
                    format!(r#"{{"column": "{}", "descending": {descending}}}"#, named[*at])
                })
                .collect();
            let mut sql: Vec<String> = by
                .iter()
                .map(|(at, descending)| format!("{}{}", named[*at], if *descending { " DESC" } else { "" }))
                .collect();
            match name {
                "by_id" | "without" => sql.push("id".to_owned()),
                "by_text" => sql.extend(["b".to_owned(), "rowid".to_owned()]),
                "by_two" => sql.extend(["b".to_owned(), "c".to_owned(), "rowid".to_owned()]),
                "by_rowid" => sql.push("rowid".to_owned()),
                _ => sql.extend(named.iter().map(|name| (*name).to_owned())),
            }
            let (columns, expected) =
                selected(&world, &format!("SELECT * FROM {name} ORDER BY {}", sql.join(", ")));
            let order = format!("[{}]", order.join(","));
            prop_assert_eq!(paged(&world, name, &order, limit, &columns), expected, "{} by {}", name, order);
            Ok(())
        })
        .unwrap();
}

#[test]
fn what_comes_and_goes_between_pages_neither_moves_nor_repeats_the_others() {
    let world = World::of(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER);
         WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 40) INSERT INTO t SELECT i * 10, i % 7 FROM s;",
    );
    let connection = world.beside();
    let (mut cursor, mut seen): (Option<Value>, Vec<i64>) = (None, Vec::new());
    loop {
        let mut arguments = vec![("limit", integer(5))];
        arguments.extend(cursor.clone().map(|cursor| ("cursor", cursor)));
        let page = world.call("/t", "query", &arguments).unwrap();
        for row in field(&page, "rows").as_list().unwrap() {
            seen.push(field(field(row, "row"), "id").as_integer().unwrap());
        }
        let Some(next) = page.as_record().unwrap().get("next_cursor") else { break };
        cursor = Some(next.clone());
        let last = seen.last().unwrap();
        // One before the place goes and one comes, and so does the very row that the page ended with.
        connection.execute("DELETE FROM t WHERE id = ?1 OR id = (SELECT min(id) FROM t)", [last]).unwrap();
        connection.execute("INSERT INTO t VALUES (?1, 0)", [last - 5]).unwrap();
    }
    assert_eq!(seen, (1..=40).map(|i| i * 10).collect::<Vec<_>>());
}

#[test]
fn a_cursor_serves_only_the_question_that_it_was_made_for() {
    let world = World::of(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER); INSERT INTO t VALUES (1, 1), (2, 2), (3, 3);
         CREATE TABLE u (id INTEGER PRIMARY KEY, n INTEGER); INSERT INTO u SELECT * FROM t;",
    );
    let first = world.call("/t", "query", &[("limit", integer(1))]).unwrap();
    let cursor = field(&first, "next_cursor").clone();
    let refused: [(&str, Vec<(&str, Value)>); 4] = [
        ("/t", vec![("order_by", json(r#"[{"column": "n"}]"#))]),
        ("/t", vec![("where", json(r#"[[{"$case": "n", "value": {"$case": "not_null"}}]]"#))]),
        ("/u", vec![]),
        ("/t", vec![("order_by", json(r#"[{"column": "id", "descending": true}]"#))]),
    ];
    for (path, mut arguments) in refused {
        arguments.push(("cursor", cursor.clone()));
        let error = world.call(path, "query", &arguments).unwrap_err();
        assert!(error.message.as_str().contains("arguments.cursor"), "{path}: {error}");
    }
    // A size of the page is no part of the question.
    let second = world.call("/t", "query", &[("limit", integer(2)), ("cursor", cursor)]).unwrap();
    assert_eq!(field(&second, "rows").as_list().unwrap().len(), 2);
}
