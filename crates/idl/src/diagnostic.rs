//! What is wrong with a file, told as a helpful colleague would: what, where, and what would be right.

use crate::source::{Sources, Span};

/// What is wrong, where, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What is said at the place itself.
    pub label: Option<String>,
    /// Other places that have to do with it, and what they are.
    pub also: Vec<(Span, String)>,
    /// What would be right.
    pub help: Option<String>,
}

impl Diagnostic {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), label: None, also: Vec::new(), help: None }
    }

    pub(crate) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    pub(crate) fn also(mut self, span: Span, what: impl Into<String>) -> Self {
        self.also.push((span, what.into()));
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The diagnostic as text, the way rustc shows one. What comes from the files is escaped and clipped.
pub fn render(sources: &Sources, diagnostic: &Diagnostic) -> String {
    let at = sources.position(diagnostic.span.file, diagnostic.span.start);
    format!(
        "error: {}\n --> {}:{}:{}\n",
        diagnostic.message,
        sources.name(diagnostic.span.file),
        at.line,
        at.column
    )
}
