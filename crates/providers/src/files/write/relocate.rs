//! `move`: into another directory of this mount, under the same name or another one.

use std::io;
use std::os::fd::AsFd;
use std::sync::{Arc, MutexGuard};
use std::time::Instant;

use cap_std::fs::Dir;
use rustix::fs::RenameFlags;
use worldspace_host::{After, Call, Done, Fate, LocalPath, Refusal};
use worldspace_model::{Segment, Value};

use super::basis::Basis;
use super::{
    Names, Writer, case_of, is_still_at, is_taken, leads_to, new_name, not_done, require_own_filesystem,
    whereabouts,
};
use crate::files::failure::refused;
use crate::files::open;
use crate::files::root::Inside;
use crate::files::stat::{Kind, Stat};
use crate::files::task::Task;

pub(super) fn run(task: &Task<'_>, writer: &Writer, call: Call) -> Result<Done, Refusal> {
    let to = call.local("to")?.ok_or_else(|| Refusal::argument("to", "is needed"))?;
    let named = call.segment("name")?;
    let one = writer.begin(task)?;
    let found = task.find(&call)?;
    if found.above.is_none() {
        let text = "this is where the directory is mounted; it cannot be moved from within";
        return Err(Refusal::PermissionDenied(text.to_owned()));
    }
    let basis = Basis::of(task.root, &found)?;
    let state = task.root.state(&found).map_err(refused)?;
    let Some((parent, name)) = found.above else { return Err(Refusal::StateChanged) };
    if call.path().contains(&to) {
        return Err(Refusal::argument("to", "stands within what is to be moved"));
    }
    let target = task.root.find(&to).ok().filter(|found| found.stat.kind == Kind::Directory);
    let target =
        target.ok_or_else(|| Refusal::argument("to", "leads to no directory; give the entry of one"))?;
    let inside = task.root.look_into(target).map_err(refused)?;
    require_own_filesystem(task, &inside.directory)?;
    let new = new_name(&inside, named.unwrap_or_else(|| name.clone()), basis.stat.kind)?;
    let path = to.child(&new);
    let (moved, exists) = (case_of(task, "moved", &path)?, case_of(task, "exists", &path)?);
    if is_taken(task, &inside, &path, &new) {
        return Ok(call.done(exists));
    }
    let names = (Names::of(&parent)?, Names::of(&inside.directory)?);
    let from = call.path().clone();
    let relocation = Relocation { task, from, parent, name, to, inside, new, names, basis };
    call.fence_blocking(Some(&state), || relocation.run(one, moved, exists))
}

/// What changes its place.
struct Relocation<'r> {
    task: &'r Task<'r>,
    from: LocalPath,
    parent: Arc<Dir>,
    name: Segment,
    to: LocalPath,
    inside: Inside,
    new: Segment,
    /// Those that it leaves, and those that it joins.
    names: (Names, Names),
    basis: Basis,
}

impl Relocation<'_> {
    fn run(self, one: MutexGuard<'_, ()>, moved: Value, exists: Value) -> Fate {
        let directory = &self.inside.directory;
        match rename(&self.parent, self.name.as_str().as_bytes(), directory, self.new.as_str().as_bytes()) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Fate::Done { result: exists, after: After::Unchanged };
            }
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                let text = "is on another filesystem, and nothing moves from one to another in one step";
                return Fate::RolledBack(Refusal::argument("to", text));
            }
            // Meanwhile the place where it goes was moved into it.
            Err(error)
                if error.kind() == io::ErrorKind::InvalidInput && self.basis.stat.kind == Kind::Directory =>
            {
                return Fate::RolledBack(Refusal::StateChanged);
            }
            Err(error) => return not_done(error, None),
        }
        if !self.is_right() {
            return self.undo();
        }
        drop(one);
        match self.names.1.synchronise().and_then(|()| self.names.0.synchronise()) {
            Ok(()) => Fate::Done { result: moved, after: After::Changed },
            Err(error) => Fate::unknown(error),
        }
    }

    /// Moves back what was moved, from where it stands by now.
    fn undo(&self) -> Fate {
        let (directory, root) = (&self.inside.directory, self.task.root.directory());
        let Some((held, moved)) = open::hold(directory, &self.new).ok().and_then(|held| {
            let moved = Stat::of(&held).ok()?;
            Some((held, moved))
        }) else {
            return Fate::unknown("what was moved cannot be held, to be moved back");
        };
        let is_moved = |stat: io::Result<Stat>| stat.is_ok_and(|stat| stat.place == moved.place);
        let (old, end) = (self.name.as_str().as_bytes(), Instant::now() + whereabouts::UNDOING);
        while Instant::now() < end {
            let Some((now, name)) = whereabouts::of(root, &held) else { break };
            if !is_moved(Stat::at_raw(&now, &name)) {
                std::thread::yield_now();
                continue;
            }
            match rename(&now, &name, &self.parent, old) {
                Ok(()) if is_moved(Stat::at(&self.parent, &self.name)) => {
                    return match self.names.1.synchronise() {
                        Ok(()) => self.names.0.undone(),
                        Err(error) => Fate::unknown(error),
                    };
                }
                // Another thing was there by then.
                Ok(()) => match rename(&self.parent, old, &now, &name) {
                    Ok(()) => {}
                    Err(error) => return Fate::unknown(error),
                },
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Fate::unknown(error),
            }
        }
        Fate::unknown("others moved it again and again while a lost race was undone")
    }

    /// Whether what moved is what was seen, and both directories are still where the caller named them.
    fn is_right(&self) -> bool {
        let root = self.task.root;
        let moved = Stat::at(&self.inside.directory, &self.new);
        moved.and_then(|stat| self.basis.is(root, &stat)).unwrap_or(false)
            && is_still_at(root, &self.from, &self.parent)
            && leads_to(root, &self.to, &self.inside.directory)
    }
}

fn rename(from: impl AsFd, name: &[u8], to: impl AsFd, new: &[u8]) -> io::Result<()> {
    Ok(rustix::fs::renameat_with(from, name, to, new, RenameFlags::NOREPLACE)?)
}

#[cfg(test)]
mod tests {
    use worldspace_model::EntryPath;

    use super::*;
    use crate::files::testing::{Overtaken, check_overtaken, overtakers};

    #[test]
    fn what_another_has_put_there_is_not_moved() {
        let run: Overtaken = |task, call, between| {
            let found = task.find(&call)?;
            let basis = Basis::of(task.root, &found).unwrap();
            let state = task.root.state(&found).unwrap();
            let (parent, name) = found.above.unwrap();
            let to = call.local("to")?.unwrap();
            let inside = task.root.look_into(task.root.find(&to).unwrap()).unwrap();
            let (from, new) = (call.path().clone(), name.clone());
            let names = (Names::of(&parent)?, Names::of(&inside.directory)?);
            let relocation = Relocation { task, from, parent, name, to, inside, new, names, basis };
            call.fence_blocking(Some(&state), || {
                between();
                relocation.run(
                    task.root.writer.as_ref().unwrap().begin(task).unwrap(),
                    Value::Unit,
                    Value::Unit,
                )
            })
        };
        for (between, mut then) in overtakers() {
            then.push(("d/f", None));
            let to = Value::Entry(EntryPath::parse("/w/d").unwrap());
            check_overtaken("move", vec![("to", to)], run, between, &then);
        }
    }
}
