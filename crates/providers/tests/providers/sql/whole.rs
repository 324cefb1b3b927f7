//! All that a database holds, seen through the Host: each row once, as it is, with every reference both ways.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde_json::{Value as Json, json};
use worldspace_client::{CallOptions, Client, ClientError, Settings as ClientSettings};
use worldspace_host::Host;
use worldspace_model::{EntryPath, FetchTreeRequest, Principal, Record, Value};
use worldspace_providers::sql::{Database, Settings};

use super::databases::{Copy, Template, chinook, names, one, quoted, torture};

const LAST: i64 = (1 << 53) - 1;

/// A database that is looked at in this process.
struct Seen {
    client: Client,
    copy: Copy,
}

fn seen(make: impl FnOnce(&std::path::Path)) -> Seen {
    let copy = Template::of(make).copy();
    let database = Database::open_sqlite(&copy.path, Settings::default()).unwrap();
    let host = Host::builder().mount(EntryPath::parse("/db").unwrap(), database).build().unwrap();
    Seen {
        client: Client::in_process(Arc::new(host), Principal::anonymous(), ClientSettings::default()),
        copy,
    }
}

/// A page or a record, or why there is none.
type Answer = Result<Value, String>;

impl Seen {
    async fn call(&self, entry: &EntryPath, operation: &str, arguments: Vec<(&str, Value)>) -> Answer {
        let shown = self.client.fetch(entry).await.map_err(|error| format!("{entry}: {error}"))?;
        let interface = self.client.resolve(&shown, operation, None).await;
        let interface = interface.map_err(|error| format!("{operation} of {entry}: {error}"))?;
        let given = arguments.into_iter().map(|(name, value)| (name.into(), value)).collect();
        let given = Record::new(given).unwrap();
        let called = self.client.call(&shown, &interface, operation, given, CallOptions::default()).await;
        called.map(|outcome| outcome.result).map_err(|failure| format!("{operation} of {entry}: {failure}"))
    }

    /// The rows of all pages.
    async fn rows(&self, entry: &EntryPath, operation: &str, limit: u64) -> Result<Vec<Value>, String> {
        let (mut rows, mut cursor) = (Vec::new(), None);
        loop {
            let mut arguments = vec![("limit", Value::count(limit))];
            arguments.extend(cursor.map(|cursor| ("cursor", cursor)));
            let page = self.call(entry, operation, arguments).await?;
            let page = page.as_record().unwrap();
            let more = page.get("rows").and_then(Value::as_list).unwrap();
            assert!(more.len() as u64 <= limit && rows.len() < 100_000, "{operation} of {entry} has no end");
            rows.extend_from_slice(more);
            cursor = page.get("next_cursor").cloned();
            if cursor.is_none() {
                return Ok(rows);
            }
        }
    }

    async fn is_there(&self, entry: &EntryPath) -> bool {
        match self.client.fetch(entry).await {
            Ok(_) => true,
            Err(error) => {
                assert!(is_absent(&error), "{entry}: {error}");
                false
            }
        }
    }

    /// What other rows tell of this one as theirs: the operations beside the row's own.
    async fn referring(&self, entry: &EntryPath) -> HashSet<EntryPath> {
        let shown = self.client.fetch(entry).await.unwrap();
        let mut found = HashSet::new();
        for reference in shown.object().interfaces.iter() {
            let interface = self.client.fetch_interface(reference).await.unwrap();
            for operation in interface.descriptor().operations() {
                let name = operation.name();
                if !["read", "read_exact", "read_bytes"].contains(&name.as_ref()) {
                    let rows = self.rows(entry, name, 1_000).await.unwrap();
                    found.extend(rows.iter().filter_map(entry_of));
                }
            }
        }
        found
    }
}

fn is_absent(error: &ClientError) -> bool {
    format!("{error:?}").contains("NotFound")
}

fn entry_of(row: &Value) -> Option<EntryPath> {
    row.as_record()?.get("entry")?.as_entry().cloned()
}

/// A value in the exact form, made by other means than the provider's.
fn exact(value: ValueRef<'_>) -> Json {
    match value {
        ValueRef::Null => Json::Null,
        ValueRef::Integer(value) if (-LAST..=LAST).contains(&value) => json!(value),
        ValueRef::Integer(value) => json!({ "$integer": value.to_string() }),
        ValueRef::Real(value) if value.is_infinite() => {
            json!({ "$real": if value > 0.0 { "Infinity" } else { "-Infinity" } })
        }
        ValueRef::Real(value) => json!(value),
        ValueRef::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => json!(text),
            Err(_) => json!({ "$text": STANDARD.encode(text) }),
        },
        ValueRef::Blob(bytes) => json!({ "$bytes": STANDARD.encode(bytes) }),
    }
}

fn json_of(value: &Value) -> Json {
    match value {
        Value::Unit => Json::Null,
        Value::Boolean(value) => json!(value),
        Value::Integer(value) => json!(value.get()),
        Value::Number(value) => json!(value.get()),
        Value::String(text) => json!(&**text),
        Value::Record(record) => {
            record.fields().iter().map(|(name, value)| (name.to_string(), json_of(value))).collect()
        }
        other => panic!("{other:?} is no part of the exact form"),
    }
}

/// Rows by what they hold, as text, with how often each is there. A whole number is the same however it is written.
fn counted(rows: impl Iterator<Item = Json>) -> BTreeMap<String, usize> {
    fn plain(value: Json) -> Json {
        match value {
            Json::Number(number) => match number.as_f64() {
                Some(value) if value.fract() == 0.0 && value.abs() < 1e15 => json!(value as i64),
                _ => Json::Number(number),
            },
            Json::Object(fields) => fields.into_iter().map(|(name, value)| (name, plain(value))).collect(),
            other => other,
        }
    }
    let mut counted = BTreeMap::new();
    for row in rows {
        *counted.entry(plain(row).to_string()).or_default() += 1;
    }
    counted
}

fn stored(connection: &Connection, table: &str) -> BTreeMap<String, usize> {
    let mut statement = connection.prepare(&format!("SELECT * FROM {}", quoted(table))).unwrap();
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let rows = statement.query_map([], |row| {
        let field = |(at, name): (usize, &String)| (name.clone(), exact(row.get_ref(at).unwrap()));
        Ok(columns.iter().enumerate().map(field).collect::<Json>())
    });
    let rows: Vec<Json> = rows.unwrap().map(Result::unwrap).collect();
    counted(rows.into_iter())
}

/// The tables and views that a tree shows, by the names that they have in the database.
async fn relations(seen: &Seen) -> HashMap<String, EntryPath> {
    let request = FetchTreeRequest::new(EntryPath::parse("/db").unwrap(), 8, 1_000, None).unwrap();
    let tree = seen.client.tree(&request).await.unwrap();
    assert!(!tree.is_truncated());
    let name =
        |segment: &str| segment.strip_prefix("~t").unwrap_or(segment).replace("~1", "/").replace("~0", "~");
    tree.observations()[1..].iter().map(|seen| (name(seen.entry().name()), seen.entry().clone())).collect()
}

/// Tables whose values are too long to be shown whole, or whose rows are too many to be looked at one by one.
const LARGE: [&str; 3] = ["long", "many", "playlisttrack"];

/// Looks at every row of every table. What is wrong is gathered, so that one thing does not hide the others.
async fn look_at_all(seen: &Seen, limit: u64, each: usize) -> Vec<String> {
    let connection = seen.copy.connect();
    let mut wrong = Vec::new();
    let relations = relations(seen).await;
    for table in names(&connection) {
        // What the database keeps for itself behind a virtual table.
        let shadow = |of: &str| table.starts_with(&format!("{of}_"));
        if shadow("words") || shadow("boxes") {
            continue;
        }
        let Some(entry) = relations.get(&table) else {
            wrong.push(format!("{table:?} is not in the tree"));
            continue;
        };
        if connection.prepare(&format!("SELECT * FROM {} LIMIT 1", quoted(&table))).is_err()
            || ["fails at a row", "without end"].contains(&&*table)
        {
            continue;
        }
        let limit = if LARGE.contains(&&*table) { 1_000 } else { limit };
        let rows = match seen.rows(entry, "query", limit).await {
            Ok(rows) => rows,
            Err(why) => {
                wrong.push(format!("{table:?}: {why}"));
                continue;
            }
        };
        let many: i64 = one(&connection, &format!("SELECT count(*) FROM {}", quoted(&table)));
        if rows.len() as i64 != many {
            wrong.push(format!("{table:?}: {many} rows, and pages of {}", rows.len()));
        }
        let entries: Vec<EntryPath> = rows.iter().filter_map(entry_of).collect();
        if entries.iter().collect::<HashSet<_>>().len() != entries.len() {
            wrong.push(format!("{table:?}: two rows have one entry"));
        }
        let mut exact = Vec::new();
        for entry in entries.iter().take(each) {
            match seen.call(entry, "read_exact", Vec::new()).await {
                Ok(row) => exact.push(json_of(&row)),
                Err(why) => wrong.push(format!("{table:?}: {why}")),
            }
        }
        if !LARGE.contains(&&*table)
            && exact.len() == rows.len()
            && counted(exact.into_iter()) != stored(&connection, &table)
        {
            wrong.push(format!("{table:?}: the rows that are read are not those that are stored"));
        }
        wrong.extend(follow(seen, &rows[..rows.len().min(each)]).await);
    }
    wrong
}

/// Every row that others refer to tells of them.
async fn follow(seen: &Seen, rows: &[Value]) -> Vec<String> {
    let mut wrong = Vec::new();
    for row in rows {
        let (Some(from), Some(fields)) =
            (entry_of(row), row.as_record().unwrap().get("row").and_then(Value::as_record))
        else {
            continue;
        };
        for (name, target) in
            fields.fields().iter().filter_map(|(name, value)| Some((name, value.as_entry()?)))
        {
            if seen.is_there(target).await && !seen.referring(target).await.contains(&from) {
                wrong.push(format!("{from} refers to {target} as {name:?}, which does not tell of it"));
            }
        }
    }
    wrong
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_of_everything_odd_is_found_once_and_as_it_is() {
    let wrong = look_at_all(&seen(torture::make), 3, 60).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_of_chinook_is_found_once_and_as_it_is() {
    if chinook::is_there() {
        let wrong = look_at_all(&seen(chinook::make), 1_000, 10).await;
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// A view that fails says so to whoever asks it, and is no failure of the Host.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_database_cannot_read_is_told_and_hides_nothing_else() {
    let seen = seen(torture::make);
    let relations = relations(&seen).await;
    for view in ["over what is gone", "over a column that is gone", "over itself", "fails at a row"] {
        let asked = seen.rows(&relations[view], "query", 10).await.unwrap_err();
        assert!(!asked.contains("internal"), "{view}: {asked}");
        eprintln!("{asked}");
    }
}
