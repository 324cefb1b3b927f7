//! An issue tracker, as a Host author writes one with the macros of `worldspace-host`: projects in the tree, issues that are
//! found by operations, and one SQLite file behind them. `docs/application-guide.md` builds the like up in steps.
//!
//! | read | for |
//! | --- | --- |
//! | [`interfaces`] | what is offered, and every word that its users are told |
//! | `issue`, `project`, `search`, `comments` | what the operations do |
//! | `provider` | what stands where, and what is published of it |
//! | `target`, `store` | how reading and changing go through SQLite: transactions, states, the fence |
//! | `seed` | examples, the same ones each time |
//!
//! A new operation is one method of a trait and of its implementation: descriptor, tree, help, forms and stubs follow from it.

#![cfg_attr(test, allow(clippy::unwrap_used))]

use std::path::Path;

use worldspace_host::Provider;
use worldspace_model::DeclarationError;

mod comments;
pub mod interfaces;
mod issue;
mod part;
mod project;
mod provider;
mod rows;
mod search;
mod seed;
mod serve;
mod store;
mod target;
mod text;

pub use serve::{Serving, StartError, bind, filling};
pub use store::OpenError;

/// How many issues a new tracker is filled with.
pub const ISSUES: usize = 3000;

/// The tracker of one file.
#[derive(Debug, Clone)]
pub struct Tracker(store::Store);

impl Tracker {
    /// Opens a file, which need not be there, and brings it up to date.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open(file: &Path) -> Result<Self, OpenError> {
        store::Store::open(file).map(Self)
    }

    /// Fills a tracker without projects with about so many issues, the same ones each time.
    ///
    /// # Errors
    /// SQLite cannot write them; then none is there.
    pub fn fill(&self, issues: usize) -> Result<(), OpenError> {
        self.0.set_up(|transaction| seed::fill(transaction, issues))
    }

    /// What a Host mounts.
    ///
    /// # Errors
    /// An interface cannot be declared.
    pub fn provider(&self) -> Result<impl Provider + use<>, DeclarationError> {
        provider::Objects::new(self.0.clone())
    }
}

/// The guide for authors of applications, compiled and run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/application-guide.md")]
mod application_guide {}
