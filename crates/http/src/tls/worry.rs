//! What an operator should hear of a certificate and key that can be used all the same.

use std::fs::Metadata;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, Error, RootCertStore};

use super::provider;

/// Time enough to renew a certificate.
const SOON: Duration = Duration::from_secs(7 * 86_400);

/// What there is to say.
pub(super) fn worries(certificate: &CertificateDer<'static>, key: Option<&Metadata>) -> Vec<&'static str> {
    let mut worries = Vec::new();
    let now = SystemTime::now();
    let found = fault(certificate, now);
    if found.as_ref().is_some_and(has_ended) {
        worries.push("the certificate has expired, so that clients refuse it: renew it");
    } else if fault(certificate, now + SOON).as_ref().is_some_and(has_ended) {
        worries.push("the certificate expires within a week: renew it");
    }
    if found.as_ref().is_some_and(is_of_issuer) {
        worries.push(
            "the certificate is that of an issuer (CA:TRUE), which clients refuse of a server: make it anew with \
             basicConstraints CA:FALSE",
        );
    }
    if key.is_some_and(is_for_everybody) {
        worries.push("everybody on this machine may read or change the key: run `chmod o-rw` on it");
    }
    worries
}

/// What clients would hold against a certificate at that time. What it says of itself is looked at before who has issued
/// it.
fn fault(certificate: &CertificateDer<'static>, at: SystemTime) -> Option<CertificateError> {
    let mut roots = RootCertStore::empty();
    // There must be one.
    if roots.add(certificate.clone()).is_err() {
        return None;
    }
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider()).build();
    let (Ok(verifier), Ok(name)) = (verifier, ServerName::try_from("localhost")) else { return None };
    let at = UnixTime::since_unix_epoch(at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default());
    match verifier.verify_server_cert(certificate, &[], &name, &[], at) {
        Err(Error::InvalidCertificate(fault)) => Some(fault),
        _ => None,
    }
}

fn has_ended(fault: &CertificateError) -> bool {
    matches!(fault, CertificateError::Expired | CertificateError::ExpiredContext { .. })
}

/// Whether a certificate vouches for others, and so for no server. `openssl req -x509` makes such a one unless told
/// otherwise; rustls gives the reason no name of its own.
pub(crate) fn is_of_issuer(fault: &CertificateError) -> bool {
    matches!(fault, CertificateError::Other(error) if format!("{error:?}").contains("CaUsedAsEndEntity"))
}

#[cfg(unix)]
fn is_for_everybody(key: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    key.is_file() && key.permissions().mode() & 0o006 != 0
}

/// Where permissions are of another kind, they are left to whoever sets them.
#[cfg(not(unix))]
fn is_for_everybody(_: &Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};

    use super::*;

    #[test]
    fn the_end_of_a_certificate_is_told_a_week_before() {
        let day = Duration::from_secs(86_400);
        let now = SystemTime::now();
        for (begin, end, told) in [
            (now - day, now + 30 * day, ""),
            (now - day, now + 8 * day, ""),
            (now - day, now + 6 * day, "within a week"),
            (now - 3 * day, now - day, "has expired"),
            (now + day, now + 30 * day, ""),
        ] {
            // Issued by itself, and by somebody unknown.
            let key = KeyPair::generate().unwrap();
            let mut parameters = CertificateParams::new(["wip.example".to_owned()]).unwrap();
            (parameters.not_before, parameters.not_after) = (begin.into(), end.into());
            let issuer = rcgen::Issuer::new(CertificateParams::default(), KeyPair::generate().unwrap());
            for certificate in
                [parameters.self_signed(&key).unwrap(), parameters.signed_by(&key, &issuer).unwrap()]
            {
                let told_now = worries(certificate.der(), None).concat();
                assert!(told_now.contains(told) && told_now.is_empty() == told.is_empty(), "{told_now}");
            }
        }
    }

    #[test]
    fn a_certificate_of_an_issuer_is_told_of() {
        let key = KeyPair::generate().unwrap();
        for (is_ca, told) in [
            (IsCa::NoCa, false),
            (IsCa::ExplicitNoCa, false),
            (IsCa::Ca(BasicConstraints::Unconstrained), true),
            (IsCa::Ca(BasicConstraints::Constrained(0)), true),
        ] {
            let mut parameters = CertificateParams::new(["wip.example".to_owned()]).unwrap();
            parameters.is_ca = is_ca;
            let certificate = parameters.self_signed(&key).unwrap();
            assert_eq!(worries(certificate.der(), None).concat().contains("CA:FALSE"), told);
        }
    }
}
