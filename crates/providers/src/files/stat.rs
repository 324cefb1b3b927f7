//! What the system says of a file, as one snapshot: kind, identity, state.

use std::io;
use std::os::fd::AsFd;

use worldspace_model::Segment;

/// What stands under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Directory,
    File,
    Link,
    /// Devices, pipes, sockets: never opened.
    Other,
}

/// A point in time as the filesystem keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Time {
    pub(super) seconds: i64,
    pub(super) nanos: u32,
}

/// Where the content is kept. It names one thing at a time, but may name another later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) device: u64,
    pub(super) inode: u64,
}

/// The snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) kind: Kind,
    pub(super) place: Place,
    /// Which mount it was reached through, where the system tells.
    pub(super) mount: Option<u64>,
    pub(super) born: Option<Time>,
    pub(super) size: u64,
    pub(super) modified: Time,
    pub(super) changed: Time,
    pub(super) links: u64,
    pub(super) mode: u32,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Directory => "directory",
            Self::File => "file",
            Self::Link => "link",
            Self::Other => "other",
        }
    }

    /// The kind that a directory entry states; none where the filesystem leaves it open.
    pub(super) fn stated(kind: rustix::fs::FileType) -> Option<Self> {
        use rustix::fs::FileType;
        match kind {
            FileType::Unknown => None,
            FileType::Directory => Some(Self::Directory),
            FileType::RegularFile => Some(Self::File),
            FileType::Symlink => Some(Self::Link),
            _ => Some(Self::Other),
        }
    }

    fn of_mode(mode: u32) -> Self {
        // Raw modes are narrower than 32 bits on some systems; the bits of the kind always fit.
        let kind = rustix::fs::FileType::from_raw_mode(mode as rustix::fs::RawMode);
        Self::stated(kind).unwrap_or(Self::Other)
    }
}

impl Stat {
    /// Of what stands under a name, a link itself included.
    pub(super) fn at(directory: impl AsFd, name: &Segment) -> io::Result<Self> {
        system::at(directory.as_fd(), name.as_str().as_bytes())
    }

    /// As [`Self::at`], of a name as the system gave it.
    pub(super) fn at_raw(directory: impl AsFd, name: &[u8]) -> io::Result<Self> {
        system::at(directory.as_fd(), name)
    }

    /// Of what is open.
    pub(super) fn of(open: impl AsFd) -> io::Result<Self> {
        system::of(open.as_fd())
    }

    /// Everything that changes whenever the content does.
    pub(super) fn stamp(&self) -> Vec<u8> {
        let mut stamp = Vec::with_capacity(96);
        stamp.push(self.kind as u8);
        stamp.extend_from_slice(&self.place.device.to_le_bytes());
        stamp.extend_from_slice(&self.place.inode.to_le_bytes());
        stamp.push(u8::from(self.born.is_some()));
        for time in [self.born.unwrap_or(Time { seconds: 0, nanos: 0 }), self.modified, self.changed] {
            time.write(&mut stamp);
        }
        stamp.extend_from_slice(&self.size.to_le_bytes());
        stamp
    }
}

impl Time {
    pub(super) fn write(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.seconds.to_le_bytes());
        bytes.extend_from_slice(&self.nanos.to_le_bytes());
    }

    /// As RFC 3339 in UTC. What is beyond the years that it can write becomes the nearest that it can.
    pub(super) fn text(self) -> String {
        let nanos = i32::try_from(self.nanos).unwrap_or(0);
        let nearest = if self.seconds < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
        jiff::Timestamp::new(self.seconds, nanos).unwrap_or(nearest).to_string()
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::io;
    use std::os::fd::BorrowedFd;

    use rustix::fs::{AtFlags, Statx, StatxFlags, StatxTimestamp, makedev, statx};

    use super::{Kind, Place, Stat, Time};

    pub(super) fn at(directory: BorrowedFd<'_>, name: &[u8]) -> io::Result<Stat> {
        read(directory, name, AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT)
    }

    pub(super) fn of(open: BorrowedFd<'_>) -> io::Result<Stat> {
        read(open, b"", AtFlags::EMPTY_PATH)
    }

    fn read(at: BorrowedFd<'_>, name: &[u8], flags: AtFlags) -> io::Result<Stat> {
        let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME | StatxFlags::MNT_ID;
        let read: Statx = statx(at, name, flags, wanted)?;
        let given = StatxFlags::from_bits_retain(read.stx_mask);
        Ok(Stat {
            kind: Kind::of_mode(read.stx_mode.into()),
            place: Place { device: makedev(read.stx_dev_major, read.stx_dev_minor), inode: read.stx_ino },
            mount: given.contains(StatxFlags::MNT_ID).then_some(read.stx_mnt_id),
            born: given.contains(StatxFlags::BTIME).then(|| time(read.stx_btime)),
            size: read.stx_size,
            modified: time(read.stx_mtime),
            changed: time(read.stx_ctime),
            links: read.stx_nlink.into(),
            mode: read.stx_mode.into(),
        })
    }

    fn time(stamp: StatxTimestamp) -> Time {
        Time { seconds: stamp.tv_sec, nanos: stamp.tv_nsec }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;
    use std::os::fd::BorrowedFd;

    use rustix::fs::{AtFlags, fstat, statat};

    use super::{Kind, Place, Stat, Time};

    pub(super) fn at(directory: BorrowedFd<'_>, name: &[u8]) -> io::Result<Stat> {
        Ok(translate(&statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    pub(super) fn of(open: BorrowedFd<'_>) -> io::Result<Stat> {
        Ok(translate(&fstat(open)?))
    }

    #[allow(clippy::unnecessary_cast, reason = "the widths differ between systems")]
    fn translate(read: &rustix::fs::Stat) -> Stat {
        let time = |seconds: i64, nanos: i64| Time { seconds, nanos: nanos as u32 };
        #[cfg(target_vendor = "apple")]
        let born = Some(time(read.st_birthtime as i64, read.st_birthtime_nsec as i64));
        #[cfg(not(target_vendor = "apple"))]
        let born = None;
        Stat {
            kind: Kind::of_mode(read.st_mode as u32),
            place: Place { device: read.st_dev as u64, inode: read.st_ino as u64 },
            mount: Some(read.st_dev as u64),
            born,
            size: read.st_size as u64,
            modified: time(read.st_mtime as i64, read.st_mtime_nsec as i64),
            changed: time(read.st_ctime as i64, read.st_ctime_nsec as i64),
            links: read.st_nlink as u64,
            mode: read.st_mode as u32,
        }
    }
}
