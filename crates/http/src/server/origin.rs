//! By which names a server lets itself be called, and from which pages.
//!
//! A server on loopback is reachable from every page that the same person has open. A page can give a name of its own
//! to 127.0.0.1 (DNS rebinding), but cannot hide it: the name stands in `Host`. Nor can it hide where it comes from:
//! that stands in `Origin`.

use std::net::{IpAddr, SocketAddr};

use http::request::Parts;
use http::{StatusCode, Version, header};

use super::admission::{Refusal, values};

/// The authorities and origins that are let through.
pub(super) struct Names {
    /// `host:port`, the port left out where it is the scheme's own; lower case.
    authorities: Vec<String>,
    /// Whether every IP address is, with this port: of a server at all addresses of its machine, which may be many and
    /// change. An address is no name that somebody else could point here.
    addresses: Option<u16>,
    /// What a page of this server comes by.
    scheme: &'static str,
    /// The port that need not be said.
    default_port: u16,
    origins: Vec<String>,
}

impl Names {
    /// Those of a server at that address, and further ones.
    pub(super) fn new(address: SocketAddr, tls: bool, hosts: &[String], origins: &[String]) -> Self {
        let (scheme, default_port) = if tls { ("https://", 443) } else { ("http://", 80) };
        let port = address.port();
        let mut names = vec![with_port(&address.ip().to_string(), port)];
        if address.is_ipv6() {
            names = vec![with_port(&format!("[{}]", address.ip()), port)];
        }
        names.extend(["localhost", "127.0.0.1", "[::1]"].map(|host| with_port(host, port)));
        if port == default_port {
            let tail = format!(":{port}");
            names.extend(names.clone().iter().map(|name| name.trim_end_matches(&tail).to_owned()));
        }
        names.extend(hosts.iter().map(|host| host.to_ascii_lowercase()));
        let origins = origins.iter().map(|origin| origin.trim_end_matches('/').to_ascii_lowercase());
        let addresses = address.ip().to_canonical().is_unspecified().then_some(port);
        Self { authorities: names, addresses, scheme, default_port, origins: origins.collect() }
    }

    /// Checks the name by which the server is called, which it returns, then the page that the request comes from.
    pub(super) fn admit<'a>(&self, head: &'a Parts) -> Result<&'a str, Refusal> {
        let authority = self.admit_host(head)?;
        self.admit_origin(head, authority)?;
        Ok(authority)
    }

    /// The authority that the request is for: in HTTP/2 the target's, and what else states one must state the same; in
    /// HTTP/1 that in `Host`. A target in absolute form is not compared there, as the vectors of the binding have it:
    /// no page in a browser can send one.
    fn admit_host<'a>(&self, head: &'a Parts) -> Result<&'a str, Refusal> {
        let hosts = head.headers.get_all(header::HOST);
        let complete = head.version == Version::HTTP_2 || hosts.iter().next().is_some();
        let target = head.uri.authority().filter(|_| head.version == Version::HTTP_2);
        let target = target.map(|authority| authority.as_str());
        let stated = hosts.iter().map(|value| value.to_str().unwrap_or(""));
        let mut names = target.into_iter().chain(stated);
        match names.next() {
            Some(first)
                if complete && self.knows(first) && names.all(|other| other.eq_ignore_ascii_case(first)) =>
            {
                Ok(first)
            }
            _ => Err(Refusal::new(
                StatusCode::MISDIRECTED_REQUEST,
                "This server does not go by the name in `Host` or in the request's target: use its own address, \
                 or have the name added to its configuration.",
            )),
        }
    }

    /// No `Origin` means no page in a browser.
    fn admit_origin(&self, head: &Parts, authority: &str) -> Result<(), Refusal> {
        let foreign = values(&head.headers, &header::ORIGIN).any(|origin| {
            let Ok(origin) = std::str::from_utf8(origin) else { return true };
            let origin = origin.to_ascii_lowercase();
            let own =
                origin.strip_prefix(self.scheme).is_some_and(|rest| rest.eq_ignore_ascii_case(authority));
            !own && !self.origins.contains(&origin)
        });
        if foreign {
            return Err(Refusal::new(
                StatusCode::FORBIDDEN,
                "Pages of other origins may not use this server: \
                 have the origin added to its configuration if that one should.",
            ));
        }
        Ok(())
    }

    fn knows(&self, authority: &str) -> bool {
        self.authorities.iter().any(|own| own.eq_ignore_ascii_case(authority))
            || self.addresses.is_some_and(|port| self.port_of_address(authority) == Some(port))
    }

    /// The port of an authority that is an IP address.
    fn port_of_address(&self, authority: &str) -> Option<u16> {
        if let Ok(address) = authority.parse::<SocketAddr>() {
            return Some(address.port());
        }
        let bare = authority.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let address = match bare {
            Some(bare) => bare.parse().map(IpAddr::V6),
            None => authority.parse().map(IpAddr::V4),
        };
        address.ok().map(|_| self.default_port)
    }
}

fn with_port(host: &str, port: u16) -> String {
    format!("{host}:{port}")
}
