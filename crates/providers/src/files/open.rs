//! The only places where anything is opened: the root by the operator's own path, all else by one name in a directory
//! that is open already and never through a link, so that no path, link or race leads out of the root.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use rustix::fs::{Mode, OFlags};
use worldspace_model::Segment;

use super::failure::is_absence;
use super::names::Names;
use super::stat::{Kind, Place, Stat};

/// Opens the directory at the operator's path, which may be a link only if it was said to be one.
pub(super) fn root(path: &Path, linked: bool) -> io::Result<Dir> {
    // What may be passed through but not read is served as far as that goes.
    #[cfg(target_os = "linux")]
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::PATH;
    #[cfg(not(target_os = "linux"))]
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let follow = if linked { OFlags::empty() } else { OFlags::NOFOLLOW };
    let opened = rustix::fs::open(path, flags | follow, Mode::empty())?;
    Ok(Dir::from_std_file(std::fs::File::from(opened)))
}

/// Whether a directory that is open was removed, and with it everything in it.
pub(super) fn is_removed(directory: &Dir) -> bool {
    match Stat::of(directory) {
        Ok(stat) if stat.links == 0 => true,
        // Some filesystems count one name for each directory, for those that were removed as well.
        Ok(stat) if stat.links == 1 => is_dead(directory),
        Ok(_) => false,
        Err(error) => error.kind() == io::ErrorKind::StaleNetworkFileHandle,
    }
}

/// Whether the system refuses to read a directory because it was removed.
#[cfg(target_os = "linux")]
fn is_dead(directory: &Dir) -> bool {
    let Ok(handle) = readable(directory) else { return false };
    let mut buffer = [const { std::mem::MaybeUninit::uninit() }; 1024];
    let first = rustix::fs::RawDir::new(handle, &mut buffer).next().map(|entry| entry.err());
    matches!(first, Some(Some(rustix::io::Errno::NOENT)))
}

/// Whether the system refuses to read a directory because it was removed.
#[cfg(not(target_os = "linux"))]
fn is_dead(_: &Dir) -> bool {
    false
}

/// Opens a directory in a directory.
pub(super) fn directory(parent: &Dir, name: &Segment) -> io::Result<Dir> {
    parent.open_dir_nofollow(name.as_str())
}

/// A handle that can be read, locked and synchronised, where the other may only name the directory. It has a position
/// of its own, and is the directory itself, whatever became of its name.
pub(super) fn readable(directory: &Dir) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(directory, ".", flags, Mode::empty())?)
}

/// As [`readable`], of what stands under a name, whatever bytes it has, if that is a directory.
pub(super) fn readable_of(parent: impl AsFd, name: &[u8]) -> io::Result<Option<OwnedFd>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::openat(parent, name, flags, Mode::empty()).map_err(io::Error::from) {
        Ok(directory) => Ok(Some(directory)),
        Err(error) if is_absence(&error) => Ok(None),
        Err(error) => Err(error),
    }
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

    #[test]
    fn a_directory_that_was_removed_is_told_from_an_empty_or_a_moved_one() {
        let parent = tempfile::tempdir().unwrap();
        let place = |name: &str| parent.path().join(name);
        std::fs::create_dir(place("d")).unwrap();
        let open = root(&place("d"), false).unwrap();
        let check = |removed: bool, what: &str| {
            assert_eq!(is_removed(&open), removed, "{what}");
            // Where the number of names tells nothing.
            assert_eq!(is_dead(&open), removed && cfg!(target_os = "linux"), "{what}");
        };
        check(false, "empty");
        std::fs::write(place("d").join("x".repeat(255)), "").unwrap();
        check(false, "with a name");
        std::fs::rename(place("d"), place("e")).unwrap();
        check(false, "moved");
        std::fs::remove_dir_all(place("e")).unwrap();
        check(true, "removed");
        std::fs::create_dir(place("d")).unwrap();
        check(true, "with another in its place");
    }

    #[test]
    fn a_root_is_reached_through_a_link_only_where_the_operator_named_one() {
        let parent = tempfile::tempdir().unwrap();
        let place = |name: &str| parent.path().join(name);
        std::fs::create_dir(place("d")).unwrap();
        std::os::unix::fs::symlink("d", place("link")).unwrap();
        assert!(root(&place("d"), false).is_ok() && root(&place("link"), true).is_ok());
        assert!(root(&place("link"), false).is_err());
    }

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
