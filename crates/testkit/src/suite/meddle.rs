//! The provider under test, and what the suite puts between it and the Host: it can ask for few children at a time,
//! hold calls, change things behind the Host's checks, panic, and answer nonsense in its place.

use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Barrier, Notify};
use worldspace_host::{
    Call, Context, Done, DynProvider, Interface, Interfaces, LocalPath, LocalReference, Page, Provider,
    ProviderError, Published, Refusal,
};
use worldspace_model::{BoxFuture, Segment, Value};

use super::heard::Heard;

/// The provider under test with the suite's hand before it. Clones are the same provider.
#[derive(Clone)]
pub(super) struct Meddled {
    inner: DynProvider,
    meddling: Meddling,
}

/// What the suite does to whatever is asked of the provider. Nothing at first.
#[derive(Clone, Default)]
pub(super) struct Meddling(Arc<Mutex<Turns>>);

#[derive(Clone, Default)]
struct Turns {
    object: Option<(LocalPath, Turn)>,
    children: Option<(LocalPath, Turn)>,
    /// What happens just before the children of a position are listed for the first time.
    before: Option<(LocalPath, Happening)>,
    interface: Option<Turn>,
    call: CallTurn,
    page: Option<usize>,
    /// What the provider says of its tree.
    heard: Heard,
    /// Whose children were asked for, and how many at most.
    lists: Vec<(LocalPath, usize)>,
}

/// Something that happens in the midst of a request.
type Happening = Arc<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

/// What becomes of an observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    Panic,
    Hang,
    /// As if the child to go on behind were gone.
    Gone,
    /// As if nothing were there.
    Missing,
    /// What no Object can be made of.
    Nonsense,
}

/// What becomes of the next call; those behind it pass.
#[derive(Clone, Default)]
pub(super) enum CallTurn {
    #[default]
    Pass,
    Panic,
    Hang,
    Deny,
    /// A result of another type than is declared.
    Nonsense,
    /// The provider runs it, and then there is a panic.
    PanicBehind,
    /// Something happens between the Host's checks and the provider.
    Between(Happening),
    /// All calls go on together once so many have come.
    Together(Arc<Barrier>),
    /// The provider gets it once nobody waits for it any more.
    Abandoned(Arc<Abandoned>),
}

/// How far an abandoned call came.
#[derive(Default)]
pub(super) struct Abandoned {
    pub(super) reached: Notify,
    pub(super) ended: Notify,
}

impl Meddling {
    fn turns(&self) -> MutexGuard<'_, Turns> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn object(&self, path: &LocalPath, turn: Turn) {
        self.turns().object = Some((path.clone(), turn));
    }

    pub(super) fn children(&self, path: &LocalPath, turn: Turn) {
        self.turns().children = Some((path.clone(), turn));
    }

    /// Has something happen just before the children of a position are listed for the first time.
    pub(super) fn before_children(&self, path: &LocalPath, happening: Happening) {
        self.turns().before = Some((path.clone(), happening));
    }

    /// What the provider has said of its tree since [`Meddling::stop`].
    pub(super) fn heard(&self) -> Heard {
        self.turns().heard.clone()
    }

    /// Whose children were asked for since it was asked before, and how many of them at most.
    pub(super) fn take_lists(&self) -> Vec<(LocalPath, usize)> {
        std::mem::take(&mut self.turns().lists)
    }

    fn take_before(&self, path: &LocalPath) -> Option<Happening> {
        let mut turns = self.turns();
        let meant = turns.before.as_ref().is_some_and(|(at, _)| at == path);
        if meant { turns.before.take().map(|(_, happening)| happening) } else { None }
    }

    pub(super) fn interface(&self, turn: Turn) {
        self.turns().interface = Some(turn);
    }

    pub(super) fn next_call(&self, turn: CallTurn) {
        self.turns().call = turn;
    }

    /// Asks for at most so many children at a time.
    pub(super) fn page(&self, most: usize) {
        self.turns().page = Some(most);
    }

    /// Lets everything pass again.
    pub(super) fn stop(&self) {
        *self.turns() = Turns::default();
    }

    fn take_call(&self) -> CallTurn {
        let mut turns = self.turns();
        match &turns.call {
            together @ CallTurn::Together(_) => together.clone(),
            _ => std::mem::take(&mut turns.call),
        }
    }
}

impl Meddled {
    pub(super) fn new(inner: DynProvider, meddling: Meddling) -> Self {
        Self { inner, meddling }
    }
}

async fn turn(turn: Turn) -> Result<(), ProviderError> {
    match turn {
        Turn::Panic => panics(),
        Turn::Hang => std::future::pending().await,
        Turn::Gone => Err(ProviderError::Gone),
        Turn::Missing => Err(ProviderError::NotFound),
        Turn::Nonsense => Ok(()),
    }
}

/// Panics as a provider would, but without a word on the screen.
fn panics() -> ! {
    resume_unwind(Box::new("the suite makes the provider panic"))
}

/// No list of interfaces holds one twice.
fn nonsense() -> Published {
    let twice = LocalReference::at_root("suite.twice").into_iter();
    Published::new().publishing(&Interfaces::new(twice.flat_map(|reference| [reference.clone(), reference])))
}

impl Provider for Meddled {
    async fn object(&self, context: &Context, path: &LocalPath) -> Result<Published, ProviderError> {
        let meant = self.meddling.turns().object.clone().filter(|(at, _)| at == path);
        if let Some((_, meant)) = meant {
            turn(meant).await?;
            return Ok(nonsense());
        }
        let object = self.inner.object(context, path).await?;
        if path.is_root() {
            self.meddling.turns().heard.root(object.is_leaf());
        }
        Ok(object)
    }

    async fn children(
        &self,
        context: &Context,
        path: &LocalPath,
        after: Option<&Segment>,
        most: usize,
    ) -> Result<Page, ProviderError> {
        let (meant, page) = {
            let mut turns = self.meddling.turns();
            turns.lists.push((path.clone(), most));
            (turns.children.clone().filter(|(at, _)| at == path), turns.page)
        };
        if let Some((_, meant)) = meant {
            turn(meant).await?;
            let name = Segment::parse("suite")?;
            return Ok(Page::in_own_order(vec![(name, nonsense())], false));
        }
        if let Some(happens) = self.meddling.take_before(path) {
            happens().await;
        }
        let most = page.map_or(most, |page| page.min(most));
        let page = self.inner.children(context, path, after, most).await?;
        self.meddling.turns().heard.page(path, after, &page);
        Ok(page)
    }

    async fn interface(
        &self,
        context: &Context,
        reference: &LocalReference,
    ) -> Result<Interface, ProviderError> {
        let meant = self.meddling.turns().interface;
        if let Some(meant) = meant {
            turn(meant).await?;
        }
        self.inner.interface(context, reference).await
    }

    async fn call(&self, context: &Context, call: Call) -> Result<Done, Refusal> {
        match self.meddling.take_call() {
            CallTurn::Pass => {}
            CallTurn::Panic => panics(),
            CallTurn::Hang => std::future::pending().await,
            CallTurn::Deny => return Err(Refusal::PermissionDenied("the suite denies it".to_owned())),
            CallTurn::Nonsense => {
                let returns = call.declaration().returns();
                // No type takes both.
                let fits = returns.check(&Value::Unit).is_ok();
                return Ok(call.done(if fits { Value::bytes(*b"suite") } else { Value::Unit }));
            }
            CallTurn::PanicBehind => {
                let done = self.inner.call(context, call).await;
                return if done.is_ok() { panics() } else { done };
            }
            CallTurn::Between(deed) => deed().await,
            CallTurn::Together(barrier) => {
                barrier.wait().await;
            }
            CallTurn::Abandoned(abandoned) => {
                let (inner, context) = (self.inner.clone(), context.clone());
                // Not the call's own task, which ends with its caller.
                let running = tokio::spawn(async move {
                    abandoned.reached.notify_one();
                    context.cancelled().await;
                    let done = inner.call(&context, call).await;
                    abandoned.ended.notify_one();
                    done
                });
                return running.await.unwrap_or_else(|error| Err(Refusal::failed(error)));
            }
        }
        self.inner.call(context, call).await
    }
}
