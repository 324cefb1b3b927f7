//! Why a body cannot be read or written. Both errors are boxed, and a location is gathered while the error travels
//! outwards, so that a body in order pays nothing for either.

use std::fmt;

use worldspace_model::{ErrorCode, Fault, Kind, Location, Name, Namespace, ProtocolError, Rule, Step};

/// What is wrong with a body, where, and why.
#[derive(Clone, PartialEq)]
pub struct DecodeError(Box<Inner>);

#[derive(Clone, PartialEq)]
struct Inner {
    problem: Problem,
    location: Location,
    offset: Option<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Problem {
    TooLarge { limit: usize },
    Malformed(&'static str),
    DuplicateMember(Name),
    TooDeep { limit: usize },
    TooMany { limit: usize },
    NullMember,
    NotBase64,
    Unfit(&'static str),
    Rule(Rule),
}

/// The kinds of [`DecodeError`], named as in the conformance vectors where those know them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// Longer than its limit.
    BodyTooLarge,
    /// Not one text of the encoding: syntax, UTF-8, duplicate members, numbers without a value, lone surrogates.
    InvalidJson,
    /// More containers inside one another than allowed.
    NestingTooDeep,
    /// More entries in one `fetch` than allowed; none of the vectors' kinds.
    TooManyEntries,
    /// A required member is absent.
    MissingField,
    /// A member that is not declared.
    UnknownField,
    /// A member of another kind than declared, or of a value that it cannot have.
    InvalidField,
    /// `null` where an absent member is left out.
    NullOptionalField,
    /// Not canonical base64.
    InvalidBase64,
    /// A rule of the model is broken.
    ProtocolValidation,
}

/// Why a message cannot be written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// It grew beyond its limit; writing stopped there.
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// It stands deeper than the limit; writing stopped there.
    TooDeep {
        /// How many lists and records may stand inside one another.
        limit: usize,
    },
    /// It asks for more entries at once than the limit.
    TooMany {
        /// How many entries may stand in one `fetch`.
        limit: usize,
    },
    /// It has no form in this message.
    Unwritable {
        /// Why.
        reason: &'static str,
    },
}

impl Class {
    /// The name in the conformance vectors.
    pub fn name(self) -> &'static str {
        match self {
            Self::BodyTooLarge => "body_too_large",
            Self::InvalidJson => "invalid_json",
            Self::NestingTooDeep => "nesting_too_deep",
            Self::TooManyEntries => "too_many_entries",
            Self::MissingField => "missing_field",
            Self::UnknownField => "unknown_field",
            Self::InvalidField => "invalid_field",
            Self::NullOptionalField => "null_optional_field",
            Self::InvalidBase64 => "invalid_base64",
            Self::ProtocolValidation => "protocol_validation",
        }
    }
}

/// How many characters of a foreign name an error keeps.
const KEPT: usize = 128;

/// A foreign name for an error, cut so that an error never repeats a body at length.
pub(crate) fn clipped(name: &str) -> Name {
    match name.char_indices().nth(KEPT) {
        Some((end, _)) => Name::from(&name[..end]),
        None => Name::from(name),
    }
}

impl DecodeError {
    #[cold]
    pub(crate) fn new(problem: Problem) -> Self {
        Self(Box::new(Inner { problem, location: Location::default(), offset: None }))
    }

    #[cold]
    pub(crate) fn at_byte(problem: Problem, offset: usize) -> Self {
        Self(Box::new(Inner { problem, location: Location::default(), offset: Some(offset) }))
    }

    pub(crate) fn rule(rule: Rule) -> Self {
        Self::new(Problem::Rule(rule))
    }

    pub(crate) fn mismatch(expected: Kind, found: Kind) -> Self {
        Self::rule(Rule::TypeMismatch { expected, found })
    }

    pub(crate) fn missing(name: &'static str) -> Self {
        Self::rule(Rule::MissingField { name: name.into() })
    }

    /// A word of the protocol that is not one of these.
    pub(crate) fn unknown_word<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let nearest = worldspace_model::nearest(word, known).map(Name::from);
        Self::rule(Rule::UnknownCase { name: clipped(word), nearest })
    }

    #[must_use]
    pub(crate) fn at(mut self, step: Step) -> Self {
        self.0.location.push_outer(step);
        self
    }

    #[must_use]
    pub(crate) fn at_member(self, member: &'static str) -> Self {
        self.at(Step::Member(member))
    }

    #[must_use]
    pub(crate) fn at_index(self, index: usize) -> Self {
        self.at(Step::Index(index))
    }

    #[must_use]
    pub(crate) fn at_name(self, namespace: Namespace, name: &str) -> Self {
        self.at(Step::Named(namespace, clipped(name)))
    }

    /// What kind of error it is.
    pub fn class(&self) -> Class {
        match &self.0.problem {
            Problem::TooLarge { .. } => Class::BodyTooLarge,
            Problem::Malformed(_) | Problem::DuplicateMember(_) => Class::InvalidJson,
            Problem::TooDeep { .. } => Class::NestingTooDeep,
            Problem::TooMany { .. } => Class::TooManyEntries,
            Problem::NullMember => Class::NullOptionalField,
            Problem::NotBase64 => Class::InvalidBase64,
            Problem::Unfit(_) => Class::InvalidField,
            Problem::Rule(rule) => match rule {
                Rule::MissingField { .. } | Rule::MissingParameter { .. } => Class::MissingField,
                Rule::UnknownField { .. } | Rule::UnknownParameter { .. } => Class::UnknownField,
                Rule::TypeMismatch { .. }
                | Rule::UnknownCase { .. }
                | Rule::MissingPayload { .. }
                | Rule::UnexpectedPayload { .. }
                | Rule::IntegerOutOfRange
                | Rule::NonFiniteNumber
                | Rule::Unreadable { .. } => Class::InvalidField,
                _ => Class::ProtocolValidation,
            },
        }
    }

    /// The broken rule of the model, if it is one.
    pub fn broken_rule(&self) -> Option<&Rule> {
        if let Problem::Rule(rule) = &self.0.problem { Some(rule) } else { None }
    }

    /// Where in the message it is.
    pub fn location(&self) -> &Location {
        &self.0.location
    }

    /// At which byte of the body it is, where that helps.
    pub fn offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// The same as a fault of the model, for what is read behind the message's own check.
    pub(crate) fn into_fault(self) -> Fault {
        let Inner { problem, location, .. } = *self.0;
        let rule = match problem {
            Problem::Rule(rule) => rule,
            Problem::DuplicateMember(name) => Rule::DuplicateName { namespace: Namespace::Field, name },
            Problem::TooLarge { .. } | Problem::TooDeep { .. } => Rule::TooDeep,
            Problem::TooMany { .. } => Rule::Unreadable { reason: MANY },
            Problem::NullMember => Rule::Unreadable { reason: NULL },
            Problem::NotBase64 => Rule::Unreadable { reason: BASE64 },
            Problem::Malformed(reason) | Problem::Unfit(reason) => Rule::Unreadable { reason },
        };
        location.steps().rev().fold(Fault::new(rule), |fault, step| fault.at(step.clone()))
    }
}

const MANY: &str = "there are too many entries at once";
const NULL: &str = "null is no value here; what is absent is left out";
const BASE64: &str = "bytes are written in canonical base64 (RFC 4648 section 4, padded, unused bits zero)";

impl From<Fault> for DecodeError {
    fn from(fault: Fault) -> Self {
        let inner = Inner {
            problem: Problem::Rule(fault.rule().clone()),
            location: fault.location().clone(),
            offset: None,
        };
        Self(Box::new(inner))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { limit } => write!(f, "the body is larger than {limit} bytes"),
            Self::Malformed(reason) | Self::Unfit(reason) => f.write_str(reason),
            Self::DuplicateMember(name) => {
                let rule = Rule::DuplicateName { namespace: Namespace::Field, name: name.clone() };
                fmt::Display::fmt(&rule, f)
            }
            Self::TooDeep { limit } => {
                write!(f, "lists and records stand inside one another more than {limit} deep")
            }
            Self::TooMany { limit } => write!(f, "there are more than {limit} entries at once"),
            Self::NullMember => f.write_str(NULL),
            Self::NotBase64 => f.write_str(BASE64),
            Self::Rule(rule) => fmt::Display::fmt(rule, f),
        }
    }
}

/// `where: why (byte N)`, with what is known of it.
impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { problem, location, offset } = &*self.0;
        if !location.is_empty() {
            write!(f, "{location}: ")?;
        }
        fmt::Display::fmt(problem, f)?;
        match offset {
            Some(offset) => write!(f, " (byte {offset})"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecodeError")
            .field("problem", &self.0.problem)
            .field("location", &self.0.location)
            .field("offset", &self.0.offset)
            .finish()
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { limit } => write!(f, "it is larger than the limit of {limit} bytes"),
            Self::TooDeep { limit } => {
                write!(f, "its lists and records stand inside one another deeper than the limit of {limit}")
            }
            Self::TooMany { limit } => write!(f, "it asks for more than {limit} entries at once"),
            Self::Unwritable { reason } => f.write_str(reason),
        }
    }
}

impl std::error::Error for DecodeError {}
impl std::error::Error for EncodeError {}

impl Problem {
    /// What its sender can do, where the problem alone does not say it.
    fn advice(&self) -> Option<&'static str> {
        match self {
            Self::TooLarge { .. } => Some("send less at once"),
            Self::TooDeep { .. } => Some("send what is less deep"),
            Self::TooMany { .. } => Some("ask for fewer, in several requests"),
            Self::DuplicateMember(_) => Some("send each member once"),
            // Those with a `;` have advice of their own.
            Self::Malformed(reason) if !reason.contains(';') => {
                Some("send one JSON text (RFC 8259) in UTF-8")
            }
            Self::Malformed(_) | Self::NullMember | Self::NotBase64 | Self::Unfit(_) => None,
            Self::Rule(rule) => match rule {
                Rule::MissingField { .. } => Some("add it"),
                Rule::UnknownField { nearest: None, .. } => Some("leave it out"),
                Rule::InvalidPath(_) => Some("send a path as a tree of this Host shows it"),
                Rule::InvalidObjectName { .. } => Some("send a name as a tree of this Host shows it"),
                Rule::EmptyInterfaceName => Some("send a reference as its Object lists it"),
                _ => None,
            },
        }
    }
}

/// A request that cannot be read.
impl From<DecodeError> for ProtocolError {
    fn from(error: DecodeError) -> Self {
        let advice = error.0.problem.advice().map_or(String::new(), |advice| format!("; {advice}"));
        if error.class() == Class::TooManyEntries {
            return Self::new(ErrorCode::ResourceLimitExceeded, format!("{error}{advice}"));
        }
        let whole = error.location().is_empty() && error.offset().is_none();
        let place = if whole { " at its outermost level" } else { "" };
        Self::new(ErrorCode::InvalidRequest, format!("the request is invalid{place}: {error}{advice}"))
    }
}

/// An answer that cannot be written. What that means for a call, only its [`worldspace_model::Settled`] says.
impl From<EncodeError> for ProtocolError {
    fn from(error: EncodeError) -> Self {
        match error {
            EncodeError::Unwritable { .. } => {
                Self::new(ErrorCode::Internal, format!("the answer cannot be written: {error}"))
            }
            _ => Self::new(
                ErrorCode::ResourceLimitExceeded,
                format!("the answer cannot be sent: {error}; ask for less at once"),
            ),
        }
    }
}
