//! A small tracker in a directory of its own, and somebody who uses it.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use tempfile::TempDir;
use worldspace_client::{CallOptions, Client, ClientError, Settings};
use worldspace_example_tracker::Tracker;
use worldspace_host::Host;
use worldspace_model::{EntryPath, Principal, Record, Value};

/// Two projects; 1 waits for 2 and 3, of which 3 is done, and 4 says the same as 1.
pub(crate) const CONTENT: &str = "
INSERT INTO people VALUES ('ann'), ('bob'), ('owner');
INSERT INTO projects (id, name, description, last_number) VALUES (1, 'garden', 'Beds and paths.', 4), (2, 'house', 'Rooms.', 0);
INSERT INTO issues (id, project_id, number, title, body, author, assignee, closed_as) VALUES
    (1, 1, 1, 'Water reaches the roses', 'The hose leaks.', 'ann', 'bob', NULL),
    (2, 1, 2, 'Mend the hose', 'It leaks at the tap.', 'ann', NULL, NULL),
    (3, 1, 3, 'Buy a tap', 'Brass, half an inch.', 'bob', NULL, 'done'),
    (4, 1, 4, 'Roses are dry', 'See the first one.', 'bob', NULL, 'duplicate');
INSERT INTO labels VALUES (1, 'roses'), (1, 'urgent'), (2, 'tools');
INSERT INTO relations VALUES (1, 'blocked_by', 2), (1, 'blocked_by', 3), (4, 'duplicate_of', 1);
INSERT INTO comments (project_id, issue_id, author, text) VALUES (1, 1, 'bob', 'I look at it.'), (1, NULL, 'ann', 'Spring!');
";

/// A tracker and its file.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) directory: Arc<TempDir>,
}

impl World {
    pub(crate) fn empty() -> Self {
        Self { directory: Arc::new(tempfile::tempdir().unwrap()) }
    }

    pub(crate) fn small() -> Self {
        static MADE: OnceLock<Vec<u8>> = OnceLock::new();
        let made = MADE.get_or_init(|| {
            let world = Self::empty();
            drop(world.tracker());
            world.sql(CONTENT);
            std::fs::read(world.file()).unwrap()
        });
        let world = Self::empty();
        std::fs::write(world.file(), made).unwrap();
        world
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.directory.path().join("tracker.db")
    }

    pub(crate) fn tracker(&self) -> Tracker {
        Tracker::open(&self.file()).unwrap()
    }

    /// What somebody does to the file beside the tracker.
    pub(crate) fn sql(&self, sql: &str) {
        self.beside().execute_batch(sql).unwrap();
    }

    pub(crate) fn beside(&self) -> rusqlite::Connection {
        let connection = rusqlite::Connection::open(self.file()).unwrap();
        connection.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
        connection
    }

    /// What a query gives, a line for each row.
    pub(crate) fn rows(&self, query: &str) -> Vec<String> {
        let connection = self.beside();
        let mut statement = connection.prepare(query).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }

    /// Somebody of that name who uses it.
    pub(crate) fn user(&self, name: &str) -> User {
        let tracker = self.tracker().provider().unwrap();
        let host = Host::builder().mount(EntryPath::parse("/tracker").unwrap(), tracker).build().unwrap();
        User(Client::in_process(Arc::new(host), Principal::new(name), Settings::default()), self.clone())
    }
}

/// Who uses the tracker, which is there for as long. Paths are those below `/tracker`.
#[derive(Clone)]
pub(crate) struct User(
    pub(crate) Client,
    #[expect(dead_code, reason = "its directory is there for as long")] pub(crate) World,
);

impl User {
    pub(crate) fn entry(path: &str) -> EntryPath {
        EntryPath::parse(format!("/tracker{path}").trim_end_matches('/')).unwrap()
    }

    /// Looks at what is there and calls it: the result, or why there is none, written short.
    pub(crate) async fn call(&self, path: &str, operation: &str, arguments: &[(&str, Value)]) -> String {
        self.value(path, operation, arguments).await.map_or_else(|failure| failure, |value| short(&value))
    }

    pub(crate) async fn value(
        &self,
        path: &str,
        operation: &str,
        arguments: &[(&str, Value)],
    ) -> Result<Value, String> {
        let told = |failure: ClientError| format!("{}: {failure}", failure.kind().name());
        let shown = self.0.fetch(&Self::entry(path)).await.map_err(told)?;
        let interface = self.0.resolve(&shown, operation, None).await.map_err(told)?;
        let arguments = arguments.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
        let arguments = Record::new(arguments).unwrap();
        let called = self.0.call(&shown, &interface, operation, arguments, CallOptions::default()).await;
        let outcome = called.map_err(|failure| format!("{}: {failure}", failure.kind().name()))?;
        Ok(outcome.result)
    }
}

/// A value as one line: unions as `case(…)`, records as `{name: …}`.
pub(crate) fn short(value: &Value) -> String {
    match value {
        Value::Unit => "done".to_owned(),
        Value::String(text) => text.to_string(),
        Value::Entry(entry) => entry.to_string(),
        Value::List(list) => {
            format!("[{}]", list.items().iter().map(short).collect::<Vec<_>>().join(", "))
        }
        Value::Record(record) => match record.get("$case").and_then(Value::as_str) {
            Some(case) => {
                record.get("value").map_or(case.to_owned(), |value| format!("{case}{}", short(value)))
            }
            None => {
                let fields = record.fields().iter().map(|(name, value)| format!("{name}: {}", short(value)));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
            }
        },
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.get().to_string(),
        value => format!("{value:?}"),
    }
}
