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
    /// A position that is not there is [`ProviderError::NotFound`], one without children an empty page. More than `most`
    /// are taken as far as there is room. Where `after` is gone: an order by name goes on where it would stand, any other says [`ProviderError::Gone`].
    fn children(
        &self,
        context: &Context,
        path: &LocalPath,
        after: Option<&Segment>,
        most: usize,
    ) -> impl Future<Output = Result<Page, ProviderError>> + Send;

    /// An interface that its Objects publish. A provider whose Objects publish none leaves this alone.
    fn interface(
        &self,
        _context: &Context,
        _reference: &LocalReference,
    ) -> impl Future<Output = Result<Interface, ProviderError>> + Send {
        std::future::ready(Err(ProviderError::NotFound))
    }

    /// Runs an operation: [`Call::done`] gives the result of one that changes nothing, [`Call::fence`] or
    /// [`Call::fence_blocking`] run an effect. Everything about the call has been checked but what only the provider
    /// can know. A provider whose Objects publish no interface leaves this alone.
    fn call(&self, _context: &Context, _call: Call) -> impl Future<Output = Result<Done, Refusal>> + Send {
        std::future::ready(Err(Refusal::NotFound))
    }
}

/// A part of a position's children.
#[derive(Debug, Clone)]
pub struct Page {
    pub(crate) children: Vec<(Segment, Published)>,
    pub(crate) more: bool,
    pub(crate) order: Order,
}

/// How children stand. It decides what becomes of a list whose last child is gone, so no provider gets one by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// By the bytes of their names.
    ByName,
    /// In an order of the provider's own.
    Own,
}

impl Page {
    /// No children at all.
    pub fn empty() -> Self {
        Self { children: Vec::new(), more: false, order: Order::ByName }
    }

    /// Children that stand by the bytes of their names, those that vanished before they could be read left out; `more`
    /// where there may be further ones. A page without children ends the list. A name out of order, or one that came
    /// before, makes the list `unavailable`.
    pub fn by_name(children: Vec<(Segment, Published)>, more: bool) -> Self {
        Self { children, more, order: Order::ByName }
    }

    /// Children that stand in an order of the provider's own, otherwise as [`Page::by_name`].
    pub fn in_own_order(children: Vec<(Segment, Published)>, more: bool) -> Self {
        Self { children, more, order: Order::Own }
    }

    /// The part of all children that was asked for, for providers that have the names at hand, in an order of their
    /// own. `object` is asked for those of this part alone; a child that it does not find is left out.
    ///
    /// # Errors
    /// [`ProviderError::Gone`], and those of `object`.
    pub fn of<'a>(
        names: impl IntoIterator<Item = &'a Segment>,
        after: Option<&Segment>,
        most: usize,
        mut object: impl FnMut(&Segment) -> Result<Published, ProviderError>,
    ) -> Result<Self, ProviderError> {
        let mut names = names.into_iter();
        if let Some(after) = after {
            names.find(|name| *name == after).ok_or(ProviderError::Gone)?;
        }
        let mut children = Vec::new();
        while children.len() < most {
            let Some(name) = names.next() else { break };
            match object(name) {
                Ok(object) => children.push((name.clone(), object)),
                Err(ProviderError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self::in_own_order(children, names.next().is_some()))
    }

    /// The children of this part.
    pub fn children(&self) -> &[(Segment, Published)] {
        &self.children
    }

    /// Whether there may be further ones.
    pub fn has_more(&self) -> bool {
        self.more
    }
}
