//! A provider that panics or answers nonsense is the Host's to bear: the caller is told the truth, and everything else
//! goes on (SPEC 2.3, 3).

use worldspace_host::{HostLimits, LocalPath};
use worldspace_model::{Cause, ErrorCode, Expansion};

use crate::suite::bench::Bench;
use crate::suite::check::{Check, Verdict, expect, expect_code, expect_same, expect_success, need_some};
use crate::suite::meddle::{CallTurn, Turn};
use crate::suite::world::{PATIENCE, World, hasty, in_some_try};

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new(
            "an Object that cannot be read or published is internal for itself alone",
            "SPEC 3",
            objects,
        ),
        Check::new("children that cannot be read leave a tree with its first node", "SPEC 2.1", children),
        Check::new(
            "an interface that cannot be read is internal, and so are calls of it",
            "SPEC 3",
            interfaces,
        ),
        Check::new(
            "a panic or a wrong result before the fence is internal, and nothing happens",
            "SPEC 2.3",
            calls,
        ),
        Check::new(
            "a panic behind the fence leaves the outcome unknown, and the effect whole",
            "SPEC 2.3",
            behind,
        ),
    ]
}

/// Everything is as it was, as soon as nobody meddles any more.
async fn goes_on(world: &World, before: &crate::suite::world::Snapshot) -> Verdict {
    world.meddling.stop();
    world.unchanged_since(before, "the Host goes on serving").await
}

async fn objects(bench: Bench) -> Verdict {
    for turn in [Turn::Panic, Turn::Nonsense, Turn::Gone] {
        let world = bench.world().await?;
        let path = world.inner_object()?.clone();
        let before = world.snapshot().await?;
        world.meddling.object(&World::local(&path)?, turn);
        let answer = world.object(&world.entry(&path)).await;
        // That a child to go on behind is gone makes no sense either, where none was named.
        expect_code(&answer, ErrorCode::Internal, format!("the Object at {path} with {turn:?}"))?;
        expect_success(world.object(&world.mount).await, "the mount beside it")?;
        goes_on(&world, &before).await?;
    }
    Ok(())
}

async fn children(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let first = expect_success(world.tree(&world.mount, 1, 10, None).await, "the tree")?.first().expansion;
    if first == Expansion::Leaf {
        return need_some::<()>(&[], "indexable children of the root").map(|_| ());
    }
    let cases = [
        (Turn::Panic, Cause::Unavailable),
        (Turn::Nonsense, Cause::Unavailable),
        (Turn::Hang, Cause::Deadline),
    ];
    for (turn, cause) in cases {
        let limits = if turn == Turn::Hang { hasty() } else { HostLimits::default() };
        let world = bench.world_with(limits).await?;
        let before = world.snapshot().await?;
        world.meddling.children(&LocalPath::root(), turn);
        let tree = in_some_try(|| world.tree(&world.mount, 3, 100, None)).await;
        let tree = expect_success(tree, format!("a tree, though its children {turn:?}"))?;
        expect_same(
            &(1, Expansion::Unexplored),
            &(tree.nodes().len(), tree.first().expansion),
            "its first node alone",
        )?;
        expect(
            tree.truncated_by().has(cause),
            format!("cut by {cause:?}"),
            format!("{:?}", tree.truncated_by()),
        )?;
        goes_on(&world, &before).await?;
    }
    Ok(())
}

async fn interfaces(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let call = world.prepare(world.any_sample()?).await?.call;
    let before = world.snapshot().await?;
    world.meddling.interface(Turn::Panic);
    let answer = world.interface(&call.interface.reference).await;
    expect_code(&answer, ErrorCode::Internal, "an interface whose provider panics")?;
    expect_code(&world.call(call).await, ErrorCode::Internal, "a call of it")?;
    goes_on(&world, &before).await
}

async fn calls(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let samples: Vec<_> = bench.declared.readings.iter().chain(&bench.declared.writings).collect();
    for sample in need_some(&samples, "a `reading` or a `writing`")? {
        let before = world.snapshot().await?;
        for (turn, what) in
            [(CallTurn::Panic, "panics"), (CallTurn::Nonsense, "answers what is of no such type")]
        {
            let call = world.prepare(sample).await?.call;
            world.meddling.next_call(turn);
            let answer = world.call(call).await;
            expect_code(&answer, ErrorCode::Internal, format!("{sample}, whose provider {what}"))?;
        }
        goes_on(&world, &before).await?;
    }
    Ok(())
}

async fn behind(bench: Bench) -> Verdict {
    for sample in need_some(&bench.declared.writings, "a `writing`")? {
        let world = bench.world().await?;
        let before = world.snapshot().await?;
        let counted = world.adding().is_ok_and(|adding| {
            adding.write.operation == sample.operation && adding.write.path == sample.path
        });
        let count = if counted { world.count().await? } else { 0 };
        let call = world.prepare(sample).await?.call;
        world.meddling.next_call(CallTurn::PanicBehind);
        let answer = world.call(call).await;
        expect_code(
            &answer,
            ErrorCode::OperationOutcomeUnknown,
            format!("{sample} with a panic behind its effect"),
        )?;
        expect(world.host.drain(PATIENCE).await, "every call to end", "some still run")?;
        if counted {
            expect_same(&(count + 1), &world.count().await?, format!("effects of {sample}"))?;
        }
        let seen = before.difference(&world.snapshot().await?, None).is_some();
        expect(seen, format!("the effect of {sample}, which was there before the panic"), "nothing")?;
    }
    Ok(())
}
