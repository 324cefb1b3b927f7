//! Issues as they stand in lists, read from their rows.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Params, Row};

use crate::interfaces::{IssueLine, Reason, State};
use crate::store::Db;

/// The columns of an [`IssueLine`], behind the one that says its place in the list.
const LINE: &str = "projects.name, issues.number, issues.title, issues.closed_as IS NULL, issues.assignee,
    (SELECT group_concat(label, ' ' ORDER BY label) FROM labels WHERE issue_id = issues.id)";

/// The issues that the rest of a query chooses, each with its place in the list.
pub(crate) fn issues(
    db: &Db<'_>,
    place: &str,
    rest: &str,
    parameters: impl Params,
) -> rusqlite::Result<Vec<(i64, IssueLine)>> {
    let sql = format!("SELECT {place}, {LINE} FROM {rest}");
    let mut statement = db.prepare_cached(&sql)?;
    let lines = statement.query_map(parameters, |row| Ok((row.get(0)?, line(db, row)?)))?;
    lines.collect()
}

fn line(db: &Db<'_>, row: &Row<'_>) -> rusqlite::Result<IssueLine> {
    let labels: Option<String> = row.get(6)?;
    Ok(IssueLine {
        issue: db.entry(&row.get::<_, String>(1)?, row.get(2)?)?,
        title: row.get(3)?,
        state: State::of(row.get(4)?),
        assignee: row.get(5)?,
        labels: split(labels),
    })
}

/// Labels as they are read together; there is no blank in any.
pub(crate) fn split(labels: Option<String>) -> Vec<String> {
    labels.iter().flat_map(|labels| labels.split(' ')).map(str::to_owned).collect()
}

impl State {
    pub(crate) fn of(is_open: bool) -> Self {
        if is_open { Self::Open } else { Self::Closed }
    }
}

impl ToSql for Reason {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Done => "done",
            Self::Duplicate => "duplicate",
            Self::WontFix => "wont_fix",
        }
        .into())
    }
}

impl FromSql for Reason {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_str()? {
            "done" => Ok(Self::Done),
            "duplicate" => Ok(Self::Duplicate),
            "wont_fix" => Ok(Self::WontFix),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}
