//! Where new content is made ready, and where what was replaced or deleted goes before it is gone for good.
//!
//! A directory at the root that is never published, with one directory in it for each process that writes, held by a
//! lock. What a process that died has left there is cleared by the next one that writes or serves. Both are made with the
//! first write, and taken away with the root if nothing is in them.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use cap_std::fs::Dir;
use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use worldspace_model::Segment;

use crate::files::names::Names;
use crate::files::open;
use crate::files::stat::Stat;

/// The name at the root.
pub(in crate::files) const NAME: &str = ".wip-writes";
/// Begins the names of what must outlive the process.
const KEPT: &str = "kept-";
/// Names that are read of a directory before they are removed.
const BATCH: usize = 4096;

/// The directory of this process.
pub(super) struct Staging {
    root: Arc<Dir>,
    all: Dir,
    own: Dir,
    name: Segment,
    /// Lets go of the directory with the process.
    _lock: OwnedFd,
}

/// A place in the staging directory, and what stands there.
pub(super) struct Slot {
    staging: Arc<Staging>,
    name: Segment,
    /// Whether what stands there may be removed: not while it may be somebody else's.
    disposable: bool,
}

impl Staging {
    pub(super) fn open(root: &Arc<Dir>) -> io::Result<Self> {
        let name = Segment::parse(NAME).map_err(io::Error::other)?;
        loop {
            make_directory(root, &name)?;
            let all = open::directory(root, &name)?;
            clear_left_over(&all);
            let own = unused_name()?;
            match make_directory(&all, &own) {
                // Another process found it empty and took it away.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                made => made?,
            }
            let Some((open, lock)) = lock(&all, &own)? else { continue };
            return Ok(Self { root: root.clone(), all, own: open, name: own, _lock: lock });
        }
    }

    /// A place under which nothing stands yet.
    pub(super) fn slot(self: &Arc<Self>) -> io::Result<Slot> {
        Ok(Slot { staging: self.clone(), name: unused_name()?, disposable: true })
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // What is in them keeps them there.
        let _ = rustix::fs::unlinkat(&self.all, self.name.as_str(), AtFlags::REMOVEDIR);
        let _ = rustix::fs::unlinkat(&self.root, NAME, AtFlags::REMOVEDIR);
    }
}

impl Slot {
    /// Makes a file for content that takes the place of another's.
    pub(super) fn create(&self) -> io::Result<std::fs::File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        Ok(rustix::fs::openat(&self.staging.own, self.name.as_str(), flags, mode)?.into())
    }

    /// Makes a file as one is made in that directory: with the owner, group and access rules of new files there.
    pub(super) fn create_as_in(&self, directory: &Dir) -> io::Result<std::fs::File> {
        let mode = Mode::from_raw_mode(0o666);
        #[cfg(target_os = "linux")]
        {
            let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
            match rustix::fs::openat(directory, ".", flags, mode) {
                Ok(file) => {
                    let link = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&file));
                    let (own, name) = (&self.staging.own, self.name.as_str());
                    let named =
                        rustix::fs::linkat(rustix::fs::CWD, &link, own, name, AtFlags::SYMLINK_FOLLOW);
                    if named.is_ok() {
                        return Ok(file.into());
                    }
                }
                Err(error @ (Errno::ACCESS | Errno::PERM | Errno::ROFS | Errno::NOSPC | Errno::DQUOT)) => {
                    return Err(error.into());
                }
                // Not every filesystem has files without a name.
                Err(_) => {}
            }
        }
        let _ = directory;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.staging.own, self.name.as_str(), flags, mode)?.into())
    }

    /// What stands there.
    pub(super) fn stat(&self) -> io::Result<Stat> {
        Stat::at(&self.staging.own, &self.name)
    }

    /// Whether a directory that stands there is empty.
    pub(super) fn is_empty(&self) -> io::Result<bool> {
        Ok(Names::read(&open::directory(&self.staging.own, &self.name)?)?.next().transpose()?.is_none())
    }

    /// Exchanges what stands there with what stands under a name.
    pub(super) fn exchange(&mut self, directory: &Dir, name: &Segment) -> io::Result<()> {
        let disposable = std::mem::replace(&mut self.disposable, false);
        let (own, here) = (&self.staging.own, self.name.as_str());
        let done = rustix::fs::renameat_with(own, here, directory, name.as_str(), RenameFlags::EXCHANGE);
        if done.is_err_and(is_certain) {
            self.disposable = disposable;
        }
        Ok(done?)
    }

    /// Takes what stands under a name away from there.
    pub(super) fn take(&mut self, directory: &Dir, name: &Segment) -> io::Result<()> {
        self.disposable = false;
        let (own, here) = (&self.staging.own, self.name.as_str());
        let done = rustix::fs::renameat_with(directory, name.as_str(), own, here, RenameFlags::NOREPLACE);
        if done.is_err_and(is_certain) {
            self.disposable = true;
        }
        Ok(done?)
    }

    /// Puts what stands there under a name that nothing has.
    pub(super) fn put(&mut self, directory: &Dir, name: &Segment) -> io::Result<()> {
        let (own, here) = (&self.staging.own, self.name.as_str());
        Ok(rustix::fs::renameat_with(own, here, directory, name.as_str(), RenameFlags::NOREPLACE)?)
    }

    /// Says whether what stands there may be removed.
    pub(super) fn set_disposable(&mut self, disposable: bool) {
        self.disposable = disposable;
    }

    /// Removes a file that stands there.
    pub(super) fn discard(&mut self) {
        self.disposable = true;
        let _ = rustix::fs::unlinkat(&self.staging.own, self.name.as_str(), AtFlags::empty());
    }

    /// Removes what stands there, with everything in it.
    pub(super) fn clear(&self) -> io::Result<()> {
        clear(&self.staging.own, self.name.clone())
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let (own, name) = (&self.staging.own, self.name.as_str());
        if self.disposable {
            let _ = rustix::fs::unlinkat(own, name, AtFlags::empty());
            return;
        }
        // It may be somebody's, so no start clears it either.
        let kept = format!("{KEPT}{name}");
        if rustix::fs::renameat(own, name, own, &kept).is_ok() {
            let place = format!("{NAME}/{}/{kept}", self.staging.name.as_str());
            tracing::error!(%place, "what could not be put back is kept below the root of the mount");
        }
    }
}

/// Whether a rename that failed has certainly not been done.
pub(super) fn is_certain(error: Errno) -> bool {
    // A filesystem behind a network or on a bad disk may have done it and not said so.
    ![Errno::IO, Errno::INTR, Errno::TIMEDOUT, Errno::STALE].contains(&error)
}

/// Clears what processes that died have left at a root.
pub(super) fn sweep(root: &Dir) {
    let Ok(name) = Segment::parse(NAME) else { return };
    if let Ok(all) = open::directory(root, &name) {
        clear_left_over(&all);
        let _ = rustix::fs::unlinkat(root, NAME, AtFlags::REMOVEDIR);
    }
}

fn clear_left_over(all: &Dir) {
    let cleared = batch(all).and_then(|names| {
        for name in names {
            // Whoever lives holds the lock.
            let Some((left, _lock)) = lock(all, &name)? else { continue };
            for name in batch(&left)? {
                if !name.as_str().starts_with(KEPT) {
                    clear(&left, name)?;
                }
            }
            let _ = rustix::fs::unlinkat(all, name.as_str(), AtFlags::REMOVEDIR);
        }
        Ok(())
    });
    if let Err(error) = cleared {
        tracing::warn!(%error, "what an earlier process has left behind ({NAME}) cannot be cleared");
    }
}

/// Opens and locks a directory; none if another holds it, or took it away meanwhile.
fn lock(all: &Dir, name: &Segment) -> io::Result<Option<(Dir, OwnedFd)>> {
    let open = match open::directory(all, name) {
        Ok(open) => open,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let handle = open::readable(&open)?;
    match rustix::fs::flock(&handle, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) if !open::is_removed(&open) => Ok(Some((open, handle))),
        Ok(()) | Err(Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Removes whatever stands under a name. A directory that is not empty first moves up beside it, so that no depth
/// matters, and what another filesystem is mounted on, which cannot move, is left alone.
fn clear(own: &Dir, name: Segment) -> io::Result<()> {
    let mut left = vec![name];
    while let Some(name) = left.last() {
        if remove(own, name.as_str().as_bytes())? {
            left.pop();
            continue;
        }
        let directory = open::directory(own, name)?;
        for child in raw_batch(&directory)? {
            if !remove(&directory, &child)? {
                let up = unused_name()?;
                rustix::fs::renameat(&directory, child.as_slice(), own, up.as_str())?;
                left.push(up);
            }
        }
    }
    Ok(())
}

/// Removes what stands under a name; false if it is a directory that is not empty.
fn remove(directory: &Dir, name: &[u8]) -> io::Result<bool> {
    match rustix::fs::unlinkat(directory, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(true),
        // Systems differ in what they say of a directory.
        Err(Errno::ISDIR | Errno::PERM) => {}
        Err(error) => return Err(error.into()),
    }
    match rustix::fs::unlinkat(directory, name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT) => Ok(true),
        Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn raw_batch(directory: &Dir) -> io::Result<Vec<Vec<u8>>> {
    Names::read(directory)?.take(BATCH).map(|name| Ok(name?.bytes().to_vec())).collect()
}

/// Names that this project made.
fn batch(directory: &Dir) -> io::Result<Vec<Segment>> {
    Ok(Names::read(directory)?.take(BATCH).filter_map(|name| name.ok()?.segment()).collect())
}

fn make_directory(above: &Dir, name: &Segment) -> io::Result<()> {
    match rustix::fs::mkdirat(above, name.as_str(), Mode::RWXU) {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn unused_name() -> io::Result<Segment> {
    let number = getrandom::u64().map_err(|error| io::Error::other(error.to_string()))?;
    Segment::parse(&format!("{number:016x}")).map_err(io::Error::other)
}
