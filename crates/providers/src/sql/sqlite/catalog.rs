//! The schema, read from the file by the table-valued forms of SQLite's PRAGMAs, each part once as long as it stays the same.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rusqlite::Connection;

use super::failure::Fault;
use super::table::{Facts, Table, lossy, place, text};
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
        // The last that was declared is numbered 0.
        const SQL: &str = "SELECT id, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(?1, 'main') \
                           ORDER BY id DESC, seq";
        struct Declared {
            id: i64,
            parent: String,
            from: Vec<Option<usize>>,
            to: Vec<Option<String>>,
        }
        let mut declared: Vec<Declared> = Vec::new();
        let mut statement = raw.prepare_cached(SQL)?;
        let mut rows = statement.query([name])?;
        while let Some(row) = rows.next()? {
            let id = row.get(0)?;
            if declared.last().is_none_or(|last| last.id != id) {
                let parent = lossy(row, 1)?.unwrap_or_default();
                declared.push(Declared { id, parent, from: Vec::new(), to: Vec::new() });
            }
            let Some(last) = declared.last_mut() else { continue };
            last.from.push(text(row, 2)?.and_then(|from| place(&table.columns, from)));
            last.to.push(text(row, 3)?.map(str::to_owned));
        }
        drop(rows);
        let resolve = |key: Declared| {
            // What names a column that is not shown stays, so that each keeps its number, and leads nowhere.
            let columns: Option<Vec<usize>> = key.from.into_iter().collect();
            let parent = listing.folded.get(&key.parent.to_ascii_lowercase());
            let referenced = match (parent, &columns) {
                (Some(parent), Some(columns)) => {
                    self.referenced(raw, listing, parent, columns.len(), &key.to)?
                }
                _ => Vec::new(),
            };
            let table = parent.cloned().unwrap_or_else(|| key.parent.into());
            Ok(ForeignKey { columns: columns.unwrap_or_default(), table, referenced })
        };
        declared.into_iter().map(resolve).collect()
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
    const SQL: &str = "SELECT name, type, wr, strict FROM pragma_table_list WHERE schema = 'main'";
    let mut statement = raw.prepare_cached(SQL)?;
    let mut rows = statement.query([])?;
    let mut offered = Vec::new();
    let (mut facts, mut folded) = (HashMap::new(), HashMap::new());
    while let Some(row) = rows.next()? {
        let Some(name) = text(row, 0)?.filter(|name| !is_internal(name)) else { continue };
        let kind = match text(row, 1)? {
            Some("table") => Kind::Table,
            Some("view") => Kind::View,
            Some("virtual") => Kind::Virtual,
            // The tables that a virtual one keeps its rows in.
            _ => continue,
        };
        let name: Arc<str> = name.into();
        facts.insert(name.clone(), Facts { kind, without_rowid: row.get(2)?, strict: row.get(3)? });
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
    const SQL: &str = "SELECT DISTINCT l.name, f.id, f.\"table\" \
                       FROM pragma_table_list AS l, pragma_foreign_key_list(l.name, 'main') AS f \
                       WHERE l.schema = 'main' AND l.type = 'table'";
    // By table, its foreign keys as SQLite numbers them, each with what it refers to.
    type Numbered = Vec<(i64, Option<Arc<str>>)>;
    let mut found: HashMap<Arc<str>, Numbered> = HashMap::new();
    let mut statement = raw.prepare_cached(SQL)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let Some((child, _)) = text(row, 0)?.and_then(|name| listing.facts.get_key_value(name)) else {
            continue;
        };
        let parent = text(row, 2)?.and_then(|name| listing.folded.get(&name.to_ascii_lowercase()));
        found.entry(child.clone()).or_default().push((row.get(1)?, parent.cloned()));
    }
    let mut incoming: HashMap<Arc<str>, Vec<Incoming>> = HashMap::new();
    for (table, mut keys) in found {
        // As in a relation: by declaration, the last of which has the number 0.
        keys.sort_unstable_by_key(|(id, _)| std::cmp::Reverse(*id));
        for (foreign_key, (_, parent)) in keys.into_iter().enumerate() {
            if let Some(parent) = parent {
                incoming.entry(parent).or_default().push(Incoming { table: table.clone(), foreign_key });
            }
        }
    }
    let sorted = incoming.into_iter().map(|(parent, mut all)| {
        all.sort_by(|a, b| (&a.table, a.foreign_key).cmp(&(&b.table, b.foreign_key)));
        (parent, all.into())
    });
    Ok(sorted.collect())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
