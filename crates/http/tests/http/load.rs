//! How much is held at once: what comes beyond it is told so by name, and the rest goes on.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use worldspace_http::{ServeError, Server, ServerConfig, ServerLimits};
use worldspace_wire::Limits;

use crate::frames;
use crate::raw::{LONG, Reply, Running, call};

const JSON: &str = "Content-Type: application/json\r\n";
const LARGE: &str = r#"{"path":"/large","depth":0}"#;

fn assert_names(reply: &Reply, limit: &str) {
    assert_eq!((reply.status, reply.code()), (422, "resource_limit_exceeded"), "{reply:?}");
    assert!(reply.body.contains(limit), "{reply:?}");
}

/// Asks until the answer has that status.
async fn until(server: &Running, path: &str, status: u16) -> Reply {
    let asking = async {
        loop {
            let reply = server.observe(path).await;
            if reply.status == status {
                return reply;
            }
        }
    };
    tokio::time::timeout(LONG, asking).await.expect("the status changes")
}

#[tokio::test]
async fn requests_beyond_the_bound_are_refused_by_name() {
    let further = axum::Router::new().route("/view", axum::routing::get(|| async { "a view" }));
    let server = Running::routed(|config| config.limits.requests = 1, further).await;
    let mut first = server.connect().await;
    first.write_all(server.request("POST /v1/call_operation", JSON, &call("hang")).as_bytes()).await.unwrap();
    server.world.hangs.notified().await;

    assert_names(&server.observe("/").await, "(requests: 1)");
    assert_names(&server.call("echo", "").await, "(requests: 1)");
    server.send(&server.request("GET /view", "", "")).await.expect_plain(503);
    assert_eq!(server.send(&server.request("GET /v1", "", "")).await.status, 200, "what is spoken is told");
    server.post("observe", "Host: evil.test\r\n", LARGE).await.expect_plain(421);
    assert_eq!(server.world.arrived.load(Ordering::SeqCst), 1);

    server.world.release.notify_one();
    assert_eq!(Reply::read(&mut first).await.status, 200);
    until(&server, "/", 200).await;
    assert_eq!(server.send(&server.request("GET /view", "", "")).await.status, 200);
}

#[tokio::test]
async fn answers_that_nobody_takes_fill_no_memory() {
    // Room for one answer of 64 KiB, and not for two.
    let server = Running::with(|config| {
        config.wire = Limits::new(1 << 10, 100 << 10, 64).unwrap();
        config.limits.in_flight_bytes = 101 << 10;
    })
    .await;
    let mut holder = frames::open(&server, &[(4, 0)]).await;
    holder.write_all(&frames::post(&server, 1, "/v1/observe", LARGE)).await.unwrap();
    frames::until(&mut holder, frames::HEADERS, 1).await;

    assert_names(&server.observe("/large").await, "(in_flight_bytes: 103424)");
    let arrived = server.world.arrived.load(Ordering::SeqCst);
    assert_names(&server.call("large", "").await, "(in_flight_bytes: 103424)");
    assert_eq!(server.world.arrived.load(Ordering::SeqCst), arrived, "a call is refused before it runs");
    assert_eq!(server.observe("/").await.status, 200, "what fits is answered");

    drop(holder);
    until(&server, "/large", 200).await;
    assert_eq!(server.call("large", "").await.status, 200);
}

#[tokio::test]
async fn bodies_that_do_not_fit_together_are_refused_by_name() {
    let size = 60_000;
    let server = Running::with(|config| {
        config.wire = Limits::new(size, size, 64).unwrap();
        config.limits.in_flight_bytes = 2 * size;
    })
    .await;
    let body = format!("{:size$}", r#"{"path":"/","depth":0}"#);
    let request = server.request("POST /v1/observe", JSON, &body);
    let (begin, end) = request.split_at(request.len() - 1000);
    let half = || async {
        let mut stream = server.connect().await;
        stream.write_all(begin.as_bytes()).await.unwrap();
        stream
    };
    // Two of them fit. Which of three is told that it does not is a matter of luck.
    let mut streams = [half().await, half().await, half().await];
    let [first, second, third] = &mut streams;
    let refused = tokio::select! {
        () = readable(first) => 0,
        () = readable(second) => 1,
        () = readable(third) => 2,
    };
    assert_names(&Reply::read(&mut streams[refused]).await, "(in_flight_bytes: 120000)");
    for (number, stream) in streams.iter_mut().enumerate().filter(|(number, _)| *number != refused) {
        stream.write_all(end.as_bytes()).await.unwrap();
        assert_eq!(Reply::read(stream).await.status, 200, "{number}");
    }
}

async fn readable(stream: &tokio::net::TcpStream) {
    tokio::time::timeout(LONG, stream.readable()).await.expect("one is answered").unwrap();
}

#[tokio::test]
async fn limits_under_which_nothing_is_served_are_named() {
    type Set = fn(&mut ServerLimits);
    let cases: [(&str, Set); 15] = [
        ("connections", |limits| limits.connections = 0),
        ("streams", |limits| limits.streams = 0),
        ("requests", |limits| limits.requests = 0),
        ("in_flight_bytes", |limits| limits.in_flight_bytes = 0),
        ("in_flight_bytes", |limits| limits.in_flight_bytes = (9 << 20) - 1),
        ("header_bytes", |limits| limits.header_bytes = 0),
        ("headers", |limits| limits.headers = 0),
        ("headers", |limits| limits.headers = usize::MAX),
        ("header_timeout", |limits| limits.header_timeout = Duration::ZERO),
        ("body_timeout", |limits| limits.body_timeout = Duration::ZERO),
        ("idle_timeout", |limits| limits.idle_timeout = Duration::ZERO),
        ("write_timeout", |limits| limits.write_timeout = Duration::ZERO),
        ("total_timeout", |limits| limits.total_timeout = Duration::ZERO),
        ("default_deadline", |limits| limits.default_deadline = Duration::ZERO),
        ("max_deadline", |limits| limits.max_deadline = Duration::ZERO),
    ];
    for (name, set) in cases {
        let listen = "127.0.0.1:0".parse().unwrap();
        let mut config = ServerConfig { listen, ..Default::default() };
        set(&mut config.limits);
        let world = std::sync::Arc::new(crate::world::World::default());
        let Err(error) = Server::bind(config, world).await else { panic!("{name}") };
        assert!(matches!(error, ServeError::Limit { limit, .. } if limit == name), "{name}: {error}");
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[tokio::test]
async fn the_largest_values_mean_no_limit() {
    let server = Running::with(|config| {
        let forever = Duration::MAX;
        config.limits = ServerLimits {
            connections: usize::MAX,
            streams: u32::MAX,
            requests: usize::MAX,
            in_flight_bytes: usize::MAX,
            header_bytes: u32::MAX,
            headers: 10_000,
            handshake_timeout: forever,
            header_timeout: forever,
            body_timeout: forever,
            idle_timeout: forever,
            write_timeout: forever,
            total_timeout: forever,
            default_deadline: forever,
            max_deadline: forever,
            drain_timeout: forever,
        };
    })
    .await;
    assert_eq!(server.call("echo", "Prefer: wait=99999999999999999999\r\n").await.status, 200);
    assert_eq!(server.observe("/large").await.status, 200);
    let mut stream = frames::open(&server, &[]).await;
    stream.write_all(&frames::post(&server, 1, "/v1/observe", LARGE)).await.unwrap();
    frames::until(&mut stream, frames::DATA, 1).await;
    drop(stream);
    tokio::time::timeout(LONG, server.stop()).await.expect("the server ends").unwrap();
}
