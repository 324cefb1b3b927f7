//! Names, strings and documentation, with what they say.

use worldspace_model::{Documentation, InterfaceName, Name};

use super::Parser;
use crate::check::DeclaredName;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Kind, closing};
use crate::source::Span;
use crate::syntax::{Docs, Ident};
use crate::{quote, reference};

impl<'a> Parser<'a> {
    /// The name of something, or none with an error told. `what` has its article.
    pub(super) fn ident(&mut self, what: &str) -> Option<Ident> {
        let span = self.here();
        match self.kind() {
            Kind::Word => {
                self.bump();
                Some(Ident { span, name: self.shared(span), sound: true })
            }
            Kind::Quoted => {
                self.bump();
                let (name, sound) = self.unquote(span);
                Some(Ident { span, name: Name::from(name), sound })
            }
            Kind::Odd => {
                let shown = backticked(self.text_of(span));
                self.tell(
                    Diagnostic::new(span, "a name without backticks is letters (a to z), digits and underscores, no digit first")
                        .help(format!("put it between backticks: {shown}")),
                );
                self.bump();
                Some(Ident { span, name: self.shared(span), sound: true })
            }
            Kind::Text => {
                let (name, sound) = self.unquote(span);
                let help = if quote::identifier(&name) == name {
                    "remove them".to_owned()
                } else {
                    format!("put it between backticks: {}", backticked(&name))
                };
                let message = "a name does not stand between quotation marks";
                self.expected(Diagnostic::new(span, message).help(help));
                self.bump();
                Some(Ident { span, name: Name::from(name), sound })
            }
            _ => {
                let found = self.found();
                let message = format!("{what} has a name, but {found}");
                self.expected(
                    Diagnostic::new(span, message)
                        .help("a name is a plain word, or anything between backticks"),
                );
                None
            }
        }
    }

    fn shared(&mut self, span: Span) -> Name {
        let text = self.text_of(span);
        self.names.entry(text).or_insert_with(|| Name::from(text)).clone()
    }

    /// What stands between the marks of a string or name, and whether all of it could be read.
    pub(super) fn unquote(&mut self, span: Span) -> (String, bool) {
        let text = self.text_of(span);
        let mut inner = text.chars();
        let open = inner.next().map_or(0, char::len_utf8);
        let delimiter = text.chars().next_back().filter(|_| text.len() > open);
        let end = text.len() - delimiter.map_or(0, char::len_utf8);
        let body = text.get(open..end).unwrap_or_default();
        self.unescape(body, span.start as usize + open)
    }

    /// `at` is where the body begins in the text.
    fn unescape(&mut self, body: &str, at: usize) -> (String, bool) {
        let mut out = String::with_capacity(body.len());
        let mut sound = true;
        let mut rest = body;
        while let Some(backslash) = rest.find('\\') {
            out.push_str(&rest[..backslash]);
            let escape = &rest[backslash + 1..];
            let begin = at + (body.len() - rest.len()) + backslash;
            let second = escape.chars().next();
            let taken = match quote::read_escape(&mut escape.chars().peekable()) {
                Ok(c) => {
                    out.push(c);
                    match second {
                        Some('u') if u32::from(c) > 0xffff => 11,
                        Some('u') => 5,
                        other => other.map_or(0, char::len_utf8),
                    }
                }
                Err(error) => {
                    sound = false;
                    out.push('\u{fffd}');
                    let hex = escape.bytes().skip(1).take(4).take_while(u8::is_ascii_hexdigit).count();
                    let taken = match second {
                        Some('u') => 1 + hex,
                        other => other.map_or(0, char::len_utf8),
                    };
                    let span = Span::new(self.file, begin, begin + 1 + taken);
                    self.tell(
                        Diagnostic::new(span, error.to_string())
                            .help("escapes are those of JSON; a backslash itself is written `\\\\`"),
                    );
                    taken
                }
            };
            rest = &escape[taken..];
        }
        out.push_str(rest);
        (out, sound)
    }

    /// `"/scope::name"`, `` `any name` `` or `identifiers.joined.by.dots`.
    pub(super) fn interface_name(&mut self) -> (Span, Option<DeclaredName>) {
        let span = self.here();
        match self.kind() {
            Kind::Text => {
                self.bump();
                let (text, sound) = self.unquote(span);
                if !sound {
                    return (span, None);
                }
                match reference::parse(&text) {
                    Ok(reference) => (span, Some(DeclaredName::Full(reference))),
                    Err(error) => {
                        self.tell(Diagnostic::new(span, error.to_string()).help(
                            "write `\"/scope::name\"`, or a bare name, which leaves the scope to whoever registers the interface",
                        ));
                        (span, None)
                    }
                }
            }
            Kind::Quoted => {
                self.bump();
                let (name, sound) = self.unquote(span);
                let whole = self.dotted(span);
                let name = if sound && whole == span { self.bare(span, &name) } else { None };
                (whole, name)
            }
            Kind::Word | Kind::Odd => {
                self.bump();
                let span = self.dotted(span);
                let parts: Vec<&str> = self.text_of(span).split('.').map(str::trim).collect();
                let plain = |part: &&str| {
                    part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                        && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                };
                if parts.iter().all(plain) {
                    return (span, self.bare(span, &parts.join(".")));
                }
                let joined = parts.join(".");
                if joined.contains(|c: char| c == '`' || c.is_whitespace()) || joined.ends_with('.') {
                    self.tell(
                        Diagnostic::new(span, "a name of an interface is identifiers joined by dots, or one name between backticks")
                            .help("put the whole name between one pair of backticks"),
                    );
                    return (span, None);
                }
                self.tell(
                    Diagnostic::new(span, "without backticks, the parts of a name are letters (a to z), digits and underscores, no digit first")
                        .help(format!("put it between backticks: {}", backticked(&joined))),
                );
                (span, self.bare(span, &joined))
            }
            _ => {
                let found = self.found();
                self.expected(
                    Diagnostic::new(span, format!("an interface has a name, but {found}"))
                        .help("write `interface issue.lifecycle {`, or `interface \"/scope::name\" {`"),
                );
                (span, None)
            }
        }
    }

    /// Takes what follows a name with dots.
    fn dotted(&mut self, first: Span) -> Span {
        let mut span = first;
        let quoted = self.text_of(first).starts_with('`');
        while self.is(Kind::Dot) {
            span = span.to(self.bump());
            if self.names_at(self.at) && !(self.first_on_line() && self.declares()) {
                span = span.to(self.bump());
            }
        }
        if quoted && span != first {
            self.tell(
                Diagnostic::new(
                    span,
                    "a name of an interface is identifiers joined by dots, or one name between backticks",
                )
                .help("put the whole name between one pair of backticks"),
            );
        }
        span
    }

    fn bare(&mut self, span: Span, name: &str) -> Option<DeclaredName> {
        match InterfaceName::parse(name) {
            Ok(name) => Some(DeclaredName::Bare(name)),
            Err(fault) => {
                self.tell(Diagnostic::new(span, fault.to_string()));
                None
            }
        }
    }

    /// The documentation before the token here.
    pub(super) fn docs(&mut self) -> Option<Docs> {
        let lines = self.doc_lines()?;
        if let Some(step) = self.steps.get_mut(self.at) {
            step.docs = false;
        }
        let first = *lines.first()?;
        let span = first.to(*lines.last()?);
        // Behind something on its line it is taken for what follows, and was mostly meant for what stands before.
        let trails = self.trails(first) && {
            let before = self.at.checked_sub(1).map(|at| self.step(at).kind);
            matches!(before, Some(Kind::Comma | Kind::Semicolon | Kind::RightBrace))
        };
        if trails {
            self.tell(
                Diagnostic::new(
                    first,
                    "documentation stands above what it documents, and this would go to what follows",
                )
                .help("put it on a line of its own; what only explains the line is a `//` comment"),
            );
        }
        let says = self.documentation(&lines);
        Some(Docs { span, says })
    }

    /// Whether something else stands before it on its line.
    fn trails(&self, line: Span) -> bool {
        let at = self.tokens.partition_point(|token| token.start < line.start);
        self.tokens.get(at).is_some_and(|token| !token.first_on_line)
    }

    fn doc_lines(&self) -> Option<Vec<Span>> {
        let step = self.step(self.at);
        if !step.docs {
            return None;
        }
        let after = self.at.checked_sub(1).map_or(0, |at| self.step(at).token as usize + 1);
        let between = self.tokens.get(after..step.token as usize).unwrap_or_default();
        let docs = between.iter().filter(|token| token.kind == Kind::Doc);
        Some(docs.map(|token| Span { file: self.file, start: token.start, end: token.end }).collect())
    }

    /// Tells that nothing here takes documentation.
    pub(super) fn stray_docs(&mut self) {
        let Some(lines) = self.doc_lines() else { return };
        if let Some(step) = self.steps.get_mut(self.at) {
            step.docs = false;
        }
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return };
        self.tell(Diagnostic::new(first.to(*last), "nothing here takes documentation").help(
            "it stands above an interface, type, operation, parameter, field or case, or between `)` and `->` for what is returned; \
             a comment begins with `//`",
        ));
    }

    fn documentation(&mut self, lines: &[Span]) -> Option<Documentation> {
        // The mark is three bytes.
        let bodies: Vec<&str> =
            lines.iter().map(|line| self.text_of(*line).get(3..).unwrap_or_default()).collect();
        if !bodies.iter().any(|body| literal(body).is_some()) {
            return Documentation::of_comment(bodies);
        }
        let mut said = Vec::new();
        for (line, body) in lines.iter().zip(&bodies).filter(|(_, body)| !body.trim().is_empty()) {
            let Some(inner) = literal(body) else {
                self.tell(
                    Diagnostic::new(*line, "this line is plain, while others of the same documentation are strings")
                        .help("write all of it in one form: plain lines, or one string for the summary and one for the details"),
                );
                return None;
            };
            if said.len() == 2 {
                self.tell(
                    Diagnostic::new(
                        *line,
                        "a third string has no meaning: the first is the summary, the second the details",
                    )
                    .help("join it to the second; a line end is written `\\n`"),
                );
                return None;
            }
            let begin = line.start as usize + 3 + (body.len() - body.trim_start().len()) + 1;
            let (text, _) = self.unescape(&inner[..inner.len() - 1], begin);
            said.push(text);
        }
        let mut said = said.into_iter();
        Some(Documentation { summary: said.next()?, details: said.next() })
    }
}

/// How many characters of a name a message repeats.
const CLIP: usize = 64;

/// A name between backticks, or the beginning of a long one.
pub(super) fn backticked(name: &str) -> String {
    match name.char_indices().nth(CLIP) {
        Some((end, _)) => format!("{}…", quote::name(name.get(..end).unwrap_or_default())),
        None => quote::name(name),
    }
}

/// A name as it may be written, or the beginning of a long one.
pub(super) fn shown(name: &str) -> String {
    if name.chars().nth(CLIP).is_some() { backticked(name) } else { quote::identifier(name) }
}

/// What stands between the quotation marks of a line that is wholly one string.
fn literal(line: &str) -> Option<&str> {
    let inner = line.trim().strip_prefix('"')?;
    (closing(inner, '"') == Ok(inner.len().checked_sub(1)?)).then_some(inner)
}
