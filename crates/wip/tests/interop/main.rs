//! This project against the published crates of the protocol, and a live server against whatever can be sent to it.
//!
//! The published Client explores and calls our Host, our Client a Host made of the published crates, both over real
//! sockets. What the conformance vectors reject, and bodies that are worse, is thrown at our Host.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod hostile;
mod live;
mod published_client;
mod published_host;
