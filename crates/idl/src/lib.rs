//! The text form of Objects and Interfaces (SPEC 6): what people and models read instead of JSON.
//!
//! [`text_view`] prints what a Host published. It is data of someone else's: every name and text stands quoted by
//! the rules of [`quote`], so that nothing in it can pass for a declaration. [`mod@reference`] writes and reads the
//! `/scope::name` of an Interface.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod print;
pub mod quote;
pub mod reference;
pub mod text_view;

pub use print::{Ink, Role};
