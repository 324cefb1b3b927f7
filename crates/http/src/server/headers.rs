//! What the headers of a request add to its body: a deadline, a call key, and what else is wanted.

use std::time::{Duration, Instant};

use http::{HeaderMap, HeaderName};
use worldspace_model::{CallKey, ErrorCode, ProtocolError};

use super::admission::values;
use super::config::ServerLimits;
use crate::extension;
use crate::media;

/// When the caller stops waiting: as `Prefer: wait` says, within the server's bounds.
pub(super) fn deadline(headers: &HeaderMap, limits: &ServerLimits, now: Instant) -> Instant {
    let prefer = HeaderName::from_static(extension::PREFER);
    let wait = media::preferences(values(headers, &prefer))
        .find(|(name, _)| name.eq_ignore_ascii_case(extension::WAIT.as_bytes()))
        .and_then(|(_, value)| seconds(&value));
    now + wait.unwrap_or(limits.default_deadline).min(limits.max_deadline)
}

/// A whole number of seconds; one that is too large to be held is as long as can be.
fn seconds(text: &[u8]) -> Option<Duration> {
    let digits = std::str::from_utf8(text).ok()?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| Duration::from_secs(digits.parse().unwrap_or(u64::MAX)))
}

/// The key of a call.
pub(super) fn call_key(headers: &HeaderMap) -> Result<Option<CallKey>, ProtocolError> {
    let mut keys = headers.get_all(extension::CALL_KEY).into_iter();
    let Some(first) = keys.next() else { return Ok(None) };
    let key = first.to_str().ok().and_then(|text| CallKey::parse(text).ok());
    match key {
        Some(key) if keys.next().is_none() => Ok(Some(key)),
        _ => Err(ProtocolError::new(
            ErrorCode::InvalidRequest,
            "Idempotency-Key: a call has one key of 1 to 255 visible ASCII characters; \
             leave the header out if the call needs none",
        )),
    }
}

/// Whether effects are wanted beside a descriptor.
pub(super) fn wants_effects(headers: &HeaderMap) -> bool {
    let name = HeaderName::from_static(extension::EXTENSIONS);
    values(headers, &name).flat_map(media::elements).any(|wanted| wanted == extension::EFFECTS.as_bytes())
}
