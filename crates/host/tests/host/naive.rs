//! A world that can be told to misbehave, and the plainest possible statement of what a tree of it is.

use std::collections::{BTreeSet, VecDeque};

use proptest::prelude::*;
use worldspace_host::*;
use worldspace_model::{Cause, Expansion, Segment};

use crate::support::segment;

/// An Object and its children, in publication order.
#[derive(Debug, Clone, Default)]
pub struct Node {
    pub name: String,
    pub children: Vec<Node>,
    /// Whether the provider knows without looking that there are none.
    pub known_leaf: bool,
    /// Reading fails behind so many children.
    pub fails_behind: Option<usize>,
    /// It is listed, but gone by the time that its children are read.
    pub vanishes: bool,
}

/// A provider of such a world, which gives at most `page` children at a time.
#[derive(Debug)]
pub struct Scripted {
    pub root: Node,
    pub page: usize,
    /// Whether it gives its order as one by name, which it is.
    pub by_name: bool,
}

impl Node {
    pub fn child(&self, name: &str) -> Option<&Node> {
        self.children.iter().find(|child| child.name == name)
    }

    /// As `observe` finds it: what vanishes has no children.
    pub fn without_vanishing(mut self) -> Self {
        if self.vanishes {
            return Self { name: self.name, known_leaf: self.known_leaf, ..Self::default() };
        }
        self.children = self.children.into_iter().map(Self::without_vanishing).collect();
        self
    }

    /// How many children stand at `after` or before it.
    fn behind(&self, after: &str) -> usize {
        self.children.iter().take_while(|child| *child.name <= *after).count()
    }

    /// The children that can be read, and whether reading fails behind them.
    pub fn readable(&self) -> (&[Node], bool) {
        match self.fails_behind {
            _ if self.vanishes => (&[], true),
            Some(count) if count <= self.children.len() => (&self.children[..count], true),
            _ => (&self.children, false),
        }
    }

    fn published(&self) -> Published {
        if self.known_leaf { Published::new().leaf() } else { Published::new() }
    }
}

impl Scripted {
    fn find(&self, path: &LocalPath) -> Result<&Node, ProviderError> {
        let mut node = &self.root;
        for name in path.segments() {
            node = node.child(name).ok_or(ProviderError::NotFound)?;
        }
        Ok(node)
    }
}

impl Provider for Scripted {
    async fn object(&self, _: &Context, path: &LocalPath) -> Result<Published, ProviderError> {
        Ok(self.find(path)?.published())
    }

    async fn children(
        &self,
        _: &Context,
        path: &LocalPath,
        after: Option<&Segment>,
        most: usize,
    ) -> Result<Page, ProviderError> {
        let node = self.find(path)?;
        if node.vanishes {
            return Err(ProviderError::NotFound);
        }
        let (readable, fails) = node.readable();
        let names: Vec<Segment> = node.children.iter().map(|child| segment(&child.name)).collect();
        let from = match after {
            None => 0,
            Some(after) if self.by_name => node.behind(after.as_str()),
            Some(after) => 1 + names.iter().position(|name| name == after).ok_or(ProviderError::Gone)?,
        };
        if fails && from >= readable.len() {
            return Err(ProviderError::failed("scripted"));
        }
        let to = readable.len().min(from + most.min(self.page));
        let children = (from..to).map(|at| (names[at].clone(), node.children[at].published())).collect();
        let more = to < readable.len() || fails;
        Ok(if self.by_name { Page::by_name(children, more) } else { Page::in_own_order(children, more) })
    }
}

/// A line of a tree: path, parent's path, expansion.
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

/// Worlds of a few levels, with leaves known and unknown and reads that fail early, midway and at the end.
pub fn worlds() -> impl Strategy<Value = Node> {
    let leaf = any::<bool>().prop_map(|known_leaf| Node { known_leaf, ..Node::default() });
    leaf.prop_recursive(4, 60, 7, |inner| {
        let failing = prop::option::weighted(0.15, 0..8usize);
        (prop::collection::vec(inner, 0..7), failing, prop::bool::weighted(0.1)).prop_map(
            |(children, fails_behind, vanishes)| {
                let named = |(at, child): (usize, Node)| Node { name: format!("n{at}"), ..child };
                let children: Vec<Node> = children.into_iter().enumerate().map(named).collect();
                Node { children, fails_behind, vanishes, ..Node::default() }
            },
        )
    })
    // The entry that is asked for is there.
    .prop_map(|root| Node { vanishes: false, ..root })
}
