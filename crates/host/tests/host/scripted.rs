//! A world that can be told to misbehave, for the naive statement of what a tree of it is.

use proptest::prelude::*;
use worldspace_host::*;
use worldspace_model::Segment;
use worldspace_testkit::suite::naive::Node;

use crate::support::segment;

/// A provider of such a world, which gives at most `page` children at a time.
#[derive(Debug)]
pub struct Scripted {
    pub root: Node,
    pub page: usize,
    /// Whether it gives its order as one by name, which it is.
    pub by_name: bool,
}

fn published(node: &Node) -> Published {
    if node.known_leaf { Published::new().leaf() } else { Published::new() }
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
        Ok(published(self.find(path)?))
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
        let children = (from..to).map(|at| (names[at].clone(), published(&node.children[at]))).collect();
        let more = to < readable.len() || fails;
        Ok(if self.by_name { Page::by_name(children, more) } else { Page::in_own_order(children, more) })
    }
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
