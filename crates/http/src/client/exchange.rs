//! One request and its answer, as HTTP has them: what went out, what came back, and what to think of silence.

use std::time::Instant;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, Method, StatusCode};
use worldspace_model::{NotSent, TransportError, Unanswered};

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
    if let Some(body) = request.body {
        builder = builder.body(body);
    }
    let answer = async {
        let mut response = builder.send().await.map_err(failure)?;
        let status = response.status();
        let headers = std::mem::take(response.headers_mut());
        let body = body(response, limit).await?;
        Ok(Answer { status, headers, body })
    };
    match tokio::time::timeout_at(deadline.into(), answer).await {
        Ok(answer) => answer,
        // Whether it went out before the deadline is not to be seen from here, so it may have.
        Err(_) => Err(TransportError::Unanswered(Unanswered::TimedOut)),
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

/// Only where no connection came about is a request known not to have been sent.
fn failure(error: reqwest::Error) -> TransportError {
    let error = error.without_url();
    let detail = innermost(&error);
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

/// The cause at the bottom, which is the one that tells people something.
fn innermost(error: &reqwest::Error) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
