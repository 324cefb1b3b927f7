//! One interaction: its body into a request, the Responder's answer into a body, and what goes wrong between them into
//! an error of the protocol.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::FutureExt as _;
use http::{HeaderMap, Response, StatusCode};
use tokio_util::sync::CancellationToken;
use tracing::{Span, error};
use worldspace_model::{
    Capabilities, ErrorCode, Interaction, ProtocolError, RequestContext, Responder, Settled,
};
use worldspace_wire::{Codec, EncodeError, Encoding};

use super::answer::{self, AnswerBody};
use super::headers;
use super::load::Load;
use super::routes::SERVED;

/// For a Responder to answer at its deadline by itself, since only it can tell what it has found by then.
const GRACE: Duration = Duration::from_millis(250);

pub(super) struct Dispatch {
    pub(super) responder: Arc<dyn Responder>,
    pub(super) codec: Codec,
    pub(super) load: Load,
    /// Told when requests under way are given up.
    pub(super) ending: CancellationToken,
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
        if self.ending.is_cancelled() {
            return self.failure(&ending());
        }
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

    pub(super) fn failure(&self, error: &ProtocolError) -> Response<AnswerBody> {
        Span::current().record("code", error.code.name());
        let status = StatusCode::from_u16(worldspace_wire::status_of(error.code));
        answer::json(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), self.codec.write_error(error))
    }

    async fn fetch(&self, context: RequestContext, body: Bytes) -> Result<Bytes, ProtocolError> {
        let request = self.codec.read_fetch_request(&body)?;
        let answer = self.observed(context.deadline, self.responder.fetch(context, request)).await?;
        self.load.answer(self.codec.write_fetch_response(&answer)?)
    }

    async fn fetch_tree(&self, context: RequestContext, body: Bytes) -> Result<Bytes, ProtocolError> {
        let request = self.codec.read_fetch_tree_request(&body)?;
        let answer = self.observed(context.deadline, self.responder.fetch_tree(context, request)).await?;
        self.load.answer(self.codec.write_tree(&answer)?)
    }

    async fn observe(&self, context: RequestContext, body: Bytes) -> Result<Bytes, ProtocolError> {
        let request = self.codec.read_observe_request(&body)?;
        let answer = self.observed(context.deadline, self.responder.observe(context, request)).await?;
        self.load.answer(self.codec.write_observation(&answer)?)
    }

    async fn fetch_interface(
        &self,
        context: RequestContext,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<Bytes, ProtocolError> {
        let wanted = headers::wants_effects(headers);
        let request = self.codec.read_fetch_interface_request(&body, wanted)?;
        let mut answer =
            self.observed(context.deadline, self.responder.fetch_interface(context, request)).await?;
        // Never unasked, since a v1 Client refuses members that it does not know.
        answer.effects = answer.effects.filter(|_| wanted);
        self.load.answer(self.codec.write_interface_response(&answer)?)
    }

    /// No time limit of this server's own: only the Host knows whether a call has passed the fence.
    async fn call_operation(
        &self,
        context: RequestContext,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<Bytes, ProtocolError> {
        let key = headers::call_key(headers)?;
        let call = self.codec.read_call_request(&body, key)?;
        self.load.require_room(self.codec.limits.response_bytes())?;
        let answer = caught(async {
            let answer = self.responder.call_operation(context, call).await?;
            match self.codec.write_call_answer(&answer) {
                Ok(body) if answer.settled == Settled::BehindFence => Ok(self.load.answer_regardless(body)),
                Ok(body) => self.load.answer(body),
                Err(error) => Err(unsendable(error, answer.settled)),
            }
        });
        let unknown = tokio::select! {
            biased;
            answer = answer => match answer {
                Ok(answer) => return answer,
                Err(_) => "the Host failed during the call; its log says why, under the `x-request-id` of this answer",
            },
            () = self.ending.cancelled() => "the Host is ending and could not wait for the call to be done",
        };
        Err(ProtocolError::new(
            ErrorCode::OperationOutcomeUnknown,
            format!("{unknown}; it may have had its effect, so look at the Object before calling again"),
        ))
    }

    /// Waits for an observation, until its deadline or the end of the server.
    async fn observed<T>(
        &self,
        deadline: Option<Instant>,
        answer: impl Future<Output = Result<T, ProtocolError>>,
    ) -> Result<T, ProtocolError> {
        let late = async {
            match deadline {
                Some(deadline) => tokio::time::sleep_until((deadline + GRACE).into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            answer = answer => answer,
            () = late => Err(ProtocolError::new(
                ErrorCode::ResourceLimitExceeded,
                "the answer was not ready at the deadline: ask for less, or wait longer (`Prefer: wait=SECONDS`)",
            )),
            () = self.ending.cancelled() => Err(ending()),
        }
    }
}

/// A request that was not run, or an observation that was given up, since the server ends.
pub(super) fn ending() -> ProtocolError {
    ProtocolError::new(
        ErrorCode::ResourceLimitExceeded,
        "the Host is ending, and the time for requests under way is over (drain_timeout): \
         ask again once it is back",
    )
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

/// What answers a request has panicked. The log has why.
#[derive(Debug, thiserror::Error)]
#[error("the Host failed; its log says why, under the `x-request-id` of this answer")]
pub(super) struct Panicked;

impl From<Panicked> for ProtocolError {
    fn from(panicked: Panicked) -> Self {
        Self::new(ErrorCode::Internal, panicked.to_string())
    }
}

/// A panic ends its own request and no other.
pub(super) async fn caught<T>(answer: impl Future<Output = T>) -> Result<T, Panicked> {
    AssertUnwindSafe(answer).catch_unwind().await.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
        error!(reason = text, "panicked");
        Panicked
    })
}
