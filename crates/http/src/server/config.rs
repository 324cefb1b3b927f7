//! What can be set about a server, with defaults that are safe to leave alone.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use worldspace_wire::Limits;

use super::ServeError;
use crate::auth::Authentication;
use crate::time::FOREVER;
use crate::tls::ServerTls;

/// What hyper and the map of headers hold without harm.
const MAX_HEADERS: usize = 10_000;

/// Where and how to serve.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// The address to listen at; port 0 takes a free one. One that other machines reach needs TLS and tokens, or
    /// [`ServerConfig::beyond_loopback`]. Default `127.0.0.1:8420`.
    pub listen: SocketAddr,
    /// The path of the endpoint. Default `/`.
    pub base_path: String,
    /// What the page at the endpoint calls this Host. Default `WIP Host`.
    pub title: String,
    /// Further authorities (`host:port`) by which this server may be addressed, beside those of the address that it
    /// listens at. Others are refused with 421, so that a page in a browser cannot reach it by a name of its own. A
    /// server at all addresses (`0.0.0.0`, `[::]`) also goes by every IP address with its port, which is nobody's name;
    /// its URL has the first authority given here, or else that of loopback.
    pub hosts: Vec<String>,
    /// Origins (`https://host`) of other pages that may send requests from a browser. Default none.
    pub origins: Vec<String>,
    /// What is shown to those who connect; without it, plain HTTP is spoken. Default none.
    pub tls: Option<ServerTls>,
    /// Whom it lets in. Default everyone.
    pub authentication: Authentication,
    /// What may be left out at an address that other machines reach. Default nothing.
    pub beyond_loopback: BeyondLoopback,
    /// What a request body and an answer may measure.
    pub wire: Limits,
    /// How much at once, and for how long.
    pub limits: ServerLimits,
}

/// What an operator allows, in so many words, at an address that other machines reach.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BeyondLoopback {
    /// No TLS: whoever is on the way reads and changes what is sent, tokens included.
    pub plain: bool,
    /// No tokens: whoever reaches the address may do what anybody may.
    pub anonymous: bool,
}

/// How much a server takes at once, and for how long it waits. The largest value of a type means no limit, except for
/// `headers`.
#[derive(Debug, Clone)]
pub struct ServerLimits {
    /// Open connections of one server; further ones wait unaccepted. Default 1,000, below the usual limit of open files.
    pub connections: usize,
    /// Requests at once on one HTTP/2 connection. Default 32.
    pub streams: u32,
    /// Requests at once over all connections, each until its answer is taken; further ones are refused. Default 512.
    pub requests: usize,
    /// Bytes at once of request bodies and answers, each until it is read or taken; what does not fit is refused. Room
    /// for a body and an answer of full size at least. Default 256 MiB.
    pub in_flight_bytes: usize,
    /// Bytes of a request's head. Default 16 KiB.
    pub header_bytes: u32,
    /// Headers of a request, at most 10,000. Default 100.
    pub headers: usize,
    /// For a connection to agree on TLS. Default 10 s.
    pub handshake_timeout: Duration,
    /// For the first request of a connection, and for each head once it has begun. Default 10 s.
    pub header_timeout: Duration,
    /// For a request's body. Default 30 s.
    pub body_timeout: Duration,
    /// Between requests of one connection; where tokens are wanted, `header_timeout` is, until somebody was let in.
    /// Default 75 s.
    pub idle_timeout: Duration,
    /// For a receiver that takes nothing of its answer. Default 30 s.
    pub write_timeout: Duration,
    /// For one request from its head to the last octet of its answer, whatever it waits for; then its connection is
    /// closed. Far above `max_deadline`, since a call decides about its deadline itself. Default 5 min.
    pub total_timeout: Duration,
    /// The deadline of a request that states none. Default 10 s.
    pub default_deadline: Duration,
    /// The latest deadline that a request may ask for; a later one is brought down to it. Default 60 s.
    pub max_deadline: Duration,
    /// At shutdown, for requests under way. Default 15 s.
    pub drain_timeout: Duration,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8420)),
            base_path: "/".to_owned(),
            title: "WIP Host".to_owned(),
            hosts: Vec::new(),
            origins: Vec::new(),
            tls: None,
            authentication: Authentication::default(),
            beyond_loopback: BeyondLoopback::default(),
            wire: Limits::default(),
            limits: ServerLimits::default(),
        }
    }
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections: 1000,
            streams: 32,
            requests: 512,
            in_flight_bytes: 256 << 20,
            header_bytes: 16 * 1024,
            headers: 100,
            handshake_timeout: Duration::from_secs(10),
            header_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(75),
            write_timeout: Duration::from_secs(30),
            total_timeout: Duration::from_secs(300),
            default_deadline: Duration::from_secs(10),
            max_deadline: Duration::from_secs(60),
            drain_timeout: Duration::from_secs(15),
        }
    }
}

impl ServerLimits {
    /// The limits with times that can be reckoned with.
    ///
    /// # Errors
    /// One under which no request could be answered.
    pub(super) fn checked(mut self, wire: &Limits) -> Result<Self, ServeError> {
        let refuse = |limit, reason| Err(ServeError::Limit { limit, reason });
        let none = "is 0, so nothing would be answered; it must be at least 1";
        for (limit, nothing) in [
            ("connections", self.connections == 0),
            ("streams", self.streams == 0),
            ("requests", self.requests == 0),
            ("header_bytes", self.header_bytes == 0),
            ("headers", self.headers == 0),
        ] {
            if nothing {
                return refuse(limit, none);
            }
        }
        if self.headers > MAX_HEADERS {
            return refuse("headers", "is above 10,000, which is the most that can be had");
        }
        if self.in_flight_bytes < wire.request_bytes().saturating_add(wire.response_bytes()) {
            return refuse(
                "in_flight_bytes",
                "has no room for one request body and one answer of the sizes that `wire` allows; \
                 raise it, or lower those",
            );
        }
        for (limit, time) in [
            ("handshake_timeout", &mut self.handshake_timeout),
            ("header_timeout", &mut self.header_timeout),
            ("body_timeout", &mut self.body_timeout),
            ("idle_timeout", &mut self.idle_timeout),
            ("write_timeout", &mut self.write_timeout),
            ("total_timeout", &mut self.total_timeout),
            ("default_deadline", &mut self.default_deadline),
            ("max_deadline", &mut self.max_deadline),
        ] {
            if time.is_zero() {
                return refuse(limit, "is no time at all, so nothing would be answered; it must be longer");
            }
            *time = FOREVER.min(*time);
        }
        self.drain_timeout = FOREVER.min(self.drain_timeout);
        Ok(self)
    }
}
