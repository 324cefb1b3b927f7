//! What stands at the top of a file, and what is no declaration.

use worldspace_model::{Quoted, nearest};

use super::{Parser, foreign};
use crate::diagnostic::Diagnostic;
use crate::lexer::Kind;
use crate::source::Span;
use crate::syntax::{Docs, Item, TypeDeclaration, Use};

const TOP: &[&str] = &["use", "type", "interface"];
pub(super) const INSIDE: &[&str] = &["type", "operation"];

impl Parser<'_> {
    /// The whole file.
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        // Operations outside of an interface come in rows, and with the brace that closed it: one mistake.
        let mut homeless = false;
        let mut ended = None;
        while !self.is(Kind::End) {
            let docs = if self.word() == "use" { None } else { self.docs_unless_brace() };
            match self.word() {
                "use" => items.extend(self.use_file().map(Item::Use)),
                "type" => items.extend(self.type_declaration(docs).map(Item::Type)),
                "interface" => {
                    homeless = false;
                    items.push(Item::Interface(self.interface(docs)));
                    ended = Some(self.before());
                }
                _ if self.word() == "operation" || self.is(Kind::At) => self.homeless(&mut homeless, ended),
                _ if self.is(Kind::RightBrace) && (self.unclosed > 0 || homeless) => {
                    self.unclosed = self.unclosed.saturating_sub(1);
                    self.skip();
                }
                _ => self.no_item(docs, &mut items),
            }
        }
        if self.step(self.at).docs {
            self.stray_docs();
        }
        items
    }

    /// Documentation before what may take it.
    pub(super) fn docs_unless_brace(&mut self) -> Option<Docs> {
        if self.kind().closes() || self.is(Kind::Semicolon) { None } else { self.docs() }
    }

    fn homeless(&mut self, told: &mut bool, ended: Option<Span>) {
        let here = self.here();
        if !std::mem::replace(told, true) && self.unclosed == 0 {
            let mut diagnostic = Diagnostic::new(here, "operations stand in an interface")
                .help("put it between `interface name {` and its `}`");
            if let Some(ended) = ended {
                diagnostic = diagnostic.also(ended, "the interface before ends here");
            }
            self.expected(diagnostic);
        }
        // What is wrong inside is still told.
        let before = self.at;
        let _ = self.operation(None);
        if self.at == before {
            self.skip();
        }
    }

    /// What begins nothing.
    fn no_item(&mut self, docs: Option<Docs>, items: &mut Vec<Item>) {
        let here = self.here();
        match self.kind() {
            Kind::Semicolon => {
                self.expected(
                    Diagnostic::new(here, "nothing stands before this `;`")
                        .help("remove it: an interface ends with its `}`"),
                );
                while self.eat(Kind::Semicolon).is_some() {}
            }
            kind if kind.closes() => {
                self.expected(
                    Diagnostic::new(here, format!("this `{}` closes nothing", kind.spelled()))
                        .help("remove it"),
                );
                while self.kind().closes() {
                    self.bump();
                }
            }
            Kind::Word => match foreign::keyword(self.word(), &["use", "type", "interface", "operation"]) {
                Some(meant) if self.begins(meant) => {
                    if meant == "type" && self.ahead(2) == Kind::LeftBrace {
                        return items.push(Item::Type(self.foreign_type(docs)));
                    }
                    self.instead(meant);
                    match meant {
                        "use" => items.extend(self.use_file().map(Item::Use)),
                        "type" => items.extend(self.type_declaration(docs).map(Item::Type)),
                        "interface" => items.push(Item::Interface(self.interface(docs))),
                        _ => drop(self.operation(docs)),
                    }
                }
                _ if self.ahead(1) == Kind::Equals => items.push(Item::Type(self.wordless_type(docs))),
                _ => self.unknown_item(TOP),
            },
            Kind::Quoted | Kind::Odd if self.ahead(1) == Kind::Equals => {
                items.push(Item::Type(self.wordless_type(docs)));
            }
            _ => self.unknown_item(TOP),
        }
    }

    /// `Name = …;`
    pub(super) fn wordless_type(&mut self, docs: Option<Docs>) -> TypeDeclaration {
        let here = self.here();
        self.expected(
            Diagnostic::new(here, "`type` is missing in front of the name").help("write `type Name = …;`"),
        );
        self.silent_at = None;
        self.type_from(docs, here)
    }

    /// Whether what follows a word is what follows that keyword.
    pub(super) fn begins(&self, keyword: &str) -> bool {
        let behind = self.ahead(2);
        match keyword {
            "use" => self.ahead(1) == Kind::Text,
            "type" => {
                self.names_at(self.at + 1) && matches!(behind, Kind::Equals | Kind::Colon | Kind::LeftBrace)
            }
            "operation" => self.names_at(self.at + 1) && behind == Kind::LeftParen,
            _ => {
                let named = self.names_at(self.at + 1) || self.ahead(1) == Kind::Text;
                named && matches!(behind, Kind::LeftBrace | Kind::Dot | Kind::Colon)
            }
        }
    }

    /// Tells that another word was meant.
    pub(super) fn instead(&mut self, meant: &str) {
        let (here, word) = (self.here(), Quoted(self.word()).to_string());
        let help = match (self.word(), meant) {
            (word @ ("enum" | "union"), "type") => format!("write `type Name = {word} {{ … }};`"),
            (_, "type") => "write `type Name = …;`, a record as `type Name = { … };`".to_owned(),
            (_, "use") => "write `use \"other.wip\";`".to_owned(),
            _ => format!("write `{meant}`"),
        };
        self.tell(Diagnostic::new(here, format!("{word} begins nothing here")).help(help));
    }

    pub(super) fn unknown_item(&mut self, known: &[&'static str]) {
        let here = self.here();
        let found = self.found();
        let places: Vec<String> = known.iter().map(|word| format!("`{word}`")).collect();
        let near = nearest(self.word(), known.iter().copied());
        let help = match (self.word(), near) {
            (_, Some(near)) => format!("did you mean `{near}`?"),
            _ if self.names_at(self.at + 1) && self.ahead(2) == Kind::LeftParen => {
                "an operation is written `operation close(…) -> …;`, and stands in an interface".to_owned()
            }
            ("object", _) => "the Text View shows Objects; the IDL declares types and interfaces".to_owned(),
            (word, _) if known == TOP && foreign::keyword(word, &["operation"]).is_some() => {
                "operations stand in an interface: `interface name { operation close() -> unit; }`".to_owned()
            }
            (word, _) => match foreign::keyword(word, known) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("a declaration begins with {}", places.join(", ")),
            },
        };
        self.expected(Diagnostic::new(here, format!("a declaration is expected, but {found}")).help(help));
        self.skip_balanced();
        // Up to where a declaration ends, begins, or its braces do.
        while !(self.is(Kind::End) || self.kind().closes() || self.declares()) {
            if self.first_on_line() && matches!(self.word(), "use" | "type" | "interface" | "operation") {
                break;
            }
            let (brace, semicolon) = (self.is(Kind::LeftBrace), self.is(Kind::Semicolon));
            self.skip_balanced();
            if semicolon || brace && !self.is(Kind::Semicolon) {
                break;
            }
        }
        self.silent_at = None;
    }

    fn use_file(&mut self) -> Option<Use> {
        self.bump();
        let path = self.here();
        if !self.is(Kind::Text) {
            let found = self.found();
            self.expected(
                Diagnostic::new(path, format!("`use` names a file, but {found}"))
                    .help("write its name as a string: `use \"other.wip\";`"),
            );
            if !self.first_on_line() {
                self.skip_to(|kind| kind == Kind::Semicolon || kind == Kind::LeftBrace);
                self.eat(Kind::Semicolon);
            }
            return None;
        }
        let faulty = self.token(self.at).faulty;
        self.bump();
        let (value, sound) = self.unquote(path);
        self.semicolon("`use`");
        (sound && !faulty).then_some(Use { path, value })
    }
}
