//! One call, as its provider receives and answers it.

use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::OwnedSemaphorePermit;
use worldspace_model::typed::expand::{FromField, argument};
use worldspace_model::{
    Arguments, Effect, Effects, EntryPath, Fault, IntoResult, Operation, Quoted, Segment, Value, WipField,
};

use crate::cursor::Cursors;
use crate::failure::Refusal;
use crate::fence::{Fate, Fence};
use crate::guard::StateGuard;
use crate::interface::Interface;
use crate::local::{LocalPath, LocalReference};
use crate::mounts::MountPoint;
use crate::published::StateToken;

/// A call that passed every check but those that only its provider can make.
///
/// It is answered once: by [`Call::done`] without an effect, or across the fence. Both take the call, so that nothing
/// can be asked of it behind the fence.
pub struct Call {
    pub(crate) mount: Arc<MountPoint>,
    pub(crate) path: LocalPath,
    pub(crate) reference: LocalReference,
    pub(crate) interface: Interface,
    pub(crate) operation: Operation,
    pub(crate) arguments: Arguments,
    pub(crate) effects: Effects,
    pub(crate) deadline: Option<Instant>,
    pub(crate) fence: Fence,
    pub(crate) guard: StateGuard,
    pub(crate) cursors: Cursors,
    /// Held for as long as the call runs, on whichever thread.
    pub(crate) place: OwnedSemaphorePermit,
}

/// The answer to a [`Call`], with a result of type `R`.
#[derive(Debug)]
#[must_use]
pub struct Done<R = Value> {
    pub(crate) ending: Ending,
    /// The place of the call: its provider may go on before it hands the answer over.
    _place: OwnedSemaphorePermit,
    result: PhantomData<fn() -> R>,
}

#[derive(Debug)]
pub(crate) enum Ending {
    NoEffect(Result<Value, Fault>),
    /// With whether the state before it was compared with what the caller observed.
    Effect(Fate, bool),
}

impl<R> Done<R> {
    fn new(ending: Ending, place: OwnedSemaphorePermit) -> Self {
        Self { ending, _place: place, result: PhantomData }
    }

    /// The same answer, the Rust type of its result forgotten.
    pub fn untyped(self) -> Done {
        Done::new(self.ending, self._place)
    }
}

impl Call {
    /// The Object that is called.
    pub fn path(&self) -> &LocalPath {
        &self.path
    }

    /// The interface that is called.
    pub fn interface(&self) -> &LocalReference {
        &self.reference
    }

    /// The name of the operation.
    pub fn operation(&self) -> &str {
        self.operation.name()
    }

    /// The declaration of the operation. `declaration().returns().check(&result)` tells an effect that can still be
    /// undone whether its result will be accepted.
    pub fn declaration(&self) -> &Operation {
        &self.operation
    }

    /// The argument of that name, of its declared type.
    pub fn argument(&self, name: &str) -> Option<&Value> {
        self.arguments.get(name)
    }

    /// All arguments.
    pub fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    /// All arguments, taken: an effect behind the fence outlives the call.
    pub fn take_arguments(&mut self) -> Arguments {
        std::mem::take(&mut self.arguments)
    }

    /// The argument of that name as a Rust type: an `Option` where it is not required.
    ///
    /// # Errors
    /// [`Refusal::InvalidArguments`] where it is beyond what the Rust type holds.
    pub fn typed<T: WipField>(&self, name: &str) -> Result<T, Refusal> {
        self.argument_by(name, T::from_field)
    }

    pub(crate) fn argument_by<T>(&self, name: &str, from: FromField<T>) -> Result<T, Refusal> {
        argument(self.arguments.record(), name, from)
            .map_err(|fault| Refusal::InvalidArguments(fault.at_member("arguments").to_string()))
    }

    /// The argument of that name, if it is a text or the case of an enum.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.argument(name)?.as_str()
    }

    /// The argument of that name, if it is an integer.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.argument(name)?.as_integer()
    }

    /// The argument of that name, if it is a truth value.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.argument(name)?.as_bool()
    }

    /// The argument of that name as a name for a child.
    ///
    /// # Errors
    /// [`Refusal::InvalidArguments`] for what cannot be a segment of a path.
    pub fn segment(&self, name: &str) -> Result<Option<Segment>, Refusal> {
        let parsed = self.text(name).map(Segment::parse).transpose();
        parsed.map_err(|fault| Refusal::argument(name, fault))
    }

    /// The argument of that name, if it is an entry of this provider.
    ///
    /// # Errors
    /// [`Refusal::InvalidArguments`] for an entry that is not this provider's.
    pub fn local(&self, name: &str) -> Result<Option<LocalPath>, Refusal> {
        self.argument(name).and_then(Value::as_entry).map(|entry| self.local_of(entry, name)).transpose()
    }

    /// An entry from within an argument as a position of this provider; `place` is where it stands, such as `items[3]`.
    ///
    /// # Errors
    /// [`Refusal::InvalidArguments`] for an entry that is not this provider's.
    pub fn local_of(&self, entry: &EntryPath, place: &str) -> Result<LocalPath, Refusal> {
        let elsewhere = || {
            let (entry, mount) = (Quoted(entry.as_str()), Quoted(self.mount.path().as_str()));
            Refusal::argument(place, format!("{entry} is not below {mount}, where this operation works"))
        };
        self.mount.local(entry).ok_or_else(elsewhere)
    }

    /// The argument of that name as a count of at least 1 and at most `most`; `usual` where it is absent.
    ///
    /// # Errors
    /// [`Refusal::InvalidArguments`] below 1. More than `most` is no error: the answer says what it left out.
    pub fn count(&self, name: &str, usual: usize, most: usize) -> Result<usize, Refusal> {
        match self.integer(name).map(u64::try_from).transpose() {
            Ok(given) => Self::counted(name, given, usual, most),
            Err(_) => Self::counted(name, Some(0_u64), usual, most),
        }
    }

    /// As [`Call::count`], of a count that is at hand.
    ///
    /// # Errors
    /// As [`Call::count`].
    pub fn counted(
        name: &str,
        given: Option<impl Into<u64>>,
        usual: usize,
        most: usize,
    ) -> Result<usize, Refusal> {
        match given.map(Into::into) {
            None => Ok(usual.min(most)),
            Some(0) => Err(Refusal::argument(name, "is at least 1")),
            Some(count) => Ok(usize::try_from(count).map_or(most, |count| count.min(most))),
        }
    }

    /// A cursor for the next call of this operation, by the same principal on the same Object.
    ///
    /// # Errors
    /// [`Refusal::Failed`] where the system gives no randomness.
    pub fn seal_cursor(&self, place: &[u8]) -> Result<String, Refusal> {
        self.cursors.seal(place)
    }

    /// What was sealed into the cursor that the argument of that name holds.
    ///
    /// # Errors
    /// [`Refusal::InvalidArguments`] for a cursor of anything else, or of another run of the Host.
    pub fn open_cursor(&self, name: &str) -> Result<Option<Vec<u8>>, Refusal> {
        self.text(name).map(|cursor| self.unseal(name, cursor)).transpose()
    }

    /// What was sealed into a cursor that is at hand; `name` is the argument in which it was given.
    ///
    /// # Errors
    /// As [`Call::open_cursor`].
    pub fn unseal(&self, name: &str, cursor: &str) -> Result<Vec<u8>, Refusal> {
        let foreign = || {
            Refusal::argument(
                name,
                "is not a cursor of this list, or of an earlier start of the Host; leave it out to begin again",
            )
        };
        self.cursors.open(cursor).ok_or_else(foreign)
    }

    /// Whether the caller bound the call to a state that he observed.
    pub fn is_bound(&self) -> bool {
        self.guard.sent.is_some()
    }

    /// Compares the state that something was read in with the one that the caller observed; where the caller bound the
    /// call to none, every state will do. The Host has compared once before it called; who can tell the state of the very
    /// thing that was read compares again, so that no content is taken for that of another state.
    ///
    /// # Errors
    /// [`Refusal::StateChanged`].
    pub fn compare(&self, current: &StateToken) -> Result<(), Refusal> {
        if self.guard.admits(current) { Ok(()) } else { Err(Refusal::StateChanged) }
    }

    /// Compares the interface that is called, as it is by now, with the one that the caller knows and that the arguments
    /// were checked against. For those whose interfaces are made from what can change under them, such as a schema:
    /// within the transaction of the effect they see whether it did.
    ///
    /// # Errors
    /// [`Refusal::InterfaceChanged`].
    pub fn compare_interface(&self, current: &Interface) -> Result<(), Refusal> {
        if self.interface.is_equal(current) { Ok(()) } else { Err(Refusal::InterfaceChanged) }
    }

    /// The result of an operation that had no effect.
    pub fn done<R: IntoResult>(self, result: R) -> Done<R> {
        Done::new(Ending::NoEffect(result.into_result()), self.place)
    }

    /// Crosses the fence and runs the effect to its end, whatever becomes of the caller.
    ///
    /// Call it inside the critical section of the effect, with the state that the target has there: it is compared
    /// with the one that the caller observed. Only an operation that is not declared `guarded`, such as one that makes
    /// something new beside others, may give none.
    ///
    /// # Errors
    /// Nothing happened: [`Refusal::StateChanged`]; [`Refusal::Limit`] where the deadline passed or the caller is gone;
    /// [`Refusal::Failed`] where the declared effects forbid it.
    pub async fn fence<R: IntoResult>(
        self,
        current: Option<&StateToken>,
        effect: impl Future<Output = Fate<R>>,
    ) -> Result<Done<R>, Refusal> {
        let compared = self.cross(current)?;
        Ok(Done::new(Ending::Effect(effect.await.into_value(), compared), self.place))
    }

    /// As [`Call::fence`], for effects on a thread that may block.
    ///
    /// # Errors
    /// As [`Call::fence`].
    pub fn fence_blocking<R: IntoResult>(
        self,
        current: Option<&StateToken>,
        effect: impl FnOnce() -> Fate<R>,
    ) -> Result<Done<R>, Refusal> {
        let compared = self.cross(current)?;
        Ok(Done::new(Ending::Effect(effect().into_value(), compared), self.place))
    }

    /// Whether the caller's observation was compared.
    fn cross(&self, current: Option<&StateToken>) -> Result<bool, Refusal> {
        let contradiction = match current {
            _ if self.effects.has(Effect::Read) => Some("is declared `read` and has an effect"),
            None if self.effects.has(Effect::Guarded) => {
                Some("is declared `guarded` and gives no state to compare")
            }
            _ => None,
        };
        if let Some(contradiction) = contradiction {
            return Err(Refusal::failed(format!("`{}` {contradiction}", self.operation.name())));
        }
        current.map_or(Ok(()), |current| self.compare(current))?;
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if late || !self.fence.cross() {
            let text =
                "the time for the call ran out before it had any effect; allow more time and call again";
            return Err(Refusal::Limit(text.to_owned()));
        }
        Ok(current.is_some() && self.is_bound())
    }
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call")
            .field("path", &self.path)
            .field("interface", &self.reference)
            .field("operation", self.operation.name())
            .finish_non_exhaustive()
    }
}
