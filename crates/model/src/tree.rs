//! Observed trees: one flat, breadth-first form for `fetch_tree` and `observe` (SPEC 2.1).

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::fault::{Fault, Namespace, Rule};
use crate::object::{Object, ObjectName};
use crate::path::EntryPath;
use crate::request::{FetchTreeRequest, ObserveRequest};

/// A breadth-first list of nodes that is consistent in itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    nodes: Vec<TreeNode>,
    truncated_by: Causes,
}

/// An Object and its place in a [`Tree`].
#[derive(Debug, Clone, PartialEq)]
pub struct TreeNode {
    /// The Object.
    pub object: Arc<Object>,
    /// The index of the node above; none for the first.
    pub parent: Option<u32>,
    /// What is known of its children.
    pub expansion: Expansion,
    /// The indices of its children in the same tree.
    pub children: Range<u32>,
}

/// What an answer says of a node's indexable children.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Expansion {
    /// There are none.
    Leaf,
    /// All of them are in the answer.
    Complete,
    /// Some of them are.
    Partial,
    /// There may be some; none is here.
    Unexplored,
}

/// Why a tree is not whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The requested depth.
    Depth,
    /// The requested number of nodes.
    Limit,
    /// A limit of the Host's own.
    HostLimit,
    /// The time allowed for the answer.
    Deadline,
    /// Something could not be read.
    Unavailable,
}

/// A set of [`Cause`]s.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Causes(u8);

impl Expansion {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Leaf, Self::Complete, Self::Partial, Self::Unexplored];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Leaf => "leaf",
            Self::Complete => "complete",
            Self::Partial => "partial",
            Self::Unexplored => "unexplored",
        }
    }

    /// The expansion of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|expansion| expansion.name() == name)
    }

    /// Whether there may be children that are not in the answer.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Partial | Self::Unexplored)
    }
}

impl Cause {
    /// All of them in their order on the wire.
    pub const ALL: [Self; 5] = [Self::Depth, Self::Limit, Self::HostLimit, Self::Deadline, Self::Unavailable];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Depth => "depth",
            Self::Limit => "limit",
            Self::HostLimit => "host_limit",
            Self::Deadline => "deadline",
            Self::Unavailable => "unavailable",
        }
    }

    /// The cause of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.name() == name)
    }
}

impl Causes {
    /// None.
    pub const NONE: Self = Self(0);

    /// Adds one.
    pub fn insert(&mut self, cause: Cause) {
        self.0 |= 1 << cause as u8;
    }

    /// Whether that one is among them.
    pub fn has(self, cause: Cause) -> bool {
        self.0 & (1 << cause as u8) != 0
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The causes in their order.
    pub fn iter(self) -> impl Iterator<Item = Cause> {
        Cause::ALL.into_iter().filter(move |cause| self.has(*cause))
    }
}

impl FromIterator<Cause> for Causes {
    fn from_iter<I: IntoIterator<Item = Cause>>(causes: I) -> Self {
        let mut set = Self::NONE;
        causes.into_iter().for_each(|cause| set.insert(cause));
        set
    }
}

impl fmt::Debug for Causes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

fn fault(reason: &'static str) -> Fault {
    Fault::new(Rule::InvalidTree { reason })
}

impl Tree {
    /// How many bytes the paths of all nodes may have together: far above what a message of ordinary names needs.
    const MAX_PATH_BYTES: usize = 64 << 20;

    /// Links nodes, given as Object, parent and expansion, and checks that they are breadth first, that siblings have
    /// different names, that expansions fit the nodes, and that the causes fit the expansions.
    ///
    /// # Errors
    /// [`Rule::InvalidTree`], [`Rule::DuplicateName`], [`Rule::InvalidObjectName`], at the node.
    pub fn new(
        nodes: Vec<(Arc<Object>, Option<u32>, Expansion)>,
        truncated_by: Causes,
    ) -> Result<Self, Fault> {
        let mut linked: Vec<TreeNode> = Vec::with_capacity(nodes.len());
        if nodes.is_empty() {
            return Err(fault("a tree has at least one node"));
        }
        let mut open = false;
        for (object, parent, expansion) in nodes {
            let at = linked.len();
            let index = u32::try_from(at).map_err(|_| fault("a tree has at most 2^32 nodes"))?;
            let here = |fault: Fault| fault.at_index(at).at_member("nodes");
            match (parent, linked.last()) {
                (None, None) => {}
                (Some(parent), Some(before)) => {
                    if parent >= index || before.parent.is_some_and(|before| before > parent) {
                        return Err(here(fault("nodes stand breadth first, each behind its parent")));
                    }
                    if object.name.is_root() {
                        let name = Default::default();
                        return Err(here(Fault::new(Rule::InvalidObjectName { name })));
                    }
                    let children = &mut linked[parent as usize].children;
                    if children.end == 0 {
                        children.start = index;
                    }
                    children.end = index + 1;
                }
                _ => return Err(here(fault("the first node alone has no parent"))),
            }
            open |= expansion.is_open();
            linked.push(TreeNode { object, parent, expansion, children: 0..0 });
        }
        if open == truncated_by.is_empty() {
            return Err(fault("a tree is truncated exactly when a node is partial or unexplored"));
        }
        let tree = Self { nodes: linked, truncated_by };
        for (at, node) in tree.nodes.iter().enumerate() {
            tree.check_node(node).map_err(|fault| fault.at_index(at).at_member("nodes"))?;
        }
        Ok(tree)
    }

    fn check_node(&self, node: &TreeNode) -> Result<(), Fault> {
        match node.expansion {
            Expansion::Leaf | Expansion::Unexplored if !node.children.is_empty() => {
                return Err(fault("a leaf or unexplored node has no children in the answer"));
            }
            Expansion::Partial if node.children.is_empty() => {
                return Err(fault("a partial node has children in the answer"));
            }
            _ => {}
        }
        self.check_names(node)
    }

    fn check_names(&self, node: &TreeNode) -> Result<(), Fault> {
        let names = self.children(node).map(|child| &child.object.name);
        let duplicate = |name: &ObjectName| {
            let name = name.as_str().into();
            Fault::new(Rule::DuplicateName { namespace: Namespace::Child, name })
        };
        if node.children.len() <= 8 {
            for (at, name) in names.clone().enumerate() {
                if names.clone().take(at).any(|before| before == name) {
                    return Err(duplicate(name));
                }
            }
            return Ok(());
        }
        let mut seen = HashSet::with_capacity(node.children.len());
        for name in names {
            if !seen.insert(name) {
                return Err(duplicate(name));
            }
        }
        Ok(())
    }

    /// All nodes, breadth first.
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// The node at the top.
    pub fn first(&self) -> &TreeNode {
        &self.nodes[0]
    }

    /// The children of a node of this tree.
    pub fn children<'a>(
        &'a self,
        node: &TreeNode,
    ) -> impl ExactSizeIterator<Item = &'a TreeNode> + Clone + use<'a> {
        self.nodes[node.children.start as usize..node.children.end as usize].iter()
    }

    /// Whether something may be missing.
    pub fn is_truncated(&self) -> bool {
        !self.truncated_by.is_empty()
    }

    /// Why something may be missing.
    pub fn truncated_by(&self) -> Causes {
        self.truncated_by
    }

    /// The entry of each node, with the first one at `top`.
    pub fn paths(&self, top: &EntryPath) -> Vec<EntryPath> {
        let mut paths: Vec<EntryPath> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let path = match (node.parent, node.object.name.segment()) {
                (Some(parent), Some(segment)) => paths[parent as usize].child(&segment),
                _ => top.clone(),
            };
            paths.push(path);
        }
        paths
    }

    /// Whether every Object may stand where it does. Paths repeat the names above them, so that a long chain of long
    /// names would take memory by its square; such a tree is refused before a path of it is made.
    fn check_places(&self, top: &EntryPath) -> Result<(), Fault> {
        let mut lengths: Vec<usize> = Vec::with_capacity(self.nodes.len());
        let mut all = 0usize;
        for node in &self.nodes {
            let above = node.parent.map_or(top.as_str().len(), |parent| lengths[parent as usize] + 1);
            let length = above + if node.parent.is_some() { node.object.name.as_str().len() } else { 0 };
            lengths.push(length);
            all = all.saturating_add(length);
            if all > Self::MAX_PATH_BYTES {
                return Err(fault("the paths of the tree are too long together"));
            }
        }
        for (at, (node, path)) in self.nodes.iter().zip(self.paths(top)).enumerate() {
            let here = |fault: Fault| fault.at_index(at).at_member("nodes");
            node.object.check_place(&path).map_err(here)?;
        }
        Ok(())
    }

    /// How far each node stands below the first.
    fn levels(&self) -> Vec<u32> {
        let mut levels: Vec<u32> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            levels.push(node.parent.map_or(0, |parent| levels[parent as usize] + 1));
        }
        levels
    }

    /// Whether this answers a `fetch_tree`.
    ///
    /// # Errors
    /// [`Rule::ObjectNameMismatch`], [`Rule::InterfaceScopeMismatch`], [`Rule::InvalidTree`].
    pub fn check_fetch_tree(&self, request: &FetchTreeRequest) -> Result<(), Fault> {
        if self.nodes.len() > request.limit().get() as usize {
            return Err(fault("there are more nodes than were asked for"));
        }
        if self.levels().last().is_some_and(|level| *level > request.depth()) {
            return Err(fault("there are nodes below the requested depth"));
        }
        let after = request.after().map(crate::Segment::as_str);
        let empty = |node: &TreeNode| node.expansion == Expansion::Complete && node.children.is_empty();
        if self.nodes[1..].iter().any(empty) || (after.is_none() && empty(self.first())) {
            return Err(fault("a node whose children are all here has some; without any it is a leaf"));
        }
        if self.children(self.first()).any(|child| Some(child.object.name.as_str()) == after) {
            return Err(fault("the children begin behind the one that `after` names"));
        }
        self.check_places(request.entry())
    }

    /// Whether this answers an `observe`: complete above the depth, nothing below it.
    ///
    /// # Errors
    /// [`Rule::ObjectNameMismatch`], [`Rule::InterfaceScopeMismatch`], [`Rule::ChildrenMissing`],
    /// [`Rule::ChildrenAtBoundary`].
    pub fn check_observe(&self, request: &ObserveRequest) -> Result<(), Fault> {
        for (at, (node, level)) in self.nodes.iter().zip(self.levels()).enumerate() {
            let boundary = level >= request.depth;
            let rule = match (boundary, node.expansion) {
                (true, Expansion::Unexplored) | (false, Expansion::Complete) => continue,
                (true, _) => Rule::ChildrenAtBoundary,
                (false, _) => Rule::ChildrenMissing,
            };
            return Err(Fault::new(rule).at_index(at));
        }
        self.check_places(&request.path)
    }
}
