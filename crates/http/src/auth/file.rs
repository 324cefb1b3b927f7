//! A file of tokens, looked at with every request, so that what is taken out of it is worth nothing at once.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;
use std::{fmt, mem};

use tracing::{info, warn};
use worldspace_model::Principal;

use super::lines::{self, LineFault, Table};
use super::token::Token;
use crate::stamp::Stamp;

/// Room for tens of thousands of tokens.
const MAX_BYTES: u64 = 4 << 20;

/// A file of tokens: one line each, with the name of a principal and the hash of the token; comments begin with `#`.
///
/// A change takes effect with the next request. A file that cannot be read any more, or that has a wrong line, lets
/// nobody in until it is mended. Whoever may write it lets himself in, so it must be writable by its owner alone.
pub struct TokenFile {
    path: PathBuf,
    state: Mutex<State>,
}

/// Why a file of tokens cannot be used. Nothing of what stands in it is shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenFileError {
    /// It cannot be read.
    #[error("the file of tokens {} cannot be read; `wip token new` makes one", path.display())]
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
    readable_by_others: bool,
}

impl TokenFile {
    /// Reads a file of tokens.
    ///
    /// # Errors
    /// A file that cannot be read, that others may write, or that has a wrong line.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, TokenFileError> {
        let path = path.into();
        let mut state =
            State { read: None, table: Table::new(), told: Told::Well { readable_by_others: false } };
        let now = SystemTime::now();
        state.accept(&path, read(&path)?, now);
        if state.table.is_empty() {
            warn!(path = %path.display(), "the file of tokens holds none, so nobody is let in");
        }
        Ok(Self { path, state: Mutex::new(state) })
    }

    /// Makes a token for a principal, and adds it to the file, which is made if there is none. Only the token's hash is
    /// kept. Whoever reads the file meanwhile finds it as it was or as it will be.
    ///
    /// # Errors
    /// A name that is none, or a file that is wrong or cannot be written.
    pub fn add(path: impl AsRef<Path>, principal: &str) -> Result<Token, TokenFileError> {
        super::add::add(path.as_ref(), principal)
    }

    /// Whose token that is, by the file as it is now.
    pub fn principal_of(&self, token: &Token) -> Option<Principal> {
        let hash = token.hash();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.refresh(&self.path);
        state.table.get(&hash).cloned()
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
    fn refresh(&mut self, path: &Path) {
        let stamp = fs::metadata(path).map(|metadata| Stamp::of(&metadata)).ok();
        if self.read.is_some() && self.read == stamp {
            return;
        }
        let now = SystemTime::now();
        match read(path) {
            Ok(content) => self.accept(path, content, now),
            Err(error) => {
                // Nor is a wrong one read over and over, which anybody could have it be.
                self.read = stamp.filter(|stamp| stamp.is_settled(now));
                self.refuse(&error);
            }
        }
    }

    fn accept(&mut self, path: &Path, content: Content, now: SystemTime) {
        let Content { table, stamp, readable_by_others, .. } = content;
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

/// Reads a file whole.
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
    Ok(Content { octets, table, stamp, readable_by_others: for_others(&metadata, 0o044) })
}

/// Whether others than the owner have one of these permissions.
#[cfg(unix)]
fn for_others(metadata: &fs::Metadata, permissions: u32) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & permissions != 0
}

/// Where permissions are of another kind, they are left to whoever sets them.
#[cfg(not(unix))]
fn for_others(_: &fs::Metadata, _: u32) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_left_alone_is_read_once_and_a_change_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tokens");
        let [alice, bob] = ["alice", "bob"].map(|name| TokenFile::add(&path, name).unwrap());
        let file = TokenFile::open(&path).unwrap();
        assert!(file.state.lock().unwrap().read.is_none(), "a fresh file is read anew each time");

        // As it is once some seconds have passed.
        let later = SystemTime::now() + std::time::Duration::from_secs(60);
        let settle = || file.state.lock().unwrap().accept(&path, read(&path).unwrap(), later);
        settle();
        file.state.lock().unwrap().table.clear();
        assert_eq!(file.principal_of(&alice), None, "it is not read again");
        settle();
        assert_eq!(file.principal_of(&alice), Some(Principal::new("alice")));
        let text = fs::read_to_string(&path).unwrap();
        let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with("alice")).collect();
        fs::write(&path, kept.join("\n")).unwrap();
        assert_eq!(file.principal_of(&alice), None);
        assert_eq!(file.principal_of(&bob), Some(Principal::new("bob")));
    }

    #[test]
    fn what_is_wrong_is_told_once() {
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
                assert_eq!(file.principal_of(&token).is_some(), content == &well[..]);
            }
            let logged = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
            assert_eq!(logged.lines().count(), lines, "{logged}");
        }
    }

    #[derive(Clone, Default)]
    struct Log(std::sync::Arc<Mutex<Vec<u8>>>);

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
