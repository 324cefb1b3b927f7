//! SQL that a caller wrote: what it gives, where it ends, and that it only reads.

use std::time::Duration;

use worldspace_model::Value;
use worldspace_providers::sql::Settings;

use super::world::{Fields, World, integer as int};
use super::writing::{PEOPLE, digits, list, rows, text, told};

/// The columns, the rows and whether there are more.
fn asked(world: &World, query: &str, more: Fields<'_>) -> String {
    let arguments = [&[("query", text(query))][..], more].concat();
    match world.call("/", "sql", &arguments) {
        Ok(value) => {
            let value = value.as_record().unwrap();
            let truncated = value.get("truncated").unwrap().as_bool().unwrap();
            let (columns, rows) = (value.get("columns").unwrap(), value.get("rows").unwrap());
            format!("{columns:?} {rows:?}{}", if truncated { " …" } else { "" })
        }
        Err(error) => format!("{}: {}", error.code, error.message),
    }
}

#[test]
fn sql_gives_columns_and_rows_of_exact_values() {
    let world = World::writable(PEOPLE);
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5) SELECT i FROM n";
    for (query, more, answer) in [
        ("SELECT id, name FROM people", &[][..], r#"["id", "name"] [[1, "ann"], [2, "bob"]]"#),
        ("SELECT 1 AS a, 2 AS a", &[], r#"["a", "a"] [[1, 2]]"#),
        ("SELECT * FROM people WHERE 0", &[], r#"["id", "name", "mail", "age", "note", "loud"] []"#),
        (
            "SELECT NULL, 1.5, x'00ff', 9e999",
            &[],
            r#"["NULL", "1.5", "x'00ff'", "9e999"] [[unit, 1.5, {"$bytes": "AP8="}, {"$real": "Infinity"}]]"#,
        ),
        ("SELECT 9223372036854775807 AS n", &[], r#"["n"] [[{"$integer": "9223372036854775807"}]]"#),
        ("SELECT zeroblob(65537) AS b", &[], r#"["b"] [[{"$omitted": {"type": "bytes", "size": 65537}}]]"#),
        (numbers, &[("limit", int(5))], r#"["i"] [[1], [2], [3], [4], [5]]"#),
        (numbers, &[("limit", int(2))], r#"["i"] [[1], [2]] …"#),
    ] {
        assert_eq!(asked(&world, query, more), answer, "{query}");
    }
    let values = [int(1), text("' OR 1"), Value::Boolean(true), Value::Unit, digits(i64::MIN)];
    let answer = asked(&world, "SELECT ?, ?, ?, ?, ? AS e", &[("parameters", list(&values))]);
    assert!(answer.contains(r#"[[1, "' OR 1", 1, unit, {"$integer": "-9223372036854775808"}]]"#), "{answer}");
}

#[test]
fn sql_answers_no_more_than_an_answer_holds() {
    let world = World::writable(PEOPLE);
    let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, hex(zeroblob(2000)) FROM n";
    let answer = asked(&world, many, &[("limit", int(10_000))]);
    assert!(answer.ends_with(" …") && answer.len() < 700_000, "{}", answer.len());
    let wide: Vec<String> = (0..500).map(|at| format!("hex(zeroblob(30000)) AS c{at}")).collect();
    let answer = asked(&world, &format!("SELECT {}", wide.join(", ")), &[]);
    assert!(answer.contains("$omitted") && answer.len() < 700_000, "{}", answer.len());
}

#[test]
fn sql_fits_its_answer_into_what_the_caller_takes() {
    let world = World::of(PEOPLE);
    let wide: Vec<String> = (0..10).map(|at| format!("hex(zeroblob({})) AS c{at}", 500 * at)).collect();
    let query = format!("SELECT {} UNION ALL SELECT 1, 2, 3, 4, 5, 6, 7, 8, 9, 10", wide.join(", "));
    let answer = world.call_fitting(20_000, "/", "sql", &[("query", text(&query))]).unwrap();
    let rows = format!("{:?}", answer.as_record().unwrap().get("rows").unwrap());
    assert!(rows.len() < 20_000 && rows.contains("$omitted") && rows.contains("000000"), "{}", rows.len());
}

#[test]
fn sql_only_reads_whatever_it_says() {
    let world = World::writable(&format!("{PEOPLE}; CREATE TABLE canary (n); INSERT INTO canary VALUES (1)"));
    let outside = world.path().with_file_name("outside.db");
    let attach = format!("ATTACH '{}' AS other", outside.display());
    let vacuum = format!("VACUUM INTO '{}'", outside.display());
    for query in [
        "",
        "  -- nothing\n",
        ";",
        "SELECT",
        "SELECT 1; SELECT 2",
        "SELECT 1; DELETE FROM canary",
        "SELECT \"no such column\" FROM people",
        "SELECT ?",
        "DELETE FROM canary",
        "UPDATE canary SET n = 2",
        "INSERT INTO canary VALUES (2) RETURNING n",
        "REPLACE INTO canary VALUES (2)",
        "WITH c AS (SELECT 1) DELETE FROM canary",
        "DROP TABLE canary",
        "CREATE TABLE evil (a)",
        "CREATE TEMP TABLE evil (a)",
        "CREATE TEMP TRIGGER evil AFTER INSERT ON people BEGIN DELETE FROM canary; END",
        "ALTER TABLE canary RENAME TO evil",
        "BEGIN EXCLUSIVE",
        "COMMIT",
        "ROLLBACK",
        "SAVEPOINT evil",
        "PRAGMA query_only = 0",
        "PRAGMA writable_schema = 1",
        "PRAGMA journal_mode = OFF",
        "PRAGMA user_version = 7",
        "VACUUM",
        "REINDEX",
        "ANALYZE",
        &attach,
        &vacuum,
        "SELECT load_extension('evil')",
        "SELECT writefile('evil', 'x')",
        "SELECT fts3_tokenizer('simple', x'00')",
    ] {
        let answer = asked(&world, query, &[]);
        assert!(answer.starts_with("invalid_arguments: arguments.query: "), "{query}: {answer}");
    }
    let wrong = list(&[list(&[])]);
    assert!(asked(&world, "SELECT ?", &[("parameters", wrong)]).contains("arguments.parameters[0]"));
    assert!(asked(&world, "SELECT 1", &[("limit", int(0))]).contains("arguments.limit"));
    assert_eq!(rows(&world, "SELECT n FROM canary"), "1");
    assert_eq!(rows(&world, "SELECT count(*) FROM sqlite_schema WHERE type = 'table'"), "2");
    assert_eq!(rows(&world, "PRAGMA user_version"), "1");
    assert!(!outside.exists());
    assert_eq!(told(world.call("/people", "insert", &[("name", text("eve"))])), "inserted /people/3");
}

#[test]
fn sql_that_would_go_on_for_ever_or_fill_the_memory_is_stopped() {
    let settings = Settings { statement_time: Duration::from_millis(300), ..Settings::default() };
    let world = World::with(settings, PEOPLE);
    for (query, says) in [
        (
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
            "ran longer than 0.3 s",
        ),
        ("SELECT length(zeroblob(1000000000000))", " MiB"),
        ("SELECT length(printf('%.*c', 2000000000, 'x'))", " MiB"),
    ] {
        let answer = asked(&world, query, &[]);
        assert!(
            answer.starts_with("resource_limit_exceeded: ") && answer.contains(says),
            "{query}: {answer}"
        );
    }
}
