//! The operations that read.

use worldspace_host::{Call, Done, Refusal};

use super::interfaces::{DIRECTORY, FILE, OTHER};
use super::task::Task;

pub(super) mod bytes;
pub(super) mod find;
pub(super) mod list;
mod metadata;
mod search;
pub(super) mod text;

/// Runs an operation on a thread that may block.
pub(super) fn run(task: &Task<'_>, call: Call) -> Result<Done, Refusal> {
    let result = match (call.interface().name.as_str(), call.operation()) {
        (DIRECTORY, "list") => list::run(task, &call),
        (DIRECTORY, "find") => find::run(task, &call),
        (FILE | OTHER, "metadata") => metadata::run(task, &call),
        (FILE, "read_text") => text::run(task, &call),
        (FILE, "read_bytes") => bytes::run(task, &call),
        (interface, operation) => {
            return Err(Refusal::failed(format!("{interface} declares {operation} and has no code for it")));
        }
    }?;
    Ok(call.done(result))
}
