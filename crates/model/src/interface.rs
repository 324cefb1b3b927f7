//! Interface descriptors: declared by an author or read from a Host, checked once, compiled, and shared.

use std::fmt;
use std::sync::Arc;

use crate::Name;
use crate::compiled::{Compiled, Members, TypeRef};
use crate::fault::{Fault, Namespace, Rule};
use crate::types::Type;

/// The descriptor format of this protocol version.
pub const INTERFACE_FORMAT: &str = "wip-interface/1";

/// What a declaration means, for people and models: plain text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Documentation {
    /// One short paragraph.
    pub summary: String,
    /// The rest.
    pub details: Option<String>,
}

/// An interface as its author declares it; [`Descriptor::new`] checks it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Declaration {
    /// What the interface is for.
    pub documentation: Option<Documentation>,
    /// Types that the operations name.
    pub types: Vec<TypeDeclaration>,
    /// The operations in the order in which they are shown.
    pub operations: Vec<OperationDeclaration>,
}

/// A named type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeDeclaration {
    /// The name, local to the descriptor.
    pub name: Name,
    /// What it means.
    pub documentation: Option<Documentation>,
    /// What it stands for.
    pub definition: Type,
}

/// An operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationDeclaration {
    /// The name, unique in the descriptor.
    pub name: Name,
    /// What it does.
    pub documentation: Option<Documentation>,
    /// What it takes.
    pub parameters: Vec<Parameter>,
    /// What it gives.
    pub returns: Type,
    /// What its result means.
    pub returns_documentation: Option<Documentation>,
}

/// A parameter is declared as a field of the arguments record.
pub type Parameter = crate::types::Field;

/// A checked and compiled interface, cheap to clone.
#[derive(Clone)]
pub struct Descriptor(Arc<Inner>);

struct Inner {
    declaration: Declaration,
    compiled: Compiled,
}

/// One operation of a [`Descriptor`], cheap to clone.
#[derive(Clone)]
pub struct Operation {
    descriptor: Descriptor,
    index: usize,
}

/// What a Host claims of an operation \[ext\]. None means an ordinary write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Effect {
    /// It changes nothing.
    Read,
    /// Running it twice is running it once.
    Idempotent,
    /// It removes or overwrites.
    Destructive,
    /// The Object's validator must be sent.
    Guarded,
}

/// A set of [`Effect`]s.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Effects(u8);

/// The effects of the operations of one interface, in the order of its operations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EffectTable(Vec<(Name, Effects)>);

impl Documentation {
    /// A summary alone.
    pub fn summary(summary: impl Into<String>) -> Self {
        Self { summary: summary.into(), details: None }
    }

    /// What a documentation comment says, given its lines without their marks: those up to the first blank one, joined
    /// by spaces, are the summary, the rest, its line breaks kept, the details (SPEC 6). One blank at the beginning of a
    /// line is the author's distance from the mark, blanks at its end are nobody's. None where nothing is said.
    ///
    /// ```
    /// use worldspace_model::Documentation;
    /// let said = Documentation::of_comment([" Closes", " the issue.", "", " It says:", "   - why"]).unwrap();
    /// assert_eq!(said.summary, "Closes the issue.");
    /// assert_eq!(said.details.as_deref(), Some("It says:\n  - why"));
    /// assert_eq!(Documentation::of_comment([" ", ""]), None);
    /// ```
    pub fn of_comment<'a>(lines: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let stripped = |line: &'a str| line.strip_prefix(' ').unwrap_or(line).trim_end();
        let mut lines = lines.into_iter().map(stripped).skip_while(|line| line.is_empty());
        let summary: Vec<&str> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
        if summary.is_empty() {
            return None;
        }
        let details: Vec<&str> = lines.skip_while(|line| line.is_empty()).collect();
        let details = details.join("\n");
        let details = details.trim_end_matches('\n');
        Some(Self { summary: summary.join(" "), details: (!details.is_empty()).then(|| details.to_owned()) })
    }
}

impl OperationDeclaration {
    /// An operation with no parameters that gives nothing.
    pub fn new(name: impl Into<Name>) -> Self {
        Self {
            name: name.into(),
            documentation: None,
            parameters: Vec::new(),
            returns: Type::UNIT,
            returns_documentation: None,
        }
    }

    /// With a summary of what it does.
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

    /// With these parameters.
    #[must_use]
    pub fn takes(mut self, parameters: impl IntoIterator<Item = Parameter>) -> Self {
        self.parameters.extend(parameters);
        self
    }

    /// With this result.
    #[must_use]
    pub fn returns(mut self, returns: Type) -> Self {
        self.returns = returns;
        self
    }
}

impl Descriptor {
    /// Checks and compiles a declaration.
    ///
    /// # Errors
    /// The first broken rule, and where: duplicate names, unknown or recursive types, depth.
    pub fn new(declaration: Declaration) -> Result<Self, Fault> {
        let compiled = Compiled::new(&declaration)?;
        Ok(Self(Arc::new(Inner { declaration, compiled })))
    }

    /// The declaration that this was made from.
    pub fn declaration(&self) -> &Declaration {
        &self.0.declaration
    }

    pub(crate) fn compiled(&self) -> &Compiled {
        &self.0.compiled
    }

    /// The operation of that name.
    pub fn operation(&self, name: &str) -> Option<Operation> {
        let index = self.0.compiled.find_operation(name)?;
        Some(Operation { descriptor: self.clone(), index })
    }

    /// As [`Self::operation`], saying what was probably meant.
    ///
    /// # Errors
    /// The operation is not declared.
    pub fn require_operation(&self, name: &str) -> Result<Operation, UnknownOperation> {
        self.operation(name).ok_or_else(|| UnknownOperation {
            name: name.into(),
            nearest: self.0.compiled.nearest_operation(name),
        })
    }

    /// All operations in their order.
    pub fn operations(&self) -> impl ExactSizeIterator<Item = Operation> {
        (0..self.0.declaration.operations.len()).map(|index| Operation { descriptor: self.clone(), index })
    }

    /// Whether both are the same object in memory, which is cheaper than equality.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// An operation that a descriptor does not declare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownOperation {
    /// The name.
    pub name: Name,
    /// A declared one that it may be a slip of.
    pub nearest: Option<Name>,
}

impl Operation {
    /// The descriptor that declares it.
    pub fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    /// The declaration.
    pub fn declaration(&self) -> &OperationDeclaration {
        &self.descriptor.0.declaration.operations[self.index]
    }

    /// The name.
    pub fn name(&self) -> &Name {
        &self.declaration().name
    }

    /// The compiled parameters.
    pub fn parameters(&self) -> Members<'_> {
        self.descriptor.0.compiled.parameters(self.index)
    }

    /// The compiled type of the result.
    pub fn returns(&self) -> TypeRef<'_> {
        self.descriptor.0.compiled.returns(self.index)
    }
}

impl Effect {
    /// All of them in their order on the wire and in the IDL.
    pub const ALL: [Self; 4] = [Self::Read, Self::Idempotent, Self::Destructive, Self::Guarded];

    /// The name on the wire and in the IDL.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Idempotent => "idempotent",
            Self::Destructive => "destructive",
            Self::Guarded => "guarded",
        }
    }

    /// The effect of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|effect| effect.name() == name)
    }
}

impl Effects {
    /// None: an ordinary write.
    pub const WRITE: Self = Self(0);
    /// [`Effect::Read`] alone.
    pub const READ: Self = Self(1);

    /// The set of these.
    ///
    /// # Errors
    /// [`Rule::InvalidRequest`] where `read` does not stand alone.
    pub fn new(effects: impl IntoIterator<Item = Effect>) -> Result<Self, Fault> {
        let set = effects.into_iter().fold(0, |set, effect| set | 1 << effect as u8);
        if set & Self::READ.0 != 0 && set != Self::READ.0 {
            return Err(Fault::new(Rule::InvalidRequest { reason: "`read` stands alone among effects" }));
        }
        Ok(Self(set))
    }

    /// Whether that effect is claimed.
    pub fn has(self, effect: Effect) -> bool {
        self.0 & (1 << effect as u8) != 0
    }

    /// The effects in their order.
    pub fn iter(self) -> impl Iterator<Item = Effect> {
        Effect::ALL.into_iter().filter(move |effect| self.has(*effect))
    }
}

impl EffectTable {
    /// The table of these. An operation that is not named is an ordinary write.
    ///
    /// # Errors
    /// [`Rule::InvalidRequest`] for a name that is no operation of the descriptor, or that stands twice.
    pub fn new(descriptor: &Descriptor, effects: Vec<(Name, Effects)>) -> Result<Self, Fault> {
        let operations = &descriptor.declaration().operations;
        let mut ordered = vec![None; operations.len()];
        for (name, effects) in effects {
            let fault = || {
                Fault::new(Rule::InvalidRequest {
                    reason: "effects name operations of the interface, each at most once",
                })
            };
            let unknown = || fault().at_name(Namespace::Operation, &name);
            let index = descriptor.compiled().find_operation(&name).ok_or_else(unknown)?;
            if ordered[index].replace(effects).is_some() {
                return Err(fault().at_name(Namespace::Operation, &name));
            }
        }
        let named = |(operation, effects): (&OperationDeclaration, Option<Effects>)| {
            (operation.name.clone(), effects.unwrap_or(Effects::WRITE))
        };
        Ok(Self(operations.iter().zip(ordered).map(named).collect()))
    }

    /// What is claimed of that operation; nothing for one that is not there.
    pub fn of(&self, operation: &str) -> Effects {
        let found = self.0.iter().find(|(name, _)| **name == *operation);
        found.map_or(Effects::WRITE, |(_, effects)| *effects)
    }

    /// As [`EffectTable::of`], for an operation of the descriptor that the table was made for: without a search.
    pub fn at(&self, operation: &Operation) -> Effects {
        match self.0.get(operation.index) {
            Some((name, effects)) if name == operation.name() => *effects,
            _ => self.of(operation.name()),
        }
    }

    /// Operations and effects in the descriptor's order.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, Effects)> {
        self.0.iter().map(|(name, effects)| (name, *effects))
    }
}

/// Descriptors are equal when their declarations are.
impl PartialEq for Descriptor {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.0.declaration == other.0.declaration
    }
}

impl Eq for Descriptor {}

impl fmt::Debug for Descriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0.declaration, f)
    }
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.declaration(), f)
    }
}

impl fmt::Debug for Effects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl fmt::Display for UnknownOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no operation {}", crate::fault::Quoted(&self.name))?;
        match &self.nearest {
            Some(nearest) => write!(f, "; did you mean {}?", crate::fault::Quoted(nearest)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownOperation {}
