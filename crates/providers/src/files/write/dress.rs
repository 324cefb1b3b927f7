//! A new file that takes the place of another gets its owner, its permissions and its attributes.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;

use rustix::fs::{Gid, Mode, RawMode, Uid, XattrFlags, fchmod, fchown, fgetxattr, flistxattr, fsetxattr};
use rustix::io::Errno;

/// Kept by the system itself, which knows what a new file is to get.
const OF_THE_SYSTEM: &[u8] = b"security.";
/// The longest list and the longest value of attributes on Linux.
const LONGEST: usize = 64 << 10;

/// What lets a program run as its owner or group. As with every write, it does not outlive the content.
const RUNS_AS_OTHERS: u32 = 0o6000;

/// Makes a file like another in everything but its content.
///
/// # Errors
/// Owner, access rules or another attribute cannot be kept: the file would become readable to others, or mean less.
pub(super) fn like(new: &File, old: &File) -> io::Result<()> {
    let (was, is) = (old.metadata()?, new.metadata()?);
    if (was.uid(), was.gid()) != (is.uid(), is.gid()) {
        fchown(new, Some(Uid::from_raw(was.uid())), Some(Gid::from_raw(was.gid())))?;
    }
    #[allow(clippy::unnecessary_cast, reason = "raw modes are narrower on some systems")]
    fchmod(new, Mode::from_raw_mode((was.mode() & 0o7777 & !RUNS_AS_OTHERS) as RawMode))?;
    attributes(new, old)
}

fn attributes(new: &File, old: &File) -> io::Result<()> {
    let mut names = Vec::with_capacity(LONGEST);
    match flistxattr(old, rustix::buffer::spare_capacity(&mut names)) {
        Ok(_) => {}
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(()),
        Err(error) => return Err(error.into()),
    }
    let mut value = Vec::with_capacity(LONGEST);
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        if name.starts_with(OF_THE_SYSTEM) {
            continue;
        }
        value.clear();
        let copied = fgetxattr(old, name, rustix::buffer::spare_capacity(&mut value))
            .and_then(|_| fsetxattr(new, name, &value, XattrFlags::empty()));
        match copied {
            // Gone since the names were read.
            Ok(()) | Err(Errno::NODATA) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
