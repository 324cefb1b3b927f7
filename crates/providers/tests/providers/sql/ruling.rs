//! Rules between rows that a database keeps, and what it does of itself: foreign keys and triggers, as callers are told of them.

use super::world::{Fields, World, integer as int};
use super::writing::{ALL, ANN, PEOPLE, check, rows, text, told};

const ORDERS: &str = "CREATE TABLE customers (id INTEGER PRIMARY KEY, code TEXT UNIQUE, name TEXT);
    CREATE TABLE orders (
        id INTEGER PRIMARY KEY,
        customer_id INTEGER REFERENCES customers,
        code TEXT REFERENCES customers (code),
        parent INTEGER REFERENCES orders,
        late INTEGER REFERENCES customers DEFERRABLE INITIALLY DEFERRED
    );
    INSERT INTO customers VALUES (1, 'a', 'ann'), (2, 'b', 'bob'), (3, 'c', 'cat');
    INSERT INTO orders VALUES (1, 1, NULL, 1, NULL), (2, NULL, 'b', NULL, NULL)";

#[test]
fn a_broken_foreign_key_is_told_with_what_is_not_there() {
    for (path, operation, arguments, answer) in [
        (
            "/orders",
            "insert",
            &[("customer_id", int(7))][..],
            "refused foreign_key [customer_id]: no row of `customers` has `id` = 7",
        ),
        (
            "/orders",
            "insert",
            &[("code", text("z"))],
            "refused foreign_key [code]: no row of `customers` has `code` = `z`",
        ),
        (
            "/orders",
            "insert",
            &[("id", int(5)), ("parent", int(6))],
            "refused foreign_key [parent]: no row of `orders` has `id` = 6",
        ),
        (
            "/orders",
            "insert",
            &[("late", int(7))],
            "refused foreign_key [late]: no row of `customers` has `id` = 7",
        ),
        (
            "/orders/2",
            "update",
            &[("customer_id", int(7))],
            "refused foreign_key [customer_id]: no row of `customers` has `id` = 7",
        ),
        (
            "/orders/2",
            "update",
            &[("late", int(7))],
            "refused foreign_key [late]: no row of `customers` has `id` = 7",
        ),
        (
            "/customers/1",
            "delete",
            &[],
            "refused foreign_key [id]: rows still refer to it: of `orders` (customer_id)",
        ),
        (
            "/customers/2",
            "delete",
            &[],
            "refused foreign_key [code]: rows still refer to it: of `orders` (code)",
        ),
        (
            "/customers/2",
            "update",
            &[("code", text("x"))],
            "refused foreign_key [code]: rows still refer to it: of `orders` (code)",
        ),
        (
            "/customers/1",
            "update",
            &[("id", int(9))],
            "refused foreign_key [id]: rows still refer to it: of `orders` (customer_id)",
        ),
    ] {
        let world = World::writable(ORDERS);
        let sql = "SELECT group_concat(id || code || name) FROM customers UNION ALL SELECT group_concat(id) FROM orders";
        let before = rows(&world, sql);
        check(&world, (path, operation, arguments), answer, (sql, &before));
    }
    for (path, operation, arguments, answer) in [
        ("/orders", "insert", &[("id", int(5)), ("parent", int(5))][..], "inserted /orders/5"),
        ("/orders", "insert", &[("customer_id", int(2)), ("late", int(3))], "inserted /orders/3"),
        ("/orders/1", "delete", &[], "deleted"),
        ("/customers/2", "update", &[("name", text("x"))], "updated"),
        ("/customers/3", "delete", &[], "deleted"),
    ] {
        assert_eq!(
            told(World::writable(ORDERS).call(path, operation, arguments)),
            answer,
            "{operation} {path}"
        );
    }
}

#[test]
fn rows_that_refer_in_another_case_are_told_as_well() {
    let world = World::writable(
        "CREATE TABLE kinds (code TEXT PRIMARY KEY COLLATE NOCASE) WITHOUT ROWID;
         CREATE TABLE things (kind TEXT REFERENCES kinds);
         INSERT INTO kinds VALUES ('Book'); INSERT INTO things VALUES ('BOOK')",
    );
    let answer = "refused foreign_key [code]: rows still refer to it: of `things` (kind)";
    check(&world, ("/kinds/Book", "delete", &[]), answer, ("SELECT count(*) FROM kinds", "1"));
    let thing = [("kind", text("book"))];
    check(&world, ("/things", "insert", &thing), "inserted", ("SELECT count(*) FROM things", "2"));
}

#[test]
fn what_refers_by_a_deferred_key_holds_a_row_as_well() {
    let world = World::writable(&format!("{ORDERS}; UPDATE orders SET late = 3 WHERE id = 2"));
    let sql = "SELECT count(*) FROM customers";
    check(&world, ("/customers/3", "delete", &[]), "refused foreign_key [", (sql, "3"));
}

#[test]
fn triggers_have_their_way_and_are_told_of() {
    let trigger = |when: &str, what: &str| {
        format!("{PEOPLE}; CREATE TABLE log (what); CREATE TRIGGER t {when} ON people BEGIN {what}; END")
    };
    let name = [("name", text("eve"))];
    for (when, what, path, operation, answer, sql, then) in [
        (
            "BEFORE INSERT",
            "SELECT RAISE(ABORT, 'not today')",
            "/people",
            "insert",
            "refused trigger []: not today",
            "SELECT count(*) FROM people",
            "2",
        ),
        (
            "BEFORE INSERT",
            "SELECT RAISE(IGNORE)",
            "/people",
            "insert",
            "refused trigger []: the row was not inserted",
            "SELECT count(*) FROM people",
            "2",
        ),
        (
            "BEFORE UPDATE",
            "SELECT RAISE(FAIL, 'no')",
            "/people/1",
            "update",
            "refused trigger []: no",
            ALL,
            ANN,
        ),
        (
            "BEFORE UPDATE",
            "SELECT RAISE(ROLLBACK, 'no')",
            "/people/1",
            "update",
            "refused trigger []: no",
            ALL,
            ANN,
        ),
        (
            "BEFORE UPDATE",
            "SELECT RAISE(IGNORE)",
            "/people/1",
            "update",
            "refused trigger []: the row was not updated",
            ALL,
            ANN,
        ),
        (
            "BEFORE DELETE",
            "SELECT RAISE(IGNORE)",
            "/people/1",
            "delete",
            "refused trigger []: the row was not deleted",
            ALL,
            ANN,
        ),
        (
            "AFTER INSERT",
            "INSERT INTO log VALUES (NEW.id)",
            "/people",
            "insert",
            "inserted /people/3",
            "SELECT * FROM log",
            "3",
        ),
        (
            "AFTER INSERT",
            "UPDATE people SET note = 'seen' WHERE id = NEW.id",
            "/people",
            "insert",
            "inserted /people/3",
            "SELECT note FROM people WHERE id = 3",
            "'seen'",
        ),
        (
            "AFTER INSERT",
            "DELETE FROM people WHERE id = NEW.id; INSERT INTO log VALUES (1)",
            "/people",
            "insert",
            "refused trigger []: the row was not inserted: a trigger deletes it",
            "SELECT (SELECT count(*) FROM people) + (SELECT count(*) FROM log)",
            "2",
        ),
        (
            "AFTER INSERT",
            "UPDATE people SET id = id + 100 WHERE id = NEW.id",
            "/people",
            "insert",
            "refused trigger []: the row was not inserted: a trigger deletes it",
            "SELECT max(id) FROM people",
            "2",
        ),
        (
            "AFTER UPDATE",
            "DELETE FROM people WHERE id = NEW.id",
            "/people/1",
            "update",
            "updated",
            "SELECT count(*) FROM people",
            "1",
        ),
        (
            "AFTER DELETE",
            "INSERT INTO log VALUES (OLD.name)",
            "/people/1",
            "delete",
            "deleted",
            "SELECT * FROM log",
            "'ann'",
        ),
    ] {
        let arguments: Fields<'_> = if operation == "delete" { &[] } else { &name };
        check(&World::writable(&trigger(when, what)), (path, operation, arguments), answer, (sql, then));
    }
}

#[test]
fn conflicts_are_dealt_with_as_the_schema_says_also_in_triggers() {
    let world = World::writable(
        "CREATE TABLE tags (id INTEGER PRIMARY KEY, tag TEXT UNIQUE ON CONFLICT REPLACE);
         INSERT INTO tags VALUES (1, 'a'), (2, 'b');
         CREATE TABLE seen (tag TEXT PRIMARY KEY, last INTEGER) WITHOUT ROWID; INSERT INTO seen VALUES ('b', 0);
         CREATE TRIGGER t AFTER INSERT ON tags BEGIN INSERT OR REPLACE INTO seen VALUES (NEW.tag, NEW.id); END",
    );
    let (sql, b) =
        ("SELECT group_concat(id || tag, ' ') FROM (SELECT * FROM tags ORDER BY id)", [("tag", text("b"))]);
    check(&world, ("/tags", "insert", &b), "inserted /tags/3", (sql, "'1a 3b'"));
    check(&world, ("/tags/1", "update", &b), "updated", (sql, "'1b'"));
    assert_eq!(rows(&world, "SELECT last FROM seen"), "3");
}
