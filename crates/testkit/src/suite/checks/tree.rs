//! Trees, against a naive statement of what they are (SPEC 2.1).

use worldspace_host::HostLimits;
use worldspace_model::{Cause, EntryPath, ErrorCode};

use crate::suite::bench::{Bench, world_around};
use crate::suite::check::{
    Check, Verdict, code_of, expect, expect_same, expect_success, failed, need_some, told,
};
use crate::suite::naive::{self, Line, Node};
use crate::suite::world::World;

/// Nodes whose children are resumed, and children of each behind which they are.
const SOME: usize = 8;

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new("the whole tree can be read, each child once", "SPEC 2.1", whole),
        Check::new("what the Host's own limits cut is said to be cut by them", "SPEC 2.1", host_limits),
        Check::new("siblings keep their order while nothing changes", "SPEC 2.1", order),
        Check::new(
            "a tree of any depth and limit is the breadth-first prefix, and says what it leaves out",
            "SPEC 2.1",
            prefixes,
        ),
        Check::new("children come the same however few are asked for at a time", "SPEC 2.1", pages),
        Check::new("children are resumed behind any of them", "SPEC 2.1", resumed),
        Check::new(
            "a child to go on behind that is gone is passed over by name, or told to be gone",
            "SPEC 2.1",
            gone,
        ),
        Check::new("observe is the whole subtree to its depth", "SPEC 2", observed),
    ]
}

/// The tree below the root or the mount, as the provider itself tells it while somebody asks for all of it.
pub(super) async fn learn(world: &World, top: &EntryPath) -> Verdict<Node> {
    world.whole(&world.mount).await?;
    let expected = "every child asked for, unless it is known that there is none";
    let own = world.meddling.heard().tree().or_else(|missing| failed(expected, missing))?;
    Ok(if *top == world.mount { own } else { world_around(&own) })
}

/// The provider's tree, and that of the whole Worldspace where it is another.
pub(super) fn tops(world: &World) -> Vec<EntryPath> {
    let mut tops = vec![EntryPath::root()];
    if !world.mount.is_root() {
        tops.push(world.mount.clone());
    }
    tops
}

async fn whole(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    for top in tops(&world) {
        world.whole(&top).await?;
    }
    Ok(())
}

async fn order(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let first = world.whole(&world.mount).await?.paths(&world.mount);
    for _ in 0..3 {
        let again = world.whole(&world.mount).await?.paths(&world.mount);
        expect_same(&first, &again, "the same Objects in the same order")?;
    }
    Ok(())
}

async fn host_limits(bench: Bench) -> Verdict {
    let calm = bench.world().await?;
    let count = calm.whole(&calm.mount).await?.nodes().len() as u32;
    if count < 2 {
        return need_some::<()>(&[], "an `object` below the root").map(|_| ());
    }
    for limits in [
        HostLimits { tree_nodes: count - 1, ..HostLimits::default() },
        HostLimits { tree_depth: 0, ..HostLimits::default() },
    ] {
        let world = bench.world_with(limits.clone()).await?;
        // More than the Host's limit is no error.
        let tree =
            expect_success(world.tree(&world.mount, u32::MAX, u32::MAX, None).await, "a tree that is cut")?;
        let causes = tree.truncated_by().iter().collect::<Vec<_>>();
        let most = if limits.tree_depth == 0 { 1 } else { limits.tree_nodes as usize };
        let what = format!(
            "nodes and causes with {} nodes and {} levels at most",
            limits.tree_nodes, limits.tree_depth
        );
        expect_same(&(most, vec![Cause::HostLimit]), &(tree.nodes().len(), causes), what)?;
        let whole = world.observe(&world.mount, 64).await;
        let code = code_of(&whole);
        expect(
            code == Some(ErrorCode::ResourceLimitExceeded),
            "resource_limit_exceeded for a whole that is too large",
            told(&whole),
        )?;
    }
    Ok(())
}

pub(super) async fn same_lines(
    world: &World,
    top: &EntryPath,
    expected: &Node,
    (depth, limit, after): (u32, u32, Option<&str>),
) -> Verdict {
    let what = format!("the tree below {top} with depth {depth}, limit {limit}, after {after:?}");
    let tree = expect_success(world.tree(top, depth, limit, after).await, &what)?;
    let expected = naive::fetch_tree(expected, depth, limit as usize, after);
    expect_same(&expected, &naive::lines(&tree, top), what)
}

async fn prefixes(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    for top in tops(&world) {
        let expected = learn(&world, &top).await?;
        let lines = naive::fetch_tree(&expected, u32::MAX, usize::MAX, None).0;
        let count = lines.len() as u32;
        let deepest = lines.iter().map(|line| line.0.matches('/').count()).max().unwrap_or(0) as u32;
        for depth in 0..=deepest + 1 {
            let limits = (1..=count.min(12)).chain([count.saturating_sub(1).max(1), count, count + 1]);
            for limit in limits {
                same_lines(&world, &top, &expected, (depth, limit, None)).await?;
            }
        }
    }
    Ok(())
}

async fn pages(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let expected = naive::lines(&world.whole(&world.mount).await?, &world.mount);
    for most in 1..=3 {
        world.meddling.page(most);
        let came = naive::lines(&world.whole(&world.mount).await?, &world.mount);
        expect_same(&expected, &came, format!("the same tree, read by {most} children at a time"))?;
    }
    Ok(())
}

/// Nodes that have children, with their entries, and which of their children to try.
pub(super) fn parents<'n>(top: &EntryPath, node: &'n Node, found: &mut Vec<(EntryPath, &'n Node)>) {
    if !node.children.is_empty() {
        found.push((top.clone(), node));
    }
    for child in &node.children {
        if let Ok(name) = worldspace_model::Segment::parse(&child.name) {
            parents(&top.child(&name), child, found);
        }
    }
}

fn some(children: &[Node]) -> impl Iterator<Item = &Node> {
    children.iter().step_by(children.len().div_ceil(SOME).max(1)).chain(children.last())
}

async fn resumed(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let top = learn(&world, &EntryPath::root()).await?;
    let mut found = Vec::new();
    parents(&EntryPath::root(), &top, &mut found);
    need_some(&found, "an Object with indexable children")?;
    for (entry, node) in found.into_iter().take(SOME) {
        for child in some(&node.children) {
            for (depth, limit) in [(1, 1), (1, 2), (1, 3), (1, u32::MAX), (2, 5), (9, u32::MAX)] {
                same_lines(&world, &entry, node, (depth, limit, Some(&child.name))).await?;
            }
        }
    }
    Ok(())
}

async fn gone(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let top = learn(&world, &world.mount).await?;
    let mut found = Vec::new();
    parents(&world.mount, &top, &mut found);
    need_some(&found, "an Object with indexable children")?;
    for (entry, node) in found.into_iter().take(SOME) {
        let first = &node.children[0].name;
        for after in ["!suite".to_owned(), format!("{first}!suite"), "\u{10ffff}suite".to_owned()] {
            let answer = world.tree(&entry, 1, u32::MAX, Some(&after)).await;
            let Ok(tree) = &answer else {
                let code = code_of(&answer);
                let what =
                    format!("invalid_request for a gone child {after:?}, or the children behind its place");
                expect(code == Some(ErrorCode::InvalidRequest), what, told(&answer))?;
                continue;
            };
            let by_name = node.children.is_sorted_by(|one, next| one.name < next.name);
            let expected: Vec<Line> = naive::fetch_tree(node, 1, usize::MAX, Some(&after)).0;
            let came = naive::lines(tree, &entry).0;
            if !by_name {
                return failed(
                    "invalid_request for a gone child, as the order is not by name",
                    format!("{came:?}"),
                );
            }
            expect_same(&expected, &came, format!("the children of {entry} behind {after:?}, by name"))?;
        }
    }
    Ok(())
}

async fn observed(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    for top in tops(&world) {
        let expected = learn(&world, &top).await?;
        let names =
            |lines: &[Line]| lines.iter().map(|line| (line.0.clone(), line.1.clone())).collect::<Vec<_>>();
        for depth in 0..5 {
            let tree =
                expect_success(world.observe(&top, depth).await, format!("observe {top}, depth {depth}"))?;
            let expected = naive::fetch_tree(&expected, depth, usize::MAX, None).0;
            let came = naive::lines(&tree, &top).0;
            expect_same(&names(&expected), &names(&came), format!("all of {top} to depth {depth}"))?;
        }
    }
    Ok(())
}
