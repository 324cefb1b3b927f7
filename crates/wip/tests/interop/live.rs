//! A live server under test, and what it answers.

use std::net::SocketAddr;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use reqwest::header::CONTENT_TYPE;
use serde_json::Value as Json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use worldspace_host::Host;
use worldspace_http::{Server, ServerConfig};
use worldspace_model::EntryPath;
use worldspace_wire::Limits;

/// A client of the tests' own. Also where it never speaks TLS, it wants to know by which cryptography it would.
pub(crate) fn http_client_builder() -> reqwest::ClientBuilder {
    // Whoever came first has chosen the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy()
}

pub(crate) fn http_client() -> reqwest::Client {
    http_client_builder().build().unwrap()
}

/// The limits under which the vectors were recorded.
pub(crate) fn recorded_limits() -> Limits {
    Limits::new(1 << 20, 1 << 20, 64).unwrap()
}

/// Our Host at a port of its own, until this is dropped.
pub(crate) struct Live {
    pub(crate) address: SocketAddr,
    pub(crate) url: String,
    http: reqwest::Client,
    _stop: oneshot::Sender<()>,
}

impl Live {
    pub(crate) async fn serve(host: Host) -> Self {
        Self::configured(host, |_| {}).await
    }

    pub(crate) async fn configured(host: Host, configure: impl FnOnce(&mut ServerConfig)) -> Self {
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut config = ServerConfig { listen, wire: recorded_limits(), ..ServerConfig::default() };
        configure(&mut config);
        let server = Server::bind(config, std::sync::Arc::new(host)).await.unwrap();
        let url = server.url().to_owned();
        let authority = url.split('/').nth(2).unwrap();
        let address = authority.parse().unwrap();
        let (stop, stopped) = oneshot::channel();
        tokio::spawn(server.serve(async { drop(stopped.await) }));
        let http = http_client();
        Self { address, url, http, _stop: stop }
    }

    pub(crate) async fn post(&self, route: &str, body: impl Into<Vec<u8>>) -> Reply {
        let request = self.http.post(format!("{}v1/{route}", self.url));
        let request = request.header(CONTENT_TYPE, "application/json").body(body.into());
        let answer = request.send().await.unwrap_or_else(|error| panic!("no answer from {route}: {error}"));
        let status = answer.status().as_u16();
        let json = answer.headers().get(CONTENT_TYPE).is_some_and(|value| value == "application/json");
        Reply { status, json, body: answer.bytes().await.unwrap().to_vec() }
    }

    /// Sends a request octet by octet, and gives back the head of the answer too.
    pub(crate) async fn send(&self, request: &[u8]) -> (String, Reply) {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request).await.unwrap();
        let mut octets = Vec::new();
        stream.read_to_end(&mut octets).await.unwrap();
        let end = octets.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no answer to {:?}", String::from_utf8_lossy(request)));
        let head = String::from_utf8_lossy(&octets[..end]).to_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let json = head.contains("\r\ncontent-type: application/json");
        let reply = Reply { status, json, body: octets[end + 4..].to_vec() };
        (head, reply)
    }

    /// Asks for the root, as anybody may at any time.
    pub(crate) async fn expect_alive(&self) {
        let reply = self.post("observe", r#"{"path":"/","depth":0}"#).await;
        assert_eq!(reply.status, 200, "the server answers on: {reply:?}");
    }

    /// The validator of an interface, as text in base64.
    pub(crate) async fn interface_validator(&self, scope: &str, name: &str) -> String {
        let body = serde_json::json!({"interface": {"scope": scope, "name": name}});
        let reply = self.post("fetch_interface", body.to_string()).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.parsed()["validator"].as_str().unwrap().to_owned()
    }
}

/// An answer.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) json: bool,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn parsed(&self) -> Json {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The error of the protocol, if it is one: its code and message, of the right status and of exactly this shape.
    pub(crate) fn error(&self) -> Option<(String, String)> {
        if self.status == 200 || !self.json {
            return None;
        }
        let error = wire().read_error(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"));
        assert_eq!(self.status, worldspace_wire::status_of(error.code), "{self:?}");
        Some((error.code.name().to_owned(), error.message.to_string()))
    }
}

fn wire() -> worldspace_wire::Codec {
    worldspace_wire::Codec::default()
}

impl std::fmt::Debug for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.status, String::from_utf8_lossy(&self.body[..self.body.len().min(2000)]))
    }
}

pub(crate) fn entry(text: &str) -> EntryPath {
    EntryPath::parse(text).unwrap()
}

static PANICS: AtomicUsize = AtomicUsize::new(0);

/// How many panics there were in this process since it was first asked, those that something caught included.
pub(crate) fn panics() -> usize {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            PANICS.fetch_add(1, Ordering::SeqCst);
            before(info);
        }));
    });
    PANICS.load(Ordering::SeqCst)
}
