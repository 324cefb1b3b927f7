//! What is known of a database's schema, whatever kind it is.

use std::sync::Arc;

use super::engine::Statement;

/// Tells one schema from another: equal stamps, equal schemas.
pub(super) type Stamp = [u8; 32];

/// A table or view as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) name: Arc<str>,
    pub(super) kind: Kind,
}

/// The kinds of relations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Table,
    View,
    /// A table whose rows a module of the database makes up, such as a full-text index. Read like a view.
    Virtual,
}

impl Kind {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::View => "view",
            Self::Virtual => "virtual table",
        }
    }
}

/// A table or view in detail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Relation {
    pub(super) name: Arc<str>,
    pub(super) kind: Kind,
    /// Those that a row shows, generated ones included, in their order.
    pub(super) columns: Vec<Column>,
    pub(super) key: Key,
    pub(super) foreign_keys: Vec<ForeignKey>,
}

/// What tells a row from every other row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    /// Columns, by their places in [`Relation::columns`], in the order of the key.
    Columns {
        places: Vec<usize>,
        /// How a row is told whose key holds a NULL, which the key does not tell from others: the name of the rowid. None
        /// where no key can hold one.
        when_null: Option<&'static str>,
    },
    /// The rowid, by a name that no column has. The database may number rows anew when it is compacted.
    Rowid(&'static str),
    /// Nothing: its rows have no entries.
    None,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: Arc<str>,
    /// The type as it was declared, possibly empty.
    pub(super) declared: String,
    pub(super) kind: ColumnKind,
    /// Whether the database turns text that looks like a number into that number, so that the column holds no such text.
    pub(super) numeric: bool,
    /// Whether the database stores every number in it as a real one; elsewhere, where it makes numbers of texts, whole numbers are
    /// stored as integers.
    pub(super) real: bool,
    pub(super) nullable: bool,
    /// How texts are compared in it, by name, where it can be referred to and that is not by their bytes.
    pub(super) collation: Option<Arc<str>>,
    /// The default as an expression of the database's language.
    pub(super) default: Option<String>,
    /// Computed by the database; cannot be written.
    pub(super) generated: bool,
    /// Numbered by the database where it is left out.
    pub(super) automatic: bool,
}

/// What a column's values are to callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnKind {
    /// By convention: 0 and 1.
    Boolean,
    Integer,
    /// An integer of 64 bits as its decimal digits, where the mount says so.
    Digits,
    Number,
    Text,
    /// A date or time, as text, whatever it is stored as: a number is shown as its digits.
    Time,
    Bytes,
    /// Anything, in the JSON form of `cell`.
    Any,
}

/// A foreign key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ForeignKey {
    /// The columns that refer, by their places in the referring relation.
    pub(super) columns: Vec<usize>,
    /// The relation that is referred to, as it is named there; it need not exist.
    pub(super) table: Arc<str>,
    /// The columns that are referred to, by name, one for each of `columns`. Empty where they cannot be told, or are not unique
    /// there: then it is no reference that could be followed.
    pub(super) referenced: Vec<Arc<str>>,
    /// What becomes of the rows that refer where the one that they refer to is deleted.
    pub(super) when_deleted: Reaction,
    /// The same, where its columns that are referred to change.
    pub(super) when_changed: Reaction,
}

/// What a foreign key does to rows that refer to what is no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reaction {
    /// There is no such change as long as there are such rows.
    Forbids,
    /// They go the same way.
    Follows,
    /// They refer to nothing.
    SetsNull,
    /// They refer to what their columns have by default.
    SetsDefault,
}

/// A foreign key seen from the table that it refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Incoming {
    /// The relation that refers.
    pub(super) table: Arc<str>,
    /// Which of its foreign keys, by place in [`Relation::foreign_keys`].
    pub(super) foreign_key: usize,
}

impl Relation {
    /// The place of the column of exactly that name.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| *column.name == *name)
    }

    /// Whether its rows have entries.
    pub(super) fn has_rows(&self) -> bool {
        self.key != Key::None
    }
}

impl Column {
    /// Writes that what stands before is compared as this column compares, which decides what refers to it.
    pub(super) fn collated(&self, statement: &mut Statement) {
        if let Some(collation) = &self.collation {
            statement.push(" COLLATE ").name(collation);
        }
    }
}

impl ForeignKey {
    /// The columns of `from` that refer, each with the place of the one of `to` that it refers to; none where those are not there.
    pub(super) fn pairs<'r>(&self, from: &'r Relation, to: &Relation) -> Option<Vec<(&'r Column, usize)>> {
        let columns = self.columns.iter().map(|place| from.columns.get(*place));
        columns.zip(&self.referenced).map(|(column, name)| Some((column?, to.place(name)?))).collect()
    }

    /// The columns of `from` that refer, as a part of a name.
    pub(super) fn by(&self, from: &Relation) -> String {
        let names: Vec<&str> = self.columns.iter().map(|place| &*from.columns[*place].name).collect();
        names.join("_and_")
    }
}

impl Key {
    /// Whether it is the rowid alone.
    pub(super) fn is_rowid(&self) -> bool {
        matches!(self, Self::Rowid(_))
    }
}
