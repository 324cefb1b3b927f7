//! `create_file`, `create_directory`: something new beside others. What is there already is an outcome, not an error.

use std::fs::File;
use std::io::{self, Write};
use std::sync::MutexGuard;
use std::time::Instant;

use rustix::fs::{AtFlags, Mode};
use rustix::io::Errno;
use worldspace_host::{After, Call, Done, Fate, LocalPath, Refusal};
use worldspace_model::{Segment, Value};

use super::staging::Slot;
use super::{
    Names, Writer, case_of, content, is_taken, leads_to, new_name, not_done, require_own_filesystem,
    unprepared, whereabouts,
};
use crate::files::open;
use crate::files::root::Inside;
use crate::files::stat::{Kind, Stat};
use crate::files::task::Task;

/// Where something new is to stand, and both answers.
struct Place {
    above: LocalPath,
    inside: Inside,
    names: Names,
    name: Segment,
    created: Value,
    exists: Value,
}

impl Place {
    /// The place, and whether something stands there already.
    fn find(task: &Task<'_>, call: &Call, kind: Kind) -> Result<(Self, bool), Refusal> {
        let given = call.segment("name")?.ok_or_else(|| Refusal::argument("name", "is needed"))?;
        let inside = task.look_into(call)?;
        require_own_filesystem(task, &inside.directory)?;
        let names = Names::of(&inside.directory)?;
        let name = new_name(&inside, given, kind)?;
        let path = call.path().child(&name);
        let taken = is_taken(task, &inside, &path, &name);
        let (created, exists) = (case_of(task, "created", &path)?, case_of(task, "exists", &path)?);
        Ok((Self { above: call.path().clone(), inside, names, name, created, exists }, taken))
    }

    /// What to answer once it is there.
    fn made(self, one: MutexGuard<'_, ()>) -> Fate {
        drop(one);
        match self.names.synchronise() {
            Ok(()) => Fate::Done { result: self.created, after: After::Changed },
            Err(error) => Fate::unknown(error),
        }
    }

    /// Whether the directory is still where the caller named it.
    fn is_right(&self, task: &Task<'_>) -> bool {
        leads_to(task.root, &self.above, &self.inside.directory)
    }

    /// Takes the new file away from where it stands by now.
    fn undo(self, task: &Task<'_>, mut slot: Slot, file: &File) -> Fate {
        let end = Instant::now() + whereabouts::UNDOING;
        while let Ok(made) = Stat::of(file)
            && Instant::now() < end
        {
            if made.links == 0 {
                return self.names.undone();
            }
            let (directory, name) = match whereabouts::of(task.root.directory(), file) {
                Some(now) => now,
                None => match open::readable(&self.inside.directory) {
                    Ok(directory) => (directory, self.name.as_str().as_bytes().to_vec()),
                    Err(error) => return Fate::unknown(error),
                },
            };
            let is_made = |stat: io::Result<Stat>| stat.is_ok_and(|stat| stat.place == made.place);
            if !is_made(Stat::at_raw(&directory, &name)) || slot.take(&directory, &name).is_err() {
                std::thread::yield_now();
            } else if is_made(slot.stat()) {
                slot.set_disposable(true);
                return self.names.undone();
            } else if let Err(error) = slot.put(&directory, &name) {
                return Fate::unknown(error);
            }
        }
        Fate::unknown("others moved the new file again and again while it was undone")
    }

    fn exists(self) -> Fate {
        Fate::Done { result: self.exists, after: After::Unchanged }
    }
}

pub(super) fn file(task: &Task<'_>, writer: &Writer, call: Call) -> Result<Done, Refusal> {
    let content = content::given(&call)?.unwrap_or_default().to_vec();
    let (place, taken) = Place::find(task, &call, Kind::File)?;
    if taken {
        return Ok(call.done(place.exists));
    }
    let mut slot = writer.staging()?.slot().map_err(unprepared)?;
    let mut file = slot.create_as_in(&place.inside.directory).map_err(unprepared)?;
    file.write_all(&content).and_then(|()| file.sync_all()).map_err(unprepared)?;
    let one = writer.begin(task)?;
    call.fence_blocking(None, || match slot.put(&place.inside.directory, place.name.as_str().as_bytes()) {
        Ok(()) if place.is_right(task) => place.made(one),
        Ok(()) => place.undo(task, slot, &file),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => place.exists(),
        Err(error) => not_done(error, Some(&slot)),
    })
}

pub(super) fn directory(task: &Task<'_>, writer: &Writer, call: Call) -> Result<Done, Refusal> {
    let (place, taken) = Place::find(task, &call, Kind::Directory)?;
    if taken {
        return Ok(call.done(place.exists));
    }
    let one = writer.begin(task)?;
    call.fence_blocking(None, || {
        let (directory, name) = (&place.inside.directory, place.name.as_str());
        match rustix::fs::mkdirat(directory, name, Mode::from_raw_mode(0o777)) {
            Ok(()) if place.is_right(task) => place.made(one),
            // Where another directory is by now, only an empty one goes.
            Ok(()) => match rustix::fs::unlinkat(directory, name, AtFlags::REMOVEDIR) {
                Ok(()) => place.names.undone(),
                Err(error) => Fate::unknown(io::Error::from(error)),
            },
            Err(Errno::EXIST) => place.exists(),
            Err(Errno::INVAL) => Fate::RolledBack(unprepared(Errno::ILSEQ.into())),
            Err(error) => not_done(error.into(), None),
        }
    })
}
