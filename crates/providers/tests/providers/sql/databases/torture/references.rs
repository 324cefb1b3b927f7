//! Foreign keys of every kind, of which some lead nowhere.

use rusqlite::Connection;

use super::super::one;

pub(super) fn statements() -> Vec<String> {
    FIXED.iter().map(|statement| (*statement).to_owned()).collect()
}

const FIXED: &[&str] = &[
    "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE, boss INTEGER REFERENCES person (id));
     INSERT INTO person VALUES (1, 'Ann', 'ann@example.org', NULL), (2, 'Bob', 'bob@example.org', 1),
         (3, 'Cid', NULL, 3), (4, 'Dan', '', 2)",
    // Each refers to the other, also in one row to what is inserted later.
    "CREATE TABLE hen (id INTEGER PRIMARY KEY, egg INTEGER REFERENCES egg (id) DEFERRABLE INITIALLY DEFERRED);
     CREATE TABLE egg (id INTEGER PRIMARY KEY, hen INTEGER NOT NULL REFERENCES hen (id));
     INSERT INTO hen VALUES (1, 1), (2, NULL);
     INSERT INTO egg VALUES (1, 1), (2, 1)",
    "CREATE TABLE dangling (id INTEGER PRIMARY KEY, person INTEGER REFERENCES person (id), mail TEXT REFERENCES person (email));
     INSERT INTO dangling VALUES (1, 1, 'ann@example.org'), (2, 99, 'nobody'), (3, 'no number', x'00'), (4, NULL, NULL),
         (5, 9223372036854775807, '')",
    "CREATE TABLE \"of several\" (id INTEGER PRIMARY KEY, c TEXT, a TEXT, b INTEGER,
         FOREIGN KEY (a, b, c) REFERENCES \"keys of several\" (a, b, c));
     INSERT INTO \"of several\" VALUES (1, 'c', 'a,b', 1), (2, '~', '/', 2), (3, NULL, 'a', 1), (4, 'no', 'such', 5)",
    "CREATE TABLE \"to what is gone\" (id INTEGER PRIMARY KEY, gone INTEGER REFERENCES \"not there\" (id),
         column_gone INTEGER REFERENCES person (\"not there\"), no_key INTEGER REFERENCES \"no key\");
     INSERT INTO \"to what is gone\" VALUES (1, 1, 1, 1), (2, NULL, NULL, NULL)",
    "CREATE TABLE message (id INTEGER PRIMARY KEY, sender INTEGER NOT NULL REFERENCES person (id),
         recipient INTEGER NOT NULL REFERENCES person (id), person TEXT, person_by_sender TEXT);
     INSERT INTO message VALUES (1, 1, 2, 'text', NULL), (2, 2, 1, NULL, 'text'), (3, 2, 2, NULL, NULL)",
    // Two on one column; to a key that is not named; in another case; of another type; to what is not unique.
    "CREATE TABLE strange (id INTEGER PRIMARY KEY, person REFERENCES person, other TEXT REFERENCES PERSON (ID),
         same INTEGER REFERENCES person (id) REFERENCES egg (id), name TEXT REFERENCES person (name));
     INSERT INTO strange VALUES (1, 1, '1', 1, 'Ann'), (2, '2', '02', 2, 'none'), (3, 1.0, ' 1', 99, NULL)",
    "CREATE TABLE \"to any case\" (id INTEGER PRIMARY KEY, k TEXT REFERENCES \"keys of any case\" (k));
     INSERT INTO \"to any case\" VALUES (1, 'Ann'), (2, 'ANN'), (3, 'bob')",
    "CREATE TABLE \"to text\" (k TEXT PRIMARY KEY REFERENCES \"keys of text\" (k), w TEXT REFERENCES \"no rowid\" (k));
     INSERT INTO \"to text\" VALUES ('', ''), ('..', '..'), ('a/b', 'a/b'), ('~t', NULL), (NULL, NULL)",
    // Names of what refers that are taken already, or that nobody expects.
    "CREATE TABLE read (id INTEGER PRIMARY KEY, person INTEGER REFERENCES person (id));
     CREATE TABLE \"update\" (id INTEGER PRIMARY KEY, \"set_null\" INTEGER REFERENCES person (id));
     CREATE TABLE message_by_sender (id INTEGER PRIMARY KEY, person INTEGER REFERENCES person (id));
     CREATE TABLE \"🦀 / ~ \"\"child\"\"\" (\"a, b\" INTEGER PRIMARY KEY, \"\" INTEGER REFERENCES person (id),
         \"./..\" INTEGER REFERENCES \"🦀 / ~ \"\"child\"\"\" (\"a, b\"));
     INSERT INTO read VALUES (1, 1);
     INSERT INTO \"update\" VALUES (1, 1), (2, 2);
     INSERT INTO message_by_sender VALUES (1, 1);
     INSERT INTO \"🦀 / ~ \"\"child\"\"\" VALUES (1, 1, 1), (2, 2, 1)",
    "CREATE TABLE parent (id INTEGER PRIMARY KEY, v TEXT);
     CREATE TABLE child_cascade (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent (id) ON DELETE CASCADE ON UPDATE CASCADE);
     CREATE TABLE child_null (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent (id) ON DELETE SET NULL);
     CREATE TABLE child_default (id INTEGER PRIMARY KEY, parent INTEGER DEFAULT 9 REFERENCES parent (id) ON DELETE SET DEFAULT);
     CREATE TABLE child_restrict (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent (id) ON DELETE RESTRICT);
     CREATE TABLE child_deferred (id INTEGER PRIMARY KEY, parent INTEGER NOT NULL REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED);
     INSERT INTO parent VALUES (1, 'cascade'), (2, 'null'), (3, 'default'), (4, 'restrict'), (5, 'deferred'), (6, 'free'), (9, 'the default');
     INSERT INTO child_cascade VALUES (1, 1), (2, 1);
     INSERT INTO child_null VALUES (1, 2);
     INSERT INTO child_default VALUES (1, 3);
     INSERT INTO child_restrict VALUES (1, 4);
     INSERT INTO child_deferred VALUES (1, 5)",
];

pub(super) fn check(connection: &Connection) {
    // With `PRAGMA foreign_key_check` SQLite refuses a schema as broken as this one's, table by table.
    let dangling =
        "SELECT count(*) FROM dangling WHERE person IS NOT NULL AND person NOT IN (SELECT id FROM person)";
    assert_eq!(one::<i64>(connection, dangling), 3);
    assert_eq!(one::<i64>(connection, "SELECT count(*) FROM pragma_foreign_key_list('message')"), 2);
    assert_eq!(one::<i64>(connection, "SELECT count(*) FROM pragma_foreign_key_list('of several')"), 3);
    assert_eq!(one::<i64>(connection, "SELECT count(*) FROM pragma_foreign_key_list('to what is gone')"), 3);
    let refers = connection.execute("INSERT INTO \"to what is gone\" (gone) VALUES (1)", []);
    assert!(refers.is_err(), "foreign keys are not kept");
}
