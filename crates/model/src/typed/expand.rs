//! What code made by the derive macro calls. Not meant to be called by hand, though nothing here is secret.

use crate::Name;
use crate::fault::{Fault, Kind, Namespace, Rule};
use crate::interface::Documentation;
use crate::suggest::nearest;
use crate::types::{EnumCase, Field, Type, UnionCase};
use crate::value::{Record, Value};

use super::scalar::mismatch;

/// The declaration of a field or parameter; `documentation` are the lines of its comment.
pub fn field(name: &str, documentation: &[&str], required: bool, ty: Type) -> Field {
    Field { name: name.into(), required, documentation: documented(documentation), ty }
}

/// The declaration of an enum's case.
pub fn enum_case(name: &str, documentation: &[&str]) -> EnumCase {
    EnumCase { name: name.into(), documentation: documented(documentation) }
}

/// The declaration of a union's case.
pub fn union_case(name: &str, documentation: &[&str], payload: Option<Type>) -> UnionCase {
    UnionCase { name: name.into(), documentation: documented(documentation), payload }
}

/// What the lines of a comment say. One that stands for a whole file holds several. Where each of them is one string literal,
/// as the IDL has it, the first is the summary and the second the details.
pub fn documented(lines: &[&str]) -> Option<Documentation> {
    // A blank line is an empty text, which has no lines.
    let lines = lines.iter().flat_map(|text| text.lines().chain(text.is_empty().then_some("")));
    super::comment::read(&lines.collect::<Vec<_>>())
}

/// A record of the fields that are there.
///
/// # Errors
/// As [`WipType::into_value`](super::WipType::into_value).
pub fn record<const N: usize>(
    fields: [(&'static str, Result<Option<Value>, Fault>); N],
) -> Result<Record, Fault> {
    let mut present = Vec::with_capacity(N);
    for (name, value) in fields {
        let name = Name::from(name);
        if let Some(value) = value.map_err(|fault| fault.at_name(Namespace::Field, &name))? {
            present.push((name, value));
        }
    }
    Record::new(present)
}

/// How a field or argument is read: [`WipField::from_field`](super::WipField::from_field).
pub type FromField<T> = fn(Option<&Value>) -> Result<Option<T>, Fault>;

/// How a value is read: [`WipType::from_value`](super::WipType::from_value).
pub type FromValue<T> = fn(&Value) -> Result<T, Fault>;

/// The fields of a record. Others than those that are asked for may be there: arguments have been checked before, and a
/// Host that says more by now than when a client was generated still says what the client knows of.
pub struct Fields<'a> {
    record: &'a Record,
    /// The case of a union that carries them.
    case: Option<&'static str>,
}

impl<'a> Fields<'a> {
    /// Those of that value.
    ///
    /// # Errors
    /// It is no record.
    pub fn of(value: &'a Value) -> Result<Self, Fault> {
        let record = value.as_record().ok_or_else(|| mismatch(Kind::Record, value))?;
        Ok(Self { record, case: None })
    }

    /// The field of that name.
    ///
    /// # Errors
    /// It is absent though it is required, or its value does not fit.
    pub fn get<T>(&self, name: &'static str, from: FromField<T>) -> Result<T, Fault> {
        let field = get(self.record, name, from, Namespace::Field, |name| Rule::MissingField { name });
        field.map_err(|fault| match self.case {
            Some(case) => in_case(fault, case),
            None => fault,
        })
    }
}

/// The argument of that name.
///
/// # Errors
/// It is absent though it is required, or its value does not fit.
pub fn argument<T>(arguments: &Record, name: &str, from: FromField<T>) -> Result<T, Fault> {
    get(arguments, name, from, Namespace::Parameter, |name| Rule::MissingParameter { name })
}

fn get<T>(
    record: &Record,
    name: &str,
    from: FromField<T>,
    namespace: Namespace,
    missing: impl FnOnce(Name) -> Rule,
) -> Result<T, Fault> {
    match from(record.get(name)) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Err(Fault::new(missing(name.into()))),
        Err(fault) => Err(fault.at_name(namespace, &name.into())),
    }
}

/// A case of a union.
///
/// # Errors
/// As [`WipType::into_value`](super::WipType::into_value).
pub fn case(name: &'static str, payload: Option<Result<Value, Fault>>) -> Result<Value, Fault> {
    let payload = payload.transpose().map_err(|fault| in_case(fault, name))?;
    Value::case(name, payload)
}

/// The case of an enum: one of those declared.
///
/// # Errors
/// It is no string.
pub fn case_of_enum(value: &Value) -> Result<&str, Fault> {
    value.as_str().ok_or_else(|| mismatch(Kind::Enum, value))
}

/// The case of a union and its payload.
///
/// # Errors
/// The value is no union.
pub fn case_of_union(value: &Value) -> Result<(&str, Option<&Value>), Fault> {
    let record = value.as_record().ok_or_else(|| mismatch(Kind::Union, value))?;
    let case = record.get("$case").and_then(Value::as_str).ok_or_else(|| mismatch(Kind::Union, value))?;
    Ok((case, record.get("value")))
}

/// The payload of a case that carries one.
///
/// # Errors
/// There is none, or it does not fit.
pub fn payload<T>(case: &'static str, payload: Option<&Value>, from: FromValue<T>) -> Result<T, Fault> {
    from(payload_of(case, payload)?).map_err(|fault| in_case(fault, case))
}

/// The payload of a case that carries a record of its own.
///
/// # Errors
/// There is none, or it is no record.
pub fn payload_fields<'a>(case: &'static str, payload: Option<&'a Value>) -> Result<Fields<'a>, Fault> {
    let fields = Fields::of(payload_of(case, payload)?).map_err(|fault| in_case(fault, case))?;
    Ok(Fields { case: Some(case), ..fields })
}

fn in_case(fault: Fault, case: &'static str) -> Fault {
    fault.at_name(Namespace::UnionCase, &case.into())
}

fn payload_of<'a>(case: &'static str, payload: Option<&'a Value>) -> Result<&'a Value, Fault> {
    payload.ok_or_else(|| Fault::new(Rule::MissingPayload { case: case.into() }))
}

/// That a case which carries nothing carries nothing.
///
/// # Errors
/// It does.
pub fn no_payload(case: &'static str, payload: Option<&Value>) -> Result<(), Fault> {
    match payload {
        None => Ok(()),
        Some(_) => Err(Fault::new(Rule::UnexpectedPayload { case: case.into() })),
    }
}

/// The fault of a case that is not declared.
pub fn unknown_case(name: &str, declared: &'static [&'static str]) -> Fault {
    let nearest = nearest(name, declared.iter().copied()).map(Name::from);
    Fault::new(Rule::UnknownCase { name: name.into(), nearest })
}
