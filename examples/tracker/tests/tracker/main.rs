//! The tracker, as those who use it see it.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests stop at the first surprise")]

mod changing;
mod examples;
mod files;
mod finding;
mod growing;
mod interfaces;
mod killed;
mod suite;
mod world;
