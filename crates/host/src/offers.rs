//! Interfaces that were declared as Rust traits, as Objects offer them.
//!
//! `#[interface]` makes of a trait a [`TypedInterface`], and of everything that implements the trait something that
//! [`Serves`] it. Neither publishes anything. An [`Offers`] does: it says which interfaces the Objects of one Rust type
//! offer, and runs their operations, so that what is published and what is served come from one list.

use std::fmt;
use std::future::Future;

use worldspace_model::{BoxFuture, DeclarationError, InterfaceName};

use crate::call::{Call, Done};
use crate::context::Context;
use crate::failure::Refusal;
use crate::interface::Interface;
use crate::local::{LocalPath, LocalReference};
use crate::published::Interfaces;

/// An interface that was declared as a Rust trait. `#[interface]` implements it.
pub trait TypedInterface: 'static {
    /// Its name, without a scope.
    const NAME: &'static str;

    /// Its descriptor and effects, made once.
    ///
    /// # Errors
    /// The trait and its types break a rule that only shows when they are put together.
    fn interface() -> Result<Interface, DeclarationError>;
}

/// A [`TypedInterface`] whose trait `T` implements.
pub trait Serves<T>: TypedInterface {
    /// Runs the operation that is called.
    fn serve(object: &T, context: &Context, call: Call)
    -> impl Future<Output = Result<Done, Refusal>> + Send;
}

/// What the Objects of the Rust type `T` offer, in the order in which it is shown. Cheap to clone; make it once.
///
/// ```
/// use worldspace_host::{Offers, Refusal, interface};
///
/// /// Something that can be read.
/// #[interface(name = "notes.readable")]
/// trait Readable {
///     /// The whole text.
///     #[read]
///     async fn read(&self) -> Result<String, Refusal>;
/// }
///
/// struct Note(String);
///
/// impl Readable for Note {
///     async fn read(&self) -> Result<String, Refusal> {
///         Ok(self.0.clone())
///     }
/// }
///
/// let notes = Offers::<Note>::new().with(ReadableInterface)?;
/// # Ok::<(), worldspace_model::DeclarationError>(())
/// ```
pub struct Offers<T> {
    offered: Vec<Offered<T>>,
    interfaces: Interfaces,
}

struct Offered<T> {
    reference: LocalReference,
    interface: Interface,
    serve: Serve<T>,
}

type Serve<T> = fn(T, Context, Call) -> BoxFuture<'static, Result<Done, Refusal>>;

impl<T: Send + Sync + 'static> Offers<T> {
    /// Nothing yet.
    pub fn new() -> Self {
        Self { offered: Vec::new(), interfaces: Interfaces::default() }
    }

    /// With an interface that belongs to the provider's root, as most do.
    ///
    /// # Errors
    /// The trait and its types give no descriptor, or the interface is offered already.
    pub fn with<I: Serves<T>>(self, interface: I) -> Result<Self, DeclarationError> {
        self.scoped(LocalPath::root(), interface)
    }

    /// With an interface that belongs to another Object, the one that publishes it or one above.
    ///
    /// # Errors
    /// As [`Offers::with`].
    pub fn scoped<I: Serves<T>>(mut self, scope: LocalPath, _: I) -> Result<Self, DeclarationError> {
        let reference = LocalReference { scope, name: InterfaceName::parse(I::NAME)? };
        if self.find(&reference).is_some() {
            return Err(DeclarationError::OfferedTwice { name: reference.name });
        }
        let serve: Serve<T> =
            |object, context, call| Box::pin(async move { I::serve(&object, &context, call).await });
        self.offered.push(Offered { reference, interface: I::interface()?, serve });
        self.interfaces = Interfaces::new(self.offered.iter().map(|offered| offered.reference.clone()));
        Ok(self)
    }

    /// The list for [`crate::Published::publishing`].
    pub fn interfaces(&self) -> &Interfaces {
        &self.interfaces
    }

    /// The interface of that reference, if it is offered.
    pub fn interface(&self, reference: &LocalReference) -> Option<Interface> {
        self.find(reference).map(|offered| offered.interface.clone())
    }

    /// Runs a call on an Object of this type.
    ///
    /// # Errors
    /// Those of the operation; [`Refusal::NotFound`] where the interface that is called is not offered.
    pub async fn call(&self, object: T, context: &Context, call: Call) -> Result<Done, Refusal> {
        let serve = self.find(call.interface()).ok_or(Refusal::NotFound)?.serve;
        serve(object, context.clone(), call).await
    }

    fn find(&self, reference: &LocalReference) -> Option<&Offered<T>> {
        self.offered.iter().find(|offered| offered.reference == *reference)
    }
}

impl<T: Send + Sync + 'static> Default for Offers<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Clone for Offers<T> {
    fn clone(&self) -> Self {
        Self { offered: self.offered.clone(), interfaces: self.interfaces.clone() }
    }
}

impl<T> Clone for Offered<T> {
    fn clone(&self) -> Self {
        Self { reference: self.reference.clone(), interface: self.interface.clone(), serve: self.serve }
    }
}

impl<T> fmt::Debug for Offers<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Offers").field(&self.interfaces).finish()
    }
}
