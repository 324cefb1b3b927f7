//! What a list costs: what SQLite asks the authorizer while it is made.

use std::sync::Mutex;

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use worldspace_host::{LocalPath, LocalReference};
use worldspace_model::InterfaceName;

use super::*;
use crate::sql::declare::{Declared, TABLE};
use crate::sql::names::segment_of;
use crate::sql::objects;
use crate::sql::shape::relation_path;
use crate::sql::sqlite::connect;

/// What a connection was asked, as lines.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Vec<String>>>);

impl Asked {
    /// Listens to the one connection that reads.
    fn of(sqlite: &Sqlite) -> Self {
        let asked = Self::default();
        let mut link = sqlite.readers.take(connect::identity(&sqlite.path).unwrap()).unwrap();
        let lines = asked.0.clone();
        let listen = move |context: AuthContext<'_>| {
            let line = match context.action {
                AuthAction::Pragma { pragma_name, pragma_value } => match pragma_value {
                    Some(value) => format!("{pragma_name} {value}"),
                    None => pragma_name.to_owned(),
                },
                AuthAction::Transaction { .. } => "transaction".to_owned(),
                other => format!("{other:?}"),
            };
            lines.lock().unwrap().push(line);
            Authorization::Allow
        };
        link.raw.authorizer(Some(listen)).unwrap();
        sqlite.readers.give_back(link);
        asked
    }

    /// What was asked since, but for what begins a transaction.
    fn since(&self) -> Vec<String> {
        let lines = std::mem::take(&mut *self.0.lock().unwrap());
        lines.into_iter().filter(|line| !["transaction", "schema_version"].contains(&&**line)).collect()
    }
}

/// As many tables, each of which refers to the one before.
fn many(tables: usize) -> File {
    let table = |at: usize| {
        let before = at.saturating_sub(1);
        format!("CREATE TABLE t{at}(id INTEGER PRIMARY KEY, a TEXT UNIQUE, b REFERENCES t{before});")
    };
    File::of(&(0..tables).map(table).collect::<String>())
}

fn declared(sqlite: &Sqlite) -> Declared {
    Declared::new(false, sqlite.dialect()).unwrap()
}

fn listed(sqlite: &Sqlite, declared: &Declared, most: usize) -> usize {
    let (mut number, mut after) = (0, None);
    loop {
        let mut session = begin(sqlite, Purpose::Read);
        let page = objects::children(&mut *session, declared, &LocalPath::root(), after.as_ref(), most);
        drop(page.unwrap());
        let list = session.list().unwrap();
        let mut names: Vec<_> = list.iter().map(|listed| segment_of(&listed.name).unwrap()).collect();
        names.sort();
        let part: Vec<_> = names.into_iter().skip(number).take(most).collect();
        number += part.len();
        after = part.last().cloned();
        if part.len() < most {
            return number;
        }
    }
}

#[test]
fn a_list_of_any_length_is_one_query_of_the_catalogue_and_reads_no_columns() {
    for (tables, most) in [(1, 1_000), (200, 1_000), (200, 30)] {
        let file = many(tables);
        let sqlite = file.reader();
        let declared = declared(&sqlite);
        let asked = Asked::of(&sqlite);
        // Now nothing is known any more, not even to the connection.
        file.other().execute_batch("CREATE TABLE more(a)").unwrap();
        let tables = tables + 1;
        assert_eq!(listed(&sqlite, &declared, most), tables);
        let mut lines = asked.since();
        // SQLite notices only while it prepares the one statement that the schema is another, and prepares it again.
        assert!(lines.len() <= 2, "{lines:?}");
        lines.dedup();
        assert_eq!(lines, ["table_list"], "{tables} tables, {most} at once");
        assert_eq!(listed(&sqlite, &declared, most), tables);
        assert_eq!(asked.since(), [] as [&str; 0], "nothing changed");
    }
}

#[test]
fn columns_are_read_when_a_table_is_inspected_and_of_no_more_tables_than_it_speaks_of() {
    let file = many(200);
    let sqlite = file.reader();
    let declared = declared(&sqlite);
    let asked = Asked::of(&sqlite);
    let mut session = begin(&sqlite, Purpose::Read);
    let table = relation_path("t7").unwrap();
    // To look at the table itself takes none either.
    objects::object(&mut *session, &declared, &table).unwrap();
    assert_eq!(asked.since(), [] as [&str; 0]);
    let reference = LocalReference { scope: table, name: InterfaceName::parse(TABLE).unwrap() };
    let interface = |session: &mut dyn Session| declared.interface(session, &reference).unwrap().unwrap();
    interface(&mut *session);
    let lines = asked.since();
    let of = |name: &str| lines.iter().filter(|line| line.ends_with(&format!(" {name}"))).count();
    assert!(of("t7") >= 3 && of("t6") >= 1, "{lines:?}");
    let others: Vec<_> = lines.iter().filter(|line| line.contains(" t") && !line.ends_with(" t7")).collect();
    assert!(others.iter().all(|line| line.ends_with(" t6") || line.ends_with(" t5")), "{lines:?}");
    assert!(lines.iter().any(|line| line == "table_xinfo t7"), "{lines:?}");
    interface(&mut *session);
    assert_eq!(asked.since(), [] as [&str; 0], "what is known is read once");
}

/// SQLite itself looks into each view once while it makes the list, to know how many columns it has.
#[test]
fn a_list_of_views_is_one_query_as_well_and_asks_of_none_of_them() {
    let file = many(2);
    let sqlite = file.reader();
    let asked = Asked::of(&sqlite);
    let view = |at: usize| format!("CREATE VIEW v{at} AS SELECT a FROM t{};", at % 2);
    file.other().execute_batch(&(0..50).map(view).collect::<String>()).unwrap();
    assert_eq!(listed(&sqlite, &declared(&sqlite), 20), 52);
    let mut lines = asked.since();
    lines.retain(|line| line != "Select" && !line.starts_with("Read { table_name"));
    assert!(lines.len() <= 2 && lines.iter().all(|line| line == "table_list"), "{lines:?}");
}
