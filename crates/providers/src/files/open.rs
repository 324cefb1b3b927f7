//! The only places where anything is opened: always one name in a directory that is open already, never through a
//! link, so that no path, link or race leads out of the root.

use std::io;
use std::os::fd::OwnedFd;

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use rustix::fs::OFlags;
use worldspace_model::Segment;

use super::names::Names;
use super::stat::{Kind, Place, Stat};

/// Opens a directory in a directory.
pub(super) fn directory(parent: &Dir, name: &Segment) -> io::Result<Dir> {
    parent.open_dir_nofollow(name.as_str())
}

/// Opens a file in a directory, with the snapshot of what was opened.
///
/// Whoever puts a pipe under the name of what was a file a moment ago makes nobody wait: it is opened without waiting
/// for its other end, seen to be no file, and closed.
pub(super) fn file(parent: &Dir, name: &Segment) -> io::Result<(std::fs::File, Stat)> {
    let opened = with_flags(parent, name, OFlags::NONBLOCK | OFlags::NOCTTY)?;
    let stat = Stat::of(&opened)?;
    if stat.kind != Kind::File {
        return Err(io::Error::from(io::ErrorKind::NotFound));
    }
    Ok((opened, stat))
}

/// Holds what stands under a name without opening it: as long as it is held, its place is nobody else's.
#[cfg(target_os = "linux")]
pub(super) fn hold(parent: &Dir, name: &Segment) -> io::Result<OwnedFd> {
    with_flags(parent, name, OFlags::PATH).map(OwnedFd::from)
}

/// Holding without opening is not possible here.
#[cfg(not(target_os = "linux"))]
pub(super) fn hold(_: &Dir, _: &Segment) -> io::Result<OwnedFd> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

fn with_flags(parent: &Dir, name: &Segment, flags: OFlags) -> io::Result<std::fs::File> {
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).custom_flags(flags.bits() as i32);
    Ok(parent.open_with(name.as_str(), &options)?.into_std())
}

/// Whether a name that the filesystem found is the one that stands in the directory, to the byte. A filesystem may find
/// names whose case or Unicode form differs; as entries they are different names, and only the real one is there.
///
/// Most filesystems do no such thing. Looking up the other case tells: it finds nothing, or something else. For Unicode
/// forms there is no such question to ask, so `folds` says whether the filesystem is known to do no such thing.
pub(super) fn is_spelled(parent: &Dir, name: &Segment, found: Place, folds: bool) -> io::Result<bool> {
    let text = name.as_str();
    let other = swap_case(text);
    let finds_other = || {
        let other = Segment::parse(&other);
        other.is_ok_and(|other| Stat::at(parent, &other).is_ok_and(|stat| stat.place == found))
    };
    let suspect = (folds && !text.is_ascii()) || (other != text && finds_other());
    if !suspect {
        return Ok(true);
    }
    for raw in Names::read(parent)? {
        if raw?.bytes() == text.as_bytes() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn swap_case(text: &str) -> String {
    let swap = |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    text.chars().map(swap).collect()
}

#[cfg(test)]
mod tests {
    use cap_std::ambient_authority;

    use super::*;

    /// A filesystem that finds names by another spelling is played by one file with two names.
    #[test]
    fn a_name_that_is_found_by_another_spelling_is_not_there() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["Case", "cASE", "é", "plain"] {
            std::fs::write(directory.path().join(name), "").unwrap();
        }
        std::fs::remove_file(directory.path().join("cASE")).unwrap();
        std::fs::hard_link(directory.path().join("Case"), directory.path().join("cASE")).unwrap();
        let open = Dir::open_ambient_dir(directory.path(), ambient_authority()).unwrap();
        let place = |name: &str| Stat::at(&open, &Segment::parse(name).unwrap()).unwrap().place;
        let check = |name: &str, found: &str, folds: bool, spelled: bool| {
            let name = Segment::parse(name).unwrap();
            assert_eq!(is_spelled(&open, &name, place(found), folds).unwrap(), spelled, "{name} {found}");
        };
        check("Case", "Case", true, true);
        check("cASE", "Case", true, true);
        check("é", "é", true, true);
        check("plain", "plain", true, true);
        // Found, but under a name that does not stand in the directory.
        check("e\u{301}", "é", true, false);
        std::fs::remove_file(directory.path().join("cASE")).unwrap();
        check("PLAIN", "plain", true, false);
    }
}
