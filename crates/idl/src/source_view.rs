//! Interfaces as an author would write them, with nothing left out: what is printed parses back to exactly the same.
//!
//! Documentation stands as plain lines, which people read, wherever those give back the same. Where they would not
//! (blanks that do not count, line ends in a summary, characters that cannot be seen) it stands quoted.

use worldspace_model::{Descriptor, Documentation, EffectTable};

use crate::check::DeclaredName;
use crate::layout::WIDTH;
use crate::lexer::closing;
use crate::print::{Form, Ink, Printer, Role};
use crate::{quote, reference};

/// An interface with all that is known of it.
///
/// ```
/// use worldspace_idl::{DeclaredName, source_view};
/// use worldspace_model::{
///     Declaration, Descriptor, EffectTable, Effects, Field, InterfaceName, OperationDeclaration, Type,
/// };
/// let read = OperationDeclaration::new("read")
///     .documented("Reads the note.")
///     .takes([Field::optional("at_most", Type::INTEGER)])
///     .returns(Type::STRING);
/// let descriptor = Descriptor::new(Declaration { operations: vec![read], ..Declaration::default() })?;
/// let effects = EffectTable::new(&descriptor, vec![("read".into(), Effects::READ)])?;
/// let name = DeclaredName::Bare(InterfaceName::parse("note")?);
/// let text = "\
/// interface note {
///   /// Reads the note.
///   @read
///   operation read(at_most?: integer) -> string;
/// }
/// ";
/// assert_eq!(source_view::interface(&name, &descriptor, &effects), text);
/// # Ok::<(), worldspace_model::Fault>(())
/// ```
pub fn interface(name: &DeclaredName, descriptor: &Descriptor, effects: &EffectTable) -> String {
    let mut text = String::new();
    write_interface(&mut text, name, descriptor, Some(effects), &|_| true);
    text
}

/// As [`interface`], piece by piece. Documentation stands in plain lines only where `is_plain` agrees with each, for
/// those who cannot show every text as it is.
pub fn write_interface(
    ink: &mut dyn Ink,
    name: &DeclaredName,
    descriptor: &Descriptor,
    effects: Option<&EffectTable>,
    is_plain: &dyn Fn(&str) -> bool,
) {
    let lines = |documentation: &Documentation| documentation_lines(documentation, is_plain);
    let mut printer = Printer::new(Form::Source(&lines));
    printer.interface(written(name), descriptor, effects);
    printer.finish(ink);
}

/// The name as it stands behind `interface`.
fn written(name: &DeclaredName) -> (Role, String) {
    match name {
        DeclaredName::Full(full) => (Role::Text, quote::string(&reference::write(full))),
        DeclaredName::Bare(bare) => (Role::Type, quote::dotted(bare.as_str())),
    }
}

/// A documentation in lines with their marks.
fn documentation_lines(documentation: &Documentation, is_plain: &dyn Fn(&str) -> bool) -> Vec<String> {
    let wrapped = wrap(&documentation.summary);
    for summary in [&wrapped[..], &[documentation.summary.as_str()][..]] {
        if let Some(lines) = plain_lines(summary, documentation, is_plain) {
            return lines;
        }
    }
    let details = documentation.details.iter().map(String::as_str);
    let texts = std::iter::once(documentation.summary.as_str()).chain(details);
    texts.map(|text| format!("/// {}", quote::string(text))).collect()
}

/// None where these lines would be read as anything else.
fn plain_lines(
    summary: &[&str],
    documentation: &Documentation,
    is_plain: &dyn Fn(&str) -> bool,
) -> Option<Vec<String>> {
    let details =
        documentation.details.iter().flat_map(|details| std::iter::once("").chain(details.split('\n')));
    let texts: Vec<&str> = summary.iter().copied().chain(details).collect();
    let lines: Vec<String> = texts
        .iter()
        .map(|text| if text.is_empty() { "///".to_owned() } else { format!("/// {text}") })
        .collect();
    let stands = |text: &&str| quote::is_safe(text) && !looks_quoted(text) && is_plain(text);
    let read =
        || Documentation::of_comment(lines.iter().map(|line| line.strip_prefix("///").unwrap_or(line)));
    (texts.iter().all(stands) && read().as_ref() == Some(documentation)).then_some(lines)
}

/// Whether a line is wholly one string literal.
fn looks_quoted(text: &str) -> bool {
    let Some(inner) = text.trim().strip_prefix('"') else { return false };
    closing(inner, '"').is_ok_and(|end| end + 1 == inner.len())
}

/// A summary in lines of fair width, ended where a single blank stands.
fn wrap(summary: &str) -> Vec<&str> {
    const FAIR: usize = WIDTH - 12;
    let mut lines = Vec::new();
    let (mut start, mut end, mut columns, mut since) = (0, None, 0, 0);
    let mut chars = summary.char_indices().peekable();
    let mut before = ' ';
    while let Some((at, c)) = chars.next() {
        let is_end =
            c == ' ' && !before.is_whitespace() && chars.peek().is_some_and(|(_, c)| !c.is_whitespace());
        if is_end {
            (end, since) = (Some(at), 0);
        } else if c != ' ' {
            since += 1;
        }
        columns += 1;
        if let Some(at) = end.filter(|_| columns > FAIR) {
            lines.extend(summary.get(start..at));
            (start, end, columns) = (at + 1, None, since);
        }
        before = c;
    }
    lines.extend(summary.get(start..));
    lines
}
