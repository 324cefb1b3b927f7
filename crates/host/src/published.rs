//! What a provider says of one of its Objects. Name, paths, refs and validators are the Host's to add.

use std::fmt;
use std::sync::Arc;

use crate::local::LocalReference;

/// An Object as its provider publishes it.
///
/// ```
/// use worldspace_host::{Interfaces, LocalReference, Published};
/// let notes = Interfaces::new([LocalReference::at_root("notes.note")?]);
/// let object = Published::new().described("A note.").publishing(&notes).leaf();
/// # Ok::<(), worldspace_model::Fault>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Published {
    pub(crate) description: Option<Arc<str>>,
    pub(crate) interfaces: Interfaces,
    pub(crate) identity: Option<Identity>,
    pub(crate) state: Option<StateToken>,
    pub(crate) leaf: bool,
}

/// The interfaces of an Object, in the order in which they are shown. Make each list once and share it: lists are
/// translated into the Worldspace once per list, not once per Object.
#[derive(Clone, Default)]
pub struct Interfaces(pub(crate) Option<Arc<[LocalReference]>>);

/// A reliable identity within the provider: never the same for two Objects, at one time or at different ones.
/// Where there is none, say none.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Identity(pub(crate) Arc<str>);

/// Bytes that change whenever the state of an Object does. Only an Object whose operations can compare them in the
/// same critical section as their effect may have one.
#[derive(Clone, PartialEq, Eq)]
pub struct StateToken(pub(crate) Arc<[u8]>);

impl Published {
    /// An Object with nothing but its place.
    pub fn new() -> Self {
        Self::default()
    }

    /// With a short text for people and models. What changes with every write does not belong there: a call that
    /// changes it cannot return the new state.
    #[must_use]
    pub fn described(mut self, description: impl Into<Arc<str>>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// With these interfaces.
    #[must_use]
    pub fn publishing(mut self, interfaces: &Interfaces) -> Self {
        self.interfaces = interfaces.clone();
        self
    }

    /// With this identity.
    #[must_use]
    pub fn identified(mut self, identity: Identity) -> Self {
        self.identity = Some(identity);
        self
    }

    /// In this state.
    #[must_use]
    pub fn in_state(mut self, state: StateToken) -> Self {
        self.state = Some(state);
        self
    }

    /// Known to have no indexable children, so that nobody needs to look.
    #[must_use]
    pub fn leaf(mut self) -> Self {
        self.leaf = true;
        self
    }

    /// Whether it is known to have no indexable children.
    pub fn is_leaf(&self) -> bool {
        self.leaf
    }
}

impl Interfaces {
    /// The list of these; each once.
    pub fn new(references: impl IntoIterator<Item = LocalReference>) -> Self {
        Self(Some(references.into_iter().collect()))
    }

    /// Whether that interface is among them.
    pub fn contains(&self, reference: &LocalReference) -> bool {
        self.as_slice().contains(reference)
    }

    pub(crate) fn as_slice(&self) -> &[LocalReference] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl Identity {
    /// Any string.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }
}

impl StateToken {
    /// Any bytes.
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self(bytes.into())
    }
}

impl fmt::Debug for Interfaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

/// Tokens may stand for what is secret; their length says enough.
impl fmt::Debug for StateToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StateToken({} bytes)", self.0.len())
    }
}
