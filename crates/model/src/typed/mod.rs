//! Rust types as types of the protocol: what `#[derive(WipType)]` implements, and interfaces and clients that are made
//! from Rust traits rest upon.
//!
//! A [`WipType`] is a value wherever one may stand. A [`WipField`] is what may stand in a record or among arguments,
//! where a value can be absent: every [`WipType`], and an `Option` of one. Keeping the two apart lets the compiler refuse
//! what the protocol has no form for, such as a list with holes.
//!
//! Left out on purpose: maps (a list of records says what they mean), tuples (their parts have no names), `u8` and `i8`
//! (so that bytes are never declared as a list of small integers by mistake), and types with parameters.

mod comment;
mod declare;
mod error;
pub mod expand;
mod scalar;

pub use declare::TypeDeclarations;
pub use error::DeclarationError;
pub use scalar::{Bytes, Json};

use crate::fault::Fault;
use crate::types::Type;
use crate::value::Value;

/// A Rust type that stands for a type of the protocol.
///
/// ```
/// use worldspace_model::{Value, WipType};
/// assert_eq!(vec![true, false].into_value()?, Value::list(vec![true.into(), false.into()])?);
/// assert_eq!(u16::from_value(&Value::count(7))?, 7);
/// assert!(u16::from_value(&Value::count(70_000)).is_err());
/// # Ok::<(), worldspace_model::Fault>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not stand for a type of the protocol",
    label = "no type of the protocol",
    note = "derive it with `#[derive(WipType)]`, or use one of: `bool`, integers of 16 bits and more, `f64`, `String`, \
            `Bytes`, `Json`, `EntryPath`, `Vec<…>`, `()`",
    note = "an `Option<…>` stands in a record or among arguments only, where it makes a member optional; a map is a \
            list of records; `u8` is left out so that bytes are `Bytes`"
)]
pub trait WipType: Sized + 'static {
    /// The type expression; named types that it uses are put into `types`.
    fn describe(types: &mut TypeDeclarations) -> Type;

    /// The value of the protocol.
    ///
    /// # Errors
    /// The protocol has no such value: an integer beyond ±(2^53−1), a number that is not finite, too deep.
    fn into_value(self) -> Result<Value, Fault>;

    /// From a value of the protocol.
    ///
    /// # Errors
    /// The value is of another type, or beyond what the Rust type holds.
    fn from_value(value: &Value) -> Result<Self, Fault>;
}

/// What may stand in a record or among arguments.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field or parameter",
    label = "no type of the protocol",
    note = "derive it with `#[derive(WipType)]`, or use one of: `bool`, integers of 16 bits and more, `f64`, `String`, \
            `Bytes`, `Json`, `EntryPath`, `Vec<…>`, `()`, or an `Option` of any of them",
    note = "a map is a list of records; `u8` is left out so that bytes are `Bytes`"
)]
pub trait WipField: Sized + 'static {
    /// Whether a value must be present.
    const REQUIRED: bool;

    /// The type of a value that is present.
    fn describe_field(types: &mut TypeDeclarations) -> Type;

    /// The value, if there is one.
    ///
    /// # Errors
    /// As [`WipType::into_value`].
    fn into_field(self) -> Result<Option<Value>, Fault>;

    /// From what is there; none where a value is required is told by whoever knows the member's name.
    ///
    /// # Errors
    /// As [`WipType::from_value`].
    fn from_field(value: Option<&Value>) -> Result<Option<Self>, Fault>;
}

impl<T: WipType> WipField for T {
    const REQUIRED: bool = true;

    fn describe_field(types: &mut TypeDeclarations) -> Type {
        T::describe(types)
    }

    fn into_field(self) -> Result<Option<Value>, Fault> {
        self.into_value().map(Some)
    }

    fn from_field(value: Option<&Value>) -> Result<Option<Self>, Fault> {
        value.map(T::from_value).transpose()
    }
}

impl<T: WipType> WipField for Option<T> {
    const REQUIRED: bool = false;

    fn describe_field(types: &mut TypeDeclarations) -> Type {
        T::describe(types)
    }

    fn into_field(self) -> Result<Option<Value>, Fault> {
        self.map(T::into_value).transpose()
    }

    fn from_field(value: Option<&Value>) -> Result<Option<Self>, Fault> {
        Ok(Some(value.map(T::from_value).transpose()?))
    }
}

/// What an operation may give: a [`Value`] as it is, or a [`WipType`].
pub trait IntoResult {
    /// The value of the protocol.
    ///
    /// # Errors
    /// As [`WipType::into_value`].
    fn into_result(self) -> Result<Value, Fault>;
}

impl IntoResult for Value {
    fn into_result(self) -> Result<Value, Fault> {
        Ok(self)
    }
}

impl<T: WipType> IntoResult for T {
    fn into_result(self) -> Result<Value, Fault> {
        self.into_value()
    }
}
