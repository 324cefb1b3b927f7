//! A walk through everything below a directory, name by name, that nothing can lead out of the root or into a circle.
//!
//! Names are sorted within each directory, depth first, so that two walks give the same order. Of a huge directory a
//! part is sorted at a time, so that no number of names has to be held.

use std::io;
use std::path::Path;

use ignore::overrides::Override;
use worldspace_host::{Context, LocalPath};
use worldspace_model::{EntryPath, Segment};

use super::names::{Names, RawName};
use super::root::{Inside, Root};
use super::stat::{Kind, Stat};
use crate::pool::Patience;

/// Names that are sorted at a time.
const SORTED: usize = 20_000;
/// Directories inside one another that are held open at a time.
const DEEPEST: usize = 64;

/// Goes through the files below a directory.
pub(super) struct Walk<'w> {
    root: &'w Root,
    context: &'w Context,
    patience: &'w Patience,
    globs: Override,
    open: Vec<Level>,
    /// Whether it stopped because it was time to.
    pub(super) stopped: bool,
    /// What could not be read, or has no entry because its name is not UTF-8.
    pub(super) unread: u64,
}

/// A directory that is being read.
struct Level {
    inside: Inside,
    path: LocalPath,
    /// The way from where the walk began, with a slash at its end.
    way: String,
    names: Names,
    sorted: std::vec::IntoIter<RawName>,
    ended: bool,
}

/// A file that was met.
pub(super) struct Met {
    pub(super) entry: EntryPath,
    pub(super) name: Segment,
}

impl<'w> Walk<'w> {
    pub(super) fn new(
        root: &'w Root,
        context: &'w Context,
        patience: &'w Patience,
        globs: Override,
        from: LocalPath,
        inside: Inside,
    ) -> io::Result<Self> {
        let first = Level::open(inside, from, String::new())?;
        Ok(Self { root, context, patience, globs, open: vec![first], stopped: false, unread: 0 })
    }

    /// The next file that the globs ask for.
    pub(super) fn next_file(&mut self) -> Option<Met> {
        loop {
            if self.patience.is_over() {
                self.stopped = true;
                return None;
            }
            let level = self.open.last_mut()?;
            match level.next_name() {
                Ok(Some(name)) => {
                    if let Some(met) = self.meet(&name) {
                        return Some(met);
                    }
                }
                Ok(None) => {
                    self.open.pop();
                }
                Err(error) => {
                    self.open.pop();
                    self.miss(&error);
                }
            }
        }
    }

    /// The directory in which the last file was met.
    pub(super) fn here(&self) -> Option<&Inside> {
        self.open.last().map(|level| &level.inside)
    }

    /// Looks at a name: a file that is asked for is met, a directory is gone into.
    fn meet(&mut self, name: &RawName) -> Option<Met> {
        let level = self.open.last()?;
        if level.inside.rules.hides(name.bytes()) {
            return None;
        }
        let Some(segment) = name.segment() else {
            self.unread += 1;
            return None;
        };
        let kind = match name.kind {
            Some(kind) => kind,
            None => match Stat::at(&level.inside.directory, &segment) {
                Ok(stat) => stat.kind,
                Err(error) => {
                    self.miss(&error);
                    return None;
                }
            },
        };
        let way = [&level.way, segment.as_str()].concat();
        let directory = kind == Kind::Directory;
        if !(directory || kind == Kind::File)
            || level.inside.rules.leaves_out(segment.as_str(), kind)
            || self.globs.matched(Path::new(&way), directory).is_ignore()
        {
            return None;
        }
        let path = level.path.child(&segment);
        let entry = self.context.entry(&path);
        // What another mount stands on is not this directory's to show.
        self.context.local(&entry)?;
        if !directory {
            return Some(Met { entry, name: segment });
        }
        if self.open.len() == DEEPEST {
            self.unread += 1;
            return None;
        }
        let entered = self.root.enter(&level.inside, &segment);
        match entered.and_then(|inside| Level::open(inside, path, way + "/")) {
            Ok(level) => self.open.push(level),
            Err(error) => self.miss(&error),
        }
        None
    }

    /// Counts what could not be read; what is merely gone or no longer a directory does not count.
    pub(super) fn miss(&mut self, error: &io::Error) {
        if !super::failure::is_absence(error) {
            self.unread += 1;
        }
    }
}

impl Level {
    fn open(inside: Inside, path: LocalPath, way: String) -> io::Result<Self> {
        let names = Names::read(&inside.directory)?;
        Ok(Self { inside, path, way, names, sorted: Vec::new().into_iter(), ended: false })
    }

    fn next_name(&mut self) -> io::Result<Option<RawName>> {
        if let Some(name) = self.sorted.next() {
            return Ok(Some(name));
        }
        if self.ended {
            return Ok(None);
        }
        let mut part: Vec<RawName> = self.names.by_ref().take(SORTED).collect::<io::Result<_>>()?;
        self.ended = part.len() < SORTED;
        part.sort_unstable_by(|a, b| a.bytes().cmp(b.bytes()));
        self.sorted = part.into_iter();
        Ok(self.sorted.next())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::files::testing::{call_instead, unprivileged};

    /// Names whose kind the directory does not state, when it may not be looked into any more.
    #[test]
    fn what_cannot_be_looked_at_is_counted_as_unread() {
        unprivileged::run(|| {
            let directory = tempfile::tempdir().unwrap();
            std::fs::write(directory.path().join("x"), "").unwrap();
            let place = directory.path().to_owned();
            let called = call_instead(&place.clone(), "find", Vec::new(), move |root, context, call| {
                let inside = root.find(call.path()).and_then(|found| root.look_into(found)).unwrap();
                let patience = Patience::of_looks(context, 1);
                let path = call.path().clone();
                let mut walk = Walk::new(root, context, &patience, Override::empty(), path, inside).unwrap();
                let mut check = |name, mode, met, unread| {
                    set_permissions(&place, Permissions::from_mode(mode)).unwrap();
                    assert_eq!(walk.meet(&RawName::unstated(name)).is_some(), met, "{name} {mode:o}");
                    assert_eq!(walk.unread, unread, "{name} {mode:o}");
                };
                check("x", 0o700, true, 0);
                check("gone", 0o700, false, 0);
                check("x", 0o600, false, 1);
                set_permissions(&place, Permissions::from_mode(0o700)).unwrap();
                Err(worldspace_host::Refusal::NotFound)
            });
            assert_eq!(called.unwrap_err().code, worldspace_model::ErrorCode::NotFound);
        });
    }
}
