//! What the provider itself says of its tree, whatever its Host makes of it: the expectation that trees are held to.

use std::collections::HashMap;

use worldspace_host::{LocalPath, Page};
use worldspace_model::Segment;

use super::naive::Node;

/// The lists of children that a provider gave, while somebody asked for all of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Heard {
    /// Whether the root is said to have none.
    root_is_leaf: bool,
    lists: HashMap<LocalPath, List>,
}

#[derive(Debug, Clone, Default)]
struct List {
    /// Names, and whether they are said to have no children.
    children: Vec<(Segment, bool)>,
    ended: bool,
}

impl Heard {
    pub(super) fn root(&mut self, is_leaf: bool) {
        self.root_is_leaf = is_leaf;
    }

    pub(super) fn page(&mut self, path: &LocalPath, after: Option<&Segment>, page: &Page) {
        let list = self.lists.entry(path.clone()).or_default();
        if after.is_none() {
            *list = List::default();
        }
        list.children.extend(page.children().iter().map(|(name, object)| (name.clone(), object.is_leaf())));
        list.ended = !page.has_more() || page.children().is_empty();
    }

    /// The tree of it all.
    ///
    /// # Errors
    /// Something was not asked for to its end, and nobody said that there is nothing.
    pub(super) fn tree(&self) -> Result<Node, String> {
        self.node(&LocalPath::root(), String::new(), self.root_is_leaf)
    }

    fn node(&self, path: &LocalPath, name: String, known_leaf: bool) -> Result<Node, String> {
        let node = Node { name, known_leaf, ..Node::default() };
        if known_leaf {
            return Ok(node);
        }
        let list = self.lists.get(path).filter(|list| list.ended);
        let list = list.ok_or_else(|| format!("the children of {path} were not asked for to their end"))?;
        let child = |(name, leaf): &(Segment, bool)| self.node(&path.child(name), name.to_string(), *leaf);
        Ok(Node { children: list.children.iter().map(child).collect::<Result<_, _>>()?, ..node })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]
mod tests {
    use worldspace_host::Published;

    use super::*;

    fn page(names: &[&str], leaf: bool, more: bool) -> Page {
        let object = if leaf { Published::new().leaf() } else { Published::new() };
        let children = names.iter().map(|name| (Segment::parse(name).unwrap(), object.clone()));
        Page::in_own_order(children.collect(), more)
    }

    #[test]
    fn a_tree_is_known_once_everything_was_asked_for_to_its_end() {
        let (root, below) = (LocalPath::root(), LocalPath::parse("/a").unwrap());
        let mut heard = Heard::default();
        assert!(heard.tree().is_err(), "nothing was asked for");
        heard.page(&root, None, &page(&["a"], false, true));
        assert!(heard.tree().is_err(), "there may be more");
        heard.page(&root, Some(&Segment::parse("a").unwrap()), &page(&["b"], true, false));
        assert!(heard.tree().unwrap_err().contains("/a"), "one of them may have children");
        heard.page(&below, None, &page(&[], true, false));
        let tree = heard.tree().unwrap();
        let names: Vec<_> = tree.children.iter().map(|child| (&*child.name, child.known_leaf)).collect();
        assert_eq!(names, [("a", false), ("b", true)]);
        // Whoever asks from the beginning begins a new list.
        heard.page(&root, None, &page(&["b"], true, false));
        assert_eq!(heard.tree().unwrap().children.len(), 1);
        heard.root(true);
        assert!(heard.tree().unwrap().children.is_empty(), "it says that it has none");
    }
}
