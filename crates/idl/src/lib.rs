//! The text form of Objects and Interfaces (SPEC 6): what people and models read instead of JSON.
//!
//! [`text_view`] prints what a Host published. It is data of someone else's: every name and text stands quoted by
//! the rules of [`quote`], so that nothing in it can pass for a declaration. [`mod@reference`] writes and reads the
//! `/scope::name` of an Interface.
//!
//! [`check()`] reads what people write, and tells everything that is wrong with it at once.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod check;
#[allow(dead_code, reason = "the parser that speaks through it comes next")]
pub mod diagnostic;
pub mod diff;
mod layout;
mod print;
pub mod quote;
pub mod reference;
#[allow(dead_code, reason = "the parser that speaks of it comes next")]
mod source;
pub mod source_view;
pub mod text_view;

pub use check::{Checked, DeclaredInterface, DeclaredName, Loader, NoFiles, check};
pub use diagnostic::Diagnostic;
pub use print::{Ink, Role};
pub use source::{FileId, Position, Sources, Span};
