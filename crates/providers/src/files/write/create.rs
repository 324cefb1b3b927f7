//! `create_file`, `create_directory`: something new beside others. What is there already is an outcome, not an error.

use std::io::Write;

use rustix::fs::{AtFlags, Mode};
use rustix::io::Errno;
use worldspace_host::{After, Call, Done, Fate, LocalPath, Refusal};
use worldspace_model::{Segment, Value};

use super::{Writer, case_of, content, is_taken, leads_to, new_name, not_done, synchronise, unprepared};
use crate::files::failure::refused;
use crate::files::root::Inside;
use crate::files::stat::{Kind, Stat};
use crate::files::task::Task;

/// Where something new is to stand, and both answers.
struct Place {
    above: LocalPath,
    inside: Inside,
    name: Segment,
    created: Value,
    exists: Value,
}

impl Place {
    /// None where something stands there already.
    fn find(task: &Task<'_>, call: &Call, kind: Kind) -> Result<(Self, bool), Refusal> {
        let given = call.segment("name")?.ok_or_else(|| Refusal::argument("name", "is needed"))?;
        let inside = task.root.look_into(task.find(call)?).map_err(refused)?;
        let name = new_name(&inside, given, kind)?;
        let path = call.path().child(&name);
        let taken = is_taken(task, &inside, &path, &name);
        let (created, exists) = (case_of(task, "created", &path)?, case_of(task, "exists", &path)?);
        Ok((Self { above: call.path().clone(), inside, name, created, exists }, taken))
    }

    /// What to answer once it is there.
    fn made(self) -> Fate {
        match synchronise(&self.inside.directory) {
            Ok(()) => Fate::Done { result: self.created, after: After::Changed },
            Err(error) => Fate::unknown(error),
        }
    }

    /// Whether the directory is still where the caller named it.
    fn is_right(&self, task: &Task<'_>) -> bool {
        leads_to(task.root, &self.above, &self.inside.directory)
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
    let _one = writer.begin();
    call.fence_blocking(None, || {
        let directory = &place.inside.directory;
        match slot.put(directory, &place.name) {
            Ok(()) if place.is_right(task) => place.made(),
            Ok(()) => {
                let made = Stat::of(&file).map(|stat| stat.place);
                match slot.take(directory, &place.name) {
                    Ok(()) if slot.stat().is_ok_and(|out| made.is_ok_and(|made| out.place == made)) => {
                        slot.set_disposable(true);
                        Fate::RolledBack(Refusal::StateChanged)
                    }
                    Ok(()) => Fate::unknown("another file was taken away while one was to be undone"),
                    Err(error) => Fate::unknown(error),
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => place.exists(),
            Err(error) => not_done(error),
        }
    })
}

pub(super) fn directory(task: &Task<'_>, writer: &Writer, call: Call) -> Result<Done, Refusal> {
    let (place, taken) = Place::find(task, &call, Kind::Directory)?;
    if taken {
        return Ok(call.done(place.exists));
    }
    let _one = writer.begin();
    call.fence_blocking(None, || {
        let (directory, name) = (&place.inside.directory, place.name.as_str());
        match rustix::fs::mkdirat(directory, name, Mode::from_raw_mode(0o777)) {
            Ok(()) if place.is_right(task) => place.made(),
            Ok(()) => match rustix::fs::unlinkat(directory, name, AtFlags::REMOVEDIR) {
                Ok(()) => Fate::RolledBack(Refusal::StateChanged),
                Err(error) => Fate::unknown(std::io::Error::from(error)),
            },
            Err(Errno::EXIST) => place.exists(),
            Err(error) => not_done(error.into()),
        }
    })
}
