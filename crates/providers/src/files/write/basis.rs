//! What an effect rests on: the thing as it was when the effect was decided on. An effect that comes upon anything else
//! is undone.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use worldspace_host::Refusal;

use crate::files::failure::refused;
use crate::files::open;
use crate::files::root::{Found, Root};
use crate::files::stat::{Kind, Stat};
use crate::files::state::{Count, Digest, READ, digest, digest_of};

/// The thing, held open, so that nothing else can take its place unseen.
pub(super) struct Basis {
    pub(super) stat: Stat,
    held: Held,
    /// Up to which size a file's content counts.
    read: u64,
    content: Option<Digest>,
}

enum Held {
    File(std::fs::File),
    Directory(cap_std::fs::Dir),
}

impl Basis {
    /// What was found, if it stays as it is while it is read.
    pub(super) fn of(root: &Root, found: &Found) -> Result<Self, Refusal> {
        let basis = Self::read_of(root, found).map_err(refused)?;
        let now = basis.now().map_err(refused)?;
        let stays = basis.stat.stamp() == found.stat.stamp() && basis.stat.stamp() == now.stamp();
        if stays { Ok(basis) } else { Err(Refusal::StateChanged) }
    }

    fn read_of(root: &Root, found: &Found) -> io::Result<Self> {
        let (held, stat) = match &found.above {
            Some((parent, name)) if found.stat.kind == Kind::Directory => {
                let directory = open::directory(parent, name)?;
                let stat = Stat::of(&directory)?;
                (Held::Directory(directory), stat)
            }
            _ => {
                let (file, stat) = root.read_file(found)?;
                (Held::File(file), stat)
            }
        };
        let mut basis = Self { stat, held, read: READ, content: None };
        basis.content = basis.read(root)?;
        Ok(basis)
    }

    pub(super) fn file(&self) -> io::Result<&std::fs::File> {
        match &self.held {
            Held::File(file) => Ok(file),
            Held::Directory(_) => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        }
    }

    pub(super) fn held(&self) -> BorrowedFd<'_> {
        match &self.held {
            Held::File(file) => file.as_fd(),
            Held::Directory(directory) => directory.as_fd(),
        }
    }

    /// The content that was read to make new content of it.
    pub(super) fn holding(mut self, content: &[u8]) -> Self {
        self.read = u64::MAX;
        self.content = Some(digest(content));
        self
    }

    /// Whether what was moved is this thing, unchanged. Being moved sets the time of its last change, so that one does
    /// not tell.
    pub(super) fn is(&self, root: &Root, moved: &Stat) -> io::Result<bool> {
        let thing = |stat: &Stat| (stat.kind, stat.place, stat.born, stat.mode);
        let written = |stat: &Stat| (stat.size, stat.modified, stat.links);
        // Some filesystems write into a directory that is moved; its names tell.
        let told_by_names = self.stat.kind == Kind::Directory && self.content.is_some();
        Ok(thing(&self.stat) == thing(moved)
            && (told_by_names || written(&self.stat) == written(moved))
            && (self.content.is_none() || self.content == self.read(root)?))
    }

    /// Whether no name leads to it any more.
    pub(super) fn is_gone(&self) -> bool {
        self.now().is_ok_and(|stat| stat.links == 0)
    }

    fn now(&self) -> io::Result<Stat> {
        match &self.held {
            Held::File(file) => Stat::of(file),
            Held::Directory(directory) => Stat::of(directory),
        }
    }

    /// The content of a short file, the names in a directory that has not too many.
    fn read(&self, root: &Root) -> io::Result<Option<Digest>> {
        match &self.held {
            Held::File(_) if self.stat.size > self.read => Ok(None),
            Held::File(file) => digest_of(file, self.read).map(Some),
            Held::Directory(directory) => match root.states.digest_names(directory) {
                Ok((_, Count::TooMany)) => Ok(None),
                Ok((digest, _)) => Ok(Some(digest)),
                Err(error) => Err(error),
            },
        }
    }
}
