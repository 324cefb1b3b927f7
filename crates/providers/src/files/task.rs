//! What every operation gets: where to look, for whom, and for how long.

use worldspace_host::{Call, Context, Refusal};

use super::failure::refused;
use super::pool::Patience;
use super::root::{Found, Root};

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
}
