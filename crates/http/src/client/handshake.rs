//! Why a Host and this client could not agree on TLS, for people.

use std::error::Error;
use std::io;
use std::net::IpAddr;

use rustls::pki_types::UnixTime;
use rustls::{CertificateError, InvalidMessage};

use crate::tls::is_of_issuer;

/// The source of a [`TransportError`](worldspace_model::TransportError) where nobody who is trusted has issued the
/// certificate of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("nobody who is trusted has issued the certificate")]
pub struct UnknownIssuer;

/// What to think of an error, if TLS is at its bottom.
pub(super) struct Explained {
    pub(super) detail: String,
    pub(super) source: Option<UnknownIssuer>,
}

pub(super) fn explain(error: &(dyn Error + 'static)) -> Option<Explained> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = of_tls(error) {
            return Some(Explained { detail: text(error), source: unknown_issuer(error) });
        }
        cause = error.source();
    }
    None
}

/// An I/O error is not caused by what it holds, but is the same, and may hold one more of its kind.
fn of_tls<'a>(mut error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    while let Some(inside) = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        error = inside;
    }
    error.downcast_ref()
}

/// A signature that does not fit is of an issuer that has the name of a trusted one, but not its key.
fn unknown_issuer(error: &rustls::Error) -> Option<UnknownIssuer> {
    use CertificateError::{
        BadSignature, UnknownIssuer as Unknown, UnsupportedSignatureAlgorithmForPublicKeyContext,
    };
    let rustls::Error::InvalidCertificate(error) = error else { return None };
    let unknown =
        matches!(error, Unknown | BadSignature | UnsupportedSignatureAlgorithmForPublicKeyContext { .. });
    unknown.then_some(UnknownIssuer)
}

fn text(error: &rustls::Error) -> String {
    use rustls::Error::{AlertReceived, InvalidCertificate, InvalidMessage as Invalid, PeerIncompatible};
    match error {
        InvalidCertificate(_) if unknown_issuer(error).is_some() => {
            "its certificate is issued by nobody who is trusted here; if it is the right one, give its certificate, \
             or that of its issuer, as CA file"
                .to_owned()
        }
        InvalidCertificate(error) => of_certificate(error),
        Invalid(InvalidMessage::InvalidContentType) => {
            "no TLS is spoken there; it may be an http:// endpoint".to_owned()
        }
        AlertReceived(alert) => format!("the endpoint breaks TLS off ({alert:?})"),
        PeerIncompatible(_) => {
            format!("the endpoint speaks neither TLS 1.2 nor 1.3 in a way that is known here ({error})")
        }
        error => format!("TLS fails: {error}"),
    }
}

fn of_certificate(error: &CertificateError) -> String {
    use CertificateError::{
        Expired, ExpiredContext, NotValidForName, NotValidForNameContext, NotValidYet, NotValidYetContext,
    };
    match error {
        NotValidForNameContext { expected, presented } => {
            let expected = expected.to_str();
            format!(
                "its certificate is for {}, not for {expected}; use a name that it is for",
                names(presented)
            )
        }
        NotValidForName => "its certificate is for another name; use the name that it is for".to_owned(),
        ExpiredContext { time, not_after } => {
            let days = days(*not_after, *time);
            format!("its certificate expired {days} ago by the clock of this machine; it must be renewed")
        }
        Expired => "its certificate has expired by the clock of this machine; it must be renewed".to_owned(),
        NotValidYetContext { time, not_before } => {
            let days = days(*time, *not_before);
            format!(
                "its certificate becomes valid in {days} only, by the clock of this machine; check that clock"
            )
        }
        NotValidYet => {
            "its certificate is not valid yet, by the clock of this machine; check that clock".to_owned()
        }
        error if is_of_issuer(error) => {
            "its certificate is that of an issuer, which no endpoint can show for itself; it must be made anew with \
             basicConstraints CA:FALSE"
                .to_owned()
        }
        error => format!("its certificate cannot be used: {error}"),
    }
}

/// The first names in a certificate, which whoever made it has chosen as he liked.
fn names(presented: &[String]) -> String {
    let bare = |name: &'_ String| {
        let inside = name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'))?;
        let name = inside.trim_matches('"');
        let is_plain = name.len() <= 253 && name.bytes().all(|byte| byte.is_ascii_graphic());
        // Addresses come in another form than people write.
        is_plain
            .then(|| name.parse::<IpAddr>().map_or_else(|_| name.to_owned(), |address| address.to_string()))
    };
    let names: Vec<String> = presented.iter().filter_map(bare).collect();
    match names.len() {
        0 => "other names".to_owned(),
        length @ 1..=5 => names[..length].join(", "),
        length => format!("{} and {} more", names[..5].join(", "), length - 5),
    }
}

/// From one time to a later one.
fn days(from: UnixTime, to: UnixTime) -> String {
    match to.as_secs().saturating_sub(from.as_secs()) / 86_400 {
        0 => "less than a day".to_owned(),
        1 => "1 day".to_owned(),
        days => format!("{days} days"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_certificate_are_shown_only_where_they_are_plain() {
        let cases = [
            (vec!["DnsName(\"a.example\")", "IpAddress(127.0.0.1)"], "a.example, 127.0.0.1"),
            (vec!["IpAddress(0::1)", "IpAddress(2001:db8:0:0:0:0:0:1)"], "::1, 2001:db8::1"),
            (vec!["DnsName(\"\u{202e}evil\")", "DnsName(\"\u{1b}[2J\")", "DnsName(\"a b\")"], "other names"),
            (vec!["DnsName(\"x\")"; 7], "x, x, x, x, x and 2 more"),
            (vec![], "other names"),
        ];
        for (presented, shown) in cases {
            let presented: Vec<String> = presented.into_iter().map(str::to_owned).collect();
            assert_eq!(names(&presented), shown);
        }
    }
}
