//! The provider: one Object with three operations, which goes well wherever no script says otherwise. What its calls do
//! is in `effect`.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use worldspace_host::{
    Call, Context, Done, Identity, Interface, Interfaces, LocalPath, LocalReference, Page, Provider,
    ProviderError, Published, Refusal, StateToken,
};
use worldspace_model::{Effect, Fault as ModelFault, Field, OperationDeclaration, Segment, Type};

use super::log::EffectLog;
use super::play::{Play, Turn};
use super::script::{Fault, Kind, Point, Script};

/// More bytes than a server for [`super::Trial`] lets an answer have.
pub(super) const LARGE: usize = 96 * 1024;

/// A provider that logs every effect and fails as it is told.
///
/// It has one Object, `/thing`, with an interface `oracle`: `change(id)` is guarded, `add(id)` is a write that is not,
/// `look(id)` is a read. `id` is unique to each call and names its script and its records in the log. Cheap to clone.
#[derive(Clone)]
pub struct Oracle(pub(super) Arc<Inner>);

pub(super) struct Inner {
    interface: Interface,
    other_interface: Interface,
    published: Interfaces,
    misplaced: Interfaces,
    pub(super) log: EffectLog,
    /// The critical section of every effect.
    pub(super) lock: Arc<tokio::sync::Mutex<()>>,
    pub(super) state: AtomicU64,
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

    pub(super) fn state(&self) -> StateToken {
        StateToken::new(self.0.state.load(Ordering::SeqCst).to_le_bytes())
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
}

/// A state that never was.
pub(super) fn never() -> StateToken {
    StateToken::new(*b"never")
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
        self.clone().run_call(turn, context, call, kind, id).await
    }
}

impl fmt::Debug for Oracle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Oracle").field("log", &self.0.log).finish_non_exhaustive()
    }
}
