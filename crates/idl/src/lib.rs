//! The text form of Objects and Interfaces (SPEC 6): what people and models read instead of JSON.
//!
//! [`text_view`] prints what a Host published. It is data of someone else's: every name and text stands quoted by
//! the rules of [`quote`], so that nothing in it can pass for a declaration. [`mod@reference`] writes and reads the
//! `/scope::name` of an Interface.
//!
//! [`check()`] reads what people write, and tells everything that is wrong with it at once.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod check;
pub mod diagnostic;
pub mod diff;
mod format;
mod layout;
mod lexer;
mod load;
mod lower;
mod parser;
mod print;
pub mod quote;
pub mod reference;
mod source;
pub mod source_view;
mod syntax;
pub mod text_view;

pub use check::{Checked, DeclaredInterface, DeclaredName, Loader, NoFiles, check};
pub use diagnostic::Diagnostic;
pub use format::format;
pub use print::{Ink, Role};
pub use source::{FileId, Position, Sources, Span};
