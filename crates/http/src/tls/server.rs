//! What a server shows: a certificate and its key, from files that may be replaced while it runs.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{Error, InconsistentKeys};
use sha2::{Digest as _, Sha256};
use tracing::{info, warn};

use super::pem::{self, PemFault};
use super::worry::worries;
use super::{PROTOCOLS, Part, TlsError, VERSIONS, provider};
use crate::stamp::Stamp;

/// How often files are looked at, at most.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// How long a handshake waits for that; it goes on with what was shown before.
const PATIENCE: Duration = Duration::from_secs(1);

/// Far more than any chain of certificates.
const MAX_BYTES: u64 = 1 << 20;

/// A certificate, with those of its issuers behind it, and its private key.
#[derive(Clone)]
pub struct ServerTls(Arc<Shown>);

struct Shown {
    files: Option<Files>,
    /// Never held while files are looked at.
    state: Mutex<State>,
}

struct Files {
    certificate: PathBuf,
    key: PathBuf,
}

struct State {
    config: Arc<rustls::ServerConfig>,
    /// What the files looked like when they were read; nothing if that cannot be relied on.
    read: Option<Pair>,
    digest: Digest,
    looked: Instant,
    /// Whether a thread looks at the files just now.
    looking: bool,
    /// What was wrong with the files at last, so that it is said once.
    told: Option<String>,
}

/// Tells what was read from what was read before.
type Digest = [u8; 32];

struct Loaded {
    config: Arc<rustls::ServerConfig>,
    read: Option<Pair>,
    digest: Digest,
    worries: Vec<&'static str>,
}

#[derive(Clone, PartialEq)]
struct Pair {
    certificate: Stamp,
    key: Stamp,
}

impl ServerTls {
    /// Reads a certificate and its key from files in PEM. If they are replaced, connections that come a second later see
    /// the new ones; as long as those are broken or do not fit, or cannot be read in time, the old ones are kept.
    ///
    /// # Errors
    /// Files that cannot be read or hold something else, or a key that does not fit.
    pub fn from_files(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let files = Files { certificate: certificate.to_owned(), key: key.to_owned() };
        let loaded = files.load()?;
        files.warn(&loaded.worries);
        Ok(Self::new(loaded, Some(files)))
    }

    /// Takes a certificate and its key in PEM.
    ///
    /// # Errors
    /// Texts that hold something else, or a key that does not fit.
    pub fn from_pem(certificate: &[u8], key: &[u8]) -> Result<Self, TlsError> {
        let config = config((certificate, Part::new(CERTIFICATE, None)), (key, Part::new(KEY, None)))?;
        Ok(Self::new(Loaded { config, read: None, digest: Digest::default(), worries: Vec::new() }, None))
    }

    fn new(Loaded { config, read, digest, .. }: Loaded, files: Option<Files>) -> Self {
        let state = State { config, read, digest, looked: Instant::now(), looking: false, told: None };
        Self(Arc::new(Shown { files, state: Mutex::new(state) }))
    }

    /// What the next connection is shown. The files are looked at beside what serves: where their file system hangs, that
    /// keeps one thread, and the old ones are shown.
    pub(crate) async fn current(&self) -> Arc<rustls::ServerConfig> {
        if self.is_due() {
            let shown = self.0.clone();
            let looking = tokio::task::spawn_blocking(move || shown.look());
            // What became of it is in the state.
            let _ = tokio::time::timeout(PATIENCE, looking).await;
        }
        self.0.state().config.clone()
    }

    /// Whether the files are to be looked at, by whoever asks.
    fn is_due(&self) -> bool {
        let mut state = self.0.state();
        let due = self.0.files.is_some() && !state.looking && state.looked.elapsed() >= LOOK_AGAIN;
        state.looking |= due;
        due
    }
}

impl Shown {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look(&self) {
        let Some(files) = &self.files else { return };
        let known = self.state().read.clone();
        let found = (known.is_none() || known != files.stamps()).then(|| files.load_again());
        let mut state = self.state();
        if let Some(found) = found {
            state.take(files, found);
        }
        (state.looking, state.looked) = (false, Instant::now());
    }
}

/// Neither the certificate nor the key.
impl fmt::Debug for ServerTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("ServerTls");
        if let Some(files) = &self.0.files {
            shown.field("certificate", &files.certificate).field("key", &files.key);
        }
        shown.finish_non_exhaustive()
    }
}

impl State {
    fn take(&mut self, files: &Files, found: Result<Loaded, TlsError>) {
        match found {
            Ok(Loaded { config, read, digest, worries }) => {
                (self.read, self.told) = (read, None);
                // What is the same keeps the sessions that clients may take up again.
                if self.digest != digest {
                    (self.config, self.digest) = (config, digest);
                    info!(certificate = %files.certificate.display(), "the certificate was replaced");
                    files.warn(&worries);
                }
            }
            Err(error) => {
                self.read = None;
                let mut reason = error.to_string();
                if let Some(source) = std::error::Error::source(&error) {
                    reason = format!("{reason}: {source}");
                }
                if self.told.as_ref() != Some(&reason) {
                    warn!(
                        reason,
                        "the certificate was replaced by one that cannot be used; the old one is kept"
                    );
                    self.told = Some(reason);
                }
            }
        }
    }
}

const CERTIFICATE: &str = "certificate";
const KEY: &str = "private key";

impl Files {
    fn warn(&self, worries: &[&str]) {
        for worry in worries {
            let (certificate, key) = (self.certificate.display(), self.key.display());
            warn!(%certificate, %key, "{worry}");
        }
    }

    fn stamps(&self) -> Option<Pair> {
        let stamp = |path| fs::metadata(path).map(|metadata| Stamp::of(&metadata)).ok();
        Some(Pair { certificate: stamp(&self.certificate)?, key: stamp(&self.key)? })
    }

    /// As [`Self::load`], but of files alone: at the start a pipe is read, later nobody may be at its other end.
    fn load_again(&self) -> Result<Loaded, TlsError> {
        for (kind, path) in [(CERTIFICATE, &self.certificate), (KEY, &self.key)] {
            if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
                let source = io::Error::new(io::ErrorKind::InvalidInput, "it is no file any more");
                return Err(TlsError::Read { part: Part::new(kind, Some(path)), source });
            }
        }
        self.load()
    }

    fn load(&self) -> Result<Loaded, TlsError> {
        let now = SystemTime::now();
        // Before their contents, so that a change in between is noticed the next time.
        let stamps = self.stamps();
        let read = |part: Part, path: &Path| match read(path) {
            Ok(octets) => Ok((octets, part)),
            Err(source) => Err(TlsError::Read { part, source }),
        };
        let certificate = read(Part::new(CERTIFICATE, Some(&self.certificate)), &self.certificate)?;
        let key = read(Part::new(KEY, Some(&self.key)), &self.key)?;
        let digest = Sha256::new().chain_update(&certificate.0).chain_update(&key.0).finalize().into();
        let config = config((&certificate.0, certificate.1), (&key.0, key.1))?;
        let settled = |pair: &Pair| pair.certificate.is_settled(now) && pair.key.is_settled(now);
        let leaf = pem::certificates(&certificate.0).ok().and_then(|chain| chain.into_iter().next());
        let metadata = fs::metadata(&self.key).ok();
        let worries = leaf.map_or_else(Vec::new, |leaf| worries(&leaf, metadata.as_ref()));
        Ok(Loaded { config, read: stamps.filter(settled), digest, worries })
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut octets = Vec::new();
    let length = File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut octets)?;
    match length as u64 > MAX_BYTES {
        true => Err(io::Error::new(io::ErrorKind::InvalidData, "it is larger than 1 MiB")),
        false => Ok(octets),
    }
}

/// What rustls makes of a certificate and its key.
fn config(
    (certificate, certificate_part): (&[u8], Part),
    (key, key_part): (&[u8], Part),
) -> Result<Arc<rustls::ServerConfig>, TlsError> {
    let chain = match pem::certificates(certificate) {
        Ok(chain) => chain,
        Err(PemFault::Broken) => return Err(TlsError::NoPem { part: certificate_part }),
        Err(_) => return Err(TlsError::NoCertificate { part: certificate_part }),
    };
    let key = match pem::key(key) {
        Ok(key) => key,
        Err(PemFault::Broken) => return Err(TlsError::NoPem { part: key_part }),
        Err(PemFault::Missing) => return Err(TlsError::NoKey { part: key_part }),
        Err(PemFault::Encrypted) => return Err(TlsError::EncryptedKey { part: key_part }),
    };
    let certified = certified(chain, key, certificate_part, key_part)?;
    let setup = |error: Error| TlsError::Setup { reason: error.to_string() };
    let mut config = rustls::ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&VERSIONS)
        .map_err(setup)?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(certified)));
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
    Ok(Arc::new(config))
}

fn certified(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    certificate_part: Part,
    key_part: Part,
) -> Result<CertifiedKey, TlsError> {
    let key = provider()
        .key_provider
        .load_private_key(key)
        .map_err(|_| TlsError::UnusableKey { part: key_part.clone() })?;
    let certified = CertifiedKey::new(chain, key);
    match certified.keys_match() {
        Ok(()) | Err(Error::InconsistentKeys(InconsistentKeys::Unknown)) => Ok(certified),
        Err(Error::InconsistentKeys(_)) => {
            Err(TlsError::Mismatch { certificate: certificate_part, key: key_part })
        }
        Err(_) => Err(TlsError::UnusableCertificate { part: certificate_part }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::self_signed;
    use super::*;

    /// Looks at the files as if a second had passed, and says whether something else is shown.
    async fn changes(tls: &ServerTls) -> bool {
        let before = tls.0.state().config.clone();
        tls.0.state().looked = Instant::now() - LOOK_AGAIN;
        !Arc::ptr_eq(&before, &tls.current().await)
    }

    #[tokio::test]
    async fn a_pair_that_cannot_be_used_keeps_the_one_before_it() {
        let directory = tempfile::tempdir().unwrap();
        let (certificate, key) = (directory.path().join("certificate"), directory.path().join("key"));
        let [old, new] = [(); 2].map(|()| self_signed(&["localhost".to_owned()]).unwrap());
        fs::write(&certificate, &old.certificate_pem).unwrap();
        fs::write(&key, old.key_pem.reveal()).unwrap();
        let tls = ServerTls::from_files(&certificate, &key).unwrap();
        assert!(!changes(&tls).await, "the same files");

        fs::write(&certificate, &new.certificate_pem).unwrap();
        assert!(!changes(&tls).await, "its key is yet to come");
        let told = || tls.0.state().told.clone();
        let first = told().unwrap();
        assert!(first.contains("does not fit"), "{first}");
        fs::remove_file(&key).unwrap();
        assert!(!changes(&tls).await && told().unwrap().contains("cannot be read"));

        // Nobody writes into it, and nothing is without end.
        #[cfg(unix)]
        {
            assert!(std::process::Command::new("mkfifo").arg(&key).status().unwrap().success());
            assert!(!changes(&tls).await && told().unwrap().contains("no file any more"));
            fs::remove_file(&key).unwrap();
        }
        fs::write(&key, vec![b'x'; 1 << 21]).unwrap();
        assert!(!changes(&tls).await && told().unwrap().contains("larger than 1 MiB"));

        fs::write(&key, new.key_pem.reveal()).unwrap();
        tls.0.state().looking = true;
        assert!(!changes(&tls).await, "as long as a thread hangs there, nobody else waits for the files");
        tls.0.state().looking = false;
        assert!(changes(&tls).await, "the new pair is whole");
        assert_eq!(told(), None);
        assert!(!changes(&tls).await, "and is not taken twice");
        let shown = format!("{tls:?}");
        assert!(shown.contains("certificate") && !shown.contains("BEGIN"), "{shown}");
    }
}
