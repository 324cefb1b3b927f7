//! Gathers the named types that a declaration uses.

use std::any::TypeId;
use std::collections::HashMap;

use super::DeclarationError;
use crate::Name;
use crate::interface::{Documentation, TypeDeclaration};
use crate::types::{Type, TypeKind};

/// The named types that the Rust types of one interface use, each behind those that it uses itself.
#[derive(Debug, Default)]
pub struct TypeDeclarations {
    declared: Vec<TypeDeclaration>,
    /// Which Rust type stands behind each name.
    known: HashMap<Name, (TypeId, &'static str)>,
    /// The Rust types whose definitions are being read.
    open: Vec<(TypeId, &'static str)>,
    error: Option<DeclarationError>,
}

impl TypeDeclarations {
    /// Refers to the Rust type `T` by name. Its definition is asked for when it is met for the first time.
    pub fn named<T: 'static>(
        &mut self,
        name: &str,
        documentation: Option<Documentation>,
        definition: impl FnOnce(&mut Self) -> Type,
    ) -> Type {
        let (id, rust) = (TypeId::of::<T>(), std::any::type_name::<T>());
        let name = Name::from(name);
        match self.known.get(&name) {
            Some((known, _)) if *known == id && !self.is_open(id) => {}
            Some((known, first)) if *known != id => {
                let error = DeclarationError::SameName { name: name.clone(), types: [*first, rust] };
                self.error.get_or_insert(error);
            }
            _ => {
                self.known.insert(name.clone(), (id, rust));
                if let Some(definition) = self.inside::<T>(definition) {
                    self.declared.push(TypeDeclaration { name: name.clone(), documentation, definition });
                }
            }
        }
        Type::named(name)
    }

    /// Puts the definition of the Rust type `T` where it is used, without a name.
    pub fn inline<T: 'static>(&mut self, definition: impl FnOnce(&mut Self) -> Type) -> Type {
        self.inside::<T>(definition).unwrap_or(Type::UNIT)
    }

    /// None where `T` is met within itself.
    fn inside<T: 'static>(&mut self, definition: impl FnOnce(&mut Self) -> Type) -> Option<Type> {
        let (id, rust) = (TypeId::of::<T>(), std::any::type_name::<T>());
        if let Some(at) = self.open.iter().position(|(open, _)| *open == id) {
            let cycle = self.open[at..].iter().map(|(_, rust)| *rust).collect();
            self.error.get_or_insert(DeclarationError::Recursive { cycle });
            return None;
        }
        self.open.push((id, rust));
        let definition = definition(self);
        self.open.pop();
        Some(definition)
    }

    fn is_open(&self, id: TypeId) -> bool {
        self.open.iter().any(|(open, _)| *open == id)
    }

    /// Declares the Rust type `T` although nothing may use it, before those that are not listed at all.
    pub fn list<T: super::WipType>(&mut self, listed: &mut Vec<Name>) {
        match T::describe(self).kind() {
            TypeKind::Named(name) => listed.push(name.clone()),
            _ => {
                let error = DeclarationError::Unnamed { ty: std::any::type_name::<T>() };
                self.error.get_or_insert(error);
            }
        }
    }

    /// All of them: those that were listed first, in that order.
    ///
    /// # Errors
    /// Two Rust types have one name, or types contain each other.
    pub fn finish(self, listed: &[Name]) -> Result<Vec<TypeDeclaration>, DeclarationError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let place: HashMap<&Name, usize> =
            listed.iter().enumerate().map(|(place, name)| (name, place)).collect();
        let mut declared = self.declared;
        declared.sort_by_key(|ty| place.get(&ty.name).copied().unwrap_or(usize::MAX));
        Ok(declared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct A;
    struct B;

    #[test]
    fn types_stand_behind_those_they_use_unless_they_are_listed() {
        let gather = || {
            let mut types = TypeDeclarations::default();
            types.named::<A>("A", None, |types| Type::list(types.named::<B>("B", None, |_| Type::STRING)));
            types.named::<B>("B", None, |_| unreachable!("it is known"));
            types
        };
        let names = |listed: &[Name]| -> Vec<String> {
            gather().finish(listed).unwrap().iter().map(|ty| ty.name.to_string()).collect()
        };
        assert_eq!(names(&[]), ["B", "A"]);
        assert_eq!(names(&["A".into()]), ["A", "B"]);
    }

    #[test]
    fn one_name_for_two_rust_types_is_told() {
        let mut types = TypeDeclarations::default();
        types.named::<A>("X", None, |_| Type::UNIT);
        types.named::<B>("X", None, |_| Type::UNIT);
        let told = types.finish(&[]).unwrap_err().to_string();
        assert!(told.contains("tests::A and ") && told.contains("`X`"), "{told}");
    }

    #[test]
    fn types_that_contain_each_other_are_told_named_or_not() {
        fn a(types: &mut TypeDeclarations) -> Type {
            types.named::<A>("A", None, |types| types.inline::<B>(|types| Type::list(a(types))))
        }
        let mut types = TypeDeclarations::default();
        a(&mut types);
        let told = types.finish(&[]).unwrap_err().to_string();
        assert!(told.contains("tests::A → ") && told.contains("tests::B → "), "{told}");
    }
}
