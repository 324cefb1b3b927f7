//! Where and for whom a Worldspace is offered, as the command line or `world.toml` says it.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use worldspace_http::ServerConfig;
use worldspace_http::auth::{TokenFile, TokenFileError};
use worldspace_http::tls::ServerTls;

use crate::config::DEFAULT_LISTEN;

/// One address, and what holds for those who come there.
#[derive(Debug, Clone)]
pub(crate) struct Listen {
    pub(crate) address: SocketAddr,
    pub(crate) base_path: String,
    pub(crate) title: String,
    pub(crate) hosts: Vec<String>,
    pub(crate) origins: Vec<String>,
    pub(crate) tls: Tls,
    pub(crate) tokens: Option<Arc<TokenFile>>,
    pub(crate) allow_plain_http: bool,
    pub(crate) allow_anonymous: bool,
}

/// How connections are encrypted.
#[derive(Debug, Clone, Default)]
pub(crate) enum Tls {
    /// Not at all.
    #[default]
    Plain,
    /// With a certificate that this program makes, for trying.
    SelfSigned,
    /// With a certificate and key of the user's.
    Given(ServerTls),
}

/// What an address beyond loopback lacks. Each is to be allowed in so many words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    Tls,
    Tokens,
}

impl Default for Listen {
    fn default() -> Self {
        Self {
            address: DEFAULT_ADDRESS,
            base_path: "/".to_owned(),
            title: ServerConfig::default().title,
            hosts: Vec::new(),
            origins: Vec::new(),
            tls: Tls::Plain,
            tokens: None,
            allow_plain_http: false,
            allow_anonymous: false,
        }
    }
}

/// [`DEFAULT_LISTEN`].
const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8420);

impl Listen {
    /// Whether a token is made at the start: what can be changed is for those alone who were let in.
    pub(crate) fn makes_token(&self, writable: bool) -> bool {
        writable && self.tokens.is_none() && !self.allow_anonymous
    }

    /// What must not be missing where other machines come in.
    pub(crate) fn missing(&self, writable: bool) -> Vec<Missing> {
        if self.address.ip().to_canonical().is_loopback() {
            return Vec::new();
        }
        let mut missing = Vec::new();
        if matches!(self.tls, Tls::Plain) && !self.allow_plain_http {
            missing.push(Missing::Tls);
        }
        if self.tokens.is_none() && !self.allow_anonymous && !self.makes_token(writable) {
            missing.push(Missing::Tokens);
        }
        missing
    }
}

impl Missing {
    pub(crate) fn what(self) -> &'static str {
        match self {
            Self::Tls => "nothing is encrypted",
            Self::Tokens => "nobody has to show a token",
        }
    }

    /// What would be right on the command line.
    pub(crate) fn on_command_line(self) -> &'static str {
        match self {
            Self::Tls => {
                "encrypt with --tls-cert FILE --tls-key FILE, or with --tls self-signed; \
                 --allow-plain-http goes without, and whoever is on the way reads along"
            }
            Self::Tokens => {
                "name those who may come with --tokens FILE (`wip token new NAME --file FILE` makes one); \
                 --allow-anonymous lets everybody in who can reach the address"
            }
        }
    }

    /// What would be right in `world.toml`.
    pub(crate) fn in_file(self) -> &'static str {
        match self {
            Self::Tls => {
                "encrypt with tls = { certificate = \"FILE\", key = \"FILE\" }, or with tls = \"self-signed\"; \
                 allow_plain_http = true goes without, and whoever is on the way reads along"
            }
            Self::Tokens => {
                "name those who may come with tokens = \"FILE\" (`wip token new NAME --file FILE` makes one); \
                 allow_anonymous = true lets everybody in who can reach the address"
            }
        }
    }
}

/// Whether a file of tokens is yet to be made.
pub(crate) fn is_absent(error: &TokenFileError) -> bool {
    matches!(error, TokenFileError::Read { source, .. } if source.kind() == ErrorKind::NotFound)
}

/// An address whose parts may be left out where only one thing can be meant.
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    let host = |host: &str| match host {
        "" | "localhost" => Some(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        host => host.parse().ok(),
    };
    let unbracketed = |text: &str| text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let parsed = || {
        if let Ok(address) = text.parse() {
            return Some(address);
        }
        if let Ok(port) = text.parse() {
            return Some(SocketAddr::new(DEFAULT_ADDRESS.ip(), port));
        }
        if let Some(ip) = host(text).or_else(|| unbracketed(text)).filter(|_| !text.is_empty()) {
            return Some(SocketAddr::new(ip, DEFAULT_ADDRESS.port()));
        }
        let (name, port) = text.rsplit_once(':')?;
        Some(SocketAddr::new(host(name)?, port.parse().ok()?))
    };
    parsed().ok_or_else(|| format!("an address is written {DEFAULT_LISTEN}, localhost:8420 or 8420"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_leave_out_what_is_clear() {
        for (text, wanted) in [
            ("127.0.0.1:9001", "127.0.0.1:9001"),
            ("localhost:9001", "127.0.0.1:9001"),
            ("localhost", "127.0.0.1:8420"),
            ("127.0.0.1", "127.0.0.1:8420"),
            ("127.0.0.2", "127.0.0.2:8420"),
            ("8421", "127.0.0.1:8421"),
            (":8421", "127.0.0.1:8421"),
            ("0", "127.0.0.1:0"),
            ("::1", "[::1]:8420"),
            ("[::1]", "[::1]:8420"),
            ("[::1]:7", "[::1]:7"),
        ] {
            assert_eq!(address(text).map(|address| address.to_string()).as_deref(), Ok(wanted), "{text}");
        }
        for text in
            ["", ":", "nowhere", "nowhere:8420", "localhost:", "localhost:x", "70000", "http://localhost/"]
        {
            assert!(address(text).unwrap_err().contains("127.0.0.1:8420"), "{text}");
        }
        assert_eq!(DEFAULT_ADDRESS.to_string(), DEFAULT_LISTEN);
    }

    #[test]
    fn what_is_missing_beyond_loopback_depends_on_what_is_allowed() {
        use Missing::{Tls as NoTls, Tokens as NoTokens};
        for (address, plain, anonymous, writable, missing) in [
            ("127.0.0.1:0", false, false, false, vec![]),
            ("[::1]:0", false, false, true, vec![]),
            ("[::ffff:127.0.0.1]:0", false, false, true, vec![]),
            ("0.0.0.0:0", false, false, false, vec![NoTls, NoTokens]),
            ("[::]:0", true, false, false, vec![NoTokens]),
            ("192.0.2.1:0", false, true, false, vec![NoTls]),
            ("192.0.2.1:0", true, true, true, vec![]),
            // A token is made for what can be changed.
            ("192.0.2.1:0", true, false, true, vec![]),
        ] {
            let address = address.parse().unwrap();
            let listen =
                Listen { address, allow_plain_http: plain, allow_anonymous: anonymous, ..Listen::default() };
            assert_eq!(listen.missing(writable), missing, "{listen:?}");
        }
    }
}
