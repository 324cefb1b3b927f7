//! JSON for programs: parts in their shape on the wire, put together into the documents of the commands.

use worldspace_client::{ClientError, InterfaceObservation};
use worldspace_idl::{DeclaredInterface, DeclaredName};
use worldspace_model::{InterfaceReference, Object, Operation, Record, Tree, Value};
use worldspace_wire::{Codec, EncodeError, Limits};

use crate::commands::kind_of;
use crate::failure::{Failure, Kind};

/// What was read within a peer's limits is written whole.
fn unlimited() -> Codec {
    let limits = Limits::new(usize::MAX, usize::MAX, Limits::MAX_NESTING);
    Codec::json(limits.unwrap_or_default())
}

fn text(written: Result<Vec<u8>, EncodeError>) -> Result<String, Failure> {
    let bytes = written.map_err(|error| Failure::local(format!("the answer cannot be written: {error}")))?;
    String::from_utf8(bytes).map_err(|error| Failure::local(error.to_string()))
}

pub(crate) fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// `{"code","message"}`. What to do next belongs to the message where both are this program's own; a Host's message
/// stays as it is.
pub(crate) fn error(failure: &Failure) -> String {
    let message = failure.others.iter().fold(told(failure), |all, other| format!("{all}\n{}", told(other)));
    format!("{{\"code\":{},\"message\":{}}}", string(failure.kind.code()), string(&message))
}

fn told(failure: &Failure) -> String {
    let mut message = match &failure.spot {
        Some(spot) => format!("{}: {}", spot.name, failure.message),
        None => failure.message.clone(),
    };
    if !matches!(failure.kind, Kind::Protocol(_) | Kind::InvalidAnswer) {
        message = failure.hints.iter().fold(message, |message, hint| format!("{message}; {hint}"));
    }
    message
}

/// The answer to `fetch_tree`.
pub(crate) fn tree(tree: &Tree) -> Result<String, Failure> {
    text(unlimited().write_tree(tree))
}

pub(crate) fn object(object: &Object) -> Result<String, Failure> {
    text(unlimited().write_object(object))
}

/// `{"reference","descriptor","effects"}`, or an error in place of the last two.
pub(crate) fn interface(
    reference: &InterfaceReference,
    interface: &Result<InterfaceObservation, ClientError>,
) -> Result<String, Failure> {
    let codec = unlimited();
    let reference = text(codec.write_reference(reference))?;
    let interface = match interface {
        Ok(interface) => interface,
        Err(failed) => {
            let failure = Failure::new(kind_of(failed), crate::commands::message_of(failed));
            return Ok(format!("{{\"reference\":{reference},\"error\":{}}}", error(&failure)));
        }
    };
    let descriptor = text(codec.write_descriptor(interface.descriptor()))?;
    let effects = match interface.effects() {
        Some(effects) => format!(",\"effects\":{}", text(codec.write_effects(effects))?),
        None => String::new(),
    };
    Ok(format!("{{\"reference\":{reference},\"descriptor\":{descriptor}{effects}}}"))
}

/// `{"reference"|"name","descriptor","effects"}`, as on the wire.
pub(crate) fn declared(declared: &DeclaredInterface) -> Result<String, Failure> {
    let codec = unlimited();
    let name = declared_name(&declared.name)?;
    let descriptor = text(codec.write_descriptor(&declared.descriptor))?;
    let effects = text(codec.write_effects(&declared.effects))?;
    Ok(format!("{{{name},\"descriptor\":{descriptor},\"effects\":{effects}}}"))
}

/// The member that names an interface: `"reference"` with its scope, or else `"name"`.
pub(crate) fn declared_name(name: &DeclaredName) -> Result<String, Failure> {
    match name {
        DeclaredName::Full(full) => Ok(format!("\"reference\":{}", text(unlimited().write_reference(full))?)),
        DeclaredName::Bare(bare) => Ok(format!("\"name\":{}", string(bare.as_str()))),
    }
}

pub(crate) fn value(value: &Value) -> Result<String, Failure> {
    text(unlimited().write_value(value))
}

/// Reads an arguments object along the declaration.
///
/// `written` says whether the document begins with what its user wrote as such.
pub(crate) fn arguments(document: &[u8], operation: &Operation, written: bool) -> Result<Record, Failure> {
    let read = unlimited().read_arguments(document, operation);
    let arguments = read.map_err(|error| crate::arguments::unreadable(operation, &error, written))?;
    Ok(arguments.into_record())
}
