//! The provider: one Object with three operations, which goes well wherever no script says otherwise.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::OwnedMutexGuard;
use worldspace_host::{
    Call, Context, Done, Fate, Identity, Interface, Interfaces, LocalPath, LocalReference, Page, Provider,
    ProviderError, Published, Refusal, StateToken,
};
use worldspace_model::{Effect, Fault as ModelFault, Field, OperationDeclaration, Segment, Type, Value};

use super::log::{EffectLog, Step};
use super::play::{Handed, Play, Turn, code_of};
use super::script::{Fault, Kind, Point, Script, Style};

/// More bytes than a server for [`super::Trial`] lets an answer have.
pub(super) const LARGE: usize = 96 * 1024;

/// A provider that logs every effect and fails as it is told.
///
/// It has one Object, `/thing`, with an interface `oracle`: `change(id)` is guarded, `add(id)` is a write that is not,
/// `look(id)` is a read. `id` is unique to each call and names its script and its records in the log. Cheap to clone.
#[derive(Clone)]
pub struct Oracle(Arc<Inner>);

struct Inner {
    interface: Interface,
    other_interface: Interface,
    published: Interfaces,
    misplaced: Interfaces,
    log: EffectLog,
    /// The critical section of every effect.
    lock: Arc<tokio::sync::Mutex<()>>,
    state: AtomicU64,
    turns: Mutex<HashMap<String, Turn>>,
}

/// Why an oracle cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OracleError {
    /// Its log cannot be had.
    #[error("the log of effects cannot be opened")]
    Log(#[from] io::Error),
    /// Its own declarations are faulty.
    #[error("the oracle's own interface is not valid: {0}")]
    Declaration(ModelFault),
}

/// A call on its way to the fence.
enum Prepared {
    /// It is answered without one.
    Done(Done),
    /// It crosses, with this state to compare, within the lock.
    Crossing(Box<Call>, Option<StateToken>, OwnedMutexGuard<()>),
}

impl From<ModelFault> for OracleError {
    fn from(fault: ModelFault) -> Self {
        Self::Declaration(fault)
    }
}

impl Oracle {
    /// The name of its Object below its root.
    pub const OBJECT: &str = "thing";
    /// The name of its interface, which belongs to its root.
    pub const INTERFACE: &str = "oracle";

    /// An oracle with its log in that file.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn new(log: impl Into<PathBuf>) -> Result<Self, OracleError> {
        let result =
            || Type::record([Field::required("id", Type::STRING), Field::required("at", Type::ENTRY)]);
        let operation = |kind: Kind| {
            let operation = OperationDeclaration::new(kind.operation());
            operation.takes([Field::required("id", Type::STRING)]).returns(result())
        };
        let interface = Interface::builder()
            .documented("Effects that are on record.")
            .operation(operation(Kind::Guarded), [Effect::Guarded])
            .write(operation(Kind::Unguarded))
            .read(operation(Kind::Read))
            .build()?;
        let elsewhere = LocalReference {
            scope: LocalPath::parse("/elsewhere")?,
            name: LocalReference::at_root(Self::INTERFACE)?.name,
        };
        Ok(Self(Arc::new(Inner {
            interface,
            other_interface: Interface::builder().documented("Another one.").build()?,
            published: Interfaces::new([LocalReference::at_root(Self::INTERFACE)?]),
            misplaced: Interfaces::new([elsewhere]),
            log: EffectLog::open(log)?,
            lock: Arc::default(),
            state: AtomicU64::new(0),
            turns: Mutex::default(),
        })))
    }

    /// Its log.
    pub fn log(&self) -> &EffectLog {
        &self.0.log
    }

    /// Its interface.
    pub fn interface(&self) -> &Interface {
        &self.0.interface
    }

    /// Has the call of that id go by a script, until the [`Play`] is dropped. Points in observations are no call's own:
    /// the first request that comes by one has what the script says, and no other.
    pub fn play(&self, id: impl Into<String>, script: Script) -> Play {
        let (id, turn) = (id.into(), Turn::new(script));
        self.turns().insert(id.clone(), turn.clone());
        Play { oracle: self.clone(), id, turn }
    }

    pub(super) fn forget(&self, id: &str) {
        self.turns().remove(id);
    }

    fn turns(&self) -> MutexGuard<'_, HashMap<String, Turn>> {
        self.0.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> StateToken {
        StateToken::new(self.0.state.load(Ordering::SeqCst).to_le_bytes())
    }

    /// Does or undoes a part of the effect.
    async fn step(&self, id: &str, step: Step) -> Result<(), Fate> {
        self.0.state.fetch_add(1, Ordering::SeqCst);
        let (log, id) = (self.0.log.clone(), id.to_owned());
        let written = tokio::task::spawn_blocking(move || log.append(&id, step)).await;
        written.map_err(Fate::unknown)?.map_err(Fate::unknown)
    }

    fn thing(&self) -> Published {
        let thing = Published::new().identified(Identity::new("thing")).in_state(self.state());
        thing.publishing(&self.0.published).leaf()
    }

    /// Comes to a point in an observation.
    async fn observe(&self, point: Point, context: &Context) -> Result<Fault, ProviderError> {
        let turn = {
            let turns = self.turns();
            turns.values().find(|turn| turn.script.point == point && turn.take()).cloned()
        };
        let Some(turn) = turn else { return Ok(Fault::Nothing) };
        let _working = turn.work();
        match turn.strike(context).await {
            Fault::Refuses(reason) => Err(reason.observed()),
            fault => Ok(fault),
        }
    }

    fn as_told(&self, object: Published, fault: Fault) -> Published {
        match fault {
            Fault::WrongType => Published::new().in_state(self.state()),
            Fault::TooLarge => object.described("x".repeat(LARGE)),
            Fault::InvalidEntry => object.publishing(&self.0.misplaced),
            Fault::WrongState => object.in_state(never()),
            Fault::NoState => Published::new().publishing(&self.0.published),
            _ => object,
        }
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

/// A state that never was.
fn never() -> StateToken {
    StateToken::new(*b"never")
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
    let id = if fault == Fault::TooLarge { "x".repeat(LARGE) } else { id.to_owned() };
    let at = match fault {
        Fault::InvalidEntry => Value::string("//"),
        _ => Value::Entry(context.mount().clone()),
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

impl Provider for Oracle {
    async fn object(&self, context: &Context, path: &LocalPath) -> Result<Published, ProviderError> {
        if path.is_root() {
            let fault = self.observe(Point::Scope, context).await?;
            return Ok(self.as_told(Published::new().identified(Identity::new("root")), fault));
        }
        if path.as_str().strip_prefix('/') != Some(Self::OBJECT) {
            return Err(ProviderError::NotFound);
        }
        let fault = self.observe(Point::Object, context).await?;
        Ok(self.as_told(self.thing(), fault))
    }

    async fn children(
        &self,
        context: &Context,
        path: &LocalPath,
        after: Option<&Segment>,
        most: usize,
    ) -> Result<Page, ProviderError> {
        if !path.is_root() {
            return Ok(Page::empty());
        }
        let name = Segment::parse(Self::OBJECT)?;
        match self.observe(Point::Children, context).await? {
            Fault::InvalidEntry => {
                Ok(Page::in_own_order(vec![(name.clone(), self.thing()), (name, self.thing())], false))
            }
            Fault::TooLarge => {
                let many = (0..most + 100).map(|at| Segment::parse(&format!("many-{at:08}")));
                let many = many.map(|name| Ok((name?, self.thing())));
                Ok(Page::by_name(many.collect::<Result<_, ModelFault>>()?, false))
            }
            _ => Page::of([&name], after, most, |_| Ok(self.thing())),
        }
    }

    async fn interface(
        &self,
        context: &Context,
        reference: &LocalReference,
    ) -> Result<Interface, ProviderError> {
        let fault = self.observe(Point::Interface, context).await?;
        if !self.0.published.contains(reference) {
            return Err(ProviderError::NotFound);
        }
        let other = fault == Fault::WrongType;
        Ok(if other { self.0.other_interface.clone() } else { self.0.interface.clone() })
    }

    async fn call(&self, context: &Context, call: Call) -> Result<Done, Refusal> {
        let id = call.text("id").unwrap_or_default().to_owned();
        if id.contains(char::is_control) {
            return Err(Refusal::argument("id", "is one line of text"));
        }
        let kind = Kind::ALL.into_iter().find(|kind| kind.operation() == call.operation());
        let kind = kind.ok_or(Refusal::NotFound)?;
        let turn = self.turns().get(&id).cloned();
        let turn = turn.unwrap_or_else(|| Turn::new(Script::new(Point::Called, Fault::Nothing)));
        let (oracle, working) = (self.clone(), turn.work());
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
}

impl fmt::Debug for Oracle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Oracle").field("log", &self.0.log).finish_non_exhaustive()
    }
}
