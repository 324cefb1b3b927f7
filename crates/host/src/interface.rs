//! An interface as a provider gives it: the descriptor, and what is claimed of its operations.

use std::fmt::{self, Write};
use std::sync::{Arc, OnceLock};

use worldspace_model::{
    Declaration, Descriptor, Documentation, Effect, EffectTable, Effects, Fault, Name, OperationDeclaration,
    Type, TypeDeclaration,
};

/// A checked descriptor with the effects of its operations. Cheap to clone; make it once and share it.
#[derive(Clone)]
pub struct Interface(Arc<Inner>);

struct Inner {
    descriptor: Descriptor,
    effects: EffectTable,
    digest: OnceLock<blake3::Hash>,
}

/// Gathers an [`Interface`].
///
/// ```
/// use worldspace_host::Interface;
/// use worldspace_model::{Field, OperationDeclaration, Type};
/// let note = Interface::builder()
///     .documented("A text that can be read.")
///     .read(OperationDeclaration::new("read").returns(Type::STRING))
///     .write(OperationDeclaration::new("append").takes([Field::required("text", Type::STRING)]))
///     .build()?;
/// # Ok::<(), worldspace_model::Fault>(())
/// ```
#[derive(Debug, Default)]
#[must_use]
pub struct InterfaceBuilder {
    declaration: Declaration,
    effects: Vec<(Name, Result<Effects, Fault>)>,
}

impl Interface {
    /// An interface without operations yet.
    pub fn builder() -> InterfaceBuilder {
        InterfaceBuilder::default()
    }

    /// An interface of parts that exist already.
    pub fn new(descriptor: Descriptor, effects: EffectTable) -> Self {
        Self(Arc::new(Inner { descriptor, effects, digest: OnceLock::new() }))
    }

    /// The descriptor.
    pub fn descriptor(&self) -> &Descriptor {
        &self.0.descriptor
    }

    /// What is claimed of the operations.
    pub fn effects(&self) -> &EffectTable {
        &self.0.effects
    }

    /// Whether both declare the same.
    pub(crate) fn is_equal(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.digest() == other.digest()
    }

    /// A digest of descriptor and effects. The debug text serves as the canonical form: it is derived, so that no
    /// member can be forgotten, and quotes strings, so that no two declarations share it.
    pub(crate) fn digest(&self) -> blake3::Hash {
        struct Digesting(blake3::Hasher);
        impl Write for Digesting {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                self.0.update(text.as_bytes());
                Ok(())
            }
        }
        *self.0.digest.get_or_init(|| {
            let mut digesting = Digesting(blake3::Hasher::new());
            // Writing into a hasher cannot fail.
            let _ = write!(digesting, "{:?}{:?}", self.0.descriptor, self.0.effects);
            digesting.0.finalize()
        })
    }
}

impl InterfaceBuilder {
    /// With a summary of what the interface is for.
    pub fn documented(mut self, summary: impl Into<String>) -> Self {
        self.declaration.documentation = Some(Documentation::summary(summary));
        self
    }

    /// With a named type.
    pub fn ty(mut self, name: impl Into<Name>, definition: Type) -> Self {
        self.declaration.types.push(TypeDeclaration { name: name.into(), documentation: None, definition });
        self
    }

    /// With an operation that changes nothing.
    pub fn read(self, operation: OperationDeclaration) -> Self {
        self.operation(operation, [Effect::Read])
    }

    /// With an ordinary write.
    pub fn write(self, operation: OperationDeclaration) -> Self {
        self.operation(operation, [])
    }

    /// With an operation of these effects.
    pub fn operation(
        mut self,
        operation: OperationDeclaration,
        effects: impl IntoIterator<Item = Effect>,
    ) -> Self {
        self.effects.push((operation.name.clone(), Effects::new(effects)));
        self.declaration.operations.push(operation);
        self
    }

    /// Checks and compiles it.
    ///
    /// # Errors
    /// The first broken rule of the declaration, or effects that contradict each other.
    pub fn build(self) -> Result<Interface, Fault> {
        let descriptor = Descriptor::new(self.declaration)?;
        let mut effects = Vec::with_capacity(self.effects.len());
        for (name, of_operation) in self.effects {
            effects.push((name, of_operation?));
        }
        let effects = EffectTable::new(&descriptor, effects)?;
        Ok(Interface::new(descriptor, effects))
    }
}

impl fmt::Debug for Interface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interface")
            .field("descriptor", &self.0.descriptor)
            .field("effects", &self.0.effects)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use worldspace_model::{EnumCase, Field, UnionCase};

    use super::*;

    /// A validator stands for everything that a descriptor says: no two of these may share one.
    #[test]
    fn whatever_differs_in_a_descriptor_differs_in_its_digest() {
        let op = || OperationDeclaration::new("op");
        let taking = |ty| op().takes([Field::required("p", ty)]);
        let documented = |field: Field| op().takes([field]);
        let mut details = op().documented("s");
        details.documentation = Some(Documentation { summary: "s".into(), details: Some("d".into()) });
        let mut returns = op();
        returns.returns_documentation = Some(Documentation::summary("s"));
        let interfaces: Vec<Interface> = [
            Interface::builder(),
            Interface::builder().documented("s"),
            Interface::builder().ty("T", Type::UNIT),
            Interface::builder().ty("T", Type::STRING),
            Interface::builder().ty("T\", definition: Unit", Type::UNIT),
            Interface::builder().read(op()),
            Interface::builder().write(op()),
            Interface::builder().operation(op(), [Effect::Destructive]),
            Interface::builder().operation(op(), [Effect::Destructive, Effect::Guarded]),
            Interface::builder().read(op().documented("s")),
            Interface::builder().read(details),
            Interface::builder().read(returns),
            Interface::builder().read(op().returns(Type::JSON)),
            Interface::builder().read(taking(Type::UNIT)),
            Interface::builder().read(documented(Field::optional("p", Type::UNIT))),
            Interface::builder().read(documented(Field::required("p", Type::UNIT).documented("s"))),
            Interface::builder().read(taking(Type::list(Type::UNIT))),
            Interface::builder().read(taking(Type::one_of(["a", "b"]))),
            Interface::builder().read(taking(Type::one_of(["b", "a"]))),
            Interface::builder().read(taking(Type::cases(vec![EnumCase::documented("a", "s")]))),
            Interface::builder().read(taking(Type::union([UnionCase::bare("a")]))),
            Interface::builder().read(taking(Type::union([UnionCase::carrying("a", Type::UNIT)]))),
            Interface::builder().read(taking(Type::record([]))),
        ]
        .into_iter()
        .map(|builder| builder.build().unwrap())
        .collect();
        for (at, one) in interfaces.iter().enumerate() {
            for other in &interfaces[..at] {
                assert_ne!(one.digest(), other.digest(), "{one:?} {other:?}");
            }
        }
    }
}
