//! The files that a file uses, each read once, in the order in which their types come.

use std::collections::HashMap;

use worldspace_model::Quoted;

use crate::check::Loader;
use crate::diagnostic::Diagnostic;
use crate::parser;
use crate::source::{Sources, Span};
use crate::syntax::{File, Item};

/// A file and what it uses.
pub(crate) struct Unit {
    pub(crate) file: File,
    pub(crate) uses: Vec<Used>,
    /// Whether a file that it uses, or the name of a type, could not be had, so that names may be missing for that alone.
    pub(crate) incomplete: bool,
    /// Where its form is wrong, in order.
    pub(crate) faults: Vec<u32>,
}

/// One `use` whose file is there.
pub(crate) struct Used {
    /// Among the units.
    pub(crate) unit: usize,
    /// The name of the file as it is written.
    pub(crate) span: Span,
}

/// All files, the first one first.
pub(crate) struct Loaded {
    pub(crate) units: Vec<Unit>,
    /// The units, each behind those that it uses.
    pub(crate) order: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Open,
    Done,
}

struct Loading<'a> {
    sources: &'a mut Sources,
    diagnostics: &'a mut Vec<Diagnostic>,
    units: Vec<Unit>,
    states: Vec<State>,
    /// By the name under which the loader knows it.
    known: HashMap<String, usize>,
}

/// Reads a file and all that it uses. Files use each other as deep as they like, so nothing here recurs.
pub(crate) fn load(
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
    name: &str,
    text: &str,
    loader: &mut dyn Loader,
) -> Loaded {
    let mut loading =
        Loading { sources, diagnostics, units: Vec::new(), states: Vec::new(), known: HashMap::new() };
    loading.add(name.to_owned(), text.to_owned());
    let mut order = Vec::new();
    // Each with the item that comes next, and the `use` that led to it.
    let mut open: Vec<(usize, usize, Option<Span>)> = vec![(0, 0, None)];
    while let Some((unit, next, _)) = open.last_mut() {
        let unit = *unit;
        let at = *next;
        *next += 1;
        let found = loading.units.get(unit).and_then(|unit| unit.file.items.get(at));
        let (span, path) = match found {
            Some(Item::Use(found)) => (found.path, found.value.clone()),
            Some(_) => continue,
            None => {
                loading.close(unit);
                order.push(unit);
                open.pop();
                continue;
            }
        };
        match loading.find(unit, span, &path, loader) {
            Some(Found::New(used)) => open.push((used, 0, Some(span))),
            Some(Found::Open(used)) => loading.cycle(&open, used, span),
            Some(Found::Done) | None => {}
        }
    }
    Loaded { units: loading.units, order }
}

enum Found {
    New(usize),
    Open(usize),
    Done,
}

impl Loading<'_> {
    fn add(&mut self, name: String, text: String) -> usize {
        let at = self.units.len();
        self.known.insert(name.clone(), at);
        let id = self.sources.add(name, text);
        let (file, diagnostics) = parser::parse(id, self.sources.text(id));
        let mut faults: Vec<u32> = diagnostics.iter().map(|diagnostic| diagnostic.span.start).collect();
        faults.sort_unstable();
        self.diagnostics.extend(diagnostics);
        let incomplete = file.lost;
        self.units.push(Unit { file, uses: Vec::new(), incomplete, faults });
        self.states.push(State::Open);
        at
    }

    fn close(&mut self, unit: usize) {
        if let Some(state) = self.states.get_mut(unit) {
            *state = State::Done;
        }
    }

    fn find(&mut self, from: usize, span: Span, path: &str, loader: &mut dyn Loader) -> Option<Found> {
        let loaded = loader.load(self.sources.name(span.file), path);
        let unit = self.units.get_mut(from)?;
        let (name, text) = match loaded {
            Ok(loaded) => loaded,
            Err(reason) => {
                unit.incomplete = true;
                let message = format!("the file {} cannot be used: {reason}", Quoted(path));
                self.diagnostics.push(Diagnostic::new(span, message));
                return None;
            }
        };
        let known = self.known.get(&name).copied();
        if let Some(first) = unit.uses.iter().find(|used| Some(used.unit) == known) {
            self.diagnostics.push(
                Diagnostic::new(span, format!("the file {} is used twice", Quoted(&name)))
                    .label("again here")
                    .also(first.span, "first here")
                    .help("remove one of them"),
            );
            return None;
        }
        let unit = known.unwrap_or(self.units.len());
        if let Some(from) = self.units.get_mut(from) {
            from.uses.push(Used { unit, span });
        }
        Some(match known.and_then(|known| self.states.get(known)) {
            None => Found::New(self.add(name, text)),
            Some(State::Open) => Found::Open(unit),
            Some(State::Done) => Found::Done,
        })
    }

    /// Tells of a circle of files, whole, at the `use` that closes it.
    fn cycle(&mut self, open: &[(usize, usize, Option<Span>)], back_to: usize, span: Span) {
        let circle: Vec<_> = open.iter().skip_while(|(unit, _, _)| *unit != back_to).collect();
        let name = |unit: usize| {
            self.units
                .get(unit)
                .map_or(String::new(), |unit| Quoted(self.sources.name(unit.file.id)).to_string())
        };
        let names: Vec<String> =
            circle.iter().map(|(unit, _, _)| name(*unit)).chain([name(back_to)]).collect();
        let (message, help) = match circle.len() {
            1 => ("the file uses itself", "leave it out: a file knows its own types"),
            _ => (
                "files use each other",
                "move the types that both need into a file of their own, which both use",
            ),
        };
        let mut diagnostic = Diagnostic::new(span, format!("{message}: {}", names.join(" → "))).help(help);
        for ((_, _, led), pair) in circle.iter().skip(1).zip(names.windows(2)) {
            if let (Some(led), [user, used]) = (led, pair) {
                diagnostic = diagnostic.also(*led, format!("{user} uses {used} here"));
            }
        }
        self.diagnostics.push(diagnostic);
    }
}

impl Unit {
    /// Whether nothing of the form is wrong there.
    pub(crate) fn is_clean(&self, span: Span) -> bool {
        let at = self.faults.partition_point(|fault| *fault < span.start);
        self.faults.get(at).is_none_or(|fault| *fault > span.end)
    }
}
