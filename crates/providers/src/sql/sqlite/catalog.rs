//! The schema, read from the file by SQLite's PRAGMAs, each part once as long as it stays the same.
//!
//! Their table-valued forms are not used: a table of the file may have any of their names.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rusqlite::Connection;

use super::failure::Fault;
use super::references::{self, Declared};
use super::table::{Facts, Table, place, text};
use crate::sql::catalog::{ForeignKey, Incoming, Kind, Listed, Relation, Stamp};

/// By table, which foreign keys refer to it.
type References = HashMap<Arc<str>, Arc<[Incoming]>>;

/// What is known of one schema. Shared by every connection that sees it.
pub(super) struct Schema {
    pub(super) stamp: Stamp,
    exact_integers: bool,
    listing: OnceLock<Arc<Listing>>,
    incoming: OnceLock<Arc<References>>,
    tables: Mutex<HashMap<Arc<str>, Arc<Table>>>,
    relations: Mutex<HashMap<Arc<str>, Arc<Relation>>>,
}

/// What there is.
pub(super) struct Listing {
    pub(super) offered: Arc<[Listed]>,
    facts: HashMap<Arc<str>, Facts>,
    /// Names as SQLite compares them: without regard to the case of ASCII.
    folded: HashMap<String, Arc<str>>,
}

impl Schema {
    pub(super) fn new(stamp: Stamp, exact_integers: bool) -> Self {
        Self {
            stamp,
            exact_integers,
            listing: OnceLock::new(),
            incoming: OnceLock::new(),
            tables: Mutex::default(),
            relations: Mutex::default(),
        }
    }

    /// Tables and views.
    pub(super) fn listing(&self, raw: &Connection) -> Result<Arc<Listing>, Fault> {
        if let Some(known) = self.listing.get() {
            return Ok(known.clone());
        }
        let listing = Arc::new(read_listing(raw)?);
        Ok(self.listing.get_or_init(|| listing).clone())
    }

    /// The table or view of exactly that name, with its foreign keys.
    pub(super) fn relation(&self, raw: &Connection, name: &str) -> Result<Option<Arc<Relation>>, Fault> {
        if let Some(known) = lock(&self.relations).get(name) {
            return Ok(Some(known.clone()));
        }
        let listing = self.listing(raw)?;
        let Some((name, facts)) = listing.facts.get_key_value(name) else { return Ok(None) };
        let table = self.table(raw, &listing, name, *facts)?;
        let foreign_keys = match facts.kind {
            Kind::Table => self.foreign_keys(raw, &listing, name, &table)?,
            Kind::View | Kind::Virtual => Vec::new(),
        };
        let relation = Arc::new(Relation {
            name: name.clone(),
            kind: facts.kind,
            columns: table.columns.clone(),
            key: table.key(),
            foreign_keys,
        });
        lock(&self.relations).insert(name.clone(), relation.clone());
        Ok(Some(relation))
    }

    /// That table or view by itself, if it is offered.
    pub(super) fn details(&self, raw: &Connection, name: &str) -> Result<Option<Arc<Table>>, Fault> {
        let listing = self.listing(raw)?;
        let Some((name, facts)) = listing.facts.get_key_value(name) else { return Ok(None) };
        self.table(raw, &listing, name, *facts).map(Some)
    }

    /// Which foreign keys refer to that table.
    pub(super) fn incoming(&self, raw: &Connection, name: &str) -> Result<Arc<[Incoming]>, Fault> {
        let known = match self.incoming.get() {
            Some(known) => known.clone(),
            None => {
                let incoming = Arc::new(read_incoming(raw, &*self.listing(raw)?)?);
                self.incoming.get_or_init(|| incoming).clone()
            }
        };
        Ok(known.get(name).cloned().unwrap_or_default())
    }

    fn table(
        &self,
        raw: &Connection,
        listing: &Listing,
        name: &Arc<str>,
        facts: Facts,
    ) -> Result<Arc<Table>, Fault> {
        if let Some(known) = lock(&self.tables).get(name) {
            return Ok(known.clone());
        }
        debug_assert!(listing.facts.contains_key(name), "only what is offered is read");
        let table = Arc::new(Table::read(raw, name, facts, self.exact_integers)?);
        lock(&self.tables).insert(name.clone(), table.clone());
        Ok(table)
    }

    fn foreign_keys(
        &self,
        raw: &Connection,
        listing: &Listing,
        name: &str,
        table: &Table,
    ) -> Result<Vec<ForeignKey>, Fault> {
        let resolve = |key: Declared| {
            // What names a column that is not shown stays, so that each keeps its number, and leads nowhere.
            let from = |name: Option<String>| name.and_then(|name| place(&table.columns, &name));
            let columns: Option<Vec<usize>> = key.from.into_iter().map(from).collect();
            let parent = listing.folded.get(&key.parent.to_ascii_lowercase());
            let referenced = match (parent, &columns) {
                (Some(parent), Some(columns)) => {
                    self.referenced(raw, listing, parent, columns.len(), &key.to)?
                }
                _ => Vec::new(),
            };
            let table = parent.cloned().unwrap_or_else(|| key.parent.into());
            let Declared { when_changed, when_deleted, .. } = key;
            Ok(ForeignKey {
                columns: columns.unwrap_or_default(),
                table,
                referenced,
                when_deleted,
                when_changed,
            })
        };
        references::declared(raw, name)?.into_iter().map(resolve).collect()
    }

    /// The columns of the parent that a foreign key refers to, if they tell a row.
    fn referenced(
        &self,
        raw: &Connection,
        listing: &Listing,
        parent: &Arc<str>,
        width: usize,
        to: &[Option<String>],
    ) -> Result<Vec<Arc<str>>, Fault> {
        let Some(facts) = listing.facts.get(parent).filter(|facts| facts.kind == Kind::Table) else {
            return Ok(Vec::new());
        };
        let table = self.table(raw, listing, parent, *facts)?;
        let named = |to: &Option<String>| to.as_deref().and_then(|to| place(&table.columns, to));
        let places: Option<Vec<usize>> = match to.iter().any(Option::is_some) {
            true => to.iter().map(named).collect(),
            // Nothing is named: the primary key is meant.
            false => table.primary_key.clone(),
        };
        let Some(places) = places.filter(|places| places.len() == width && table.tells_rows(places)) else {
            return Ok(Vec::new());
        };
        Ok(places.into_iter().map(|place| table.columns[place].name.clone()).collect())
    }
}

impl Listing {
    /// Those whose rows a module makes up.
    pub(super) fn virtual_tables(&self) -> impl Iterator<Item = &str> {
        self.offered.iter().filter(|listed| listed.kind == Kind::Virtual).map(|listed| &*listed.name)
    }
}

fn read_listing(raw: &Connection) -> Result<Listing, rusqlite::Error> {
    let mut statement = raw.prepare("PRAGMA main.table_list")?;
    let mut rows = statement.query([])?;
    let mut offered = Vec::new();
    let (mut facts, mut folded) = (HashMap::new(), HashMap::new());
    // Schema, name, kind, number of columns, whether it has no rowid, whether it is strict.
    while let Some(row) = rows.next()? {
        let Some(name) = text(row, 1)?.filter(|name| !is_internal(name)) else { continue };
        let kind = match text(row, 2)? {
            Some("table") => Kind::Table,
            Some("view") => Kind::View,
            Some("virtual") => Kind::Virtual,
            // The tables that a virtual one keeps its rows in.
            _ => continue,
        };
        let name: Arc<str> = name.into();
        facts.insert(name.clone(), Facts { kind, without_rowid: row.get(4)?, strict: row.get(5)? });
        folded.insert(name.to_ascii_lowercase(), name.clone());
        offered.push(Listed { name, kind });
    }
    offered.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(Listing { offered: offered.into(), facts, folded })
}

/// Whether it is one of SQLite's own, none of which can be made by others.
fn is_internal(name: &str) -> bool {
    const PREFIX: &str = "sqlite_";
    name.get(..PREFIX.len()).is_some_and(|start| start.eq_ignore_ascii_case(PREFIX))
}

fn read_incoming(raw: &Connection, listing: &Listing) -> Result<References, rusqlite::Error> {
    let mut incoming: HashMap<Arc<str>, Vec<Incoming>> = HashMap::new();
    // By name, which is the order that they come in.
    for listed in listing.offered.iter().filter(|listed| listed.kind == Kind::Table) {
        for (foreign_key, key) in references::declared(raw, &listed.name)?.into_iter().enumerate() {
            if let Some(parent) = listing.folded.get(&key.parent.to_ascii_lowercase()) {
                let table = listed.name.clone();
                incoming.entry(parent.clone()).or_default().push(Incoming { table, foreign_key });
            }
        }
    }
    Ok(incoming.into_iter().map(|(parent, all)| (parent, all.into())).collect())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
