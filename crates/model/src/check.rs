//! Values and arguments against their declaration.

use crate::Name;
use crate::compiled::{Members, Shape, TypeRef};
use crate::fault::{Fault, Kind, Namespace, Rule};
use crate::interface::Operation;
use crate::value::{Record, Value};

/// A record of arguments that fits the declaration of its operation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Arguments(Record);

impl Arguments {
    /// Checks a record against the declaration.
    ///
    /// # Errors
    /// The first broken rule, located below the argument.
    pub fn check(operation: &Operation, record: Record) -> Result<Self, Fault> {
        let parameters = operation.parameters();
        check_members(
            parameters,
            record.fields(),
            Namespace::Parameter,
            |name| Rule::UnknownParameter { nearest: parameters.nearest(&name), name },
            |name| Rule::MissingParameter { name },
        )?;
        Ok(Self(record))
    }

    /// Takes a record that was made along the declaration, as a decoder does.
    pub fn assume_checked(record: Record) -> Self {
        Self(record)
    }

    /// The argument of that name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// The record.
    pub fn record(&self) -> &Record {
        &self.0
    }

    /// The record, taken.
    pub fn into_record(self) -> Record {
        self.0
    }
}

impl TypeRef<'_> {
    /// Whether a value is of this type.
    ///
    /// # Errors
    /// The first broken rule, located within the value.
    pub fn check(self, value: &Value) -> Result<(), Fault> {
        match (self.shape(), value) {
            (Shape::Unit, Value::Unit)
            | (Shape::Boolean, Value::Boolean(_))
            | (Shape::Integer, Value::Integer(_))
            | (Shape::Number, Value::Number(_))
            | (Shape::String, Value::String(_))
            | (Shape::Bytes, Value::Bytes(_))
            | (Shape::Entry, Value::Entry(_)) => Ok(()),
            (Shape::Json, _) => check_json(value),
            (Shape::List(items), Value::List(list)) => {
                for (index, item) in list.items().iter().enumerate() {
                    items.check(item).map_err(|fault| fault.at_index(index))?;
                }
                Ok(())
            }
            (Shape::Enum(cases), Value::String(case)) => match cases.find(case) {
                Some(_) => Ok(()),
                None => Err(cases.unknown(case)),
            },
            (Shape::Record(fields), Value::Record(record)) => check_members(
                fields,
                record.fields(),
                Namespace::Field,
                |name| Rule::UnknownField { nearest: fields.nearest(&name), name },
                |name| Rule::MissingField { name },
            ),
            (Shape::Union(cases), Value::Record(record)) => {
                let name = union_case(record)?;
                let case = cases.find(name).ok_or_else(|| cases.unknown(name))?;
                match (case.payload, record.get("value")) {
                    (Some(ty), Some(payload)) => ty.check(payload).map_err(|fault| fault.at_member("value")),
                    (None, None) => Ok(()),
                    (Some(_), None) => Err(Fault::new(Rule::MissingPayload { case: name.clone() })),
                    (None, Some(_)) => Err(Fault::new(Rule::UnexpectedPayload { case: name.clone() })),
                }
            }
            _ => Err(Fault::new(Rule::TypeMismatch { expected: self.kind(), found: value.kind() })),
        }
    }
}

/// The name in `$case`, with nothing in the record but it and `value`.
fn union_case(record: &Record) -> Result<&Name, Fault> {
    let case = || Name::from("$case");
    let unexpected = record.fields().iter().find(|(name, _)| !matches!(&**name, "$case" | "value"));
    if let Some((name, _)) = unexpected {
        return Err(Fault::new(Rule::UnknownField { name: name.clone(), nearest: None }));
    }
    match record.get("$case") {
        Some(Value::String(name)) => Ok(name),
        Some(other) => {
            let mismatch = Rule::TypeMismatch { expected: Kind::String, found: other.kind() };
            Err(Fault::new(mismatch).at_name(Namespace::Field, &case()))
        }
        None => Err(Fault::new(Rule::MissingField { name: case() })),
    }
}

fn check_json(value: &Value) -> Result<(), Fault> {
    match value {
        Value::Unit | Value::Boolean(_) | Value::Integer(_) | Value::Number(_) | Value::String(_) => Ok(()),
        Value::Bytes(_) => Err(Fault::new(Rule::BytesInJson)),
        Value::Entry(_) => Err(Fault::new(Rule::TypeMismatch { expected: Kind::Json, found: Kind::Entry })),
        Value::List(list) => {
            for (index, item) in list.items().iter().enumerate() {
                check_json(item).map_err(|fault| fault.at_index(index))?;
            }
            Ok(())
        }
        Value::Record(record) => {
            for (name, value) in record.fields() {
                check_json(value).map_err(|fault| fault.at_name(Namespace::Field, name))?;
            }
            Ok(())
        }
    }
}

fn check_members(
    members: Members<'_>,
    fields: &[(Name, Value)],
    namespace: Namespace,
    unknown: impl Fn(Name) -> Rule,
    missing: impl Fn(Name) -> Rule,
) -> Result<(), Fault> {
    let mut required = 0;
    for (position, (name, value)) in fields.iter().enumerate() {
        // Values are mostly made in the order of their declaration.
        let member = match members.len() > position && *members.at(position).name == *name {
            true => members.at(position),
            false => members.find(name).ok_or_else(|| Fault::new(unknown(name.clone())))?,
        };
        required += usize::from(member.required);
        member.ty.check(value).map_err(|fault| fault.at_name(namespace, name))?;
    }
    // Names stand once in a record, so counting is enough.
    if required < members.required() {
        let mut given = vec![false; members.len()];
        for member in fields.iter().filter_map(|(name, _)| members.find(name)) {
            given[member.index] = true;
        }
        if let Some(member) = members.iter().find(|member| member.required && !given[member.index]) {
            return Err(Fault::new(missing(member.name.clone())));
        }
    }
    Ok(())
}
