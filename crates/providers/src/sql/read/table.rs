//! What a table or view answers: which rows it has, how many, and which values are usual.

use worldspace_host::{Call, Context, Refusal};
use worldspace_model::{List, Value};

use super::condition;
use super::order::Order;
use super::page::page;
use crate::budget::Budget;
use crate::sql::cell::{Cell, CellRef};
use crate::sql::engine::{Flow, Session, SqlError, Statement};
use crate::sql::key::{RowKey, as_stored, bound, equal};
use crate::sql::shape::{LONGEST, Shape};

/// Values that are told unless the caller says otherwise, and at most.
pub(super) const USUAL_VALUES: usize = 20;
pub(super) const MOST_VALUES: usize = 500;
/// Rows that are looked at for usual values: enough to know them, few enough for a table of any size.
pub(super) const EXAMINED: u64 = 100_000;

pub(super) fn query(
    session: &mut dyn Session,
    context: &Context,
    call: &Call,
    shape: &Shape,
) -> Result<Value, Refusal> {
    let order = Order::of(call, &shape.relation)?;
    page(session, context, call, shape, &order, |statement| condition::write(call, shape, statement))
}

pub(super) fn count(session: &mut dyn Session, call: &Call, shape: &Shape) -> Result<Value, Refusal> {
    let mut statement = Statement::new("SELECT count(*) FROM ");
    statement.name(&shape.relation.name).push(" WHERE ");
    condition::write(call, shape, &mut statement)?;
    let mut count = None;
    session.select(&statement, &mut |row| {
        count = row.first().map(|cell| cell.to_cell(0));
        Ok(Flow::Enough)
    })?;
    match count {
        Some(Cell::Integer(count)) => Ok(Value::record([("count", Some(Value::integer(count)?))])?),
        _ => Err(Refusal::failed("a count is no integer")),
    }
}

/// The entry of the row with that key, whether or not there is one.
pub(super) fn get(
    session: &mut dyn Session,
    context: &Context,
    call: &Call,
    shape: &Shape,
) -> Result<Value, Refusal> {
    let relation = &shape.relation;
    let mut cells = Vec::new();
    for column in super::declare::key_columns(relation) {
        let value =
            call.argument(&column.name).ok_or_else(|| Refusal::failed("a part of the key is not there"))?;
        let cell =
            Cell::of_argument(column.kind, value).map_err(|why| Refusal::argument(&column.name, why))?;
        if cell.is_null() {
            return Err(Refusal::argument(&column.name, "is null, which is no part of a key"));
        }
        cells.push(as_stored(column, &cell));
    }
    let key = match relation.key.is_rowid() {
        true => RowKey::Rowid(call.integer(super::declare::ROWID).unwrap_or_default()),
        false => RowKey::Columns(cells),
    };
    let find = |session: &mut dyn Session, write: &dyn Fn(&mut Statement)| {
        let mut statement = Statement::default();
        relation.select_key(&mut statement);
        write(statement.push(" WHERE "));
        Ok::<_, SqlError>(session.first(&statement, |row| relation.key_of(row))?.flatten())
    };
    let exact = find(session, &|statement| key.is(relation, statement))?;
    // As the database has it, where it has it: it may take several spellings for the same.
    let found = match (exact, &key) {
        (None, RowKey::Columns(cells)) => find(session, &|statement| {
            let columns = super::declare::key_columns(relation).into_iter();
            equal(statement, columns.zip(cells).map(|(column, cell)| (&*column.name, cell, None)), bound);
        })?,
        (exact, _) => exact,
    };
    let path = shape.path(&found.unwrap_or(key)).ok_or_else(|| Refusal::failed("a key has no path"))?;
    Ok(Value::Entry(context.entry(&path)))
}

pub(super) fn frequent_values(
    session: &mut dyn Session,
    context: &Context,
    call: &Call,
    shape: &Shape,
) -> Result<Value, Refusal> {
    let limit = call.count("limit", USUAL_VALUES, MOST_VALUES)?;
    let relation = &shape.relation;
    let place = condition::column(relation, call.text("column").unwrap_or_default(), "column")?;
    let column = &relation.columns[place].name;
    // Of a table of any size so many rows are looked at. Behind each value stand how many rows and values there are in all.
    let mut statement =
        Statement::new("SELECT value, count(*), sum(count(*)) OVER (), count(*) OVER () FROM (SELECT ");
    statement.name(column).push(" AS value FROM ").name(&relation.name);
    statement.push(&format!(
        " LIMIT {EXAMINED}) AS looked_at GROUP BY value ORDER BY count(*) DESC, value ASC LIMIT {limit}"
    ));
    let mut budget = Budget::of(context);
    let (mut values, mut rows, mut distinct) = (Vec::new(), 0, 0);
    let mut full = false;
    session.select(&statement, &mut |row| {
        let [value, count, looked_at, different] = row else {
            return Err(SqlError::failed("usual values came in another form"));
        };
        let number = |cell: &CellRef<'_>| match cell {
            CellRef::Integer(value) => u64::try_from(*value).map_err(SqlError::failed),
            _ => Err(SqlError::failed("a count is no integer")),
        };
        (rows, distinct) = (number(looked_at)?, number(different)?);
        let count = number(count)?;
        let value = value.to_cell(LONGEST >> 4);
        if !budget.take_bytes(value.weight() + 40) {
            full = true;
            return Ok(Flow::Enough);
        }
        values.push((value, count));
        Ok(Flow::More)
    })?;
    let mut further = Statement::new("SELECT 1 FROM ");
    further.name(&relation.name).push(&format!(" LIMIT 1 OFFSET {EXAMINED}"));
    let is_larger = rows >= EXAMINED && session.first(&further, |_| Ok(()))?.is_some();
    let truncated = full || distinct > values.len() as u64;
    let values = values.into_iter().map(|(value, count)| {
        Value::record([("value", Some(value.exact())), ("count", Some(Value::count(count)))])
    });
    Ok(Value::record([
        ("values", Some(Value::List(List::new(values.collect::<Result<_, _>>()?)?))),
        ("rows", Some(Value::count(rows))),
        ("all_rows", Some(Value::Boolean(!is_larger))),
        ("truncated", Some(Value::Boolean(truncated))),
    ])?)
}
