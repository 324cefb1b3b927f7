//! New rows.

use worldspace_host::{After, Call, Context, Done, Refusal};
use worldspace_model::Value;

use super::given::{self, Given};
use super::violation::{self, Wanted};
use super::{Effect, commit, key_returned, passed_over, refused};
use crate::sql::engine::{ChangeError, Constraint, Session, SqlError, Statement, Violation};
use crate::sql::key::RowKey;
use crate::sql::objects::schema_state;
use crate::sql::shape::Shape;

pub(super) fn run(
    mut session: Box<dyn Session + '_>,
    shape: &Shape,
    context: &Context,
    call: Call,
) -> Result<Done, Refusal> {
    let given = match call.operation() {
        "insert_exact" => given::exact(&shape.relation, &call)?,
        _ => given::typed(&shape.relation, &call)?,
    };
    let rows = match session.change(&statement(shape, &given), &shape.relation) {
        Ok(rows) => rows,
        Err(ChangeError::Error(error)) => return Err(error.into()),
        Err(ChangeError::Violation(violation)) => {
            let wanted = Wanted::of_insert(&given);
            let violation = violation::explain(&mut *session, shape, violation, &wanted, None);
            return refused(session, call, &violation);
        }
    };
    let Some(row) = rows.first() else { return refused(session, call, &passed_over("inserted")) };
    let key = key_returned(shape, row)?;
    // A trigger may have deleted it again, or given it another key than was returned.
    if let Some(key) = &key
        && !is_there(&mut *session, shape, key)?
    {
        return refused(session, call, &taken_away());
    }
    let entry = match key.as_ref().map(|key| shape.path(key)) {
        None if !shape.relation.has_rows() => None,
        Some(Some(path)) => Some(Value::Entry(context.entry(&path))),
        None | Some(None) => {
            return Err(Refusal::failed("an inserted row has no key, or one without a path"));
        }
    };
    let owing = violation::referring_to_nothing(&mut *session, shape, &Wanted::of_insert(&given))?;
    let result = Value::case("inserted", entry)?;
    // A table is described and told by its schema, whatever rows it has.
    let state = schema_state(&*session);
    commit(session, call, Some(&state), Effect { result, after: After::Unchanged, owing })
}

fn is_there(session: &mut dyn Session, shape: &Shape, key: &RowKey) -> Result<bool, SqlError> {
    let mut statement = Statement::new("SELECT 1 FROM ");
    key.is(&shape.relation, statement.name(&shape.relation.name).push(" WHERE "));
    Ok(session.first(&statement, |_| Ok(()))?.is_some())
}

/// What is said where the new row cannot be named.
fn taken_away() -> Violation {
    Violation {
        constraint: Constraint::Trigger,
        columns: Vec::new(),
        message: "the row was not inserted: a trigger deletes it at once, or gives it another key".to_owned(),
    }
}

fn statement(shape: &Shape, given: &Given) -> Statement {
    let mut statement = Statement::new("INSERT INTO ");
    statement.name(&shape.relation.name);
    if given.is_empty() {
        statement.push(" DEFAULT VALUES");
    } else {
        for (at, (place, _)) in given.iter().enumerate() {
            statement.push(if at > 0 { ", " } else { " (" }).name(&shape.relation.columns[*place].name);
        }
        for (at, (_, cell)) in given.iter().enumerate() {
            statement.push(if at > 0 { ", " } else { ") VALUES (" }).bind(cell.clone());
        }
        statement.push(")");
    }
    shape.relation.list_key(statement.push(" RETURNING "));
    statement
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::catalog::{Column, ColumnKind, Key, Kind, Relation};
    use crate::sql::cell::Cell;

    /// Whatever they are, values are never text of the statement, and names never anything but names.
    #[test]
    fn statements_hold_hostile_names_quoted_and_no_values() {
        let column = Column {
            name: "a\"); DROP TABLE canary; --".into(),
            declared: String::new(),
            kind: ColumnKind::Text,
            numeric: false,
            real: false,
            nullable: true,
            collation: None,
            default: None,
            generated: false,
            automatic: false,
        };
        let relation = Relation {
            name: "t\" DEFAULT VALUES; DROP TABLE canary; --".into(),
            kind: Kind::Table,
            columns: vec![column],
            key: Key::Rowid("rowid"),
            foreign_keys: Vec::new(),
        };
        let shape = Shape { relation: relation.into(), references: Vec::new() };
        let made = statement(&shape, &vec![(0, Cell::Text("'); DROP TABLE canary; --".into()))]);
        assert_eq!(
            made.sql,
            "INSERT INTO \"t\"\" DEFAULT VALUES; DROP TABLE canary; --\" (\"a\"\"); DROP TABLE canary; --\") VALUES (?) \
             RETURNING rowid"
        );
        assert_eq!(made.parameters, [Cell::Text("'); DROP TABLE canary; --".into())]);
    }
}
