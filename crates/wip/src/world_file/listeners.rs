//! `[[listen]]`: where and for whom what is mounted is offered.

use std::fs::{self, File};
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use toml::de::DeValue;
use worldspace_http::Endpoint;
use worldspace_http::auth::TokenFile;
use worldspace_http::tls::ServerTls;

use super::keys::{LISTEN, TLS};
use super::section::{Placed, Section};
use super::values::{Read, Wrong, boolean, integer, string, strings};
use crate::access::is_token;
use crate::failure::all_causes;
use crate::listen::{self, Listen, Tls};

/// Reads all listeners; paths are seen from `base`. `writable` is whether what they offer can be changed.
pub(super) fn read(top: &Section<'_, '_>, base: &Path, writable: bool) -> Vec<Listen> {
    let mut listeners: Vec<Listen> = Vec::new();
    for section in &top.sections("listen", &LISTEN) {
        let mut listen = Listen::default();
        let placed = section.placed("address", address);
        let span = placed.as_ref().map_or(&section.span, |address| &address.span);
        if let Some(address) = &placed {
            listen.address = address.value;
        }
        section.set("base_path", &mut listen.base_path, base_path);
        section.set("title", &mut listen.title, string);
        section.set("hosts", &mut listen.hosts, hosts);
        section.set("origins", &mut listen.origins, origins);
        section.set("allow_plain_http", &mut listen.allow_plain_http, boolean);
        section.set("allow_anonymous", &mut listen.allow_anonymous, boolean);
        let tls = section.raw("tls").map(|_| tls(section, base));
        let tokens = section.raw("tokens").map(|_| tokens(section, base));
        if tokens.is_some() && listen.allow_anonymous {
            let what = "`tokens` and `allow_anonymous` contradict each other";
            section.note(&section.span, what, "leave one of them out");
        }
        // What is there and wrong is not missing as well.
        let unclear = |key| section.is_unclear(key, boolean);
        let looks = Listen {
            allow_plain_http: listen.allow_plain_http || tls.is_some() || unclear("allow_plain_http"),
            allow_anonymous: listen.allow_anonymous || tokens.is_some() || unclear("allow_anonymous"),
            ..listen.clone()
        };
        // Nor is an address that nobody can read the usual one.
        if section.is_unclear("address", address) {
            continue;
        }
        for missing in looks.missing(writable) {
            let what =
                format!("{} can be reached from other machines, but {}", listen.address, missing.what());
            section.note(span, what, missing.in_file());
        }
        if listen.address.port() != 0 && listeners.iter().any(|known| known.address == listen.address) {
            let what = format!("another [[listen]] has {} already", listen.address);
            section.note(span, what, "give one of them another port; port 0 takes a free one");
        }
        listen.tls = tls.flatten().unwrap_or_default();
        listen.tokens = tokens.flatten();
        listeners.push(listen);
    }
    listeners
}

/// A port may be a number as well.
fn address(value: &DeValue<'_>) -> Read<SocketAddr> {
    let text = match integer(value) {
        Some(Ok(port)) => port.to_string(),
        Some(Err(text)) => text,
        None => string(value)?,
    };
    listen::address(&text)
        .map_err(|right| Wrong::Value { what: format!("{text:?} is no address to listen at"), right })
}

fn base_path(value: &DeValue<'_>) -> Read<String> {
    let path = string(value)?;
    if path.starts_with('/') && Endpoint::parse(&format!("http://localhost{path}")).is_ok() {
        return Ok(path);
    }
    Err(Wrong::Value {
        what: format!("{path:?} is not the path of a URL"),
        right: "it is written \"/\" or \"/wip/\"".to_owned(),
    })
}

fn hosts(value: &DeValue<'_>) -> Read<Vec<String>> {
    let hosts = strings(value)?;
    let is_host = |host: &str| {
        let url = Endpoint::parse(&format!("http://{host}"));
        url.is_ok_and(|url| url.base_path() == "/") && !host.contains(['/', '@', '?', '#', '\\'])
    };
    match hosts.iter().find(|host| !is_host(host)) {
        None => Ok(hosts),
        Some(host) => Err(Wrong::Value {
            what: format!("{host:?} is no host"),
            right: "a host is written \"example.org\" or \"example.org:8420\", without a scheme".to_owned(),
        }),
    }
}

fn origins(value: &DeValue<'_>) -> Read<Vec<String>> {
    let origins = strings(value)?;
    let is_origin = |origin: &str| {
        let rest = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        rest.is_some_and(|rest| !rest.contains(['/', '@', '?', '#', '\\'])) && Endpoint::parse(origin).is_ok()
    };
    match origins.iter().find(|origin| !is_origin(origin)) {
        None => Ok(origins),
        Some(origin) => Err(Wrong::Value {
            what: format!("{origin:?} is no origin"),
            right: "an origin is written \"https://example.org\", with nothing behind it".to_owned(),
        }),
    }
}

fn tls(section: &Section<'_, '_>, base: &Path) -> Option<Tls> {
    const TAKES: &str = "\"self-signed\", or { certificate = \"FILE\", key = \"FILE\" }";
    let raw = section.raw("tls")?;
    match raw.get_ref() {
        DeValue::Table(_) => {}
        DeValue::String(text) if text == "self-signed" => return Some(Tls::SelfSigned),
        DeValue::String(text) => {
            section.note(&raw.span(), format!("`tls`: {text:?} is unknown"), format!("it takes {TAKES}"));
            return None;
        }
        _ => {
            section.placed::<()>("tls", |_| Err(Wrong::Kind { takes: TAKES }));
            return None;
        }
    }
    let files = section.section("tls", &TLS)?;
    let certificate = files.required("certificate", "certificate = \"cert.pem\"", string);
    let key = files.required("key", "key = \"key.pem\"", string);
    const FILES: &str = "both are PEM files; paths are seen from where this file is";
    let mut gone = false;
    for (kind, file) in [("certificate", &certificate), ("private key", &key)] {
        let Some(Placed { value, span }) = file else { continue };
        let path = base.join(value);
        if let Err(error) = readable(&path) {
            let what = format!("`tls`: the {kind} file {} cannot be read: {error}", path.display());
            section.note(span, what, FILES);
            gone = true;
        }
    }
    let (certificate, key) = (certificate?, key?);
    if gone {
        return None;
    }
    match ServerTls::from_files(&base.join(&certificate.value), &base.join(&key.value)) {
        Ok(tls) => Some(Tls::Given(tls)),
        Err(error) => {
            let what = format!("`tls`: {}", all_causes(&error));
            section.note(&raw.span(), what, FILES);
            None
        }
    }
}

/// Whether a file can be opened. A pipe is not tried, since it can be read once.
fn readable(path: &Path) -> io::Result<()> {
    match fs::metadata(path)?.is_file() {
        true => File::open(path).map(drop),
        false => Ok(()),
    }
}

fn tokens(section: &Section<'_, '_>, base: &Path) -> Option<Arc<TokenFile>> {
    let Placed { value: file, span } = section.placed("tokens", string)?;
    if is_token(&file) {
        let what = "`tokens` takes the name of a file, and was given a token";
        let right = "whoever has read this file has that token: make another with \
                     `wip token new NAME --file FILE`, and name that file here";
        section.note(&span, what, right);
        return None;
    }
    match TokenFile::open(base.join(&file)) {
        Ok(tokens) => Some(Arc::new(tokens)),
        Err(error) => {
            let what = format!("`tokens`: {}", all_causes(&error));
            let right = match listen::is_absent(&error) {
                true => "`wip token new NAME --file FILE` makes such a file",
                false => "name the file of tokens; paths are seen from where this file is",
            };
            section.note(&span, what, right);
            None
        }
    }
}
