//! HTTP/2 without encryption, by prior knowledge: the same answers, names and time limits.

use std::sync::atomic::Ordering;
use std::time::Duration;

use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::AsyncWriteExt as _;

use crate::frames::{self, ACK, CONTINUATION, GOAWAY, HEADERS, PING, RESET, frame};
use crate::raw::{LONG, Running, call};

type Sender = http2::SendRequest<Full<&'static [u8]>>;
type Ended = tokio::task::JoinHandle<hyper::Result<()>>;

async fn connect(server: &Running) -> (Sender, Ended) {
    let io = TokioIo::new(server.connect().await);
    let (sender, connection) = http2::handshake(TokioExecutor::new(), io).await.unwrap();
    (sender, tokio::spawn(connection))
}

fn post(authority: &str, interaction: &str, body: String) -> Request<Full<&'static [u8]>> {
    let body: &'static str = body.leak();
    Request::post(format!("http://{authority}/v1/{interaction}"))
        .header("content-type", "application/json")
        .body(Full::new(body.as_bytes()))
        .unwrap()
}

fn observe(path: &str) -> String {
    format!(r#"{{"path":"{path}","depth":0}}"#)
}

#[tokio::test]
async fn many_requests_share_a_connection() {
    let server = Running::new().await;
    let (mut sender, _) = connect(&server).await;
    let authority = server.address.to_string();
    let hanging = sender.send_request(post(&authority, "call_operation", call("hang")));
    let hanging = tokio::spawn(hanging);
    server.world.hangs.notified().await;
    for (authority, path, status) in [
        (&*authority, "/large", StatusCode::OK),
        (&authority, "/gone", StatusCode::NOT_FOUND),
        ("evil.test", "/", StatusCode::MISDIRECTED_REQUEST),
    ] {
        let answer = sender.send_request(post(authority, "observe", observe(path))).await.unwrap();
        assert_eq!(answer.status(), status, "{authority} {path}");
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(body.len() > 64 * 1024, path == "/large");
    }
    server.world.release.notify_one();
    assert_eq!(hanging.await.unwrap().unwrap().status(), StatusCode::OK);
}

#[tokio::test]
async fn giving_up_a_request_gives_up_its_call() {
    let server = Running::new().await;
    let (mut sender, _) = connect(&server).await;
    let authority = server.address.to_string();
    let hanging = tokio::spawn(sender.send_request(post(&authority, "call_operation", call("hang"))));
    server.world.hangs.notified().await;
    hanging.abort();
    tokio::time::timeout(LONG, server.world.end.notified()).await.expect("the call is dropped");
    let answer = sender.send_request(post(&authority, "observe", observe("/"))).await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK, "its connection goes on");
}

#[tokio::test]
async fn an_idle_connection_is_closed() {
    let server = Running::with(|config| config.limits.idle_timeout = Duration::from_millis(300)).await;
    let (mut sender, ended) = connect(&server).await;
    let answer =
        sender.send_request(post(&server.address.to_string(), "observe", observe("/"))).await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    tokio::time::timeout(LONG, ended).await.expect("the connection is closed").unwrap().unwrap();
}

#[tokio::test]
async fn the_end_of_the_server_waits_for_requests_under_way() {
    let server = Running::new().await;
    let (mut sender, ended) = connect(&server).await;
    let hanging = sender.send_request(post(&server.address.to_string(), "call_operation", call("hang")));
    let hanging = tokio::spawn(hanging);
    let world = server.world.clone();
    world.hangs.notified().await;
    let served = server.stop();
    world.release.notify_one();
    assert_eq!(hanging.await.unwrap().unwrap().status(), StatusCode::OK);
    drop(sender);
    tokio::time::timeout(LONG, served).await.expect("the server ends").unwrap();
    ended.await.unwrap().unwrap();
}

/// With time limits that cannot be the reason for anything, but for what is set.
async fn patient(set: impl FnOnce(&mut worldspace_http::ServerLimits)) -> Running {
    Running::with(|config| {
        config.limits.header_timeout = LONG * 10;
        config.limits.idle_timeout = LONG * 10;
        set(&mut config.limits);
    })
    .await
}

async fn closed(stream: &mut tokio::net::TcpStream) {
    while frames::next(stream).await.is_some() {}
}

#[tokio::test]
async fn a_head_that_stops_halfway_is_not_waited_for() {
    let server = patient(|limits| limits.header_timeout = Duration::from_millis(300)).await;
    let mut stream = frames::open(&server, &[]).await;
    stream.write_all(&frames::post(&server, 1, "/v1/observe", &observe("/"))).await.unwrap();
    frames::until(&mut stream, HEADERS, 1).await;
    stream.write_all(&frame(HEADERS, 0, 3, &frames::head(&server, "/v1/observe"))).await.unwrap();
    closed(&mut stream).await;
}

#[tokio::test]
async fn a_connection_that_answers_pings_is_no_half_head() {
    let server = patient(|limits| limits.header_timeout = Duration::from_millis(300)).await;
    let mut stream = frames::open(&server, &[]).await;
    stream.write_all(&frames::post(&server, 1, "/v1/observe", &observe("/"))).await.unwrap();
    let mut pings = 0;
    while pings < 3 {
        let (kind, flags, _) = frames::next(&mut stream).await.expect("the connection stays open");
        if kind == PING && flags & ACK == 0 {
            // What a ping of hyper carries, which its answer repeats.
            stream
                .write_all(&frame(PING, ACK, 0, &[0x3b, 0x7c, 0xdb, 0x7a, 0x0b, 0x87, 0x16, 0xb4]))
                .await
                .unwrap();
            pings += 1;
        }
    }
}

#[tokio::test]
async fn a_head_without_end_is_cut_off() {
    let server = patient(|_| {}).await;
    let mut stream = frames::open(&server, &[]).await;
    stream.write_all(&frame(HEADERS, 0, 1, &frames::head(&server, "/v1/observe"))).await.unwrap();
    let (mut read, mut write) = stream.into_split();
    let flood = tokio::spawn(async move {
        // A literal header of 8 KiB, never indexed.
        let header = [&[0x10, 1, b'x', 0x7f, 0x81, 0x3f][..], &[b'x'; 8192]].concat();
        let frame = frame(CONTINUATION, 0, 1, &header);
        let mut sent = 0;
        while sent < 10_000 && write.write_all(&frame).await.is_ok() {
            sent += 1;
        }
        sent
    });
    let mut octets = Vec::new();
    let read = tokio::io::AsyncReadExt::read_to_end(&mut read, &mut octets);
    let _ = tokio::time::timeout(LONG, read).await.expect("the connection is closed");
    assert!(flood.await.unwrap() < 10_000, "the flood is stopped");
    assert_eq!(server.world.arrived.load(Ordering::SeqCst), 0);
    assert_eq!(server.observe("/").await.status, 200);
}

#[tokio::test]
async fn resetting_what_was_just_asked_leaves_nothing_behind() {
    let server = patient(|_| {}).await;
    let mut stream = frames::open(&server, &[]).await;
    let mut refused = false;
    for round in 0..200u32 {
        let mut octets = Vec::new();
        for request in 0..100 {
            let number = (round * 100 + request) * 2 + 1;
            octets.extend(frames::post(&server, number, "/v1/call_operation", &call("hang")));
            octets.extend(frame(RESET, 0, number, &8u32.to_be_bytes()));
        }
        if stream.write_all(&octets).await.is_err() {
            refused = true;
            break;
        }
    }
    if !refused {
        frames::until(&mut stream, GOAWAY, 0).await;
    }
    closed(&mut stream).await;
    drop(stream);
    let world = &server.world;
    let all_over = async {
        while world.over.load(Ordering::SeqCst) < world.arrived.load(Ordering::SeqCst) {
            world.end.notified().await;
        }
    };
    tokio::time::timeout(LONG, all_over).await.expect("every call is dropped");
    assert_eq!(server.observe("/").await.status, 200);
}

#[tokio::test]
async fn a_receiver_that_opens_no_window_is_let_go() {
    let server = patient(|limits| limits.total_timeout = Duration::from_millis(300)).await;
    let mut stream = frames::open(&server, &[(4, 0)]).await;
    stream.write_all(&frames::post(&server, 1, "/v1/observe", &observe("/large"))).await.unwrap();
    frames::until(&mut stream, HEADERS, 1).await;
    closed(&mut stream).await;
}
