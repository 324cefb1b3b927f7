//! A SQLite file that is made for a test and served by a Host, beside a connection that goes past the Host.

use std::ops::Deref;
use std::path::PathBuf;

use rusqlite::Connection;
use tempfile::TempDir;
use worldspace_host::{Host, Provider};
use worldspace_model::{EntryPath, Value};
use worldspace_providers::sql::{Database, Settings};

pub(super) use crate::hosted::{Fields, field, integer};
use crate::hosted::{Hosted, MOUNT};

pub(super) struct World {
    hosted: Hosted,
    directory: TempDir,
}

impl Deref for World {
    type Target = Hosted;

    fn deref(&self) -> &Hosted {
        &self.hosted
    }
}

impl World {
    /// With what these statements make.
    pub(super) fn of(sql: &str) -> Self {
        Self::with(Settings::default(), sql)
    }

    /// In which rows can be changed.
    pub(super) fn writable(sql: &str) -> Self {
        Self::with(Settings { writable: true, ..Settings::default() }, sql)
    }

    pub(super) fn with(settings: Settings, sql: &str) -> Self {
        Self::made(settings, |connection| connection.execute_batch(sql).unwrap())
    }

    pub(super) fn made(settings: Settings, make: impl FnOnce(&Connection)) -> Self {
        Self::behind(settings, make, |database| database)
    }

    /// With a provider in front of the database.
    pub(super) fn behind<P: Provider>(
        settings: Settings,
        make: impl FnOnce(&Connection),
        front: impl FnOnce(Database) -> P,
    ) -> Self {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("a.db");
        let connection = Connection::open(&path).unwrap();
        make(&connection);
        // A database in which nothing was made has no header.
        connection.pragma_update(None, "user_version", 1).unwrap();
        drop(connection);
        let database = Database::open_sqlite(&path, settings).unwrap();
        let hosted = Hosted::new(Host::builder().mount(EntryPath::parse(MOUNT).unwrap(), front(database)));
        Self { hosted, directory }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.directory.path().join("a.db")
    }

    /// A connection of another program.
    pub(super) fn beside(&self) -> Connection {
        Connection::open(self.path()).unwrap()
    }
}

/// A JSON text as a value of the type `json`, and, where it looks like unions and records, of those.
pub(super) fn json(text: &str) -> Value {
    fn value(json: &serde_json::Value) -> Value {
        match json {
            serde_json::Value::Null => Value::Unit,
            serde_json::Value::Bool(value) => Value::Boolean(*value),
            serde_json::Value::Number(number) => match number.as_i64() {
                Some(number) => integer(number),
                None => Value::Number(worldspace_model::Number::new(number.as_f64().unwrap()).unwrap()),
            },
            serde_json::Value::String(text) => Value::string(text.as_str()),
            serde_json::Value::Array(items) => Value::list(items.iter().map(value).collect()).unwrap(),
            serde_json::Value::Object(fields) => {
                Value::record(fields.iter().map(|(name, json)| (name.as_str(), Some(value(json))))).unwrap()
            }
        }
    }
    value(&serde_json::from_str(text).unwrap())
}
