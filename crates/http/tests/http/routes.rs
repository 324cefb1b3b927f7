//! What the routes answer.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;

use crate::raw::{LONG, Running, call};
use crate::world::Seen;

#[tokio::test]
async fn every_route_answers() {
    let server = Running::new().await;
    let cases = [
        ("observe", r#"{"path":"/a","depth":0}"#.to_owned(), r#"{"object":{"name":"a""#),
        ("fetch", r#"{"entries":["/a","b"]}"#.to_owned(), r#"{"results":[{"object":{"name":"a""#),
        (
            "fetch_tree",
            r#"{"entry":"/a","depth":1,"limit":5}"#.to_owned(),
            r#"{"nodes":[{"object":{"name":"a""#,
        ),
        (
            "fetch_interface",
            r#"{"interface":{"scope":"/","name":"test"}}"#.to_owned(),
            r#"{"interface":{"scope":"/","name":"test"}"#,
        ),
        ("call_operation", call("echo"), r#"{"result":"hello"}"#),
    ];
    for (interaction, body, begin) in cases {
        let reply = server.post(interaction, "", &body).await;
        assert_eq!(reply.status, 200, "{interaction}: {reply:?}");
        assert_eq!(reply.header("content-type"), Some("application/json"), "{interaction}");
        assert_eq!(reply.header("content-length"), Some(&*reply.body.len().to_string()), "{interaction}");
        assert!(reply.body.starts_with(begin), "{interaction}: {reply:?}");
    }
    let reply = server.send(&server.request("GET /v1", "", "")).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    for part in [
        r#""wip":1"#,
        r#""fetch_tree""#,
        r#""application/json""#,
        r#""effects""#,
        r#""request_bytes":1048576"#,
    ] {
        assert!(reply.body.contains(part), "{part}: {reply:?}");
    }
    assert!(!reply.body.contains("call_outcome"), "{reply:?}");
}

#[tokio::test]
async fn routes_stand_below_the_base_path() {
    let server = Running::with(|config| config.base_path = "/a b/{x}/:y".to_owned()).await;
    let base = server.endpoint.base_path().to_owned();
    assert!(base.starts_with("/a%20b/") && base.ends_with("/:y/"), "{base}");
    let json = "Content-Type: application/json\r\n";
    let body = r#"{"path":"/","depth":0}"#;
    for (line, status) in [
        (format!("POST {base}v1/observe"), 200),
        ("POST /v1/observe".to_owned(), 404),
        (format!("POST http://{}{base}v1/observe", server.address), 200),
    ] {
        assert_eq!(server.send(&server.request(&line, json, body)).await.status, status, "{line}");
    }
    assert_eq!(server.send(&server.request(&format!("GET {base}"), "", "")).await.status, 200);
    server.send(&server.request("GET /", "", "")).await.expect_plain(404);
}

#[tokio::test]
async fn the_page_says_what_this_is_and_loads_nothing() {
    let server = Running::with(|config| config.title = "<My & World>".to_owned()).await;
    for accept in ["", "Accept: */*\r\n", "Accept: text/html,application/xml;q=0.9\r\n"] {
        let reply = server.send(&server.request("GET /", accept, "")).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"));
        assert!(reply.header("content-security-policy").unwrap().starts_with("default-src 'none'"));
        let command = format!("wip tree --at {}", server.endpoint);
        for part in ["<title>&lt;My &amp; World&gt;</title>", &command, "/v1/call_operation", "WIP Host"] {
            assert!(reply.body.contains(part), "{part}: {reply:?}");
        }
        assert!(!reply.body.contains("src=") && !reply.body.contains("<script"), "{reply:?}");
    }
    let head = server.send(&server.request("HEAD /", "", "")).await;
    assert!(head.status == 200 && head.body.is_empty(), "{head:?}");
    assert!(head.header("content-length").unwrap().parse::<u64>().unwrap() > 100, "{head:?}");
}

#[tokio::test]
async fn further_routes_stand_beside_those_of_the_protocol() {
    let further = axum::Router::new()
        .route("/view", axum::routing::get(|| async { "a view" }))
        .route("/v1/observe", axum::routing::post(|| async { "never reached" }));
    let server = Running::routed(|_| {}, further).await;
    let reply = server.send(&server.request("GET /view", "", "")).await;
    assert_eq!((reply.status, &*reply.body), (200, "a view"));
    assert_eq!(server.send(&server.request("GET /view", "Host: evil.test\r\n", "")).await.status, 421);
    assert!(server.observe("/").await.body.starts_with(r#"{"object""#));
    assert_eq!(server.send(&server.request("GET /", "", "")).await.status, 200);
    server.send(&server.request("GET /none", "", "")).await.expect_plain(404);
}

#[tokio::test]
async fn errors_of_the_protocol_have_their_status_and_an_envelope() {
    let server = Running::new().await;
    for (interaction, body, status, code) in [
        ("observe", r#"{"path":"/gone","depth":0}"#.to_owned(), 404, "not_found"),
        ("observe", r#"{"path":"gone","depth":0}"#.to_owned(), 400, "invalid_request"),
        ("observe", "{".to_owned(), 400, "invalid_request"),
        ("observe", r#"{"path":"/panic","depth":0}"#.to_owned(), 500, "internal"),
        ("fetch_tree", r#"{"entry":"/panic","depth":0,"limit":1}"#.to_owned(), 500, "internal"),
        ("fetch_tree", r#"{"entry":"/","depth":0,"limit":0}"#.to_owned(), 400, "invalid_request"),
        ("fetch_interface", r#"{"interface":{"scope":"/"}}"#.to_owned(), 400, "invalid_request"),
        ("call_operation", call("refuse"), 403, "permission_denied"),
        ("call_operation", call("none"), 404, "operation_not_found"),
        ("call_operation", call("panic"), 500, "operation_outcome_unknown"),
    ] {
        let reply = server.post(interaction, "", &body).await;
        assert_eq!((reply.status, reply.code()), (status, code), "{interaction} {body}: {reply:?}");
        assert_eq!(reply.header("content-type"), Some("application/json"));
    }
    assert_eq!(server.observe("/").await.status, 200, "a panic leaves the server as it was");
}

#[tokio::test]
async fn a_panic_outside_the_host_is_answered_too() {
    async fn broken() -> &'static str {
        panic!("asked to")
    }
    let further = axum::Router::new().route("/broken", axum::routing::get(broken));
    let server = Running::routed(|_| {}, further).await;
    server.world.speechless.store(true, Ordering::SeqCst);
    let capabilities = server.send(&server.request("GET /v1", "", "")).await;
    assert_eq!((capabilities.status, capabilities.code()), (500, "internal"));
    server.send(&server.request("GET /broken", "", "")).await.expect_plain(500);
    assert_eq!(server.observe("/").await.status, 200);
}

#[tokio::test]
async fn every_answer_has_the_name_that_the_log_gives_it() {
    let further = axum::Router::new().route("/view", axum::routing::get(|| async { "a view" }));
    let server = Running::routed(|_| {}, further).await;
    let mut names = std::collections::BTreeSet::new();
    for line in ["GET /v1", "GET /view", "GET /", "GET /none", "PUT /v1/observe", "GET /v1"] {
        let reply = server.send(&server.request(line, "", "")).await;
        let name = reply.header("x-request-id").unwrap_or_else(|| panic!("{line}: {reply:?}"));
        assert!(name.len() == 16 && names.insert(name.to_owned()), "{line}: {name}");
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_sent_says_whether_something_happened() {
    let server = Running::with(|config| {
        config.wire = worldspace_wire::Limits::new(1 << 20, 4096, 64).unwrap();
    })
    .await;
    let observed = server.observe("/large").await;
    assert_eq!((observed.status, observed.code()), (422, "resource_limit_exceeded"));
    assert!(observed.body.contains("4096"), "{observed:?}");
    let read = server.call("large_read", "").await;
    assert_eq!((read.status, read.code()), (422, "resource_limit_exceeded"));
    let called = server.call("large", "").await;
    assert_eq!((called.status, called.code()), (500, "operation_outcome_unknown"));
}

#[tokio::test]
async fn a_passed_deadline_ends_an_observation() {
    let server = Running::with(|config| config.limits.default_deadline = Duration::from_millis(50)).await;
    let reply = server.observe("/hang").await;
    assert_eq!((reply.status, reply.code()), (422, "resource_limit_exceeded"));
    assert_eq!(server.world.over.load(Ordering::SeqCst), 1, "the request was given up");
}

#[tokio::test]
async fn a_passed_deadline_leaves_a_call_to_the_host() {
    let server = Running::with(|config| config.limits.default_deadline = Duration::from_millis(50)).await;
    let (reply, ()) = tokio::join!(server.call("hang", ""), async {
        server.world.hangs.notified().await;
        tokio::time::sleep(Duration::from_millis(400)).await;
        assert_eq!(server.world.over.load(Ordering::SeqCst), 0, "the call goes on past its deadline");
        server.world.release.notify_one();
    });
    assert_eq!((reply.status, &*reply.body), (200, r#"{"result":"hello"}"#));
}

#[tokio::test]
async fn headers_carry_deadline_key_and_wishes() {
    let server = Running::with(|config| config.limits.max_deadline = Duration::from_secs(40)).await;
    for (prefer, seconds) in [
        ("", 10),
        ("Prefer: wait=3\r\n", 3),
        ("Prefer: respond-async, Wait=\"7\"; x=y\r\n", 7),
        ("Prefer: wait=5\r\nPrefer: wait=6\r\n", 5),
        ("Prefer: wait=100000\r\n", 40),
        ("Prefer: wait=99999999999999999999\r\n", 40),
        ("Prefer: wait=+5\r\n", 10),
        ("Prefer: wait=-5\r\n", 10),
        ("Prefer: wait\r\n", 10),
        ("Prefer: wait=soon\r\n", 10),
        ("Prefer: waits=3\r\n", 10),
    ] {
        assert_eq!(server.call("echo", prefer).await.status, 200);
        let Seen { wait, principal, key, .. } = server.world.seen();
        let range = Duration::from_secs(seconds - 1)..=Duration::from_secs(seconds);
        assert!(range.contains(&wait), "{prefer:?}: {wait:?}");
        assert_eq!((&*principal, key), ("anonymous", None));
    }

    server.call("echo", "Idempotency-Key: 7f3a-\"x\"\r\n").await;
    assert_eq!(server.world.seen().key.as_deref(), Some("7f3a-\"x\""));
    let long = format!("Idempotency-Key: {}\r\n", "k".repeat(256));
    let twice = "Idempotency-Key: a\r\nIdempotency-Key: b\r\n";
    for key in
        ["Idempotency-Key:\r\n", "Idempotency-Key: a b\r\n", "Idempotency-Key: \u{e9}\r\n", &long, twice]
    {
        let reply = server.call("echo", key).await;
        assert_eq!((reply.status, reply.code()), (400, "invalid_request"), "{key:?}");
        let ignored = server.post("observe", key, r#"{"path":"/","depth":0}"#).await;
        assert_eq!(ignored.status, 200, "{key:?}");
    }

    let body = r#"{"interface":{"scope":"/","name":"test"}}"#;
    for (header, wanted) in [
        ("", false),
        ("WIP-Extensions: effects\r\n", true),
        ("WIP-Extensions: other, effects\r\n", true),
        ("WIP-Extensions: side-effects\r\n", false),
    ] {
        let reply = server.post("fetch_interface", header, body).await;
        assert_eq!(server.world.seen().effects, wanted, "{header:?}");
        assert_eq!(reply.body.contains(r#""effects""#), wanted, "{header:?}: {reply:?}");
    }
}

#[tokio::test]
async fn leaving_gives_a_call_up() {
    let server = Running::new().await;
    let mut stream = server.connect().await;
    let json = "Content-Type: application/json\r\n";
    let request = server.request("POST /v1/call_operation", json, &call("hang"));
    stream.write_all(request.as_bytes()).await.unwrap();
    server.world.hangs.notified().await;
    drop(stream);
    tokio::time::timeout(LONG, server.world.end.notified()).await.expect("the call is dropped");
    assert_eq!(server.world.arrived.load(Ordering::SeqCst), 1);
}
