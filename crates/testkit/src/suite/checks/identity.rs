//! Refs: the same wherever an Object goes, and never another's (SPEC 1).

use std::collections::HashMap;

use worldspace_model::{ErrorCode, Object, Ref};

use crate::suite::bench::Bench;
use crate::suite::check::{Check, Verdict, expect, expect_code, expect_same, failed, need_some};
use crate::suite::world::World;

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new("each declared Object has a ref", "SPEC 1", each),
        Check::new("no two Objects share a ref", "SPEC 1", unique),
        Check::new("a ref stays while nothing changes", "SPEC 1", stays),
        Check::new("an Object that somebody moves keeps its ref, and so does all below it", "SPEC 1", moved),
        Check::new("another Object in the same place has another ref", "SPEC 1", replaced),
        Check::new("an Object that changes keeps its ref", "SPEC 1", disturbed),
        Check::new("an Object that an operation changes keeps its ref", "SPEC 1", written),
        Check::new("an Object that an operation moves keeps its ref", "SPEC 1", carried),
    ]
}

const LACKING: &str = "`identities`";

fn declared(bench: &Bench) -> Verdict {
    if bench.declared.identities { Ok(()) } else { need_some::<()>(&[], LACKING).map(|_| ()) }
}

async fn each(bench: Bench) -> Verdict {
    declared(&bench)?;
    bench.world().await?.each_has("ref", "identities", |object| &object.r#ref).await
}

async fn unique(bench: Bench) -> Verdict {
    declared(&bench)?;
    let world = bench.world().await?;
    let tree = world.whole(&world.mount).await?;
    let mut by_ref: HashMap<Ref, (String, &Object)> = HashMap::new();
    for (node, path) in tree.nodes().iter().zip(tree.paths(&world.mount)) {
        let Some(r#ref) = node.object.r#ref.clone() else { continue };
        if let Some((before, object)) = by_ref.insert(r#ref, (path.to_string(), &node.object))
            && *object != *node.object
        {
            let expected =
                "different refs of different Objects, or one Object that is the same at both entries";
            return failed(
                expected,
                format!("one ref at {before} ({object:?}) and {path} ({:?})", node.object),
            );
        }
    }
    Ok(())
}

async fn stays(bench: Bench) -> Verdict {
    declared(&bench)?;
    bench.world().await?.each_keeps("ref", |object| &object.r#ref).await
}

/// Refs at an entry and below it, by their places below it.
async fn refs_below(
    world: &World,
    path: &worldspace_model::EntryPath,
) -> Verdict<Vec<(String, Option<Ref>)>> {
    let entry = world.entry(path);
    let tree = world.whole(&entry).await?;
    let below = tree.paths(&entry).into_iter().map(|at| at.as_str()[entry.as_str().len()..].to_owned());
    Ok(below.zip(tree.nodes().iter().map(|node| node.object.r#ref.clone())).collect())
}

async fn moved(bench: Bench) -> Verdict {
    declared(&bench)?;
    for (from, to, deed) in need_some(&bench.declared.moves, "a `moving`")? {
        let world = bench.world().await?;
        let before = refs_below(&world, from).await?;
        world.by_hand(deed).await;
        let after = refs_below(&world, to).await?;
        expect_same(&before, &after, format!("the refs of what was moved from {from} to {to}"))?;
        let left = world.object(&world.entry(from)).await;
        expect_code(&left, ErrorCode::NotFound, format!("where the Object was, {from}"))?;
    }
    Ok(())
}

async fn replaced(bench: Bench) -> Verdict {
    declared(&bench)?;
    for (path, deed) in need_some(&bench.declared.replaced, "a `replacing`")? {
        let world = bench.world().await?;
        // Several times over, so that nothing that is used again after the second time passes for new.
        let mut known = vec![world.found(path).await?.r#ref.clone()];
        for _ in 0..4 {
            world.by_hand(deed).await;
            let now = world.found(path).await?.r#ref.clone();
            let is_new = now.is_some() && !known.contains(&now);
            expect(
                is_new,
                format!("a ref of {path} that none of the replaced Objects had: {known:?}"),
                format!("{now:?}"),
            )?;
            known.push(now);
        }
    }
    Ok(())
}

async fn disturbed(bench: Bench) -> Verdict {
    declared(&bench)?;
    for (path, deed) in need_some(&bench.declared.disturbed, "a `disturbing`")? {
        let world = bench.world().await?;
        let before = world.found(path).await?;
        world.by_hand(deed).await;
        expect_same(
            &before.r#ref,
            &world.found(path).await?.r#ref,
            format!("the ref of {path}, which changed"),
        )?;
    }
    Ok(())
}

async fn written(bench: Bench) -> Verdict {
    declared(&bench)?;
    for sample in need_some(&bench.declared.writings, "a `writing`")? {
        let world = bench.world().await?;
        let before = world.found(&sample.path).await?;
        world.run(sample).await?;
        // An operation may remove or move what it is called on.
        if let Ok(after) = world.object(&world.entry(&sample.path)).await {
            expect_same(&before.r#ref, &after.r#ref, format!("the ref of {} after {sample}", sample.path))?;
        }
    }
    Ok(())
}

async fn carried(bench: Bench) -> Verdict {
    declared(&bench)?;
    let moving: Vec<_> = bench.declared.writings.iter().filter(|sample| sample.moves_to.is_some()).collect();
    for sample in need_some(&moving, "a `writing` with `moving_to`")? {
        let Some(to) = &sample.moves_to else { continue };
        let world = bench.world().await?;
        let before = refs_below(&world, &sample.path).await?;
        world.run(sample).await?;
        expect_same(
            &before,
            &refs_below(&world, to).await?,
            format!("the refs of what {sample} moved to {to}"),
        )?;
        let left = world.object(&world.entry(&sample.path)).await;
        expect_code(&left, ErrorCode::NotFound, format!("where the Object was, {}", sample.path))?;
    }
    Ok(())
}
