//! Which interaction may answer with which code (SPEC 3), pair by pair: each is provoked, or it is said why no check of
//! a provider can.

use std::time::Duration;

use worldspace_host::{HostLimits, LocalPath};
use worldspace_model::{EntryPath, ErrorCode, FetchRequest, Interaction, InterfaceReference, TransportError};

use super::order::Wrong;
use super::shape;
use crate::Way;
use crate::suite::bench::Bench;
use crate::suite::check::{Check, Stop, Verdict, expect_code, expect_same, failed, need};
use crate::suite::meddle::{CallTurn, Turn};
use crate::suite::raw;
use crate::suite::world::{World, hasty};

/// A pair, and why no check provokes it, where none does.
type Pair = (Interaction, ErrorCode, Option<&'static str>);

/// Every answer that SPEC 3 allows.
pub(super) fn pairs() -> Vec<Pair> {
    let mut pairs = Vec::new();
    for interaction in Interaction::ALL {
        let codes = ErrorCode::ALL.into_iter().filter(|code| code.is_allowed_for(interaction));
        pairs.extend(codes.map(|code| (interaction, code, unprovoked(interaction))));
    }
    pairs
}

/// Why no answer to an interaction can be provoked.
fn unprovoked(interaction: Interaction) -> Option<&'static str> {
    (interaction == Interaction::CallOutcome)
        .then_some("a Host keeps no journal yet, and answers no `call_outcome`")
}

/// Whether a Transport is no way to provoke the pair: it sends no request that is not well formed.
fn is_raw(interaction: Interaction, code: ErrorCode) -> bool {
    use Interaction::{CallOperation, FetchInterface, Observe};
    code == ErrorCode::InvalidRequest && matches!(interaction, CallOperation | FetchInterface | Observe)
}

pub(super) fn checks() -> Vec<Check> {
    let provoked = pairs().into_iter().filter(|(_, _, reason)| reason.is_none());
    let check = |(interaction, code, _): Pair| {
        let name = format!("`{interaction}` answers `{code}` where it should");
        let check = Check::new(name, "SPEC 3", move |bench| provoke(bench, interaction, code));
        if is_raw(interaction, code) { check.only_by(Way::Http) } else { check }
    };
    provoked.map(check).collect()
}

async fn provoke(bench: Bench, interaction: Interaction, code: ErrorCode) -> Verdict {
    if is_raw(interaction, code) {
        return shape::malformed(bench, interaction).await;
    }
    match interaction {
        Interaction::Fetch => fetch(bench, code).await,
        Interaction::FetchTree | Interaction::Observe => tree(bench, interaction, code).await,
        Interaction::FetchInterface => interface(bench, code).await,
        Interaction::CallOperation => call(bench, code).await,
        Interaction::CallOutcome => Ok(()),
    }
}

/// A pair that the table allows and nobody thought of.
fn forgotten<T>(interaction: Interaction, code: ErrorCode) -> Verdict<T> {
    failed(format!("a way to make `{interaction}` answer `{code}`"), "none is known to the suite")
}

/// A world in which reading a declared Object ends that way, and the entry of that Object.
async fn spoilt_object(bench: &Bench, limits: HostLimits, turn: Turn) -> Verdict<(World, EntryPath)> {
    let world = bench.world_with(limits).await?;
    let path = world.inner_object()?.clone();
    world.meddling.object(&World::local(&path)?, turn);
    let entry = world.entry(&path);
    Ok((world, entry))
}

async fn fetch(bench: Bench, code: ErrorCode) -> Verdict {
    let what = "a fetch";
    let answer = match code {
        ErrorCode::InvalidRequest if bench.way == Way::Http => {
            let world = bench.world().await?;
            let answer = raw::post(&world, Interaction::Fetch, r#"{"entries":["no path"]}"#).await?;
            return expect_same(&vec![code.name()], &raw::codes(&answer), what);
        }
        ErrorCode::InvalidRequest => {
            let world = bench.world().await?;
            let request = FetchRequest { entries: vec![EntryPath::parse("no path")] };
            let answer = world.fetch(request).await;
            answer.and_then(|mut answer| answer.results.remove(0).map_err(TransportError::Refused))
        }
        ErrorCode::NotFound => {
            let world = bench.world().await?;
            world.object(&world.absent()?).await
        }
        ErrorCode::ResourceLimitExceeded => {
            let world = bench.world().await?;
            let most = world.host.limits().fetch_entries;
            let answer = world.fetch(FetchRequest { entries: vec![Ok(world.mount.clone()); most + 1] }).await;
            expect_code(&answer, code, "a fetch of more entries than the Host allows")?;
            let (world, entry) = spoilt_object(&bench, hasty(), Turn::Hang).await?;
            world.object(&entry).await
        }
        ErrorCode::Internal => {
            let (world, entry) = spoilt_object(&bench, HostLimits::default(), Turn::Panic).await?;
            world.object(&entry).await
        }
        code => return forgotten(Interaction::Fetch, code),
    };
    expect_code(&answer, code, what)
}

async fn tree(bench: Bench, interaction: Interaction, code: ErrorCode) -> Verdict {
    let ask = async |world: &World, entry: &EntryPath| match interaction {
        Interaction::Observe => world.observe(entry, 2).await,
        _ => world.tree(entry, 2, 10, None).await,
    };
    let answer = match code {
        ErrorCode::InvalidRequest => {
            let world = bench.world().await?;
            world.meddling.children(&LocalPath::root(), Turn::Gone);
            world.tree(&world.mount, 1, 10, Some("suite gone")).await
        }
        ErrorCode::NotFound => {
            let world = bench.world().await?;
            ask(&world, &world.absent()?).await
        }
        ErrorCode::ResourceLimitExceeded => {
            let (world, entry) = spoilt_object(&bench, hasty(), Turn::Hang).await?;
            ask(&world, &entry).await
        }
        ErrorCode::Internal => {
            let (world, entry) = spoilt_object(&bench, HostLimits::default(), Turn::Panic).await?;
            ask(&world, &entry).await
        }
        code => return forgotten(interaction, code),
    };
    expect_code(&answer, code, format!("a `{interaction}`"))
}

async fn interface(bench: Bench, code: ErrorCode) -> Verdict {
    let limits = if code == ErrorCode::ResourceLimitExceeded { hasty() } else { HostLimits::default() };
    let world = bench.world_with(limits).await?;
    let known = world.any_sample()?.reference(&world.mount);
    let known = known.map_err(|came| Stop::Failed { expected: "a reference".to_owned(), came })?;
    let reference = match code {
        ErrorCode::InterfaceNotFound => {
            let absent = InterfaceReference::parse(world.mount.as_str(), "suite.absent");
            absent.or_else(|fault| failed("a reference", fault))?
        }
        ErrorCode::ResourceLimitExceeded => {
            world.meddling.interface(Turn::Hang);
            known
        }
        ErrorCode::Internal => {
            world.meddling.interface(Turn::Panic);
            known
        }
        code => return forgotten(Interaction::FetchInterface, code),
    };
    expect_code(&world.interface(&reference).await, code, "a `fetch_interface`")
}

async fn call(bench: Bench, code: ErrorCode) -> Verdict {
    let limits = if code == ErrorCode::ResourceLimitExceeded { hasty() } else { HostLimits::default() };
    let world = bench.world_with(limits).await?;
    if let Some(wrong) = Wrong::ALL.into_iter().find(|wrong| wrong.code() == code) {
        let mut samples = world.declared.writings.iter().chain(&world.declared.readings);
        let prepared = loop {
            let sample = need(samples.next(), lacking(wrong))?;
            let prepared = world.prepare(sample).await?;
            if wrong.applies(&world, &prepared) {
                break prepared;
            }
        };
        let mut call = prepared.call;
        wrong.spoil(&world, &mut call)?;
        return expect_code(&world.call(call).await, code, format!("a call with {wrong:?}"));
    }
    let (sample, turn) = match code {
        ErrorCode::ResourceLimitExceeded => (world.any_sample()?, CallTurn::Hang),
        ErrorCode::Internal => (world.any_sample()?, CallTurn::Panic),
        ErrorCode::OperationOutcomeUnknown => {
            (need(world.declared.writings.first(), "a `writing`")?, CallTurn::PanicBehind)
        }
        code => return forgotten(Interaction::CallOperation, code),
    };
    let call = world.calm().prepare(sample).await?.call;
    world.meddling.next_call(turn);
    let answer = world.call(call).await;
    // What is left of the call must not reach into the next world.
    world.host.drain(Duration::from_secs(5)).await;
    expect_code(&answer, code, format!("the call {sample}"))
}

fn lacking(wrong: Wrong) -> &'static str {
    match wrong {
        Wrong::TargetAbsent => "a `reading` or a `writing`, and an `absent` path",
        Wrong::TargetUnobserved => "a `writing` that its interface declares `guarded`",
        _ => "a `reading` or a `writing`",
    }
}
