//! Why a command failed: one table from every error to its code, its exit status and what to say about it.

use std::fmt;

use worldspace_model::ErrorCode;

/// A failed command, as it is told to people and programs.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) kind: Kind,
    pub(crate) message: String,
    /// The next steps, the likeliest first.
    pub(crate) hints: Vec<String>,
    /// Where in a file of its user it is.
    pub(crate) spot: Option<Spot>,
    /// What else is wrong, found in the same run.
    pub(crate) others: Vec<Failure>,
}

/// A place in a file, ready to be shown.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    /// `FILE:LINE:COLUMN`.
    pub(crate) name: String,
    /// The line with a marker below.
    pub(crate) excerpt: String,
}

/// Whose fault, as programs branch on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The Host answered with an error, or would have.
    Protocol(ErrorCode),
    /// The command line is wrong, or the arguments on it.
    Usage,
    /// Something on this side failed: a file, a stream, a port.
    Local,
    /// Whoever answered wants a token, or another one.
    Unauthorized,
    /// Whoever answered lets this client do nothing.
    Forbidden,
    /// No Host of this protocol answered.
    Unreachable,
    /// The Host's answer breaks the protocol.
    InvalidAnswer,
    /// A person ended it.
    Interrupted,
}

/// Exit statuses (documented in the help of `wip`).
pub(crate) mod exit {
    pub(crate) const DONE: u8 = 0;
    pub(crate) const LOCAL: u8 = 1;
    pub(crate) const USAGE: u8 = 2;
    pub(crate) const NOT_FOUND: u8 = 3;
    pub(crate) const REFUSED: u8 = 4;
    pub(crate) const UNKNOWN: u8 = 5;
    pub(crate) const UNREACHABLE: u8 = 6;
    pub(crate) const INVALID_ANSWER: u8 = 7;
    /// As shells report a program that Ctrl-C ended.
    pub(crate) const INTERRUPTED: u8 = 130;
}

impl Kind {
    /// The code in `{"error":{"code",…}}`.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Protocol(code) => code.name(),
            Self::Usage => "usage",
            Self::Local => "local",
            Self::Interrupted => "local",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::Unreachable => "unreachable",
            Self::InvalidAnswer => "invalid_answer",
        }
    }

    pub(crate) fn exit(self) -> u8 {
        use ErrorCode as E;
        match self {
            Self::Protocol(E::NotFound | E::InterfaceNotFound | E::OperationNotFound) => exit::NOT_FOUND,
            Self::Protocol(E::OperationOutcomeUnknown) => exit::UNKNOWN,
            Self::Protocol(_) | Self::Unauthorized | Self::Forbidden => exit::REFUSED,
            Self::Usage => exit::USAGE,
            Self::Local => exit::LOCAL,
            Self::Unreachable => exit::UNREACHABLE,
            Self::InvalidAnswer => exit::INVALID_ANSWER,
            Self::Interrupted => exit::INTERRUPTED,
        }
    }
}

impl Failure {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hints: Vec::new(), spot: None, others: Vec::new() }
    }

    pub(crate) fn protocol(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::new(Kind::Protocol(code), message)
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    pub(crate) fn local(message: impl Into<String>) -> Self {
        Self::new(Kind::Local, message)
    }

    pub(crate) fn interrupted() -> Self {
        Self::new(Kind::Interrupted, "interrupted")
    }

    /// Something on this side that could not be done, and why.
    pub(crate) fn io(what: impl fmt::Display, error: &std::io::Error) -> Self {
        Self::local(format!("{what}: {error}"))
    }

    /// Something on this side that failed, with all of its causes.
    pub(crate) fn caused(error: &dyn std::error::Error) -> Self {
        Self::local(all_causes(error))
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

/// An error with all of its causes.
pub(crate) fn all_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |message, cause| format!("{message}: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_exit_status() {
        let refused = 4;
        for code in ErrorCode::ALL {
            let wanted = match code.name() {
                "not_found" | "interface_not_found" | "operation_not_found" => 3,
                "operation_outcome_unknown" => 5,
                _ => refused,
            };
            assert_eq!(Kind::Protocol(code).exit(), wanted, "{code}");
            assert_eq!(Kind::Protocol(code).code(), code.name());
        }
        for (kind, code, status) in [
            (Kind::Local, "local", 1),
            (Kind::Usage, "usage", 2),
            (Kind::Unauthorized, "unauthorized", 4),
            (Kind::Forbidden, "forbidden", 4),
            (Kind::Unreachable, "unreachable", 6),
            (Kind::InvalidAnswer, "invalid_answer", 7),
            (Kind::Interrupted, "local", 130),
        ] {
            assert_eq!((kind.code(), kind.exit()), (code, status));
        }
    }
}
