//! Where new content is made ready, and where what was replaced or deleted goes before it is gone for good.
//!
//! A directory at the root that is never published, with one directory in it for each process that writes, held by a
//! lock. Both are made with the first write, and taken away with the root if nothing is in them. What a process that died
//! has left there is cleared by the next one that offers writing. Only what is this user's own is used or cleared:
//! whoever else may write at the root could put there what is not his to delete.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use cap_std::fs::Dir;
use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use worldspace_model::Segment;

use crate::files::failure::is_absence;
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

/// What has the name of the staging directory is somebody else's.
#[derive(Debug, thiserror::Error)]
#[error(
    "{NAME} at the root of the mount is no directory of this user's alone; move it away, or give it to this user"
)]
pub(super) struct Foreign;

impl Staging {
    /// # Errors
    /// [`Foreign`], or what the system says.
    pub(super) fn open(root: &Arc<Dir>) -> io::Result<Self> {
        let name = Segment::parse(NAME).map_err(io::Error::other)?;
        loop {
            make_directory(root, &name)?;
            let all = own_directory(root, &name)?.ok_or_else(|| io::Error::other(Foreign))?;
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

    /// Whether it still stands where it was made: not removed, and not moved, be it out of the root.
    pub(super) fn is_in_place(&self) -> bool {
        let leads_to = |directory: &Dir, name: &str, to: &Dir| {
            let found = Stat::at_raw(directory, name.as_bytes());
            found.is_ok_and(|found| Stat::of(to).is_ok_and(|to| found.place == to.place))
        };
        leads_to(&self.root, NAME, &self.all) && leads_to(&self.all, self.name.as_str(), &self.own)
    }

    /// A place under which nothing stands yet.
    pub(super) fn slot(self: &Arc<Self>) -> io::Result<Slot> {
        Ok(Slot { staging: self.clone(), name: unused_name()?, disposable: true })
    }

    /// As [`Self::slot`], for what nobody wants removed: no start clears what a process that was killed has left there.
    pub(super) fn keeping_slot(self: &Arc<Self>) -> io::Result<Slot> {
        let name = format!("{KEPT}{}", unused_name()?.as_str());
        let name = Segment::parse(&name).map_err(io::Error::other)?;
        Ok(Slot { staging: self.clone(), name, disposable: true })
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
        self.create_with(Mode::RUSR | Mode::WUSR)
    }

    fn create_with(&self, mode: Mode) -> io::Result<std::fs::File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.staging.own, self.name.as_str(), flags, mode)?.into())
    }

    /// Makes a file as one is made in that directory, with the group and access rules of new files there, where the
    /// filesystem has files without a name; else as files are made at the root.
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
        self.create_with(mode)
    }

    /// What stands there.
    pub(super) fn stat(&self) -> io::Result<Stat> {
        Stat::at(&self.staging.own, &self.name)
    }

    /// Removes an empty directory that stands there; false if it is not empty.
    pub(super) fn discard_empty(&self) -> io::Result<bool> {
        match rustix::fs::unlinkat(&self.staging.own, self.name.as_str(), AtFlags::REMOVEDIR) {
            Ok(()) => Ok(true),
            Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether somebody took away the directory that it is in.
    pub(super) fn is_lost(&self) -> bool {
        !self.staging.is_in_place()
    }

    /// Exchanges what stands there with what stands under a name.
    pub(super) fn exchange(&mut self, directory: impl AsFd, name: &[u8]) -> io::Result<()> {
        let disposable = std::mem::replace(&mut self.disposable, false);
        let (own, here) = (&self.staging.own, self.name.as_str());
        let done = rustix::fs::renameat_with(own, here.as_bytes(), directory, name, RenameFlags::EXCHANGE);
        if done.is_err_and(is_certain) {
            self.disposable = disposable;
        }
        Ok(done?)
    }

    /// Takes what stands under a name away from there.
    pub(super) fn take(&mut self, directory: impl AsFd, name: &[u8]) -> io::Result<()> {
        self.disposable = false;
        let (own, here) = (&self.staging.own, self.name.as_str());
        let done = rustix::fs::renameat_with(directory, name, own, here.as_bytes(), RenameFlags::NOREPLACE);
        if done.is_err_and(is_certain) {
            self.disposable = true;
        }
        Ok(done?)
    }

    /// Puts what stands there under a name that nothing has.
    pub(super) fn put(&mut self, directory: impl AsFd, name: &[u8]) -> io::Result<()> {
        let (own, here) = (&self.staging.own, self.name.as_str());
        Ok(rustix::fs::renameat_with(own, here.as_bytes(), directory, name, RenameFlags::NOREPLACE)?)
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

    /// Removes what stands there, with everything in it. Nobody sees any of it.
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
        let kept = if name.starts_with(KEPT) { name.to_owned() } else { format!("{KEPT}{name}") };
        if rustix::fs::renameat(own, name, own, &kept).is_ok() {
            let place = format!("{NAME}/{}/{kept}", self.staging.name.as_str());
            tracing::error!(%place, "what could not be put back is kept below the root of the mount");
        }
    }
}

/// Whether a rename that failed with this has certainly not been done. A filesystem behind a network, behind another
/// process or on a bad disk may have done it and not said so.
pub(super) fn is_certain(error: Errno) -> bool {
    const CERTAIN: [Errno; 21] = [
        Errno::ACCESS,
        Errno::BUSY,
        Errno::DQUOT,
        Errno::EXIST,
        Errno::ILSEQ,
        Errno::INVAL,
        Errno::ISDIR,
        Errno::LOOP,
        Errno::MLINK,
        Errno::NAMETOOLONG,
        Errno::NOENT,
        Errno::NOMEM,
        Errno::NOSPC,
        Errno::NOSYS,
        Errno::NOTDIR,
        Errno::NOTEMPTY,
        Errno::OPNOTSUPP,
        Errno::PERM,
        Errno::ROFS,
        Errno::TXTBSY,
        Errno::XDEV,
    ];
    CERTAIN.contains(&error)
}

/// Clears what processes that died have left at a root, on a thread of its own: it may be much.
pub(super) fn sweep(root: &Arc<Dir>) {
    let Ok(name) = Segment::parse(NAME) else { return };
    if Stat::at(root, &name).is_err() {
        return;
    }
    let root = root.clone();
    std::thread::spawn(move || match own_directory(&root, &name) {
        Ok(Some(all)) => {
            clear_left_over(&all);
            let _ = rustix::fs::unlinkat(&root, NAME, AtFlags::REMOVEDIR);
        }
        Ok(None) => tracing::warn!("{Foreign}"),
        Err(error) => tracing::warn!(%error, "{NAME} at the root of the mount cannot be looked into"),
    });
}

/// One obstacle leaves the others to be cleared.
fn clear_left_over(all: &Dir) {
    let each = |directory: &Dir| batch(directory).unwrap_or_default();
    for name in each(all) {
        // Whoever lives holds the lock.
        let Ok(Some((left, _lock))) = lock(all, &name) else { continue };
        let mut obstacles = Vec::new();
        loop {
            let names = each(&left).into_iter();
            let names: Vec<Segment> =
                names.filter(|name| !name.as_str().starts_with(KEPT) && !obstacles.contains(name)).collect();
            if names.is_empty() {
                break;
            }
            for name in names {
                if let Err(error) = clear(&left, name.clone()) {
                    tracing::warn!(%error, "something that was deleted cannot be removed from {NAME}");
                    obstacles.push(name);
                }
            }
        }
        let _ = rustix::fs::unlinkat(all, name.as_str(), AtFlags::REMOVEDIR);
    }
}

/// Opens a directory that is this user's alone; none if it is not.
fn own_directory(above: &Dir, name: &Segment) -> io::Result<Option<Dir>> {
    const OTHERS: u32 = 0o022;
    let open = match open::directory(above, name) {
        Ok(open) => open,
        Err(error) if is_absence(&error) && Stat::at(above, name).is_ok() => return Ok(None),
        Err(error) => return Err(error),
    };
    let (owner, mode) = owner_and_mode(&open)?;
    let own = owner == rustix::process::geteuid().as_raw() && mode & OTHERS == 0;
    Ok(own.then_some(open))
}

fn owner_and_mode(open: &Dir) -> io::Result<(u32, u32)> {
    use cap_std::fs::MetadataExt;
    let metadata = open.dir_metadata()?;
    Ok((metadata.uid(), metadata.mode()))
}

/// Opens and locks a directory; none if another holds it, or took it away meanwhile.
fn lock(all: &Dir, name: &Segment) -> io::Result<Option<(Dir, OwnedFd)>> {
    let open = match own_directory(all, name) {
        Ok(Some(open)) => open,
        Ok(None) => return Ok(None),
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
