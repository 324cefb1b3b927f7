//! The engine against real files.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::Connection;
use tempfile::TempDir;

use super::Sqlite;
use crate::sql::Settings;
use crate::sql::catalog::Relation;
use crate::sql::cell::Cell;
use crate::sql::engine::{
    ChangeError, Engine as _, Flow, Purpose, Session, SqlError, Statement, Violation, Watch,
};

mod catalog;
mod changes;
mod files;
mod foreign;
mod keys;
mod listing;

/// A database in a directory of its own.
struct File {
    directory: TempDir,
    path: PathBuf,
}

impl File {
    /// Made by these statements.
    fn of(sql: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("it.db");
        let file = Self { directory, path };
        file.other().execute_batch(sql).unwrap();
        file
    }

    /// A connection of another program's.
    fn other(&self) -> Connection {
        Connection::open(&self.path).unwrap()
    }

    fn open(&self, writable: bool) -> Sqlite {
        Sqlite::open(&self.path, &Settings { writable, ..Settings::default() }).unwrap()
    }

    fn reader(&self) -> Sqlite {
        self.open(false)
    }

    fn writer(&self) -> Sqlite {
        self.open(true)
    }
}

/// Long enough for everything that ends.
fn patient() -> Watch {
    Watch::lasting(Duration::from_secs(20))
}

fn begin(sqlite: &Sqlite, purpose: Purpose) -> Box<dyn Session + '_> {
    sqlite.begin(purpose, &patient()).unwrap()
}

fn relation(sqlite: &Sqlite, name: &str) -> Arc<Relation> {
    begin(sqlite, Purpose::Read).relation(name).unwrap().unwrap()
}

fn selected(session: &mut dyn Session, statement: &Statement) -> Result<Vec<Vec<Cell>>, SqlError> {
    let mut rows = Vec::new();
    session.select(statement, &mut |row| {
        rows.push(row.iter().map(|cell| cell.to_cell(usize::MAX)).collect());
        Ok(Flow::More)
    })?;
    Ok(rows)
}

/// What a caller's statement gives.
fn run(sqlite: &Sqlite, sql: &str, parameters: &[Cell]) -> Result<Vec<Vec<Cell>>, SqlError> {
    let mut rows = Vec::new();
    sqlite.begin(Purpose::Foreign, &patient())?.run(sql, parameters, &mut |_| Ok(()), &mut |row| {
        rows.push(row.iter().map(|cell| cell.to_cell(usize::MAX)).collect());
        Ok(Flow::More)
    })?;
    Ok(rows)
}

/// Runs a change of that table in a session.
fn change(
    session: &mut dyn Session,
    table: &str,
    sql: &str,
    parameters: &[Cell],
) -> Result<Vec<Vec<Cell>>, ChangeError> {
    let relation = session.relation(table).unwrap().unwrap();
    let statement = Statement { sql: sql.to_owned(), parameters: parameters.to_vec() };
    session.change(&statement, &relation)
}

/// The rule that a change breaks.
fn broken(changed: Result<Vec<Vec<Cell>>, ChangeError>) -> Violation {
    match changed {
        Err(ChangeError::Violation(violation)) => violation,
        other => panic!("no rule is broken: {other:?}"),
    }
}

fn text(text: &str) -> Cell {
    Cell::Text(text.into())
}
