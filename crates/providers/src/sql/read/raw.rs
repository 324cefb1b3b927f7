//! Placeholder.

use worldspace_host::{Call, Context, Done, Interface, Refusal};
use worldspace_model::Fault;

use crate::sql::engine::{Session, Watch};

pub(in crate::sql) fn declare() -> Result<Interface, Fault> {
    Interface::builder().build()
}

pub(in crate::sql) fn run(
    _session: &mut dyn Session,
    _context: &Context,
    _watch: &Watch,
    _call: Call,
) -> Result<Done, Refusal> {
    Err(Refusal::failed("not there yet"))
}
