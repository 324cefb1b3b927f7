//! Callers who go away and callers with little time: whole effects or none, and a Host that goes on (SPEC 2.3).

use std::time::{Duration, Instant};

use worldspace_model::{
    CallAnswer, ErrorCode, FetchInterfaceRequest, FetchRequest, FetchTreeRequest, ObserveRequest,
    RequestContext, TransportError, Unanswered,
};

use crate::suite::bench::Bench;
use crate::suite::check::{Check, Verdict, code_of, expect, failed, told};
use crate::suite::sample::Sample;
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

/// How many effects there must be by now, and how many there may be: a request whose caller left may be on its way.
#[derive(Debug, Clone, Copy)]
struct Account {
    least: usize,
    most: usize,
}

impl Account {
    async fn open(world: &World) -> Verdict<Self> {
        let count = settled(world).await?;
        Ok(Self { least: count, most: count })
    }

    /// What an answer says of the effect; none came where the caller left.
    fn book(&mut self, answer: Option<&Result<CallAnswer, TransportError>>) -> Verdict {
        let (certain, possible) = match answer {
            Some(Ok(_)) => (1, 1),
            Some(Err(TransportError::NotSent(_))) => (0, 0),
            None | Some(Err(TransportError::Unanswered(_))) => (0, 1),
            Some(refused) => match code_of(refused) {
                Some(ErrorCode::ResourceLimitExceeded) => (0, 0),
                Some(ErrorCode::OperationOutcomeUnknown) => (0, 1),
                // One that was on its way came in between.
                Some(ErrorCode::ValidatorMismatch) if self.most > self.least => (0, 0),
                _ => {
                    let expected = "success, resource_limit_exceeded, or that the outcome is unknown";
                    return failed(expected, told(refused));
                }
            },
        };
        self.least += certain;
        self.most += possible;
        Ok(())
    }

    /// Fails unless what is there fits. What is there stays, so it is certain from then on.
    async fn audit(&mut self, world: &World, what: impl std::fmt::Display) -> Verdict {
        let count = settled(world).await?;
        let Self { least, most } = *self;
        expect((least..=most).contains(&count), format!("{what}: from {least} to {most} effects"), count)?;
        self.least = count;
        Ok(())
    }

    /// Writes once more, as often as others come in between.
    async fn close(mut self, world: &World, write: &Sample) -> Verdict {
        for _ in 0..=TURNS.len() {
            let answer = world.call(world.calm().prepare(write).await?.call).await;
            self.book(Some(&answer))?;
            self.audit(world, format!("{write} after the others, which said: {}", told(&answer))).await?;
            if answer.is_ok() {
                return Ok(());
            }
        }
        failed(format!("one success of {write} after the others"), "none")
    }
}

async fn writers_leave(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let write = &world.adding()?.write;
    let mut account = Account::open(&world).await?;
    for turns in TURNS {
        let call = world.prepare(write).await?.call;
        let answer = dropped_after(turns, world.call(call)).await;
        account.book(answer.as_ref())?;
        account.audit(&world, format!("{write}, left after {turns} turns")).await?;
    }
    account.close(&world, write).await
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
    let world = bench.world().await?;
    let write = &world.adding()?.write;
    let mut account = Account::open(&world).await?;
    for time in TIMES {
        let call = world.prepare(write).await?.call;
        let answer = world.transport.call_operation(within(time), call).await;
        account.book(Some(&answer))?;
        account.audit(&world, format!("{write} with {time:?}, which said: {}", told(&answer))).await?;
    }
    account.close(&world, write).await
}
