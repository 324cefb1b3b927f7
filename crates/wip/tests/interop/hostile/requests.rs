//! `request.jsonl`: every body on its route, as it stands; and every call once more with what the Host wants to see of
//! target and interface, so that its arguments are reached.

use serde_json::value::RawValue;
use serde_json::{Value as Json, json};
use worldspace_host::{Host, Interfaces, LocalPath, LocalReference, Memory, MemoryNode};
use worldspace_model::{EntryPath, Value};
use worldspace_wire::Limits;

use super::vector::{Vector, accepts, interface, parsed, same, vectors};
use super::verdict::{Report, SECRET, expect_error, expect_plain};
use crate::live::{Live, Reply, panics, recorded_limits};

/// A Host with what a request asks for, and its operations giving their arguments back.
async fn serve(vector: &Vector) -> Live {
    let memory = Memory::new();
    memory.put(&LocalPath::parse("/neighbour").unwrap(), MemoryNode::new().described(SECRET));
    let reference = LocalReference::at_root("i").unwrap();
    let mut descriptor = vector.0.get("descriptor").cloned().unwrap_or(json!({
        "format": "wip-interface/1", "types": [], "operations": []
    }));
    for operation in descriptor["operations"].as_array_mut().unwrap() {
        operation["returns"] = json!({"type": {"kind": "record", "fields": operation["parameters"]}});
    }
    let interface =
        interface(&descriptor.to_string()).unwrap_or_else(|| panic!("{}: {descriptor}", vector.id()));
    memory.serve(reference.clone(), interface, |_, call| async move {
        let arguments = call.arguments().record().clone();
        Ok(call.done(Value::Record(arguments)))
    });
    let node = MemoryNode::new().publishing(&Interfaces::new([reference]));
    for path in ["/a", "/\0"] {
        memory.put(&LocalPath::parse(path).unwrap(), node.clone());
    }
    let host = Host::builder().mount(EntryPath::root(), memory).build().unwrap();
    let limits = vector.0.get("limits").map_or(recorded_limits(), |json| {
        let limit = |name: &str| usize::try_from(json[name].as_u64().unwrap()).unwrap();
        // What an answer may measure is the Host's own affair.
        Limits::new(limit("max_request_bytes"), 1 << 20, limit("max_nesting")).unwrap()
    });
    Live::configured(host, |config| config.wire = limits).await
}

#[tokio::test]
async fn every_request_is_taken_or_refused() {
    let before = panics();
    let mut report = Report::default();
    // A server for each descriptor would do; one for each vector is as fast, and nothing is left over in it.
    for vector in vectors("request") {
        let live = serve(&vector).await;
        let (route, body) = (vector.text("route"), vector.body());
        let reply = live.post(route, body.clone()).await;
        let call = route == "call_operation";
        let expected = if call { &vector.0["expect"]["metadata"] } else { &vector.0["expect"] };
        let result = match expected["class"].as_str() {
            None if accepts(expected) => accepted(&vector, &reply),
            Some("body_too_large") => expect_plain(&reply, 413, &body),
            _ => expect_error(&reply, "invalid_request", &[], &body),
        };
        report.add(vector.id(), result);
        if call && accepts(expected) {
            report.add(vector.id(), bound(&live, &vector).await);
        }
        // A limit of the vector may be below what this asks.
        if vector.0.get("limits").is_none() {
            live.expect_alive().await;
        }
    }
    report.end(230);
    assert_eq!(panics(), before);
}

/// What becomes of a request that is in order.
fn accepted(vector: &Vector, reply: &Reply) -> Result<(), String> {
    let body = vector.body();
    let request: Json = serde_json::from_slice(&body).unwrap();
    match vector.text("route") {
        "observe" => match parsed(&vector.0["expect"]["canonical"])["path"].as_str().unwrap() {
            "/" | "/a" if too_shallow(vector) => {
                expect_error(reply, "resource_limit_exceeded", &["limit"], &body)
            }
            path @ ("/" | "/a" | "/\0") => {
                let name = &reply.parsed()["object"]["name"];
                if name == &path[1..] { Ok(()) } else { Err(format!("no {path}: {reply:?}")) }
            }
            _ => expect_error(reply, "not_found", &["`/"], &body),
        },
        "fetch_interface" => match &parsed(&vector.0["expect"]["canonical"])["interface"] {
            here if *here == json!({"scope": "/", "name": "i"}) => {
                if reply.parsed()["interface"] == *here {
                    Ok(())
                } else {
                    Err(format!("no {here}: {reply:?}"))
                }
            }
            _ => expect_error(reply, "interface_not_found", &["interface `/"], &body),
        },
        _ => {
            // The head as it stands meets the checks in their order.
            let (target, interface) = (&request["target"], &request["interface"]);
            let code = if target.get("validator").is_some() {
                "validator_mismatch"
            } else if interface["reference"] != json!({"scope": "/", "name": "i"})
                || interface.get("scope_ref").is_some()
            {
                "interface_mismatch"
            } else if interface.get("validator").is_some() {
                "interface_validator_mismatch"
            } else {
                "interface_validator_required"
            };
            let named = if code == "validator_mismatch" { "`/a`" } else { "`/" };
            expect_error(reply, code, &[named], &body)
        }
    }
}

/// Whether the limits of a vector let a request through and no answer.
fn too_shallow(vector: &Vector) -> bool {
    vector.0.get("limits").is_some_and(|limits| limits["max_nesting"].as_u64() < Some(4))
}

/// A call with the arguments exactly as they are spelled, in a head that the Host lets through.
async fn bound(live: &Live, vector: &Vector) -> Result<(), String> {
    let body = vector.body();
    let members: std::collections::BTreeMap<String, Box<RawValue>> = serde_json::from_slice(&body).unwrap();
    let decoded = &vector.0["expect"]["metadata"]["decoded"];
    let (path, reference) = (&decoded["target"]["path"], &decoded["interface"]["reference"]);
    let validator = live.interface_validator("/", "i").await;
    let interface = json!({"reference": reference, "validator": validator});
    let arguments = members["arguments"].get();
    let operation = &decoded["operation"];
    let body = format!(
        r#"{{"target":{{"path":{path}}},"interface":{interface},"operation":{operation},"arguments":{arguments}}}"#
    );
    let reply = live.post("call_operation", body.clone()).await;
    let expected = &vector.0["expect"]["bound"];
    let declared = vector.0["descriptor"]["operations"].as_array().unwrap();
    if *reference != json!({"scope": "/", "name": "i"}) {
        expect_error(&reply, "interface_mismatch", &["`/elsewhere::i`"], body.as_bytes())
    } else if !declared.iter().any(|declared| declared["name"] == *operation) {
        expect_error(&reply, "operation_not_found", &["`/::i`", "operation `"], body.as_bytes())
    } else if accepts(expected) {
        let canonical = parsed(&expected["canonical"])["arguments"].clone();
        let echoed = reply.status == 200 && same(&canonical, &reply.parsed()["result"]);
        if echoed { Ok(()) } else { Err(format!("{canonical} was expected: {reply:?}")) }
    } else {
        expect_error(&reply, "invalid_arguments", &["arguments"], body.as_bytes())
    }
}
