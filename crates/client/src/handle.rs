//! What users of a Client hold: snapshots that nothing changes under them.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use worldspace_model::{
    Causes, Descriptor, EffectTable, Effects, EntryPath, Expansion, FetchInterfaceResponse,
    InterfaceReference, Object, Tree,
};

use crate::identity::{Change, MemberChange};
use crate::tag::StateTag;

/// How much what is known of an entry can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Freshness {
    /// It is what the Host last said.
    Fresh,
    /// Something happened since that may have changed it.
    Stale,
    /// The Host said since that nothing is there.
    Missing,
    /// Asking for it again failed.
    Failed,
}

/// An Object as it was observed at an entry, cheap to clone. It never changes: who holds it knows what it was shown.
#[derive(Clone)]
pub struct Observation(Arc<Observed>);

#[derive(Clone)]
struct Observed {
    entry: EntryPath,
    object: Arc<Object>,
    at: SystemTime,
    revision: u64,
    freshness: Freshness,
    change: Change,
}

impl Observation {
    pub(crate) fn new(
        entry: EntryPath,
        object: Arc<Object>,
        at: SystemTime,
        revision: u64,
        change: Change,
    ) -> Self {
        let freshness = Freshness::Fresh;
        Self(Arc::new(Observed { entry, object, at, revision, freshness, change }))
    }

    /// The same snapshot, handed out with what is known of it by now.
    pub(crate) fn as_of(&self, freshness: Freshness) -> Self {
        if self.0.freshness == freshness {
            return self.clone();
        }
        Self(Arc::new(Observed { freshness, ..(*self.0).clone() }))
    }

    /// Where it was observed.
    pub fn entry(&self) -> &EntryPath {
        &self.0.entry
    }

    /// What was observed.
    pub fn object(&self) -> &Arc<Object> {
        &self.0.object
    }

    /// When.
    pub fn at(&self) -> SystemTime {
        self.0.at
    }

    /// The number of the request that observed it; a later request of the same Client has a greater one.
    pub fn revision(&self) -> u64 {
        self.0.revision
    }

    /// Its freshness when it was handed out; [`crate::Client::freshness`] tells that of now.
    pub fn freshness(&self) -> Freshness {
        self.0.freshness
    }

    /// What it changed in what was known.
    pub fn change(&self) -> &Change {
        &self.0.change
    }

    /// The members in which it differs from what was known.
    pub fn changes(&self) -> Vec<MemberChange> {
        let before = self.0.change.before();
        before.map_or_else(Vec::new, |before| MemberChange::between(before, &self.0.object))
    }

    /// A short text for identity and state; none where the Host publishes no state.
    pub fn tag(&self) -> Option<StateTag> {
        StateTag::of(&self.0.object)
    }
}

impl fmt::Debug for Observation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observation")
            .field("entry", &self.0.entry)
            .field("object", &self.0.object)
            .field("revision", &self.0.revision)
            .field("freshness", &self.0.freshness)
            .field("change", &self.0.change)
            .finish_non_exhaustive()
    }
}

/// A breadth-first part of the Worldspace as it was observed, cheap to clone. It never changes.
#[derive(Clone)]
pub struct TreeObservation(Arc<ObservedTree>);

struct ObservedTree {
    tree: Tree,
    observations: Vec<Observation>,
}

/// One node of a [`TreeObservation`].
#[derive(Debug, Clone, Copy)]
pub struct TreeItem<'a> {
    /// Its place in the list.
    pub index: usize,
    /// What was observed.
    pub observation: &'a Observation,
    /// The place of the node above; none for the first.
    pub parent: Option<usize>,
    /// What is known of its children.
    pub expansion: Expansion,
}

impl TreeObservation {
    pub(crate) fn new(tree: Tree, observations: Vec<Observation>) -> Self {
        debug_assert_eq!(tree.nodes().len(), observations.len());
        Self(Arc::new(ObservedTree { tree, observations }))
    }

    /// The entry at the top.
    pub fn top(&self) -> &Observation {
        // A tree has a first node.
        &self.0.observations[0]
    }

    /// The answer as such.
    pub fn tree(&self) -> &Tree {
        &self.0.tree
    }

    /// One observation per node, in the tree's order.
    pub fn observations(&self) -> &[Observation] {
        &self.0.observations
    }

    /// All nodes, breadth first.
    pub fn items(&self) -> impl ExactSizeIterator<Item = TreeItem<'_>> {
        (0..self.0.observations.len()).map(|index| self.item(index))
    }

    /// The children of the node at that place; none where there is no such node.
    pub fn children(&self, index: usize) -> impl ExactSizeIterator<Item = TreeItem<'_>> {
        let range = self.0.tree.nodes().get(index).map_or(0..0, |node| node.children.clone());
        (range.start as usize..range.end as usize).map(|index| self.item(index))
    }

    fn item(&self, index: usize) -> TreeItem<'_> {
        let node = &self.0.tree.nodes()[index];
        let parent = node.parent.map(|parent| parent as usize);
        TreeItem { index, observation: &self.0.observations[index], parent, expansion: node.expansion }
    }

    /// Whether something may be missing. A truncated tree is never the whole tree.
    pub fn is_truncated(&self) -> bool {
        self.0.tree.is_truncated()
    }

    /// Why something may be missing.
    pub fn truncated_by(&self) -> Causes {
        self.0.tree.truncated_by()
    }
}

impl fmt::Debug for TreeObservation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0.tree, f)
    }
}

/// An interface as it was observed, cheap to clone. It never changes.
#[derive(Clone)]
pub struct InterfaceObservation(Arc<ObservedInterface>);

struct ObservedInterface {
    answer: FetchInterfaceResponse,
    at: SystemTime,
    revision: u64,
}

impl InterfaceObservation {
    pub(crate) fn new(answer: FetchInterfaceResponse, at: SystemTime, revision: u64) -> Self {
        Self(Arc::new(ObservedInterface { answer, at, revision }))
    }

    /// Which interface.
    pub fn reference(&self) -> &InterfaceReference {
        &self.0.answer.interface
    }

    /// Its operations and types.
    pub fn descriptor(&self) -> &Descriptor {
        &self.0.answer.descriptor
    }

    /// What the Host claims of its operations; none where the Host makes no such claims.
    pub fn effects(&self) -> Option<&EffectTable> {
        self.0.answer.effects.as_ref()
    }

    /// What the Host claims of one operation; nothing, an ordinary write, where it makes no claims.
    pub fn effects_of(&self, operation: &str) -> Effects {
        self.effects().map_or(Effects::WRITE, |effects| effects.of(operation))
    }

    /// When it was observed.
    pub fn at(&self) -> SystemTime {
        self.0.at
    }

    /// The number of the request that observed it.
    pub fn revision(&self) -> u64 {
        self.0.revision
    }

    /// The answer as such.
    pub fn answer(&self) -> &FetchInterfaceResponse {
        &self.0.answer
    }

    /// Whether both are the same observation in memory.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for InterfaceObservation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0.answer, f)
    }
}
