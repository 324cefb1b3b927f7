//! The vectors of the repository, those left out that are merely advisory.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Json, json};
use worldspace_host::{Interface, LocalPath, LocalReference};
use worldspace_model::{EffectTable, FetchInterfaceRequest, InterfaceName, InterfaceReference};
use worldspace_wire::{Codec, FetchedInterface};

/// One vector.
pub(crate) struct Vector(pub(crate) Json);

/// All vectors of an area that are more than advice.
pub(crate) fn vectors(area: &str) -> Vec<Vector> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance").join(format!("{area}.jsonl"));
    let text = std::fs::read_to_string(path).unwrap();
    let parsed = text.lines().map(|line| Vector(serde_json::from_str(line).unwrap()));
    parsed.filter(|vector| vector.0.get("advisory").is_none()).collect()
}

impl Vector {
    pub(crate) fn id(&self) -> &str {
        self.text("id")
    }

    pub(crate) fn text(&self, member: &str) -> &str {
        self.0[member].as_str().unwrap_or_else(|| panic!("no text {member} in {}", self.0))
    }

    pub(crate) fn body(&self) -> Vec<u8> {
        match self.0.get("body_base64") {
            Some(encoded) => STANDARD.decode(encoded.as_str().unwrap()).unwrap(),
            None => self.text("body").as_bytes().to_vec(),
        }
    }
}

pub(crate) fn accepts(verdict: &Json) -> bool {
    match verdict["verdict"].as_str() {
        Some("accept") => true,
        Some("reject") => false,
        other => panic!("no verdict: {other:?}"),
    }
}

/// A canonical text of a vector, or some other text, as JSON.
pub(crate) fn parsed(text: &Json) -> Json {
    serde_json::from_str(text.as_str().unwrap()).unwrap()
}

/// Whether two texts are the same canonical one: numbers by their value, and integers spelled as such.
pub(crate) fn same(expected: &Json, actual: &Json) -> bool {
    match (expected, actual) {
        (Json::Number(left), Json::Number(right)) => {
            let whole = |number: &serde_json::Number| number.is_i64() || number.is_u64();
            left.as_f64() == right.as_f64() && (!whole(left) || whole(right))
        }
        (Json::Array(left), Json::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Json::Object(left), Json::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, left)| right.get(name).is_some_and(|right| same(left, right)))
        }
        _ => expected == actual,
    }
}

/// An interface to be served, from its descriptor as JSON; none where that is no good descriptor.
pub(crate) fn interface(descriptor: &str) -> Option<Interface> {
    let reference = InterfaceReference::parse("/", "i").unwrap();
    let body = format!(r#"{{"interface":{{"scope":"/","name":"i"}},"descriptor":{descriptor}}}"#);
    let request = FetchInterfaceRequest { interface: reference, effects: false };
    match Codec::json(crate::live::recorded_limits()).read_interface_response(body.as_bytes(), &request) {
        Ok(FetchedInterface::Known(response)) => {
            let effects = EffectTable::new(&response.descriptor, Vec::new()).unwrap();
            Some(Interface::new(response.descriptor, effects))
        }
        _ => None,
    }
}

/// A descriptor with one operation that gives its argument back.
pub(crate) fn echo(types: &Json, ty: &Json) -> Json {
    let parameter = json!({"name": "value", "required": true, "type": ty});
    let operation = json!({"name": "op", "parameters": [parameter], "returns": {"type": ty}});
    json!({"format": "wip-interface/1", "types": types, "operations": [operation]})
}

/// A reference of a provider at the root.
pub(crate) fn reference(scope: &str, name: &str) -> Option<LocalReference> {
    Some(LocalReference { scope: LocalPath::parse(scope).ok()?, name: InterfaceName::parse(name).ok()? })
}
