//! The plainest possible statement of what a tree is (SPEC 2.1), for comparison.

use std::collections::{BTreeSet, VecDeque};

use worldspace_model::{Cause, EntryPath, Expansion, Tree, TreeNode};

/// An Object and its children, in publication order.
#[derive(Debug, Clone, Default)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Its children.
    pub children: Vec<Node>,
    /// Whether the provider knows without looking that there are none.
    pub known_leaf: bool,
    /// Reading fails behind so many children.
    pub fails_behind: Option<usize>,
    /// It is listed, but gone by the time that its children are read.
    pub vanishes: bool,
}

impl Node {
    /// The child of that name.
    pub fn child(&self, name: &str) -> Option<&Node> {
        self.children.iter().find(|child| child.name == name)
    }

    /// As `observe` finds it: what vanishes has no children.
    #[must_use]
    pub fn without_vanishing(mut self) -> Self {
        if self.vanishes {
            return Self { name: self.name, known_leaf: self.known_leaf, ..Self::default() };
        }
        self.children = self.children.into_iter().map(Self::without_vanishing).collect();
        self
    }

    /// How many children stand at `after` or before it: at its place if it is there, else by name.
    pub fn behind(&self, after: &str) -> usize {
        let there = self.children.iter().position(|child| child.name == after);
        there.map_or_else(
            || self.children.iter().take_while(|child| *child.name <= *after).count(),
            |at| at + 1,
        )
    }

    /// The children that can be read, and whether reading fails behind them.
    pub fn readable(&self) -> (&[Node], bool) {
        match self.fails_behind {
            _ if self.vanishes => (&[], true),
            Some(count) if count <= self.children.len() => (&self.children[..count], true),
            _ => (&self.children, false),
        }
    }
}

/// A line of a tree: path below its top, parent's path, expansion.
pub type Line = (String, Option<String>, Expansion);

/// What SPEC 2.1 says of `fetch_tree`, word by word.
pub fn fetch_tree(
    top: &Node,
    depth: u32,
    limit: usize,
    after: Option<&str>,
) -> (Vec<Line>, BTreeSet<&'static str>) {
    let mut lines: Vec<Line> = vec![(String::new(), None, Expansion::Leaf)];
    let mut causes = BTreeSet::new();
    let mut queue = VecDeque::from([(top, 0)]);
    let mut at = 0;
    while let Some((node, level)) = queue.pop_front() {
        let resumed = at == 0 && after.is_some();
        let mut because = |expansion: Expansion, cause: Cause| {
            causes.insert(cause.name());
            expansion
        };
        lines[at].2 = if node.known_leaf && !resumed {
            Expansion::Leaf
        } else if level == depth {
            because(Expansion::Unexplored, Cause::Depth)
        } else if lines.len() >= limit {
            because(Expansion::Unexplored, Cause::Limit)
        } else {
            let (readable, fails) = node.readable();
            let from = match after.filter(|_| at == 0) {
                Some(after) => node.behind(after),
                None => 0,
            };
            let left = readable.get(from..).unwrap_or_default();
            let taken = left.len().min(limit - lines.len());
            for child in &left[..taken] {
                let path = format!("{}/{}", lines[at].0, child.name);
                lines.push((path, Some(lines[at].0.clone()), Expansion::Leaf));
                queue.push_back((child, level + 1));
            }
            let cause =
                if left.len() > taken { Some(Cause::Limit) } else { fails.then_some(Cause::Unavailable) };
            match cause {
                Some(cause) if taken > 0 => because(Expansion::Partial, cause),
                Some(cause) => because(Expansion::Unexplored, cause),
                None if taken == 0 && !resumed => Expansion::Leaf,
                None => Expansion::Complete,
            }
        };
        at += 1;
    }
    (lines, causes)
}

/// A tree in the same form, for comparison.
pub fn lines(tree: &Tree, top: &EntryPath) -> (Vec<Line>, BTreeSet<&'static str>) {
    let below = |path: &EntryPath| match top.relative(path) {
        Some(path) if !path.is_root() => path.to_string(),
        _ => String::new(),
    };
    let paths: Vec<String> = tree.paths(top).iter().map(below).collect();
    let line = |(at, node): (usize, &TreeNode)| {
        (paths[at].clone(), node.parent.map(|parent| paths[parent as usize].clone()), node.expansion)
    };
    let causes = tree.truncated_by().iter().map(Cause::name).collect();
    (tree.nodes().iter().enumerate().map(line).collect(), causes)
}
