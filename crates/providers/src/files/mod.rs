//! A directory of files as a Worldspace.
//!
//! Each name in it is an entry, as it stands: nothing is decoded, folded or normalised, and a name that is not UTF-8
//! has no entry (descriptions tell of those, `list` counts them). A directory is an Object with the interface
//! `files.directory`, a file one with `files.file`; links, devices, pipes and sockets have `files.other`.
//!
//! **The root holds.** The directory is opened once (and once more when it was removed and another stands in its place);
//! from there each name of a path is opened in the directory before it, never through a link. So nothing that stands
//! outside is ever reached, whatever is renamed or linked meanwhile. A link is an Object of its own and leads nowhere:
//! what it names has one place, its own. Devices, pipes and sockets are never opened. A file with several names is there
//! under each of them, without an identity; so is what is mounted below the root, since a mount can show one directory
//! at two places.
//!
//! **What is published** is decided by [`Settings`] alone: what they leave out is absent, by its path too. It is no
//! protection of secrets: what must not be seen should not stand below the root.
//!
//! **States.** A validator stands for the file's identity, size and times, and where these could still hide a change,
//! for its content. A directory's stands for the names in it, not for what is below them. Times come from the
//! filesystem's clock; where a server sets them with a clock of its own that is seconds off, changes in quick
//! succession may look the same.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use worldspace_host::{
    Call, Context, Done, Interface, LocalPath, LocalReference, Page, Provider, ProviderError, Published,
    Refusal,
};
use worldspace_model::Segment;

use self::anchor::Anchor;
use self::task::Task;
use crate::pool::Pool;

mod anchor;
mod describe;
mod failure;
mod grain;
mod identity;
mod interfaces;
mod names;
mod newborn;
mod open;
mod read;
mod root;
mod rules;
mod stat;
mod state;
mod task;
#[cfg(test)]
mod testing;
mod walk;
mod write;

/// Short pieces of work at one time: enough to keep a disk busy, few enough that a slow one does not take every thread.
const SHORT: usize = 16;
/// Long texts that are read at one time.
const LONG: usize = 4;
/// Changes at one time. Most of their time they wait for the disk.
const WRITES: usize = 8;
/// Searches at one time. Each may hold a hundred directories open.
const SEARCHES: usize = 4;
/// The longest text, in bytes, that is read in a moment.
const LONG_TEXT: u64 = 1 << 20;

/// A mounted directory. Cheap to clone.
#[derive(Clone)]
pub struct Files(Arc<Inner>);

struct Inner {
    anchor: Arc<Anchor>,
    /// For what is over in a moment.
    short: Pool,
    /// For texts that may take seconds, so that a few of them never keep others from looking at a file.
    long: Pool,
    /// For what reads as much as there is, so that a few searches keep nobody from reading a text.
    searches: Pool,
    /// For what changes something, so that a slow disk keeps nobody from reading.
    writes: Pool,
}

/// What is published of a directory, and how.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Leave out what the `.gitignore` files in the directory and below it leave out. On by default.
    pub gitignore: bool,
    /// Publish names that begin with a dot, `.git` among them. Off by default.
    pub hidden: bool,
    /// A directory with more names than this (hidden and ignored ones count) has no indexable children: trees stop at
    /// it, its `list` and `find` go on. 1,000 by default.
    pub indexable_names: usize,
    /// Offer what changes files as well: `files.directory.write` and `files.file.write`. Off by default.
    pub writable: bool,
}

/// Why a directory cannot be served. For whoever runs the Host: it holds the path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// It cannot be opened as a directory.
    #[error("cannot open {} as a directory", path.display())]
    Directory {
        /// The path that was given.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// It is open, but cannot be prepared.
    #[error("cannot serve {}", path.display())]
    Prepare {
        /// The path that was given.
        path: PathBuf,
        /// The reason.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Default for Settings {
    fn default() -> Self {
        Self { gitignore: true, hidden: false, indexable_names: 1000, writable: false }
    }
}

impl Files {
    /// Opens a directory. It stays the same one, wherever it is moved; if it is removed, the one that stands at the path
    /// by then is served, and while there is none, everything fails.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open(path: impl AsRef<Path>, settings: Settings) -> Result<Self, OpenError> {
        let anchor = Arc::new(Anchor::open(path.as_ref(), settings)?);
        let (short, long) = (Pool::new(SHORT), Pool::new(LONG));
        let (searches, writes) = (Pool::new(SEARCHES), Pool::new(WRITES));
        Ok(Self(Arc::new(Inner { anchor, short, long, searches, writes })))
    }

    /// Where an operation that reads runs.
    async fn pool(&self, context: &Context, call: &Call) -> Result<&Pool, ProviderError> {
        match call.operation() {
            "find" => Ok(&self.0.searches),
            "read_text" => {
                let (anchor, path) = (self.0.anchor.clone(), call.path().clone());
                let size = self.0.short.run(context, move |_| anchor.root()?.size(&path)).await??;
                Ok(if size > LONG_TEXT { &self.0.long } else { &self.0.short })
            }
            _ => Ok(&self.0.short),
        }
    }
}

impl Provider for Files {
    async fn object(&self, context: &Context, path: &LocalPath) -> Result<Published, ProviderError> {
        let (anchor, path) = (self.0.anchor.clone(), path.clone());
        self.0.short.run(context, move |patience: &_| anchor.root()?.object(&path, patience)).await?
    }

    async fn children(
        &self,
        context: &Context,
        path: &LocalPath,
        after: Option<&Segment>,
        most: usize,
    ) -> Result<Page, ProviderError> {
        let (anchor, path, after) = (self.0.anchor.clone(), path.clone(), after.cloned());
        let work = move |patience: &_| anchor.root()?.children(&path, after.as_ref(), most, patience);
        self.0.short.run(context, work).await?
    }

    async fn interface(&self, _: &Context, reference: &LocalReference) -> Result<Interface, ProviderError> {
        self.0.anchor.interfaces.find(reference).cloned().ok_or(ProviderError::NotFound)
    }

    async fn call(&self, context: &Context, call: Call) -> Result<Done, Refusal> {
        let (anchor, asked) = (self.0.anchor.clone(), context.clone());
        let changes = write::is_of(&call);
        let pool = if changes { &self.0.writes } else { self.pool(context, &call).await? };
        let work = move |patience: &_| {
            let root = anchor.root()?;
            let task = Task { root: &root, context: &asked, patience };
            if changes { write::run(&task, call) } else { read::run(&task, call) }
        };
        pool.run(context, work).await?
    }
}

impl std::fmt::Debug for Files {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Files").finish_non_exhaustive()
    }
}
