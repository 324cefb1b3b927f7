//! The server: any [`Responder`] behind the routes of SPEC 7.

mod accept;
mod activity;
pub mod admission;
mod answer;
mod authentication;
mod body;
mod config;
mod dispatch;
mod headers;
mod load;
mod origin;
mod page;
mod routes;

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use tokio::net::TcpListener;
use worldspace_model::Responder;

pub use config::{BeyondLoopback, ServerConfig, ServerLimits};

use crate::endpoint::Endpoint;
use routes::Site;

/// Serves Responders over HTTP.
pub struct Server;

/// A server that has its address and does not answer yet.
pub struct BoundServer {
    listener: TcpListener,
    /// Its address as a URL has it.
    address: SocketAddr,
    endpoint: Endpoint,
    config: ServerConfig,
    responder: Arc<dyn Responder>,
    further: axum::Router,
}

/// Why a server cannot serve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address is reachable from other machines, and what that takes is missing.
    #[error(
        "{listen} can be reached from other machines, and there {missing}: add what is missing, allow it to be missing, \
         or listen at a loopback address such as 127.0.0.1:{}", listen.port()
    )]
    BeyondLoopback {
        /// The address.
        listen: SocketAddr,
        /// What is missing.
        missing: Missing,
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

/// What is missing at an address that other machines reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// A certificate and its key.
    Tls,
    /// Tokens.
    Tokens,
    /// Both.
    Both,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tls => "is no TLS, so that others could read and change what is sent",
            Self::Tokens => "are no tokens, so that everyone would be let in",
            Self::Both => {
                "is neither TLS nor are there tokens, so that others could read and change what is sent and everyone \
                 would be let in"
            }
        })
    }
}

impl Server {
    /// Takes the address; connections wait until [`BoundServer::serve`].
    ///
    /// # Errors
    /// An address beyond loopback without what that takes, one that is taken, a base path that is none, or a limit that
    /// nothing could meet.
    pub async fn bind(
        mut config: ServerConfig,
        responder: Arc<dyn Responder>,
    ) -> Result<BoundServer, ServeError> {
        let listen = config.listen;
        if let Some(missing) = missing(&config) {
            return Err(ServeError::BeyondLoopback { listen, missing });
        }
        config.limits = config.limits.checked(&config.wire)?;
        let bind = |source| ServeError::Bind { listen, source };
        let listener = TcpListener::bind(listen).await.map_err(bind)?;
        let address = in_url(listener.local_addr().map_err(bind)?);
        let endpoint = Some(&config.base_path)
            .filter(|path| path.starts_with('/'))
            .and_then(|path| endpoint(&config, address, path))
            .ok_or_else(|| ServeError::BasePath { base_path: config.base_path.clone() })?;
        Ok(BoundServer { listener, address, endpoint, config, responder, further: axum::Router::new() })
    }
}

/// What the configuration lacks for its address.
fn missing(config: &ServerConfig) -> Option<Missing> {
    if config.listen.ip().to_canonical().is_loopback() {
        return None;
    }
    let plain = config.tls.is_none() && !config.beyond_loopback.plain;
    let anonymous = config.authentication.is_anonymous() && !config.beyond_loopback.anonymous;
    match (plain, anonymous) {
        (true, true) => Some(Missing::Both),
        (true, false) => Some(Missing::Tls),
        (false, true) => Some(Missing::Tokens),
        (false, false) => None,
    }
}

/// The address as it stands in URLs: an IPv4 one as such, however it was given, and none with a zone (`%eth0`), which a URL
/// cannot have.
fn in_url(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

/// Where a client on this machine reaches the server, or by the first name that it was given.
fn endpoint(config: &ServerConfig, address: SocketAddr, path: &str) -> Option<Endpoint> {
    let scheme = if config.tls.is_some() { "https" } else { "http" };
    let parse = |authority: &str| Endpoint::parse(&format!("{scheme}://{authority}{path}")).ok();
    if !address.ip().is_unspecified() {
        return parse(&address.to_string());
    }
    if let Some(named) = config.hosts.first().and_then(|host| parse(host)) {
        return Some(named);
    }
    let loopback: IpAddr = match address.ip() {
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    parse(&SocketAddr::new(loopback, address.port()).to_string())
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

    /// The address, with the port that was taken.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves further routes at the same address, such as a web view. They get what is no route of the protocol, once
    /// `Host` and `Origin` are checked; whom they let in they decide themselves, by the principal that they find as
    /// [`Verified`](crate::auth::Verified) among the extensions of a request. All limits but those on size and total time
    /// hold for them, and beyond `requests` they are 503. The page at the endpoint, and 404, answer what they leave over,
    /// so their own fallback is replaced.
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
        let tls = self.config.tls.clone();
        let site = Site::new(self.endpoint, self.address, self.config, self.responder, self.further);
        accept::serve(self.listener, Arc::new(site), limits, tls, shutdown).await;
    }
}

#[cfg(test)]
mod tests {
    use super::origin::Names;
    use super::*;

    #[test]
    fn a_server_goes_by_the_address_in_its_url() {
        for (address, url) in [
            ("127.0.0.1:8420", "http://127.0.0.1:8420/"),
            ("[::ffff:127.0.0.1]:8420", "http://127.0.0.1:8420/"),
            ("[::ffff:192.0.2.1]:80", "http://192.0.2.1/"),
            ("[::ffff:0.0.0.0]:8420", "http://127.0.0.1:8420/"),
            ("0.0.0.0:8420", "http://127.0.0.1:8420/"),
            ("[::]:8420", "http://[::1]:8420/"),
            ("[2001:DB8::1]:8420", "http://[2001:db8::1]:8420/"),
            ("[fe80::1%4]:8420", "http://[fe80::1]:8420/"),
        ] {
            let address = in_url(address.parse().unwrap());
            let endpoint = endpoint(&ServerConfig::default(), address, "/").unwrap();
            assert_eq!(endpoint.as_str(), url);
            let authority = url.split('/').nth(2).unwrap();
            let (head, ()) = http::Request::get("/").header("host", authority).body(()).unwrap().into_parts();
            let admitted =
                Names::new(address, false, &[], &[]).admit(&head).map_err(|refusal| refusal.status);
            assert_eq!(admitted, Ok(authority));
        }
    }
}
