//! What an answer without success means: whether the request may have been run, and what its sender can do.

use worldspace_model::{NotSent, TransportError, Unanswered};
use worldspace_wire::{DecodeError, EncodeError, ForeignKind, InvalidKind};

/// A request that does not leave.
pub(super) fn unsendable(detail: String) -> TransportError {
    TransportError::NotSent(NotSent::Unsendable { detail })
}

/// A request that cannot be put into a body.
pub(super) fn unwritable(error: &EncodeError) -> TransportError {
    unsendable(match error {
        EncodeError::TooLarge { .. } => format!(
            "{error}; send less at once (bytes grow by a third on their way), or have the Host take more \
             (`request_bytes`)"
        ),
        error => error.to_string(),
    })
}

/// An answer of the protocol that breaks its rules.
pub(super) fn invalid(kind: InvalidKind, cause: Option<DecodeError>) -> TransportError {
    let detail = match cause {
        Some(cause) => format!("{kind}: {cause}"),
        None => kind.to_string(),
    };
    TransportError::InvalidAnswer { detail }
}

/// A descriptor of a later version.
pub(super) fn unknown_format(format: &str) -> TransportError {
    let format: String = format.chars().take(64).collect();
    TransportError::InvalidAnswer {
        detail: format!(
            "the descriptor has the format {format:?}, which a newer version of this program may read"
        ),
    }
}

/// An answer that is none of the protocol. Only some statuses are given by what stands before a Host alone, and say for
/// certain that the request was not run (SPEC 2.3).
pub(super) fn foreign(status: u16, kind: ForeignKind) -> TransportError {
    let advice = match status {
        401 => Some("a token is needed, or the one given is not valid (any more)"),
        403 => Some("the endpoint refuses this client"),
        404 | 405 => Some("no WIP Host answers at this URL; check the endpoint"),
        406 | 411 | 415 => Some("the endpoint does not take requests of this kind; it may be no WIP Host"),
        413 => Some("the request is larger than the endpoint takes; send less at once"),
        414 | 431 => Some("the endpoint takes no request of this length; use a shorter one"),
        421 => Some("the endpoint does not go by this name; use its own address"),
        _ => None,
    };
    match advice {
        Some(advice) => TransportError::NotSent(NotSent::Rejected { status, detail: advice.to_owned() }),
        None => {
            let detail = match status {
                300..=399 => {
                    "the endpoint points elsewhere, which is not followed; use the new address".to_owned()
                }
                _ => kind.to_string(),
            };
            TransportError::Unanswered(Unanswered::Status { status, detail })
        }
    }
}
