//! WIP over HTTP (SPEC 7): a server for any [`Responder`](worldspace_model::Responder), and a
//! [`Transport`](worldspace_model::Transport) to any Host.
//!
//! This crate alone knows the binding: routes, statuses, headers, connections. Bodies are read and written by
//! `worldspace-wire`; what a Host or a Client does with them is not its business. hyper serves, reqwest asks and rustls
//! encrypts, and none of them shows in what this crate offers, except for [`BoundServer::with_routes`], by which other
//! rooms put routes of their own beside those of the protocol.
//!
//! Who asks is decided here and nowhere else: by a bearer token ([`auth`]), which travels over TLS ([`tls`]) or does not
//! leave the machine, unless somebody insists.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod auth;
mod client;
mod endpoint;
mod extension;
mod media;
mod server;
mod stamp;
mod time;
pub mod tls;

pub use client::{ClientConfig, HttpTransport, SetupError, Trust, TrustError, UnknownIssuer};
pub use endpoint::{Endpoint, EndpointError, Route};
pub use media::content;
pub use server::admission;
pub use server::{BeyondLoopback, BoundServer, Missing, ServeError, Server, ServerConfig, ServerLimits};
