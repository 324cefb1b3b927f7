//! Generated clients, type-checked by the tools of their languages and run by programs against live Hosts.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod nasty;
mod typescript;
