//! A certificate that nobody else vouches for, made on the spot: to try things out without an authority.

use std::fmt;
use std::time::{Duration, SystemTime};

use rcgen::{CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, KeyPair};

use super::{ServerTls, TlsError};

/// How long it is valid. Longer than anybody tries something out.
const VALID: Duration = Duration::from_secs(90 * 86_400);

/// For clocks of others that are behind.
const BEFORE: Duration = Duration::from_secs(86_400);

/// A certificate and its key. A client that is given the certificate trusts this server, and whatever
/// else the key vouches for.
#[derive(Debug, Clone)]
pub struct SelfSigned {
    /// The certificate, to be given to clients.
    pub certificate_pem: String,
    /// Its key, which stays with the server.
    pub key_pem: KeyPem,
}

/// A private key in PEM.
#[derive(Clone)]
pub struct KeyPem(String);

/// Makes a certificate for these names of hosts and IP addresses, valid for 90 days.
///
/// # Errors
/// No name, or one that is neither a host's nor an address.
pub fn self_signed(names: &[String]) -> Result<SelfSigned, TlsError> {
    let setup = |error: rcgen::Error| TlsError::Setup { reason: error.to_string() };
    for name in names {
        if rustls::pki_types::ServerName::try_from(name.as_str()).is_err() {
            return Err(TlsError::Name { name: name.clone() });
        }
    }
    let Some(first) = names.first() else { return Err(TlsError::Name { name: String::new() }) };
    let mut parameters = CertificateParams::new(names.to_vec()).map_err(setup)?;
    let now = SystemTime::now();
    parameters.not_before = (now - BEFORE).into();
    parameters.not_after = (now + VALID).into();
    parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    parameters.distinguished_name = DistinguishedName::new();
    parameters.distinguished_name.push(DnType::CommonName, first.as_str());
    let key = KeyPair::generate().map_err(setup)?;
    let certificate = parameters.self_signed(&key).map_err(setup)?;
    Ok(SelfSigned { certificate_pem: certificate.pem(), key_pem: KeyPem(key.serialize_pem()) })
}

impl SelfSigned {
    /// What a server shows with it.
    ///
    /// # Errors
    /// If TLS cannot be set up.
    pub fn tls(&self) -> Result<ServerTls, TlsError> {
        ServerTls::from_pem(self.certificate_pem.as_bytes(), self.key_pem.reveal().as_bytes())
    }
}

impl KeyPem {
    /// The key itself, to be kept where its owner alone can read it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for KeyPem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyPem(…)")
    }
}
