//! In which order rows come, and where a page ends: by the values of its last row, never by how many rows came before it.

use worldspace_host::{Call, Refusal};
use worldspace_model::{Quoted, Value};

use super::condition;
use crate::sql::catalog::{Key, Relation};
use crate::sql::cell::{Cell, CellRef};
use crate::sql::engine::Statement;
use crate::sql::shape::Found;

/// What a cursor holds at most, so that it stays a small part of a request.
const LONGEST: usize = 48 << 10;
/// Columns that one order goes by at most.
const MOST: usize = 64;
/// Columns that rows without a key may have to be paged: they are all compared, each within the one before.
const MOST_WITHOUT_KEY: usize = 400;

/// A total order of a relation's rows.
pub(super) struct Order {
    parts: Vec<Part>,
    /// Whether no two rows stand at one place.
    total: bool,
}

/// One thing that rows are ordered by.
struct Part {
    by: By,
    descending: bool,
    nullable: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// A column as it compares values itself.
    Column(usize),
    /// The same without what its type would make of a value that it is compared with: columns of views hold what those of
    /// their type do not.
    Plain(usize),
    /// By the very values, where a column takes different ones for the same.
    Exact(usize),
    Rowid(&'static str),
}

/// A part of the rows behind a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Behind {
    /// Equal in so many of what the order goes by, and further on in the next.
    After(usize),
    /// Equal in so many, and without a value in the next, where that comes last.
    Null(usize),
    /// All of them, and those that are alike to the last one.
    All,
}

/// The place behind a row.
#[derive(Debug, PartialEq)]
pub(super) struct Position {
    /// The values that the order goes by.
    values: Vec<Cell>,
    /// How many of the rows that are alike at this place came already, where rows have no keys.
    alike: u64,
}

impl Order {
    /// What `order_by` says, and behind it what makes the order total: the key, or every column.
    pub(super) fn of(call: &Call, relation: &Relation) -> Result<Self, Refusal> {
        let mut order = Self { parts: Vec::new(), total: relation.has_rows() };
        let wanted = call.argument("order_by").and_then(Value::as_list).unwrap_or_default();
        if wanted.len() > MOST {
            return Err(Refusal::argument(
                "order_by",
                format!("holds more than {MOST} columns; the first few decide"),
            ));
        }
        for (at, wanted) in wanted.iter().enumerate() {
            let place = format!("order_by[{at}]");
            let record = wanted.as_record();
            let name = record.and_then(|record| record.get("column")?.as_str()).unwrap_or_default();
            let column = condition::column(relation, name, &format!("{place}.column"))?;
            let by = if order.total { By::Column(column) } else { By::Plain(column) };
            if order.has(by) {
                return Err(Refusal::argument(&place, format!("orders by {} a second time", Quoted(name))));
            }
            let descending = record.and_then(|record| record.get("descending")?.as_bool());
            order.push(relation, by, descending.unwrap_or_default());
        }
        order.complete(relation);
        Ok(order)
    }

    /// By the key alone.
    pub(super) fn by_key(relation: &Relation) -> Self {
        let mut order = Self { parts: Vec::new(), total: relation.has_rows() };
        order.complete(relation);
        order
    }

    fn complete(&mut self, relation: &Relation) {
        let rest: Vec<By> = match &relation.key {
            Key::Columns { places, when_null } => {
                let collated = |place: &&usize| relation.columns[**place].collation.is_some();
                let columns = places.iter().map(|place| By::Column(*place));
                // The key may tell apart what its column, compared by itself, does not.
                let exact = places.iter().filter(collated).map(|place| By::Exact(*place));
                columns.chain(exact).chain(when_null.map(By::Rowid)).collect()
            }
            Key::Rowid(name) => vec![By::Rowid(name)],
            Key::None => (0..relation.columns.len()).map(By::Exact).collect(),
        };
        for by in rest {
            if !self.has(by) {
                self.push(relation, by, false);
            }
        }
    }

    fn has(&self, by: By) -> bool {
        self.parts.iter().any(|part| part.by == by)
    }

    fn push(&mut self, relation: &Relation, by: By, descending: bool) {
        let nullable = match by {
            By::Column(place) | By::Plain(place) | By::Exact(place) => relation.columns[place].nullable,
            By::Rowid(_) => false,
        };
        self.parts.push(Part { by, descending, nullable });
    }

    /// Writes ` ORDER BY …`.
    pub(super) fn write(&self, relation: &Relation, statement: &mut Statement) {
        for (at, part) in self.parts.iter().enumerate() {
            statement.push(if at > 0 { ", " } else { " ORDER BY " });
            part.write(relation, statement);
            statement.push(if part.descending { " DESC" } else { " ASC" });
            if part.nullable {
                statement.push(if part.descending { " NULLS LAST" } else { " NULLS FIRST" });
            }
        }
    }

    /// The rows behind `position` in parts that follow each other, each of which an index can find the beginning of. As one
    /// condition it would have to be searched for from the first row that is equal in the first column.
    pub(super) fn behind(&self, position: &Position) -> Vec<Behind> {
        if !self.total {
            return vec![Behind::All];
        }
        let mut behind = Vec::with_capacity(self.parts.len());
        for (equal, part) in self.parts.iter().enumerate().rev() {
            let at_null = position.values.get(equal).is_none_or(Cell::is_null);
            match (part.descending, at_null) {
                (true, true) => {}
                (true, false) if part.nullable => behind.extend([Behind::After(equal), Behind::Null(equal)]),
                _ => behind.push(Behind::After(equal)),
            }
        }
        behind
    }

    /// Writes the condition that a row is in that part of those behind `position`.
    pub(super) fn write_behind(
        &self,
        relation: &Relation,
        position: &Position,
        behind: Behind,
        statement: &mut Statement,
    ) {
        let parts: Vec<(&Part, &Cell)> = self.parts.iter().zip(&position.values).collect();
        let equal = match behind {
            Behind::After(equal) | Behind::Null(equal) => equal,
            Behind::All => return Self::write_all_behind(relation, &parts, statement),
        };
        for (part, value) in &parts[..equal] {
            part.equal(relation, value, statement);
            statement.push(" AND ");
        }
        let (part, value) = parts[equal];
        match behind {
            Behind::Null(_) => part.equal(relation, &Cell::Null, statement),
            _ => part.after(relation, value, statement),
        }
    }

    /// As one condition, and with those that are alike to the last one.
    fn write_all_behind(relation: &Relation, parts: &[(&Part, &Cell)], statement: &mut Statement) {
        for (at, (part, value)) in parts.iter().enumerate() {
            let null_is_behind = part.descending && part.nullable && !value.is_null();
            part.after(relation, value, statement.push("("));
            if null_is_behind {
                part.equal(relation, &Cell::Null, statement.push(" OR "));
            }
            let is_last = at + 1 == parts.len();
            part.equal(relation, value, statement.push(if is_last { " OR " } else { " OR (" }));
            statement.push(if is_last { ")" } else { " AND " });
        }
        statement.push(&"))".repeat(parts.len().saturating_sub(1)));
    }

    /// Whether rows that are alike in everything may stand at one place.
    pub(super) fn is_total(&self) -> bool {
        self.total
    }

    /// The place behind that row.
    pub(super) fn position(
        &self,
        relation: &Relation,
        found: &Found,
        alike: u64,
    ) -> Result<Position, Refusal> {
        if !self.total && self.parts.len() > MOST_WITHOUT_KEY {
            let text = format!(
                "rows of more than {MOST_WITHOUT_KEY} columns that have no key come on one page only; select fewer with `where`"
            );
            return Err(Refusal::Limit(text));
        }
        let mut values = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            values.push(match part.by {
                By::Column(place) | By::Plain(place) | By::Exact(place) => {
                    found.cells.get(place).cloned().unwrap_or(Cell::Null)
                }
                By::Rowid(_) => found.rowid.map_or(Cell::Null, Cell::Integer),
            });
        }
        let size = |cell: &Cell| match cell {
            Cell::Long { size, .. } => usize::try_from(*size).unwrap_or(usize::MAX),
            other => other.weight(),
        };
        let sizes = values.iter().map(size).fold(0, usize::saturating_add);
        if sizes > LONGEST {
            let longest = self.parts.iter().zip(&values).max_by_key(|(_, value)| size(value));
            let name = longest.map_or("", |(part, _)| part.name(relation));
            let text = format!(
                "the values of {} are too long to go on behind them in this order; order by something shorter, or select \
                 fewer rows with `where`",
                Quoted(name)
            );
            return Err(Refusal::Limit(text));
        }
        Ok(Position { values, alike })
    }
}

impl Part {
    fn name<'r>(&self, relation: &'r Relation) -> &'r str {
        match self.by {
            By::Column(place) | By::Plain(place) | By::Exact(place) => &relation.columns[place].name,
            By::Rowid(name) => name,
        }
    }

    fn write(&self, relation: &Relation, statement: &mut Statement) {
        match self.by {
            By::Column(place) => statement.name(&relation.columns[place].name),
            By::Plain(place) => statement.push("+").name(&relation.columns[place].name),
            By::Exact(place) => {
                statement.push("+").name(&relation.columns[place].name).push(" COLLATE \"BINARY\"")
            }
            By::Rowid(name) => statement.push(name),
        };
    }

    fn equal(&self, relation: &Relation, value: &Cell, statement: &mut Statement) {
        self.write(relation, statement);
        match value {
            Cell::Null => statement.push(" IS NULL"),
            value => statement.push(" = ").bind(value.clone()),
        };
    }

    /// Behind the value, and a value itself. NULL stands before everything else.
    fn after(&self, relation: &Relation, value: &Cell, statement: &mut Statement) {
        match (value, self.descending) {
            (Cell::Null, true) => {
                statement.push("FALSE");
            }
            (Cell::Null, false) => {
                self.write(relation, statement);
                statement.push(" IS NOT NULL");
            }
            (value, descending) => {
                self.write(relation, statement);
                statement.push(if descending { " < " } else { " > " }).bind(value.clone());
            }
        }
    }
}

impl Position {
    /// How many rows that are alike in everything to pass over.
    pub(super) fn alike(&self) -> u64 {
        self.alike
    }

    /// As the place of a row that is alike to the one before it.
    pub(super) fn alike_to(mut self, before: &Self) -> Self {
        self.alike = before.alike + 1;
        self
    }

    pub(super) fn has_values_of(&self, other: &Self) -> bool {
        self.values.len() == other.values.len()
            && self.values.iter().zip(&other.values).all(|(one, other)| one.is_alike(other))
    }

    /// As the content of a cursor, behind the mark of what is asked.
    pub(super) fn seal(&self, mark: &[u8; 16]) -> Vec<u8> {
        let mut bytes = mark.to_vec();
        bytes.extend_from_slice(&self.alike.to_le_bytes());
        for value in &self.values {
            let (tag, content): (u8, Vec<u8>) = match value.as_ref() {
                CellRef::Null => (0, Vec::new()),
                CellRef::Integer(value) => (1, value.to_le_bytes().to_vec()),
                CellRef::Real(value) => (2, value.to_bits().to_le_bytes().to_vec()),
                CellRef::Text(text) => (3, text.to_vec()),
                CellRef::Blob(bytes) => (4, bytes.to_vec()),
            };
            bytes.push(tag);
            bytes.extend_from_slice(&(content.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&content);
        }
        bytes
    }

    /// The place that a cursor holds, if it was made for this question.
    pub(super) fn open(sealed: &[u8], mark: &[u8; 16], order: &Order) -> Option<Self> {
        let (of, rest) = sealed.split_first_chunk::<16>()?;
        let (alike, mut rest) = rest.split_first_chunk::<8>()?;
        let mut values = Vec::new();
        while let Some((tag, after)) = rest.split_first() {
            let (length, after) = after.split_first_chunk::<4>()?;
            let (content, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            rest = after;
            let number = || content.try_into().ok().map(u64::from_le_bytes);
            values.push(match tag {
                0 => Cell::Null,
                1 => Cell::Integer(number()?.cast_signed()),
                2 => Cell::Real(f64::from_bits(number()?)),
                3 => CellRef::Text(content).to_cell(usize::MAX),
                4 => CellRef::Blob(content).to_cell(usize::MAX),
                _ => return None,
            });
        }
        let position = Self { values, alike: u64::from_le_bytes(*alike) };
        (of == mark && position.values.len() == order.parts.len()).then_some(position)
    }
}
