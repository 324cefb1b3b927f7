//! What stands at the top of a file and in an interface.

use worldspace_model::{Effect, Name, Quoted, nearest};

use super::{Parser, foreign};
use crate::diagnostic::Diagnostic;
use crate::lexer::Kind;
use crate::source::Span;
use crate::syntax::{
    Attribute, Block, BuiltIn, Docs, Ident, Interface, Item, Member, Operation, Type, TypeDeclaration,
    TypeKind, Use,
};

const TOP: &[&str] = &["use", "type", "interface"];
const INSIDE: &[&str] = &["type", "operation"];

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
    fn docs_unless_brace(&mut self) -> Option<Docs> {
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
    fn wordless_type(&mut self, docs: Option<Docs>) -> TypeDeclaration {
        let here = self.here();
        self.expected(
            Diagnostic::new(here, "`type` is missing in front of the name").help("write `type Name = …;`"),
        );
        self.silent_at = None;
        self.type_from(docs, here)
    }

    /// Whether what follows a word is what follows that keyword.
    fn begins(&self, keyword: &str) -> bool {
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
    fn instead(&mut self, meant: &str) {
        let (here, word) = (self.here(), Quoted(self.word()).to_string());
        let help = match (self.word(), meant) {
            (word @ ("enum" | "union"), "type") => format!("write `type Name = {word} {{ … }};`"),
            (_, "type") => "write `type Name = …;`, a record as `type Name = { … };`".to_owned(),
            (_, "use") => "write `use \"other.wip\";`".to_owned(),
            _ => format!("write `{meant}`"),
        };
        self.tell(Diagnostic::new(here, format!("{word} begins nothing here")).help(help));
    }

    fn unknown_item(&mut self, known: &[&'static str]) {
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

    fn type_declaration(&mut self, docs: Option<Docs>) -> Option<TypeDeclaration> {
        let start = self.bump();
        self.repeated("type", Kind::Equals);
        Some(self.type_from(docs, start))
    }

    /// Takes a word that stands twice.
    fn repeated(&mut self, word: &str, behind: Kind) {
        while self.word() == word && self.names_at(self.at + 1) && self.ahead(2) == behind {
            let here = self.here();
            self.expected(Diagnostic::new(here, format!("`{word}` stands twice")).help("remove one of them"));
            self.skip();
        }
    }

    /// Takes a name too many.
    fn second_name(&mut self, what: &str, behind: Kind) {
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
    fn type_from(&mut self, docs: Option<Docs>, start: Span) -> TypeDeclaration {
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
    fn foreign_type(&mut self, docs: Option<Docs>) -> TypeDeclaration {
        self.instead("type");
        let (start, word) = (self.here(), self.word());
        self.skip();
        let name = self.ident("a type");
        let definition = self.braced(word);
        let end = self.eat(Kind::Semicolon).unwrap_or(self.before());
        let nameless = || Ident { span: start.behind(), name: Name::from(""), sound: false };
        TypeDeclaration { docs, span: start.to(end), name: name.unwrap_or_else(nameless), definition }
    }

    fn interface(&mut self, docs: Option<Docs>) -> Interface {
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
            Kind::Colon | Kind::Word | Kind::Less | Kind::LeftParen => Diagnostic::new(
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

    fn member(&mut self) -> Option<Member> {
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

    /// From its attributes on.
    fn operation(&mut self, mut docs: Option<Docs>) -> Option<Operation> {
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
    fn operation_from(
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

/// Whether a word means something else where a type stands.
fn is_taken(name: &str) -> bool {
    BuiltIn::of(name).is_some() || matches!(name, "enum" | "union")
}
