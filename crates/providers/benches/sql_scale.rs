//! What a large table costs beside a small one: the same questions to both, in turn, and the ratio of the medians.
//!
//! `cargo bench -p worldspace-providers --bench sql_scale` makes a table of 10,000,000 rows (about 700 MB among the
//! temporary files, removed at the end); `cargo bench -p worldspace-providers --bench sql_scale -- 1000000` one of so
//! many. Run by `cargo test`, it only tries every question on two small tables.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark prints, and stops at the first surprise"
)]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use worldspace_client::{CallOptions, Client, InterfaceObservation, Observation, Settings as ClientSettings};
use worldspace_host::Host;
use worldspace_model::{EntryPath, FetchTreeRequest, Principal, Record, Value};
use worldspace_providers::sql::{Database, Settings};

#[path = "../tests/providers/sql/databases/scale.rs"]
mod scale;

const SMALL: u64 = 1_000;
const LARGE: u64 = 10_000_000;
const PAGE: i64 = 50;

/// A database that is served in this process.
struct Served {
    rows: u64,
    client: Client,
    table: Observation,
    row: Observation,
    of_table: InterfaceObservation,
    of_row: InterfaceObservation,
    pairs: Observation,
    of_pairs: InterfaceObservation,
    /// Go on far behind the first row, in each of the orders.
    deep: Vec<Value>,
}

/// Columns, and whether from the last to the first.
type By = &'static [(&'static str, bool)];

/// In what order pages are read, and how far behind the first row the one is that is asked for, in tenths of all rows.
const DEEP: [(&str, By, u64); 4] = [
    ("things", &[], 9),
    ("things", &[("part", false)], 1),
    ("things", &[("part", true)], 1),
    ("pairs", &[], 1),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_bench = arguments.iter().any(|argument| argument == "--bench");
    let large = arguments.iter().find_map(|argument| argument.parse().ok());
    let large = if is_bench { large.unwrap_or(LARGE) } else { 2 * SMALL };
    let times = if is_bench { 101 } else { 1 };
    let directory = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (mut small, mut large) = runtime
        .block_on(async { (serve(directory.path(), SMALL).await, serve(directory.path(), large).await) });
    println!("{} rows beside {}; medians of {times} pairs", large.rows, small.rows);
    println!("{:28} {:>12} {:>12} {:>7} {:>14}", "", small.rows, large.rows, "ratio", "peak of memory");
    for (name, question) in QUESTIONS {
        compare(&runtime, name, *question, &mut small, &mut large, times);
    }
}

async fn serve(directory: &Path, rows: u64) -> Served {
    let path = directory.join(format!("{rows}.db"));
    let begun = Instant::now();
    scale::make(&path, rows);
    println!(
        "{rows} rows were made in {:.1} s, {} MB",
        begun.elapsed().as_secs_f64(),
        path.metadata().unwrap().len() >> 20
    );
    let database = Database::open_sqlite(&path, Settings::default()).unwrap();
    let host = Host::builder().mount(entry("/db"), database).build().unwrap();
    let client = Client::in_process(Arc::new(host), Principal::anonymous(), ClientSettings::default());
    let table = client.fetch(&entry("/db/things")).await.unwrap();
    let row = client.fetch(&entry(&format!("/db/things/{}", rows / 2))).await.unwrap();
    let of_table = client.resolve(&table, "query", None).await.unwrap();
    let of_row = client.resolve(&row, "read", None).await.unwrap();
    let pairs = client.fetch(&entry("/db/pairs")).await.unwrap();
    let of_pairs = client.resolve(&pairs, "query", None).await.unwrap();
    let mut served = Served { rows, client, table, row, of_table, of_row, pairs, of_pairs, deep: Vec::new() };
    // Page by page, as nobody can jump.
    let stride = (rows / 20).min(1_000);
    for (at, (_, _, tenths)) in DEEP.iter().enumerate() {
        served.deep.push(Value::Unit);
        let mut cursor = None;
        for _ in 0..rows / 10 * tenths / stride {
            let page = served.page(at, stride as i64, cursor).await;
            cursor = page.as_record().unwrap().get("next_cursor").cloned();
        }
        served.deep[at] = cursor.unwrap();
    }
    served
}

/// Something that is asked of both.
type Question = for<'s> fn(&'s Served) -> std::pin::Pin<Box<dyn Future<Output = ()> + 's>>;

const QUESTIONS: &[(&str, Question)] = &[
    ("tree", |served| {
        Box::pin(async {
            let request = FetchTreeRequest::new(EntryPath::root(), 3, 100, None).unwrap();
            assert_eq!(served.client.tree(&request).await.unwrap().observations().len(), 4);
        })
    }),
    ("inspect a table", |served| {
        Box::pin(async {
            let table = served.client.fetch(&entry("/db/things")).await.unwrap();
            served.client.fetch_interface(&table.object().interfaces[0]).await.unwrap();
        })
    }),
    ("inspect a row", |served| {
        Box::pin(async {
            let row = served.client.fetch(served.row.entry()).await.unwrap();
            served.client.fetch_interface(&row.object().interfaces[0]).await.unwrap();
        })
    }),
    ("read a row", |served| {
        Box::pin(async {
            served
                .client
                .call(&served.row, &served.of_row, "read", Record::default(), CallOptions::default())
                .await
                .unwrap();
        })
    }),
    ("query by key", |served| {
        Box::pin(async {
            let one = having("id", served.rows as i64 * 2 / 3);
            served.expect(1, &[("where", Some(one))]).await;
        })
    }),
    ("query by indexed column", |served| {
        Box::pin(async {
            let batch = having("batch", (served.rows / scale::EACH / 2) as i64);
            served.expect(PAGE as usize, &[("where", Some(batch)), ("limit", Some(integer(PAGE)))]).await;
        })
    }),
    ("query, first page", |served| {
        Box::pin(async {
            served.expect(PAGE as usize, &[("limit", Some(integer(PAGE)))]).await;
        })
    }),
    ("query, far behind, by key", |served| Box::pin(served.far_behind(0))),
    ("query, far behind, by part", |served| Box::pin(served.far_behind(1))),
    ("the same, descending", |served| Box::pin(served.far_behind(2))),
    ("the same, by two columns", |served| Box::pin(served.far_behind(3))),
    ("query, last page", |served| {
        Box::pin(async {
            let order =
                Value::record([("column", Some("id".into())), ("descending", Some(true.into()))]).unwrap();
            let order = ("order_by", Some(Value::list(vec![order]).unwrap()));
            served.expect(PAGE as usize, &[order, ("limit", Some(integer(PAGE)))]).await;
        })
    }),
    ("count by indexed column", |served| {
        Box::pin(async {
            let batch = having("batch", (served.rows / scale::EACH / 2) as i64);
            let count = served.ask("count", &[("where", Some(batch))]).await;
            let count = count.as_record().unwrap().get("count").and_then(Value::as_integer);
            assert_eq!(count, Some(scale::EACH as i64));
        })
    }),
];

impl Served {
    async fn ask(&self, operation: &str, arguments: &[(&'static str, Option<Value>)]) -> Value {
        let given = arguments.iter().filter_map(|(name, value)| Some(((*name).into(), value.clone()?)));
        let given = Record::new(given.collect()).unwrap();
        let call = self.client.call(&self.table, &self.of_table, operation, given, CallOptions::default());
        call.await.unwrap().result
    }

    async fn query(&self, arguments: &[(&'static str, Option<Value>)]) -> Value {
        self.ask("query", arguments).await
    }

    /// A page in the order of that number.
    async fn page(&self, at: usize, limit: i64, cursor: Option<Value>) -> Value {
        let (table, by, _) = DEEP[at];
        let order = by.iter().map(|(column, descending)| {
            Value::record([("column", Some((*column).into())), ("descending", Some((*descending).into()))])
                .unwrap()
        });
        let order = Value::list(order.collect()).unwrap();
        let arguments = [("order_by", Some(order)), ("limit", Some(integer(limit))), ("cursor", cursor)];
        let given = arguments.into_iter().filter_map(|(name, value)| Some((name.into(), value?)));
        let given = Record::new(given.collect()).unwrap();
        let (object, interface) = match table {
            "pairs" => (&self.pairs, &self.of_pairs),
            _ => (&self.table, &self.of_table),
        };
        let call = self.client.call(object, interface, "query", given, CallOptions::default());
        call.await.unwrap().result
    }

    async fn far_behind(&self, at: usize) {
        let page = self.page(at, PAGE, Some(self.deep[at].clone())).await;
        assert_eq!(rows_of(&page), PAGE as usize);
    }

    /// A query that gives so many rows.
    async fn expect(&self, rows: usize, arguments: &[(&'static str, Option<Value>)]) {
        let page = self.query(arguments).await;
        assert_eq!(rows_of(&page), rows);
    }
}

fn rows_of(page: &Value) -> usize {
    page.as_record().unwrap().get("rows").and_then(Value::as_list).unwrap().len()
}

fn compare(
    runtime: &Runtime,
    name: &str,
    question: Question,
    small: &mut Served,
    large: &mut Served,
    times: usize,
) {
    let ask = |served: &Served| {
        let begun = Instant::now();
        runtime.block_on(question(served));
        begun.elapsed()
    };
    // Once before, so that what is read of the disk for the first time is told by itself.
    let (_, cold) = (ask(small), ask(large));
    forget_peak();
    let (mut of_small, mut of_large) = (Vec::new(), Vec::new());
    for _ in 0..times {
        of_small.push(ask(small));
        of_large.push(ask(large));
    }
    let (few, many) = (median(&mut of_small), median(&mut of_large));
    let ratio = many.as_secs_f64() / few.as_secs_f64();
    println!("{name:28} {few:>12.1?} {many:>12.1?} {ratio:>7.2} {:>14} (first time: {cold:.1?})", peak());
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Of all memory of this process, that of SQLite included, which no allocator of Rust sees.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |line| line.trim().to_owned())
}

/// Lets the peak be that of now, where the system can do so.
fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn entry(path: &str) -> EntryPath {
    EntryPath::parse(path).unwrap()
}

fn integer(value: i64) -> Value {
    Value::integer(value).unwrap()
}

/// `where` with one condition: that the column has this value.
fn having(column: &str, value: i64) -> Value {
    let list = |item| Value::list(vec![item]).unwrap();
    let test = Value::case("equal", Some(integer(value))).unwrap();
    list(list(Value::case(column, Some(test)).unwrap()))
}
