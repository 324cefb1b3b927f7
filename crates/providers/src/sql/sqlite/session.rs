//! A connection that is lent, in its transaction.

use std::sync::{Arc, MutexGuard};

use rusqlite::types::ValueRef;
use rusqlite::{Row, Statement as Prepared, ffi};

use super::catalog::Schema;
use super::connect::Link;
use super::failure::{self, Fault};
use super::{Sqlite, foreign, violation};
use crate::sql::catalog::{Incoming, Listed, Relation, Stamp};
use crate::sql::cell::{Cell, CellRef};
use crate::sql::engine::{
    ChangeError, Committed, Flow, Purpose, Session, SqlError, Statement, Take, Violation, Watch,
};

/// A lent connection.
pub(super) struct Lent<'e> {
    pub(super) engine: &'e Sqlite,
    pub(super) purpose: Purpose,
    /// Always there until the session ends.
    pub(super) link: Option<Link>,
    /// Where the one connection that writes goes back to. Whoever holds it is the one who writes.
    pub(super) writer: Option<MutexGuard<'e, Option<Link>>>,
    pub(super) watch: Watch,
    pub(super) schema: Arc<Schema>,
    /// Whether a rule of the database took back the whole transaction, and with it what this session had changed.
    pub(super) undone: bool,
}

impl Lent<'_> {
    /// Does something on the connection, and says in this provider's words why it failed.
    fn on<T>(&mut self, work: impl FnOnce(&Link, &Schema) -> Result<T, Fault>) -> Result<T, SqlError> {
        let Some(link) = &mut self.link else { return Err(SqlError::failed("the session has ended")) };
        work(link, &self.schema).map_err(|fault| told(link, fault))
    }

    /// Runs a change within a savepoint of its own; a rule that it would break is a result.
    fn try_change(
        &mut self,
        statement: &Statement,
        relation: &Relation,
    ) -> Result<Result<Vec<Vec<Cell>>, Violation>, SqlError> {
        let Some(link) = &mut self.link else { return Err(SqlError::failed("the session has ended")) };
        // After some errors SQLite takes back the transaction by itself; a savepoint outside of one would last.
        if link.raw.is_autocommit() {
            return Err(SqlError::failed("the transaction was taken back by an error before"));
        }
        let begun = link.raw.prepare_cached("SAVEPOINT one").and_then(|mut begin| begin.raw_execute());
        begun.map_err(|error| told(link, error.into()))?;
        let mut returned = Vec::new();
        let ran = each(link, statement, &mut |row| {
            returned.push(row.iter().map(|cell| cell.to_cell(usize::MAX)).collect());
            Ok(Flow::More)
        });
        let broken = match &ran {
            Err(Fault::Sqlite(error)) => {
                let table = self.schema.details(&link.raw, &relation.name).ok().flatten();
                violation::of(error, relation, table.as_deref())
            }
            _ => None,
        };
        match (ran, broken) {
            (Ok(()), _) => {
                let kept =
                    link.raw.prepare_cached("RELEASE one").and_then(|mut release| release.raw_execute());
                kept.map_err(|error| told(link, error.into()))?;
                Ok(Ok(returned))
            }
            (Err(_), Some(broken)) => {
                if link.raw.is_autocommit() {
                    // It was declared to take back everything. What is asked next needs a transaction all the same.
                    self.undone = true;
                    link.begin("BEGIN IMMEDIATE", &self.watch).map_err(|error| told(link, error.into()))?;
                } else {
                    let back = link.raw.execute_batch("ROLLBACK TO one; RELEASE one");
                    back.map_err(|error| told(link, error.into()))?;
                }
                Ok(Err(broken))
            }
            (Err(fault), None) => Err(told(link, fault)),
        }
    }
}

impl Session for Lent<'_> {
    fn stamp(&self) -> Stamp {
        self.schema.stamp
    }

    fn list(&mut self) -> Result<Arc<[Listed]>, SqlError> {
        self.on(|link, schema| Ok(schema.listing(&link.raw)?.offered.clone()))
    }

    fn relation(&mut self, name: &str) -> Result<Option<Arc<Relation>>, SqlError> {
        self.on(|link, schema| schema.relation(&link.raw, name).map_err(unreadable))
    }

    fn incoming(&mut self, name: &str) -> Result<Arc<[Incoming]>, SqlError> {
        self.on(|link, schema| schema.incoming(&link.raw, name))
    }

    fn select(&mut self, statement: &Statement, take: &mut Take<'_>) -> Result<(), SqlError> {
        self.on(|link, _| each(link, statement, take))
    }

    fn change(&mut self, statement: &Statement, relation: &Relation) -> Result<Vec<Vec<Cell>>, ChangeError> {
        self.try_change(statement, relation)?.map_err(ChangeError::Violation)
    }

    fn commit(mut self: Box<Self>) -> Committed {
        let Some(link) = &mut self.link else { return back(SqlError::failed("the session has ended")) };
        if self.undone {
            return back(SqlError::failed("a rule of the database took back what was changed before"));
        }
        // The watch ends here: from now on, to be called off is no reason any more.
        if let Err(error) = link.insist() {
            return back(told(link, error.into()));
        }
        match link.raw.execute_batch("COMMIT") {
            Ok(()) => Committed::Done,
            Err(error) => not_committed(link, error),
        }
    }

    fn run(
        &mut self,
        sql: &str,
        parameters: &[Cell],
        head: &mut dyn FnMut(&[&str]) -> Result<(), SqlError>,
        take: &mut Take<'_>,
    ) -> Result<(), SqlError> {
        let Some(link) = &mut self.link else { return Err(SqlError::failed("the session has ended")) };
        if self.purpose != Purpose::Foreign {
            return Err(SqlError::failed("a caller's statement on a connection that is not for such"));
        }
        foreign::run(link, &self.schema, &self.watch, sql, parameters, head, take)
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let Some(mut link) = self.link.take() else { return };
        link.end();
        // Where it was left by a panic, nobody knows how it stands; closed, it leaves nothing.
        if link.spoiled || std::thread::panicking() {
            return;
        }
        match (&mut self.writer, self.purpose) {
            (Some(writer), _) => **writer = Some(link),
            (None, Purpose::Foreign) => self.engine.foreign.give_back(link),
            (None, _) => self.engine.readers.give_back(link),
        }
    }
}

/// What the schema says and SQLite cannot make sense of is so until the schema is another one.
fn unreadable(fault: Fault) -> Fault {
    match fault {
        Fault::Sqlite(error) if failure::primary(&error) == Some(ffi::SQLITE_ERROR) => {
            match failure::of_own(error, None) {
                SqlError::Limit(text) => SqlError::Unreadable(text).into(),
                error => error.into(),
            }
        }
        fault => fault,
    }
}

/// The error for whoever asked; the connection is not used again where it may be at fault.
fn told(link: &mut Link, fault: Fault) -> SqlError {
    match fault {
        Fault::Told(error) => error,
        Fault::Sqlite(error) => {
            link.spoiled |= failure::spoils(&error);
            failure::of_own(error, link.watch.as_ref())
        }
    }
}

/// The longest statement that is kept ready for the next time, in bytes.
const KEPT: usize = 8 << 10;

/// Runs a statement and hands over its rows.
fn each(link: &Link, statement: &Statement, take: &mut Take<'_>) -> Result<(), Fault> {
    // A long one is hardly asked a second time, and would only take the place of others.
    match statement.sql.len() > KEPT {
        true => each_of(&mut link.raw.prepare(&statement.sql)?, statement, take),
        false => each_of(&mut *link.raw.prepare_cached(&statement.sql)?, statement, take),
    }
}

fn each_of(prepared: &mut Prepared<'_>, statement: &Statement, take: &mut Take<'_>) -> Result<(), Fault> {
    if prepared.parameter_count() != statement.parameters.len() {
        return Err(SqlError::failed("a statement has not as many placeholders as values").into());
    }
    bind(prepared, &statement.parameters)?;
    rows(prepared, take)
}

/// Gives a statement its values, in their order.
pub(super) fn bind(prepared: &mut Prepared<'_>, parameters: &[Cell]) -> Result<(), rusqlite::Error> {
    for (at, cell) in parameters.iter().enumerate() {
        let value = match cell.as_ref() {
            CellRef::Null => ValueRef::Null,
            CellRef::Integer(value) => ValueRef::Integer(value),
            CellRef::Real(value) => ValueRef::Real(value),
            CellRef::Text(bytes) => ValueRef::Text(bytes),
            CellRef::Blob(bytes) => ValueRef::Blob(bytes),
        };
        prepared.raw_bind_parameter(at + 1, rusqlite::types::ToSqlOutput::Borrowed(value))?;
    }
    Ok(())
}

/// Hands over the rows of a statement that has its values.
pub(super) fn rows(prepared: &mut Prepared<'_>, take: &mut Take<'_>) -> Result<(), Fault> {
    let width = prepared.column_count();
    let mut rows = prepared.raw_query();
    while let Some(row) = rows.next()? {
        let cells = (0..width).map(|at| cell(row, at)).collect::<Result<Vec<_>, _>>()?;
        if take(&cells)? == Flow::Enough {
            break;
        }
    }
    Ok(())
}

fn cell<'r>(row: &'r Row<'_>, at: usize) -> Result<CellRef<'r>, rusqlite::Error> {
    Ok(match row.get_ref(at)? {
        ValueRef::Null => CellRef::Null,
        ValueRef::Integer(value) => CellRef::Integer(value),
        ValueRef::Real(value) => CellRef::Real(value),
        ValueRef::Text(bytes) => CellRef::Text(bytes),
        ValueRef::Blob(bytes) => CellRef::Blob(bytes),
    })
}

/// What became of a transaction whose COMMIT failed.
///
/// The point of no return is where the rollback journal is deleted, or where the last frame of the log is written: what fails
/// before it leaves the transaction open or takes it back. A failing disk may fail right there, behind it as well, and then
/// only the next reader of the file would learn on which side.
fn not_committed(link: &mut Link, error: rusqlite::Error) -> Committed {
    let before = failure::primary(&error).is_some_and(|code| {
        matches!(
            code,
            ffi::SQLITE_BUSY
                | ffi::SQLITE_LOCKED
                | ffi::SQLITE_CONSTRAINT
                | ffi::SQLITE_FULL
                | ffi::SQLITE_INTERRUPT
                | ffi::SQLITE_READONLY
                | ffi::SQLITE_AUTH
                | ffi::SQLITE_ERROR
        )
    });
    if !link.roll_back() || !before {
        link.spoiled = true;
        return Committed::Unknown(Box::new(error));
    }
    if failure::primary(&error) == Some(ffi::SQLITE_CONSTRAINT) {
        // Of all rules only foreign keys can wait until now.
        return Committed::RolledBack(ChangeError::Violation(violation::of_foreign_key()));
    }
    back(told(link, error.into()))
}

fn back(error: SqlError) -> Committed {
    Committed::RolledBack(ChangeError::Error(error))
}
