//! What a caller wants to stand in which columns.

use worldspace_host::{Call, Refusal};
use worldspace_model::{Name, Quoted, Value};

use crate::sql::catalog::{Column, Relation};
use crate::sql::cell::Cell;
use crate::sql::describe;
use crate::sql::names::Unique;

/// The parameter of the exact forms.
pub(super) const COLUMNS: &str = "columns";

/// Values for columns, each by its place; each column at most once.
pub(super) type Given = Vec<(usize, Cell)>;

/// Whether a caller may choose the value of a column.
pub(super) fn is_open(column: &Column) -> bool {
    !column.generated
}

/// Whether NULL can be wanted in a column.
pub(super) fn takes_null(column: &Column) -> bool {
    // Where the database numbers rows, NULL is only another way to leave the number to it.
    is_open(column) && column.nullable && !column.automatic
}

/// The name of the parameter that lists columns to become NULL: no column has it.
pub(super) fn set_null(relation: &Relation) -> Name {
    Unique::beside(relation.columns.iter().map(|column| &*column.name)).take(&["set_null"])
}

/// The arguments of an operation that has a parameter for each column.
pub(super) fn typed(relation: &Relation, call: &Call) -> Result<Given, Refusal> {
    let mut given = Given::new();
    for (place, column) in relation.columns.iter().enumerate().filter(|(_, column)| is_open(column)) {
        let Some(value) = call.argument(&column.name) else { continue };
        let cell =
            Cell::of_argument(column.kind, value).map_err(|why| Refusal::argument(&column.name, why))?;
        given.push((place, cell));
    }
    let parameter = set_null(relation);
    let nulls = call.argument(&parameter).and_then(Value::as_list).unwrap_or_default();
    for (at, name) in nulls.iter().enumerate() {
        let at = format!("{parameter}[{at}]");
        let place = name.as_str().and_then(|name| relation.place(name));
        let place = place.ok_or_else(|| Refusal::failed(format!("{at} is not of its type")))?;
        if given.iter().any(|(known, _)| *known == place) {
            let name = Quoted(&relation.columns[place].name);
            return Err(Refusal::argument(
                &at,
                format!("{name} is given twice; give it once, or as NULL here"),
            ));
        }
        given.push((place, Cell::Null));
    }
    Ok(given)
}

/// The argument of an operation that takes columns in the exact form.
pub(super) fn exact(relation: &Relation, call: &Call) -> Result<Given, Refusal> {
    let Some(Value::Record(columns)) = call.argument(COLUMNS) else {
        return Err(Refusal::argument(COLUMNS, "is an object of columns and their values"));
    };
    let mut given = Given::new();
    for (name, value) in columns.fields() {
        let place = relation.place(name).ok_or_else(|| {
            let open = relation.columns.iter().filter(|column| is_open(column));
            let instead = describe::instead(open, name);
            Refusal::argument(COLUMNS, format!("there is no column {}; {instead}", Quoted(name)))
        })?;
        let at = format!("{COLUMNS}.{name}");
        if !is_open(&relation.columns[place]) {
            return Err(Refusal::argument(&at, "is computed by the database; leave it out"));
        }
        given.push((place, Cell::of_exact(value).map_err(|why| Refusal::argument(&at, why))?));
    }
    Ok(given)
}
