//! The areas that the binding decides, run through what the server itself uses to find a route and to admit a request.

use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use serde_json::Value as Json;
use worldspace_http::{Endpoint, Route, admission};
use worldspace_model::Interaction;

use crate::vector::{Vector, text};

pub(crate) fn http_metadata(vector: &Vector) -> Result<(), String> {
    let endpoint = Endpoint::parse(vector.text("endpoint")?).map_err(|error| error.to_string())?;
    let route = route(vector.text("route")?)?;
    let method = Method::from_bytes(vector.text("method")?.as_bytes()).map_err(|error| error.to_string())?;
    let target: Uri = vector.text("target")?.parse().map_err(|error| format!("{error} in the target"))?;
    let headers = headers(vector.json("headers")?)?;

    let (status, allow) = if endpoint.route_at(target.path(), target.query()) == Some(route) {
        match admission::admit(route, &method, &headers) {
            Ok(()) => (None, None),
            Err(refusal) => (Some(refusal.status), refusal.allow),
        }
    } else {
        (Some(StatusCode::NOT_FOUND), None)
    };

    let expected = vector.json("expect")?;
    let status = status.map(|status| u64::from(status.as_u16()));
    if expected["status"].as_u64() != status || expected["allow"].as_str() != allow {
        return Err(format!("expected {expected}, found status {status:?}, Allow {allow:?}"));
    }
    Ok(())
}

pub(crate) fn endpoint(vector: &Vector) -> Result<(), String> {
    let expected = vector.json("expect")?;
    let endpoint = match (Endpoint::parse(vector.text("endpoint")?), expected["verdict"].as_str()) {
        (Ok(endpoint), Some("accept")) => endpoint,
        (Err(_), Some("reject")) => return Ok(()),
        (Ok(endpoint), _) => return Err(format!("accepted as {}, expected {expected}", endpoint.as_str())),
        (Err(error), _) => return Err(format!("rejected: {error}")),
    };
    same(text(&expected["base"])?, endpoint.as_str())?;
    for (name, url) in expected["routes"].as_object().ok_or("no routes")? {
        same(text(url)?, &endpoint.url_of(route(name)?))?;
    }
    Ok(())
}

/// Headers as a peer would have sent them, whose values are octets.
pub(crate) fn headers(pairs: &Json) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for pair in pairs.as_array().ok_or("no list of headers")? {
        let name = HeaderName::from_bytes(text(&pair[0])?.as_bytes()).map_err(|error| error.to_string())?;
        let value = HeaderValue::from_bytes(text(&pair[1])?.as_bytes()).map_err(|error| error.to_string())?;
        headers.append(name, value);
    }
    Ok(headers)
}

fn route(name: &str) -> Result<Route, String> {
    Interaction::parse(name).map(Route::Interaction).ok_or_else(|| format!("there is no route {name}"))
}

fn same(expected: &str, actual: &str) -> Result<(), String> {
    if expected == actual { Ok(()) } else { Err(format!("expected {expected}, found {actual}")) }
}
