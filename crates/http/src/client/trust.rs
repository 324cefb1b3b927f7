//! Whose word a client takes for who a Host is.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use crate::tls::{self, PROTOCOLS, PemFault, VERSIONS};

/// Which certificates of Hosts are trusted.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Trust {
    /// Those that the system trusts.
    #[default]
    System,
    /// These in PEM, and those that they vouch for; none else.
    Certificates(Vec<u8>),
}

/// Why there is nobody to trust.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The file cannot be read.
    #[error("the file of trusted certificates {} cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is no PEM, or broken.
    #[error(
        "{} no PEM text: it has lines of base64 between -----BEGIN CERTIFICATE----- and -----END CERTIFICATE-----",
        Place(path.as_deref(), "is")
    )]
    NoPem {
        /// The file, if it is one.
        path: Option<PathBuf>,
    },
    /// There is no certificate in it.
    #[error("{} no certificate: one stands below -----BEGIN CERTIFICATE-----", Place(path.as_deref(), "holds"))]
    NoCertificate {
        /// The file, if it is one.
        path: Option<PathBuf>,
    },
    /// A certificate is broken.
    #[error("{} a certificate that cannot be read, number {number} of them", Place(path.as_deref(), "holds"))]
    Certificate {
        /// The file, if it is one.
        path: Option<PathBuf>,
        /// Which one, counted from 1.
        number: usize,
    },
    /// The system trusts nobody.
    #[error(
        "the system has no certificates that it trusts: install them, or give those to trust in a file ({reason})"
    )]
    System {
        /// What was found.
        reason: String,
    },
}

struct Place<'a>(Option<&'a Path>, &'static str);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(path) => write!(f, "the file of trusted certificates {} {}", path.display(), self.1),
            None => write!(f, "what is given as trusted certificates {}", self.1),
        }
    }
}

impl Trust {
    /// Trusts the certificates in a file of PEM, and those that they vouch for.
    ///
    /// # Errors
    /// A file that cannot be read, or that holds none.
    pub fn from_file(path: &Path) -> Result<Self, TrustError> {
        let pem = std::fs::read(path).map_err(|source| TrustError::Read { path: path.to_owned(), source })?;
        roots(&pem, Some(path))?;
        Ok(Self::Certificates(pem))
    }

    /// What rustls makes of it.
    pub(super) fn config(&self) -> Result<ClientConfig, TrustError> {
        let system = |error: rustls::Error| TrustError::System { reason: error.to_string() };
        let builder = ClientConfig::builder_with_provider(tls::provider())
            .with_protocol_versions(&VERSIONS)
            .map_err(system)?;
        let mut config = match self {
            Self::System => {
                let verifier = Verifier::new(tls::provider()).map_err(system)?;
                // The verifier of the platform counts as foreign to rustls; nothing is left out of its checks.
                builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth()
            }
            Self::Certificates(pem) => {
                builder.with_root_certificates(roots(pem, None)?).with_no_client_auth()
            }
        };
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
        Ok(config)
    }

    /// For a client that never speaks TLS.
    pub(super) fn nobody() -> Result<ClientConfig, TrustError> {
        let system = |error: rustls::Error| TrustError::System { reason: error.to_string() };
        let builder = ClientConfig::builder_with_provider(tls::provider()).with_protocol_versions(&VERSIONS);
        Ok(builder.map_err(system)?.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
    }
}

impl fmt::Debug for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System => f.write_str("System"),
            Self::Certificates(pem) => write!(f, "Certificates({} bytes)", pem.len()),
        }
    }
}

fn roots(pem: &[u8], path: Option<&Path>) -> Result<RootCertStore, TrustError> {
    let path = || path.map(Path::to_owned);
    let found = tls::certificates(pem).map_err(|fault| match fault {
        PemFault::Broken => TrustError::NoPem { path: path() },
        PemFault::Missing | PemFault::Encrypted => TrustError::NoCertificate { path: path() },
    })?;
    let mut roots = RootCertStore::empty();
    for (index, certificate) in found.into_iter().enumerate() {
        roots.add(certificate).map_err(|_| TrustError::Certificate { path: path(), number: index + 1 })?;
    }
    Ok(roots)
}
