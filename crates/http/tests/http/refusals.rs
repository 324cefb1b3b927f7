//! What the server refuses before the protocol begins.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use worldspace_http::{ServeError, Server, ServerConfig};

use crate::raw::{Reply, Running};

const JSON: &str = "Content-Type: application/json\r\n";
const BODY: &str = r#"{"path":"/","depth":0}"#;

#[tokio::test]
async fn refuses_in_order_and_says_what_to_do() {
    let server = Running::new().await;
    let cases = [
        ("POST /v1/none", JSON, 404),
        ("POST /v1/call_outcome", JSON, 404),
        ("POST /v1/observe?", JSON, 404),
        ("POST /v1/Observe", JSON, 404),
        ("POST /v1/observe/", JSON, 404),
        ("POST /v1/%6fbserve", JSON, 404),
        ("GET /v1/none", "", 404),
        ("GET /v1/observe", "", 405),
        ("PUT /v1/observe", "Content-Type: text/plain\r\n", 405),
        ("POST /v1", JSON, 405),
        ("POST /", JSON, 405),
        ("POST /v1/observe", "", 415),
        ("POST /v1/observe", "Content-Type: text/plain\r\nAccept: text/html\r\n", 415),
        ("POST /v1/observe", "Content-Type: application/json\r\nContent-Encoding: gzip\r\n", 415),
        ("POST /v1/observe", "Content-Type: application/json\r\nAccept: text/html\r\n", 406),
        ("GET /v1", "Accept: text/html\r\n", 406),
        ("GET /", "Accept: application/json\r\n", 406),
        (
            "POST /v1/observe",
            "Content-Type: application/json\r\nHost: evil.test\r\nAccept: text/html\r\n",
            406,
        ),
        ("POST /v1/observe", "Content-Type: application/json\r\nHost: evil.test\r\n", 421),
        ("GET /v1", "Host: evil.test\r\n", 421),
        ("GET /", "Host: evil.test\r\n", 421),
        ("GET /none", "Host: evil.test\r\n", 421),
        ("POST /v1/observe", "Content-Type: application/json\r\nOrigin: http://evil.test\r\n", 403),
        ("POST /v1/observe", "Content-Type: application/json\r\nOrigin: null\r\n", 403),
        ("GET /", "Origin: http://evil.test\r\n", 403),
    ];
    for (line, headers, status) in cases {
        let body = if line.starts_with("POST") { BODY } else { "" };
        let reply = server.send(&server.request(line, headers, body)).await;
        assert_eq!(reply.status, status, "{line} {headers:?}: {reply:?}");
        reply.expect_plain(status);
        assert_eq!(reply.header("allow").is_some(), status == 405, "{line}: {reply:?}");
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
    assert_eq!(server.world.arrived.load(std::sync::atomic::Ordering::SeqCst), 0);
}

#[tokio::test]
async fn goes_by_the_names_of_loopback_and_configured_ones() {
    let server = Running::with(|config| {
        config.hosts = vec!["Wip.Example:80".to_owned()];
        config.origins = vec!["https://pages.example".to_owned()];
    })
    .await;
    let port = server.address.port();
    let cases = [
        (format!("Host: localhost:{port}\r\n"), 200),
        (format!("Host: LOCALHOST:{port}\r\n"), 200),
        (format!("Host: [::1]:{port}\r\n"), 200),
        (format!("Host: 127.0.0.1:{port}\r\n"), 200),
        ("Host: wip.example:80\r\n".to_owned(), 200),
        (format!("Host: localhost:{port}\r\nOrigin: http://localhost:{port}\r\n"), 200),
        ("Origin: https://pages.example\r\n".to_owned(), 200),
        (format!("Host: localhost:{port}\r\nOrigin: http://localhost:{}\r\n", port ^ 1), 403),
        (format!("Host: localhost:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"), 403),
        ("Host: localhost\r\n".to_owned(), 421),
        ("Host: 127.0.0.1:1\r\n".to_owned(), 421),
        ("Host:\r\n".to_owned(), 421),
        (format!("Host: localhost:{port}\r\nHost: evil.test\r\n"), 421),
        (format!("Host: localhost.evil.test:{port}\r\n"), 421),
    ];
    for (headers, status) in cases {
        let reply = server.post("observe", &headers, BODY).await;
        assert_eq!(reply.status, status, "{headers:?}: {reply:?}");
    }
}

#[tokio::test]
async fn a_target_with_a_name_leaves_it_to_the_host_header() {
    let server = Running::new().await;
    let port = server.address.port();
    let (own, other) = (format!("127.0.0.1:{port}"), format!("localhost:{port}"));
    for (target, version, host, status) in [
        (&*own, "1.1", Some(&*own), 200),
        (&own, "1.0", Some(&own), 200),
        (&other, "1.1", Some(&own), 200),
        // As the vectors of the binding have it (`http_metadata/target/absolute-other-host`).
        ("evil.test", "1.1", Some(&own), 200),
        (&own, "1.1", Some("evil.test"), 421),
        ("evil.test", "1.1", Some("evil.test"), 421),
        (&format!("me@{own}"), "1.1", Some(&own), 200),
        (&own, "1.1", None, 421),
        (&own, "1.0", None, 421),
    ] {
        let host = host.map(|host| format!("Host: {host}\r\n")).unwrap_or_default();
        let request = format!("GET http://{target}/v1 HTTP/{version}\r\n{host}Connection: close\r\n\r\n");
        assert_eq!(server.send(&request).await.status, status, "{request}");
    }
}

#[tokio::test]
async fn a_body_is_asked_for_only_where_it_is_wanted() {
    let server = Running::new().await;
    for (headers, begin) in [
        ("Content-Type: text/plain\r\n", "HTTP/1.1 415 "),
        ("Content-Type: application/json\r\nOrigin: http://evil.test\r\n", "HTTP/1.1 403 "),
        ("Content-Type: application/json\r\nContent-Length: 9999999\r\n", "HTTP/1.1 413 "),
    ] {
        let length = if headers.contains("Length") { "" } else { "Content-Length: 22\r\n" };
        let headers = format!("Expect: 100-continue\r\n{headers}{length}");
        let mut stream = server.connect().await;
        stream.write_all(server.request("POST /v1/observe", &headers, "").as_bytes()).await.unwrap();
        let answer = crate::raw::until_closed(&mut stream).await;
        assert!(answer.starts_with(begin) && !answer.contains("100 Continue"), "{headers}: {answer}");
    }
    let headers = "Expect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 22\r\n";
    let mut stream = server.connect().await;
    stream.write_all(server.request("POST /v1/observe", headers, "").as_bytes()).await.unwrap();
    let wanted = b"HTTP/1.1 100 Continue\r\n\r\n";
    let mut answer = vec![0; wanted.len()];
    tokio::time::timeout(crate::raw::LONG, stream.read_exact(&mut answer)).await.unwrap().unwrap();
    assert_eq!(answer, wanted);
    stream.write_all(BODY.as_bytes()).await.unwrap();
    assert_eq!(Reply::read(&mut stream).await.status, 200);
}

#[tokio::test]
async fn a_request_without_any_host_is_refused() {
    let server = Running::new().await;
    let reply = server.send("GET /v1 HTTP/1.1\r\nConnection: close\r\n\r\n").await;
    reply.expect_plain(421);
}

#[tokio::test]
async fn refuses_a_body_by_its_stated_and_by_its_real_size() {
    let limit = 64;
    let server = Running::with(|config| {
        config.wire = worldspace_wire::Limits::new(limit, 1 << 20, 64).unwrap();
    })
    .await;
    let fits = format!("{BODY:limit$}");
    assert_eq!(server.post("observe", "", &fits).await.status, 200);
    server.post("observe", "", &format!("{fits} ")).await.expect_plain(413);

    let chunked = "Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n";
    let whole = server.request("POST /v1/observe", chunked, "") + "40\r\n" + &fits + "\r\n0\r\n\r\n";
    assert_eq!(server.send(&whole).await.status, 200);

    let mut stream = server.connect().await;
    let endless = server.request("POST /v1/observe", chunked, "") + "20\r\n" + &" ".repeat(32) + "\r\n21\r\n";
    stream.write_all(endless.as_bytes()).await.unwrap();
    stream.write_all(" ".repeat(33).as_bytes()).await.unwrap();
    Reply::read(&mut stream).await.expect_plain(413);
}

#[tokio::test]
async fn refuses_heads_beyond_their_limits() {
    let server = Running::with(|config| config.limits.headers = 20).await;
    let long = format!("X-Long: {}\r\n", "x".repeat(20_000));
    assert_eq!(server.send(&server.request("GET /v1", &long, "")).await.status, 431);
    let many = "X-Many: x\r\n".repeat(30);
    assert_eq!(server.send(&server.request("GET /v1", &many, "")).await.status, 431);
}

#[tokio::test]
async fn refuses_to_listen_beyond_loopback_and_at_paths_that_are_none() {
    let world = std::sync::Arc::new(crate::world::World::default());
    for listen in ["0.0.0.0:0", "[::]:0", "192.0.2.1:8420", "[::ffff:0.0.0.0]:0"] {
        let config = ServerConfig { listen: listen.parse().unwrap(), ..Default::default() };
        let Err(error) = Server::bind(config, world.clone()).await else { panic!("{listen}") };
        assert!(matches!(error, ServeError::BeyondLoopback { .. }), "{error}");
        assert!(error.to_string().contains("127.0.0.1"), "{error}");
    }
    for base_path in ["", "wip", "/?", "/wip#f"] {
        let listen = "127.0.0.1:0".parse().unwrap();
        let config = ServerConfig { listen, base_path: base_path.to_owned(), ..Default::default() };
        let Err(error) = Server::bind(config, world.clone()).await else { panic!("{base_path}") };
        assert!(matches!(error, ServeError::BasePath { .. }), "{error}");
    }
}
