//! Who sees what: the one place where it is decided (SPEC 3).
//!
//! It stands behind the provider, so that what is hidden and what is absent cost the same reads, and both leave it as
//! the same value.

use worldspace_model::{EntryPath, InterfaceReference, Principal};

use crate::failure::ProviderError;

/// The decision for each principal and entry.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Visibility {
    /// Everybody sees everything.
    #[default]
    All,
}

impl Visibility {
    fn sees(self, _principal: &Principal, _entry: &EntryPath) -> bool {
        match self {
            Self::All => true,
        }
    }

    /// What the principal gets to know of what was found at an entry.
    pub(crate) fn entry<T>(
        self,
        principal: &Principal,
        entry: &EntryPath,
        found: Result<T, ProviderError>,
    ) -> Result<T, ProviderError> {
        if self.sees(principal, entry) { found } else { Err(ProviderError::NotFound) }
    }

    /// Whether the principal sees a child in a list.
    pub(crate) fn child(self, principal: &Principal, entry: &EntryPath) -> bool {
        self.sees(principal, entry)
    }

    /// Whether the principal sees an interface whose scope Object it sees.
    pub(crate) fn interface(self, _principal: &Principal, _reference: &InterfaceReference) -> bool {
        match self {
            Self::All => true,
        }
    }

    /// Whether the principal may run an operation that it sees.
    pub(crate) fn permits(self, _principal: &Principal, _target: &EntryPath, _operation: &str) -> bool {
        match self {
            Self::All => true,
        }
    }
}
