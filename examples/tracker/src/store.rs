//! The database: its file, its migrations, and the two ways in: [`Store::read`], and [`Store::change`], which ends in a commit.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use worldspace_host::{After, Context, Fate, LocalPath, ProviderError, Refusal};
use worldspace_model::EntryPath;

/// What made a file of today of an older one, in order. A file says in `user_version` how many of them it has behind it.
const MIGRATIONS: [&str; 2] =
    [include_str!("migrations/1_issues.sql"), include_str!("migrations/2_search.sql")];

/// What tells a file of a tracker from one of another program (`application_id`): "wipt".
const APPLICATION: i64 = 0x7769_7074;

/// How long another program may hold the file.
const BUSY: Duration = Duration::from_secs(5);
/// How many steps of SQLite's machine pass between looks whether anybody still waits.
const STEPS: i32 = 10_000;
/// So many connections wait for their next use.
const IDLE: usize = 8;

/// The database of a tracker. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Store(Arc<Inner>);

struct Inner {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    /// Whoever changes something waits here for his turn, and not on a thread.
    turn: Arc<tokio::sync::Mutex<()>>,
}

/// Why a file cannot be opened as a tracker.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// SQLite cannot open it, or not bring it up to date.
    #[error("cannot open {} as the database of a tracker", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// It is a database of something else.
    #[error("{} is a database of something else; name another file, which need not be there yet", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A later version of this program made it.
    #[error("{} is of version {version}, and this program knows {} at most; use a newer one", path.display(), MIGRATIONS.len())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: i64,
    },
}

/// A transaction, as operations see it.
pub(crate) struct Db<'c> {
    transaction: Transaction<'c>,
    context: &'c Context,
    written_before: u64,
}

impl Store {
    /// Opens a file, which need not be there, and brings it up to date.
    pub(crate) fn open(path: &Path) -> Result<Self, OpenError> {
        let path = path.to_owned();
        let mut connection =
            connect(&path).map_err(|source| OpenError::Sqlite { path: path.clone(), source })?;
        migrate(&path, &mut connection)?;
        let idle = Mutex::new(vec![connection]);
        Ok(Self(Arc::new(Inner { path, idle, turn: Arc::default() })))
    }

    /// Runs work that nobody waits for, such as filling a new file.
    pub(crate) fn set_up(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
    ) -> Result<(), OpenError> {
        let all = || {
            let mut connection = connect(&self.0.path)?;
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            work(&transaction)?;
            transaction.commit()
        };
        all().map_err(|source| OpenError::Sqlite { path: self.0.path.clone(), source })
    }

    /// Runs work that reads, on a thread of its own, in one view of the database.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        context: &Context,
        work: impl FnOnce(&Db<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, ProviderError> {
        self.run(context, TransactionBehavior::Deferred, |db| work(&db).map_err(told)).await
    }

    /// Runs work that may change something, one at a time; what it does not commit did not happen.
    pub(crate) async fn change<T: Send + 'static>(
        &self,
        context: &Context,
        work: impl FnOnce(Db<'_>) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let turn = self.0.turn.clone().lock_owned().await;
        let work = move |db: Db<'_>| {
            let _turn = turn;
            work(db)
        };
        self.run(context, TransactionBehavior::Immediate, work).await
    }

    async fn run<T: Send + 'static, E: From<ProviderError> + Send + 'static>(
        &self,
        context: &Context,
        behavior: TransactionBehavior,
        work: impl FnOnce(Db<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let (inner, context) = (self.0.clone(), context.clone());
        let running = tokio::task::spawn_blocking(move || {
            let idle = inner.lock().pop();
            let mut connection = idle.map_or_else(|| connect(&inner.path), Ok).map_err(told)?;
            let waiting = context.clone();
            connection.progress_handler(STEPS, Some(move || waiting.is_cancelled())).map_err(told)?;
            let written_before = connection.total_changes();
            let transaction = connection.transaction_with_behavior(behavior).map_err(told)?;
            let done = work(Db { transaction, context: &context, written_before });
            // Who waited must not be remembered; and where a rollback failed, the connection is not used again.
            let is_free = connection.progress_handler(0, None::<fn() -> bool>).is_ok();
            let mut idle = inner.lock();
            if is_free && connection.is_autocommit() && idle.len() < IDLE {
                idle.push(connection);
            }
            done
        });
        running.await.unwrap_or_else(|error| match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(error) => Err(ProviderError::failed(error).into()),
        })
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Store").field(&self.0.path).finish()
    }
}

impl Inner {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Db<'_> {
    /// Where an issue stands in the Worldspace.
    pub(crate) fn entry(&self, project: &str, number: i64) -> rusqlite::Result<EntryPath> {
        let path = LocalPath::parse(&format!("/{project}/{number}"));
        path.map(|path| self.context.entry(&path))
            .map_err(|fault| rusqlite::Error::ToSqlConversionFailure(fault.into()))
    }

    /// Who asks.
    pub(crate) fn principal(&self) -> &str {
        self.context.principal().name().unwrap_or("anonymous")
    }

    /// Whether anything was written in this transaction.
    pub(crate) fn has_written(&self) -> bool {
        self.transaction.total_changes() != self.written_before
    }

    /// Makes everything written last, behind the fence.
    pub(crate) fn commit<R>(self, result: R, after: After) -> Fate<R> {
        commit(&self.transaction, result, after)
    }
}

fn commit<R>(transaction: &Transaction<'_>, result: R, after: After) -> Fate<R> {
    let roll_back = || transaction.is_autocommit() || transaction.execute_batch("ROLLBACK").is_ok();
    match transaction.execute_batch("COMMIT") {
        Ok(()) => Fate::Done { result, after },
        Err(error) if is_before_the_end(&error) && roll_back() => Fate::RolledBack(told(error).into()),
        Err(error) => Fate::unknown(error),
    }
}

impl Deref for Db<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.transaction
    }
}

/// What an error of SQLite means to whoever asked. An error that is none of these is logged, and not shown.
pub(crate) fn told(error: rusqlite::Error) -> ProviderError {
    match error.sqlite_error_code() {
        _ if error == rusqlite::Error::QueryReturnedNoRows => ProviderError::NotFound,
        Some(ErrorCode::OperationInterrupted) => ProviderError::Late,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ProviderError::Limit(
            "another program is changing the tracker's database; nothing happened, call again".to_owned(),
        ),
        Some(ErrorCode::DiskFull) => ProviderError::Limit(
            "the disk of the tracker is full; nothing happened, tell who runs it".to_owned(),
        ),
        _ => ProviderError::failed(error),
    }
}

/// Whether a commit that failed so can be taken back for certain. Where a disk fails, only the next reader of the file
/// learns on which side of the end.
fn is_before_the_end(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::DiskFull
                | ErrorCode::OperationInterrupted
                | ErrorCode::ConstraintViolation
        )
    )
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY)?;
    connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")?;
    Ok(connection)
}

/// Brings the file up to date, if it is one of a tracker or empty.
fn migrate(path: &Path, connection: &mut Connection) -> Result<(), OpenError> {
    let sqlite = |source| OpenError::Sqlite { path: path.to_owned(), source };
    let number = |connection: &Connection, sql| connection.query_one(sql, [], |row| row.get::<_, i64>(0));
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sqlite)?;
    let is_empty = number(&transaction, "SELECT count(*) FROM sqlite_schema").map_err(sqlite)? == 0;
    if !is_empty && number(&transaction, "PRAGMA application_id").map_err(sqlite)? != APPLICATION {
        return Err(OpenError::Foreign { path: path.to_owned() });
    }
    let version = number(&transaction, "PRAGMA user_version").map_err(sqlite)?;
    let newer = || OpenError::Newer { path: path.to_owned(), version };
    let missing =
        usize::try_from(version).ok().and_then(|version| MIGRATIONS.get(version..)).ok_or_else(newer)?;
    for migration in missing {
        transaction.execute_batch(migration).map_err(sqlite)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION).map_err(sqlite)?;
    transaction.execute_batch(&format!("PRAGMA user_version = {}", MIGRATIONS.len())).map_err(sqlite)?;
    transaction.commit().map_err(sqlite)?;
    // Readers see what was there before while somebody writes.
    connection.pragma_update(None, "journal_mode", "WAL").map_err(sqlite)
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    #[test]
    fn a_commit_that_is_refused_is_rolled_back_for_certain() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE t (x)").unwrap();
        connection.commit_hook(Some(|| true)).unwrap();
        let transaction = connection.transaction().unwrap();
        transaction.execute("INSERT INTO t VALUES (1)", []).unwrap();
        assert!(matches!(commit(&transaction, (), After::Unchanged), Fate::RolledBack(_)));
        drop(transaction);
        let kept: i64 = connection.query_one("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
        assert!(kept == 0 && connection.is_autocommit());
    }

    #[test]
    fn where_a_disk_fails_nobody_knows() {
        for (code, is_certain) in [
            (ffi::SQLITE_BUSY, true),
            (ffi::SQLITE_FULL, true),
            (ffi::SQLITE_CONSTRAINT_COMMITHOOK, true),
            (ffi::SQLITE_IOERR_FSYNC, false),
            (ffi::SQLITE_IOERR_DELETE, false),
            (ffi::SQLITE_CORRUPT, false),
        ] {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            assert_eq!(is_before_the_end(&error), is_certain, "{error}");
        }
    }
}
