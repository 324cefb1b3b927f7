//! A server under test, and requests to it octet by octet.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use worldspace_http::{Endpoint, Server, ServerConfig};

use crate::world::World;

/// Longer than anything here takes: what is still waited for by then has failed.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// A server at a port of its own.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) endpoint: Endpoint,
    pub(crate) world: Arc<World>,
    stop: oneshot::Sender<()>,
    served: JoinHandle<()>,
}

impl Running {
    pub(crate) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(configure: impl FnOnce(&mut ServerConfig)) -> Self {
        Self::routed(configure, axum::Router::new()).await
    }

    pub(crate) async fn routed(configure: impl FnOnce(&mut ServerConfig), further: axum::Router) -> Self {
        let mut config = ServerConfig { listen: SocketAddr::from(([127, 0, 0, 1], 0)), ..Default::default() };
        configure(&mut config);
        let world = Arc::new(World::default());
        let server = Server::bind(config, world.clone()).await.unwrap().with_routes(further);
        let endpoint = server.endpoint().clone();
        let authority = server.url().split('/').nth(2).unwrap();
        let address = authority.parse().unwrap();
        let (stop, stopped) = oneshot::channel();
        let served = tokio::spawn(server.serve(async { drop(stopped.await) }));
        Self { address, endpoint, world, stop, served }
    }

    /// Asks the server to end, without waiting for it.
    pub(crate) fn stop(self) -> JoinHandle<()> {
        drop(self.stop);
        self.served
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// A request in HTTP/1.1 that closes its connection.
    pub(crate) fn request(&self, line: &str, headers: &str, body: &str) -> String {
        let host = if headers.to_lowercase().contains("host:") {
            String::new()
        } else {
            format!("Host: {}\r\n", self.address)
        };
        let length =
            if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
        format!("{line} HTTP/1.1\r\n{host}Connection: close\r\n{headers}{length}\r\n{body}")
    }

    pub(crate) async fn send(&self, request: &str) -> Reply {
        let mut stream = self.connect().await;
        stream.write_all(request.as_bytes()).await.unwrap();
        Reply::read(&mut stream).await
    }

    /// Posts JSON.
    pub(crate) async fn post(&self, interaction: &str, headers: &str, body: &str) -> Reply {
        let headers = format!("Content-Type: application/json\r\n{headers}");
        self.send(&self.request(&format!("POST /v1/{interaction}"), &headers, body)).await
    }

    pub(crate) async fn observe(&self, path: &str) -> Reply {
        self.post("observe", "", &format!(r#"{{"path":"{path}","depth":0}}"#)).await
    }

    pub(crate) async fn call(&self, operation: &str, headers: &str) -> Reply {
        self.post("call_operation", headers, &call(operation)).await
    }
}

/// The body of a call.
pub(crate) fn call(operation: &str) -> String {
    format!(
        r#"{{"target":{{"path":"/t"}},"interface":{{"reference":{{"scope":"/","name":"test"}}}},"operation":"{operation}","arguments":{{"text":"hello"}}}}"#
    )
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Reply {
    /// Reads until the server closes the connection.
    pub(crate) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Self {
        let text = until_closed(stream).await;
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// All of it that may not differ between two answers that shall say the same.
    pub(crate) fn sameness(&self) -> String {
        let mine = |line: &&str| !line.starts_with("date: ") && !line.starts_with("x-request-id: ");
        let head: Vec<&str> = self.head.lines().filter(mine).collect();
        format!("{}\n\n{}", head.join("\n"), self.body)
    }

    /// The code of an error of the protocol.
    pub(crate) fn code(&self) -> &str {
        let rest = self.body.strip_prefix(r#"{"error":{"code":""#);
        rest.unwrap_or_else(|| panic!("no envelope: {self:?}")).split('"').next().unwrap()
    }

    /// Checks that this is a plain failure: a line of text for people, and no envelope.
    pub(crate) fn expect_plain(&self, status: u16) {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.header("content-type"), Some("text/plain; charset=utf-8"), "{self:?}");
        assert!(self.body.ends_with(".\n") && !self.body.contains('{'), "{self:?}");
    }
}

/// All that comes until the server closes the connection, however it does.
pub(crate) async fn until_closed(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut octets = Vec::new();
    let read = tokio::time::timeout(LONG, async {
        let mut piece = [0; 4096];
        while let Ok(length @ 1..) = stream.read(&mut piece).await {
            octets.extend_from_slice(&piece[..length]);
        }
    });
    read.await.expect("the server closes the connection");
    String::from_utf8_lossy(&octets).into_owned()
}
