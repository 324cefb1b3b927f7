//! What reads, as it is declared to people and models.

use worldspace_host::{Interface, InterfaceBuilder};
use worldspace_model::{Fault, Field, OperationDeclaration, Type};

use super::condition::{self, COLUMN, CONDITION};
use super::{page, row as of_row, table as of_table};
use crate::sql::catalog::{Column, ColumnKind, Key, Kind, Relation};
use crate::sql::cell::{FORMS, OMITTED};
use crate::sql::declare::Link;
use crate::sql::describe::{self, clipped};
use crate::sql::engine::Dialect;
use crate::sql::shape::{Shape, type_of};

/// What the argument of `get` is called where the rowid is the key.
pub(super) const ROWID: &str = "rowid";
/// The name of the type of this relation's rows.
const ROW: &str = "Row";

/// When a row comes in the exact form, and in which.
fn typed_or_exact() -> String {
    format!(
        "`row` is absent only where a value does not fit the type of its column: an integer beyond ±(2^53−1), a value of another \
         kind than declared, one too long to be shown among others. Then `exact` has {}",
        every_column()
    )
}

fn every_column() -> String {
    format!(
        "every column of the row in a form that loses nothing: {FORMS}, {OMITTED} for what `read_bytes` of the row reads in \
         parts."
    )
}

/// The columns that tell a row, in the order of the key.
pub(super) fn key_columns(relation: &Relation) -> Vec<&Column> {
    match &relation.key {
        Key::Columns { places, .. } => places.iter().map(|place| &relation.columns[*place]).collect(),
        Key::Rowid(_) | Key::None => Vec::new(),
    }
}

pub(in crate::sql) fn table(shape: &Shape, dialect: &Dialect) -> Result<Interface, Fault> {
    if !shape.relation.has_rows() {
        return view(shape, dialect);
    }
    with_types(Interface::builder().documented(about(shape)), shape, dialect)
        .read(query(shape))
        .read(count(shape))
        .read(get(shape))
        .read(frequent_values())
        .build()
}

pub(in crate::sql) fn view(shape: &Shape, dialect: &Dialect) -> Result<Interface, Fault> {
    with_types(Interface::builder().documented(about(shape)), shape, dialect)
        .read(query(shape))
        .read(count(shape))
        .read(frequent_values())
        .build()
}

pub(in crate::sql) fn row(shape: &Shape, links: &[Link]) -> Result<Interface, Fault> {
    let name = clipped(&shape.relation.name);
    let mut builder = Interface::builder()
        .documented(format!("A row of the table {name}, told by its key."))
        .ty(ROW, shape.record());
    for link in links.iter().filter(|link| link.shape.relation.name != shape.relation.name) {
        builder = builder.ty(row_of(shape, link), link.shape.record());
    }
    builder = builder.read(read()).read(read_exact()).read(read_bytes());
    for link in links {
        builder = builder.read(referring(shape, link));
    }
    builder.build()
}

fn about(shape: &Shape) -> String {
    let name = clipped(&shape.relation.name);
    match (shape.relation.kind, shape.relation.has_rows()) {
        (Kind::Table, true) => {
            format!("The table {name}: its rows are found by `query` and stand below it by their keys.")
        }
        (Kind::Table, false) => {
            format!("The table {name}, whose rows have no keys, so that they have no entries.")
        }
        (Kind::View, _) => {
            format!("The view {name}: rows that the database makes of its tables; they have no entries.")
        }
        (Kind::Virtual, _) => {
            format!("The virtual table {name}, read like a view; its rows have no entries.")
        }
    }
}

fn with_types(builder: InterfaceBuilder, shape: &Shape, dialect: &Dialect) -> InterfaceBuilder {
    let types = condition::types(shape, dialect);
    types.into_iter().fold(builder.ty(ROW, shape.record()), |builder, (name, ty)| builder.ty(name, ty))
}

/// The name of the type of the rows behind a link.
fn row_of(shape: &Shape, link: &Link) -> String {
    match link.shape.relation.name == shape.relation.name {
        true => ROW.to_owned(),
        // No operation is called so, but a type may be: the operation's name is one of its own.
        false => format!("{}_row", link.operation),
    }
}

fn required(name: &str, ty: Type, words: impl Into<String>) -> Field {
    Field::required(name, ty).documented(words)
}

fn optional(name: &str, ty: Type, words: impl Into<String>) -> Field {
    Field::optional(name, ty).documented(words)
}

/// What a page of rows is.
fn rows(shape: &Shape, row: &str) -> Type {
    let Shape { relation, references } = shape;
    let mut fields = Vec::new();
    if relation.has_rows() {
        fields.push(required("entry", Type::ENTRY, "The row."));
    }
    fields.push(optional("row", Type::named(row), "What it holds; a column without a value is absent."));
    fields.push(optional(
        "exact",
        Type::JSON,
        "What it holds where that does not fit `row`, which is absent then: numbers, strings and null as they are, else \
         {\"$integer\": \"digits\"}, {\"$bytes\": \"base64\"} and the like.",
    ));
    if !references.is_empty() {
        let references =
            references.iter().map(|reference| Field::optional(reference.field.clone(), Type::ENTRY));
        let words = "The rows that it refers to, beside `exact`; else they stand in `row`.";
        fields.push(optional("references", Type::record(references), words));
    }
    Type::record([
        required(
            "rows",
            Type::list(Type::record(fields)),
            "The page, which may hold fewer rows than asked for.",
        ),
        optional("next_cursor", Type::STRING, "The `cursor` of the next page; absent on the last one."),
    ])
}

fn limit() -> Field {
    optional(
        "limit",
        Type::INTEGER,
        format!("Rows per page, from 1: {} unless given, {} at most.", page::USUAL, page::MOST),
    )
}

fn cursor() -> Field {
    optional(
        "cursor",
        Type::STRING,
        "`next_cursor` of the page before, all else being the same; none for the first page.",
    )
}

fn filter(shape: &Shape) -> Field {
    // With the table's own names, as nothing else shows how a condition is written.
    let columns = &shape.relation.columns;
    let usual = |column: &&Column| column.kind == ColumnKind::Text;
    let example = columns.iter().find(usual).or(columns.first()).map(|column| {
        let value = match column.kind {
            ColumnKind::Text | ColumnKind::Time | ColumnKind::Digits | ColumnKind::Bytes => "\"…\"",
            ColumnKind::Boolean => "true",
            ColumnKind::Integer | ColumnKind::Number | ColumnKind::Any => "1",
        };
        let name = clipped(&column.name);
        format!(" [[{{\"$case\": \"{name}\", \"value\": {{\"$case\": \"equal\", \"value\": {value}}}}}]]")
    });
    let words = format!(
        "Which rows, all unless given: any of the lists, all conditions within a list.{}",
        example.unwrap_or_default()
    );
    optional("where", Type::list(Type::list(Type::named(CONDITION))), words).detailed(
        "As in SQL, a column without a value meets no test but `null`, not even `not`. Texts are compared as the column says, \
         by their bytes unless declared otherwise.",
    )
}

fn query(shape: &Shape) -> OperationDeclaration {
    let order = Type::record([
        Field::required("column", Type::named(COLUMN)),
        optional("descending", Type::BOOLEAN, "From the last to the first; false unless given."),
    ]);
    let behind = match shape.relation.has_rows() {
        true => "Rows that are equal in this, or all of them, come in the order of their keys.",
        false => "Rows that are equal in this, or all of them, come in the order of their columns.",
    };
    OperationDeclaration::new("query")
        .documented("Finds rows, page by page.")
        .detailed(format!(
            "A page goes on behind the last row of the one before, by its values: what comes or goes elsewhere meanwhile neither \
             moves nor repeats any other. {}",
            typed_or_exact()
        ))
        .takes([
            filter(shape),
            optional("order_by", Type::list(order), "What comes first; no value comes before every value.").detailed(behind),
            limit(),
            cursor(),
        ])
        .returns(rows(shape, ROW))
}

fn count(shape: &Shape) -> OperationDeclaration {
    OperationDeclaration::new("count")
        .documented("Counts rows.")
        .takes([filter(shape)])
        .returns(Type::record([Field::required("count", Type::INTEGER)]))
}

fn get(shape: &Shape) -> OperationDeclaration {
    let relation = &shape.relation;
    let columns = key_columns(relation);
    let parameters: Vec<Field> = match columns.is_empty() {
        true => vec![required(ROWID, Type::INTEGER, "The number that the database gave to the row.")],
        false => columns
            .into_iter()
            .map(|column| {
                let place = relation.place(&column.name).unwrap_or_default();
                Field::required(column.name.clone(), type_of(column.kind))
                    .documented(describe::column(relation, place))
            })
            .collect(),
    };
    OperationDeclaration::new("get")
        .documented("Names the row with this key, whether or not there is one.")
        .detailed("Whether the row is there, looking at the entry says.")
        .takes(parameters)
        .returns(Type::ENTRY)
}

fn frequent_values() -> OperationDeclaration {
    let limit = format!(
        "Values, from 1: {} unless given, {} at most.",
        of_table::USUAL_VALUES,
        of_table::MOST_VALUES
    );
    let value = Type::record([
        required(
            "value",
            Type::JSON,
            "The value, in the exact form that `query` explains; null where there is none.",
        ),
        required("count", Type::INTEGER, "In how many of the rows that were looked at."),
    ]);
    OperationDeclaration::new("frequent_values")
        .documented(
            "Tells which values a column has, the most frequent first, so that nobody has to guess them.",
        )
        .detailed(format!("Of a large table, {} rows are looked at.", of_table::EXAMINED))
        .takes([
            required("column", Type::STRING, "The name of the column."),
            optional("limit", Type::INTEGER, limit),
        ])
        .returns(Type::record([
            Field::required("values", Type::list(value)),
            required("rows", Type::INTEGER, "How many rows were looked at."),
            required("all_rows", Type::BOOLEAN, "Whether these are all."),
            required("truncated", Type::BOOLEAN, "Whether there are further values in them."),
        ]))
}

fn read() -> OperationDeclaration {
    OperationDeclaration::new("read")
        .documented("Reads the row, each column by its type, and the rows that it refers to.")
        .detailed("Where a value does not fit its column's type, it says so; `read_exact` reads every row.")
        .returns(Type::named(ROW))
}

fn read_exact() -> OperationDeclaration {
    OperationDeclaration::new("read_exact")
        .documented("Reads the row in a form that loses nothing: an object with every column.")
        .detailed(format!("It has {}", every_column()))
        .returns(Type::JSON)
}

fn read_bytes() -> OperationDeclaration {
    let length = format!(
        "How many bytes, from 1: {} unless given, {} at most.",
        of_row::USUAL_BYTES,
        of_row::MOST_BYTES
    );
    OperationDeclaration::new("read_bytes")
        .documented("Reads a part of a text, as UTF-8, or of bytes, of any size.")
        .takes([
            required("column", Type::STRING, "The name of the column."),
            optional("offset", Type::INTEGER, "The first byte, from 0; 0 unless given."),
            optional("length", Type::INTEGER, length),
        ])
        .returns(Type::record([
            required("data", Type::BYTES, "Fewer than asked for where the value ends or the answer is full."),
            required("size", Type::INTEGER, "Bytes in the whole value."),
        ]))
}

fn referring(shape: &Shape, link: &Link) -> OperationDeclaration {
    let from = &link.shape.relation;
    let key = from.foreign_keys.get(link.foreign_key);
    let by = key.map(|key| key.by(from)).unwrap_or_default();
    let condition = link.shape.references.iter().find(|reference| Some(&reference.key) == key);
    let condition = condition.map(|reference| clipped(&reference.field));
    OperationDeclaration::new(link.operation.clone())
        .documented(format!(
            "The rows of {} whose {} refers to this one{}.",
            clipped(&from.name),
            clipped(&by),
            // Where somebody looks for an order or a condition, it is here that he looks first.
            condition.map_or(String::new(), |field| format!(
                "; its `query` has conditions and an order, with {field} being this entry"
            ))
        ))
        .detailed(typed_or_exact())
        .takes([limit(), cursor()])
        .returns(rows(&link.shape, &row_of(shape, link)))
}
