//! Callers that leave: their work stops, and its place is free for others. Work that goes on is in nobody's way.

use std::fs::File;
use std::time::{Duration, Instant};

use worldspace_model::{RequestContext, Value};

use super::world::{Fields, World, grow_old};

/// Far below what the work takes by itself.
const SOON: Duration = Duration::from_secs(30);

/// What is called, and where.
type Asked<'a> = (&'a str, &'a str, Fields<'a>);

/// Starts as much of this work as there is room for, looks at what becomes of the others while it runs, leaves it, and
/// asks for more.
fn leave(world: &World, (path, operation, arguments): Asked<'_>, another: Asked<'_>, others: &[Asked<'_>]) {
    let within = |time| RequestContext { deadline: Some(Instant::now() + time), ..world.context() };
    let asked = |time, (path, operation, arguments)| world.calling(within(time), path, operation, arguments);
    let taken = async {
        while asked(Duration::from_millis(100), another).await.is_ok() {}
        for other in others {
            let answered = asked(SOON, *other).await;
            assert!(answered.is_ok(), "{other:?} waits for {operation}: {answered:?}");
        }
    };
    world.block_on(async {
        let work = || world.calling(world.context(), path, operation, arguments);
        // As many as run at one time.
        tokio::select! {
            ended = async { tokio::try_join!(work(), work(), work(), work()) } => {
                panic!("{operation} is over too early to be left: {ended:?}")
            }
            () = taken => {}
        }
        asked(SOON, another).await.unwrap();
    });
}

#[test]
fn reading_stops_when_its_caller_leaves() {
    let world = World::of(&[("small/a", "a text")]);
    File::create(world.path("huge")).unwrap().set_len(1 << 40).unwrap();
    File::create(world.path("long")).unwrap().set_len(2 << 20).unwrap();
    grow_old();
    let others: [Asked<'_>; 2] = [("/small/a", "read_text", &[]), ("/small", "find", &[])];
    leave(&world, ("/huge", "read_text", &[]), ("/long", "read_text", &[]), &others);
}

#[test]
fn searching_stops_when_its_caller_leaves() {
    let world = World::of(&[("small/a", "a text"), ("many/0", &"nothing of it here\n".repeat(1 << 20))]);
    for at in 1..10_000 {
        std::fs::hard_link(world.path("many/0"), world.path(&format!("many/{at}"))).unwrap();
    }
    grow_old();
    let text = [("text", Value::from("needle"))];
    let others: [Asked<'_>; 2] = [("/small/a", "read_text", &[]), ("/many/0", "read_text", &[])];
    leave(&world, ("/many", "find", &text), ("/small", "find", &[]), &others);
}
