//! What people read: pure functions from answers to text, given the width of a line.

pub(crate) mod command;
pub(crate) mod object;
pub(crate) mod result;
mod rows;
pub(crate) mod style;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod tree;

/// A path on a terminal.
pub(crate) fn path(path: &worldspace_model::EntryPath) -> std::borrow::Cow<'_, str> {
    text::name(path.as_str())
}
