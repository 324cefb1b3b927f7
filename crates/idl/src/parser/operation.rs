//! Operations and their attributes.

use worldspace_model::{Effect, Name, Quoted, nearest};

use super::declarations::INSIDE;
use super::{Parser, foreign};
use crate::diagnostic::Diagnostic;
use crate::lexer::Kind;
use crate::source::Span;
use crate::syntax::{Attribute, Block, Docs, Ident, Operation, Type, TypeKind};

impl Parser<'_> {
    /// From its attributes on.
    pub(super) fn operation(&mut self, mut docs: Option<Docs>) -> Option<Operation> {
        let start = self.here();
        let mut attributes: Vec<Attribute> = Vec::new();
        while self.is(Kind::At) {
            self.attribute(&mut attributes);
            if self.step(self.at).docs {
                let line = self.here();
                let late = self.docs();
                let place = late.as_ref().map_or(line, |late| late.span);
                self.tell(
                    Diagnostic::new(place, "documentation stands above the attributes")
                        .help("move it in front of the first `@`"),
                );
                docs = docs.or(late);
            }
        }
        match self.word() {
            "operation" => {
                self.bump();
                self.repeated("operation", Kind::LeftParen);
            }
            word if foreign::keyword(word, INSIDE) == Some("operation") && self.begins("operation") => {
                // Told already where no attribute stands before it.
                if !attributes.is_empty() {
                    self.instead("operation");
                }
                self.skip();
            }
            _ => {
                let here = self.here();
                let found = self.found();
                self.expected(
                    Diagnostic::new(here, format!("attributes stand before `operation`, but {found}"))
                        .help("only operations have attributes: remove them, or write the operation"),
                );
                if !(self.names_at(self.at) && self.ahead(1) == Kind::LeftParen) {
                    return None;
                }
            }
        }
        self.operation_from(docs, attributes, start)
    }

    /// From the name on.
    pub(super) fn operation_from(
        &mut self,
        docs: Option<Docs>,
        attributes: Vec<Attribute>,
        start: Span,
    ) -> Option<Operation> {
        let name = self.ident("an operation");
        self.second_name("an operation", Kind::LeftParen);
        let parameters = if self.is(Kind::LeftParen) {
            self.fields("parameters", 1)
        } else {
            let behind = self.before().behind();
            self.expected(
                Diagnostic::new(behind, "the parameters of the operation are missing")
                    .help("they stand between parentheses, and `()` where there are none"),
            );
            Block { members: Vec::new(), close: behind }
        };
        let returns_docs = if matches!(self.kind(), Kind::Arrow | Kind::FatArrow | Kind::Colon) {
            self.docs()
        } else {
            None
        };
        let returns = self.returns();
        self.semicolon("an operation");
        let nameless = || Ident { span: start.behind(), name: Name::from(""), sound: false };
        Some(Operation {
            docs,
            attributes,
            name: name.unwrap_or_else(nameless),
            parameters,
            returns_docs,
            returns,
        })
    }

    fn returns(&mut self) -> Type {
        let here = self.here();
        let behind = self.before().behind();
        match self.kind() {
            Kind::Arrow => {
                self.bump();
                if matches!(self.kind(), Kind::Semicolon) || self.declares() || self.kind().closes() {
                    self.expected(
                        Diagnostic::new(here, "behind `->` stands what the operation returns")
                            .help("write `-> unit` if it returns nothing"),
                    );
                    return Type { span: here.behind(), kind: TypeKind::Broken };
                }
                return self.ty(1);
            }
            Kind::Colon | Kind::FatArrow | Kind::Equals => {
                let sign = self.kind().spelled();
                self.expected(
                    Diagnostic::new(
                        here,
                        format!("in front of what an operation returns stands `->`, and not `{sign}`"),
                    )
                    .help("write `->`"),
                );
                self.skip();
                return self.ty(1);
            }
            Kind::Word | Kind::Quoted | Kind::LeftBracket if !self.first_on_line() && !self.declares() => {
                self.expected(
                    Diagnostic::new(behind, "`->` is missing in front of what the operation returns")
                        .help("put `->` here"),
                );
                self.silent_at = None;
                return self.ty(1);
            }
            Kind::LeftBrace => {
                self.expected(
                    Diagnostic::new(
                        here,
                        "an operation has no body, and a record that it returns stands behind `->`",
                    )
                    .help("write `-> { name: string };`, or `-> unit;` if it returns nothing"),
                );
                self.skip_balanced();
                self.silent_at = Some(self.at);
            }
            _ => self.expected(
                Diagnostic::new(behind, "an operation says what it returns")
                    .help("write `-> unit` if it returns nothing"),
            ),
        }
        Type { span: behind, kind: TypeKind::Broken }
    }

    fn attribute(&mut self, attributes: &mut Vec<Attribute>) {
        let at = self.bump();
        let word = self.here();
        if !matches!(self.kind(), Kind::Word | Kind::Odd)
            || self.word() == "operation" && self.ahead(2) == Kind::LeftParen
        {
            let found = self.found();
            self.expected(
                Diagnostic::new(at, format!("behind `@` stands the name of an attribute, but {found}"))
                    .help(allowed()),
            );
            self.silent_at = None;
            return;
        }
        let name = self.text_of(word);
        let span = at.to(self.bump());
        let effect = Effect::parse(name);
        if effect.is_none() {
            let near = nearest(name, Effect::ALL.map(Effect::name));
            let help = match near {
                Some(near) => format!("did you mean `@{near}`? {}", allowed()),
                None => allowed(),
            };
            self.tell(Diagnostic::new(span, format!("there is no attribute {}", Quoted(name))).help(help));
        }
        if self.is(Kind::LeftParen) {
            let open = self.here();
            if effect.is_some() {
                self.tell(
                    Diagnostic::new(open, "attributes take nothing between parentheses").help("remove them"),
                );
            }
            self.skip_balanced();
        }
        let repeated = attributes.iter().find(|known| effect.is_some() && known.effect == effect);
        match repeated.map(|known| known.span) {
            Some(first) => self.tell(
                Diagnostic::new(span, format!("{} stands twice", Quoted(self.text_of(span))))
                    .also(first, "first here")
                    .help("remove one of them"),
            ),
            // What an attacker writes a million of is kept once.
            None if effect.is_some() || attributes.len() < 16 => attributes.push(Attribute { span, effect }),
            None => {}
        }
    }
}

fn allowed() -> String {
    let names: Vec<String> = Effect::ALL.map(|effect| format!("`@{}`", effect.name())).into();
    format!("the attributes are {}", names.join(", "))
}
