//! The formatter: the same tokens and comments, laid out in one way.
//!
//! It works on the tokens of a sound file, not on its tree, so that nothing can be lost: each token and each comment is
//! written once, in order. Only a comma or a semicolon goes before the comments that keep it from what it ends.
//!
//! - Members in brackets stand on one line where it takes at most a hundred columns, unless a comma stands behind the
//!   last one, or something between them is documented or commented: then each has its own line, and all have commas.
//! - Empty lines between items, members and comments stay, as one.
//! - Documentation and attributes have lines of their own. Texts, names and comments stay as they are written.

use crate::diagnostic::Diagnostic;
use crate::layout::Layout;
use crate::lexer::{Kind, Token};
use crate::parser;
use crate::print::Role;
use crate::source::Sources;

/// Formats a file. Its meaning stays, and formatting it again changes nothing.
///
/// # Errors
/// The errors of its form. A file that has some is not formatted.
///
/// ```
/// let formatted = worldspace_idl::format("a.wip", "type Reason=enum{done,duplicate} ; // why").unwrap();
/// assert_eq!(formatted, "type Reason = enum { done, duplicate }; // why\n");
/// ```
pub fn format(name: &str, text: &str) -> Result<String, (Sources, Vec<Diagnostic>)> {
    let mut sources = Sources::default();
    let file = sources.add(name.to_owned(), text.to_owned());
    let (file, mut diagnostics) = parser::parse(file, text);
    if !diagnostics.is_empty() {
        diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
        return Err((sources, diagnostics));
    }
    let mut formatter = Formatter::new(text);
    file.tokens.iter().for_each(|token| formatter.token(*token));
    let mut formatted = String::with_capacity(text.len());
    formatter.layout.render(&mut formatted);
    Ok(formatted)
}

struct Formatter<'a> {
    text: &'a str,
    layout: Layout<'a>,
    brackets: Vec<Bracket>,
    /// What is to be written before whatever comes next.
    separator: Option<Separator>,
    /// Comments that were read and not written yet.
    held: Vec<Comment<'a>>,
    /// The token that was written last, and whether a comment was written behind it.
    before: Option<Kind>,
    after_comment: bool,
    /// Whether `interface` was written, and its brace was not.
    in_head: bool,
    /// Where the token before ends.
    read_up_to: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Bracket {
    /// Of an interface: each item has lines of its own.
    Body,
    /// Of members, with this within the brackets where they stand on one line.
    Members(&'static str),
    /// Of one type.
    One,
}

#[derive(Clone, Copy)]
struct Separator {
    /// What stands there on one line; none where a line ends in any case.
    flat: Option<&'static str>,
    /// Whether an empty line may be kept there.
    gap: Gap,
}

#[derive(Clone, Copy, PartialEq)]
enum Gap {
    /// Behind an opening bracket, or at the beginning.
    First,
    Between,
    /// Between documentation, attributes and what they belong to.
    Prefix,
}

struct Comment<'a> {
    text: &'a str,
    own: bool,
    blank: bool,
}

impl<'a> Formatter<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            layout: Layout::default(),
            brackets: Vec::new(),
            separator: Some(Separator { flat: None, gap: Gap::First }),
            held: Vec::new(),
            before: None,
            after_comment: false,
            in_head: false,
            read_up_to: 0,
        }
    }

    fn token(&mut self, token: Token) {
        let slice = |start: usize, end: usize| self.text.get(start..end).unwrap_or_default();
        let written = slice(token.start as usize, token.end as usize);
        let blank =
            slice(self.read_up_to, token.start as usize).bytes().filter(|byte| *byte == b'\n').count() > 1;
        self.read_up_to = token.end as usize;
        match token.kind {
            Kind::Comment => {
                self.held.push(Comment { text: written.trim_end(), own: token.first_on_line, blank });
            }
            Kind::Doc => self.documentation(written, blank),
            Kind::End => {
                self.comments();
                self.layout.line(false);
            }
            Kind::Comma => self.ends(",", Separator { flat: Some(" "), gap: Gap::Between }),
            Kind::Semicolon => self.ends(";", Separator { flat: None, gap: Gap::Between }),
            kind if kind.closes() => self.closes(written),
            kind => {
                self.comments();
                self.other(kind, written, blank);
            }
        }
        if !matches!(token.kind, Kind::Comment) {
            self.before = Some(token.kind);
        }
    }

    /// Writes what ends an item or a member, and behind it the comments that stood before it.
    fn ends(&mut self, mark: &'static str, separator: Separator) {
        self.layout.text(Role::Layout, mark);
        self.separator = Some(separator);
        self.after_comment = false;
        self.comments();
    }

    fn documentation(&mut self, written: &'a str, blank: bool) {
        self.comments();
        if self.separator.is_none() {
            self.layout.line(false);
        }
        self.separate(blank);
        let said = written.strip_prefix("///").unwrap_or(written).trim_end();
        let distance = if said.is_empty() || said.starts_with(' ') { "" } else { " " };
        self.layout.text(Role::Documentation, format!("///{distance}{said}"));
        self.separator = Some(Separator { flat: None, gap: Gap::Prefix });
        self.after_comment = false;
    }

    fn closes(&mut self, written: &'a str) {
        let bracket = self.brackets.pop();
        let is_empty = self.before.is_some_and(|before| before.closer().is_some());
        let flat = match bracket {
            Some(Bracket::Members(flat)) => {
                match self.before {
                    Some(Kind::Comma) => self.layout.breaks(),
                    _ if is_empty => {}
                    _ => {
                        self.layout.comma();
                        // For comments behind the last member.
                        self.separator = Some(Separator { flat: Some(" "), gap: Gap::Between });
                    }
                }
                Some(flat)
            }
            Some(Bracket::Body) => None,
            Some(Bracket::One) | None => {
                self.comments();
                return self.write(written);
            }
        };
        let is_bare = is_empty && self.held.is_empty();
        self.comments();
        self.layout.dedent();
        self.separator = (!is_bare).then_some(Separator { flat, gap: Gap::First });
        self.separate(false);
        self.write(written);
        if bracket == Some(Bracket::Body) {
            self.separator = Some(Separator { flat: None, gap: Gap::Between });
        } else {
            self.layout.close();
        }
    }

    fn other(&mut self, kind: Kind, written: &'a str, blank: bool) {
        let begins_item = self.brackets.is_empty() && self.separator.is_some();
        if self.separator.is_some() {
            self.separate(blank);
        } else if !self.after_comment && self.is_apart(kind) {
            self.layout.text(Role::Layout, " ");
        }
        self.in_head |= begins_item && written == "interface";
        let bracket = match kind {
            Kind::LeftBrace if std::mem::take(&mut self.in_head) => Bracket::Body,
            Kind::LeftBrace => Bracket::Members(" "),
            Kind::LeftParen if self.brackets.last() == Some(&Bracket::Body) => Bracket::Members(""),
            Kind::LeftParen | Kind::LeftBracket => Bracket::One,
            _ => {
                self.write(written);
                if self.before == Some(Kind::At) {
                    self.separator = Some(Separator { flat: None, gap: Gap::Prefix });
                }
                return;
            }
        };
        self.brackets.push(bracket);
        let flat = match bracket {
            Bracket::One => return self.write(written),
            Bracket::Body => None,
            Bracket::Members(flat) => {
                self.layout.open();
                Some(flat)
            }
        };
        self.write(written);
        self.layout.indent();
        self.separator = Some(Separator { flat, gap: Gap::First });
    }

    fn write(&mut self, written: &'a str) {
        self.layout.text(Role::Layout, written);
        self.after_comment = false;
    }

    /// Whether a blank stands before such a token, within a line.
    fn is_apart(&self, kind: Kind) -> bool {
        let Some(before) = self.before else { return false };
        let clings = matches!(kind, Kind::Colon | Kind::Question | Kind::Dot | Kind::LeftParen);
        let opens = matches!(before, Kind::LeftParen | Kind::LeftBracket | Kind::At | Kind::Dot);
        !clings && !opens
    }

    /// Writes the separator, behind an empty line where there was one and may be one.
    fn separate(&mut self, blank: bool) {
        let Some(Separator { flat, gap }) = self.separator.take() else { return };
        let blank = blank && gap == Gap::Between;
        match flat {
            Some(flat) => self.layout.break_or(flat, blank),
            None => self.layout.line(blank),
        }
    }

    /// Writes the comments that are held: each on its own line, or behind what stands there.
    fn comments(&mut self) {
        for Comment { text, own, blank } in std::mem::take(&mut self.held) {
            let gap = self.separator.map(|separator| separator.gap);
            match gap {
                // Nothing but a comment stands on the line behind a comment.
                Some(gap) if own || self.after_comment => {
                    self.separate(blank);
                    self.layout.comment(text, true);
                    let gap = if gap == Gap::Prefix { gap } else { Gap::Between };
                    self.separator = Some(Separator { flat: None, gap });
                }
                _ => self.layout.comment(text, own),
            }
            self.after_comment = true;
        }
    }
}
