//! The binding over real sockets on loopback: what the server answers, refuses and cuts off, and what the client makes of
//! servers that behave well and badly.

#![allow(clippy::unwrap_used)]

mod beyond;
mod client;
mod frames;
mod http2;
mod load;
mod raw;
mod refusals;
mod routes;
mod secrets;
mod shutdown;
mod slow;
mod tls;
mod tokens;
mod trust;
mod vectors;
mod world;
