//! Reading a table key by key: what is wrong is noted, and the reading goes on.

use std::cell::RefCell;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::Keys;
use super::values::{Read, Wrong, kind_of};

/// Something that is not as it must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mistake {
    pub(super) span: Range<usize>,
    pub(super) what: String,
    /// What would be right.
    pub(super) right: String,
    /// Whether something is not there, which may be for another mistake alone.
    pub(super) missing: bool,
}

impl Mistake {
    pub(super) fn new(span: Range<usize>, what: impl Into<String>, right: impl Into<String>) -> Self {
        Self { span, what: what.into(), right: right.into(), missing: false }
    }
}

/// All that is wrong.
#[derive(Debug, Default)]
pub(super) struct Mistakes(RefCell<Vec<Mistake>>);

impl Mistakes {
    fn note(&self, mistake: Mistake) {
        self.0.borrow_mut().push(mistake);
    }

    pub(super) fn into_inner(self) -> Vec<Mistake> {
        self.0.into_inner()
    }
}

/// A table of the file that is being read.
pub(super) struct Section<'r, 'i> {
    mistakes: &'r Mistakes,
    keys: &'static Keys,
    table: &'r DeTable<'i>,
    /// Where it begins.
    pub(super) span: Range<usize>,
}

/// A value that was read, and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Placed<T> {
    pub(super) value: T,
    pub(super) span: Range<usize>,
}

impl<'r, 'i> Section<'r, 'i> {
    /// Begins to read a table. Keys that are not known there are noted at once.
    pub(super) fn new(
        mistakes: &'r Mistakes,
        keys: &'static Keys,
        table: &'r DeTable<'i>,
        span: Range<usize>,
    ) -> Self {
        for key in table.keys().filter(|key| !keys.known.contains(&key.get_ref().as_ref())) {
            let name = key.get_ref();
            let right = keys.instead_of(name, |known| table.contains_key(known));
            mistakes.note(Mistake::new(key.span(), format!("unknown key `{name}`"), right));
        }
        Self { mistakes, keys, table, span }
    }

    pub(super) fn note(&self, span: &Range<usize>, what: impl Into<String>, right: impl Into<String>) {
        self.mistakes.note(Mistake::new(span.clone(), what, right));
    }

    /// Notes that something is not there.
    pub(super) fn missing(&self, what: impl Into<String>, right: impl Into<String>) {
        self.mistakes.note(Mistake { missing: true, ..Mistake::new(self.span.clone(), what, right) });
    }

    /// The value as it stands.
    pub(super) fn raw(&self, key: &'static str) -> Option<&'r Spanned<DeValue<'i>>> {
        debug_assert!(self.keys.known.contains(&key), "{key} is not said to be known in {}", self.keys.head);
        self.table.get(key)
    }

    pub(super) fn placed<T>(
        &self,
        key: &'static str,
        read: impl Fn(&DeValue<'_>) -> Read<T>,
    ) -> Option<Placed<T>> {
        let raw = self.raw(key)?;
        match read(raw.get_ref()) {
            Ok(value) => Some(Placed { value, span: raw.span() }),
            Err(Wrong::Kind { takes }) => {
                let what = format!("`{key}` is {}", kind_of(raw.get_ref()));
                self.note(&raw.span(), what, format!("it takes {takes}"));
                None
            }
            Err(Wrong::Value { what, right }) => {
                self.note(&raw.span(), format!("`{key}`: {what}"), right);
                None
            }
        }
    }

    pub(super) fn optional<T>(&self, key: &'static str, read: impl Fn(&DeValue<'_>) -> Read<T>) -> Option<T> {
        self.placed(key, read).map(|placed| placed.value)
    }

    /// Changes `target` to what the file says.
    pub(super) fn set<T>(&self, key: &'static str, target: &mut T, read: impl Fn(&DeValue<'_>) -> Read<T>) {
        if let Some(value) = self.optional(key, read) {
            *target = value;
        }
    }

    /// What must be there; `example` shows how it is written.
    pub(super) fn required<T>(
        &self,
        key: &'static str,
        example: &str,
        read: impl Fn(&DeValue<'_>) -> Read<T>,
    ) -> Option<Placed<T>> {
        if self.raw(key).is_none() && !self.is_misspelt(key) {
            self.missing(format!("`{key}` is missing"), format!("add a line such as {example}"));
        }
        self.placed(key, read)
    }

    /// Whether nobody knows what was meant for a key, so that nothing can be said to follow from it.
    pub(super) fn is_unclear<T>(&self, key: &'static str, read: impl Fn(&DeValue<'_>) -> Read<T>) -> bool {
        match self.raw(key) {
            Some(raw) => read(raw.get_ref()).is_err(),
            None => self.is_misspelt(key),
        }
    }

    /// Where a key stands.
    pub(super) fn key_span(&self, key: &'static str) -> Option<Range<usize>> {
        self.table.keys().find(|given| given.get_ref() == key).map(Spanned::span)
    }

    /// Whether a key that is not known stands where this one is missing.
    pub(super) fn is_misspelt(&self, key: &'static str) -> bool {
        let is_given = |known: &str| self.table.contains_key(known);
        self.table.keys().any(|given| self.keys.is_meant_by(key, given.get_ref(), is_given))
    }

    /// The table below a key.
    pub(super) fn section(&self, key: &'static str, keys: &'static Keys) -> Option<Section<'r, 'i>> {
        let raw = self.raw(key)?;
        match raw.get_ref() {
            DeValue::Table(table) => Some(Section::new(self.mistakes, keys, table, raw.span())),
            other => {
                let right = format!("it is a table: write {}", keys.head);
                self.note(&raw.span(), format!("`{key}` is {}", kind_of(other)), right);
                None
            }
        }
    }

    /// The tables below a key that may stand several times.
    pub(super) fn sections(&self, key: &'static str, keys: &'static Keys) -> Vec<Section<'r, 'i>> {
        let right = format!("it may stand several times: write {}", keys.head);
        let items = match self.raw(key).map(|raw| (raw, raw.get_ref())) {
            None => return Vec::new(),
            Some((_, DeValue::Array(items))) => items,
            Some((raw, other)) => {
                self.note(&raw.span(), format!("`{key}` is {}", kind_of(other)), right);
                return Vec::new();
            }
        };
        let section = |item: &'r Spanned<DeValue<'i>>| match item.get_ref() {
            DeValue::Table(table) => Some(Section::new(self.mistakes, keys, table, item.span())),
            other => {
                self.note(&item.span(), format!("`{key}` holds {}", kind_of(other)), right.clone());
                None
            }
        };
        items.iter().filter_map(section).collect()
    }
}
