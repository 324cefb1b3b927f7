//! A bearer token: a secret that is shown only where it is asked for by name.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// What a generated token begins with, so that people and scanners know one when they see it.
const PREFIX: &str = "wip_";
const MAX_BYTES: usize = 512;

/// A bearer token (`b64token` of RFC 6750), of at most 512 bytes.
///
/// ```
/// use worldspace_http::auth::Token;
///
/// let token = Token::parse("wip_abc-._~+/12==\n").unwrap();
/// assert_eq!(token.reveal(), "wip_abc-._~+/12==");
/// assert_eq!(format!("{token:?}"), "Token(…)");
/// for refused in ["", " ", "=", "a b", "a=b", "ü", "\"a\"", "a,b", &"a".repeat(513)] {
///     assert!(Token::parse(refused).is_err(), "{refused}");
/// }
/// ```
#[derive(Clone)]
pub struct Token(Arc<str>);

/// What stands for a token where it is only to be known again.
pub(super) type Hash = [u8; 32];

/// Why a text is no token. It never holds the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// There is none.
    #[error("there is no token, only blank space")]
    Empty,
    /// It is too long.
    #[error("the token is too long: one has at most 512 characters")]
    TooLong,
    /// It has other characters.
    #[error(
        "the token has characters that none has: only letters, digits and -._~+/ are allowed, and = at its end"
    )]
    Characters,
}

/// The system yields no random octets.
#[derive(Debug, thiserror::Error)]
#[error("no token can be made: the system yields no random octets")]
pub struct GenerateError {
    source: getrandom::Error,
}

impl Token {
    /// A new token that nobody can guess.
    ///
    /// # Errors
    /// If the system yields no random octets.
    pub fn generate() -> Result<Self, GenerateError> {
        let mut octets = [0; 32];
        getrandom::fill(&mut octets).map_err(|source| GenerateError { source })?;
        Ok(Self(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(octets)).into()))
    }

    /// Reads a token, as from a file; blank space around it is left out.
    ///
    /// # Errors
    /// Any text that is none.
    pub fn parse(text: &str) -> Result<Self, TokenError> {
        Self::exact(text.trim())
    }

    /// Reads a token without anything around it.
    pub(super) fn exact(text: &str) -> Result<Self, TokenError> {
        let body = text.trim_end_matches('=');
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte);
        if text.is_empty() {
            Err(TokenError::Empty)
        } else if text.len() > MAX_BYTES {
            Err(TokenError::TooLong)
        } else if body.is_empty() || !body.bytes().all(allowed) {
            Err(TokenError::Characters)
        } else {
            Ok(Self(text.into()))
        }
    }

    /// The token itself, for where it is shown to people or sent.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub(super) fn hash(&self) -> Hash {
        Sha256::digest(self.0.as_bytes()).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_tokens_are_tokens_and_differ() {
        let (one, other) = (Token::generate().unwrap(), Token::generate().unwrap());
        assert_ne!(one.reveal(), other.reveal());
        assert_eq!((one.reveal().len(), &one.reveal()[..4]), (4 + 43, "wip_"));
        assert_eq!(Token::parse(one.reveal()).unwrap().hash(), one.hash());
    }

    #[test]
    fn errors_do_not_show_the_text() {
        for text in ["se cret", "secret\u{e9}", &"secret".repeat(100)] {
            let error = Token::parse(text).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("secret"), "{error}");
        }
    }
}
