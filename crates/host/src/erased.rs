//! The object-safe side of [`Provider`]. It is also where a provider's panic becomes an error.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use worldspace_model::{BoxFuture, Segment};

use crate::call::{Call, Done};
use crate::context::Context;
use crate::failure::{ProviderError, Refusal};
use crate::interface::Interface;
use crate::local::{LocalPath, LocalReference};
use crate::provider::{Page, Provider};
use crate::published::Published;

pub(crate) trait ErasedProvider: Send + Sync {
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
