//! Something between a Host and its callers that lies about outcomes, or keeps no promise of a Host's.

use std::sync::atomic::{AtomicUsize, Ordering};
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
    /// What was refused passes for a success.
    RefusedIsSuccess,
    NotFoundIsInternal,
    /// The result is another one.
    ResultDiffers,
    /// The validator is another one.
    ValidatorDiffers,
    /// While a call runs nobody can look.
    RefusesLooks,
    /// Every second call is refused for want of room.
    RefusesSecond,
    /// Calls run on whether or not anybody waits.
    NeverNotices,
    /// Calls have an answer in time, and no end.
    KeepsRunning,
    /// A tree that is cut passes for a whole one.
    HidesTruncation,
}

pub(crate) struct Liar {
    host: Arc<dyn Responder>,
    lie: Lie,
    running: AtomicUsize,
    calls: AtomicUsize,
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
        Self { host, lie, running: AtomicUsize::new(0), calls: AtomicUsize::new(0) }
    }

    fn told(&self, answer: Result<CallAnswer, ProtocolError>) -> Result<CallAnswer, ProtocolError> {
        let error = |code| Err(ProtocolError::new(code, "a lie"));
        let unknown = ErrorCode::OperationOutcomeUnknown;
        match (self.lie, &answer) {
            (Lie::UnknownIsInternal, Err(known)) if known.code == unknown => error(ErrorCode::Internal),
            (Lie::SuccessIsInternal, Ok(_)) => error(ErrorCode::Internal),
            (Lie::SuccessIsUnknown, Ok(_)) => error(unknown),
            (Lie::RefusedIsUnknown, Err(_)) => error(unknown),
            (Lie::RefusedIsSuccess, Err(_)) => {
                let settled = Settled::BeforeFence;
                Ok(CallAnswer { result: another_result(), validator: None, settled })
            }
            (Lie::NotFoundIsInternal, Err(known)) if known.code == ErrorCode::NotFound => {
                error(ErrorCode::Internal)
            }
            (Lie::ResultDiffers, Ok(known)) => Ok(CallAnswer { result: another_result(), ..known.clone() }),
            (Lie::ValidatorDiffers, Ok(known)) => {
                let validator = known.validator.as_ref().map(|_| Validator::new(*b"a lie"));
                Ok(CallAnswer { validator, ..known.clone() })
            }
            _ => answer,
        }
    }
}

/// One that the oracle could give.
fn another_result() -> Value {
    Value::record([("id", Some(Value::string("a lie"))), ("at", Some(Value::Entry(EntryPath::root())))])
        .unwrap()
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
        if self.lie == Lie::RefusesLooks && self.running.load(Ordering::SeqCst) > 0 {
            return Box::pin(async { Err(ProtocolError::new(ErrorCode::Internal, "a lie")) });
        }
        self.host.fetch(context, request)
    }

    fn fetch_tree(
        &self,
        context: RequestContext,
        request: FetchTreeRequest,
    ) -> BoxFuture<'_, Result<Tree, ProtocolError>> {
        Box::pin(async move {
            let tree = self.host.fetch_tree(context, request).await?;
            if self.lie != Lie::HidesTruncation {
                return Ok(tree);
            }
            let first = tree.first().object.clone();
            Ok(Tree::new(vec![(first, None, Expansion::Leaf)], Causes::NONE).unwrap())
        })
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
            if self.lie == Lie::RefusesSecond && self.calls.fetch_add(1, Ordering::SeqCst) % 2 == 1 {
                return Err(ProtocolError::new(ErrorCode::ResourceLimitExceeded, "a lie"));
            }
            let (host, call) = (self.host.clone(), again());
            let keeps = self.lie == Lie::KeepsRunning;
            let time = context.deadline.filter(|_| keeps);
            let asked = RequestContext { deadline: context.deadline.filter(|_| !keeps), ..context.clone() };
            self.running.fetch_add(1, Ordering::SeqCst);
            let running = async move { host.call_operation(asked, call).await };
            let answer = match self.lie {
                Lie::NeverNotices | Lie::KeepsRunning => {
                    let running = tokio::spawn(running);
                    let late = async {
                        match time {
                            Some(time) => tokio::time::sleep_until(time.into()).await,
                            None => std::future::pending().await,
                        }
                    };
                    tokio::select! {
                        ended = running => ended.unwrap(),
                        () = late => Err(ProtocolError::new(ErrorCode::ResourceLimitExceeded, "late")),
                    }
                }
                _ => running.await,
            };
            self.running.fetch_sub(1, Ordering::SeqCst);
            if self.lie == Lie::RunsTwice {
                let _ = self.host.call_operation(context, again()).await;
            }
            self.told(answer)
        })
    }
}
