//! Certificates and keys in PEM. The errors of the reader below may hold what they stumbled over, so none is passed on.

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// What is wrong with a PEM text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PemFault {
    Broken,
    Missing,
    Encrypted,
}

/// All certificates in it, at least one.
pub(crate) fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, PemFault> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match found {
        Ok(found) if found.is_empty() => Err(missing(pem)),
        Ok(found) => Ok(found),
        Err(_) => Err(PemFault::Broken),
    }
}

/// The first private key in it.
pub(super) fn key(pem: &[u8]) -> Result<PrivateKeyDer<'static>, PemFault> {
    match PrivateKeyDer::pem_slice_iter(pem).next() {
        // The old way to encrypt keeps the label, and says so below it.
        Some(_) if contains(pem, b"Proc-Type: 4,ENCRYPTED") => Err(PemFault::Encrypted),
        Some(found) => found.map_err(|_| PemFault::Broken),
        None if contains(pem, b"-----BEGIN ENCRYPTED PRIVATE KEY-----") => Err(PemFault::Encrypted),
        None => Err(missing(pem)),
    }
}

fn missing(pem: &[u8]) -> PemFault {
    if contains(pem, b"-----BEGIN ") { PemFault::Missing } else { PemFault::Broken }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
