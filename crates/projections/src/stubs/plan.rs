//! Several descriptors as one list of named types and the interfaces that use them.
//!
//! Languages want a name for every record, enum and union. What has none in a descriptor is named after the place where it
//! stands; the same type met in several interfaces is one. No recursion follows names, since a Host may chain as many as
//! it likes.

use std::collections::HashMap;

use worldspace_model::{
    Descriptor, Documentation, Effect, EffectTable, Effects, EnumCase, Field, InterfaceName, Name, Type,
    TypeKind,
};

use super::names::{Names, upper_camel};

/// An interface to be planned.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its name, without a scope.
    pub name: InterfaceName,
    /// What it is called in code where its name alone does not tell it from another one.
    pub called: Option<String>,
    /// Its descriptor.
    pub descriptor: Descriptor,
    /// What is claimed of its operations.
    pub effects: EffectTable,
}

impl Source {
    /// An interface that is called by its name.
    pub fn new(name: InterfaceName, descriptor: Descriptor, effects: EffectTable) -> Self {
        Self { name, called: None, descriptor, effects }
    }

    pub(crate) fn called(&self) -> &str {
        self.called.as_deref().unwrap_or(self.name.as_str())
    }
}

/// Types and interfaces, each with a name that is unique among all of them.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The types, each behind those that it uses.
    pub types: Vec<PlannedType>,
    /// The interfaces, as they were given.
    pub interfaces: Vec<PlannedInterface>,
}

/// A type with a name.
#[derive(Debug, Clone)]
pub struct PlannedType {
    /// The name, in upper camel case.
    pub name: String,
    /// The name in the descriptor; none where it has none there.
    pub declared: Option<Name>,
    /// What it means.
    pub documentation: Option<Documentation>,
    /// What it is.
    pub definition: Definition,
}

/// What a [`PlannedType`] is.
#[derive(Debug, Clone)]
pub enum Definition {
    /// Fields in their order.
    Record(Vec<PlannedField>),
    /// One of these names.
    Enum(Vec<EnumCase>),
    /// One of these cases.
    Union(Vec<PlannedCase>),
    /// Another name for a type.
    Alias(TypeUse),
}

/// A type where it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of SPEC 1")]
pub enum TypeUse {
    Unit,
    Boolean,
    Integer,
    Number,
    String,
    Bytes,
    Json,
    Entry,
    List(Box<TypeUse>),
    /// One of [`Plan::types`].
    Named(usize),
}

/// A field or parameter.
#[derive(Debug, Clone)]
pub struct PlannedField {
    /// Its name.
    pub name: Name,
    /// Whether it must be present.
    pub required: bool,
    /// What it means.
    pub documentation: Option<Documentation>,
    /// Its type.
    pub ty: TypeUse,
}

/// A case of a union.
#[derive(Debug, Clone)]
pub struct PlannedCase {
    /// Its name.
    pub name: Name,
    /// What it means.
    pub documentation: Option<Documentation>,
    /// What it carries.
    pub payload: Option<TypeUse>,
}

/// An interface.
#[derive(Debug, Clone)]
pub struct PlannedInterface {
    /// The name, in upper camel case.
    pub name: String,
    /// The name in the Worldspace.
    pub declared: InterfaceName,
    /// What it is for.
    pub documentation: Option<Documentation>,
    /// The types of its descriptor in their order.
    pub types: Vec<usize>,
    /// Its operations in their order.
    pub operations: Vec<PlannedOperation>,
}

/// An operation.
#[derive(Debug, Clone)]
pub struct PlannedOperation {
    /// Its name.
    pub name: Name,
    /// What it does.
    pub documentation: Option<Documentation>,
    /// What is claimed of it.
    pub effects: Effects,
    /// Whether a call of it is bound to the state that was shown: it is guarded, or the Host claims nothing of its operations
    /// and this one may be.
    pub bound: bool,
    /// What it takes.
    pub parameters: Vec<PlannedField>,
    /// What it gives.
    pub returns: TypeUse,
    /// What its result means.
    pub returns_documentation: Option<Documentation>,
}

impl Plan {
    /// The plan of these interfaces. `reserved` are names that no type and no interface may get.
    pub fn new(sources: &[Source], reserved: &[&str]) -> Self {
        let mut planner =
            Planner { names: Names::without(reserved), types: Vec::new(), known: HashMap::new() };
        // Interfaces are what their users name first, so theirs are the plain names.
        let names: Vec<String> =
            sources.iter().map(|source| planner.names.claim([upper_camel(source.called())])).collect();
        let interfaces =
            sources.iter().zip(names).map(|(source, name)| planner.interface(source, name)).collect();
        Self { types: planner.types, interfaces }
    }

    /// Whether a value of that type may hold an entry.
    pub fn holds_entry(&self, ty: &TypeUse) -> bool {
        // Types stand behind those that they use, so one pass from the front knows all of them.
        let mut holds = vec![false; self.types.len()];
        let of = |ty: &TypeUse, holds: &[bool]| match innermost(ty) {
            TypeUse::Entry => true,
            TypeUse::Named(index) => holds.get(*index).copied().unwrap_or_default(),
            _ => false,
        };
        for (at, ty) in self.types.iter().enumerate() {
            holds[at] = match &ty.definition {
                Definition::Record(fields) => fields.iter().any(|field| of(&field.ty, &holds)),
                Definition::Union(cases) => {
                    cases.iter().filter_map(|case| case.payload.as_ref()).any(|ty| of(ty, &holds))
                }
                Definition::Alias(ty) => of(ty, &holds),
                Definition::Enum(_) => false,
            };
        }
        of(ty, &holds)
    }
}

fn innermost(ty: &TypeUse) -> &TypeUse {
    let mut ty = ty;
    while let TypeUse::List(items) = ty {
        ty = items;
    }
    ty
}

struct Planner {
    names: Names,
    types: Vec<PlannedType>,
    /// The types by wished name and by all that they say.
    known: HashMap<(String, String), usize>,
}

/// Where a type stands: what it would be named, and the interface that tells it apart from others of that name.
struct Place<'a> {
    interface: &'a str,
    declared: &'a HashMap<&'a str, usize>,
}

impl Planner {
    fn interface(&mut self, source: &Source, name: String) -> PlannedInterface {
        let declaration = source.descriptor.declaration();
        let mut declared = HashMap::new();
        for at in order(&source.descriptor) {
            let ty = &declaration.types[at];
            let place = Place { interface: &name, declared: &declared };
            let wish = upper_camel(&ty.name);
            let documentation = ty.documentation.clone();
            let index = match self.definition(&ty.definition, &wish, &place) {
                Some(definition) => self.add(wish, Some(ty.name.clone()), documentation, definition, &place),
                None => {
                    let target = self.used(&ty.definition, &wish, &place);
                    let alias = Definition::Alias(target);
                    self.add(wish, Some(ty.name.clone()), documentation, alias, &place)
                }
            };
            declared.insert(&*ty.name, index);
        }
        let place = Place { interface: &name, declared: &declared };
        let claimed = source.effects.iter().next().is_some();
        let operations = declaration
            .operations
            .iter()
            .map(|operation| {
                let wish = upper_camel(&operation.name);
                PlannedOperation {
                    name: operation.name.clone(),
                    documentation: operation.documentation.clone(),
                    effects: source.effects.of(&operation.name),
                    bound: !claimed || source.effects.of(&operation.name).has(Effect::Guarded),
                    parameters: self.fields(&operation.parameters, &wish, &place),
                    returns: self.used(&operation.returns, &format!("{wish}Result"), &place),
                    returns_documentation: operation.returns_documentation.clone(),
                }
            })
            .collect();
        let types = declaration.types.iter().filter_map(|ty| declared.get(&*ty.name).copied()).collect();
        let documentation = declaration.documentation.clone();
        PlannedInterface { name, declared: source.name.clone(), documentation, types, operations }
    }

    fn fields(&mut self, fields: &[Field], wish: &str, place: &Place<'_>) -> Vec<PlannedField> {
        let planned = |field: &Field| PlannedField {
            name: field.name.clone(),
            required: field.required,
            documentation: field.documentation.clone(),
            ty: self.used(&field.ty, &format!("{wish}{}", upper_camel(&field.name)), place),
        };
        fields.iter().map(planned).collect()
    }

    /// What asks for a name; none for all else. Expressions are of bounded depth, so recursion is.
    fn definition(&mut self, ty: &Type, wish: &str, place: &Place<'_>) -> Option<Definition> {
        match ty.kind() {
            TypeKind::Record(fields) => Some(Definition::Record(self.fields(fields, wish, place))),
            TypeKind::Enum(cases) => Some(Definition::Enum(cases.clone())),
            TypeKind::Union(cases) => {
                let mut planned = Vec::with_capacity(cases.len());
                for case in cases {
                    let wish = format!("{wish}{}", upper_camel(&case.name));
                    planned.push(PlannedCase {
                        name: case.name.clone(),
                        documentation: case.documentation.clone(),
                        payload: case.payload.as_ref().map(|payload| self.used(payload, &wish, place)),
                    });
                }
                Some(Definition::Union(planned))
            }
            _ => None,
        }
    }

    fn used(&mut self, ty: &Type, wish: &str, place: &Place<'_>) -> TypeUse {
        match ty.kind() {
            // No descriptor holds what is too deep.
            TypeKind::Unit | TypeKind::TooDeep => TypeUse::Unit,
            TypeKind::Boolean => TypeUse::Boolean,
            TypeKind::Integer => TypeUse::Integer,
            TypeKind::Number => TypeUse::Number,
            TypeKind::String => TypeUse::String,
            TypeKind::Bytes => TypeUse::Bytes,
            TypeKind::Json => TypeUse::Json,
            TypeKind::Entry => TypeUse::Entry,
            TypeKind::List(items) => TypeUse::List(Box::new(self.used(items, &format!("{wish}Item"), place))),
            // A descriptor declares what it names, and each is planned before it is used.
            TypeKind::Named(name) => {
                place.declared.get(&**name).map_or(TypeUse::Unit, |at| TypeUse::Named(*at))
            }
            TypeKind::Record(_) | TypeKind::Enum(_) | TypeKind::Union(_) => {
                match self.definition(ty, wish, place) {
                    Some(definition) => {
                        TypeUse::Named(self.add(wish.to_owned(), None, None, definition, place))
                    }
                    None => TypeUse::Unit,
                }
            }
        }
    }

    fn add(
        &mut self,
        wish: String,
        declared: Option<Name>,
        documentation: Option<Documentation>,
        definition: Definition,
        place: &Place<'_>,
    ) -> usize {
        // The debug text is derived, so that nothing that tells two types apart can be forgotten.
        let said = format!("{declared:?}{documentation:?}{definition:?}");
        if let Some(known) = self.known.get(&(wish.clone(), said.clone())) {
            return *known;
        }
        let name = self.names.claim([wish.clone(), format!("{}{wish}", place.interface)]);
        let index = self.types.len();
        self.types.push(PlannedType { name, declared, documentation, definition });
        self.known.insert((wish, said), index);
        index
    }
}

/// The declared types, each behind those that it uses.
fn order(descriptor: &Descriptor) -> Vec<usize> {
    let types = &descriptor.declaration().types;
    let place: HashMap<&str, usize> = types.iter().enumerate().map(|(at, ty)| (&*ty.name, at)).collect();
    let uses: Vec<Vec<usize>> = types
        .iter()
        .map(|ty| names_in(&ty.definition).filter_map(|name| place.get(name).copied()).collect())
        .collect();
    let mut met = vec![false; types.len()];
    let mut order = Vec::with_capacity(types.len());
    for start in 0..types.len() {
        let mut open = Vec::new();
        if !std::mem::replace(&mut met[start], true) {
            open.push((start, 0));
        }
        while let Some((at, next)) = open.last_mut() {
            match uses[*at].get(*next).copied() {
                Some(used) => {
                    *next += 1;
                    if !std::mem::replace(&mut met[used], true) {
                        open.push((used, 0));
                    }
                }
                None => {
                    order.push(*at);
                    open.pop();
                }
            }
        }
    }
    order
}

fn names_in(ty: &Type) -> impl Iterator<Item = &str> {
    let mut open = vec![ty];
    std::iter::from_fn(move || {
        while let Some(ty) = open.pop() {
            match ty.kind() {
                TypeKind::Named(name) => return Some(&**name),
                TypeKind::List(items) => open.push(items),
                TypeKind::Record(fields) => open.extend(fields.iter().rev().map(|field| &field.ty)),
                TypeKind::Union(cases) => {
                    open.extend(cases.iter().rev().filter_map(|case| case.payload.as_ref()));
                }
                _ => {}
            }
        }
        None
    })
}
