//! The macros as their users meet them.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, reason = "tests stop at the first surprise")]

mod mistakes;
mod smoke;
