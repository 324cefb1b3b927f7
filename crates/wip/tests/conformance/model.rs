//! The areas that the model alone decides.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value as Json, json};
use worldspace_model::{
    Arguments, EntryPath, InterfaceList, InterfaceReference, Name, Number, Object, ObjectName, Record, Ref,
    Rule, Shape, TypeRef, Validator, Value,
};

use crate::vector::{Vector, Verdict, text};
use crate::wire::descriptor_of;

pub(crate) fn path(vector: &Vector) -> Result<(), String> {
    vector.expect(&EntryPath::parse(vector.text("path")?).into())
}

pub(crate) fn reference(vector: &Vector) -> Result<(), String> {
    let verdict = match vector.text("check")? {
        "shape" => read_reference(vector.json("reference")?)?.into(),
        "for_path" => {
            let path = vector.text("path")?;
            match (read_reference(vector.json("reference")?)?, EntryPath::parse(path)) {
                (Err(fault), _) | (_, Err(fault)) => Verdict::Reject(fault.to_string()),
                (Ok(reference), Ok(path)) if reference.serves(&path) => Verdict::Accept(None),
                _ => Verdict::Reject("the scope is not above the path".to_owned()),
            }
        }
        other => return Err(format!("there is no check {other}")),
    };
    vector.expect(&verdict)
}

fn read_reference(json: &Json) -> Result<Result<InterfaceReference, worldspace_model::Fault>, String> {
    Ok(InterfaceReference::parse(text(&json["scope"])?, text(&json["name"])?))
}

pub(crate) fn object_consistency(vector: &Vector) -> Result<(), String> {
    let both = (read_object(vector.json("left")?), read_object(vector.json("right")?));
    vector.expect(&match both {
        (Ok(left), Ok(right)) => left.check_consistency(&right).into(),
        (Err(reason), _) | (_, Err(reason)) => Verdict::Reject(reason),
    })
}

fn read_object(json: &Json) -> Result<Object, String> {
    let shown = |fault: worldspace_model::Fault| fault.to_string();
    let optional = |member: &str| json.get(member).map(text).transpose();
    let mut interfaces = Vec::new();
    for reference in json["interfaces"].as_array().ok_or("no list of interfaces")? {
        interfaces.push(read_reference(reference)?.map_err(shown)?);
    }
    let validator = optional("validator")?.map(|text| STANDARD.decode(text)).transpose();
    Ok(Object {
        name: ObjectName::parse(text(&json["name"])?).map_err(shown)?,
        description: optional("description")?.map(Into::into),
        interfaces: InterfaceList::new(interfaces).map_err(shown)?,
        r#ref: optional("ref")?.map(Ref::new),
        validator: validator.map_err(|error| error.to_string())?.map(Validator::new),
    })
}

pub(crate) fn logical_value(vector: &Vector) -> Result<(), String> {
    vector.expect(&judge(vector).into())
}

/// Whether the values of a vector fit, or why not.
fn judge(vector: &Vector) -> Result<(), String> {
    let value_of = |ty: TypeRef<'_>| {
        let value = read_logical(vector.json("value")?, Some(ty))?;
        ty.check(&value).map_err(|fault| fault.to_string())
    };
    match vector.text("check")? {
        "value" => {
            let (types, ty) = (vector.json("types")?, vector.json("type")?);
            let operation = json!({"name": "op", "parameters": [], "returns": {"type": ty}});
            let json = json!({"format": "wip-interface/1", "types": types, "operations": [operation]});
            let operation = descriptor_of(&json)?.operation("op").ok_or("no operation")?;
            value_of(operation.returns())
        }
        check => {
            let name = vector.text("operation")?;
            let descriptor = descriptor_of(vector.json("descriptor")?)?;
            let operation = descriptor.require_operation(name).map_err(|error| error.to_string())?;
            if check == "result" {
                return value_of(operation.returns());
            }
            let arguments = vector.json("arguments")?.as_object().ok_or("`arguments` is no object")?;
            let record = read_record(arguments, |name| Some(operation.parameters().find(name)?.ty))?;
            Arguments::check(&operation, record).map(drop).map_err(|fault| fault.to_string())
        }
    }
}

fn read_record<'a>(
    json: &Map<String, Json>,
    type_of: impl Fn(&str) -> Option<TypeRef<'a>>,
) -> Result<Record, String> {
    let mut fields = Vec::new();
    for (name, value) in json {
        fields.push((Name::from(&**name), read_logical(value, type_of(name))?));
    }
    Record::new(fields).map_err(|fault| fault.to_string())
}

/// A value of the model. The vectors write an entry as a string, so where the type says entry, it becomes one.
fn read_logical(json: &Json, ty: Option<TypeRef<'_>>) -> Result<Value, String> {
    let shown = |fault: worldspace_model::Fault| fault.to_string();
    let shape = ty.map(TypeRef::shape);
    let inner = &json["v"];
    Ok(match text(&json["t"])? {
        "unit" => Value::Unit,
        "boolean" => Value::Boolean(inner.as_bool().ok_or("no boolean")?),
        "integer" => {
            let value: i64 = text(inner)?.parse().map_err(|_| Rule::IntegerOutOfRange.to_string())?;
            Value::integer(value).map_err(shown)?
        }
        "number" => {
            let value: f64 = text(inner)?.parse().map_err(|_| "no number")?;
            Value::Number(Number::new(value).map_err(shown)?)
        }
        "string" => match shape {
            Some(Shape::Entry) => Value::Entry(EntryPath::parse(text(inner)?).map_err(shown)?),
            _ => Value::string(text(inner)?),
        },
        "bytes" => Value::bytes(STANDARD.decode(text(inner)?).map_err(|error| error.to_string())?),
        "list" => {
            let items = if let Some(Shape::List(items)) = shape { Some(items) } else { None };
            let list = inner.as_array().ok_or("no list")?;
            let list = list.iter().map(|item| read_logical(item, items)).collect::<Result<_, _>>()?;
            Value::list(list).map_err(shown)?
        }
        "record" => {
            let fields = inner.as_object().ok_or("no record")?;
            let case = fields.get("$case").and_then(|case| case["v"].as_str()).unwrap_or_default();
            Value::Record(read_record(fields, |name| match shape {
                Some(Shape::Record(members)) => Some(members.find(name)?.ty),
                Some(Shape::Union(cases)) if name == "value" => cases.find(case)?.payload,
                _ => None,
            })?)
        }
        other => return Err(format!("there is no tag {other}")),
    })
}
