//! The suite on the provider in memory, and the oracle on the Host.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests stop at the first surprise")]

mod notes;
mod oracle;
mod oracle_liar;
mod suite;
