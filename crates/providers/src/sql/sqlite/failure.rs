//! What SQLite's errors mean to whoever asked.

use rusqlite::{Error, ffi};

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

/// An error of a statement that was made here; `sql` is its text, and `watch` is what ends it.
pub(super) fn of_own(error: Error, sql: &str, watch: Option<&Watch>) -> SqlError {
    let Some(code) = primary(&error) else { return SqlError::failed(error) };
    match code {
        ffi::SQLITE_INTERRUPT => watch.map_or(SqlError::Late, Watch::ended),
        ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED => SqlError::Busy,
        ffi::SQLITE_SCHEMA => SqlError::SchemaChanged,
        ffi::SQLITE_TOOBIG => {
            SqlError::Limit("a value would be longer than SQLite holds; give less".to_owned())
        }
        ffi::SQLITE_FULL => SqlError::Limit(FULL.to_owned()),
        ffi::SQLITE_ERROR => of_definition(error, sql),
        _ => SqlError::failed(error),
    }
}

/// Of a full disk.
pub(super) const FULL: &str = "the disk is full, or the database has all the pages that it may have; \
                               nothing was changed";

/// What cannot be run as it stands: since the schema is another one, or since a view, trigger or check of the database is
/// not sound or needs what only another program has.
fn of_definition(error: Error, sql: &str) -> SqlError {
    let text = message(&error);
    if text.is_empty() || text.contains("syntax error") {
        return SqlError::failed(error);
    }
    // Names are always quoted here, so that this tells ours from those within a view or trigger.
    let ours =
        missing(text).is_some_and(|(_, name)| sql.contains(&format!("\"{}\"", name.replace('"', "\"\""))));
    if ours {
        return SqlError::SchemaChanged;
    }
    SqlError::Limit(format!("a view, trigger or rule of the database cannot be run: {text}"))
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
