//! The macros as their users meet them.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, reason = "tests stop at the first surprise")]

mod calls;
mod clashes;
mod declarations;
mod mistakes;
mod values;
mod world;
