//! The operations that read.

use worldspace_host::{Call, Context, Done, Refusal};

use super::failure::refused;
use super::interfaces::{DIRECTORY, FILE, OTHER};
use super::pool::Patience;
use super::root::{Found, Root};
use super::stat::Kind;

pub(super) mod bytes;
pub(super) mod find;
pub(super) mod list;
mod metadata;
mod search;
pub(super) mod text;

/// What every operation gets: where to look, for whom, and for how long.
pub(super) struct Task<'t> {
    pub(super) root: &'t Root,
    pub(super) context: &'t Context,
    pub(super) patience: &'t Patience,
}

impl Task<'_> {
    /// What stands at the target: another kind of thing than was called is another state of it.
    fn find(&self, call: &Call) -> Result<Found, Refusal> {
        let found = self.root.find(call.path()).map_err(refused)?;
        let publishes = match found.stat.kind {
            Kind::Directory => DIRECTORY,
            Kind::File => FILE,
            Kind::Link | Kind::Other => OTHER,
        };
        if call.interface().name.as_str() == publishes { Ok(found) } else { Err(Refusal::StateChanged) }
    }
}

/// Runs an operation on a thread that may block.
pub(super) fn run(root: &Root, context: &Context, patience: &Patience, call: Call) -> Result<Done, Refusal> {
    let task = Task { root, context, patience };
    let result = match (call.interface().name.as_str(), call.operation()) {
        (DIRECTORY, "list") => list::run(&task, &call),
        (DIRECTORY, "find") => find::run(&task, &call),
        (FILE | OTHER, "metadata") => metadata::run(&task, &call),
        (FILE, "read_text") => text::run(&task, &call),
        (FILE, "read_bytes") => bytes::run(&task, &call),
        (interface, operation) => {
            return Err(Refusal::failed(format!("{interface} declares {operation} and has no code for it")));
        }
    }?;
    Ok(call.done(result))
}
