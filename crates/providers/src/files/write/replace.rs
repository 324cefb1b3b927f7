//! New content takes the place of a file: both change places in one step, and what came out is looked at.

use std::fs::File;
use std::sync::Arc;

use cap_std::fs::Dir;
use worldspace_host::{After, Call, Done, Fate, LocalPath, Refusal};
use worldspace_model::{Segment, Value};

use super::basis::Basis;
use super::staging::Slot;
use super::{Writer, dress, is_still_at, not_done, synchronise, unprepared};
use crate::files::failure::refused;
use crate::files::open;
use crate::files::stat::{Place, Stat};
use crate::files::state::Digest;
use crate::files::task::Task;

/// Content that is ready.
pub(super) struct Ready {
    pub(super) slot: Slot,
    pub(super) file: File,
    /// Its digest, where it is short enough to be read again.
    pub(super) digest: Option<Digest>,
}

/// A file that gets new content.
struct Swap<'s> {
    task: &'s Task<'s>,
    path: LocalPath,
    parent: Arc<Dir>,
    name: Segment,
    basis: Basis,
    ready: Ready,
    /// The new file before the step.
    made: Stat,
}

/// What an exchange has brought out.
struct Met {
    right: bool,
    place: Option<Place>,
}

/// How often an exchange is undone anew that others have undone: each time takes a few microseconds.
const UNDOING: usize = 1_000;

/// Puts content in the place of what it was made from.
pub(super) fn run(
    task: &Task<'_>,
    writer: &Writer,
    call: Call,
    basis: Basis,
    ready: Ready,
    result: Value,
) -> Result<Done, Refusal> {
    let dressed = dress::like(&ready.file, basis.file().map_err(refused)?);
    dressed.map_err(|error| match error.kind() {
        std::io::ErrorKind::PermissionDenied => Refusal::PermissionDenied(
            "the Host cannot keep the owner or the access rules of the file, and would take it from whom it belongs to; \
             whoever runs the Host can change that"
                .to_owned(),
        ),
        _ => unprepared(error),
    })?;
    ready.file.sync_all().map_err(unprepared)?;
    let made = Stat::of(&ready.file).map_err(unprepared)?;
    let _one = writer.begin();
    let found = task.find(&call)?;
    let state = task.root.state(&found).map_err(refused)?;
    let Some((parent, name)) = found.above.filter(|_| found.stat.stamp() == basis.stat.stamp()) else {
        return Err(Refusal::StateChanged);
    };
    let path = call.path().clone();
    let swap = Swap { task, path, parent, name, basis, ready, made };
    call.fence_blocking(Some(&state), || swap.run(result))
}

impl Swap<'_> {
    fn run(mut self, result: Value) -> Fate {
        let identities = &self.task.root.identities;
        let (parent, name, patience) = (&self.parent, &self.name, self.task.patience);
        let identity = identities.of(&self.basis.stat, patience, || open::hold(parent, name));
        let hold = || Ok(self.ready.file.try_clone()?.into());
        let carried = identities.carry(identity.as_ref(), &self.made, patience, hold);
        if let Err(error) = self.ready.slot.exchange(parent, name) {
            identities.give_back(&self.made);
            return not_done(error);
        }
        let met = self.met();
        if !met.right || !is_still_at(self.task.root, &self.path, &self.parent) {
            identities.give_back(&self.made);
            return self.undo(&met);
        }
        self.ready.slot.discard();
        if let Err(error) = synchronise(&self.parent) {
            return Fate::unknown(error);
        }
        identities.give_back(&self.basis.stat);
        // Somebody gave what was replaced another name: that one is the same thing as before, and this one is new.
        let same = carried == identity.is_some() && self.basis.is_gone();
        if !same {
            identities.give_back(&self.made);
        }
        let after = self.after().filter(|_| same).unwrap_or(After::Changed);
        Fate::Done { result, after }
    }

    /// Whether the step met what the content was made from, and in a directory that is still where the caller named it.
    fn met(&self) -> Met {
        let replaced = self.ready.slot.stat();
        let right = replaced.as_ref().is_ok_and(|stat| self.basis.is(self.task.root, stat).unwrap_or(false));
        Met { right, place: replaced.ok().map(|stat| stat.place) }
    }

    /// Exchanges both once more, so that nothing of this call stays. Others may meanwhile have moved the new file, or put
    /// their own in its place, and have the last word then.
    fn undo(mut self, met: &Met) -> Fate {
        for _ in 0..UNDOING {
            let Ok(out) = self.ready.slot.stat() else { break };
            let gone = Stat::of(&self.ready.file).is_ok_and(|stat| stat.links == 0);
            if out.place == self.made.place || (gone && met.place == Some(out.place)) {
                self.ready.slot.set_disposable(true);
                return match synchronise(&self.parent) {
                    Ok(()) => Fate::RolledBack(Refusal::StateChanged),
                    Err(error) => Fate::unknown(error),
                };
            }
            match self.ready.slot.exchange(&self.parent, &self.name) {
                Ok(()) => {}
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Fate::unknown(error),
            }
        }
        self.ready.slot.set_disposable(met.right);
        Fate::unknown("others moved the file again and again while a lost race was undone")
    }

    /// The state of the new file, if nobody has changed it since; a large one has none that lasts at once.
    fn after(&self) -> Option<After> {
        let Ready { file, digest, .. } = &self.ready;
        let states = &self.task.root.states;
        let mut stat = Stat::of(file).ok()?;
        if digest.is_none() {
            std::thread::sleep(states.patience(&stat)?);
            stat = Stat::of(file).ok()?;
        }
        let untouched = (stat.size, stat.modified) == (self.made.size, self.made.modified);
        let state = untouched.then(|| states.of_own(&stat, *digest))?;
        state.lasts.then_some(After::State(state.token))
    }
}

#[cfg(test)]
mod tests {
    use super::super::content;
    use super::*;
    use crate::files::testing::{Overtaken, check_overtaken, overtakers};

    #[test]
    fn who_was_faster_keeps_what_he_wrote() {
        let run: Overtaken = |task, call, between| {
            let found = task.find(&call)?;
            let basis = Basis::of(task.root, &found).unwrap();
            let ready = content::ready(task.root.writer.as_ref().unwrap(), b"mine")?;
            let state = task.root.state(&found).unwrap();
            let made = Stat::of(&ready.file).unwrap();
            let (parent, name) = found.above.unwrap();
            let swap = Swap { task, path: call.path().clone(), parent, name, basis, ready, made };
            call.fence_blocking(Some(&state), || {
                between();
                swap.run(Value::Unit)
            })
        };
        for (between, then) in overtakers() {
            check_overtaken("write", vec![("text", Value::from(""))], run, between, &then);
        }
    }
}
