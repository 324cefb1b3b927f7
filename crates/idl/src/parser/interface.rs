//! Interfaces and what stands in them.

use super::declarations::INSIDE;
use super::{Parser, foreign};
use crate::diagnostic::Diagnostic;
use crate::lexer::Kind;
use crate::source::Span;
use crate::syntax::{Block, Docs, Interface, Member};

impl Parser<'_> {
    pub(super) fn interface(&mut self, docs: Option<Docs>) -> Interface {
        let start = self.bump();
        let after_fault = self.step(self.at).after_fault;
        let (name_span, name) = self.interface_name();
        if after_fault {
            self.silent_at = Some(self.at);
        }
        if !self.is(Kind::LeftBrace) {
            self.no_brace();
        }
        // Where the brace alone is missing, what follows is read as if it stood there.
        let begins = self.declares() && !matches!(self.word(), "interface" | "use")
            || self.first_on_line()
                && (matches!(self.word(), "type" | "operation")
                    || self.is(Kind::At)
                    || self.is(Kind::RightBrace));
        let body = if self.is(Kind::LeftBrace) || begins {
            self.in_interface = true;
            let body = self.members();
            self.in_interface = false;
            body
        } else {
            let behind = self.before().behind();
            Block { members: Vec::new(), close: behind }
        };
        if self.is(Kind::Semicolon) && !self.first_on_line() {
            let here = self.here();
            self.expected(
                Diagnostic::new(here, "no `;` stands behind an interface").help("remove it: its `}` ends it"),
            );
            self.skip();
        }
        Interface { docs, span: start.to(body.close), name_span, name, body }
    }

    fn no_brace(&mut self) {
        let here = self.here();
        let found = self.found();
        let diagnostic = match self.kind() {
            Kind::Colon if self.ahead(1) == Kind::Colon => {
                Diagnostic::new(here, "a full reference is one string")
                    .help("write `interface \"/scope::name\" {`")
            }
            Kind::Colon | Kind::Word | Kind::Less | Kind::LeftParen if !self.declares() => Diagnostic::new(
                here,
                format!("behind the name of an interface stands `{{`, but {found}"),
            )
            .help("an interface extends no other and takes no parameters: an Object may publish several"),
            _ => {
                let behind = self.before().behind();
                Diagnostic::new(behind, format!("behind the name of an interface stands `{{`, but {found}"))
                    .help("write `{` here, and `}` where the interface ends")
            }
        };
        self.expected(diagnostic);
        // The brace may still come on the line.
        while !(matches!(self.kind(), Kind::LeftBrace | Kind::End | Kind::Semicolon)
            || self.kind().closes()
            || self.declares()
            || self.first_on_line())
        {
            self.skip();
        }
        self.silent_at = Some(self.at);
    }

    fn members(&mut self) -> Block<Member> {
        let open = self.eat(Kind::LeftBrace);
        self.open.push(Kind::LeftBrace);
        let mut members = Vec::new();
        let close = loop {
            if let Some(close) = self.eat(Kind::RightBrace) {
                break close;
            }
            // Another interface, or the end: the brace is missing.
            let other = self.declares() && matches!(self.word(), "interface" | "use");
            if other || self.is(Kind::End) {
                if let Some(open) = open {
                    self.wrongly_closed(open, Kind::RightBrace);
                }
                // Up to here, so that what is wrong at its end is wrong with it.
                break Span { end: self.here().start, ..self.here() };
            }
            let before = self.at;
            members.extend(self.member());
            if self.at == before {
                self.skip();
            }
        };
        self.open.pop();
        Block { members, close }
    }

    pub(super) fn member(&mut self) -> Option<Member> {
        let docs = self.docs_unless_brace();
        match self.word() {
            "type" => self.type_declaration(docs).map(Member::Type),
            "operation" => self.operation(docs).map(Member::Operation),
            _ if self.is(Kind::At) => self.operation(docs).map(Member::Operation),
            word => {
                let here = self.here();
                if self.is(Kind::Semicolon) {
                    self.expected(
                        Diagnostic::new(here, "nothing stands before this `;`")
                            .help("remove it: one `;` ends a declaration"),
                    );
                    while self.eat(Kind::Semicolon).is_some() {}
                    return None;
                }
                match foreign::keyword(word, INSIDE) {
                    Some(meant) if self.begins(meant) => {
                        if meant == "type" && self.ahead(2) == Kind::LeftBrace {
                            return Some(Member::Type(self.foreign_type(docs)));
                        }
                        self.instead(meant);
                        if meant == "type" {
                            return self.type_declaration(docs).map(Member::Type);
                        }
                        return self.operation(docs).map(Member::Operation);
                    }
                    _ => {}
                }
                if self.names_at(self.at) && self.ahead(1) == Kind::LeftParen {
                    self.expected(Diagnostic::new(here, "`operation` is missing in front of the name").help(
                        format!("write `operation {}(…) -> …;`", super::names::shown(self.text_of(here))),
                    ));
                    return self.operation_from(docs, Vec::new(), here).map(Member::Operation);
                }
                if self.names_at(self.at) && self.ahead(1) == Kind::Equals {
                    return Some(Member::Type(self.wordless_type(docs)));
                }
                self.unknown_item(INSIDE);
                None
            }
        }
    }
}
