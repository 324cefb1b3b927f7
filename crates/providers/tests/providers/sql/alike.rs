//! Values that the database takes for the same, or takes for something else than they are: no row is lost, repeated, or taken
//! for another by it.

use worldspace_model::{EntryPath, ErrorCode, Value};

use super::world::{World, field, integer, json};

/// What stands in the first column of every row, page by page.
fn paged(world: &World, path: &str, order: &str, limit: i64) -> Vec<Value> {
    let (mut found, mut cursor): (Vec<Value>, Option<Value>) = (Vec::new(), None);
    for _ in 0..100 {
        let mut arguments = vec![("limit", integer(limit)), ("order_by", json(order))];
        arguments.extend(cursor.clone().map(|cursor| ("cursor", cursor)));
        let page = world.call(path, "query", &arguments).unwrap();
        for row in field(&page, "rows").as_list().unwrap() {
            let row = row.as_record().unwrap();
            let record = row.get("row").or(row.get("exact")).and_then(Value::as_record).unwrap();
            found.push(record.fields()[0].1.clone());
        }
        match page.as_record().unwrap().get("next_cursor") {
            Some(next) => cursor = Some(next.clone()),
            None => return found,
        }
    }
    panic!("{path} has no end");
}

/// In the order of how they are written, so that those that are alike may come in any.
fn sorted(values: &[Value]) -> Vec<String> {
    let mut texts: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
    texts.sort();
    texts
}

#[test]
fn rows_without_keys_that_are_nearly_alike_all_come_once() {
    let world = World::of(
        "CREATE TABLE nc (x TEXT COLLATE NOCASE); INSERT INTO nc VALUES ('a'), ('A'), ('a'), ('A'), ('b');
         CREATE VIEW of_cases AS SELECT x FROM nc;
         CREATE TABLE n (x); INSERT INTO n VALUES (1), (1.0), (1), (1.0), (2);
         CREATE VIEW of_numbers AS SELECT x FROM n;
         CREATE TABLE ti (a INTEGER); INSERT INTO ti VALUES (3), (7), (10);
         CREATE TABLE tt (a TEXT); INSERT INTO tt VALUES ('05'), ('5'), ('9'), ('x');
         CREATE VIEW of_both AS SELECT a FROM ti UNION ALL SELECT a FROM tt;
         CREATE VIEW as_text AS SELECT CAST(a AS TEXT) AS a FROM ti UNION ALL SELECT a FROM ti;",
    );
    let texts = |texts: &[&str]| texts.iter().map(|text| Value::from(*text)).collect::<Vec<_>>();
    let numbers = |numbers: &[i64]| numbers.iter().map(|number| integer(*number)).collect::<Vec<_>>();
    let real = Value::Number(worldspace_model::Number::new(1.0).unwrap());
    for (view, all) in [
        ("/of_cases", texts(&["a", "A", "a", "A", "b"])),
        ("/of_numbers", [numbers(&[1, 1, 2]), vec![real.clone(), real]].concat()),
        ("/of_both", [numbers(&[3, 7, 10]), texts(&["05", "5", "9", "x"])].concat()),
        ("/as_text", [numbers(&[3, 7, 10]), texts(&["3", "7", "10"])].concat()),
    ] {
        let column = if ["/of_cases", "/of_numbers"].contains(&view) { "x" } else { "a" };
        let by = |descending: bool| format!(r#"[{{"column": "{column}", "descending": {descending}}}]"#);
        for order in ["[]".to_owned(), by(false), by(true)] {
            for limit in 1..=4 {
                let found = paged(&world, view, &order, limit);
                assert_eq!(sorted(&found), sorted(&all), "{view} by {order}, {limit} at a time");
            }
        }
    }
}

#[test]
fn a_key_that_tells_more_than_its_column_names_each_row() {
    let world = World::writable(
        "CREATE TABLE nk (k TEXT COLLATE NOCASE, v, PRIMARY KEY (k COLLATE BINARY));
         INSERT INTO nk VALUES ('a', 1), ('A', 2), ('b', 3);",
    );
    assert_eq!(sorted(&paged(&world, "/nk", "[]", 1)), sorted(&["A".into(), "a".into(), "b".into()]));
    for (key, value) in [("a", 1), ("A", 2)] {
        let row = world.call(&format!("/nk/{key}"), "read", &[]).unwrap();
        assert_eq!(field(&row, "v"), &integer(value), "{key}");
        let updated = world.call(&format!("/nk/{key}"), "update", &[("v", integer(value + 10))]).unwrap();
        assert_eq!(updated, Value::case("updated", None).unwrap());
    }
    let all: String = world
        .beside()
        .query_row(
            "SELECT group_concat(k || v) FROM (SELECT * FROM nk ORDER BY k COLLATE BINARY)",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(all, "A12,a11,b3");
}

#[test]
fn minus_nothing_is_one_row_at_one_path() {
    let world = World::of("CREATE TABLE z (k PRIMARY KEY); INSERT INTO z VALUES (-0.0), (1.5);");
    let there = |path: &str| world.fetch(path).is_ok();
    let page = world.call("/z", "query", &[("limit", integer(1))]).unwrap();
    let entry =
        field(&field(&page, "rows").as_list().unwrap()[0], "entry").as_entry().unwrap().name().to_owned();
    let known =
        ["0", "0.0", "-0.0"].into_iter().filter(|key| there(&format!("/z/{key}"))).collect::<Vec<_>>();
    assert_eq!(known, [entry]);
}

#[test]
fn what_refers_to_what_is_gone_is_found_by_its_entry() {
    let world = World::of(
        "CREATE TABLE par (id INTEGER PRIMARY KEY); CREATE TABLE ch (id INTEGER PRIMARY KEY, p INTEGER REFERENCES par);
         PRAGMA foreign_keys = OFF; INSERT INTO par VALUES (1); INSERT INTO ch VALUES (1, 1), (2, 99), (3, 99);",
    );
    let row = world.call("/ch/2", "read", &[]).unwrap();
    let entry = field(&row, "par").clone();
    assert_eq!(entry, Value::Entry(EntryPath::parse("/w/par/99").unwrap()));
    let condition = Value::case("par", Some(entry)).unwrap();
    let filter = Value::list(vec![Value::list(vec![condition]).unwrap()]).unwrap();
    let count = world.call("/ch", "count", &[("where", filter)]).unwrap();
    assert_eq!(field(&count, "count"), &integer(2));
}

#[test]
fn a_row_in_the_exact_form_keeps_what_it_refers_to() {
    let world = World::of(
        "CREATE TABLE par (id INTEGER PRIMARY KEY); INSERT INTO par VALUES (1);
         CREATE TABLE ch (id INTEGER PRIMARY KEY, p INTEGER REFERENCES par, photo BLOB);
         INSERT INTO ch VALUES (1, 1, zeroblob(300000)), (2, 1, NULL);",
    );
    let page = world.call("/ch", "query", &[]).unwrap();
    let rows = field(&page, "rows").as_list().unwrap();
    let entry = Value::Entry(EntryPath::parse("/w/par/1").unwrap());
    assert_eq!(field(field(&rows[0], "references"), "par"), &entry);
    assert_eq!(
        field(field(&rows[0], "exact"), "photo"),
        &json(r#"{"$omitted": {"type": "bytes", "size": 300000}}"#)
    );
    assert_eq!(field(field(&rows[1], "row"), "par"), &entry);
    assert!(rows[1].as_record().unwrap().get("references").is_none());
}

#[test]
fn views_of_long_texts_are_paged() {
    let world = World::of(
        "CREATE TABLE t (x TEXT);
         WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 5)
         INSERT INTO t SELECT i || printf('%.*c', 5000, 'x') FROM s;
         CREATE VIEW v AS SELECT x FROM t;
         CREATE TABLE wide (x TEXT PRIMARY KEY);
         INSERT INTO wide SELECT i.x || printf('%.*c', 90000, 'y') FROM t AS i;",
    );
    assert_eq!(paged(&world, "/v", "[]", 2).len(), 5);
    // A key longer than a cursor is told as such, and is no reason to show nothing at all.
    let error = world.call("/wide", "query", &[("limit", integer(1))]).unwrap_err();
    assert_eq!(error.code, ErrorCode::ResourceLimitExceeded);
    assert!(error.message.as_str().contains("`x`"), "{error}");
    assert_eq!(field(&world.call("/wide", "count", &[]).unwrap(), "count"), &integer(5));
}

#[test]
fn a_database_that_is_locked_is_still_one() {
    let world = World::of("CREATE TABLE t (a);");
    let lock = world.beside();
    lock.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let locked = world.fetch("/").unwrap();
    assert_eq!((locked.description.as_deref(), locked.interfaces.len()), (Some("SQLite database"), 1));
    assert_eq!(locked.validator, None);
    assert!(world.interface("/").descriptor.require_operation("sql").is_ok());
    lock.execute_batch("ROLLBACK").unwrap();
    let free = world.fetch("/").unwrap();
    assert!(free.validator.is_some() && free.r#ref == locked.r#ref);
    // What it was when it was seen last, it is said to be while it is locked again.
    lock.execute_batch("BEGIN EXCLUSIVE").unwrap();
    assert_eq!(world.fetch("/").unwrap(), free);
}

#[test]
fn what_refers_by_a_value_of_another_kind_is_found_from_both_sides() {
    let world = World::of(
        "CREATE TABLE par (id INTEGER PRIMARY KEY); INSERT INTO par VALUES (1), (2);
         CREATE TABLE ch (id INTEGER PRIMARY KEY, p REFERENCES par, t TEXT REFERENCES par);
         INSERT INTO ch VALUES (1, '2', '2'), (2, 2, '02'), (3, 2.0, '2.0'), (4, 1, '1');",
    );
    for (operation, field_of) in [("ch_by_p", "par_by_p"), ("ch_by_t", "par_by_t")] {
        let page = world.call("/par/2", operation, &[]).unwrap();
        let found: Vec<&str> = field(&page, "rows")
            .as_list()
            .unwrap()
            .iter()
            .map(|row| field(row, "entry").as_entry().unwrap().name())
            .collect();
        assert_eq!(found, ["1", "2", "3"], "{operation}");
        let entry = Value::Entry(EntryPath::parse("/w/par/2").unwrap());
        for id in found {
            assert_eq!(
                field(&world.call(&format!("/ch/{id}"), "read", &[]).unwrap(), field_of),
                &entry,
                "{id}"
            );
        }
    }
}

#[test]
fn a_key_is_named_as_the_database_stores_it() {
    let world = World::writable(
        "CREATE TABLE num (k NUMERIC PRIMARY KEY); CREATE TABLE dt (d DATE PRIMARY KEY);
         CREATE TABLE r (k REAL PRIMARY KEY); CREATE TABLE nc (k TEXT COLLATE NOCASE PRIMARY KEY);
         INSERT INTO nc VALUES ('abc');
         CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE tp (k TEXT PRIMARY KEY);
         CREATE TABLE ch (id INTEGER PRIMARY KEY, a REAL REFERENCES p, b TEXT REFERENCES p, c REAL REFERENCES tp);
         PRAGMA foreign_keys = OFF; INSERT INTO ch VALUES (1, 5.0, '05', 1.5);",
    );
    let number = |value: f64| Value::Number(worldspace_model::Number::new(value).unwrap());
    for (table, column, given, name) in [
        ("/num", "k", number(9.0), "9"),
        ("/num", "k", number(9.5), "9.5"),
        ("/dt", "d", Value::from("2026"), "2026"),
        ("/dt", "d", Value::from("2026-10-31"), "2026-10-31"),
        ("/r", "k", number(5.0), "5.0"),
    ] {
        let named = world.call(table, "get", &[(column, given.clone())]).unwrap();
        assert_eq!(named.as_entry().unwrap().name(), name);
        let inserted = world.call(table, "insert", &[(column, given)]).unwrap();
        assert_eq!(field(&inserted, "value"), &named, "{table}");
    }
    let named = world.call("/nc", "get", &[("k", "ABC".into())]).unwrap();
    assert_eq!(named.as_entry().unwrap().name(), "abc");
    let row = world.call("/ch/1", "read", &[]).unwrap();
    for (name, entry) in [("p_by_a", "/w/p/5"), ("p_by_b", "/w/p/5"), ("tp", "/w/tp/1.5")] {
        assert_eq!(field(&row, name), &Value::Entry(EntryPath::parse(entry).unwrap()), "{name}");
    }
}

#[test]
fn an_integer_at_the_end_of_its_range_is_not_the_next_real_number() {
    let world = World::of(
        "CREATE VIEW v AS SELECT 9223372036854775807 AS x UNION ALL SELECT 9223372036854775808.0
             UNION ALL SELECT 9223372036854775808.0 UNION ALL SELECT 1e19;",
    );
    assert_eq!(paged(&world, "/v", "[]", 1).len(), 4);
}
