//! The operations that change rows.
//!
//! **Whole.** Each call is one transaction: what it rests on is compared and its statement is run in it, and either all of
//! that is there afterwards, with what triggers and foreign keys made of it, or nothing.
//!
//! **Guarded.** A row is changed and deleted only in the state that the caller saw, and every interface is compared with the
//! schema as the transaction sees it, so that no argument goes into another column than it was meant for.
//!
//! **Refused is a result.** A rule of the database that forbids the change is no error: the caller is told which one, of
//! which columns, and why. Such a call ends before the fence, its transaction undone, but where the rule is one that the
//! database looks at only when it commits.

use std::sync::Arc;

use worldspace_host::{After, Call, Context, Done, Fate, Refusal, StateToken};
use worldspace_model::Value;

use super::cell::{Cell, CellRef};
use super::declare::{Declared, Place, ROW_WRITE, TABLE_WRITE};
use super::engine::{ChangeError, Committed, Constraint, Session, Violation};
use super::key::RowKey;
use super::shape::Shape;

pub(super) mod declare;
mod given;
mod insert;
mod row;
mod violation;

/// The operations that rows have by themselves where writing is offered.
pub(super) const OF_ROWS: [&str; 3] = ["update", "update_exact", "delete"];

/// Whether it is one of these operations that is called.
pub(super) fn is_of(call: &Call) -> bool {
    matches!(call.interface().name.as_str(), TABLE_WRITE | ROW_WRITE)
}

/// Runs an operation in a session for writing.
pub(super) fn run(
    mut session: Box<dyn Session + '_>,
    declared: &Declared,
    context: &Context,
    call: Call,
) -> Result<Done, Refusal> {
    let current = declared.interface(&mut *session, call.interface())?.ok_or(Refusal::InterfaceChanged)?;
    call.compare_interface(&current)?;
    let place = Place::of(call.path()).ok_or(Refusal::NotFound)?;
    let (Place::Relation(name) | Place::Row(name, _)) = &place else { return Err(Refusal::NotFound) };
    let shape = declared.shape(&mut *session, name)?.ok_or(Refusal::NotFound)?;
    match (&place, call.operation()) {
        (Place::Relation(_), "insert" | "insert_exact") => insert::run(session, &shape, context, call),
        (Place::Row(_, segment), operation) => {
            let key = RowKey::parse(&shape.relation, segment.as_str()).ok_or(Refusal::NotFound)?;
            match operation {
                "update" | "update_exact" => row::update(session, &shape, &key, call),
                "delete" => row::delete(session, &shape, &key, call),
                operation => Err(unknown(operation)),
            }
        }
        (_, operation) => Err(unknown(operation)),
    }
}

fn unknown(operation: &str) -> Refusal {
    Refusal::failed(format!("`{operation}` is declared and not there"))
}

/// What is made to last across the fence.
struct Effect {
    result: Value,
    after: After,
    /// What is said where the database finds only then that a row is missing that this one refers to.
    owing: Option<Violation>,
}

/// Crosses the fence and commits. `state` is the one that was compared.
fn commit(
    session: Box<dyn Session + '_>,
    call: Call,
    state: Option<&StateToken>,
    effect: Effect,
) -> Result<Done, Refusal> {
    let Effect { result, after, owing } = effect;
    // A result that the Host would not take must not come to light behind the fence.
    call.declaration().returns().check(&result)?;
    let refusing = |violation: Violation| match (violation.constraint, owing) {
        (Constraint::ForeignKey, Some(owing)) => violation::value(&owing),
        _ => violation::value(&violation),
    };
    call.fence_blocking(state, || match session.commit() {
        Committed::Done => Fate::Done { result, after },
        Committed::RolledBack(ChangeError::Violation(violation)) => match refusing(violation) {
            Ok(result) => Fate::Done { result, after: After::Unchanged },
            Err(fault) => Fate::RolledBack(fault.into()),
        },
        Committed::RolledBack(ChangeError::Error(error)) => Fate::RolledBack(error.into()),
        Committed::Unknown(source) => Fate::unknown(source),
    })
}

/// The answer that a rule of the database forbids it. Whatever the transaction holds is undone first.
fn refused(session: Box<dyn Session + '_>, call: Call, violation: &Violation) -> Result<Done, Refusal> {
    drop(session);
    Ok(call.done(violation::value(violation)?))
}

/// What is said where the statement was run and its row is not what it was run for: only a trigger does that, or a rule that
/// says to pass over conflicts.
fn passed_over(done: &str) -> Violation {
    Violation {
        constraint: Constraint::Trigger,
        columns: Vec::new(),
        message: format!(
            "the row was not {done}: a trigger, or a rule that ignores conflicts, passes over it"
        ),
    }
}

/// The key that the one changed row has.
fn key_returned(shape: &Shape, row: &[Cell]) -> Result<Option<RowKey>, Refusal> {
    let row: Vec<CellRef<'_>> = row.iter().map(Cell::as_ref).collect();
    Ok(shape.relation.key_of(&row)?)
}

/// Names of columns, by their places.
fn names(shape: &Shape, places: impl IntoIterator<Item = usize>) -> Vec<Arc<str>> {
    places
        .into_iter()
        .filter_map(|place| shape.relation.columns.get(place))
        .map(|column| column.name.clone())
        .collect()
}
