//! Several who change one row at once: callers among each other, and a program that knows nothing of the Host.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use worldspace_client::{CallFailure, CallOptions, Client, Settings as ClientSettings};
use worldspace_host::Host;
use worldspace_http::{ClientConfig, Endpoint, HttpTransport};
use worldspace_model::{EntryPath, Record, Value};
use worldspace_providers::sql::{Database, Settings};
use worldspace_testkit::Way;

use super::databases::{Copy, Template, create, one};
use super::suite::deep;

const CALLERS: u64 = 16;
/// How often each of them counts up.
const STEPS: u64 = 5;
/// How often the other program does.
const OTHER_STEPS: u64 = 200;

const JOURNALS: [&str; 2] = ["DELETE", "WAL"];

fn counter(journal: &str) -> Copy {
    let make = |path: &std::path::Path| {
        let table = "CREATE TABLE counter (id INTEGER PRIMARY KEY, n INTEGER NOT NULL);
            INSERT INTO counter VALUES (1, 0)";
        create(path).execute_batch(table).unwrap();
    };
    let copy = Template::of(make).copy();
    let set: String = one(&copy.connect(), &format!("PRAGMA journal_mode = {journal}"));
    assert_eq!(set.to_uppercase(), journal);
    copy
}

/// What became of the steps of all callers.
#[derive(Debug, Default)]
struct Tally {
    done: AtomicU64,
    told: AtomicU64,
}

/// Reads the number and writes the next one. Whether that was done; if not, the caller was told that another came before.
async fn step(client: &Client) -> bool {
    let shown = client.fetch(&EntryPath::parse("/db/counter/1").unwrap()).await.unwrap();
    let read = client.resolve(&shown, "read", None).await.unwrap();
    let read = client.call(&shown, &read, "read", Record::default(), CallOptions::default().bound()).await;
    let n = match read {
        Ok(read) => deep(&read.result, "n").and_then(Value::as_integer).unwrap(),
        Err(CallFailure::StateChanged(_)) => return false,
        Err(failure) => panic!("{failure}"),
    };
    let update = client.resolve(&shown, "update", None).await.unwrap();
    let next = Record::new(vec![("n".into(), Value::integer(n + 1).unwrap())]).unwrap();
    match client.call(&shown, &update, "update", next, CallOptions::default()).await {
        Ok(outcome) => {
            assert_eq!(deep(&outcome.result, "$case").and_then(Value::as_str), Some("updated"));
            true
        }
        Err(CallFailure::StateChanged(_)) => false,
        Err(failure) => panic!("{failure}"),
    }
}

/// Callers over HTTP count up, each on a connection of its own. Whether each was done is known of every step.
async fn count_up(copy: &Copy) -> Tally {
    let database =
        Database::open_sqlite(&copy.path, Settings { writable: true, ..Settings::default() }).unwrap();
    let host = Host::builder().mount(EntryPath::parse("/db").unwrap(), database).build().unwrap();
    let loopback = Way::Http.to(Arc::new(host)).await.unwrap();
    let url = loopback.url().unwrap().to_owned();
    let tally = Arc::new(Tally::default());
    let mut callers = tokio::task::JoinSet::new();
    for _ in 0..CALLERS {
        let (url, tally) = (url.clone(), tally.clone());
        callers.spawn(async move {
            let transport =
                HttpTransport::new(Endpoint::parse(&url).unwrap(), ClientConfig::default()).unwrap();
            let client = Client::new(Arc::new(transport), ClientSettings::default());
            let mut done = 0;
            while done < STEPS {
                let counter = match step(&client).await {
                    true => {
                        done += 1;
                        &tally.done
                    }
                    false => &tally.told,
                };
                counter.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    while let Some(ended) = callers.join_next().await {
        ended.unwrap();
    }
    Arc::into_inner(tally).unwrap()
}

fn counted(copy: &Copy) -> u64 {
    assert_eq!(one::<String>(&copy.connect(), "PRAGMA integrity_check"), "ok");
    one::<i64>(&copy.connect(), "SELECT n FROM counter").try_into().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_who_count_in_one_row_no_one_loses_a_step() {
    for journal in JOURNALS {
        let copy = counter(journal);
        let tally = count_up(&copy).await;
        eprintln!("{journal}: {tally:?}");
        assert_eq!(tally.done.load(Ordering::Relaxed), CALLERS * STEPS);
        assert_eq!(counted(&copy), CALLERS * STEPS, "{journal}");
        assert!(tally.told.load(Ordering::Relaxed) > 0, "nobody met anybody");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn beside_another_program_that_counts_no_one_loses_a_step() {
    for journal in JOURNALS {
        let copy = Arc::new(counter(journal));
        let beside = copy.clone();
        let other = tokio::task::spawn_blocking(move || {
            let connection = beside.connect();
            for _ in 0..OTHER_STEPS {
                connection.execute_batch("BEGIN IMMEDIATE; UPDATE counter SET n = n + 1; COMMIT").unwrap();
                std::thread::yield_now();
            }
        });
        let tally = count_up(&copy).await;
        other.await.unwrap();
        eprintln!("{journal}: {tally:?}");
        assert_eq!(counted(&copy), CALLERS * STEPS + OTHER_STEPS, "{journal}");
    }
}
