//! Callers who go away and callers with little time: whole effects or none, and a Host that goes on (SPEC 2.3).

use std::sync::Arc;
use std::time::{Duration, Instant};

use worldspace_model::{
    ErrorCode, FetchInterfaceRequest, FetchRequest, FetchTreeRequest, ObserveRequest, RequestContext,
    TransportError, Unanswered,
};

use crate::suite::bench::Bench;
use crate::suite::check::{Check, Stop, Verdict, expect, expect_same, expect_success, failed, told};
use crate::suite::world::{PATIENCE, World, anyone};

/// After how many turns of the runtime a caller leaves.
const TURNS: [usize; 14] = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 377, 987];

/// How much time callers have who have little.
const TIMES: [Duration; 6] = [
    Duration::ZERO,
    Duration::from_micros(1),
    Duration::from_micros(50),
    Duration::from_micros(500),
    Duration::from_millis(2),
    Duration::from_millis(10),
];

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new(
            "a caller who leaves during a write leaves its whole effect or none",
            "SPEC 2.3",
            writers_leave,
        ),
        Check::new("callers who leave while they look leave the Host serving", "SPEC 2", lookers_leave),
        Check::new(
            "an observation with little time answers, or says that time ran out",
            "SPEC 2",
            hasty_lookers,
        ),
        Check::new(
            "a call with little time has its whole effect or none, and tells the truth",
            "SPEC 2.3",
            hasty_writers,
        ),
    ]
}

/// Runs something for so many turns, then drops it. What came, if it came before.
async fn dropped_after<T>(turns: usize, running: impl Future<Output = T>) -> Option<T> {
    let leave = async {
        for _ in 0..turns {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        answer = running => Some(answer),
        () = leave => None,
    }
}

/// Waits for the calls that still run, then for what can be counted to be so many.
async fn settled(world: &World) -> Verdict<usize> {
    if !world.host.drain(PATIENCE).await {
        return failed("every call to end", "some still run");
    }
    world.count().await
}

async fn writers_leave(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let write = &world.adding()?.write;
    let before = world.count().await?;
    let mut certain = 0;
    for turns in TURNS {
        let call = world.prepare(write).await?.call;
        match dropped_after(turns, world.call(call)).await {
            Some(Ok(_)) => certain += 1,
            // One that was dropped before may have come in between.
            Some(Err(TransportError::Refused(error))) if error.code == ErrorCode::ValidatorMismatch => {}
            Some(refused) => {
                return failed(format!("success of {write}, or validator_mismatch"), told(&refused));
            }
            None => {}
        }
    }
    // A request that was on its way when its caller left may still arrive, until another one has been answered.
    let after = settled(&world).await?;
    let most = before + TURNS.len();
    let expected =
        format!("from {} to {most} effects: {certain} succeeded, others may have", before + certain);
    expect((before + certain..=most).contains(&after), expected, after)?;
    for _ in 0..50 {
        // Whoever comes later finds the world in order.
        let now = settled(&world).await?;
        let answer = world.call(world.prepare(write).await?.call).await;
        match answer {
            Ok(_) => {
                let count = settled(&world).await?;
                return expect(
                    (now + 1..=most + 1).contains(&count),
                    format!("one effect more than {now}"),
                    count,
                );
            }
            Err(TransportError::Refused(error)) if error.code == ErrorCode::ValidatorMismatch => {}
            refused => return expect_success(refused, format!("{write} after others left")).map(|_| ()),
        }
    }
    failed("one success after others left", "none")
}

async fn lookers_leave(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let before = world.snapshot().await?;
    for turns in TURNS {
        let _ = dropped_after(turns, world.object(&world.mount)).await;
        let _ = dropped_after(turns, world.tree(&world.mount, 9, 1000, None)).await;
        let _ = dropped_after(turns, world.observe(&world.mount, 2)).await;
        for sample in &world.declared.readings {
            let call = world.prepare(sample).await?.call;
            let _ = dropped_after(turns, world.call(call)).await;
        }
    }
    world.unchanged_since(&before, "callers looked, and left").await
}

fn within(time: Duration) -> RequestContext {
    RequestContext { deadline: Some(Instant::now() + time), ..anyone() }
}

/// Fails unless it is a success, or says that the time was not enough.
fn in_time_or_told<T: std::fmt::Debug>(answer: &Result<T, TransportError>, what: &str) -> Verdict {
    let fine = match answer {
        Ok(_) | Err(TransportError::NotSent(_) | TransportError::Unanswered(Unanswered::TimedOut)) => true,
        Err(TransportError::Refused(error)) => error.code == ErrorCode::ResourceLimitExceeded,
        Err(_) => false,
    };
    expect(fine, format!("{what} with little time: success, or resource_limit_exceeded"), told(answer))
}

async fn hasty_lookers(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let mount = &world.mount;
    let transport = &world.transport;
    for time in TIMES {
        for path in &bench.declared.objects {
            let request = FetchRequest { entries: vec![Ok(world.entry(path))] };
            let answer = transport.fetch(within(time), request).await;
            let answer =
                answer.and_then(|mut answer| answer.results.remove(0).map_err(TransportError::Refused));
            in_time_or_told(&answer, "a fetch")?;
        }
        let request = FetchTreeRequest::new(mount.clone(), 9, 1000, None);
        let request = request.or_else(|fault| failed("a request", fault))?;
        in_time_or_told(&transport.fetch_tree(within(time), request).await, "a tree")?;
        let request = ObserveRequest { path: mount.clone(), depth: 2 };
        in_time_or_told(&transport.observe(within(time), request).await, "an observation")?;
        for sample in &world.declared.readings {
            let prepared = world.prepare(sample).await?;
            let reference = prepared.call.interface.reference.clone();
            let request = FetchInterfaceRequest { interface: reference, effects: true };
            in_time_or_told(&transport.fetch_interface(within(time), request).await, "an interface")?;
            in_time_or_told(&transport.call_operation(within(time), prepared.call).await, "a reading")?;
        }
    }
    Ok(())
}

async fn hasty_writers(bench: Bench) -> Verdict {
    let world = Arc::new(bench.world().await?);
    let write = &world.adding()?.write;
    for time in TIMES {
        let before = settled(&world).await?;
        let call = world.prepare(write).await?.call;
        let answer = world.transport.call_operation(within(time), call).await;
        let what = format!("effects of {write} with {time:?}, which said: {}", told(&answer));
        let possible = match &answer {
            Ok(_) => [before + 1, before + 1],
            Err(TransportError::NotSent(_)) => [before, before],
            Err(TransportError::Refused(error)) if error.code == ErrorCode::ResourceLimitExceeded => {
                [before, before]
            }
            Err(TransportError::Refused(error)) if error.code == ErrorCode::OperationOutcomeUnknown => {
                [before, before + 1]
            }
            Err(TransportError::Unanswered(_)) => [before, before + 1],
            _ => {
                return failed(
                    "success, resource_limit_exceeded, or that the outcome is unknown",
                    told(&answer),
                );
            }
        };
        let after = settled(&world).await?;
        expect(possible.contains(&after), format!("{what}: one of {possible:?}"), after)?;
        if matches!(answer, Err(TransportError::Unanswered(_))) {
            // It may still be on its way.
            let mut last = after;
            for _ in 0..20 {
                tokio::task::yield_now().await;
                last = settled(&world).await?;
            }
            expect(possible.contains(&last), format!("{what}: one of {possible:?}"), last)?;
        }
    }
    let before = settled(&world).await?;
    match world.run(write).await {
        Ok(_) => expect_same(&(before + 1), &settled(&world).await?, "effects of a write that has its time"),
        Err(Stop::Failed { came, .. }) => failed(format!("{write} with time enough: success"), came),
        Err(stop) => Err(stop),
    }
}
