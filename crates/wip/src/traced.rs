//! A [`Transport`] that says in the log what was asked, what came of it, and how long it took.

use std::time::Instant;

use worldspace_model::{
    BoxFuture, CallAnswer, Capabilities, FetchInterfaceRequest, FetchInterfaceResponse, FetchRequest,
    FetchResponse, FetchTreeRequest, ObserveRequest, OutgoingCall, RequestContext, Transport, TransportError,
    Tree,
};

use crate::show::{self, text};

pub(crate) struct Traced<T>(pub(crate) T);

/// Passes the answer on once it is told.
fn told<'a, T: 'a>(
    asked: String,
    answer: BoxFuture<'a, Result<T, TransportError>>,
) -> BoxFuture<'a, Result<T, TransportError>> {
    Box::pin(async move {
        let begun = Instant::now();
        let answer = answer.await;
        let milliseconds = begun.elapsed().as_millis();
        match &answer {
            Ok(_) => tracing::info!("{asked}: ok, {milliseconds} ms"),
            Err(TransportError::Refused(error)) => {
                tracing::info!("{asked}: {}, {milliseconds} ms", error.code.name());
            }
            Err(error) => {
                let error = error.to_string();
                tracing::info!("{asked}: {}, {milliseconds} ms", text::prose(&error));
            }
        }
        answer
    })
}

impl<T: Transport> Transport for Traced<T> {
    fn capabilities(&self, context: RequestContext) -> BoxFuture<'_, Result<Capabilities, TransportError>> {
        told("capabilities".to_owned(), self.0.capabilities(context))
    }

    fn fetch(
        &self,
        context: RequestContext,
        request: FetchRequest,
    ) -> BoxFuture<'_, Result<FetchResponse, TransportError>> {
        let asked = match request.entries.as_slice() {
            [Ok(entry)] => format!("fetch {}", show::path(entry)),
            entries => format!("fetch of {} entries", entries.len()),
        };
        told(asked, self.0.fetch(context, request))
    }

    fn fetch_tree(
        &self,
        context: RequestContext,
        request: FetchTreeRequest,
    ) -> BoxFuture<'_, Result<Tree, TransportError>> {
        told(format!("fetch_tree {}", show::path(request.entry())), self.0.fetch_tree(context, request))
    }

    fn observe(
        &self,
        context: RequestContext,
        request: ObserveRequest,
    ) -> BoxFuture<'_, Result<Tree, TransportError>> {
        told(format!("observe {}", show::path(&request.path)), self.0.observe(context, request))
    }

    fn fetch_interface(
        &self,
        context: RequestContext,
        request: FetchInterfaceRequest,
    ) -> BoxFuture<'_, Result<FetchInterfaceResponse, TransportError>> {
        let reference = worldspace_idl::reference::write(&request.interface);
        let asked = format!("fetch_interface {}", text::name(&reference));
        told(asked, self.0.fetch_interface(context, request))
    }

    fn call_operation(
        &self,
        context: RequestContext,
        call: OutgoingCall,
    ) -> BoxFuture<'_, Result<CallAnswer, TransportError>> {
        let (operation, target) = (text::name(call.operation.name()), show::path(&call.target.path));
        let asked = format!("call_operation {operation} of {target}");
        told(asked, self.0.call_operation(context, call))
    }
}
