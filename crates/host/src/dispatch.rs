//! A call, from its checks in the order of SPEC 2.2 to the truth about its outcome (SPEC 2.3).

use std::sync::Arc;

use tokio::task::{AbortHandle, JoinError};
use tokio_util::sync::DropGuard;
use tracing::Instrument;
use worldspace_model::{
    CallAnswer, CallHead, Effect, EntryPath, ErrorCode, Fault, IncomingCall, InterfaceTarget, Object,
    Operation, ProtocolError, Ref, RequestContext, Settled, Target, Validator, Value,
};

use crate::call::{Call, Done, Ending};
use crate::context::{Context, Request};
use crate::erased::panic_text;
use crate::failure::{ProviderError, Refusal, changed, interface_changed, internal, quoted};
use crate::fence::{After, Fate, Fence};
use crate::guard::StateGuard;
use crate::host::Inner;
use crate::interface::Interface;
use crate::mount::Chain;
use crate::mounts::{MountPoint, Place};
use crate::provider::Provider as _;
use crate::tree::in_time;

/// A call that passed all checks, and what its answer needs.
struct Ready {
    mount: Arc<MountPoint>,
    context: Context,
    call: Call,
    answering: Answering,
}

/// What it takes to turn a provider's answer into the caller's.
struct Answering {
    target: EntryPath,
    operation: Operation,
    fence: Fence,
    guard: StateGuard,
}

impl Inner {
    pub(crate) async fn call_operation(
        &self,
        context: RequestContext,
        call: IncomingCall,
    ) -> Result<CallAnswer, ProtocolError> {
        let (request, cancel) = Request::open(self.bounded(context));
        let name = quoted(&call.head.operation);
        let late = || ProviderError::Late.shown(&name);
        let ready = in_time(request.deadline, self.check(&request, call)).await;
        let Ready { mount, context, call, answering } = ready.unwrap_or_else(|| Err(late()))?;
        // A task of its own, so that it can outlive a caller who goes away behind the fence.
        // The place of the call goes with it, so that none is taken any more once all of them have ended.
        let running =
            async move { mount.provider().call(&context, call).await.map(|Done { ending, .. }| ending) };
        let task = self.running.spawn(running.in_current_span());
        let waiting =
            Waiting { fence: request.fence.clone(), task: task.abort_handle(), cancel: Some(cancel) };
        match in_time(request.deadline, task).await {
            Some(ended) => {
                drop(waiting);
                answering.answer(ended)
            }
            None if request.fence.abandon() => Err(late()),
            None => Err(answering.unknown("it did not end in time")),
        }
    }

    /// Everything that can be checked before the provider runs.
    async fn check(&self, request: &Arc<Request>, call: IncomingCall) -> Result<Ready, ProtocolError> {
        let IncomingCall { head, arguments } = call;
        let CallHead { target, interface, operation: name, key: _ } = head;
        let asked = quoted(target.path.as_str());
        let found = self.find_readable(request, &target.path).await;
        let object = found.map_err(|error| error.shown(&asked))?.object;
        if target.validator.is_some() && target.validator != object.validator {
            return Err(changed(&asked));
        }
        let published = self.check_interface(request, &target, &interface, &object).await?;
        let Some(Place::Mounted(mount, path)) = self.mounts.place(&target.path) else {
            return Err(no_member(&interface));
        };
        let reference = mount.local_reference(&interface.reference).ok_or_else(|| no_member(&interface))?;
        let operation = published.descriptor().require_operation(&name).map_err(|unknown| {
            let text = format!("{unknown} (interface {})", quoted(&interface.reference.to_string()));
            ProtocolError::new(ErrorCode::OperationNotFound, text)
        })?;
        let effects = published.effects().at(&operation);
        if effects.has(Effect::Guarded) && object.validator.is_none() {
            let error =
                "it is declared `guarded`, and the Object publishes no state; publish one with `in_state`";
            tracing::error!(target_entry = %target.path, operation = %name, error);
            return Err(internal(&asked));
        }
        if effects.has(Effect::Guarded) && target.validator.is_none() {
            let text = format!(
                "{} acts on an observed state; fetch the Object and send its validator as target.validator",
                quoted(&name)
            );
            return Err(ProtocolError::new(ErrorCode::ValidatorRequired, text));
        }
        let arguments = arguments.read(&operation).map_err(|fault| {
            ProtocolError::new(ErrorCode::InvalidArguments, fault.at_member("arguments").to_string())
        })?;
        if !self.visibility.permits(&request.principal, &target.path, &name) {
            let text = format!("{} is not permitted to you here", quoted(&name));
            return Err(ProtocolError::new(ErrorCode::PermissionDenied, text));
        }
        let Ok(place) = self.calls.clone().try_acquire_owned() else {
            let most = self.limits.calls;
            let text = format!(
                "{most} calls run already, which is this Host's limit, and nothing was done; call again later"
            );
            return Err(ProtocolError::new(ErrorCode::ResourceLimitExceeded, text));
        };
        let identity = object.r#ref.clone();
        let guard = StateGuard {
            sent: target.validator,
            object,
            view: request.principal.clone(),
            validators: self.validators.clone(),
        };
        let cursors = self.sealer.bind([
            if request.principal.name().is_some() { "named" } else { "anonymous" },
            request.principal.name().unwrap_or_default(),
            target.path.as_str(),
            identity.as_ref().map_or("", Ref::as_str),
            interface.reference.scope().as_str(),
            interface.reference.name().as_str(),
            &name,
        ]);
        let call = Call {
            mount: mount.clone(),
            path,
            reference,
            interface: published,
            operation: operation.clone(),
            arguments,
            effects,
            deadline: request.deadline,
            fence: request.fence.clone(),
            guard: guard.clone(),
            cursors,
            place,
        };
        let answering = Answering { target: target.path, operation, fence: request.fence.clone(), guard };
        let context = Context::new(request, mount);
        Ok(Ready { mount: mount.clone(), context, call, answering })
    }

    async fn check_interface(
        &self,
        request: &Arc<Request>,
        target: &Target,
        interface: &InterfaceTarget,
        object: &Object,
    ) -> Result<Interface, ProtocolError> {
        let reference = &interface.reference;
        if !reference.serves(&target.path) || !object.interfaces.contains(reference) {
            return Err(no_member(interface));
        }
        let found = self.find_interface(request, reference).await.map_err(|error| match error {
            ProviderError::NotFound => no_member(interface),
            error => error.shown(&quoted(&reference.to_string())),
        })?;
        if interface.scope_ref.is_some() && interface.scope_ref != found.scope_ref {
            let text = format!(
                "another Object stands at {} than the one whose interface was fetched; fetch Object and interface again",
                quoted(reference.scope().as_str())
            );
            return Err(ProtocolError::new(ErrorCode::InterfaceMismatch, text));
        }
        self.check_descriptor(request, interface, &found.interface)?;
        Ok(found.interface)
    }

    fn check_descriptor(
        &self,
        request: &Request,
        interface: &InterfaceTarget,
        published: &Interface,
    ) -> Result<(), ProtocolError> {
        let name = || quoted(&interface.reference.to_string());
        let Some(sent) = &interface.validator else {
            let text =
                format!("fetch the interface {} and send its validator as interface.validator", name());
            return Err(ProtocolError::new(ErrorCode::InterfaceValidatorRequired, text));
        };
        if *sent != self.validators.interface(&request.principal, published) {
            return Err(interface_changed(&name()));
        }
        Ok(())
    }
}

fn no_member(interface: &InterfaceTarget) -> ProtocolError {
    let text = format!(
        "the Object does not publish the interface {}; fetch the Object for those that it does",
        quoted(&interface.reference.to_string())
    );
    ProtocolError::new(ErrorCode::InterfaceMismatch, text)
}

/// Whoever waits for a call. Going away gives the call up, unless it has crossed the fence.
struct Waiting {
    fence: Fence,
    task: AbortHandle,
    cancel: Option<DropGuard>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let cancel = self.cancel.take();
        if self.fence.abandon() {
            self.task.abort();
        } else if let Some(cancel) = cancel {
            cancel.disarm();
        }
    }
}

impl Answering {
    fn answer(self, ended: Result<Result<Ending, Refusal>, JoinError>) -> Result<CallAnswer, ProtocolError> {
        match ended {
            Ok(Ok(Ending::NoEffect(result))) => {
                match result.map_err(unfit).and_then(|result| self.check_result(&result).map(|()| result)) {
                    Ok(result) => Ok(self.success(
                        result,
                        After::Unchanged,
                        self.guard.sent.is_some(),
                        Settled::BeforeFence,
                    )),
                    Err(refusal) => Err(self.refused(&refusal)),
                }
            }
            Ok(Ok(Ending::Effect(Fate::Done { result, after }, compared))) => {
                match self.check_result(&result) {
                    Ok(()) => Ok(self.success(result, after, compared, Settled::BehindFence)),
                    Err(refusal) => Err(self.unknown(&refusal_text(&refusal))),
                }
            }
            Ok(Ok(Ending::Effect(Fate::RolledBack(refusal), _))) => Err(self.refused(&refusal)),
            Ok(Ok(Ending::Effect(Fate::Unknown(source), _))) => {
                Err(self.unknown(&Chain(&*source).to_string()))
            }
            Ok(Err(refusal)) if self.fence.is_crossed() => Err(self.unknown(&refusal_text(&refusal))),
            Ok(Err(refusal)) => Err(self.refused(&refusal)),
            Err(ended) => {
                let text = match ended.try_into_panic() {
                    Ok(panic) => panic_text(&*panic),
                    Err(ended) => ended.to_string(),
                };
                if self.fence.is_crossed() {
                    return Err(self.unknown(&text));
                }
                Err(self.refused(&Refusal::failed(text)))
            }
        }
    }

    fn check_result(&self, result: &Value) -> Result<(), Refusal> {
        self.operation.returns().check(result).map_err(unfit)
    }

    /// The state behind the call is told only where the one before it was compared with what the caller observed:
    /// otherwise it would vouch for changes of others that the caller never saw.
    fn success(&self, result: Value, after: After, compared: bool, settled: Settled) -> CallAnswer {
        let validator: Option<Validator> = match (&self.guard.object.validator, after) {
            _ if !compared => None,
            (None, _) | (_, After::Changed) => None,
            (Some(before), After::Unchanged) => Some(before.clone()),
            (Some(_), After::State(state)) => Some(self.guard.published(&state)),
        };
        CallAnswer { result, validator, settled }
    }

    fn refused(&self, refusal: &Refusal) -> ProtocolError {
        let asked = quoted(self.target.as_str());
        if let Refusal::Failed(source) = refusal {
            let error = Chain(&**source);
            tracing::error!(target_entry = %self.target, operation = %self.operation.name(), %error, "the call failed");
            return internal(&asked);
        }
        refusal.shown(&asked)
    }

    fn unknown(&self, cause: &str) -> ProtocolError {
        let operation = self.operation.name();
        tracing::error!(target_entry = %self.target, %operation, cause, "the outcome of a call is unknown");
        let text = format!(
            "{} on {} may have had its effect; look at the Object before calling again",
            quoted(operation),
            quoted(self.target.as_str())
        );
        ProtocolError::new(ErrorCode::OperationOutcomeUnknown, text)
    }
}

fn unfit(fault: Fault) -> Refusal {
    Refusal::failed(format!("the result is not of its declared type: {}", fault.at_member("result")))
}

fn refusal_text(refusal: &Refusal) -> String {
    Chain(refusal).to_string()
}
