//! The fence: a refused call has no effect, a caller who left before it none either, and one that succeeded has its own
//! (SPEC 2.3).

use std::sync::Arc;

use tokio::task::JoinHandle;
use worldspace_host::HostLimits;
use worldspace_model::{CallAnswer, Effect, ErrorCode, TransportError};

use super::order::Wrong;
use crate::suite::bench::Bench;
use crate::suite::check::{
    Check, Verdict, code_of, expect, expect_code, expect_same, failed, need_some, told,
};
use crate::suite::meddle::{Abandoned, CallTurn};
use crate::suite::sample::Sample;
use crate::suite::world::{PATIENCE, TRIES, World, hasty};

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new("a write that succeeds is seen", "SPEC 2.2", seen),
        Check::new("a refused call has no effect", "SPEC 2.3", refused),
        Check::new("arguments that are unusable are refused and nothing happens", "SPEC 2.2", unusable),
        Check::new("what is not permitted is denied and nothing happens", "SPEC 2.2", denied),
        Check::new("an operation that is declared `read` changes nothing", "SPEC 2.3", read),
        Check::new("a call whose caller left before the fence has no effect", "SPEC 2.3", left),
        Check::new("a call whose time ran out before the fence has no effect", "SPEC 2.3", late),
    ]
}

async fn seen(bench: Bench) -> Verdict {
    for sample in need_some(&bench.declared.writings, "a `writing`")? {
        let world = bench.world().await?;
        let before = world.snapshot().await?;
        world.run(sample).await?;
        let differs = before.difference(&world.snapshot().await?, None).is_some();
        expect(differs, format!("a difference in tree or readings after {sample}"), "all is as it was")?;
    }
    let world = bench.world().await?;
    if let Ok(adding) = world.adding() {
        let before = world.count().await?;
        world.run(&adding.write).await?;
        expect_same(&(before + 1), &world.count().await?, format!("the count after one {}", adding.write))?;
    }
    Ok(())
}

async fn refused(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    for sample in need_some(&bench.declared.writings, "a `writing`")? {
        let prepared = world.prepare(sample).await?;
        let before = world.snapshot().await?;
        for wrong in Wrong::ALL.into_iter().filter(|wrong| wrong.applies(&world, &prepared)) {
            let mut call = prepared.call.clone();
            wrong.spoil(&world, &mut call)?;
            let answer = world.call(call).await;
            world.meddling.stop();
            expect_code(&answer, wrong.code(), format!("{sample} with {wrong:?}"))?;
        }
        world.unchanged_since(&before, &format!("{sample} was refused, whatever was wrong with it")).await?;
    }
    Ok(())
}

/// Each of these is refused so, and nothing happens.
async fn all_refused(bench: &Bench, samples: &[Sample], code: ErrorCode) -> Verdict {
    let together = refused_so(bench, samples, code).await;
    if together.is_err() {
        // One at a time, to tell which of them it was.
        for sample in samples {
            refused_so(bench, std::slice::from_ref(sample), code).await?;
        }
    }
    together
}

async fn refused_so(bench: &Bench, samples: &[Sample], code: ErrorCode) -> Verdict {
    let world = bench.world().await?;
    let before = world.snapshot().await?;
    for sample in samples {
        let call = world.prepare(sample).await?.call;
        let given = format!("{:?}", call.arguments.record());
        let answer = world.call(call).await;
        expect_code(&answer, code, format!("{sample} with {given}"))?;
    }
    let refused: Vec<String> = samples.iter().map(Sample::to_string).collect();
    world.unchanged_since(&before, &format!("{} was refused", refused.join(", "))).await
}

async fn unusable(bench: Bench) -> Verdict {
    let samples = need_some(&bench.declared.refusals, "a `refusing`")?;
    all_refused(&bench, samples, ErrorCode::InvalidArguments).await
}

async fn denied(bench: Bench) -> Verdict {
    let samples = need_some(&bench.declared.denials, "a `denying`")?;
    all_refused(&bench, samples, ErrorCode::PermissionDenied).await
}

async fn read(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let mut reads = Vec::new();
    for sample in &bench.declared.readings {
        if world.prepare(sample).await?.effects.has(Effect::Read) {
            reads.push(sample);
        }
    }
    let before = world.snapshot().await?;
    for sample in need_some(&reads, "a `reading` that its interface declares `read`")? {
        for _ in 0..3 {
            world.run(sample).await?;
        }
        world.unchanged_since(&before, &format!("{sample} only reads")).await?;
    }
    Ok(())
}

/// Has a write come to its provider when nobody waits for it any more.
async fn abandoned(bench: &Bench, sample: &Sample, limits: HostLimits, caller_leaves: bool) -> Verdict {
    let world = Arc::new(bench.world_with(limits).await?);
    let before = world.snapshot().await?;
    let (calling, abandoned) = reached(&world, sample).await?;
    if caller_leaves {
        calling.abort();
        let _ = calling.await;
    } else if let Ok(answer) = calling.await {
        let what = format!("{sample}, whose time ran out before the fence");
        expect_code(&answer, ErrorCode::ResourceLimitExceeded, what)?;
    }
    if tokio::time::timeout(PATIENCE, abandoned.ended.notified()).await.is_err() {
        let expected = "the Host to give up a call that nobody waits for, and its provider to end it";
        return failed(expected, "neither");
    }
    let what = format!("nobody waited for {sample} when it came to the fence");
    world.unchanged_but_above(&before, &sample.path, &what).await
}

type Calling = JoinHandle<Result<CallAnswer, TransportError>>;

/// A call that is held before its provider. Where the Host has little time, and the machine is slow, it may need some
/// tries to come so far.
async fn reached(world: &Arc<World>, sample: &Sample) -> Verdict<(Calling, Arc<Abandoned>)> {
    for _ in 0..TRIES {
        let call = world.calm().prepare(sample).await?.call;
        let abandoned = Arc::new(Abandoned::default());
        world.meddling.next_call(CallTurn::Abandoned(abandoned.clone()));
        let held = world.clone();
        let mut calling = tokio::spawn(async move { held.call(call).await });
        tokio::select! {
            biased;
            () = abandoned.reached.notified() => return Ok((calling, abandoned)),
            ended = &mut calling => match ended {
                Ok(answer) if code_of(&answer) == Some(ErrorCode::ResourceLimitExceeded) => {}
                Ok(answer) => return failed(format!("{sample} to come to its provider"), told(&answer)),
                Err(error) => return failed(format!("{sample} to come to its provider"), error),
            },
        }
    }
    failed(format!("{sample} to come to its provider in {TRIES} tries"), "its time ran out before, each time")
}

async fn left(bench: Bench) -> Verdict {
    for sample in need_some(&bench.declared.writings, "a `writing`")? {
        abandoned(&bench, sample, HostLimits::default(), true).await?;
    }
    Ok(())
}

/// As [`left`] for the provider, so that a few tell enough.
async fn late(bench: Bench) -> Verdict {
    for sample in need_some(&bench.declared.writings, "a `writing`")?.iter().take(2) {
        abandoned(&bench, sample, hasty(), false).await?;
    }
    Ok(())
}
