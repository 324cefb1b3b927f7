//! Which values are frequent, how much was looked at for it, and which columns there are.

use worldspace_model::Value;

use super::world::{Fields, World, field, integer};
use super::writing::{object, text};

/// The values with how often each is there, then of how many rows: `of all` or `of the first`, and ` …` where there are more.
fn frequent(world: &World, path: &str, column: &str, more: Fields<'_>) -> String {
    let arguments = [&[("column", text(column))][..], more].concat();
    let told = world.call(path, "frequent_values", &arguments).unwrap();
    let value = |value: &Value| format!("{:?} {:?}", field(value, "value"), field(value, "count"));
    let values: Vec<String> = field(&told, "values").as_list().unwrap().iter().map(value).collect();
    let is = |name: &str| field(&told, name).as_bool().unwrap();
    let which = if is("all_rows") { "all" } else { "the first" };
    let truncated = if is("truncated") { " …" } else { "" };
    format!("{} of {which} {:?}{truncated}", values.join(", "), field(&told, "rows"))
}

#[test]
fn values_come_by_how_often_they_are_there_in_the_exact_form() {
    let world = World::of(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a, c TEXT COLLATE NOCASE, b BLOB, s TEXT, empty TEXT);
         INSERT INTO t (a, c, b, s) VALUES (NULL, 'x', x'00ff', 'x'), (NULL, 'X', x'00ff', 'X'), (NULL, 'y', x'', 'y'), ('b', 'y', NULL, NULL),
             ('b', 'y', x'00', NULL), (1, 'Y', x'00', NULL), ('a', NULL, x'00', NULL), (9223372036854775807, NULL, NULL, NULL);
         CREATE TABLE none (a); CREATE VIEW v AS SELECT a AS value, c AS \"count\" FROM t",
    );
    for (path, column, more, answer) in [
        ("/t", "a", &[][..], r#"unit 3, "b" 2, 1 1, {"$integer": "9223372036854775807"} 1, "a" 1 of all 8"#),
        ("/t", "a", &[("limit", integer(2))], r#"unit 3, "b" 2 of all 8 …"#),
        (
            "/t",
            "a",
            &[("limit", integer(5))],
            r#"unit 3, "b" 2, 1 1, {"$integer": "9223372036854775807"} 1, "a" 1 of all 8"#,
        ),
        ("/t", "b", &[], r#"{"$bytes": "AA=="} 3, unit 2, {"$bytes": "AP8="} 2, {"$bytes": ""} 1 of all 8"#),
        ("/t", "s", &[("limit", integer(9_999))], r#"unit 5, "X" 1, "x" 1, "y" 1 of all 8"#),
        ("/t", "empty", &[], "unit 8 of all 8"),
        ("/none", "a", &[], " of all 0"),
        ("/v", "value", &[("limit", integer(1))], "unit 3 of all 8 …"),
    ] {
        assert_eq!(frequent(&world, path, column, more), answer, "{column} of {path}");
    }
    // Those that the column takes for the same are one, in whichever spelling.
    let cased = frequent(&world, "/t", "c", &[]).to_lowercase();
    assert_eq!(cased, r#""y" 4, unit 2, "x" 2 of all 8"#);
    for limit in [0, -1] {
        let error = world.call("/t", "frequent_values", &[("column", text("a")), ("limit", integer(limit))]);
        assert!(error.unwrap_err().message.as_str().contains("arguments.limit"), "{limit}");
    }
}

#[test]
fn long_values_are_told_by_their_size_and_stay_apart() {
    let world = World::of(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a);
         INSERT INTO t (a) VALUES (zeroblob(100000)), (zeroblob(100000)), (hex(zeroblob(5000)) || 'a'), (hex(zeroblob(5000)) || 'b'), ('s')",
    );
    let long = r#"{"$omitted": {"type": "text", "size": 10001}}"#;
    assert_eq!(
        frequent(&world, "/t", "a", &[]),
        format!(
            r#"{{"$omitted": {{"type": "bytes", "size": 100000}}}} 2, {long} 1, {long} 1, "s" 1 of all 5"#
        )
    );
}

#[test]
fn an_answer_that_is_full_says_that_there_are_more_values() {
    let world = World::of(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a);
         WITH RECURSIVE s(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM s WHERE i < 599) INSERT INTO t SELECT i, hex(zeroblob(2000)) || i FROM s",
    );
    let arguments = [("column", text("a")), ("limit", integer(500))];
    let whole = world.call("/t", "frequent_values", &arguments).unwrap();
    let fitting = world.call_fitting(100_000, "/t", "frequent_values", &arguments).unwrap();
    let values = |told: &Value| field(told, "values").as_list().unwrap().len();
    assert!(values(&fitting) < values(&whole) && values(&fitting) > 5, "{}", values(&fitting));
    assert_eq!(field(&fitting, "truncated"), &Value::Boolean(true));
    for name in ["rows", "all_rows"] {
        assert_eq!(field(&fitting, name), field(&whole, name), "{name}");
    }
}

#[test]
fn of_a_large_table_so_many_rows_are_looked_at_and_no_more() {
    let world = World::of(
        "CREATE TABLE exactly (id INTEGER PRIMARY KEY, a INTEGER NOT NULL);
         WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 100000) INSERT INTO exactly SELECT i, 7 FROM s;
         CREATE TABLE one_more (id INTEGER PRIMARY KEY, a INTEGER NOT NULL);
         INSERT INTO one_more SELECT * FROM exactly; INSERT INTO one_more VALUES (100001, 7);
         CREATE TABLE many (id INTEGER PRIMARY KEY, a INTEGER NOT NULL);
         INSERT INTO many SELECT id, id % 2 FROM exactly;
         INSERT INTO many SELECT id + 100000, 2 FROM exactly;",
    );
    for (path, answer) in [
        ("/exactly", "7 100000 of all 100000"),
        ("/one_more", "7 100000 of the first 100000"),
        ("/many", "0 50000, 1 50000 of the first 100000"),
    ] {
        assert_eq!(frequent(&world, path, "a", &[]), answer, "{path}");
    }
    assert_eq!(frequent(&world, "/many", "id", &[("limit", integer(2))]), "1 1, 2 1 of the first 100000 …");
}

/// Every operation that takes the name of a column as a text.
#[test]
fn an_unknown_column_names_the_near_ones_and_all_where_none_is_near() {
    let columns: Vec<String> = (1..=14).map(|at| format!("w{at:02}")).collect();
    let world = World::writable(&format!(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, \"customer_name\" TEXT, \"First Name\" TEXT, city TEXT, \"🦀\" TEXT);
         INSERT INTO t (id) VALUES (1);
         CREATE TABLE wide (id INTEGER PRIMARY KEY, {}); INSERT INTO wide (id) VALUES (1)",
        columns.join(", ")
    ));
    let all = "there are `id`, `customer_name`, `First Name`, `city`, `🦀`";
    for (table, name, says) in [
        ("/t", "cty", "there is no column `cty`; did you mean `city`?"),
        ("/t", "CITY", "there is no column `CITY`; did you mean `city`?"),
        ("/t", "first name", "did you mean `First Name`"),
        // A part of a name.
        ("/t", "customer", "did you mean `customer_name`?"),
        ("/t", "zzzzzzzz", all),
        ("/t", "", all),
        ("/t", "city\" FROM t --", "did you mean `city`"),
        (
            "/wide",
            "zzzzzzzz",
            "there are `id`, `w01`, `w02`, `w03`, `w04`, `w05`, `w06`, `w07`, `w08`, `w09`, `w10`, `w11`, …",
        ),
    ] {
        let exact = object(&[(name, integer(1))]);
        let row = format!("{table}/1");
        for (path, operation, arguments, place) in [
            (table, "frequent_values", [("column", text(name))], "arguments.column: "),
            (&row, "read_bytes", [("column", text(name))], "arguments.column: "),
            (&row, "update_exact", [("columns", exact.clone())], "arguments.columns: "),
            (table, "insert_exact", [("columns", exact)], "arguments.columns: "),
        ] {
            let error = world.call(path, operation, &arguments).unwrap_err();
            let message = error.message.as_str();
            assert!(message.contains(place) && message.contains(says), "{operation} {name:?}: {message}");
        }
    }
}
