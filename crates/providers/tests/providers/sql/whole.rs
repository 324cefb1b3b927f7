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
use worldspace_model::{EntryPath, ErrorCode, FetchTreeRequest, Principal, Record, Value};
use worldspace_providers::sql::{Database, Settings};

use super::databases::{Copy, Template, chinook, create, literal, names, one, quoted, torture};

const LAST: i64 = (1 << 53) - 1;

/// A database that is looked at in this process.
pub(super) struct Seen {
    client: Client,
    pub(super) copy: Copy,
}

pub(super) fn seen(writable: bool, make: impl FnOnce(&std::path::Path)) -> Seen {
    let copy = Template::of(make).copy();
    let settings = Settings { writable, ..Settings::default() };
    let database = Database::open_sqlite(&copy.path, settings).unwrap();
    let host = Host::builder().mount(EntryPath::parse("/db").unwrap(), database).build().unwrap();
    Seen {
        client: Client::in_process(Arc::new(host), Principal::anonymous(), ClientSettings::default()),
        copy,
    }
}

/// A page or a record, or why there is none.
pub(super) type Answer = Result<Value, String>;

impl Seen {
    pub(super) async fn call(
        &self,
        entry: &EntryPath,
        operation: &str,
        arguments: Vec<(&str, Value)>,
    ) -> Answer {
        let shown = self.client.fetch(entry).await.map_err(|error| format!("{entry}: {error}"))?;
        let interface = self.client.resolve(&shown, operation, None).await;
        let interface = interface.map_err(|error| format!("{operation} of {entry}: {error}"))?;
        let given = arguments.into_iter().map(|(name, value)| (name.into(), value)).collect();
        let given = Record::new(given).unwrap();
        let called = self.client.call(&shown, &interface, operation, given, CallOptions::default()).await;
        called.map(|outcome| outcome.result).map_err(|failure| format!("{operation} of {entry}: {failure}"))
    }

    /// The rows of all pages.
    pub(super) async fn rows(
        &self,
        entry: &EntryPath,
        operation: &str,
        limit: u64,
    ) -> Result<Vec<Value>, String> {
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

    pub(super) async fn is_there(&self, entry: &EntryPath) -> bool {
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
    matches!(error, ClientError::Refused(error) if error.code == ErrorCode::NotFound)
}

pub(super) fn entry_of(row: &Value) -> Option<EntryPath> {
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

/// Rows by what they hold, as text, with how often each is there. An integer and the same number as a real one are two things.
fn counted(rows: impl Iterator<Item = Json>) -> BTreeMap<String, usize> {
    let mut counted = BTreeMap::new();
    for row in rows {
        *counted.entry(row.to_string()).or_default() += 1;
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
pub(super) async fn relations(seen: &Seen) -> HashMap<String, EntryPath> {
    let request = FetchTreeRequest::new(EntryPath::parse("/db").unwrap(), 8, 1_000, None).unwrap();
    let tree = seen.client.tree(&request).await.unwrap();
    assert!(!tree.is_truncated());
    let name =
        |segment: &str| segment.strip_prefix("~t").unwrap_or(segment).replace("~1", "/").replace("~0", "~");
    tree.observations()[1..].iter().map(|seen| (name(seen.entry().name()), seen.entry().clone())).collect()
}

/// Tables whose values are too long to be shown whole, or whose rows are too many to be looked at one by one.
pub(super) const LARGE: [&str; 3] = ["long", "many", "playlisttrack"];

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
        let different = entries.iter().collect::<HashSet<_>>().len();
        // Rows of views and of tables without any key have none.
        if different != entries.len() || (different > 0 && different != rows.len()) {
            wrong.push(format!("{table:?}: {} rows have {different} entries", rows.len()));
        }
        wrong.extend(identified(seen, &connection, &table, &entries[..entries.len().min(each)]).await);
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

/// A row is the same one as long as its key is; the number that the database gave to one without a key it may give to another.
async fn identified(seen: &Seen, connection: &Connection, table: &str, entries: &[EntryPath]) -> Vec<String> {
    let keys = format!("SELECT count(*) FROM pragma_table_info({}) WHERE pk > 0", literal(table));
    let has_key = one::<i64>(connection, &keys) > 0;
    let mut wrong = Vec::new();
    let mut known = HashSet::new();
    for entry in entries {
        let Ok(shown) = seen.client.fetch(entry).await else { continue };
        let by_number = !has_key || entry.name().starts_with("~rowid");
        match &shown.object().r#ref {
            Some(_) if by_number => {
                wrong.push(format!("{entry} has a ref, though its number may become another's"))
            }
            None if !by_number => wrong.push(format!("{entry} has no ref")),
            Some(known_by) if !known.insert(known_by.clone()) => {
                wrong.push(format!("{entry} has the ref of another"))
            }
            _ => {}
        }
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
    let wrong = look_at_all(&seen(false, torture::make), 3, 60).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_of_chinook_is_found_once_and_as_it_is() {
    if chinook::is_there() {
        let wrong = look_at_all(&seen(false, chinook::make), 1_000, 10).await;
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// A view that fails says so to whoever asks it, and is no failure of the Host.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_database_cannot_read_is_told_and_hides_nothing_else() {
    let seen = seen(false, torture::make);
    let relations = relations(&seen).await;
    for view in ["over what is gone", "over a column that is gone", "over itself", "fails at a row"] {
        let asked = seen.rows(&relations[view], "query", 10).await.unwrap_err();
        assert!(!asked.contains("internal"), "{view}: {asked}");
        eprintln!("{asked}");
    }
}

/// Tables on which rows can be put back as they were: those of others refer to none of them, and no trigger forbids it.
fn that_can_be_rewritten(connection: &Connection) -> Vec<String> {
    let tied = "SELECT count(*) FROM sqlite_schema AS s, pragma_foreign_key_list(s.name) AS f
        WHERE s.type = 'table' AND (s.name = ?1 OR f.\"table\" = ?1 COLLATE NOCASE)";
    let plain = "SELECT count(*) FROM pragma_table_list WHERE name = ?1 AND type = 'table'";
    let tables = names(connection).into_iter().filter(|table| {
        let is = |sql| connection.query_row(sql, [table], |row| row.get::<_, i64>(0)).unwrap() > 0;
        is(plain)
            && !is(tied)
            && !LARGE.contains(&&**table)
            && !["guarded", "broken trigger"].contains(&&**table)
    });
    tables.collect()
}

/// Takes every row of a table away and puts it back as it was read. What is wrong is gathered.
async fn rewrite(seen: &Seen, connection: &Connection, table: &str, entry: &EntryPath) -> Vec<String> {
    let before = stored(connection, table);
    let open = format!("SELECT name FROM pragma_table_xinfo({}) WHERE hidden = 0", literal(table));
    let mut open = connection.prepare(&open).unwrap();
    let open: HashSet<String> = open.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let mut wrong = Vec::new();
    let mut taken = Vec::new();
    for row in seen.rows(entry, "query", 100).await.unwrap() {
        // Without an entry a row cannot be taken away.
        let Some(row) = entry_of(&row) else { return wrong };
        let exact = seen.call(&row, "read_exact", Vec::new()).await.unwrap();
        match seen.call(&row, "delete", Vec::new()).await {
            Ok(done) if case(&done) == "deleted" => taken.push((row, exact)),
            done => wrong.push(format!("{row} is not deleted: {done:?}")),
        }
    }
    let left: i64 = one(connection, &format!("SELECT count(*) FROM {}", quoted(table)));
    if left > 0 && wrong.is_empty() {
        wrong.push(format!("{left} rows of {table:?} are still there"));
    }
    for (row, exact) in taken {
        let columns = exact.as_record().unwrap().fields().iter();
        let columns = columns.filter(|(name, _)| open.contains(&**name)).cloned().collect();
        let columns = Value::Record(Record::new(columns).unwrap());
        match seen.call(entry, "insert_exact", vec![("columns", columns)]).await {
            Ok(done) if case(&done) == "inserted" => {
                let at = done.as_record().unwrap().get("value").and_then(Value::as_entry).unwrap();
                // What the database numbers gets a new number.
                let numbered =
                    table.starts_with("no key") || row.name().starts_with("~rowid") || table == "nulls";
                if *at != row && !numbered && !table.starts_with("rowid is another") && table != "made, first"
                {
                    wrong.push(format!("{row} stands at {at} now"));
                }
            }
            done => wrong.push(format!("{row} is not inserted: {done:?}")),
        }
    }
    if stored(connection, table) != before {
        wrong.push(format!("{table:?} holds something else than before"));
    }
    wrong
}

fn case(union: &Value) -> &str {
    union.as_record().and_then(|union| union.get("$case")?.as_str()).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_odd_row_can_be_taken_away_and_put_back_as_it_was() {
    let seen = seen(true, |path| {
        torture::make(path);
        // What refers to keys that are worth trying.
        let untied = "DROP TABLE \"to text\"; DROP TABLE \"to any case\"; DROP TABLE \"of several\"; DROP TABLE \"to what is gone\"";
        create(path).execute_batch(untied).unwrap();
    });
    let (relations, connection) = (relations(&seen).await, seen.copy.connect());
    let tables = that_can_be_rewritten(&connection);
    assert!(tables.len() > 80, "{tables:?}");
    let mut wrong = Vec::new();
    for table in tables {
        wrong.extend(rewrite(&seen, &connection, &table, &relations[&table]).await);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
