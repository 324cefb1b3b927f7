//! A new token in a file of tokens. The file is replaced whole, so that no reader finds half a line.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use tracing::warn;

use super::file::{self, TokenFileError};
use super::lines;
use super::token::Token;

/// For others that have a lock, which takes them a moment, and between two looks at it.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(10);

pub(super) fn add(path: &Path, principal: &str) -> Result<Token, TokenFileError> {
    if !lines::is_name(principal) {
        return Err(TokenFileError::Name);
    }
    let token = Token::generate()?;
    let unwritable = |source| TokenFileError::Write { path: path.to_owned(), source };
    let (path, locked) = lock(path).map_err(unwritable)?;
    let mut octets = file::read(&path)?.octets;
    if !octets.is_empty() && !octets.ends_with(b"\n") {
        octets.push(b'\n');
    }
    octets.extend_from_slice(lines::line(principal, &token.hash()).as_bytes());
    replace(&path, &locked, &octets).map_err(unwritable)?;
    Ok(token)
}

/// The file, made if there is none, and locked against others that add to it: of two at once, one would undo the other.
/// Readers take no lock, so that nobody can keep a server from reading.
fn lock(path: &Path) -> io::Result<(PathBuf, File)> {
    match create(path) {
        Ok(mut file) => file.write_all(lines::HEAD.as_bytes())?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    // A link is followed, rather than replaced by what it leads to.
    let path = fs::canonicalize(path)?;
    loop {
        if !fs::metadata(&path)?.is_file() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "it is no file"));
        }
        let file = File::open(&path)?;
        lock_in_time(&file)?;
        // Another may have replaced it while this one waited.
        if is_same(&file, &path)? {
            return Ok((path, file));
        }
    }
}

/// Waits until nobody else has it, but not for good: a process that was stopped may have it, or anybody who may read it.
fn lock_in_time(file: &File) -> io::Result<()> {
    let end = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(ErrorKind::TimedOut, "another process keeps it locked"));
            }
        }
    }
}

fn replace(path: &Path, locked: &File, octets: &[u8]) -> io::Result<()> {
    let metadata = locked.metadata()?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(name);
    // Of a process of the same number that broke off; who holds the lock is the only one.
    let _ = fs::remove_file(&beside);
    let written = create(&beside).and_then(|mut file| {
        file.write_all(octets)?;
        keep_owner(&file, &metadata)?;
        file.set_permissions(metadata.permissions())?;
        file.sync_all()?;
        fs::rename(&beside, path)
    });
    if written.is_err() {
        // Nothing better can be said than what went wrong first.
        let _ = fs::remove_file(&beside);
    }
    written?;
    // The token is in the file and must be shown, even if it may be gone once the power fails.
    if let Err(error) = sync_directory(path) {
        warn!(path = %path.display(), %error, "the directory of the file of tokens cannot be synced");
    }
    Ok(())
}

/// A new file that its owner alone may read and write.
fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let (held, found) = (file.metadata()?, fs::metadata(path)?);
    Ok((held.dev(), held.ino()) == (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn is_same(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

/// A token that the administrator adds must not lock out a server that runs as somebody else.
#[cfg(unix)]
fn keep_owner(file: &File, before: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let now = file.metadata()?;
    if (now.uid(), now.gid()) == (before.uid(), before.gid()) {
        return Ok(());
    }
    std::os::unix::fs::fchown(file, Some(before.uid()), Some(before.gid()))
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn sync_directory(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(directory) => File::open(directory)?.sync_all(),
        None => Ok(()),
    }
}

#[cfg(not(unix))]
fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}
