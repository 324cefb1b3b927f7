//! What goes wrong in a provider. What the caller is told and what the log holds are kept apart: a source is logged,
//! never shown.

use std::error::Error;

use worldspace_model::{ErrorCode, Fault, ProtocolError, Quoted};

/// The cause of a failure, for the log alone.
pub(crate) type Source = Box<dyn Error + Send + Sync>;

/// Why an observation has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProviderError {
    /// Nothing is there.
    #[error("nothing is there")]
    NotFound,
    /// The child to go on behind is no longer there, and the order does not tell where it stood.
    #[error("the child to go on behind is gone")]
    Gone,
    /// The time ran out.
    #[error("the time ran out")]
    Late,
    /// A limit of the provider. The text is shown: which limit, and what to do.
    #[error("{0}")]
    Limit(String),
    /// It failed.
    #[error("the provider failed")]
    Failed(#[source] Source),
}

/// Why a call was refused before any effect.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// An argument is unusable whatever the state. The text is shown: which one, why, and what would be right.
    #[error("{0}")]
    InvalidArguments(String),
    /// The principal sees the Object and the operation but may not run it. The text is shown.
    #[error("{0}")]
    PermissionDenied(String),
    /// The target went meanwhile.
    #[error("the target is gone")]
    NotFound,
    /// The target is in another state than the caller observed.
    #[error("the target changed")]
    StateChanged,
    /// The interface that is called is another one by now, as where it is made from a schema.
    #[error("the interface changed")]
    InterfaceChanged,
    /// A limit. The text is shown: which limit, and what to do.
    #[error("{0}")]
    Limit(String),
    /// It failed.
    #[error("the provider failed")]
    Failed(#[source] Source),
}

impl ProviderError {
    /// A failure with its cause.
    pub fn failed(source: impl Into<Source>) -> Self {
        Self::Failed(source.into())
    }

    /// As an answer to a question that named no child to go on behind: there, that one is gone makes no sense.
    pub(crate) fn without_place(self) -> Self {
        match self {
            Self::Gone => Self::failed("it says that a child to go on behind is gone, though none was named"),
            error => error,
        }
    }

    /// What the caller is told, given how they name what they asked for.
    pub(crate) fn shown(&self, asked: &str) -> ProtocolError {
        match self {
            Self::NotFound => not_found(asked),
            Self::Gone => ProtocolError::new(
                ErrorCode::InvalidRequest,
                "the child named by `after` is gone; start again without `after`",
            ),
            Self::Late => ProtocolError::new(ErrorCode::ResourceLimitExceeded, late(asked)),
            Self::Limit(text) => ProtocolError::new(ErrorCode::ResourceLimitExceeded, text),
            Self::Failed(_) => internal(asked),
        }
    }
}

/// Time that ran out has one form too.
pub(crate) fn late(asked: &str) -> String {
    format!("the time for {asked} ran out and nothing was changed; allow more time, or ask for less")
}

impl Refusal {
    /// An unusable argument.
    pub fn argument(name: &str, why: impl std::fmt::Display) -> Self {
        Self::InvalidArguments(format!("arguments.{name}: {why}"))
    }

    /// A failure with its cause.
    pub fn failed(source: impl Into<Source>) -> Self {
        Self::Failed(source.into())
    }

    pub(crate) fn shown(&self, asked: &str) -> ProtocolError {
        let (code, text) = match self {
            Self::InvalidArguments(text) => (ErrorCode::InvalidArguments, text.as_str()),
            Self::PermissionDenied(text) => (ErrorCode::PermissionDenied, text.as_str()),
            Self::NotFound => return not_found(asked),
            Self::StateChanged => return changed(asked),
            Self::InterfaceChanged => return interface_changed(&format!("that was called on {asked}")),
            Self::Limit(text) => (ErrorCode::ResourceLimitExceeded, text.as_str()),
            Self::Failed(_) => return internal(asked),
        };
        ProtocolError::new(code, text)
    }
}

/// A mismatch has one form, wherever it is found.
pub(crate) fn changed(asked: &str) -> ProtocolError {
    ProtocolError::new(
        ErrorCode::ValidatorMismatch,
        format!(
            "{asked} is in another state than was observed; fetch it again and decide anew (nothing happened)"
        ),
    )
}

/// So has one of an interface.
pub(crate) fn interface_changed(which: &str) -> ProtocolError {
    ProtocolError::new(
        ErrorCode::InterfaceValidatorMismatch,
        format!("the interface {which} is another one than was fetched; fetch it again (nothing happened)"),
    )
}

/// Hidden and absent are one answer, so it has one form.
pub(crate) fn not_found(asked: &str) -> ProtocolError {
    ProtocolError::new(
        ErrorCode::NotFound,
        format!("nothing is at {asked}; look at an entry above it for what is there"),
    )
}

pub(crate) fn internal(asked: &str) -> ProtocolError {
    ProtocolError::new(
        ErrorCode::Internal,
        format!("the Host failed on {asked}; nothing was changed, and its log says more"),
    )
}

/// A foreign text for a message.
pub(crate) fn quoted(text: &str) -> String {
    Quoted(text).to_string()
}

impl From<Fault> for ProviderError {
    fn from(fault: Fault) -> Self {
        Self::failed(fault)
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::failed(fault)
    }
}

impl From<ProviderError> for Refusal {
    fn from(error: ProviderError) -> Self {
        match error {
            ProviderError::NotFound => Self::NotFound,
            ProviderError::Gone => {
                Self::InvalidArguments("the place to go on from is gone; begin the list again".to_owned())
            }
            ProviderError::Late => Self::Limit(late("the call")),
            ProviderError::Limit(text) => Self::Limit(text),
            ProviderError::Failed(source) => Self::Failed(source),
        }
    }
}
