//! A directory that is made for a test, served by a Host, and asked as a caller would.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use worldspace_host::{Host, HostLimits, Memory};
use worldspace_model::{EntryPath, ProtocolError};
use worldspace_providers::files::{Files, Settings};

use crate::hosted::Hosted;
pub(super) use crate::hosted::{Fields, MOUNT, entries, entry, field, integer};

pub(super) struct World {
    hosted: Hosted,
    directory: TempDir,
}

impl Deref for World {
    type Target = Hosted;

    fn deref(&self) -> &Hosted {
        &self.hosted
    }
}

impl World {
    pub(super) fn new() -> Self {
        Self::with(Settings::default())
    }

    /// In which everything can be changed.
    pub(super) fn writable() -> Self {
        Self::with(Settings { writable: true, ..Settings::default() })
    }

    pub(super) fn with(settings: Settings) -> Self {
        Self::build(settings, &[])
    }

    /// With other providers mounted below it.
    pub(super) fn below(mounts: &[(&str, Memory)]) -> Self {
        Self::build(Settings::default(), mounts)
    }

    /// Of a directory that the test made itself.
    pub(super) fn serving(path: impl AsRef<Path>, settings: Settings) -> Self {
        Self::host(TempDir::new().unwrap(), path.as_ref(), settings, &[])
    }

    fn build(settings: Settings, mounts: &[(&str, Memory)]) -> Self {
        let directory = TempDir::new().unwrap();
        let root = directory.path().join("root");
        std::fs::create_dir(&root).unwrap();
        Self::host(directory, &root, settings, mounts)
    }

    fn host(directory: TempDir, root: &Path, settings: Settings, mounts: &[(&str, Memory)]) -> Self {
        let files = Files::open(root, settings).unwrap();
        let limits = HostLimits { tree_nodes: 20_000, ..HostLimits::default() };
        let mut host = Host::builder().limits(limits).mount(EntryPath::parse(MOUNT).unwrap(), files);
        for (path, memory) in mounts {
            host = host.mount(EntryPath::parse(&entry(path)).unwrap(), memory.clone());
        }
        Self { hosted: Hosted::new(host), directory }
    }

    /// With these files; a name that ends in `/` is a directory.
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let world = Self::new();
        world.write_all(files);
        world
    }

    pub(super) fn write_all(&self, files: &[(&str, &str)]) {
        for (name, content) in files {
            let path = self.path(name);
            if name.ends_with('/') {
                std::fs::create_dir_all(path).unwrap();
            } else {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, content).unwrap();
            }
        }
    }

    /// The place on disk of a name below the root.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join("root").join(name)
    }

    /// A place on disk beside the root, where no caller ever comes.
    pub(super) fn outside(&self) -> &Path {
        self.directory.path()
    }

    pub(super) fn read(&self, path: &str) -> Result<String, ProtocolError> {
        let read = self.call(path, "read_text", &[])?;
        Ok(read.as_record().unwrap().get("text").unwrap().as_str().unwrap().to_owned())
    }
}

/// Waits until all that was done is old to the clock of the filesystem. How long that takes there is seen by what cannot
/// be read for its state, and so has none that lasts before.
pub(super) fn grow_old() {
    let probe = World::new();
    std::fs::File::create(probe.path("big")).unwrap().set_len(3 << 20).unwrap();
    // Trees do not wait by themselves.
    let seen = || probe.tree("/", 1).nodes()[1].object.validator.clone();
    let end = Instant::now() + Duration::from_secs(30);
    while seen() != seen() {
        assert!(Instant::now() < end, "nothing grows old");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether files cannot be told from later ones here, which is said.
pub(super) fn no_identities() -> bool {
    let born = TempDir::new().unwrap().path().metadata().unwrap().created();
    let known = cfg!(target_os = "linux") && born.is_ok();
    if !known {
        eprintln!(
            "skipped: the filesystem of temporary files keeps no time of birth, or nothing can be held here"
        );
    }
    !known
}
