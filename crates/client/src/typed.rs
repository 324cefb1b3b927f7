//! An Object through one of its interfaces, with Rust types: what generated clients are made of.
//!
//! `wip gen rust` and `#[interface(client)]` write a struct around a [`TypedObject`] with a method for each operation.
//! A method calls on what its struct was last shown: the Object as it was when the struct was made, behind the last call
//! of its own that told the new state, or at the last [`TypedClient::refresh`]. It never looks again by itself. Only what is
//! guarded is bound to that state; of a Host that claims nothing of its operations, everything is.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use worldspace_model::typed::expand::FromValue;
use worldspace_model::{Effect, EffectTable, EntryPath, Fault, Record, Value, WipType};

use crate::call::{CallFailure, CallOptions, NotRun};
use crate::client::Client;
use crate::error::{ClientError, ErrorKind, Usage};
use crate::handle::{InterfaceObservation, Observation};

/// A generated client of one interface.
///
/// An `entry` in a result says where something is, not what it offers; this is how it is opened:
///
/// ```
/// use worldspace_client::{Client, ClientError, TypedClient};
/// use worldspace_model::EntryPath;
///
/// async fn open_all<C: TypedClient>(client: &Client, found: &[EntryPath]) -> Result<Vec<C>, ClientError> {
///     let mut opened = Vec::new();
///     for entry in found {
///         opened.push(C::open(client, entry).await?);
///     }
///     Ok(opened)
/// }
/// ```
pub trait TypedClient: Sized + Send {
    /// The name of the interface. Its scope is wherever the Object has it, so that a client works wherever an application is mounted.
    const INTERFACE: &'static str;

    /// The client of an Object that was found to have the interface.
    fn of(object: TypedObject) -> Self;

    /// The Object.
    fn object(&self) -> &TypedObject;

    /// Looks at an entry, and opens what is there.
    ///
    /// # Errors
    /// Those of [`Client::fetch`] and [`Client::interface`]; [`Usage`] where the Object does not have the interface, or several of that
    /// name.
    fn open(client: &Client, entry: &EntryPath) -> impl Future<Output = Result<Self, ClientError>> + Send {
        async move { Self::on(client, client.fetch(entry).await?).await }
    }

    /// Opens what was shown, without looking again.
    ///
    /// # Errors
    /// Those of [`Client::interface`]; [`Usage`] where the Object does not have the interface, or several of that name.
    fn on(client: &Client, shown: Observation) -> impl Future<Output = Result<Self, ClientError>> + Send {
        async move { Ok(Self::of(TypedObject::new(client, shown, Self::INTERFACE).await?)) }
    }

    /// Looks at the Object again. From now on calls are made on what it is now.
    ///
    /// # Errors
    /// Those of [`Client::fetch`] and [`Client::interface`]; [`Usage`] where the Object has no longer that interface.
    fn refresh(&self) -> impl Future<Output = Result<Observation, ClientError>> + Send
    where
        Self: Sync,
    {
        self.object().refresh()
    }
}

/// An Object through one of its interfaces. Clones share what they were shown.
#[derive(Clone)]
pub struct TypedObject(Arc<Inner>);

struct Inner {
    client: Client,
    name: &'static str,
    shown: Mutex<Shown>,
}

#[derive(Clone)]
struct Shown {
    object: Observation,
    interface: InterfaceObservation,
}

impl TypedObject {
    async fn new(client: &Client, object: Observation, name: &'static str) -> Result<Self, ClientError> {
        let interface = find(client, &object, name).await?;
        let shown = Mutex::new(Shown { object, interface });
        Ok(Self(Arc::new(Inner { client: client.clone(), name, shown })))
    }

    /// The Client that it was opened by.
    pub fn client(&self) -> &Client {
        &self.0.client
    }

    /// Where it was observed.
    pub fn entry(&self) -> EntryPath {
        self.shown().object.entry().clone()
    }

    /// What the next call is made on.
    pub fn observation(&self) -> Observation {
        self.shown().object
    }

    /// Looks at the Object again. From now on calls are made on what it is now.
    ///
    /// # Errors
    /// As [`TypedClient::refresh`].
    pub async fn refresh(&self) -> Result<Observation, ClientError> {
        let object = self.0.client.fetch(&self.entry()).await?;
        let interface = find(&self.0.client, &object, self.0.name).await?;
        self.show(|shown| {
            // A call that ended meanwhile may have been told something newer.
            if shown.object.revision() <= object.revision() {
                *shown = Shown { object: object.clone(), interface };
            }
        });
        Ok(object)
    }

    /// Runs an operation.
    ///
    /// # Errors
    /// What happened, as [`TypedFailure`] tells it.
    pub async fn call<R: WipType>(
        &self,
        operation: &'static str,
        arguments: Result<Record, Fault>,
    ) -> Result<R, TypedFailure> {
        self.call_by(operation, arguments, R::from_value).await
    }

    /// Runs an operation, given how its result is read.
    ///
    /// # Errors
    /// What happened, as [`TypedFailure`] tells it.
    pub async fn call_by<R>(
        &self,
        operation: &'static str,
        arguments: Result<Record, Fault>,
        from: FromValue<R>,
    ) -> Result<R, TypedFailure> {
        let arguments = arguments
            .map_err(|fault| CallFailure::from(NotRun::Arguments { operation: operation.into(), fault }))?;
        let Shown { object, interface } = self.shown();
        // What is not guarded, such as making something new beside others, has nothing to do with the state that was shown.
        let unguarded = |effects: &EffectTable| !effects.of(operation).has(Effect::Guarded);
        let options = match interface.effects() {
            Some(effects) if unguarded(effects) => CallOptions::default().unbound(),
            _ => CallOptions::default(),
        };
        let outcome = self.0.client.call(&object, &interface, operation, arguments, options).await?;
        if let Some(next) = outcome.observation {
            self.show(|shown| {
                // Another call or a refresh may have been shown something newer meanwhile.
                if shown.object.revision() <= next.revision() {
                    shown.object = next;
                }
            });
        }
        let unfit = |fault| TypedFailure::Result { fault, result: outcome.result.clone() };
        from(&outcome.result).map_err(unfit)
    }

    fn shown(&self) -> Shown {
        self.0.shown.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn show(&self, change: impl FnOnce(&mut Shown)) {
        change(&mut self.0.shown.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl fmt::Debug for TypedObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TypedObject").field(&self.0.name).field(&self.shown().object).finish()
    }
}

/// The one interface of that name that the Object has.
async fn find(
    client: &Client,
    object: &Observation,
    name: &'static str,
) -> Result<InterfaceObservation, ClientError> {
    let interfaces = &object.object().interfaces;
    let mut named = interfaces.iter().filter(|reference| reference.name().as_str() == name);
    match (named.next(), named.next()) {
        (Some(reference), None) => client.interface(reference).await,
        (Some(_), Some(_)) => Err(Usage::ambiguous_interface(object, name).into()),
        (None, _) => Err(Usage::no_such_interface(object, name).into()),
    }
}

/// Why a typed call has no result, by what happened.
#[derive(Debug, Clone, thiserror::Error)]
pub enum TypedFailure {
    /// The call itself.
    #[error(transparent)]
    Call(#[from] CallFailure),
    /// The call ran and had its effect, but its result is not of the type that this program was made for: the interface is
    /// another one by now. Make the program's types anew.
    #[error("it ran, but its result is of another type than this program was made for: {fault}")]
    Result {
        /// What does not fit.
        fault: Fault,
        /// The result.
        result: Value,
    },
}

impl TypedFailure {
    /// What a program branches on.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Call(failure) => failure.kind(),
            Self::Result { .. } => ErrorKind::Local,
        }
    }
}
