//! HTTP/2 without encryption, by prior knowledge: the same answers, names and time limits.

use std::time::Duration;

use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};

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
