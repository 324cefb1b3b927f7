//! What another program does to the file between a caller's look and his call, and while the call waits for it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use worldspace_host::{
    Call, Context, Done, Interface, LocalPath, LocalReference, Page, Provider, ProviderError, Published,
    Refusal,
};
use worldspace_model::{CallAnswer, Object, Segment};
use worldspace_providers::sql::{Database, Settings};

use super::world::{Fields, World, integer as int};
use super::writing::{ALL, ANN, PEOPLE, rows, text, told};

/// A database that says when a call has come to it: the Host has made all its checks then.
struct Announced(Database, Sender<()>);

impl Provider for Announced {
    async fn object(&self, context: &Context, path: &LocalPath) -> Result<Published, ProviderError> {
        self.0.object(context, path).await
    }

    async fn children(
        &self,
        context: &Context,
        path: &LocalPath,
        after: Option<&Segment>,
        most: usize,
    ) -> Result<Page, ProviderError> {
        self.0.children(context, path, after, most).await
    }

    async fn interface(
        &self,
        context: &Context,
        reference: &LocalReference,
    ) -> Result<Interface, ProviderError> {
        self.0.interface(context, reference).await
    }

    async fn call(&self, context: &Context, call: Call) -> Result<Done, Refusal> {
        self.1.send(()).unwrap();
        self.0.call(context, call).await
    }
}

fn announced(sql: &str) -> (World, Receiver<()>) {
    let (sender, receiver) = channel();
    let settings = Settings { writable: true, ..Settings::default() };
    let make = |connection: &rusqlite::Connection| connection.execute_batch(sql).unwrap();
    (World::behind(settings, make, |database| Announced(database, sender)), receiver)
}

/// Looks at an Object and all its interfaces, as a caller does before he calls.
fn look(world: &World, path: &str) -> Arc<Object> {
    assert!(told(world.call(path, "no such operation", &[])).starts_with("operation_not_found"));
    world.fetch(path).unwrap()
}

#[test]
fn a_call_in_a_state_that_is_gone_does_nothing() {
    let name = [("name", text("eve"))];
    for (operation, arguments) in [("update", &name[..]), ("delete", &[])] {
        let world = World::writable(PEOPLE);
        let seen = look(&world, "/people/1");
        world.beside().execute_batch("UPDATE people SET age = 31 WHERE id = 1").unwrap();
        let answer = told(world.call_seen(&seen, "/people/1", operation, arguments));
        assert!(answer.starts_with("validator_mismatch"), "{answer}");
        assert_eq!(rows(&world, ALL), "1 'ann' 'a@x' 31 'none' 'ANN'");
        world.beside().execute_batch("DELETE FROM people WHERE id = 1").unwrap();
        let answer = told(world.call_seen(&seen, "/people/1", operation, arguments));
        assert!(answer.starts_with("not_found"), "{answer}");
    }
}

#[test]
fn a_call_by_an_interface_that_is_gone_does_nothing() {
    for (path, operation, arguments) in [
        ("/people", "insert", &[("name", text("eve"))][..]),
        ("/people/1", "update", &[("name", text("eve"))]),
    ] {
        let world = World::writable(PEOPLE);
        let seen = look(&world, path);
        world.beside().execute_batch("ALTER TABLE people ADD COLUMN more TEXT").unwrap();
        let answer = told(world.call_seen(&seen, path, operation, arguments));
        assert!(answer.starts_with("validator_mismatch"), "{answer}");
        // Who looks at the Object again still knows the interface of before.
        let answer = told(world.call(path, operation, arguments));
        assert!(answer.starts_with("interface_validator_mismatch"), "{answer}");
        assert_eq!(rows(&world, "SELECT group_concat(name) FROM people"), "'ann,bob'");
    }
}

/// Another program changes something behind every check that the Host makes before, and before the call has the database
/// for itself, which it gets only when that change is made.
#[test]
fn what_changes_while_a_call_waits_is_seen_in_its_transaction() {
    for (path, operation, change, answer, then) in [
        ("/people/1", "update", "UPDATE people SET age = 31 WHERE id = 1", "validator_mismatch", "'ann,bob'"),
        ("/people/1", "delete", "UPDATE people SET age = 31 WHERE id = 1", "validator_mismatch", "'ann,bob'"),
        ("/people/1", "update", "DELETE FROM people WHERE id = 1", "not_found", "'bob'"),
        (
            "/people/1",
            "update",
            "ALTER TABLE people ADD COLUMN more TEXT",
            "interface_validator_mismatch",
            "'ann,bob'",
        ),
        (
            "/people",
            "insert",
            "ALTER TABLE people RENAME COLUMN note TO name2",
            "interface_validator_mismatch",
            "'ann,bob'",
        ),
    ] {
        for journal in ["DELETE", "WAL"] {
            let (world, called) = announced(&format!("PRAGMA journal_mode = {journal}; {PEOPLE}"));
            let seen = look(&world, path);
            assert!(called.try_recv().is_err(), "the look was a call");
            let other = world.beside();
            other.execute_batch(&format!("BEGIN IMMEDIATE; {change}")).unwrap();
            let name = [("name", text("eve"))];
            let arguments: Fields<'_> = if operation == "delete" { &[] } else { &name };
            let commit = std::thread::spawn(move || {
                called.recv_timeout(Duration::from_secs(60)).unwrap();
                // Time to come as far as to the lock. Whether it has decides nothing: it has none of its own yet.
                std::thread::sleep(Duration::from_millis(50));
                other.execute_batch("COMMIT").unwrap();
            });
            let told = told(world.call_seen(&seen, path, operation, arguments));
            commit.join().unwrap();
            assert!(told.starts_with(answer), "{operation} {path}, {change}: {told}");
            assert_eq!(rows(&world, "SELECT group_concat(name) FROM people"), then, "{change}");
        }
    }
}

#[test]
fn a_lock_that_another_program_keeps_is_told_and_nothing_was_done() {
    let world = World::writable(PEOPLE);
    let seen = look(&world, "/people/1");
    let name = [("name", text("eve"))];
    let other = world.beside();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    // On a slow day there is not even time enough to meet the lock.
    let told_of_lock = [1, 4, 16, 64].into_iter().any(|quarters| {
        let answer =
            told(world.call_within(Duration::from_millis(250 * quarters), "/people/1", "update", &name));
        assert!(answer.starts_with("resource_limit_exceeded"), "{answer}");
        answer.contains("keeps the database locked")
    });
    assert!(told_of_lock);
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(rows(&world, ALL), ANN);
    assert_eq!(told(world.call_seen(&seen, "/people/1", "update", &name)), "updated");
}

#[test]
fn a_call_goes_on_from_the_state_that_the_one_before_left() {
    let world = World::writable(PEOPLE);
    let mut seen = Object::clone(&world.fetch("/people/1").unwrap());
    let mut update = |arguments: Fields<'_>| -> CallAnswer {
        let context = world.context();
        let call = world.answering(context, &seen, "/people/1", "update", arguments);
        let answer = world.block_on(call).unwrap();
        seen.validator = answer.validator.clone();
        answer
    };
    for age in 31..35 {
        assert!(update(&[("age", int(age))]).validator.is_some());
    }
    // What people are told of the row changes too, so it is to be looked at again.
    assert!(update(&[("name", text("eve"))]).validator.is_none());
    assert_eq!(rows(&world, ALL), "1 'eve' 'a@x' 34 'none' 'EVE'");
}
