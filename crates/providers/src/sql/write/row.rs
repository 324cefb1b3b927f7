//! Changes of one row, in the state that the caller saw.

use worldspace_host::{After, Call, Done, Refusal, StateToken};
use worldspace_model::Value;

use super::given;
use super::violation::{self, Wanted};
use super::{Effect, commit, key_returned, passed_over, refused};
use crate::sql::cell::Cell;
use crate::sql::describe;
use crate::sql::engine::{ChangeError, Session, Statement, Violation};
use crate::sql::key::RowKey;
use crate::sql::shape::{Found, LONGEST, Shape};

pub(super) fn update(
    mut session: Box<dyn Session + '_>,
    shape: &Shape,
    key: &RowKey,
    call: Call,
) -> Result<Done, Refusal> {
    let given = match call.operation() {
        "update_exact" => given::exact(&shape.relation, &call)?,
        _ => given::typed(&shape.relation, &call)?,
    };
    if given.is_empty() {
        let text = "nothing is to be changed; give at least one column";
        return Err(Refusal::InvalidArguments(text.to_owned()));
    }
    let (before, state) = observed(&mut *session, shape, key, &call)?;
    let mut statement = Statement::new("UPDATE ");
    statement.name(&shape.relation.name);
    for (at, (place, cell)) in given.iter().enumerate() {
        statement.push(if at > 0 { ", " } else { " SET " }).name(&shape.relation.columns[*place].name);
        statement.push(" = ").bind(cell.clone());
    }
    let wanted = Wanted::of_update(&given, &before.cells);
    let changed = match changed(&mut *session, shape, key, statement)? {
        Ok(Some(row)) => row,
        Ok(None) => return refused(session, call, &passed_over("updated")),
        Err(violation) => {
            let violation =
                violation::explain(&mut *session, shape, violation, &wanted, Some((key, &before)));
            return refused(session, call, &violation);
        }
    };
    let owing = violation::referring_to_nothing(&mut *session, shape, &wanted)?;
    let new_key =
        key_returned(shape, &changed)?.ok_or_else(|| Refusal::failed("an updated row has no key"))?;
    // What triggers made of it counts as well, so it is read again.
    let after = match shape.row(&mut *session, &new_key, LONGEST)? {
        Some((after, state)) if new_key == *key && describes(shape, &before, &after) => After::State(state),
        _ => After::Changed,
    };
    let result = Value::case("updated", None)?;
    commit(session, call, Some(&state), Effect { result, after, owing })
}

pub(super) fn delete(
    mut session: Box<dyn Session + '_>,
    shape: &Shape,
    key: &RowKey,
    call: Call,
) -> Result<Done, Refusal> {
    let (before, state) = observed(&mut *session, shape, key, &call)?;
    let mut statement = Statement::new("DELETE FROM ");
    statement.name(&shape.relation.name);
    match changed(&mut *session, shape, key, statement)? {
        Ok(Some(_)) => {}
        Ok(None) => return refused(session, call, &passed_over("deleted")),
        Err(violation) => {
            let wanted = Wanted::of_delete(&shape.relation);
            let violation =
                violation::explain(&mut *session, shape, violation, &wanted, Some((key, &before)));
            return refused(session, call, &violation);
        }
    }
    let result = Value::case("deleted", None)?;
    commit(session, call, Some(&state), Effect { result, after: After::Changed, owing: None })
}

/// The row as it is, if that is as the caller saw it.
fn observed(
    session: &mut dyn Session,
    shape: &Shape,
    key: &RowKey,
    call: &Call,
) -> Result<(Found, StateToken), Refusal> {
    let (found, state) = shape.row(session, key, LONGEST)?.ok_or(Refusal::NotFound)?;
    call.compare(&state)?;
    Ok((found, state))
}

/// Runs the statement on the row with that key; what it returns of the row, none where the row was passed over.
fn changed(
    session: &mut dyn Session,
    shape: &Shape,
    key: &RowKey,
    mut statement: Statement,
) -> Result<Result<Option<Vec<Cell>>, Violation>, Refusal> {
    key.is(&shape.relation, statement.push(" WHERE "));
    shape.relation.list_key(statement.push(" RETURNING "));
    let mut rows = match session.change(&statement, &shape.relation) {
        Ok(rows) => rows,
        Err(ChangeError::Violation(violation)) => return Ok(Err(violation)),
        Err(ChangeError::Error(error)) => return Err(error.into()),
    };
    if rows.len() > 1 {
        return Err(Refusal::failed(format!("{} rows have one key", rows.len())));
    }
    Ok(Ok(rows.pop()))
}

/// Whether a row is described as before.
fn describes(shape: &Shape, before: &Found, after: &Found) -> bool {
    describe::row(&shape.relation, before) == describe::row(&shape.relation, after)
}
