//! What a request must be before its body is looked at: method, media types, size. What fails here is plain HTTP, with a
//! line of text that says what to do and no envelope of the protocol.

use http::{HeaderMap, HeaderName, Method, StatusCode, header};

use crate::endpoint::Route;
use crate::media;

/// A plain HTTP failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Its status.
    pub status: StatusCode,
    /// The value of the `Allow` header, if it has one.
    pub allow: Option<&'static str>,
    /// The value of the `WWW-Authenticate` header, if it has one.
    pub challenge: Option<String>,
    /// What was wrong and what to do next.
    pub text: String,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, text: impl Into<String>) -> Self {
        Self { status, allow: None, challenge: None, text: text.into() }
    }
}

/// Whether a request for `route` may go on, by its method and by what it says of bodies, in this order: 405, 415, 406.
///
/// # Errors
/// The failure to answer with.
pub fn admit(route: Route, method: &Method, headers: &HeaderMap) -> Result<(), Refusal> {
    match route {
        Route::Interaction(_) => {
            require_method(method, &[Method::POST], "POST")?;
            if !media::is_json(headers.get(header::CONTENT_TYPE).map(|value| value.as_bytes())) {
                return Err(Refusal::new(
                    StatusCode::UNSUPPORTED_MEDIA_TYPE,
                    "The body of a request is JSON in UTF-8: send `Content-Type: application/json`.",
                ));
            }
            if !media::is_identity(values(headers, &header::CONTENT_ENCODING)) {
                return Err(Refusal::new(
                    StatusCode::UNSUPPORTED_MEDIA_TYPE,
                    "The body of a request is not compressed: leave `Content-Encoding` out.",
                ));
            }
        }
        Route::Capabilities => require_method(method, &[Method::GET, Method::HEAD], "GET, HEAD")?,
    }
    if media::acceptance(values(headers, &header::ACCEPT), "application", "json") == 0 {
        return Err(Refusal::new(
            StatusCode::NOT_ACCEPTABLE,
            "Answers are JSON: send `Accept: application/json`, or leave it out.",
        ));
    }
    Ok(())
}

/// Whether the stated length of a body is within the limit. An unstated one is counted while it is read.
pub(super) fn admit_length(headers: &HeaderMap, limit: usize) -> Result<(), Refusal> {
    let stated = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    match stated.and_then(|text| text.parse::<u64>().ok()) {
        Some(length) if length > limit as u64 => Err(too_large(limit)),
        _ => Ok(()),
    }
}

pub(super) fn too_large(limit: usize) -> Refusal {
    Refusal::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        format!("The body of a request is at most {limit} bytes here (request_bytes): send less at once."),
    )
}

pub(super) fn require_method(
    method: &Method,
    allowed: &[Method],
    allow: &'static str,
) -> Result<(), Refusal> {
    if allowed.contains(method) {
        return Ok(());
    }
    let text = format!("Nothing here answers {method}: use {allow}.");
    Err(Refusal { allow: Some(allow), ..Refusal::new(StatusCode::METHOD_NOT_ALLOWED, text) })
}

/// The values of all headers of that name, as octets.
pub(super) fn values<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a [u8]> {
    headers.get_all(name).into_iter().map(|value| value.as_bytes())
}
