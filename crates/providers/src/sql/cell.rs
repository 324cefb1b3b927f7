//! Values of a database, and how they travel: by the type of their column where they fit it, else in an exact JSON form.
//!
//! A column's declared type says little of what it holds: integers have 64 bits where the protocol's have 53, and some
//! databases keep any value in any column. What does not fit is neither rounded nor left out: the whole row then travels in
//! the exact form, so that nobody takes an absent field for NULL.
//!
//! The exact form of a value is JSON: `null`, numbers, strings, and for all else an object with one member:
//! `{"$integer": "9007199254740993"}`, `{"$real": "Infinity"}`, `{"$bytes": "base64"}`, `{"$text": "base64"}` for text that
//! is not UTF-8, and `{"$omitted": {"type": "text", "size": 123456}}` for what is too long to be shown among others.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use worldspace_model::{Integer, Number, Record, Value, text_weight};

use super::catalog::ColumnKind;

/// The exact form, in words for callers, as they stand behind a colon.
pub(super) const FORMS: &str = "null, numbers and strings as they are, else an object with one member: \
     {\"$integer\": \"9007199254740993\"} for an integer beyond ±(2^53−1), {\"$real\": \"Infinity\"} or \"-Infinity\", \
     {\"$bytes\": \"base64\"}, {\"$text\": \"base64\"} for text that is not UTF-8";
/// What stands in it for a value that is too long to be shown among others.
pub(super) const OMITTED: &str = "{\"$omitted\": {\"type\", \"size\"}}";

/// How a caller gives values in the exact form, as a sentence.
pub(super) fn given() -> String {
    format!("Values in the exact form: {FORMS}; true and false stand for 1 and 0.")
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Null,
    Integer(i64),
    Real(f64),
    Text(Box<str>),
    /// Text that is not UTF-8.
    Garbled(Box<[u8]>),
    Blob(Box<[u8]>),
    /// Longer than whoever took it wanted: whether it is text, and its size in bytes.
    Long {
        text: bool,
        size: u64,
    },
}

/// A value where the database has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum CellRef<'r> {
    Null,
    Integer(i64),
    Real(f64),
    /// Not always UTF-8.
    Text(&'r [u8]),
    Blob(&'r [u8]),
}

impl CellRef<'_> {
    /// The value, taken, unless it has more bytes than `longest`.
    pub(super) fn to_cell(self, longest: usize) -> Cell {
        match self {
            Self::Null => Cell::Null,
            Self::Integer(value) => Cell::Integer(value),
            Self::Real(value) => Cell::Real(value),
            Self::Text(bytes) if bytes.len() > longest => Cell::Long { text: true, size: bytes.len() as u64 },
            Self::Blob(bytes) if bytes.len() > longest => {
                Cell::Long { text: false, size: bytes.len() as u64 }
            }
            Self::Text(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => Cell::Text(text.into()),
                Err(_) => Cell::Garbled(bytes.into()),
            },
            Self::Blob(bytes) => Cell::Blob(bytes.into()),
        }
    }

    /// Adds the value to a digest, so that no two values and no two rows of values have the same.
    pub(super) fn add_to(self, digest: &mut blake3::Hasher) {
        let (tag, bytes): (u8, &[u8]) = match self {
            Self::Null => (0, &[]),
            Self::Integer(value) => {
                digest.update(&[1]).update(&value.to_le_bytes());
                return;
            }
            Self::Real(value) => {
                digest.update(&[2]).update(&value.to_bits().to_le_bytes());
                return;
            }
            Self::Text(bytes) => (3, bytes),
            Self::Blob(bytes) => (4, bytes),
        };
        digest.update(&[tag]).update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    }
}

impl Cell {
    pub(super) fn as_ref(&self) -> CellRef<'_> {
        match self {
            // What is long is never handed back to a database.
            Self::Null | Self::Long { .. } => CellRef::Null,
            Self::Integer(value) => CellRef::Integer(*value),
            Self::Real(value) => CellRef::Real(*value),
            Self::Text(text) => CellRef::Text(text.as_bytes()),
            Self::Garbled(bytes) => CellRef::Text(bytes),
            Self::Blob(bytes) => CellRef::Blob(bytes),
        }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The value as its column's type; none if it does not fit that. NULL fits none: it is an absent field.
    pub(super) fn fitting(&self, kind: ColumnKind) -> Option<Value> {
        match (kind, self) {
            (_, Self::Null) => None,
            (ColumnKind::Boolean, Self::Integer(value @ (0 | 1))) => Some(Value::Boolean(*value == 1)),
            (ColumnKind::Integer, Self::Integer(value)) => Value::integer(*value).ok(),
            (ColumnKind::Digits, Self::Integer(value)) => Some(Value::string(value.to_string())),
            (ColumnKind::Number, Self::Integer(value)) => {
                // Within this range every integer is a number of its own.
                Integer::new(*value).ok().and_then(|value| number(value.get() as f64))
            }
            (ColumnKind::Number, Self::Real(value)) => number(*value),
            (ColumnKind::Text | ColumnKind::Time, Self::Text(text)) => Some(Value::string(&**text)),
            (ColumnKind::Time, Self::Integer(value)) => Some(Value::string(value.to_string())),
            (ColumnKind::Time, Self::Real(value)) if value.is_finite() => {
                Some(Value::string(format!("{value:?}")))
            }
            (ColumnKind::Bytes, Self::Blob(bytes)) => Some(Value::bytes(&**bytes)),
            (ColumnKind::Any, any) => Some(any.exact()),
            _ => None,
        }
    }

    /// The value in the exact form.
    pub(super) fn exact(&self) -> Value {
        match self {
            Self::Null => Value::Unit,
            Self::Integer(value) => Value::integer(*value)
                .unwrap_or_else(|_| tagged("$integer", Value::string(value.to_string()))),
            Self::Real(value) => number(*value).unwrap_or_else(|| {
                let name = if *value > 0.0 { "Infinity" } else { "-Infinity" };
                tagged("$real", Value::string(name))
            }),
            Self::Text(text) => Value::string(&**text),
            Self::Garbled(bytes) => tagged("$text", Value::string(STANDARD.encode(bytes))),
            Self::Blob(bytes) => tagged("$bytes", Value::string(STANDARD.encode(bytes))),
            Self::Long { text, size } => {
                let kind = if *text { "text" } else { "bytes" };
                let omitted = [("type", Value::string(kind)), ("size", Value::count(*size))];
                tagged("$omitted", record(omitted))
            }
        }
    }

    /// The value that an argument of a column's type stands for.
    ///
    /// # Errors
    /// Why there is no such value, in words for the caller.
    pub(super) fn of_argument(kind: ColumnKind, value: &Value) -> Result<Self, String> {
        Ok(match (kind, value) {
            (ColumnKind::Boolean, Value::Boolean(value)) => Self::Integer(i64::from(*value)),
            (ColumnKind::Integer, Value::Integer(value)) => Self::Integer(value.get()),
            (ColumnKind::Digits, Value::String(digits)) => Self::Integer(integer(digits)?),
            (ColumnKind::Number, Value::Number(value)) => Self::Real(value.get()),
            (ColumnKind::Number, Value::Integer(value)) => Self::Integer(value.get()),
            (ColumnKind::Text | ColumnKind::Time, Value::String(text)) => Self::Text((**text).into()),
            (ColumnKind::Bytes, Value::Bytes(bytes)) => Self::Blob((**bytes).into()),
            (ColumnKind::Any, value) => Self::of_exact(value)?,
            // Arguments are checked before they come here.
            (_, other) => return Err(format!("cannot be {}", other.kind())),
        })
    }

    /// The value that stands in the exact form.
    ///
    /// # Errors
    /// Why it is none, in words for the caller.
    pub(super) fn of_exact(value: &Value) -> Result<Self, String> {
        match value {
            Value::Unit => Ok(Self::Null),
            Value::Boolean(value) => Ok(Self::Integer(i64::from(*value))),
            Value::Integer(value) => Ok(Self::Integer(value.get())),
            Value::Number(value) => Ok(Self::Real(value.get())),
            Value::String(text) => Ok(Self::Text((**text).into())),
            Value::Record(record) => of_tagged(record),
            Value::Bytes(bytes) => Ok(Self::Blob((**bytes).into())),
            Value::List(_) | Value::Entry(_) => {
                Err("is no value of a database; JSON that is stored as text is given as a string".to_owned())
            }
        }
    }

    /// Whether the database takes it for the same in an order: a number is the same whichever way it is stored.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Integer(integer), Self::Real(real)) | (Self::Real(real), Self::Integer(integer)) => {
                // Beyond this, not every integer is a number of its own, and the integer is the nearer one to tell.
                *real == *integer as f64 && *real < 9_223_372_036_854_775_808.0 && (*real as i64) == *integer
            }
            (one, other) => one == other,
        }
    }

    /// About how many bytes it takes in an answer.
    pub(super) fn weight(&self) -> usize {
        match self {
            Self::Null => 8,
            Self::Integer(_) | Self::Real(_) => 40,
            Self::Text(text) => 8 + text_weight(text),
            Self::Garbled(bytes) | Self::Blob(bytes) => 24 + bytes.len().div_ceil(3) * 4,
            Self::Long { .. } => 64,
        }
    }
}

fn of_tagged(record: &Record) -> Result<Cell, String> {
    const FORMS: &str = "an object here has one member: `$integer`, `$real`, `$bytes` or `$text`";
    let [(tag, Value::String(text))] = record.fields() else { return Err(FORMS.to_owned()) };
    let base64 = || STANDARD.decode(&**text).map_err(|_| format!("`{tag}` is base64 (RFC 4648, padded)"));
    match &**tag {
        "$integer" => integer(text).map(Cell::Integer),
        "$real" => match &**text {
            "Infinity" => Ok(Cell::Real(f64::INFINITY)),
            "-Infinity" => Ok(Cell::Real(f64::NEG_INFINITY)),
            _ => Err("`$real` is `Infinity` or `-Infinity`; another number is written as such".to_owned()),
        },
        "$bytes" => Ok(Cell::Blob(base64()?.into())),
        "$text" => {
            let bytes = base64()?;
            Ok(CellRef::Text(&bytes).to_cell(usize::MAX))
        }
        _ => Err(FORMS.to_owned()),
    }
}

/// Decimal digits as an integer of 64 bits.
fn integer(digits: &str) -> Result<i64, String> {
    let canonical = |value: &i64| value.to_string() == digits;
    let value = digits.parse().ok().filter(canonical);
    value.ok_or_else(|| "is an integer of 64 bits in decimal digits, without leading zeros".to_owned())
}

fn number(value: f64) -> Option<Value> {
    Number::new(value).ok().map(Value::Number)
}

fn tagged(tag: &str, value: Value) -> Value {
    record([(tag, value)])
}

/// A record of names that differ, and of little depth.
fn record<const N: usize>(fields: [(&str, Value); N]) -> Value {
    let fields = fields.into_iter().map(|(name, value)| (name.into(), value)).collect();
    Record::new(fields).map_or(Value::Unit, Value::Record)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Cell> {
        vec![
            Cell::Null,
            Cell::Integer(0),
            Cell::Integer((1 << 53) - 1),
            Cell::Integer(1 << 53),
            Cell::Integer(i64::MIN),
            Cell::Real(1.5),
            Cell::Real(f64::INFINITY),
            Cell::Real(f64::NEG_INFINITY),
            Cell::Text("".into()),
            Cell::Text("{\"$bytes\": \"\"}".into()),
            Cell::Text("null".into()),
            Cell::Garbled(Box::new([0xff, b'a'])),
            Cell::Blob(Box::new([])),
            Cell::Blob(Box::new([0, 1, 2])),
        ]
    }

    #[test]
    fn the_exact_form_loses_nothing_and_no_two_values_share_it() {
        let cells = samples();
        for (at, cell) in cells.iter().enumerate() {
            assert_eq!(Cell::of_exact(&cell.exact()).as_ref(), Ok(cell));
            for other in &cells[..at] {
                assert_ne!(cell.exact(), other.exact());
            }
        }
    }

    #[test]
    fn what_fits_its_column_comes_back_as_it_was() {
        use ColumnKind::*;
        for kind in [Boolean, Integer, Digits, Number, Text, Bytes, Any] {
            for cell in samples() {
                let Some(value) = cell.fitting(kind) else { continue };
                let back = Cell::of_argument(kind, &value).unwrap();
                let same = match (&cell, &back) {
                    (Cell::Integer(a), Cell::Real(b)) => *a as f64 == *b,
                    (a, b) => a == b,
                };
                assert!(same, "{kind:?}: {cell:?} came back as {back:?}");
            }
        }
    }

    #[test]
    fn what_a_column_type_cannot_hold_does_not_fit_it() {
        use ColumnKind::*;
        for (kind, cell) in [
            (Boolean, Cell::Integer(2)),
            (Integer, Cell::Integer(1 << 53)),
            (Integer, Cell::Text("n/a".into())),
            (Number, Cell::Integer(i64::MAX)),
            (Number, Cell::Real(f64::INFINITY)),
            (Text, Cell::Garbled(Box::new([0xff]))),
            (Text, Cell::Blob(Box::new([1]))),
            (Text, Cell::Long { text: true, size: 9 }),
            (Bytes, Cell::Text("a".into())),
        ] {
            assert_eq!(cell.fitting(kind), None, "{kind:?} {cell:?}");
        }
    }

    #[test]
    fn what_is_no_value_of_a_database_is_refused_in_words() {
        let object = |tag: &str, text: &str| tagged(tag, Value::string(text));
        for (value, says) in [
            (object("$integer", "1e3"), "decimal digits"),
            (object("$integer", "007"), "leading zeros"),
            (object("$integer", "9223372036854775808"), "64 bits"),
            (object("$real", "NaN"), "Infinity"),
            (object("$bytes", "?"), "base64"),
            (object("$other", ""), "`$integer`"),
            (Value::list(vec![]).unwrap(), "no value of a database"),
        ] {
            let why = Cell::of_exact(&value).unwrap_err();
            assert!(why.contains(says), "{why}");
        }
    }
}
