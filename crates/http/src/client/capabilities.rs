//! What a Host speaks, asked once per transport (SPEC 7).

use http::{HeaderMap, Method, StatusCode};
use tracing::debug;
use worldspace_model::{Capabilities, RequestContext, TransportError};
use worldspace_wire::{Content, ForeignKind};

use super::exchange::Answer;
use super::{HttpTransport, failure};
use crate::endpoint::Route;
use crate::media;

/// What holds for this time alone: a failure, or v1 from a Host that is not well.
type ForNow = Result<Capabilities, TransportError>;

impl HttpTransport {
    /// Asked once, and remembered if the answer tells of the Host rather than of its state.
    pub(super) async fn ask_capabilities(
        &self,
        context: RequestContext,
    ) -> Result<Capabilities, TransportError> {
        let ask = || async {
            let answer = self.send(Method::GET, Route::Capabilities, &context, HeaderMap::new(), None).await;
            self.read_capabilities(&answer.map_err(Err)?)
        };
        match self.capabilities.get_or_try_init(ask).await {
            Ok(known) => Ok(known.clone()),
            Err(for_now) => for_now,
        }
    }

    /// Whatever a v1 Host makes of a route that it does not know, it speaks v1.
    fn read_capabilities(&self, answer: &Answer) -> Result<Capabilities, ForNow> {
        if matches!(answer.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return Err(Err(failure::foreign(answer.status.as_u16(), ForeignKind::HttpStatus)));
        }
        if is_passing(answer.status) {
            debug!(status = answer.status.as_u16(), "the Host says nothing of itself now");
            return Err(Ok(Capabilities::v1()));
        }
        if answer.status == StatusCode::OK && media::content(&answer.headers) == Content::Readable {
            match self.codec.read_capabilities(&answer.body) {
                Ok(capabilities) => return Ok(capabilities),
                Err(error) => debug!(%error, "the Host says nothing readable of itself"),
            }
        }
        Ok(Capabilities::v1())
    }
}

/// Whether the same request may be answered otherwise in a moment. 422 is how a Host says that it has too much to do.
fn is_passing(status: StatusCode) -> bool {
    match status {
        StatusCode::NOT_IMPLEMENTED => false,
        StatusCode::REQUEST_TIMEOUT
        | StatusCode::TOO_EARLY
        | StatusCode::TOO_MANY_REQUESTS
        | StatusCode::UNPROCESSABLE_ENTITY => true,
        _ => status.is_server_error(),
    }
}
