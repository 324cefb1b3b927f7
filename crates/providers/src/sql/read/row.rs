//! What a row answers: its record, and what refers to it.

use worldspace_host::{Call, Context, Refusal};
use worldspace_model::{Quoted, Value};

use super::condition;
use super::order::Order;
use super::page::page;
use crate::budget;
use crate::sql::cell::{Cell, CellRef};
use crate::sql::declare::Link;
use crate::sql::engine::{Session, SqlError, Statement};
use crate::sql::key::{RowKey, bound_as, equal};
use crate::sql::shape::{Found, Shape, typed_cell};

/// The part of an answer that a record may fill, in bytes.
const RECORD: usize = 512 << 10;
/// Bytes that are read unless the caller says otherwise, and at most.
pub(super) const USUAL_BYTES: usize = 64 << 10;
pub(super) const MOST_BYTES: usize = 512 << 10;

/// The row that is called, in the state that the caller saw if the call is bound to one.
fn found(
    session: &mut dyn Session,
    call: &Call,
    shape: &Shape,
    longest: usize,
) -> Result<(Found, RowKey), Refusal> {
    let key = RowKey::parse(&shape.relation, call.path().name()).ok_or(Refusal::NotFound)?;
    let (found, state) = shape.row(session, &key, longest)?.ok_or(Refusal::NotFound)?;
    call.compare(&state)?;
    Ok((found, key))
}

/// The same, without what is too long for a record.
fn fitting(
    session: &mut dyn Session,
    context: &Context,
    call: &Call,
    shape: &Shape,
) -> Result<Found, Refusal> {
    let room = budget::room(context, RECORD);
    let (mut found, _) = found(session, call, shape, room)?;
    found.fit(room.saturating_sub(shape.weight_of_names()));
    Ok(found)
}

pub(super) fn read(
    session: &mut dyn Session,
    context: &Context,
    call: &Call,
    shape: &Shape,
) -> Result<Value, Refusal> {
    let found = fitting(session, context, call, shape)?;
    if let Some(row) = shape.typed(session, context, &found)? {
        return Ok(row);
    }
    let columns = shape.relation.columns.iter().zip(&found.cells);
    let odd = columns.filter(|(column, cell)| typed_cell(column, cell).is_none());
    let names: Vec<String> = odd.take(5).map(|(column, _)| Quoted(&column.name).to_string()).collect();
    let text = format!(
        "what stands in {} is more than a field of its column's type can hold here; `read_exact` gives the row as it is",
        names.join(", ")
    );
    Err(Refusal::Limit(text))
}

pub(super) fn read_exact(
    session: &mut dyn Session,
    context: &Context,
    call: &Call,
    shape: &Shape,
) -> Result<Value, Refusal> {
    let found = fitting(session, context, call, shape)?;
    shape.exact(&found)
}

/// A part of a text or of bytes, of any length.
pub(super) fn read_bytes(
    session: &mut dyn Session,
    context: &Context,
    call: &Call,
    shape: &Shape,
) -> Result<Value, Refusal> {
    let place = condition::column(&shape.relation, call.text("column").unwrap_or_default(), "column")?;
    let offset = match call.integer("offset").map(u64::try_from) {
        None => 0,
        Some(Ok(offset)) => offset,
        Some(Err(_)) => return Err(Refusal::argument("offset", "is at least 0")),
    };
    // Base64 takes a third more.
    let most = budget::room(context, MOST_BYTES.div_ceil(3) * 4) / 4 * 3;
    let length = call.count("length", USUAL_BYTES, most.max(1))?;
    let relation = &shape.relation;
    // The state stands for every value of the row, however long they are: it is asked for only where it is compared.
    let key = match call.is_bound() {
        true => found(session, call, shape, 0)?.1,
        false => RowKey::parse(relation, call.path().name()).ok_or(Refusal::NotFound)?,
    };
    let mut statement = Statement::new("SELECT ");
    relation.list_key(&mut statement);
    statement.push(", ").name(&relation.columns[place].name).push(" FROM ").name(&relation.name);
    key.is(relation, statement.push(" WHERE "));
    let selected = session.first(&statement, |row| {
        let [row @ .., value] = row else { return Err(SqlError::failed("a value was not selected")) };
        let part = match value {
            CellRef::Text(bytes) | CellRef::Blob(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
                let end = start.saturating_add(length).min(bytes.len());
                Some((bytes[start..end].to_vec(), bytes.len() as u64))
            }
            _ => None,
        };
        Ok((relation.key_of(row)?, part))
    })?;
    // As in `Shape::row`, one that the database takes for the same is another row.
    let segment = |key: &RowKey| key.segment(relation);
    let selected = selected.filter(|(found, _)| found.as_ref().and_then(segment) == segment(&key));
    let (_, part) = selected.ok_or(Refusal::NotFound)?;
    let Some((data, size)) = part else {
        let name = Quoted(&relation.columns[place].name);
        return Err(Refusal::argument(
            "column",
            format!("{name} holds neither text nor bytes in this row; `read_exact` shows it"),
        ));
    };
    Ok(Value::record([("data", Some(Value::bytes(data))), ("size", Some(Value::count(size)))])?)
}

/// The rows of another table, or of the same one, that refer to this one.
pub(super) fn referring(
    session: &mut dyn Session,
    context: &Context,
    call: &Call,
    shape: &Shape,
    link: &Link,
) -> Result<Value, Refusal> {
    let (found, _) = found(session, call, shape, usize::MAX)?;
    let (relation, from) = (&shape.relation, &link.shape.relation);
    let key = from.foreign_keys.get(link.foreign_key).ok_or(Refusal::InterfaceChanged)?;
    let order = Order::by_key(from);
    page(session, context, call, &link.shape, &order, |statement| {
        let pairs = key.pairs(from, relation).ok_or(Refusal::InterfaceChanged)?;
        let cell = |place: usize| found.cells.get(place).unwrap_or(&Cell::Null);
        let compared = pairs.into_iter().map(|(column, place)| {
            let referenced = &relation.columns[place];
            (&*column.name, (cell(place), referenced), Some(referenced))
        });
        equal(statement, compared, |statement, (cell, referenced)| {
            bound_as(statement, cell, relation, referenced);
        });
        Ok(())
    })
}
