//! Foreign keys as SQLite gives them.

use rusqlite::Connection;

use super::table::{lossy, pragma, text};
use crate::sql::catalog::Reaction;

/// A foreign key as it was declared.
pub(super) struct Declared {
    pub(super) parent: String,
    /// The columns that refer; none where a name is not UTF-8.
    pub(super) from: Vec<Option<String>>,
    /// The columns that are referred to; none of them where the primary key is meant.
    pub(super) to: Vec<Option<String>>,
    pub(super) when_changed: Reaction,
    pub(super) when_deleted: Reaction,
}

/// The foreign keys of a table, in the order of their declaration.
pub(super) fn declared(raw: &Connection, table: &str) -> Result<Vec<Declared>, rusqlite::Error> {
    let mut found: Vec<(i64, Declared)> = Vec::new();
    let mut statement = pragma(raw, "foreign_key_list", table)?;
    let mut rows = statement.query([])?;
    // One row for each column of each: number, place of the column, parent, column, column of the parent, what becomes of it on changes
    // and on deletion.
    while let Some(row) = rows.next()? {
        let number: i64 = row.get(0)?;
        if found.last().is_none_or(|(last, _)| *last != number) {
            let parent = lossy(row, 2)?.unwrap_or_default();
            let (when_changed, when_deleted) = (reaction(text(row, 5)?), reaction(text(row, 6)?));
            let (from, to) = (Vec::new(), Vec::new());
            found.push((number, Declared { parent, from, to, when_changed, when_deleted }));
        }
        let Some((_, last)) = found.last_mut() else { continue };
        last.from.push(text(row, 3)?.map(str::to_owned));
        last.to.push(text(row, 4)?.map(str::to_owned));
    }
    // The last that was declared has the number 0.
    found.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
    Ok(found.into_iter().map(|(_, declared)| declared).collect())
}

fn reaction(action: Option<&str>) -> Reaction {
    match action {
        Some("CASCADE") => Reaction::Follows,
        Some("SET NULL") => Reaction::SetsNull,
        Some("SET DEFAULT") => Reaction::SetsDefault,
        // NO ACTION forbids it at the end, RESTRICT at once.
        _ => Reaction::Forbids,
    }
}
