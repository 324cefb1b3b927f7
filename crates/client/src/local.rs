//! The in-process transport: a Host in the same process, held to the same rules as one far away.

use std::sync::Arc;
use std::time::{Duration, Instant};

use worldspace_model::{
    ArgumentSource, Arguments, BoxFuture, CallAnswer, Capabilities, Fault, FetchInterfaceRequest,
    FetchInterfaceResponse, FetchRequest, FetchResponse, FetchTreeRequest, IncomingCall, Interaction, Name,
    ObserveRequest, Operation, OutgoingCall, Principal, ProtocolError, Record, RequestContext, Responder,
    Rule, Transport, TransportError, Tree, Unanswered,
};

/// How long behind the deadline the Host's own word on it is waited for.
pub(crate) const GRACE: Duration = Duration::from_millis(500);

/// Carries requests to a Responder as one principal. Cheap to clone.
#[derive(Clone)]
pub struct InProcess {
    responder: Arc<dyn Responder>,
    principal: Principal,
}

impl InProcess {
    /// The way to that Host, as that principal.
    pub fn new(responder: Arc<dyn Responder>, principal: Principal) -> Self {
        Self { responder, principal }
    }

    fn context(&self, context: &RequestContext) -> RequestContext {
        RequestContext { principal: self.principal.clone(), ..context.clone() }
    }
}

impl Transport for InProcess {
    fn capabilities(&self, _: RequestContext) -> BoxFuture<'_, Result<Capabilities, TransportError>> {
        Box::pin(async { Ok(self.responder.capabilities()) })
    }

    fn fetch(
        &self,
        context: RequestContext,
        request: FetchRequest,
    ) -> BoxFuture<'_, Result<FetchResponse, TransportError>> {
        let asked = request.entries.clone();
        let answer = self.responder.fetch(self.context(&context), request);
        Box::pin(async move {
            let answer = in_time(context.deadline, Interaction::Fetch, answer).await?;
            if answer.results.len() != asked.len() {
                return Err(invalid("as many results as entries are expected"));
            }
            for (at, (result, entry)) in answer.results.iter().zip(&asked).enumerate() {
                match (result, entry) {
                    (Ok(object), Ok(entry)) => object
                        .check_place(entry)
                        .map_err(|fault| invalid(fault.at_index(at).at_member("results")))?,
                    (Ok(_), Err(_)) => return Err(invalid("there is an Object where no path was given")),
                    (Err(error), _) => allowed(error, Interaction::Fetch)?,
                }
            }
            Ok(answer)
        })
    }

    fn fetch_tree(
        &self,
        context: RequestContext,
        request: FetchTreeRequest,
    ) -> BoxFuture<'_, Result<Tree, TransportError>> {
        let asked = request.clone();
        let answer = self.responder.fetch_tree(self.context(&context), request);
        Box::pin(async move {
            let tree = in_time(context.deadline, Interaction::FetchTree, answer).await?;
            tree.check_fetch_tree(&asked).map_err(invalid)?;
            Ok(tree)
        })
    }

    fn observe(
        &self,
        context: RequestContext,
        request: ObserveRequest,
    ) -> BoxFuture<'_, Result<Tree, TransportError>> {
        let asked = request.clone();
        let answer = self.responder.observe(self.context(&context), request);
        Box::pin(async move {
            let tree = in_time(context.deadline, Interaction::Observe, answer).await?;
            tree.check_observe(&asked).map_err(invalid)?;
            Ok(tree)
        })
    }

    fn fetch_interface(
        &self,
        context: RequestContext,
        request: FetchInterfaceRequest,
    ) -> BoxFuture<'_, Result<FetchInterfaceResponse, TransportError>> {
        let asked = request.clone();
        let answer = self.responder.fetch_interface(self.context(&context), request);
        Box::pin(async move {
            let answer = in_time(context.deadline, Interaction::FetchInterface, answer).await?;
            if answer.interface != asked.interface {
                return Err(invalid(Fault::new(Rule::InterfaceResponseMismatch).at_member("interface")));
            }
            match (&answer.effects, asked.effects) {
                (Some(_), false) => Err(invalid("effects were not asked for")),
                (Some(effects), true)
                    if !effects.iter().map(|(name, _)| name).eq(declared_operations(&answer)) =>
                {
                    Err(invalid("effects name each operation once"))
                }
                _ => Ok(answer),
            }
        })
    }

    fn call_operation(
        &self,
        context: RequestContext,
        call: OutgoingCall,
    ) -> BoxFuture<'_, Result<CallAnswer, TransportError>> {
        let head = call.head();
        let OutgoingCall { operation, arguments, .. } = call;
        let arguments = Box::new(HeldArguments(arguments.into_record()));
        let answer = self.responder.call_operation(self.context(&context), IncomingCall { head, arguments });
        Box::pin(async move {
            let answer = in_time(context.deadline, Interaction::CallOperation, answer).await?;
            let result = operation.returns().check(&answer.result);
            result.map_err(|fault| invalid(fault.at_member("result")))?;
            Ok(answer)
        })
    }
}

/// Arguments that were checked against the Client's declaration, and are yet to be against the Host's own.
struct HeldArguments(Record);

impl ArgumentSource for HeldArguments {
    fn read(self: Box<Self>, operation: &Operation) -> Result<Arguments, Fault> {
        Arguments::check(operation, self.0)
    }
}

async fn in_time<T>(
    deadline: Option<Instant>,
    interaction: Interaction,
    answer: BoxFuture<'_, Result<T, ProtocolError>>,
) -> Result<T, TransportError> {
    let answer = match deadline.and_then(|deadline| deadline.checked_add(GRACE)) {
        None => answer.await,
        Some(last) => match tokio::time::timeout_at(last.into(), answer).await {
            Ok(answer) => answer,
            Err(_) => return Err(TransportError::Unanswered(Unanswered::TimedOut)),
        },
    };
    answer.map_err(|error| match allowed(&error, interaction) {
        Ok(()) => TransportError::Refused(error),
        Err(invalid) => invalid,
    })
}

fn allowed(error: &ProtocolError, interaction: Interaction) -> Result<(), TransportError> {
    match error.code.is_allowed_for(interaction) {
        true => Ok(()),
        false => Err(invalid(format_args!("`{interaction}` is not answered with `{}`", error.code))),
    }
}

fn invalid(detail: impl std::fmt::Display) -> TransportError {
    TransportError::InvalidAnswer { detail: detail.to_string() }
}

fn declared_operations(answer: &FetchInterfaceResponse) -> impl Iterator<Item = &Name> {
    answer.descriptor.declaration().operations.iter().map(|operation| &operation.name)
}
