//! A database as a Worldspace.
//!
//! Tables and views are Objects, each with an interface made from its columns. Rows are Objects below their table, found by
//! `query`, each told by its key; a foreign key is an `entry` that points to the row it refers to. Where writing is offered,
//! a row is changed and deleted in the state that the caller saw, compared in the transaction of the effect.
//!
//! What holds for every database stands here, against the seam in `engine`; what each kind does its own way stands in a module
//! of its own, so far `sqlite`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use self::engine::Engine;
use self::sqlite::Sqlite;

mod catalog;
mod cell;
mod engine;
mod names;
mod sqlite;

pub use self::sqlite::is_sqlite;

/// A mounted database. Cheap to clone.
#[derive(Clone)]
pub struct Database(Arc<Inner>);

struct Inner {
    engine: Box<dyn Engine>,
    settings: Settings,
}

/// What is offered of a database, and how.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Offer what changes rows as well. Off by default: then the file is opened so that nothing can be written.
    pub writable: bool,
    /// How long one statement may run. 10 s by default.
    pub statement_time: Duration,
    /// Let every integer column travel as a string of decimal digits, for databases whose integers are beyond ±(2^53−1)
    /// throughout. Off by default: then such a column is an `integer`, and a row that holds a larger one travels in the exact
    /// form.
    pub exact_integers: bool,
}

/// Why a database cannot be served. For whoever runs the Host: it holds the path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// It cannot be opened.
    #[error("cannot open {}", path.display())]
    File {
        /// The path that was given.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// It is no database of this kind.
    #[error("{} is no SQLite database", path.display())]
    Kind {
        /// The path that was given.
        path: PathBuf,
    },
    /// It is open, but cannot be read, as where it is damaged.
    #[error("cannot read {} as a SQLite database: {hint}", path.display())]
    Read {
        /// The path that was given.
        path: PathBuf,
        /// What is probably wrong, and what to do.
        hint: String,
        /// The reason.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Default for Settings {
    fn default() -> Self {
        Self { writable: false, statement_time: Duration::from_secs(10), exact_integers: false }
    }
}

impl Database {
    /// Opens a SQLite file. Where another file is put in its place later, that one is served from then on.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open_sqlite(path: impl AsRef<Path>, settings: Settings) -> Result<Self, OpenError> {
        let engine = Sqlite::open(path.as_ref(), &settings)?;
        Ok(Self(Arc::new(Inner { engine: Box::new(engine), settings })))
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").field("settings", &self.0.settings).finish_non_exhaustive()
    }
}
