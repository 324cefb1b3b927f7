//! What SQLite's errors mean to whoever asked.

use rusqlite::{Error, ffi};

use super::connect::LONGEST_PATTERN;
use crate::sql::engine::{SqlError, Watch};

/// Why a step of a session ended early: SQLite refused, or whoever takes the rows did.
pub(super) enum Fault {
    Sqlite(Error),
    Told(SqlError),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<SqlError> for Fault {
    fn from(error: SqlError) -> Self {
        Self::Told(error)
    }
}

/// SQLite's extended result code, if the error is one of SQLite's.
pub(super) fn extended(error: &Error) -> Option<i32> {
    match error {
        Error::SqliteFailure(error, _) | Error::SqlInputError { error, .. } => Some(error.extended_code),
        _ => None,
    }
}

/// SQLite's primary result code.
pub(super) fn primary(error: &Error) -> Option<i32> {
    extended(error).map(|code| code & 0xff)
}

/// What SQLite says of the statement; empty if nothing.
pub(super) fn message(error: &Error) -> &str {
    match error {
        Error::SqliteFailure(_, Some(text)) | Error::SqlInputError { msg: text, .. } => text,
        _ => "",
    }
}

/// Whether the connection is not to be used again: what it holds in memory may not be what the file holds.
pub(super) fn spoils(error: &Error) -> bool {
    primary(error).is_none_or(|code| {
        matches!(
            code,
            ffi::SQLITE_IOERR
                | ffi::SQLITE_CORRUPT
                | ffi::SQLITE_NOTADB
                | ffi::SQLITE_NOMEM
                | ffi::SQLITE_CANTOPEN
                | ffi::SQLITE_READONLY
                | ffi::SQLITE_PROTOCOL
                | ffi::SQLITE_INTERNAL
                | ffi::SQLITE_MISUSE
        )
    })
}

/// Whether a program that was writing ended in the middle, so that only one that may write can put the file in order.
pub(super) fn needs_recovery(error: &Error) -> bool {
    match extended(error) {
        Some(
            ffi::SQLITE_READONLY_ROLLBACK | ffi::SQLITE_READONLY_RECOVERY | ffi::SQLITE_READONLY_CANTINIT,
        ) => true,
        // The files beside a database in WAL mode are made by whoever may write.
        Some(code) => code & 0xff == ffi::SQLITE_CANTOPEN,
        None => false,
    }
}

/// Why the file cannot be read as it stands, where only a program that may write can help, in words.
pub(super) fn unready(error: &Error) -> Option<&'static str> {
    const LEFT: &str = "a program that was changing it ended in the middle, and only one that may write can put it in order; \
                        open it once with such a program, or serve it writable";
    match extended(error)? {
        ffi::SQLITE_READONLY_ROLLBACK | ffi::SQLITE_READONLY_RECOVERY => Some(LEFT),
        ffi::SQLITE_READONLY_CANTINIT | ffi::SQLITE_READONLY_DIRECTORY => Some(SHARED),
        _ => None,
    }
}

/// Of the files beside it.
pub(super) const SHARED: &str = "it, or a file that SQLite keeps beside it, cannot be opened; a database in WAL mode needs \
                                 its `-wal` and `-shm` files, or a directory where they can be made";

/// An error of a statement that was made here; `watch` is what ends it.
pub(super) fn of_own(error: Error, watch: Option<&Watch>) -> SqlError {
    let Some(code) = primary(&error) else { return SqlError::failed(error) };
    if let Some(hint) = unready(&error) {
        return SqlError::Limit(format!("the database cannot be read: {hint}"));
    }
    match code {
        ffi::SQLITE_INTERRUPT => watch.map_or(SqlError::Late, Watch::ended),
        ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED => SqlError::Busy,
        ffi::SQLITE_SCHEMA => SqlError::SchemaChanged,
        ffi::SQLITE_TOOBIG => {
            SqlError::Limit("a value would be longer than SQLite holds; give less".to_owned())
        }
        ffi::SQLITE_FULL => SqlError::Limit(FULL.to_owned()),
        ffi::SQLITE_ERROR => of_definition(error),
        ffi::SQLITE_NOMEM => SqlError::Limit(MEMORY.to_owned()),
        _ => SqlError::failed(error),
    }
}

/// Of memory.
const MEMORY: &str = "it takes more memory than this Host gives to SQLite; ask for less at a time, and sort and group fewer \
                      rows, or call again later if others take it now";

/// Of a full disk.
pub(super) const FULL: &str = "the disk is full, or the database has all the pages that it may have; \
                               nothing was changed";

/// What cannot be run as it stands. Statements that were made here say what the schema of their own transaction says, so that it
/// is up to a view, trigger or check of the database, which is not sound or needs what only another program has.
fn of_definition(error: Error) -> SqlError {
    let text = message(&error);
    if text.is_empty() || text.contains("syntax error") {
        return SqlError::failed(error);
    }
    if text == PATTERN {
        return SqlError::Limit(too_long_a_pattern());
    }
    SqlError::Limit(format!("a view, trigger or rule of the database cannot be run: {text}"))
}

/// What SQLite says of a pattern that is too long.
pub(super) const PATTERN: &str = "LIKE or GLOB pattern too complex";

/// The same in words.
pub(super) fn too_long_a_pattern() -> String {
    format!("a pattern of LIKE or GLOB is longer than {LONGEST_PATTERN} bytes; give a shorter one")
}

/// What SQLite could not find by a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    Table,
    Column,
}

/// What is missing, by SQLite's message, and its name.
pub(super) fn missing(message: &str) -> Option<(Missing, String)> {
    if let Some(table) = message.strip_prefix("no such table: ") {
        return Some((Missing::Table, table.to_owned()));
    }
    let name = message.strip_prefix("no such column: ");
    let name = name.or_else(|| message.rsplit_once(" has no column named ").map(|(_, name)| name))?;
    // A quoted one comes as it was written, with a remark behind it.
    let quoted = name.strip_prefix('"').and_then(|rest| rest.rsplit_once("\" - should this be"));
    let name = quoted.map_or_else(|| name.to_owned(), |(name, _)| name.replace("\"\"", "\""));
    Some((Missing::Column, name))
}
