//! Providers through a real Host, on real files.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod files;
mod hosted;
mod sql;
mod suite;
mod unprivileged;
