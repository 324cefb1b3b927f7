//! `delete`: what is deleted first leaves its place in one step, so that nobody ever sees a part of it.

use std::os::fd::OwnedFd;
use std::sync::{Arc, MutexGuard};

use cap_std::fs::Dir;
use rustix::fs::{Access, AtFlags};
use rustix::io::Errno;
use worldspace_host::{After, Call, Done, Fate, LocalPath, Refusal};
use worldspace_model::{Segment, Value};

use super::basis::Basis;
use super::staging::Slot;
use super::{Names, Writer, is_still_at, not_done, unprepared, wait_for};
use crate::files::failure::refused;
use crate::files::names;
use crate::files::open;
use crate::files::stat::{Kind, Stat};
use crate::files::task::Task;

/// Directories inside one another that are looked through before they are deleted.
const DEEPEST: usize = 200;

/// What leaves its place.
struct Removal<'r> {
    task: &'r Task<'r>,
    path: LocalPath,
    parent: Arc<Dir>,
    names: Names,
    name: Segment,
    basis: Basis,
    slot: Slot,
}

pub(super) fn file(task: &Task<'_>, writer: &Writer, call: Call) -> Result<Done, Refusal> {
    let slot = writer.staging()?.slot().map_err(unprepared)?;
    remove(task, writer, call, slot, false)
}

pub(super) fn directory(task: &Task<'_>, writer: &Writer, call: Call) -> Result<Done, Refusal> {
    let whole = call.flag("recursive").unwrap_or(false);
    let found = task.find(&call)?;
    if found.above.is_none() {
        let text = "this is where the directory is mounted; it cannot be deleted from within";
        return Err(Refusal::PermissionDenied(text.to_owned()));
    }
    let inside = task.root.look_into(found).map_err(refused)?;
    let empty = names::Names::read(&inside.directory).map_err(refused)?.next().is_none();
    if !empty && !whole {
        return Ok(call.done(Value::case("not_empty", None)?));
    }
    if whole {
        let _alone = wait_for(task, &writer.looking_through)?;
        look_through(task, &inside.directory)?;
    }
    let slot = writer.staging()?.slot().map_err(unprepared)?;
    remove(task, writer, call, slot, !whole)
}

fn remove(
    task: &Task<'_>,
    writer: &Writer,
    call: Call,
    slot: Slot,
    only_empty: bool,
) -> Result<Done, Refusal> {
    let one = writer.begin(task)?;
    let found = task.find(&call)?;
    let basis = Basis::of(task.root, &found)?;
    let state = task.root.state(&found).map_err(refused)?;
    let Some((parent, name)) = found.above else { return Err(Refusal::StateChanged) };
    let (path, names) = (call.path().clone(), Names::of(&parent)?);
    let removal = Removal { task, path, parent, names, name, basis, slot };
    call.fence_blocking(Some(&state), || removal.run(writer, one, only_empty))
}

impl Removal<'_> {
    fn run(mut self, writer: &Writer, one: MutexGuard<'_, ()>, only_empty: bool) -> Fate {
        let deleted = match Value::case("deleted", None) {
            Ok(deleted) => deleted,
            Err(fault) => return Fate::RolledBack(fault.into()),
        };
        if let Err(error) = self.slot.take(&self.parent, self.name.as_str().as_bytes()) {
            return not_done(error, Some(&self.slot));
        }
        let root = self.task.root;
        let directory = self.basis.stat.kind == Kind::Directory;
        let right = self.slot.stat().and_then(|stat| self.basis.is(root, &stat)).unwrap_or(false)
            && is_still_at(root, &self.path, &self.parent);
        // Whoever has it open may have put something into it meanwhile.
        let right = right && (!directory || !only_empty || self.slot.discard_empty().unwrap_or(false));
        if !right {
            return match self.slot.put(&self.parent, self.name.as_str().as_bytes()) {
                Ok(()) => self.names.undone(),
                Err(error) => Fate::unknown(error),
            };
        }
        self.slot.set_disposable(true);
        root.identities.give_back(&self.basis.stat);
        drop(one);
        if let Err(error) = self.names.synchronise() {
            return Fate::unknown(error);
        }
        if directory && !only_empty {
            writer.removals.remove(self.slot);
        }
        Fate::Done { result: deleted, after: After::Changed }
    }
}

/// Sees to it that a directory can be deleted whole, before anything is.
fn look_through(task: &Task<'_>, directory: &Dir) -> Result<(), Refusal> {
    let mount = Stat::of(directory).map_err(refused)?.mount;
    let level = |handle: OwnedFd| -> Result<rustix::fs::Dir, Refusal> {
        if Stat::of(&handle).map_err(refused)?.mount != mount {
            let text = "a filesystem is mounted in it; whoever runs the Host can unmount that first";
            return Err(Refusal::PermissionDenied(text.to_owned()));
        }
        let access = Access::WRITE_OK | Access::EXEC_OK;
        match rustix::fs::accessat(&handle, ".", access, AtFlags::EACCESS) {
            Ok(()) | Err(Errno::NOSYS | Errno::INVAL) => {}
            Err(error) => return Err(unprepared(error.into())),
        }
        rustix::fs::Dir::new(handle).map_err(|error| refused(error.into()))
    };
    let mut levels = vec![level(open::readable(directory).map_err(refused)?)?];
    while let Some(names) = levels.last_mut() {
        task.patience.check_caller()?;
        let Some(name) = names.next() else {
            levels.pop();
            continue;
        };
        let name = name.map_err(|error| refused(error.into()))?;
        let (text, kind) = (name.file_name().to_bytes(), Kind::stated(name.file_type()));
        if text == b"." || text == b".." || kind.is_some_and(|kind| kind != Kind::Directory) {
            continue;
        }
        let above = names.fd().map_err(|error| refused(error.into()))?;
        let Some(below) = open::readable_of(above, text).map_err(refused)? else { continue };
        if levels.len() == DEEPEST {
            let text = format!(
                "directories are nested deeper than {DEEPEST} in it, and nothing was deleted; delete from within first"
            );
            return Err(Refusal::Limit(text));
        }
        levels.push(level(below)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::{Overtaken, check_overtaken, overtakers};

    #[test]
    fn what_another_has_put_there_is_not_deleted() {
        let run: Overtaken = |task, call, between| {
            let writer = task.root.writer.as_ref().unwrap();
            let found = task.find(&call)?;
            let basis = Basis::of(task.root, &found).unwrap();
            let state = task.root.state(&found).unwrap();
            let (parent, name) = found.above.unwrap();
            let slot = writer.staging()?.slot().unwrap();
            let (path, names) = (call.path().clone(), Names::of(&parent)?);
            let removal = Removal { task, path, parent, names, name, basis, slot };
            call.fence_blocking(Some(&state), || {
                between();
                removal.run(writer, writer.begin(task).unwrap(), false)
            })
        };
        for (between, then) in overtakers() {
            check_overtaken("delete", vec![], run, between, &then);
        }
    }

    /// Whoever has it open can put something in while it is being deleted.
    #[test]
    fn a_directory_that_is_not_empty_by_then_is_put_back() {
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path().to_owned();
        std::fs::create_dir(at.join("d")).unwrap();
        std::fs::write(at.join("d/x"), "theirs").unwrap();
        std::fs::write(at.join("f"), "").unwrap();
        let told = crate::files::testing::write_instead(&at, |task, call| {
            let writer = task.root.writer.as_ref().unwrap();
            let found = task.root.find(&LocalPath::parse("/d").unwrap()).unwrap();
            let basis = Basis::of(task.root, &found)?;
            let (parent, name) = found.above.unwrap();
            let names = Names::of(&parent)?;
            let slot = writer.staging()?.slot().unwrap();
            let path = LocalPath::parse("/d").unwrap();
            let removal = Removal { task, path, parent, names, name, basis, slot };
            let fate = removal.run(writer, writer.begin(task).unwrap(), true);
            assert!(matches!(fate, Fate::RolledBack(Refusal::StateChanged)), "{fate:?}");
            Ok(call.done(Value::Unit))
        });
        told.unwrap();
        assert_eq!(std::fs::read_to_string(directory.path().join("d/x")).unwrap(), "theirs");
    }
}
