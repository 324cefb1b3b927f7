//! One interaction: its body into a request, the Responder's answer into a body, and what goes wrong between them into
//! an error of the protocol.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::FutureExt as _;
use http::{HeaderMap, Response, StatusCode};
use tracing::{Span, error};
use worldspace_model::{
    Capabilities, ErrorCode, Interaction, ProtocolError, RequestContext, Responder, Settled,
};
use worldspace_wire::{Codec, EncodeError, Encoding};

use super::answer::{self, AnswerBody};
use super::headers;
use super::routes::SERVED;

/// For a Responder to answer at its deadline by itself, since only it can tell what it has found by then.
const GRACE: Duration = Duration::from_millis(250);

pub(super) struct Dispatch {
    pub(super) responder: Arc<dyn Responder>,
    pub(super) codec: Codec,
}

impl Dispatch {
    /// What the Responder speaks, as far as this server carries it.
    pub(super) fn capabilities(&self) -> Response<AnswerBody> {
        let Capabilities { mut interactions, extensions, mut limits, journal, .. } =
            self.responder.capabilities();
        interactions.retain(|interaction| SERVED.contains(interaction));
        limits.request_bytes = self.codec.limits.request_bytes() as u64;
        limits.response_bytes = self.codec.limits.response_bytes() as u64;
        limits.nesting = self.codec.limits.nesting() as u64;
        let encodings = Encoding::ALL.iter().map(|encoding| encoding.media_type().to_owned()).collect();
        let stated = Capabilities { interactions, encodings, extensions, limits, journal };
        match self.codec.write_capabilities(&stated) {
            Ok(body) => answer::json(StatusCode::OK, body),
            Err(error) => self.failure(&error.into()),
        }
    }

    pub(super) async fn answer(
        &self,
        interaction: Interaction,
        context: RequestContext,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Response<AnswerBody> {
        let answered = match interaction {
            Interaction::Fetch => self.fetch(context, body).await,
            Interaction::FetchTree => self.fetch_tree(context, body).await,
            Interaction::Observe => self.observe(context, body).await,
            Interaction::FetchInterface => self.fetch_interface(context, headers, body).await,
            Interaction::CallOperation => self.call_operation(context, headers, body).await,
            Interaction::CallOutcome => {
                Err(ProtocolError::new(ErrorCode::Internal, "there is no journal here"))
            }
        };
        answered.map_or_else(|error| self.failure(&error), |body| answer::json(StatusCode::OK, body))
    }

    fn failure(&self, error: &ProtocolError) -> Response<AnswerBody> {
        Span::current().record("code", error.code.name());
        let status = StatusCode::from_u16(worldspace_wire::status_of(error.code));
        answer::json(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), self.codec.write_error(error))
    }

    async fn fetch(&self, context: RequestContext, body: Bytes) -> Result<Vec<u8>, ProtocolError> {
        let request = self.codec.read_fetch_request(&body)?;
        let answer = observation(context.deadline, || self.responder.fetch(context, request)).await?;
        Ok(self.codec.write_fetch_response(&answer)?)
    }

    async fn fetch_tree(&self, context: RequestContext, body: Bytes) -> Result<Vec<u8>, ProtocolError> {
        let request = self.codec.read_fetch_tree_request(&body)?;
        let answer = observation(context.deadline, || self.responder.fetch_tree(context, request)).await?;
        Ok(self.codec.write_tree(&answer)?)
    }

    async fn observe(&self, context: RequestContext, body: Bytes) -> Result<Vec<u8>, ProtocolError> {
        let request = self.codec.read_observe_request(&body)?;
        let answer = observation(context.deadline, || self.responder.observe(context, request)).await?;
        Ok(self.codec.write_observation(&answer)?)
    }

    async fn fetch_interface(
        &self,
        context: RequestContext,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<Vec<u8>, ProtocolError> {
        let wanted = headers::wants_effects(headers);
        let request = self.codec.read_fetch_interface_request(&body, wanted)?;
        let mut answer =
            observation(context.deadline, || self.responder.fetch_interface(context, request)).await?;
        // Never unasked, since a v1 Client refuses members that it does not know.
        answer.effects = answer.effects.filter(|_| wanted);
        Ok(self.codec.write_interface_response(&answer)?)
    }

    /// No time limit of this server's own: only the Host knows whether a call has passed the fence.
    async fn call_operation(
        &self,
        context: RequestContext,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<Vec<u8>, ProtocolError> {
        let key = headers::call_key(headers)?;
        let call = self.codec.read_call_request(&body, key)?;
        let answer = caught(|| self.responder.call_operation(context, call)).await.map_err(|Panicked| {
            ProtocolError::new(
                ErrorCode::OperationOutcomeUnknown,
                "the Host failed during the call, which may have had its effect: look at the Object before calling again",
            )
        })??;
        self.codec.write_call_answer(&answer).map_err(|error| unsendable(error, answer.settled))
    }
}

/// An answer of a call that cannot be sent: nothing happened before the fence, behind it the effect is there.
fn unsendable(error: EncodeError, settled: Settled) -> ProtocolError {
    match settled {
        Settled::BeforeFence => error.into(),
        Settled::BehindFence => ProtocolError::new(
            ErrorCode::OperationOutcomeUnknown,
            format!(
                "the call was run, but its result cannot be sent: {error}; look at what it changed before calling again"
            ),
        ),
    }
}

/// Runs an observation until its deadline.
async fn observation<T, F>(deadline: Option<Instant>, start: impl FnOnce() -> F) -> Result<T, ProtocolError>
where
    F: Future<Output = Result<T, ProtocolError>>,
{
    let answer = caught(start);
    let answer = match deadline {
        None => answer.await,
        Some(deadline) => match tokio::time::timeout_at((deadline + GRACE).into(), answer).await {
            Ok(answer) => answer,
            Err(_) => {
                return Err(ProtocolError::new(
                    ErrorCode::ResourceLimitExceeded,
                    "the answer was not ready at the deadline: ask for less, or wait longer (`Prefer: wait=SECONDS`)",
                ));
            }
        },
    };
    answer.unwrap_or_else(|Panicked| {
        Err(ProtocolError::new(ErrorCode::Internal, "the Host failed; its log says why"))
    })
}

/// A Responder has panicked. The log has why, under the request's number.
struct Panicked;

/// A panic ends its own request and no other.
async fn caught<T, F: Future<Output = T>>(start: impl FnOnce() -> F) -> Result<T, Panicked> {
    let answer = AssertUnwindSafe(async { start().await }).catch_unwind().await;
    answer.map_err(|_| {
        error!("the Responder panicked");
        Panicked
    })
}
