//! Tokens into the tree, by recursive descent that goes on behind an error.
//!
//! One mistake is told once. Where the parser did not find what it expected, it is silent until it has taken a token
//! more, and so it is right behind what the lexer could not read: what follows from a mistake stands at its place.

mod blocks;
mod declarations;
mod foreign;
mod interface;
mod members;
mod names;
mod operation;
mod type_declaration;
mod types;

pub(crate) use foreign::type_hint;

use std::collections::HashMap;

use worldspace_model::Name;

use crate::diagnostic::Diagnostic;
use crate::lexer::{self, Kind, Token};
use crate::source::{FileId, Span};
use crate::syntax::File;

/// The tree of a text, and all errors of its form.
pub(crate) fn parse(file: FileId, text: &str) -> (File, Vec<Diagnostic>) {
    let (tokens, diagnostics) = lexer::lex(file, text);
    let steps = steps(&tokens);
    let mut parser = Parser {
        file,
        text,
        tokens: &tokens,
        steps,
        at: 0,
        silent_at: None,
        open: Vec::new(),
        in_interface: false,
        unclosed: 0,
        lost: false,
        diagnostics,
        names: HashMap::new(),
    };
    let items = parser.items();
    let (lost, diagnostics) = (parser.lost, parser.diagnostics);
    (File { id: file, items, tokens, lost }, diagnostics)
}

/// A token that is no trivia.
#[derive(Debug, Clone, Copy)]
struct Step {
    kind: Kind,
    /// Among all tokens.
    token: u32,
    /// Whether documentation stands before it that nothing took yet.
    docs: bool,
    /// Whether what stands before it was faulty, so that it may be unexpected for that alone.
    after_fault: bool,
}

fn steps(tokens: &[Token]) -> Vec<Step> {
    let mut steps = Vec::new();
    let (mut docs, mut after_fault) = (false, false);
    for (at, token) in (0u32..).zip(tokens) {
        docs |= token.kind == Kind::Doc;
        if token.kind.is_trivia() {
            after_fault |= token.faulty && token.kind == Kind::Unknown;
            continue;
        }
        steps.push(Step { kind: token.kind, token: at, docs, after_fault });
        (docs, after_fault) = (false, token.faulty);
    }
    steps
}

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    tokens: &'a [Token],
    /// Never empty: the last one is the end.
    steps: Vec<Step>,
    at: usize,
    /// At this step an error was told already.
    silent_at: Option<usize>,
    /// The brackets that the parser stands in.
    open: Vec<Kind>,
    /// Whether the outermost of them is that of an interface.
    in_interface: bool,
    /// How many closing braces may still come for which nothing seems to be open.
    unclosed: usize,
    /// Whether a type is there whose name is not.
    lost: bool,
    diagnostics: Vec<Diagnostic>,
    names: HashMap<&'a str, Name>,
}

impl<'a> Parser<'a> {
    fn step(&self, at: usize) -> Step {
        let end = Step { kind: Kind::End, token: 0, docs: false, after_fault: false };
        self.steps.get(at).or(self.steps.last()).copied().unwrap_or(end)
    }

    fn kind(&self) -> Kind {
        self.step(self.at).kind
    }

    /// What stands so many steps further on.
    fn ahead(&self, steps: usize) -> Kind {
        self.step(self.at + steps).kind
    }

    fn token(&self, at: usize) -> Token {
        let end = Token { kind: Kind::End, start: 0, end: 0, first_on_line: true, faulty: false };
        self.tokens.get(self.step(at).token as usize).copied().unwrap_or(end)
    }

    fn span_of(&self, at: usize) -> Span {
        let token = self.token(at);
        Span { file: self.file, start: token.start, end: token.end }
    }

    /// Where the parser stands.
    fn here(&self) -> Span {
        self.span_of(self.at)
    }

    /// What was taken last.
    fn before(&self) -> Span {
        match self.at.checked_sub(1) {
            Some(at) => self.span_of(at),
            None => Span { end: self.here().start, ..self.here() },
        }
    }

    fn text_of(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    fn word_at(&self, at: usize) -> &'a str {
        if self.step(at).kind == Kind::Word { self.text_of(self.span_of(at)) } else { "" }
    }

    /// The word here, empty where there is none.
    fn word(&self) -> &'a str {
        self.word_at(self.at)
    }

    fn is(&self, kind: Kind) -> bool {
        self.kind() == kind
    }

    /// Whether the step ahead may be a name, be it as it should or not.
    fn names_at(&self, at: usize) -> bool {
        matches!(self.step(at).kind, Kind::Word | Kind::Odd | Kind::Quoted)
    }

    fn first_on_line(&self) -> bool {
        self.token(self.at).first_on_line
    }

    /// Takes the token here; never the end.
    fn bump(&mut self) -> Span {
        let span = self.here();
        if self.step(self.at).docs {
            self.stray_docs();
        }
        if !self.is(Kind::End) {
            self.at += 1;
        }
        span
    }

    /// As [`Self::bump`], without a word about what is lost.
    fn skip(&mut self) {
        if !self.is(Kind::End) {
            if let Some(step) = self.steps.get_mut(self.at) {
                step.docs = false;
            }
            self.at += 1;
        }
    }

    fn eat(&mut self, kind: Kind) -> Option<Span> {
        self.is(kind).then(|| self.bump())
    }

    /// Tells an error whatever else was told here.
    fn tell(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Tells that something else was expected, unless that follows from an error before.
    fn expected(&mut self, diagnostic: Diagnostic) {
        if !self.is_silent() {
            self.diagnostics.push(diagnostic);
        }
        self.silent_at = Some(self.at);
    }

    fn is_silent(&self) -> bool {
        self.silent_at == Some(self.at) || self.step(self.at).after_fault || self.token(self.at).faulty
    }

    /// How the token here is shown in a message.
    fn found(&self) -> String {
        match self.kind() {
            Kind::End => "the file ends".to_owned(),
            Kind::Text => "a string stands here".to_owned(),
            Kind::Quoted => "a name stands here".to_owned(),
            Kind::Word | Kind::Odd => {
                format!("{} stands here", worldspace_model::Quoted(self.text_of(self.here())))
            }
            kind => format!("`{}` stands here", kind.spelled()),
        }
    }

    /// Whether a declaration certainly begins here: words that begin one may also be names.
    fn declares(&self) -> bool {
        let named = self.names_at(self.at + 1);
        let behind = self.ahead(2);
        match self.word() {
            "use" => self.ahead(1) == Kind::Text,
            "type" => named && behind == Kind::Equals,
            "operation" => named && behind == Kind::LeftParen,
            "interface" => {
                self.ahead(1) == Kind::Text && behind == Kind::LeftBrace
                    || named && matches!(behind, Kind::LeftBrace | Kind::Dot)
            }
            _ => self.is(Kind::At) && self.attributes_declare(),
        }
    }

    /// Whether the attributes here, if they are not too many, are those of an operation.
    fn attributes_declare(&self) -> bool {
        let mut at = self.at;
        while self.step(at).kind == Kind::At && self.names_at(at + 1) && at < self.at + 16 {
            at += 2;
        }
        self.word_at(at) == "operation" && self.names_at(at + 1) && self.step(at + 2).kind == Kind::LeftParen
    }

    /// Goes past brackets and all that is in them, or past one other token.
    fn skip_balanced(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.kind() {
                Kind::End => return,
                kind if kind.closer().is_some() => depth += 1,
                kind if kind.closes() => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.skip();
            if depth == 0 || self.first_on_line() && self.declares() {
                return;
            }
        }
    }

    /// Goes to where `stop` says, a closing bracket, a new declaration or the end.
    fn skip_to(&mut self, stop: impl Fn(Kind) -> bool) {
        while !(self.is(Kind::End) || self.kind().closes() || stop(self.kind()) || self.declares()) {
            self.skip_balanced();
        }
        self.silent_at = Some(self.at);
    }

    /// Whether a bracket is closed here that belongs to the declaration before, and not to the interface around it.
    fn closes_too_much(&self) -> bool {
        let goes_on =
            matches!(self.ahead(1), Kind::Semicolon | Kind::Comma | Kind::RightParen | Kind::RightBracket);
        self.kind().closes() && (!self.is(Kind::RightBrace) || self.in_interface && goes_on)
    }

    /// Ends a declaration. Where the semicolon is missing and more stands there, that is skipped.
    fn semicolon(&mut self, what: &str) -> Span {
        if let Some(span) = self.eat(Kind::Semicolon) {
            return span;
        }
        let behind = self.before().behind();
        if self.closes_too_much() {
            let (here, found) = (self.here(), self.kind().spelled());
            self.expected(Diagnostic::new(here, format!("this `{found}` closes nothing")).help("remove it"));
            while self.closes_too_much() || self.is(Kind::Comma) {
                self.skip();
            }
            if let Some(span) = self.eat(Kind::Semicolon) {
                return span;
            }
            self.silent_at = Some(self.at);
        }
        if self.is(Kind::Comma) {
            let here = self.here();
            self.expected(Diagnostic::new(here, format!("`;` ends {what}, and not `,`")).help("write `;`"));
            return self.bump();
        }
        let follows = self.first_on_line() || self.kind().closes() || self.is(Kind::End) || self.declares();
        if follows {
            self.expected(
                Diagnostic::new(behind, format!("`;` is missing behind {what}")).help("put `;` here"),
            );
        } else {
            let here = self.here();
            let found = self.found();
            self.expected(
                Diagnostic::new(here, format!("here {what} ends with `;`, but {found}"))
                    .help("put `;` in front, or remove what follows"),
            );
        }
        // What begins a line is taken for the next declaration if it can be one.
        if !(self.first_on_line() && (self.is(Kind::Word) || self.step(self.at).docs)) {
            self.skip_to(|kind| kind == Kind::Semicolon);
            if let Some(span) = self.eat(Kind::Semicolon) {
                return span;
            }
        }
        self.before().behind()
    }
}
