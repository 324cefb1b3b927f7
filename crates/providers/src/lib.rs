//! Things as Worldspaces: each provider is a module and a cargo feature of its own.

#![cfg_attr(test, allow(clippy::unwrap_used))]

#[cfg(any(feature = "files", feature = "sql"))]
mod budget;
#[cfg(any(feature = "files", feature = "sql"))]
mod pool;
#[cfg(test)]
#[path = "../tests/providers/unprivileged.rs"]
mod unprivileged;

#[cfg(feature = "files")]
pub mod files;
#[cfg(feature = "sql")]
pub mod sql;
