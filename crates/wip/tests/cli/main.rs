//! The program as its users meet it: what it prints where, and how it exits.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod config;
mod crash;
mod crash_sql;
mod databases;
#[cfg(target_os = "linux")]
mod exhaustion;
mod fixture;
mod help;
mod idl;
mod inspect;
mod invoke;
mod run;
mod serve;
mod serving;
mod stubs;
mod tokens;
mod tree;
mod victim;
mod world;
