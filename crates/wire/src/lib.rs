//! Requests and answers of WIP to and from bytes, straight from and to the types of the model.
//!
//! A [`Codec`] is an [`Encoding`] under [`Limits`]; it reads and writes every message for both sides. Reading is
//! strict: what breaks a rule is refused with a [`DecodeError`] that says where and why, and what comes out is valid.
//! Arguments and results are read along the compiled declaration of their operation, never through a generic tree.
//! [`Codec::classify`] says what an HTTP answer means to a Client.
//!
//! What travels outside the body (the call's key, whether effects are wanted, media types) is for the binding.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod classify;
mod codec;
mod error;
mod json;
mod limits;
mod parts;
mod status;

pub use classify::{Content, ForeignKind, InvalidKind, Outcome, StatusMismatch};
pub use codec::{Codec, Encoding, FetchedInterface};
pub use error::{Class, DecodeError, EncodeError};
pub use limits::{Limits, ZeroLimit};
pub use status::status_of;
