//! Strict JSON (SPEC 7): one reader, one writer, and a module for each kind of message.
//!
//! No serde: its visitors get integers above u64 already rounded, let duplicate members through wherever a value is
//! kept for later, and cannot read a union whose `value` comes before its `$case` without a tree in between.

pub(crate) mod capabilities;
pub(crate) mod descriptor;
mod number;
pub(crate) mod object;
pub(crate) mod read;
pub(crate) mod request;
pub(crate) mod response;
pub(crate) mod tree;
pub(crate) mod value;
pub(crate) mod write;
