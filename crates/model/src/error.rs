//! The errors that a Host answers with (SPEC 3).

use std::fmt;

/// The interactions between Client and Host (SPEC 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names of SPEC 2")]
pub enum Interaction {
    Observe,
    FetchInterface,
    CallOperation,
    Fetch,
    FetchTree,
    CallOutcome,
}

/// What a program branches on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// The request is malformed.
    InvalidRequest,
    /// Nothing is there for this principal.
    NotFound,
    /// No such interface for this principal.
    InterfaceNotFound,
    /// The interface does not belong to the Object, or its scope Object is another one by now.
    InterfaceMismatch,
    /// The interface declares no such operation.
    OperationNotFound,
    /// The arguments do not fit, or are unusable whatever the state.
    InvalidArguments,
    /// The operation wants the Object's validator.
    ValidatorRequired,
    /// The Object is in another state than was observed.
    ValidatorMismatch,
    /// The interface's validator must be sent.
    InterfaceValidatorRequired,
    /// The descriptor is another one than was fetched.
    InterfaceValidatorMismatch,
    /// The principal sees it but may not do it.
    PermissionDenied,
    /// A limit was hit; on a call, nothing happened.
    ResourceLimitExceeded,
    /// The Host failed; on a call, nothing happened.
    Internal,
    /// The call may have had its effect.
    OperationOutcomeUnknown,
}

/// The text of an error, for people: at most [`Message::MAX`] bytes, cut at a character.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Message(Box<str>);

/// An error as a Host answers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtocolError {
    /// What a program branches on.
    pub code: ErrorCode,
    /// What was wrong and what to do next.
    pub message: Message,
}

impl Interaction {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Fetch,
        Self::FetchTree,
        Self::Observe,
        Self::FetchInterface,
        Self::CallOperation,
        Self::CallOutcome,
    ];

    /// The name of the interaction, and of its route.
    pub fn name(self) -> &'static str {
        match self {
            Self::Observe => "observe",
            Self::FetchInterface => "fetch_interface",
            Self::CallOperation => "call_operation",
            Self::Fetch => "fetch",
            Self::FetchTree => "fetch_tree",
            Self::CallOutcome => "call_outcome",
        }
    }

    /// The interaction of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|interaction| interaction.name() == name)
    }
}

impl ErrorCode {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::InvalidRequest,
        Self::NotFound,
        Self::InterfaceNotFound,
        Self::InterfaceMismatch,
        Self::OperationNotFound,
        Self::InvalidArguments,
        Self::ValidatorRequired,
        Self::ValidatorMismatch,
        Self::InterfaceValidatorRequired,
        Self::InterfaceValidatorMismatch,
        Self::PermissionDenied,
        Self::ResourceLimitExceeded,
        Self::Internal,
        Self::OperationOutcomeUnknown,
    ];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::NotFound => "not_found",
            Self::InterfaceNotFound => "interface_not_found",
            Self::InterfaceMismatch => "interface_mismatch",
            Self::OperationNotFound => "operation_not_found",
            Self::InvalidArguments => "invalid_arguments",
            Self::ValidatorRequired => "validator_required",
            Self::ValidatorMismatch => "validator_mismatch",
            Self::InterfaceValidatorRequired => "interface_validator_required",
            Self::InterfaceValidatorMismatch => "interface_validator_mismatch",
            Self::PermissionDenied => "permission_denied",
            Self::ResourceLimitExceeded => "resource_limit_exceeded",
            Self::Internal => "internal",
            Self::OperationOutcomeUnknown => "operation_outcome_unknown",
        }
    }

    /// The code of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.name() == name)
    }

    /// Whether a Host may answer `interaction` with this code.
    pub fn is_allowed_for(self, interaction: Interaction) -> bool {
        use Interaction::{CallOperation, FetchInterface};
        match self {
            Self::InvalidRequest | Self::ResourceLimitExceeded | Self::Internal => true,
            Self::NotFound => !matches!(interaction, FetchInterface | Interaction::CallOutcome),
            Self::InterfaceNotFound => interaction == FetchInterface,
            _ => interaction == CallOperation,
        }
    }
}

impl Message {
    /// The longest message, in bytes.
    pub const MAX: usize = 1024;

    /// Cuts what is too long.
    pub fn new(text: impl Into<String>) -> Self {
        let mut text: String = text.into();
        if text.len() > Self::MAX {
            let end = text.floor_char_boundary(Self::MAX - '…'.len_utf8());
            text.truncate(end);
            text.push('…');
        }
        Self(text.into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ProtocolError {
    /// An error with that text.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: Message::new(message) }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Interaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for ProtocolError {}
