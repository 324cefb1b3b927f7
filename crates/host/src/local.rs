//! Paths and references as a provider sees them: from its own root, wherever it is mounted.

use std::fmt;

use worldspace_model::{EntryPath, Fault, InterfaceName, Segment};

/// A position within a provider: `/` is the provider's root, not the Worldspace's.
///
/// It is a type of its own so that a path of the Worldspace cannot be taken for one: the way from here to there is
/// [`crate::Context::entry`], the way back [`crate::Context::local`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalPath(EntryPath);

/// An interface of a provider: a scope within it, and a name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LocalReference {
    /// The Object that the interface belongs to, an ancestor of those that publish it.
    pub scope: LocalPath,
    /// The name below the scope.
    pub name: InterfaceName,
}

impl LocalPath {
    /// The provider's root.
    pub fn root() -> Self {
        Self(EntryPath::root())
    }

    /// Takes a string such as `/a/b`.
    ///
    /// # Errors
    /// As [`EntryPath::parse`].
    pub fn parse(text: &str) -> Result<Self, Fault> {
        EntryPath::parse(text).map(Self)
    }

    pub(crate) fn new(path: EntryPath) -> Self {
        Self(path)
    }

    pub(crate) fn as_entry(&self) -> &EntryPath {
        &self.0
    }

    /// The path as text, beginning with `/`.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Whether this is the provider's root.
    pub fn is_root(&self) -> bool {
        self.0.is_root()
    }

    /// The segments from the root; none at the root.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.segments()
    }

    /// The last segment, empty at the root.
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// The position above; none at the root.
    pub fn parent(&self) -> Option<Self> {
        self.0.parent().map(Self)
    }

    /// The position of that name below this one.
    #[must_use]
    pub fn child(&self, segment: &Segment) -> Self {
        Self(self.0.child(segment))
    }

    /// Whether `other` is this position or stands below it.
    pub fn contains(&self, other: &Self) -> bool {
        self.0.contains(&other.0)
    }
}

impl LocalReference {
    /// An interface that belongs to the provider's root, as most do.
    ///
    /// # Errors
    /// The name is empty.
    pub fn at_root(name: &str) -> Result<Self, Fault> {
        Ok(Self { scope: LocalPath::root(), name: InterfaceName::parse(name)? })
    }
}

impl fmt::Display for LocalPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for LocalPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
