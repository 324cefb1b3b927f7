//! The request vectors against a live server: what they reject gets the right answer, and the server goes on.

use std::path::Path;

use serde_json::Value as Json;

use crate::raw::{Reply, Running};

use tokio::io::AsyncWriteExt as _;

#[tokio::test]
async fn every_rejected_request_is_answered_as_such() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/request.jsonl");
    let vectors = std::fs::read_to_string(&path).unwrap();
    let server = Running::with(|config| {
        config.wire = worldspace_wire::Limits::new(1 << 20, 1 << 20, 64).unwrap();
    })
    .await;
    let mut thrown = 0;
    for line in vectors.lines() {
        let vector: Json = serde_json::from_str(line).unwrap();
        let route = vector["route"].as_str().unwrap();
        let expected =
            if route == "call_operation" { &vector["expect"]["metadata"] } else { &vector["expect"] };
        let skipped = vector.get("limits").is_some() || vector.get("advisory").is_some();
        let Some(body) = vector["body"].as_str().filter(|_| !skipped) else { continue };
        if expected["verdict"] != "reject" {
            continue;
        }
        thrown += 1;
        let head = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        let mut stream = server.connect().await;
        let request = server.request(&format!("POST /v1/{route}"), &head, "");
        stream.write_all((request + body).as_bytes()).await.unwrap();
        let reply = Reply::read(&mut stream).await;
        if expected["class"] == "body_too_large" {
            reply.expect_plain(413);
        } else {
            assert_eq!((reply.status, reply.code()), (400, "invalid_request"), "{}: {reply:?}", vector["id"]);
        }
    }
    assert!(thrown > 50, "{thrown} vectors were thrown");
    assert_eq!(server.world.arrived.load(std::sync::atomic::Ordering::SeqCst), 0);
    assert_eq!(server.observe("/").await.status, 200);
}
