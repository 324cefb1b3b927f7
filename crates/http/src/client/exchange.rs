//! One request and its answer, as HTTP has them: what went out, what came back, and what to think of silence.

use std::error::Error as _;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, Method, StatusCode};
use http_body::{Body, Frame, SizeHint};
use worldspace_model::{NotSent, TransportError, Unanswered};

use super::handshake::{self, Explained};

/// A request.
pub(super) struct Outgoing {
    pub(super) method: Method,
    pub(super) url: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Bytes>,
}

/// An answer, its body cut behind the first octet too many.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// Sends a request once and reads its answer, until the deadline and up to `limit` octets of body.
pub(super) async fn exchange(
    client: &reqwest::Client,
    request: Outgoing,
    deadline: Instant,
    limit: usize,
) -> Result<Answer, TransportError> {
    let mut builder = client.request(request.method, request.url).headers(request.headers);
    let decided = Arc::new(AtomicBool::new(false));
    match request.body {
        Some(octets) if !octets.is_empty() => {
            let body = OutgoingBody { octets, decided: decided.clone() };
            builder = builder.body(reqwest::Body::wrap(body));
        }
        _ => decided.store(true, Ordering::Relaxed),
    }
    let answer = async {
        let mut response = builder.send().await.map_err(failure)?;
        let status = response.status();
        let headers = std::mem::take(response.headers_mut());
        let body = body(response, limit).await?;
        Ok(Answer { status, headers, body })
    };
    let answer = tokio::time::timeout_at(deadline.into(), answer).await;
    let answer = answer.unwrap_or(Err(TransportError::Unanswered(Unanswered::TimedOut)));
    match answer {
        Err(TransportError::Unanswered(reason)) if !decided.swap(true, Ordering::Relaxed) => {
            Err(unsent(reason))
        }
        answer => answer,
    }
}

/// No octet of the body left, so no Host has a request that it could run.
fn unsent(reason: Unanswered) -> TransportError {
    let (detail, source) = match reason {
        Unanswered::Lost { detail, source } => (detail, source),
        _ => ("no connection came about in time".to_owned(), None),
    };
    TransportError::NotSent(NotSent::Unreachable { detail, source })
}

/// A body that is asked for once there is a connection to send it over.
struct OutgoingBody {
    octets: Bytes,
    /// Whoever sets it first has decided: that the body leaves, or that it never will.
    decided: Arc<AtomicBool>,
}

impl Body for OutgoingBody {
    type Data = Bytes;
    type Error = &'static str;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, &'static str>>> {
        if self.octets.is_empty() {
            return Poll::Ready(None);
        }
        let octets = std::mem::take(&mut self.octets);
        let given_up = self.decided.swap(true, Ordering::Relaxed);
        Poll::Ready(Some(if given_up { Err("given up") } else { Ok(Frame::data(octets)) }))
    }

    fn is_end_stream(&self) -> bool {
        self.octets.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.octets.len() as u64)
    }
}

async fn body(mut response: reqwest::Response, limit: usize) -> Result<Bytes, TransportError> {
    let stated = response.content_length();
    let mut body = BytesMut::new();
    while let Some(piece) = response.chunk().await.map_err(failure)? {
        let room = (limit + 1).saturating_sub(body.len());
        if piece.len() >= room {
            body.extend_from_slice(&piece[..room]);
            break;
        }
        if stated == Some(piece.len() as u64) {
            return Ok(piece);
        }
        body.extend_from_slice(&piece);
    }
    Ok(body.freeze())
}

/// Where no connection came about, a request is known not to have been sent.
fn failure(error: reqwest::Error) -> TransportError {
    let is_plain = error.url().is_some_and(|url| url.scheme() == "http");
    let error = error.without_url();
    if let Some(Explained { detail, source }) = handshake::explain(&error) {
        // Without the error itself, which shows what a certificate says as it stands.
        let source = source.map(Into::into);
        return match error.is_connect() {
            true => TransportError::NotSent(NotSent::Unreachable { detail, source }),
            false => TransportError::Unanswered(Unanswered::Lost { detail, source }),
        };
    }
    let mut detail = innermost(&error);
    if is_plain && is_no_http(&error) {
        detail = "what answers there speaks no HTTP; it may be an https:// endpoint".to_owned();
    }
    if error.is_builder() {
        return TransportError::NotSent(NotSent::Unsendable { detail });
    }
    if error.is_connect() {
        return TransportError::NotSent(NotSent::Unreachable { detail, source: Some(error.into()) });
    }
    if error.is_timeout() {
        return TransportError::Unanswered(Unanswered::TimedOut);
    }
    TransportError::Unanswered(Unanswered::Lost { detail, source: Some(error.into()) })
}

/// Whether what came back cannot be read as HTTP.
fn is_no_http(error: &reqwest::Error) -> bool {
    let causes = std::iter::successors(error.source(), |cause| (*cause).source());
    causes.filter_map(|cause| cause.downcast_ref::<hyper::Error>()).any(hyper::Error::is_parse)
}

/// The cause at the bottom, which is the one that tells people something.
fn innermost(error: &reqwest::Error) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
