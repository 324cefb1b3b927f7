//! A Responder that tells when a request is over for the Host: answered, or given up because its caller has gone. Over
//! a connection nothing else tells when that is noticed.

use std::sync::Arc;

use tokio::sync::watch;
use worldspace_model::{
    BoxFuture, CallAnswer, Capabilities, FetchInterfaceRequest, FetchInterfaceResponse, FetchRequest,
    FetchResponse, FetchTreeRequest, IncomingCall, ObserveRequest, ProtocolError, RequestContext, Responder,
    Tree,
};

pub(super) struct Watched {
    inner: Arc<dyn Responder>,
    over: Arc<watch::Sender<u64>>,
}

struct Over(Arc<watch::Sender<u64>>);

impl Watched {
    /// With the count of calls and trees that are over.
    pub(super) fn new(inner: Arc<dyn Responder>) -> (Arc<Self>, watch::Receiver<u64>) {
        let (over, count) = watch::channel(0);
        (Arc::new(Self { inner, over: Arc::new(over) }), count)
    }

    fn counted<'a, T: Send + 'a>(&self, answer: BoxFuture<'a, T>) -> BoxFuture<'a, T> {
        let over = Over(self.over.clone());
        Box::pin(async move {
            // The Host's own future is dropped first.
            let _over = over;
            answer.await
        })
    }
}

impl Drop for Over {
    fn drop(&mut self) {
        self.0.send_modify(|over| *over += 1);
    }
}

impl Responder for Watched {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn fetch(
        &self,
        context: RequestContext,
        request: FetchRequest,
    ) -> BoxFuture<'_, Result<FetchResponse, ProtocolError>> {
        self.inner.fetch(context, request)
    }

    fn fetch_tree(
        &self,
        context: RequestContext,
        request: FetchTreeRequest,
    ) -> BoxFuture<'_, Result<Tree, ProtocolError>> {
        self.counted(self.inner.fetch_tree(context, request))
    }

    fn observe(
        &self,
        context: RequestContext,
        request: ObserveRequest,
    ) -> BoxFuture<'_, Result<Tree, ProtocolError>> {
        self.inner.observe(context, request)
    }

    fn fetch_interface(
        &self,
        context: RequestContext,
        request: FetchInterfaceRequest,
    ) -> BoxFuture<'_, Result<FetchInterfaceResponse, ProtocolError>> {
        self.inner.fetch_interface(context, request)
    }

    fn call_operation(
        &self,
        context: RequestContext,
        call: IncomingCall,
    ) -> BoxFuture<'_, Result<CallAnswer, ProtocolError>> {
        self.counted(self.inner.call_operation(context, call))
    }
}
