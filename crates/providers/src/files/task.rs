//! What every operation gets: where to look, for whom, and for how long.

use worldspace_host::{Call, Context, Refusal};

use super::failure::refused;
use super::root::{Found, Inside, Root};
use super::stat::Stat;
use crate::pool::Patience;

/// How often to look again where another thing took the place of the one that was found before it was opened.
const TRIES: usize = 8;

/// An operation that runs.
pub(super) struct Task<'t> {
    pub(super) root: &'t Root,
    pub(super) context: &'t Context,
    pub(super) patience: &'t Patience,
}

impl Task<'_> {
    /// What stands at the target: another kind of thing than was called is another state of it.
    pub(super) fn find(&self, call: &Call) -> Result<Found, Refusal> {
        let found = self.root.find(call.path()).map_err(refused)?;
        let published = self.root.interfaces.of(found.stat.kind);
        if published.contains(call.interface()) { Ok(found) } else { Err(Refusal::StateChanged) }
    }

    /// Opens the file that is called.
    pub(super) fn open_file(&self, call: &Call) -> Result<(std::fs::File, Stat), Refusal> {
        for _ in 0..TRIES {
            let found = self.find(call)?;
            let (file, stat) = self.root.read_file(&found).map_err(refused)?;
            if is_the_same(&found.stat, &stat) {
                return Ok((file, stat));
            }
        }
        Err(Refusal::StateChanged)
    }

    /// Opens the directory that is called, in the state that the caller observed.
    pub(super) fn look_into(&self, call: &Call) -> Result<Inside, Refusal> {
        for _ in 0..TRIES {
            let found = self.find(call)?;
            let stat = found.stat;
            self.confirm(call, &found)?;
            let inside = self.root.look_into(found).map_err(refused)?;
            if is_the_same(&stat, &Stat::of(&inside.directory).map_err(refused)?) {
                return Ok(inside);
            }
        }
        Err(Refusal::StateChanged)
    }

    /// Sees to it that what was read of an open file is of the state that the caller observed, if the call is bound to
    /// one: under the name there may have been another file for a moment.
    pub(super) fn confirm_file(&self, call: &Call, file: &std::fs::File) -> Result<(), Refusal> {
        // A state may take reading the file once more.
        if !call.is_bound() {
            return Ok(());
        }
        let stat = Stat::of(file).map_err(refused)?;
        let state = self.root.states.of_file(&stat, || Ok((file.try_clone()?, stat)));
        call.compare(&state.token)
    }

    /// As [`Self::confirm_file`], of what was said of a thing without opening it, or of a directory.
    pub(super) fn confirm(&self, call: &Call, found: &Found) -> Result<(), Refusal> {
        if !call.is_bound() {
            return Ok(());
        }
        call.compare(&self.root.state(found).map_err(refused)?)
    }
}

fn is_the_same(found: &Stat, opened: &Stat) -> bool {
    (found.place, found.born) == (opened.place, opened.born)
}
