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
mod shutdown;
mod slow;
mod tokens;
mod vectors;
mod world;
