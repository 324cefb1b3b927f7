//! A database as a Worldspace.
//!
//! Tables and views are Objects, each with an interface made from its columns. Rows are Objects below their table, found by
//! `query`, each told by its key; a foreign key is an `entry` that points to the row it refers to. Where writing is offered,
//! a row is changed and deleted in the state that the caller saw, compared in the transaction of the effect.
//!
//! What holds for every database stands here, against the seam in `engine`; what each kind does its own way stands in a module
//! of its own, so far `sqlite`.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use worldspace_host::{
    Call, Context, Done, Interface, LocalPath, LocalReference, Page, Provider, ProviderError, Published,
    Refusal, StateToken,
};
use worldspace_model::Segment;

use self::declare::{DATABASE, Declared, ROW, ROW_WRITE, TABLE, TABLE_WRITE, VIEW};
use self::engine::{Engine, Purpose, Session, Watch};
use self::sqlite::Sqlite;
use self::stack::DeepPool;
use crate::pool::Patience;

mod catalog;
mod cell;
mod declare;
mod describe;
mod engine;
mod follow;
mod key;
mod names;
mod objects;
mod read;
mod shape;
mod sqlite;
mod stack;
mod write;

pub use self::sqlite::is_sqlite;

/// A mounted database. Cheap to clone.
#[derive(Clone)]
pub struct Database(Arc<Inner>);

/// Short pieces of work at one time.
const SHORT: usize = 8;
/// Pages of rows that are found at one time.
const QUERIES: usize = 8;
/// Statements that look at as much as there is at one time, so that a few of them never keep others from finding and reading
/// rows.
const LONG: usize = 4;
/// Statements of callers at one time, which may be anything and take all the time that they are given.
const FOREIGN: usize = 4;

/// How long it is waited for the state of the database as a whole, which is there whether or not it can be read just now.
const ROOT: Duration = Duration::from_secs(1);

struct Inner {
    engine: Box<dyn Engine>,
    declared: Declared,
    settings: Settings,
    /// The state of the database that was seen last.
    state: Mutex<Option<StateToken>>,
    short: DeepPool,
    queries: DeepPool,
    /// For what looks at as much as there is.
    long: DeepPool,
    foreign: DeepPool,
    writes: DeepPool,
}

/// What is offered of a database, and how.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Offer what changes rows as well. Off by default: then the file is opened so that nothing can be written.
    pub writable: bool,
    /// How long one statement may run, waiting for the locks of other programs included. 10 s by default.
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
        let path = path.as_ref();
        let engine = Sqlite::open(path, &settings)?;
        let declared =
            Declared::new(settings.writable, engine.dialect()).map_err(|fault| OpenError::Read {
                path: path.to_owned(),
                hint: "its interface cannot be declared".to_owned(),
                source: fault.into(),
            })?;
        let writers = engine.dialect().writers;
        Ok(Self(Arc::new(Inner {
            engine: Box::new(engine),
            declared,
            settings,
            state: Mutex::default(),
            short: DeepPool::new(SHORT),
            queries: DeepPool::new(QUERIES),
            long: DeepPool::new(LONG),
            foreign: DeepPool::new(FOREIGN),
            writes: DeepPool::new(writers),
        })))
    }

    /// Runs a piece of work that reads, in a transaction of its own, for so long at most.
    async fn look<T: Send + 'static>(
        &self,
        context: &Context,
        time: Duration,
        work: impl FnOnce(&mut dyn Session, &Declared) -> Result<T, ProviderError> + Send + 'static,
    ) -> Result<T, ProviderError> {
        let inner = self.0.clone();
        let run = move |patience: &Patience| {
            let watch = Watch::new(patience, time.min(inner.settings.statement_time));
            let mut session = inner.engine.begin(Purpose::Read, &watch)?;
            work(&mut *session, &inner.declared)
        };
        self.0.short.run(context, run).await?
    }
}

impl Inner {
    fn watch(&self, patience: &Patience) -> Watch {
        Watch::new(patience, self.settings.statement_time)
    }

    fn call(&self, context: &Context, patience: &Patience, call: Call) -> Result<Done, Refusal> {
        let watch = self.watch(patience);
        if write::is_of(&call) {
            let session = self.engine.begin(Purpose::Write, &watch)?;
            return write::run(session, &self.declared, context, call);
        }
        if call.interface().name.as_str() == DATABASE {
            let mut session = self.engine.begin(Purpose::Foreign, &watch)?;
            call.compare(&objects::schema_state(&*session))?;
            return read::raw::run(&mut *session, context, call);
        }
        let mut session = self.engine.begin(Purpose::Read, &watch)?;
        read::run(&mut *session, &self.declared, context, call)
    }
}

impl Provider for Database {
    async fn object(&self, context: &Context, path: &LocalPath) -> Result<Published, ProviderError> {
        let at = path.clone();
        let time = if path.is_root() { ROOT } else { Duration::MAX };
        let inner = self.0.clone();
        let work = move |session: &mut dyn Session, declared: &Declared| {
            if at.is_root() {
                let state = objects::schema_state(session);
                *inner.state.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
            }
            objects::object(session, declared, &at)
        };
        let seen = self.look(context, time, work).await;
        match seen {
            // That it is locked at the moment does not change what it is. A call that is bound to its state compares that in
            // a transaction of its own.
            Err(ProviderError::Limit(_)) if path.is_root() => {
                let state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let database = objects::database(&self.0.declared);
                Ok(state.into_iter().fold(database, Published::in_state))
            }
            seen => seen,
        }
    }

    async fn children(
        &self,
        context: &Context,
        path: &LocalPath,
        after: Option<&Segment>,
        most: usize,
    ) -> Result<Page, ProviderError> {
        let (path, after) = (path.clone(), after.cloned());
        let work = move |session: &mut dyn Session, declared: &Declared| {
            objects::children(session, declared, &path, after.as_ref(), most)
        };
        self.look(context, Duration::MAX, work).await
    }

    async fn interface(
        &self,
        context: &Context,
        reference: &LocalReference,
    ) -> Result<Interface, ProviderError> {
        if let Some(known) = self.0.declared.of_no_schema(reference) {
            return Ok(known.clone());
        }
        let reference = reference.clone();
        let work = move |session: &mut dyn Session, declared: &Declared| {
            declared.interface(session, &reference)?.ok_or(ProviderError::NotFound)
        };
        self.look(context, Duration::MAX, work).await
    }

    async fn call(&self, context: &Context, call: Call) -> Result<Done, Refusal> {
        let (inner, asked) = (self.0.clone(), context.clone());
        let pool = match Line::of(call.interface().name.as_str(), call.operation()) {
            Line::Short => &self.0.short,
            Line::Queries => &self.0.queries,
            Line::Long => &self.0.long,
            Line::Foreign => &self.0.foreign,
            Line::Writes => &self.0.writes,
        };
        pool.run(context, move |patience: &Patience| inner.call(&asked, patience, call)).await?
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").field("settings", &self.0.settings).finish_non_exhaustive()
    }
}

/// Where a call waits for its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Short,
    Queries,
    Long,
    Foreign,
    Writes,
}

impl Line {
    fn of(interface: &str, operation: &str) -> Self {
        match (interface, operation) {
            (TABLE_WRITE | ROW_WRITE, _) => Self::Writes,
            (DATABASE, _) => Self::Foreign,
            (TABLE | VIEW, "count" | "frequent_values") => Self::Long,
            (TABLE | VIEW, "query") | (ROW, "read_bytes") => Self::Queries,
            // Where no index helps, what refers to a row is found by looking at every row.
            (ROW, operation) if !read::OF_ROWS.contains(&operation) => Self::Queries,
            _ => Self::Short,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_look_at_every_row_waits_in_no_line_of_what_is_over_in_a_moment() {
        for (interface, operation, line) in [
            (ROW, "read", Line::Short),
            (ROW, "read_exact", Line::Short),
            (ROW, "read_bytes", Line::Queries),
            // Of tables that refer to this one, whatever they are called.
            (ROW, "orders", Line::Queries),
            (ROW, "count", Line::Queries),
            (ROW, "sql", Line::Queries),
            (TABLE, "get", Line::Short),
            (TABLE, "query", Line::Queries),
            (VIEW, "query", Line::Queries),
            (TABLE, "count", Line::Long),
            (VIEW, "frequent_values", Line::Long),
            (DATABASE, "sql", Line::Foreign),
            (TABLE_WRITE, "insert", Line::Writes),
            (ROW_WRITE, "delete", Line::Writes),
        ] {
            assert_eq!(Line::of(interface, operation), line, "{interface} {operation}");
        }
    }
}
