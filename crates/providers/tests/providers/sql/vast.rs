//! A file of more than 10 GB, of which the file system keeps only what was written.

use std::fs::OpenOptions;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;

use rusqlite::Connection;
use worldspace_model::Value;
use worldspace_providers::sql::Settings;

use super::world::{World, field, integer};
use super::writing::{rows, text, told};

const PAGE: u64 = 65_536;
const SIZE: u64 = 11 << 30;

/// Makes a database longer: pages that nothing is on, and that the file system keeps no block for. What is added later comes
/// behind them (<https://www.sqlite.org/fileformat.html#the_database_header>).
fn lengthen(path: &Path) {
    let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
    let number = |at| {
        let mut bytes = [0; 4];
        file.read_exact_at(&mut bytes, at).unwrap();
        u32::from_be_bytes(bytes)
    };
    let change = (number(24) + 1).to_be_bytes();
    let pages = u32::try_from(SIZE / PAGE).unwrap().to_be_bytes();
    file.set_len(SIZE).unwrap();
    // The counter of changes, the number of pages, and the change that this number is of.
    for (bytes, at) in [(change, 24), (pages, 28), (change, 92)] {
        file.write_all_at(&bytes, at).unwrap();
    }
}

/// Rows at the start of the file and behind 11 GiB, with a long value each.
fn make(connection: &Connection) {
    let things = "PRAGMA page_size = 65536;
        CREATE TABLE things (id INTEGER PRIMARY KEY, label TEXT NOT NULL UNIQUE, data BLOB);
        INSERT INTO things VALUES (1, 'first', zeroblob(200000) || x'01')";
    connection.execute_batch(things).unwrap();
    lengthen(Path::new(connection.path().unwrap()));
    let more = "WITH RECURSIVE s(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM s WHERE i < 9000)
            INSERT INTO things SELECT i, 'thing ' || i, NULL FROM s;
        INSERT INTO things VALUES (9001, 'last', zeroblob(200000) || x'02')";
    connection.execute_batch(more).unwrap();
}

#[test]
fn a_file_of_more_than_10_gb_is_read_and_written_at_both_ends() {
    let world = World::made(Settings { writable: true, ..Settings::default() }, make);
    let metadata = std::fs::metadata(world.path()).unwrap();
    assert!(metadata.len() > 10_000_000_000 && metadata.blocks() * 512 < 50_000_000, "{metadata:?}");
    let pages: u64 = rows(&world, "PRAGMA page_count").parse().unwrap();
    assert_eq!(pages * PAGE, metadata.len(), "the database ends before the file does");

    assert_eq!(world.names("/", 1), ["w", "things"]);
    assert_eq!(field(&world.call("/things", "count", &[]).unwrap(), "count"), &integer(9_001));
    for (descending, first) in [(false, 1), (true, 9_001)] {
        let order =
            Value::record([("column", Some(text("id"))), ("descending", Some(Value::Boolean(descending)))]);
        let order = Value::list(vec![order.unwrap()]).unwrap();
        let mut arguments = vec![("order_by", order), ("limit", integer(3))];
        let id = |page: &Value| {
            let row = &field(page, "rows").as_list().unwrap()[0];
            field(
                row.as_record().unwrap().get("row").or(row.as_record().unwrap().get("exact")).unwrap(),
                "id",
            )
            .as_integer()
            .unwrap()
        };
        let page = world.call("/things", "query", &arguments).unwrap();
        assert_eq!(id(&page), first);
        arguments.push(("cursor", field(&page, "next_cursor").clone()));
        let next = if descending { first - 3 } else { first + 3 };
        assert_eq!(id(&world.call("/things", "query", &arguments).unwrap()), next);
    }
    for (path, label, end) in [("/things/1", "first", 1), ("/things/9001", "last", 2)] {
        let sql = format!("SELECT id FROM things WHERE label = '{label}'");
        assert_eq!(path, format!("/things/{}", rows(&world, &sql)));
        let arguments = [("column", text("data")), ("offset", integer(199_999)), ("length", integer(9))];
        let part = world.call(path, "read_bytes", &arguments).unwrap();
        assert_eq!(field(&part, "data"), &Value::bytes([0, end]), "{path}");
        assert_eq!(field(&part, "size"), &integer(200_001), "{path}");
        let new = format!("{label} of all");
        assert_eq!(told(world.call(path, "update", &[("label", text(&new))])), "updated");
        assert_eq!(rows(&world, &format!("SELECT count(*) FROM things WHERE label = '{new}'")), "1");
    }
    let inserted = told(world.call("/things", "insert", &[("label", text("behind all"))]));
    assert_eq!(inserted, "inserted /things/9002");
    assert_eq!(told(world.call("/things/9001", "delete", &[])), "deleted");
    let sql = [("query", text("SELECT max(id), count(*) FROM things"))];
    let answer = world.call("/", "sql", &sql).unwrap();
    assert_eq!(format!("{:?}", field(&answer, "rows")), "[[9002, 9001]]");
    assert!(std::fs::metadata(world.path()).unwrap().blocks() * 512 < 50_000_000);
}
