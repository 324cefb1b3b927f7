//! A new file that takes the place of another gets its owner, its permissions and its attributes.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;

use rustix::fs::{Gid, Mode, RawMode, Uid, XattrFlags, fchmod, fchown, fgetxattr, flistxattr, fsetxattr};
use rustix::io::Errno;

/// Labels and capabilities are kept by the system itself, which knows what a new file is to get.
const OF_THE_SYSTEM: &[u8] = b"security.";
/// The longest list and the longest value of attributes on Linux.
const LONGEST: usize = 64 << 10;
/// What lets a program run as its owner or group. As with every write, it does not outlive the content.
const RUNS_AS_OTHERS: u32 = 0o6000;

/// What a file has besides its content.
#[derive(PartialEq, Eq)]
pub(super) struct Dress {
    owner: u32,
    group: u32,
    mode: u32,
    /// Names and values, access rules among them.
    attributes: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Dress {
    pub(super) fn of(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        let mode = metadata.mode() & 0o7777 & !RUNS_AS_OTHERS;
        let mut attributes = attributes(file)?;
        attributes.sort_unstable();
        Ok(Self { owner: metadata.uid(), group: metadata.gid(), mode, attributes })
    }

    /// Gives all of it to a new file.
    ///
    /// # Errors
    /// A part of it cannot be kept: the file would become readable to others, or mean less.
    pub(super) fn put_on(&self, new: &File) -> io::Result<()> {
        let is = new.metadata()?;
        if (self.owner, self.group) != (is.uid(), is.gid()) {
            fchown(new, Some(Uid::from_raw(self.owner)), Some(Gid::from_raw(self.group)))?;
        }
        #[allow(clippy::unnecessary_cast, reason = "raw modes are narrower on some systems")]
        fchmod(new, Mode::from_raw_mode(self.mode as RawMode))?;
        for (name, value) in &self.attributes {
            fsetxattr(new, name.as_slice(), value, XattrFlags::empty())?;
        }
        Ok(())
    }
}

fn attributes(file: &File) -> io::Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let mut names = Vec::with_capacity(LONGEST);
    match flistxattr(file, rustix::buffer::spare_capacity(&mut names)) {
        Ok(_) => {}
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    }
    let mut found = Vec::new();
    for name in names.split(|byte| *byte == 0) {
        if name.is_empty() || name.starts_with(OF_THE_SYSTEM) {
            continue;
        }
        let mut value = Vec::with_capacity(LONGEST);
        match fgetxattr(file, name, rustix::buffer::spare_capacity(&mut value)) {
            Ok(_) => found.push((name.to_vec(), value)),
            // Gone since the names were read.
            Err(Errno::NODATA) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(found)
}
