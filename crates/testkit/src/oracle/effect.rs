//! What the oracle's calls do, from the provider's first step to its last: up to the fence, behind it, and with the
//! result in hand.

use std::sync::atomic::Ordering;

use tokio::runtime::Handle;
use tokio::sync::OwnedMutexGuard;
use worldspace_host::{Call, Context, Done, Fate, Refusal, StateToken};
use worldspace_model::{EntryPath, Value};

use super::log::Step;
use super::play::{Handed, Turn, code_of};
use super::provider::{LARGE, Oracle, never};
use super::script::{Fault, Kind, Point, Style};

/// A call on its way to the fence.
enum Prepared {
    /// It is answered without one.
    Done(Done),
    /// It crosses, with this state to compare, within the lock.
    Crossing(Box<Call>, Option<StateToken>, OwnedMutexGuard<()>),
}

impl Oracle {
    /// Runs a call by its script, where the script has it run.
    pub(super) async fn run_call(
        self,
        turn: Turn,
        context: &Context,
        call: Call,
        kind: Kind,
        id: String,
    ) -> Result<Done, Refusal> {
        let (oracle, working) = (self, turn.work());
        if turn.script.style == Style::Task {
            let answer = turn.hand(oracle.in_task(&turn, context, call, kind, id).await);
            drop(working);
            return answer;
        }
        let context = context.clone();
        let thread = tokio::task::spawn_blocking(move || {
            // If nobody takes them, the answer is dropped first, and the place of the call with it.
            (turn.hand(oracle.on_thread(&turn, &context, call, kind, id)), working)
        });
        match thread.await {
            Ok((answer, _working)) => answer,
            Err(ended) => match ended.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(ended) => Err(Refusal::failed(ended)),
            },
        }
    }

    /// Does or undoes a part of the effect.
    async fn step(&self, id: &str, step: Step) -> Result<(), Fate> {
        self.0.state.fetch_add(1, Ordering::SeqCst);
        let (log, id) = (self.0.log.clone(), id.to_owned());
        let written = tokio::task::spawn_blocking(move || log.append(&id, step)).await;
        written.map_err(Fate::unknown)?.map_err(Fate::unknown)
    }

    /// Up to the fence.
    async fn prepare(
        &self,
        turn: &Turn,
        context: &Context,
        call: Call,
        kind: Kind,
    ) -> Result<Prepared, Refusal> {
        for point in [Point::Called, Point::ReadingState, Point::WaitingForLock] {
            match turn.arrive(point, context).await {
                Fault::Refuses(reason) => return Err(reason.refused()),
                fault if is_of_result(fault) => return Ok(answered(turn, context, call, fault)),
                _ => {}
            }
        }
        let locked = self.0.lock.clone().lock_owned().await;
        let owed = (kind == Kind::Guarded).then(|| self.state());
        let state = match turn.arrive(Point::BeforeFence, context).await {
            Fault::Refuses(reason) => return Err(reason.refused()),
            fault if is_of_result(fault) => return Ok(answered(turn, context, call, fault)),
            Fault::WrongState => Some(never()),
            Fault::NoState => None,
            Fault::Crosses => Some(self.state()),
            _ if kind == Kind::Read => return Ok(answered(turn, context, call, Fault::Nothing)),
            _ => owed,
        };
        Ok(Prepared::Crossing(Box::new(call), state, locked))
    }

    /// Behind the fence.
    async fn effect(self, turn: Turn, context: Context, id: String) -> Fate {
        let effecting = turn.begin_effect();
        let fate = self.run(&turn, &context, &id).await.unwrap_or_else(|fate| fate);
        effecting.done();
        fate
    }

    async fn run(&self, turn: &Turn, context: &Context, id: &str) -> Result<Fate, Fate> {
        match turn.arrive(Point::BehindFence, context).await {
            Fault::Refuses(reason) => return Ok(rolled_back(turn, reason.refused())),
            Fault::GivesUp => return Ok(unknown(turn)),
            _ => {}
        }
        self.step(id, Step::First).await?;
        if turn.script.point == Point::RollingBack {
            let why = match turn.arrive(Point::RollingBack, context).await {
                Fault::Refuses(reason) => reason.refused(),
                Fault::GivesUp => return Ok(unknown(turn)),
                _ => Refusal::failed("the oracle was told to roll back"),
            };
            self.step(id, Step::UndidFirst).await?;
            return Ok(rolled_back(turn, why));
        }
        match turn.arrive(Point::MidEffect, context).await {
            Fault::Refuses(reason) => {
                self.step(id, Step::UndidFirst).await?;
                return Ok(rolled_back(turn, reason.refused()));
            }
            Fault::GivesUp => return Ok(unknown(turn)),
            _ => {}
        }
        self.step(id, Step::Second).await?;
        let fault = turn.arrive(Point::AfterEffect, context).await;
        match fault {
            Fault::Refuses(reason) => {
                self.step(id, Step::UndidSecond).await?;
                self.step(id, Step::UndidFirst).await?;
                return Ok(rolled_back(turn, reason.refused()));
            }
            Fault::GivesUp => return Ok(unknown(turn)),
            _ => {}
        }
        let state = if fault == Fault::WrongState { never() } else { self.state() };
        Ok(Fate::done(result(turn, context, id, fault), state))
    }

    /// Behind the result.
    async fn hand_over(turn: &Turn, context: &Context, done: Done) -> Result<Done, Refusal> {
        match turn.arrive(Point::HandingOver, context).await {
            Fault::Refuses(reason) => Err(reason.refused()),
            _ => Ok(done),
        }
    }

    async fn in_task(
        self,
        turn: &Turn,
        context: &Context,
        call: Call,
        kind: Kind,
        id: String,
    ) -> Result<Done, Refusal> {
        let done = match self.prepare(turn, context, call, kind).await? {
            Prepared::Done(done) => done,
            Prepared::Crossing(call, state, _locked) => {
                let effect = self.effect(turn.clone(), context.clone(), id);
                tokio::select! {
                    biased;
                    done = call.fence(state.as_ref(), effect) => done?,
                    () = turn.until_dropping() => return Err(Refusal::failed("the oracle dropped its effect")),
                }
            }
        };
        Self::hand_over(turn, context, done).await
    }

    fn on_thread(
        self,
        turn: &Turn,
        context: &Context,
        call: Call,
        kind: Kind,
        id: String,
    ) -> Result<Done, Refusal> {
        let runtime = Handle::current();
        let done = match runtime.block_on(self.prepare(turn, context, call, kind))? {
            Prepared::Done(done) => done,
            Prepared::Crossing(call, state, _locked) => {
                let effect = self.effect(turn.clone(), context.clone(), id);
                call.fence_blocking(state.as_ref(), || runtime.block_on(effect))?
            }
        };
        runtime.block_on(Self::hand_over(turn, context, done))
    }
}

fn is_of_result(fault: Fault) -> bool {
    matches!(fault, Fault::WrongType | Fault::TooLarge | Fault::InvalidEntry)
}

fn answered(turn: &Turn, context: &Context, mut call: Call, fault: Fault) -> Prepared {
    let arguments = call.take_arguments();
    let id = arguments.get("id").and_then(Value::as_str).unwrap_or_default();
    Prepared::Done(call.done(result(turn, context, id, fault)))
}

fn result(turn: &Turn, context: &Context, id: &str, fault: Fault) -> Value {
    turn.intend(match fault {
        Fault::WrongType | Fault::InvalidEntry => Handed::BadResult,
        Fault::TooLarge => Handed::LargeResult,
        _ => Handed::Result,
    });
    result_of(context.mount(), id, fault)
}

/// The result of the call of that id, of an oracle that is mounted there.
pub(super) fn result_of(mount: &EntryPath, id: &str, fault: Fault) -> Value {
    let id = if fault == Fault::TooLarge { "x".repeat(LARGE) } else { id.to_owned() };
    let at = match fault {
        Fault::InvalidEntry => Value::string("//"),
        _ => Value::Entry(mount.clone()),
    };
    let record = Value::record([("id", Some(Value::string(id))), ("at", Some(at))]);
    if fault == Fault::WrongType { Value::Unit } else { record.unwrap_or(Value::Unit) }
}

fn rolled_back(turn: &Turn, why: Refusal) -> Fate {
    turn.intend(Handed::RolledBack(code_of(&why)));
    Fate::RolledBack(why)
}

fn unknown(turn: &Turn) -> Fate {
    turn.intend(Handed::Unknown);
    Fate::unknown("the oracle was told not to know")
}
