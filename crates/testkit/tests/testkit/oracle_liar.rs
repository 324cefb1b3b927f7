//! Something between a Host and its callers that lies about outcomes.

use std::sync::{Arc, Mutex};

use worldspace_model::*;

/// How to lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Lie {
    UnknownIsInternal,
    SuccessIsInternal,
    SuccessIsUnknown,
    RefusedIsUnknown,
    /// The call is run twice, and answered as the first one was.
    RunsTwice,
}

pub(crate) struct Liar {
    host: Arc<dyn Responder>,
    lie: Lie,
}

/// Arguments for two calls, read once.
struct Shared(Arc<Mutex<Reading>>);

enum Reading {
    Unread(Box<dyn ArgumentSource>),
    Read(Arguments),
    Faulty,
}

impl ArgumentSource for Shared {
    fn read(self: Box<Self>, operation: &Operation) -> Result<Arguments, Fault> {
        let mut reading = self.0.lock().unwrap();
        let arguments = match std::mem::replace(&mut *reading, Reading::Faulty) {
            Reading::Unread(source) => source.read(operation)?,
            Reading::Read(arguments) => arguments,
            Reading::Faulty => panic!("faulty arguments are not read again"),
        };
        *reading = Reading::Read(arguments.clone());
        Ok(arguments)
    }
}

impl Liar {
    pub(crate) fn new(host: Arc<dyn Responder>, lie: Lie) -> Self {
        Self { host, lie }
    }

    fn told(&self, answer: Result<CallAnswer, ProtocolError>) -> Result<CallAnswer, ProtocolError> {
        let error = |code| Err(ProtocolError::new(code, "a lie"));
        let unknown = ErrorCode::OperationOutcomeUnknown;
        match (self.lie, &answer) {
            (Lie::UnknownIsInternal, Err(known)) if known.code == unknown => error(ErrorCode::Internal),
            (Lie::SuccessIsInternal, Ok(_)) => error(ErrorCode::Internal),
            (Lie::SuccessIsUnknown, Ok(_)) => error(unknown),
            (Lie::RefusedIsUnknown, Err(_)) => error(unknown),
            _ => answer,
        }
    }
}

impl Responder for Liar {
    fn capabilities(&self) -> Capabilities {
        self.host.capabilities()
    }

    fn fetch(
        &self,
        context: RequestContext,
        request: FetchRequest,
    ) -> BoxFuture<'_, Result<FetchResponse, ProtocolError>> {
        self.host.fetch(context, request)
    }

    fn fetch_tree(
        &self,
        context: RequestContext,
        request: FetchTreeRequest,
    ) -> BoxFuture<'_, Result<Tree, ProtocolError>> {
        self.host.fetch_tree(context, request)
    }

    fn observe(
        &self,
        context: RequestContext,
        request: ObserveRequest,
    ) -> BoxFuture<'_, Result<Tree, ProtocolError>> {
        self.host.observe(context, request)
    }

    fn fetch_interface(
        &self,
        context: RequestContext,
        request: FetchInterfaceRequest,
    ) -> BoxFuture<'_, Result<FetchInterfaceResponse, ProtocolError>> {
        self.host.fetch_interface(context, request)
    }

    fn call_operation(
        &self,
        context: RequestContext,
        call: IncomingCall,
    ) -> BoxFuture<'_, Result<CallAnswer, ProtocolError>> {
        Box::pin(async move {
            let IncomingCall { head, arguments } = call;
            let shared = Arc::new(Mutex::new(Reading::Unread(arguments)));
            let again = || IncomingCall { head: head.clone(), arguments: Box::new(Shared(shared.clone())) };
            let answer = self.host.call_operation(context.clone(), again()).await;
            if self.lie == Lie::RunsTwice {
                let _ = self.host.call_operation(context, again()).await;
            }
            self.told(answer)
        })
    }
}
