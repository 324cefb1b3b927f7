//! The tree of a file as it is written: what stands where, with nothing resolved.
//!
//! It keeps the places that errors are told at. [`File::tokens`] holds every token, comments among them, for those who
//! care for how things are written.

use worldspace_model::{Documentation, Effect, Name};

use crate::check::DeclaredName;
use crate::lexer::Token;
use crate::source::{FileId, Span};

/// A file.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) id: FileId,
    pub(crate) items: Vec<Item>,
    pub(crate) tokens: Vec<Token>,
    /// Whether a type is declared whose name could not be read, so that names may be missing for that alone.
    pub(crate) lost: bool,
}

/// What stands at the top of a file.
#[derive(Debug)]
pub(crate) enum Item {
    Use(Use),
    Type(TypeDeclaration),
    Interface(Interface),
}

/// `use "other.wip";`
#[derive(Debug)]
pub(crate) struct Use {
    /// The string with its quotation marks, and what it says.
    pub(crate) path: Span,
    pub(crate) value: String,
}

/// Documentation lines in one row.
#[derive(Debug)]
pub(crate) struct Docs {
    /// From the first line to the last.
    pub(crate) span: Span,
    /// What they say; none where they are blank.
    pub(crate) says: Option<Documentation>,
}

/// A name where it is declared or used.
#[derive(Debug, Clone)]
pub(crate) struct Ident {
    /// With backticks, where it has them.
    pub(crate) span: Span,
    pub(crate) name: Name,
    /// Whether it could be read; else it names nothing.
    pub(crate) sound: bool,
}

/// `type Name = …;`
#[derive(Debug)]
pub(crate) struct TypeDeclaration {
    pub(crate) docs: Option<Docs>,
    /// From `type` to `;`.
    pub(crate) span: Span,
    pub(crate) name: Ident,
    pub(crate) definition: Type,
}

/// `interface name { … }`
#[derive(Debug)]
pub(crate) struct Interface {
    pub(crate) docs: Option<Docs>,
    /// From `interface` to `}`.
    pub(crate) span: Span,
    pub(crate) name_span: Span,
    /// None where it could not be read.
    pub(crate) name: Option<DeclaredName>,
    pub(crate) body: Block<Member>,
}

/// What stands in an interface.
#[derive(Debug)]
pub(crate) enum Member {
    Type(TypeDeclaration),
    Operation(Operation),
}

/// `operation name(…) -> …;`
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) docs: Option<Docs>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) name: Ident,
    pub(crate) parameters: Block<Field>,
    pub(crate) returns_docs: Option<Docs>,
    pub(crate) returns: Type,
}

/// `@read`
#[derive(Debug)]
pub(crate) struct Attribute {
    pub(crate) span: Span,
    /// None for one that is not known.
    pub(crate) effect: Option<Effect>,
}

/// Members between brackets.
#[derive(Debug)]
pub(crate) struct Block<T> {
    pub(crate) members: Vec<T>,
    /// Empty where the bracket is missing.
    pub(crate) close: Span,
}

/// A field, or a parameter.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) docs: Option<Docs>,
    pub(crate) name: Ident,
    pub(crate) optional: bool,
    pub(crate) ty: Type,
}

/// A case of an enum, where it has no payload, or of a union.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) docs: Option<Docs>,
    pub(crate) name: Ident,
    pub(crate) payload: Option<Type>,
}

/// A type expression.
#[derive(Debug)]
pub(crate) struct Type {
    pub(crate) span: Span,
    pub(crate) kind: TypeKind,
}

/// Expressions nest no deeper than those of the model, so that recursion is bounded.
#[derive(Debug)]
pub(crate) enum TypeKind {
    BuiltIn(BuiltIn),
    Named(Ident),
    Record(Block<Field>),
    List(Box<Type>),
    Enum(Block<Case>),
    Union(Block<Case>),
    /// What was told to be wrong.
    Broken,
}

/// The types that have a word of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BuiltIn {
    Unit,
    Boolean,
    Integer,
    Number,
    String,
    Bytes,
    Json,
    Entry,
}

impl BuiltIn {
    pub(crate) const ALL: [Self; 8] = [
        Self::Unit,
        Self::Boolean,
        Self::Integer,
        Self::Number,
        Self::String,
        Self::Bytes,
        Self::Json,
        Self::Entry,
    ];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Unit => "unit",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Json => "json",
            Self::Entry => "entry",
        }
    }

    pub(crate) fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|built_in| built_in.word() == word)
    }
}
