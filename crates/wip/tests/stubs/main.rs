//! Generated clients, type-checked by the tools of their languages and run by programs against live Hosts.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests stop at the first surprise, and say what they skip"
)]

mod live;
mod nasty;
mod python;
mod typescript;
