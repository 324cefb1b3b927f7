//! Interface descriptors, read as a declaration that the model then checks and compiles.

use std::borrow::Cow;

use worldspace_model::{
    Declaration, Descriptor, Documentation, EnumCase, Field, INTERFACE_FORMAT, Name, OperationDeclaration,
    Rule, Type, TypeDeclaration, TypeKind, UnionCase,
};

use super::read::{Read, Reader, Shape, Token, require};
use super::write::{Writer, Written};
use crate::error::{DecodeError, EncodeError};

/// A descriptor, or the name of a format that this version does not know.
pub(crate) enum Described {
    Known(Descriptor),
    UnknownFormat(String),
}

const DESCRIPTOR: Shape =
    Shape { required: &["format", "types", "operations"], optional: &["documentation"] };

pub(crate) fn read_descriptor(reader: &mut Reader<'_>) -> Read<Described> {
    if let Some(format) = foreign_format(reader)? {
        reader.skip()?;
        return Ok(Described::UnknownFormat(format.into_owned()));
    }
    let (mut format, mut types, mut operations) = (None, None, None);
    let mut documentation = None;
    reader.object(&DESCRIPTOR, |reader, member| {
        match member {
            "format" => format = Some(reader.string()?),
            "types" => types = Some(read_list(reader, read_type_declaration)?),
            "operations" => operations = Some(read_list(reader, read_operation)?),
            _ => documentation = Some(read_documentation(reader)?),
        }
        Ok(())
    })?;
    require(format, "format")?;
    let (types, operations) = (require(types, "types")?, require(operations, "operations")?);
    Ok(Described::Known(Descriptor::new(Declaration { documentation, types, operations })?))
}

/// The format of the descriptor that comes next, if it is one that is not known. What else such a descriptor holds is
/// not for this version to judge, so this is found out before anything of it is read.
fn foreign_format<'a>(reader: &mut Reader<'a>) -> Read<Option<Cow<'a, str>>> {
    if reader.peek()? != Token::Object {
        return Ok(None);
    }
    let start = reader.mark();
    let mut found = None;
    reader.enter_object()?;
    let mut first = true;
    while let Some(name) = reader.member(first)? {
        first = false;
        if name == "format" && reader.peek()? == Token::String {
            found = Some(reader.string()?);
            break;
        }
        reader.skip()?;
    }
    reader.rewind(start);
    Ok(found.filter(|format| format != INTERFACE_FORMAT))
}

fn read_list<'a, T>(
    reader: &mut Reader<'a>,
    mut read: impl FnMut(&mut Reader<'a>) -> Read<T>,
) -> Read<Vec<T>> {
    let mut list = Vec::new();
    reader.list(|reader| {
        list.push(read(reader)?);
        Ok(())
    })?;
    Ok(list)
}

const DOCUMENTATION: Shape = Shape { required: &["summary"], optional: &["details"] };

fn read_documentation(reader: &mut Reader<'_>) -> Read<Documentation> {
    let (mut summary, mut details) = (None, None);
    reader.object(&DOCUMENTATION, |reader, member| {
        let text = reader.string()?.into_owned();
        if member == "summary" {
            summary = Some(text)
        } else {
            details = Some(text)
        }
        Ok(())
    })?;
    Ok(Documentation { summary: require(summary, "summary")?, details })
}

const TYPE_DECLARATION: Shape = Shape { required: &["name", "definition"], optional: &["documentation"] };

fn read_type_declaration(reader: &mut Reader<'_>) -> Read<TypeDeclaration> {
    let (mut name, mut definition, mut documentation) = (None, None, None);
    reader.object(&TYPE_DECLARATION, |reader, member| {
        match member {
            "name" => name = Some(reader.name()?),
            "definition" => definition = Some(read_type(reader)?),
            _ => documentation = Some(read_documentation(reader)?),
        }
        Ok(())
    })?;
    let (name, definition) = (require(name, "name")?, require(definition, "definition")?);
    Ok(TypeDeclaration { name, documentation, definition })
}

const OPERATION: Shape = Shape { required: &["name", "parameters", "returns"], optional: &["documentation"] };
const RETURNS: Shape = Shape { required: &["type"], optional: &["documentation"] };

fn read_operation(reader: &mut Reader<'_>) -> Read<OperationDeclaration> {
    let (mut name, mut parameters, mut returns) = (None, None, None);
    let (mut documentation, mut returns_documentation) = (None, None);
    reader.object(&OPERATION, |reader, member| {
        match member {
            "name" => name = Some(reader.name()?),
            "parameters" => parameters = Some(read_list(reader, read_field)?),
            "returns" => {
                let mut ty = None;
                reader.object(&RETURNS, |reader, member| {
                    match member {
                        "type" => ty = Some(read_type(reader)?),
                        _ => returns_documentation = Some(read_documentation(reader)?),
                    }
                    Ok(())
                })?;
                returns = Some(require(ty, "type")?);
            }
            _ => documentation = Some(read_documentation(reader)?),
        }
        Ok(())
    })?;
    Ok(OperationDeclaration {
        name: require(name, "name")?,
        documentation,
        parameters: require(parameters, "parameters")?,
        returns: require(returns, "returns")?,
        returns_documentation,
    })
}

const FIELD: Shape = Shape { required: &["name", "required", "type"], optional: &["documentation"] };

fn read_field(reader: &mut Reader<'_>) -> Read<Field> {
    let (mut name, mut required, mut ty, mut documentation) = (None, None, None, None);
    reader.object(&FIELD, |reader, member| {
        match member {
            "name" => name = Some(reader.name()?),
            "required" => required = Some(reader.boolean()?),
            "type" => ty = Some(read_type(reader)?),
            _ => documentation = Some(read_documentation(reader)?),
        }
        Ok(())
    })?;
    Ok(Field {
        name: require(name, "name")?,
        required: require(required, "required")?,
        documentation,
        ty: require(ty, "type")?,
    })
}

/// Everything that any kind of type may have; `kind` need not come first.
const TYPE: Shape = Shape { required: &["kind", "name", "items", "fields", "cases"], optional: &[] };

/// Recursion is bounded by the nesting limit.
fn read_type(reader: &mut Reader<'_>) -> Read<Type> {
    let (mut kind, mut name, mut items, mut fields, mut cases) = (None, None, None, None, None);
    reader.object(&TYPE, |reader, member| {
        match member {
            "kind" => kind = Some(reader.string()?),
            "name" => name = Some(reader.name()?),
            "items" => items = Some(read_type(reader)?),
            "fields" => fields = Some(read_list(reader, read_field)?),
            _ => cases = Some(read_list(reader, read_case)?),
        }
        Ok(())
    })?;
    let kind = require(kind, "kind")?;
    let own = match &*kind {
        "named" => "name",
        "list" => "items",
        "record" => "fields",
        "enum" | "union" => "cases",
        _ => "",
    };
    let given = [
        ("name", name.is_some()),
        ("items", items.is_some()),
        ("fields", fields.is_some()),
        ("cases", cases.is_some()),
    ];
    if let Some((member, _)) = given.iter().find(|(member, given)| *given && *member != own) {
        return Err(unknown_field(member));
    }
    Ok(match &*kind {
        "named" => Type::named(require(name, "name")?),
        "list" => Type::list(require(items, "items")?),
        "record" => Type::record(require(fields, "fields")?),
        "enum" => Type::cases(enum_cases(require(cases, "cases")?)?),
        "union" => Type::union(require(cases, "cases")?),
        _ => match SCALARS.iter().find(|(name, _)| *name == kind) {
            Some((_, ty)) => ty.clone(),
            None => {
                let known = SCALARS.iter().map(|(name, _)| *name);
                let known = known.chain(["named", "list", "record", "enum", "union"]);
                return Err(DecodeError::unknown_word(&kind, known).at_member("kind"));
            }
        },
    })
}

static SCALARS: [(&str, Type); 8] = [
    ("unit", Type::UNIT),
    ("boolean", Type::BOOLEAN),
    ("integer", Type::INTEGER),
    ("number", Type::NUMBER),
    ("string", Type::STRING),
    ("bytes", Type::BYTES),
    ("json", Type::JSON),
    ("entry", Type::ENTRY),
];

fn unknown_field(name: &str) -> DecodeError {
    DecodeError::rule(Rule::UnknownField { name: Name::from(name), nearest: None })
}

const CASE: Shape = Shape { required: &["name"], optional: &["documentation", "payload"] };

/// A case of a union, which is also one of an enum if it carries nothing.
fn read_case(reader: &mut Reader<'_>) -> Read<UnionCase> {
    let (mut name, mut documentation, mut payload) = (None, None, None);
    reader.object(&CASE, |reader, member| {
        match member {
            "name" => name = Some(reader.name()?),
            "payload" => payload = Some(read_type(reader)?),
            _ => documentation = Some(read_documentation(reader)?),
        }
        Ok(())
    })?;
    Ok(UnionCase { name: require(name, "name")?, documentation, payload })
}

fn enum_cases(cases: Vec<UnionCase>) -> Read<Vec<EnumCase>> {
    let mut list = Vec::with_capacity(cases.len());
    for (index, UnionCase { name, documentation, payload }) in cases.into_iter().enumerate() {
        if payload.is_some() {
            return Err(unknown_field("payload").at_index(index).at_member("cases"));
        }
        list.push(EnumCase { name, documentation });
    }
    Ok(list)
}

pub(crate) fn write_descriptor(writer: &mut Writer, descriptor: &Descriptor) -> Written {
    let Declaration { documentation, types, operations } = descriptor.declaration();
    writer.object(|writer| {
        // First, so that a reader knows at once whether it can read on.
        writer.text_member("format", INTERFACE_FORMAT)?;
        write_documentation(writer, documentation.as_ref())?;
        writer.member("types")?;
        writer.list(types, |writer, ty| {
            writer.object(|writer| {
                writer.text_member("name", &ty.name)?;
                write_documentation(writer, ty.documentation.as_ref())?;
                writer.member("definition")?;
                write_type(writer, &ty.definition)
            })
        })?;
        writer.member("operations")?;
        writer.list(operations, write_operation)
    })
}

fn write_operation(writer: &mut Writer, operation: &OperationDeclaration) -> Written {
    writer.object(|writer| {
        writer.text_member("name", &operation.name)?;
        write_documentation(writer, operation.documentation.as_ref())?;
        writer.member("parameters")?;
        writer.list(&operation.parameters, write_field)?;
        writer.member("returns")?;
        writer.object(|writer| {
            writer.member("type")?;
            write_type(writer, &operation.returns)?;
            write_documentation(writer, operation.returns_documentation.as_ref())
        })
    })
}

fn write_documentation(writer: &mut Writer, documentation: Option<&Documentation>) -> Written {
    let Some(Documentation { summary, details }) = documentation else { return Ok(()) };
    writer.member("documentation")?;
    writer.object(|writer| {
        writer.text_member("summary", summary)?;
        match details {
            Some(details) => writer.text_member("details", details),
            None => Ok(()),
        }
    })
}

fn write_field(writer: &mut Writer, field: &Field) -> Written {
    writer.object(|writer| {
        writer.text_member("name", &field.name)?;
        writer.member("required")?;
        writer.boolean(field.required)?;
        write_documentation(writer, field.documentation.as_ref())?;
        writer.member("type")?;
        write_type(writer, &field.ty)
    })
}

fn kind_of(ty: &Type) -> Result<&'static str, EncodeError> {
    let scalar = SCALARS.iter().find(|(_, scalar)| scalar == ty);
    Ok(match ty.kind() {
        TypeKind::Named(_) => "named",
        TypeKind::Record(_) => "record",
        TypeKind::List(_) => "list",
        TypeKind::Enum(_) => "enum",
        TypeKind::Union(_) => "union",
        _ => match scalar {
            Some((name, _)) => name,
            None => return Err(EncodeError::Unwritable { reason: "a type is too deep" }),
        },
    })
}

fn write_type(writer: &mut Writer, ty: &Type) -> Written {
    let kind = kind_of(ty)?;
    writer.object(|writer| {
        writer.text_member("kind", kind)?;
        match ty.kind() {
            TypeKind::Named(name) => writer.text_member("name", name),
            TypeKind::Record(fields) => {
                writer.member("fields")?;
                writer.list(fields, write_field)
            }
            TypeKind::List(items) => {
                writer.member("items")?;
                write_type(writer, items)
            }
            TypeKind::Enum(cases) => {
                writer.member("cases")?;
                writer.list(cases, |writer, case| {
                    writer.object(|writer| {
                        writer.text_member("name", &case.name)?;
                        write_documentation(writer, case.documentation.as_ref())
                    })
                })
            }
            TypeKind::Union(cases) => {
                writer.member("cases")?;
                writer.list(cases, |writer, case| {
                    writer.object(|writer| {
                        writer.text_member("name", &case.name)?;
                        write_documentation(writer, case.documentation.as_ref())?;
                        match &case.payload {
                            Some(payload) => {
                                writer.member("payload")?;
                                write_type(writer, payload)
                            }
                            None => Ok(()),
                        }
                    })
                })
            }
            _ => Ok(()),
        }
    })
}
