//! The trait that authors implement.

use std::future::Future;

use worldspace_model::Segment;

use crate::call::{Call, Done};
use crate::context::Context;
use crate::failure::{ProviderError, Refusal};
use crate::interface::Interface;
use crate::local::{LocalPath, LocalReference};
use crate::published::Published;

/// Something that has Objects, and operations on them.
///
/// A provider speaks paths from its own root and identities of its own; where it is mounted, who may see what, which
/// validators stand for its states and in which order a call is checked is the Host's part. Implementations write
/// `async fn`. Every method may be called at any time and concurrently; dropping its future must be harmless, except
/// behind the fence of a call, where the Host lets it run to its end.
///
/// Whoever does blocking work moves it to threads of its own and looks at [`Context::is_cancelled`] there.
pub trait Provider: Send + Sync + 'static {
    /// The Object at a position.
    fn object(
        &self,
        context: &Context,
        path: &LocalPath,
    ) -> impl Future<Output = Result<Published, ProviderError>> + Send;

    /// Up to `most` indexable children of a position, in an order that is stable while they are unchanged, from the
    /// first one or from behind the child `after`.
    ///
    /// Where `after` is gone: an order by name goes on where it would stand, any other says [`ProviderError::Gone`].
    fn children(
        &self,
        context: &Context,
        path: &LocalPath,
        after: Option<&Segment>,
        most: usize,
    ) -> impl Future<Output = Result<Page, ProviderError>> + Send;

    /// An interface that its Objects publish.
    fn interface(
        &self,
        context: &Context,
        reference: &LocalReference,
    ) -> impl Future<Output = Result<Interface, ProviderError>> + Send;

    /// Runs an operation: [`Call::done`] gives the result of one that changes nothing, [`Call::fence`] or
    /// [`Call::fence_blocking`] run an effect. Everything about the call has been checked but what only the provider
    /// can know.
    fn call(&self, context: &Context, call: Call) -> impl Future<Output = Result<Done, Refusal>> + Send;
}

/// A part of a position's children.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The children in their order. One that vanished before it could be read is left out.
    pub children: Vec<(Segment, Published)>,
    /// Whether there may be more behind the last of them. A page without children ends the list.
    pub more: bool,
    /// How the children stand.
    pub order: Order,
}

/// How children stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// By the bytes of their names.
    #[default]
    ByName,
    /// In an order of the provider's own.
    Own,
}

impl Page {
    /// The part of all children that was asked for, for providers that have them at hand in an order of their own.
    ///
    /// # Errors
    /// [`ProviderError::Gone`].
    pub fn of<'a>(
        all: impl IntoIterator<Item = (&'a Segment, Published)>,
        after: Option<&Segment>,
        most: usize,
    ) -> Result<Self, ProviderError> {
        let mut all = all.into_iter();
        if let Some(after) = after {
            all.find(|(name, _)| *name == after).ok_or(ProviderError::Gone)?;
        }
        let children: Vec<_> = all.by_ref().take(most).map(|(name, object)| (name.clone(), object)).collect();
        Ok(Self { children, more: all.next().is_some(), order: Order::Own })
    }
}
