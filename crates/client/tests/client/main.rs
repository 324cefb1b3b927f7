//! The Client against a scripted Host that counts, holds back, fails and lies.

#![allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]

mod calls;
mod host;
mod interfaces;
mod lies;
mod observe;
mod sharing;
mod v1;
