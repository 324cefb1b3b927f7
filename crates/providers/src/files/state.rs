//! State tokens: a false "changed" is allowed, a false "same" is not.
//!
//! A state is told by device, inode, birth, size and times. Where the time of the last change is so young that
//! another change could bear it too, the content counts as well: that of a file up to [`READ`], the names of a
//! directory up to the indexable number; what is larger gets a token that does not last: nothing ever matches it. What
//! was seen young is remembered, and looked at once more when its time is settled: if it still is what was seen, its
//! token stays the one that was given out. So the content is read of what just changed, and of nothing else.
//!
//! Writes through a shared memory map change the times late, which no token can make up for.

use std::io;
use std::num::NonZeroUsize;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cap_std::fs::Dir;
use lru::LruCache;
use worldspace_host::StateToken;

use super::Settings;
use super::grain::Grain;
use super::names::{Names, RawName};
use super::rules::is_hidden;
use super::stat::{Kind, Place, Stat};

/// The longest file that is read for its token: about a millisecond.
pub(super) const READ: u64 = 1 << 20;
/// The longest wait for a state that lasts.
const WAITED: Duration = Duration::from_millis(20);
/// States that are remembered: those of directories, and those of files that were seen young.
const REMEMBERED: usize = 16_384;

pub(super) type Digest = [u8; 32];

/// Makes tokens and identities for one root.
pub(super) struct States {
    grain: Grain,
    /// The mount of the root. Below another one, a second path may lead to the same thing.
    mount: Option<u64>,
    indexable: usize,
    /// Whether hidden names are published.
    hidden: bool,
    remembered: Mutex<LruCache<Place, Remembered>>,
    /// Told apart from every other start.
    instance: u64,
    counter: AtomicU64,
}

#[derive(Clone)]
struct Remembered {
    stamp: Vec<u8>,
    /// The content that belongs to the stamp, where it was looked at.
    content: Option<Digest>,
    names: Count,
    /// Whether no other content can belong to it.
    settled: bool,
}

/// How many names a directory holds, as far as that matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    None,
    Indexable {
        /// Those that would be published, were they UTF-8.
        unnamed: usize,
    },
    TooMany,
}

/// A token, and whether it is the same the next time while nothing changes.
pub(super) struct State {
    pub(super) token: StateToken,
    pub(super) lasts: bool,
}

/// What was found of a directory.
pub(super) struct Directory {
    pub(super) state: State,
    pub(super) names: Count,
}

impl States {
    pub(super) fn new(grain: Grain, mount: Option<u64>, settings: &Settings) -> io::Result<Self> {
        let kept = NonZeroUsize::MIN.saturating_add(REMEMBERED - 1);
        Ok(Self {
            grain,
            mount,
            indexable: settings.indexable_names,
            hidden: settings.hidden,
            remembered: Mutex::new(LruCache::new(kept)),
            instance: getrandom::u64().map_err(|error| io::Error::other(error.to_string()))?,
            counter: AtomicU64::new(0),
        })
    }

    /// The state of what is no directory. `open` is only called for a file that may have to be read.
    pub(super) fn of_file(
        &self,
        stat: &Stat,
        open: impl FnOnce() -> io::Result<(std::fs::File, Stat)>,
    ) -> State {
        self.of_content(
            stat,
            || self.is_young(stat),
            |stamp| match stat.kind {
                Kind::File => open().and_then(|(file, opened)| digest_file(file, &opened, stamp)).ok(),
                // A link's target and a device's number never change; a new one is another thing.
                _ => Some([0; 32]),
            },
        )
    }

    fn of_content(
        &self,
        stat: &Stat,
        is_young: impl Fn() -> bool,
        content: impl FnOnce(&[u8]) -> Option<Digest>,
    ) -> State {
        let stamp = stat.stamp();
        let young = is_young();
        match self.known(stat.place, &stamp) {
            None if !young => return lasting(&stamp, None),
            Some(known) if !young && known.settled => return lasting(&stamp, known.content.as_ref()),
            _ => {}
        }
        let Some(content) = content(&stamp) else { return self.unmatched(&stamp) };
        let found = Remembered { stamp, content: Some(content), names: Count::None, settled: !young };
        self.remember(stat.place, found, is_young)
    }

    /// The state of a directory and the number of its names.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn of_directory(
        &self,
        stat: &Stat,
        open: impl FnOnce() -> io::Result<Dir>,
    ) -> io::Result<Directory> {
        let stamp = stat.stamp();
        let young = self.is_young(stat);
        if let Some(known) = self.known(stat.place, &stamp).filter(|known| known.settled && !young) {
            return Ok(Directory { state: lasting(&stamp, known.content.as_ref()), names: known.names });
        }
        let directory = open()?;
        if Stat::of(&directory)?.place != stat.place {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        }
        let (digest, names) = self.digest_names(&directory)?;
        if young && names == Count::TooMany {
            return Ok(Directory { state: self.unmatched(&stamp), names });
        }
        let found = Remembered { stamp, content: Some(digest), names, settled: !young };
        let state = self.remember(stat.place, found, || self.is_young(stat));
        Ok(Directory { state, names })
    }

    /// The state of what cannot be read.
    pub(super) fn unread(&self, stat: &Stat) -> State {
        let stamp = stat.stamp();
        if self.is_young(stat) { self.unmatched(&stamp) } else { lasting(&stamp, None) }
    }

    /// The state of a file that holds what was just written, whose digest is known where it is short. It is the caller's
    /// to see that nobody has written meanwhile, once this is said.
    pub(super) fn of_own(&self, stat: &Stat, content: Option<Digest>) -> State {
        let stamp = stat.stamp();
        let young = self.is_young(stat);
        match content {
            None if young => self.unmatched(&stamp),
            None => lasting(&stamp, None),
            Some(_) => {
                let found = Remembered { stamp, content, names: Count::None, settled: !young };
                self.remember(stat.place, found, || young)
            }
        }
    }

    /// How long a state that does not last takes to become one that does; none where that is too long to wait for.
    pub(super) fn patience(&self, stat: &Stat) -> Option<Duration> {
        let window = self.grain(stat).window(stat.changed);
        (window <= WAITED).then_some(window)
    }

    fn is_young(&self, stat: &Stat) -> bool {
        self.grain(stat).is_young(stat.changed)
    }

    /// The clock that gave the times: below another mount it is not known.
    fn grain(&self, stat: &Stat) -> Grain {
        if stat.mount == self.mount { self.grain } else { Grain::UNKNOWN }
    }

    fn known(&self, place: Place, stamp: &[u8]) -> Option<Remembered> {
        self.lock().get(&place).filter(|known| known.stamp == stamp).cloned()
    }

    /// Remembers what was found. Its content counts where it did before, or where another could still be hidden: looked
    /// at now, since others may have found the same thing old while this was read.
    fn remember(&self, place: Place, mut found: Remembered, is_young: impl Fn() -> bool) -> State {
        let mut remembered = self.lock();
        let counts = match remembered.peek(&place).filter(|known| known.stamp == found.stamp) {
            Some(known) => known.content.is_some(),
            None => is_young(),
        };
        found.content = found.content.filter(|_| counts);
        found.settled |= !counts;
        let state = lasting(&found.stamp, found.content.as_ref());
        remembered.put(place, found);
        state
    }

    /// A token that no other one equals.
    fn unmatched(&self, stamp: &[u8]) -> State {
        let mut bytes = stamp.to_vec();
        bytes.push(2);
        bytes.extend_from_slice(&self.instance.to_le_bytes());
        bytes.extend_from_slice(&self.counter.fetch_add(1, Ordering::Relaxed).to_le_bytes());
        State { token: StateToken::new(bytes), lasts: false }
    }

    pub(super) fn digest_names(&self, directory: &Dir) -> io::Result<(Digest, Count)> {
        let mut names = Vec::new();
        for name in Names::read(directory)? {
            if names.len() == self.indexable {
                return Ok(([0; 32], Count::TooMany));
            }
            names.push(name?);
        }
        names.sort_unstable_by(|a, b| a.bytes().cmp(b.bytes()));
        let mut hasher = blake3::Hasher::new();
        for name in &names {
            hasher.update(name.bytes()).update(b"/");
        }
        let unnamed = |name: &&RawName| name.segment().is_none() && (self.hidden || !is_hidden(name.bytes()));
        let count = match names.iter().filter(unnamed).count() {
            _ if names.is_empty() => Count::None,
            unnamed => Count::Indexable { unnamed },
        };
        Ok((*hasher.finalize().as_bytes(), count))
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<Place, Remembered>> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lasting(stamp: &[u8], content: Option<&Digest>) -> State {
    let mut bytes = stamp.to_vec();
    bytes.push(u8::from(content.is_some()));
    bytes.extend_from_slice(content.map_or(&[], |digest| digest.as_slice()));
    State { token: StateToken::new(bytes), lasts: true }
}

/// The content that belongs to a stamp.
fn digest_file(file: std::fs::File, opened: &Stat, stamp: &[u8]) -> io::Result<Digest> {
    if opened.size > READ || opened.stamp() != stamp {
        return Err(io::Error::other("too large, or changed"));
    }
    let digest = digest_of(&file, READ)?;
    if Stat::of(&file)?.stamp() != stamp {
        return Err(io::Error::other("changed while it was read"));
    }
    Ok(digest)
}

/// Of what an open file holds now, wherever others have read to; up to so many bytes, since it may go on growing.
pub(super) fn digest_of(file: &std::fs::File, most: u64) -> io::Result<Digest> {
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 64 << 10];
    let mut offset = 0;
    loop {
        match file.read_at(&mut buffer, offset) {
            Ok(0) => return Ok(*hasher.finalize().as_bytes()),
            Ok(read) => {
                hasher.update(&buffer[..read]);
                offset += read as u64;
                if offset > most {
                    return Err(io::Error::from(io::ErrorKind::FileTooLarge));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

pub(super) fn digest(content: &[u8]) -> Digest {
    *blake3::hash(content).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::stat::Time;

    fn states() -> States {
        States::new(Grain::UNKNOWN, None, &Settings::default()).unwrap()
    }

    fn stat() -> Stat {
        let time = Time { seconds: 1, nanos: 1 };
        Stat {
            kind: Kind::File,
            place: Place { device: 1, inode: 1 },
            mount: None,
            born: Some(time),
            size: 3,
            modified: time,
            changed: time,
            links: 1,
            mode: 0,
        }
    }

    /// What is seen of a file, in order: whether its times are young, what stands in it (none: it cannot be read), and
    /// which state it must be taken for.
    fn check(seen: &[(bool, Option<u8>, &str)]) {
        let (states, stat) = (states(), stat());
        let tokens: Vec<_> = seen
            .iter()
            .map(|(young, content, _)| {
                states.of_content(&stat, || *young, |_| content.map(|byte| [byte; 32])).token
            })
            .collect();
        for (a, (_, _, name_a)) in seen.iter().enumerate() {
            for (b, (_, _, name_b)) in seen.iter().enumerate().filter(|(b, _)| a != *b) {
                assert_eq!(tokens[a] == tokens[b], name_a == name_b, "{seen:?}: {a} and {b}");
            }
        }
    }

    #[test]
    fn a_change_within_one_tick_of_the_clock_is_another_state() {
        check(&[(true, Some(1), "a"), (true, Some(1), "a"), (true, Some(2), "b"), (true, Some(1), "a")]);
        check(&[(true, Some(1), "a"), (false, Some(2), "b"), (false, Some(9), "b")]);
    }

    #[test]
    fn what_was_seen_young_and_stayed_is_the_same_state_when_it_is_old() {
        check(&[(true, Some(1), "a"), (false, Some(1), "a"), (false, Some(9), "a")]);
        check(&[(false, Some(1), "old"), (false, Some(2), "old")]);
    }

    #[test]
    fn what_becomes_old_while_it_is_read_is_what_another_finds_old_meanwhile() {
        let (states, stat) = (states(), stat());
        let is_young = std::cell::Cell::new(true);
        let mut meanwhile = None;
        let found = states.of_content(
            &stat,
            || is_young.get(),
            |_| {
                is_young.set(false);
                meanwhile = Some(states.of_content(&stat, || false, |_| None).token);
                Some([1; 32])
            },
        );
        let later = states.of_content(&stat, || false, |_| None).token;
        assert_eq!((Some(&found.token), &found.token), (meanwhile.as_ref(), &later));
    }

    #[test]
    fn what_cannot_be_read_while_young_matches_nothing() {
        check(&[(true, None, "1"), (true, None, "2"), (false, Some(1), "3"), (false, Some(1), "3")]);
        check(&[(true, Some(1), "a"), (true, None, "1"), (true, Some(1), "a"), (false, None, "2")]);
    }
}
