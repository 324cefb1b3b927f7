//! Type expressions as an author writes them. [`crate::Descriptor`] checks and compiles them.

use crate::interface::Documentation;
use crate::{MAX_DEPTH, Name};

/// A type expression.
///
/// Expressions nest at most [`MAX_DEPTH`] deep. What would be deeper becomes [`TypeKind::TooDeep`], which every
/// descriptor refuses, so that building one needs no error handling and no deep expression can exist.
///
/// ```
/// use worldspace_model::{Field, Type};
/// let page = Type::record([
///     Field::required("items", Type::list(Type::ENTRY)),
///     Field::optional("next_cursor", Type::STRING),
/// ]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Type {
    kind: TypeKind,
    depth: u16,
}

/// The forms of a type expression (SPEC 1).
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of SPEC 1")]
pub enum TypeKind {
    Unit,
    Boolean,
    Integer,
    Number,
    String,
    Bytes,
    Json,
    Entry,
    /// A type that the descriptor declares by name.
    Named(Name),
    Record(Vec<Field>),
    List(Box<Type>),
    Enum(Vec<EnumCase>),
    Union(Vec<UnionCase>),
    /// What was deeper than [`MAX_DEPTH`].
    TooDeep,
}

/// A field of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// Whether it must be present.
    pub required: bool,
    /// What it means.
    pub documentation: Option<Documentation>,
    /// Its type.
    pub ty: Type,
}

/// A case of an enum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnumCase {
    /// Its name.
    pub name: Name,
    /// What it means.
    pub documentation: Option<Documentation>,
}

/// A case of a union.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnionCase {
    /// Its name.
    pub name: Name,
    /// What it means.
    pub documentation: Option<Documentation>,
    /// What a value of this case carries. None at all is not the same as `unit`.
    pub payload: Option<Type>,
}

impl Type {
    /// Nothing.
    pub const UNIT: Self = Self::scalar(TypeKind::Unit);
    /// A truth value.
    pub const BOOLEAN: Self = Self::scalar(TypeKind::Boolean);
    /// An integer within ±(2^53−1).
    pub const INTEGER: Self = Self::scalar(TypeKind::Integer);
    /// A finite binary64.
    pub const NUMBER: Self = Self::scalar(TypeKind::Number);
    /// Text.
    pub const STRING: Self = Self::scalar(TypeKind::String);
    /// Bytes.
    pub const BYTES: Self = Self::scalar(TypeKind::Bytes);
    /// Any JSON value.
    pub const JSON: Self = Self::scalar(TypeKind::Json);
    /// A name of an entry of the same Worldspace.
    pub const ENTRY: Self = Self::scalar(TypeKind::Entry);

    const fn scalar(kind: TypeKind) -> Self {
        Self { kind, depth: 1 }
    }

    /// A type that the descriptor declares by name.
    pub fn named(name: impl Into<Name>) -> Self {
        Self::scalar(TypeKind::Named(name.into()))
    }

    /// A list of such values.
    #[must_use]
    pub fn list(items: Self) -> Self {
        Self::of_depth(items.depth + 1, TypeKind::List(Box::new(items)))
    }

    /// A record of these fields.
    pub fn record(fields: impl IntoIterator<Item = Field>) -> Self {
        let fields: Vec<Field> = fields.into_iter().collect();
        let depth = 1 + fields.iter().map(|field| field.ty.depth).max().unwrap_or(0);
        Self::of_depth(depth, TypeKind::Record(fields))
    }

    /// One of these names.
    pub fn one_of<N: Into<Name>>(names: impl IntoIterator<Item = N>) -> Self {
        let case = |name: N| EnumCase { name: name.into(), documentation: None };
        Self::scalar(TypeKind::Enum(names.into_iter().map(case).collect()))
    }

    /// An enum of documented cases.
    pub fn cases(cases: Vec<EnumCase>) -> Self {
        Self::scalar(TypeKind::Enum(cases))
    }

    /// One of these cases.
    pub fn union(cases: impl IntoIterator<Item = UnionCase>) -> Self {
        let cases: Vec<UnionCase> = cases.into_iter().collect();
        let payloads = cases.iter().filter_map(|case| case.payload.as_ref());
        let depth = 1 + payloads.map(|ty| ty.depth).max().unwrap_or(0);
        Self::of_depth(depth, TypeKind::Union(cases))
    }

    fn of_depth(depth: u16, kind: TypeKind) -> Self {
        if depth > MAX_DEPTH { Self::scalar(TypeKind::TooDeep) } else { Self { kind, depth } }
    }

    /// The form of the expression.
    pub fn kind(&self) -> &TypeKind {
        &self.kind
    }

    /// How many expressions stand inside one another; 1 for a scalar.
    pub fn depth(&self) -> u16 {
        self.depth
    }
}

impl Field {
    /// A field that every value has.
    pub fn required(name: impl Into<Name>, ty: Type) -> Self {
        Self { name: name.into(), required: true, documentation: None, ty }
    }

    /// A field that a value may leave out.
    pub fn optional(name: impl Into<Name>, ty: Type) -> Self {
        Self { name: name.into(), required: false, documentation: None, ty }
    }

    /// With a summary of what it means.
    #[must_use]
    pub fn documented(mut self, summary: impl Into<String>) -> Self {
        self.documentation = Some(Documentation::summary(summary));
        self
    }

    /// With details behind the summary.
    #[must_use]
    pub fn detailed(mut self, details: impl Into<String>) -> Self {
        self.documentation.get_or_insert_default().details = Some(details.into());
        self
    }
}

impl EnumCase {
    /// A case with a summary of what it means.
    pub fn documented(name: impl Into<Name>, summary: impl Into<String>) -> Self {
        Self { name: name.into(), documentation: Some(Documentation::summary(summary)) }
    }
}

impl UnionCase {
    /// A case that carries nothing.
    pub fn bare(name: impl Into<Name>) -> Self {
        Self { name: name.into(), documentation: None, payload: None }
    }

    /// A case with a payload.
    pub fn carrying(name: impl Into<Name>, payload: Type) -> Self {
        Self { name: name.into(), documentation: None, payload: Some(payload) }
    }

    /// With a summary of what it means.
    #[must_use]
    pub fn documented(mut self, summary: impl Into<String>) -> Self {
        self.documentation = Some(Documentation::summary(summary));
        self
    }
}
