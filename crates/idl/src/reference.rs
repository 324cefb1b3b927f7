//! The text form of an interface reference, `scope::name`, each part bare or quoted.

use std::fmt;
use std::iter::Peekable;
use std::str::Chars;

use worldspace_model::{Fault, InterfaceReference};

use crate::quote::{self, QuoteError};

/// Writes a reference so that [`parse`] gives it back.
///
/// ```
/// use worldspace_idl::reference;
/// use worldspace_model::InterfaceReference;
/// let plain = InterfaceReference::parse("/notes", "files.file")?;
/// assert_eq!(reference::write(&plain), "/notes::files.file");
/// let quoted = InterfaceReference::parse("/two words", "a:b")?;
/// assert_eq!(reference::write(&quoted), r#""/two words"::"a:b""#);
/// # Ok::<(), worldspace_model::Fault>(())
/// ```
pub fn write(reference: &InterfaceReference) -> String {
    let scope = part(reference.scope().as_str(), |byte| byte == b'/');
    let name = part(reference.name().as_str(), |_| false);
    format!("{scope}::{name}")
}

fn part(text: &str, also: impl Fn(u8) -> bool) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte) || also(byte);
    if !text.is_empty() && text.bytes().all(bare) { text.to_owned() } else { quote::string(text) }
}

/// Reads a reference. A part without quotes may hold whatever is not mistaken for something else: anything but
/// colons, quotation marks and controls.
///
/// # Errors
/// What is wrong, and what would be right.
///
/// ```
/// use worldspace_idl::reference::parse;
/// for accepted in ["/::i", "/a::b.c", r#""/a b"::"c::d""#, "/日本::i"] {
///     assert!(parse(accepted).is_ok(), "{accepted}");
/// }
/// for refused in ["", "i", "/a", "/a::", "a::i", "/a::b::c", r#"/a::"b"#, "/a:b::c"] {
///     assert!(parse(refused).is_err(), "{refused}");
/// }
/// ```
pub fn parse(text: &str) -> Result<InterfaceReference, ReferenceError> {
    let mut chars = text.chars().peekable();
    let scope = read_part(&mut chars)?;
    if chars.next() != Some(':') || chars.next() != Some(':') {
        return Err(ReferenceError::NoSeparator);
    }
    let name = read_part(&mut chars)?;
    if chars.next().is_some() {
        return Err(ReferenceError::Trailing);
    }
    InterfaceReference::parse(&scope, &name).map_err(ReferenceError::Invalid)
}

fn read_part(chars: &mut Peekable<Chars<'_>>) -> Result<String, ReferenceError> {
    if chars.next_if_eq(&'"').is_some() {
        return quote::read(chars, '"').map_err(ReferenceError::Quote);
    }
    let mut bare = String::new();
    while let Some(c) = chars.next_if(|c| *c != ':' && *c != '"' && !c.is_control()) {
        bare.push(c);
    }
    Ok(bare)
}

/// Why a text is no interface reference.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ReferenceError {
    /// There is no `::` behind the scope.
    NoSeparator,
    /// Something stands behind the name.
    Trailing,
    /// A quoted part is broken.
    Quote(QuoteError),
    /// A part is no scope or no name.
    Invalid(Fault),
}

impl fmt::Display for ReferenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = "an interface is named `/scope::name`";
        match self {
            Self::NoSeparator => write!(f, "{form}, and there is no `::` behind the scope"),
            Self::Trailing => write!(f, "{form}; a name with `:` or `\"` stands in quotation marks"),
            Self::Quote(error) => write!(f, "{form}, and {error}"),
            Self::Invalid(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for ReferenceError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        for (scope, name) in [
            ("/", "i"),
            ("/a/b.c-d_e", "x.y"),
            ("/ ", " "),
            ("/a::b", "::"),
            ("/\"\\", "`\"\\\n"),
            ("/日本", "書く#λ"),
            ("/~", "/"),
            ("/\u{200b}", "\u{202e}"),
        ] {
            let reference = InterfaceReference::parse(scope, name).unwrap();
            assert_eq!(parse(&write(&reference)), Ok(reference));
        }
    }

    #[test]
    fn errors_say_what_would_be_right() {
        for (text, wanted) in [
            ("files.file", "an interface is named `/scope::name`, and there is no `::` behind the scope"),
            ("/a::b:c", "a name with `:` or `\"` stands in quotation marks"),
            ("/a::\"b", "a quotation mark is not closed"),
            ("a::b", "scope: a path begins with `/`"),
            ("/a::", "name: an interface has a name that is not empty"),
        ] {
            let said = parse(text).unwrap_err().to_string();
            assert!(said.contains(wanted), "{text}: {said}");
        }
    }
}
