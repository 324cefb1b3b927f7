//! Which types of files can be named where.

use std::collections::{HashMap, HashSet};

use worldspace_model::{Name, Quoted};

use crate::diagnostic::Diagnostic;
use crate::load::Unit;
use crate::source::{Sources, Span};

/// The types of files that one file can name: its own, and those of the files that it uses itself.
#[derive(Default)]
pub(super) struct Scope {
    by_name: HashMap<Name, u32>,
    /// In order, the own ones first.
    pub(super) names: Vec<Name>,
    /// Whether names may be missing because a file is.
    pub(super) incomplete: bool,
}

/// A type of a file, as far as it is known before it is read.
pub(super) struct Declared {
    pub(super) unit: usize,
    pub(super) name: Name,
    pub(super) span: Span,
}

/// Pairs of types that were told to have one name.
#[derive(Default)]
pub(super) struct Met(HashSet<(Span, Span)>);

impl Met {
    /// False where it is known.
    pub(super) fn insert(&mut self, one: Span, other: Span) -> bool {
        self.0.insert((one.min(other), one.max(other)))
    }
}

impl Scope {
    pub(super) fn find(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// The scope of a unit. `declared` are all types of files, and `of_unit` those of each unit among them.
    pub(super) fn new(
        unit: &Unit,
        own: usize,
        declared: &[Declared],
        of_unit: &[Vec<u32>],
        sources: &Sources,
        diagnostics: &mut Vec<Diagnostic>,
        met: &mut Met,
    ) -> Self {
        let mut scope = Self { incomplete: unit.incomplete, ..Self::default() };
        let types = |unit: usize| of_unit.get(unit).into_iter().flatten().copied();
        let at = |index: u32| declared.get(index as usize);
        for index in types(own) {
            if let Some(ty) = at(index) {
                scope.by_name.insert(ty.name.clone(), index);
                scope.names.push(ty.name.clone());
            }
        }
        let mut told = HashSet::new();
        for used in unit.uses.iter().filter(|used| used.unit != own) {
            for index in types(used.unit) {
                let Some(ty) = at(index) else { continue };
                let Some(known) = scope.by_name.get(&ty.name).copied().and_then(at) else {
                    scope.by_name.insert(ty.name.clone(), index);
                    scope.names.push(ty.name.clone());
                    continue;
                };
                met.insert(known.span, ty.span);
                let file = |ty: &Declared| Quoted(sources.name(ty.span.file)).to_string();
                if known.unit == own {
                    diagnostics.push(
                        Diagnostic::new(
                            known.span,
                            format!("{} declares a type {} too", file(ty), Quoted(&ty.name)),
                        )
                        .also(used.span, "which is used here")
                        .also(ty.span, "and declares it here")
                        .help("rename one of them, or name that of the used file in place of the own one"),
                    );
                } else if told.insert((known.unit, used.unit)) {
                    // A pair of files is told of once, however much they share.
                    diagnostics.push(
                        Diagnostic::new(
                            used.span,
                            format!(
                                "{} and {} both declare a type {}",
                                file(known),
                                file(ty),
                                Quoted(&ty.name)
                            ),
                        )
                        .also(known.span, "one here")
                        .also(ty.span, "the other here")
                        .help("rename one of them, or move what both mean into a file that both use"),
                    );
                }
            }
        }
        scope
    }
}

/// What an error may still spend on looking for what was meant: beyond that, errors come without.
pub(super) struct Suggestions {
    left: usize,
    /// The file of each type of a file, the first of those of one name.
    files: HashMap<Name, String>,
}

/// How many pairs of characters are compared at most.
const BUDGET: usize = 10_000_000;

impl Suggestions {
    pub(super) fn new(declared: &[Declared], sources: &Sources) -> Self {
        let mut files = HashMap::new();
        for ty in declared {
            files.entry(ty.name.clone()).or_insert_with(|| sources.name(ty.span.file).to_owned());
        }
        Self { left: BUDGET, files }
    }

    pub(super) fn file_of(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(String::as_str)
    }

    /// Whether a search among so many names can be had.
    pub(super) fn afford(&mut self, wanted: &str, known: usize) -> bool {
        // No more than a thousand names of 64 characters are compared; most are of the length of the wanted one.
        let length = wanted.len().min(64);
        let cost = (known.min(1_000) + 8) * (length + 1) * 16;
        let affordable = cost <= self.left;
        self.left = self.left.saturating_sub(if affordable { cost } else { 0 });
        affordable
    }
}
