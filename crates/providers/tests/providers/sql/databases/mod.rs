//! Databases that are made for a test: real files, of rows that are known.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tempfile::TempDir;

pub(crate) mod chinook;
pub(crate) mod scale;
pub(crate) mod torture;

/// A new database file, or one that is overwritten in one go: no journal is kept while it is made.
pub(crate) fn create(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    // The references of some rows dangle, as they do in files that others made.
    let quick = "PRAGMA foreign_keys = OFF; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;";
    connection.execute_batch(quick).unwrap();
    connection
}

/// A database that many fresh copies are made of.
pub(crate) struct Template(Vec<u8>);

impl Template {
    /// What a maker writes.
    pub(crate) fn of(make: impl FnOnce(&Path)) -> Self {
        let directory = directory();
        let path = directory.path().join("template.db");
        make(&path);
        Self(std::fs::read(path).unwrap())
    }

    /// A copy that nobody has touched.
    pub(crate) fn copy(&self) -> Copy {
        let directory = directory();
        let path = directory.path().join("copy.db");
        std::fs::write(&path, &self.0).unwrap();
        Copy { path, _directory: directory }
    }
}

/// A file that goes with the test.
pub(crate) struct Copy {
    pub(crate) path: PathBuf,
    _directory: TempDir,
}

impl Copy {
    /// A connection beside the Host, as another program has one.
    pub(crate) fn connect(&self) -> Connection {
        let connection = Connection::open(&self.path).unwrap();
        connection.busy_timeout(std::time::Duration::from_secs(20)).unwrap();
        connection
    }
}

/// In memory where that can be had: the disk is not what is tested.
pub(crate) fn directory() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// Tables and views that a person made, by name.
pub(crate) fn names(connection: &Connection) -> Vec<String> {
    let ours = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
    let mut statement = connection.prepare(ours).unwrap();
    let names = statement.query_map([], |row| row.get(0)).unwrap();
    names.collect::<Result<_, _>>().unwrap()
}

pub(crate) fn quoted(identifier: &str) -> String {
    format!("\"{}\"", identifier.replace('"', "\"\""))
}

/// A text as a literal.
pub(crate) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The one value of the one row that a query gives.
pub(crate) fn one<T: rusqlite::types::FromSql>(connection: &Connection, sql: &str) -> T {
    connection.query_row(sql, [], |row| row.get(0)).unwrap_or_else(|error| panic!("{sql}: {error}"))
}
