//! A page of rows: as many as were asked for, as fit into an answer, and as the time allows, with the way to go on.

use worldspace_host::{Call, Context, Refusal};
use worldspace_model::{List, Value};

use super::order::{Order, Position};
use crate::budget::{self, Budget};
use crate::sql::engine::{Flow, Session, Statement};
use crate::sql::shape::{Found, LONGEST, Shape};

/// Rows on a page unless the caller says otherwise.
pub(super) const USUAL: usize = 50;
/// Rows on a page at most.
pub(super) const MOST: usize = 1_000;
/// The part of an answer that one row may fill, in bytes.
const ROW: usize = 256 << 10;

/// The rows that `filter` selects, in that order, from behind where the cursor was made.
pub(super) fn page(
    session: &mut dyn Session,
    context: &Context,
    call: &Call,
    shape: &Shape,
    order: &Order,
    filter: impl FnOnce(&mut Statement) -> Result<(), Refusal>,
) -> Result<Value, Refusal> {
    let limit = call.count("limit", USUAL, MOST)?;
    let relation = &shape.relation;
    let mut asked = Statement::default();
    shape.select(&mut asked);
    filter(asked.push(" WHERE "))?;
    let mark = mark(shape, order, &asked);
    let start = match call.open_cursor("cursor")? {
        None => None,
        Some(sealed) => Some(Position::open(&sealed, &mark, order).ok_or_else(|| {
            let why = "is of another question: `where` and `order_by` stay the same from page to page; leave it out to begin again";
            Refusal::argument("cursor", why)
        })?),
    };
    let mut taking = Taking {
        shape,
        order,
        limit,
        start: start.as_ref(),
        left_over: start.as_ref().map_or(0, Position::alike),
        budget: Budget::of(context),
        room: budget::room(context, ROW),
        rows: Vec::new(),
        last: None,
        more: false,
    };
    let parts = match &start {
        None => vec![None],
        Some(start) => order.behind(start).into_iter().map(Some).collect(),
    };
    for part in parts {
        let mut statement = asked.clone();
        if let (Some(start), Some(part)) = (&start, part) {
            order.write_behind(relation, start, part, statement.push(" AND "));
        }
        order.write(relation, &mut statement);
        // One further row tells whether there is a next page.
        let most = taking.left_over.saturating_add((limit - taking.rows.len()) as u64 + 1);
        statement.push(&format!(" LIMIT {most}"));
        session.select(&statement, &mut |row| Ok(taking.take(shape.found(row, LONGEST)?)))?;
        if taking.more {
            break;
        }
    }
    let Taking { rows, last, more, .. } = taking;
    let items =
        rows.iter().map(|found| shape.item(session, context, found)).collect::<Result<Vec<_>, Refusal>>()?;
    let next = match last.filter(|_| more) {
        Some(last) => Some(call.seal_cursor(&last?.seal(&mark))?),
        None => None,
    };
    Ok(Value::record([
        ("rows", Some(Value::List(List::new(items)?))),
        ("next_cursor", next.map(Value::from)),
    ])?)
}

/// Tells one question from another, so that a cursor serves only the one that it was made for.
fn mark(shape: &Shape, order: &Order, statement: &Statement) -> [u8; 16] {
    let mut asked = statement.clone();
    order.write(&shape.relation, &mut asked);
    let mut digest = blake3::Hasher::new();
    digest.update(&(asked.sql.len() as u64).to_le_bytes()).update(asked.sql.as_bytes());
    for parameter in &asked.parameters {
        parameter.as_ref().add_to(&mut digest);
    }
    let mut mark = [0; 16];
    mark.copy_from_slice(&digest.finalize().as_bytes()[..16]);
    mark
}

struct Taking<'t> {
    shape: &'t Shape,
    order: &'t Order,
    limit: usize,
    start: Option<&'t Position>,
    /// How many rows that are alike to the last one of the page before are still to be passed over.
    left_over: u64,
    budget: Budget,
    room: usize,
    rows: Vec<Found>,
    /// The place of the last row, or why there is none.
    last: Option<Result<Position, Refusal>>,
    more: bool,
}

impl Taking<'_> {
    fn take(&mut self, mut found: Found) -> Flow {
        if self.rows.len() == self.limit {
            self.more = true;
            return Flow::Enough;
        }
        // Before anything is omitted.
        let position = self.position(&found);
        if self.left_over > 0 {
            self.left_over -= 1;
            if let (Some(start), Ok(position)) = (self.start, &position)
                && start.has_values_of(position)
            {
                return Flow::More;
            }
            // Rows that were alike went meanwhile, so none is left to be passed over.
            self.left_over = 0;
        }
        found.fit(self.room);
        if !self.budget.take_bytes(found.weight() + self.shape.weight_of_names()) {
            self.more = true;
            return Flow::Enough;
        }
        self.rows.push(found);
        self.last = Some(position);
        Flow::More
    }

    /// The place behind a row, counting those before it that are alike.
    fn position(&self, found: &Found) -> Result<Position, Refusal> {
        let position = self.order.position(&self.shape.relation, found, 1)?;
        if self.order.is_total() {
            return Ok(position);
        }
        let last = self.last.as_ref().and_then(|last| last.as_ref().ok());
        let before = last.or(self.start).filter(|before| before.has_values_of(&position));
        Ok(match before {
            Some(before) => position.alike_to(before),
            None => position,
        })
    }
}
