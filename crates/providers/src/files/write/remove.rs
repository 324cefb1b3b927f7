//! `delete`: what is deleted first leaves its place in one step, so that nobody ever sees a part of it.

use std::sync::{Arc, MutexGuard};

use cap_std::fs::Dir;
use rustix::fs::{Access, AtFlags};
use worldspace_host::{After, Call, Done, Fate, LocalPath, Refusal};
use worldspace_model::{Segment, Value};

use super::basis::Basis;
use super::staging::Slot;
use super::{Writer, is_still_at, not_done, synchronise, unprepared};
use crate::files::failure::refused;
use crate::files::names::Names;
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
    let empty = Names::read(&inside.directory).map_err(refused)?.next().is_none();
    if !empty && !whole {
        return Ok(call.done(Value::case("not_empty", None)?));
    }
    look_through(task, &inside.directory)?;
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
    let one = writer.begin();
    let found = task.find(&call)?;
    let basis = Basis::of(task.root, &found).map_err(refused)?;
    let state = task.root.state(&found).map_err(refused)?;
    let Some((parent, name)) = found.above.filter(|_| found.stat.stamp() == basis.stat.stamp()) else {
        return Err(Refusal::StateChanged);
    };
    let path = call.path().clone();
    let removal = Removal { task, path, parent, name, basis, slot };
    call.fence_blocking(Some(&state), || removal.run(one, only_empty))
}

impl Removal<'_> {
    fn run(mut self, one: MutexGuard<'_, ()>, only_empty: bool) -> Fate {
        let deleted = match Value::case("deleted", None) {
            Ok(deleted) => deleted,
            Err(fault) => return Fate::RolledBack(fault.into()),
        };
        if let Err(error) = self.slot.take(&self.parent, &self.name) {
            return not_done(error);
        }
        let root = self.task.root;
        let right = self.slot.stat().and_then(|stat| self.basis.is(root, &stat)).unwrap_or(false)
            && (!only_empty || self.slot.is_empty().unwrap_or(false))
            && is_still_at(root, &self.path, &self.parent);
        if !right {
            return match self.slot.put(&self.parent, &self.name) {
                Ok(()) => Fate::RolledBack(Refusal::StateChanged),
                Err(error) => Fate::unknown(error),
            };
        }
        self.slot.set_disposable(true);
        // Nobody else has to wait until all of it is removed.
        drop(one);
        if let Err(error) = synchronise(&self.parent) {
            return Fate::unknown(error);
        }
        root.identities.give_back(&self.basis.stat);
        if let Err(error) = self.slot.clear() {
            // It has left its place for good; what is left of it is cleared with the next start.
            tracing::warn!(%error, "a part of what was deleted is still on the disk, where nobody sees it");
        }
        Fate::Done { result: deleted, after: After::Changed }
    }
}

/// Sees to it that a directory can be deleted whole, before anything is.
fn look_through(task: &Task<'_>, directory: &Dir) -> Result<(), Refusal> {
    let mount = Stat::of(directory).map_err(refused)?.mount;
    let level = |directory: Dir| -> Result<(Dir, Names), Refusal> {
        if Stat::of(&directory).map_err(refused)?.mount != mount {
            let text = "a filesystem is mounted in it; whoever runs the Host can unmount that first";
            return Err(Refusal::PermissionDenied(text.to_owned()));
        }
        let access = Access::WRITE_OK | Access::EXEC_OK;
        rustix::fs::accessat(&directory, ".", access, AtFlags::EACCESS)
            .map_err(|error| unprepared(error.into()))?;
        let names = Names::read(&directory).map_err(refused)?;
        Ok((directory, names))
    };
    let mut levels = vec![level(directory.try_clone().map_err(refused)?)?];
    while let Some((directory, names)) = levels.last_mut() {
        task.patience.check_caller()?;
        let Some(name) = names.next() else {
            levels.pop();
            continue;
        };
        let name = name.map_err(refused)?;
        if name.kind.is_some_and(|kind| kind != Kind::Directory) {
            continue;
        }
        let Some(below) = open::directory_of(directory, name.bytes()).map_err(refused)? else { continue };
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
            let removal = Removal { task, path: call.path().clone(), parent, name, basis, slot };
            call.fence_blocking(Some(&state), || {
                between();
                removal.run(writer.begin(), false)
            })
        };
        for (between, then) in overtakers() {
            check_overtaken("delete", vec![], run, between, &then);
        }
    }
}
