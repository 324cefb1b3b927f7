//! Which rule of the database forbids a change, told so that a caller can do something about it.
//!
//! Databases say little of foreign keys: which one is broken, and by which row, is looked for here, after the statement was
//! undone, within the same transaction. That is a help and no promise: what takes too long is left out.

use std::borrow::Cow;
use std::sync::Arc;

use worldspace_model::{Fault, Quoted, Value};

use super::given::Given;
use super::names;
use crate::sql::catalog::{Column, ForeignKey, Reaction, Relation};
use crate::sql::cell::Cell;
use crate::sql::describe::clipped;
use crate::sql::engine::{Constraint, Session, SqlError, Statement, Violation};
use crate::sql::key::{RowKey, bound, equal};
use crate::sql::shape::{Found, Shape};

/// So many tables are named that refer to a row.
const REFERRING: usize = 5;

/// What the columns of a row were to be, by their places: those that the statement was about, and those it left.
pub(super) struct Wanted<'w> {
    written: Cow<'w, [(usize, Cell)]>,
    kept: &'w [Cell],
    /// Whether there is to be no row any more.
    is_of_delete: bool,
}

impl<'w> Wanted<'w> {
    /// A new row. What is left out may become anything.
    pub(super) fn of_insert(given: &'w Given) -> Self {
        Self { written: Cow::Borrowed(given), kept: &[], is_of_delete: false }
    }

    /// A row with other values in some columns.
    pub(super) fn of_update(given: &'w Given, before: &'w [Cell]) -> Self {
        Self { written: Cow::Borrowed(given), kept: before, is_of_delete: false }
    }

    /// No row.
    pub(super) fn of_delete(relation: &Relation) -> Self {
        let nothing = (0..relation.columns.len()).map(|place| (place, Cell::Null));
        Self { written: Cow::Owned(nothing.collect()), kept: &[], is_of_delete: true }
    }

    fn writes(&self, place: usize) -> bool {
        self.written.iter().any(|(written, _)| *written == place)
    }

    fn value(&self, place: usize) -> Option<&Cell> {
        let written = self.written.iter().find(|(written, _)| *written == place).map(|(_, cell)| cell);
        written.or_else(|| self.kept.get(place))
    }
}

/// The case `refused`.
pub(super) fn value(violation: &Violation) -> Result<Value, Fault> {
    let columns = violation.columns.iter().map(|name| Value::string(name.clone())).collect();
    let payload = Value::record([
        ("constraint", Some(Value::string(violation.constraint.name()))),
        ("columns", Some(Value::list(columns)?)),
        ("message", Some(Value::string(violation.message.clone()))),
    ])?;
    Value::case("refused", Some(payload))
}

/// What a violation is about, as far as it can be found out. `before` is the row that was to be changed.
pub(super) fn explain(
    session: &mut dyn Session,
    shape: &Shape,
    violation: Violation,
    wanted: &Wanted<'_>,
    before: Option<(&RowKey, &Found)>,
) -> Violation {
    if violation.constraint != Constraint::ForeignKey {
        return violation;
    }
    // That it is forbidden is certain, whatever comes of the search.
    if let Ok(Some(found)) = referring_to_nothing(session, shape, wanted) {
        return found;
    }
    let referred =
        before.and_then(|(key, found)| referred_to(session, shape, wanted, key, found).ok().flatten());
    referred.unwrap_or(violation)
}

/// A foreign key of the row that leads to no row, if there is one among those that the change writes.
pub(super) fn referring_to_nothing(
    session: &mut dyn Session,
    shape: &Shape,
    wanted: &Wanted<'_>,
) -> Result<Option<Violation>, SqlError> {
    for key in shape.relation.foreign_keys.iter().filter(|key| !key.referenced.is_empty()) {
        if !key.columns.iter().any(|place| wanted.writes(*place)) {
            continue;
        }
        let values: Option<Vec<&Cell>> = key.columns.iter().map(|place| wanted.value(*place)).collect();
        let Some(values) = values.filter(|values| !values.iter().any(|cell| is_unknown(cell))) else {
            continue;
        };
        if refers_to_itself(&shape.relation, key, &values, wanted) {
            continue;
        }
        let wanted = key.referenced.iter().zip(&values).map(|(name, cell)| (&**name, *cell, None));
        if !is_there(session, &key.table, wanted, None)? {
            let are: Vec<String> = key
                .referenced
                .iter()
                .zip(&values)
                .map(|(name, cell)| format!("{} = {}", Quoted(name), told(cell)))
                .collect();
            return Ok(Some(Violation {
                constraint: Constraint::ForeignKey,
                columns: names(shape, key.columns.iter().copied()),
                message: format!("no row of {} has {}", Quoted(&key.table), are.join(" and ")),
            }));
        }
    }
    Ok(None)
}

/// A row may refer to itself before it is there.
fn refers_to_itself(relation: &Relation, key: &ForeignKey, values: &[&Cell], wanted: &Wanted<'_>) -> bool {
    let itself = |(name, value): (&Arc<str>, &&Cell)| {
        relation.place(name).and_then(|place| wanted.value(place)) == Some(*value)
    };
    key.table == relation.name && key.referenced.iter().zip(values).all(itself)
}

/// Which tables hold rows that refer to the row by what is to change.
fn referred_to(
    session: &mut dyn Session,
    shape: &Shape,
    wanted: &Wanted<'_>,
    row: &RowKey,
    before: &Found,
) -> Result<Option<Violation>, SqlError> {
    let (mut referring, mut columns) = (Vec::new(), Vec::new());
    for incoming in session.incoming(&shape.relation.name)?.iter() {
        let Some(other) = session.relation(&incoming.table)? else { continue };
        let Some(key) = other.foreign_keys.get(incoming.foreign_key) else { continue };
        // What follows a row does not hold it.
        let reaction = if wanted.is_of_delete { key.when_deleted } else { key.when_changed };
        if reaction != Reaction::Forbids {
            continue;
        }
        let Some(pairs) = key.pairs(&other, &shape.relation) else { continue };
        let value = |place: usize| before.cells.get(place).filter(|cell| !is_unknown(cell));
        if !pairs.iter().all(|(_, place)| value(*place).is_some())
            || !pairs.iter().any(|(_, place)| wanted.writes(*place))
        {
            continue;
        }
        let but = (other.name == shape.relation.name).then_some((&*shape.relation, row));
        // As the column compares that is referred to, which need not be how the one compares that refers.
        let values = pairs.iter().filter_map(|(column, place)| {
            Some((&*column.name, value(*place)?, Some(&shape.relation.columns[*place])))
        });
        if is_there(session, &other.name, values, but)? {
            let by: Vec<String> = pairs.iter().map(|(column, _)| clipped(&column.name)).collect();
            referring.push(format!("{} ({})", Quoted(&other.name), by.join(", ")));
            columns.extend(names(shape, pairs.iter().map(|(_, place)| *place)));
        }
        if referring.len() == REFERRING {
            break;
        }
    }
    columns.sort();
    columns.dedup();
    Ok((!referring.is_empty()).then(|| Violation {
        constraint: Constraint::ForeignKey,
        columns,
        message: format!("rows still refer to it: of {}", referring.join(", of ")),
    }))
}

/// Whether a table has a row with these values, as [`equal`] takes them, other than the one of that key.
fn is_there<'v>(
    session: &mut dyn Session,
    table: &str,
    values: impl Iterator<Item = (&'v str, &'v Cell, Option<&'v Column>)>,
    but: Option<(&Relation, &RowKey)>,
) -> Result<bool, SqlError> {
    let mut statement = Statement::new("SELECT 1 FROM ");
    equal(statement.name(table).push(" WHERE "), values, bound);
    if let Some((relation, key)) = but {
        key.is(relation, statement.push(" AND NOT ("));
        statement.push(")");
    }
    statement.push(" LIMIT 1");
    Ok(session.first(&statement, |_| Ok(()))?.is_some())
}

/// NULL refers to nothing, and what was too long to be taken is not looked for.
fn is_unknown(cell: &Cell) -> bool {
    matches!(cell, Cell::Null | Cell::Long { .. })
}

fn told(cell: &Cell) -> String {
    match cell {
        Cell::Integer(value) => value.to_string(),
        Cell::Real(value) => format!("{value:?}"),
        Cell::Text(text) => Quoted(&clipped(text)).to_string(),
        Cell::Null => "NULL".to_owned(),
        Cell::Blob(_) | Cell::Garbled(_) | Cell::Long { .. } => "these bytes".to_owned(),
    }
}
