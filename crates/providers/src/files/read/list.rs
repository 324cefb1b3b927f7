//! `list`: what stands in a directory, page by page. A page costs what is on it, wherever it begins.

use std::io;

use worldspace_host::{Call, Refusal};
use worldspace_model::Value;

use crate::budget::Budget;
use crate::files::failure::refused;
use crate::files::names::{Names, RawName};
use crate::files::root::Inside;
use crate::files::stat::{Kind, Stat, Time};
use crate::files::task::Task;

/// Items on a page unless the caller says otherwise.
pub(in crate::files) const USUAL: usize = 500;
/// Items on a page at most.
pub(in crate::files) const MOST: usize = 5_000;
/// Names looked at for a page at most: where nearly all are left out, a short page is better than a long wait.
const LOOKED_AT: usize = 50_000;

/// Where a page ends: in which directory, behind which name.
struct Place {
    directory: Vec<u8>,
    behind: i64,
}

pub(super) fn run(task: &Task<'_>, call: &Call) -> Result<Value, Refusal> {
    let limit = call.count("limit", USUAL, MOST)?;
    let inside = task.look_into(call)?;
    let directory = mark(&Stat::of(&inside.directory).map_err(refused)?);
    let names = match call.open_cursor("cursor")? {
        None => Names::read(&inside.directory),
        Some(sealed) => match Place::read(&sealed) {
            Some(place) if place.directory == directory => {
                Names::read_behind(&inside.directory, place.behind)
            }
            _ => {
                let why =
                    "is of a directory that was replaced since; leave it out to list the one that is there";
                return Err(Refusal::argument("cursor", why));
            }
        },
    };
    let mut page = Page { items: Vec::new(), unnamed: 0, end: None, budget: Budget::of(task.context) };
    page.fill(task, call, &inside, names.map_err(refused)?, limit)?;
    let next = page.end.map(|behind| call.seal_cursor(&Place { directory, behind }.write())).transpose()?;
    Ok(Value::record([
        ("items", Some(Value::list(page.items)?)),
        ("next_cursor", next.map(Value::from)),
        ("unnamed", (page.unnamed > 0).then(|| Value::count(page.unnamed))),
    ])?)
}

struct Page {
    items: Vec<Value>,
    unnamed: u64,
    /// The place behind the page, if it is not the last.
    end: Option<i64>,
    budget: Budget,
}

impl Page {
    fn fill(
        &mut self,
        task: &Task<'_>,
        call: &Call,
        inside: &Inside,
        names: Names,
        limit: usize,
    ) -> Result<(), Refusal> {
        let mut behind = None;
        for (looked_at, name) in names.enumerate() {
            let name = name.map_err(refused)?;
            let full = self.items.len() == limit || looked_at == LOOKED_AT;
            // The first name is always dealt with, so that each page gets further.
            if behind.is_some() && (full || task.patience.is_over()) {
                self.end = behind;
                return Ok(());
            }
            let place = name.behind;
            if !self.take(task, call, inside, &name)? {
                self.end = behind;
                return Ok(());
            }
            behind = Some(place);
        }
        Ok(())
    }

    /// Takes a name onto the page or passes it over; whether there was room for it.
    fn take(
        &mut self,
        task: &Task<'_>,
        call: &Call,
        inside: &Inside,
        name: &RawName,
    ) -> Result<bool, Refusal> {
        if inside.rules.hides(name.bytes()) {
            return Ok(true);
        }
        let Some(segment) = name.segment() else {
            self.unnamed += 1;
            return Ok(true);
        };
        let Some(stat) = known(Stat::at(&inside.directory, &segment)) else { return Ok(true) };
        let kind = stat.map(|stat| stat.kind).or(name.kind).unwrap_or(Kind::Other);
        let path = call.path().child(&segment);
        let entry = task.context.entry(&path);
        // What another mount stands on is not this directory's to show.
        let shadowed = task.context.local(&entry).is_none();
        if shadowed || inside.rules.leaves_out(segment.as_str(), kind) {
            return Ok(true);
        }
        if !self.budget.take(&[entry.as_str()]) {
            return Ok(false);
        }
        let size = stat.filter(|_| kind == Kind::File).map(|stat| Value::count(stat.size));
        let modified = stat.map(|stat| Value::from(stat.modified.text()));
        self.items.push(Value::record([
            ("entry", Some(Value::Entry(entry))),
            ("kind", Some(Value::from(kind.name()))),
            ("size", size),
            ("modified", modified),
        ])?);
        Ok(true)
    }
}

/// What is known of a name, if it is still there. Where it cannot be looked at, that it is there is all that is known:
/// one name on a bad spot of the disk is no reason to show none of the others.
fn known(looked_at: io::Result<Stat>) -> Option<Option<Stat>> {
    match looked_at {
        Ok(stat) => Some(Some(stat)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            tracing::debug!(%error, "a name is listed that cannot be looked at");
            Some(None)
        }
    }
}

/// What tells a directory from one that takes its place.
fn mark(stat: &Stat) -> Vec<u8> {
    let mut mark = Vec::with_capacity(28);
    mark.extend_from_slice(&stat.place.device.to_le_bytes());
    mark.extend_from_slice(&stat.place.inode.to_le_bytes());
    stat.born.unwrap_or(Time { seconds: 0, nanos: 0 }).write(&mut mark);
    mark
}

impl Place {
    fn write(&self) -> Vec<u8> {
        [&self.behind.to_le_bytes(), self.directory.as_slice()].concat()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (behind, directory) = bytes.split_first_chunk()?;
        Some(Self { behind: i64::from_le_bytes(*behind), directory: directory.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::*;

    #[test]
    fn a_name_that_cannot_be_looked_at_is_listed_and_one_that_is_gone_is_not() {
        for (error, known_) in [
            (Errno::NOENT, None),
            (Errno::IO, Some(None)),
            (Errno::STALE, Some(None)),
            (Errno::ACCESS, Some(None)),
        ] {
            assert_eq!(known(Err(error.into())), known_, "{error}");
        }
        let stat = Stat::of(tempfile::tempfile().unwrap()).unwrap();
        assert_eq!(known(Ok(stat)), Some(Some(stat)));
    }
}
