//! A script being played: what its call has come to, and the strings by which a tester holds it.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;
use worldspace_host::{Context, Done, ProviderError, Refusal};
use worldspace_model::ErrorCode;

use super::provider::Oracle;
use super::script::{Fault, Point, Reason, Script};

/// How far a call has come. The oracle writes it down itself, so that a case that never got to its point cannot pass
/// for one that did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Whether it came to its point.
    pub reached: bool,
    /// How often the provider began to work on it, in observations and in the call.
    pub started: u32,
    /// How often that work has ended, in whatever way, being dropped included.
    pub ended: u32,
    /// Whether it crossed the fence.
    pub crossed: bool,
    /// Whether it was told behind the fence that nobody waits: work would stop halfway.
    pub called_off: bool,
    /// Whether it had its effect dropped without having asked for it.
    pub cut_off: bool,
    /// The ending that it gave to the Host.
    pub handed: Option<Handed>,
}

/// An ending that a provider gives to the Host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handed {
    /// A result as declared.
    Result,
    /// A result as declared that is larger than an answer over HTTP may be.
    LargeResult,
    /// A result that is not as declared.
    BadResult,
    /// An error.
    Refused(ErrorCode),
    /// A rollback, and an error.
    RolledBack(ErrorCode),
    /// That nobody knows.
    Unknown,
}

/// A scripted call, from the side of its tester. Dropping it lets the call go on.
#[derive(Debug)]
pub struct Play {
    pub(super) oracle: Oracle,
    pub(super) id: String,
    pub(super) turn: Turn,
}

/// A scripted call, from the side of the oracle.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub(super) script: Script,
    progress: Arc<watch::Sender<Progress>>,
    /// What it is about to hand over.
    ending: Arc<Mutex<Option<Handed>>>,
    released: Arc<watch::Sender<bool>>,
    dropping: Arc<watch::Sender<bool>>,
}

/// Notes the end of a piece of work, however it comes.
pub(super) struct Working(Turn);

/// Notes that an effect was dropped before its end.
pub(super) struct Effecting(Option<Turn>);

impl Play {
    /// The id of the call: its only argument.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// How far it has come.
    pub fn progress(&self) -> Progress {
        self.turn.progress.borrow().clone()
    }

    /// Waits until it is at its point.
    pub async fn reached(&self) {
        self.turn.until(|progress| progress.reached).await;
    }

    /// Lets it go on, if it is held or hangs until it is released; or as soon as it does.
    pub fn release(&self) {
        self.turn.released.send_replace(true);
    }

    /// Waits until the provider works on it no more, on whichever thread.
    pub async fn ended(&self) {
        self.turn.until(|progress| progress.started == progress.ended).await;
    }
}

impl Drop for Play {
    fn drop(&mut self) {
        self.release();
        self.oracle.forget(&self.id);
    }
}

impl Turn {
    pub(super) fn new(script: Script) -> Self {
        let (progress, released, dropping) =
            (watch::Sender::default(), watch::Sender::new(false), watch::Sender::new(false));
        let ending = Arc::default();
        Self {
            script,
            progress: progress.into(),
            ending,
            released: released.into(),
            dropping: dropping.into(),
        }
    }

    async fn until(&self, has: impl FnMut(&Progress) -> bool) {
        // The sender lives in `self`, so the channel cannot close meanwhile.
        let _ = self.progress.subscribe().wait_for(has).await;
    }

    async fn until_released(&self) {
        let _ = self.released.subscribe().wait_for(|released| *released).await;
    }

    /// Waits until the effect is to be dropped.
    pub(super) async fn until_dropping(&self) {
        let _ = self.dropping.subscribe().wait_for(|dropping| *dropping).await;
    }

    pub(super) fn note(&self, note: impl FnOnce(&mut Progress)) {
        self.progress.send_modify(note);
    }

    /// Comes to a point in an observation; true for the first to do so.
    pub(super) fn take(&self) -> bool {
        self.progress.send_if_modified(|progress| !std::mem::replace(&mut progress.reached, true))
    }

    /// Notes what is about to be handed over, if nothing comes between.
    pub(super) fn intend(&self, ending: Handed) {
        *self.ending.lock().unwrap_or_else(PoisonError::into_inner) = Some(ending);
    }

    /// Notes what is being handed over.
    pub(super) fn hand(&self, answer: Result<Done, Refusal>) -> Result<Done, Refusal> {
        let handed = match &answer {
            Ok(_) => *self.ending.lock().unwrap_or_else(PoisonError::into_inner),
            Err(refusal) => Some(Handed::Refused(code_of(refusal))),
        };
        self.note(|progress| progress.handed = handed);
        answer
    }

    pub(super) fn work(&self) -> Working {
        self.note(|progress| progress.started += 1);
        Working(self.clone())
    }

    pub(super) fn begin_effect(&self) -> Effecting {
        self.note(|progress| progress.crossed = true);
        Effecting(Some(self.clone()))
    }

    /// Comes to a point; whoever scripted it is told, and what can happen anywhere happens here.
    pub(super) async fn arrive(&self, point: Point, context: &Context) -> Fault {
        if self.script.point != point {
            return Fault::Nothing;
        }
        self.note(|progress| progress.reached = true);
        self.strike(context).await
    }

    /// What the script has for the point where it is.
    pub(super) async fn strike(&self, context: &Context) -> Fault {
        let Script { fault, held, .. } = self.script;
        if held {
            self.until_released().await;
        }
        match fault {
            Fault::HangsUntilReleased => self.until_released().await,
            Fault::HangsUntilCancelled if self.progress.borrow().crossed => {
                tokio::select! {
                    biased;
                    () = context.cancelled() => self.note(|progress| progress.called_off = true),
                    () = self.until_released() => {}
                }
            }
            Fault::HangsUntilCancelled => context.cancelled().await,
            Fault::HangsForEver => std::future::pending().await,
            // As a panic, without what is printed of one: there are hundreds, and they are wanted.
            Fault::Panics => std::panic::resume_unwind(Box::new("the oracle was told to panic")),
            Fault::DropsEffect => {
                self.dropping.send_replace(true);
                std::future::pending().await
            }
            _ => {}
        }
        fault
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.0.note(|progress| progress.ended += 1);
    }
}

impl Effecting {
    /// It came to its end.
    pub(super) fn done(mut self) {
        self.0 = None;
    }
}

impl Drop for Effecting {
    fn drop(&mut self) {
        // Unwinding is what a panic does, and some scripts drop it on purpose.
        if let Some(turn) = self.0.take()
            && !std::thread::panicking()
            && !*turn.dropping.borrow()
        {
            turn.note(|progress| progress.cut_off = true);
        }
    }
}

impl Reason {
    pub(super) fn observed(self) -> ProviderError {
        match self {
            Self::NotFound => ProviderError::NotFound,
            Self::Gone => ProviderError::Gone,
            Self::Late => ProviderError::Late,
            Self::Limit => ProviderError::Limit("the oracle's limit; expect nothing".to_owned()),
            _ => ProviderError::failed("the oracle was told to fail"),
        }
    }

    pub(super) fn refused(self) -> Refusal {
        match self {
            Self::InvalidArguments => Refusal::argument("id", "is refused, as it was told to be"),
            Self::PermissionDenied => {
                Refusal::PermissionDenied("the oracle was told to permit nothing".to_owned())
            }
            Self::StateChanged => Refusal::StateChanged,
            Self::InterfaceChanged => Refusal::InterfaceChanged,
            // As a provider has them that calls another of its own observations.
            Self::NotFound | Self::Gone | Self::Late | Self::Limit | Self::Failed => self.observed().into(),
        }
    }
}

/// What the Host is expected to make of a refusal.
pub(super) fn code_of(refusal: &Refusal) -> ErrorCode {
    match refusal {
        Refusal::InvalidArguments(_) => ErrorCode::InvalidArguments,
        Refusal::PermissionDenied(_) => ErrorCode::PermissionDenied,
        Refusal::NotFound => ErrorCode::NotFound,
        Refusal::StateChanged => ErrorCode::ValidatorMismatch,
        Refusal::InterfaceChanged => ErrorCode::InterfaceValidatorMismatch,
        Refusal::Limit(_) => ErrorCode::ResourceLimitExceeded,
        _ => ErrorCode::Internal,
    }
}
