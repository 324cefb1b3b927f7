//! What a Host speaks, asked once per transport (SPEC 7).

use http::{HeaderMap, Method, StatusCode};
use tracing::debug;
use worldspace_model::{Capabilities, RequestContext, TransportError};
use worldspace_wire::{Content, ForeignKind};

use super::exchange::Answer;
use super::{HttpTransport, failure};
use crate::endpoint::Route;
use crate::media;

impl HttpTransport {
    /// Asked once, and remembered if there was an answer.
    pub(super) async fn ask_capabilities(
        &self,
        context: RequestContext,
    ) -> Result<Capabilities, TransportError> {
        let known = self.capabilities.get_or_try_init(|| async {
            let answer =
                self.send(Method::GET, Route::Capabilities, &context, HeaderMap::new(), None).await?;
            self.read_capabilities(&answer)
        });
        known.await.cloned()
    }

    /// Whatever a v1 Host makes of a route that it does not know, it speaks v1.
    fn read_capabilities(&self, answer: &Answer) -> Result<Capabilities, TransportError> {
        if matches!(answer.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return Err(failure::foreign(answer.status.as_u16(), ForeignKind::HttpStatus));
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
