//! Members between brackets.

use super::Parser;
use crate::diagnostic::Diagnostic;
use crate::lexer::Kind;
use crate::source::Span;
use crate::syntax::Block;

impl Parser<'_> {
    /// Members with commas between them, from the opening bracket, at which the parser stands, to the closing one.
    pub(super) fn block<T>(
        &mut self,
        what: &str,
        depth: u16,
        member: impl Fn(&mut Self, u16) -> Option<T>,
    ) -> Block<T> {
        let opener = self.kind();
        let closer = opener.closer().unwrap_or(Kind::End);
        let open = self.bump();
        self.open.push(opener);
        let mut members = Vec::new();
        let close = loop {
            if let Some(close) = self.closed(open, closer) {
                break close;
            }
            if self.is(Kind::Comma) {
                self.stray_commas(what);
                continue;
            }
            let before = self.at;
            members.extend(member(self, depth));
            if self.at == before {
                let here = self.here();
                let found = self.found();
                self.expected(Diagnostic::new(here, format!("here {what} are expected, but {found}")));
                self.skip_balanced();
                self.silent_at = Some(self.at);
            }
            self.separator(what, closer);
        };
        self.open.pop();
        Block { members, close }
    }

    fn stray_commas(&mut self, what: &str) {
        let here = self.here();
        self.expected(
            Diagnostic::new(here, "nothing stands before this `,`")
                .help(format!("remove it; one `,` stands between {what}")),
        );
        while self.eat(Kind::Comma).is_some() {}
        self.silent_at = Some(self.at);
    }

    /// What stands behind a member.
    fn separator(&mut self, what: &str, closer: Kind) {
        match self.kind() {
            Kind::Comma => {
                self.bump();
            }
            kind if kind.closes() || kind == Kind::End => {}
            _ if self.declares() => {}
            Kind::Arrow if closer == Kind::RightParen => {}
            // Behind the last member of a bracket that was not closed, `;` ends the declaration around it.
            Kind::Semicolon if self.goes_on(closer) => {
                let here = self.here();
                self.expected(
                    Diagnostic::new(here, format!("{what} are separated by `,`, and not by `;`"))
                        .help("write `,`"),
                );
                self.bump();
            }
            Kind::Semicolon => {}
            Kind::Pipe => {
                let here = self.here();
                self.expected(
                    Diagnostic::new(here, format!("{what} are separated by `,`, and not by `|`"))
                        .help("write `,`"),
                );
                self.bump();
            }
            _ if self.names_at(self.at) || self.step(self.at).docs || self.is(Kind::Text) => {
                let behind = self.before().behind();
                self.expected(
                    Diagnostic::new(behind, "`,` is missing here").help(format!("put `,` between {what}")),
                );
                // What stood on the line is one with it; the next line is a member of its own.
                if !self.first_on_line() && !self.step(self.at).docs && !self.looks_like_member() {
                    self.skip_to(|kind| matches!(kind, Kind::Comma | Kind::Semicolon));
                    self.eat(Kind::Comma);
                }
                self.silent_at = None;
            }
            _ => {
                let here = self.here();
                let found = self.found();
                self.expected(Diagnostic::new(
                    here,
                    format!("here `,` or `{}` is expected, but {found}", closer.spelled()),
                ));
                self.skip_to(|kind| matches!(kind, Kind::Comma | Kind::Semicolon));
                self.eat(Kind::Comma);
            }
        }
    }

    fn looks_like_member(&self) -> bool {
        match self.ahead(1) {
            Kind::Colon | Kind::Comma => true,
            Kind::Question => self.ahead(2) == Kind::Colon,
            kind => kind.closes(),
        }
    }

    /// Whether behind a semicolon stands a further member, or the closing bracket itself.
    fn goes_on(&self, closer: Kind) -> bool {
        let next = self.ahead(1);
        if next == closer {
            // The brace of the interface around is not the one looked for.
            return closer != Kind::RightBrace
                || !self.in_interface
                || !self.token(self.at + 1).first_on_line
                || self.ahead(2) == Kind::Semicolon
                || self.ahead(2).closes()
                || self.ahead(2) == Kind::Comma;
        }
        let named = matches!(next, Kind::Word | Kind::Odd | Kind::Quoted | Kind::Text);
        let behind = self.ahead(2);
        named
            && (matches!(behind, Kind::Colon | Kind::Question | Kind::Comma | Kind::Semicolon)
                || behind == closer)
    }

    /// The closing bracket, whether it stands here or can be taken to stand here. None where members go on.
    fn closed(&mut self, open: Span, closer: Kind) -> Option<Span> {
        while self.kind().closes() && !self.is(closer) && !self.closes_outer() && self.closes_later(closer) {
            let (here, found) = (self.here(), self.kind().spelled());
            self.expected(Diagnostic::new(here, format!("this `{found}` closes nothing")).help("remove it"));
            self.skip();
            self.eat(Kind::Comma);
            self.silent_at = Some(self.at);
        }
        if let Some(close) = self.eat(closer) {
            return Some(close);
        }
        let kind = self.kind();
        let goes_on = !(kind.closes() || matches!(kind, Kind::End | Kind::Semicolon | Kind::Arrow));
        if goes_on && !self.declares() {
            return None;
        }
        Some(self.wrongly_closed(open, closer))
    }

    /// Whether behind the closing bracket here the right one follows soon, before any other.
    fn closes_later(&self, closer: Kind) -> bool {
        let mut depth = 0u32;
        for kind in (1..32).map(|steps| self.ahead(steps)) {
            match kind {
                Kind::End | Kind::Semicolon => return false,
                _ if kind.closer().is_some() => depth += 1,
                _ if kind.closes() && depth == 0 => return kind == closer,
                _ if kind.closes() => depth -= 1,
                _ => {}
            }
        }
        false
    }

    /// Tells that a bracket is not closed, or by a wrong one.
    pub(super) fn wrongly_closed(&mut self, open: Span, closer: Kind) -> Span {
        let here = self.here();
        let opener = self.text_of(open).to_owned();
        let closer = closer.spelled();
        if self.kind().closes() && !self.closes_outer() {
            let found = self.kind().spelled();
            self.expected(
                Diagnostic::new(here, format!("`{found}` does not close what `{opener}` opened"))
                    .also(open, "opened here")
                    .help(format!("write `{closer}`")),
            );
            return self.bump();
        }
        let mut diagnostic = Diagnostic::new(open, format!("this `{opener}` is not closed"))
            .help(format!("put `{closer}` where it ends"));
        if !self.is(Kind::End) {
            diagnostic = diagnostic.also(here, format!("`{closer}` was expected here at the latest"));
        }
        if !self.is_silent() && opener == "{" {
            self.unclosed += 1;
        }
        self.expected(diagnostic);
        self.before().behind()
    }

    /// Whether the closing bracket here belongs to one further out.
    fn closes_outer(&self) -> bool {
        let outer = self.open.iter().rev().skip(1).position(|open| open.closer() == Some(self.kind()));
        match outer {
            // The brace of an interface begins its line, mostly.
            Some(at) if self.in_interface && at + 2 == self.open.len() => {
                self.first_on_line() || !self.is(Kind::RightBrace)
            }
            outer => outer.is_some(),
        }
    }
}
