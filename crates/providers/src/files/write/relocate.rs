//! `move`: into another directory of this mount, under the same name or another one.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, MutexGuard};
use std::time::Instant;

use cap_std::fs::Dir;
use rustix::fs::RenameFlags;
use worldspace_host::{After, Call, Done, Fate, LocalPath, Refusal};
use worldspace_model::{Segment, Value};

use super::basis::Basis;
use super::staging::Slot;
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
    let relocation = Relocation { task, writer, from, parent, name, to, inside, new, names, basis };
    call.fence_blocking(Some(&state), || relocation.run(one, moved, exists))
}

/// What changes its place.
struct Relocation<'r> {
    task: &'r Task<'r>,
    writer: &'r Writer,
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

/// What stood under the new name right behind the step, held.
type Met = (OwnedFd, Stat);

impl Relocation<'_> {
    fn run(&self, one: MutexGuard<'_, ()>, moved: Value, exists: Value) -> Fate {
        match self.step(exists) {
            Some(fate) => fate,
            None => self.settle(self.met(), one, moved),
        }
    }

    /// The one step; what came of it where it was not done.
    fn step(&self, exists: Value) -> Option<Fate> {
        // No rename can be told what to move. The less time between this look and the step, the less can come between.
        if !is_the_same(&Stat::at(&self.parent, &self.name), &self.basis.stat) {
            return Some(Fate::RolledBack(Refusal::StateChanged));
        }
        let (old, new) = (self.name.as_str().as_bytes(), self.new.as_str().as_bytes());
        let error = rename(&self.parent, old, &self.inside.directory, new).err()?;
        Some(match error.kind() {
            io::ErrorKind::AlreadyExists => Fate::Done { result: exists, after: After::Unchanged },
            io::ErrorKind::CrossesDevices => {
                let text = "is on another filesystem, and nothing moves from one to another in one step";
                Fate::RolledBack(Refusal::argument("to", text))
            }
            // Meanwhile the place where it goes was moved into it.
            io::ErrorKind::InvalidInput if self.basis.stat.kind == Kind::Directory => {
                Fate::RolledBack(Refusal::StateChanged)
            }
            _ => not_done(error, None),
        })
    }

    fn met(&self) -> io::Result<Met> {
        let held = open::hold(&self.inside.directory, &self.new)?;
        let stat = Stat::of(&held)?;
        Ok((held, stat))
    }

    /// Sees to it that what was moved is what was to be moved.
    fn settle(&self, met: io::Result<Met>, one: MutexGuard<'_, ()>, moved: Value) -> Fate {
        if !self.is_right(&met) {
            return self.undo(met);
        }
        drop(one);
        match self.names.1.synchronise().and_then(|()| self.names.0.synchronise()) {
            Ok(()) => Fate::Done { result: moved, after: After::Changed },
            Err(error) => Fate::unknown(error),
        }
    }

    /// Whether what moved is what was seen, and both directories are still where the caller named them.
    fn is_right(&self, met: &io::Result<Met>) -> bool {
        let root = self.task.root;
        let moved = match met {
            Ok((_, stat)) => Ok(*stat),
            Err(_) => Stat::at(&self.inside.directory, &self.new),
        };
        moved.and_then(|stat| self.basis.is(root, &stat)).unwrap_or(false)
            && is_still_at(root, &self.from, &self.parent)
            && leads_to(root, &self.to, &self.inside.directory)
    }

    /// Puts back what was moved. If another thing than the one that was seen stands under the new name, it cannot be told
    /// whether others put it under the old name before the step or under the new one behind it: what goes back is what the
    /// old directory is short of, so that each holds what it held.
    fn undo(&self, met: io::Result<Met>) -> Fate {
        let (seen, stat) = (self.basis.held(), &self.basis.stat);
        let is_in = |directory: &Dir| whereabouts::is_in(directory, seen);
        let told = match &met {
            Ok((held, met)) if met.place == stat.place => self.put_back(held.as_fd(), stat),
            Ok((held, met)) if is_in(&self.parent) => self.put_back(held.as_fd(), met),
            _ if is_in(&self.inside.directory) => self.put_back(seen, stat),
            Ok((held, met)) => self.put_back(held.as_fd(), met).and_then(|()| Err(untold())),
            Err(_) => Err(untold()),
        };
        match told.and_then(|()| self.names.1.synchronise()) {
            Ok(()) => self.names.0.undone(),
            Err(error) => Fate::unknown(error),
        }
    }

    /// Puts a thing back from where it stands by now. On the way it passes a place that others do not touch: only there
    /// is it certain what was taken.
    fn put_back(&self, thing: BorrowedFd<'_>, stat: &Stat) -> io::Result<()> {
        let end = Instant::now() + whereabouts::UNDOING;
        let mut slot = self.writer.staging().ok().and_then(|staging| staging.keeping_slot().ok());
        while Instant::now() < end {
            let (now, name) = match whereabouts::of(self.task.root.directory(), thing) {
                Some(now) => now,
                None => (open::readable(&self.inside.directory)?, self.new.as_str().as_bytes().to_vec()),
            };
            if is_the_same(&Stat::at_raw(&now, &name), stat)
                && self.put_back_from(&now, &name, slot.as_mut(), stat)?
            {
                return Ok(());
            }
            std::thread::yield_now();
        }
        Err(io::Error::other("others moved it again and again while a lost race was undone"))
    }

    /// Puts a thing back from there; false, and nothing is done, if it is not there any more.
    fn put_back_from(
        &self,
        now: &OwnedFd,
        name: &[u8],
        slot: Option<&mut Slot>,
        stat: &Stat,
    ) -> io::Result<bool> {
        let old = self.name.as_str().as_bytes();
        if let Some(slot) = slot {
            match slot.take(now, name) {
                Ok(()) if is_the_same(&slot.stat(), stat) => {
                    let back = slot.put(&self.parent, old);
                    // Another thing has the old name by now.
                    return back.map(|()| true).or_else(|error| slot.put(now, name).and(Err(error)));
                }
                Ok(()) => return slot.put(now, name).map(|()| false),
                Err(error) if error.kind() == io::ErrorKind::NotFound && !slot.is_lost() => return Ok(false),
                // A directory that may not be written leaves the one that it stands in for no other.
                Err(_) => {}
            }
        }
        match rename(now, name, &self.parent, old) {
            Ok(()) if is_the_same(&Stat::at(&self.parent, &self.name), stat) => Ok(true),
            Ok(()) => Err(untold()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn is_the_same(found: &io::Result<Stat>, stat: &Stat) -> bool {
    found.as_ref().is_ok_and(|found| found.place == stat.place)
}

fn untold() -> io::Error {
    io::Error::other(
        "others moved things under both names, so that it cannot be told which was moved by whom",
    )
}

fn rename(from: impl AsFd, name: &[u8], to: impl AsFd, new: &[u8]) -> io::Result<()> {
    Ok(rustix::fs::renameat_with(from, name, to, new, RenameFlags::NOREPLACE)?)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use worldspace_model::EntryPath;

    use super::*;
    use crate::files::testing::{Meddling, Overtaken, check_overtaken, overtakers, write_instead};

    fn relocation<'t>(task: &'t Task<'_>, from: &LocalPath, to: &LocalPath, new: &str) -> Relocation<'t> {
        let found = task.root.find(from).unwrap();
        let basis = Basis::of(task.root, &found).unwrap();
        let (parent, name) = found.above.unwrap();
        let inside = task.root.look_into(task.root.find(to).unwrap()).unwrap();
        let names = (Names::of(&parent).unwrap(), Names::of(&inside.directory).unwrap());
        let (writer, new) = (task.root.writer.as_ref().unwrap(), Segment::parse(new).unwrap());
        let (from, to) = (from.clone(), to.clone());
        Relocation { task, writer, from, parent, name, to, inside, new, names, basis }
    }

    impl Relocation<'_> {
        fn rename(&self) {
            let (old, new) = (self.name.as_str().as_bytes(), self.new.as_str().as_bytes());
            rename(&self.parent, old, &self.inside.directory, new).unwrap();
        }
    }

    #[test]
    fn what_another_has_put_there_is_not_moved() {
        let run: Overtaken = |task, call, between| {
            let state = task.root.state(&task.find(&call)?).unwrap();
            let relocation = relocation(task, call.path(), &call.local("to")?.unwrap(), "f");
            call.fence_blocking(Some(&state), || {
                between();
                relocation.run(relocation.writer.begin(task).unwrap(), Value::Unit, Value::Unit)
            })
        };
        for (between, mut then) in overtakers() {
            then.push(("d/f", None));
            let to = Value::Entry(EntryPath::parse("/w/d").unwrap());
            check_overtaken("move", vec![("to", to)], run, between, &then);
        }
    }

    /// What others do right before the step and right behind it, whether the caller is told that nothing happened, and
    /// what stands there then.
    type Between = (Vec<Meddling>, Vec<Meddling>, bool, &'static [(&'static str, Option<&'static str>)]);

    /// Moves `mine` while others meddle. Beside it stands `others`, and `e/c` holds `theirs`.
    fn check(from: &'static str, to: &'static str, new: &'static str, cases: Vec<Between>) {
        for (before, behind, undone, then) in cases {
            let shown = format!("{from} to {to}/{new}, {before:?} {behind:?}");
            let directory = tempfile::tempdir().unwrap();
            let at = directory.path().to_owned();
            for (name, content) in
                [(&from[1..], "mine"), ("d/b", "others"), ("e/c", "theirs"), ("t/x", ""), ("f", "")]
            {
                std::fs::create_dir_all(at.join(name).parent().unwrap()).unwrap();
                std::fs::write(at.join(name), content).unwrap();
            }
            let (place, show) = (at.clone(), shown.clone());
            let told = write_instead(&at, move |task, call| {
                let path = |path: &str| LocalPath::parse(path).unwrap();
                let relocation = relocation(task, &path(from), &path(to), new);
                before.iter().for_each(|meddling| meddling.run(&place));
                relocation.rename();
                behind.iter().for_each(|meddling| meddling.run(&place));
                let one = relocation.writer.begin(task).unwrap();
                match relocation.settle(relocation.met(), one, Value::Unit) {
                    Fate::RolledBack(Refusal::StateChanged) => assert!(undone, "{show}: nothing happened"),
                    Fate::Unknown(cause) => assert!(!undone, "{show}: {cause}"),
                    fate => panic!("{show}: {fate:?}"),
                }
                Ok(call.done(Value::Unit))
            });
            told.unwrap();
            let read = |name: &str| std::fs::read_to_string(at.join(name)).ok();
            for (name, content) in then {
                assert_eq!(read(name).as_deref(), *content, "{shown}: {name}");
            }
            assert!(!at.join(super::super::staging::NAME).exists(), "{shown}: something is kept");
        }
    }

    #[test]
    fn what_others_exchange_around_the_step_stays_in_its_directory() {
        use Meddling::{Exchange, Rename};
        let in_d = || vec![Exchange("d/a", "d/b")];
        check(
            "/d/a",
            "/t",
            "m",
            vec![
                (in_d(), vec![], true, &[("d/a", Some("others")), ("d/b", Some("mine")), ("t/m", None)]),
                // Moved on from the new name.
                (vec![], vec![Rename("t/m", "t/n")], true, &[("d/a", Some("mine")), ("t/n", None)]),
                (vec![], vec![Rename("t/m", "e/m")], false, &[("d/a", None), ("e/m", Some("mine"))]),
                // Another thing has the old name by then: both stay, and it is said that something happened.
                (
                    in_d(),
                    vec![Rename("e/c", "d/a")],
                    false,
                    &[("d/a", Some("theirs")), ("d/b", Some("mine")), ("t/m", Some("others"))],
                ),
                // Saved over the old name or over the new one: nobody can tell, so nothing is claimed.
                (
                    vec![Rename("e/c", "d/a")],
                    vec![],
                    false,
                    &[("d/a", Some("theirs")), ("d/b", Some("others")), ("t/m", None)],
                ),
                (vec![], vec![Rename("e/c", "t/m")], false, &[("d/b", Some("others")), ("e/c", None)]),
            ],
        );
        // Where others exchange the new name, theirs is not what was moved.
        let then = &[("t/m", Some("mine")), ("d/a", Some("others")), ("d/b", None)];
        check("/t/m", "/d", "a", vec![(vec![], in_d(), true, then)]);
        let then = &[("d/a", Some("others")), ("d/b", Some("mine")), ("d/m", None)];
        check(
            "/d/a",
            "/d",
            "m",
            vec![(in_d(), vec![], true, then), (vec![], vec![Exchange("d/m", "d/b")], true, then)],
        );
    }

    /// What is put back may be exchanged at once, and is not fetched again for that.
    #[test]
    fn what_is_put_back_leaves_nothing_behind_however_fast_others_exchange_it() {
        const ROUNDS: u32 = 5_000;
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path().to_owned();
        for name in ["d/a", "d/b", "t/x", "f"] {
            std::fs::create_dir_all(at.join(name).parent().unwrap()).unwrap();
            std::fs::write(at.join(name), "").unwrap();
        }
        let told = write_instead(&at.clone(), move |task, call| {
            let path = |path: &str| LocalPath::parse(path).unwrap();
            let relocation = relocation(task, &path("/d/a"), &path("/t"), "m");
            let (stop, within) = (AtomicBool::new(false), std::fs::File::open(at.join("d")).unwrap());
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        let _ = rustix::fs::renameat_with(&within, "a", &within, "b", RenameFlags::EXCHANGE);
                    }
                });
                let put_back = || {
                    relocation.rename();
                    let (held, met) = relocation.met()?;
                    relocation.put_back(held.as_fd(), &met)
                };
                let left = |_: &u32| {
                    put_back().is_err() || Stat::at(&relocation.inside.directory, &relocation.new).is_ok()
                };
                let left = (0..ROUNDS).find(left);
                stop.store(true, Ordering::Relaxed);
                assert_eq!(left, None);
            });
            Ok(call.done(Value::Unit))
        });
        told.unwrap();
    }

    /// Others may exchange it between the look at where it stands and the step back.
    #[test]
    fn what_is_not_what_is_put_back_stays_where_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path().to_owned();
        for name in ["d/a", "d/b", "t/m", "f"] {
            std::fs::create_dir_all(at.join(name).parent().unwrap()).unwrap();
            std::fs::write(at.join(name), name).unwrap();
        }
        let told = write_instead(&at.clone(), move |task, call| {
            let path = |path: &str| LocalPath::parse(path).unwrap();
            let relocation = relocation(task, &path("/d/a"), &path("/t"), "m");
            std::fs::remove_file(at.join("d/a")).unwrap();
            let mut slot = relocation.writer.staging().unwrap().keeping_slot().unwrap();
            let mine = &relocation.basis.stat;
            let back = relocation.put_back_from(&relocation.names.1.0, b"m", Some(&mut slot), mine);
            assert!(!back.unwrap());
            assert_eq!(std::fs::read_to_string(at.join("t/m")).unwrap(), "t/m");
            assert!(!at.join("d/a").exists());
            // Where there is no place to pass, nobody can tell what it was.
            let back = relocation.put_back_from(&relocation.names.1.0, b"m", None, mine);
            assert!(back.is_err());
            Ok(call.done(Value::Unit))
        });
        told.unwrap();
    }
}
