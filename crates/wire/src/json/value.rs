//! Values along their declared type: read straight into the model, written straight from it.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use worldspace_model::{
    ArgumentSource, Arguments, EntryPath, Fault, Kind, Members, Name, Namespace, Number, Operation, Record,
    Rule, Shape, TypeRef, UnionCases, Validator, Value,
};

use super::read::{Read, Reader, Token};
use super::write::{Writer, Written};
use crate::error::{DecodeError, Problem, clipped};

/// Arguments that have been checked to be well formed and wait for their declaration.
pub(crate) struct JsonArguments {
    pub(crate) text: Bytes,
    /// How many containers may stand inside one another there.
    pub(crate) room: usize,
    pub(crate) nesting: usize,
}

impl ArgumentSource for JsonArguments {
    fn read(self: Box<Self>, operation: &Operation) -> Result<Arguments, Fault> {
        self.read_members(operation.parameters())
            .map(Arguments::assume_checked)
            .map_err(DecodeError::into_fault)
    }
}

impl JsonArguments {
    fn read_members(&self, parameters: Members<'_>) -> Read<Record> {
        let text = std::str::from_utf8(&self.text)
            .map_err(|_| DecodeError::new(Problem::Malformed("the arguments are not UTF-8")))?;
        let mut reader = Reader::inside(text, self.room, self.nesting);
        read_members(&mut reader, parameters, Namespace::Parameter)
    }
}

/// A value of this type. Types nest as deep as their expressions do, and values no deeper than the body, so recursion
/// is bounded by the nesting limit.
pub(crate) fn read_value(reader: &mut Reader<'_>, ty: TypeRef<'_>) -> Read<Value> {
    match ty.shape() {
        Shape::Unit => reader.null().map(|()| Value::Unit),
        Shape::Boolean => reader.boolean().map(Value::Boolean),
        Shape::Integer => reader.integer().map(Value::Integer),
        Shape::Number => {
            let number = reader.number(Kind::Number)?.binary64();
            Ok(Value::Number(Number::new(number)?))
        }
        Shape::String => Ok(Value::String(Arc::from(&*reader.string()?))),
        Shape::Bytes => read_bytes(reader).map(|bytes| Value::Bytes(bytes.into())),
        Shape::Entry => {
            let text = reader.string_for(Kind::Entry)?;
            Ok(Value::Entry(EntryPath::parse(&text)?))
        }
        Shape::Json => read_json(reader),
        Shape::Record(fields) => read_members(reader, fields, Namespace::Field).map(Value::Record),
        Shape::List(items) => {
            let mut list = Vec::new();
            reader.list(|reader| {
                list.push(read_value(reader, items)?);
                Ok(())
            })?;
            Ok(Value::list(list)?)
        }
        Shape::Enum(cases) => {
            let name = reader.string_for(Kind::Enum)?;
            let case = cases.find(&name).ok_or_else(|| cases.unknown(&clipped(&name)))?;
            Ok(Value::String(case.clone()))
        }
        Shape::Union(cases) => read_union(reader, cases),
    }
}

/// Which members of a record have been read. It grows with the members that are given, not with those declared: a body
/// of many small records must not cost what wide ones would.
#[derive(Default)]
struct Seen {
    first: u64,
    others: Vec<u64>,
}

impl Seen {
    fn insert(&mut self, index: usize) -> bool {
        let word = match (index / 64).checked_sub(1) {
            None => &mut self.first,
            Some(other) => {
                if self.others.len() <= other {
                    self.others.resize(other + 1, 0);
                }
                &mut self.others[other]
            }
        };
        let before = *word;
        *word |= 1 << (index % 64);
        before != *word
    }

    fn has(&self, index: usize) -> bool {
        let word = match (index / 64).checked_sub(1) {
            None => self.first,
            Some(other) => self.others.get(other).copied().unwrap_or_default(),
        };
        word & (1 << (index % 64)) != 0
    }
}

pub(crate) fn read_members(
    reader: &mut Reader<'_>,
    members: Members<'_>,
    namespace: Namespace,
) -> Read<Record> {
    reader.enter_object()?;
    let mut fields: Vec<(Name, Value)> = Vec::new();
    let mut seen = Seen::default();
    let mut required = 0;
    while let Some(name) = reader.member(fields.is_empty())? {
        // Values are mostly written in the order of their declaration.
        let position = fields.len();
        let member = match members.len() > position && **members.at(position).name == *name {
            true => members.at(position),
            false => members.find(&name).ok_or_else(|| unknown_member(members, namespace, &name))?,
        };
        if !seen.insert(member.index) {
            return Err(reader.duplicate(&name));
        }
        required += usize::from(member.required);
        let value = if !member.required && is_stray_null(reader, member.ty)? {
            Err(DecodeError::new(Problem::NullMember))
        } else {
            read_value(reader, member.ty)
        };
        fields.push((member.name.clone(), value.map_err(|error| error.at_name(namespace, &name))?));
    }
    if required < members.required() {
        let missing = members.iter().find(|member| member.required && !seen.has(member.index));
        let name = missing.map_or_else(|| Name::from(""), |member| member.name.clone());
        return Err(DecodeError::rule(match namespace {
            Namespace::Parameter => Rule::MissingParameter { name },
            _ => Rule::MissingField { name },
        }));
    }
    Ok(Record::new(fields)?)
}

fn is_stray_null(reader: &mut Reader<'_>, ty: TypeRef<'_>) -> Read<bool> {
    Ok(reader.peek()? == Token::Null && !matches!(ty.shape(), Shape::Unit | Shape::Json))
}

#[cold]
fn unknown_member(members: Members<'_>, namespace: Namespace, name: &str) -> DecodeError {
    let (name, nearest) = (clipped(name), members.nearest(name));
    DecodeError::rule(match namespace {
        Namespace::Parameter => Rule::UnknownParameter { name, nearest },
        _ => Rule::UnknownField { name, nearest },
    })
}

fn read_union(reader: &mut Reader<'_>, cases: UnionCases<'_>) -> Read<Value> {
    reader.enter_object()?;
    let mut case = None;
    let mut payload = None;
    // Where the payload stands if it comes before the name of its case.
    let mut deferred = None;
    let mut first = true;
    while let Some(name) = reader.member(first)? {
        first = false;
        match &*name {
            "$case" if case.is_none() => {
                let name = reader.string().map_err(|error| error.at_name(Namespace::Field, "$case"))?;
                case = Some(cases.find(&name).ok_or_else(|| cases.unknown(&clipped(&name)))?);
            }
            "value" if payload.is_none() && deferred.is_none() => match case {
                Some(case) => {
                    let ty = case.payload.ok_or_else(|| {
                        DecodeError::rule(Rule::UnexpectedPayload { case: case.name.clone() })
                    })?;
                    payload = Some(read_value(reader, ty).map_err(|error| error.at_member("value"))?);
                }
                None => {
                    deferred = Some(reader.mark());
                    reader.skip()?;
                }
            },
            "$case" | "value" => return Err(reader.duplicate(&name)),
            _ => {
                let rule = Rule::UnknownField { name: clipped(&name), nearest: None };
                return Err(DecodeError::rule(rule));
            }
        }
    }
    let case = case.ok_or_else(|| DecodeError::missing("$case"))?;
    match (case.payload, deferred) {
        (Some(ty), Some(mark)) => {
            let end = reader.mark();
            reader.rewind(mark);
            payload = Some(read_value(reader, ty).map_err(|error| error.at_member("value"))?);
            reader.rewind(end);
        }
        (Some(_), None) if payload.is_none() => {
            return Err(DecodeError::rule(Rule::MissingPayload { case: case.name.clone() }));
        }
        (None, Some(_)) => {
            return Err(DecodeError::rule(Rule::UnexpectedPayload { case: case.name.clone() }));
        }
        _ => {}
    }
    Ok(Value::case(case.name.clone(), payload)?)
}

/// Any JSON. An integer stays one as long as it is within the protocol's range.
fn read_json(reader: &mut Reader<'_>) -> Read<Value> {
    match reader.peek()? {
        Token::Null => reader.null().map(|()| Value::Unit),
        Token::Boolean => reader.boolean().map(Value::Boolean),
        Token::String => Ok(Value::String(Arc::from(&*reader.string()?))),
        Token::Number => read_json_number(reader),
        Token::List => {
            let mut items = Vec::new();
            reader.list(|reader| {
                items.push(read_json(reader)?);
                Ok(())
            })?;
            Ok(Value::list(items)?)
        }
        Token::Object => {
            reader.enter_object()?;
            let mut fields: Vec<(Name, Value)> = Vec::new();
            while let Some(name) = reader.member(fields.is_empty())? {
                let value = read_json(reader).map_err(|error| error.at_name(Namespace::Field, &name))?;
                fields.push((Name::from(&*name), value));
            }
            let record = Record::new(fields).map_err(|fault| match fault.rule() {
                Rule::DuplicateName { name, .. } => reader.duplicate(name),
                _ => fault.into(),
            })?;
            Ok(Value::Record(record))
        }
    }
}

fn read_json_number(reader: &mut Reader<'_>) -> Read<Value> {
    let number = reader.number(Kind::Json)?;
    if !number.is_whole() || number.is_minus_zero() {
        return Ok(Value::Number(Number::new(number.binary64())?));
    }
    if let Some(value) = number.integer().and_then(|value| Value::integer(value).ok()) {
        return Ok(value);
    }
    let exact = number.exact_integer().ok_or_else(|| {
        let reason = "binary64 cannot hold this integer exactly; send it as a string";
        DecodeError::rule(Rule::Unreadable { reason })
    })?;
    Ok(Value::Number(Number::new(exact)?))
}

fn read_bytes(reader: &mut Reader<'_>) -> Read<Vec<u8>> {
    let text = reader.string_for(Kind::Bytes)?;
    // This engine asks for padding and for unused bits that are zero, so each value has one spelling.
    STANDARD.decode(&*text).map_err(|_| DecodeError::new(Problem::NotBase64))
}

pub(crate) fn read_validator(reader: &mut Reader<'_>) -> Read<Validator> {
    read_bytes(reader).map(Validator::new)
}

/// A value says by its look how it is written. It is no deeper than the model allows, so recursion is bounded.
pub(crate) fn write_value(writer: &mut Writer, value: &Value) -> Written {
    match value {
        Value::Unit => writer.null(),
        Value::Boolean(value) => writer.boolean(*value),
        Value::Integer(value) => writer.integer(value.get()),
        Value::Number(value) => writer.number(value.get()),
        Value::String(value) => writer.string(value),
        Value::Bytes(value) => writer.base64(value),
        Value::Entry(value) => writer.string(value.as_str()),
        Value::List(list) => writer.list(list.items(), write_value),
        Value::Record(record) => write_record(writer, record),
    }
}

pub(crate) fn write_record(writer: &mut Writer, record: &Record) -> Written {
    writer.object(|writer| {
        for (name, value) in record.fields() {
            writer.name(name)?;
            write_value(writer, value)?;
        }
        Ok(())
    })
}

pub(crate) fn write_validator(writer: &mut Writer, validator: Option<&Validator>) -> Written {
    match validator {
        Some(validator) => {
            writer.member("validator")?;
            writer.base64(validator.as_bytes())
        }
        None => Ok(()),
    }
}
