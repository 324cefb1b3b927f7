//! Clients that begin and do not go on: each is let go within its time, and none stops the others.

use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use worldspace_http::ServerConfig;
use worldspace_http::auth::{Authentication, Token};
use worldspace_model::Principal;

use crate::raw::{LONG, Reply, Running, until_closed};

const SHORT: Duration = Duration::from_millis(200);
const PREFACE: &str = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// One time limit is short, the others are so long that they cannot be the reason.
fn only(set: impl FnOnce(&mut worldspace_http::ServerLimits)) -> impl FnOnce(&mut ServerConfig) {
    move |config| {
        let limits = &mut config.limits;
        for limit in [
            &mut limits.header_timeout,
            &mut limits.body_timeout,
            &mut limits.idle_timeout,
            &mut limits.write_timeout,
            &mut limits.total_timeout,
        ] {
            *limit = LONG * 10;
        }
        set(limits);
    }
}

#[tokio::test]
async fn a_first_request_that_does_not_come_is_not_waited_for() {
    let server = Running::with(only(|limits| limits.header_timeout = SHORT)).await;
    // Nothing at all; half a head; half a preface of HTTP/2; a whole one and nothing after it; one with settings.
    let settings = format!("{PREFACE}\0\0\0\x04\0\0\0\0\0");
    for begin in ["", "POST /v1/obs", "GET /v1 HTTP/1.1\r\nHost: x\r\n", &PREFACE[..10], PREFACE, &settings] {
        let begun = Instant::now();
        let mut stream = server.connect().await;
        stream.write_all(begin.as_bytes()).await.unwrap();
        until_closed(&mut stream).await;
        assert!(begun.elapsed() >= SHORT, "{begin:?}: closed after {:?}", begun.elapsed());
    }
    assert_eq!(server.observe("/").await.status, 200);
}

#[tokio::test]
async fn a_head_that_trickles_in_is_not_waited_for() {
    let server = Running::with(only(|limits| limits.header_timeout = SHORT)).await;
    let (mut read, mut write) = server.connect().await.into_split();
    let trickle = tokio::spawn(async move {
        while write.write_all(b"X").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    let mut octets = Vec::new();
    let _ =
        tokio::time::timeout(LONG, read.read_to_end(&mut octets)).await.expect("the connection is closed");
    trickle.await.unwrap();
}

#[tokio::test]
async fn a_later_head_that_stops_halfway_is_not_waited_for() {
    let server = Running::with(only(|limits| limits.header_timeout = SHORT)).await;
    let mut stream = server.connect().await;
    let whole = format!("GET /v1 HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    for _ in 0..2 {
        stream.write_all(whole.as_bytes()).await.unwrap();
        read_one(&mut stream).await;
    }
    stream.write_all(b"GET /v1 HT").await.unwrap();
    assert_eq!(until_closed(&mut stream).await, "");
}

#[tokio::test]
async fn half_a_head_behind_a_request_is_not_waited_for() {
    let server = Running::with(only(|limits| limits.header_timeout = SHORT)).await;
    let json = "Content-Type: application/json\r\n";
    let request = server.request("POST /v1/call_operation", json, &crate::raw::call("hang"));
    let request = request.replace("Connection: close\r\n", "");
    let (head, body) = request.split_at(request.find("\r\n\r\n").unwrap() + 4);
    let mut stream = server.connect().await;
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body.as_bytes()).await.unwrap();
    server.world.hangs.notified().await;
    stream.write_all(b"GET /v1 HT").await.unwrap();
    // Longer than a head may take, which does not count before the request is done.
    tokio::time::sleep(SHORT * 2).await;
    server.world.release.notify_one();
    read_one(&mut stream).await;
    assert_eq!(until_closed(&mut stream).await, "");
}

#[tokio::test]
async fn a_large_body_does_not_make_a_connection_look_busy() {
    let server = Running::with(only(|limits| limits.header_timeout = SHORT)).await;
    let body = format!("{:60000}", r#"{"path":"/","depth":0}"#);
    let json = "Content-Type: application/json\r\n";
    let request = server.request("POST /v1/observe", json, &body).replace("Connection: close\r\n", "");
    let mut stream = server.connect().await;
    for _ in 0..2 {
        stream.write_all(request.as_bytes()).await.unwrap();
        read_one(&mut stream).await;
        tokio::time::sleep(SHORT * 2).await;
    }
}

#[tokio::test]
async fn a_connection_is_kept_for_those_alone_who_were_let_in() {
    let token = Token::generate().unwrap();
    let authentication = Authentication::One { token: token.clone(), principal: Principal::new("owner") };
    let server = Running::with(|config| {
        only(|limits| limits.header_timeout = SHORT)(config);
        config.authentication = authentication;
    })
    .await;
    let ask = |headers: &str| server.request("GET /v1", headers, "").replace("Connection: close\r\n", "");
    let mut stream = server.connect().await;
    for _ in 0..2 {
        stream
            .write_all(ask(&format!("Authorization: Bearer {}\r\n", token.reveal())).as_bytes())
            .await
            .unwrap();
        read_one(&mut stream).await;
        tokio::time::sleep(SHORT * 2).await;
    }
    stream.write_all(ask("").as_bytes()).await.unwrap();
    read_one(&mut stream).await;
    for line in ["GET /v1", "GET /"] {
        let mut stream = server.connect().await;
        stream.write_all(ask("").replace("GET /v1", line).as_bytes()).await.unwrap();
        until_closed(&mut stream).await;
    }
}

#[tokio::test]
async fn a_body_that_stops_halfway_is_not_waited_for() {
    let server = Running::with(only(|limits| limits.body_timeout = SHORT)).await;
    let json = "Content-Type: application/json\r\n";
    let stated = server.request("POST /v1/observe", json, r#"{"path":"/","depth":0}"#);
    let chunked = server.request("POST /v1/observe", &format!("{json}Transfer-Encoding: chunked\r\n"), "");
    for begin in [&stated[..stated.len() - 1], &format!("{chunked}5\r\n{{\"pa")] {
        let mut stream = server.connect().await;
        stream.write_all(begin.as_bytes()).await.unwrap();
        let reply = Reply::read(&mut stream).await;
        assert_eq!((reply.status, reply.code()), (422, "resource_limit_exceeded"), "{begin}");
        assert!(reply.body.contains("did not arrive within 0.2 s (body_timeout)"), "{reply:?}");
        assert_eq!(reply.header("connection"), Some("close"));
    }
}

#[tokio::test]
async fn a_body_that_breaks_off_is_no_request() {
    let server = Running::new().await;
    let json = "Content-Type: application/json\r\n";
    let stated = server.request("POST /v1/call_operation", json, &crate::raw::call("echo"));
    let chunked = format!("{json}Transfer-Encoding: chunked\r\n");
    let chunked = server.request("POST /v1/call_operation", &chunked, "") + "5\r\n{\"tar";
    for begin in [&stated[..stated.len() - 1], &chunked, &format!("{chunked}oops\r\n")] {
        let mut stream = server.connect().await;
        stream.write_all(begin.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let reply = Reply::read(&mut stream).await;
        assert_eq!((reply.status, reply.code()), (400, "invalid_request"), "{begin}");
        assert_eq!(reply.header("connection"), Some("close"));
    }
    assert_eq!(server.world.arrived.load(std::sync::atomic::Ordering::SeqCst), 0);
}

#[tokio::test]
async fn an_idle_connection_is_closed() {
    let server = Running::with(only(|limits| limits.idle_timeout = SHORT)).await;
    let mut stream = server.connect().await;
    let whole = format!("GET /v1 HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    stream.write_all(whole.as_bytes()).await.unwrap();
    read_one(&mut stream).await;
    assert_eq!(until_closed(&mut stream).await, "");
}

#[tokio::test]
async fn an_answer_that_nobody_takes_is_given_up() {
    let server = Running::with(only(|limits| {
        limits.write_timeout = SHORT;
        limits.idle_timeout = SHORT;
    }))
    .await;
    let mut stream = server.connect().await;
    let body = r#"{"path":"/large","depth":0}"#;
    let request = format!(
        "POST /v1/observe HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        server.address,
        body.len()
    );
    // Far more answers than the buffers between can hold.
    let asking = async {
        for _ in 0..2000 {
            if stream.write_all(request.as_bytes()).await.is_err() {
                return;
            }
        }
        // The server reads no further while its answers stand; only its end is left to see.
        while stream.write_all(b"\r\n").await.is_ok() {}
    };
    tokio::time::timeout(LONG, asking).await.expect("the connection is closed");
    assert_eq!(server.observe("/").await.status, 200);
}

#[tokio::test]
async fn no_request_takes_longer_than_the_total() {
    let server = Running::with(only(|limits| limits.total_timeout = SHORT)).await;
    let mut stream = server.connect().await;
    let json = "Content-Type: application/json\r\n";
    let request = server.request("POST /v1/call_operation", json, &crate::raw::call("hang"));
    stream.write_all(request.as_bytes()).await.unwrap();
    assert_eq!(until_closed(&mut stream).await, "");
    tokio::time::timeout(LONG, server.world.end.notified()).await.expect("the call is dropped");
}

#[tokio::test]
async fn a_stream_of_a_further_route_may_last() {
    let stream = || async {
        let later = futures_util::stream::once(async {
            tokio::time::sleep(SHORT * 4).await;
            Ok::<_, std::convert::Infallible>("at last")
        });
        axum::body::Body::from_stream(later)
    };
    let further = axum::Router::new().route("/stream", axum::routing::get(stream));
    let limits = only(|limits| {
        limits.total_timeout = SHORT;
        limits.idle_timeout = SHORT;
        limits.header_timeout = SHORT;
    });
    let server = Running::routed(limits, further).await;
    let reply = server.send(&server.request("GET /stream", "", "")).await;
    assert!(reply.body.contains("at last"), "{reply:?}");
}

#[tokio::test]
async fn connections_beyond_the_bound_wait_for_a_place() {
    let server = Running::with(|config| {
        config.limits.connections = 2;
        config.limits.header_timeout = SHORT;
    })
    .await;
    let _first = server.connect().await;
    let _second = server.connect().await;
    let begun = Instant::now();
    assert_eq!(server.observe("/").await.status, 200);
    assert!(begun.elapsed() >= SHORT / 2, "answered after {:?}, before a place was free", begun.elapsed());
}

/// Reads one answer of a connection that stays open.
async fn read_one(stream: &mut tokio::net::TcpStream) {
    let mut text = String::new();
    let mut piece = [0; 4096];
    let read = async {
        loop {
            let length = stream.read(&mut piece).await.unwrap();
            assert_ne!(length, 0, "closed too early: {text}");
            text.push_str(std::str::from_utf8(&piece[..length]).unwrap());
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            let stated = head
                .lines()
                .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if stated == Some(body.len()) {
                return;
            }
        }
    };
    tokio::time::timeout(LONG, read).await.expect("an answer comes");
}
