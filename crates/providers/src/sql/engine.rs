//! The seam between what holds for every database and what each kind of database does its own way.
//!
//! An [`Engine`] lends [`Session`]s, each a connection in a transaction. Everything above (interfaces, keys, pages, writes)
//! is written against these two and never names a product. A session is used on a thread that may block; an engine whose
//! driver is asynchronous waits there. What a session needs of time it is told by its [`Watch`].
//!
//! **What a second engine brings.** A [`Dialect`]; a [`Stamp`] that changes with the schema; the catalogue as `catalog` says it,
//! each column's type as one of `ColumnKind`; errors as [`SqlError`], and rules that a change would break as [`Violation`]s. Its
//! language has to have what is written above: names in double quotes, `COLLATE` behind an operand, `NULLS FIRST`, `LIMIT`,
//! `FALSE` as a condition, windows over groups, and `RETURNING`. Values are compared as columns compare them, so that `=` finds
//! the row with a key and `<` goes on where `ORDER BY` does. SQLite's alone, to be moved into the
//! dialect with the second one, are: `LIKE` without regard to the case of ASCII (`read::condition`); the collation `BINARY`
//! (`key`, `read::order`); the `+` that keeps a column's type from changing what it is compared with (`read::order`); the value
//! that gets a column's type by a `UNION ALL` with none of its rows (`key::bound_as`); as what a column stores a value (`key`);
//! and threads with deep stacks, which a library within this process needs (`stack`).
//!
//! **What would have to be widened for it.** [`Cell`] has the five kinds of values of SQLite: decimals, UUIDs, arrays and times with
//! a zone would have to be told apart in it, in `ColumnKind` and in keys (`key`). A relation has one name: where there are
//! schemas, it has two, in paths and in statements. What identifies a row beside its key is a rowid.

use std::sync::Arc;
use std::time::{Duration, Instant};

use worldspace_host::{ProviderError, Refusal};

use super::catalog::{Incoming, Listed, Relation, Stamp};
use super::cell::{Cell, CellRef};
use crate::pool::Patience;

/// A database that can be spoken to.
pub(super) trait Engine: Send + Sync + 'static {
    /// What kind it is, in words.
    fn dialect(&self) -> &'static Dialect;

    /// Lends a connection in a new transaction.
    fn begin(&self, purpose: Purpose, watch: &Watch) -> Result<Box<dyn Session + '_>, SqlError>;
}

/// In what one kind of database is unlike others, as data.
#[derive(Debug)]
pub(super) struct Dialect {
    /// What it is, in a few words.
    pub(super) database: &'static str,
    /// Whose language its statements are written in, as a sentence.
    pub(super) sql: &'static str,
    /// Statements that a caller may write, as a list in words.
    pub(super) reads: &'static str,
    /// The function that gives a part of a text or of bytes.
    pub(super) part: &'static str,
    /// Which letters `LIKE` takes for the same, in words.
    pub(super) like_letters: &'static str,
    /// How many may change rows at one time. More wait before they begin, and not within the database.
    pub(super) writers: usize,
    pub(super) most: Most,
}

/// What one statement may hold at most.
#[derive(Debug)]
pub(super) struct Most {
    /// Conditions side by side, as they make an expression deep.
    pub(super) conditions: usize,
    pub(super) values: usize,
    /// Bytes in a pattern.
    pub(super) pattern: usize,
}

/// What a transaction is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Statements that were made here and read. All of them see one state of the database.
    Read,
    /// Statements that were made here. No other writer comes between them.
    Write,
    /// A statement that a caller wrote, which may do nothing but read, whatever it says.
    Foreign,
}

/// A connection in a transaction. Dropped, it leaves no trace of what it changed.
pub(super) trait Session {
    /// Tells this schema from every other one that the database has had: all that is said of it below is the same as long
    /// as this is.
    fn stamp(&self) -> Stamp;

    /// Tables and views that are offered, by the bytes of their names. One query of the catalogue.
    fn list(&mut self) -> Result<Arc<[Listed]>, SqlError>;

    /// The table or view of exactly that name, if it is offered.
    fn relation(&mut self, name: &str) -> Result<Option<Arc<Relation>>, SqlError>;

    /// The foreign keys of any table that refer to that one, in the order of table names and then of declaration.
    fn incoming(&mut self, name: &str) -> Result<Arc<[Incoming]>, SqlError>;

    /// Runs a statement that reads, and hands over its rows one by one until there are no more or `take` has enough.
    fn select(&mut self, statement: &Statement, take: &mut Take<'_>) -> Result<(), SqlError>;

    /// Runs an INSERT, UPDATE or DELETE of the relation and gives the rows that it returns. The transaction goes on after a
    /// violation, as if the statement had not been run.
    fn change(&mut self, statement: &Statement, relation: &Relation) -> Result<Vec<Vec<Cell>>, ChangeError>;

    /// Makes what was changed last. No deadline counts any more.
    fn commit(self: Box<Self>) -> Committed;

    /// Runs a statement that a caller wrote ([`Purpose::Foreign`]). `head` gets the names of its columns, then `take` its rows.
    fn run(
        &mut self,
        sql: &str,
        parameters: &[Cell],
        head: &mut dyn FnMut(&[&str]) -> Result<(), SqlError>,
        take: &mut Take<'_>,
    ) -> Result<(), SqlError>;
}

impl dyn Session + '_ {
    /// Runs a statement that reads, and what `take` makes of its first row; none if it has no rows.
    pub(super) fn first<T>(
        &mut self,
        statement: &Statement,
        take: impl FnOnce(&[CellRef<'_>]) -> Result<T, SqlError>,
    ) -> Result<Option<T>, SqlError> {
        let (mut take, mut taken) = (Some(take), None);
        self.select(statement, &mut |row| {
            taken = take.take().map(|take| take(row)).transpose()?;
            Ok(Flow::Enough)
        })?;
        Ok(taken)
    }
}

/// Takes a row, and says whether to go on.
pub(super) type Take<'t> = dyn FnMut(&[CellRef<'_>]) -> Result<Flow, SqlError> + 't;

/// Whether more rows are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    More,
    Enough,
}

/// A statement that was made here: its text never holds a value, and names only as quoted identifiers.
#[derive(Debug, Clone, Default)]
pub(super) struct Statement {
    pub(super) sql: String,
    pub(super) parameters: Vec<Cell>,
}

impl Statement {
    pub(super) fn new(sql: impl Into<String>) -> Self {
        Self { sql: sql.into(), parameters: Vec::new() }
    }

    /// Writes text.
    pub(super) fn push(&mut self, sql: &str) -> &mut Self {
        self.sql.push_str(sql);
        self
    }

    /// Writes an identifier, quoted.
    pub(super) fn name(&mut self, identifier: &str) -> &mut Self {
        self.sql.push('"');
        self.sql.push_str(&identifier.replace('"', "\"\""));
        self.sql.push('"');
        self
    }

    /// Writes a placeholder for a value: `?`, in the order of the text. An engine that numbers them does so wherever one stands
    /// outside of quotes.
    pub(super) fn bind(&mut self, value: Cell) -> &mut Self {
        self.parameters.push(value);
        self.sql.push('?');
        self
    }
}

/// How long a session may go on. Cheap to clone.
#[derive(Clone)]
pub(super) struct Watch {
    /// Of the caller, if there is one.
    patience: Option<Patience>,
    /// When a statement has had the time that this Host gives to one.
    end: Instant,
    time: Duration,
}

impl Watch {
    pub(super) fn new(patience: &Patience, time: Duration) -> Self {
        let now = Instant::now();
        let end = now.checked_add(time).unwrap_or(now + Duration::from_secs(86_400));
        Self { patience: Some(patience.clone()), end, time }
    }

    /// So long, for nobody in particular.
    pub(super) fn lasting(time: Duration) -> Self {
        Self { patience: None, end: Instant::now() + time, time }
    }

    /// Whether to stop now.
    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.end || self.caller_is_over()
    }

    fn caller_is_over(&self) -> bool {
        self.patience.as_ref().is_some_and(Patience::is_over)
    }

    /// Why it is over: the caller has no more time, else this Host gives none.
    pub(super) fn ended(&self) -> SqlError {
        if self.caller_is_over() {
            return SqlError::Late;
        }
        SqlError::Overtime(self.time)
    }
}

/// Why the database gave no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum SqlError {
    /// The caller's time was over.
    #[error("the time ran out")]
    Late,
    /// A statement had so much time, which is all that this Host gives to one.
    #[error(
        "the statement ran longer than {} s, which is this Host's limit for one (`statement_time`), and nothing was changed; \
         let it read less, by a condition on an indexed column, fewer rows or fewer joins",
        .0.as_secs_f64()
    )]
    Overtime(Duration),
    /// Another program kept the database locked for as long as there was time.
    #[error("another program keeps the database locked")]
    Busy,
    /// A limit, in words for the caller.
    #[error("{0}")]
    Limit(String),
    /// What a table or view is cannot be told, as where a view is of a table that is gone; in words for the caller. Only of
    /// [`Session::relation`].
    #[error("{0}")]
    Unreadable(String),
    /// What the caller wrote cannot be run, in words for the caller. Only of [`Session::run`].
    #[error("{0}")]
    Statement(String),
    /// What the caller asked for goes against the schema as it is: it changed since it was read.
    #[error("the schema changed")]
    SchemaChanged,
    /// It failed; for the log.
    #[error("the database failed")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl SqlError {
    pub(super) fn failed(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Failed(source.into())
    }
}

/// Why a change was not made.
#[derive(Debug)]
pub(super) enum ChangeError {
    /// It would break a rule of the database.
    Violation(Violation),
    Error(SqlError),
}

impl From<SqlError> for ChangeError {
    fn from(error: SqlError) -> Self {
        Self::Error(error)
    }
}

/// A rule of the database that a change would break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Violation {
    pub(super) constraint: Constraint,
    /// The columns of the relation that it is about, as far as that is known.
    pub(super) columns: Vec<Arc<str>>,
    /// What is wrong, in words: of the database, or made here.
    pub(super) message: String,
}

/// The kinds of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Constraint {
    PrimaryKey,
    Unique,
    NotNull,
    Check,
    ForeignKey,
    /// A value of a type that the column does not take.
    Type,
    /// A trigger refused.
    Trigger,
}

impl Constraint {
    pub(super) const ALL: [Self; 7] = [
        Self::PrimaryKey,
        Self::Unique,
        Self::NotNull,
        Self::Check,
        Self::ForeignKey,
        Self::Type,
        Self::Trigger,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::PrimaryKey => "primary_key",
            Self::Unique => "unique",
            Self::NotNull => "not_null",
            Self::Check => "check",
            Self::ForeignKey => "foreign_key",
            Self::Type => "type",
            Self::Trigger => "trigger",
        }
    }
}

/// What became of a transaction.
#[derive(Debug)]
pub(super) enum Committed {
    Done,
    /// For certain, nothing of it is there.
    RolledBack(ChangeError),
    /// Nobody knows.
    Unknown(Box<dyn std::error::Error + Send + Sync>),
}

const BUSY: &str = "another program keeps the database locked, and nothing was changed; call again later";
const LATE: &str = "the time ran out and nothing was changed; allow more time, or ask for less";

impl From<SqlError> for ProviderError {
    fn from(error: SqlError) -> Self {
        match error {
            SqlError::Late => Self::Late,
            SqlError::Busy => Self::Limit(BUSY.to_owned()),
            error @ SqlError::Overtime(_) => Self::Limit(error.to_string()),
            SqlError::Limit(text) | SqlError::Unreadable(text) => Self::Limit(text),
            SqlError::SchemaChanged => Self::NotFound,
            error @ (SqlError::Statement(_) | SqlError::Failed(_)) => Self::failed(error),
        }
    }
}

impl From<SqlError> for Refusal {
    fn from(error: SqlError) -> Self {
        match error {
            SqlError::Late => Self::Limit(LATE.to_owned()),
            SqlError::Busy => Self::Limit(BUSY.to_owned()),
            error @ SqlError::Overtime(_) => Self::Limit(error.to_string()),
            SqlError::Limit(text) | SqlError::Unreadable(text) => Self::Limit(text),
            SqlError::Statement(text) => Self::InvalidArguments(text),
            SqlError::SchemaChanged => Self::InterfaceChanged,
            error @ SqlError::Failed(_) => Self::failed(error),
        }
    }
}
