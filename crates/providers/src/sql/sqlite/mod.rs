//! SQLite: one file, with the library that is built into this program.
//!
//! Everything is read on connections that are open read-only. What callers wrote runs on some of their own (`foreign`), under
//! an authorizer (`authorize`); one connection writes, and is there only where the mount is writable. All connections of the
//! process share a bound of memory (`connect`).

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use self::catalog::Schema;
use self::connect::{Idle, Link};
use self::failure::Fault;
use self::session::Lent;
use super::catalog::Stamp;
use super::engine::{Dialect, Engine, Most, Purpose, Session, SqlError, Watch};
use super::{OpenError, Settings};

mod authorize;
mod catalog;
mod connect;
mod failure;
mod foreign;
mod functions;
mod identity;
mod open;
mod references;
mod session;
mod table;
#[cfg(test)]
mod tests;
mod types;
mod violation;

/// What every SQLite file begins with (<https://www.sqlite.org/fileformat.html#magic_header_string>).
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Whether a file is a SQLite database, by its header. Not for one that this process has open: on POSIX systems, to close a
/// file lets go of every lock that the process has on it.
///
/// # Errors
/// The file cannot be read.
pub fn is_sqlite(path: &Path) -> io::Result<bool> {
    let mut head = [0; MAGIC.len()];
    match std::fs::File::open(path)?.read_exact(&mut head) {
        Ok(()) => Ok(&head == MAGIC),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// The bounds are below those that SQLite is built with: 1,000 levels of an expression and 32,766 values.
const DIALECT: Dialect = Dialect {
    database: "SQLite database",
    sql: "The dialect is SQLite's.",
    reads: "SELECT, VALUES, WITH … SELECT, EXPLAIN, or a PRAGMA that shows the schema",
    part: "substr",
    like_letters: "ASCII letters of either case",
    writers: 1,
    most: Most { conditions: 200, values: 30_000, pattern: connect::LONGEST_PATTERN as usize },
};

/// A SQLite file.
pub(super) struct Sqlite {
    /// Absolute, without links.
    path: PathBuf,
    writable: bool,
    exact_integers: bool,
    readers: Idle,
    foreign: Idle,
    /// The connection that writes, where it is not at work.
    writer: Mutex<Option<Link>>,
    /// The schema that was seen last.
    schema: Mutex<Option<Arc<Schema>>>,
}

impl Sqlite {
    pub(super) fn open(path: &Path, settings: &Settings) -> Result<Self, OpenError> {
        open::open(path, settings)
    }

    /// A connection to the file that stands at the path now, in a transaction.
    fn lend(&self, purpose: Purpose, how: &str, watch: &Watch) -> Result<Lent<'_>, Fault> {
        let mut writer = match purpose {
            Purpose::Write => Some(self.writer(watch)?),
            Purpose::Read | Purpose::Foreign => None,
        };
        let mut recovered = false;
        loop {
            if watch.is_over() {
                return Err(watch.ended().into());
            }
            let identity = connect::identity(&self.path)?;
            let kept = match &mut writer {
                Some(writer) => writer.take().filter(|link| link.identity == identity),
                None => self.idle(purpose).take(identity),
            };
            let mut link = match kept {
                Some(link) => link,
                None => Link::open(&self.path, purpose)?,
            };
            match link.begin(how, watch) {
                // What a transaction on a file that was taken away would change, nobody would see.
                Ok(_) if connect::identity(&self.path)? != link.identity => {}
                Ok(version) => {
                    let schema = self.schema(connect::stamp(&link.identity, version, self.exact_integers));
                    let watch = watch.clone();
                    let link = Some(link);
                    return Ok(Lent { engine: self, purpose, link, writer, watch, schema, undone: false });
                }
                Err(error) => {
                    link.end();
                    let may_recover = self.writable && purpose != Purpose::Write && !recovered;
                    if may_recover && failure::needs_recovery(&error) {
                        drop(link);
                        recovered = true;
                        self.recover(watch)?;
                        continue;
                    }
                    if !(link.spoiled || failure::spoils(&error)) {
                        self.give_back(link, purpose, writer.as_mut());
                    }
                    return Err(error.into());
                }
            }
        }
    }

    /// Lets the connection that writes put in order what another program left in the middle of a change.
    fn recover(&self, watch: &Watch) -> Result<(), Fault> {
        self.lend(Purpose::Write, "BEGIN DEFERRED", watch).map(drop)
    }

    fn writer(&self, watch: &Watch) -> Result<MutexGuard<'_, Option<Link>>, SqlError> {
        if !self.writable {
            return Err(SqlError::failed("the database was opened to be read only"));
        }
        let mut tries = 0;
        loop {
            match self.writer.try_lock() {
                Ok(writer) => return Ok(writer),
                // Whoever panicked left no connection behind.
                Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if connect::pause(tries, || watch.is_over()) => tries += 1,
                Err(TryLockError::WouldBlock) => return Err(SqlError::Busy),
            }
        }
    }

    fn idle(&self, purpose: Purpose) -> &Idle {
        if purpose == Purpose::Foreign { &self.foreign } else { &self.readers }
    }

    fn give_back(&self, link: Link, purpose: Purpose, writer: Option<&mut MutexGuard<'_, Option<Link>>>) {
        match writer {
            Some(writer) => **writer = Some(link),
            None => self.idle(purpose).give_back(link),
        }
    }

    /// What is known of that schema.
    fn schema(&self, stamp: Stamp) -> Arc<Schema> {
        let mut last = self.schema.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some(schema) if schema.stamp == stamp => schema.clone(),
            _ => {
                let schema = Arc::new(Schema::new(stamp, self.exact_integers));
                *last = Some(schema.clone());
                schema
            }
        }
    }
}

impl Engine for Sqlite {
    fn dialect(&self) -> &'static Dialect {
        &DIALECT
    }

    fn begin(&self, purpose: Purpose, watch: &Watch) -> Result<Box<dyn Session + '_>, SqlError> {
        let how = if purpose == Purpose::Write { "BEGIN IMMEDIATE" } else { "BEGIN DEFERRED" };
        match self.lend(purpose, how, watch) {
            Ok(lent) => Ok(Box::new(lent)),
            Err(Fault::Told(error)) => Err(error),
            Err(Fault::Sqlite(error)) => Err(failure::of_own(error, Some(watch))),
        }
    }
}
