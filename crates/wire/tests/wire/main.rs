//! The codec from outside: what is written reads back, both sides keep the same limits, and no body is hard to refuse.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod hardness;
mod limits;
mod messages;
mod round_trip;
mod strictness;
mod support;
