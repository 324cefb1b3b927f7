//! Whatever a table holds and a caller asks, `where` chooses what the same conditions in SQL choose.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use worldspace_model::Value;

use super::filtering::{found, of_column, value};
use super::paging::cell;
use super::world::{World, integer, json};

/// Columns of every kind, and how a value of each is given.
const COLUMNS: [&str; 7] = ["flag", "n", "x", "s", "d", "b", "a"];
/// All tests, and what each of them says of a column and a value.
const TESTS: [(&str, &str); 6] = [
    ("equal", "(C = V)"),
    ("not", "NOT (C = V)"),
    ("less", "NOT (C >= V)"),
    ("at_most", "NOT (C > V)"),
    ("greater", "NOT (C <= V)"),
    ("at_least", "NOT (C < V)"),
];

/// A value of a column's type and of the exact form, with what it is in SQL. Few, so that many are met.
fn given(column: &'static str) -> BoxedStrategy<(Value, String)> {
    let small = -2_i64..3;
    let short = || "[abAB]{0,2}";
    match column {
        "flag" => any::<bool>().prop_map(|on| (Value::Boolean(on), i64::from(on).to_string())).boxed(),
        "n" => small.prop_map(|n| (integer(n), n.to_string())).boxed(),
        "x" => small.prop_map(|n| (json(&format!("{n}.5")), format!("{n}.5"))).boxed(),
        "s" => "[abAB%_]{0,2}".prop_map(|text| (Value::from(&*text), format!("'{text}'"))).boxed(),
        "d" => "[-1]?[0-2]".prop_map(|text| (Value::from(&*text), format!("'{text}'"))).boxed(),
        "b" => Just((value("x'00ff'"), "x'00ff'".to_owned())).boxed(),
        _ => prop_oneof![
            small.prop_map(|n| (integer(n), n.to_string())),
            Just((json("0.5"), "0.5".to_owned())),
            Just((json("-1.0"), "-1.0".to_owned())),
            Just((json(r#"{"$integer": "9007199254740993"}"#), "9007199254740993".to_owned())),
            Just((json(r#"{"$real": "Infinity"}"#), "9e999".to_owned())),
            Just((json(r#"{"$text": "/w=="}"#), "CAST(x'ff' AS TEXT)".to_owned())),
            Just((json(r#"{"$bytes": "AP8="}"#), "x'00ff'".to_owned())),
            short().prop_map(|text| (Value::from(&*text), format!("'{text}'"))),
            "-?[0-2]".prop_map(|text| (Value::from(&*text), format!("'{text}'"))),
        ]
        .boxed(),
    }
}

/// A condition, and the same in SQL.
fn random_condition() -> impl Strategy<Value = (Value, String)> {
    let column = (proptest::sample::select(&COLUMNS[..]), proptest::bool::weighted(0.3));
    column.prop_flat_map(|(column, exact)| {
        let values = proptest::collection::vec(given(if exact { "a" } else { column }), 1..4);
        (Just(column), Just(exact), values, 0..TESTS.len() + 4).prop_map(|(column, exact, values, test)| {
            let ordered = exact || !["flag", "b"].contains(&column);
            let (first, sql) = &values[0];
            let (case, sql) = match test.checked_sub(TESTS.len()) {
                Some(0) => (Value::case("null", None), format!("{column} IS NULL")),
                Some(1) => (Value::case("not_null", None), format!("NOT {column} IS NULL")),
                Some(2) if exact || column != "flag" => {
                    let each = values.iter().map(|(_, sql)| format!("{column} = {sql}"));
                    let sql = format!("({})", each.collect::<Vec<_>>().join(" OR "));
                    let items = values.iter().map(|(value, _)| value.clone()).collect();
                    (Value::case("in", Some(Value::list(items).unwrap())), sql)
                }
                Some(_) if !exact && ["s", "d"].contains(&column) => {
                    (Value::case("like", Some(first.clone())), format!("{column} LIKE {sql}"))
                }
                Some(_) => (Value::case("equal", Some(first.clone())), format!("{column} = {sql}")),
                None => {
                    let (name, said) = TESTS[if ordered { test } else { test % 2 }];
                    let said = said.replace('C', column).replace('V', sql);
                    (Value::case(name, Some(first.clone())), said)
                }
            };
            let column = if exact { format!("exact:{column}") } else { column.to_owned() };
            (of_column(&column, case.unwrap()), sql)
        })
    })
}

#[test]
fn whatever_stands_in_a_table_is_found_as_sql_finds_it() {
    let mut runner = TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
    let row = proptest::collection::vec(cell(), COLUMNS.len());
    let lists = proptest::collection::vec(proptest::collection::vec(random_condition(), 0..4), 0..4);
    let given = (proptest::collection::vec(row, 5..25), proptest::collection::vec(lists, 12), any::<bool>());
    runner
        .run(&given, |(rows, filters, nocase)| {
            let collation = if nocase { " COLLATE NOCASE" } else { "" };
            let rows = rows.iter().enumerate().map(|(id, cells)| format!("({id}, {})", cells.join(", ")));
            let world = World::of(&format!(
                "CREATE TABLE t (id INTEGER PRIMARY KEY, flag BOOLEAN, n INTEGER, x REAL, s TEXT{collation}, d DATE, b BLOB, a{collation});
                 INSERT INTO t VALUES {}",
                rows.collect::<Vec<_>>().join(", ")
            ));
            let connection = world.beside();
            for lists in filters {
                let list = |list: &Vec<(Value, String)>| {
                    Value::list(list.iter().map(|(condition, _)| condition.clone()).collect()).unwrap()
                };
                let filter = Value::list(lists.iter().map(list).collect()).unwrap();
                let all = |list: &Vec<(Value, String)>| {
                    list.iter().fold("1".to_owned(), |all, (_, sql)| format!("{all} AND {sql}"))
                };
                let any = lists.iter().map(all).fold("0".to_owned(), |any, list| format!("{any} OR ({list})"));
                let sql = format!("SELECT id FROM t WHERE {any} ORDER BY id");
                let mut statement = connection.prepare(&sql).unwrap();
                let ids = statement.query_map([], |row| row.get(0)).unwrap();
                let ids: Vec<i64> = ids.map(Result::unwrap).collect();
                prop_assert_eq!(found(&world, &filter).unwrap(), ids, "{}", sql);
            }
            Ok(())
        })
        .unwrap();
}
