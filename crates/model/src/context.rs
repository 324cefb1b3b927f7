//! What comes with a request without being part of it: who asks, until when, under which key.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use crate::fault::{Fault, Rule};

/// Who asks. The Host decides for each principal what exists and what may be done.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Principal(Option<Arc<str>>);

/// The key of a call \[ext\]: 1–255 visible ASCII characters, unique among the caller's calls.
///
/// ```
/// use worldspace_model::CallKey;
/// assert!(CallKey::parse("7f3a").is_ok());
/// for refused in ["", "a b", "é", "\n"] {
///     assert!(CallKey::parse(refused).is_err(), "{refused:?}");
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CallKey(Arc<str>);

/// Who asks and until when an answer is of use. Dropping the future of an answer cancels its request.
#[derive(Debug, Clone)]
pub struct RequestContext {
    /// Who asks.
    pub principal: Principal,
    /// When the caller stops waiting.
    pub deadline: Option<Instant>,
    /// How many bytes an answer may have once it is encoded, where it will be. What can be cut is cut to fit.
    pub response_bytes: Option<usize>,
}

impl Principal {
    /// A principal of that name; what names mean, the door that lets them in decides.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(Some(name.into()))
    }

    /// Whoever reaches a Host that asks for no name; not the same as anybody of any name.
    pub fn anonymous() -> Self {
        Self(None)
    }

    /// The name; none for the anonymous.
    pub fn name(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl CallKey {
    /// Takes a string as it stands.
    ///
    /// # Errors
    /// [`Rule::InvalidRequest`].
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let fits = (1..=255).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        if fits {
            Ok(Self(text.into()))
        } else {
            let reason = "a call key is 1 to 255 visible ASCII characters";
            Err(Fault::new(Rule::InvalidRequest { reason }))
        }
    }

    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl RequestContext {
    /// Of that principal, without a deadline.
    pub fn of(principal: Principal) -> Self {
        Self { principal, deadline: None, response_bytes: None }
    }
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(name) => fmt::Debug::fmt(name, f),
            None => f.write_str("anonymous"),
        }
    }
}

impl fmt::Debug for CallKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}
