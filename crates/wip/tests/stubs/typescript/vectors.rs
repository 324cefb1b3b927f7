//! The vectors of values and of answers, as the runtime takes them.

use serde_json::{Value as Json, json};
use worldspace_model::{EffectTable, FetchInterfaceRequest, InterfaceName, InterfaceReference};
use worldspace_projections::stubs::Source;
use worldspace_wire::{Codec, FetchedInterface, Limits};

use super::project::Project;

/// Where clients are less strict on purpose, or cannot know better: fields that nobody declared are left out, `1.0` cannot be
/// told from `1`, and the limit of nesting is that of the protocol.
fn is_lenient(vector: &Json) -> bool {
    let (id, result) = (vector["id"].as_str().unwrap(), &vector["expect"]["result"]);
    let fraction = vector["value_text"].as_str().unwrap().contains(['.', 'e', 'E']);
    result["rule"] == "unknown_field"
        || result["class"] == "unknown_field"
        || (id.starts_with("value/number/integer/") && fraction)
        || id == "value/record/fields/optional-fraction"
        || id.starts_with("value/nesting/")
}

fn vectors(text: &str) -> Vec<Json> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The interface `i` with this descriptor, called `called`.
fn source(descriptor: &Json, called: String) -> Option<Source> {
    let body = json!({"interface": {"scope": "/", "name": "i"}, "descriptor": descriptor}).to_string();
    let interface = InterfaceReference::parse("/", "i").unwrap();
    let codec = Codec::json(Limits::new(1 << 20, 1 << 20, 64).unwrap());
    let request = FetchInterfaceRequest { interface, effects: false };
    let Ok(FetchedInterface::Known(fetched)) = codec.read_interface_response(body.as_bytes(), &request)
    else {
        return None;
    };
    let name = InterfaceName::parse("i").unwrap();
    Some(Source { called: Some(called), ..Source::new(name, fetched.descriptor, EffectTable::default()) })
}

#[test]
fn values_are_judged_as_by_everybody() {
    let mut sources = Vec::new();
    let mut cases = Vec::new();
    for vector in vectors(include_str!("../../../../../conformance/value.jsonl")) {
        let id = vector["id"].as_str().unwrap();
        // What would be rounded under `json` is refused by all of this project.
        let rounded = vector.get("advisory").is_some() && id.starts_with("value/number/json/");
        if (vector.get("advisory").is_some() && !rounded) || is_lenient(&vector) {
            continue;
        }
        let returns = json!({"type": vector["type"]});
        let descriptor = json!({"format": "wip-interface/1", "types": vector["types"], "operations": [
            {"name": "give", "parameters": [], "returns": returns},
            {"name": "take", "parameters": [{"name": "value", "required": true, "type": vector["type"]}],
             "returns": returns}]});
        let called = format!("V{}", cases.len());
        let Some(source) = source(&descriptor, called.clone()) else { continue };
        sources.push(source);
        cases.push(json!({"id": id, "class": called, "descriptor": descriptor, "text": vector["value_text"],
            "good": !rounded && vector["expect"]["result"]["verdict"] == "accept",
            "canonical": vector["expect"]["result"]["canonical"]}));
    }
    assert!(cases.len() > 300, "{}", cases.len());
    let Some(project) = Project::new("vectors_client", &sources) else { return };
    project.add("cases.json", &Json::Array(cases).to_string());
    project.add("vectors.ts", include_str!("vectors.ts"));
    project.compiles();
    project.runs("vectors", &[]);
}

#[test]
fn answers_to_calls_are_judged_as_by_everybody() {
    let mut sources = Vec::new();
    let mut cases = Vec::new();
    for mut vector in vectors(include_str!("../../../../../conformance/response.jsonl")) {
        // Of a coding, `fetch` says nothing.
        let coded = vector["id"].as_str().unwrap().starts_with("response/content-encoding/");
        if vector["route"] != "call_operation" || vector.get("advisory").is_some() || coded {
            continue;
        }
        let called = format!("V{}", cases.len());
        let wanted = vector["request"]["operation"].clone();
        for operation in vector["descriptor"]["operations"].as_array_mut().unwrap() {
            // What is given does not matter here.
            operation["parameters"] = json!([]);
            if operation["name"] == wanted {
                operation["name"] = "op".into();
            }
        }
        let Some(source) = source(&vector["descriptor"], called.clone()) else { continue };
        sources.push(source);
        vector["class"] = called.into();
        cases.push(vector);
    }
    assert!(cases.len() > 60, "{}", cases.len());
    let Some(project) = Project::new("vectors_client", &sources) else { return };
    project.add("cases.json", &Json::Array(cases).to_string());
    project.add("answers.ts", include_str!("answers.ts"));
    project.compiles();
    project.runs("answers", &[]);
}
