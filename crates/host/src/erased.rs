//! Providers whose type is forgotten, and the object-safe side of [`Provider`] behind them. It is also where a
//! provider's panic becomes an error.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use worldspace_model::{BoxFuture, Segment};

use crate::call::{Call, Done};
use crate::context::Context;
use crate::failure::{ProviderError, Refusal};
use crate::interface::Interface;
use crate::local::{LocalPath, LocalReference};
use crate::provider::{Page, Provider};
use crate::published::Published;

/// A [`Provider`] of any type, to be kept beside others, or within one that stands before it. Cheap to clone; clones are
/// the same provider.
///
/// A panic in an observation comes out as [`ProviderError::Failed`]; one in a call passes, since what it means depends
/// on the fence.
///
/// ```
/// use worldspace_host::{Context, DynProvider, LocalPath, Memory, Page, Provider, ProviderError, Published};
/// use worldspace_model::Segment;
///
/// /// Shows Objects and none of their children.
/// struct Flat(DynProvider);
///
/// impl Provider for Flat {
///     async fn object(&self, context: &Context, path: &LocalPath) -> Result<Published, ProviderError> {
///         self.0.object(context, path).await
///     }
///     async fn children(
///         &self,
///         _: &Context,
///         _: &LocalPath,
///         _: Option<&Segment>,
///         _: usize,
///     ) -> Result<Page, ProviderError> {
///         Ok(Page::empty())
///     }
/// }
///
/// let flat = Flat(DynProvider::new(Memory::new()));
/// ```
#[derive(Clone)]
pub struct DynProvider(Arc<dyn ErasedProvider>);

impl DynProvider {
    /// That provider, its type forgotten.
    pub fn new(provider: impl Provider) -> Self {
        Self(Arc::new(provider))
    }
}

impl Provider for DynProvider {
    async fn object(&self, context: &Context, path: &LocalPath) -> Result<Published, ProviderError> {
        self.0.object(context, path).await
    }

    async fn children(
        &self,
        context: &Context,
        path: &LocalPath,
        after: Option<&Segment>,
        most: usize,
    ) -> Result<Page, ProviderError> {
        self.0.children(context, path, after, most).await
    }

    async fn interface(
        &self,
        context: &Context,
        reference: &LocalReference,
    ) -> Result<Interface, ProviderError> {
        self.0.interface(context, reference).await
    }

    async fn call(&self, context: &Context, call: Call) -> Result<Done, Refusal> {
        self.0.call(context, call).await
    }
}

impl fmt::Debug for DynProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynProvider").finish_non_exhaustive()
    }
}

trait ErasedProvider: Send + Sync {
    fn object<'a>(
        &'a self,
        context: &'a Context,
        path: &'a LocalPath,
    ) -> BoxFuture<'a, Result<Published, ProviderError>>;

    fn children<'a>(
        &'a self,
        context: &'a Context,
        path: &'a LocalPath,
        after: Option<&'a Segment>,
        most: usize,
    ) -> BoxFuture<'a, Result<Page, ProviderError>>;

    fn interface<'a>(
        &'a self,
        context: &'a Context,
        reference: &'a LocalReference,
    ) -> BoxFuture<'a, Result<Interface, ProviderError>>;

    /// A panic passes: what it means depends on the fence.
    fn call<'a>(&'a self, context: &'a Context, call: Call) -> BoxFuture<'a, Result<Done, Refusal>>;
}

impl<P: Provider> ErasedProvider for P {
    fn object<'a>(
        &'a self,
        context: &'a Context,
        path: &'a LocalPath,
    ) -> BoxFuture<'a, Result<Published, ProviderError>> {
        Box::pin(caught(async move { Provider::object(self, context, path).await }))
    }

    fn children<'a>(
        &'a self,
        context: &'a Context,
        path: &'a LocalPath,
        after: Option<&'a Segment>,
        most: usize,
    ) -> BoxFuture<'a, Result<Page, ProviderError>> {
        Box::pin(caught(async move { Provider::children(self, context, path, after, most).await }))
    }

    fn interface<'a>(
        &'a self,
        context: &'a Context,
        reference: &'a LocalReference,
    ) -> BoxFuture<'a, Result<Interface, ProviderError>> {
        Box::pin(caught(async move { Provider::interface(self, context, reference).await }))
    }

    fn call<'a>(&'a self, context: &'a Context, call: Call) -> BoxFuture<'a, Result<Done, Refusal>> {
        Box::pin(Provider::call(self, context, call))
    }
}

async fn caught<T>(
    reading: impl Future<Output = Result<T, ProviderError>> + Send,
) -> Result<T, ProviderError> {
    match AssertUnwindSafe(reading).catch_unwind().await {
        Ok(result) => result,
        Err(panic) => Err(ProviderError::failed(panic_text(&*panic))),
    }
}

/// What a panic said, for the log.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no text");
    format!("panicked: {text}")
}
