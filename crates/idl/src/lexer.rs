//! Text into tokens. Nothing is dropped: comments are tokens too, and what is no token at all is a faulty one, told once.

use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Letters, digits and underscores of ASCII, no digit first.
    Word,
    /// Meant as a word, but not one: with other letters, a dash, or a digit first.
    Odd,
    /// A name between backticks.
    Quoted,
    /// A string between quotation marks.
    Text,
    /// `///` up to the end of the line.
    Doc,
    /// `//` up to the end of the line.
    Comment,
    /// What nothing begins with.
    Unknown,
    LeftBrace,
    RightBrace,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    Semicolon,
    Comma,
    Colon,
    Question,
    Equals,
    Arrow,
    FatArrow,
    At,
    Dot,
    Pipe,
    Less,
    Greater,
    /// The end of the text; always the last token, and empty.
    End,
}

/// A piece of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Whether nothing but blanks stands before it on its line.
    pub(crate) first_on_line: bool,
    /// Whether an error was told of it.
    pub(crate) faulty: bool,
}

impl Kind {
    /// What this bracket is closed by.
    pub(crate) fn closer(self) -> Option<Self> {
        match self {
            Self::LeftBrace => Some(Self::RightBrace),
            Self::LeftParen => Some(Self::RightParen),
            Self::LeftBracket => Some(Self::RightBracket),
            _ => None,
        }
    }

    pub(crate) fn closes(self) -> bool {
        matches!(self, Self::RightBrace | Self::RightParen | Self::RightBracket)
    }

    /// Whether it is read past where declarations are looked for.
    pub(crate) fn is_trivia(self) -> bool {
        matches!(self, Self::Doc | Self::Comment | Self::Unknown)
    }

    /// How the token is written, where it has one form alone.
    pub(crate) fn spelled(self) -> &'static str {
        match self {
            Self::LeftBrace => "{",
            Self::RightBrace => "}",
            Self::LeftParen => "(",
            Self::RightParen => ")",
            Self::LeftBracket => "[",
            Self::RightBracket => "]",
            Self::Semicolon => ";",
            Self::Comma => ",",
            Self::Colon => ":",
            Self::Question => "?",
            Self::Equals => "=",
            Self::Arrow => "->",
            Self::FatArrow => "=>",
            Self::At => "@",
            Self::Dot => ".",
            Self::Pipe => "|",
            Self::Less => "<",
            Self::Greater => ">",
            Self::Word | Self::Odd | Self::Quoted | Self::Text => "",
            Self::Doc | Self::Comment | Self::Unknown | Self::End => "",
        }
    }
}

/// All tokens of a text, the last one [`Kind::End`].
pub(crate) fn lex(file: FileId, text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer {
        file,
        text,
        at: 0,
        tokens: Vec::new(),
        diagnostics: Vec::new(),
        first_on_line: true,
        unclosed: false,
    };
    lexer.controls();
    if text.starts_with('\u{feff}') {
        lexer.at = '\u{feff}'.len_utf8();
    }
    while lexer.next() {}
    (lexer.tokens, lexer.diagnostics)
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
    first_on_line: bool,
    /// No `*/` stands in the rest of the text, so that it need not be searched again.
    unclosed: bool,
}

impl Lexer<'_> {
    fn push(&mut self, kind: Kind, length: usize, faulty: bool) {
        let span = self.span(length);
        let first_on_line = std::mem::replace(&mut self.first_on_line, false);
        self.tokens.push(Token { kind, start: span.start, end: span.end, first_on_line, faulty });
        self.at += length;
    }

    fn span(&self, length: usize) -> Span {
        Span::new(self.file, self.at, self.at + length)
    }

    fn tell(&mut self, length: usize, message: impl Into<String>, help: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(self.span(length), message).help(help));
    }

    /// Controls are told of once for all of them: a text with one mostly is no text.
    fn controls(&mut self) {
        let text = self.text;
        let is_control = |at: usize, c: char| match c {
            '\t' | '\n' => false,
            '\r' => text.as_bytes().get(at + 1) != Some(&b'\n'),
            _ => c.is_control(),
        };
        let mut found = text.char_indices().filter(|(at, c)| is_control(*at, *c));
        let Some((at, c)) = found.next() else { return };
        let more = match found.count() {
            0 => String::new(),
            1 => ", and there is another".to_owned(),
            more => format!(", and there are {more} more"),
        };
        let what = match c {
            '\r' => "a carriage return without a line feed".to_owned(),
            _ => format!("a control character, U+{:04X}", u32::from(c)),
        };
        let span = Span::new(self.file, at, at + c.len_utf8());
        self.diagnostics.push(Diagnostic::new(span, format!("here stands {what}{more}")).help(format!(
            "remove it; in a string or between backticks it is written `\\u{:04x}`",
            u32::from(c)
        )));
    }

    /// Takes a token or a blank; false at the end.
    fn next(&mut self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let Some(c) = rest.chars().next() else {
            self.push(Kind::End, 0, false);
            return false;
        };
        let simple = match c {
            '\n' => {
                self.first_on_line = true;
                self.at += 1;
                return true;
            }
            ' ' | '\t' | '\r' => {
                self.at += 1;
                return true;
            }
            '{' => Kind::LeftBrace,
            '}' => Kind::RightBrace,
            '(' => Kind::LeftParen,
            ')' => Kind::RightParen,
            '[' => Kind::LeftBracket,
            ']' => Kind::RightBracket,
            ';' => Kind::Semicolon,
            ',' => Kind::Comma,
            ':' => Kind::Colon,
            '?' => Kind::Question,
            '@' => Kind::At,
            '.' => Kind::Dot,
            '|' => Kind::Pipe,
            '<' => Kind::Less,
            '>' => Kind::Greater,
            '=' if !rest.starts_with("=>") => Kind::Equals,
            _ => {
                self.longer(c, rest);
                return true;
            }
        };
        self.push(simple, 1, false);
        true
    }

    fn longer(&mut self, c: char, rest: &str) {
        match c {
            '=' => self.push(Kind::FatArrow, 2, false),
            '-' if rest.starts_with("->") => self.push(Kind::Arrow, 2, false),
            '"' => self.quoted(Kind::Text, '"'),
            '`' => self.quoted(Kind::Quoted, '`'),
            '/' if rest.starts_with("//") => {
                let doc = rest.starts_with("///") && !rest.starts_with("////");
                self.push(if doc { Kind::Doc } else { Kind::Comment }, line_length(rest), false);
            }
            '/' if rest.starts_with("/*") => self.block_comment(rest),
            '#' => {
                let length = line_length(rest);
                self.tell(length, "a comment begins with `//`", "write `//` in place of `#`");
                self.push(Kind::Comment, length, true);
            }
            '\'' => self.foreign_quotes(c, rest),
            '“' | '”' | '„' | '«' | '‘' | '’' => self.foreign_quotes(c, rest),
            _ if word_part(c) => self.word(rest),
            '-' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => self.word(rest),
            _ => match lookalike(c) {
                Some(kind) => {
                    let wanted = kind.spelled();
                    let message = format!("`{c}` is not `{wanted}`");
                    self.tell(c.len_utf8(), message, format!("write `{wanted}`"));
                    self.push(kind, c.len_utf8(), true);
                }
                None => self.unknown(rest),
            },
        }
    }

    /// Most words are plain ones; a dash inside makes it an odd one, for it was meant as one word.
    fn word(&mut self, rest: &str) {
        let plain = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let ends = rest[plain..].chars().next().is_none_or(|c| !word_part(c) && c != '-');
        if ends && !rest.as_bytes()[0].is_ascii_digit() && plain > 0 {
            return self.push(Kind::Word, plain, false);
        }
        let mut length = 0;
        let mut chars = rest.chars().peekable();
        while let Some(c) = chars.next() {
            let inside = c == '-' && chars.peek().copied().is_some_and(word_part);
            if !word_part(c) && !inside {
                break;
            }
            length += c.len_utf8();
        }
        let odd = length > plain || rest.as_bytes()[0].is_ascii_digit();
        self.push(if odd { Kind::Odd } else { Kind::Word }, length, false);
    }

    /// Up to the closing mark on the same line. What stands inside is read later, by whoever needs it.
    fn quoted(&mut self, kind: Kind, delimiter: char) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        match closing(&rest[1..], delimiter) {
            Ok(length) => self.push(kind, length + 2, false),
            Err(length) => {
                let what = if kind == Kind::Text { "string" } else { "name" };
                self.tell(
                    length + 1,
                    format!("this {what} is not closed"),
                    format!("put `{delimiter}` behind it; inside, a line end is written `\\n`")
                        .replace("```", "a backtick"),
                );
                self.push(kind, length + 1, true);
            }
        }
    }

    fn foreign_quotes(&mut self, open: char, rest: &str) {
        let inner =
            &rest[open.len_utf8()..rest.len().min(open.len_utf8() + line_length(&rest[open.len_utf8()..]))];
        let closes: &[char] = if matches!(open, '\'' | '‘' | '’') {
            &['\'', '’', '‘']
        } else {
            &['”', '“', '»', '"']
        };
        let length = inner.char_indices().find(|(_, c)| closes.contains(c)).map(|(at, c)| at + c.len_utf8());
        let length = open.len_utf8() + length.unwrap_or(0);
        self.tell(
            length,
            format!("`{open}` is no quotation mark here"),
            "strings stand between `\"`, names that are no plain words between backticks",
        );
        let kind = if length > open.len_utf8() { Kind::Text } else { Kind::Unknown };
        self.push(kind, length, true);
    }

    fn block_comment(&mut self, rest: &str) {
        let end = if self.unclosed { None } else { rest[2..].find("*/") };
        self.unclosed |= end.is_none();
        let length = end.map_or_else(|| line_length(rest), |end| end + 4);
        let first = length.min(line_length(rest));
        self.tell(first, "there are no block comments", "begin each line of the comment with `//`");
        self.push(Kind::Comment, length, true);
        // What follows a comment of several lines counts as first on its line where it is.
    }

    fn behind_interface(&self) -> bool {
        let last = self.tokens.last();
        last.and_then(|token| self.text.get(token.start as usize..token.end as usize)) == Some("interface")
    }

    fn unknown(&mut self, rest: &str) {
        let known = |c: char| {
            c.is_ascii_whitespace()
                || word_part(c)
                || lookalike(c).is_some()
                || "{}()[];,:?@.|<>=-\"`'/#".contains(c)
        };
        let run: usize = rest.chars().take_while(|c| !known(*c)).map(char::len_utf8).sum();
        let length = run.max(rest.chars().next().map_or(0, char::len_utf8));
        let Some(c) = rest.chars().next() else { return };
        // Controls were told of already.
        if !c.is_control() {
            let shown = worldspace_model::Quoted(&rest[..length]).to_string();
            let message = if c.is_whitespace() || !is_seen(c) {
                format!("U+{:04X} is no blank that separates words", u32::from(c))
            } else {
                format!("{shown} means nothing here")
            };
            let help = match c {
                _ if c.is_whitespace() || !is_seen(c) => "use an ordinary space",
                '/' if self.behind_interface() => {
                    "a reference is written as one string: `interface \"/scope::name\" {`"
                }
                '/' => "a comment begins with `//`",
                '!' | '&' | '*' => {
                    "a type is a built-in one, the name of another, `[…]`, `{…}`, `enum {…}` or `union {…}`"
                }
                _ => "remove it, or put the name that it belongs to between backticks",
            };
            self.tell(length, message, help);
        }
        self.push(Kind::Unknown, length, true);
    }
}

/// The length up to the closing mark, or of the line where there is none.
pub(crate) fn closing(inner: &str, delimiter: char) -> Result<usize, usize> {
    let mut escaped = false;
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            b'\n' => return Err(line_length(&inner[..at])),
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if char::from(byte) == delimiter => return Ok(at),
            _ => {}
        }
    }
    Err(inner.len())
}

/// Up to the end of the line, which a carriage return may be part of.
fn line_length(rest: &str) -> usize {
    let line = rest.find('\n').map_or(rest, |end| &rest[..end]);
    line.strip_suffix('\r').unwrap_or(line).len()
}

fn word_part(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn is_seen(c: char) -> bool {
    !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{61c}')
}

/// What input methods and word processors write in place of a sign of the IDL.
fn lookalike(c: char) -> Option<Kind> {
    Some(match c {
        '；' => Kind::Semicolon,
        '：' => Kind::Colon,
        '，' | '、' => Kind::Comma,
        '（' => Kind::LeftParen,
        '）' => Kind::RightParen,
        '｛' => Kind::LeftBrace,
        '｝' => Kind::RightBrace,
        '［' | '「' => Kind::LeftBracket,
        '］' | '」' => Kind::RightBracket,
        '？' => Kind::Question,
        '＝' => Kind::Equals,
        '＠' => Kind::At,
        '→' | '⇒' => Kind::Arrow,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Sources;

    fn kinds(text: &str) -> (Vec<(Kind, String)>, usize) {
        let mut sources = Sources::default();
        let file = sources.add("a".into(), text.into());
        let (tokens, diagnostics) = lex(file, text);
        let shown = tokens.iter().map(|token| {
            (token.kind, sources.slice(Span { file, start: token.start, end: token.end }).to_owned())
        });
        (shown.collect(), diagnostics.len())
    }

    fn only(text: &str) -> (Kind, usize) {
        let (tokens, wrong) = kinds(text);
        assert_eq!(tokens.len(), 2, "{text}: {tokens:?}");
        assert_eq!(tokens[0].1, text);
        (tokens[0].0, wrong)
    }

    #[test]
    fn each_token_is_known_by_its_beginning() {
        for (text, kind) in [
            ("a_1", Kind::Word),
            ("wont-fix", Kind::Odd),
            ("理由", Kind::Odd),
            ("caf\u{e9}", Kind::Odd),
            ("1a", Kind::Odd),
            ("-1", Kind::Odd),
            ("->", Kind::Arrow),
            ("\"a\\\"b\"", Kind::Text),
            ("`a\\`b`", Kind::Quoted),
            ("/// a", Kind::Doc),
            ("///", Kind::Doc),
            ("// a", Kind::Comment),
            ("//// a", Kind::Comment),
        ] {
            assert_eq!(only(text), (kind, 0), "{text}");
        }
    }

    #[test]
    fn what_was_meant_is_kept_beside_the_error() {
        for (text, kind) in [
            ("；", Kind::Semicolon),
            ("“a”", Kind::Text),
            ("'a'", Kind::Text),
            ("\"a", Kind::Text),
            ("`a", Kind::Quoted),
            ("/* a\n b */", Kind::Comment),
            ("/* a", Kind::Comment),
            ("# a", Kind::Comment),
            ("$$$", Kind::Unknown),
            ("\u{3000}", Kind::Unknown),
            ("\0", Kind::Unknown),
        ] {
            assert_eq!(only(text), (kind, 1), "{text}");
        }
    }

    #[test]
    fn a_mark_of_byte_order_and_carriage_returns_change_nothing() {
        let (plain, _) = kinds("type A = string; // x\n/// y\n");
        let (other, wrong) = kinds("\u{feff}type A = string; // x\r\n/// y\r\n");
        assert_eq!((plain, 0), (other, wrong));
    }

    #[test]
    fn controls_are_told_of_once() {
        let (_, wrong) = kinds("a\0b // \u{1}\n\"\u{7f}\" \r");
        assert_eq!(wrong, 1);
    }
}
