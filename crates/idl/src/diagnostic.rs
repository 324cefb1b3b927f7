//! What is wrong with a file, told as a helpful colleague would: what, where, and what would be right.

use unicode_width::UnicodeWidthStr;

use crate::quote;
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

/// How many columns of a source line are shown at most.
const WIDTH: usize = 100;
/// How many of them before the place, where the line is longer.
const BEFORE: usize = 40;
/// How many other places are shown.
const PLACES: usize = 8;
/// The columns that a tab takes.
const TAB: &str = "    ";

/// The diagnostic as text, the way rustc shows one. Whatever comes from a file is escaped, and long lines are clipped
/// around the place.
pub fn render(sources: &Sources, diagnostic: &Diagnostic) -> String {
    let also = diagnostic.also.iter().take(PLACES);
    let spans = also.clone().map(|(span, _)| *span).chain([diagnostic.span]);
    let last = spans.map(|span| sources.position(span.file, span.start).line).max().unwrap_or(1);
    let gutter = last.to_string().len();
    let mut out = String::new();
    place(
        &mut out,
        sources,
        gutter,
        "error",
        &diagnostic.message,
        diagnostic.span,
        diagnostic.label.as_deref(),
    );
    for (span, what) in also {
        place(&mut out, sources, gutter, "note", what, *span, None);
    }
    if let Some(more) = diagnostic.also.len().checked_sub(PLACES).filter(|more| *more > 0) {
        out.push_str(&format!("{:gutter$} = note: and {more} more places\n", ""));
    }
    if let Some(help) = &diagnostic.help {
        out.push_str(&format!("{:gutter$} = help: {}\n", "", escaped(help)));
    }
    out
}

/// What is said of a place, and its line with the place marked.
fn place(
    out: &mut String,
    sources: &Sources,
    gutter: usize,
    kind: &str,
    said: &str,
    span: Span,
    label: Option<&str>,
) {
    let at = sources.position(span.file, span.start);
    let name = escaped(sources.name(span.file));
    let (line, before, marked) = excerpt(sources, span, at.line);
    let label = label.map(|label| format!(" {}", escaped(label))).unwrap_or_default();
    out.push_str(&format!("{kind}: {}\n", escaped(said)));
    out.push_str(&format!("{:gutter$}--> {name}:{}:{}\n", "", at.line, at.column));
    out.push_str(&format!("{:gutter$} |\n", ""));
    out.push_str(format!("{:gutter$} | {line}", at.line).trim_end());
    out.push_str(&format!("\n{:gutter$} | {:before$}{}{label}\n", "", "", "^".repeat(marked.max(1))));
}

/// What is shown of a line, how many columns of it stand before the place, and how many the place takes.
fn excerpt(sources: &Sources, span: Span, line: usize) -> (String, usize, usize) {
    let text = sources.line_text(span.file, line);
    let start = (span.start as usize).saturating_sub(sources.line_start(span.file, line)).min(text.len());
    let end = start + (span.end.saturating_sub(span.start) as usize).min(text.len() - start);
    let (head, rest) = text.split_at_checked(start).unwrap_or((text, ""));
    let (place, tail) = rest.split_at_checked(end - start).unwrap_or((rest, ""));
    // From the place backwards, so that a line of a megabyte costs no more than its excerpt.
    let head = head.strip_prefix('\u{feff}').unwrap_or(head);
    let (mut shown, whole) = taken(head.chars().rev(), WIDTH - BEFORE);
    if !whole {
        (shown, _) = taken(head.chars().rev(), BEFORE);
        shown.push("…".to_owned());
    }
    let before: String = shown.into_iter().rev().collect();
    let column = before.width();
    let (marked, whole) = taken(place.chars(), WIDTH - column);
    let marked = marked.concat();
    let (behind, end) = if whole {
        taken(tail.chars(), WIDTH - column - marked.width().min(WIDTH - column))
    } else {
        (Vec::new(), false)
    };
    let clip = if end { "" } else { "…" };
    (format!("{before}{marked}{}{clip}", behind.concat()), column, marked.width())
}

/// Characters as they are shown, up to so many columns, and whether those are all.
fn taken(chars: impl Iterator<Item = char>, columns: usize) -> (Vec<String>, bool) {
    let mut taken = Vec::new();
    let mut width = 0;
    for (count, c) in chars.enumerate() {
        let shown = shown(c);
        width += shown.width();
        // Characters without a width of their own could come in millions.
        if width > columns || count > 4 * WIDTH {
            return (taken, false);
        }
        taken.push(shown);
    }
    (taken, true)
}

fn shown(c: char) -> String {
    match c {
        '\t' => TAB.to_owned(),
        _ if is_harmful(c) => format!("\\u{{{:x}}}", u32::from(c)),
        _ => c.to_string(),
    }
}

/// What would act on the terminal, change the direction of the text around it, or not be seen.
fn is_harmful(c: char) -> bool {
    quote::breaks_text(c)
        || matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

fn escaped(text: &str) -> String {
    text.chars().map(shown).collect()
}
