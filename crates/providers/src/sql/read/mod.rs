//! The operations that read.

use worldspace_host::{Call, Context, Done, Refusal};

use super::declare::{Declared, ROW, TABLE, VIEW};
use super::engine::Session;
use super::names::text_of;
use super::objects;

pub(super) mod condition;
pub(super) mod declare;
pub(super) mod order;
pub(super) mod page;
pub(super) mod raw;
pub(super) mod row;
pub(super) mod table;

/// The operations that rows have by themselves.
pub(super) const OF_ROWS: [&str; 3] = ["read", "read_bytes", "read_exact"];

/// Runs an operation in a transaction that reads.
pub(super) fn run(
    session: &mut dyn Session,
    declared: &Declared,
    context: &Context,
    call: Call,
) -> Result<Done, Refusal> {
    let current = declared.interface(session, call.interface())?.ok_or(Refusal::InterfaceChanged)?;
    call.compare_interface(&current)?;
    let name = call.path().segments().next().and_then(text_of).ok_or(Refusal::NotFound)?;
    let shape = declared.shape(session, &name)?.ok_or(Refusal::NotFound)?;
    let interface = call.interface().name.as_str();
    if interface != ROW {
        // Rows come and go without the table being another one.
        call.compare(&objects::schema_state(session))?;
        condition::check(&call, &declared.dialect.most)?;
    }
    let result = match (interface, call.operation()) {
        (TABLE | VIEW, "query") => table::query(session, context, &call, &shape),
        (TABLE | VIEW, "count") => table::count(session, &call, &shape),
        (TABLE, "get") => table::get(session, context, &call, &shape),
        (TABLE | VIEW, "frequent_values") => table::frequent_values(session, context, &call, &shape),
        (ROW, "read") => row::read(session, context, &call, &shape),
        (ROW, "read_exact") => row::read_exact(session, context, &call, &shape),
        (ROW, "read_bytes") => row::read_bytes(session, context, &call, &shape),
        (ROW, operation) => {
            let links = declared.links(session, &name)?;
            let link =
                links.iter().find(|link| *link.operation == *operation).ok_or(Refusal::InterfaceChanged)?;
            row::referring(session, context, &call, &shape, link)
        }
        (interface, operation) => {
            return Err(Refusal::failed(format!("{interface} declares {operation} and has no code for it")));
        }
    }?;
    Ok(call.done(result))
}
