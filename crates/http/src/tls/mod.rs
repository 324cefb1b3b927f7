//! TLS 1.2 and 1.3 by rustls: what a server shows, and certificates for trying things out.
//!
//! The cryptography is that of `ring`, given to rustls wherever it is used: nothing is installed for the whole process,
//! so that a program that uses rustls for other things keeps its own choice.

mod pem;
mod self_signed;
mod server;
mod worry;

use std::fmt;
use std::io;
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::version::{TLS12, TLS13};

pub(crate) use pem::{PemFault, certificates};
pub use self_signed::{KeyPem, SelfSigned, self_signed};
pub use server::ServerTls;
pub(crate) use worry::is_of_issuer;

/// What is spoken over TLS, the better one first.
pub(crate) const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

pub(crate) static VERSIONS: [&rustls::SupportedProtocolVersion; 2] = [&TLS13, &TLS12];

/// Why there is no TLS. Nothing of a key is shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A file cannot be read.
    #[error("the {part} cannot be read")]
    Read {
        /// Which one.
        part: Part,
        /// Why.
        source: io::Error,
    },
    /// It is no PEM, or broken.
    #[error(
        "the {part} is no PEM text: it has lines of base64 between -----BEGIN …----- and -----END …-----"
    )]
    NoPem {
        /// Which one.
        part: Part,
    },
    /// There is no certificate in it.
    #[error("the {part} holds no certificate: one stands below -----BEGIN CERTIFICATE-----")]
    NoCertificate {
        /// Which one.
        part: Part,
    },
    /// There is no private key in it.
    #[error("the {part} holds no private key: one stands below -----BEGIN PRIVATE KEY-----")]
    NoKey {
        /// Which one.
        part: Part,
    },
    /// The key is encrypted.
    #[error("the {part} is encrypted, and there is nobody to ask for its password: give one that is not")]
    EncryptedKey {
        /// Which one.
        part: Part,
    },
    /// The key is of a kind that is not known, or broken.
    #[error("the {part} cannot be used: RSA (2048 bits or more), ECDSA (P-256, P-384) and Ed25519 can")]
    UnusableKey {
        /// Which one.
        part: Part,
    },
    /// The certificate is broken.
    #[error("the first certificate in the {part} cannot be read as one of X.509 version 3")]
    UnusableCertificate {
        /// Which one.
        part: Part,
    },
    /// The key belongs to another certificate.
    #[error("the {key} does not fit the first certificate in the {certificate}")]
    Mismatch {
        /// The certificate.
        certificate: Part,
        /// The key.
        key: Part,
    },
    /// A name that a certificate cannot bear.
    #[error(
        "a certificate cannot be made out for {name:?}: name a host such as wip.example, or an IP address"
    )]
    Name {
        /// What was given.
        name: String,
    },
    /// The cryptography fails.
    #[error("no certificate or no TLS can be set up ({reason})")]
    Setup {
        /// What it says.
        reason: String,
    },
}

/// What a fault is found in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    kind: &'static str,
    path: Option<std::path::PathBuf>,
}

impl Part {
    pub(crate) fn new(kind: &'static str, path: Option<&std::path::Path>) -> Self {
        Self { kind, path: path.map(Into::into) }
    }

    /// The file, if it is one.
    pub fn path(&self) -> Option<&std::path::Path> {
        self.path.as_deref()
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{} file {}", self.kind, path.display()),
            None => f.write_str(self.kind),
        }
    }
}

pub(crate) fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}
