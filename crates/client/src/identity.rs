//! What an observation says beyond the Object itself: whether it is the one that was known, and what became of it.

use std::fmt;
use std::sync::Arc;

use worldspace_model::{EntryPath, InterfaceReference, Object, ObjectName};

/// What an observation changed in what was known.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Nothing was known here.
    First,
    /// It is as it was known.
    Unchanged,
    /// It is what was known here (or may be, without a ref), in another state.
    Updated {
        /// As it was known.
        before: Arc<Object>,
    },
    /// It is known, by its ref, from another entry.
    Moved {
        /// Where it was last seen.
        from: EntryPath,
        /// As it was seen there.
        before: Arc<Object>,
        /// What was known at this entry before.
        displaced: Option<Arc<Object>>,
    },
    /// Something else stands here, by its ref. What was known below this entry is void too.
    Replaced {
        /// What was known here.
        before: Arc<Object>,
    },
    /// The answer to a later request came first; this one changed nothing.
    Overtaken,
}

/// One member of an Object, before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemberChange {
    /// It has another name.
    Name {
        /// Before.
        before: ObjectName,
        /// After.
        after: ObjectName,
    },
    /// It has another description.
    Description {
        /// Before.
        before: Option<Arc<str>>,
        /// After.
        after: Option<Arc<str>>,
    },
    /// It publishes other interfaces, or the same in another order (then both are empty).
    Interfaces {
        /// Those that came.
        added: Vec<InterfaceReference>,
        /// Those that went.
        removed: Vec<InterfaceReference>,
    },
    /// It is another Object, or its identity became known or unknown.
    Identity,
    /// It is in another state, or its state became known or unknown.
    State,
}

impl Change {
    /// The Object to compare with: what was known of this one, or of what stood in its place.
    pub fn before(&self) -> Option<&Arc<Object>> {
        match self {
            Self::Updated { before } | Self::Moved { before, .. } | Self::Replaced { before } => Some(before),
            Self::First | Self::Unchanged | Self::Overtaken => None,
        }
    }
}

impl MemberChange {
    /// The members in which two Objects differ, in the Object's order.
    pub fn between(before: &Object, after: &Object) -> Vec<Self> {
        let mut changes = Vec::new();
        if before.name != after.name {
            changes.push(Self::Name { before: before.name.clone(), after: after.name.clone() });
        }
        if before.description != after.description {
            let (before, after) = (before.description.clone(), after.description.clone());
            changes.push(Self::Description { before, after });
        }
        if before.interfaces != after.interfaces {
            let added = missing_from(&before.interfaces, &after.interfaces);
            let removed = missing_from(&after.interfaces, &before.interfaces);
            changes.push(Self::Interfaces { added, removed });
        }
        if before.r#ref != after.r#ref {
            changes.push(Self::Identity);
        }
        if before.validator != after.validator {
            changes.push(Self::State);
        }
        changes
    }
}

fn missing_from(known: &[InterfaceReference], wanted: &[InterfaceReference]) -> Vec<InterfaceReference> {
    let known: std::collections::HashSet<_> = known.iter().collect();
    wanted.iter().filter(|reference| !known.contains(reference)).cloned().collect()
}

/// A phrase for people, quoting what the Host wrote.
impl fmt::Display for MemberChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name { before, after } => write!(f, "name: {before:?} is now {after:?}"),
            Self::Description { before, after } => {
                let text = |description: &Option<Arc<str>>| match description {
                    Some(text) => format!("{text:?}"),
                    None => "none".to_owned(),
                };
                write!(f, "description: {} is now {}", text(before), text(after))
            }
            Self::Interfaces { added, removed } => {
                f.write_str("interfaces:")?;
                removed.iter().try_for_each(|gone| write!(f, " -{gone:?}"))?;
                added.iter().try_for_each(|new| write!(f, " +{new:?}"))?;
                if added.is_empty() && removed.is_empty() { f.write_str(" in another order") } else { Ok(()) }
            }
            Self::Identity => f.write_str("identity: not the same Object as before"),
            Self::State => f.write_str("state: not the same as before"),
        }
    }
}
