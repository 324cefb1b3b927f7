//! What the client makes of Hosts: a good one, none, and servers that answer badly.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use worldspace_http::{ClientConfig, Endpoint, HttpTransport, SetupError};
use worldspace_model::{
    Arguments, CallAnswer, CallKey, Capabilities, ErrorCode, FetchInterfaceRequest, FetchRequest,
    FetchTreeRequest, Interaction, InterfaceTarget, NotSent, ObserveRequest, OutgoingCall, Principal,
    ProtocolError, Record, RequestContext, Target, Transport, TransportError, Unanswered, Value,
};

use crate::raw::{LONG, Running};
use crate::world::{descriptor, path, reference};

fn context() -> RequestContext {
    within(LONG)
}

fn within(time: Duration) -> RequestContext {
    RequestContext { deadline: Some(Instant::now() + time), ..RequestContext::of(Principal::anonymous()) }
}

fn transport(endpoint: &str) -> HttpTransport {
    let config = ClientConfig {
        wire: worldspace_wire::Limits::new(1 << 20, 8192, 64).unwrap(),
        ..ClientConfig::default()
    };
    HttpTransport::new(Endpoint::parse(endpoint).unwrap(), config).unwrap()
}

fn call(operation: &str, key: Option<&str>) -> OutgoingCall {
    let operation = descriptor().operation(operation).unwrap();
    let record = Record::new(vec![("text".into(), Value::string("hello"))]).unwrap();
    OutgoingCall {
        target: Target { path: path("/t"), validator: None },
        interface: InterfaceTarget { reference: reference(), scope_ref: None, validator: None },
        arguments: Arguments::check(&operation, record).unwrap(),
        operation,
        key: key.map(|key| CallKey::parse(key).unwrap()),
        read: false,
    }
}

fn observe(text: &str) -> ObserveRequest {
    ObserveRequest { path: path(text), depth: 0 }
}

#[tokio::test]
async fn every_interaction_goes_there_and_back() {
    let server = Running::with(|config| config.base_path = "/wip".to_owned()).await;
    let transport = transport(server.endpoint.as_str());

    let capabilities = transport.capabilities(context()).await.unwrap();
    assert!(
        capabilities.speaks(Interaction::FetchTree) && capabilities.extends("effects"),
        "{capabilities:?}"
    );
    assert!(!capabilities.speaks(Interaction::CallOutcome));

    let request = FetchRequest { entries: vec![Ok(path("/a")), Ok(path("/"))] };
    let fetched = transport.fetch(context(), request).await.unwrap();
    assert_eq!(fetched.results.len(), 2);
    let tree = FetchTreeRequest::new(path("/a"), 1, 5, None).unwrap();
    assert_eq!(transport.fetch_tree(context(), tree).await.unwrap().nodes().len(), 1);
    assert_eq!(transport.observe(context(), observe("/a")).await.unwrap().first().object.name.as_str(), "a");
    for effects in [true, false] {
        let request = FetchInterfaceRequest { interface: reference(), effects };
        let answer = transport.fetch_interface(context(), request).await.unwrap();
        assert_eq!(answer.descriptor, descriptor());
        assert_eq!(answer.effects.is_some(), effects);
    }
    let answer =
        transport.call_operation(within(Duration::from_secs(9)), call("echo", Some("k-1"))).await.unwrap();
    assert_eq!(answer.result, Value::string("hello"));
    let seen = server.world.seen();
    assert_eq!(seen.key.as_deref(), Some("k-1"));
    let wait = Duration::from_secs(7)..=Duration::from_secs(8);
    assert!(wait.contains(&seen.wait), "the Host has less time than the caller: {seen:?}");

    let refused = transport.observe(context(), observe("/gone")).await;
    let Err(TransportError::Refused(ProtocolError { code, .. })) = refused else { panic!("{refused:?}") };
    assert_eq!(code, ErrorCode::NotFound);
}

#[tokio::test]
async fn a_request_goes_out_only_where_it_can() {
    let refused = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let error = transport(&format!("http://{refused}/")).call_operation(context(), call("echo", None)).await;
    assert!(matches!(error, Err(TransportError::NotSent(NotSent::Unreachable { .. }))), "{error:?}");

    let server = Running::new().await;
    let transport = transport(server.endpoint.as_str());
    let late = transport.call_operation(within(Duration::ZERO), call("echo", None)).await;
    assert!(matches!(late, Err(TransportError::NotSent(NotSent::Unsendable { .. }))), "{late:?}");
    let long = FetchRequest { entries: vec![Ok(path(&format!("/{}", "x".repeat(2 << 20))))] };
    let long = transport.fetch(context(), long).await;
    assert!(matches!(long, Err(TransportError::NotSent(NotSent::Unsendable { .. }))), "{long:?}");
    assert_eq!(server.world.arrived.load(Ordering::SeqCst), 0);

    for endpoint in ["ws://example.test/", "ftp://example.test/"] {
        let Err(error) = HttpTransport::new(Endpoint::parse(endpoint).unwrap(), ClientConfig::default())
        else {
            panic!("{endpoint}")
        };
        assert!(matches!(error, SetupError::Scheme { .. }), "{error}");
    }
}

#[tokio::test]
async fn how_large_a_request_may_be_is_for_the_host_to_say() {
    for (limit, length, is_taken) in [(4 << 20, 2 << 20, true), (1000, 2000, false), (1000, 500, true)] {
        let wire = worldspace_wire::Limits::new(limit, 8 << 20, 64).unwrap();
        let server = Running::with(|config| config.wire = wire).await;
        let transport = HttpTransport::new(server.endpoint.clone(), ClientConfig::default()).unwrap();
        transport.capabilities(context()).await.unwrap();
        let mut call = call("echo", None);
        let text = Value::string("x".repeat(length));
        let record = Record::new(vec![("text".into(), text.clone())]).unwrap();
        call.arguments = Arguments::check(&call.operation, record).unwrap();
        let before = server.world.arrived.load(Ordering::SeqCst);
        match transport.call_operation(context(), call).await {
            Ok(answer) => assert!(is_taken && answer.result == text),
            Err(TransportError::NotSent(NotSent::Unsendable { detail })) => {
                assert!(
                    !is_taken && detail.contains("limit of 1000 bytes") && detail.contains("`request_bytes`")
                );
                assert_eq!(server.world.arrived.load(Ordering::SeqCst), before);
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn a_call_without_a_connection_by_its_deadline_was_not_sent() {
    // Nobody accepts, and the queue of those who wait is full.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    while let Ok(stream) =
        tokio::time::timeout(Duration::from_millis(300), tokio::net::TcpStream::connect(address)).await
    {
        waiting.push(stream.unwrap());
    }
    let transport = transport(&format!("http://{address}/"));
    let answer = transport.call_operation(within(Duration::from_millis(200)), call("echo", None)).await;
    assert!(matches!(answer, Err(TransportError::NotSent(NotSent::Unreachable { .. }))), "{answer:?}");
}

#[tokio::test]
async fn the_longest_times_mean_no_limit() {
    let server = Running::new().await;
    let config = ClientConfig {
        connect_timeout: Duration::MAX,
        default_deadline: Duration::MAX,
        idle_timeout: Duration::MAX,
        ..ClientConfig::default()
    };
    let transport = HttpTransport::new(server.endpoint.clone(), config).unwrap();
    for _ in 0..2 {
        let context = RequestContext { deadline: None, ..context() };
        assert!(transport.observe(context, observe("/")).await.is_ok());
    }
}

#[tokio::test]
async fn a_host_that_takes_too_long_leaves_the_outcome_open() {
    let server = Running::new().await;
    let transport = transport(server.endpoint.as_str());
    let answer = transport.call_operation(within(Duration::from_millis(200)), call("hang", None)).await;
    assert!(matches!(answer, Err(TransportError::Unanswered(Unanswered::TimedOut))), "{answer:?}");
    tokio::time::timeout(LONG, server.world.end.notified())
        .await
        .expect("the Host learns that its caller left");
    assert_eq!(server.world.arrived.load(Ordering::SeqCst), 1);
}

/// A server that reads each request whole, sends fixed octets, and closes.
struct Fixed {
    address: SocketAddr,
    requests: Arc<AtomicUsize>,
}

impl Fixed {
    async fn new(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(AtomicUsize::new(0));
        let counted = requests.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                if read_request(&mut stream).await {
                    counted.fetch_add(1, Ordering::SeqCst);
                    let _ = stream.write_all(&answer).await;
                }
            }
        });
        Self { address, requests }
    }

    fn transport(&self) -> HttpTransport {
        transport(&format!("http://{}/", self.address))
    }

    async fn call(&self) -> Result<CallAnswer, TransportError> {
        self.transport().call_operation(context(), call("echo", None)).await
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

async fn read_request(stream: &mut tokio::net::TcpStream) -> bool {
    let (mut text, mut piece) = (Vec::new(), [0; 4096]);
    while let Ok(length @ 1..) = stream.read(&mut piece).await {
        text.extend_from_slice(&piece[..length]);
        let text = String::from_utf8_lossy(&text).to_lowercase();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let stated = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        if body.len() >= stated.unwrap_or(0) {
            return true;
        }
    }
    false
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n{headers}\r\n{body}", body.len())
}

const JSON: &str = "Content-Type: application/json\r\n";
const RESULT: &str = r#"{"result":"hello"}"#;

#[tokio::test]
async fn what_is_lost_after_dispatch_is_unanswered_and_sent_once() {
    let whole = answer("200 OK", JSON, RESULT);
    for cut in [0, 1, 9, 20, whole.len() - RESULT.len(), whole.len() - 1] {
        let host = Fixed::new(&whole.as_bytes()[..cut]).await;
        let answer = host.call().await;
        assert!(
            matches!(answer, Err(TransportError::Unanswered(Unanswered::Lost { .. }))),
            "{cut}: {answer:?}"
        );
        assert_eq!(host.requests(), 1, "cut at {cut}");
    }
    assert!(Fixed::new(whole).await.call().await.is_ok());
}

#[tokio::test]
async fn a_kept_connection_that_breaks_is_no_reason_to_send_twice() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = requests.clone();
    // Each connection gets one answer; its second request is read and left without any.
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            for reply in [answer("200 OK", JSON, RESULT), String::new()] {
                if read_request(&mut stream).await {
                    counted.fetch_add(1, Ordering::SeqCst);
                    let _ = stream.write_all(reply.as_bytes()).await;
                }
            }
        }
    });
    let transport = transport(&format!("http://{address}/"));
    for sent in [1, 3] {
        assert!(transport.call_operation(context(), call("echo", None)).await.is_ok());
        assert_eq!(requests.load(Ordering::SeqCst), sent);
        let lost = transport.call_operation(context(), call("echo", None)).await;
        assert!(matches!(lost, Err(TransportError::Unanswered(Unanswered::Lost { .. }))), "{lost:?}");
        assert_eq!(requests.load(Ordering::SeqCst), sent + 1);
    }
}

#[tokio::test]
async fn no_redirect_is_followed() {
    let elsewhere = Fixed::new(answer("200 OK", JSON, RESULT)).await;
    for status in
        ["301 Moved", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"]
    {
        let location = format!("Location: http://{}/v1/call_operation\r\n", elsewhere.address);
        let host = Fixed::new(answer(status, &location, "")).await;
        let error = host.call().await;
        let Err(TransportError::Unanswered(Unanswered::Status { status: told, .. })) = &error else {
            panic!("{error:?}")
        };
        assert!(status.starts_with(&told.to_string()), "{error:?}");
        assert_eq!((host.requests(), elsewhere.requests()), (1, 0), "{status}");
    }
}

#[tokio::test]
async fn answers_that_are_none_are_told_apart() {
    enum Expect {
        NotRun,
        Open,
        Invalid,
    }
    use Expect::{Invalid, NotRun, Open};
    let envelope = r#"{"error":{"code":"interface_not_found","message":"m"}}"#;
    let large = format!(r#"{{"result":"{}"}}"#, "x".repeat(9000));
    let cases = [
        ("401 Unauthorized", "", "", NotRun),
        ("403 Forbidden", "Content-Type: text/html\r\n", "<p>no", NotRun),
        ("404 Not Found", "", "", NotRun),
        ("405 Method Not Allowed", "", "", NotRun),
        ("406 Not Acceptable", "", "", NotRun),
        ("411 Length Required", "", "", NotRun),
        ("413 Payload Too Large", "", "", NotRun),
        ("414 URI Too Long", "", "", NotRun),
        ("415 Unsupported Media Type", "", "", NotRun),
        ("421 Misdirected Request", "", "", NotRun),
        ("431 Headers Too Large", "", "", NotRun),
        ("401 Unauthorized", JSON, &large, NotRun),
        ("400 Bad Request", "", "", Open),
        ("408 Request Timeout", "", "", Open),
        ("429 Too Many Requests", "", "", Open),
        ("500 Internal Server Error", "", "", Open),
        ("502 Bad Gateway", "Content-Type: text/html\r\n", "<p>bad", Open),
        ("503 Service Unavailable", JSON, "{}", Open),
        ("200 OK", "Content-Type: application/json\r\nContent-Encoding: gzip\r\n", RESULT, Open),
        ("200 OK", "Content-Type: text/html\r\n", RESULT, Invalid),
        ("200 OK", JSON, "garbage", Invalid),
        ("200 OK", JSON, "", Invalid),
        ("200 OK", JSON, r#"{"result":1}"#, Invalid),
        ("200 OK", JSON, envelope, Invalid),
        ("200 OK", JSON, &large, Invalid),
        ("201 Created", JSON, RESULT, Invalid),
        ("400 Bad Request", JSON, RESULT, Invalid),
        ("404 Not Found", JSON, envelope, Invalid),
    ];
    for (status, headers, body, expect) in cases {
        let host = Fixed::new(answer(status, headers, body)).await;
        let error = host.call().await.expect_err(status);
        let fits = match expect {
            NotRun => matches!(&error, TransportError::NotSent(NotSent::Rejected { .. })),
            Open => matches!(&error, TransportError::Unanswered(Unanswered::Status { .. })),
            Invalid => matches!(&error, TransportError::InvalidAnswer { .. }),
        };
        assert!(fits, "{status} {headers:?} {body:.40?}: {error:?}");
        assert_eq!(host.requests(), 1);
    }
    let garbage = Fixed::new("SSH-2.0-x\r\n").await.call().await;
    assert!(matches!(garbage, Err(TransportError::Unanswered(Unanswered::Lost { .. }))), "{garbage:?}");
}

#[tokio::test]
async fn an_answer_without_end_is_not_read_to_its_end() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let endless = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        read_request(&mut stream).await;
        let head = format!("HTTP/1.1 200 OK\r\n{JSON}Transfer-Encoding: chunked\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let piece = format!("1000\r\n{}\r\n", " ".repeat(0x1000));
        while stream.write_all(piece.as_bytes()).await.is_ok() {}
    });
    let answer = transport(&format!("http://{address}/")).observe(context(), observe("/")).await;
    assert!(matches!(answer, Err(TransportError::InvalidAnswer { .. })), "{answer:?}");
    tokio::time::timeout(LONG, endless).await.expect("the connection is closed").unwrap();
}

#[tokio::test]
async fn a_host_that_says_nothing_of_itself_speaks_v1() {
    let stated = r#"{"wip":1,"interactions":["observe","fetch"],"encodings":["application/json"],"extensions":[],"limits":{"request_bytes":1,"response_bytes":1,"nesting":1,"fetch_entries":1,"tree_nodes":1,"tree_depth":1},"later":true}"#;
    for (status, headers, body, v1) in [
        ("404 Not Found", "", "", true),
        ("404 Not Found", JSON, r#"{"error":{"code":"not_found","message":"m"}}"#, true),
        ("405 Method Not Allowed", "", "", true),
        ("501 Not Implemented", "", "", true),
        ("200 OK", "Content-Type: text/html\r\n", "<p>hello", true),
        ("200 OK", JSON, "{}", true),
        ("200 OK", JSON, "<p>", true),
        ("200 OK", JSON, stated, false),
    ] {
        let host = Fixed::new(answer(status, headers, body)).await;
        let transport = host.transport();
        for _ in 0..2 {
            let capabilities = transport.capabilities(context()).await.unwrap();
            assert_eq!(capabilities == Capabilities::v1(), v1, "{status} {body}: {capabilities:?}");
            assert_eq!(capabilities.speaks(Interaction::Fetch), !v1);
        }
        assert_eq!(host.requests(), 1, "{status}: asked once");
    }
    for status in [
        "408 Request Timeout",
        "422 Unprocessable Entity",
        "429 Too Many Requests",
        "500 Internal Server Error",
        "502 Bad Gateway",
        "503 Service Unavailable",
        "504 Gateway Timeout",
    ] {
        let host = Fixed::new(answer(status, "", "")).await;
        let transport = host.transport();
        for _ in 0..2 {
            assert_eq!(transport.capabilities(context()).await.unwrap(), Capabilities::v1(), "{status}");
        }
        assert_eq!(host.requests(), 2, "{status}: not remembered");
    }
    for status in ["401 Unauthorized", "403 Forbidden"] {
        let host = Fixed::new(answer(status, "", "")).await;
        let transport = host.transport();
        for _ in 0..2 {
            let answer = transport.capabilities(context()).await;
            assert!(matches!(answer, Err(TransportError::NotSent(NotSent::Rejected { .. }))), "{answer:?}");
        }
        assert_eq!(host.requests(), 2, "{status}: not remembered");
    }
    let lost = Fixed::new("").await.transport().capabilities(context()).await;
    assert!(matches!(lost, Err(TransportError::Unanswered(_))), "{lost:?}");
}

#[tokio::test]
async fn deep_and_wide_trees_are_judged_without_harm() {
    let endpoint = |host: &Fixed| Endpoint::parse(&format!("http://{}/", host.address)).unwrap();
    let nested = |levels: usize| {
        let mut body = r#"{"object":{"name":"","interfaces":[]},"children":["#.to_owned();
        body.push_str(&r#"{"object":{"name":"a","interfaces":[]},"children":["#.repeat(levels));
        body + &"]}".repeat(levels + 1)
    };
    let named = |length: usize| {
        let first = r#"{"object":{"name":"","interfaces":[]},"expansion":"complete"}"#;
        let name = "n".repeat(length);
        let second =
            format!(r#"{{"object":{{"name":"{name}","interfaces":[]}},"parent":0,"expansion":"leaf"}}"#);
        format!(r#"{{"nodes":[{first},{second}],"truncated":false,"truncated_by":[]}}"#)
    };
    for levels in [1, 100, 10_000] {
        let host = Fixed::new(answer("200 OK", JSON, &nested(levels))).await;
        let transport = HttpTransport::new(endpoint(&host), ClientConfig::default()).unwrap();
        let tree = transport.observe(context(), observe("/")).await;
        assert!(matches!(tree, Err(TransportError::InvalidAnswer { .. })), "{levels}: {tree:?}");
    }
    for length in [1, 100_000, 5_000_000, 9_000_000] {
        let host = Fixed::new(answer("200 OK", JSON, &named(length))).await;
        let transport = HttpTransport::new(endpoint(&host), ClientConfig::default()).unwrap();
        let request = FetchTreeRequest::new(path("/"), 1, 5, None).unwrap();
        match transport.fetch_tree(context(), request).await {
            Ok(tree) => assert_eq!(tree.nodes()[1].object.name.as_str().len(), length),
            Err(error) => {
                assert!(length > 8 << 20, "{length}");
                assert!(matches!(error, TransportError::InvalidAnswer { .. }), "{length}: {error:?}");
            }
        }
    }
}
