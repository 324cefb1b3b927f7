//! Guards: who acts on a state that is no more is refused, and nobody's effect is lost (SPEC 4).

use std::sync::Arc;

use tokio::sync::Barrier;
use tokio::task::JoinSet;
use worldspace_model::{CallAnswer, Effect, ErrorCode, OutgoingCall, TransportError};

use crate::suite::bench::Bench;
use crate::suite::check::{
    Check, Stop, Verdict, code_of, expect, expect_code, expect_same, expect_success, failed, need_some, told,
};
use crate::suite::meddle::CallTurn;
use crate::suite::sample::Sample;
use crate::suite::world::{PATIENCE, World};

/// Writers at one time.
const WRITERS: usize = 16;
/// How often a writer looks again before it is said to starve.
const TRIES: usize = 400;

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new("a stale validator is refused and nothing happens", "SPEC 4", stale),
        Check::new(
            "a state that changes behind the Host's checks is compared once more, and nothing happens",
            "SPEC 4",
            overtaken,
        ),
        Check::new("of guarded writers with one observation exactly one has its effect", "SPEC 4", one_wins),
        Check::new("guarded writers that look again lose no effect", "SPEC 4", look_again),
        Check::new("writers that are not guarded lose no effect", "SPEC 4", unguarded),
    ]
}

/// Writes that their interface declares `guarded`.
async fn guarded(world: &World) -> Verdict<Vec<Sample>> {
    let mut guarded = Vec::new();
    for sample in &world.declared.writings {
        if world.prepare(sample).await?.effects.has(Effect::Guarded) {
            guarded.push(sample.clone());
        }
    }
    need_some(&guarded, "a `writing` that its interface declares `guarded`")?;
    Ok(guarded)
}

async fn stale(bench: Bench) -> Verdict {
    let guarded = guarded(&bench.world().await?).await?;
    for sample in &guarded {
        let world = bench.world().await?;
        let disturb = world.declared.disturbed.iter().find(|(path, _)| *path == sample.path);
        let old = world.prepare(sample).await?.call;
        match disturb {
            Some((_, deed)) => world.by_hand(deed).await,
            None => {
                world.run(sample).await?;
                if world.object(&world.entry(&sample.path)).await.is_err() {
                    continue; // It is gone, which is another error.
                }
            }
        }
        let before = world.snapshot().await?;
        let answer = world.call(old).await;
        expect_code(&answer, ErrorCode::ValidatorMismatch, format!("{sample} on a state that is no more"))?;
        world.unchanged_since(&before, &format!("{sample} was refused")).await?;
    }
    Ok(())
}

async fn overtaken(bench: Bench) -> Verdict {
    let guarded = guarded(&bench.world().await?).await?;
    let disturbed = need_some(&bench.declared.disturbed, "a `disturbing`")?;
    let both = |sample: &&Sample| disturbed.iter().find(|(path, _)| *path == sample.path);
    let tried: Vec<_> = guarded.iter().filter_map(|sample| Some((sample, both(&sample)?))).collect();
    for (sample, (_, deed)) in need_some(&tried, "a `disturbing` of an Object with a guarded `writing`")? {
        // What it looks like when only the other one was there.
        let world = Arc::new(bench.world().await?);
        let call = world.prepare(sample).await?.call;
        let between = {
            let (world, deed) = (world.clone(), deed.clone());
            let seen = Arc::new(tokio::sync::Mutex::new(None));
            let kept = seen.clone();
            let turn = CallTurn::Between(Arc::new(move || {
                let (world, deed, kept) = (world.clone(), deed.clone(), kept.clone());
                Box::pin(async move {
                    world.by_hand(&deed).await;
                    *kept.lock().await = Some(world.snapshot().await);
                })
            }));
            (turn, seen)
        };
        let (turn, seen) = between;
        world.meddling.next_call(turn);
        let answer = world.call(call).await;
        world.meddling.stop();
        expect_code(
            &answer,
            ErrorCode::ValidatorMismatch,
            format!("{sample}, whose target changed just before"),
        )?;
        let before = seen.lock().await.take();
        let before = before.unwrap_or_else(|| failed("a call that reaches the provider", told(&answer)))?;
        world.unchanged_but_above(&before, &sample.path, &format!("{sample} was refused")).await?;
    }
    Ok(())
}

async fn answers(
    world: &Arc<World>,
    calls: Vec<OutgoingCall>,
) -> Verdict<Vec<Result<CallAnswer, TransportError>>> {
    let mut running = JoinSet::new();
    for call in calls {
        let world = world.clone();
        running.spawn(async move { world.call(call).await });
    }
    match tokio::time::timeout(PATIENCE, running.join_all()).await {
        Ok(answers) => Ok(answers),
        Err(_) => failed(format!("answers to {WRITERS} calls"), "some never came"),
    }
}

/// The counted write, if it is guarded or not as is wished.
async fn counted(world: &World, guarded: bool) -> Verdict<Sample> {
    let write = world.adding()?.write.clone();
    if world.prepare(&write).await?.effects.has(Effect::Guarded) == guarded {
        return Ok(write);
    }
    let which = if guarded { "declared `guarded`" } else { "not declared `guarded`" };
    Err(Stop::Lacking(format!("an `adding` whose write is {which}")))
}

async fn one_wins(bench: Bench) -> Verdict {
    let world = Arc::new(bench.world().await?);
    let write = counted(&world, true).await?;
    let before = world.count().await?;
    let call = world.prepare(&write).await?.call;
    world.meddling.next_call(CallTurn::Together(Arc::new(Barrier::new(WRITERS))));
    let answers = answers(&world, vec![call; WRITERS]).await?;
    world.meddling.stop();
    let won = answers.iter().filter(|answer| answer.is_ok()).count();
    let wrong = answers
        .iter()
        .find(|answer| answer.is_err() && code_of(answer) != Some(ErrorCode::ValidatorMismatch));
    if let Some(wrong) = wrong {
        return failed(format!("success or validator_mismatch for each {write}"), told(wrong));
    }
    expect_same(
        &1,
        &won,
        format!("of {WRITERS} times {write} at once with one observation, those that succeed"),
    )?;
    expect_same(&(before + 1), &world.count().await?, "effects that can be counted afterwards")
}

async fn look_again(bench: Bench) -> Verdict {
    let world = Arc::new(bench.world().await?);
    let write = counted(&world, true).await?;
    let before = world.count().await?;
    let mut running = JoinSet::new();
    for _ in 0..WRITERS {
        let (world, write) = (world.clone(), write.clone());
        running.spawn(async move {
            for _ in 0..TRIES {
                let answer = world.call(world.prepare(&write).await?.call).await;
                match code_of(&answer) {
                    Some(ErrorCode::ValidatorMismatch) => tokio::task::yield_now().await,
                    _ => {
                        return expect_success(answer, format!("{write}, or validator_mismatch")).map(|_| ());
                    }
                }
            }
            failed(format!("one success of {write} in {TRIES} tries"), "none")
        });
    }
    for ended in running.join_all().await {
        ended?;
    }
    let count = world.count().await?;
    expect_same(&(before + WRITERS), &count, format!("effects of {WRITERS} writers that all succeeded"))
}

async fn unguarded(bench: Bench) -> Verdict {
    let world = Arc::new(bench.world().await?);
    let write = counted(&world, false).await?;
    let before = world.count().await?;
    let mut call = world.prepare(&write).await?.call;
    // With a validator the call would be compared all the same.
    call.target.validator = None;
    world.meddling.next_call(CallTurn::Together(Arc::new(Barrier::new(WRITERS))));
    let answers = answers(&world, vec![call; WRITERS]).await?;
    world.meddling.stop();
    for answer in &answers {
        expect(answer.is_ok(), format!("success of each {write}"), told(answer))?;
    }
    expect_same(
        &(before + WRITERS),
        &world.count().await?,
        format!("effects of {WRITERS} writers that all succeeded"),
    )
}
