//! Which rows: `where`, as the caller is told of it and as the database is asked.

use worldspace_host::{Call, Refusal};
use worldspace_model::{Field, Name, Quoted, Type, UnionCase, Value};

use crate::sql::catalog::{Column, ColumnKind, Relation};
use crate::sql::cell::Cell;
use crate::sql::describe;
use crate::sql::engine::{Dialect, Most, Statement};
use crate::sql::key::{RowKey, bound, bound_as, equal};
use crate::sql::names::Unique;
use crate::sql::shape::{Shape, relation_path, type_of};

/// The name of the type of one condition.
pub(super) const CONDITION: &str = "Condition";
/// The name of the enum of columns.
pub(super) const COLUMN: &str = "Column";

/// The tests, by the name of their type.
fn test_of(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Boolean => "BooleanTest",
        ColumnKind::Integer => "IntegerTest",
        ColumnKind::Digits => "DigitsTest",
        ColumnKind::Number => "NumberTest",
        ColumnKind::Text | ColumnKind::Time => "TextTest",
        ColumnKind::Bytes => "BytesTest",
        ColumnKind::Any => "AnyTest",
    }
}

fn tests(kind: ColumnKind, dialect: &Dialect) -> Type {
    let ty = type_of(kind);
    let case = |name: &str, ty: &Type| UnionCase::carrying(name, ty.clone());
    let mut cases =
        vec![case("equal", &ty), case("not", &ty).documented("It has a value, which is another one.")];
    if kind != ColumnKind::Boolean {
        cases.push(case("in", &Type::list(ty.clone())));
    }
    if !matches!(kind, ColumnKind::Boolean | ColumnKind::Bytes) {
        cases.extend(["less", "at_most", "greater", "at_least"].map(|name| case(name, &ty)));
    }
    if matches!(kind, ColumnKind::Text | ColumnKind::Time) {
        let words = format!(
            "It matches this pattern: `%` any text, `_` any character, `\\` before one that is meant as it is; {}.",
            dialect.like_letters
        );
        cases.push(case("like", &ty).documented(words));
    }
    cases.extend(["null", "not_null"].map(UnionCase::bare));
    Type::union(cases)
}

/// What the cases of a condition are named that is about no column: a value in the exact form.
fn exact_case(shape: &Shape) -> Name {
    let columns = shape.relation.columns.iter().map(|column| &*column.name);
    Unique::beside(columns.chain(shape.references.iter().map(|reference| &*reference.field))).take(&["exact"])
}

/// The types that `where` and `order_by` need.
pub(super) fn types(shape: &Shape, dialect: &Dialect) -> Vec<(&'static str, Type)> {
    let relation = &shape.relation;
    let mut types: Vec<(&str, Type)> = Vec::new();
    for kind in relation.columns.iter().map(|column| column.kind).chain([ColumnKind::Any]) {
        let name = test_of(kind);
        if !types.iter().any(|(known, _)| *known == name) {
            types.push((name, tests(kind, dialect)));
        }
    }
    let columns = relation
        .columns
        .iter()
        .map(|column| UnionCase::carrying(column.name.clone(), Type::named(test_of(column.kind))));
    let references = shape.references.iter().map(|reference| {
        UnionCase::carrying(reference.field.clone(), Type::ENTRY).documented("It refers to this row.")
    });
    let exact = UnionCase::carrying(
        exact_case(shape),
        Type::record([
            Field::required("column", Type::named(COLUMN)),
            Field::required("test", Type::named(test_of(ColumnKind::Any))),
        ]),
    )
    .documented("As for a column, with a value in the exact form: for what the column's type cannot say.");
    types.push((COLUMN, Type::one_of(relation.columns.iter().map(|column| column.name.clone()))));
    types.push((CONDITION, Type::union(columns.chain(references).chain([exact]))));
    types
}

/// Writes what `where` says: any of the lists, all within a list. Writes `TRUE` where it is absent.
pub(super) fn write(call: &Call, shape: &Shape, statement: &mut Statement) -> Result<(), Refusal> {
    let Some(lists) = call.argument("where") else {
        statement.push("TRUE");
        return Ok(());
    };
    let lists = items(lists);
    // No list at all is no way to be chosen.
    statement.push(if lists.is_empty() { "FALSE" } else { "(" });
    for (at, list) in lists.iter().enumerate() {
        let conditions = items(list);
        statement.push(if at > 0 { " OR (" } else { "(" });
        for (within, condition) in conditions.iter().enumerate() {
            statement.push(if within > 0 { " AND " } else { "" });
            one(call, shape, condition, &format!("where[{at}][{within}]"), statement)?;
        }
        statement.push(if conditions.is_empty() { "TRUE)" } else { ")" });
    }
    statement.push(if lists.is_empty() { "" } else { ")" });
    Ok(())
}

/// Whether `where` says no more than one statement may hold.
pub(super) fn check(call: &Call, most: &Most) -> Result<(), Refusal> {
    let bounded = |number: usize, place: &str| match number > most.conditions {
        true => {
            let why = format!("holds more than {}; ask in several calls, or use `in`", most.conditions);
            Err(Refusal::argument(place, why))
        }
        false => Ok(()),
    };
    let lists = call.argument("where").map(items).unwrap_or_default();
    bounded(lists.len(), "where")?;
    let mut values = 0;
    for (at, list) in lists.iter().enumerate() {
        bounded(items(list).len(), &format!("where[{at}]"))?;
        for (within, condition) in items(list).iter().enumerate() {
            let Some((name, Some(payload))) = case(condition) else { continue };
            let exact = payload.as_record().and_then(|record| record.get("test"));
            values += match case(exact.unwrap_or(payload)) {
                Some(("in", Some(list))) => items(list).len(),
                Some(("like", Some(pattern))) if pattern.as_str().map_or(0, str::len) > most.pattern => {
                    let place = format!("where[{at}][{within}].{name}.like");
                    return Err(Refusal::argument(&place, format!("is longer than {} bytes", most.pattern)));
                }
                // A reference is looked for by its key, several times.
                _ if payload.as_entry().is_some() => 16,
                _ => 1,
            };
        }
    }
    if values > most.values {
        let why = format!("compares with more than {} values; ask in several calls", most.values);
        return Err(Refusal::argument("where", why));
    }
    Ok(())
}

/// The items of a list, as its type says that it is one.
fn items(value: &Value) -> &[Value] {
    value.as_list().unwrap_or_default()
}

/// Name and payload of a union's case, as its type says that it is one.
fn case(value: &Value) -> Option<(&str, Option<&Value>)> {
    let record = value.as_record()?;
    Some((record.get("$case")?.as_str()?, record.get("value")))
}

fn one(
    call: &Call,
    shape: &Shape,
    condition: &Value,
    place: &str,
    statement: &mut Statement,
) -> Result<(), Refusal> {
    let relation = &shape.relation;
    let odd = || Refusal::failed(format!("{place} is not of its type"));
    let (name, payload) = case(condition).ok_or_else(odd)?;
    let payload = payload.ok_or_else(odd)?;
    if let Some(column) = relation.columns.iter().find(|column| &*column.name == name) {
        return test(column, column.kind, payload, &format!("{place}.{name}"), statement);
    }
    if let Some(reference) = shape.references.iter().find(|reference| &*reference.field == name) {
        let entry = payload.as_entry().ok_or_else(odd)?;
        let path = call.local_of(entry, place)?;
        let mut segments = path.segments();
        let table = relation_path(&reference.target.name);
        let (_, key) = (segments.next(), segments.next());
        let key =
            key.filter(|_| path.parent() == table).and_then(|key| RowKey::parse(&reference.target, key));
        let no_row = || Refusal::argument(place, format!("is no row of {}", Quoted(&reference.target.name)));
        let key = key.ok_or_else(no_row)?;
        let target = &reference.target;
        let pairs = reference.key.pairs(relation, target).ok_or(Refusal::InterfaceChanged)?;
        let pairs: Vec<_> =
            pairs.into_iter().map(|(column, place)| (column, &target.columns[place])).collect();
        let compared =
            pairs.iter().map(|(column, referenced)| (&*column.name, *referenced, Some(*referenced)));
        equal(statement, compared, |statement, referenced| match key.value(target, referenced) {
            // By what is named, so that what refers to a row that is gone is found too.
            Some(value) => bound_as(statement, value, target, referenced),
            None => {
                statement.push("(SELECT ").name(&referenced.name).push(" FROM ").name(&target.name);
                key.is(target, statement.push(" WHERE "));
                statement.push(")");
            }
        });
        let spelt = pairs
            .iter()
            .map(|(_, referenced)| Some((&*referenced.name, key.value(target, referenced)?, None)));
        let spelt = spelt.collect::<Option<Vec<_>>>();
        if let Some(spelt) =
            spelt.filter(|_| pairs.iter().any(|(_, referenced)| referenced.collation.is_some()))
        {
            // What refers to a row under another spelling of its key refers to that row, and not to what nothing is named.
            statement.push(" AND (EXISTS (SELECT 1 FROM ").name(&target.name);
            key.is(target, statement.push(" WHERE "));
            statement.push(") OR NOT EXISTS (SELECT 1 FROM ").name(&target.name);
            equal(statement.push(" WHERE "), spelt, bound);
            statement.push("))");
        }
        return Ok(());
    }
    let record = payload.as_record().ok_or_else(odd)?;
    let named = record.get("column").and_then(Value::as_str).ok_or_else(odd)?;
    let column = relation.columns.iter().find(|column| &*column.name == named).ok_or_else(odd)?;
    test(column, ColumnKind::Any, record.get("test").ok_or_else(odd)?, &format!("{place}.{named}"), statement)
}

/// Writes one test of a column, its values being of `kind`.
fn test(
    column: &Column,
    kind: ColumnKind,
    test: &Value,
    place: &str,
    statement: &mut Statement,
) -> Result<(), Refusal> {
    let (name, payload) = case(test).ok_or_else(|| Refusal::failed(format!("{place} is not of its type")))?;
    statement.name(&column.name);
    let operator = match name {
        "null" => {
            statement.push(" IS NULL");
            return Ok(());
        }
        "not_null" => {
            statement.push(" IS NOT NULL");
            return Ok(());
        }
        "in" => {
            statement.push(" IN (");
            for (at, value) in payload.map(items).unwrap_or_default().iter().enumerate() {
                statement.push(if at > 0 { ", " } else { "" });
                statement.bind(cell(kind, value, &format!("{place}.in[{at}]"))?);
            }
            statement.push(")");
            return Ok(());
        }
        "equal" => " = ",
        "not" => " <> ",
        "less" => " < ",
        "at_most" => " <= ",
        "greater" => " > ",
        "at_least" => " >= ",
        "like" => " LIKE ",
        other => return Err(Refusal::failed(format!("{place}: no code for the test {other}"))),
    };
    let place = format!("{place}.{name}");
    let value = payload.ok_or_else(|| Refusal::failed(format!("{place} has no value")))?;
    let value = cell(kind, value, &place)?;
    if value.is_null() {
        return Err(Refusal::argument(
            &place,
            "is null, which no value compares with; use the tests `null` and `not_null`",
        ));
    }
    statement.push(operator).bind(value);
    if operator == " LIKE " {
        statement.push(" ESCAPE '\\'");
    }
    Ok(())
}

fn cell(kind: ColumnKind, value: &Value, place: &str) -> Result<Cell, Refusal> {
    Cell::of_argument(kind, value).map_err(|why| Refusal::argument(place, why))
}

/// The place of the column that an argument names.
pub(in crate::sql) fn column(relation: &Relation, name: &str, place: &str) -> Result<usize, Refusal> {
    relation.place(name).ok_or_else(|| {
        let instead = describe::instead(relation.columns.iter(), name);
        Refusal::argument(place, format!("there is no column {}; {instead}", Quoted(name)))
    })
}
