//! The functions that have another form for callers mean what SQLite's mean.

use std::time::Instant;

use proptest::prelude::*;
use rusqlite::types::Value;

use super::*;
use crate::sql::sqlite::functions::replace_slow;

const CALLS: [&str; 7] = [
    "instr(?1, ?2)",
    "replace(?1, ?2, ?3)",
    "trim(?1, ?2)",
    "ltrim(?1, ?2)",
    "rtrim(?1, ?2)",
    "trim(?1)",
    "replace(upper(?1), 'A', ?2) || instr(?3, 'b')",
];

/// The type of what a connection makes of it, and its bytes.
fn made(raw: &Connection, call: &str, values: &[Value; 3]) -> (String, Vec<u8>) {
    let sql = format!(
        "WITH r(v) AS (SELECT {call}), g AS (SELECT ?1, ?2, ?3) SELECT typeof(v), CAST(v AS BLOB) FROM r, g"
    );
    let row = raw
        .prepare_cached(&sql)
        .unwrap()
        .query_row(rusqlite::params_from_iter(values), |row| Ok((row.get(0)?, row.get::<_, Option<_>>(1)?)));
    row.map(|(kind, bytes): (String, Option<Vec<u8>>)| (kind, bytes.unwrap_or_default())).unwrap()
}

fn encoded(encoding: &str) -> Connection {
    let raw = Connection::open_in_memory().unwrap();
    raw.execute_batch(&format!("PRAGMA encoding='{encoding}'; CREATE TABLE t(a)")).unwrap();
    raw
}

/// Of few bytes, so that they meet: characters of each length, their parts, and NUL.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let pieces = ["a", "b", "A", " ", "é", "€", "🦀", "\0"].map(str::as_bytes);
    let halves = [&[0x80][..], &[0xc3], &[0xe2, 0x82], &[0xc3, 0x80, 0x80], &[0xff], &[0x61]];
    let piece = prop::sample::select([&pieces[..], &halves].concat());
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = Value> {
    let clean = prop::collection::vec(
        prop::sample::select(vec!["a", "b", "ab", "A", " ", "é", "€", "🦀", "\0"]),
        0..8,
    );
    prop_oneof![
        4 => clean.prop_map(|pieces| Value::Text(pieces.concat())),
        3 => bytes().prop_map(Value::Blob),
        1 => Just(Value::Null),
        1 => (-20_i64..2_000).prop_map(Value::Integer),
        1 => any::<f64>().prop_map(Value::Real),
        1 => (-20_i32..2_000).prop_map(|value| Value::Real(f64::from(value) / 8.0)),
    ]
}

proptest! {
    #[test]
    fn they_give_what_sqlites_own_give(values in [value(), value(), value()]) {
        // Half a character of UTF-16 at the end is dropped by SQLite, but not everywhere.
        let odd = values.iter().any(|value| matches!(value, Value::Blob(bytes) if bytes.len() % 2 == 1));
        for encoding in if odd { &["UTF-8"][..] } else { &["UTF-8", "UTF-16le", "UTF-16be"] } {
            let (own, ours) = (encoded(encoding), encoded(encoding));
            replace_slow(&ours).unwrap();
            for call in CALLS {
                // Also of texts that are not UTF-8.
                for call in [call.to_owned(), call.replace("?1", "CAST(?1 AS TEXT)").replace("?2", "CAST(?2 AS TEXT)")] {
                    prop_assert_eq!(made(&ours, &call, &values), made(&own, &call, &values), "{} {}", encoding, call);
                }
            }
        }
    }
}

#[test]
fn what_sqlite_would_take_hours_for_is_soon_done() {
    let file = File::of("CREATE TABLE t(a)");
    let sqlite = file.reader();
    let long = "WITH long(x) AS MATERIALIZED (SELECT replace(hex(zeroblob(400000)), '0', 'a'))";
    let since = Instant::now();
    for (call, found) in [
        ("instr(x, substr(x, 1, 400000) || 'b')", Cell::Integer(0)),
        ("length(replace(x, substr(x, 1, 300000) || 'b', ''))", Cell::Integer(800_000)),
        ("length(rtrim(substr(x, 1, 100000), hex(zeroblob(50000)) || 'a'))", Cell::Integer(0)),
        ("length(ltrim(substr(x, 1, 100000), hex(zeroblob(50000)) || 'a'))", Cell::Integer(0)),
    ] {
        let rows = run(&sqlite, &format!("{long} SELECT {call} FROM long"), &[]).unwrap();
        assert_eq!(rows, [[found]], "{call}");
    }
    assert!(since.elapsed() < Duration::from_secs(15), "{:?}", since.elapsed());
    for call in ["unhex('00', ' ')", "json_patch('{}', '{}')", "jsonb_patch('{}', '{}')"] {
        let refused = run(&sqlite, &format!("SELECT {call}"), &[]);
        assert!(matches!(refused, Err(SqlError::Statement(_))), "{call}: {refused:?}");
    }
    assert_eq!(run(&sqlite, "SELECT unhex('61')", &[]).unwrap(), [[Cell::Blob(Box::new(*b"a"))]]);
}

#[test]
fn views_generated_columns_and_indexes_go_on_using_them() {
    for encoding in ["UTF-8", "UTF-16le"] {
        let file = File::of(&format!(
            "PRAGMA encoding='{encoding}';
             CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, at AS (instr(a, '@')), b AS (replace(a, '@', 1.5)) STORED,
                 CHECK (trim(a, '.') <> ''));
             CREATE INDEX found ON t(instr(a, '@'), trim(a, '.é'));
             CREATE INDEX some ON t(id) WHERE instr(a, '@') > 2;
             CREATE VIEW v AS SELECT id, instr(a, '@') AS at, rtrim(a, '.') AS name FROM t;
             INSERT INTO t(a) VALUES ('é@b.'), ('..c'), ('a.b@c');"
        ));
        let sqlite = file.reader();
        let numbers = |sql: &str| run(&sqlite, sql, &[]).unwrap().concat();
        let number = |numbers: &[i64]| numbers.iter().copied().map(Cell::Integer).collect::<Vec<_>>();
        assert_eq!(numbers("SELECT at FROM t ORDER BY id"), number(&[2, 0, 4]));
        assert_eq!(numbers("SELECT at FROM v ORDER BY id"), number(&[2, 0, 4]));
        assert_eq!(numbers("SELECT id FROM t INDEXED BY found WHERE instr(a, '@') = 2"), number(&[1]));
        let by_text = "SELECT id FROM t INDEXED BY found WHERE instr(a, '@') = 2 AND trim(a, '.é') = '@b'";
        assert_eq!(numbers(by_text), number(&[1]));
        assert_eq!(numbers("SELECT id FROM t INDEXED BY some WHERE instr(a, '@') > 2"), number(&[3]));
        let other = numbers("SELECT instr(b, '1.5') FROM t ORDER BY id");
        assert_eq!(other, number(&[2, 0, 4]));
    }
}
