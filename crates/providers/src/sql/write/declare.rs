//! The interfaces that change rows, as they are declared to people and models.

use worldspace_host::{Interface, InterfaceBuilder};
use worldspace_model::{Effect, Fault, Field, OperationDeclaration, Type, UnionCase};

use super::given::{self, COLUMNS};
use crate::sql::catalog::{Column, Reaction, Relation};
use crate::sql::cell;
use crate::sql::declare::Link;
use crate::sql::describe::{self, clipped};
use crate::sql::engine::Constraint;
use crate::sql::shape::{Shape, type_of};

/// The type of what is said where a rule of the database forbids a change.
const VIOLATION: &str = "Violation";

const WHOLE: &str = "It happens wholly or not at all, with all that triggers, foreign keys and rules about conflicts of the \
     database make of it.";

/// To have these conflicts refused (`OR ABORT`) would take their conflict clauses from the statements of triggers as well.
const IN_ITS_WAY: &str =
    "Where the schema says ON CONFLICT REPLACE, other rows with the same unique values are deleted for it.";

pub(in crate::sql) fn table(shape: &Shape) -> Result<Interface, Fault> {
    let words = format!("The table {}: new rows.", clipped(&shape.relation.name));
    saying_why(Interface::builder().documented(words)).write(insert(shape)).write(insert_exact(shape)).build()
}

pub(in crate::sql) fn row(shape: &Shape, links: &[Link]) -> Result<Interface, Fault> {
    let words = format!("A row of the table {}: its values, and its end.", clipped(&shape.relation.name));
    saying_why(Interface::builder().documented(words))
        .operation(update(shape), [Effect::Guarded])
        .operation(update_exact(), [Effect::Guarded])
        .operation(delete(links), [Effect::Destructive, Effect::Guarded])
        .build()
}

fn saying_why(builder: InterfaceBuilder) -> InterfaceBuilder {
    let kinds: Vec<String> = Constraint::ALL.iter().map(|kind| format!("`{}`", kind.name())).collect();
    let violation = Type::record([
        Field::required("constraint", Type::STRING)
            .documented("The kind of rule that it would break.")
            .detailed(format!(
                "One of {}. `type` is a value that the column does not take; with `trigger`, the database has a rule of \
                 its own against it.",
                kinds.join(", ")
            )),
        Field::required("columns", Type::list(Type::STRING))
            .documented("The columns of this table that the rule is about, as far as that is known."),
        Field::required("message", Type::STRING).documented("What is wrong, in words."),
    ]);
    builder.ty(VIOLATION, violation)
}

fn refused() -> UnionCase {
    UnionCase::carrying("refused", Type::named(VIOLATION))
        .documented("A rule of the database forbids it; nothing was done.")
}

fn inserted(shape: &Shape) -> Type {
    let inserted = match shape.relation.has_rows() {
        true => UnionCase::carrying("inserted", Type::ENTRY),
        false => UnionCase::bare("inserted"),
    };
    Type::union([inserted.documented("It is there now."), refused()])
}

fn insert(shape: &Shape) -> OperationDeclaration {
    let relation = &shape.relation;
    let mut parameters: Vec<Field> = open(relation)
        .map(|(place, column)| {
            let (name, ty) = (column.name.clone(), type_of(column.kind));
            let field = if is_needed(column) { Field::required(name, ty) } else { Field::optional(name, ty) };
            field.documented(describe::column(relation, place))
        })
        .collect();
    parameters.extend(set_null(
        relation,
        "Columns that get NULL on purpose, where leaving them out means their default.",
    ));
    OperationDeclaration::new("insert")
        .documented("Adds a row.")
        .detailed(format!(
            "{WHOLE} {IN_ITS_WAY} A column that is left out gets its default, else NULL. What the type of a column cannot say, such as \
             an integer beyond ±(2^53−1), `insert_exact` takes."
        ))
        .takes(parameters)
        .returns(inserted(shape))
}

fn insert_exact(shape: &Shape) -> OperationDeclaration {
    let needed: Vec<String> = open(&shape.relation)
        .filter(|(_, column)| is_needed(column))
        .map(|(_, column)| format!("`{}`", clipped(&column.name)))
        .collect();
    let words = match needed.is_empty() {
        true => "No column is needed.".to_owned(),
        false => format!("Needed: {}.", needed.join(", ")),
    };
    OperationDeclaration::new("insert_exact")
        .documented(
            "Adds a row whose values are given in a form that loses nothing, as `read_exact` shows them.",
        )
        .detailed(format!("{WHOLE} {IN_ITS_WAY} For what the parameters of `insert` cannot say: {BEYOND}."))
        .takes([Field::required(COLUMNS, Type::JSON)
            .documented("An object: the columns by name, each with its value; null is NULL.")
            .detailed(format!(
                "A column that is left out gets its default, else NULL. {words} {}",
                cell::given()
            ))])
        .returns(inserted(shape))
}

/// What columns hold that their types cannot say.
const BEYOND: &str =
    "integers beyond ±(2^53−1), infinities, and values of another kind than the column was declared for";

fn update(shape: &Shape) -> OperationDeclaration {
    // What a column gets where a new row leaves it out says nothing here.
    let mut relation = Relation::clone(&shape.relation);
    for column in &mut relation.columns {
        column.default = None;
        column.automatic = false;
    }
    let nulls = given::set_null(&relation);
    let column = |(place, column): (usize, &Column)| {
        let mut words = describe::column(&relation, place);
        if given::takes_null(column) {
            words.truncate(words.trim_end_matches('.').len());
            words.push_str(&format!("; NULL through `{nulls}`."));
        }
        Field::optional(column.name.clone(), type_of(column.kind)).documented(words)
    };
    let mut parameters: Vec<Field> = open(&shape.relation).map(column).collect();
    parameters.extend(set_null(&shape.relation, "Columns that become NULL. There is no other way to that."));
    OperationDeclaration::new("update")
        .documented("Changes columns of the row; those that are left out stay as they are.")
        .detailed(format!(
            "{WHOLE} {IN_ITS_WAY} Where the key changes, the row stands at another path then. What the type of a column cannot say, \
             `update_exact` takes."
        ))
        .takes(parameters)
        .returns(updated())
}

fn update_exact() -> OperationDeclaration {
    OperationDeclaration::new("update_exact")
        .documented(
            "Changes columns of the row to values in a form that loses nothing, as `read_exact` shows them.",
        )
        .detailed(format!("{WHOLE} {IN_ITS_WAY} For what the parameters of `update` cannot say: {BEYOND}."))
        .takes([Field::required(COLUMNS, Type::JSON)
            .documented("An object: the columns that change by name, each with its new value; null is NULL.")
            .detailed(format!("A column that is left out stays as it is. {}", cell::given()))])
        .returns(updated())
}

fn updated() -> Type {
    Type::union([UnionCase::bare("updated").documented("It holds that now."), refused()])
}

fn delete(links: &[Link]) -> OperationDeclaration {
    let react = |reaction: Reaction| {
        let reacting = links.iter().filter_map(|link| {
            let relation = &link.shape.relation;
            let key =
                relation.foreign_keys.get(link.foreign_key).filter(|key| key.when_deleted == reaction)?;
            Some(format!("{} ({})", clipped(&relation.name), clipped(&key.by(relation))))
        });
        reacting.collect::<Vec<_>>().join(", ")
    };
    // What goes with it is to be known before, and stands where everybody reads it.
    let mut words = "Deletes the row.".to_owned();
    for (reaction, what, then) in [
        (Reaction::Follows, "With it go the rows that refer to it, of", ", and what goes with those"),
        (Reaction::SetsNull, "What refers to it gets NULL instead, in", ""),
        (Reaction::SetsDefault, "What refers to it gets its default instead, in", ""),
        (Reaction::Forbids, "It is refused while rows of", " refer to it"),
    ] {
        let tables = react(reaction);
        if !tables.is_empty() {
            words.push_str(&format!(" {what} {tables}{then}."));
        }
    }
    OperationDeclaration::new("delete")
        .documented(words)
        .detailed(format!("{WHOLE} Where rows refer to it that neither go nor let go, it is refused."))
        .returns(Type::union([UnionCase::bare("deleted").documented("It is gone."), refused()]))
}

fn set_null(relation: &Relation, words: &str) -> Option<Field> {
    let nullable: Vec<_> = open(relation).filter(|(_, column)| given::takes_null(column)).collect();
    let names = nullable.iter().map(|(_, column)| &*column.name);
    (!nullable.is_empty()).then(|| {
        Field::optional(given::set_null(relation), Type::list(Type::one_of(names))).documented(words)
    })
}

fn open(relation: &Relation) -> impl Iterator<Item = (usize, &Column)> {
    relation.columns.iter().enumerate().filter(|(_, column)| given::is_open(column))
}

/// Whether a row cannot be without a value that only its maker knows.
fn is_needed(column: &Column) -> bool {
    !column.nullable && column.default.is_none() && !column.automatic
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use worldspace_model::TypeKind;

    use super::*;
    use crate::sql::catalog::{ColumnKind, ForeignKey, Key, Kind};

    fn column(name: &str) -> Column {
        Column {
            name: name.into(),
            declared: "TEXT".to_owned(),
            kind: ColumnKind::Text,
            numeric: false,
            real: false,
            nullable: true,
            collation: None,
            default: None,
            generated: false,
            automatic: false,
        }
    }

    fn shape(columns: Vec<Column>, key: Key) -> Shape {
        let relation =
            Relation { name: "t".into(), kind: Kind::Table, columns, key, foreign_keys: Vec::new() };
        Shape { relation: relation.into(), references: Vec::new() }
    }

    /// Parameters by name, needed ones with `!`, and the cases of an enum behind a list.
    fn parameters(interface: &Interface, operation: &str) -> Vec<String> {
        let operation = interface.descriptor().operation(operation).unwrap();
        let parameter = |field: &Field| {
            let mark = if field.required { "!" } else { "" };
            let cases = match field.ty.kind() {
                TypeKind::List(items) => match items.kind() {
                    TypeKind::Enum(cases) => cases.iter().map(|case| format!(" {}", case.name)).collect(),
                    _ => String::new(),
                },
                _ => String::new(),
            };
            format!("{}{mark}{cases}", field.name)
        };
        operation.declaration().parameters.iter().map(parameter).collect()
    }

    #[test]
    fn what_only_the_caller_knows_is_needed_and_what_the_database_makes_is_no_parameter() {
        let shape = shape(
            vec![
                Column { nullable: false, automatic: true, ..column("id") },
                Column { nullable: false, ..column("name") },
                Column { nullable: false, default: Some("'d'".to_owned()), ..column("state") },
                column("set_null"),
                Column { generated: true, ..column("loud") },
            ],
            Key::Columns { places: vec![0], when_null: None },
        );
        let table = table(&shape).unwrap();
        let open = ["id", "name!", "state", "set_null", "set_null_2 set_null"];
        assert_eq!(parameters(&table, "insert"), open);
        assert_eq!(parameters(&table, "insert_exact"), ["columns!"]);
        let row = row(&shape, &[]).unwrap();
        assert_eq!(parameters(&row, "update"), ["id", "name", "state", "set_null", "set_null_2 set_null"]);
        assert_eq!(parameters(&row, "update_exact"), ["columns!"]);
        assert_eq!(parameters(&row, "delete"), [""; 0]);
    }

    #[test]
    fn a_change_tells_of_each_column_that_takes_null_through_which_parameter() {
        let columns = vec![Column { nullable: false, ..column("a") }, column("set_null")];
        let row = row(&shape(columns, Key::Rowid("rowid")), &[]).unwrap();
        let update = row.descriptor().operation("update").unwrap();
        let words = |at: usize| update.declaration().parameters[at].documentation.clone().unwrap().summary;
        assert_eq!(format!("{} {}", words(0), words(1)), "TEXT, not null. TEXT; NULL through `set_null_2`.");
    }

    #[test]
    fn what_a_deletion_does_to_rows_that_refer_is_said_before() {
        let key = |when_deleted| ForeignKey {
            columns: vec![0],
            table: "t".into(),
            referenced: vec!["a".into()],
            when_deleted,
            when_changed: Reaction::Forbids,
        };
        let mut referring = Relation::clone(&shape(vec![column("a")], Key::Rowid("rowid")).relation);
        referring.foreign_keys = [Reaction::Forbids, Reaction::Follows].map(key).to_vec();
        let referring = Arc::new(Shape { relation: referring.into(), references: Vec::new() });
        let link = |foreign_key| {
            let operation = format!("t_{foreign_key}").into();
            Link { operation, shape: referring.clone(), foreign_key }
        };
        assert_eq!(
            delete(&[link(0), link(1)]).documentation.unwrap().summary,
            "Deletes the row. With it go the rows that refer to it, of t (a), and what goes with those. It is refused \
             while rows of t (a) refer to it."
        );
    }

    #[test]
    fn there_is_no_parameter_for_null_where_no_column_takes_it() {
        let shape = shape(vec![Column { nullable: false, ..column("a") }], Key::Rowid("rowid"));
        assert_eq!(parameters(&table(&shape).unwrap(), "insert"), ["a!"]);
        assert_eq!(parameters(&row(&shape, &[]).unwrap(), "update"), ["a"]);
    }

    /// An interface says it in words that people and models read: none of its parts is left without.
    #[test]
    fn every_parameter_and_case_is_documented() {
        let shape = shape(vec![column("a")], Key::Rowid("rowid"));
        for interface in [table(&shape).unwrap(), row(&shape, &[]).unwrap()] {
            for operation in interface.descriptor().operations() {
                let declared = operation.declaration();
                assert!(declared.documentation.is_some(), "{}", declared.name);
                assert!(
                    declared.parameters.iter().all(|field| field.documentation.is_some()),
                    "{}",
                    declared.name
                );
                let TypeKind::Union(cases) = declared.returns.kind() else { panic!("{}", declared.name) };
                assert!(cases.iter().all(|case| case.documentation.is_some()), "{}", declared.name);
            }
        }
    }
}
