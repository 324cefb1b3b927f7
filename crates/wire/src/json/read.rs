//! A pull reader over the bytes of one JSON text. It never builds a tree: whoever calls it says what is to come next.
//!
//! It is stricter than RFC 8259 asks: no two members of one name, in whatever spelling; no number without a finite
//! binary64; no lone surrogates; no byte order mark. What it is not asked about it still checks, by [`Reader::skip`].

use std::borrow::Cow;

use worldspace_model::{Integer, Kind, Name, Rule};

use super::number::{self, NumberText};
use crate::error::{DecodeError, Problem, clipped};

pub(crate) type Read<T> = Result<T, DecodeError>;

pub(crate) struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// How many containers may still be opened inside the one in hand.
    room: usize,
    nesting: usize,
    /// The names of the open objects that are skipped, outermost first.
    names: Vec<Cow<'a, str>>,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token {
    Null,
    Boolean,
    Number,
    String,
    List,
    Object,
}

/// A place to come back to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    at: usize,
    room: usize,
}

/// The members of an object of the protocol. Which required ones are absent, its reader finds out.
pub(crate) struct Shape {
    pub(crate) required: &'static [&'static str],
    /// Those for which `null` is a mistake of its own.
    pub(crate) optional: &'static [&'static str],
}

impl Token {
    fn kind(self) -> Kind {
        match self {
            Self::Null => Kind::Unit,
            Self::Boolean => Kind::Boolean,
            Self::Number => Kind::Number,
            Self::String => Kind::String,
            Self::List => Kind::List,
            Self::Object => Kind::Record,
        }
    }
}

impl<'a> Reader<'a> {
    pub(crate) fn new(body: &'a [u8], bytes: usize, nesting: usize) -> Read<Self> {
        if body.len() > bytes {
            return Err(DecodeError::new(Problem::TooLarge { limit: bytes }));
        }
        let text = std::str::from_utf8(body).map_err(|error| {
            DecodeError::at_byte(Problem::Malformed("the body is not UTF-8"), error.valid_up_to())
        })?;
        if text.starts_with('\u{feff}') {
            let reason = "the body begins with a byte order mark; leave it out";
            return Err(DecodeError::at_byte(Problem::Malformed(reason), 0));
        }
        Ok(Self::inside(text, nesting, nesting))
    }

    /// A reader of a part of a body, with the room that is left there.
    pub(crate) fn inside(text: &'a str, room: usize, nesting: usize) -> Self {
        Self { text, at: 0, room, nesting, names: Vec::new() }
    }

    #[cold]
    pub(crate) fn malformed(&self, reason: &'static str) -> DecodeError {
        DecodeError::at_byte(Problem::Malformed(reason), self.at)
    }

    /// Says where the reader stands, so that it can go there again.
    pub(crate) fn mark(&self) -> Mark {
        Mark { at: self.at, room: self.room }
    }

    pub(crate) fn rewind(&mut self, mark: Mark) {
        self.at = mark.at;
        self.room = mark.room;
    }

    /// How many bytes have been read.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// How many containers may still be opened here.
    pub(crate) fn room(&self) -> usize {
        self.room
    }

    /// The text behind the blanks that come next.
    pub(crate) fn rest(&mut self) -> &'a str {
        self.blank();
        &self.text[self.at..]
    }

    /// The text between an earlier place and this one.
    pub(crate) fn since(&self, mark: Mark) -> &'a str {
        &self.text[mark.at..self.at]
    }

    /// Goes over text that is known to be one value with containers this deep.
    pub(crate) fn pass(&mut self, known: &str, depth: usize) -> Read<()> {
        if depth > self.room {
            return Err(self.too_deep());
        }
        self.at += known.len();
        Ok(())
    }

    #[cold]
    fn too_deep(&self) -> DecodeError {
        DecodeError::at_byte(Problem::TooDeep { limit: self.nesting }, self.at)
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(crate) fn blank(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.byte() {
            self.at += 1;
        }
    }

    /// Refuses whatever stands behind the text.
    pub(crate) fn end(&mut self) -> Read<()> {
        self.blank();
        if self.at == self.text.len() { Ok(()) } else { Err(self.malformed("there is text behind the body")) }
    }

    pub(crate) fn peek(&mut self) -> Read<Token> {
        self.blank();
        match self.byte() {
            Some(b'"') => Ok(Token::String),
            Some(b'{') => Ok(Token::Object),
            Some(b'[') => Ok(Token::List),
            Some(b'-' | b'0'..=b'9') => Ok(Token::Number),
            Some(b't' | b'f') => Ok(Token::Boolean),
            Some(b'n') => Ok(Token::Null),
            Some(_) => Err(self.malformed("a value is expected here")),
            None => Err(self.malformed("the body ends where a value is expected")),
        }
    }

    /// Makes sure that `token` comes next, where the declaration says `kind`.
    fn expect(&mut self, token: Token, kind: Kind) -> Read<()> {
        match self.peek()? {
            found if found == token => Ok(()),
            found => Err(DecodeError::mismatch(kind, found.kind())),
        }
    }

    fn literal(&mut self, literal: &'static str) -> Read<()> {
        if self.text.as_bytes()[self.at..].starts_with(literal.as_bytes()) {
            self.at += literal.len();
            Ok(())
        } else {
            Err(self.malformed("a value is expected here"))
        }
    }

    pub(crate) fn null(&mut self) -> Read<()> {
        self.expect(Token::Null, Kind::Unit)?;
        self.literal("null")
    }

    pub(crate) fn boolean(&mut self) -> Read<bool> {
        self.expect(Token::Boolean, Kind::Boolean)?;
        let value = self.byte() == Some(b't');
        self.literal(if value { "true" } else { "false" })?;
        Ok(value)
    }

    /// A number as it is spelled; the declaration says `kind`.
    pub(crate) fn number(&mut self, kind: Kind) -> Read<NumberText<'a>> {
        self.expect(Token::Number, kind)?;
        let (number, length) =
            number::scan(&self.text[self.at..]).map_err(|reason| self.malformed(reason))?;
        self.at += length;
        Ok(number)
    }

    pub(crate) fn integer(&mut self) -> Read<Integer> {
        let number = self.number(Kind::Integer)?;
        if !number.is_whole() {
            return Err(DecodeError::mismatch(Kind::Integer, Kind::Number));
        }
        let value = number.integer().and_then(|value| Integer::new(value).ok());
        value.ok_or_else(|| DecodeError::rule(Rule::IntegerOutOfRange))
    }

    /// An integer of the protocol itself.
    pub(crate) fn u32(&mut self) -> Read<u32> {
        let value = self.integer_or_unfit("a whole number from 0 to 4294967295 is expected")?;
        u32::try_from(value)
            .map_err(|_| DecodeError::new(Problem::Unfit("a whole number from 0 to 4294967295 is expected")))
    }

    /// A count of the protocol itself.
    pub(crate) fn u64(&mut self) -> Read<u64> {
        self.integer_or_unfit("a whole number from 0 to 9007199254740991 is expected")
    }

    fn integer_or_unfit(&mut self, reason: &'static str) -> Read<u64> {
        let number = self.number(Kind::Integer)?;
        let value = number.integer().filter(|value| *value <= Integer::MAX.get());
        value
            .and_then(|value| u64::try_from(value).ok())
            .ok_or_else(|| DecodeError::new(Problem::Unfit(reason)))
    }

    pub(crate) fn string(&mut self) -> Read<Cow<'a, str>> {
        self.string_for(Kind::String)
    }

    /// A string that stands for a value of another kind.
    pub(crate) fn string_for(&mut self, kind: Kind) -> Read<Cow<'a, str>> {
        self.expect(Token::String, kind)?;
        self.quoted()
    }

    pub(crate) fn name(&mut self) -> Read<Name> {
        self.string().map(|name| Name::from(&*name))
    }

    fn quoted(&mut self) -> Read<Cow<'a, str>> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let mut at = start;
        loop {
            match bytes.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok(Cow::Borrowed(&self.text[start..at]));
                }
                Some(b'\\') => return self.escaped(start, at).map(Cow::Owned),
                Some(0..=0x1f) | None => return Err(self.broken_string(at)),
                Some(_) => at += 1,
            }
        }
    }

    #[cold]
    fn broken_string(&mut self, at: usize) -> DecodeError {
        self.at = at;
        self.malformed(match self.byte() {
            None => "the body ends inside a string",
            Some(_) => "a control character in a string is written as an escape",
        })
    }

    /// The rest of a string from its first escape on.
    fn escaped(&mut self, start: usize, first: usize) -> Read<String> {
        let bytes = self.text.as_bytes();
        let mut out = String::with_capacity(first - start + 16);
        let (mut run, mut at) = (start, first);
        loop {
            match bytes.get(at) {
                Some(b'"') => {
                    out.push_str(&self.text[run..at]);
                    self.at = at + 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    out.push_str(&self.text[run..at]);
                    self.at = at;
                    out.push(self.escape()?);
                    at = self.at;
                    run = at;
                }
                Some(0..=0x1f) | None => return Err(self.broken_string(at)),
                Some(_) => at += 1,
            }
        }
    }

    fn escape(&mut self) -> Read<char> {
        let letter = self.text.as_bytes().get(self.at + 1).copied();
        let simple = match letter {
            Some(byte @ (b'"' | b'\\' | b'/')) => byte.into(),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => return Err(self.malformed("there is no such escape")),
        };
        self.at += 2;
        Ok(simple)
    }

    fn unicode_escape(&mut self) -> Read<char> {
        let lone = "half of a surrogate pair stands alone";
        let high = self.code_unit()?;
        let code = match high {
            0xd800..=0xdbff => match self.code_unit() {
                Ok(low @ 0xdc00..=0xdfff) => 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00),
                _ => return Err(self.malformed(lone)),
            },
            _ => high,
        };
        char::from_u32(code).ok_or_else(|| self.malformed(lone))
    }

    /// The four digits of `\uXXXX`.
    fn code_unit(&mut self) -> Read<u32> {
        let digits = match self.text.as_bytes()[self.at..] {
            [b'\\', b'u', a, b, c, d, ..] => [a, b, c, d],
            _ => return Err(self.malformed("`\\u` is followed by four hexadecimal digits")),
        };
        let mut code = 0;
        for digit in digits {
            let value = char::from(digit).to_digit(16);
            let value =
                value.ok_or_else(|| self.malformed("`\\u` is followed by four hexadecimal digits"))?;
            code = code * 16 + value;
        }
        self.at += 6;
        Ok(code)
    }

    fn enter(&mut self, token: Token) -> Read<()> {
        self.expect(token, token.kind())?;
        if self.room == 0 {
            return Err(self.too_deep());
        }
        self.room -= 1;
        self.at += 1;
        Ok(())
    }

    /// Begins an object, to be read by [`Self::member`].
    pub(crate) fn enter_object(&mut self) -> Read<()> {
        self.enter(Token::Object)
    }

    /// Whether one more element follows; otherwise the container is left.
    fn advance(&mut self, close: u8, first: bool) -> Read<bool> {
        self.blank();
        match self.byte() {
            Some(byte) if byte == close => {
                self.at += 1;
                self.room += 1;
                Ok(false)
            }
            Some(b',') if !first => {
                self.at += 1;
                self.blank();
                if self.byte() == Some(close) {
                    return Err(self.malformed("a comma stands before the end of a list or object"));
                }
                Ok(true)
            }
            Some(_) if first => Ok(true),
            Some(_) => Err(self.malformed("a comma or the end of the list or object is expected here")),
            None => Err(self.malformed("the body ends inside a list or object")),
        }
    }

    /// The name of the next member, or none at the end of the object.
    pub(crate) fn member(&mut self, first: bool) -> Read<Option<Cow<'a, str>>> {
        if !self.advance(b'}', first)? {
            return Ok(None);
        }
        if self.byte() != Some(b'"') {
            return Err(self.malformed("a member begins with its name in double quotes"));
        }
        let name = self.quoted()?;
        self.blank();
        if self.byte() != Some(b':') {
            return Err(self.malformed("a colon is expected between name and value"));
        }
        self.at += 1;
        Ok(Some(name))
    }

    /// Reads a list, each element by `read`.
    pub(crate) fn list(&mut self, mut read: impl FnMut(&mut Self) -> Read<()>) -> Read<()> {
        self.enter(Token::List)?;
        let mut index = 0;
        while self.advance(b']', index == 0)? {
            read(self).map_err(|error| error.at_index(index))?;
            index += 1;
        }
        Ok(())
    }

    /// Reads an object of the protocol, the value of each member by `read`, which is told its name.
    pub(crate) fn object(
        &mut self,
        shape: &Shape,
        mut read: impl FnMut(&mut Self, &'static str) -> Read<()>,
    ) -> Read<()> {
        self.enter_object()?;
        let mut seen = 0u32;
        let mut first = true;
        while let Some(name) = self.member(first)? {
            first = false;
            let (position, known) = shape.find(&name).ok_or_else(|| shape.unknown(&name))?;
            if seen & (1 << position) != 0 {
                return Err(self.duplicate(&name));
            }
            seen |= 1 << position;
            if position >= shape.required.len() && self.peek()? == Token::Null {
                return Err(DecodeError::new(Problem::NullMember).at_member(known));
            }
            read(self, known).map_err(|error| error.at_member(known))?;
        }
        Ok(())
    }

    #[cold]
    pub(crate) fn duplicate(&self, name: &str) -> DecodeError {
        DecodeError::at_byte(Problem::DuplicateMember(clipped(name)), self.at)
    }

    /// Goes over the next value, checking all there is to check without knowing its type.
    pub(crate) fn skip(&mut self) -> Read<()> {
        match self.peek()? {
            Token::Null => self.null(),
            Token::Boolean => self.boolean().map(drop),
            Token::Number => self.number(Kind::Number).map(drop),
            Token::String => self.quoted().map(drop),
            Token::List => self.list(Self::skip),
            Token::Object => {
                self.enter_object()?;
                let start = self.names.len();
                while let Some(name) = self.member(self.names.len() == start)? {
                    self.names.push(name);
                    self.skip()?;
                }
                self.check_names(start)
            }
        }
    }

    /// As [`Self::skip`] for the values of an object's members, which `read` may read instead.
    pub(crate) fn open_object(&mut self, mut read: impl FnMut(&mut Self, &str) -> Read<()>) -> Read<()> {
        self.enter_object()?;
        let start = self.names.len();
        while let Some(name) = self.member(self.names.len() == start)? {
            read(self, &name)?;
            self.names.push(name);
        }
        self.check_names(start)
    }

    /// Refuses a name that stands twice among those from `start` on, and forgets them.
    fn check_names(&mut self, start: usize) -> Read<()> {
        let names = &mut self.names[start..];
        let repeated = if names.len() <= 8 {
            (1..names.len()).find(|at| names[..*at].contains(&names[*at]))
        } else {
            // Sorting keeps the cost of a wide object far from the square of its width.
            names.sort_unstable();
            (1..names.len()).find(|at| names[at - 1] == names[*at])
        };
        if let Some(at) = repeated {
            return Err(self.duplicate(&self.names[start + at]));
        }
        self.names.truncate(start);
        Ok(())
    }
}

impl Shape {
    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.required.iter().chain(self.optional).copied()
    }

    fn find(&self, name: &str) -> Option<(usize, &'static str)> {
        self.names().enumerate().find(|(_, known)| *known == name)
    }

    #[cold]
    fn unknown(&self, name: &str) -> DecodeError {
        let nearest = worldspace_model::nearest(name, self.names()).map(Name::from);
        DecodeError::rule(Rule::UnknownField { name: clipped(name), nearest })
    }
}

/// What was read of a required member.
pub(crate) fn require<T>(value: Option<T>, name: &'static str) -> Read<T> {
    value.ok_or_else(|| DecodeError::missing(name))
}
