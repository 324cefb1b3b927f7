//! Checking a file: what it declares, and everything that is wrong with it.

use worldspace_model::{Descriptor, EffectTable, InterfaceName, InterfaceReference};

use crate::diagnostic::Diagnostic;
use crate::load::load;
use crate::lower::lower;
use crate::source::{Sources, Span};

/// How other files are had: nothing here does I/O.
pub trait Loader {
    /// The file that `path`, as written in a `use` of the file named `from`, means: the name under which it is known
    /// (the same file always the same name), and its text.
    ///
    /// # Errors
    /// Why it cannot be had, to be shown at the `use`.
    fn load(&mut self, from: &str, path: &str) -> Result<(String, String), String>;
}

/// A loader for files that stand alone: there are no others.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str, _: &str) -> Result<(String, String), String> {
        Err("no other file can be used here".to_owned())
    }
}

/// How an interface names itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DeclaredName {
    /// `interface "/scope::name"`
    Full(InterfaceReference),
    /// `interface issue.lifecycle`, whose scope is left to whoever registers it.
    Bare(InterfaceName),
}

/// One interface of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredInterface {
    /// Its name.
    pub name: DeclaredName,
    /// Where it names itself.
    pub span: Span,
    /// What it declares.
    pub descriptor: Descriptor,
    /// What its operations claim.
    pub effects: EffectTable,
}

/// What a file declares, and everything that is wrong with it and the files it uses.
#[derive(Debug, Clone)]
pub struct Checked {
    /// The file and those that it uses.
    pub sources: Sources,
    /// The sound interfaces of the file itself, in order.
    pub interfaces: Vec<DeclaredInterface>,
    /// What is wrong, by place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a file and those it uses. `name` is the name under which the loader knows the file.
pub fn check(name: &str, text: &str, loader: &mut dyn Loader) -> Checked {
    let mut sources = Sources::default();
    let mut diagnostics = Vec::new();
    let loaded = load(&mut sources, &mut diagnostics, name, text, loader);
    let interfaces = lower(&loaded, &sources, &mut diagnostics);
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span.file, diagnostic.span.start));
    Checked { sources, interfaces, diagnostics }
}
