//! Why Rust types and traits give no descriptor.

use std::fmt;

use crate::Name;
use crate::fault::{Fault, Quoted};
use crate::reference::InterfaceName;

/// Why Rust types and traits give no descriptor. The first mistake is told.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum DeclarationError {
    /// Two Rust types have one name in one interface.
    SameName {
        /// The name.
        name: Name,
        /// The Rust types.
        types: [&'static str; 2],
    },
    /// Types contain each other.
    Recursive {
        /// The Rust types along the circle, the first one not repeated.
        cycle: Vec<&'static str>,
    },
    /// A type is listed to be declared by name, and has none.
    Unnamed {
        /// The Rust type.
        ty: &'static str,
    },
    /// An interface is offered twice by the same Objects.
    OfferedTwice {
        /// Its name.
        name: InterfaceName,
    },
    /// The declaration breaks another rule.
    Fault(Fault),
}

impl fmt::Display for DeclarationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SameName { name, types: [first, second] } => write!(
                f,
                "the Rust types {first} and {second} are both named {}; give one of them another name with \
                 `#[wip(name = \"…\")]`",
                Quoted(name)
            ),
            Self::Recursive { cycle } => {
                f.write_str("types contain each other: ")?;
                cycle.iter().try_for_each(|ty| write!(f, "{ty} → "))?;
                f.write_str(cycle.first().unwrap_or(&""))?;
                f.write_str("; refer to the inner one by an `EntryPath` or by a name of its own")
            }
            Self::Unnamed { ty } => {
                write!(f, "{ty} is listed to be declared by name, and has none; leave it out of `types(…)`")
            }
            Self::OfferedTwice { name } => write!(
                f,
                "the interface {} is offered already; leave it out here, or give one of the two traits another name",
                Quoted(name.as_str())
            ),
            Self::Fault(fault) => fmt::Display::fmt(fault, f),
        }
    }
}

impl std::error::Error for DeclarationError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let Self::Fault(fault) = self { Some(fault) } else { None }
    }
}

impl From<Fault> for DeclarationError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}
