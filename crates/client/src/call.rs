//! Calls on observations, and their outcomes told by what happened (SPEC 2.3).
//!
//! A call carries the state that its user was shown, unless it only reads. It is sent once: a Client repeats only what
//! the Host declares `read`, once, after a lost connection. What is not known to have failed is told as unknown.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use worldspace_model::{
    Arguments, CallAnswer, CallKey, Effect, EntryPath, ErrorCode, Fault, InterfaceTarget, Message, Name,
    Object, OutgoingCall, ProtocolError, Record, RequestContext, Target, TransportError, Unanswered, Value,
};

use crate::client::Client;
use crate::error::{ClientError, ErrorKind, Usage, transport_kind};
use crate::handle::{InterfaceObservation, Observation};
use crate::identity::MemberChange;
use crate::local::GRACE;
use crate::tag::{StateTag, write_digits};

/// How a call is made.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct CallOptions {
    /// When the caller stops waiting; none means the Client's own patience.
    pub deadline: Option<Instant>,
    /// Whether the call is refused when the Object is no longer in the state that was shown.
    pub bind: Bind,
    /// The state that is expected, if it was noted elsewhere: nothing is sent where another was shown, and the call is
    /// bound to it.
    pub expect: Option<StateTag>,
}

/// Whether a call is bound to the state that was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bind {
    /// It is, unless the Host declares the operation `read`: what changes all the time could else not be read.
    #[default]
    Usual,
    /// It is, whatever the operation.
    Always,
    /// It is not.
    Never,
}

impl CallOptions {
    /// Waits until then.
    #[must_use]
    pub fn until(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Runs only in the state that was shown, even if it is a `read`.
    #[must_use]
    pub fn bound(mut self) -> Self {
        self.bind = Bind::Always;
        self
    }

    /// Runs whatever state the Object is in by now.
    #[must_use]
    pub fn unbound(mut self) -> Self {
        self.bind = Bind::Never;
        self
    }

    /// Expects this state, and runs only in it.
    #[must_use]
    pub fn expecting(mut self, tag: StateTag) -> Self {
        self.expect = Some(tag);
        self
    }
}

/// What a call gave.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CallOutcome {
    /// The result, of the declared type.
    pub result: Value,
    /// The entries that the result names, each once, in order. They are names: nothing was fetched.
    pub entries: Vec<EntryPath>,
    /// What to make the next call on, where the Object's state behind this call is known; else it is to be fetched.
    pub observation: Option<Observation>,
    /// The key that the call had.
    pub key: CallKey,
}

/// Why a call has no result, by what happened.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CallFailure {
    /// Nothing happened, for certain.
    #[error(transparent)]
    NothingHappened(NotRun),
    /// Nothing happened, because the Object is no longer in the state that was shown.
    #[error("{0}")]
    StateChanged(Box<StateChanged>),
    /// It may have happened.
    #[error("{0}")]
    OutcomeUnknown(Box<OutcomeUnknown>),
}

/// Why a call was not run.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum NotRun {
    /// The Host refused it.
    #[error(transparent)]
    Refused(ProtocolError),
    /// It never reached the Host.
    #[error("{0}")]
    NotSent(#[source] Arc<TransportError>),
    /// The arguments do not fit the declaration; nothing was sent.
    #[error("{operation}: {fault}")]
    Arguments {
        /// The operation.
        operation: Name,
        /// What does not fit, and where.
        fault: Fault,
    },
    /// The Object that was shown has no such interface or operation; nothing was sent.
    #[error(transparent)]
    Usage(Usage),
    /// Another state was shown than the one expected; nothing was sent.
    #[error("{}", Unexpected(*.expected, *.shown))]
    NotAsExpected {
        /// The expected state.
        expected: StateTag,
        /// The state shown; none where the Object publishes no state.
        shown: Option<StateTag>,
    },
    /// This side cannot make the call.
    #[error("{detail}")]
    Local {
        /// Why.
        detail: String,
    },
}

/// What changed between what was shown and the Object as it is now. The call was not run on the new state.
#[derive(Debug, Clone)]
pub struct StateChanged {
    /// What the Host said.
    pub message: Message,
    /// What the call was made on.
    pub shown: Observation,
    /// The Object as it was fetched since, or why it could not be.
    pub now: Result<Observation, ClientError>,
}

/// What is known of a call that may have happened.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OutcomeUnknown {
    /// Why nothing more is known.
    pub cause: UnknownCause,
    /// The Object that was called: fetch it to see what became of it.
    pub target: EntryPath,
    /// The operation.
    pub operation: Name,
    /// The key that the call had.
    pub key: CallKey,
    /// Whether the Host claims that the operation changes nothing, so that calling again does no harm.
    pub read: bool,
}

/// Why an outcome is unknown.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum UnknownCause {
    /// The Host says so.
    Host(Message),
    /// The request went out and no answer came.
    Unanswered(Arc<TransportError>),
    /// An answer came that breaks the protocol.
    InvalidAnswer {
        /// What is wrong with it.
        detail: String,
    },
}

impl CallFailure {
    /// What a program branches on.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NothingHappened(reason) => reason.kind(),
            Self::StateChanged(_) => ErrorKind::Protocol(ErrorCode::ValidatorMismatch),
            Self::OutcomeUnknown(_) => ErrorKind::Protocol(ErrorCode::OperationOutcomeUnknown),
        }
    }
}

impl NotRun {
    /// What a program branches on.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Refused(error) => ErrorKind::Protocol(error.code),
            Self::NotSent(error) => transport_kind(error),
            Self::Arguments { .. } => ErrorKind::Protocol(ErrorCode::InvalidArguments),
            Self::Usage(usage) => usage.kind(),
            Self::NotAsExpected { .. } => ErrorKind::Protocol(ErrorCode::ValidatorMismatch),
            Self::Local { .. } => ErrorKind::Local,
        }
    }
}

impl StateChanged {
    /// The members in which the Object now differs from what was shown. None at all, with an Object fetched, means
    /// that it is back in the state shown, or that it went through another one meanwhile.
    pub fn changes(&self) -> Vec<MemberChange> {
        let Ok(now) = &self.now else { return Vec::new() };
        MemberChange::between(self.shown.object(), now.object())
    }
}

impl From<NotRun> for CallFailure {
    fn from(reason: NotRun) -> Self {
        Self::NothingHappened(reason)
    }
}

impl From<Usage> for CallFailure {
    fn from(usage: Usage) -> Self {
        Self::NothingHappened(NotRun::Usage(usage))
    }
}

struct Unexpected(StateTag, Option<StateTag>);

impl fmt::Display for Unexpected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(expected, shown) = self;
        match shown {
            Some(shown) => {
                write!(f, "the Object is in state {shown}, not {expected}; look at it again before calling")
            }
            None => {
                write!(f, "the Object publishes no state, so {expected} cannot be checked; call without it")
            }
        }
    }
}

impl fmt::Display for StateChanged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} changed since it was shown; nothing was done", self.shown.entry())?;
        match &self.now {
            Ok(_) => {
                let changes = self.changes();
                for (at, change) in changes.iter().enumerate() {
                    write!(f, "{} {change}", if at == 0 { ":" } else { ";" })?;
                }
                Ok(())
            }
            Err(error) => write!(f, "; looking at it again failed: {error}"),
        }
    }
}

impl fmt::Display for OutcomeUnknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it is not known whether {:?} was done: ", self.operation)?;
        match &self.cause {
            UnknownCause::Host(message) => write!(f, "{message}")?,
            UnknownCause::Unanswered(error) => write!(f, "{error}")?,
            UnknownCause::InvalidAnswer { detail } => write!(f, "the answer is invalid: {detail}")?,
        }
        match self.read {
            true => f.write_str("; it only reads, so calling again does no harm"),
            false => write!(f, "; look at {} before calling again", self.target),
        }
    }
}

/// A call that is ready to be sent.
struct Prepared {
    call: OutgoingCall,
    key: CallKey,
}

/// A call that was sent.
struct Sent<'a> {
    target: &'a Observation,
    order: u64,
    deadline: Option<Instant>,
}

/// A call that may change something. If its caller gives up, nobody knows whether it did.
struct Underway<'a> {
    client: &'a Client,
    target: &'a Observation,
    settled: bool,
}

impl Underway<'_> {
    fn settle(&mut self) {
        if !std::mem::replace(&mut self.settled, true) {
            self.client.settle();
        }
    }
}

impl Drop for Underway<'_> {
    fn drop(&mut self) {
        if !self.settled {
            self.client.space().stale(self.target.entry());
            self.settle();
        }
    }
}

impl Client {
    /// Runs an operation of the Object that `target` shows; in the state that it shows, if [`Bind`] does not say
    /// otherwise.
    ///
    /// The arguments are checked first. Exactly one request is sent, or two where the answer to a `read` was lost.
    ///
    /// # Errors
    /// What happened, as [`CallFailure`] tells it.
    pub async fn call(
        &self,
        target: &Observation,
        interface: &InterfaceObservation,
        operation: &str,
        arguments: Record,
        options: CallOptions,
    ) -> Result<CallOutcome, CallFailure> {
        let Prepared { call, key } = prepare(target, interface, operation, arguments, &options)?;
        let context = self.call_context(options.deadline);
        let sent = Sent { target, order: self.space().next_order(), deadline: context.deadline };
        let mut underway = Underway { client: self, target, settled: call.read };
        let answer = self.dispatch(context, &call).await;
        underway.settle();
        match answer {
            Ok(answer) => {
                let entries = self.found_in(&call, &answer.result);
                let observation = self.continued(&sent, &call, &answer);
                Ok(CallOutcome { result: answer.result, entries, observation, key })
            }
            Err(error) => Err(self.failed(&sent, call, key, error).await),
        }
    }

    /// Sends the call, and a `read` once more if the connection was lost. The key stays: it is the same call.
    async fn dispatch(
        &self,
        context: RequestContext,
        call: &OutgoingCall,
    ) -> Result<CallAnswer, TransportError> {
        let answer = self.transport().call_operation(context.clone(), call.clone()).await;
        match answer {
            Err(lost @ TransportError::Unanswered(Unanswered::Lost { .. })) if call.read => {
                match self.transport().call_operation(context, call.clone()).await {
                    // It changes nothing, so what the Host says now is as good as what it said first.
                    answer @ (Ok(_) | Err(TransportError::Refused(_))) => answer,
                    // Whatever became of the repeat, it says nothing of the first.
                    Err(_) => Err(lost),
                }
            }
            answer => answer,
        }
    }

    /// The entries in a result, each once; those that are new become candidates.
    fn found_in(&self, call: &OutgoingCall, result: &Value) -> Vec<EntryPath> {
        if !call.operation.returns().holds_entry() {
            return Vec::new();
        }
        let mut seen = HashSet::new();
        let entries: Vec<EntryPath> =
            result.entries().into_iter().filter(|entry| seen.insert(*entry)).cloned().collect();
        self.space().found(&entries);
        entries
    }

    /// The Object behind a call that succeeded, where that is known.
    fn continued(&self, sent: &Sent<'_>, call: &OutgoingCall, answer: &CallAnswer) -> Option<Observation> {
        let (target, shown) = (sent.target, sent.target.object());
        match (&answer.validator, &call.target.validator) {
            (Some(now), _) if shown.validator.as_ref() == Some(now) => Some(target.clone()),
            // The call ran on the very state that was shown, and has changed no published member.
            (Some(now), Some(_)) => {
                let object = Arc::new(Object { validator: Some(now.clone()), ..(**shown).clone() });
                self.space().continued(sent.order, target.entry(), object)
            }
            (None, _) if call.read => Some(target.clone()),
            _ => {
                self.space().stale(target.entry());
                None
            }
        }
    }

    /// What a call without a result means, for the user and for what is known.
    async fn failed(
        &self,
        sent: &Sent<'_>,
        call: OutgoingCall,
        key: CallKey,
        error: TransportError,
    ) -> CallFailure {
        let error = match error {
            TransportError::Refused(error) if error.code != ErrorCode::OperationOutcomeUnknown => {
                return self.refused(sent, &call, error).await;
            }
            TransportError::NotSent(_) => return NotRun::NotSent(Arc::new(error)).into(),
            error => error,
        };
        let cause = match error {
            TransportError::Refused(error) => UnknownCause::Host(error.message),
            TransportError::InvalidAnswer { detail } => UnknownCause::InvalidAnswer { detail },
            error => UnknownCause::Unanswered(Arc::new(error)),
        };
        self.space().stale(sent.target.entry());
        let (operation, read) = (call.operation.name().clone(), call.read);
        let target = sent.target.entry().clone();
        CallFailure::OutcomeUnknown(Box::new(OutcomeUnknown { cause, target, operation, key, read }))
    }

    async fn refused(&self, sent: &Sent<'_>, call: &OutgoingCall, error: ProtocolError) -> CallFailure {
        let target = sent.target;
        match error.code {
            ErrorCode::ValidatorMismatch => {
                self.space().stale(target.entry());
                // An exchange that is under way may have begun before the change.
                self.settle();
                let now = self.look_again(sent).await;
                let (message, shown) = (error.message, target.clone());
                return CallFailure::StateChanged(Box::new(StateChanged { message, shown, now }));
            }
            // The Host has a state of it that the call did not.
            ErrorCode::ValidatorRequired => self.space().stale(target.entry()),
            ErrorCode::InterfaceMismatch => {
                self.space().interface_stale(&call.interface.reference);
                self.space().stale(target.entry());
            }
            ErrorCode::InterfaceValidatorMismatch
            | ErrorCode::InterfaceValidatorRequired
            | ErrorCode::OperationNotFound => self.space().interface_stale(&call.interface.reference),
            ErrorCode::NotFound => self.space().missing(sent.order, target.entry()),
            _ => {}
        }
        NotRun::Refused(error).into()
    }

    /// The Object as it is now, if that can be had before the caller of the call stops waiting.
    async fn look_again(&self, sent: &Sent<'_>) -> Result<Observation, ClientError> {
        let look = self.fetch(sent.target.entry());
        match sent.deadline.and_then(|deadline| deadline.checked_add(GRACE)) {
            None => look.await,
            Some(last) => match tokio::time::timeout_at(last.into(), look).await {
                Ok(now) => now,
                Err(_) => Err(TransportError::Unanswered(Unanswered::TimedOut).into()),
            },
        }
    }
}

/// Everything that can be found out before anything is sent.
fn prepare(
    target: &Observation,
    interface: &InterfaceObservation,
    operation: &str,
    arguments: Record,
    options: &CallOptions,
) -> Result<Prepared, NotRun> {
    let object = target.object();
    if !object.interfaces.contains(interface.reference()) {
        return Err(NotRun::Usage(Usage::not_published(target, interface.reference())));
    }
    if let Some(expected) = options.expect {
        let shown = target.tag();
        if shown != Some(expected) {
            return Err(NotRun::NotAsExpected { expected, shown });
        }
    }
    let operation = interface.descriptor().require_operation(operation);
    let operation = operation.map_err(|unknown| NotRun::Usage(Usage::unknown(target.entry(), unknown)))?;
    let arguments = Arguments::check(&operation, arguments)
        .map_err(|fault| NotRun::Arguments { operation: operation.name().clone(), fault })?;
    let answer = interface.answer();
    let key = new_key()?;
    let read = interface.effects_of(operation.name()).has(Effect::Read);
    let bound = match options.bind {
        Bind::Usual => !read || options.expect.is_some(),
        Bind::Always => true,
        Bind::Never => options.expect.is_some(),
    };
    let call = OutgoingCall {
        target: Target {
            path: target.entry().clone(),
            validator: object.validator.clone().filter(|_| bound),
        },
        interface: InterfaceTarget {
            reference: answer.interface.clone(),
            scope_ref: answer.scope_ref.clone(),
            validator: answer.validator.clone(),
        },
        read,
        operation,
        arguments,
        key: Some(key.clone()),
    };
    Ok(Prepared { call, key })
}

/// A key that nobody has used or can guess: 130 bits, of which 128 are random.
fn new_key() -> Result<CallKey, NotRun> {
    let local = |detail: String| NotRun::Local { detail };
    let mut random = [0; 16];
    getrandom::fill(&mut random)
        .map_err(|error| local(format!("no random bytes for the key of the call: {error}")))?;
    let mut digits = [0; 26];
    write_digits(&random, &mut digits);
    let text = std::str::from_utf8(&digits).unwrap_or_default();
    CallKey::parse(text).map_err(|fault| local(fault.to_string()))
}
