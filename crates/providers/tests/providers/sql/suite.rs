//! Databases, read only and writable, through the suite that holds for every provider.

use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use worldspace_model::{Record, Value};
use worldspace_providers::sql::{Database, Settings};
use worldspace_testkit::suite::{self, Outcome, Report, Sample, Subject};

use super::databases::{Copy, Template, chinook, torture};

#[path = "../../../../../examples/shop/src/shop.rs"]
mod shop;

/// A fresh database, as somebody beside the Host reaches it.
type Hands = Arc<Copy>;
type Doing = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Many fresh copies of what a maker writes.
fn fresh(name: &str, writable: bool, make: impl FnOnce(&Path)) -> Subject<Hands> {
    let template = Arc::new(Template::of(make));
    Subject::new(name, move || {
        let template = template.clone();
        async move {
            let copy = Arc::new(template.copy());
            let settings = Settings { writable, ..Settings::default() };
            (Database::open_sqlite(&copy.path, settings).unwrap(), copy)
        }
    })
}

/// With what only these tests need.
fn also(path: &Path, sql: &str) {
    rusqlite::Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

/// What another program does to the file. `#` is a number that no other time has.
fn doing(sql: &'static str) -> impl Fn(Hands) -> Doing + Send + Sync + 'static {
    static TIMES: AtomicU64 = AtomicU64::new(0);
    move |copy: Hands| {
        let sql = sql.replace('#', &TIMES.fetch_add(1, Ordering::Relaxed).to_string());
        let work = move || copy.connect().execute_batch(&sql).unwrap();
        Box::pin(async move { tokio::task::spawn_blocking(work).await.unwrap() })
    }
}

/// A call on a table or one of its rows, whose interfaces belong to the table.
fn on(path: &str, interface: &str, operation: &str) -> Sample {
    let table = path[1..].split_once('/').map_or(path, |(table, _)| &path[..table.len() + 1]);
    Sample::of(path, interface, operation).scoped(table)
}

fn sql(query: &str) -> Sample {
    Sample::of("/", "sql.database", "sql").with("query", query)
}

fn integer(value: i64) -> Value {
    Value::integer(value).unwrap()
}

/// `where` with one condition: that the column passes this test.
fn having(column: &str, test: &str, value: impl Into<Value>) -> Value {
    let test = Value::case(test, Some(value.into())).unwrap();
    let list = |item| Value::list(vec![item]).unwrap();
    list(list(Value::case(column, Some(test)).unwrap()))
}

/// The field of that name, however deep.
pub(super) fn deep<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    let fields = value.as_record().map(Record::fields).unwrap_or_default();
    let own = fields.iter().find(|(field, _)| **field == *name).map(|(_, value)| value);
    own.or_else(|| fields.iter().find_map(|(_, value)| deep(value, name)))
}

// No page of a reading has a next one: a cursor is another text each time.

/// What holds of the shop whether it can be written or not.
fn shop(name: &str, writable: bool) -> Subject<Hands> {
    fresh(name, writable, |path| {
        shop::make(path).unwrap();
        also(
            path,
            "CREATE TRIGGER moved AFTER UPDATE OF country ON customers BEGIN
            UPDATE customers SET notes = coalesce(notes, '') || '+' WHERE id = NEW.id; END",
        );
    })
    .object("/")
    .leaf("/customers")
    .leaf("/order_lines")
    .leaf("/reviews")
    .leaf("/sales")
    .unlisted("/customers/1")
    .unlisted("/orders/137")
    .unlisted("/reviews/1")
    .absent("/shop")
    .absent("/customers/61")
    .absent("/customers/1/orders")
    .absent("/orders/-1")
    .absent("/order_lines/1")
    .absent("/sales/1")
    .hidden("/sqlite_schema")
    .identities()
    .states()
    .reading(on("/customers", "sql.table", "query").with("where", having("country", "equal", "Portugal")))
    .reading(on("/orders", "sql.table", "query").with("where", having("id", "at_most", integer(5))))
    .reading(on("/categories", "sql.table", "count"))
    .reading(on("/order_lines", "sql.table", "count"))
    .reading(on("/products", "sql.table", "get").with("id", integer(1)))
    .reading(on("/sales", "sql.view", "frequent_values").with("column", "country"))
    .reading(on("/customers/1", "sql.row", "read"))
    .reading(on("/customers/1", "sql.row", "orders"))
    .reading(on("/orders/137", "sql.row", "read"))
    .reading(on("/products/1", "sql.row", "read_bytes").with("column", "photo").with("length", integer(9)))
    .reading(sql("SELECT country, count(*) FROM customers GROUP BY country ORDER BY 2 DESC"))
    .refusing(on("/orders/137", "sql.row", "read_bytes").with("column", "nothing"))
    .refusing(on("/sales", "sql.view", "query").with("limit", integer(-1)))
    .refusing(sql("UPDATE customers SET notes = NULL"))
    .refusing(sql("PRAGMA user_version = 2"))
    .disturbing("/orders", doing("CREATE INDEX another_# ON orders (status)"))
    .disturbing("/customers/1", doing("UPDATE customers SET name = name || '#' WHERE id = 1"))
    .disturbing("/reviews/1", doing("UPDATE reviews SET text = '#' WHERE rowid = 1"))
}

fn shop_writable() -> Subject<Hands> {
    shop("the shop, writable", true)
        .adding(
            on("/customers/1", "sql.row.write", "update").with("country", "Portugal"),
            on("/customers/1", "sql.row", "read"),
            |read| deep(read, "notes").and_then(Value::as_str).map_or(0, |notes| notes.matches('+').count()),
        )
        .writing(on("/categories", "sql.table.write", "insert").with("name", "Lamps"))
        .writing(on("/orders/137", "sql.row.write", "update").with("status", "paid"))
        .writing(on("/order_lines/1,6", "sql.row.write", "delete"))
        .writing(on("/reviews/1", "sql.row.write", "delete"))
        .refusing(on("/orders/137", "sql.row.write", "update"))
}

/// What holds of Chinook whether it can be written or not.
fn chinook(name: &str, writable: bool) -> Subject<Hands> {
    fresh(name, writable, |path| {
        chinook::make(path);
        // Counts how often a customer was called, so that each effect of an update can be seen.
        let counting = "CREATE TRIGGER called AFTER UPDATE OF phone ON customer BEGIN
            UPDATE customer SET fax = coalesce(fax, '') || 'x' WHERE id = NEW.id; END";
        also(path, counting);
    })
    .object("/")
    .leaf("/customer")
    .leaf("/genre")
    .leaf("/playlisttrack")
    .unlisted("/customer/1")
    .unlisted("/employee/1")
    .unlisted("/playlisttrack/1,1")
    .absent("/nothing")
    .absent("/Customer")
    .absent("/customer/0")
    .absent("/customer/01")
    .absent("/customer/1/1")
    .absent("/customer/~t1")
    .absent("/playlisttrack/1")
    .absent("/playlisttrack/1,0")
    .hidden("/sqlite_schema")
    .hidden("/sqlite_master")
    .identities()
    .states()
    .reading(on("/customer", "sql.table", "query").with("where", having("id", "at_most", integer(3))))
    .reading(on("/genre", "sql.table", "count"))
    .reading(
        on("/playlisttrack", "sql.table", "count").with("where", having("playlist_id", "equal", integer(1))),
    )
    .reading(on("/customer", "sql.table", "frequent_values").with("column", "country"))
    .reading(on("/customer/1", "sql.row", "read"))
    .reading(on("/employee/2", "sql.row", "read"))
    .reading(sql("SELECT count(*), max(name) FROM genre"))
    .refusing(on("/customer", "sql.table", "query").with("limit", integer(0)))
    .refusing(on("/customer", "sql.table", "query").with("cursor", "none of its own"))
    .refusing(on("/customer", "sql.table", "frequent_values").with("column", "land"))
    .refusing(sql("SELECT"))
    .refusing(sql("DELETE FROM genre"))
    .refusing(sql("SELECT 1; SELECT 2"))
    .refusing(sql("ATTACH 'other.db' AS other"))
    .disturbing("/", doing("CREATE TABLE another_# (id INTEGER PRIMARY KEY)"))
    .disturbing("/genre", doing("ALTER TABLE genre ADD COLUMN another_# TEXT"))
    .disturbing("/customer/1", doing("UPDATE customer SET address = address || '#' WHERE id = 1"))
}

fn chinook_writable() -> Subject<Hands> {
    chinook("Chinook, writable", true)
        .adding(
            on("/customer/1", "sql.row.write", "update").with("phone", "+55 1"),
            on("/customer/1", "sql.row", "read"),
            |read| deep(read, "fax").and_then(Value::as_str).map_or(0, |fax| fax.matches('x').count()),
        )
        .writing(on("/genre", "sql.table.write", "insert").with("name", "Polka"))
        .writing(on("/employee/2", "sql.row.write", "update").with("title", "Head of all"))
        .writing(on("/playlisttrack/1,1", "sql.row.write", "delete"))
}

fn torture(name: &str, writable: bool) -> Subject<Hands> {
    let make = |path: &Path| {
        torture::make(path);
        // Copied a thousand times, and looked at elsewhere.
        also(path, "DELETE FROM long WHERE id < 3; VACUUM");
    };
    let subject = fresh(name, writable, make)
        .object("/")
        .leaf("/canary")
        .unlisted("/keys of text/~t")
        .unlisted("/keys of text/~t.")
        .unlisted("/keys of text/~t..")
        .unlisted("/keys of text/~1")
        .unlisted("/keys of text/~0t")
        .unlisted("/keys of text/a,b")
        .unlisted("/keys of text/042")
        .unlisted("/keys of text/~x00ff")
        .unlisted("/keys of text/~uff61")
        .unlisted("/keys of integers/-9223372036854775808")
        .unlisted("/keys of anything/~t1")
        .unlisted("/keys of anything/inf")
        .unlisted("/keys of bytes/~x")
        .unlisted("/keys of reals/0.1")
        .unlisted("/keys of any case/Ann")
        .unlisted("/keys of several/c,a~2b,1")
        .unlisted("/keys of several/~2,~02,4")
        .unlisted("/counted/1")
        .unlisted("/wide/1")
        .absent("/keys of any case/ann")
        .absent("/keys of any space/b")
        .absent("/keys of text/~ta")
        .absent("/keys of integers/00")
        .absent("/keys of anything/1.0")
        .absent("/no key to be had/1")
        .absent("/people/1")
        .absent("/é/é")
        .hidden("/sqlite_schema")
        .hidden("/sqlite_sequence")
        .hidden("/sqlite_stat1")
        .hidden("/words_data")
        .hidden("/boxes_node")
        .identities()
        .states()
        .reading(on("/counted/1", "sql.row", "read"))
        .reading(on("/empty", "sql.table", "count"))
        .reading(on("/keys of several", "sql.table", "query"))
        .reading(on("/keys of text", "sql.table", "query").with("limit", integer(100)))
        .reading(on("/no key to be had", "sql.table", "query"))
        .reading(on("/values", "sql.table", "query").with("limit", integer(50)))
        .reading(on("/many", "sql.table", "query").with("where", having("id", "less", integer(20))))
        .reading(on("/people", "sql.view", "query"))
        .reading(on("/words", "sql.view", "query"))
        .reading(sql("SELECT * FROM \"values\" WHERE id < 40"))
        .refusing(sql("SELECT * FROM \"over what is gone\""))
        .refusing(sql("PRAGMA writable_schema = 1"))
        .disturbing("/", doing("CREATE VIEW \"another / #\" AS SELECT 1"))
        .disturbing(
            "/counted/1",
            doing("UPDATE counted SET times = times WHERE id = 1; UPDATE counted SET note = '#'"),
        )
        .disturbing("/keys of text/~t..", doing("UPDATE \"keys of text\" SET v = '#' WHERE k = '..'"));
    torture::segments().iter().fold(subject, |subject, segment| subject.leaf(&format!("/{segment}")))
}

fn torture_writable() -> Subject<Hands> {
    torture("everything odd, writable", true)
        .adding(
            on("/counted/1", "sql.row.write", "update").with("note", "again"),
            on("/counted/1", "sql.row", "read"),
            |read| {
                deep(read, "times")
                    .and_then(Value::as_integer)
                    .and_then(|times| times.try_into().ok())
                    .unwrap_or(0)
            },
        )
        .writing(on("/empty", "sql.table.write", "insert").with("v", "no longer"))
        .writing(on("/keys of text/~t..", "sql.row.write", "update").with("v", "changed"))
        .writing(on("/keys of several/..,.,3", "sql.row.write", "delete"))
}

/// The checks that could not be tried.
fn missing(report: &Report) -> Vec<String> {
    let missing = |check: &&suite::Checked| matches!(check.outcome, Outcome::NotApplicable { .. });
    let missing = report.checks().iter().filter(missing);
    let mut names: Vec<String> = missing.map(|check| check.name.to_string()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A row is its key and a table its name: none is moved, nor replaced by another one. All that trees show is of one level, no
/// argument is itself an entry, and nothing is denied for its caller's sake. Inserting has a world of its own.
const NOT_FOR_DATABASES: [&str; 9] = [
    "an Object that an operation moves keeps its ref",
    "an Object that somebody moves keeps its ref, and so does all below it",
    "an entry of another mount as an argument is invalid_arguments, and nothing happens",
    "another Object in the same place has another ref",
    "children that cannot be read further down are unexplored, and all else is there",
    "what is not permitted is denied and nothing happens",
    "what vanishes before its children are read is unexplored, and no leaf",
    "what vanishes while a tree is read is left out",
    "writers that are not guarded lose no effect",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_shop_that_can_only_be_read_holds_to_everything_that_applies() {
    suite::run(&shop("the shop, read only", false)).await.assert();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_shop_that_can_be_written_holds_to_everything() {
    let report = suite::run(&shop_writable()).await;
    let missing = missing(&report);
    report.assert();
    assert_eq!(missing, NOT_FOR_DATABASES);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn chinook_that_can_only_be_read_holds_to_everything_that_applies() {
    if chinook::is_there() {
        suite::run(&chinook("Chinook, read only", false)).await.assert();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn chinook_that_can_be_written_holds_to_everything() {
    if chinook::is_there() {
        let report = suite::run(&chinook_writable()).await;
        let missing = missing(&report);
        report.assert();
        assert_eq!(missing, NOT_FOR_DATABASES);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_odd_that_can_only_be_read_holds_to_everything_that_applies() {
    suite::run(&torture("everything odd, read only", false)).await.assert();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_odd_that_can_be_written_holds_to_everything() {
    let report = suite::run(&torture_writable()).await;
    let missing = missing(&report);
    report.assert();
    assert_eq!(missing, NOT_FOR_DATABASES);
}

/// Inserting is bound to no state, so that only a world of its own can count it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_who_insert_at_once_no_one_loses_a_row() {
    let make = |path: &Path| also(path, "CREATE TABLE empty (id INTEGER PRIMARY KEY, v TEXT)");
    let subject = fresh("inserting", true, make).leaf("/empty").adding(
        on("/empty", "sql.table.write", "insert").with("v", "one more"),
        on("/empty", "sql.table", "count"),
        |count| {
            deep(count, "count")
                .and_then(Value::as_integer)
                .and_then(|count| count.try_into().ok())
                .unwrap_or(0)
        },
    );
    suite::run_only(&subject, &["writers that are not guarded lose no effect"]).await.assert();
}
