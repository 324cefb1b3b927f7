//! One connection to the file, and how it is set up.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use super::authorize::{Strict, authorizer};
use super::failure::Fault;
use super::identity::FileIdentity;
use crate::sql::catalog::Stamp;
use crate::sql::engine::{Purpose, SqlError, Watch};

/// How many operations of SQLite's machine pass between looks at the time.
const OPERATIONS: i32 = 1_000;
/// How long making a change last waits for the readers of other programs: nobody can call it off any more.
const COMMIT_WAIT: Duration = if cfg!(test) { Duration::from_millis(300) } else { Duration::from_secs(5) };
/// Statements that a connection keeps ready.
const STATEMENTS: usize = 64;
/// The longest value or row that a caller's statement may make or read: to make one is a single step, which nothing ends.
pub(super) const LONGEST: i32 = 2 << 20;
/// The longest pattern of LIKE and GLOB, in bytes: SQLite calls itself for every `%` of it, on a stack of fixed size.
pub(super) const LONGEST_PATTERN: i32 = 1_000;
/// What all of SQLite in this process may hold in memory, in bytes.
const HEAP: i64 = 1 << 30;

/// A connection.
pub(super) struct Link {
    pub(super) raw: Connection,
    /// The file that it is open on.
    pub(super) identity: FileIdentity,
    pub(super) strict: Strict,
    /// The schema whose virtual tables it has made ready for callers' statements.
    pub(super) prepared_for: Option<Stamp>,
    /// How long whoever it is lent to may go on.
    pub(super) watch: Option<Watch>,
    /// Not to be used again.
    pub(super) spoiled: bool,
}

impl Link {
    /// Opens the file that stands at the path, and none that is put there meanwhile.
    pub(super) fn open(path: &Path, purpose: Purpose) -> Result<Self, Fault> {
        // Each try loses only to somebody who puts another file there.
        for _ in 0..8 {
            let identity = identity(path)?;
            let link = Self::set_up(path, identity, purpose)?;
            if self::identity(path)? == identity {
                return Ok(link);
            }
        }
        Err(Fault::Told(SqlError::failed("the file is replaced again and again")))
    }

    fn set_up(path: &Path, identity: FileIdentity, purpose: Purpose) -> Result<Self, rusqlite::Error> {
        let access = match purpose {
            Purpose::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
            Purpose::Read | Purpose::Foreign => OpenFlags::SQLITE_OPEN_READ_ONLY,
        };
        let mut raw = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        for (option, on) in [
            (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
            (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
            // A misspelt column is an error, and not a text.
            (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
            (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
            (DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true),
        ] {
            raw.set_db_config(option, on)?;
        }
        raw.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
        raw.set_limit(Limit::SQLITE_LIMIT_WORKER_THREADS, 0)?;
        raw.set_limit(Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, LONGEST_PATTERN)?;
        raw.set_prepared_statement_cache_capacity(STATEMENTS);
        // A file that is cut short while it is mapped would end the process.
        raw.execute_batch("PRAGMA mmap_size=0; PRAGMA cell_size_check=ON")?;
        if purpose != Purpose::Write {
            raw.execute_batch("PRAGMA query_only=ON")?;
        }
        if purpose == Purpose::Foreign {
            // What a caller's statement sorts is bounded like all memory; a disk it would fill.
            raw.execute_batch("PRAGMA temp_store=MEMORY")?;
        }
        bound_memory(&raw)?;
        let strict = Strict::default();
        raw.authorizer(Some(authorizer(strict.clone())))?;
        Ok(Self { raw, identity, strict, prepared_for: None, watch: None, spoiled: false })
    }

    /// Begins a transaction, and gives the version of the schema that it sees.
    pub(super) fn begin(&mut self, how: &str, watch: &Watch) -> Result<i64, rusqlite::Error> {
        let (of_progress, of_busy) = (watch.clone(), watch.clone());
        self.watch = Some(watch.clone());
        self.raw.progress_handler(OPERATIONS, Some(move || of_progress.is_over()))?;
        self.raw.busy_handler(Some(move |tries| pause(tries, || of_busy.is_over())))?;
        self.raw.prepare_cached(how)?.raw_execute()?;
        // A deferred transaction begins with the first read.
        self.raw.prepare_cached("PRAGMA schema_version")?.query_row([], |row| row.get(0))
    }

    /// Lets nothing end what runs now but the readers of other programs, if they stay for long.
    pub(super) fn insist(&mut self) -> Result<(), rusqlite::Error> {
        let end = Instant::now() + COMMIT_WAIT;
        self.raw.progress_handler(0, None::<fn() -> bool>)?;
        self.raw.busy_handler(Some(move |tries| pause(tries, || Instant::now() >= end)))
    }

    /// Takes back whatever is not committed, and forgets whom it was lent to.
    pub(super) fn end(&mut self) {
        let quiet = self
            .raw
            .progress_handler(0, None::<fn() -> bool>)
            .and_then(|()| self.raw.busy_handler(None::<fn(i32) -> bool>));
        self.strict.set(false);
        self.watch = None;
        if quiet.is_err() || !self.roll_back() {
            self.spoiled = true;
        }
    }

    /// Whether no transaction is open any more.
    pub(super) fn roll_back(&mut self) -> bool {
        self.raw.is_autocommit() || (self.raw.execute_batch("ROLLBACK").is_ok() && self.raw.is_autocommit())
    }

    /// Runs work within the limits for what a caller wrote. They hold for that alone: the schema has to be read with none.
    pub(super) fn strictly<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let usual = FOREIGN.map(|(limit, low)| (limit, self.raw.set_limit(limit, low)));
        self.strict.set(true);
        let done = work(self);
        self.strict.set(false);
        for (limit, usual) in usual {
            if usual.and_then(|usual| self.raw.set_limit(limit, usual)).is_err() {
                self.spoiled = true;
            }
        }
        done
    }
}

/// What a caller's statement may be and make, so that no small one takes much memory.
const FOREIGN: [(Limit, i32); 9] = [
    (Limit::SQLITE_LIMIT_LENGTH, LONGEST),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 100),
    (Limit::SQLITE_LIMIT_VDBE_OP, 250_000),
    (Limit::SQLITE_LIMIT_FUNCTION_ARG, 100),
    (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 2_000),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (Limit::SQLITE_LIMIT_PARSER_DEPTH, 500),
];

/// Bounds the memory of the library, unless the program that this is part of has done so.
fn bound_memory(raw: &Connection) -> Result<(), rusqlite::Error> {
    let bound: i64 = raw.query_row("PRAGMA hard_heap_limit", [], |row| row.get(0))?;
    if bound == 0 {
        raw.query_row(&format!("PRAGMA hard_heap_limit={HEAP}"), [], |_| Ok(()))?;
    }
    Ok(())
}

/// The identity of the file that stands there.
pub(super) fn identity(path: &Path) -> Result<FileIdentity, SqlError> {
    FileIdentity::of(path).map_err(SqlError::failed)
}

/// Waits a little, the longer the more often there was nothing, unless it is over.
pub(super) fn pause(tries: i32, is_over: impl Fn() -> bool) -> bool {
    if is_over() {
        return false;
    }
    let millis = [1, 2, 5, 10, 15, 20, 25];
    let at = usize::try_from(tries).unwrap_or(0).min(millis.len() - 1);
    std::thread::sleep(Duration::from_millis(millis[at]));
    true
}

/// The stamp of a schema of a file.
pub(super) fn stamp(identity: &FileIdentity, version: i64, exact_integers: bool) -> Stamp {
    let mut digest = blake3::Hasher::new();
    identity.add_to(&mut digest);
    digest.update(&version.to_le_bytes()).update(&[u8::from(exact_integers)]);
    *digest.finalize().as_bytes()
}

/// Connections that wait for their next use.
#[derive(Default)]
pub(super) struct Idle(std::sync::Mutex<Vec<Link>>);

/// So many connections wait at most.
const IDLE: usize = 8;

impl Idle {
    /// One that is open on that file. Those on any other are closed.
    pub(super) fn take(&self, identity: FileIdentity) -> Option<Link> {
        let (link, closed) = {
            let mut links = self.lock();
            let closed: Vec<Link> = links.extract_if(.., |link| link.identity != identity).collect();
            (links.pop(), closed)
        };
        drop(closed);
        link
    }

    pub(super) fn give_back(&self, link: Link) {
        let mut links = self.lock();
        if links.len() < IDLE {
            links.push(link);
            return;
        }
        drop(links);
        drop(link);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Link>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
