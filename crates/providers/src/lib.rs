//! Things as Worldspaces: each provider is a module and a cargo feature of its own.

#![cfg_attr(test, allow(clippy::unwrap_used))]

#[cfg(feature = "files")]
pub mod files;
