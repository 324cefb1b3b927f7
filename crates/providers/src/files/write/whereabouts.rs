//! Where a thing is now that others may have moved.

use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;
#[cfg(target_os = "linux")]
use std::time::Instant;

use cap_std::fs::Dir;

#[cfg(target_os = "linux")]
use crate::files::stat::Stat;

/// How long something is undone against others who go on moving what is there; once takes some microseconds.
pub(super) const UNDOING: Duration = Duration::from_secs(2);

/// The directory in which what is held stands now, and its name there; none where that cannot be told, as when nothing
/// leads to it any more, or when it is not below the root.
#[cfg(target_os = "linux")]
pub(super) fn of(root: &Dir, held: impl AsFd) -> Option<(OwnedFd, Vec<u8>)> {
    use crate::files::open;

    let (top, path) = (path(root)?, path(held)?);
    let below = path.strip_prefix(without_slash(&top))?.strip_prefix(b"/")?;
    let mut names = below.split(|byte| *byte == b'/');
    let name = names.next_back()?;
    let mut directory = open::readable(root).ok()?;
    for name in names {
        directory = open::readable_of(&directory, name).ok()??;
    }
    Some((directory, name.to_vec()))
}

/// The system does not tell.
#[cfg(not(target_os = "linux"))]
pub(super) fn of(_: &Dir, _: impl AsFd) -> Option<(OwnedFd, Vec<u8>)> {
    None
}

/// Whether what is held stands in that directory itself; false where that cannot be told.
#[cfg(target_os = "linux")]
pub(super) fn is_in(directory: &Dir, held: impl AsFd) -> bool {
    let end = Instant::now() + UNDOING;
    while Instant::now() < end {
        let (Some(before), Some(path), Some(after)) = (path(directory), path(&held), path(directory)) else {
            return false;
        };
        // The directory may be moved while it is looked at.
        if before == after {
            let is_there = Stat::of(&held).is_ok_and(|stat| stat.links > 0);
            let above = path.iter().rposition(|byte| *byte == b'/').and_then(|slash| path.get(..slash));
            return is_there && above == Some(without_slash(&before));
        }
    }
    false
}

/// The system does not tell.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_in(_: &Dir, _: impl AsFd) -> bool {
    false
}

/// The path of what is held, as the system follows it wherever it is moved.
#[cfg(target_os = "linux")]
fn path(held: impl AsFd) -> Option<Vec<u8>> {
    use std::os::fd::AsRawFd;

    let link = rustix::fs::readlink(format!("/proc/self/fd/{}", held.as_fd().as_raw_fd()), Vec::new());
    link.ok().map(std::ffi::CString::into_bytes)
}

/// The root of all is the only directory whose path ends with a slash.
#[cfg(target_os = "linux")]
fn without_slash(path: &[u8]) -> &[u8] {
    path.strip_suffix(b"/").unwrap_or(path)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use cap_std::ambient_authority;

    use super::*;

    #[test]
    fn a_file_is_found_wherever_it_is_moved_below_the_root() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::create_dir_all(at("root/d/e")).unwrap();
        std::fs::create_dir_all(at("root-beside")).unwrap();
        let file = std::fs::File::create(at("root/f")).unwrap();
        let root = Dir::open_ambient_dir(at("root"), ambient_authority()).unwrap();
        let name = || of(&root, &file).map(|(_, name)| String::from_utf8(name).unwrap());
        assert_eq!(name().as_deref(), Some("f"));
        std::fs::rename(at("root/f"), at("root/d/e/g")).unwrap();
        let (found, name_there) = of(&root, &file).unwrap();
        let here = rustix::fs::fstat(found).unwrap().st_ino;
        assert_eq!(
            (name_there.as_slice(), here),
            (&b"g"[..], rustix::fs::stat(at("root/d/e")).unwrap().st_ino)
        );
        std::fs::rename(at("root/d/e/g"), at("root-beside/g")).unwrap();
        assert_eq!(name(), None);
        std::fs::remove_file(at("root-beside/g")).unwrap();
        assert_eq!(name().as_deref(), None);
    }

    #[test]
    fn a_file_is_in_the_directory_that_names_it_and_in_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::create_dir_all(at("d/e")).unwrap();
        let file = std::fs::File::create(at("d/f")).unwrap();
        let open = |name: &str| Dir::open_ambient_dir(at(name), ambient_authority()).unwrap();
        let (d, e) = (open("d"), open("d/e"));
        let check = |in_d: bool, in_e: bool| assert_eq!((is_in(&d, &file), is_in(&e, &file)), (in_d, in_e));
        check(true, false);
        std::fs::rename(at("d/f"), at("d/e/g")).unwrap();
        check(false, true);
        std::fs::rename(at("d"), at("h")).unwrap();
        check(false, true);
        std::fs::remove_file(at("h/e/g")).unwrap();
        check(false, false);
    }
}
