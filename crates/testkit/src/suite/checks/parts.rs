//! Trees of which a part is not to be had, or not to be read (SPEC 2.1).

use std::sync::Arc;

use worldspace_host::{HostLimits, LocalPath};
use worldspace_model::{Cause, EntryPath, ErrorCode, Expansion, Object, ObjectName};

use super::tree::{learn, parents, same_lines, tops};
use crate::suite::bench::{Bench, world_around};
use crate::suite::check::{
    Check, Verdict, expect, expect_code, expect_same, expect_success, failed, need_some,
};
use crate::suite::meddle::Turn;
use crate::suite::naive::{self, Node};
use crate::suite::world::{World, hasty, in_some_try};

/// Nodes whose children cannot be read, each in its turn.
const SOME: usize = 4;

/// Limits so small that a Host reads nothing ahead, and depths.
const SMALL: [(u32, u32); 9] = [
    (0, u32::MAX),
    (1, u32::MAX),
    (2, u32::MAX),
    (u32::MAX, 1),
    (u32::MAX, 2),
    (u32::MAX, 3),
    (u32::MAX, 5),
    (u32::MAX, 8),
    (1, 3),
];

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new(
            "children that cannot be read further down are unexplored, and all else is there",
            "SPEC 2.1",
            unreadable,
        ),
        Check::new("what vanishes while a tree is read is left out", "SPEC 2.1", left_out),
        Check::new(
            "what vanishes before its children are read is unexplored, and no leaf",
            "SPEC 2.1",
            without_children,
        ),
        Check::new("a mount point has an Object, though its provider is down", "SPEC 2.1", down),
        Check::new("behind the limit and at the depth nothing is read", "SPEC 2.1", unread),
    ]
}

/// The nodes below the first that have children, by their paths within the provider.
fn inner_parents(own: &Node) -> Vec<EntryPath> {
    let mut found = Vec::new();
    parents(&EntryPath::root(), own, &mut found);
    found.into_iter().map(|(path, _)| path).filter(|path| !path.is_root()).collect()
}

/// The node at a path within the provider.
fn node_at<'n>(own: &'n mut Node, path: &EntryPath) -> Option<&'n mut Node> {
    path.segments().try_fold(own, |node, name| node.children.iter_mut().find(|child| child.name == name))
}

async fn unreadable(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let own = learn(&world, &world.mount).await?;
    let inner = inner_parents(&own);
    for path in need_some(&inner, "an `object` below the root with indexable children")?.iter().take(SOME) {
        let mut spoilt = own.clone();
        if let Some(node) = node_at(&mut spoilt, path) {
            node.fails_behind = Some(0);
        }
        for turn in [Turn::Panic, Turn::Nonsense, Turn::Missing] {
            world.meddling.children(&World::local(path)?, turn);
            for top in tops(&world) {
                let expected = if top == world.mount { spoilt.clone() } else { world_around(&spoilt) };
                for limits in [(u32::MAX, u32::MAX), (2, 9), (u32::MAX, 4)] {
                    same_lines(&world, &top, &expected, (limits.0, limits.1, None)).await?;
                }
            }
            // What vanished has no children; what fails makes the whole a failure.
            if turn != Turn::Missing {
                let whole = world.observe(&world.mount, 64).await;
                expect_code(&whole, ErrorCode::Internal, format!("the whole, with {turn:?} at {path}"))?;
            }
        }
        world.meddling.stop();
    }
    Ok(())
}

/// The Objects that somebody can take away while a tree is read, each in a world of its own in which that happens just
/// before the children of `at` are listed.
async fn vanishing(
    bench: &Bench,
    at: impl Fn(&EntryPath, &mut Node) -> Option<EntryPath>,
) -> Verdict<Vec<(World, EntryPath)>> {
    let mut worlds = Vec::new();
    for (from, _, deed) in need_some(&bench.declared.moves, "a `moving`")? {
        let world = bench.world().await?;
        let mut own = learn(&world, &world.mount).await?;
        let Some(at) = node_at(&mut own, from).and_then(|node| at(from, node)) else { continue };
        let (hands, deed) = (world.hands.clone(), deed.clone());
        world.meddling.before_children(&World::local(&at)?, Arc::new(move || deed(hands.clone())));
        worlds.push((world, from.clone()));
    }
    Ok(worlds)
}

async fn left_out(bench: Bench) -> Verdict {
    let worlds = vanishing(&bench, |from, _| from.parent()).await?;
    for (world, from) in need_some(&worlds, "a `moving` of an indexable Object")? {
        // It fails where anything is said to be missing.
        let paths = world.whole(&world.mount).await?.paths(&world.mount);
        let shown = paths.contains(&world.entry(from));
        expect(!shown, format!("no {from}, which was gone when it was listed"), format!("{paths:?}"))?;
    }
    Ok(())
}

async fn without_children(bench: Bench) -> Verdict {
    let worlds = vanishing(&bench, |from, node| (!node.known_leaf).then(|| from.clone())).await?;
    for (world, from) in need_some(&worlds, "a `moving` of an Object with indexable children")? {
        let tree = world.tree(&world.mount, u32::MAX, u32::MAX, None).await;
        let tree = expect_success(tree, format!("a tree from which {from} vanishes"))?;
        let paths = tree.paths(&world.mount);
        let at = paths.iter().position(|path| *path == world.entry(from));
        let Some(at) = at else {
            return failed(format!("{from}, which was still there"), format!("{paths:?}"));
        };
        let what = format!("the expansion of {from}, which was gone when its children were to be read");
        expect_same(&Expansion::Unexplored, &tree.nodes()[at].expansion, what)?;
        let causes: Vec<_> = tree.truncated_by().iter().collect();
        expect_same(&vec![Cause::Unavailable], &causes, "why the tree is cut")?;
    }
    Ok(())
}

async fn down(bench: Bench) -> Verdict {
    for turn in [Turn::Panic, Turn::Nonsense, Turn::Missing, Turn::Hang] {
        let limits = if turn == Turn::Hang { hasty() } else { HostLimits::default() };
        let world = bench.world_with(limits).await?;
        let before = world.snapshot().await?;
        let root = LocalPath::root();
        world.meddling.object(&root, turn);
        world.meddling.children(&root, turn);
        let bare = Object::bare(ObjectName::of(&world.mount));
        let what = format!("the Object at the mount point, whose provider has {turn:?}");
        let object = expect_success(in_some_try(|| world.object(&world.mount)).await, &what)?;
        expect_same(&bare, &*object, &what)?;
        if turn != Turn::Hang {
            let top = EntryPath::root();
            let tree = expect_success(world.tree(&top, 9, 1000, None).await, "the tree around it")?;
            let paths = tree.paths(&top);
            let at = paths.iter().position(|path| *path == world.mount);
            let shown = at.map(|at| &*tree.nodes()[at].object);
            expect_same(&Some(&bare), &shown, format!("{what}, in a tree"))?;
            if let Some(other) = &world.neighbour {
                let below = paths.iter().any(|path| path != other && other.contains(path));
                expect(below, format!("what is below {other}, beside it"), format!("{paths:?}"))?;
            }
        }
        world.meddling.stop();
        world.unchanged_since(&before, "the Host goes on serving").await?;
    }
    Ok(())
}

async fn unread(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let own = learn(&world, &world.mount).await?;
    for (depth, limit) in SMALL {
        world.meddling.take_lists();
        let what = format!("the tree with depth {depth} and limit {limit}");
        expect_success(world.tree(&world.mount, depth, limit, None).await, &what)?;
        let needless = needless(&own, depth, limit, &world.meddling.take_lists());
        expect(needless.is_empty(), format!("{what}: only what it needs is read"), needless.join("; "))?;
    }
    Ok(())
}

/// What was asked for though the tree did not need it.
fn needless(own: &Node, depth: u32, limit: u32, lists: &[(LocalPath, usize)]) -> Vec<String> {
    let lines = naive::fetch_tree(own, depth, limit as usize, None).0;
    let known_leaf = |path: &EntryPath| node_at(&mut own.clone(), path).is_some_and(|node| node.known_leaf);
    let is_read = |path: &LocalPath| {
        let below = if path.is_root() { "" } else { path.as_str() };
        lines.iter().find(|line| line.0 == below).is_some_and(|line| match line.2 {
            Expansion::Complete | Expansion::Partial => true,
            Expansion::Leaf => EntryPath::parse(path.as_str()).is_ok_and(|path| !known_leaf(&path)),
            Expansion::Unexplored => false,
        })
    };
    let wrong = |(path, most): &(LocalPath, usize)| {
        if !is_read(path) {
            return Some(format!("the children of {path}"));
        }
        // As many as there is room for beside the first node, and one further.
        (*most > limit as usize).then(|| format!("{most} children of {path}"))
    };
    lists.iter().filter_map(wrong).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]
mod tests {
    use super::*;

    fn node(name: &str, children: Vec<Node>) -> Node {
        Node { name: name.to_owned(), children, ..Node::default() }
    }

    /// What a Host asks for, the depth and limit, and what of it is too much.
    #[test]
    fn what_a_tree_does_not_need_is_noticed() {
        /// Depth, limit, what was asked for, and what of it is too much.
        type Case<'a> = (u32, u32, &'a [(&'a str, usize)], &'a [&'a str]);
        let leaf = Node { known_leaf: true, ..node("leaf", Vec::new()) };
        let own = node("", vec![node("a", vec![node("b", Vec::new())]), node("c", Vec::new()), leaf]);
        let cases: [Case<'_>; 7] = [
            (9, 99, &[("/", 9), ("/a", 9), ("/c", 9), ("/a/b", 9)], &[]),
            (0, 99, &[("/", 9)], &["the children of /"]),
            (1, 99, &[("/", 9), ("/a", 9)], &["the children of /a"]),
            (9, 1, &[("/", 1)], &["the children of /"]),
            (9, 2, &[("/", 2), ("/a", 1)], &["the children of /a"]),
            (9, 2, &[("/", 256)], &["256 children of /"]),
            (9, 99, &[("/leaf", 1)], &["the children of /leaf"]),
        ];
        for (depth, limit, lists, expected) in cases {
            let lists: Vec<_> =
                lists.iter().map(|(path, most)| (LocalPath::parse(path).unwrap(), *most)).collect();
            assert_eq!(needless(&own, depth, limit, &lists), expected, "{depth} {limit} {lists:?}");
        }
    }

    /// A tree in which part of the provider's own is unreadable says so there, and nowhere else.
    #[test]
    fn an_unreadable_part_is_expected_to_be_unexplored() {
        let mut own = node("", vec![node("a", vec![node("b", Vec::new())]), node("c", Vec::new())]);
        assert_eq!(inner_parents(&own), [EntryPath::parse("/a").unwrap()]);
        node_at(&mut own, &EntryPath::parse("/a").unwrap()).unwrap().fails_behind = Some(0);
        let (lines, causes) = naive::fetch_tree(&own, 9, 99, None);
        let found: Vec<_> = lines.iter().map(|line| (&*line.0, line.2)).collect();
        let (complete, unexplored) = (Expansion::Complete, Expansion::Unexplored);
        assert_eq!(found, [("", complete), ("/a", unexplored), ("/c", Expansion::Leaf)]);
        assert!(causes.contains("unavailable") && causes.len() == 1);
    }
}
