//! The named types of one descriptor, and what each stands for.

use std::collections::{HashMap, HashSet};

use worldspace_model::{Declaration, OperationDeclaration, Type, TypeDeclaration, TypeKind};

use crate::quote;

/// The named types of a descriptor.
pub(super) struct Names<'a> {
    pub(super) declared: &'a [TypeDeclaration],
    pub(super) operations: HashMap<&'a str, &'a OperationDeclaration>,
    definitions: HashMap<&'a str, &'a Type>,
    /// What each stands for, never a name itself.
    pub(super) stand_for: HashMap<&'a str, &'a Type>,
    /// Whether any value is JSON as it stands, by the address of the type.
    json: HashMap<usize, bool>,
    pub(super) used: HashSet<&'a str>,
}

impl<'a> Names<'a> {
    pub(super) fn new(declaration: &'a Declaration) -> Self {
        let definitions: HashMap<&str, &'a Type> =
            declaration.types.iter().map(|declared| (&*declared.name, &declared.definition)).collect();
        let mut stand_for: HashMap<&'a str, &'a Type> = HashMap::with_capacity(definitions.len());
        for declared in &declaration.types {
            let (mut chain, mut ty) = (vec![&*declared.name], &declared.definition);
            // A descriptor has no cycles, and knows every name.
            while let TypeKind::Named(name) = ty.kind() {
                match (stand_for.get(&**name), definitions.get(&**name)) {
                    (Some(known), _) => ty = *known,
                    (None, Some(next)) => {
                        chain.push(name);
                        ty = *next;
                    }
                    (None, None) => break,
                }
            }
            stand_for.extend(chain.into_iter().map(|name| (name, ty)));
        }
        let operations =
            declaration.operations.iter().map(|operation| (&*operation.name, operation)).collect();
        Self {
            declared: &declaration.types,
            operations,
            definitions,
            stand_for,
            json: HashMap::new(),
            used: HashSet::new(),
        }
    }

    fn resolve(&self, ty: &'a Type) -> &'a Type {
        match ty.kind() {
            TypeKind::Named(name) => self.stand_for.get(&**name).copied().unwrap_or(ty),
            _ => ty,
        }
    }

    /// As [`Self::resolve`], noting the names on the way.
    pub(super) fn visit(&mut self, ty: &'a Type) -> &'a Type {
        let mut at = ty;
        while let TypeKind::Named(name) = at.kind() {
            if !self.used.insert(name) {
                break;
            }
            match self.definitions.get(&**name) {
                Some(next) => at = *next,
                None => break,
            }
        }
        self.resolve(ty)
    }

    /// Whether every value of `small`, a type of this descriptor, is one of `large`.
    pub(super) fn fits(&mut self, small: &'a Type, large: &Type) -> bool {
        match (small.kind(), large.kind()) {
            (TypeKind::Integer, TypeKind::Number) | (TypeKind::Enum(_), TypeKind::String) => true,
            (_, TypeKind::Json) => self.is_json(small),
            _ => false,
        }
    }

    /// Whether values are JSON as they stand: they hold neither bytes nor entries.
    fn is_json(&mut self, ty: &'a Type) -> bool {
        let mut open = vec![ty];
        while let Some(ty) = open.last().copied() {
            let inner: Vec<&Type> = inside(ty).into_iter().map(|ty| self.resolve(ty)).collect();
            let unknown = inner.iter().copied().filter(|ty| !self.json.contains_key(&address(ty)));
            let before = open.len();
            open.extend(unknown);
            if open.len() > before {
                continue;
            }
            let is_json = !matches!(ty.kind(), TypeKind::Bytes | TypeKind::Entry)
                && inner.iter().all(|ty| self.json.get(&address(ty)) == Some(&true));
            self.json.insert(address(ty), is_json);
            open.pop();
        }
        self.json.get(&address(ty)) == Some(&true)
    }
}

/// What tells a type expression from all others, while its descriptor stands.
pub(super) fn address(ty: &Type) -> usize {
    std::ptr::from_ref(ty).addr()
}

/// The expressions within an expression.
pub(super) fn inside(ty: &Type) -> Vec<&Type> {
    match ty.kind() {
        TypeKind::Record(fields) => fields.iter().map(|field| &field.ty).collect(),
        TypeKind::List(items) => vec![items],
        TypeKind::Union(cases) => cases.iter().filter_map(|case| case.payload.as_ref()).collect(),
        _ => Vec::new(),
    }
}

/// A type in a word or two.
pub(super) fn brief(ty: &Type) -> String {
    match ty.kind() {
        TypeKind::Unit => "`unit`".to_owned(),
        TypeKind::Boolean => "`boolean`".to_owned(),
        TypeKind::Integer => "`integer`".to_owned(),
        TypeKind::Number => "`number`".to_owned(),
        TypeKind::String => "`string`".to_owned(),
        TypeKind::Bytes => "`bytes`".to_owned(),
        TypeKind::Json => "`json`".to_owned(),
        TypeKind::Entry => "`entry`".to_owned(),
        TypeKind::Named(name) => format!("`{}`", quote::identifier(name)),
        TypeKind::Record(_) | TypeKind::TooDeep => "a record".to_owned(),
        TypeKind::List(_) => "a list".to_owned(),
        TypeKind::Enum(_) => "an enum".to_owned(),
        TypeKind::Union(_) => "a union".to_owned(),
    }
}
