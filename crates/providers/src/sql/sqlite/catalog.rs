//! The schema, read from the file by the table-valued forms of SQLite's PRAGMAs, each part once as long as it stays the same.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, ffi};

use super::failure::{self, Fault};
use super::types::kind_of;
use crate::sql::catalog::{Column, ForeignKey, Incoming, Key, Kind, Listed, Relation, Stamp};
use crate::sql::engine::SqlError;

/// What is known of one schema. Shared by every connection that sees it.
pub(super) struct Schema {
    pub(super) stamp: Stamp,
    exact_integers: bool,
    listing: OnceLock<Arc<Listing>>,
    incoming: OnceLock<Arc<HashMap<Arc<str>, Arc<[Incoming]>>>>,
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

#[derive(Clone, Copy)]
struct Facts {
    kind: Kind,
    without_rowid: bool,
    strict: bool,
}

/// A table or view by itself.
pub(super) struct Table {
    kind: Kind,
    without_rowid: bool,
    pub(super) columns: Vec<Column>,
    /// The places of the primary key's columns, in its order; none if one of them is not shown.
    key: Option<Vec<usize>>,
    /// Whether the primary key is another name for the rowid.
    pub(super) rowid_alias: bool,
    pub(super) uniques: Vec<Unique>,
}

/// A unique index.
pub(super) struct Unique {
    pub(super) name: String,
    /// Of each column its place; none of an expression.
    pub(super) columns: Vec<Option<usize>>,
    partial: bool,
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
            kind: table.kind,
            columns: table.columns.clone(),
            key: key_of(&table),
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
        let table = Arc::new(read_table(raw, name, facts, self.exact_integers)?);
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
            false => table.key.clone(),
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

impl Table {
    /// Whether these are exactly the columns of the primary key or of a unique index over all rows.
    fn tells_rows(&self, places: &[usize]) -> bool {
        let sorted = |places: &[usize]| {
            let mut places = places.to_vec();
            places.sort_unstable();
            places
        };
        let wanted = sorted(places);
        let key = self.key.iter().filter(|key| !key.is_empty()).map(|key| sorted(key));
        let whole = self.uniques.iter().filter(|unique| !unique.partial);
        let uniques = whole.filter_map(|unique| unique.columns.iter().copied().collect::<Option<Vec<_>>>());
        key.chain(uniques.map(|places| sorted(&places))).any(|places| places == wanted)
    }
}

fn key_of(table: &Table) -> Key {
    if table.kind != Kind::Table {
        return Key::None;
    }
    let rowid = match table.without_rowid {
        true => None,
        // A column of that name hides it.
        false => ["rowid", "_rowid_", "oid"]
            .into_iter()
            .find(|name| !table.columns.iter().any(|column| column.name.eq_ignore_ascii_case(name))),
    };
    match &table.key {
        Some(places) if !places.is_empty() => {
            let nullable = places.iter().any(|place| table.columns[*place].nullable);
            match (nullable, rowid) {
                (false, _) => Key::Columns { places: places.clone(), when_null: None },
                (true, Some(_)) => Key::Columns { places: places.clone(), when_null: rowid },
                // Rows whose key holds a NULL could not be told from each other.
                (true, None) => Key::None,
            }
        }
        _ => rowid.map_or(Key::None, Key::Rowid),
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

fn read_table(raw: &Connection, name: &str, facts: Facts, exact_integers: bool) -> Result<Table, Fault> {
    let Facts { kind, without_rowid, strict } = facts;
    // Not kept ready: it would keep a virtual table's module at work.
    let mut columns = Vec::new();
    // By the number of the column in the table, its place among those that are shown.
    let mut places: HashMap<i64, usize> = HashMap::new();
    let mut key: Vec<(i64, Option<usize>)> = Vec::new();
    {
        const SQL: &str = "SELECT cid, name, type, \"notnull\", dflt_value, pk, hidden \
                           FROM pragma_table_xinfo(?1, 'main') ORDER BY cid";
        let mut statement = raw.prepare_cached(SQL)?;
        let mut rows = statement.query([name])?;
        while let Some(row) = rows.next().map_err(|error| unreadable(error, kind))? {
            let (not_null, in_key, hidden): (bool, i64, i64) = (row.get(3)?, row.get(5)?, row.get(6)?);
            let shown = text(row, 1)?.filter(|_| hidden != 1);
            if let Some(name) = shown {
                let declared = lossy(row, 2)?.unwrap_or_default();
                let (column_kind, numeric) = kind_of(&declared, strict, exact_integers);
                places.insert(row.get(0)?, columns.len());
                columns.push(Column {
                    name: name.into(),
                    declared,
                    kind: column_kind,
                    numeric,
                    nullable: !not_null,
                    default: lossy(row, 4)?,
                    generated: matches!(hidden, 2 | 3),
                    automatic: false,
                });
            }
            if in_key > 0 {
                key.push((in_key, shown.map(|_| columns.len() - 1)));
            }
        }
    }
    if columns.is_empty() {
        // SQLite says nothing at all of some that it cannot make sense of.
        return Err(SqlError::Limit(format!("the columns of this {} cannot be read", kind.words())).into());
    }
    let (uniques, key_has_index) = match kind {
        Kind::Table => read_uniques(raw, name, &places)?,
        Kind::View | Kind::Virtual => (Vec::new(), false),
    };
    key.sort_unstable();
    let key: Option<Vec<usize>> = key.into_iter().map(|(_, place)| place).collect();
    // Every other primary key has an index of its own.
    let alias = match key.as_deref() {
        Some([place]) if kind == Kind::Table && !without_rowid && !key_has_index => Some(*place),
        _ => None,
    };
    if let Some(column) = alias.and_then(|place| columns.get_mut(place)) {
        column.nullable = false;
        column.automatic = true;
    }
    Ok(Table { kind, without_rowid, columns, key, rowid_alias: alias.is_some(), uniques })
}

/// The unique indexes, and whether one of them is the primary key's.
fn read_uniques(
    raw: &Connection,
    name: &str,
    places: &HashMap<i64, usize>,
) -> Result<(Vec<Unique>, bool), rusqlite::Error> {
    const SQL: &str = "SELECT l.seq, l.name, l.origin, l.partial, x.cid \
                       FROM pragma_index_list(?1, 'main') AS l, pragma_index_xinfo(l.name, 'main') AS x \
                       WHERE l.\"unique\" AND x.key ORDER BY l.seq, x.seqno";
    let mut statement = raw.prepare_cached(SQL)?;
    let mut rows = statement.query([name])?;
    let (mut uniques, mut last, mut key_has_index) = (Vec::<Unique>::new(), None, false);
    while let Some(row) = rows.next()? {
        let number: i64 = row.get(0)?;
        if last.replace(number) != Some(number) {
            let name = lossy(row, 1)?.unwrap_or_default();
            uniques.push(Unique { name, columns: Vec::new(), partial: row.get(3)? });
        }
        key_has_index |= text(row, 2)? == Some("pk");
        if let Some(unique) = uniques.last_mut() {
            unique.columns.push(places.get(&row.get(4)?).copied());
        }
    }
    Ok((uniques, key_has_index))
}

fn read_incoming(
    raw: &Connection,
    listing: &Listing,
) -> Result<HashMap<Arc<str>, Arc<[Incoming]>>, rusqlite::Error> {
    const SQL: &str = "SELECT DISTINCT l.name, f.id, f.\"table\" \
                       FROM pragma_table_list AS l, pragma_foreign_key_list(l.name, 'main') AS f \
                       WHERE l.schema = 'main' AND l.type = 'table'";
    // By table, the foreign keys as SQLite numbers them, and what they refer to.
    let mut found: HashMap<Arc<str>, Vec<(i64, Option<Arc<str>>)>> = HashMap::new();
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

/// Why the columns cannot be read, where that is up to what the schema says and not to the file.
fn unreadable(error: rusqlite::Error, kind: Kind) -> Fault {
    if failure::primary(&error) != Some(ffi::SQLITE_ERROR) {
        return error.into();
    }
    let text = failure::message(&error);
    SqlError::Limit(format!("the columns of this {} cannot be read: {text}", kind.words())).into()
}

/// The column that SQLite takes by that name.
fn place(columns: &[Column], name: &str) -> Option<usize> {
    columns.iter().position(|column| column.name.eq_ignore_ascii_case(name))
}

/// A text of a row, if it is one and UTF-8.
fn text<'r>(row: &'r Row<'_>, at: usize) -> Result<Option<&'r str>, rusqlite::Error> {
    Ok(match row.get_ref(at)? {
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).ok(),
        _ => None,
    })
}

/// A text of a row, as far as it is UTF-8.
fn lossy(row: &Row<'_>, at: usize) -> Result<Option<String>, rusqlite::Error> {
    Ok(match row.get_ref(at)? {
        ValueRef::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
