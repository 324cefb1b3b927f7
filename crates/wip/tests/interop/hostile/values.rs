//! `value.jsonl`: every value as the argument of a call, bound to a descriptor that the Host serves.

use serde_json::json;
use worldspace_host::{Host, Interfaces, LocalPath, LocalReference, Memory, MemoryNode};
use worldspace_model::EntryPath;

use super::vector::{accepts, echo, interface, parsed, same, vectors};
use super::verdict::{Report, SECRET, expect_error};
use crate::live::{Live, panics};

#[tokio::test]
async fn every_value_is_taken_or_refused_as_an_argument() {
    let before = panics();
    let vectors = vectors("value");
    let memory = Memory::new();
    let mut references = Vec::new();
    for (at, vector) in vectors.iter().enumerate() {
        let reference = LocalReference::at_root(&format!("i{at}")).unwrap();
        let descriptor = echo(&vector.0["types"], &vector.0["type"]);
        let interface =
            interface(&descriptor.to_string()).unwrap_or_else(|| panic!("{}: {descriptor}", vector.id()));
        memory.serve(reference.clone(), interface, |_, call| async move {
            let value = call.argument("value").cloned().unwrap();
            Ok(call.done(value))
        });
        references.push(reference);
    }
    let node = MemoryNode::new().described(SECRET).publishing(&Interfaces::new(references));
    memory.put(&LocalPath::parse("/t").unwrap(), node);
    let live = Live::serve(Host::builder().mount(EntryPath::root(), memory).build().unwrap()).await;

    let mut report = Report::default();
    for (at, vector) in vectors.iter().enumerate() {
        let name = format!("i{at}");
        let validator = live.interface_validator("/", &name).await;
        let interface = json!({"reference": {"scope": "/", "name": name}, "validator": validator});
        let body = format!(
            r#"{{"target":{{"path":"/t"}},"interface":{interface},"operation":"op","arguments":{{"value":{}}}}}"#,
            vector.text("value_text")
        );
        let expected = &vector.0["expect"]["argument"];
        let reply = live.post("call_operation", body.clone()).await;
        let result = match expected["class"].as_str() {
            None if accepts(expected) => {
                let canonical = parsed(&expected["canonical"]);
                let echoed = reply.status == 200 && same(&canonical, &reply.parsed()["result"]);
                if echoed { Ok(()) } else { Err(format!("{canonical} was expected: {reply:?}")) }
            }
            Some("invalid_json" | "nesting_too_deep") => {
                expect_error(&reply, "invalid_request", &[], body.as_bytes())
            }
            _ => expect_error(&reply, "invalid_arguments", &["arguments.value"], body.as_bytes()),
        };
        report.add(vector.id(), result);
    }
    report.end(440);
    live.expect_alive().await;
    assert_eq!(panics(), before);
}
