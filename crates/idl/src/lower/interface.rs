//! One interface into its descriptor.

use std::collections::HashMap;

use worldspace_model::{
    Declaration, Descriptor, Effect, EffectTable, Effects, Name, OperationDeclaration, Quoted,
    TypeDeclaration,
};

use super::cycle::{Edges, cycles};
use super::scope::Scope;
use super::types::{Reader, Target, twice};
use super::{Lowering, MOST_COPIED, positions, recursive, whole};
use crate::check::{DeclaredInterface, DeclaredName};
use crate::diagnostic::Diagnostic;
use crate::load::Unit;
use crate::source::Span;
use crate::syntax::{self, Interface, Item, Member, Operation};

/// What an interface declares itself, and which types of files it names.
struct Parts {
    types: Vec<TypeDeclaration>,
    operations: Vec<OperationDeclaration>,
    effects: Vec<(Name, Effects)>,
    named: Vec<u32>,
    /// Whether all of it could be read: not all that is missing was told of.
    whole: bool,
}

impl Lowering<'_> {
    /// The sound interfaces of a unit; for another than the first one they are judged alone.
    pub(super) fn interfaces_of(
        &mut self,
        unit: &Unit,
        scope: &Scope,
        first: bool,
    ) -> Vec<DeclaredInterface> {
        let mut seen: HashMap<&DeclaredName, Span> = HashMap::new();
        let mut sound = Vec::new();
        for item in &unit.file.items {
            let Item::Interface(tree) = item else { continue };
            let told = self.diagnostics.len();
            if let Some(name) = &tree.name {
                if let Some(known) = seen.get(name) {
                    self.diagnostics.push(
                        Diagnostic::new(tree.name_span, "this interface is declared twice")
                            .label("again here")
                            .also(*known, "first here")
                            .help("rename or remove one of them"),
                    );
                } else {
                    seen.insert(name, tree.name_span);
                }
            }
            let parts = self.parts(tree, scope);
            let reached = self.reach(tree, &parts);
            let clean = parts.whole
                && self.diagnostics.len() == told
                && unit.is_clean(whole(tree.docs.as_ref(), tree.span));
            if let (true, true, Some(reached), Some(name)) = (clean, first, reached, &tree.name) {
                sound.extend(self.descriptor(tree, name, parts, &reached));
            }
        }
        sound
    }

    fn parts(&mut self, tree: &Interface, scope: &Scope) -> Parts {
        let types = || {
            tree.body.members.iter().filter_map(|member| match member {
                Member::Type(ty) => Some(ty),
                Member::Operation(_) => None,
            })
        };
        let locals = positions(types());
        let names: Vec<Name> = types().map(|ty| ty.name.name.clone()).collect();
        self.refuse_names(types(), &locals, scope);
        let mut reader = Reader {
            scope,
            locals: &locals,
            local_names: &names,
            suggestions: &mut self.suggestions,
            diagnostics: self.diagnostics,
            named: Vec::new(),
            weight: 0,
        };
        let mut parts = Parts {
            types: Vec::new(),
            operations: Vec::new(),
            effects: Vec::new(),
            named: Vec::new(),
            whole: true,
        };
        let mut graph: Vec<Edges> = Vec::new();
        for ty in types() {
            let read =
                if ty.name.sound { reader.declaration(ty) } else { reader.ty(&ty.definition).and(None) };
            parts.whole &= read.is_some();
            parts.types.extend(read);
            let edges = split(std::mem::take(&mut reader.named), &mut parts.named);
            graph.push(edges);
        }
        let operations = || {
            tree.body.members.iter().filter_map(|member| match member {
                Member::Operation(operation) => Some(operation),
                Member::Type(_) => None,
            })
        };
        reader.unique("operation", operations().map(|operation| &operation.name));
        for operation in operations() {
            let read = reader.operation(operation);
            let effects = reader.effects(operation);
            if let (Some(read), Some(effects)) = (read, effects) {
                parts.effects.push((read.name.clone(), effects));
                parts.operations.push(read);
            } else {
                parts.whole = false;
            }
            split(std::mem::take(&mut reader.named), &mut parts.named);
        }
        for circle in cycles(&graph).0 {
            self.diagnostics
                .extend(recursive(&circle, |at| names.get(at as usize).map_or("", |name| &**name)));
        }
        parts
    }

    /// Tells of local types whose name is taken.
    fn refuse_names<'t>(
        &mut self,
        types: impl Iterator<Item = &'t syntax::TypeDeclaration> + Clone,
        locals: &HashMap<Name, u32>,
        scope: &Scope,
    ) {
        let spans: Vec<Span> = types.clone().map(|ty| ty.name.span).collect();
        for (at, ty) in (0u32..).zip(types).filter(|(_, ty)| ty.name.sound) {
            let name = &ty.name.name;
            let first = locals.get(name).copied().filter(|first| *first != at);
            if let Some(first) = first.and_then(|first| spans.get(first as usize)) {
                self.diagnostics.push(twice("type", &ty.name, *first));
            } else if let Some(shared) = scope.find(name).and_then(|at| self.shared.get(at as usize)) {
                self.met.insert(ty.name.span, shared.declared.span);
                let file = Quoted(self.sources.name(shared.declared.span.file)).to_string();
                let message = format!("a type {} is declared in {file} for all interfaces", Quoted(name));
                self.diagnostics.push(
                    Diagnostic::new(ty.name.span, message)
                        .also(shared.declared.span, "declared here")
                        .help("rename one of them, or remove this one to use the other"),
                );
            }
        }
    }

    /// The types of files that an interface reaches, in order; none where one of them is not sound.
    fn reach(&mut self, tree: &Interface, parts: &Parts) -> Option<Vec<u32>> {
        self.interfaces += 1;
        let mut sound = true;
        let mut reached = Vec::new();
        let mut open = parts.named.clone();
        while let Some(at) = open.pop() {
            let (Some(shared), Some(by)) = (self.shared.get(at as usize), self.reached.get_mut(at as usize))
            else {
                continue;
            };
            if std::mem::replace(by, self.interfaces) == self.interfaces {
                continue;
            }
            if self.copied > MOST_COPIED {
                return None;
            }
            self.copied += shared.weight;
            if self.copied > MOST_COPIED {
                self.diagnostics.push(
                    Diagnostic::new(
                        tree.name_span,
                        format!("types of files are copied into each interface that reaches them, and up to this one that makes more than {MOST_COPIED} parts"),
                    )
                    .help("spread the interfaces over several files, or let them reach fewer types"),
                );
                return None;
            }
            sound &= shared.ty.is_some();
            reached.push(at);
            open.extend(shared.named.iter().map(|(target, _)| *target));
        }
        reached.sort_unstable();
        let unique = self.refuse_meeting(tree, &reached);
        (sound && unique).then_some(reached)
    }

    /// Types of one name that only meet in the descriptor: of files that do not see each other, or a local one and one
    /// that comes with a type of a used file.
    fn refuse_meeting(&mut self, tree: &Interface, reached: &[u32]) -> bool {
        let mut unique = true;
        let mut seen: HashMap<&str, Span> = HashMap::new();
        let locals = tree.body.members.iter().filter_map(|member| match member {
            Member::Type(ty) if ty.name.sound => Some((&*ty.name.name, ty.name.span)),
            _ => None,
        });
        if !reached.is_empty() {
            locals.for_each(|(name, span)| {
                seen.insert(name, span);
            });
        }
        for declared in
            reached.iter().filter_map(|at| self.shared.get(*at as usize)).map(|shared| &shared.declared)
        {
            let Some(known) = seen.insert(&declared.name, declared.span) else { continue };
            unique = false;
            if !self.met.insert(known, declared.span) {
                continue;
            }
            let name = Quoted(&declared.name);
            self.diagnostics.push(
                Diagnostic::new(
                    tree.name_span,
                    format!("two types {name} would stand in the descriptor of this interface"),
                )
                .also(known, "one is declared here")
                .also(declared.span, "the other here")
                .help("names are unique in a descriptor, and what a type names comes along with it: rename one of them"),
            );
        }
        unique
    }

    fn descriptor(
        &mut self,
        tree: &Interface,
        name: &DeclaredName,
        parts: Parts,
        reached: &[u32],
    ) -> Option<DeclaredInterface> {
        let shared = reached.iter().filter_map(|at| self.shared.get(*at as usize)?.ty.clone());
        let declaration = Declaration {
            documentation: tree.docs.as_ref().and_then(|docs| docs.says.clone()),
            types: shared.chain(parts.types).collect(),
            operations: parts.operations,
        };
        let made = Descriptor::new(declaration)
            .and_then(|descriptor| Ok((EffectTable::new(&descriptor, parts.effects)?, descriptor)));
        match made {
            Ok((effects, descriptor)) => {
                Some(DeclaredInterface { name: name.clone(), span: tree.name_span, descriptor, effects })
            }
            // Nothing that the model refuses should have come so far; if it did, it is told all the same.
            Err(fault) => {
                self.diagnostics.push(Diagnostic::new(tree.name_span, fault.to_string()));
                None
            }
        }
    }
}

/// Keeps the types of files that are named, and gives the local ones.
fn split(named: Vec<(Target, Span)>, shared: &mut Vec<u32>) -> Edges {
    let local = |(target, span)| match target {
        Target::Local(at) => Some((at, span)),
        Target::Shared(at) => {
            shared.push(at);
            None
        }
    };
    named.into_iter().filter_map(local).collect()
}

impl Reader<'_> {
    fn operation(&mut self, operation: &Operation) -> Option<OperationDeclaration> {
        let parameters = self.fields("parameter", &operation.parameters.members);
        let returns = self.ty(&operation.returns);
        Some(OperationDeclaration {
            name: operation.name.sound.then(|| operation.name.name.clone())?,
            documentation: self.says(operation.docs.as_ref()),
            parameters: parameters?,
            returns: returns?,
            returns_documentation: self.says(operation.returns_docs.as_ref()),
        })
    }

    fn effects(&mut self, operation: &Operation) -> Option<Effects> {
        let known = || operation.attributes.iter().filter_map(|attribute| attribute.effect);
        let read = operation.attributes.iter().find(|attribute| attribute.effect == Some(Effect::Read));
        let other = operation
            .attributes
            .iter()
            .find(|attribute| attribute.effect.is_some_and(|effect| effect != Effect::Read));
        if let (Some(read), Some(other)) = (read, other) {
            let (later, first) = if read.span > other.span { (read, other) } else { (other, read) };
            self.diagnostics.push(
                Diagnostic::new(later.span, "`@read` stands alone: what changes nothing is neither destructive nor guarded, and always idempotent")
                    .also(first.span, "the other attribute is here")
                    .help("remove `@read`, or the others"),
            );
            return None;
        }
        Effects::new(known()).ok()
    }
}
