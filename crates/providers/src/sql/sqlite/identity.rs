//! Which file stands at a path, so that one that was put in its place is noticed.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Tells a file from every other one that stood at its path, as far as the file system does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileIdentity {
    device: u64,
    inode: u64,
    /// Inode numbers are given out again; times of birth are not, where there are any.
    born: Option<Duration>,
}

impl FileIdentity {
    /// By its metadata alone: to open and close the file would let go of every lock that this process has on it.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let metadata = std::fs::metadata(path)?;
        let born = metadata.created().ok().and_then(|born| born.duration_since(SystemTime::UNIX_EPOCH).ok());
        Ok(Self { device: metadata.dev(), inode: metadata.ino(), born })
    }

    pub(super) fn add_to(&self, digest: &mut blake3::Hasher) {
        let born = self.born.map_or([0; 16], |born| born.as_nanos().to_le_bytes());
        digest.update(&self.device.to_le_bytes()).update(&self.inode.to_le_bytes()).update(&born);
    }
}
