//! How rows of a relation look to callers: which fields they have, and what they weigh.

use std::sync::Arc;

use worldspace_host::{Context, LocalPath, Refusal, StateToken};
use worldspace_model::{Field, Name, Segment, Type, Value};

use super::catalog::{Column, ColumnKind, Key, Relation};
use super::cell::{Cell, CellRef};
use super::describe;
use super::engine::{Session, SqlError, Statement};
use super::follow::{self, Reference};
use super::key::RowKey;
use super::names::segment_of;

/// The longest value that is shown among others, in bytes; a longer one is said to be omitted.
pub(super) const LONGEST: usize = 128 << 10;

/// The fields of a relation's rows.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) relation: Arc<Relation>,
    /// The foreign keys that can be followed.
    pub(super) references: Vec<Reference>,
}

/// A row as it was read.
#[derive(Debug)]
pub(super) struct Found {
    /// None where the relation's rows have no keys.
    pub(super) key: Option<RowKey>,
    /// Where it was selected.
    pub(super) rowid: Option<i64>,
    /// The values of the columns, in their order.
    pub(super) cells: Vec<Cell>,
}

impl Shape {
    /// The fields of that relation's rows; none if it is not there.
    pub(super) fn of(session: &mut dyn Session, name: &str) -> Result<Option<Self>, SqlError> {
        let Some(relation) = session.relation(name)? else { return Ok(None) };
        let references = follow::references(session, &relation)?;
        Ok(Some(Self { relation, references }))
    }

    /// The type of a row.
    pub(super) fn record(&self) -> Type {
        let columns = self.relation.columns.iter().enumerate().map(|(place, column)| {
            let field = if column.nullable {
                Field::optional(column.name.clone(), type_of(column.kind))
            } else {
                Field::required(column.name.clone(), type_of(column.kind))
            };
            field.documented(describe::column(&self.relation, place))
        });
        let references = self.references.iter().map(|reference| {
            let by = reference.key.by(&self.relation).replace("_and_", ", ");
            Field::optional(reference.field.clone(), Type::ENTRY)
                .documented(format!("The row that {by} refers to."))
        });
        Type::record(columns.chain(references))
    }

    /// Writes `SELECT` and what [`Self::found`] takes.
    pub(super) fn select(&self, statement: &mut Statement) {
        statement.push("SELECT ");
        let mut first = true;
        if let Some(rowid) = self.relation.rowid() {
            statement.push(rowid);
            first = false;
        }
        for column in &self.relation.columns {
            statement.push(if first { "" } else { ", " }).name(&column.name);
            first = false;
        }
        statement.push(" FROM ").name(&self.relation.name);
    }

    /// The row that was selected, its values cut at `longest` bytes.
    pub(super) fn found(&self, row: &[CellRef<'_>], longest: usize) -> Result<Found, SqlError> {
        let (rowid, row) = match (self.relation.rowid(), row) {
            (Some(_), [CellRef::Integer(rowid), row @ ..]) => (Some(*rowid), row),
            (Some(_), _) => return Err(SqlError::failed("a rowid is no integer")),
            (None, row) => (None, row),
        };
        let key = match (&self.relation.key, rowid) {
            (Key::None, _) => None,
            (Key::Rowid(_), rowid) => rowid.map(RowKey::Rowid),
            (Key::Columns { places, .. }, rowid) => {
                // Keys are whole, however long they are.
                let cells: Vec<Cell> = places
                    .iter()
                    .map(|place| row.get(*place).map_or(Cell::Null, |cell| cell.to_cell(usize::MAX)))
                    .collect();
                match rowid {
                    Some(rowid) if cells.iter().any(Cell::is_null) => Some(RowKey::Rowid(rowid)),
                    _ => Some(RowKey::Columns(cells)),
                }
            }
        };
        Ok(Found { key, rowid, cells: row.iter().map(|cell| cell.to_cell(longest)).collect() })
    }

    /// The row with that key, its values cut at `longest`, and the state that it is in.
    pub(super) fn row(
        &self,
        session: &mut dyn Session,
        key: &RowKey,
        longest: usize,
    ) -> Result<Option<(Found, StateToken)>, SqlError> {
        let mut statement = Statement::default();
        self.select(&mut statement);
        key.is(&self.relation, statement.push(" WHERE "));
        let found = session.first(&statement, |row| Ok((self.found(row, longest)?, self.state(row))))?;
        // The database may take another value for the same, as where a column does not tell cases apart, or −0 from 0.
        let asked = key.segment(&self.relation);
        let is_asked =
            |found: &Found| found.key.as_ref().and_then(|key| key.segment(&self.relation)) == asked;
        Ok(found.filter(|(found, _)| is_asked(found)))
    }

    /// Stands for every value of a row, and for what the values belong to.
    fn state(&self, row: &[CellRef<'_>]) -> StateToken {
        let mut digest = blake3::Hasher::new();
        for column in &self.relation.columns {
            CellRef::Text(column.name.as_bytes()).add_to(&mut digest);
        }
        for cell in row {
            cell.add_to(&mut digest);
        }
        StateToken::new(&digest.finalize().as_bytes()[..16])
    }

    /// The path of a row of this relation.
    pub(super) fn path(&self, key: &RowKey) -> Option<LocalPath> {
        path(&self.relation, key)
    }

    /// A row as a list shows it: its entry, and what it holds, typed or in the exact form.
    pub(super) fn item(
        &self,
        session: &mut dyn Session,
        context: &Context,
        found: &Found,
    ) -> Result<Value, Refusal> {
        let path = found.key.as_ref().and_then(|key| self.path(key));
        let entry = path.map(|path| Value::Entry(context.entry(&path)));
        let row = self.typed(session, context, found)?;
        let (exact, references) = match (&row, self.references.is_empty()) {
            (Some(_), _) => (None, None),
            (None, true) => (Some(self.exact(found)?), None),
            (None, false) => {
                (Some(self.exact(found)?), Some(Value::record(self.followed(session, context, found)?)?))
            }
        };
        Ok(Value::record([("entry", entry), ("row", row), ("exact", exact), ("references", references)])?)
    }

    /// About how many bytes the names of a row's fields, and its entry, take in an answer.
    pub(super) fn weight_of_names(&self) -> usize {
        let columns = self.relation.columns.iter().map(|column| column.name.len() + 4);
        let references =
            self.references.iter().map(|reference| reference.field.len() + reference.target.name.len() + 40);
        columns.sum::<usize>() + references.sum::<usize>() + self.relation.name.len() + 60
    }

    /// The row by the types of its columns, if each value fits.
    pub(super) fn typed(
        &self,
        session: &mut dyn Session,
        context: &Context,
        found: &Found,
    ) -> Result<Option<Value>, Refusal> {
        let mut fields: Vec<(Name, Option<Value>)> =
            Vec::with_capacity(found.cells.len() + self.references.len());
        for (column, cell) in self.relation.columns.iter().zip(&found.cells) {
            let Some(value) = typed_cell(column, cell) else { return Ok(None) };
            fields.push((column.name.clone(), value));
        }
        fields.extend(self.followed(session, context, found)?);
        Ok(Some(Value::record(fields)?))
    }

    /// The rows that it refers to.
    fn followed(
        &self,
        session: &mut dyn Session,
        context: &Context,
        found: &Found,
    ) -> Result<Vec<(Name, Option<Value>)>, SqlError> {
        let follow = |reference: &Reference| {
            let target = reference.follow(session, &found.cells)?;
            Ok((reference.field.clone(), target.map(|path| Value::Entry(context.entry(&path)))))
        };
        self.references.iter().map(follow).collect()
    }

    /// The row in the exact form.
    pub(super) fn exact(&self, found: &Found) -> Result<Value, Refusal> {
        let fields = self.relation.columns.iter().zip(&found.cells);
        Ok(Value::record(fields.map(|(column, cell)| (column.name.clone(), Some(cell.exact()))))?)
    }
}

impl Found {
    /// Omits the longest values until the row takes no more than about `room` bytes.
    pub(super) fn fit(&mut self, room: usize) {
        // Weighing takes as long as the values are, so each is weighed once.
        let mut weights: Vec<usize> = self.cells.iter().map(Cell::weight).collect();
        let mut weight: usize = weights.iter().sum();
        while weight > room {
            let longest = self.cells.iter_mut().zip(&mut weights).max_by_key(|(_, weight)| **weight);
            let Some((cell, own)) = longest else { return };
            *cell = match cell.as_ref() {
                CellRef::Text(bytes) if !bytes.is_empty() => {
                    Cell::Long { text: true, size: bytes.len() as u64 }
                }
                CellRef::Blob(bytes) if !bytes.is_empty() => {
                    Cell::Long { text: false, size: bytes.len() as u64 }
                }
                _ => return,
            };
            weight = weight - *own + cell.weight();
            *own = cell.weight();
        }
    }

    /// About how many bytes it takes in an answer, without the names of its fields.
    pub(super) fn weight(&self) -> usize {
        self.cells.iter().map(Cell::weight).sum()
    }
}

/// The value as its column's field has it, absent where there is none; nothing at all if it does not fit the field.
pub(super) fn typed_cell(column: &Column, cell: &Cell) -> Option<Option<Value>> {
    match cell.fitting(column.kind) {
        None if !(cell.is_null() && column.nullable) => None,
        // That something is omitted is no value of it.
        Some(_) if matches!(cell, Cell::Long { .. }) => None,
        value => Some(value),
    }
}

/// The type of a column's values.
pub(super) fn type_of(kind: ColumnKind) -> Type {
    match kind {
        ColumnKind::Boolean => Type::BOOLEAN,
        ColumnKind::Integer => Type::INTEGER,
        ColumnKind::Number => Type::NUMBER,
        ColumnKind::Digits | ColumnKind::Text | ColumnKind::Time => Type::STRING,
        ColumnKind::Bytes => Type::BYTES,
        ColumnKind::Any => Type::JSON,
    }
}

/// The path of a relation.
pub(super) fn relation_path(name: &str) -> Option<LocalPath> {
    Some(LocalPath::root().child(&segment_of(name)?))
}

/// The path of a row.
pub(super) fn path(relation: &Relation, key: &RowKey) -> Option<LocalPath> {
    let segment: Segment = key.segment(relation)?;
    Some(relation_path(&relation.name)?.child(&segment))
}
