//! One table or view by itself, as it is read from the file.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, Statement, ffi};

use super::failure::{self, Fault};
use super::types::{is_real, kind_of};
use crate::sql::catalog::{Column, Key, Kind};
use crate::sql::engine::SqlError;

/// What the list of all tables says of each.
#[derive(Clone, Copy)]
pub(super) struct Facts {
    pub(super) kind: Kind,
    pub(super) without_rowid: bool,
    pub(super) strict: bool,
}

/// A table or view by itself.
pub(super) struct Table {
    kind: Kind,
    without_rowid: bool,
    pub(super) columns: Vec<Column>,
    /// The places of the primary key's columns, in its order; none if one of them is not shown.
    pub(super) primary_key: Option<Vec<usize>>,
    /// Whether the primary key is another name for the rowid.
    pub(super) rowid_alias: bool,
    pub(super) uniques: Vec<Unique>,
}

/// A unique index.
pub(super) struct Unique {
    pub(super) name: String,
    /// Of each column its place; none of an expression.
    pub(super) columns: Vec<Option<usize>>,
    partial: bool,
}

impl Table {
    /// Reads it.
    pub(super) fn read(
        raw: &Connection,
        name: &str,
        facts: Facts,
        exact_integers: bool,
    ) -> Result<Self, Fault> {
        let Facts { kind, without_rowid, strict } = facts;
        let mut columns = Vec::new();
        // By the number of the column in the table, its place among those that are shown.
        let mut places: HashMap<i64, usize> = HashMap::new();
        let mut key: Vec<(i64, Option<usize>)> = Vec::new();
        {
            let mut statement = pragma(raw, "table_xinfo", name).map_err(|error| unreadable(error, kind))?;
            let mut rows = statement.query([])?;
            // Number, name, type, whether it is NOT NULL, default, place in the primary key, how it is hidden.
            while let Some(row) = rows.next().map_err(|error| unreadable(error, kind))? {
                let (not_null, in_key, hidden): (bool, i64, i64) = (row.get(3)?, row.get(5)?, row.get(6)?);
                let shown = text(row, 1)?.filter(|_| hidden != 1);
                if let Some(column) = shown {
                    let declared = lossy(row, 2)?.unwrap_or_default();
                    let (column_kind, numeric) = kind_of(&declared, strict, exact_integers);
                    places.insert(row.get(0)?, columns.len());
                    columns.push(Column {
                        name: column.into(),
                        real: is_real(&declared),
                        declared,
                        kind: column_kind,
                        numeric,
                        nullable: !not_null,
                        collation: collation(raw, kind, name, column)?,
                        default: lossy(row, 4)?,
                        generated: matches!(hidden, 2 | 3),
                        automatic: false,
                    });
                }
                if in_key > 0 {
                    key.push((in_key, shown.map(|_| columns.len() - 1)));
                }
            }
        }
        if columns.is_empty() {
            // SQLite says nothing at all of some that it cannot make sense of.
            return Err(
                SqlError::Unreadable(format!("the columns of this {} cannot be read", kind.words())).into()
            );
        }
        let (uniques, key_has_index) = match kind {
            Kind::Table => read_uniques(raw, name, &places)?,
            Kind::View | Kind::Virtual => (Vec::new(), false),
        };
        key.sort_unstable();
        let primary_key: Option<Vec<usize>> = key.into_iter().map(|(_, place)| place).collect();
        // Every other primary key has an index of its own.
        let alias = match primary_key.as_deref() {
            Some([place]) if kind == Kind::Table && !without_rowid && !key_has_index => Some(*place),
            _ => None,
        };
        if let Some(column) = alias.and_then(|place| columns.get_mut(place)) {
            column.nullable = false;
            column.automatic = true;
        }
        Ok(Self { kind, without_rowid, columns, primary_key, rowid_alias: alias.is_some(), uniques })
    }

    /// Whether these are exactly the columns of the primary key or of a unique index over all rows.
    pub(super) fn tells_rows(&self, places: &[usize]) -> bool {
        let sorted = |places: &[usize]| {
            let mut places = places.to_vec();
            places.sort_unstable();
            places
        };
        let wanted = sorted(places);
        let key = self.primary_key.iter().filter(|key| !key.is_empty()).map(|key| sorted(key));
        let whole = self.uniques.iter().filter(|unique| !unique.partial);
        let uniques = whole.filter_map(|unique| unique.columns.iter().copied().collect::<Option<Vec<_>>>());
        key.chain(uniques.map(|places| sorted(&places))).any(|places| places == wanted)
    }

    /// What tells its rows.
    pub(super) fn key(&self) -> Key {
        if self.kind != Kind::Table {
            return Key::None;
        }
        let rowid = match self.without_rowid {
            true => None,
            // A column of that name hides it.
            false => ["rowid", "_rowid_", "oid"]
                .into_iter()
                .find(|name| !self.columns.iter().any(|column| column.name.eq_ignore_ascii_case(name))),
        };
        match &self.primary_key {
            Some(places) if !places.is_empty() => {
                let nullable = places.iter().any(|place| self.columns[*place].nullable);
                match (nullable, rowid) {
                    (false, _) => Key::Columns { places: places.clone(), when_null: None },
                    (true, Some(_)) => Key::Columns { places: places.clone(), when_null: rowid },
                    // Rows whose key holds a NULL could not be told from each other.
                    (true, None) => Key::None,
                }
            }
            _ => rowid.map_or(Key::None, Key::Rowid),
        }
    }
}

/// The collation of a table's column, by which foreign keys to it are compared; an index of it may have another.
fn collation(
    raw: &Connection,
    kind: Kind,
    table: &str,
    column: &str,
) -> Result<Option<Arc<str>>, rusqlite::Error> {
    if kind != Kind::Table {
        return Ok(None);
    }
    let (_, collation, ..) = raw.column_metadata(Some("main"), table, column)?;
    let name = collation.as_ref().and_then(|name| name.to_str().ok());
    Ok(name.filter(|name| !name.eq_ignore_ascii_case("BINARY")).map(Arc::from))
}

/// The unique indexes, and whether one of them is the primary key's.
fn read_uniques(
    raw: &Connection,
    name: &str,
    places: &HashMap<i64, usize>,
) -> Result<(Vec<Unique>, bool), rusqlite::Error> {
    let (mut uniques, mut key_has_index) = (Vec::new(), false);
    let mut statement = pragma(raw, "index_list", name)?;
    let mut rows = statement.query([])?;
    // Number, name, whether it is unique, what it was made by, whether it leaves rows out.
    while let Some(row) = rows.next()? {
        key_has_index |= text(row, 3)? == Some("pk");
        if let (true, Some(index)) = (row.get(2)?, text(row, 1)?) {
            let columns = index_columns(raw, index, places)?;
            uniques.push(Unique { name: index.to_owned(), columns, partial: row.get(4)? });
        }
    }
    Ok((uniques, key_has_index))
}

/// Of each column of an index its place; none of an expression.
fn index_columns(
    raw: &Connection,
    index: &str,
    places: &HashMap<i64, usize>,
) -> Result<Vec<Option<usize>>, rusqlite::Error> {
    let mut columns = Vec::new();
    let mut statement = pragma(raw, "index_xinfo", index)?;
    let mut rows = statement.query([])?;
    // Place, number of the column in the table, name, order, collation, whether it is one of those that were declared.
    while let Some(row) = rows.next()? {
        if row.get(5)? {
            columns.push(places.get(&row.get(1)?).copied());
        }
    }
    Ok(columns)
}

/// A PRAGMA that tells of a table, view or index.
pub(super) fn pragma<'c>(
    raw: &'c Connection,
    what: &str,
    name: &str,
) -> Result<Statement<'c>, rusqlite::Error> {
    raw.prepare(&format!("PRAGMA main.{what}(\"{}\")", name.replace('"', "\"\"")))
}

/// Why the columns cannot be read, where that is up to what the schema says and not to the file.
fn unreadable(error: rusqlite::Error, kind: Kind) -> Fault {
    if failure::primary(&error) != Some(ffi::SQLITE_ERROR) {
        return error.into();
    }
    let text = failure::message(&error);
    SqlError::Unreadable(format!("the columns of this {} cannot be read: {text}", kind.words())).into()
}

/// The column that SQLite takes by that name.
pub(super) fn place(columns: &[Column], name: &str) -> Option<usize> {
    columns.iter().position(|column| column.name.eq_ignore_ascii_case(name))
}

/// A text of a row, if it is one and UTF-8.
pub(super) fn text<'r>(row: &'r Row<'_>, at: usize) -> Result<Option<&'r str>, rusqlite::Error> {
    Ok(match row.get_ref(at)? {
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).ok(),
        _ => None,
    })
}

/// A text of a row, as far as it is UTF-8.
pub(super) fn lossy(row: &Row<'_>, at: usize) -> Result<Option<String>, rusqlite::Error> {
    Ok(match row.get_ref(at)? {
        ValueRef::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    })
}
