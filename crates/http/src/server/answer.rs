//! Answers as they go out: bodies in pieces, each under way until its last piece is taken.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use hyper::body::{Body, Frame, SizeHint};

use super::activity::UnderWay;
use super::admission::Refusal;
use super::load::Share;
use crate::media;

/// The most that is handed to a connection at once, so that a slow receiver keeps its request under way.
const PIECE: usize = 64 * 1024;

/// The body of an answer.
pub(super) struct AnswerBody {
    content: Content,
    /// Dropped with the body, as is the place.
    under_way: Option<UnderWay>,
    place: Option<Share>,
}

enum Content {
    Whole(Bytes),
    /// That of a further route.
    Further(axum::body::Body),
}

/// An answer of the protocol.
pub(super) fn json(status: StatusCode, body: impl Into<Bytes>) -> Response<AnswerBody> {
    answer(status, HeaderValue::from_static(media::JSON), body.into())
}

/// A plain failure.
pub(super) fn plain(refusal: &Refusal) -> Response<AnswerBody> {
    let text = Bytes::from(format!("{}\n", refusal.text));
    let mut response = answer(refusal.status, HeaderValue::from_static("text/plain; charset=utf-8"), text);
    if let Some(allow) = refusal.allow {
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allow));
    }
    let challenge = refusal.challenge.as_deref().and_then(|text| HeaderValue::from_str(text).ok());
    if let Some(challenge) = challenge {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}

fn answer(status: StatusCode, content_type: HeaderValue, body: Bytes) -> Response<AnswerBody> {
    let mut response =
        Response::new(AnswerBody { content: Content::Whole(body), under_way: None, place: None });
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, content_type);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

impl AnswerBody {
    pub(super) fn further(body: axum::body::Body) -> Self {
        Self { content: Content::Further(body), under_way: None, place: None }
    }

    /// Keeps the request under way until the body is gone.
    pub(super) fn hold(mut self, under_way: UnderWay) -> Self {
        self.under_way = Some(under_way);
        self
    }

    /// Keeps the request's place until the body is gone.
    pub(super) fn keep(mut self, place: Share) -> Self {
        self.place = Some(place);
        self
    }

    /// How long the body is, if that is known.
    pub(super) fn length(&self) -> Option<u64> {
        self.size_hint().exact()
    }

    /// What answers `HEAD`.
    pub(super) fn leave_out(&mut self) {
        self.content = Content::Whole(Bytes::new());
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match &mut self.content {
            Content::Whole(rest) if rest.is_empty() => Poll::Ready(None),
            Content::Whole(rest) => {
                let piece = rest.split_to(rest.len().min(PIECE));
                Poll::Ready(Some(Ok(Frame::data(piece))))
            }
            Content::Further(body) => Poll::Ready(ready!(Pin::new(body).poll_frame(cx))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.content {
            Content::Whole(rest) => rest.is_empty(),
            Content::Further(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            Content::Whole(rest) => SizeHint::with_exact(rest.len() as u64),
            Content::Further(body) => body.size_hint(),
        }
    }
}
