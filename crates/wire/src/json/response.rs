//! What a Host answers, both ways. Answers are validated against the request that they answer.

use std::sync::Arc;

use worldspace_model::{
    CallAnswer, Effect, EffectTable, Effects, ErrorCode, FetchInterfaceRequest, FetchInterfaceResponse,
    FetchRequest, FetchResponse, Interaction, Message, Name, Namespace, Object, Operation, ProtocolError,
    Rule, Settled,
};

use super::descriptor::{Described, read_descriptor, write_descriptor};
use super::object::{
    ReadMemo, WriteMemo, read_object, read_ref, read_reference, write_object, write_reference,
};
use super::read::{Read, Reader, Shape, require};
use super::value::{read_validator, read_value, write_validator, write_value};
use super::write::{Writer, Written};
use crate::FetchedInterface;
use crate::error::{DecodeError, Problem};

const ENVELOPE: Shape = Shape { required: &["error"], optional: &[] };
const ERROR: Shape = Shape { required: &["code", "message"], optional: &[] };

pub(crate) fn read_envelope(reader: &mut Reader<'_>) -> Read<ProtocolError> {
    let mut error = None;
    reader.object(&ENVELOPE, |reader, _| {
        error = Some(read_error(reader)?);
        Ok(())
    })?;
    require(error, "error")
}

fn read_error(reader: &mut Reader<'_>) -> Read<ProtocolError> {
    let (mut code, mut message) = (None, None);
    reader.object(&ERROR, |reader, member| {
        let text = reader.string()?;
        if member == "code" {
            let known = ErrorCode::parse(&text)
                .ok_or_else(|| DecodeError::unknown_word(&text, ErrorCode::ALL.map(ErrorCode::name)))?;
            code = Some(known);
        } else {
            message = Some(Message::new(text));
        }
        Ok(())
    })?;
    Ok(ProtocolError { code: require(code, "code")?, message: require(message, "message")? })
}

pub(crate) fn write_envelope(writer: &mut Writer, error: &ProtocolError) -> Written {
    writer.object(|writer| {
        writer.member("error")?;
        writer.object(|writer| {
            writer.text_member("code", error.code.name())?;
            writer.text_member("message", error.message.as_str())
        })
    })
}

const FETCH: Shape = Shape { required: &["results"], optional: &[] };
const FETCHED: Shape = Shape { required: &["object", "error"], optional: &[] };

type Fetched = Result<Arc<Object>, ProtocolError>;

pub(crate) fn read_fetch(reader: &mut Reader<'_>, request: &FetchRequest) -> Read<FetchResponse> {
    let mut results = None;
    let mut memo = ReadMemo::default();
    reader.object(&FETCH, |reader, _| {
        let mut list = Vec::with_capacity(request.entries.len());
        reader.list(|reader| {
            let fetched = read_fetched(reader, &mut memo)?;
            check_fetched(&fetched, request, list.len())?;
            list.push(fetched);
            Ok(())
        })?;
        results = Some(list);
        Ok(())
    })?;
    let results = require(results, "results")?;
    if results.len() < request.entries.len() {
        return Err(wrong_count());
    }
    Ok(FetchResponse { results })
}

fn wrong_count() -> DecodeError {
    DecodeError::new(Problem::Unfit("there is one result for each entry that was asked for"))
}

fn read_fetched<'a>(reader: &mut Reader<'a>, memo: &mut ReadMemo<'a>) -> Read<Fetched> {
    let (mut object, mut error) = (None, None);
    reader.object(&FETCHED, |reader, member| {
        match member {
            "object" => object = Some(Arc::new(read_object(reader, memo)?)),
            _ => error = Some(read_error(reader)?),
        }
        Ok(())
    })?;
    match (object, error) {
        (Some(object), None) => Ok(Ok(object)),
        (None, Some(error)) => Ok(Err(error)),
        _ => Err(DecodeError::new(Problem::Unfit("a result has an object or an error"))),
    }
}

fn check_fetched(fetched: &Fetched, request: &FetchRequest, index: usize) -> Read<()> {
    match (request.entries.get(index), fetched) {
        (None, _) => Err(wrong_count()),
        (Some(Ok(entry)), Ok(object)) => {
            object.check_place(entry).map_err(|fault| DecodeError::from(fault).at_member("object"))
        }
        (Some(_), Err(error)) if error.code.is_allowed_for(Interaction::Fetch) => Ok(()),
        (Some(_), Err(_)) => {
            let reason = "this error code does not belong to `fetch`";
            Err(DecodeError::new(Problem::Unfit(reason)).at_member("error"))
        }
        (Some(Err(_)), Ok(_)) => {
            Err(DecodeError::new(Problem::Unfit("there is no Object at what is no path")))
        }
    }
}

pub(crate) fn write_fetch(writer: &mut Writer, response: &FetchResponse) -> Written {
    let mut memo = WriteMemo::default();
    writer.object(|writer| {
        writer.member("results")?;
        writer.list(&response.results, |writer, result| match result {
            Ok(object) => writer.object(|writer| {
                writer.member("object")?;
                write_object(writer, object, &mut memo)
            }),
            Err(error) => write_envelope(writer, error),
        })
    })
}

const INTERFACE: Shape =
    Shape { required: &["interface", "descriptor"], optional: &["scope_ref", "validator"] };
const INTERFACE_WITH_EFFECTS: Shape =
    Shape { required: &["interface", "descriptor"], optional: &["scope_ref", "validator", "effects"] };

pub(crate) fn read_interface(
    reader: &mut Reader<'_>,
    request: &FetchInterfaceRequest,
) -> Read<FetchedInterface> {
    let (mut interface, mut described) = (None, None);
    let (mut scope_ref, mut validator, mut effects) = (None, None, None);
    let shape = if request.effects { &INTERFACE_WITH_EFFECTS } else { &INTERFACE };
    reader.object(shape, |reader, member| {
        match member {
            "interface" => interface = Some(read_reference(reader)?),
            "descriptor" => described = Some(read_descriptor(reader)?),
            "scope_ref" => scope_ref = Some(read_ref(reader)?),
            "validator" => validator = Some(read_validator(reader)?),
            _ => effects = Some(read_effects(reader)?),
        }
        Ok(())
    })?;
    let (interface, described) = (require(interface, "interface")?, require(described, "descriptor")?);
    if interface != request.interface {
        return Err(DecodeError::rule(Rule::InterfaceResponseMismatch).at_member("interface"));
    }
    let descriptor = match described {
        Described::Known(descriptor) => descriptor,
        Described::UnknownFormat(format) => return Ok(FetchedInterface::UnknownFormat(format)),
    };
    let effects = effects
        .map(|effects| EffectTable::new(&descriptor, effects))
        .transpose()
        .map_err(|fault| DecodeError::from(fault).at_member("effects"))?;
    let response = FetchInterfaceResponse { interface, scope_ref, descriptor, validator, effects };
    Ok(FetchedInterface::Known(response))
}

fn read_effects(reader: &mut Reader<'_>) -> Read<Vec<(Name, Effects)>> {
    let mut table = Vec::new();
    reader.open_object(|reader, operation| {
        let at = |error: DecodeError| error.at_name(Namespace::Operation, operation);
        let mut effects = Vec::new();
        reader
            .list(|reader| {
                let word = reader.string()?;
                let effect = Effect::parse(&word)
                    .ok_or_else(|| DecodeError::unknown_word(&word, Effect::ALL.map(Effect::name)))?;
                effects.push(effect);
                Ok(())
            })
            .map_err(at)?;
        let effects = Effects::new(effects).map_err(|fault| at(fault.into()))?;
        table.push((Name::from(operation), effects));
        Ok(())
    })?;
    Ok(table)
}

pub(crate) fn write_interface(writer: &mut Writer, response: &FetchInterfaceResponse) -> Written {
    writer.object(|writer| {
        writer.member("interface")?;
        write_reference(writer, &response.interface)?;
        if let Some(scope_ref) = &response.scope_ref {
            writer.text_member("scope_ref", scope_ref.as_str())?;
        }
        writer.member("descriptor")?;
        write_descriptor(writer, &response.descriptor)?;
        write_validator(writer, response.validator.as_ref())?;
        match &response.effects {
            Some(effects) => {
                writer.member("effects")?;
                write_effects(writer, effects)
            }
            None => Ok(()),
        }
    })
}

pub(crate) fn write_effects(writer: &mut Writer, effects: &EffectTable) -> Written {
    writer.object(|writer| {
        for (operation, effects) in effects.iter() {
            writer.name(operation)?;
            writer.list(effects.iter(), |writer, effect| writer.string(effect.name()))?;
        }
        Ok(())
    })
}

const CALL: Shape = Shape { required: &["result"], optional: &["validator"] };

pub(crate) fn read_call(reader: &mut Reader<'_>, operation: &Operation) -> Read<CallAnswer> {
    let (mut result, mut validator) = (None, None);
    reader.object(&CALL, |reader, member| {
        match member {
            "result" => result = Some(read_value(reader, operation.returns())?),
            _ => validator = Some(read_validator(reader)?),
        }
        Ok(())
    })?;
    // A success says that the call was run, which is as much as crossing the fence to whoever hears of it.
    Ok(CallAnswer { result: require(result, "result")?, validator, settled: Settled::BehindFence })
}

pub(crate) fn write_call(writer: &mut Writer, answer: &CallAnswer) -> Written {
    writer.object(|writer| {
        writer.member("result")?;
        write_value(writer, &answer.result)?;
        write_validator(writer, answer.validator.as_ref())
    })
}
