//! The Host as its callers meet it: through `Responder` alone.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, reason = "tests stop at the first surprise")]

mod awkward;
mod calls;
mod fence;
mod mounts;
mod scripted;
mod support;
mod tree;
