//! Where a Host answers: a base URL and the routes below it (SPEC 7).

use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};
use worldspace_model::Interaction;

/// The base URL of a Host, in normal form and ending in a slash.
///
/// ```
/// use worldspace_http::{Endpoint, Route};
/// use worldspace_model::Interaction;
///
/// let endpoint = Endpoint::parse("https://example.test/wip").unwrap();
/// assert_eq!(endpoint.as_str(), "https://example.test/wip/");
/// assert_eq!(endpoint.url_of(Route::Interaction(Interaction::Observe)), "https://example.test/wip/v1/observe");
/// for refused in ["/wip", "file:///wip", "https://example.test/?q", "https://example.test/#f"] {
///     assert!(Endpoint::parse(refused).is_err(), "{refused}");
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Endpoint(Url);

/// What stands below an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Route {
    /// `POST v1/<name>`.
    Interaction(Interaction),
    /// `GET v1`: what the Host speaks (an extension of v1).
    Capabilities,
}

/// Why a text is no endpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// It is no URL.
    #[error("`{text}` is no URL ({reason}); write one such as http://127.0.0.1:8420/")]
    InvalidUrl {
        /// What was given, without user information.
        text: String,
        /// What the parser says.
        reason: String,
    },
    /// It has no host.
    #[error("`{text}` names no host; write a URL such as http://127.0.0.1:8420/")]
    NotAbsoluteBase {
        /// What was given, without user information.
        text: String,
    },
    /// It has a query.
    #[error("`{text}` has a query; leave out everything from the `?` on")]
    HasQuery {
        /// What was given, without user information.
        text: String,
    },
    /// It has a fragment.
    #[error("`{text}` has a fragment; leave out everything from the `#` on")]
    HasFragment {
        /// What was given, without user information.
        text: String,
    },
}

impl Endpoint {
    /// Reads a URL with a host, without query and fragment.
    ///
    /// # Errors
    /// Anything else, saying what to leave out.
    pub fn parse(text: &str) -> Result<Self, EndpointError> {
        let mut url = Url::parse(text)
            .map_err(|error| EndpointError::InvalidUrl { text: shown(text), reason: error.to_string() })?;
        if url.cannot_be_a_base() || !url.has_host() {
            return Err(EndpointError::NotAbsoluteBase { text: shown(text) });
        }
        if url.query().is_some() {
            return Err(EndpointError::HasQuery { text: shown(text) });
        }
        if url.fragment().is_some() {
            return Err(EndpointError::HasFragment { text: shown(text) });
        }
        if !url.path().ends_with('/') {
            let path = format!("{}/", url.path());
            url.set_path(&path);
        }
        Ok(Self(url))
    }

    /// The base URL whole, user information included.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The path of the base URL, as it stands in request targets; it ends in a slash.
    pub fn base_path(&self) -> &str {
        self.0.path()
    }

    /// The URL of a route.
    pub fn url_of(&self, route: Route) -> String {
        let mut url = self.as_str().to_owned();
        url.push_str("v1");
        if let Route::Interaction(interaction) = route {
            url.push('/');
            url.push_str(interaction.name());
        }
        url
    }

    /// The route at that path and query of a request target, compared octet by octet: nothing is decoded or
    /// resolved, and a query, even an empty one, belongs to no route.
    pub fn route_at(&self, path: &str, query: Option<&str>) -> Option<Route> {
        if query.is_some() {
            return None;
        }
        let rest = path.strip_prefix(self.base_path())?.strip_prefix("v1")?;
        match rest.strip_prefix('/') {
            Some(name) => Interaction::parse(name).map(Route::Interaction),
            None => rest.is_empty().then_some(Route::Capabilities),
        }
    }

    /// The same endpoint as it stands at another authority.
    pub(crate) fn at(&self, authority: &str) -> Option<Self> {
        Self::parse(&format!("{}://{authority}{}", self.scheme(), self.base_path())).ok()
    }

    /// Scheme and authority, without user information.
    pub(crate) fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }

    /// Whether that path is one of the protocol's, or would be if there were such a route.
    pub(crate) fn has_below(&self, path: &str) -> bool {
        let rest = path.strip_prefix(self.base_path()).and_then(|rest| rest.strip_prefix("v1"));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Whether it holds a name or password. Nothing is sent to such an endpoint.
    pub fn has_user_information(&self) -> bool {
        !self.0.username().is_empty() || self.0.password().is_some()
    }

    /// Whether what is sent there stays on this machine.
    pub fn is_loopback(&self) -> bool {
        match self.0.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => IpAddr::V6(address).to_canonical().is_loopback(),
            Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
            None => false,
        }
    }

    pub(crate) fn scheme(&self) -> &str {
        self.0.scheme()
    }
}

/// A text that may be a URL, without what may be user information and hold a secret.
fn shown(text: &str) -> String {
    text.rsplit_once('@').map_or_else(|| text.to_owned(), |(_, rest)| format!("…@{rest}"))
}

/// Without user information, which may hold a secret.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.has_user_information() {
            return f.write_str(self.as_str());
        }
        let host = self.0.host_str().unwrap_or_default();
        write!(f, "{}://{host}", self.0.scheme())?;
        if let Some(port) = self.0.port() {
            write!(f, ":{port}")?;
        }
        f.write_str(self.0.path())
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endpoint({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_information_is_shown_nowhere() {
        for text in [
            "http://me:secret@host:x/",
            "http://me:se@secret@host:x/",
            "me:secret@host",
            "http//me:secret@host",
            "mailto:secret@host",
            "http://me:secret@host/?q",
            "http://me:secret@host/#f",
        ] {
            let error = Endpoint::parse(text).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("secret"), "{error}");
            assert!(error.to_string().contains("…@host"), "{error}");
        }
        let endpoint = Endpoint::parse("http://me:secret@host:1/a").unwrap();
        assert_eq!(format!("{endpoint} {endpoint:?}"), "http://host:1/a/ Endpoint(http://host:1/a/)");
    }
}
