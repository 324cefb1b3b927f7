//! The end of a server: what is under way is answered, what is idle is closed, and nothing is waited for too long.

use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::StreamExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use worldspace_http::ServerConfig;

use crate::raw::{LONG, Reply, Running, call, until_closed};

async fn ended(served: tokio::task::JoinHandle<()>) {
    tokio::time::timeout(LONG, served).await.expect("the server ends").unwrap();
}

#[tokio::test]
async fn drains_requests_under_way_and_closes_idle_connections() {
    let server = Running::new().await;
    let (world, address) = (server.world.clone(), server.address);
    let mut idle = server.connect().await;
    let mut under_way = server.connect().await;
    let json = "Content-Type: application/json\r\n";
    // Keeping its connection alive.
    let request =
        server.request("POST /v1/call_operation", json, &call("hang")).replace("Connection: close\r\n", "");
    under_way.write_all(request.as_bytes()).await.unwrap();
    world.hangs.notified().await;

    let served = server.stop();
    until_closed(&mut idle).await;
    assert!(TcpStream::connect(address).await.is_err(), "nothing is accepted any more");
    assert!(!served.is_finished());
    world.release.notify_one();
    let reply = Reply::read(&mut under_way).await;
    assert_eq!((reply.status, &*reply.body), (200, r#"{"result":"hello"}"#));
    ended(served).await;
}

#[tokio::test]
async fn tells_what_does_not_end_in_time_that_it_is_given_up() {
    let server = Running::with(|config| config.limits.drain_timeout = Duration::from_secs(2)).await;
    let world = server.world.clone();
    let json = "Content-Type: application/json\r\n";
    let called = server.request("POST /v1/call_operation", json, &call("hang"));
    let observed = server.request("POST /v1/observe", json, r#"{"path":"/hang","depth":0}"#);
    let half = &server.request("POST /v1/call_operation", json, &call("echo"));
    let mut under_way = Vec::new();
    for (request, waits, status, code) in [
        (&*called, true, 500, "operation_outcome_unknown"),
        (&observed, true, 422, "resource_limit_exceeded"),
        (&half[..half.len() - 1], false, 422, "resource_limit_exceeded"),
    ] {
        let mut stream = server.connect().await;
        stream.write_all(request.as_bytes()).await.unwrap();
        if waits {
            world.hangs.notified().await;
        }
        under_way.push((stream, status, code));
    }
    // Whatever was accepted before it is answered, so the half request is known to the server.
    assert_eq!(server.observe("/").await.status, 200);
    let served = server.stop();
    for (mut stream, status, code) in under_way {
        let reply = Reply::read(&mut stream).await;
        assert_eq!((reply.status, reply.code()), (status, code), "{reply:?}");
        assert!(reply.body.contains("the Host is ending"), "{reply:?}");
    }
    ended(served).await;
    assert_eq!(world.over.load(Ordering::SeqCst), world.arrived.load(Ordering::SeqCst), "all are dropped");
}

#[tokio::test]
async fn cuts_off_a_stream_without_end() {
    let endless = || async {
        let first = futures_util::stream::once(async { Ok::<_, std::convert::Infallible>("first") });
        axum::body::Body::from_stream(first.chain(futures_util::stream::pending()))
    };
    let further = axum::Router::new().route("/stream", axum::routing::get(endless));
    let limits = |config: &mut ServerConfig| config.limits.drain_timeout = Duration::from_millis(100);
    let server = Running::routed(limits, further).await;
    let mut stream = server.connect().await;
    stream.write_all(server.request("GET /stream", "", "").as_bytes()).await.unwrap();
    assert!(stream.read(&mut [0; 4096]).await.unwrap() > 0);
    ended(server.stop()).await;
    until_closed(&mut stream).await;
}
