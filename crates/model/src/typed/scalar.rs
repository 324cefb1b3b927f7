//! The Rust types of the standard library, and two of our own for what it has no type for.

use std::sync::Arc;

use super::{TypeDeclarations, WipType};
use crate::fault::{Fault, Kind, Rule};
use crate::path::EntryPath;
use crate::types::Type;
use crate::value::{List, Number, Value};

/// Bytes. A type of its own, so that no list of small integers is declared by mistake.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Bytes(pub Vec<u8>);

/// Any JSON value; `Unit` is null.
#[derive(Debug, Clone, PartialEq)]
pub struct Json(pub Value);

pub(crate) fn mismatch(expected: Kind, found: &Value) -> Fault {
    Fault::new(Rule::TypeMismatch { expected, found: found.kind() })
}

macro_rules! integers {
    ($($rust:ty),*) => {$(
        impl WipType for $rust {
            fn describe(_: &mut TypeDeclarations) -> Type {
                Type::INTEGER
            }

            fn into_value(self) -> Result<Value, Fault> {
                let value = i64::try_from(self).map_err(|_| Fault::new(Rule::IntegerOutOfRange))?;
                Value::integer(value)
            }

            fn from_value(value: &Value) -> Result<Self, Fault> {
                let value = value.as_integer().ok_or_else(|| mismatch(Kind::Integer, value))?;
                let beyond = |_| {
                    let least = i64::try_from(<$rust>::MIN).unwrap_or(i64::MIN);
                    let most = i64::try_from(<$rust>::MAX).unwrap_or(i64::MAX);
                    Fault::new(Rule::IntegerOutside { least, most })
                };
                Self::try_from(value).map_err(beyond)
            }
        }
    )*};
}

integers!(u16, u32, u64, usize, i16, i32, i64, isize);

macro_rules! scalars {
    ($($rust:ty: $ty:ident, $kind:ident, |$value:ident| $into:expr, |$from:ident| $back:expr;)*) => {$(
        impl WipType for $rust {
            fn describe(_: &mut TypeDeclarations) -> Type {
                Type::$ty
            }

            fn into_value(self) -> Result<Value, Fault> {
                let $value = self;
                $into
            }

            fn from_value($from: &Value) -> Result<Self, Fault> {
                $back.ok_or_else(|| mismatch(Kind::$kind, $from))
            }
        }
    )*};
}

scalars! {
    (): UNIT, Unit, |_unit| Ok(Value::Unit), |value| matches!(value, Value::Unit).then_some(());
    bool: BOOLEAN, Boolean, |value| Ok(Value::Boolean(value)), |value| value.as_bool();
    f64: NUMBER, Number, |value| Number::new(value).map(Value::Number), |value| value.as_number();
    String: STRING, String, |value| Ok(Value::from(value)), |value| value.as_str().map(str::to_owned);
    Arc<str>: STRING, String, |value| Ok(Value::String(value)),
        |value| if let Value::String(text) = value { Some(text.clone()) } else { None };
    Bytes: BYTES, Bytes, |value| Ok(Value::bytes(value.0)),
        |value| value.as_bytes().map(|bytes| Self(bytes.to_vec()));
    Json: JSON, Json, |value| Ok(value.0), |value| Some(Self(value.clone()));
    EntryPath: ENTRY, Entry, |value| Ok(Value::Entry(value)), |value| value.as_entry().cloned();
}

impl<T: WipType> WipType for Vec<T> {
    fn describe(types: &mut TypeDeclarations) -> Type {
        Type::list(T::describe(types))
    }

    fn into_value(self) -> Result<Value, Fault> {
        let place = |(index, item): (usize, T)| item.into_value().map_err(|fault| fault.at_index(index));
        let items = self.into_iter().enumerate().map(place).collect::<Result<Vec<_>, _>>()?;
        List::new(items).map(Value::List)
    }

    fn from_value(value: &Value) -> Result<Self, Fault> {
        let items = value.as_list().ok_or_else(|| mismatch(Kind::List, value))?;
        let place = |(index, item)| T::from_value(item).map_err(|fault: Fault| fault.at_index(index));
        items.iter().enumerate().map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;

    fn there_and_back<T: WipType + Clone + PartialEq + Debug>(value: T) {
        let there = value.clone().into_value().unwrap();
        assert_eq!(T::from_value(&there).as_ref(), Ok(&value));
    }

    #[test]
    fn what_goes_there_comes_back() {
        there_and_back(());
        there_and_back(true);
        there_and_back(i64::from(u32::MAX) * 1000);
        there_and_back(u64::MAX >> 11);
        there_and_back(-0.5);
        there_and_back("text".to_owned());
        there_and_back(Bytes(vec![0, 255]));
        there_and_back(Json(Value::Unit));
        there_and_back(EntryPath::root());
        there_and_back(vec![vec![1_u16], vec![]]);
    }

    #[test]
    fn what_does_not_fit_says_what_would() {
        for (fault, said) in [
            (u16::from_value(&Value::count(70_000)).unwrap_err(), "an integer from 0 to 65535"),
            (u64::from_value(&Value::integer(-1).unwrap()).unwrap_err(), "an integer of 0 or more"),
            (bool::from_value(&Value::Unit).unwrap_err(), "expected boolean, found unit"),
            (Vec::<bool>::from_value(&Value::list(vec![Value::Unit]).unwrap()).unwrap_err(), "[0]: expected"),
            (u64::MAX.into_value().unwrap_err(), "within ±9007199254740991"),
            (f64::NAN.into_value().unwrap_err(), "finite"),
        ] {
            assert!(fault.to_string().contains(said), "{fault}");
        }
    }
}
