//! Why a Client has nothing to show, by who is at fault.

use std::fmt;
use std::sync::Arc;

use worldspace_model::{
    EntryPath, ErrorCode, Fault, InterfaceReference, Name, NotSent, ProtocolError, TransportError,
    UnknownOperation,
};

use crate::handle::Observation;

/// Why an observation failed. Cheap to clone, since those who asked together share one answer.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The Host answered with an error.
    #[error(transparent)]
    Refused(ProtocolError),
    /// The Host was not reached, or did not answer.
    #[error("{0}")]
    Transport(#[source] Arc<TransportError>),
    /// The Host's answer breaks the protocol, or contradicts what the Host said before.
    #[error("the Host's answer is invalid: {detail}")]
    InvalidAnswer {
        /// What is wrong with it.
        detail: Arc<str>,
    },
    /// The request makes no sense here; nothing was sent.
    #[error(transparent)]
    Usage(Usage),
}

/// A request that makes no sense for what was observed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Usage {
    /// The Object that was shown does not publish that interface.
    #[error("{entry} does not publish the interface {reference}; {}", Published(.published))]
    NotPublished {
        /// The Object's entry.
        entry: EntryPath,
        /// The interface.
        reference: InterfaceReference,
        /// Those that it publishes.
        published: Vec<InterfaceReference>,
    },
    /// No interface of the Object declares that operation.
    #[error("no operation {operation:?} at {entry}{}", Nearest(.nearest.as_ref()))]
    NoSuchOperation {
        /// The Object's entry.
        entry: EntryPath,
        /// The operation.
        operation: Name,
        /// A declared one that it may be a slip of.
        nearest: Option<Name>,
    },
    /// The Object that was shown has no interface of that name, under any scope.
    #[error("{entry} has no interface named {name:?}; {}", Published(.published))]
    NoSuchInterface {
        /// The Object's entry.
        entry: EntryPath,
        /// The name.
        name: Name,
        /// Those that it publishes.
        published: Vec<InterfaceReference>,
    },
    /// The Object publishes several interfaces of that name, under different scopes.
    #[error("{entry} publishes several interfaces named {name:?}: {}", List(.interfaces))]
    AmbiguousInterface {
        /// The Object's entry.
        entry: EntryPath,
        /// The name.
        name: Name,
        /// Those of that name.
        interfaces: Vec<InterfaceReference>,
    },
    /// The Object publishes more interfaces than are asked for unnamed.
    #[error(
        "{entry} publishes {published} interfaces, too many to ask for them all; name the one that is meant"
    )]
    TooManyInterfaces {
        /// The Object's entry.
        entry: EntryPath,
        /// How many it publishes.
        published: usize,
    },
    /// Several interfaces of the Object declare that operation.
    #[error("several interfaces of {entry} have an operation {operation:?}; name one of: {}", List(.interfaces))]
    AmbiguousOperation {
        /// The Object's entry.
        entry: EntryPath,
        /// The operation.
        operation: Name,
        /// The interfaces that declare it.
        interfaces: Vec<InterfaceReference>,
    },
}

/// What a program branches on: one of the protocol's codes, or one of the Client's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The protocol's code, as the Host answered it or as the Client found out by itself.
    Protocol(ErrorCode),
    /// The request makes no sense.
    Usage,
    /// Something failed on this side.
    Local,
    /// The Host was not reached, or did not answer.
    Unreachable,
    /// The Host's answer is invalid.
    InvalidAnswer,
}

impl ErrorKind {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Protocol(code) => code.name(),
            Self::Usage => "usage",
            Self::Local => "local",
            Self::Unreachable => "unreachable",
            Self::InvalidAnswer => "invalid_answer",
        }
    }
}

impl ClientError {
    /// What a program branches on.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Refused(error) => ErrorKind::Protocol(error.code),
            Self::Transport(error) => transport_kind(error),
            Self::InvalidAnswer { .. } => ErrorKind::InvalidAnswer,
            Self::Usage(usage) => usage.kind(),
        }
    }

    /// The protocol's code, where the Host answered with one.
    pub fn refusal(&self) -> Option<ErrorCode> {
        if let Self::Refused(error) = self { Some(error.code) } else { None }
    }

    pub(crate) fn invalid(detail: impl fmt::Display) -> Self {
        Self::InvalidAnswer { detail: detail.to_string().into() }
    }
}

pub(crate) fn transport_kind(error: &TransportError) -> ErrorKind {
    match error {
        TransportError::Refused(error) => ErrorKind::Protocol(error.code),
        TransportError::InvalidAnswer { .. } => ErrorKind::InvalidAnswer,
        TransportError::NotSent(NotSent::Unsendable { .. }) => ErrorKind::Local,
        TransportError::NotSent(_) | TransportError::Unanswered(_) => ErrorKind::Unreachable,
    }
}

impl Usage {
    /// What a program branches on.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NotPublished { .. } | Self::NoSuchInterface { .. } => {
                ErrorKind::Protocol(ErrorCode::InterfaceNotFound)
            }
            Self::NoSuchOperation { .. } => ErrorKind::Protocol(ErrorCode::OperationNotFound),
            Self::AmbiguousOperation { .. }
            | Self::AmbiguousInterface { .. }
            | Self::TooManyInterfaces { .. } => ErrorKind::Usage,
        }
    }

    pub(crate) fn not_published(target: &Observation, reference: &InterfaceReference) -> Self {
        let (entry, reference) = (target.entry().clone(), reference.clone());
        Self::NotPublished { entry, reference, published: target.object().interfaces.to_vec() }
    }

    pub(crate) fn no_such_interface(target: &Observation, name: &str) -> Self {
        let published = target.object().interfaces.to_vec();
        Self::NoSuchInterface { entry: target.entry().clone(), name: name.into(), published }
    }

    pub(crate) fn ambiguous_interface(target: &Observation, name: &str) -> Self {
        let named = target.object().interfaces.iter().filter(|reference| reference.name().as_str() == name);
        let interfaces = named.cloned().collect();
        Self::AmbiguousInterface { entry: target.entry().clone(), name: name.into(), interfaces }
    }

    pub(crate) fn too_many(target: &Observation) -> Self {
        let published = target.object().interfaces.len();
        Self::TooManyInterfaces { entry: target.entry().clone(), published }
    }

    pub(crate) fn unknown(entry: &EntryPath, unknown: UnknownOperation) -> Self {
        let UnknownOperation { name, nearest } = unknown;
        Self::NoSuchOperation { entry: entry.clone(), operation: name, nearest }
    }
}

impl From<TransportError> for ClientError {
    fn from(error: TransportError) -> Self {
        match error {
            TransportError::Refused(error) => Self::Refused(error),
            TransportError::InvalidAnswer { detail } => Self::InvalidAnswer { detail: detail.into() },
            error => Self::Transport(Arc::new(error)),
        }
    }
}

impl From<Usage> for ClientError {
    fn from(usage: Usage) -> Self {
        Self::Usage(usage)
    }
}

impl From<Fault> for ClientError {
    fn from(fault: Fault) -> Self {
        Self::invalid(fault)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

struct List<'a>(&'a [InterfaceReference]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, reference) in self.0.iter().enumerate() {
            write!(f, "{}{reference}", if at == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

struct Published<'a>(&'a [InterfaceReference]);

impl fmt::Display for Published<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => f.write_str("it publishes none"),
            published => write!(f, "it publishes: {}", List(published)),
        }
    }
}

struct Nearest<'a>(Option<&'a Name>);

impl fmt::Display for Nearest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |nearest| write!(f, "; did you mean {nearest:?}?"))
    }
}
