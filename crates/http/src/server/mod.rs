//! The server: any [`Responder`] behind the routes of SPEC 7.

mod accept;
mod activity;
pub mod admission;
mod answer;
mod body;
mod config;
mod dispatch;
mod headers;
mod load;
mod origin;
mod page;
mod routes;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use worldspace_model::Responder;

pub use config::{ServerConfig, ServerLimits};

use crate::endpoint::Endpoint;
use routes::Site;

/// Serves Responders over HTTP.
pub struct Server;

/// A server that has its address and does not answer yet.
pub struct BoundServer {
    listener: TcpListener,
    endpoint: Endpoint,
    config: ServerConfig,
    responder: Arc<dyn Responder>,
    further: axum::Router,
}

/// Why a server cannot serve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address is reachable from other machines.
    #[error(
        "{listen} can be reached from other machines, and there is neither encryption nor authentication yet: \
         listen at a loopback address such as 127.0.0.1:{}", listen.port()
    )]
    BeyondLoopback {
        /// The address.
        listen: SocketAddr,
    },
    /// The base path makes no URL.
    #[error("the base path {base_path:?} is not the path of a URL; write one such as `/` or `/wip/`")]
    BasePath {
        /// What was given.
        base_path: String,
    },
    /// Under a limit, nothing could be served.
    #[error("the limit `{limit}` {reason}")]
    Limit {
        /// Which one, as [`ServerLimits`] names it.
        limit: &'static str,
        /// What is wrong with it, and what would be right.
        reason: &'static str,
    },
    /// The address cannot be had.
    #[error("cannot listen at {listen}; take another port, or port 0 for any that is free")]
    Bind {
        /// The address.
        listen: SocketAddr,
        /// Why.
        source: io::Error,
    },
}

impl Server {
    /// Takes the address; connections wait until [`BoundServer::serve`].
    ///
    /// # Errors
    /// An address beyond loopback, one that is taken, a base path that is none, or a limit that nothing could meet.
    pub async fn bind(
        mut config: ServerConfig,
        responder: Arc<dyn Responder>,
    ) -> Result<BoundServer, ServeError> {
        let listen = config.listen;
        if !listen.ip().to_canonical().is_loopback() {
            return Err(ServeError::BeyondLoopback { listen });
        }
        config.limits = config.limits.checked(&config.wire)?;
        let bind = |source| ServeError::Bind { listen, source };
        let listener = TcpListener::bind(listen).await.map_err(bind)?;
        let address = listener.local_addr().map_err(bind)?;
        let endpoint = Some(&config.base_path)
            .filter(|path| path.starts_with('/'))
            .and_then(|path| Endpoint::parse(&format!("http://{address}{path}")).ok())
            .ok_or_else(|| ServeError::BasePath { base_path: config.base_path.clone() })?;
        Ok(BoundServer { listener, endpoint, config, responder, further: axum::Router::new() })
    }
}

impl BoundServer {
    /// The endpoint, with the port that was taken.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The URL of the endpoint.
    pub fn url(&self) -> &str {
        self.endpoint.as_str()
    }

    /// Serves further routes at the same address, such as a web view. They get what is no route of the protocol, once
    /// `Host` and `Origin` are checked; all limits but those on size and total time hold for them, and beyond `requests`
    /// they are 503. The page at the endpoint, and 404, answer what they leave over, so their own fallback is replaced.
    #[must_use]
    pub fn with_routes(mut self, further: axum::Router) -> Self {
        self.further = further;
        self
    }

    /// Answers until `shutdown` is done, then accepts nothing further, lets requests under way end within
    /// [`ServerLimits::drain_timeout`], and returns. Shortly before that time is over, requests that are still under way
    /// are given up and told so. Dropping the future closes every connection.
    pub async fn serve(self, shutdown: impl Future<Output = ()>) {
        let limits = self.config.limits.clone();
        let address = self.listener.local_addr().unwrap_or(self.config.listen);
        let site = Site::new(self.endpoint, address, self.config, self.responder, self.further);
        accept::serve(self.listener, Arc::new(site), limits, shutdown).await;
    }
}
