//! Tokens: who is let in, and that everybody else hears the same.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use worldspace_http::ServerConfig;
use worldspace_http::auth::{Authentication, LineFault, Token, TokenFile, TokenFileError, Verified};
use worldspace_model::Principal;

use crate::raw::{LONG, Reply, Running};

const BODY: &str = r#"{"path":"/","depth":0}"#;
const JSON: &str = "Content-Type: application/json\r\n";

/// A file of tokens with one of alice's and two of bob's.
struct Tokens {
    _directory: TempDir,
    path: PathBuf,
    alice: Token,
    bob: [Token; 2],
}

impl Tokens {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tokens");
        let add = |name| TokenFile::add(&path, name).unwrap();
        let (alice, bob) = (add("alice"), [add("bob"), add("bob")]);
        Self { _directory: directory, path, alice, bob }
    }

    fn authentication(&self) -> Authentication {
        Authentication::Tokens(Arc::new(TokenFile::open(&self.path).unwrap()))
    }

    async fn server(&self) -> Running {
        Running::with(|config| config.authentication = self.authentication()).await
    }

    /// Takes the lines of a principal out of the file.
    fn revoke(&self, name: &str) {
        let text = fs::read_to_string(&self.path).unwrap();
        let kept: String =
            text.lines().filter(|line| !line.starts_with(name)).map(|line| format!("{line}\n")).collect();
        assert_ne!(kept, text);
        fs::write(&self.path, kept).unwrap();
    }
}

fn bearer(token: &Token) -> String {
    format!("Authorization: Bearer {}\r\n", token.reveal())
}

#[tokio::test]
async fn a_token_is_its_principal() {
    let tokens = Tokens::new();
    let server = tokens.server().await;
    let good = tokens.alice.reveal();
    for (headers, principal) in [
        (bearer(&tokens.alice), "alice"),
        (bearer(&tokens.bob[0]), "bob"),
        (bearer(&tokens.bob[1]), "bob"),
        (format!("authorization: bEARER   {good} \r\n"), "alice"),
    ] {
        let reply = server.post("observe", &headers, BODY).await;
        assert_eq!(reply.status, 200, "{headers}: {reply:?}");
        assert_eq!(server.world.seen().principal, principal);
    }
    let capabilities = server.send(&server.request("GET /v1", &bearer(&tokens.alice), "")).await;
    assert_eq!(capabilities.status, 200);

    let one = Authentication::One { token: tokens.alice.clone(), principal: Principal::new("owner") };
    let server = Running::with(|config| config.authentication = one).await;
    assert_eq!(server.post("observe", &bearer(&tokens.alice), BODY).await.status, 200);
    assert_eq!(server.world.seen().principal, "owner");
    assert_eq!(server.post("observe", &bearer(&tokens.bob[0]), BODY).await.status, 401);
}

/// What lets nobody in: headers, and a query.
fn bad_credentials(tokens: &Tokens) -> Vec<(String, String)> {
    let good = tokens.alice.reveal();
    let revoked = &tokens.bob[0];
    let hash = fs::read_to_string(&tokens.path).unwrap();
    let hash = hash.lines().find_map(|line| line.strip_prefix("alice ")).unwrap();
    let headers = [
        String::new(),
        "Authorization:\r\n".to_owned(),
        "Authorization: Bearer\r\n".to_owned(),
        "Authorization: Bearer \r\n".to_owned(),
        "Authorization: Bearer =\r\n".to_owned(),
        format!("Authorization: {good}\r\n"),
        format!("Authorization: Basic {good}\r\n"),
        format!("Authorization: Token {good}\r\n"),
        format!("Authorization: Bearer={good}\r\n"),
        format!("Authorization: Bearer\t{good}\r\n"),
        format!("Authorization: Bearer \"{good}\"\r\n"),
        format!("Authorization: Bearer {good},\r\n"),
        format!("Authorization: Bearer {good} {good}\r\n"),
        format!("Authorization: Bearer Bearer {good}\r\n"),
        format!("Authorization: Basic eDp5, Bearer {good}\r\n"),
        format!("Authorization: Bearer {}\r\n", &good[..good.len() - 1]),
        format!("Authorization: Bearer {good}A\r\n"),
        format!("Authorization: Bearer {}\r\n", good.to_uppercase()),
        format!("Authorization: Bearer {}\r\n", &good[4..]),
        format!("Authorization: Bearer {good}\u{e9}\r\n"),
        format!("Authorization: Bearer {}\r\n", "a".repeat(513)),
        format!("Authorization: Bearer {}\r\n", "a".repeat(6000)),
        format!("Authorization: Bearer {hash}\r\n"),
        format!("Authorization: Bearer {}\r\n", hash.strip_prefix("sha256:").unwrap()),
        bearer(&Token::generate().unwrap()),
        bearer(revoked),
        bearer(&tokens.alice).repeat(2),
        format!("{}{}", bearer(&tokens.alice), bearer(revoked)),
        format!("{}Authorization:\r\n", bearer(&tokens.alice)),
        format!("Authorization: Basic eDp5\r\n{}", bearer(&tokens.alice)),
        format!("Proxy-Authorization: Bearer {good}\r\n"),
        format!("X-Authorization: Bearer {good}\r\n"),
        format!("Cookie: access_token={good}\r\n"),
    ];
    let mut cases: Vec<_> = headers.into_iter().map(|headers| (headers, String::new())).collect();
    for query in [format!("?access_token={good}"), format!("?token={good}"), "?".to_owned()] {
        cases.push((String::new(), query));
    }
    cases
}

#[tokio::test]
async fn all_that_lets_nobody_in_is_answered_with_the_same_bytes() {
    let tokens = Tokens::new();
    let server = tokens.server().await;
    assert_eq!(server.post("observe", &bearer(&tokens.bob[0]), BODY).await.status, 200);
    let cases = bad_credentials(&tokens);
    assert!(cases.len() >= 30);
    tokens.revoke("bob");

    let plain = server.send(&server.request("POST /v1/observe", JSON, BODY)).await;
    plain.expect_plain(401);
    let metadata = format!("http://{}/.well-known/oauth-protected-resource", server.address);
    assert_eq!(
        plain.header("www-authenticate"),
        Some(&*format!("bearer resource_metadata=\"{metadata}\"")),
        "{plain:?}"
    );
    for (headers, query) in cases {
        let request = server.request(&format!("POST /v1/observe{query}"), &format!("{JSON}{headers}"), BODY);
        let reply = server.send(&request).await;
        assert_eq!(reply.sameness(), plain.sameness(), "{request}");
    }
    for line in [
        "GET /v1",
        "GET /v1?",
        "GET /v1/",
        "GET /v1/none",
        "GET /v1/observe/more",
        "PUT /v1/none?access_token=x",
        "POST /v1/call_outcome",
    ] {
        let reply = server.send(&server.request(line, "", "")).await;
        assert_eq!(reply.sameness(), plain.sameness(), "{line}");
    }
    let call = server.call("echo", "").await;
    assert_eq!(call.sameness(), plain.sameness());
    assert_eq!(server.world.arrived.load(Ordering::SeqCst), 1, "the one before the table");
}

#[tokio::test]
async fn what_is_no_route_is_told_only_to_those_who_are_let_in() {
    let tokens = Tokens::new();
    let server = tokens.server().await;
    let alice = bearer(&tokens.alice);
    for (line, headers, status) in [
        ("POST /v1/none", JSON, 404),
        ("POST /v1/observe?token=x", JSON, 404),
        ("GET /v1/observe", "", 405),
        ("POST /v1/observe", "", 415),
    ] {
        let reply = server.send(&server.request(line, &format!("{headers}{alice}"), BODY)).await;
        reply.expect_plain(status);
    }
    // The specified routes are no secret, and what is wrong with a request to one comes before who asks.
    for (line, status) in [("GET /v1/observe", 405), ("POST /v1/observe", 415), ("POST /v1/none", 401)] {
        server.send(&server.request(line, "", BODY)).await.expect_plain(status);
    }
    // What is no token because of its size is answered as any other, until the head is too large.
    for (size, status) in [(15_000, 401), (20_000, 431)] {
        let headers = format!("{JSON}Authorization: Bearer {}\r\n", "a".repeat(size));
        let reply = server.send(&server.request("POST /v1/observe", &headers, BODY)).await;
        assert_eq!(reply.status, status, "{size}");
    }
    // Names and origins come first, so that a page cannot try tokens.
    for (headers, status) in [("Host: evil.test\r\n", 421), ("Origin: http://evil.test\r\n", 403)] {
        for line in ["GET /v1", "GET /v1/none", "GET /.well-known/oauth-protected-resource"] {
            server.send(&server.request(line, headers, "")).await.expect_plain(status);
        }
    }
    // What needs no token says no more than before.
    for (line, status) in [("GET /", 200), ("GET /none", 404), ("GET /v1x", 404), ("GET /V1", 404)] {
        assert_eq!(server.send(&server.request(line, "", "")).await.status, status, "{line}");
    }
}

#[tokio::test]
async fn the_metadata_tell_how_to_be_let_in() {
    let tokens = Tokens::new();
    let well_known = "/.well-known/oauth-protected-resource";
    for (base, path) in [("/", well_known.to_owned()), ("/a/\"b", format!("{well_known}/a/%22b/"))] {
        let server = Running::with(|config| {
            config.authentication = tokens.authentication();
            config.base_path = base.to_owned();
        })
        .await;
        for host in [server.address.to_string(), format!("localhost:{}", server.address.port())] {
            let header = format!("Host: {host}\r\n");
            let reply = server.send(&server.request(&format!("GET {path}"), &header, "")).await;
            assert_eq!(
                (reply.status, reply.header("content-type")),
                (200, Some("application/json")),
                "{reply:?}"
            );
            let document: serde_json::Value = serde_json::from_str(&reply.body).unwrap();
            let resource = format!("http://{host}{}", server.endpoint.base_path());
            let expected = serde_json::json!({"resource": resource, "bearer_methods_supported": ["header"]});
            assert_eq!(document, expected);
            let refused = server.request(&format!("GET {}v1", server.endpoint.base_path()), &header, "");
            let refused = server.send(&refused).await;
            let challenge = format!("bearer resource_metadata=\"http://{host}{path}\"");
            assert_eq!(refused.header("www-authenticate"), Some(&*challenge), "{refused:?}");
        }
        let head = server.send(&server.request(&format!("HEAD {path}"), "", "")).await;
        assert!(head.status == 200 && head.body.is_empty(), "{head:?}");
        server.send(&server.request(&format!("POST {path}"), "", "x")).await.expect_plain(405);
        server.send(&server.request(&format!("GET {path}?x"), "", "")).await.expect_plain(404);
    }
    let open = Running::new().await;
    open.send(&open.request(&format!("GET {well_known}"), "", "")).await.expect_plain(404);
}

#[tokio::test]
async fn further_routes_learn_who_asks() {
    async fn who(request: axum::extract::Request) -> String {
        format!("{:?} {:?}", request.extensions().get::<Verified>(), request.headers().get("authorization"))
    }
    let tokens = Tokens::new();
    let further = axum::Router::new().route("/who", axum::routing::get(who));
    let configure = |config: &mut ServerConfig| config.authentication = tokens.authentication();
    let server = Running::routed(configure, further.clone()).await;
    for (headers, principal) in [
        (bearer(&tokens.alice), "Some(Verified(Some(\"alice\"))) Some(Sensitive)"),
        (bearer(&Token::generate().unwrap()), "None Some(Sensitive)"),
        (String::new(), "None None"),
    ] {
        let reply = server.send(&server.request("GET /who", &headers, "")).await;
        assert_eq!((reply.status, &*reply.body), (200, principal), "{headers}");
    }
    let open = Running::routed(|_| {}, further).await;
    let reply = open.send(&open.request("GET /who", &bearer(&tokens.alice), "")).await;
    assert_eq!(reply.body, "None Some(Sensitive)", "nobody was verified");
}

/// Sends over a connection that stays open, and returns the status.
async fn ask(stream: &mut tokio::net::TcpStream, request: &str) -> u16 {
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    let mut piece = [0; 4096];
    let read = async {
        loop {
            let length = stream.read(&mut piece).await.unwrap();
            assert_ne!(length, 0, "closed: {text}");
            text.push_str(std::str::from_utf8(&piece[..length]).unwrap());
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            let length = head
                .lines()
                .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if length == Some(body.len()) {
                return head.split(' ').nth(1).unwrap().parse().unwrap();
            }
        }
    };
    tokio::time::timeout(LONG, read).await.expect("an answer comes")
}

#[tokio::test]
async fn a_token_taken_out_is_worth_nothing_on_an_open_connection() {
    let tokens = Tokens::new();
    let server = tokens.server().await;
    let request = |token| {
        let headers = format!("{JSON}{}", bearer(token));
        server.request("POST /v1/observe", &headers, BODY).replace("Connection: close\r\n", "")
    };
    let (alice, bob) = (request(&tokens.alice), request(&tokens.bob[1]));
    let mut stream = server.connect().await;
    assert_eq!([ask(&mut stream, &alice).await, ask(&mut stream, &bob).await], [200, 200]);
    tokens.revoke("bob");
    assert_eq!([ask(&mut stream, &bob).await, ask(&mut stream, &alice).await], [401, 200]);
    let carol = TokenFile::add(&tokens.path, "carol").unwrap();
    assert_eq!(ask(&mut stream, &request(&carol)).await, 200);
    assert_eq!(server.world.seen().principal, "carol");

    // A file that is wrong or gone lets nobody in, and a mended one does again.
    let well = fs::read(&tokens.path).unwrap();
    fs::write(&tokens.path, [&well[..], b"what is this"].concat()).unwrap();
    assert_eq!(ask(&mut stream, &alice).await, 401);
    fs::remove_file(&tokens.path).unwrap();
    assert_eq!(ask(&mut stream, &alice).await, 401);
    fs::create_dir(&tokens.path).unwrap();
    assert_eq!(ask(&mut stream, &alice).await, 401);
    fs::remove_dir(&tokens.path).unwrap();
    fs::write(&tokens.path, &well).unwrap();
    permit(&tokens.path, 0o600);
    assert_eq!(ask(&mut stream, &alice).await, 200);
    permit(&tokens.path, 0o660);
    assert_eq!(ask(&mut stream, &alice).await, 401);
    permit(&tokens.path, 0o644);
    assert_eq!(ask(&mut stream, &alice).await, 200);
}

#[tokio::test]
async fn each_request_of_http2_is_authenticated() {
    let tokens = Tokens::new();
    let server = tokens.server().await;
    let io = TokioIo::new(server.connect().await);
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), io).await.unwrap();
    tokio::spawn(connection);
    let mut ask = async |values: &[&Token]| {
        let mut request = Request::post(format!("http://{}/v1/observe", server.address));
        request = request.header("content-type", "application/json");
        for token in values {
            request = request.header("authorization", format!("Bearer {}", token.reveal()));
        }
        let answer = sender.send_request(request.body(Full::new(BODY.as_bytes())).unwrap()).await.unwrap();
        let (head, body) = answer.into_parts();
        let mut headers = head.headers;
        headers.remove("date");
        headers.remove("x-request-id");
        (head.status, headers, body.collect().await.unwrap().to_bytes())
    };
    let (alice, bob) = (&tokens.alice, &tokens.bob[0]);
    assert_eq!(ask(&[bob]).await.0, StatusCode::OK);
    let nobody = ask(&[]).await;
    assert_eq!(nobody.0, StatusCode::UNAUTHORIZED);
    assert!(nobody.1.contains_key("www-authenticate"));
    tokens.revoke("bob");
    assert_eq!(ask(&[bob]).await, nobody);
    assert_eq!(ask(&[alice, alice]).await, nobody);
    assert_eq!(ask(&[alice]).await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_body_of_somebody_unknown_is_not_read() {
    let tokens = Tokens::new();
    let server = tokens.server().await;
    let headers = format!("{JSON}Expect: 100-continue\r\nContent-Length: 1000000\r\n");
    let mut stream = server.connect().await;
    stream.write_all(server.request("POST /v1/observe", &headers, "").as_bytes()).await.unwrap();
    let reply = Reply::read(&mut stream).await;
    reply.expect_plain(401);
    // Part of it is on its way already: the connection ends rather than take the rest for a request.
    let headers = format!("{JSON}Content-Length: 1000000\r\n");
    let request = server.request("POST /v1/observe", &headers, "").replace("Connection: close\r\n", "");
    let mut stream = server.connect().await;
    stream.write_all(format!("{request}GET /v1 HTTP/1.1\r\n\r\n").as_bytes()).await.unwrap();
    let text = crate::raw::until_closed(&mut stream).await;
    assert_eq!(text.matches("HTTP/1.1 ").count(), 1, "{text}");
    assert!(text.starts_with("HTTP/1.1 401 "), "{text}");
}

fn permit(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_new_file_is_its_owners_alone_and_holds_no_token() {
    use std::os::unix::fs::PermissionsExt as _;
    let tokens = Tokens::new();
    assert_eq!(fs::metadata(&tokens.path).unwrap().permissions().mode() & 0o777, 0o600);
    let text = fs::read_to_string(&tokens.path).unwrap();
    for token in [&tokens.alice, &tokens.bob[0], &tokens.bob[1]] {
        assert!(!text.contains(&token.reveal()[4..]), "{text}");
    }
    assert!(text.starts_with("# Tokens") && text.matches("\nbob sha256:").count() == 2, "{text}");
    let left: Vec<_> = fs::read_dir(tokens.path.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[tokio::test]
async fn adding_keeps_what_is_there() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let (path, link) = (directory.path().join("real"), directory.path().join("link"));
    let hash = format!("sha256:{}", "ab".repeat(32));
    // As an editor may leave it: without an end of line.
    fs::write(&path, format!("# mine\n\ndave {hash}")).unwrap();
    permit(&path, 0o640);
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let token = TokenFile::add(&link, "erin").unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.starts_with(&format!("# mine\n\ndave {hash}\nerin sha256:")) && text.ends_with('\n'),
        "{text}"
    );
    let file = TokenFile::open(&link).unwrap();
    assert_eq!(file.principal_of(&token).await, Some(Principal::new("erin")));
}

#[tokio::test]
async fn adding_at_once_loses_nothing_and_readers_see_whole_files() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("tokens");
    TokenFile::add(&path, "first").unwrap();
    let file = TokenFile::open(&path).unwrap();
    let tokens: Vec<Token> = std::thread::scope(|scope| {
        let add = |writer: usize| {
            let path = &path;
            move || (0..10).map(|_| TokenFile::add(path, &format!("w{writer}")).unwrap()).collect::<Vec<_>>()
        };
        let writers: Vec<_> = (0..4).map(|writer| scope.spawn(add(writer))).collect();
        while writers.iter().any(|writer| !writer.is_finished()) {
            TokenFile::open(&path).unwrap();
        }
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    assert_eq!(tokens.len(), 40);
    for token in &tokens {
        assert!(file.principal_of(token).await.is_some());
    }
}

#[test]
fn a_file_that_somebody_keeps_locked_is_not_waited_for_for_good() {
    let tokens = Tokens::new();
    let before = fs::read(&tokens.path).unwrap();
    let locked = fs::File::open(&tokens.path).unwrap();
    locked.lock().unwrap();
    match TokenFile::add(&tokens.path, "carol") {
        Err(TokenFileError::Write { source, .. }) => {
            assert!(source.to_string().contains("locked"), "{source}")
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(fs::read(&tokens.path).unwrap(), before);
    assert!(TokenFile::open(&tokens.path).is_ok(), "readers take no lock");
    drop(locked);
    TokenFile::add(&tokens.path, "carol").unwrap();
}

#[test]
fn files_that_are_none_and_names_that_are_none_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("tokens");
    let good = format!("alice sha256:{}\n", "ab".repeat(32));
    let open = |text: &str, mode| {
        fs::write(&path, text).unwrap();
        permit(&path, mode);
        TokenFile::open(&path).map(drop)
    };
    assert!(open(&good, 0o600).is_ok() && open(&good, 0o644).is_ok() && open("", 0o600).is_ok());
    for mode in [0o620, 0o602, 0o666] {
        let error = open(&good, mode).unwrap_err();
        assert!(matches!(error, TokenFileError::WritableByOthers { .. }), "{error}");
        let error = TokenFile::add(&path, "bob").unwrap_err();
        assert!(matches!(error, TokenFileError::WritableByOthers { .. }), "{error}");
    }
    let wrong = open(&format!("{good}\nsecretname secrethash\n"), 0o600).unwrap_err();
    assert!(matches!(wrong, TokenFileError::Line { line: 3, fault: LineFault::Shape, .. }), "{wrong}");
    assert!(!format!("{wrong} {wrong:?}").contains("secret"), "{wrong}");
    let wrong = TokenFile::add(&path, "bob").unwrap_err();
    assert!(matches!(wrong, TokenFileError::Line { line: 3, .. }), "{wrong}");
    let large = open(&format!("#{}\n", "x".repeat(4 << 20)), 0o600).unwrap_err();
    assert!(matches!(large, TokenFileError::TooLarge { .. }), "{large}");
    fs::remove_file(&path).unwrap();

    let none = TokenFile::open(&path).unwrap_err();
    assert!(matches!(none, TokenFileError::Read { .. }), "{none}");
    let folder = TokenFile::open(directory.path()).unwrap_err();
    assert!(matches!(folder, TokenFileError::NoFile { .. }), "{folder}");
    assert!(matches!(TokenFile::add(directory.path(), "bob"), Err(TokenFileError::Write { .. })));
    let nowhere = directory.path().join("none/tokens");
    assert!(matches!(TokenFile::add(nowhere, "bob"), Err(TokenFileError::Write { .. })));
    for name in ["", " ", "a b", "#a", "-a", "a\nb", "anonymous", "\u{e9}", "a:b", &"a".repeat(65)] {
        let error = TokenFile::add(&path, name).unwrap_err();
        assert!(matches!(error, TokenFileError::Name), "{name:?}: {error}");
    }
    assert!(!path.exists(), "nothing was made");
    for name in ["a", "Alice.B-c_d@example.org", "0"] {
        TokenFile::add(&path, name).unwrap();
    }
}
