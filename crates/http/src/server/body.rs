//! The body of a request, read whole within its limits.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use worldspace_model::{ErrorCode, ProtocolError};

use super::load::Share;

/// Why there is no body.
pub(super) enum Unread {
    /// It is larger than a request may be.
    TooLarge,
    /// It did not arrive, or could not be held. Said as an error of the protocol, since nothing else tells the sender of
    /// a call for certain that it was not run.
    Failed(ProtocolError),
}

/// Reads a body of at most `limit` octets, which `share` has to find room for as they come.
pub(super) async fn read(
    body: Incoming,
    limit: usize,
    timeout: Duration,
    share: &mut Share,
) -> Result<Bytes, Unread> {
    tokio::time::timeout(timeout, read_all(body, limit, share)).await.unwrap_or_else(|_| {
        let message = format!(
            "the body did not arrive within {} s (body_timeout): send it again, faster",
            timeout.as_secs_f32()
        );
        Err(Unread::Failed(ProtocolError::new(ErrorCode::ResourceLimitExceeded, message)))
    })
}

async fn read_all(mut body: Incoming, limit: usize, share: &mut Share) -> Result<Bytes, Unread> {
    let mut read = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| {
            let message = "the body broke off: send it whole";
            Unread::Failed(ProtocolError::new(ErrorCode::InvalidRequest, message))
        })?;
        let Ok(piece) = frame.into_data() else { continue };
        if piece.len() > limit - read.len() {
            return Err(Unread::TooLarge);
        }
        share.grow(piece.len()).map_err(Unread::Failed)?;
        if read.is_empty() && body.is_end_stream() {
            return Ok(piece);
        }
        read.extend_from_slice(&piece);
    }
    Ok(read.freeze())
}
