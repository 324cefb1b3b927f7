//! A file of tokens, looked at with every request, so that what is taken out of it is worth nothing at once.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};
use std::{fmt, mem};

use tokio::sync::{Mutex, OwnedMutexGuard};
use tracing::{info, warn};
use worldspace_model::Principal;

use super::lines::{self, LineFault, Table};
use super::token::Token;
use crate::stamp::Stamp;

/// Room for tens of thousands of tokens.
const MAX_BYTES: u64 = 4 << 20;

/// For the file to be looked at, which takes a moment unless its file system hangs.
const PATIENCE: Duration = Duration::from_secs(5);

/// A file of tokens: one line each, with the name of a principal and the hash of the token; comments begin with `#`.
///
/// A change takes effect with the next request. A file that cannot be read any more, or that has a wrong line, lets
/// nobody in until it is mended. Whoever may write it lets himself in, so it must be writable by its owner alone, and belong
/// to the user that the server runs as, or to root.
pub struct TokenFile {
    path: PathBuf,
    /// Held by the thread that looks at the file for as long as that takes.
    state: Arc<Mutex<State>>,
    /// Whether it was told that this takes too long.
    late: AtomicBool,
}

/// Why a file of tokens cannot be used. Nothing of what stands in it is shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenFileError {
    /// It cannot be read.
    #[error("the file of tokens {} cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It cannot be made or changed.
    #[error("the file of tokens {} cannot be written", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is a directory or a device.
    #[error("{} is no file; name a file of tokens", path.display())]
    NoFile {
        /// What was named.
        path: PathBuf,
    },
    /// It is too large to be one.
    #[error("the file of tokens {} is larger than 4 MiB; take tokens out that nobody uses", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// Others may let themselves in.
    #[error(
        "the file of tokens {} can be written by others than its owner, who could let themselves in with it: \
         run `chmod go-w` on it", path.display()
    )]
    WritableByOthers {
        /// The file.
        path: PathBuf,
    },
    /// It belongs to somebody who may let himself in.
    #[error(
        "the file of tokens {} belongs to somebody else (the user with the number {owner}), who could let himself in \
         with it: it must belong to the user that the server runs as, or to root", path.display()
    )]
    ForeignOwner {
        /// The file.
        path: PathBuf,
        /// The number of its owner.
        owner: u32,
    },
    /// A line of it is wrong.
    #[error("line {line} of the file of tokens {} is wrong: {fault}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Which line, counted from 1.
        line: usize,
        /// What is wrong with it.
        fault: LineFault,
    },
    /// No principal can be called so.
    #[error("no token was made: {}", lines::NAME_RULE)]
    Name,
    /// No token could be made.
    #[error("no token was made")]
    Generate(#[from] super::GenerateError),
}

struct State {
    /// What was read last, if reading it anew can be spared while it looks the same.
    read: Option<Stamp>,
    /// Nobody's, while the file is wrong.
    table: Table,
    /// What was said last about it, so that it is said once.
    told: Told,
}

#[derive(PartialEq)]
enum Told {
    Well { readable_by_others: bool },
    Wrong(String),
}

/// A file as it was read.
pub(super) struct Content {
    pub(super) octets: Vec<u8>,
    pub(super) table: Table,
    stamp: Stamp,
    metadata: Metadata,
}

impl TokenFile {
    /// Reads a file of tokens.
    ///
    /// # Errors
    /// A file that cannot be read, that others may write, that is somebody else's, or that has a wrong line.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, TokenFileError> {
        let path = path.into();
        let mut state =
            State { read: None, table: Table::new(), told: Told::Well { readable_by_others: false } };
        let now = SystemTime::now();
        state.accept(&path, read_own(&path)?, now);
        if state.table.is_empty() {
            warn!(path = %path.display(), "the file of tokens holds none, so nobody is let in");
        }
        Ok(Self { path, state: Arc::new(Mutex::new(state)), late: AtomicBool::new(false) })
    }

    /// Makes a token for a principal, and adds it to the file, which is made if there is none. Only the token's hash is
    /// kept. Whoever reads the file meanwhile finds it as it was or as it will be.
    ///
    /// # Errors
    /// A name that is none, or a file that is wrong or cannot be written.
    pub fn add(path: impl AsRef<Path>, principal: &str) -> Result<Token, TokenFileError> {
        super::add::add(path.as_ref(), principal)
    }

    /// How many tokens of a principal a file holds.
    ///
    /// # Errors
    /// A file that is wrong or cannot be read.
    pub fn count(path: impl AsRef<Path>, principal: &str) -> Result<usize, TokenFileError> {
        let table = read(path.as_ref())?.table;
        Ok(table.values().filter(|known| known.name() == Some(principal)).count())
    }

    /// Whose token that is, by the file as it is now. Nobody's, if the file cannot be looked at within some seconds.
    pub async fn principal_of(&self, token: &Token) -> Option<Principal> {
        let hash = token.hash();
        if let Ok(state) = tokio::time::timeout(PATIENCE, self.look()).await {
            self.late.store(false, Ordering::Relaxed);
            return state?.table.get(&hash).cloned();
        }
        if !self.late.swap(true, Ordering::Relaxed) {
            warn!(path = %self.path.display(), "nobody is let in while the file of tokens cannot be looked at in time");
        }
        None
    }

    /// Looks at the file beside what serves: a file system that hangs keeps one thread, and nothing else.
    async fn look(&self) -> Option<OwnedMutexGuard<State>> {
        let state = self.state.clone().lock_owned().await;
        let (path, now) = (self.path.clone(), SystemTime::now());
        let look = move || {
            let found = read_if_changed(&path, state.read.as_ref());
            (state, found)
        };
        let (mut state, found) = tokio::task::spawn_blocking(look).await.ok()?;
        if let Some((stamp, content)) = found {
            state.take(&self.path, stamp, content, now);
        }
        Some(state)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Debug for TokenFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenFile").field("path", &self.path).finish_non_exhaustive()
    }
}

impl State {
    /// Takes over what was found in the file, whose stamp that was before.
    fn take(
        &mut self,
        path: &Path,
        stamp: Option<Stamp>,
        found: Result<Content, TokenFileError>,
        now: SystemTime,
    ) {
        match found {
            Ok(content) => self.accept(path, content, now),
            Err(error) => {
                // Nor is a wrong one read over and over, which anybody could have it be. What could not be read, as
                // when no descriptor was left, may be the next time, and looks the same then.
                let lasts = !matches!(error, TokenFileError::Read { .. });
                self.read = stamp.filter(|stamp| lasts && stamp.is_settled(now));
                self.refuse(&error);
            }
        }
    }

    fn accept(&mut self, path: &Path, content: Content, now: SystemTime) {
        let Content { table, stamp, metadata, .. } = content;
        let readable_by_others = for_others(&metadata, 0o044);
        self.read = stamp.is_settled(now).then_some(stamp);
        self.table = table;
        let before = mem::replace(&mut self.told, Told::Well { readable_by_others });
        if matches!(before, Told::Wrong(_)) {
            info!(path = %path.display(), "the file of tokens is well again");
        }
        if readable_by_others && before != self.told {
            warn!(
                path = %path.display(),
                "the file of tokens can be read by others: they see whose tokens there are, though no token"
            );
        }
    }

    fn refuse(&mut self, error: &TokenFileError) {
        self.table = Table::new();
        let mut reason = error.to_string();
        if let Some(source) = std::error::Error::source(error) {
            reason = format!("{reason}: {source}");
        }
        let told = Told::Wrong(reason);
        if told != self.told
            && let Told::Wrong(reason) = &told
        {
            warn!(reason, "nobody is let in any more until the file of tokens is mended");
            self.told = told;
        }
    }
}

/// Reads a file unless it looks as it did, and says how it looks.
fn read_if_changed(
    path: &Path,
    known: Option<&Stamp>,
) -> Option<(Option<Stamp>, Result<Content, TokenFileError>)> {
    let stamp = fs::metadata(path).map(|metadata| Stamp::of(&metadata)).ok();
    (known.is_none() || known != stamp.as_ref()).then(|| (stamp, read_own(path)))
}

/// Reads a file whose owner has a say in who is let in.
fn read_own(path: &Path) -> Result<Content, TokenFileError> {
    let content = read(path)?;
    match foreign_owner(&content.metadata) {
        Some(owner) => Err(TokenFileError::ForeignOwner { path: path.to_owned(), owner }),
        None => Ok(content),
    }
}

/// Reads a file whole, whoever's it is.
pub(super) fn read(path: &Path) -> Result<Content, TokenFileError> {
    let unreadable = |source| TokenFileError::Read { path: path.to_owned(), source };
    // Opening a pipe would wait for its other end.
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(TokenFileError::NoFile { path: path.to_owned() });
    }
    let file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if for_others(&metadata, 0o022) {
        return Err(TokenFileError::WritableByOthers { path: path.to_owned() });
    }
    // Before its content, so that a change in between is noticed the next time.
    let stamp = Stamp::of(&metadata);
    let mut octets = Vec::new();
    let length = file.take(MAX_BYTES + 1).read_to_end(&mut octets).map_err(unreadable)?;
    if length as u64 > MAX_BYTES {
        return Err(TokenFileError::TooLarge { path: path.to_owned() });
    }
    let table = lines::read(&octets).map_err(|(line, fault)| TokenFileError::Line {
        path: path.to_owned(),
        line,
        fault,
    })?;
    Ok(Content { octets, table, stamp, metadata })
}

/// Whether others than the owner have one of these permissions.
#[cfg(unix)]
fn for_others(metadata: &Metadata, permissions: u32) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & permissions != 0
}

/// Where permissions are of another kind, they are left to whoever sets them.
#[cfg(not(unix))]
fn for_others(_: &Metadata, _: u32) -> bool {
    false
}

/// The owner, if it is neither the user that this process runs as nor root.
#[cfg(unix)]
fn foreign_owner(metadata: &Metadata) -> Option<u32> {
    let owner = std::os::unix::fs::MetadataExt::uid(metadata);
    let own = rustix::process::geteuid().as_raw();
    (owner != own && owner != 0).then_some(owner)
}

#[cfg(not(unix))]
fn foreign_owner(_: &Metadata) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As it is once some seconds have passed.
    fn later() -> SystemTime {
        SystemTime::now() + Duration::from_secs(60)
    }

    #[tokio::test]
    async fn a_file_that_was_left_alone_is_read_once_and_a_change_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tokens");
        let [alice, bob] = ["alice", "bob"].map(|name| TokenFile::add(&path, name).unwrap());
        let file = TokenFile::open(&path).unwrap();
        assert!(file.state.lock().await.read.is_none(), "a fresh file is read anew each time");

        let settle = async || file.state.lock().await.accept(&path, read(&path).unwrap(), later());
        settle().await;
        file.state.lock().await.table.clear();
        assert_eq!(file.principal_of(&alice).await, None, "it is not read again");
        settle().await;
        assert_eq!(file.principal_of(&alice).await, Some(Principal::new("alice")));
        let text = fs::read_to_string(&path).unwrap();
        let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with("alice")).collect();
        fs::write(&path, kept.join("\n")).unwrap();
        assert_eq!(file.principal_of(&alice).await, None);
        assert_eq!(file.principal_of(&bob).await, Some(Principal::new("bob")));
    }

    #[tokio::test]
    async fn what_is_wrong_with_the_content_stays_so_and_what_is_wrong_with_reading_passes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tokens");
        let alice = TokenFile::add(&path, "alice").unwrap();
        let file = TokenFile::open(&path).unwrap();
        let no_descriptor = io::Error::other("too many open files");
        for (error, lasts) in [
            (TokenFileError::Read { path: path.clone(), source: no_descriptor }, false),
            (TokenFileError::Line { path: path.clone(), line: 1, fault: LineFault::Shape }, true),
        ] {
            let stamp = Stamp::of(&fs::metadata(&path).unwrap());
            let mut state = file.state.lock().await;
            state.take(&path, Some(stamp), Err(error), later());
            assert!(state.table.is_empty(), "nobody is let in meanwhile");
            drop(state);
            assert_eq!(file.principal_of(&alice).await.is_none(), lasts);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_file_system_that_hangs_lets_nobody_in_and_stops_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tokens");
        let alice = TokenFile::add(&path, "alice").unwrap();
        let file = TokenFile::open(&path).unwrap();
        // As a thread that looks at the file holds it.
        let looking = file.state.clone().lock_owned().await;
        for _ in 0..2 {
            assert_eq!(file.principal_of(&alice).await, None);
        }
        drop(looking);
        assert_eq!(file.principal_of(&alice).await, Some(Principal::new("alice")));
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_file_of_somebody_else_lets_nobody_in() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tokens");
        let alice = TokenFile::add(&path, "alice").unwrap();
        let file = TokenFile::open(&path).unwrap();
        assert!(file.principal_of(&alice).await.is_some());
        // Root alone can give a file away.
        if std::os::unix::fs::chown(&path, Some(12345), None).is_err() {
            return;
        }
        let error = TokenFile::open(&path).unwrap_err();
        assert!(matches!(error, TokenFileError::ForeignOwner { owner: 12345, .. }), "{error}");
        assert_eq!(file.principal_of(&alice).await, None);
        // Who adds to it is let in by nobody, and does it for whoever runs the server.
        assert!(TokenFile::add(&path, "bob").is_ok());
        std::os::unix::fs::chown(&path, Some(rustix::process::geteuid().as_raw()), None).unwrap();
        assert!(file.principal_of(&alice).await.is_some());
    }

    #[tokio::test]
    async fn what_is_wrong_is_told_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tokens");
        let token = TokenFile::add(&path, "alice").unwrap();
        let file = TokenFile::open(&path).unwrap();
        let well = fs::read(&path).unwrap();
        let log = Log::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
        let _default = tracing::subscriber::set_default(subscriber);
        for (content, lines) in [(&b"wrong"[..], 1), (b"\nwrong", 2), (&well, 3), (b"wrong", 4)] {
            fs::write(&path, content).unwrap();
            for _ in 0..5 {
                assert_eq!(file.principal_of(&token).await.is_some(), content == &well[..]);
            }
            let logged = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
            assert_eq!(logged.lines().count(), lines, "{logged}");
        }
    }

    #[derive(Clone, Default)]
    struct Log(Arc<std::sync::Mutex<Vec<u8>>>);

    impl io::Write for Log {
        fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(octets);
            Ok(octets.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
}
