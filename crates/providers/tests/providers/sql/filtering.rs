//! What `where` chooses is what SQL says: each test of each kind of column, lists of lists, the exact form, and references.

use worldspace_model::{EntryPath, ErrorCode, ProtocolError, Value};
use worldspace_providers::sql::Settings;

use super::world::{World, field, integer, json};
use crate::hosted::entry;

/// A value, as JSON; bytes as `x'00ff'`.
pub(super) fn value(text: &str) -> Value {
    let Some(digits) = text.strip_prefix("x'").and_then(|rest| rest.strip_suffix('\'')) else {
        return json(text);
    };
    let pair = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    Value::bytes((0..digits.len()).step_by(2).map(pair).collect::<Vec<u8>>())
}

/// `column test value`, `exact:column test value`, or `reference -> /table/key`.
fn condition(text: &str) -> Value {
    let mut parts = text.splitn(3, ' ');
    let (column, test, given) = (parts.next().unwrap(), parts.next().unwrap(), parts.next());
    if test == "->" {
        let entry = EntryPath::parse(&entry(given.unwrap())).unwrap();
        return Value::case(column, Some(Value::Entry(entry))).unwrap();
    }
    let items = |list: &str| Value::list(list.split(';').map(value).collect()).unwrap();
    let given = given.map(|given| match given.strip_prefix("list ") {
        Some(list) => items(list),
        None => value(given),
    });
    of_column(column, Value::case(test, given).unwrap())
}

pub(super) fn of_column(column: &str, test: Value) -> Value {
    match column.strip_prefix("exact:") {
        None => Value::case(column, Some(test)).unwrap(),
        Some(column) => {
            let of = Value::record([("column", Some(Value::from(column))), ("test", Some(test))]);
            Value::case("exact", Some(of.unwrap())).unwrap()
        }
    }
}

/// Lists that ` | ` stands between, of conditions that ` & ` stands between.
fn filter(text: &str) -> Value {
    let list = |text: &str| Value::list(text.split(" & ").map(condition).collect()).unwrap();
    Value::list(text.split(" | ").map(list).collect()).unwrap()
}

/// The numbers of the rows that are found, which `count` counts as well.
pub(super) fn found(world: &World, filter: &Value) -> Result<Vec<i64>, ProtocolError> {
    let counted = world.call("/t", "count", &[("where", filter.clone())]);
    let arguments = [("where", filter.clone()), ("limit", integer(1_000))];
    let page = world.call("/t", "query", &arguments);
    let page = match (page, &counted) {
        (Ok(page), Ok(_)) => page,
        (Err(error), Err(of_count)) => {
            assert_eq!(error.message, of_count.message);
            return Err(error);
        }
        (page, counted) => panic!("{filter:?}: {page:?}, and {counted:?}"),
    };
    let id = |row: &Value| {
        let row = row.as_record().unwrap();
        field(row.get("row").or(row.get("exact")).unwrap(), "id").as_integer().unwrap()
    };
    let ids: Vec<i64> = field(&page, "rows").as_list().unwrap().iter().map(id).collect();
    assert_eq!(field(&counted.unwrap(), "count"), &integer(ids.len() as i64), "{filter:?}");
    Ok(ids)
}

/// Tries every filter, and tells of all that find something else.
fn check(world: &World, cases: &[(&str, &[i64])]) {
    let wrong = cases.iter().filter_map(|(text, ids)| match found(world, &filter(text)) {
        Ok(found) if found == *ids => None,
        other => Some(format!("{text}: {other:?} instead of {ids:?}")),
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Three rows of values of each kind, one without any, and some of values that no type of a column can say.
const KINDS: &str =
    "CREATE TABLE t (id INTEGER PRIMARY KEY, flag BOOLEAN, n INTEGER, x REAL, s TEXT, c TEXT COLLATE NOCASE,
        d DATE, b BLOB, a);
    INSERT INTO t VALUES
        (1, 0, 1, 0.5, 'ann', 'Ann', '2024-01-31', x'00', 'one'),
        (2, 1, 2, 1.5, 'Bob', 'BOB', '2024-02-01', x'00ff', 2),
        (3, 1, 3, 2.5, '50%_\\', 'cät', '2024-02-29', x'ff', 2.5),
        (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
        (5, 'yes', 'many', 9e999, x'616e6e', x'00', 2024, 'ann', x'00'),
        (6, 7, 9223372036854775807, -9e999, CAST(x'ff' AS TEXT), '', 1.5, x'', 9223372036854775807);";

#[test]
fn each_test_of_each_kind_of_column_finds_what_sql_says() {
    // Values of other kinds stand as SQL orders them: numbers, then text, then bytes.
    check(
        &World::of(KINDS),
        &[
            ("flag equal true", &[2, 3]),
            ("flag equal false", &[1]),
            ("flag not true", &[1, 5, 6]),
            ("flag null", &[4]),
            ("flag not_null", &[1, 2, 3, 5, 6]),
            ("n equal 2", &[2]),
            ("n not 2", &[1, 3, 5, 6]),
            ("n in [1, 3, 17]", &[1, 3]),
            ("n in []", &[]),
            ("n less 2", &[1]),
            ("n at_most 2", &[1, 2]),
            ("n greater 2", &[3, 5, 6]),
            ("n at_least 2", &[2, 3, 5, 6]),
            ("n null", &[4]),
            ("n not_null", &[1, 2, 3, 5, 6]),
            ("x equal 1.5", &[2]),
            ("x not 1.5", &[1, 3, 5, 6]),
            ("x in [0.5, 2.5]", &[1, 3]),
            ("x in []", &[]),
            ("x less 1.5", &[1, 6]),
            ("x at_most 1.5", &[1, 2, 6]),
            ("x greater 1.5", &[3, 5]),
            ("x at_least 1.5", &[2, 3, 5]),
            ("x less 2.0", &[1, 2, 6]),
            ("x null", &[4]),
            ("x not_null", &[1, 2, 3, 5, 6]),
            (r#"s equal "ann""#, &[1]),
            (r#"s equal "bob""#, &[]),
            (r#"s not "ann""#, &[2, 3, 5, 6]),
            (r#"s in ["ann", "Bob", ""]"#, &[1, 2]),
            ("s in []", &[]),
            (r#"s less "Bob""#, &[3]),
            (r#"s at_most "Bob""#, &[2, 3]),
            (r#"s greater "Bob""#, &[1, 5, 6]),
            (r#"s at_least "Bob""#, &[1, 2, 5, 6]),
            ("s null", &[4]),
            ("s not_null", &[1, 2, 3, 5, 6]),
            (r#"c equal "ann""#, &[1]),
            (r#"c in ["bOB", "CÄT"]"#, &[2]),
            (r#"c not "ANN""#, &[2, 3, 5, 6]),
            (r#"c at_most "bob""#, &[1, 2, 6]),
            (r#"c equal """#, &[6]),
            (r#"d equal "2024-02-01""#, &[2]),
            (r#"d not "2024-02-01""#, &[1, 3, 5, 6]),
            // What looks like a number is one in such a column.
            (r#"d equal "2024""#, &[5]),
            (r#"d in ["2024-01-31", "1.5"]"#, &[1, 6]),
            ("d in []", &[]),
            (r#"d less "2024-02-01""#, &[1, 5, 6]),
            (r#"d at_most "2024-02-01""#, &[1, 2, 5, 6]),
            (r#"d greater "2024-02-01""#, &[3]),
            (r#"d at_least "2024-02-01""#, &[2, 3]),
            (r#"d like "2024-02-%""#, &[2, 3]),
            ("d null", &[4]),
            ("d not_null", &[1, 2, 3, 5, 6]),
            ("b equal x'00ff'", &[2]),
            ("b equal x''", &[6]),
            ("b not x'00ff'", &[1, 3, 5, 6]),
            ("b in list x'00';x'ff';x'0000'", &[1, 3]),
            ("b in []", &[]),
            ("b null", &[4]),
            ("b not_null", &[1, 2, 3, 5, 6]),
            (r#"a equal "one""#, &[1]),
            ("a equal 2", &[2]),
            (r#"a equal "2""#, &[]),
            ("a equal 2.5", &[3]),
            (r#"a equal {"$bytes": "AA=="}"#, &[5]),
            (r#"a equal {"$integer": "9223372036854775807"}"#, &[6]),
            ("a not 2", &[1, 3, 5, 6]),
            (r#"a in ["one", 2.0, null]"#, &[1, 2]),
            ("a in []", &[]),
            ("a less 2.5", &[2]),
            ("a at_most 2.5", &[2, 3]),
            ("a greater 2.5", &[1, 5, 6]),
            (r#"a at_least "one""#, &[1, 5]),
            ("a null", &[4]),
            ("a not_null", &[1, 2, 3, 5, 6]),
        ],
    );
}

#[test]
fn patterns_know_two_signs_an_escape_and_no_case_of_ascii() {
    check(
        &World::of(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, s TEXT, b TEXT COLLATE BINARY);
             INSERT INTO t (id, s) VALUES (1, ''), (2, 'a'), (3, 'A'), (4, 'ab'), (5, 'äb'), (6, 'ÄB'), (7, '%'), (8, '_'), (9, '\\'),
                 (10, NULL), (11, 'a%b'), (12, 'a' || char(10) || 'b'), (13, '🦀'), (14, 5);
             UPDATE t SET b = s",
        ),
        &[
            (r#"s like "%""#, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14]),
            (r#"s like """#, &[1]),
            (r#"s like "a""#, &[2, 3]),
            (r#"b like "A""#, &[2, 3]),
            (r#"s like "a%""#, &[2, 3, 4, 11, 12]),
            (r#"s like "%B""#, &[4, 5, 6, 11, 12]),
            (r#"s like "_""#, &[2, 3, 7, 8, 9, 13, 14]),
            (r#"s like "_b""#, &[4, 5, 6]),
            (r#"s like "äB""#, &[5]),
            (r#"s like "a_b""#, &[11, 12]),
            (r#"s like "\\%""#, &[7]),
            (r#"s like "\\_""#, &[8]),
            (r#"s like "\\\\""#, &[9]),
            (r#"s like "%\\%%""#, &[7, 11]),
            (r#"s like "\\a""#, &[2, 3]),
            (r#"s like "a\\""#, &[]),
            (r#"s like "5""#, &[14]),
            (r#"s like "' OR 1 --""#, &[]),
        ],
    );
}

#[test]
fn any_of_the_lists_is_enough_and_all_within_a_list_are_needed() {
    let world = World::of(KINDS);
    check(
        &world,
        &[
            ("n at_least 1 & n at_most 2", &[1, 2]),
            ("n equal 1 | n equal 3", &[1, 3]),
            ("n equal 1 & x equal 2.5", &[]),
            ("n equal 1 & flag equal false | n equal 3 & flag equal false", &[1]),
            (r#"n equal 2 | n null | s like "A%""#, &[1, 2, 4, 5]),
            ("n equal 1 & n equal 1 | n equal 1", &[1]),
            ("n null & x null", &[4]),
            ("id at_least 2 & n in [] | id equal 1", &[1]),
        ],
    );
    let list = |items: Vec<Value>| Value::list(items).unwrap();
    let all = [1, 2, 3, 4, 5, 6];
    assert_eq!(found(&world, &list(vec![])).unwrap(), [] as [i64; 0], "none of no lists");
    assert_eq!(found(&world, &list(vec![list(vec![])])).unwrap(), all, "all of no conditions");
    let either = list(vec![list(vec![condition("n equal 1")]), list(vec![])]);
    assert_eq!(found(&world, &either).unwrap(), all);
    assert_eq!(field(&world.call("/t", "count", &[]).unwrap(), "count"), &integer(6));
}

#[test]
fn values_that_no_column_type_can_say_are_found_in_the_exact_form() {
    check(
        &World::of(KINDS),
        &[
            (r#"exact:n equal {"$integer": "9223372036854775807"}"#, &[6]),
            (r#"exact:n equal {"$integer": "9223372036854775806"}"#, &[]),
            (r#"exact:n at_least {"$integer": "9007199254740993"}"#, &[5, 6]),
            (r#"exact:n equal "many""#, &[5]),
            // A text that looks like a number is that number in a column of numbers.
            (r#"exact:n equal "2""#, &[2]),
            ("exact:n equal 2.0", &[2]),
            ("exact:n in [1, 2.0, \"many\", null]", &[1, 2, 5]),
            ("exact:n in [null]", &[]),
            ("exact:n null", &[4]),
            ("exact:n not_null & n at_most 3", &[1, 2, 3]),
            (r#"exact:x equal {"$real": "Infinity"}"#, &[5]),
            (r#"exact:x greater {"$real": "-Infinity"}"#, &[1, 2, 3, 5]),
            (r#"exact:s equal {"$bytes": "YW5u"}"#, &[5]),
            (r#"exact:s equal {"$text": "/w=="}"#, &[6]),
            (r#"exact:s equal {"$text": "YW5u"}"#, &[1]),
            (r#"exact:s less {"$bytes": ""}"#, &[1, 2, 3, 6]),
            ("exact:flag equal 7", &[6]),
            ("exact:flag equal true", &[2, 3]),
            (r#"exact:flag equal "yes""#, &[5]),
            (r#"exact:b equal "ann""#, &[5]),
            (r#"exact:c equal "ANN""#, &[1]),
            ("exact:d equal 2024", &[5]),
            (r#"exact:a not "one""#, &[2, 3, 5, 6]),
        ],
    );
}

#[test]
fn integers_that_travel_as_digits_are_compared_as_integers() {
    let world = World::with(
        Settings { exact_integers: true, ..Settings::default() },
        "CREATE TABLE t (k TEXT PRIMARY KEY, n INTEGER);
         INSERT INTO t VALUES ('a', 9), ('b', 10), ('c', -9223372036854775808), ('d', 9223372036854775807), ('e', NULL)",
    );
    for (text, keys) in [
        (r#"n less "10""#, "ac"),
        (r#"n at_most "10""#, "abc"),
        (r#"n greater "9""#, "bd"),
        (r#"n at_least "9223372036854775807""#, "d"),
        (r#"n equal "-9223372036854775808""#, "c"),
        (r#"n not "9""#, "bcd"),
        (r#"n in ["9", "9223372036854775807"]"#, "ad"),
    ] {
        let page = world.call("/t", "query", &[("where", filter(text))]).unwrap();
        let key = |row: &Value| field(field(row, "row"), "k").as_str().unwrap().to_owned();
        let found: String = field(&page, "rows").as_list().unwrap().iter().map(key).collect();
        assert_eq!(found, keys, "{text}");
    }
    let wrong = world.call("/t", "query", &[("where", filter(r#"n equal "ten""#))]).unwrap_err();
    assert!(wrong.message.as_str().contains("arguments.where[0][0].n.equal"), "{wrong}");
}

const REFERENCES: &str = "CREATE TABLE one (id INTEGER PRIMARY KEY, code TEXT UNIQUE);
    CREATE TABLE two (a TEXT, b INTEGER, PRIMARY KEY (a, b));
    CREATE TABLE cased (k TEXT PRIMARY KEY COLLATE NOCASE);
    CREATE TABLE t (id INTEGER PRIMARY KEY, one_id INTEGER REFERENCES one, code TEXT REFERENCES one (code), a TEXT, b INTEGER,
        k TEXT REFERENCES cased, parent INTEGER REFERENCES t, FOREIGN KEY (a, b) REFERENCES two);
    INSERT INTO one VALUES (1, 'x'), (2, 'y'), (3, NULL);
    INSERT INTO two VALUES ('m', 1), ('m', 2), ('n,o', 1);
    INSERT INTO cased VALUES ('Ann'), ('bob');
    INSERT INTO t VALUES
        (1, 1, 'y', 'm', 1, 'Ann', 1),
        (2, 1, 'x', 'm', 2, 'ANN', 1),
        (3, 2, NULL, 'm', NULL, 'BOB', 2),
        (4, 99, 'z', 'n,o', 1, 'eve', 99),
        (5, NULL, 'Y', NULL, 1, NULL, NULL);";

#[test]
fn rows_are_found_by_the_row_that_they_refer_to() {
    let world = World::of(&format!("PRAGMA foreign_keys = OFF; {REFERENCES}"));
    check(
        &world,
        &[
            ("one_by_one_id -> /one/1", &[1, 2]),
            ("one_by_one_id -> /one/2", &[3]),
            ("one_by_one_id -> /one/3", &[]),
            ("one_by_code -> /one/1", &[2]),
            // As the column of the referenced table compares: by bytes.
            ("one_by_code -> /one/2", &[1]),
            // That row has no code that anything could refer to.
            ("one_by_code -> /one/3", &[]),
            ("two -> /two/m,1", &[1]),
            ("two -> /two/m,2", &[2]),
            ("two -> /two/n~2o,1", &[4]),
            // The referenced column compares without regard to case.
            ("cased -> /cased/Ann", &[1, 2]),
            ("cased -> /cased/bob", &[3]),
            ("t -> /t/1", &[1, 2]),
            ("t -> /t/2", &[3]),
            ("t -> /t/5", &[]),
            // Rows that are not there, to which some refer and some do not.
            ("one_by_one_id -> /one/99", &[4]),
            ("t -> /t/99", &[4]),
            ("cased -> /cased/eve", &[4]),
            ("two -> /two/n~2o,2", &[]),
            ("one_by_one_id -> /one/98", &[]),
            ("one_by_one_id -> /one/1 & t -> /t/1 & two -> /two/m,2", &[2]),
            ("one_by_one_id -> /one/2 | t -> /t/1 & id equal 1", &[1, 3]),
        ],
    );
}

#[test]
fn another_spelling_of_a_key_names_no_row_that_anything_refers_to() {
    let world = World::of(&format!("PRAGMA foreign_keys = OFF; {REFERENCES}"));
    for path in ["/one/01", "/one/1.0", "/cased/ANN"] {
        assert!(world.fetch(path).is_err(), "{path}");
    }
    check(&world, &[("cased -> /cased/ANN", &[])]);
    // What no row of that table can ever be called.
    for path in ["/one/01", "/one/1.0"] {
        let refused = found(&world, &filter(&format!("one_by_one_id -> {path}"))).unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidArguments, "{path}");
    }
}

#[test]
fn what_is_no_row_of_the_referenced_table_is_refused() {
    let world = World::of(&format!("PRAGMA foreign_keys = OFF; {REFERENCES}"));
    for path in ["/two/m,1", "/one", "/", "/one/1/x", "/one/~t1x", "/one/~x0", "/t/1", "/nowhere/1"] {
        match found(&world, &filter(&format!("one_by_one_id -> {path}"))) {
            Err(error) => assert!(error.message.as_str().contains("where[0][0]"), "{path}: {error}"),
            Ok(ids) => panic!("{path} is taken for a row that {ids:?} refer to"),
        }
    }
    let outside = Value::Entry(EntryPath::parse("/elsewhere/one/1").unwrap());
    let list = |item| Value::list(vec![item]).unwrap();
    let outside = list(list(Value::case("one_by_one_id", Some(outside)).unwrap()));
    assert!(found(&world, &outside).unwrap_err().message.as_str().contains("where[0][0]"));
}

#[test]
fn filters_that_make_no_sense_or_too_much_work_are_refused_with_their_place() {
    let world = World::of(KINDS);
    let list = |items: Vec<Value>| Value::list(items).unwrap();
    let many = |number: usize| vec![condition("n equal 1"); number];
    let long = |number: usize| condition(&format!(r#"s like "{}""#, "%x".repeat(number)));
    let values = |number: usize| {
        let items = (0..number).map(|at| integer(at as i64)).collect();
        of_column("n", Value::case("in", Some(list(items))).unwrap())
    };
    for (filter, place) in [
        (filter("a equal null"), "where[0][0].a.equal"),
        (filter("id equal 1 | id equal 1 & exact:n less null"), "where[1][1].n.less"),
        (filter(r#"exact:n equal {"$integer": "1.5"}"#), "where[0][0].n.equal"),
        (filter(r#"a in [1, {"$odd": ""}]"#), "where[0][0].a.in[1]"),
        (list(vec![list(many(201))]), "where[0]"),
        (list(vec![list(many(1)); 201]), "where"),
        (list(vec![list(vec![long(30_000)])]), "where[0][0].s.like"),
        (list(vec![list(vec![values(30_001)])]), "where"),
    ] {
        let error = found(&world, &filter).unwrap_err();
        assert!(error.message.as_str().contains(&format!("arguments.{place}")), "{place}: {error}");
    }
    assert_eq!(found(&world, &list(vec![list(many(200)); 2])).unwrap(), [1]);
    assert_eq!(found(&world, &list(vec![list(many(2)); 200])).unwrap(), [1]);
    assert_eq!(found(&world, &list(vec![list(vec![long(200)])])).unwrap(), [] as [i64; 0]);
    assert_eq!(found(&world, &list(vec![list(vec![values(30_000)])])).unwrap(), [1, 2, 3]);
}
