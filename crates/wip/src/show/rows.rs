//! Lists as tables: what a record within a row holds are columns too, and rows that come with the names of their columns
//! stand below them.

use worldspace_model::{Member, Members, Name, Record, Shape, TypeRef, Value};

use super::result::inline;
use super::table::{self, Align};
use super::text;

/// A column of a table: a member of its rows, or one of a record that stands there.
struct Column<'t> {
    outer: &'t Name,
    inner: Option<&'t Name>,
    ty: TypeRef<'t>,
}

impl<'t> Column<'t> {
    /// Those of a member that some row has.
    fn of(member: Member<'t>, records: &[&Record]) -> Vec<Self> {
        let values: Vec<&Value> = records.iter().filter_map(|record| record.get(member.name)).collect();
        match member.ty.shape() {
            _ if values.is_empty() => Vec::new(),
            Shape::Record(members) => {
                let is_there = |inner: &Member<'t>| {
                    values
                        .iter()
                        .filter_map(|value| value.as_record())
                        .any(|record| record.get(inner.name).is_some())
                };
                let column =
                    |inner: Member<'t>| Self { outer: member.name, inner: Some(inner.name), ty: inner.ty };
                members.iter().filter(is_there).map(column).collect()
            }
            _ => vec![Self { outer: member.name, inner: None, ty: member.ty }],
        }
    }

    fn name(&self) -> &'t Name {
        self.inner.unwrap_or(self.outer)
    }

    fn cell(&self, record: &Record) -> String {
        let value = record.get(self.outer);
        let value = match self.inner {
            Some(inner) => value.and_then(Value::as_record).and_then(|record| record.get(inner)),
            None => value,
        };
        value.map_or_else(String::new, |value| inline(value, self.ty))
    }

    fn align(&self) -> Align {
        match self.ty.shape() {
            Shape::Integer | Shape::Number => Align::Right,
            _ => Align::Left,
        }
    }
}

/// Records as rows, with the columns that any of them has.
pub(super) fn of_records(out: &mut String, members: Members<'_>, items: &[Value], width: Option<usize>) {
    let records: Vec<&Record> = items.iter().filter_map(Value::as_record).collect();
    let columns: Vec<Column<'_>> = members.iter().flat_map(|member| Column::of(member, &records)).collect();
    let head = |column: &Column<'_>| {
        let same = columns.iter().filter(|other| other.name() == column.name()).count();
        let name = text::line(column.name());
        let name = match column.inner {
            Some(_) if same > 1 => format!("{}.{name}", text::line(column.outer)),
            _ => name.into_owned(),
        };
        (name, column.align())
    };
    let heads: Vec<_> = columns.iter().map(head).collect();
    let cells: Vec<Vec<String>> =
        records.iter().map(|record| columns.iter().map(|column| column.cell(record)).collect()).collect();
    table::rows(out, &heads, &cells, width);
}

/// Rows of values that come with the names of their columns: fields `columns` and `rows` of one record.
pub(super) struct Headed<'v> {
    pub(super) heads_in: &'v str,
    pub(super) rows_in: &'v str,
    heads: Vec<&'v str>,
    rows: Vec<&'v [Value]>,
    items: TypeRef<'v>,
}

/// The fields of a record that are rows and the names of their columns, if each row is as wide as these.
pub(super) fn headed<'v>(members: Members<'v>, record: &'v Record) -> Option<Headed<'v>> {
    let (heads_in, rows_in) = ("columns", "rows");
    let items = |name: &str| match members.find(name)?.ty.shape() {
        Shape::List(items) => Some(items),
        _ => None,
    };
    let Shape::String = items(heads_in)?.shape() else { return None };
    let Shape::List(items) = items(rows_in)?.shape() else { return None };
    let heads: Vec<&str> =
        record.get(heads_in)?.as_list()?.iter().map(Value::as_str).collect::<Option<_>>()?;
    let rows: Vec<&[Value]> =
        record.get(rows_in)?.as_list()?.iter().map(Value::as_list).collect::<Option<_>>()?;
    let fits = !heads.is_empty() && rows.iter().all(|row| row.len() == heads.len());
    fits.then_some(Headed { heads_in, rows_in, heads, rows, items })
}

impl Headed<'_> {
    pub(super) fn write(&self, out: &mut String, width: Option<usize>) {
        let is_number = |at: usize| {
            self.rows.iter().any(|row| is_number(&row[at]))
                && self.rows.iter().all(|row| is_number(&row[at]) || row[at] == Value::Unit)
        };
        let align = |at| if is_number(at) { Align::Right } else { Align::Left };
        let heads: Vec<_> = self
            .heads
            .iter()
            .enumerate()
            .map(|(at, head)| (text::line(head).into_owned(), align(at)))
            .collect();
        let cells: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(|value| inline(value, self.items)).collect()).collect();
        table::rows(out, &heads, &cells, width);
    }
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Integer(_) | Value::Number(_))
}
