//! The names in a directory, one by one in the filesystem's order, from any place in it.
//!
//! A place is what the filesystem itself calls one (`d_off`), so that going on there costs the same wherever it is.
//! Where the system has no such places that outlive an open directory, a place is a count of names to pass over.

use std::io;

use cap_std::fs::Dir;
use worldspace_model::Segment;

use super::open;
use super::stat::Kind;

/// Reads a directory.
pub(super) struct Names {
    open: rustix::fs::Dir,
    #[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
    passed: i64,
}

/// A name as it stands in its directory.
#[derive(Debug)]
pub(super) struct RawName {
    bytes: Box<[u8]>,
    /// Its kind, where the directory states it.
    pub(super) kind: Option<Kind>,
    /// The place right behind it.
    pub(super) behind: i64,
}

impl Names {
    /// From the first name on.
    pub(super) fn read(directory: &Dir) -> io::Result<Self> {
        let handle = open::readable(directory)?;
        Ok(Self {
            open: rustix::fs::Dir::new(handle)?,
            #[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
            passed: 0,
        })
    }

    /// From a place on.
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    pub(super) fn read_behind(directory: &Dir, place: i64) -> io::Result<Self> {
        let mut names = Self::read(directory)?;
        names.open.seek(place)?;
        Ok(names)
    }

    /// From a place on.
    #[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
    pub(super) fn read_behind(directory: &Dir, place: i64) -> io::Result<Self> {
        let mut names = Self::read(directory)?;
        while names.passed < place && names.next().transpose()?.is_some() {}
        Ok(names)
    }
}

impl Iterator for Names {
    type Item = io::Result<RawName>;

    fn next(&mut self) -> Option<io::Result<RawName>> {
        loop {
            let entry = match self.open.next()? {
                Ok(entry) => entry,
                Err(error) => return Some(Err(error.into())),
            };
            let bytes = entry.file_name().to_bytes();
            #[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
            {
                self.passed += 1;
            }
            if bytes == b"." || bytes == b".." {
                continue;
            }
            #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
            let behind = entry.offset();
            #[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
            let behind = self.passed;
            return Some(Ok(RawName { bytes: bytes.into(), kind: Kind::stated(entry.file_type()), behind }));
        }
    }
}

impl RawName {
    /// As filesystems give it that state no kinds.
    #[cfg(test)]
    pub(super) fn unstated(name: &str) -> Self {
        Self { bytes: name.as_bytes().into(), kind: None, behind: 0 }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The name as a segment; none where it is not UTF-8, since an entry would have to rewrite it.
    pub(super) fn segment(&self) -> Option<Segment> {
        Segment::parse(std::str::from_utf8(&self.bytes).ok()?).ok()
    }
}
