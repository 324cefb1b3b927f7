//! Interface references: the exact pair of a scope and a name (SPEC 1).

use std::fmt;
use std::sync::Arc;

use crate::fault::{Fault, Rule};
use crate::path::EntryPath;

/// The name half of an [`InterfaceReference`]: any string but the empty one.
///
/// ```
/// use worldspace_model::InterfaceName;
/// assert!(InterfaceName::parse("read::書く#λ").is_ok());
/// assert!(InterfaceName::parse("").is_err());
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InterfaceName(Arc<str>);

/// Which Interface an Object publishes: the same only if both fields are equal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InterfaceReference {
    scope: EntryPath,
    name: InterfaceName,
}

impl InterfaceName {
    /// Takes a string as it stands.
    ///
    /// # Errors
    /// [`Rule::EmptyInterfaceName`].
    pub fn parse(text: &str) -> Result<Self, Fault> {
        if text.is_empty() {
            return Err(Fault::new(Rule::EmptyInterfaceName));
        }
        Ok(Self(Arc::from(text)))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl InterfaceReference {
    /// The reference of these two halves.
    pub fn new(scope: EntryPath, name: InterfaceName) -> Self {
        Self { scope, name }
    }

    /// Parses both halves.
    ///
    /// # Errors
    /// [`Rule::InvalidPath`] at `scope`, or [`Rule::EmptyInterfaceName`] at `name`.
    pub fn parse(scope: &str, name: &str) -> Result<Self, Fault> {
        let scope = EntryPath::parse(scope).map_err(|fault| fault.at_member("scope"))?;
        let name = InterfaceName::parse(name).map_err(|fault| fault.at_member("name"))?;
        Ok(Self { scope, name })
    }

    /// The path of the scope Object.
    pub fn scope(&self) -> &EntryPath {
        &self.scope
    }

    /// The name below the scope.
    pub fn name(&self) -> &InterfaceName {
        &self.name
    }

    /// Whether an Object at `path` may publish this Interface: its scope is that entry or one above.
    pub fn serves(&self, path: &EntryPath) -> bool {
        self.scope.contains(path)
    }
}

impl fmt::Display for InterfaceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for InterfaceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

/// `scope::name` without quotes, for messages; the Text View has the form that can be read back.
impl fmt::Display for InterfaceReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}", self.scope, self.name)
    }
}

impl fmt::Debug for InterfaceReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}::{:?}", self.scope, self.name)
    }
}
