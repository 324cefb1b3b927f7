//! What an HTTP answer means to a Client (SPEC 3 and 7): a success, an error of the Host, an answer that breaks the
//! protocol, or nothing of this protocol at all. Pure: what the headers say, its caller has read already.

use std::fmt;

use worldspace_model::{Interaction, ProtocolError};

use crate::codec::Codec;
use crate::error::{Class, DecodeError};
use crate::status::status_of;

/// Whether the headers of an answer let its body be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// The media type is the codec's, and there is no content coding left on it.
    Readable,
    /// Another media type, or none.
    OtherType,
    /// A content coding that is not understood.
    OtherCoding,
}

/// What an HTTP answer means.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome<T> {
    /// The interaction succeeded.
    Success(T),
    /// The Host answered with an error of the protocol. Its code counts, whatever the status.
    Refused {
        /// The error.
        error: ProtocolError,
        /// Where the status is not the code's own.
        mismatch: Option<StatusMismatch>,
    },
    /// The answer is one of this protocol and breaks its rules.
    Invalid {
        /// In which way.
        kind: InvalidKind,
        /// What is wrong with the body, if it is the body.
        cause: Option<DecodeError>,
    },
    /// The answer is none of this protocol.
    Foreign {
        /// The status.
        status: u16,
        /// What kind of answer it is.
        kind: ForeignKind,
    },
}

/// A status that does not belong to the code it came with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusMismatch {
    /// The status of the answer.
    pub actual: u16,
    /// The status of the code.
    pub expected: u16,
}

/// How an answer breaks the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InvalidKind {
    /// An error with a status of success.
    ErrorEnvelopeOnSuccessStatus,
    /// A success with a status of failure.
    SuccessBodyOnErrorStatus,
    /// An error with a code that does not belong to the interaction.
    DisallowedProtocolCode,
    /// A success with a status of success that is not 200.
    NonCanonicalSuccessStatus,
    /// Anything else with a status of success.
    InvalidSuccessBody,
}

/// What an answer is that is none of this protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ForeignKind {
    /// Status 401.
    AuthenticationRequired,
    /// Status 403.
    EndpointForbidden,
    /// A content coding that is not understood, whatever the status.
    UnsupportedContentCoding,
    /// Any other status.
    HttpStatus,
}

impl Codec {
    /// Finds out what an answer to `interaction` means; `read` reads a success.
    ///
    /// A body that was given up beyond the response limit may be handed over cut, as long as it is longer than the
    /// limit.
    pub fn classify<T>(
        &self,
        interaction: Interaction,
        status: u16,
        content: Content,
        body: &[u8],
        read: impl FnOnce(&[u8]) -> Result<T, DecodeError>,
    ) -> Outcome<T> {
        let success = (200..300).contains(&status);
        match content {
            Content::OtherCoding => {
                return Outcome::Foreign { status, kind: ForeignKind::UnsupportedContentCoding };
            }
            Content::OtherType if success => {
                return Outcome::Invalid { kind: InvalidKind::InvalidSuccessBody, cause: None };
            }
            Content::OtherType => return foreign(status),
            Content::Readable => {}
        }
        if success {
            self.classify_success(status, body, read)
        } else {
            self.classify_failure(interaction, status, body, read)
        }
    }

    fn classify_success<T>(
        &self,
        status: u16,
        body: &[u8],
        read: impl FnOnce(&[u8]) -> Result<T, DecodeError>,
    ) -> Outcome<T> {
        let (kind, cause) = match read(body) {
            Ok(answer) if status == 200 => return Outcome::Success(answer),
            Ok(_) => (InvalidKind::NonCanonicalSuccessStatus, None),
            // What is no well-formed body at all is no envelope either.
            Err(error) if matches!(error.class(), Class::BodyTooLarge | Class::InvalidJson) => {
                (InvalidKind::InvalidSuccessBody, Some(error))
            }
            Err(_) if self.read_error(body).is_ok() => (InvalidKind::ErrorEnvelopeOnSuccessStatus, None),
            Err(error) => (InvalidKind::InvalidSuccessBody, Some(error)),
        };
        Outcome::Invalid { kind, cause }
    }

    fn classify_failure<T>(
        &self,
        interaction: Interaction,
        status: u16,
        body: &[u8],
        read: impl FnOnce(&[u8]) -> Result<T, DecodeError>,
    ) -> Outcome<T> {
        match self.read_error(body) {
            Ok(error) if error.code.is_allowed_for(interaction) => {
                let expected = status_of(error.code);
                let mismatch = (status != expected).then_some(StatusMismatch { actual: status, expected });
                Outcome::Refused { error, mismatch }
            }
            Ok(_) => Outcome::Invalid { kind: InvalidKind::DisallowedProtocolCode, cause: None },
            Err(_) if read(body).is_ok() => {
                Outcome::Invalid { kind: InvalidKind::SuccessBodyOnErrorStatus, cause: None }
            }
            Err(_) => foreign(status),
        }
    }
}

fn foreign<T>(status: u16) -> Outcome<T> {
    let kind = match status {
        401 => ForeignKind::AuthenticationRequired,
        403 => ForeignKind::EndpointForbidden,
        _ => ForeignKind::HttpStatus,
    };
    Outcome::Foreign { status, kind }
}

impl InvalidKind {
    /// The name in the conformance vectors.
    pub fn name(self) -> &'static str {
        match self {
            Self::ErrorEnvelopeOnSuccessStatus => "error_envelope_on_success_status",
            Self::SuccessBodyOnErrorStatus => "success_body_on_error_status",
            Self::DisallowedProtocolCode => "disallowed_protocol_code",
            Self::NonCanonicalSuccessStatus => "non_canonical_success_status",
            Self::InvalidSuccessBody => "invalid_success_body",
        }
    }
}

impl ForeignKind {
    /// The name in the conformance vectors.
    pub fn name(self) -> &'static str {
        match self {
            Self::AuthenticationRequired => "authentication_required",
            Self::EndpointForbidden => "endpoint_forbidden",
            Self::UnsupportedContentCoding => "unsupported_content_coding",
            Self::HttpStatus => "http_status",
        }
    }
}

impl fmt::Display for InvalidKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ErrorEnvelopeOnSuccessStatus => "an error came with a status of success",
            Self::SuccessBodyOnErrorStatus => "a success came with a status of failure",
            Self::DisallowedProtocolCode => "the error code does not belong to this interaction",
            Self::NonCanonicalSuccessStatus => "a success came with another status than 200",
            Self::InvalidSuccessBody => "the body of a success cannot be read",
        })
    }
}

impl fmt::Display for ForeignKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AuthenticationRequired => "the endpoint asks for authentication",
            Self::EndpointForbidden => "the endpoint refuses this client",
            Self::UnsupportedContentCoding => "the body has a content coding that is not understood",
            Self::HttpStatus => "the body is no answer of this protocol",
        })
    }
}
