//! What those are told who are not let in: one answer to all of them, and the document it points to (RFC 9728).

use http::request::Parts;
use http::{Method, Response, StatusCode};

use super::admission::{self, Refusal};
use super::answer::{self, AnswerBody};
use crate::endpoint::Endpoint;

/// Below it, at the root of every authority, a resource says how it wants to be asked.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The one refusal of whoever shows no token that is good. Whatever is wrong with it, nothing of the answer tells.
pub(super) fn refusal(endpoint: &Endpoint) -> Refusal {
    Refusal {
        challenge: Some(format!("Bearer resource_metadata=\"{}\"", url(endpoint))),
        ..Refusal::new(
            StatusCode::UNAUTHORIZED,
            "A token is needed here, or the one given is not valid (any more): send `Authorization: Bearer TOKEN`.",
        )
    }
}

/// Where the document about that endpoint stands.
fn url(endpoint: &Endpoint) -> String {
    format!("{}{}", endpoint.origin(), path(endpoint))
}

/// A slash that is all of the endpoint's path is left out, as the RFC has it.
fn path(endpoint: &Endpoint) -> String {
    let base = endpoint.base_path();
    format!("{WELL_KNOWN}{}", if base == "/" { "" } else { base })
}

/// Whether a request asks for the document.
pub(super) fn is_asked(head: &Parts, endpoint: &Endpoint) -> bool {
    head.uri.query().is_none() && head.uri.path() == path(endpoint)
}

/// The document: where the resource is, and that it takes its tokens in a header.
pub(super) fn document(method: &Method, endpoint: &Endpoint) -> Result<Response<AnswerBody>, Refusal> {
    admission::require_method(method, &[Method::GET, Method::HEAD], "GET, HEAD")?;
    // A URL in normal form has nothing that JSON would escape.
    let text = format!(r#"{{"resource":"{endpoint}","bearer_methods_supported":["header"]}}"#);
    Ok(answer::json(StatusCode::OK, text))
}
