//! What code made by `#[interface]` calls. Not meant to be called by hand, though nothing here is secret.

use std::sync::OnceLock;

use worldspace_model::typed::expand::{FromField, documented};
use worldspace_model::{
    Declaration, DeclarationError, Descriptor, Effect, EffectTable, Effects, Fault, Field, Name,
    OperationDeclaration, Type, TypeDeclarations, Value, WipType,
};

use crate::call::{Call, Done};
use crate::failure::Refusal;
use crate::interface::Interface;

/// Where the interface of a trait is kept once it is made.
pub type Made = OnceLock<Result<Interface, DeclarationError>>;

/// An interface while it is declared.
#[derive(Debug, Default)]
pub struct Declaring {
    types: TypeDeclarations,
    listed: Vec<Name>,
    declaration: Declaration,
    effects: Vec<(Name, Effects)>,
    contradiction: Option<Fault>,
}

impl Declaring {
    /// The interface of a trait with that comment.
    pub fn new(documentation: &[&str]) -> Self {
        let documentation = documented(documentation);
        Self { declaration: Declaration { documentation, ..Declaration::default() }, ..Self::default() }
    }

    /// Declares a type by name although nothing may use it.
    pub fn list<T: WipType>(&mut self) {
        self.types.list::<T>(&mut self.listed);
    }

    /// Declares an operation.
    pub fn operation<const N: usize>(
        &mut self,
        name: &str,
        documentation: &[&str],
        effects: &[Effect],
        parameters: impl FnOnce(&mut TypeDeclarations) -> [Field; N],
        returns_documentation: &[&str],
        returns: impl FnOnce(&mut TypeDeclarations) -> Type,
    ) {
        let operation = OperationDeclaration {
            name: name.into(),
            documentation: documented(documentation),
            parameters: parameters(&mut self.types).into(),
            returns: returns(&mut self.types),
            returns_documentation: documented(returns_documentation),
        };
        match Effects::new(effects.iter().copied()) {
            Ok(effects) => self.effects.push((operation.name.clone(), effects)),
            Err(fault) => {
                self.contradiction.get_or_insert(fault);
            }
        }
        self.declaration.operations.push(operation);
    }

    /// The interface.
    ///
    /// # Errors
    /// The trait and its types break a rule that only shows when they are put together.
    pub fn finish(mut self) -> Result<Interface, DeclarationError> {
        if let Some(fault) = self.contradiction {
            return Err(fault.into());
        }
        self.declaration.types = self.types.finish(&self.listed)?;
        let descriptor = Descriptor::new(self.declaration)?;
        let effects = EffectTable::new(&descriptor, self.effects)?;
        Ok(Interface::new(descriptor, effects))
    }
}

/// The argument of that name.
///
/// # Errors
/// As [`Call::typed`].
pub fn argument<T>(call: &Call, name: &str, from: FromField<T>) -> Result<T, Refusal> {
    call.argument_by(name, from)
}

/// The answer to a call that read something.
///
/// # Errors
/// The protocol has no such value.
pub fn read(call: Call, result: Result<Value, Fault>) -> Result<Done, Refusal> {
    result.map(|result| call.done(result)).map_err(|fault| Refusal::failed(fault.at_member("result")))
}

/// The refusal of an operation that the trait does not have: it was resolved by another descriptor.
pub fn unknown(call: &Call) -> Refusal {
    Refusal::failed(format!("`{}` is no operation of the trait that serves it", call.operation()))
}
