//! Callers that leave: their work stops, and its place is free for others.

use std::fs::File;
use std::time::{Duration, Instant};

use worldspace_model::{RequestContext, Value};

use super::world::{Fields, World};

/// Far below what the work takes by itself.
const SOON: Duration = Duration::from_secs(30);

/// Starts as much of this work as there is room for, leaves it, and asks for more.
fn leave(world: &World, path: &str, operation: &str, arguments: Fields<'_>) {
    let within = |time| RequestContext { deadline: Some(Instant::now() + time), ..world.context() };
    let another = |time| world.calling(within(time), "/small", "find", &[]);
    let taken = async { while another(Duration::from_millis(100)).await.is_ok() {} };
    world.block_on(async {
        let work = || world.calling(world.context(), path, operation, arguments);
        // As many as run at one time.
        tokio::select! {
            ended = async { tokio::try_join!(work(), work(), work(), work()) } => {
                panic!("{operation} is over too early to be left: {ended:?}")
            }
            () = taken => {}
        }
        another(SOON).await.unwrap();
    });
}

#[test]
fn reading_stops_when_its_caller_leaves() {
    let world = World::of(&[("small/a", "")]);
    File::create(world.path("huge")).unwrap().set_len(1 << 40).unwrap();
    leave(&world, "/huge", "read_text", &[]);
}

#[test]
fn searching_stops_when_its_caller_leaves() {
    let world = World::of(&[("small/a", ""), ("many/0", &"nothing of it here\n".repeat(1 << 20))]);
    for at in 1..10_000 {
        std::fs::hard_link(world.path("many/0"), world.path(&format!("many/{at}"))).unwrap();
    }
    leave(&world, "/many", "find", &[("text", Value::from("needle"))]);
}
