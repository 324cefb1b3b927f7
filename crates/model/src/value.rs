//! Values as they cross the protocol. What a value is, its declared type says: an enum is a string, a union a record
//! `{"$case", "value"?}` (SPEC 1). Only entries are known by their look, since nothing else may become one.

use std::fmt;
use std::sync::Arc;

use crate::fault::{Fault, Kind, Namespace, Rule};
use crate::path::EntryPath;
use crate::table::Table;
use crate::{MAX_DEPTH, Name};

/// A value of the protocol.
#[derive(Clone, PartialEq)]
pub enum Value {
    /// Nothing; `null` under `json`.
    Unit,
    /// A truth value.
    Boolean(bool),
    /// An integer that binary64 holds.
    Integer(Integer),
    /// A finite binary64.
    Number(Number),
    /// Text, and the case of an enum.
    String(Arc<str>),
    /// Bytes.
    Bytes(Arc<[u8]>),
    /// A name of an entry of the same Worldspace; not a promise that something is there.
    Entry(EntryPath),
    /// Values in order.
    List(List),
    /// Named values, and a case of a union.
    Record(Record),
}

/// An integer within ±(2^53−1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Integer(i64);

/// A finite binary64. `-0` is kept and equals `0`.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub struct Number(f64);

/// Values in order, at most [`MAX_DEPTH`] deep.
#[derive(Clone, Default)]
pub struct List(Option<Box<Items>>);

/// Values by name, each name once, at most [`MAX_DEPTH`] deep. The order is kept but means nothing.
#[derive(Clone, Default)]
pub struct Record(Option<Box<Fields>>);

// Both stand behind a pointer, and an empty one behind none, so that a scalar in a list takes no more than a scalar.

#[derive(Clone)]
struct Items {
    items: Box<[Value]>,
    depth: u16,
}

#[derive(Clone)]
struct Fields {
    fields: Box<[(Name, Value)]>,
    depth: u16,
    /// For records that are too wide to be searched one by one.
    table: Option<Box<Table>>,
}

/// Records up to this width are searched one by one.
const NARROW: usize = 16;

impl Integer {
    /// 2^53−1.
    pub const MAX: Self = Self((1 << 53) - 1);
    /// −(2^53−1).
    pub const MIN: Self = Self(-((1 << 53) - 1));

    /// The integer, within ±(2^53−1).
    ///
    /// # Errors
    /// [`Rule::IntegerOutOfRange`].
    pub fn new(value: i64) -> Result<Self, Fault> {
        if (Self::MIN.0..=Self::MAX.0).contains(&value) {
            Ok(Self(value))
        } else {
            Err(Fault::new(Rule::IntegerOutOfRange))
        }
    }

    /// The nearest integer within the range, for counts and sizes that are beyond it in theory only.
    pub fn saturating(value: u64) -> Self {
        i64::try_from(value).map_or(Self::MAX, |value| Self(value.min(Self::MAX.0)))
    }

    /// The integer.
    pub fn get(self) -> i64 {
        self.0
    }
}

impl Number {
    /// The number, if it is finite.
    ///
    /// # Errors
    /// [`Rule::NonFiniteNumber`].
    pub fn new(value: f64) -> Result<Self, Fault> {
        if value.is_finite() { Ok(Self(value)) } else { Err(Fault::new(Rule::NonFiniteNumber)) }
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl List {
    /// The list of these.
    ///
    /// # Errors
    /// [`Rule::TooDeep`].
    pub fn new(items: Vec<Value>) -> Result<Self, Fault> {
        let depth = depth_around(items.iter())?;
        let filled = !items.is_empty();
        Ok(Self(filled.then(|| Box::new(Items { items: items.into_boxed_slice(), depth }))))
    }

    /// The values.
    pub fn items(&self) -> &[Value] {
        self.0.as_ref().map_or(&[], |list| &list.items)
    }

    /// The values, taken.
    pub fn into_items(self) -> Vec<Value> {
        self.0.map_or_else(Vec::new, |list| list.items.into_vec())
    }

    fn depth(&self) -> u16 {
        self.0.as_ref().map_or(1, |list| list.depth)
    }
}

impl Record {
    /// The record of these.
    ///
    /// # Errors
    /// [`Rule::DuplicateName`], [`Rule::TooDeep`].
    pub fn new(fields: Vec<(Name, Value)>) -> Result<Self, Fault> {
        let depth = depth_around(fields.iter().map(|(_, value)| value))?;
        let duplicate = |at: usize| {
            Fault::new(Rule::DuplicateName { namespace: Namespace::Field, name: fields[at].0.clone() })
        };
        let table = if fields.len() > NARROW {
            let table = Table::new(fields.iter().map(|(name, _)| name.clone())).map_err(duplicate)?;
            Some(Box::new(table))
        } else {
            let repeated =
                (1..fields.len()).find(|at| fields[..*at].iter().any(|(name, _)| *name == fields[*at].0));
            if let Some(at) = repeated {
                return Err(duplicate(at));
            }
            None
        };
        let filled = !fields.is_empty();
        Ok(Self(filled.then(|| Box::new(Fields { fields: fields.into_boxed_slice(), depth, table }))))
    }

    /// The value of that name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let Fields { fields, table, .. } = self.0.as_deref()?;
        let position = match table {
            Some(table) => table.find(name)?,
            None => fields.iter().position(|(known, _)| **known == *name)?,
        };
        Some(&fields[position].1)
    }

    /// Names and values in the order in which they were given.
    pub fn fields(&self) -> &[(Name, Value)] {
        self.0.as_ref().map_or(&[], |record| &record.fields)
    }

    /// Names and values, taken.
    pub fn into_fields(self) -> Vec<(Name, Value)> {
        self.0.map_or_else(Vec::new, |record| record.fields.into_vec())
    }

    /// How many fields there are.
    pub fn len(&self) -> usize {
        self.fields().len()
    }

    /// Whether there is no field.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    fn depth(&self) -> u16 {
        self.0.as_ref().map_or(1, |record| record.depth)
    }
}

fn depth_around<'a>(values: impl Iterator<Item = &'a Value>) -> Result<u16, Fault> {
    let depth = 1 + values.map(Value::depth).max().unwrap_or(0);
    if depth > MAX_DEPTH { Err(Fault::new(Rule::TooDeep)) } else { Ok(depth) }
}

impl Value {
    /// Text.
    pub fn string(text: impl Into<Arc<str>>) -> Self {
        Self::String(text.into())
    }

    /// Bytes.
    pub fn bytes(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self::Bytes(bytes.into())
    }

    /// A count or size.
    pub fn count(count: u64) -> Self {
        Self::Integer(Integer::saturating(count))
    }

    /// An integer, within ±(2^53−1).
    ///
    /// # Errors
    /// [`Rule::IntegerOutOfRange`].
    pub fn integer(value: i64) -> Result<Self, Fault> {
        Integer::new(value).map(Self::Integer)
    }

    /// Values in order.
    ///
    /// # Errors
    /// [`Rule::TooDeep`].
    pub fn list(items: Vec<Self>) -> Result<Self, Fault> {
        List::new(items).map(Self::List)
    }

    /// A record of the values that are there; an absent optional field is left out.
    ///
    /// # Errors
    /// [`Rule::DuplicateName`], [`Rule::TooDeep`].
    ///
    /// ```
    /// use worldspace_model::Value;
    /// let record = Value::record([("size", Some(Value::count(3))), ("note", None)])?;
    /// assert_eq!(record.as_record().unwrap().len(), 1);
    /// # Ok::<(), worldspace_model::Fault>(())
    /// ```
    pub fn record<N: Into<Name>>(fields: impl IntoIterator<Item = (N, Option<Self>)>) -> Result<Self, Fault> {
        let fields = fields.into_iter().filter_map(|(name, value)| Some((name.into(), value?))).collect();
        Record::new(fields).map(Self::Record)
    }

    /// A case of a union, with its payload if it has one.
    ///
    /// # Errors
    /// [`Rule::TooDeep`].
    pub fn case(name: impl Into<Arc<str>>, payload: Option<Self>) -> Result<Self, Fault> {
        Self::record([("$case", Some(Self::String(name.into()))), ("value", payload)])
    }

    /// How many lists and records stand inside one another here; 0 for a scalar.
    pub fn depth(&self) -> u16 {
        match self {
            Self::List(list) => list.depth(),
            Self::Record(record) => record.depth(),
            _ => 0,
        }
    }

    /// What the value is, by its look.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Unit => Kind::Unit,
            Self::Boolean(_) => Kind::Boolean,
            Self::Integer(_) => Kind::Integer,
            Self::Number(_) => Kind::Number,
            Self::String(_) => Kind::String,
            Self::Bytes(_) => Kind::Bytes,
            Self::Entry(_) => Kind::Entry,
            Self::List(_) => Kind::List,
            Self::Record(_) => Kind::Record,
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Boolean(value) = self { Some(*value) } else { None }
    }

    /// The integer, if it is one.
    pub fn as_integer(&self) -> Option<i64> {
        if let Self::Integer(value) = self { Some(value.get()) } else { None }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<f64> {
        if let Self::Number(value) = self { Some(value.get()) } else { None }
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(value) = self { Some(value) } else { None }
    }

    /// The bytes, if it is some.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        if let Self::Bytes(value) = self { Some(value) } else { None }
    }

    /// The entry, if it is one.
    pub fn as_entry(&self) -> Option<&EntryPath> {
        if let Self::Entry(value) = self { Some(value) } else { None }
    }

    /// The list, if it is one.
    pub fn as_list(&self) -> Option<&[Self]> {
        if let Self::List(value) = self { Some(value.items()) } else { None }
    }

    /// The record, if it is one.
    pub fn as_record(&self) -> Option<&Record> {
        if let Self::Record(value) = self { Some(value) } else { None }
    }

    /// The entries that the value names, in order, each as often as it stands there.
    pub fn entries(&self) -> Vec<&EntryPath> {
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(value) = open.pop() {
            match value {
                Self::Entry(path) => found.push(path),
                Self::List(list) => open.extend(list.items().iter().rev()),
                Self::Record(record) => open.extend(record.fields().iter().rev().map(|(_, value)| value)),
                _ => {}
            }
        }
        found
    }
}

impl PartialEq for List {
    fn eq(&self, other: &Self) -> bool {
        self.items() == other.items()
    }
}

/// The order of fields means nothing.
impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.fields().iter().all(|(name, value)| other.get(name) == Some(value))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::String(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::String(value.into())
    }
}

impl From<EntryPath> for Value {
    fn from(value: EntryPath) -> Self {
        Self::Entry(value)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unit => f.write_str("unit"),
            Self::Boolean(value) => fmt::Debug::fmt(value, f),
            Self::Integer(value) => fmt::Debug::fmt(value, f),
            Self::Number(value) => fmt::Debug::fmt(value, f),
            Self::String(value) => fmt::Debug::fmt(value, f),
            Self::Bytes(value) => write!(f, "<{} bytes>", value.len()),
            Self::Entry(value) => write!(f, "entry {value:?}"),
            Self::List(value) => fmt::Debug::fmt(value, f),
            Self::Record(value) => fmt::Debug::fmt(value, f),
        }
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.fields().iter().map(|(name, value)| (name, value))).finish()
    }
}

impl fmt::Debug for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.items()).finish()
    }
}

impl fmt::Debug for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
