//! A database of everything that a SQLite file may hold and few expect.

use std::path::Path;

use super::{create, literal};

mod keys;
mod kinds;
mod names;
mod references;
mod values;

pub(crate) use names::segments;

/// Makes the database, in the order of the rooms of this module.
pub(crate) fn make(path: &Path) {
    let mut connection = create(path);
    let transaction = connection.transaction().unwrap();
    let rooms =
        [names::statements, keys::statements, values::statements, references::statements, kinds::statements];
    for statement in rooms.into_iter().flat_map(|room| room()) {
        transaction.execute_batch(&statement).unwrap_or_else(|error| panic!("{error}: {statement:.2000}"));
    }
    transaction.commit().unwrap();
}

/// One statement that inserts these rows, each as a list of literals.
fn insert(table: &str, rows: &[String]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("({row})")).collect();
    format!("INSERT INTO {} VALUES {}", super::quoted(table), rows.join(", "))
}

#[test]
fn the_file_is_sound_and_has_what_each_room_says() {
    let copy = super::Template::of(make).copy();
    let connection = copy.connect();
    assert_eq!(super::one::<String>(&connection, "PRAGMA integrity_check"), "ok");
    names::check(&connection);
    keys::check(&connection);
    values::check(&connection);
    references::check(&connection);
    kinds::check(&connection);
}
