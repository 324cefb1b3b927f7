//! Generated Rust, compiled in earnest: clients and traits of a real application and of a descriptor as bad as the protocol
//! allows. `WIP_UPDATE_GOLDEN=1` writes anew what is compiled here.

#![allow(clippy::unwrap_used, missing_docs, reason = "tests stop at the first surprise")]

#[path = "../../../idl/tests/idl/arbitrary.rs"]
mod arbitrary;
mod calls;
mod example;
mod parses;
mod same;

/// What was generated from the interfaces of the tracker and from `nasty.wip`. Nothing in it may need a warning to be turned off.
mod made {
    #[rustfmt::skip]
    pub(crate) mod nasty_client;
    #[allow(dead_code, unreachable_pub, clippy::too_many_arguments, reason = "nobody implements these")]
    #[rustfmt::skip]
    pub(crate) mod nasty_traits;
    #[rustfmt::skip]
    pub(crate) mod tracker_client;
    #[allow(dead_code, unreachable_pub, clippy::too_many_arguments, reason = "nobody implements these")]
    #[rustfmt::skip]
    pub(crate) mod tracker_traits;
}
