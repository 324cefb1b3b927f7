//! New content takes the place of a file: both change places in one step, and what came out is looked at.

use std::fs::File;
use std::io;
use std::sync::{Arc, MutexGuard};
use std::time::Instant;

use cap_std::fs::Dir;
use worldspace_host::{After, Call, Done, Fate, LocalPath, Refusal};
use worldspace_model::{Segment, Value};

use super::basis::Basis;
use super::dress::Dress;
use super::staging::Slot;
use super::{Names, Writer, is_still_at, not_done, unprepared, whereabouts};
use crate::files::failure::refused;
use crate::files::open;
use crate::files::stat::{Place, Stat};
use crate::files::state::{Digest, READ, digest_of};
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
    names: Names,
    name: Segment,
    basis: Basis,
    /// What the new file has of the old one besides.
    dress: Dress,
    ready: Ready,
    /// The new file before the step.
    made: Stat,
}

/// What an exchange has brought out.
struct Met {
    right: bool,
    place: Option<Place>,
}

/// Puts content in the place of what it was made from.
pub(super) fn run(
    task: &Task<'_>,
    writer: &Writer,
    call: Call,
    basis: Basis,
    ready: Ready,
    result: Value,
) -> Result<Done, Refusal> {
    let dress = Dress::of(basis.file().map_err(refused)?).map_err(unprepared)?;
    dress.put_on(&ready.file).map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => Refusal::PermissionDenied(
            "the Host cannot keep the owner or the access rules of the file, and would take it from whom it belongs to; \
             whoever runs the Host can change that"
                .to_owned(),
        ),
        _ => unprepared(error),
    })?;
    ready.file.sync_all().map_err(unprepared)?;
    let made = Stat::of(&ready.file).map_err(unprepared)?;
    let one = writer.begin(task)?;
    let found = task.find(&call)?;
    let state = task.root.state(&found).map_err(refused)?;
    let Some((parent, name)) = found.above.filter(|_| found.stat.stamp() == basis.stat.stamp()) else {
        return Err(Refusal::StateChanged);
    };
    let (path, names) = (call.path().clone(), Names::of(&parent)?);
    let swap = Swap { task, path, parent, names, name, basis, dress, ready, made };
    call.fence_blocking(Some(&state), || swap.run(one, result))
}

impl Swap<'_> {
    fn run(mut self, one: MutexGuard<'_, ()>, result: Value) -> Fate {
        let identities = &self.task.root.identities;
        let (parent, name, patience) = (&self.parent, &self.name, self.task.patience);
        let identity = identities.of(&self.basis.stat, patience, || open::hold(parent, name));
        if let Err(error) = self.ready.slot.exchange(parent, name.as_str().as_bytes()) {
            return not_done(error, Some(&self.ready.slot));
        }
        let exchanged = Stat::of(&self.ready.file);
        let met = self.met();
        if !met.right || !is_still_at(self.task.root, &self.path, &self.parent) {
            return self.undo(&met);
        }
        let hold = || Ok(self.ready.file.try_clone()?.into());
        let carried = identities.carry(identity.as_ref(), &self.made, patience, hold);
        self.ready.slot.discard();
        // Somebody gave what was replaced another name: that one is the same thing as before, and this one is new.
        let same = carried == identity.is_some() && self.basis.is_gone();
        identities.give_back(if same { &self.basis.stat } else { &self.made });
        drop(one);
        if let Err(error) = self.names.synchronise() {
            return Fate::unknown(error);
        }
        let after = exchanged.ok().filter(|_| same).and_then(|exchanged| self.after(&exchanged));
        Fate::Done { result, after: after.unwrap_or(After::Changed) }
    }

    /// Whether the step met what the content was made from, and in a directory that is still where the caller named it.
    fn met(&self) -> Met {
        let replaced = self.ready.slot.stat();
        let unchanged = |stat: &Stat| {
            let dress = self.basis.file().and_then(Dress::of)?;
            Ok::<_, io::Error>(dress == self.dress && self.basis.is(self.task.root, stat)?)
        };
        let right = replaced.as_ref().is_ok_and(|stat| unchanged(stat).unwrap_or(false));
        Met { right, place: replaced.ok().map(|stat| stat.place) }
    }

    /// Puts back what came out where the new file stands by now, so that all is as if this call had never been. Others
    /// may meanwhile have put their own in the place of the new file, and have the last word then.
    fn undo(mut self, met: &Met) -> Fate {
        let end = Instant::now() + whereabouts::UNDOING;
        while let Ok(out) = self.ready.slot.stat() {
            let gone = Stat::of(&self.ready.file).is_ok_and(|stat| stat.links == 0);
            if out.place == self.made.place || (gone && met.place == Some(out.place)) {
                self.ready.slot.set_disposable(true);
                return self.names.undone();
            }
            if Instant::now() >= end {
                break;
            }
            if let Err(error) = self.put_back() {
                return Fate::unknown(error);
            }
        }
        // What came out first, if it was what the caller saw. Anything else is somebody's.
        let seen = met.right && self.ready.slot.stat().is_ok_and(|out| Some(out.place) == met.place);
        self.ready.slot.set_disposable(seen);
        Fate::unknown("others moved the file again and again while a lost race was undone")
    }

    /// Exchanges what came out with the new file, if it is still there when that is done.
    fn put_back(&mut self) -> io::Result<()> {
        let slot = &mut self.ready.slot;
        let (directory, name) = match whereabouts::of(self.task.root.directory(), &self.ready.file) {
            Some(now) => now,
            None => (open::readable(&self.parent)?, self.name.as_str().as_bytes().to_vec()),
        };
        let is_new = |stat: io::Result<Stat>| stat.is_ok_and(|stat| stat.place == self.made.place);
        if !is_new(Stat::at_raw(&directory, &name)) {
            std::thread::yield_now();
            return Ok(());
        }
        // Others may be faster once more; then both go back to where they were.
        for _ in 0..2 {
            match slot.exchange(&directory, &name) {
                Ok(()) if is_new(slot.stat()) => break,
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// The state of the new file, if nobody has changed it since the exchange; a large one has none that lasts at once.
    fn after(&self, exchanged: &Stat) -> Option<After> {
        let Ready { file, digest, .. } = &self.ready;
        let states = &self.task.root.states;
        // Nobody wrote into it before either, unless he set back the time.
        let written = |stat: &Stat| (stat.size, stat.modified);
        if written(exchanged) != written(&self.made) {
            return None;
        }
        if digest.is_none() {
            std::thread::sleep(states.patience(exchanged)?);
        }
        // What is young here is looked at once more before it counts as old.
        let state = states.of_own(exchanged, *digest);
        let same = digest.is_none() || digest_of(file, READ).is_ok_and(|now| Some(now) == *digest);
        let untouched = same && Stat::of(file).is_ok_and(|now| now.stamp() == exchanged.stamp());
        (untouched && state.lasts).then_some(After::State(state.token))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::super::content;
    use super::*;
    use crate::files::testing::{Overtaken, check_overtaken, overtakers};

    #[test]
    fn who_was_faster_keeps_what_he_wrote() {
        let run: Overtaken = |task, call, between| {
            let found = task.find(&call)?;
            let basis = Basis::of(task.root, &found).unwrap();
            let writer = task.root.writer.as_ref().unwrap();
            let ready = content::prepare(writer, |file| file.write_all(b"mine"))?;
            let state = task.root.state(&found).unwrap();
            let made = Stat::of(&ready.file).unwrap();
            let (parent, name) = found.above.unwrap();
            let (path, names) = (call.path().clone(), Names::of(&parent)?);
            let dress = Dress::of(basis.file().unwrap()).unwrap();
            let swap = Swap { task, path, parent, names, name, basis, dress, ready, made };
            call.fence_blocking(Some(&state), || {
                between();
                swap.run(writer.begin(task).unwrap(), Value::Unit)
            })
        };
        for (between, then) in overtakers() {
            check_overtaken("write", vec![("text", Value::from(""))], run, between, &then);
        }
    }

    /// What is told as the state behind the call is that of the content that the call wrote.
    #[test]
    fn no_state_is_told_of_what_another_wrote_behind_the_exchange() {
        for (theirs, old) in [(false, false), (false, true), (true, false), (true, true)] {
            let directory = tempfile::tempdir().unwrap();
            let at = directory.path().to_owned();
            std::fs::write(at.join("f"), "seen").unwrap();
            let told = crate::files::testing::write_instead(&at.clone(), move |task, call| {
                let found = task.find(&call)?;
                let basis = Basis::of(task.root, &found)?;
                let writer = task.root.writer.as_ref().unwrap();
                let ready = content::prepare(writer, |file| file.write_all(b"mine"))?;
                let made = Stat::of(&ready.file).unwrap();
                let (parent, name) = found.above.unwrap();
                let (path, names) = (call.path().clone(), Names::of(&parent)?);
                let dress = Dress::of(basis.file().unwrap()).unwrap();
                let mut swap = Swap { task, path, parent, names, name, basis, dress, ready, made };
                swap.ready.slot.exchange(&swap.parent, swap.name.as_str().as_bytes()).unwrap();
                swap.ready.slot.discard();
                let exchanged = Stat::of(&swap.ready.file).unwrap();
                if theirs {
                    crate::files::testing::rewrite(&at.join("f"), b"them");
                }
                if old {
                    std::thread::sleep(task.root.states.patience(&exchanged).unwrap_or_default());
                }
                let after = swap.after(&exchanged);
                assert_eq!(after.is_some(), !theirs, "{theirs} {old}");
                // Nor is it taken for the caller's later.
                if let Some(After::State(state)) = after {
                    assert!(task.root.state(&task.find(&call)?).unwrap() == state);
                }
                Ok(call.done(Value::Unit))
            });
            told.unwrap();
        }
    }

    #[test]
    fn what_changes_while_it_is_read_is_no_basis() {
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path().to_owned();
        std::fs::write(at.join("f"), "seen").unwrap();
        let told = crate::files::testing::write_instead(&at.clone(), move |task, call| {
            let found = task.find(&call)?;
            std::thread::sleep(task.root.states.patience(&found.stat).unwrap_or_default());
            crate::files::testing::rewrite(&at.join("f"), b"them");
            assert!(matches!(Basis::of(task.root, &found), Err(Refusal::StateChanged)));
            Ok(call.done(Value::Unit))
        });
        told.unwrap();
    }
}
