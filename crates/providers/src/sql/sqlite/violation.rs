//! Which rule of the database a change would break, and which columns it is about.
//!
//! SQLite says it in a message with bare names, so that commas and dots in them cannot be told from its own. It is compared
//! with what SQLite would say of each rule of the relation.

use std::sync::Arc;

use rusqlite::{Error, ffi};

use super::failure::{extended, message};
use super::table::Table;
use crate::sql::catalog::Relation;
use crate::sql::engine::{Constraint, Violation};

const FOREIGN_KEY: &str = "a foreign key would lead to no row";

/// The rule that a statement on that relation would break, if the error is of that sort.
pub(super) fn of(error: &Error, relation: &Relation, table: Option<&Table>) -> Option<Violation> {
    let text = message(error);
    let constraint = match extended(error)? {
        ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_ROWID => Constraint::PrimaryKey,
        ffi::SQLITE_CONSTRAINT_UNIQUE => Constraint::Unique,
        ffi::SQLITE_CONSTRAINT_NOTNULL => Constraint::NotNull,
        ffi::SQLITE_CONSTRAINT_FOREIGNKEY => return Some(of_foreign_key()),
        ffi::SQLITE_CONSTRAINT_TRIGGER => Constraint::Trigger,
        ffi::SQLITE_CONSTRAINT_DATATYPE | ffi::SQLITE_MISMATCH => Constraint::Type,
        // By modules and functions, too: each is a condition that the values do not meet.
        code if code & 0xff == ffi::SQLITE_CONSTRAINT => Constraint::Check,
        _ => return None,
    };
    let places = match constraint {
        Constraint::PrimaryKey | Constraint::Unique => unique(text, relation, table),
        Constraint::NotNull => {
            one(relation, |column| format!("NOT NULL constraint failed: {column}") == text)
        }
        Constraint::Type if text.starts_with("datatype mismatch") => rowid(relation, table),
        Constraint::Type => one(relation, |column| text.ends_with(&format!(" column {column}"))),
        Constraint::Check => mentioned(relation, text),
        Constraint::ForeignKey | Constraint::Trigger => Vec::new(),
    };
    let columns: Vec<Arc<str>> =
        places.into_iter().filter_map(|place| relation.columns.get(place)).map(|c| c.name.clone()).collect();
    Some(Violation { constraint, columns, message: text.to_owned() })
}

/// Of foreign keys SQLite says neither which one it is nor on which side.
pub(super) fn of_foreign_key() -> Violation {
    Violation { constraint: Constraint::ForeignKey, columns: Vec::new(), message: FOREIGN_KEY.to_owned() }
}

/// The columns of the unique index that SQLite would speak of so.
fn unique(text: &str, relation: &Relation, table: Option<&Table>) -> Vec<usize> {
    let Some(said) = text.strip_prefix("UNIQUE constraint failed: ") else { return Vec::new() };
    let Some(table) = table else { return Vec::new() };
    let names = |places: &[usize]| {
        let qualified = |place: &usize| format!("{}.{}", relation.name, relation.columns[*place].name);
        places.iter().map(qualified).collect::<Vec<_>>().join(", ")
    };
    for index in &table.uniques {
        let columns: Vec<usize> = index.columns.iter().flatten().copied().collect();
        let says = match columns.len() == index.columns.len() {
            true => names(&columns),
            // An index over expressions goes by its name.
            false => format!("index '{}'", index.name.replace('\'', "''")),
        };
        if says == said {
            return columns;
        }
    }
    let alias = rowid(relation, Some(table));
    if names(&alias) == said { alias } else { Vec::new() }
}

/// The column that is another name for the rowid.
fn rowid(relation: &Relation, table: Option<&Table>) -> Vec<usize> {
    let aliased = table.is_some_and(|table| table.rowid_alias);
    relation.columns.iter().position(|column| aliased && column.automatic).into_iter().collect()
}

/// The first column of whose full name that holds.
fn one(relation: &Relation, says: impl Fn(&str) -> bool) -> Vec<usize> {
    let full = |name: &str| format!("{}.{name}", relation.name);
    relation.columns.iter().position(|column| says(&full(&column.name))).into_iter().collect()
}

/// The columns that a check speaks of: SQLite gives its expression, unless it has a name.
fn mentioned(relation: &Relation, text: &str) -> Vec<usize> {
    let Some(check) = text.strip_prefix("CHECK constraint failed: ") else { return Vec::new() };
    let words: Vec<&str> = check.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    let is_named = |name: &str| {
        words.iter().any(|word| word.eq_ignore_ascii_case(name))
            || check.contains(&format!("\"{}\"", name.replace('"', "\"\"")))
    };
    (0..relation.columns.len()).filter(|place| is_named(&relation.columns[*place].name)).collect()
}
