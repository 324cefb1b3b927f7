//! Foreign keys as fields of rows: what each is called, and the row that it leads to.

use std::sync::Arc;

use worldspace_host::LocalPath;
use worldspace_model::Name;

use super::catalog::{ForeignKey, Key, Relation};
use super::cell::Cell;
use super::engine::{Session, SqlError, Statement};
use super::key::{RowKey, as_stored, bound, equal};
use super::names::Unique;
use super::shape::path;

/// A foreign key as a field.
#[derive(Debug)]
pub(super) struct Reference {
    pub(super) field: Name,
    pub(super) key: ForeignKey,
    pub(super) target: Arc<Relation>,
    /// What finds the row's key, with nothing in the places of values: its text is the same for every row.
    find: Statement,
}

/// The foreign keys of a relation that can be followed.
pub(super) fn references(
    session: &mut dyn Session,
    relation: &Arc<Relation>,
) -> Result<Vec<Reference>, SqlError> {
    let mut names = Unique::beside(relation.columns.iter().map(|column| &*column.name));
    let mut references = Vec::new();
    for key in relation.foreign_keys.iter().filter(|key| !key.referenced.is_empty()) {
        let target = match *key.table == *relation.name {
            true => relation.clone(),
            false => match session.relation(&key.table) {
                Ok(Some(target)) => target,
                // What cannot be read cannot be followed; the table itself says why.
                Ok(None) | Err(SqlError::Unreadable(_)) => continue,
                Err(error) => return Err(error),
            },
        };
        if !target.has_rows() {
            continue;
        }
        let same = relation.foreign_keys.iter().filter(|other| other.table == key.table).count();
        let long = format!("{}_by_{}", key.table, key.by(relation));
        let field = if same > 1 { names.take(&[&long]) } else { names.take(&[&key.table, &long]) };
        references.push(Reference::new(field, key.clone(), target));
    }
    Ok(references)
}

impl Reference {
    fn new(field: Name, key: ForeignKey, target: Arc<Relation>) -> Self {
        let mut find = Statement::default();
        target.select_key(&mut find);
        let columns = key.referenced.iter().map(|name| (&**name, &Cell::Null, None));
        equal(find.push(" WHERE "), columns, bound);
        Self { field, key, target, find }
    }

    /// Where it leads in a row with these values: to the row that it refers to, or, where that is gone, to where it would stand.
    pub(super) fn follow(
        &self,
        session: &mut dyn Session,
        cells: &[Cell],
    ) -> Result<Option<LocalPath>, SqlError> {
        let values: Vec<Cell> =
            self.key.columns.iter().filter_map(|place| cells.get(*place)).cloned().collect();
        if values.iter().any(|cell| matches!(cell, Cell::Null | Cell::Long { .. })) {
            return Ok(None);
        }
        let find = Statement { parameters: values, ..self.find.clone() };
        let found = session.first(&find, |row| self.target.key_of(row))?.flatten();
        let found = found.or_else(|| self.dangling(&find.parameters));
        Ok(found.and_then(|key| path(&self.target, &key)))
    }

    /// The key that a row would have that is referred to and is not there, if the reference is to the key.
    fn dangling(&self, values: &[Cell]) -> Option<RowKey> {
        let Key::Columns { places, .. } = &self.target.key else { return None };
        if places.len() != values.len() {
            return None;
        }
        let cells = places.iter().map(|place| {
            let column = &self.target.columns[*place];
            let at = self.key.referenced.iter().position(|name| *name == column.name)?;
            Some(as_stored(column, &values[at]))
        });
        Some(RowKey::Columns(cells.collect::<Option<_>>()?))
    }
}
