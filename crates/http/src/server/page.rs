//! What a person sees who opens the endpoint in a browser: a page that says what this is and how to look at it.

use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, Method, StatusCode, header};

use super::admission::{Refusal, values};
use crate::endpoint::Endpoint;
use crate::media;

/// Nothing may be loaded, run, framed or submitted.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// Answers what no route of the protocol and none of the further routes answers.
pub(super) fn respond(
    endpoint: &Endpoint,
    title: &str,
    head: &Parts,
    routes: &[String],
) -> Result<Response, Refusal> {
    if head.uri.path() != endpoint.base_path() {
        return Err(Refusal::new(
            StatusCode::NOT_FOUND,
            format!("Nothing is at this address: the routes of this WIP Host stand below {endpoint}v1."),
        ));
    }
    if head.method != Method::GET && head.method != Method::HEAD {
        let text = format!("Requests are posted to routes below this address, such as {endpoint}v1/observe.");
        return Err(Refusal {
            allow: Some("GET, HEAD"),
            ..Refusal::new(StatusCode::METHOD_NOT_ALLOWED, text)
        });
    }
    if media::acceptance(values(&head.headers, &header::ACCEPT), "text", "html") == 0 {
        return Err(Refusal::new(
            StatusCode::NOT_ACCEPTABLE,
            format!(
                "Here is a page for people, in HTML; for programs, GET {endpoint}v1 says what is spoken."
            ),
        ));
    }
    let mut response = Response::new(page(endpoint, title, routes).into());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

fn page(endpoint: &Endpoint, title: &str, routes: &[String]) -> String {
    let title = escape(title);
    let url = escape(&endpoint.to_string());
    let mut rows = String::new();
    for route in routes {
        rows.push_str(&format!("<li><code>{}</code></li>\n", escape(route)));
    }
    format!(
        "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; }}
code, pre {{ font-family: ui-monospace, monospace; }}
pre {{ padding: .75rem 1rem; border: 1px solid; border-radius: .25rem; overflow-x: auto; }}
</style>
<h1>{title}</h1>
<p>This is a WIP Host: it publishes a <strong>Worldspace</strong>, a tree of things and of what can be done with each
of them, for people, programs and AI agents. A WIP Client looks at it and calls what is there; from a terminal:</p>
<pre>wip tree --at {url}</pre>
<p>Programs find these routes here:</p>
<ul>
{rows}</ul>
</html>
"
    )
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}
