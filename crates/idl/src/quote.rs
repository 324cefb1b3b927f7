//! Quoting: the one place that says how a foreign string stands in the text form, and how it is read back.

use std::fmt;
use std::iter::Peekable;
use std::str::Chars;

/// What a bare word may not be, wherever names stand.
const KEYWORDS: [&str; 18] = [
    "object",
    "at",
    "name",
    "description",
    "interfaces",
    "interface",
    "type",
    "operation",
    "enum",
    "union",
    "unit",
    "boolean",
    "integer",
    "number",
    "string",
    "bytes",
    "json",
    "entry",
];

/// A string between quotation marks.
///
/// ```
/// use worldspace_idl::quote::string;
/// assert_eq!(string("two\nlines"), r#""two\nlines""#);
/// ```
pub fn string(text: &str) -> String {
    quoted(text, '"')
}

/// A name as it is if it is a plain word and no keyword, else between backticks.
///
/// ```
/// use worldspace_idl::quote::identifier;
/// assert_eq!(identifier("read_text"), "read_text");
/// assert_eq!(identifier("two words"), "`two words`");
/// assert_eq!(identifier("type"), "`type`");
/// ```
pub fn identifier(name: &str) -> String {
    if is_word(name) && !KEYWORDS.contains(&name) { name.to_owned() } else { quoted(name, '`') }
}

/// The name of an interface as it is if it is identifiers joined by dots, else between backticks.
pub(crate) fn dotted(name: &str) -> String {
    let is_plain = name.split('.').all(|part| is_word(part) && !KEYWORDS.contains(&part));
    if is_plain { name.to_owned() } else { quoted(name, '`') }
}

/// Whether a text can stand on a line without quotation marks.
pub(crate) fn is_safe(text: &str) -> bool {
    !text.chars().any(breaks_text)
}

/// A name between backticks.
pub(crate) fn name(name: &str) -> String {
    quoted(name, '`')
}

/// Whether a name is letters, digits and underscores of ASCII, no digit first.
pub(crate) fn is_word(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn quoted(text: &str, delimiter: char) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(delimiter);
    for c in text.chars() {
        match c {
            // Quotation marks are escaped between backticks too, so that a name can be copied into a string.
            '"' | '\\' => out.extend(['\\', c]),
            _ if c == delimiter => out.extend(['\\', c]),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if breaks_text(c) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => out.push(c),
        }
    }
    out.push(delimiter);
    out
}

/// Controls, line ends, and what changes the direction of the text around it.
pub(crate) fn breaks_text(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{61c}' | '\u{200e}' | '\u{200f}')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Why a quoted string cannot be read back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuoteError {
    /// The closing mark is missing.
    Unclosed,
    /// A backslash before something that is no escape.
    UnknownEscape,
    /// `\u` without four hexadecimal digits that name a character.
    InvalidCodePoint,
}

/// Reads a string whose opening mark `delimiter` has just been taken, up to and with the closing one.
pub(crate) fn read(chars: &mut Peekable<Chars<'_>>, delimiter: char) -> Result<String, QuoteError> {
    let mut out = String::new();
    loop {
        match chars.next().ok_or(QuoteError::Unclosed)? {
            c if c == delimiter => return Ok(out),
            '\\' => out.push(read_escape(chars)?),
            c => out.push(c),
        }
    }
}

/// Reads what stands behind a backslash.
pub(crate) fn read_escape(chars: &mut Peekable<Chars<'_>>) -> Result<char, QuoteError> {
    match chars.next().ok_or(QuoteError::Unclosed)? {
        c @ ('"' | '\\' | '`' | '/') => Ok(c),
        'b' => Ok('\u{8}'),
        'f' => Ok('\u{c}'),
        'n' => Ok('\n'),
        'r' => Ok('\r'),
        't' => Ok('\t'),
        'u' => read_code_point(chars),
        _ => Err(QuoteError::UnknownEscape),
    }
}

/// As JSON has it: beyond the first 65,536, a character is a pair of surrogates.
fn read_code_point(chars: &mut Peekable<Chars<'_>>) -> Result<char, QuoteError> {
    let first = read_unit(chars)?;
    let units = if (0xd800..0xdc00).contains(&first) {
        if chars.next() != Some('\\') || chars.next() != Some('u') {
            return Err(QuoteError::InvalidCodePoint);
        }
        vec![first, read_unit(chars)?]
    } else {
        vec![first]
    };
    match char::decode_utf16(units).next() {
        Some(Ok(c)) => Ok(c),
        _ => Err(QuoteError::InvalidCodePoint),
    }
}

fn read_unit(chars: &mut Peekable<Chars<'_>>) -> Result<u16, QuoteError> {
    let mut unit = 0;
    for _ in 0..4 {
        let digit = chars.next().and_then(|c| c.to_digit(16)).ok_or(QuoteError::InvalidCodePoint)?;
        unit = unit << 4 | digit as u16;
    }
    Ok(unit)
}

impl fmt::Display for QuoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unclosed => "a quotation mark is not closed",
            Self::UnknownEscape => "after a backslash stands one of `\" \\ / b f n r t u`",
            Self::InvalidCodePoint => "`\\u` takes the four hexadecimal digits of a character",
        })
    }
}

impl std::error::Error for QuoteError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_back(text: &str) -> Result<String, QuoteError> {
        let mut chars = text.chars().peekable();
        let delimiter = chars.next().unwrap();
        read(&mut chars, delimiter)
    }

    #[test]
    fn what_is_quoted_reads_back() {
        for text in
            ["", "a", "a\"b", "a`b", "\\", "\\u0041", "\u{0}\u{1f}\u{7f}\u{9f}\u{2028}\u{202e}", "日本 👩‍💻"]
        {
            assert_eq!(read_back(&string(text)).as_deref(), Ok(text));
            assert_eq!(read_back(&quoted(text, '`')).as_deref(), Ok(text));
        }
    }

    #[test]
    fn pairs_of_surrogates_are_one_character() {
        assert_eq!(read_back(r#""\ud83d\udcbb""#).as_deref(), Ok("💻"));
    }

    #[test]
    fn broken_quotes_say_what_is_wrong() {
        for (text, error) in [
            ("\"a", QuoteError::Unclosed),
            ("\"a\\", QuoteError::Unclosed),
            ("\"\\x\"", QuoteError::UnknownEscape),
            ("\"\\u12\"", QuoteError::InvalidCodePoint),
            ("\"\\ud83d\"", QuoteError::InvalidCodePoint),
            ("\"\\udcbb\"", QuoteError::InvalidCodePoint),
        ] {
            assert_eq!(read_back(text), Err(error), "{text}");
        }
    }
}
