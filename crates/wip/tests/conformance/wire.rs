//! The areas that the codec decides: bodies, and what an HTTP answer means.

use bytes::Bytes;
use serde_json::{Value as Json, json};
use worldspace_model::{
    CallHead, Descriptor, EntryPath, ErrorCode, Fault, FetchInterfaceRequest, Interaction,
    InterfaceReference, ObserveRequest, OutgoingCall, Rule,
};
use worldspace_wire::{Codec, DecodeError, FetchedInterface, Limits, Outcome, status_of};

use crate::http::headers;
use crate::vector::{Vector, Verdict, expect, same, same_text, text};

const MIB: u64 = 1 << 20;

fn rejected(error: impl ToString) -> Verdict {
    Verdict::Reject(error.to_string())
}

fn read_limits(json: &Json) -> Result<Limits, String> {
    let limit = |name: &str, usual: u64| -> Result<usize, String> {
        let value = json.get(name).map_or(Some(usual), Json::as_u64).ok_or("a limit is no number")?;
        usize::try_from(value).map_err(|error| error.to_string())
    };
    let (request, response) = (limit("max_request_bytes", MIB)?, limit("max_response_bytes", MIB)?);
    Limits::new(request, response, limit("max_nesting", 64)?).map_err(|error| error.to_string())
}

/// The codec under the limits of a vector, or under those that hold where it has none.
fn codec(vector: &Vector) -> Result<Codec, String> {
    Ok(Codec::json(read_limits(vector.get("limits").unwrap_or(&Json::Null))?))
}

pub(crate) fn limits(vector: &Vector) -> Result<(), String> {
    vector.expect(&read_limits(vector.json("limits")?).into())
}

fn text_of(json: &Json) -> Vec<u8> {
    json.to_string().into_bytes()
}

/// What a Host answered about the interface `i` at the root, with this descriptor.
fn fetched(codec: &Codec, descriptor_text: &str) -> Result<FetchedInterface, DecodeError> {
    let body = format!(r#"{{"interface":{{"scope":"/","name":"i"}},"descriptor":{descriptor_text}}}"#);
    let interface = InterfaceReference::parse("/", "i")?;
    codec.read_interface_response(body.as_bytes(), &FetchInterfaceRequest { interface, effects: false })
}

/// A descriptor that a vector gives as JSON.
pub(crate) fn descriptor_of(json: &Json) -> Result<Descriptor, String> {
    let generous = Limits::new(64 << 20, 64 << 20, Limits::MAX_NESTING).map_err(|error| error.to_string())?;
    match fetched(&Codec::json(generous), &json.to_string()).map_err(|error| error.to_string())? {
        FetchedInterface::Known(response) => Ok(response.descriptor),
        FetchedInterface::UnknownFormat(format) => Err(format!("the format {format} is not known")),
    }
}

/// A member of a text that was written.
fn part(body: &[u8], path: &[&str]) -> Result<Vec<u8>, String> {
    let json: Json = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let part = path.iter().try_fold(&json, |json, name| json.get(name)).ok_or("nothing was written there")?;
    Ok(text_of(part))
}

pub(crate) fn descriptor(vector: &Vector) -> Result<(), String> {
    let codec = codec(vector)?;
    let expected = vector.json("expect")?;
    let verdict = match fetched(&codec, vector.text("descriptor_text")?) {
        Ok(FetchedInterface::UnknownFormat(format)) => {
            let known = expected["verdict"] == "unsupported_format" && expected["format"] == *format;
            return if known { Ok(()) } else { Err(format!("unsupported format {format}")) };
        }
        Ok(FetchedInterface::Known(response)) => {
            let body = codec.write_interface_response(&response).map_err(|error| error.to_string())?;
            Verdict::Accept(Some(part(&body, &["descriptor"])?))
        }
        Err(error) => rejected(error),
    };
    expect(expected, &verdict)
}

pub(crate) fn value(vector: &Vector) -> Result<(), String> {
    let (types, ty, value) = (vector.json("types")?, vector.json("type")?, vector.text("value_text")?);
    let parameter = json!({"name": "value", "required": true, "type": ty});
    let operation = json!({"name": "op", "parameters": [parameter], "returns": {"type": ty}});
    let descriptor = json!({"format": "wip-interface/1", "types": types, "operations": [operation]});
    let codec = codec(vector)?;
    let expected = vector.json("expect")?;

    let request = format!(
        r#"{{"target":{{"path":"/t"}},"interface":{{"reference":{{"scope":"/","name":"i"}}}},"operation":"op","arguments":{{"value":{value}}}}}"#
    );
    let verdict = match bind(&codec, request.into_bytes(), &descriptor) {
        Ok(body) => Verdict::Accept(Some(part(&body, &["arguments", "value"])?)),
        Err(reason) => Verdict::Reject(reason),
    };
    expect(&expected["argument"], &verdict).map_err(|reason| format!("as an argument: {reason}"))?;

    let response = format!(r#"{{"result":{value}}}"#);
    let verdict = match answer(&codec, response.as_bytes(), &descriptor) {
        Ok(body) => Verdict::Accept(Some(part(&body, &["result"])?)),
        Err(reason) => Verdict::Reject(reason),
    };
    expect(&expected["result"], &verdict).map_err(|reason| format!("as a result: {reason}"))
}

/// Reads a result and writes it again.
fn answer(codec: &Codec, body: &[u8], descriptor: &Json) -> Result<Vec<u8>, String> {
    let operation = descriptor_of(descriptor)?.operation("op").ok_or("no operation")?;
    let answer = codec.read_call_answer(body, &operation).map_err(|error| error.to_string())?;
    codec.write_call_answer(&answer).map_err(|error| error.to_string())
}

/// Reads a call along the descriptor and writes it again.
fn bind(codec: &Codec, body: Vec<u8>, descriptor: &Json) -> Result<Vec<u8>, String> {
    let call = codec.read_call_request(&Bytes::from(body), None).map_err(|error| error.to_string())?;
    let CallHead { target, interface, operation, key } = call.head;
    let operation =
        descriptor_of(descriptor)?.require_operation(&operation).map_err(|error| error.to_string())?;
    let arguments = call.arguments.read(&operation).map_err(|fault| fault.to_string())?;
    let call = OutgoingCall { target, interface, operation, arguments, key, read: false };
    codec.write_call_request(&call).map_err(|error| error.to_string())
}

pub(crate) fn request(vector: &Vector) -> Result<(), String> {
    let codec = codec(vector)?;
    let body = vector.body()?;
    let written = |result: Result<Vec<u8>, String>| match result {
        Ok(body) => Verdict::Accept(Some(body)),
        Err(reason) => Verdict::Reject(reason),
    };
    match vector.text("route")? {
        "observe" => vector.expect(&written(
            codec
                .read_observe_request(&body)
                .map_err(|error| error.to_string())
                .and_then(|request| codec.write_observe_request(&request).map_err(|error| error.to_string())),
        )),
        "fetch_interface" => vector.expect(&written(
            codec.read_fetch_interface_request(&body, false).map_err(|error| error.to_string()).and_then(
                |request| codec.write_fetch_interface_request(&request).map_err(|error| error.to_string()),
            ),
        )),
        "call_operation" => {
            let expected = vector.json("expect")?;
            check_metadata(&codec, &body, &expected["metadata"])
                .map_err(|reason| format!("metadata: {reason}"))?;
            let bound = written(bind(&codec, body, vector.json("descriptor")?));
            expect(&expected["bound"], &bound).map_err(|reason| format!("bound: {reason}"))
        }
        other => Err(format!("there is no route {other}")),
    }
}

/// A call decoded without a descriptor. Its head is compared as JSON, which leaves out the arguments.
fn check_metadata(codec: &Codec, body: &[u8], expected: &Json) -> Result<(), String> {
    let call = match codec.read_call_request(&Bytes::copy_from_slice(body), None) {
        Ok(call) => call,
        Err(error) => return expect(expected, &rejected(error)),
    };
    expect(expected, &Verdict::Accept(None))?;
    same(&expected["decoded"], &head_json(&call.head)?)
}

/// Writes a head as part of a call without arguments, whatever its operation is.
fn head_json(head: &CallHead) -> Result<Json, String> {
    let operation =
        json!({"name": &*head.operation, "parameters": [], "returns": {"type": {"kind": "unit"}}});
    let descriptor = json!({"format": "wip-interface/1", "types": [], "operations": [operation]});
    let operation = descriptor_of(&descriptor)?.operation(&head.operation).ok_or("no operation")?;
    let (target, interface) = (head.target.clone(), head.interface.clone());
    let arguments = worldspace_model::Arguments::default();
    let call = OutgoingCall { target, interface, operation, arguments, key: None, read: false };
    let body = Codec::default().write_call_request(&call).map_err(|error| error.to_string())?;
    let mut json: Json = serde_json::from_slice(&body).map_err(|error| error.to_string())?;
    json.as_object_mut().ok_or("a call is an object")?.remove("arguments");
    Ok(json)
}

fn observe_request(json: &Json) -> Result<ObserveRequest, String> {
    let path = EntryPath::parse(text(&json["path"])?).map_err(|fault| fault.to_string())?;
    let depth = json["depth"].as_u64().and_then(|depth| u32::try_from(depth).ok()).ok_or("no depth")?;
    Ok(ObserveRequest { path, depth })
}

pub(crate) fn observe_shape(vector: &Vector) -> Result<(), String> {
    let codec = codec(vector)?;
    let request = match observe_request(vector.json("request")?) {
        Ok(request) => request,
        // Nothing answers a request that cannot be made.
        Err(reason) => return vector.expect(&Verdict::Reject(reason)),
    };
    let body = vector.text("response_text")?.as_bytes();
    vector.expect(&match codec.read_observation(body, &request) {
        Ok(tree) => Verdict::Accept(Some(codec.write_observation(&tree).map_err(|error| error.to_string())?)),
        Err(error) => rejected(error),
    })
}

pub(crate) fn response(vector: &Vector) -> Result<(), String> {
    let codec = codec(vector)?;
    let body = vector.body()?;
    let status = vector.json("status")?.as_u64().and_then(|status| u16::try_from(status).ok());
    let status = status.ok_or("no status")?;
    let content = worldspace_http::content(&headers(vector.json("headers")?)?);
    let request = vector.json("request")?;
    let shown = |error: &dyn ToString| error.to_string();
    match vector.text("route")? {
        "observe" => {
            let request = observe_request(request)?;
            let read = |body: &[u8]| codec.read_observation(body, &request);
            let outcome = codec.classify(Interaction::Observe, status, content, &body, read);
            check_outcome(vector, outcome, |tree| codec.write_observation(&tree).map_err(|e| shown(&e)))
        }
        "fetch_interface" => {
            let wanted = &request["interface"];
            let interface = InterfaceReference::parse(text(&wanted["scope"])?, text(&wanted["name"])?);
            let interface = interface.map_err(|fault| fault.to_string())?;
            let request = FetchInterfaceRequest { interface, effects: false };
            let read = |body: &[u8]| codec.read_interface_response(body, &request);
            let outcome = codec.classify(Interaction::FetchInterface, status, content, &body, read);
            if let Outcome::Success(FetchedInterface::UnknownFormat(format)) = &outcome {
                return same(
                    vector.json("expect")?,
                    &json!({
                        "outcome": "unsupported_descriptor_format", "format": format,
                    }),
                );
            }
            check_outcome(vector, outcome, |fetched| match fetched {
                FetchedInterface::Known(response) => {
                    codec.write_interface_response(&response).map_err(|e| shown(&e))
                }
                FetchedInterface::UnknownFormat(format) => Err(format),
            })
        }
        "call_operation" => {
            let name = text(&request["operation"])?;
            let operation = descriptor_of(vector.json("descriptor")?)
                .ok()
                .and_then(|descriptor| descriptor.operation(name));
            let read = |body: &[u8]| match &operation {
                Some(operation) => codec.read_call_answer(body, operation),
                // Without a declaration, no result can be read.
                None => Err(Fault::new(Rule::InvalidRequest { reason: "no such operation" }).into()),
            };
            let outcome = codec.classify(Interaction::CallOperation, status, content, &body, read);
            check_outcome(vector, outcome, |answer| codec.write_call_answer(&answer).map_err(|e| shown(&e)))
        }
        other => Err(format!("there is no route {other}")),
    }
}

fn check_outcome<T>(
    vector: &Vector,
    outcome: Outcome<T>,
    write: impl FnOnce(T) -> Result<Vec<u8>, String>,
) -> Result<(), String> {
    let mut expected = vector.json("expect")?.clone();
    // Why a body cannot be read is told for people.
    expected.as_object_mut().ok_or("`expect` is no object")?.remove("cause");
    let actual = match outcome {
        Outcome::Success(answer) => {
            let body = write(answer)?;
            if expected["outcome"] != "success" {
                return Err(format!("success, where {expected} is expected"));
            }
            return same_text(text(&expected["canonical"])?, &body);
        }
        Outcome::Refused { error, mismatch } => {
            let mut json = json!({
                "outcome": "protocol_failure", "code": error.code.name(), "message": error.message.as_str(),
            });
            if let Some(mismatch) = mismatch {
                json["status_mismatch"] = json!({"actual": mismatch.actual, "expected": mismatch.expected});
            }
            json
        }
        Outcome::Invalid { kind, .. } => json!({"outcome": "invalid_response", "kind": kind.name()}),
        Outcome::Foreign { status, kind } => {
            json!({"outcome": "transport_failure", "kind": kind.name(), "status": status})
        }
    };
    same(&expected, &actual)
}

/// The table of codes, statuses and interactions.
pub(crate) fn error_codes(json: &str) -> Result<(), String> {
    let rows: Vec<Json> = serde_json::from_str(json).map_err(|error| error.to_string())?;
    if rows.len() != ErrorCode::ALL.len() {
        return Err(format!("there are {} codes, and {} are known", rows.len(), ErrorCode::ALL.len()));
    }
    for row in &rows {
        let name = text(&row["code"])?;
        let code = ErrorCode::parse(name).ok_or_else(|| format!("the code {name} is not known"))?;
        if row["status"] != status_of(code) {
            return Err(format!("{name} has the status {}", status_of(code)));
        }
        let listed = row["interactions"].as_array().ok_or("no interactions")?;
        for interaction in [Interaction::Observe, Interaction::FetchInterface, Interaction::CallOperation] {
            if listed.iter().any(|name| *name == *interaction.name()) != code.is_allowed_for(interaction) {
                return Err(format!("whether {name} belongs to {interaction} is not agreed"));
            }
        }
    }
    Ok(())
}
