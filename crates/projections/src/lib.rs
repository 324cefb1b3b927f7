//! A Worldspace as its users want it: renderings of what a Client knows, each in a module of its own.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod stubs;
