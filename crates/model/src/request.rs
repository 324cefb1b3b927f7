//! What a Client asks (SPEC 2).

use std::num::NonZeroU32;

use crate::Name;
use crate::check::Arguments;
use crate::context::CallKey;
use crate::exchange::ArgumentSource;
use crate::fault::{Fault, Rule};
use crate::interface::Operation;
use crate::object::{Ref, Validator};
use crate::path::{EntryPath, Segment};
use crate::reference::InterfaceReference;

/// The Objects at these entries, each as if it were asked for alone.
#[derive(Debug, Clone, PartialEq)]
pub struct FetchRequest {
    /// The entries; what is no path is refused for itself only.
    pub entries: Vec<Result<EntryPath, Fault>>,
}

/// A breadth-first prefix of the indexable subtree (SPEC 2.1).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FetchTreeRequest {
    entry: EntryPath,
    depth: u32,
    limit: NonZeroU32,
    after: Option<Segment>,
}

/// The complete indexable subtree to exactly this depth \[v1\].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObserveRequest {
    /// The entry at the top.
    pub path: EntryPath,
    /// How many levels below it.
    pub depth: u32,
}

/// The descriptor of an interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchInterfaceRequest {
    /// Which one.
    pub interface: InterfaceReference,
    /// Whether effects are wanted too \[ext\].
    pub effects: bool,
}

/// The Object that is called, as it was observed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Its entry.
    pub path: EntryPath,
    /// Its observed state.
    pub validator: Option<Validator>,
}

/// The interface that is called, as it was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterfaceTarget {
    /// Which one.
    pub reference: InterfaceReference,
    /// The identity of the scope Object that was seen.
    pub scope_ref: Option<Ref>,
    /// The descriptor that was seen.
    pub validator: Option<Validator>,
}

/// A call without its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallHead {
    /// The Object.
    pub target: Target,
    /// The interface.
    pub interface: InterfaceTarget,
    /// The operation.
    pub operation: Name,
    /// The caller's key for this call \[ext\].
    pub key: Option<CallKey>,
}

/// What became of an earlier call \[ext\].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallOutcomeRequest {
    /// The key of that call.
    pub key: CallKey,
    /// Whether a key that is absent is to be refused from now on.
    pub settle: bool,
}

/// A call as a Host receives it: well formed, its arguments not yet read, since their types are known only once
/// target, interface and operation are resolved.
pub struct IncomingCall {
    /// All but the arguments.
    pub head: CallHead,
    /// The arguments.
    pub arguments: Box<dyn ArgumentSource>,
}

/// A call as a Client sends it: checked against the declaration that the Client holds.
#[derive(Debug, Clone, PartialEq)]
pub struct OutgoingCall {
    /// The Object.
    pub target: Target,
    /// The interface.
    pub interface: InterfaceTarget,
    /// The operation; its result is checked against the same declaration.
    pub operation: Operation,
    /// The arguments.
    pub arguments: Arguments,
    /// The caller's key for this call \[ext\].
    pub key: Option<CallKey>,
    /// Whether the Host claims that the operation changes nothing.
    pub read: bool,
}

impl FetchTreeRequest {
    /// The request, if its parts go together.
    ///
    /// # Errors
    /// [`Rule::InvalidRequest`]: `limit` 0, or `after` with `depth` 0.
    pub fn new(entry: EntryPath, depth: u32, limit: u32, after: Option<Segment>) -> Result<Self, Fault> {
        let Some(limit) = NonZeroU32::new(limit) else {
            let reason = "`limit` counts the entry itself and is at least 1";
            return Err(Fault::new(Rule::InvalidRequest { reason }).at_member("limit"));
        };
        if depth == 0 && after.is_some() {
            let reason =
                "`after` names a child, and `depth` 0 asks for none; ask for a `depth` of at least 1";
            return Err(Fault::new(Rule::InvalidRequest { reason }).at_member("after"));
        }
        Ok(Self { entry, depth, limit, after })
    }

    /// The entry at the top.
    pub fn entry(&self) -> &EntryPath {
        &self.entry
    }

    /// How many levels below it.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// How many nodes at most, the entry included.
    pub fn limit(&self) -> NonZeroU32 {
        self.limit
    }

    /// The child behind which the children of the entry go on.
    pub fn after(&self) -> Option<&Segment> {
        self.after.as_ref()
    }
}

impl OutgoingCall {
    /// All but the arguments.
    pub fn head(&self) -> CallHead {
        CallHead {
            target: self.target.clone(),
            interface: self.interface.clone(),
            operation: self.operation.name().clone(),
            key: self.key.clone(),
        }
    }
}

impl PartialEq for Operation {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name() && self.descriptor() == other.descriptor()
    }
}

impl std::fmt::Debug for IncomingCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IncomingCall").field("head", &self.head).finish_non_exhaustive()
    }
}
