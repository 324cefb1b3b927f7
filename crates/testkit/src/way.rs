//! The ways to a Host: in the same process, or over HTTP on loopback.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::task::JoinHandle;
use worldspace_client::InProcess;
use worldspace_http::{ClientConfig, HttpTransport, ServeError, Server, ServerConfig, SetupError};
use worldspace_model::{Principal, Responder, Transport};

/// How a Host is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Way {
    /// In the same process.
    InProcess,
    /// Over HTTP on loopback, through a real server and a real connection.
    Http,
}

/// A Host that can be spoken to. Its server, where it has one, ends when this is dropped.
pub struct Loopback {
    transport: Arc<dyn Transport>,
    url: Option<String>,
    serving: Option<JoinHandle<()>>,
}

/// Why a Host cannot be spoken to over HTTP.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoopbackError {
    /// No server can be had.
    #[error("no server can be started on loopback")]
    Serve(#[from] ServeError),
    /// No client can be had.
    #[error("no client can be set up")]
    Connect(#[from] SetupError),
}

impl Way {
    /// Both, so that what holds is shown for each.
    pub const ALL: [Self; 2] = [Self::InProcess, Self::Http];

    /// Begins to speak to a Host, as nobody in particular.
    ///
    /// # Errors
    /// No address on loopback can be had.
    pub async fn to(self, responder: Arc<dyn Responder>) -> Result<Loopback, LoopbackError> {
        if self == Self::InProcess {
            let transport = Arc::new(InProcess::new(responder, Principal::anonymous()));
            return Ok(Loopback { transport, url: None, serving: None });
        }
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let config = ServerConfig { listen, ..ServerConfig::default() };
        let server = Server::bind(config, responder).await?;
        let transport = HttpTransport::new(server.endpoint().clone(), ClientConfig::default())?;
        let url = Some(server.url().to_owned());
        let serving = Some(tokio::spawn(server.serve(std::future::pending())));
        Ok(Loopback { transport: Arc::new(transport), url, serving })
    }
}

impl Loopback {
    /// The way there, for a Client or for requests as they are.
    pub fn transport(&self) -> Arc<dyn Transport> {
        self.transport.clone()
    }

    /// Where the server is, for requests that no Transport would send.
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        if let Some(serving) = &self.serving {
            serving.abort();
        }
    }
}
