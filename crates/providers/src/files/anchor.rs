//! Where the operator said that the directory is, and the one that is served from there.
//!
//! A directory that is moved is still served. One that was removed is not: what stands at the path then is another
//! directory with another identity, and as long as none does, everything fails rather than looks empty.
//!
//! Only the last name of the path is never a link where it was none: the directories above it are found by the system,
//! through links. So whoever may write in one of those, and see to it that the directory is removed, chooses what is
//! served next, as far as the Host may read. Where that matters, no one else may write above the served directory.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cap_std::fs::Dir;
use worldspace_host::ProviderError;

use super::interfaces::Catalog;
use super::open;
use super::root::Root;
use super::{OpenError, Settings};

/// The place of the root.
pub(super) struct Anchor {
    path: PathBuf,
    /// Whether the path itself is a link, and so may lead elsewhere by and by. One that is none never becomes one: a
    /// link that somebody puts in the place of the directory is not the operator's word.
    linked: bool,
    settings: Settings,
    pub(super) interfaces: Arc<Catalog>,
    current: Mutex<Arc<Root>>,
}

/// The directory is gone. For the log: it holds the path.
#[derive(Debug, thiserror::Error)]
#[error(
    "the served directory was removed, and {} cannot be opened in its stead; once there is a directory, it is served",
    path.display()
)]
struct Removed {
    path: PathBuf,
    source: io::Error,
}

impl Anchor {
    pub(super) fn open(path: &Path, settings: Settings) -> Result<Self, OpenError> {
        let cannot_open = |source| OpenError::Directory { path: path.to_owned(), source };
        let prepared = |source| OpenError::Prepare { path: path.to_owned(), source };
        // The working directory may change, and a slash at the end would follow a link.
        let place: PathBuf = std::path::absolute(path).map_err(cannot_open)?.components().collect();
        let linked = place.symlink_metadata().map_err(cannot_open)?.is_symlink();
        let directory = open::root(&place, linked).map_err(cannot_open)?;
        let interfaces = Arc::new(Catalog::new(settings.writable).map_err(|fault| prepared(fault.into()))?);
        let root = Root::new(directory, &settings, &interfaces).map_err(|error| prepared(error.into()))?;
        Ok(Self { path: place, linked, settings, interfaces, current: Mutex::new(Arc::new(root)) })
    }

    /// The root as it is now.
    pub(super) fn root(&self) -> Result<Arc<Root>, ProviderError> {
        let root = self.lock().clone();
        if !open::is_removed(root.directory()) {
            return Ok(root);
        }
        let mut current = self.lock();
        // Another request may have been here first.
        if Arc::ptr_eq(&current, &root) {
            *current = Arc::new(
                self.reopen()
                    .map_err(|source| ProviderError::failed(Removed { path: self.path.clone(), source }))?,
            );
            tracing::info!(path = %self.path.display(), "the served directory was removed; the one there now is served");
        }
        Ok(current.clone())
    }

    fn reopen(&self) -> io::Result<Root> {
        let directory: Dir = open::root(&self.path, self.linked)?;
        Root::new(directory, &self.settings, &self.interfaces)
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Root>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
