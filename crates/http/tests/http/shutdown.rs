//! The end of a server: what is under way is answered, what is idle is closed, and nothing is waited for too long.

use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

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
async fn cuts_off_what_does_not_end_in_time() {
    let server = Running::with(|config| config.limits.drain_timeout = Duration::from_millis(100)).await;
    let world = server.world.clone();
    let mut under_way = server.connect().await;
    let json = "Content-Type: application/json\r\n";
    let request = server.request("POST /v1/call_operation", json, &call("hang"));
    under_way.write_all(request.as_bytes()).await.unwrap();
    world.hangs.notified().await;
    ended(server.stop()).await;
    assert_eq!(until_closed(&mut under_way).await, "");
    tokio::time::timeout(LONG, world.end.notified()).await.expect("the call is dropped");
}
