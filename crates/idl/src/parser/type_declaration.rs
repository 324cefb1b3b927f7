//! Declarations of types.

use worldspace_model::{Name, Quoted};

use super::Parser;
use crate::diagnostic::Diagnostic;
use crate::lexer::Kind;
use crate::source::Span;
use crate::syntax::{BuiltIn, Docs, Ident, Type, TypeDeclaration, TypeKind};

impl Parser<'_> {
    pub(super) fn type_declaration(&mut self, docs: Option<Docs>) -> Option<TypeDeclaration> {
        let start = self.bump();
        self.repeated("type", Kind::Equals);
        Some(self.type_from(docs, start))
    }

    /// Takes a word that stands twice.
    pub(super) fn repeated(&mut self, word: &str, behind: Kind) {
        while self.word() == word && self.names_at(self.at + 1) && self.ahead(2) == behind {
            let here = self.here();
            self.expected(Diagnostic::new(here, format!("`{word}` stands twice")).help("remove one of them"));
            self.skip();
        }
    }

    /// Takes a name too many.
    pub(super) fn second_name(&mut self, what: &str, behind: Kind) {
        if self.names_at(self.at) && self.ahead(1) == behind {
            let here = self.here();
            self.expected(
                Diagnostic::new(here, format!("{what} has one name, and here stands another"))
                    .help("remove one of them"),
            );
            self.skip();
        }
    }

    /// From the name on.
    pub(super) fn type_from(&mut self, docs: Option<Docs>, start: Span) -> TypeDeclaration {
        let plain = self.is(Kind::Word);
        let name = self.ident("a type");
        self.lost |= name.is_none();
        self.second_name("a type", Kind::Equals);
        if let Some(name) = name.as_ref().filter(|name| plain && is_taken(&name.name)) {
            self.tell(
                Diagnostic::new(
                    name.span,
                    format!("{} is a word of the IDL's own for types", Quoted(&name.name)),
                )
                .help(format!(
                    "a type that is called so is declared and named between backticks: {}",
                    crate::quote::name(&name.name)
                )),
            );
        }
        match self.kind() {
            Kind::Equals => {
                self.bump();
            }
            Kind::Colon | Kind::Arrow | Kind::FatArrow => {
                let (here, sign) = (self.here(), self.kind().spelled());
                self.expected(
                    Diagnostic::new(
                        here,
                        format!("between a type and what it stands for stands `=`, and not `{sign}`"),
                    )
                    .help("write `=`"),
                );
                self.skip();
            }
            Kind::Less => {
                let here = self.here();
                self.expected(
                    Diagnostic::new(here, "types have no parameters")
                        .help("declare each type that is needed by a name of its own"),
                );
                self.skip_to(|kind| matches!(kind, Kind::Equals | Kind::Semicolon));
                self.eat(Kind::Equals);
            }
            _ => {
                let behind = self.before().behind();
                self.expected(
                    Diagnostic::new(behind, "`=` is missing between a type and what it stands for")
                        .help("write `type Name = …;`"),
                );
            }
        }
        let definition = if self.declares() || self.first_on_line() && self.is_silent() {
            let behind = self.before().behind();
            self.expected(
                Diagnostic::new(behind, "what the type stands for is missing").help("write `type Name = …;`"),
            );
            Type { span: self.before().behind(), kind: TypeKind::Broken }
        } else {
            self.ty(1)
        };
        let end = self.semicolon("a type");
        let nameless = || Ident { span: start.behind(), name: Name::from(""), sound: false };
        TypeDeclaration { docs, span: start.to(end), name: name.unwrap_or_else(nameless), definition }
    }

    /// `struct Name { … }`, as other languages have it.
    pub(super) fn foreign_type(&mut self, docs: Option<Docs>) -> TypeDeclaration {
        self.instead("type");
        let (start, word) = (self.here(), self.word());
        self.skip();
        let name = self.ident("a type");
        let definition = self.braced(word);
        let end = self.eat(Kind::Semicolon).unwrap_or(self.before());
        let nameless = || Ident { span: start.behind(), name: Name::from(""), sound: false };
        TypeDeclaration { docs, span: start.to(end), name: name.unwrap_or_else(nameless), definition }
    }
}

/// Whether a word means something else where a type stands.
fn is_taken(name: &str) -> bool {
    BuiltIn::of(name).is_some() || matches!(name, "enum" | "union")
}
