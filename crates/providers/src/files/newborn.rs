//! Things that were born a moment ago, held so that nothing else can be taken for them.
//!
//! An inode number that becomes free is given away anew at once, and within one step of the clock the next thing has
//! the same birth as well. So what is younger than that is held: each thing once, however often it is looked at, and
//! until it is old. Where as many are held as may be, whoever looks at another waits until there is room or it is old
//! itself. So no identity comes and goes while nothing changes.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::failure::is_absence;
use super::grain::Grain;
use super::stat::{Place, Stat, Time};

/// Things that are held at a time: a quarter of the open files that a process usually may have.
const MOST: usize = 256;
/// How long to wait before looking whether anyone still waits for the answer.
const LOOK: Duration = Duration::from_millis(10);

/// What is held.
pub(super) struct Newborn {
    most: usize,
    held: Arc<Mutex<Held>>,
}

#[derive(Default)]
struct Held {
    things: HashMap<(Place, Time), (OwnedFd, Instant)>,
    /// Whether a task lets go of what has become old.
    is_swept: bool,
}

/// What came of an attempt to hold a thing.
enum Attempt {
    Held,
    /// Another thing stands there by now, or holding is not possible here.
    Vain,
    /// There may be room by then.
    NoRoom(Instant),
}

impl Newborn {
    pub(super) fn new() -> Self {
        Self::with_room_for(MOST)
    }

    fn with_room_for(most: usize) -> Self {
        Self { most, held: Arc::default() }
    }

    /// Sees to it that until a thing is old, no other has its place and birth; whether that is so.
    pub(super) fn keep(
        &self,
        stat: &Stat,
        born: Time,
        grain: Grain,
        is_left: impl Fn() -> bool,
        hold: impl Fn() -> io::Result<OwnedFd>,
    ) -> bool {
        let window = grain.window(born);
        // By then it is old itself, or born in a future that tells nothing.
        let end = Instant::now() + window;
        loop {
            let room = match self.attempt(stat, born, window, &hold) {
                Attempt::Held => return true,
                Attempt::Vain => return false,
                Attempt::NoRoom(until) => until.min(end),
            };
            let now = Instant::now();
            // Where nobody waits any more, it is all the same.
            if now >= end || is_left() {
                return false;
            }
            std::thread::sleep(room.saturating_duration_since(now).min(LOOK));
            if !grain.is_young(born) {
                // It was not held meanwhile.
                return hold().is_ok_and(|open| is_the_same(&open, stat));
            }
        }
    }

    fn attempt(
        &self,
        stat: &Stat,
        born: Time,
        window: Duration,
        hold: impl Fn() -> io::Result<OwnedFd>,
    ) -> Attempt {
        let key = (stat.place, born);
        let room = |held: &mut Held| {
            let now = Instant::now();
            held.things.retain(|_, (_, until)| *until > now);
            if held.things.contains_key(&key) {
                return Some(Attempt::Held);
            }
            let next = held.things.values().map(|(_, until)| *until).min();
            next.filter(|_| held.things.len() >= self.most).map(Attempt::NoRoom)
        };
        if let Some(known) = room(&mut lock(&self.held)) {
            return known;
        }
        let open = match hold() {
            Ok(open) if is_the_same(&open, stat) => open,
            Err(error) if !is_absence(&error) && error.kind() != io::ErrorKind::Unsupported => {
                // Others hold so much that there is no room here either.
                return Attempt::NoRoom(Instant::now() + LOOK);
            }
            _ => return Attempt::Vain,
        };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return Attempt::Vain };
        let mut held = lock(&self.held);
        if let Some(known) = room(&mut held) {
            return known;
        }
        held.things.insert(key, (open, Instant::now() + window));
        if !std::mem::replace(&mut held.is_swept, true) {
            runtime.spawn(sweep(self.held.clone()));
        }
        Attempt::Held
    }
}

/// Lets go of what has become old, until nothing is held.
async fn sweep(held: Arc<Mutex<Held>>) {
    loop {
        let next = {
            let mut held = lock(&held);
            let now = Instant::now();
            held.things.retain(|_, (_, until)| *until > now);
            let next = held.things.values().map(|(_, until)| *until).min();
            held.is_swept = next.is_some();
            next
        };
        let Some(next) = next else { return };
        tokio::time::sleep_until(next.into()).await;
    }
}

fn is_the_same(open: &OwnedFd, stat: &Stat) -> bool {
    Stat::of(open).is_ok_and(|found| found.place == stat.place && found.born == stat.born)
}

fn lock(held: &Mutex<Held>) -> MutexGuard<'_, Held> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks at new files one after another, while so many may be held; what comes of each, and how many are held then.
    fn check(most: usize, is_left: bool, looked_at: &[usize], kept: &[bool]) -> usize {
        let newborn = Newborn::with_room_for(most);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let _inside = runtime.enter();
        let files: Vec<_> = (0..4).map(|_| tempfile::tempfile().unwrap()).collect();
        let found = looked_at.iter().map(|at| {
            let stat = Stat::of(&files[*at]).unwrap();
            // Where the filesystem keeps no time of birth, any that is young does.
            let born = stat.born.unwrap_or(stat.changed);
            let hold = || files[*at].try_clone().map(OwnedFd::from);
            newborn.keep(&stat, born, Grain::of_window(Duration::from_millis(200)), || is_left, hold)
        });
        assert_eq!(found.collect::<Vec<_>>(), kept, "{looked_at:?}");
        let held = lock(&newborn.held).things.len();
        assert!(held <= most, "{looked_at:?}: {held}");
        held
    }

    #[test]
    fn a_thing_is_held_once_however_often_it_is_looked_at() {
        assert_eq!(check(4, false, &[0, 0, 0, 0, 1, 0, 1], &[true; 7]), 2);
        assert_eq!(check(1, false, &[0; 100], &[true; 100]), 1);
    }

    #[test]
    fn whoever_finds_no_room_waits_until_there_is_some_unless_nobody_waits_for_it() {
        check(1, false, &[0, 1, 2, 3], &[true; 4]);
        check(1, true, &[0, 1, 0], &[true, false, true]);
    }

    #[test]
    fn what_was_held_is_let_go_though_nobody_looks() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let newborn = Newborn::new();
        runtime.block_on(async {
            let file = tempfile::tempfile().unwrap();
            let stat = Stat::of(&file).unwrap();
            let hold = || file.try_clone().map(OwnedFd::from);
            let grain = Grain::of_window(Duration::from_millis(200));
            assert!(newborn.keep(&stat, stat.born.unwrap_or(stat.changed), grain, || false, hold));
            while !lock(&newborn.held).things.is_empty() {
                tokio::task::yield_now().await;
            }
            assert!(!lock(&newborn.held).is_swept);
        });
    }
}
