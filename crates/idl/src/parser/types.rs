//! Type expressions.

use worldspace_model::MAX_DEPTH;

use super::Parser;
use super::foreign::{self, Generic};
use super::names::backticked;
use crate::diagnostic::Diagnostic;
use crate::lexer::Kind;
use crate::source::Span;
use crate::syntax::{BuiltIn, Type, TypeKind};

impl Parser<'_> {
    /// A type. `depth` is 1 for one that stands in no other.
    pub(super) fn ty(&mut self, depth: u16) -> Type {
        let start = self.here();
        if depth > MAX_DEPTH {
            self.tell(
                Diagnostic::new(
                    start,
                    format!("types stand inside one another more than {MAX_DEPTH} deep here"),
                )
                .help("give an inner part a name of its own with `type`"),
            );
            self.skip_balanced();
            self.silent_at = Some(self.at);
            return self.broken(start);
        }
        if self.is(Kind::Question) {
            self.misplaced_question();
        }
        let kind = match self.kind() {
            Kind::Word => self.word_type(depth),
            Kind::Quoted => {
                self.ident("a type").filter(|name| name.sound).map_or(TypeKind::Broken, TypeKind::Named)
            }
            // What is told of its form is enough.
            Kind::Odd => self.ident("a type").map_or(TypeKind::Broken, |_| TypeKind::Broken),
            Kind::LeftBrace => TypeKind::Record(self.fields("fields", depth + 1)),
            Kind::LeftBracket => self.list(depth),
            Kind::LeftParen => {
                self.expected(
                    Diagnostic::new(start, "a type does not stand between parentheses")
                        .help("a record is written `{ name: string }`, and WIP has no tuples"),
                );
                self.skip_balanced();
                TypeKind::Broken
            }
            Kind::Text => {
                self.expected(
                    Diagnostic::new(start, "a string is no type")
                        .help("fixed texts are the cases of an enum: `enum { done, duplicate }`"),
                );
                self.bump();
                TypeKind::Broken
            }
            _ => {
                let found = self.found();
                self.expected(
                    Diagnostic::new(self.here(), format!("a type is missing: {found}"))
                        .help("a type is a built-in one (`string`, `integer`, …), the name of another, `[…]`, `{…}`, `enum {…}` or `union {…}`"),
                );
                TypeKind::Broken
            }
        };
        let ty = Type { span: self.since(start), kind };
        self.suffixes(ty, depth)
    }

    pub(super) fn broken(&self, start: Span) -> Type {
        Type { span: self.since(start), kind: TypeKind::Broken }
    }

    /// From there to what was taken last.
    pub(super) fn since(&self, start: Span) -> Span {
        let before = self.before();
        if before.end >= start.end { start.to(before) } else { Span { end: start.start, ..start } }
    }

    fn misplaced_question(&mut self) {
        let here = self.here();
        self.tell(
            Diagnostic::new(here, "`?` marks a field or parameter, and not its type")
                .help("put it behind the name: `note?: string`"),
        );
        while self.eat(Kind::Question).is_some() {}
    }

    fn word_type(&mut self, depth: u16) -> TypeKind {
        let (word, span) = (self.word(), self.here());
        if let Some(built_in) = BuiltIn::of(word) {
            self.bump();
            return TypeKind::BuiltIn(built_in);
        }
        if matches!(word, "enum" | "union") {
            self.bump();
            return self.choice(word == "union", span, depth);
        }
        match self.ident("a type") {
            Some(name) => TypeKind::Named(name),
            None => TypeKind::Broken,
        }
    }

    fn choice(&mut self, union: bool, word: Span, depth: u16) -> TypeKind {
        let name = self.text_of(word).to_owned();
        if self.names_at(self.at) && self.ahead(1) == Kind::LeftBrace {
            let here = self.here();
            self.expected(
                Diagnostic::new(here, format!("no name stands between `{name}` and its cases"))
                    .help(format!("the name stands before: `type Name = {name} {{ … }};`")),
            );
            self.skip();
        }
        match self.kind() {
            Kind::LeftBrace => {}
            Kind::LeftParen | Kind::LeftBracket => {
                let here = self.here();
                self.expected(
                    Diagnostic::new(here, format!("the cases of the {name} stand between `{{` and `}}`"))
                        .help("write `{`"),
                );
            }
            _ => {
                self.expected(Diagnostic::new(word, format!("behind `{name}` its cases are missing")).help(
                    format!(
                        "write `{name} {{ … }}`; a type that is called so is named between backticks: {}",
                        backticked(&name)
                    ),
                ));
                // Cases without their opening brace go up to the closing one.
                if self.names_at(self.at) && !self.first_on_line() {
                    self.skip_to(|kind| kind == Kind::Semicolon);
                    if self.is(Kind::RightBrace) {
                        self.skip();
                    }
                }
                self.silent_at = Some(self.at);
                return TypeKind::Broken;
            }
        }
        if union {
            TypeKind::Union(self.block("cases", depth + 1, |parser, depth| parser.case(true, depth)))
        } else {
            TypeKind::Enum(self.block("cases", depth + 1, |parser, depth| parser.case(false, depth)))
        }
    }

    /// What stands between braces behind a word of another language: the cases or fields that it has there.
    pub(super) fn braced(&mut self, word: &str) -> Type {
        let start = self.here();
        let kind = match word {
            "enum" => TypeKind::Enum(self.block("cases", 2, |parser, depth| parser.case(false, depth))),
            "union" | "variant" => {
                TypeKind::Union(self.block("cases", 2, |parser, depth| parser.case(true, depth)))
            }
            _ => TypeKind::Record(self.fields("fields", 2)),
        };
        Type { span: self.since(start), kind }
    }

    fn list(&mut self, depth: u16) -> TypeKind {
        let open = self.bump();
        if let Some(close) = self.eat(Kind::RightBracket) {
            self.tell(
                Diagnostic::new(open.to(close), "this list does not say what it holds")
                    .help("write `[string]`"),
            );
            return TypeKind::Broken;
        }
        self.open.push(Kind::LeftBracket);
        let items = self.ty(depth + 1);
        if self.eat(Kind::RightBracket).is_none() {
            if self.list_ends() {
                let here = self.here();
                self.expected(
                    Diagnostic::new(here, "a list holds values of one type").help(
                        "for values of several types use a union, for several values in one a record, inside the brackets",
                    ),
                );
                while !self.is(Kind::RightBracket) && !self.is(Kind::End) {
                    self.skip_balanced();
                }
                self.eat(Kind::RightBracket);
            } else {
                self.wrongly_closed(open, Kind::RightBracket);
            }
        }
        self.open.pop();
        TypeKind::List(Box::new(items))
    }

    /// Whether the closing bracket of a list stands a little further on.
    fn list_ends(&self) -> bool {
        let mut depth = 0u32;
        for kind in (0..16).map(|steps| self.ahead(steps)) {
            match kind {
                Kind::RightBracket if depth == 0 => return true,
                Kind::End | Kind::Semicolon if depth == 0 => {
                    return self.ahead(0) == Kind::Semicolon && self.ahead(2) == Kind::RightBracket;
                }
                Kind::Colon if depth == 0 => return false,
                _ if kind.closer().is_some() => depth += 1,
                _ if kind.closes() && depth == 0 => return false,
                _ if kind.closes() => depth -= 1,
                _ => {}
            }
        }
        false
    }

    /// What other languages put behind a type.
    fn suffixes(&mut self, mut ty: Type, depth: u16) -> Type {
        loop {
            let here = self.here();
            match self.kind() {
                Kind::LeftBracket if self.ahead(1) == Kind::RightBracket && !self.first_on_line() => {
                    let written = self.short(ty.span);
                    self.expected(
                        Diagnostic::new(
                            ty.span.to(self.span_of(self.at + 1)),
                            "a list is not written with `[]` behind the type",
                        )
                        .help(format!("write `[{written}]`")),
                    );
                    while self.is(Kind::LeftBracket) && self.ahead(1) == Kind::RightBracket {
                        self.skip();
                        self.skip();
                    }
                }
                Kind::Less => ty.kind = self.arguments(&ty, Kind::Greater, depth),
                Kind::LeftBracket if matches!(ty.kind, TypeKind::Named(_)) && !self.first_on_line() => {
                    ty.kind = self.arguments(&ty, Kind::RightBracket, depth);
                }
                Kind::LeftBrace if matches!(ty.kind, TypeKind::Named(_)) && !self.first_on_line() => {
                    self.expected(
                        Diagnostic::new(ty.span, "no name stands before the fields of a record")
                            .help("write `{ … }` alone; a record gets a name by `type Name = { … };`"),
                    );
                    ty.kind = TypeKind::Record(self.fields("fields", depth + 1));
                }
                Kind::Question => self.misplaced_question(),
                Kind::Pipe => {
                    self.expected(
                        Diagnostic::new(here, "types are not joined by `|`")
                            .help("a choice is a union, whose cases have names: `union { text(string), count(integer) }`; \
                                   what may be absent is marked at its name: `note?: string`"),
                    );
                    self.skip();
                    while matches!(
                        self.kind(),
                        Kind::Word | Kind::Odd | Kind::Quoted | Kind::Text | Kind::Pipe
                    ) && !self.declares()
                    {
                        self.skip();
                    }
                    self.silent_at = Some(self.at);
                    ty.kind = TypeKind::Broken;
                }
                _ => break,
            }
            ty.span = self.since(ty.span);
        }
        ty
    }

    /// The text of a type for a message, where it is short.
    pub(super) fn short(&self, span: Span) -> String {
        let text = self.text_of(span);
        let plain = text.len() <= 40 && !text.contains(|c: char| c.is_control());
        if plain { text.to_owned() } else { "…".to_owned() }
    }

    /// `<…>` or `[…]` behind a name.
    fn arguments(&mut self, ty: &Type, closer: Kind, depth: u16) -> TypeKind {
        let name = self.short(ty.span);
        let meant = foreign::generic(&name);
        self.skip();
        let quiet = self.diagnostics.len();
        let mut arguments = Vec::new();
        while !(self.is(closer) || self.is(Kind::End)) {
            let before = self.at;
            arguments.push(self.ty(depth + 1));
            if self.eat(Kind::Comma).is_none() || self.at == before {
                break;
            }
        }
        let close = if self.is(closer) { self.bump() } else { self.before() };
        let whole = ty.span.to(close);
        let only = match arguments.len() {
            1 => arguments.pop(),
            _ => None,
        };
        let inner = only.as_ref().map_or("…".to_owned(), |only| self.short(only.span));
        let help = match meant {
            Generic::List => format!("a list is written `[{inner}]`"),
            Generic::Optional => format!("what may be absent is marked at its name: `note?: {inner}`"),
            Generic::Other => foreign::type_hint(&name)
                .unwrap_or("declare each type that is needed by a name of its own")
                .to_owned(),
        };
        let told = Diagnostic::new(whole, "types have no arguments").help(help);
        if self.silent_at != Some(self.at) || self.diagnostics.len() == quiet {
            // In the order of their places.
            self.diagnostics.insert(quiet.min(self.diagnostics.len()), told);
        }
        match (meant, only) {
            (Generic::List, Some(only)) => TypeKind::List(Box::new(only)),
            (Generic::Optional, Some(only)) => only.kind,
            _ => TypeKind::Broken,
        }
    }
}
