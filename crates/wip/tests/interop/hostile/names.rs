//! `path.jsonl` and `reference.jsonl`: every path and reference wherever a request holds one, in a world where those
//! that are in order are there.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use worldspace_host::{Host, Interfaces, LocalPath, LocalReference, Memory, MemoryNode};
use worldspace_model::EntryPath;

use super::vector::{accepts, echo, interface, reference, vectors};
use super::verdict::{Report, SECRET, expect_error};
use crate::live::{Live, Reply, panics};

/// Whether an answer holds the Object of that path.
fn expect_object(reply: &Reply, object: &str, path: &str) -> Result<(), String> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let found =
        reply.status == 200 && reply.parsed().pointer(object).is_some_and(|object| object["name"] == name);
    if found { Ok(()) } else { Err(format!("no Object at {path:?}: {reply:?}")) }
}

#[tokio::test]
async fn every_path_is_found_or_refused() {
    let before = panics();
    let vectors = vectors("path");
    let memory = Memory::new();
    for vector in &vectors {
        if let Ok(path) = LocalPath::parse(vector.text("path")) {
            memory.put(&path, MemoryNode::new());
        }
    }
    let taking = echo(&json!([]), &json!({"kind": "entry"}));
    let i = LocalReference::at_root("i").unwrap();
    memory.serve(i.clone(), interface(&taking.to_string()).unwrap(), |_, call| async move {
        let value = call.argument("value").cloned().unwrap();
        Ok(call.done(value))
    });
    memory.put(&LocalPath::parse("/taking").unwrap(), MemoryNode::new().publishing(&Interfaces::new([i])));
    let live = Live::serve(Host::builder().mount(EntryPath::root(), memory).build().unwrap()).await;
    let validator = live.interface_validator("/", "i").await;
    let called = json!({"reference": {"scope": "/", "name": "i"}, "validator": validator});

    let mut report = Report::default();
    for vector in &vectors {
        let path = vector.text("path");
        let good = accepts(&vector.0["expect"]);
        for (route, body, object) in [
            ("observe", json!({"path": path, "depth": 0}), "/object"),
            ("fetch_tree", json!({"entry": path, "depth": 1, "limit": 2}), "/nodes/0/object"),
        ] {
            let body = body.to_string();
            let reply = live.post(route, body.clone()).await;
            report.add(
                vector.id(),
                match good {
                    true => expect_object(&reply, object, path),
                    false => expect_error(&reply, "invalid_request", &[], body.as_bytes()),
                },
            );
        }
        let call = json!({"target": {"path": path}, "interface": called, "operation": "op", "arguments": {}});
        let reply = live.post("call_operation", call.to_string()).await;
        let code = if good { "interface_mismatch" } else { "invalid_request" };
        let code = if path == "/taking" { "invalid_arguments" } else { code };
        report.add(vector.id(), expect_error(&reply, code, &[], call.to_string().as_bytes()));

        let call = json!({
            "target": {"path": "/taking"}, "interface": called, "operation": "op", "arguments": {"value": path}
        });
        let reply = live.post("call_operation", call.to_string()).await;
        report.add(
            vector.id(),
            match good {
                true if reply.status == 200 && reply.parsed()["result"] == path => Ok(()),
                true => Err(format!("no echo: {reply:?}")),
                false => expect_error(
                    &reply,
                    "invalid_arguments",
                    &["arguments.value"],
                    call.to_string().as_bytes(),
                ),
            },
        );
        let body = json!({"interface": {"scope": path, "name": "none"}}).to_string();
        let reply = live.post("fetch_interface", body.clone()).await;
        let (code, place) =
            if good { ("interface_not_found", "::none`") } else { ("invalid_request", "interface.scope") };
        let place = if path.chars().count() > 100 { "interface" } else { place };
        report.add(vector.id(), expect_error(&reply, code, &[place], body.as_bytes()));
    }
    // All of them in one request: each is refused for itself alone.
    let paths: Vec<&str> = vectors.iter().map(|vector| vector.text("path")).collect();
    let reply = live.post("fetch", json!({"entries": paths}).to_string()).await;
    let results = reply.parsed()["results"].as_array().unwrap().clone();
    assert_eq!(results.len(), vectors.len());
    for (vector, result) in vectors.iter().zip(results) {
        let name = vector.text("path").rsplit('/').next().unwrap_or_default();
        report.add(
            vector.id(),
            match accepts(&vector.0["expect"]) {
                true if result["object"]["name"] == name => Ok(()),
                false if result["error"]["code"] == "invalid_request" => {
                    let message = result["error"]["message"].as_str().unwrap();
                    super::verdict::check_message(message, vector.text("path").as_bytes())
                }
                _ => Err(result.to_string()),
            },
        );
    }
    report.end(126 * 6);
    live.expect_alive().await;
    assert_eq!(panics(), before);
}

#[tokio::test]
async fn every_reference_is_found_or_refused() {
    let before = panics();
    let vectors = vectors("reference");
    let memory = Memory::new();
    let descriptor = interface(&echo(&json!([]), &json!({"kind": "unit"})).to_string()).unwrap();
    let mut published: BTreeMap<LocalPath, BTreeSet<(String, String)>> = BTreeMap::new();
    for vector in &vectors {
        let (scope, name) = coordinates(vector);
        let Some(reference) = reference(scope, name) else { continue };
        published.entry(reference.scope.clone()).or_default();
        memory.serve(reference, descriptor.clone(), |_, call| async move {
            let value = call.argument("value").cloned().unwrap();
            Ok(call.done(value))
        });
        let path = vector.0.get("path").and_then(|path| LocalPath::parse(path.as_str()?).ok());
        let Some(path) = path else { continue };
        let here = published.entry(path).or_default();
        if accepts(&vector.0["expect"]) {
            here.insert((scope.to_owned(), name.to_owned()));
        }
    }
    for (path, references) in published {
        let references = references.iter().filter_map(|(scope, name)| reference(scope, name));
        memory.put(&path, MemoryNode::new().described(SECRET).publishing(&Interfaces::new(references)));
    }
    let live = Live::serve(Host::builder().mount(EntryPath::root(), memory).build().unwrap()).await;

    let mut report = Report::default();
    for vector in &vectors {
        let (scope, name) = coordinates(vector);
        let reference = json!({"scope": scope, "name": name});
        let well_formed = super::vector::reference(scope, name).is_some();
        let body = json!({"interface": reference}).to_string();
        let reply = live.post("fetch_interface", body.clone()).await;
        report.add(
            vector.id(),
            match well_formed {
                true if reply.status == 200 && reply.parsed()["interface"] == reference => Ok(()),
                true => Err(format!("no interface: {reply:?}")),
                false => expect_error(&reply, "invalid_request", &["interface"], body.as_bytes()),
            },
        );
        if vector.text("check") == "shape" {
            assert_eq!(accepts(&vector.0["expect"]), well_formed, "{}", vector.id());
            continue;
        }
        let validator =
            if well_formed { live.interface_validator(scope, name).await } else { "AA==".to_owned() };
        let call = json!({
            "target": {"path": vector.text("path")},
            "interface": {"reference": reference, "validator": validator},
            "operation": "op",
            "arguments": {"value": null},
        })
        .to_string();
        let reply = live.post("call_operation", call.clone()).await;
        let expected = &vector.0["expect"];
        report.add(
            vector.id(),
            match expected["rule"].as_str() {
                None if accepts(expected) && reply.status == 200 => Ok(()),
                Some("interface_scope_mismatch") => {
                    expect_error(&reply, "interface_mismatch", &[], call.as_bytes())
                }
                Some(_) => expect_error(&reply, "invalid_request", &[], call.as_bytes()),
                None => Err(format!("not run: {reply:?}")),
            },
        );
    }
    report.end(116 + 90);
    live.expect_alive().await;
    assert_eq!(panics(), before);
}

fn coordinates(vector: &super::vector::Vector) -> (&str, &str) {
    let reference = &vector.0["reference"];
    (reference["scope"].as_str().unwrap(), reference["name"].as_str().unwrap())
}
