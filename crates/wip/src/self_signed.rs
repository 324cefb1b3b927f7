//! The certificate of `self-signed`: made once and kept, so that clients which trust it go on trusting it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use worldspace_http::tls::{ServerTls, self_signed};

use crate::config;
use crate::failure::{Failure, all_causes};
use crate::listen::Listen;

/// A certificate is valid for 90 days; after these it is made anew, well before.
const KEPT: Duration = Duration::from_secs(60 * 86_400);

/// For others that have a lock, which takes them a moment, and between two looks at it.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(10);

/// What to show, and the file by which clients come to trust it.
pub(crate) struct Kept {
    pub(crate) tls: ServerTls,
    pub(crate) certificate: PathBuf,
    /// Whether it has no name but those by which clients of this machine come.
    pub(crate) is_for_this_machine: bool,
}

/// The certificate for that address, from the user's state directory.
pub(crate) fn kept_for(listen: &Listen) -> Result<Kept, Failure> {
    let names = names(listen);
    let is_for_this_machine = names.len() == ALWAYS.len();
    let directory = config::state_directory()?.join("wip/self-signed").join(folder(&names));
    let failed = |error: io::Error| {
        Failure::io(format!("cannot keep a certificate in {}", directory.display()), &error)
    };
    // Of two servers that start at once, one makes it and the other finds it.
    let _lock = lock(&directory).map_err(failed)?;
    let (certificate, key) = (directory.join("certificate.pem"), directory.join("key.pem"));
    let about = directory.join("names.txt");
    if is_good(&about, &names)
        && is_private(&key)
        && let Ok(tls) = ServerTls::from_files(&certificate, &key)
    {
        return Ok(Kept { tls, certificate, is_for_this_machine });
    }
    let made = self_signed(&names).map_err(|error| Failure::caused(&error))?;
    // While it is being replaced, the names say that it is not whole.
    let _ = fs::remove_file(&about);
    write(&key, made.key_pem.reveal(), 0o600).map_err(failed)?;
    write(&certificate, &made.certificate_pem, 0o644).map_err(failed)?;
    write(&about, &(seconds().to_string() + "\n" + &names.join("\n") + "\n"), 0o644).map_err(failed)?;
    let tls =
        ServerTls::from_files(&certificate, &key).map_err(|error| Failure::local(all_causes(&error)))?;
    Ok(Kept { tls, certificate, is_for_this_machine })
}

/// By which names clients of the same machine come.
const ALWAYS: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// By which names clients may come.
fn names(listen: &Listen) -> Vec<String> {
    let mut names = ALWAYS.map(str::to_owned).to_vec();
    let ip = listen.address.ip().to_canonical();
    let further = (!ip.is_unspecified()).then(|| ip.to_string());
    for name in further.into_iter().chain(listen.hosts.iter().map(|host| without_port(host))) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The host of `host:port`.
fn without_port(host: &str) -> String {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    };
    name.trim_start_matches('[').trim_end_matches(']').to_owned()
}

/// One for each set of names: `localhost`, or the further names without what no file may be called.
fn folder(names: &[String]) -> String {
    let further = names[ALWAYS.len()..].join(",").replace(':', "_");
    match further.len() {
        0 => "localhost".to_owned(),
        1..=LONGEST => further,
        // Another version of this program may take another folder, and makes its certificate anew.
        _ => {
            let mut hasher = DefaultHasher::new();
            names.hash(&mut hasher);
            format!("{:016x}", hasher.finish())
        }
    }
}

/// Below what file systems take, in bytes.
const LONGEST: usize = 120;

/// Whether what is kept is for these names and young enough.
fn is_good(about: &Path, names: &[String]) -> bool {
    let Ok(text) = fs::read_to_string(about) else { return false };
    let mut lines = text.lines();
    let made = lines.next().and_then(|line| line.parse().ok());
    // A time that has not come is of a clock that was wrong.
    let age = made.and_then(|made| seconds().checked_sub(made));
    age.is_some_and(|age| age < KEPT.as_secs()) && lines.eq(names.iter().map(String::as_str))
}

/// Whether nobody but its owner can have read it.
#[cfg(unix)]
fn is_private(key: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::symlink_metadata(key)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o077 == 0)
}

/// Where permissions are of another kind, they are left to whoever sets them.
#[cfg(not(unix))]
fn is_private(_: &Path) -> bool {
    true
}

fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

fn lock(directory: &Path) -> io::Result<File> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)?;
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(directory.join("lock"))?;
    lock_in_time(&file)?;
    Ok(file)
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
                return Err(io::Error::new(io::ErrorKind::TimedOut, "another process keeps it locked"));
            }
        }
    }
}

/// Replaces a file whole. It never stands there with more permissions than it is to have.
fn write(path: &Path, content: &str, mode: u32) -> io::Result<()> {
    let beside = path.with_extension("new");
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    let mut file = options.open(&beside)?;
    file.write_all(content.as_bytes())?;
    file.sync_all()?;
    fs::rename(&beside, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_by_which_clients_come() {
        let hosts = |hosts: &[&str]| hosts.iter().map(ToString::to_string).collect();
        for (address, further, wanted, at) in [
            ("127.0.0.1:0", vec![], vec![], "localhost"),
            ("[::1]:0", vec![], vec![], "localhost"),
            ("127.0.0.2:0", vec![], vec!["127.0.0.2"], "127.0.0.2"),
            ("0.0.0.0:0", vec![], vec![], "localhost"),
            ("0.0.0.0:0", vec!["garden.example:8420"], vec!["garden.example"], "garden.example"),
            (
                "[2001:db8::1]:0",
                vec!["[2001:db8::2]:1"],
                vec!["2001:db8::1", "2001:db8::2"],
                "2001_db8__1,2001_db8__2",
            ),
        ] {
            let listen =
                Listen { address: address.parse().unwrap(), hosts: hosts(&further), ..Listen::default() };
            let named = names(&listen);
            assert_eq!(named[..3], ALWAYS);
            assert_eq!(named[3..], wanted, "{address}");
            assert_eq!(folder(&named), at);
        }
        let long = vec!["x".repeat(50); 9];
        assert_eq!(folder(&long).len(), 16);
    }

    #[test]
    fn what_is_kept_is_good_for_its_names_and_time() {
        let dir = tempfile::tempdir().unwrap();
        let about = dir.path().join("names.txt");
        let names = ["localhost".to_owned()];
        let day = 86_400;
        for (made, name, good) in [
            (seconds(), "localhost", true),
            (seconds() - 59 * day, "localhost", true),
            (seconds() - 61 * day, "localhost", false),
            (seconds() + day, "localhost", false),
            (seconds(), "localhost\nother", false),
            (seconds(), "other", false),
        ] {
            fs::write(&about, format!("{made}\n{name}\n")).unwrap();
            assert_eq!(is_good(&about, &names), good, "{made} {name}");
        }
        fs::remove_file(&about).unwrap();
        assert!(!is_good(&about, &names));
    }
}
