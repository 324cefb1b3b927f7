//! Who asks: bearer tokens (RFC 6750), and the file that says whose they are.
//!
//! A token is a secret, and whoever shows it is its principal. A Host keeps hashes alone, so that its file of tokens lets
//! nobody in who reads it. Looking a hash up tells by its time something about hashes at most; those say nothing of
//! tokens with the entropy of [`Token::generate`], and nobody can choose a hash to come near to another.

mod add;
mod file;
mod lines;
mod token;

use std::fmt;
use std::sync::Arc;

use http::{HeaderMap, header};
use worldspace_model::Principal;

pub use file::{TokenFile, TokenFileError};
pub use lines::LineFault;
pub use token::{GenerateError, Token, TokenError};

/// Whom a server lets in.
#[derive(Debug, Clone, Default)]
pub enum Authentication {
    /// Everyone, without telling them apart.
    #[default]
    Anonymous,
    /// Whoever shows a token of that file.
    Tokens(Arc<TokenFile>),
    /// Whoever shows that token.
    One {
        /// The token.
        token: Token,
        /// Who shows it.
        principal: Principal,
    },
}

/// What a further route finds among the extensions of a request that showed a valid token. Without it, the sender is
/// unknown, and what he may see is for the route to decide.
#[derive(Clone, PartialEq, Eq)]
pub struct Verified(pub Principal);

impl fmt::Debug for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Verified({:?})", self.0.name())
    }
}

/// Nobody who is let in. Why is not said, so that a caller learns nothing from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unauthenticated;

impl Authentication {
    pub(crate) fn is_anonymous(&self) -> bool {
        matches!(self, Self::Anonymous)
    }

    /// Whose request it is by its headers. A file of tokens is looked at anew.
    pub(crate) async fn identify(&self, headers: &HeaderMap) -> Result<Principal, Unauthenticated> {
        let known = match self {
            Self::Anonymous => return Ok(Principal::anonymous()),
            Self::Tokens(file) => match bearer(headers) {
                Some(token) => file.principal_of(&token).await,
                None => None,
            },
            Self::One { token, principal } => {
                bearer(headers).filter(|shown| shown.hash() == token.hash()).map(|_| principal.clone())
            }
        };
        known.ok_or(Unauthenticated)
    }
}

/// The token in the one `Authorization` header of a request.
fn bearer(headers: &HeaderMap) -> Option<Token> {
    let mut values = headers.get_all(header::AUTHORIZATION).into_iter();
    let value = values.next().filter(|_| values.next().is_none())?;
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    let token = token.trim_start_matches(' ');
    scheme.eq_ignore_ascii_case("bearer").then(|| Token::exact(token))?.ok()
}
