//! The interfaces of the database, its tables, views and rows: made from the schema as a transaction sees it, and kept as
//! long as that stays.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use worldspace_host::{Interface, Interfaces, LocalPath, LocalReference};
use worldspace_model::{Fault, InterfaceName, Name, Segment};

use super::catalog::{Kind, Stamp};
use super::engine::{Dialect, Session, SqlError};
use super::names::{Unique, text_of};
use super::shape::{Shape, relation_path};
use super::{read, write};

/// What the database publishes.
pub(super) const DATABASE: &str = "sql.database";
/// What tables publish.
pub(super) const TABLE: &str = "sql.table";
/// What views and virtual tables publish.
pub(super) const VIEW: &str = "sql.view";
/// What rows publish.
pub(super) const ROW: &str = "sql.row";
/// What tables publish as well where writing is offered.
pub(super) const TABLE_WRITE: &str = "sql.table.write";
/// What rows publish as well where writing is offered.
pub(super) const ROW_WRITE: &str = "sql.row.write";

/// What was made so far of the schema that was seen last.
pub(super) struct Declared {
    writable: bool,
    pub(super) dialect: &'static Dialect,
    database: Interfaces,
    /// The one interface that no schema changes.
    of_database: (LocalReference, Interface),
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    stamp: Stamp,
    shapes: HashMap<Box<str>, Arc<Shape>>,
    links: HashMap<Box<str>, Arc<[Link]>>,
    lists: HashMap<Box<str>, Lists>,
    interfaces: HashMap<LocalReference, Interface>,
}

/// What the Objects of one relation publish.
#[derive(Clone)]
pub(super) struct Lists {
    pub(super) relation: Interfaces,
    pub(super) row: Interfaces,
}

/// A foreign key of another relation, as an operation of the rows that it refers to.
pub(super) struct Link {
    pub(super) operation: Name,
    /// The relation that refers.
    pub(super) shape: Arc<Shape>,
    /// Which of its foreign keys.
    pub(super) foreign_key: usize,
}

impl Declared {
    pub(super) fn new(writable: bool, dialect: &'static Dialect) -> Result<Self, Fault> {
        let reference = LocalReference::at_root(DATABASE)?;
        let database = Interfaces::new([reference.clone()]);
        let of_database = (reference, read::raw::declare(dialect)?);
        Ok(Self { writable, dialect, database, of_database, known: Mutex::default() })
    }

    /// What the database publishes.
    pub(super) fn of_database(&self) -> &Interfaces {
        &self.database
    }

    /// What was made of that schema, by `of`.
    fn known<T>(&self, stamp: Stamp, of: impl FnOnce(&mut Known) -> T) -> T {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.stamp != stamp {
            *known = Known { stamp, ..Known::default() };
        }
        of(&mut known)
    }

    /// What a relation of that name and kind, and its rows, publish.
    pub(super) fn lists(&self, stamp: Stamp, name: &str, kind: Kind) -> Result<Lists, Fault> {
        if let Some(lists) = self.known(stamp, |known| known.lists.get(name).cloned()) {
            return Ok(lists);
        }
        let scope = relation_path(name).unwrap_or_else(LocalPath::root);
        let list = |names: &[&str]| {
            let reference =
                |name: &&str| Ok(LocalReference { scope: scope.clone(), name: InterfaceName::parse(name)? });
            Ok::<_, Fault>(Interfaces::new(names.iter().map(reference).collect::<Result<Vec<_>, Fault>>()?))
        };
        let writable = self.writable && kind == Kind::Table;
        let lists = Lists {
            relation: list(match (kind, writable) {
                (Kind::Table, true) => &[TABLE, TABLE_WRITE],
                (Kind::Table, false) => &[TABLE],
                (Kind::View | Kind::Virtual, _) => &[VIEW],
            })?,
            row: list(if writable { &[ROW, ROW_WRITE] } else { &[ROW] })?,
        };
        self.known(stamp, |known| known.lists.insert(name.into(), lists.clone()));
        Ok(lists)
    }

    /// How rows of that relation look; none if it is not there.
    pub(super) fn shape(
        &self,
        session: &mut dyn Session,
        name: &str,
    ) -> Result<Option<Arc<Shape>>, SqlError> {
        let stamp = session.stamp();
        if let Some(shape) = self.known(stamp, |known| known.shapes.get(name).cloned()) {
            return Ok(Some(shape));
        }
        let Some(shape) = Shape::of(session, name)? else { return Ok(None) };
        let shape = Arc::new(shape);
        self.known(stamp, |known| known.shapes.insert(name.into(), shape.clone()));
        Ok(Some(shape))
    }

    /// What refers to rows of that relation.
    pub(super) fn links(&self, session: &mut dyn Session, name: &str) -> Result<Arc<[Link]>, SqlError> {
        let stamp = session.stamp();
        if let Some(links) = self.known(stamp, |known| known.links.get(name).cloned()) {
            return Ok(links);
        }
        let incoming = session.incoming(name)?;
        let mut names = Unique::beside(read::OF_ROWS.into_iter().chain(write::OF_ROWS));
        let mut links = Vec::new();
        for reference in incoming.iter() {
            let shape = match self.shape(session, &reference.table) {
                Ok(Some(shape)) => shape,
                Ok(None) | Err(SqlError::Unreadable(_)) => continue,
                Err(error) => return Err(error),
            };
            let Some(key) = shape.relation.foreign_keys.get(reference.foreign_key) else { continue };
            if key.referenced.is_empty() {
                continue;
            }
            let by = format!("{}_by_{}", reference.table, key.by(&shape.relation));
            let several = incoming.iter().filter(|other| other.table == reference.table).count() > 1;
            let operation = if several { names.take(&[&by]) } else { names.take(&[&reference.table, &by]) };
            links.push(Link { operation, foreign_key: reference.foreign_key, shape });
        }
        let links: Arc<[Link]> = links.into();
        self.known(stamp, |known| known.links.insert(name.into(), links.clone()));
        Ok(links)
    }

    /// The interface of that reference, if it is one that needs no look at the schema.
    pub(super) fn of_no_schema(&self, reference: &LocalReference) -> Option<&Interface> {
        (*reference == self.of_database.0).then_some(&self.of_database.1)
    }

    /// The interface of that reference, if there is one.
    pub(super) fn interface(
        &self,
        session: &mut dyn Session,
        reference: &LocalReference,
    ) -> Result<Option<Interface>, DeclareError> {
        if let Some(known) = self.of_no_schema(reference) {
            return Ok(Some(known.clone()));
        }
        let stamp = session.stamp();
        if let Some(known) = self.known(stamp, |known| known.interfaces.get(reference).cloned()) {
            return Ok(Some(known));
        }
        let Some(made) = self.make(session, reference)? else { return Ok(None) };
        self.known(stamp, |known| known.interfaces.insert(reference.clone(), made.clone()));
        Ok(Some(made))
    }

    fn make(
        &self,
        session: &mut dyn Session,
        reference: &LocalReference,
    ) -> Result<Option<Interface>, DeclareError> {
        let mut segments = reference.scope.segments();
        let (Some(name), None) = (segments.next().and_then(text_of), segments.next()) else {
            return Ok(None);
        };
        let shape = match self.shape(session, &name) {
            Ok(Some(shape)) => shape,
            Ok(None) => return Ok(None),
            // It is there, and says why nothing can be done with it.
            Err(SqlError::Unreadable(why)) if [TABLE, VIEW].contains(&reference.name.as_str()) => {
                let about = format!("It cannot be read: {why}.");
                return Ok(Some(Interface::builder().documented(about).build()?));
            }
            Err(SqlError::Unreadable(_)) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let table = shape.relation.kind == Kind::Table;
        let rows = shape.relation.has_rows();
        Ok(Some(match reference.name.as_str() {
            TABLE if table => read::declare::table(&shape, self.dialect)?,
            VIEW if !table => read::declare::view(&shape, self.dialect)?,
            ROW if rows => read::declare::row(&shape, &self.links(session, &name)?)?,
            TABLE_WRITE if table && self.writable => write::declare::table(&shape)?,
            ROW_WRITE if rows && self.writable => write::declare::row(&shape, &self.links(session, &name)?)?,
            _ => return Ok(None),
        }))
    }
}

/// Why an interface could not be made.
#[derive(Debug, thiserror::Error)]
pub(super) enum DeclareError {
    #[error(transparent)]
    Sql(#[from] SqlError),
    #[error("an interface that was made from a schema breaks a rule")]
    Fault(#[from] Fault),
}

impl From<DeclareError> for worldspace_host::ProviderError {
    fn from(error: DeclareError) -> Self {
        match error {
            DeclareError::Sql(error) => error.into(),
            error @ DeclareError::Fault(_) => Self::failed(error),
        }
    }
}

impl From<DeclareError> for worldspace_host::Refusal {
    fn from(error: DeclareError) -> Self {
        match error {
            DeclareError::Sql(error) => error.into(),
            error @ DeclareError::Fault(_) => Self::failed(error),
        }
    }
}

/// What a path of the provider may be.
pub(super) enum Place {
    Database,
    /// A table or view, by name.
    Relation(String),
    /// A row, by the segment of its key.
    Row(String, Segment),
}

impl Place {
    pub(super) fn of(path: &LocalPath) -> Option<Self> {
        let mut segments = path.segments();
        match (segments.next(), segments.next(), segments.next()) {
            (None, ..) => Some(Self::Database),
            (Some(name), None, _) => text_of(name).map(Self::Relation),
            (Some(name), Some(key), None) => Some(Self::Row(text_of(name)?, Segment::parse(key).ok()?)),
            _ => None,
        }
    }
}
