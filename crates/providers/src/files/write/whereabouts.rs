//! Where a thing is now that others may have moved.

use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use cap_std::fs::Dir;

/// How long something is undone against others who go on moving what is there; once takes some microseconds.
pub(super) const UNDOING: Duration = Duration::from_secs(2);

/// The directory in which what is held stands now, and its name there; none where that cannot be told, as when nothing
/// leads to it any more, or when it is not below the root.
#[cfg(target_os = "linux")]
pub(super) fn of(root: &Dir, held: impl AsFd) -> Option<(OwnedFd, Vec<u8>)> {
    use std::os::fd::{AsRawFd, RawFd};

    use crate::files::open;

    let path = |open: RawFd| {
        let link = rustix::fs::readlink(format!("/proc/self/fd/{open}"), Vec::new());
        link.ok().map(std::ffi::CString::into_bytes)
    };
    let (top, path) = (path(root.as_raw_fd())?, path(held.as_fd().as_raw_fd())?);
    let below = path.strip_prefix(top.strip_suffix(b"/").unwrap_or(&top))?.strip_prefix(b"/")?;
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
}
