//! What is published at an entry (SPEC 1).

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use crate::Name;
use crate::fault::{Fault, Rule};
use crate::path::{EntryPath, is_segment};
use crate::reference::InterfaceReference;
use crate::weight::text_weight;

/// The name of an Object: the last segment of its entry, empty at the root.
///
/// ```
/// use worldspace_model::ObjectName;
/// assert!(ObjectName::parse("").is_ok());
/// assert!(ObjectName::parse("a").is_ok());
/// assert!(ObjectName::parse("a/b").is_err());
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectName(Name);

/// An opaque identity within one Worldspace: the same ref is the same Object, wherever and whenever.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ref(Arc<str>);

/// Opaque bytes standing for an observed state, of an Object or of a descriptor.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Validator(Arc<[u8]>);

/// The Interfaces of an Object, in the Host's order, each once. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct InterfaceList(Option<Arc<[InterfaceReference]>>);

/// What is published at an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// The last segment of the entry.
    pub name: ObjectName,
    /// A short text for people and models.
    pub description: Option<Arc<str>>,
    /// What can be done with it.
    pub interfaces: InterfaceList,
    /// Its identity, where the Host has a reliable one.
    pub r#ref: Option<Ref>,
    /// Its state, where the Host can guard it.
    pub validator: Option<Validator>,
}

impl ObjectName {
    /// Takes a string as it stands.
    ///
    /// # Errors
    /// [`Rule::InvalidObjectName`].
    pub fn parse(text: &str) -> Result<Self, Fault> {
        Self::from_name(Name::from(text))
    }

    fn from_name(name: Name) -> Result<Self, Fault> {
        if name.is_empty() || is_segment(&name) {
            Ok(Self(name))
        } else {
            Err(Fault::new(Rule::InvalidObjectName { name }))
        }
    }

    /// The name of the Object at `path`.
    pub fn of(path: &EntryPath) -> Self {
        Self(Name::from(path.name()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the name at the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The name as a path segment; none at the root.
    pub fn segment(&self) -> Option<crate::Segment> {
        crate::Segment::parse(&self.0).ok()
    }
}

impl From<crate::Segment> for ObjectName {
    fn from(segment: crate::Segment) -> Self {
        Self(segment.as_name().clone())
    }
}

impl Ref {
    /// Any string is a ref.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// The ref as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Validator {
    /// Any bytes are a validator.
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self(bytes.into())
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Lists up to this length are compared one by one.
const SHORT: usize = 16;

impl InterfaceList {
    /// None.
    pub const EMPTY: Self = Self(None);

    /// The list of these.
    ///
    /// # Errors
    /// [`Rule::DuplicateInterface`] at the index of the repeated one.
    pub fn new(references: impl Into<Arc<[InterfaceReference]>>) -> Result<Self, Fault> {
        let references: Arc<[InterfaceReference]> = references.into();
        let repeated = if references.len() <= SHORT {
            (1..references.len()).find(|at| references[..*at].contains(&references[*at]))
        } else {
            let mut seen = HashSet::with_capacity(references.len());
            references.iter().position(|reference| !seen.insert(reference))
        };
        match repeated {
            Some(at) => Err(Fault::new(Rule::DuplicateInterface).at_index(at)),
            None if references.is_empty() => Ok(Self::EMPTY),
            None => Ok(Self(Some(references))),
        }
    }

    /// Whether both are the same list in memory, which is cheaper than equality.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }
}

impl std::ops::Deref for InterfaceList {
    type Target = [InterfaceReference];

    fn deref(&self) -> &[InterfaceReference] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl Object {
    /// An Object with a name alone.
    pub fn bare(name: ObjectName) -> Self {
        Self { name, description: None, interfaces: InterfaceList::EMPTY, r#ref: None, validator: None }
    }

    /// About how many bytes the Object takes in a message, rather too many than too few.
    pub fn weight(&self) -> usize {
        let text = |text: &str| 16 + text_weight(text);
        let references = self.interfaces.iter();
        64 + text(self.name.as_str())
            + self.description.as_deref().map_or(0, text)
            + self.r#ref.as_ref().map_or(0, |r#ref| text(r#ref.as_str()))
            + self.validator.as_ref().map_or(0, |validator| 24 + validator.as_bytes().len() * 4 / 3)
            + references
                .map(|reference| text(reference.scope().as_str()) + text(reference.name().as_str()))
                .sum::<usize>()
    }

    /// Whether this may be the Object at `path`: name and scopes fit.
    ///
    /// # Errors
    /// [`Rule::ObjectNameMismatch`], [`Rule::InterfaceScopeMismatch`].
    pub fn check_place(&self, path: &EntryPath) -> Result<(), Fault> {
        if self.name.as_str() != path.name() {
            return Err(Fault::new(Rule::ObjectNameMismatch).at_member("name"));
        }
        match self.interfaces.iter().position(|reference| !reference.serves(path)) {
            Some(at) => Err(Fault::new(Rule::InterfaceScopeMismatch).at_index(at).at_member("interfaces")),
            None => Ok(()),
        }
    }

    /// Whether both may have been observed: equal in every member where ref and validator are equal.
    ///
    /// # Errors
    /// [`Rule::InconsistentObject`].
    pub fn check_consistency(&self, other: &Self) -> Result<(), Fault> {
        let same_state = self.r#ref.is_some()
            && self.r#ref == other.r#ref
            && self.validator.is_some()
            && self.validator == other.validator;
        if same_state && self != other {
            return Err(Fault::new(Rule::InconsistentObject));
        }
        Ok(())
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl fmt::Debug for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        self.0.iter().take(16).try_for_each(|byte| write!(f, "{byte:02x}"))?;
        if self.0.len() > 16 { f.write_str("…") } else { Ok(()) }
    }
}

impl fmt::Debug for InterfaceList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
