//! Type expressions into those of the model, names resolved.

use std::collections::HashMap;

use worldspace_model::{self as model, Name, Quoted, nearest};

use super::scope::{Scope, Suggestions};
use crate::diagnostic::Diagnostic;
use crate::parser::type_hint;
use crate::source::Span;
use crate::syntax::{BuiltIn, Case, Docs, Field, Ident, Type, TypeKind};

/// What a name leads to, by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// A type of the interface itself.
    Local(u32),
    /// A type of a file.
    Shared(u32),
}

/// Reads the types of one declaration.
pub(super) struct Reader<'a> {
    pub(super) scope: &'a Scope,
    pub(super) locals: &'a HashMap<Name, u32>,
    /// The names of the local types in order.
    pub(super) local_names: &'a [Name],
    pub(super) suggestions: &'a mut Suggestions,
    pub(super) diagnostics: &'a mut Vec<Diagnostic>,
    /// What was named so far, and where.
    pub(super) named: Vec<(Target, Span)>,
    /// About how much was read.
    pub(super) weight: usize,
}

impl Reader<'_> {
    /// None where something is wrong, which has been told.
    pub(super) fn ty(&mut self, ty: &Type) -> Option<model::Type> {
        self.weight += 1;
        match &ty.kind {
            TypeKind::BuiltIn(built_in) => Some(match built_in {
                BuiltIn::Unit => model::Type::UNIT,
                BuiltIn::Boolean => model::Type::BOOLEAN,
                BuiltIn::Integer => model::Type::INTEGER,
                BuiltIn::Number => model::Type::NUMBER,
                BuiltIn::String => model::Type::STRING,
                BuiltIn::Bytes => model::Type::BYTES,
                BuiltIn::Json => model::Type::JSON,
                BuiltIn::Entry => model::Type::ENTRY,
            }),
            TypeKind::Named(name) => self.named(name),
            TypeKind::Record(block) => self.fields("field", &block.members).map(model::Type::record),
            TypeKind::List(items) => self.ty(items).map(model::Type::list),
            TypeKind::Enum(block) => {
                let unique = self.unique("case", block.members.iter().map(|case| &case.name));
                let cases = block.members.iter().map(|case| self.enum_case(case)).collect();
                unique.then(|| model::Type::cases(cases))
            }
            TypeKind::Union(block) => {
                let unique = self.unique("case", block.members.iter().map(|case| &case.name));
                let cases: Vec<_> = block.members.iter().map(|case| self.union_case(case)).collect();
                let cases: Option<Vec<_>> = cases.into_iter().collect();
                cases.filter(|_| unique).map(model::Type::union)
            }
            TypeKind::Broken => None,
        }
    }

    /// Fields of a record, or parameters.
    pub(super) fn fields(&mut self, noun: &str, fields: &[Field]) -> Option<Vec<model::Field>> {
        let unique = self.unique(noun, fields.iter().map(|field| &field.name));
        let fields: Vec<Option<model::Field>> = fields
            .iter()
            .map(|field| {
                let ty = self.ty(&field.ty)?;
                let documentation = self.says(field.docs.as_ref());
                let name = field.name.name.clone();
                Some(model::Field { name, required: !field.optional, documentation, ty })
            })
            .collect();
        fields.into_iter().collect::<Option<Vec<_>>>().filter(|_| unique)
    }

    fn enum_case(&mut self, case: &Case) -> model::EnumCase {
        self.weight += 1;
        model::EnumCase { name: case.name.name.clone(), documentation: self.says(case.docs.as_ref()) }
    }

    fn union_case(&mut self, case: &Case) -> Option<model::UnionCase> {
        self.weight += 1;
        let payload = match &case.payload {
            Some(payload) => Some(self.ty(payload)?),
            None => None,
        };
        let documentation = self.says(case.docs.as_ref());
        Some(model::UnionCase { name: case.name.name.clone(), documentation, payload })
    }

    pub(super) fn says(&mut self, docs: Option<&Docs>) -> Option<model::Documentation> {
        let says = docs?.says.clone()?;
        self.weight += (says.summary.len() + says.details.as_ref().map_or(0, String::len)) / 64;
        Some(says)
    }

    /// Whether the names are sound, and each stands once.
    pub(super) fn unique<'i>(&mut self, noun: &str, names: impl Iterator<Item = &'i Ident>) -> bool {
        let mut seen: HashMap<&str, Span> = HashMap::with_capacity(names.size_hint().0);
        let mut unique = true;
        for ident in names {
            if !ident.sound {
                unique = false;
                continue;
            }
            if let Some(first) = seen.get(&*ident.name) {
                self.diagnostics.push(twice(noun, ident, *first));
                unique = false;
            } else {
                seen.insert(&ident.name, ident.span);
            }
        }
        unique
    }

    fn named(&mut self, ident: &Ident) -> Option<model::Type> {
        let local = self.locals.get(&ident.name).map(|at| Target::Local(*at));
        let target = local.or_else(|| self.scope.find(&ident.name).map(Target::Shared));
        match target {
            Some(target) => {
                self.named.push((target, ident.span));
                Some(model::Type::named(ident.name.clone()))
            }
            None => {
                self.unknown(ident);
                None
            }
        }
    }

    fn unknown(&mut self, ident: &Ident) {
        let meant = self.meant(&ident.name);
        // What a file that is not there would have declared is not told as well, unless it looks like a slip.
        if self.scope.incomplete && meant.is_none() {
            return;
        }
        let message = format!("there is no type {}", Quoted(&ident.name));
        let help =
            meant.unwrap_or_else(|| "declare it with `type`, in the interface or in the file".to_owned());
        self.diagnostics.push(Diagnostic::new(ident.span, message).help(help));
    }

    /// What may have been meant by a name that is not there.
    fn meant(&mut self, name: &str) -> Option<String> {
        if let Some(file) = self.suggestions.file_of(name) {
            let said = format!("{} declares one, but is not used by this file itself", Quoted(file));
            return Some(said);
        }
        let hint = type_hint(name).map(str::to_owned);
        // A type of one's own is rarely in small letters alone, a built-in one of another language mostly.
        if let Some(hint) = hint.clone().filter(|_| !name.contains(|c: char| c.is_ascii_uppercase())) {
            return Some(hint);
        }
        let known = self.local_names.len() + self.scope.names.len();
        let near = if self.suggestions.afford(name, known) {
            let declared = self.local_names.iter().chain(&self.scope.names).map(|name| &**name);
            nearest(name, declared.take(900).chain(BuiltIn::ALL.map(BuiltIn::word)))
        } else {
            None
        };
        match (near, hint) {
            (Some(near), _) => Some(format!("did you mean {}?", Quoted(near))),
            (None, hint) => hint,
        }
    }
}

/// Tells that a name stands twice.
pub(super) fn twice(noun: &str, ident: &Ident, first: Span) -> Diagnostic {
    Diagnostic::new(ident.span, format!("the {noun} {} is declared twice", Quoted(&ident.name)))
        .label("again here")
        .also(first, "first here")
        .help("rename or remove one of them")
}
