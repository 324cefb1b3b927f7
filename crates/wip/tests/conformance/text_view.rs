//! The area that the text form decides.

use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use worldspace_idl::text_view;
use worldspace_model::{FetchInterfaceRequest, InterfaceReference};
use worldspace_wire::{Codec, FetchedInterface, Limits};

use crate::vector::{Vector, text};

pub(crate) fn text_view(vector: &Vector) -> Result<(), String> {
    let shown = match vector.text("kind")? {
        "object" => object(&input(vector, "object", "object_parts")?),
        "interface" => {
            let descriptor = input(vector, "descriptor", "descriptor_parts")?;
            interface(vector.json("reference")?, &descriptor)
        }
        other => return Err(format!("there is no kind {other}")),
    };
    let expected = vector.json("expect")?;
    match (expected["verdict"].as_str(), shown) {
        (Some("accept"), Ok(shown)) => compare(expected, &shown),
        (Some("accept"), Err(reason)) => Err(format!("rejected: {reason}")),
        (Some("reject"), Err(_)) => Ok(()),
        (Some("reject"), Ok(_)) => Err(format!("accepted, where {expected} is expected")),
        _ => Err(format!("no known verdict: {expected}")),
    }
}

/// The JSON text of the input, put together where it is given in parts.
fn input(vector: &Vector, whole: &str, parts: &str) -> Result<String, String> {
    if let Some(json) = vector.get(whole) {
        return Ok(json.to_string());
    }
    let parts = vector.json(parts)?.as_array().ok_or("the parts are no list")?;
    let mut put_together = String::new();
    for part in parts {
        match part {
            Json::String(text) => put_together.push_str(text),
            part => {
                let (repeat, join) = (text(&part["repeat"])?, text(&part["join"])?);
                let count = part["count"].as_u64().ok_or("`count` is no number")?;
                let copies = (0..count).map(|copy| repeat.replace("%i", &copy.to_string()));
                put_together.push_str(&copies.collect::<Vec<_>>().join(join));
            }
        }
    }
    Ok(put_together)
}

/// Without the limits of a body, which are not asked about.
fn codec() -> Result<Codec, String> {
    let limits = Limits::new(usize::MAX, usize::MAX, Limits::MAX_NESTING);
    Ok(Codec::json(limits.map_err(|error| error.to_string())?))
}

fn object(json: &str) -> Result<String, String> {
    let object = codec()?.read_object(json.as_bytes()).map_err(|error| error.to_string())?;
    Ok(text_view::object(&object))
}

fn interface(reference: &Json, descriptor: &str) -> Result<String, String> {
    let interface = InterfaceReference::parse(text(&reference["scope"])?, text(&reference["name"])?)
        .map_err(|fault| fault.to_string())?;
    let request = FetchInterfaceRequest { interface, effects: false };
    let body = format!("{{\"interface\":{reference},\"descriptor\":{descriptor}}}");
    let read = codec()?.read_interface_response(body.as_bytes(), &request);
    match read.map_err(|error| error.to_string())? {
        FetchedInterface::Known(answer) => Ok(text_view::interface(&answer.interface, &answer.descriptor)),
        FetchedInterface::UnknownFormat(format) => Err(format!("the format {format} is not known")),
    }
}

fn compare(expected: &Json, shown: &str) -> Result<(), String> {
    let same = match expected.get("text") {
        Some(wanted) => wanted == shown,
        None => {
            let digest = Sha256::digest(shown.as_bytes());
            let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            expected["text_bytes"] == shown.len() && expected["text_sha256"] == *digest
        }
    };
    if same { Ok(()) } else { Err(format!("expected {expected}, shown as {shown}")) }
}
