//! `move`: into another directory of this mount, under the same name or another one.

use std::io;

use cap_std::fs::Dir;
use rustix::fs::RenameFlags;
use worldspace_host::{After, Call, Done, Fate, Refusal};
use worldspace_model::Segment;

use super::basis::Basis;
use super::{Writer, case_of, is_still_at, is_taken, leads_to, new_name, not_done, synchronise};
use crate::files::failure::refused;
use crate::files::stat::{Kind, Stat};
use crate::files::task::Task;

pub(super) fn run(task: &Task<'_>, writer: &Writer, call: Call) -> Result<Done, Refusal> {
    let to = call.local("to")?.ok_or_else(|| Refusal::argument("to", "is needed"))?;
    let named = call.segment("name")?;
    let _one = writer.begin();
    let found = task.find(&call)?;
    let basis = Basis::of(task.root, &found).map_err(refused);
    let state = task.root.state(&found).map_err(refused)?;
    let Some((parent, name)) = found.above else {
        let text = "this is where the directory is mounted; it cannot be moved from within";
        return Err(Refusal::PermissionDenied(text.to_owned()));
    };
    let basis = basis?;
    if basis.stat.stamp() != found.stat.stamp() {
        return Err(Refusal::StateChanged);
    }
    if call.path().contains(&to) {
        return Err(Refusal::argument("to", "stands within what is to be moved"));
    }
    let target = task.root.find(&to).ok().filter(|found| found.stat.kind == Kind::Directory);
    let target =
        target.ok_or_else(|| Refusal::argument("to", "leads to no directory; give the entry of one"))?;
    let inside = task.root.look_into(target).map_err(refused)?;
    let new = new_name(&inside, named.unwrap_or_else(|| name.clone()), basis.stat.kind)?;
    let path = to.child(&new);
    let (moved, exists) = (case_of(task, "moved", &path)?, case_of(task, "exists", &path)?);
    if is_taken(task, &inside, &path, &new) {
        return Ok(call.done(exists));
    }
    let from = call.path().clone();
    call.fence_blocking(Some(&state), || {
        let directory = &inside.directory;
        match rename(&parent, &name, directory, &new) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Fate::Done { result: exists, after: After::Unchanged };
            }
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                let text = "is on another filesystem, and nothing moves from one to another in one step";
                return Fate::RolledBack(Refusal::argument("to", text));
            }
            Err(error) => return not_done(error),
        }
        let right = Stat::at(directory, &new).and_then(|stat| basis.is(task.root, &stat)).unwrap_or(false)
            && is_still_at(task.root, &from, &parent)
            && leads_to(task.root, &to, directory);
        if !right {
            return match rename(directory, &new, &parent, &name) {
                Ok(()) => Fate::RolledBack(Refusal::StateChanged),
                Err(error) => Fate::unknown(error),
            };
        }
        match synchronise(directory).and_then(|()| synchronise(&parent)) {
            Ok(()) => Fate::Done { result: moved, after: After::Changed },
            Err(error) => Fate::unknown(error),
        }
    })
}

fn rename(from: &Dir, name: &Segment, to: &Dir, new: &Segment) -> io::Result<()> {
    Ok(rustix::fs::renameat_with(from, name.as_str(), to, new.as_str(), RenameFlags::NOREPLACE)?)
}
