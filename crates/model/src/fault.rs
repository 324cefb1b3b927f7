//! What breaks a rule of the model: where, and why.
//!
//! A fault is boxed, and its location is gathered step by step while the error travels outwards, so that a check
//! that finds nothing wrong pays nothing for either.

use std::fmt;

use crate::Name;
use crate::path::PathRule;

/// A broken rule and the place where it was broken.
#[derive(Clone, PartialEq)]
pub struct Fault(Box<Inner>);

#[derive(Clone, PartialEq)]
struct Inner {
    rule: Rule,
    location: Location,
}

/// Where in a request, answer, descriptor or value something is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Location {
    /// Innermost first, as they are gathered.
    steps: Vec<Step>,
}

/// One step into a structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A member that the protocol names.
    Member(&'static str),
    /// Something that an application named.
    Named(Namespace, Name),
    /// An element of a list, counted from 0.
    Index(usize),
}

/// The kinds of things that applications name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Namespace {
    /// A named type of a descriptor.
    Type,
    /// An operation of a descriptor.
    Operation,
    /// A parameter of an operation.
    Parameter,
    /// A field of a record.
    Field,
    /// A case of an enum.
    EnumCase,
    /// A case of a union.
    UnionCase,
    /// A child of an entry.
    Child,
}

/// What a value is, by its look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names of SPEC 1")]
pub enum Kind {
    Unit,
    Boolean,
    Integer,
    Number,
    String,
    Bytes,
    Json,
    Entry,
    Record,
    List,
    Enum,
    Union,
}

/// A rule of the model, with what it takes to say how it was broken.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Rule {
    /// Two things of one kind have one name.
    DuplicateName {
        /// Of what kind.
        namespace: Namespace,
        /// The name that stands twice.
        name: Name,
    },
    /// A named type that the descriptor does not declare.
    UnknownType {
        /// The name.
        name: Name,
        /// A declared one that it may be a slip of.
        nearest: Option<Name>,
    },
    /// Named types that contain each other.
    RecursiveType {
        /// The names along the circle, the first one not repeated.
        cycle: Vec<Name>,
    },
    /// A value of another kind than the declared type.
    TypeMismatch {
        /// The declared kind.
        expected: Kind,
        /// The kind found.
        found: Kind,
    },
    /// A field that the record does not declare.
    UnknownField {
        /// The field.
        name: Name,
        /// A declared one that it may be a slip of.
        nearest: Option<Name>,
    },
    /// A required field that is absent.
    MissingField {
        /// The field.
        name: Name,
    },
    /// A case that the enum or union does not declare.
    UnknownCase {
        /// The case.
        name: Name,
        /// A declared one that it may be a slip of.
        nearest: Option<Name>,
    },
    /// A union value without the payload that its case declares.
    MissingPayload {
        /// The case.
        case: Name,
    },
    /// A union value with a payload that its case does not declare.
    UnexpectedPayload {
        /// The case.
        case: Name,
    },
    /// An argument that the operation does not declare.
    UnknownParameter {
        /// The argument.
        name: Name,
        /// A declared one that it may be a slip of.
        nearest: Option<Name>,
    },
    /// A required argument that is absent.
    MissingParameter {
        /// The parameter.
        name: Name,
    },
    /// An integer beyond ±(2^53−1).
    IntegerOutOfRange,
    /// An integer beyond what a program has room for.
    IntegerOutside {
        /// The least one that it takes.
        least: i64,
        /// The greatest one.
        most: i64,
    },
    /// NaN or an infinity.
    NonFiniteNumber,
    /// Bytes under `json`, which has none.
    BytesInJson,
    /// A name that cannot be a path segment.
    InvalidObjectName {
        /// The name.
        name: Name,
    },
    /// An interface reference that stands twice at one Object.
    DuplicateInterface,
    /// An interface reference with an empty name.
    EmptyInterfaceName,
    /// An interface whose scope is not the Object's entry or one above.
    InterfaceScopeMismatch,
    /// A string that is no canonical absolute path.
    InvalidPath(PathRule),
    /// An Object whose name is not the last segment of its path.
    ObjectNameMismatch,
    /// Two Objects of one ref and one validator that differ.
    InconsistentObject,
    /// A node above the requested depth whose children are not in the answer.
    ChildrenMissing,
    /// A node at the requested depth with children.
    ChildrenAtBoundary,
    /// An answer that speaks of another interface than was asked for.
    InterfaceResponseMismatch,
    /// Lists and records inside one another, deeper than [`crate::MAX_DEPTH`].
    TooDeep,
    /// A tree that is not breadth first, or whose expansions contradict its nodes.
    InvalidTree {
        /// What is wrong.
        reason: &'static str,
    },
    /// A request that contradicts itself.
    InvalidRequest {
        /// What is wrong, and what would be right.
        reason: &'static str,
    },
    /// A value that is spelled in a way its encoding does not allow.
    Unreadable {
        /// What is wrong, and what would be right.
        reason: &'static str,
    },
}

impl Fault {
    /// A fault whose place is yet to be told by those who pass it on.
    #[cold]
    pub fn new(rule: Rule) -> Self {
        Self(Box::new(Inner { rule, location: Location::default() }))
    }

    /// Says that the fault lies inside this.
    #[must_use]
    pub fn at(mut self, step: Step) -> Self {
        self.0.location.steps.push(step);
        self
    }

    /// Says that the fault lies inside this member of the protocol.
    #[must_use]
    pub fn at_member(self, member: &'static str) -> Self {
        self.at(Step::Member(member))
    }

    /// Says that the fault lies inside something that an application named.
    #[must_use]
    pub fn at_name(self, namespace: Namespace, name: &Name) -> Self {
        self.at(Step::Named(namespace, name.clone()))
    }

    /// Says that the fault lies inside this element of a list.
    #[must_use]
    pub fn at_index(self, index: usize) -> Self {
        self.at(Step::Index(index))
    }

    /// The broken rule.
    pub fn rule(&self) -> &Rule {
        &self.0.rule
    }

    /// Where it was broken.
    pub fn location(&self) -> &Location {
        &self.0.location
    }
}

impl Location {
    /// The steps from the outside in.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = &Step> {
        self.steps.iter().rev()
    }

    /// Whether no step is known.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Says that all of this lies inside one more step.
    pub fn push_outer(&mut self, step: Step) {
        self.steps.push(step);
    }
}

impl Rule {
    /// The stable name of the rule, as the conformance vectors spell it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::DuplicateName { .. } => "duplicate_name",
            Self::UnknownType { .. } => "unknown_type",
            Self::RecursiveType { .. } => "recursive_type",
            Self::TypeMismatch { .. } => "type_mismatch",
            Self::UnknownField { .. } => "unknown_field",
            Self::MissingField { .. } => "missing_field",
            Self::UnknownCase { .. } => "unknown_case",
            Self::MissingPayload { .. } => "missing_union_payload",
            Self::UnexpectedPayload { .. } => "unexpected_union_payload",
            Self::UnknownParameter { .. } => "unknown_parameter",
            Self::MissingParameter { .. } => "missing_parameter",
            Self::IntegerOutOfRange | Self::IntegerOutside { .. } => "integer_out_of_range",
            Self::NonFiniteNumber => "non_finite_number",
            Self::BytesInJson => "bytes_in_json",
            Self::InvalidObjectName { .. } => "invalid_object_name",
            Self::DuplicateInterface => "duplicate_interface",
            Self::EmptyInterfaceName => "empty_interface_name",
            Self::InterfaceScopeMismatch => "interface_scope_mismatch",
            Self::InvalidPath(_) => "invalid_path",
            Self::ObjectNameMismatch => "object_name_mismatch",
            Self::InconsistentObject => "inconsistent_object_observation",
            Self::ChildrenMissing => "children_missing_before_depth",
            Self::ChildrenAtBoundary => "children_at_depth_boundary",
            Self::InterfaceResponseMismatch => "interface_response_mismatch",
            Self::TooDeep => "too_deep",
            Self::InvalidTree { .. } => "invalid_tree",
            Self::InvalidRequest { .. } => "invalid_request",
            Self::Unreadable { .. } => "unreadable_value",
        }
    }
}

impl Namespace {
    fn noun(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Operation => "operation",
            Self::Parameter => "parameter",
            Self::Field => "field",
            Self::EnumCase | Self::UnionCase => "case",
            Self::Child => "child",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unit => "unit",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Json => "json",
            Self::Entry => "entry",
            Self::Record => "record",
            Self::List => "list",
            Self::Enum => "enum case",
            Self::Union => "union",
        })
    }
}

/// How many characters of a foreign name a message repeats.
const CLIP: usize = 64;
/// How many steps of a location a message repeats.
const STEPS: usize = 16;

/// Shows a foreign text between backquotes, clipped to 64 characters, with control and invisible ones escaped: how
/// every message shows what is not its own.
///
/// ```
/// use worldspace_model::Quoted;
/// assert_eq!(Quoted("it's").to_string(), "`it's`");
/// assert_eq!(Quoted("a\u{202e}b\n").to_string(), "`a\\u202eb\\u000a`");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Quoted<'a>(pub &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`")?;
        write_clipped(f, self.0)?;
        f.write_str("`")
    }
}

fn write_clipped(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    for (count, c) in text.chars().enumerate() {
        if count == CLIP {
            return f.write_str("…");
        }
        if c.is_control() || is_invisible(c) {
            write!(f, "\\u{:04x}", c as u32)?;
        } else {
            write!(f, "{c}")?;
        }
    }
    Ok(())
}

/// Characters that change how the text around them is read, or that cannot be seen.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
        | '\u{e0000}'..='\u{e007f}')
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.steps().enumerate() {
            if position == STEPS {
                return f.write_str("…");
            }
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Member(name) => {
                    write!(f, "{}{name}", if position == 0 { "" } else { "." })?;
                }
                Step::Named(_, name) => {
                    f.write_str(if position == 0 { "" } else { "." })?;
                    let plain = !name.is_empty()
                        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'));
                    if plain { write_clipped(f, name)? } else { write!(f, "{}", Quoted(name))? }
                }
            }
        }
        Ok(())
    }
}

fn slip(f: &mut fmt::Formatter<'_>, nearest: Option<&Name>) -> fmt::Result {
    match nearest {
        Some(name) => write!(f, "; did you mean {}?", Quoted(name)),
        None => Ok(()),
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateName { namespace, name } => {
                write!(f, "the {} {} stands twice", namespace.noun(), Quoted(name))
            }
            Self::UnknownType { name, nearest } => {
                write!(f, "there is no type {}", Quoted(name))?;
                slip(f, nearest.as_ref())
            }
            Self::RecursiveType { cycle } => {
                f.write_str("types contain each other: ")?;
                for name in cycle.iter().take(STEPS) {
                    write!(f, "{} → ", Quoted(name))?;
                }
                if cycle.len() > STEPS {
                    f.write_str("… → ")?;
                }
                cycle.first().map_or(Ok(()), |first| write!(f, "{}", Quoted(first)))
            }
            Self::TypeMismatch { expected, found } => write!(f, "expected {expected}, found {found}"),
            Self::UnknownField { name, nearest } => {
                write!(f, "there is no field {}", Quoted(name))?;
                slip(f, nearest.as_ref())
            }
            Self::MissingField { name } => write!(f, "the required field {} is absent", Quoted(name)),
            Self::UnknownCase { name, nearest } => {
                write!(f, "there is no case {}", Quoted(name))?;
                slip(f, nearest.as_ref())
            }
            Self::MissingPayload { case } => {
                write!(f, "the case {} needs a `value`", Quoted(case))
            }
            Self::UnexpectedPayload { case } => {
                write!(f, "the case {} takes no `value`", Quoted(case))
            }
            Self::UnknownParameter { name, nearest } => {
                write!(f, "there is no parameter {}", Quoted(name))?;
                slip(f, nearest.as_ref())
            }
            Self::MissingParameter { name } => {
                write!(f, "the required argument {} is absent", Quoted(name))
            }
            Self::IntegerOutOfRange => f.write_str("an integer lies within ±9007199254740991"),
            Self::IntegerOutside { least, most: i64::MAX } => {
                write!(f, "expected an integer of {least} or more")
            }
            Self::IntegerOutside { least, most } => write!(f, "expected an integer from {least} to {most}"),
            Self::NonFiniteNumber => f.write_str("a number is finite"),
            Self::BytesInJson => f.write_str("json holds no bytes"),
            Self::InvalidObjectName { name } => {
                write!(
                    f,
                    "{} cannot be a segment of a path: it is empty, `.`, `..` or holds a `/`",
                    Quoted(name)
                )
            }
            Self::DuplicateInterface => f.write_str("an interface stands twice at one Object"),
            Self::EmptyInterfaceName => f.write_str("an interface has a name that is not empty"),
            Self::InterfaceScopeMismatch => {
                f.write_str("the scope of an interface is the Object's entry or one above")
            }
            Self::InvalidPath(rule) => fmt::Display::fmt(rule, f),
            Self::ObjectNameMismatch => f.write_str("an Object's name is the last segment of its path"),
            Self::InconsistentObject => {
                f.write_str("Objects of one ref and one validator are equal in every member")
            }
            Self::ChildrenMissing => f.write_str("children are missing above the requested depth"),
            Self::ChildrenAtBoundary => f.write_str("there are children at the requested depth"),
            Self::InterfaceResponseMismatch => f.write_str("the answer speaks of another interface"),
            Self::TooDeep => {
                write!(f, "lists and records stand inside one another more than {} deep", crate::MAX_DEPTH)
            }
            Self::InvalidTree { reason } | Self::InvalidRequest { reason } | Self::Unreadable { reason } => {
                f.write_str(reason)
            }
        }
    }
}

/// `where: why`, or the why alone.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.location.is_empty() {
            return fmt::Display::fmt(&self.0.rule, f);
        }
        write!(f, "{}: {}", self.0.location, self.0.rule)
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fault").field("rule", &self.0.rule).field("location", &self.0.location).finish()
    }
}

impl std::error::Error for Fault {}
