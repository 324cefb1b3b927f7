//! Fields, parameters and cases.

use super::names::shown;
use super::{Parser, foreign};
use crate::diagnostic::Diagnostic;
use crate::lexer::Kind;
use crate::syntax::{Block, BuiltIn, Case, Field, Ident, Type, TypeKind};

impl Parser<'_> {
    pub(super) fn fields(&mut self, what: &str, depth: u16) -> Block<Field> {
        let noun = if what == "fields" { "a field" } else { "a parameter" };
        self.block(what, depth, |parser, depth| parser.field(noun, depth))
    }

    fn field(&mut self, noun: &str, depth: u16) -> Option<Field> {
        let docs = self.docs();
        self.no_attributes();
        let mut optional = false;
        if let Some(mark) = self.eat(Kind::Question) {
            optional = true;
            self.tell(Diagnostic::new(mark, "`?` stands behind the name").help("write `note?: string`"));
        }
        if foreign::is_modifier(self.word()) && self.names_at(self.at + 1) {
            let help = match self.word() {
                "optional" | "nullable" => "what may be absent is marked behind its name: `note?: string`",
                _ => "write the name alone; what may be absent is marked behind it: `note?: string`",
            };
            let message = format!("`{}` does not stand before the name of {noun}", self.word());
            optional |= matches!(self.word(), "optional" | "nullable");
            let here = self.here();
            self.tell(Diagnostic::new(here, message).help(help));
            self.skip();
        }
        let name = self.ident(noun)?;
        if let Some(mark) = self.eat(Kind::Question) {
            optional = true;
            if self.is(Kind::Question) {
                self.tell(Diagnostic::new(mark, "one `?` is enough").help("write `note?: string`"));
                while self.eat(Kind::Question).is_some() {}
            }
        }
        let ty = self.field_type(noun, &name, depth);
        if self.is(Kind::Equals) {
            let here = self.here();
            self.expected(Diagnostic::new(here, format!("{noun} has no default value")).help(
                "mark it as optional, and say in its documentation what holds without it: `limit?: integer`",
            ));
            self.skip_to(|kind| matches!(kind, Kind::Comma | Kind::Semicolon));
        }
        Some(Field { docs, name, optional, ty })
    }

    fn field_type(&mut self, noun: &str, name: &Ident, depth: u16) -> Type {
        let here = self.here();
        match self.kind() {
            Kind::Colon => {
                self.bump();
                return self.ty(depth);
            }
            Kind::Equals | Kind::FatArrow | Kind::Arrow
                if matches!(
                    self.ahead(1),
                    Kind::Word | Kind::Quoted | Kind::LeftBrace | Kind::LeftBracket
                ) && !self.is(Kind::Arrow) =>
            {
                let sign = self.kind().spelled();
                self.expected(
                    Diagnostic::new(
                        here,
                        format!("between a name and its type stands `:`, and not `{sign}`"),
                    )
                    .help("write `:`"),
                );
                self.skip();
                return self.ty(depth);
            }
            Kind::Word | Kind::Quoted | Kind::LeftBrace | Kind::LeftBracket
                if !self.first_on_line() && !self.declares() =>
            {
                let behind = self.before().behind();
                let mut diagnostic = Diagnostic::new(behind, "`:` is missing between a name and its type");
                let written = self.text_of(name.span);
                let turned = self.is(Kind::Word) && BuiltIn::of(written).is_some();
                diagnostic = diagnostic.help(if turned {
                    format!("the name stands first: `{}: {written}`", self.short(here))
                } else {
                    "put `:` here".to_owned()
                });
                self.expected(diagnostic);
                self.silent_at = None;
                if turned {
                    self.skip();
                    return self.broken(here);
                }
                return self.ty(depth);
            }
            _ => {}
        }
        let behind = self.before().behind();
        let example = shown(&name.name);
        if !self.is_silent() {
            self.tell(
                Diagnostic::new(name.span, format!("{noun} has a type, and this one has none"))
                    .help(format!("say of which type it is behind {example}, such as `: string`")),
            );
        }
        self.silent_at = Some(self.at);
        Type { span: behind, kind: TypeKind::Broken }
    }

    pub(super) fn case(&mut self, union: bool, depth: u16) -> Option<Case> {
        let docs = self.docs();
        self.no_attributes();
        while self.is(Kind::Pipe) {
            let here = self.here();
            self.expected(
                Diagnostic::new(here, "cases are separated by `,`, and not by `|`")
                    .help("write `,` behind each"),
            );
            self.skip();
        }
        let name = self.ident("a case")?;
        let payload = self.payload(union, depth);
        if self.is(Kind::Equals) {
            let here = self.here();
            self.expected(
                Diagnostic::new(here, "a case has no value: it is its name")
                    .help("remove it; names of any form stand between backticks"),
            );
            self.skip_to(|kind| matches!(kind, Kind::Comma | Kind::Semicolon));
        }
        Some(Case { docs, name, payload })
    }

    fn payload(&mut self, union: bool, depth: u16) -> Option<Type> {
        let here = self.here();
        match self.kind() {
            Kind::LeftParen => {}
            Kind::Colon | Kind::LeftBrace => {
                let colon = self.is(Kind::Colon);
                self.expected(
                    Diagnostic::new(here, "what a case carries stands between parentheses")
                        .help("write `blocked(string)`, or `blocked({ by: entry })`"),
                );
                if colon {
                    self.skip();
                }
                let ty = self.ty(depth);
                // The opening one alone may have been forgotten.
                if self.is(Kind::RightParen) && !self.open.contains(&Kind::LeftParen) {
                    self.skip();
                }
                return Some(ty);
            }
            _ => return None,
        }
        self.bump();
        if let Some(close) = self.eat(Kind::RightParen) {
            self.tell(
                Diagnostic::new(here.to(close), "nothing stands between these parentheses")
                    .help("leave them out where the case carries nothing"),
            );
            return None;
        }
        self.open.push(Kind::LeftParen);
        let named = self.names_at(self.at)
            && (self.ahead(1) == Kind::Colon
                || self.ahead(1) == Kind::Question && self.ahead(2) == Kind::Colon);
        let ty = if named {
            let at = self.here();
            self.expected(
                Diagnostic::new(at, "a case carries one type, and not named parts")
                    .help("make it a record: `blocked({ by: entry })`"),
            );
            self.skip_to(|_| false);
            self.broken(at)
        } else {
            self.ty(depth)
        };
        if self.is(Kind::Comma) {
            let comma = self.here();
            self.expected(
                Diagnostic::new(comma, "a case carries one type")
                    .help("make several a record: `blocked({ by: entry, since: string })`"),
            );
            self.skip_to(|kind| kind == Kind::Semicolon);
        }
        if self.eat(Kind::RightParen).is_none() {
            self.wrongly_closed(here, Kind::RightParen);
        }
        self.open.pop();
        if !union {
            self.tell(
                Diagnostic::new(self.since(here), "a case of an enum carries nothing")
                    .help("where cases carry something, write `union` in place of `enum`"),
            );
            return None;
        }
        Some(ty)
    }

    /// Attributes where none can be.
    fn no_attributes(&mut self) {
        while self.is(Kind::At) {
            let here = self.here();
            self.expected(
                Diagnostic::new(here, "only operations have attributes")
                    .help("remove it, or say it in the documentation"),
            );
            self.skip();
            if self.names_at(self.at) && !matches!(self.ahead(1), Kind::Colon | Kind::Question | Kind::Comma)
            {
                self.skip();
            }
            if self.is(Kind::LeftParen) {
                self.skip_balanced();
            }
            self.silent_at = None;
        }
    }
}
