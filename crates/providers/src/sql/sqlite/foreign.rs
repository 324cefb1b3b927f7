//! Statements that callers wrote. They read, and nothing else, whatever they say.
//!
//! The connection is open read-only, refuses to write, and asks the authorizer for each part of the statement; the statement
//! must be one, and must say of itself that it only reads.

use std::convert::Infallible;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use rusqlite::fallible_iterator::FallibleIterator as _;
use rusqlite::{Batch, Error, Statement as Prepared, ffi};

use super::DIALECT;
use super::catalog::Schema;
use super::connect::{LONGEST, Link};
use super::failure::{self, Fault, Missing};
use super::functions;
use super::session::{bind, rows};
use crate::sql::cell::Cell;
use crate::sql::describe;
use crate::sql::engine::{SqlError, Take, Watch};

const ONE: &str = "only one statement is run at a time; call once for each";
const EMPTY: &str = "there is no statement; write a SELECT";
/// How often the time is looked at beside a step of SQLite.
const LOOK: Duration = Duration::from_millis(100);
/// So many tables that a statement mentions are looked at for the names of their columns.
const MENTIONED: usize = 20;

/// Runs a statement of a caller.
pub(super) fn run(
    link: &mut Link,
    schema: &Schema,
    watch: &Watch,
    sql: &str,
    parameters: &[Cell],
    head: &mut dyn FnMut(&[&str]) -> Result<(), SqlError>,
    take: &mut Take<'_>,
) -> Result<(), SqlError> {
    let ran = match make_ready(link, schema) {
        Ok(()) => {
            link.strictly(|link| watched(link, watch, |link| run_strictly(link, sql, parameters, head, take)))
        }
        Err(error) => Err(error),
    };
    ran.map_err(|fault| match fault {
        Fault::Told(error) => error,
        Fault::Sqlite(error) => {
            link.spoiled |= failure::spoils(&error);
            told(link, schema, watch, sql, error)
        }
    })
}

/// Also ends a step of SQLite that does not look at the time itself, as where it counts all rows of a table.
pub(super) fn watched<T>(link: &Link, watch: &Watch, work: impl FnOnce(&Link) -> T) -> T {
    let running = link.raw.get_interrupt_handle();
    let (done, is_done) = mpsc::channel::<Infallible>();
    let end = move || {
        while is_done.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            if watch.is_over() {
                running.interrupt();
            }
        }
    };
    std::thread::scope(|scope| {
        // Where there is no thread for it, the steps that do look at the time have to do.
        let _ = std::thread::Builder::new().name("sql watch".to_owned()).spawn_scoped(scope, end);
        let worked = work(link);
        drop(done);
        worked
    })
}

/// Lets SQLite parse the schema and the modules of virtual tables begin their work, while no limits for callers hold: a view may
/// be longer than their statements, and some modules make statements that write ready.
fn make_ready(link: &mut Link, schema: &Schema) -> Result<(), Fault> {
    if link.prepared_for == Some(schema.stamp) {
        return Ok(());
    }
    link.raw.prepare("SELECT 1 FROM main.sqlite_schema")?;
    let listing = schema.listing(&link.raw)?;
    for name in listing.virtual_tables() {
        // One whose module is not known, or whose tables are gone, is none that a statement could read.
        let _ = link.raw.prepare(&format!("SELECT 1 FROM main.\"{}\"", name.replace('"', "\"\"")));
    }
    functions::replace_slow(&link.raw)?;
    link.prepared_for = Some(schema.stamp);
    Ok(())
}

fn run_strictly(
    link: &Link,
    sql: &str,
    parameters: &[Cell],
    head: &mut dyn FnMut(&[&str]) -> Result<(), SqlError>,
    take: &mut Take<'_>,
) -> Result<(), Fault> {
    let mut prepared = only(link, sql)?;
    if !prepared.readonly() || prepared.column_count() == 0 {
        return Err(SqlError::Statement(not_allowed()).into());
    }
    let (wanted, given) = (prepared.parameter_count(), parameters.len());
    if wanted != given {
        let text =
            format!("the statement has {wanted} placeholders (`?`), and {given} parameters were given");
        return Err(SqlError::Statement(text).into());
    }
    bind(&mut prepared, parameters)?;
    let names: Vec<&str> = prepared.column_names().collect();
    head(&names)?;
    drop(names);
    rows(&mut prepared, take)
}

/// The statement, if the text is exactly one.
fn only<'l>(link: &'l Link, sql: &'l str) -> Result<Prepared<'l>, Fault> {
    if sql.contains('\0') {
        return Err(SqlError::Statement("a statement has no NUL characters".to_owned()).into());
    }
    let mut statements = Batch::new(&link.raw, sql);
    let first = statements.next()?.ok_or_else(|| SqlError::Statement(EMPTY.to_owned()))?;
    match statements.next() {
        Ok(None) => Ok(first),
        Ok(Some(_)) | Err(_) => Err(SqlError::Statement(ONE.to_owned()).into()),
    }
}

/// Why the statement was not run, or not to its end, in words for whoever wrote it.
fn told(link: &Link, schema: &Schema, watch: &Watch, sql: &str, error: Error) -> SqlError {
    let Some(code) = failure::primary(&error) else { return SqlError::failed(error) };
    let text = failure::message(&error);
    match code {
        // The authorizer is asked about texts alone.
        ffi::SQLITE_AUTH if text.contains(char::REPLACEMENT_CHARACTER) => SqlError::Statement(
            "it reads a table or column whose name is not UTF-8; name the columns that it is about"
                .to_owned(),
        ),
        ffi::SQLITE_AUTH | ffi::SQLITE_READONLY if failure::unready(&error).is_none() => {
            SqlError::Statement(refused(text))
        }
        ffi::SQLITE_TOOBIG => SqlError::Limit(format!(
            "the statement is too long, or makes or reads a value or row of more than {} MiB",
            LONGEST >> 20
        )),
        ffi::SQLITE_ERROR if text == failure::PATTERN => SqlError::Limit(failure::too_long_a_pattern()),
        ffi::SQLITE_ERROR | ffi::SQLITE_RANGE | ffi::SQLITE_MISMATCH | ffi::SQLITE_CONSTRAINT => {
            SqlError::Statement(with_near_names(link, schema, sql, text))
        }
        _ => failure::of_own(error, Some(watch)),
    }
}

/// That it may not be run, and which part of it is to blame where SQLite tells.
fn refused(text: &str) -> String {
    let named = text.contains("function: ") || text.starts_with("access to ");
    if named { format!("{} ({text})", not_allowed()) } else { not_allowed() }
}

fn not_allowed() -> String {
    format!("not allowed here: this operation only reads; a statement is {}", DIALECT.reads)
}

/// SQLite's message, and the names that were probably meant.
fn with_near_names(link: &Link, schema: &Schema, sql: &str, text: &str) -> String {
    // What a function refuses at run time is no error of the authorizer's.
    if text.starts_with("not authorized") || text.contains(" prohibited") {
        return refused(text);
    }
    let Some((what, name)) = failure::missing(text) else { return text.to_owned() };
    let known = known(link, schema, what, sql);
    let bare = name.rsplit_once('.').map_or(&*name, |(_, name)| name);
    match describe::near(bare, known.iter().map(String::as_str)).as_slice() {
        [] => text.to_owned(),
        near => format!("{text}; near names: {}", near.join(", ")),
    }
}

/// The names that could have been meant.
fn known(link: &Link, schema: &Schema, what: Missing, sql: &str) -> Vec<String> {
    let Ok(listing) = schema.listing(&link.raw) else { return Vec::new() };
    let tables = listing.offered.iter().map(|listed| &*listed.name);
    if what == Missing::Table {
        return tables.map(str::to_owned).collect();
    }
    let sql = sql.to_lowercase();
    let mentioned = tables.filter(|name| sql.contains(&name.to_lowercase())).take(MENTIONED);
    let details = mentioned.filter_map(|name| schema.details(&link.raw, name).ok().flatten());
    let mut columns: Vec<String> = details
        .flat_map(|table| table.columns.iter().map(|c| c.name.to_string()).collect::<Vec<_>>())
        .collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}
