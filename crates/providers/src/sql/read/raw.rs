//! `sql`: a statement that a caller wrote. That it only reads, the engine sees to; here it is bounded and told.

use std::cell::RefCell;

use worldspace_host::{Call, Context, Done, Interface, Refusal};
use worldspace_model::{Fault, Field, OperationDeclaration, Type, Value, text_weight};

use crate::budget::{self, Budget};
use crate::sql::cell::{self, Cell, CellRef, FORMS, OMITTED};
use crate::sql::engine::{Dialect, Flow, Session, SqlError};
use crate::sql::shape::Found;

/// Rows in an answer unless said otherwise, and at most.
const USUAL: usize = 100;
const MOST: usize = 10_000;
/// The longest value that is shown among others, in bytes.
const LONGEST: usize = 64 << 10;
/// What the names of columns may take of an answer, in bytes.
const NAMES: usize = 128 << 10;
/// What a row takes at most, so that the first one always fits.
const ROW: usize = 384 << 10;

pub(in crate::sql) fn declare(dialect: &Dialect) -> Result<Interface, Fault> {
    Interface::builder()
        .documented(
            "A database: its tables and views are the Objects below it; what they do not offer, SQL asks.",
        )
        .read(sql(dialect))
        .build()
}

fn sql(dialect: &Dialect) -> OperationDeclaration {
    let limit = format!("Rows, from 1: {USUAL} unless given, {MOST} at most.");
    let omitted = format!(
        "In the exact form: {FORMS}. A value of more than {} KiB is {OMITTED}; `{}` gives a part of it. Of a \
         row that is too large for an answer, the longest values are omitted.",
        LONGEST >> 10,
        dialect.part
    );
    OperationDeclaration::new("sql")
        .documented("Runs one SQL statement that reads, such as a SELECT over several tables.")
        .detailed(format!(
            "{} Tables and views are named as below this Object, but without its escapes of `~` and `/`, and their columns \
             as in their `query`; a name that is no plain word stands in double quotes, a text in single ones. Nothing can be \
             changed: whatever would write, attach a file or set an option is refused, however it is written.",
            dialect.sql
        ))
        .takes([
            Field::required("query", Type::STRING)
                .documented(format!("One statement: {}.", dialect.reads))
                .detailed("Write `?` for values and give them in `parameters`, so that no value is taken for SQL."),
            Field::optional("parameters", Type::list(Type::JSON))
                .documented(
                    "The values of the `?`, in their order; {\"$integer\": \"digits\"} for integers beyond ±(2^53−1).",
                )
                .detailed(cell::given()),
            Field::optional("limit", Type::INTEGER).documented(limit),
        ])
        .returns(Type::record([
            Field::required("columns", Type::list(Type::STRING)).documented("The names of the columns of the result."),
            Field::required("rows", Type::list(Type::list(Type::JSON)))
                .documented("The rows: a value for each column.")
                .detailed(omitted),
            Field::required("truncated", Type::BOOLEAN)
                .documented("Whether there may be more rows: narrow the query, or go on with LIMIT and OFFSET.")
                .detailed("It stopped at `limit`, or at the room that an answer has."),
        ]))
}

pub(in crate::sql) fn run(session: &mut dyn Session, context: &Context, call: Call) -> Result<Done, Refusal> {
    let query = call.text("query").unwrap_or_default();
    if query.trim().is_empty() {
        return Err(Refusal::argument("query", "is empty; write a statement such as SELECT 1"));
    }
    let parameters = parameters(&call)?;
    let limit = call.count("limit", USUAL, MOST)?;
    let answer = RefCell::new(Answer {
        columns: Vec::new(),
        rows: Vec::new(),
        truncated: false,
        budget: Budget::of(context),
        names: budget::room(context, NAMES),
        row: budget::room(context, ROW),
        limit,
    });
    let mut head = |names: &[&str]| answer.borrow_mut().name(names);
    let ran = session.run(query, &parameters, &mut head, &mut |row| answer.borrow_mut().take(row));
    ran.map_err(|error| match error {
        SqlError::Statement(text) => Refusal::argument("query", text),
        error => error.into(),
    })?;
    let result = answer.into_inner().into_value()?;
    Ok(call.done(result))
}

fn parameters(call: &Call) -> Result<Vec<Cell>, Refusal> {
    let given = call.argument("parameters").and_then(Value::as_list).unwrap_or_default();
    let cell = |(at, value)| {
        Cell::of_exact(value).map_err(|why| Refusal::argument(&format!("parameters[{at}]"), why))
    };
    given.iter().enumerate().map(cell).collect()
}

/// What is gathered.
struct Answer {
    columns: Vec<Value>,
    rows: Vec<Value>,
    truncated: bool,
    budget: Budget,
    /// The room that the names of columns have, and then each row.
    names: usize,
    row: usize,
    limit: usize,
}

impl Answer {
    fn name(&mut self, names: &[&str]) -> Result<(), SqlError> {
        let weight: usize = names.iter().map(|name| text_weight(name) + 4).sum();
        if weight > self.names || !self.budget.take_bytes(weight) {
            let text =
                "the names of its columns take too much room; ask for fewer, or give them short ones with AS";
            return Err(SqlError::Statement(text.to_owned()));
        }
        // Both have some more around them, and both have to fit.
        self.row = self.row.saturating_sub(weight + 256);
        self.columns = names.iter().map(|name| Value::from(*name)).collect();
        Ok(())
    }

    fn take(&mut self, row: &[CellRef<'_>]) -> Result<Flow, SqlError> {
        if self.rows.len() == self.limit {
            self.truncated = true;
            return Ok(Flow::Enough);
        }
        let cells = row.iter().map(|cell| cell.to_cell(LONGEST)).collect();
        let mut row = Found { key: None, rowid: None, cells };
        row.fit(self.row);
        if !self.budget.take_bytes(row.weight()) {
            self.truncated = true;
            return Ok(Flow::Enough);
        }
        let values = row.cells.iter().map(Cell::exact).collect();
        self.rows.push(Value::list(values).map_err(SqlError::failed)?);
        Ok(Flow::More)
    }

    fn into_value(self) -> Result<Value, Fault> {
        Value::record([
            ("columns", Some(Value::list(self.columns)?)),
            ("rows", Some(Value::list(self.rows)?)),
            ("truncated", Some(Value::Boolean(self.truncated))),
        ])
    }
}
