//! The tree into descriptors: names resolved, types of files copied to where they are reached, and what is wrong told.

mod cycle;
mod interface;
mod scope;
mod types;

use std::collections::HashMap;

use worldspace_model::{self as model, Name, Quoted};

use self::cycle::{Edges, cycles};
use self::scope::{Declared, Met, Scope, Suggestions};
use self::types::{Reader, Target, twice};
use crate::check::DeclaredInterface;
use crate::diagnostic::Diagnostic;
use crate::load::{Loaded, Unit};
use crate::source::{Sources, Span};
use crate::syntax::{Docs, Item, TypeDeclaration};

/// Types of files are copied into each interface that reaches them. More than this in all is no description of
/// anything, but would take a short file to gigabytes.
const MOST_COPIED: usize = 1_000_000;

/// A type of a file.
struct Shared {
    declared: Declared,
    /// None where something is wrong with it.
    ty: Option<model::TypeDeclaration>,
    /// What it names.
    named: Edges,
    weight: usize,
}

/// What is known of all files while their interfaces are read.
struct Lowering<'a> {
    sources: &'a Sources,
    diagnostics: &'a mut Vec<Diagnostic>,
    suggestions: Suggestions,
    /// The types of files in the order in which they come in descriptors.
    shared: Vec<Shared>,
    /// The interface that last reached each of them.
    reached: Vec<usize>,
    /// How many interfaces were read.
    interfaces: usize,
    copied: usize,
    met: Met,
}

/// The sound interfaces of the first file, and what is wrong in any.
pub(crate) fn lower(
    loaded: &Loaded,
    sources: &Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<DeclaredInterface> {
    let mut declared = Vec::new();
    let mut trees: Vec<&TypeDeclaration> = Vec::new();
    let mut of_unit = vec![Vec::new(); loaded.units.len()];
    for (at, unit) in loaded.order.iter().filter_map(|at| Some((*at, loaded.units.get(*at)?))) {
        let mut first: HashMap<&str, Span> = HashMap::new();
        let types = unit.file.items.iter().filter_map(|item| match item {
            Item::Type(ty) if ty.name.sound => Some(ty),
            _ => None,
        });
        for ty in types {
            let index = declared.len() as u32;
            // A second one of the name is read too, but cannot be named.
            declared.push(Declared { unit: at, name: ty.name.name.clone(), span: ty.name.span });
            trees.push(ty);
            if let Some(first) = first.get(&*ty.name.name) {
                diagnostics.push(twice("type", &ty.name, *first));
                continue;
            }
            first.insert(&ty.name.name, ty.name.span);
            if let Some(of_unit) = of_unit.get_mut(at) {
                of_unit.push(index);
            }
        }
    }
    let mut met = Met::default();
    let units = loaded.units.iter().enumerate();
    let scopes: Vec<Scope> = units
        .map(|(at, unit)| Scope::new(unit, at, &declared, &of_unit, sources, diagnostics, &mut met))
        .collect();
    let suggestions = Suggestions::new(&declared, sources);
    let mut lowering = Lowering {
        sources,
        diagnostics,
        suggestions,
        shared: Vec::with_capacity(declared.len()),
        reached: vec![0; declared.len()],
        interfaces: 0,
        copied: 0,
        met,
    };
    for (declared, tree) in declared.into_iter().zip(trees) {
        lowering.add_shared(declared, tree, loaded, &scopes);
    }
    lowering.refuse_circles();
    // Types that stand alone are read too: what is wrong with them is wrong whoever uses them.
    for unit in &loaded.units {
        lowering.nameless(unit, &scopes);
    }
    let mut interfaces = Vec::new();
    for (at, (unit, scope)) in loaded.units.iter().zip(&scopes).enumerate() {
        let found = lowering.interfaces_of(unit, scope, at == 0);
        if at == 0 {
            interfaces = found;
        }
    }
    interfaces
}

impl Lowering<'_> {
    fn add_shared(&mut self, declared: Declared, tree: &TypeDeclaration, loaded: &Loaded, scopes: &[Scope]) {
        let none = HashMap::new();
        let empty = Scope::default();
        let mut reader = Reader {
            scope: scopes.get(declared.unit).unwrap_or(&empty),
            locals: &none,
            local_names: &[],
            suggestions: &mut self.suggestions,
            diagnostics: self.diagnostics,
            named: Vec::new(),
            weight: 1,
        };
        let ty = reader.declaration(tree);
        let (named, weight) = (reader.named, reader.weight);
        let clean = loaded
            .units
            .get(declared.unit)
            .is_some_and(|unit| unit.is_clean(whole(tree.docs.as_ref(), tree.span)));
        let edge = |(target, span)| match target {
            Target::Shared(index) => Some((index, span)),
            Target::Local(_) => None,
        };
        let named = named.into_iter().filter_map(edge).collect();
        self.shared.push(Shared { declared, ty: ty.filter(|_| clean), named, weight });
    }

    /// Types whose own name is broken can be named by nobody; what they name is looked up nonetheless.
    fn nameless(&mut self, unit: &Unit, scopes: &[Scope]) {
        let none = HashMap::new();
        let at = self.sources.index(unit.file.id);
        let Some(scope) = scopes.get(at) else { return };
        for item in &unit.file.items {
            let Item::Type(tree) = item else { continue };
            if !tree.name.sound {
                let mut reader = Reader {
                    scope,
                    locals: &none,
                    local_names: &[],
                    suggestions: &mut self.suggestions,
                    diagnostics: self.diagnostics,
                    named: Vec::new(),
                    weight: 0,
                };
                let _ = reader.ty(&tree.definition);
            }
        }
    }

    fn refuse_circles(&mut self) {
        let graph: Vec<Edges> =
            self.shared.iter_mut().map(|shared| std::mem::take(&mut shared.named)).collect();
        let (circles, members) = cycles(&graph);
        for (shared, named) in self.shared.iter_mut().zip(graph) {
            shared.named = named;
        }
        for circle in circles {
            let name = |at: u32| self.shared.get(at as usize).map_or("", |shared| &shared.declared.name);
            self.diagnostics.extend(recursive(&circle, name));
        }
        for member in members {
            if let Some(shared) = self.shared.get_mut(member as usize) {
                shared.ty = None;
            }
        }
    }
}

impl Reader<'_> {
    fn declaration(&mut self, tree: &TypeDeclaration) -> Option<model::TypeDeclaration> {
        let definition = self.ty(&tree.definition)?;
        let documentation = self.says(tree.docs.as_ref());
        Some(model::TypeDeclaration { name: tree.name.name.clone(), documentation, definition })
    }
}

/// A declaration with its documentation.
fn whole(docs: Option<&Docs>, span: Span) -> Span {
    docs.map_or(span, |docs| docs.span.to(span))
}

/// Tells of a circle of types, whole, where the first of them names the next.
fn recursive<'n>(circle: &[(u32, Span)], name: impl Fn(u32) -> &'n str) -> Option<Diagnostic> {
    let quoted = |at: u32| Quoted(name(at)).to_string();
    let ((first, span), rest) = circle.split_first()?;
    let names: Vec<String> = circle.iter().map(|(at, _)| quoted(*at)).chain([quoted(*first)]).collect();
    let message = match rest {
        [] => format!("the type {} contains itself", quoted(*first)),
        _ => format!("types contain each other: {}", names.join(" → ")),
    };
    let mut diagnostic = Diagnostic::new(*span, message).help(
        "types are not recursive: what is reached step by step is an `entry` of its own, and data of any shape is `json`",
    );
    for ((_, span), pair) in rest.iter().zip(names.windows(2).skip(1)) {
        if let [outer, inner] = pair {
            diagnostic = diagnostic.also(*span, format!("{outer} names {inner} here"));
        }
    }
    Some(diagnostic)
}

/// The names of types in one place, each with its position.
fn positions<'t>(types: impl Iterator<Item = &'t TypeDeclaration>) -> HashMap<Name, u32> {
    let mut positions = HashMap::new();
    for (at, ty) in (0u32..).zip(types) {
        if ty.name.sound {
            positions.entry(ty.name.name.clone()).or_insert(at);
        }
    }
    positions
}
