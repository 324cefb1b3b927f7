//! The Host: publishes providers as one Worldspace and answers for all of them.
//!
//! An author implements [`Provider`], which speaks paths and identities of its own. A [`Host`] mounts providers,
//! translates what they say into the Worldspace, and keeps every rule of the protocol for them: the order of checks,
//! trees and their truncation, validators, the fence, deadlines, panics. It is a [`worldspace_model::Responder`], so
//! that HTTP and in-process callers meet the same Host.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod call;
mod children;
mod context;
mod cursor;
mod dispatch;
mod erased;
pub mod expand;
mod failure;
mod fence;
mod guard;
mod host;
mod interface;
mod limits;
mod local;
mod memory;
mod mount;
mod mounts;
mod offers;
mod provider;
mod published;
mod tree;
mod visibility;

pub use call::{Call, Done};
pub use context::Context;
pub use erased::DynProvider;
pub use failure::{ProviderError, Refusal};
pub use fence::{After, Fate};
pub use host::{Host, HostBuilder, MountError};
pub use interface::{Interface, InterfaceBuilder};
pub use limits::HostLimits;
pub use local::{LocalPath, LocalReference};
pub use memory::{Memory, MemoryHandler, MemoryNode};
pub use offers::{Offers, Serves, TypedInterface};
pub use provider::{Page, Provider};
pub use published::{Identity, Interfaces, Published, StateToken};
/// Makes a type of the protocol of a struct or enum.
pub use worldspace_macros::HostWipType as WipType;
/// Makes an interface of a trait.
pub use worldspace_macros::interface;
/// The vocabulary, for what macros write.
pub use worldspace_model as model;

/// The guide for authors, compiled and run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/provider-guide.md")]
mod provider_guide {}
