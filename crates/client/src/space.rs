//! The Known Space: what was observed, in which state, and who is who.
//!
//! Every request has a number, its order, taken when it is sent. What an answer says of an entry is taken over only
//! where nothing of a later order is held. What a replaced or moved Object says of everything below it is kept as one
//! mark at its entry, with the order at which it was learned: whatever lies below and is older is void, or stale. So
//! an observation costs a few look-ups per segment of its path, however much is held. Entries for which even that is
//! much are not held.
//!
//! An entry in use keeps those above it in use. Hence an Object goes only after everything below it, and a
//! replacement that nobody could notice any more has nothing left to make void.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::SystemTime;

use worldspace_model::{EntryPath, Object, Ref, Validator};

use crate::bounded::Bounded;
use crate::client::Settings;
use crate::error::ClientError;
use crate::handle::{Freshness, Observation};
use crate::identity::Change;
use crate::interfaces::HeldInterface;
use crate::weight;

/// How many bytes are hashed at most to look at an entry and all above it.
const WALK: usize = 1 << 18;

pub(crate) struct Space {
    order: u64,
    entries: Bounded<EntryPath, Record>,
    /// Where each identity was last seen.
    sightings: Bounded<Ref, Sighting>,
    marks: Bounded<EntryPath, Mark>,
    /// Stands for the marks that had to go: all that is older counts as marked, wherever it is.
    floor: Mark,
    candidates: Bounded<EntryPath, ()>,
    pub(crate) interfaces: Bounded<worldspace_model::InterfaceReference, HeldInterface>,
}

#[derive(Clone)]
struct Record {
    observation: Observation,
    /// The order of the last word on this entry.
    order: u64,
    /// Behind a call, the order at which its answer was there: a request of an earlier one ran beside the call, and
    /// may show the world before it.
    settled: u64,
    freshness: Freshness,
}

struct Sighting {
    entry: EntryPath,
    object: Arc<Object>,
    order: u64,
}

/// What is known of an entry and all below it, if it is older than this.
#[derive(Clone, Copy, Default)]
struct Mark {
    void: u64,
    stale: u64,
}

impl Record {
    /// Its freshness under the marks over its entry.
    fn freshness(&self, over: Mark) -> Freshness {
        match self.freshness {
            Freshness::Fresh if self.order < over.stale => Freshness::Stale,
            freshness => freshness,
        }
    }
}

impl Mark {
    fn join(&mut self, other: Self) {
        self.void = self.void.max(other.void);
        self.stale = self.stale.max(other.stale);
    }
}

/// The path and those above it, upwards, as text.
fn upwards(path: &EntryPath) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path.as_str()), |path| match path.rsplit_once('/')? {
        ("", "") => None,
        ("", _) => Some("/"),
        (above, _) => Some(above),
    })
}

/// Whether anything is kept of an entry. Of others nothing is known, and what was shown of them counts as stale.
fn is_kept(path: &EntryPath) -> bool {
    path.depth().saturating_mul(path.as_str().len()) <= WALK
}

impl Space {
    pub(crate) fn new(settings: &Settings) -> Self {
        let share = |sixteenths: usize| settings.known_bytes / 16 * sixteenths;
        Self {
            order: 0,
            entries: Bounded::new(settings.known_entries, share(6)),
            sightings: Bounded::new(settings.known_entries, share(4)),
            marks: Bounded::new(settings.known_entries, share(1)),
            floor: Mark::default(),
            candidates: Bounded::new(settings.candidates, share(1)),
            interfaces: Bounded::new(settings.known_interfaces, share(4)),
        }
    }

    /// The order of a request that is about to be sent, or of something that was just learned otherwise.
    pub(crate) fn next_order(&mut self) -> u64 {
        self.order += 1;
        self.order
    }

    fn mark_over(&self, path: &EntryPath) -> Mark {
        let mut mark = self.floor;
        if !self.marks.is_empty() && is_kept(path) {
            upwards(path).filter_map(|path| self.marks.peek(path)).for_each(|found| mark.join(*found));
        }
        mark
    }

    fn mark(&mut self, path: &EntryPath, mark: Mark) {
        if !is_kept(path) {
            return;
        }
        match self.marks.get_mut(path) {
            Some(held) => held.join(mark),
            None => {
                if !self.marks.put(path.clone(), mark, weight::path(path)) {
                    self.floor.join(mark);
                }
                while let Some((_, gone)) = self.marks.pop_excess() {
                    self.floor.join(gone);
                }
            }
        }
    }

    /// Whether what was learned at that order of an entry, or of an interface with that scope, is void by now.
    pub(crate) fn is_void(&self, path: &EntryPath, order: u64) -> bool {
        self.mark_over(path).void > order
    }

    /// What is held of an entry, unless it is void. That alone is no use of it.
    fn live(&mut self, path: &EntryPath) -> Option<&mut Record> {
        let void = self.mark_over(path).void;
        if self.entries.peek(path)?.order < void {
            self.entries.remove(path);
            return None;
        }
        self.entries.peek_mut(path)
    }

    fn touch_above(&mut self, path: &EntryPath) {
        upwards(path).skip(1).for_each(|above| self.entries.touch(above));
    }

    /// The identity of the Object that is held at an entry, and the order of the last word on it.
    pub(crate) fn identity_at(&self, path: &EntryPath) -> Option<(&Ref, u64)> {
        let record = self.entries.peek(path)?;
        let known = !self.is_void(path, record.order) && record.freshness != Freshness::Missing;
        Some((record.observation.object().r#ref.as_ref().filter(|_| known)?, record.order))
    }

    /// Takes in one Object.
    pub(crate) fn observe(
        &mut self,
        order: u64,
        entry: &EntryPath,
        object: Arc<Object>,
    ) -> Result<Observation, ClientError> {
        self.check(entry, &object)?;
        let observation = self.commit(order, SystemTime::now(), entry, object);
        if is_kept(entry) {
            self.touch_above(entry);
        }
        self.entries.trim();
        Ok(observation)
    }

    /// Takes in what a call of that order made of an Object. None where the answer to a later request is there: nobody
    /// knows which of the two is newer.
    pub(crate) fn continued(
        &mut self,
        order: u64,
        entry: &EntryPath,
        object: Arc<Object>,
    ) -> Option<Observation> {
        let observation = self.observe(order, entry, object).ok();
        let observation = observation.filter(|observation| *observation.change() != Change::Overtaken);
        match observation {
            Some(_) => {
                let settled = self.next_order();
                if let Some(record) = self.live(entry) {
                    record.settled = settled;
                }
            }
            None => self.stale(entry),
        }
        observation
    }

    /// Takes in the Objects of one answer, those above before those below: all of them, or none if one contradicts
    /// another or what is known.
    pub(crate) fn observe_all(
        &mut self,
        order: u64,
        objects: Vec<(EntryPath, Arc<Object>)>,
    ) -> Result<Vec<Observation>, ClientError> {
        let mut states: HashMap<(&Ref, &Validator), (&EntryPath, &Object)> = HashMap::new();
        for (entry, object) in &objects {
            self.check(entry, object)?;
            let Some(state) = object.r#ref.as_ref().zip(object.validator.as_ref()) else { continue };
            let (first, known) = *states.entry(state).or_insert((entry, object));
            if object.check_consistency(known).is_err() {
                return Err(contradiction(entry, first));
            }
        }
        let at = SystemTime::now();
        let top = objects.first().map(|(entry, _)| entry.clone());
        let observations: Vec<Observation> =
            objects.into_iter().map(|(entry, object)| self.commit(order, at, &entry, object)).collect();
        // Backwards, so that whatever stands above is used later than what stands below.
        observations.iter().rev().for_each(|observation| self.entries.touch(observation.entry()));
        top.iter().filter(|top| is_kept(top)).for_each(|top| self.touch_above(top));
        self.entries.trim();
        Ok(observations)
    }

    /// Objects of one ref and one validator are equal. Where they are not, one of two answers was wrong; since
    /// nobody knows which, the older one is forgotten along with the newer one.
    fn check(&mut self, entry: &EntryPath, object: &Object) -> Result<(), ClientError> {
        let Some(identity) = &object.r#ref else { return Ok(()) };
        if let Some(seen) = self.sightings.peek(identity)
            && object.check_consistency(&seen.object).is_err()
        {
            let error = contradiction(entry, &seen.entry);
            if let Some(seen) = self.sightings.remove(identity) {
                self.forget(&seen.entry);
            }
            return Err(error);
        }
        if let Some(record) = self.entries.peek(entry)
            && object.check_consistency(record.observation.object()).is_err()
        {
            self.forget(entry);
            return Err(contradiction(entry, entry));
        }
        Ok(())
    }

    fn commit(&mut self, order: u64, at: SystemTime, entry: &EntryPath, object: Arc<Object>) -> Observation {
        if !is_kept(entry) {
            return Observation::new(entry.clone(), object, at, order, Change::First);
        }
        let mark = self.mark_over(entry);
        let prior = self.live(entry).cloned();
        if mark.void > order || prior.as_ref().is_some_and(|prior| prior.order > order) {
            return Observation::new(entry.clone(), object, at, order, Change::Overtaken);
        }
        let settled = prior.as_ref().map_or(0, |prior| prior.settled);
        let here = prior.as_ref().filter(|prior| prior.freshness(mark) == Freshness::Fresh);
        let elsewhere = self.sighted(order, entry, &object, here);
        let prior = prior.map(|prior| prior.observation.object().clone());
        let replaced = prior.as_ref().is_some_and(|prior| is_other(prior, &object));
        if replaced {
            self.mark(entry, Mark { void: order, stale: 0 });
        }
        let beside_call = order < settled && prior.as_ref() != Some(&object);
        let since = matches!(elsewhere, Elsewhere::Since);
        let freshness = match beside_call || since || order < mark.stale {
            true => Freshness::Stale,
            false => Freshness::Fresh,
        };
        let change = match (elsewhere, prior) {
            (Elsewhere::Before { from, before }, prior) => {
                self.left(order, &from, &before);
                Change::Moved { from, before, displaced: prior.filter(|_| replaced) }
            }
            (_, None) => Change::First,
            (_, Some(before)) if replaced => Change::Replaced { before },
            (_, Some(before)) if before == object => Change::Unchanged,
            (_, Some(before)) => Change::Updated { before },
        };
        self.candidates.remove(entry);
        let observation = Observation::new(entry.clone(), object, at, order, change);
        let record = Record { observation: observation.clone(), order, settled, freshness };
        if !self.entries.put(entry.clone(), record, weight::observation(&observation)) {
            // What was seen of it before is no longer what the Host last said.
            self.mark(entry, Mark { void: 0, stale: order });
        }
        observation.as_of(freshness)
    }

    /// Notes where an identity was seen, and tells where it is known from. `here` is what is held to be here still.
    fn sighted(
        &mut self,
        order: u64,
        entry: &EntryPath,
        object: &Arc<Object>,
        here: Option<&Record>,
    ) -> Elsewhere {
        let Some(identity) = &object.r#ref else { return Elsewhere::No };
        if let Some(known) = self.sightings.get_mut(identity)
            && known.order > order
        {
            return if known.entry == *entry { Elsewhere::No } else { Elsewhere::Since };
        }
        let known = self.sightings.remove(identity);
        let seen = Sighting { entry: entry.clone(), object: object.clone(), order };
        let weight = identity.as_str().len() + weight::object(entry, object);
        self.sightings.put(identity.clone(), seen, weight);
        self.sightings.trim();
        let Some(known) = known else { return Elsewhere::No };
        // Within one answer, one Object stands at two entries. One that is known to be here too need not have moved.
        let alias =
            known.order == order || here.is_some_and(|here| here.observation.object().r#ref == object.r#ref);
        match known.entry == *entry || alias {
            true => Elsewhere::No,
            false => Elsewhere::Before { from: known.entry, before: known.object },
        }
    }

    /// What was known at an entry, and below it, was seen elsewhere.
    fn left(&mut self, order: u64, entry: &EntryPath, object: &Object) {
        let Some(record) = self.live(entry) else { return };
        if record.order < order && record.observation.object().r#ref == object.r#ref {
            record.freshness = Freshness::Stale;
            self.mark(entry, Mark { void: 0, stale: order });
        }
    }

    /// The Host said at that order that nothing is there.
    pub(crate) fn missing(&mut self, order: u64, entry: &EntryPath) {
        self.candidates.remove(entry);
        match self.live(entry) {
            Some(record) if record.order >= order => return,
            Some(record) => {
                record.order = order;
                record.freshness = Freshness::Missing;
            }
            None => {}
        }
        self.mark(entry, Mark { void: 0, stale: order });
    }

    /// A request of that order for the entry came to nothing.
    pub(crate) fn failed(&mut self, order: u64, entry: &EntryPath) {
        if let Some(record) = self.live(entry).filter(|record| record.order < order)
            && record.freshness != Freshness::Missing
        {
            // No word on the entry: an answer that is still on its way is welcome.
            record.freshness = Freshness::Failed;
        }
    }

    /// Something happened that may have changed the Object; answers that are still on their way are older than that.
    pub(crate) fn stale(&mut self, entry: &EntryPath) {
        let order = self.next_order();
        match self.live(entry) {
            Some(record) => {
                record.order = order;
                record.freshness = Freshness::Stale;
            }
            // Somebody may have been shown what is no longer held.
            None => self.mark(entry, Mark { void: 0, stale: order }),
        }
    }

    /// Lets go of an Object ahead of its time, and so of what stands below it.
    fn forget(&mut self, entry: &EntryPath) {
        let order = self.next_order();
        self.replaced_unseen(order, entry);
    }

    /// The Object at an entry is another one than the one held.
    pub(crate) fn replaced_unseen(&mut self, order: u64, entry: &EntryPath) {
        self.entries.remove(entry);
        self.mark(entry, Mark { void: order, stale: 0 });
    }

    /// What is held of an entry, with its freshness by now.
    pub(crate) fn known(&mut self, entry: &EntryPath) -> Option<Observation> {
        let mark = self.mark_over(entry);
        let record = self.live(entry)?;
        let known = record.observation.as_of(record.freshness(mark));
        self.entries.touch(entry);
        self.touch_above(entry);
        Some(known)
    }

    /// Whether what was shown is still what is known.
    pub(crate) fn freshness(&self, shown: &Observation) -> Freshness {
        let entry = shown.entry();
        if !is_kept(entry) {
            return Freshness::Stale;
        }
        let mark = self.mark_over(entry);
        if mark.void > shown.revision() {
            return Freshness::Stale;
        }
        match self.entries.peek(entry).filter(|record| record.order >= mark.void) {
            None if mark.stale > shown.revision() => Freshness::Stale,
            // Letting go is no evidence of anything.
            None => shown.freshness(),
            Some(record) => match record.freshness(mark) {
                Freshness::Fresh if record.observation.object() != shown.object() => Freshness::Stale,
                freshness => freshness,
            },
        }
    }

    /// Notes entries that a result named and of which nothing is known.
    pub(crate) fn found(&mut self, entries: &[EntryPath]) {
        // Backwards, so that the first is the one used last.
        for entry in entries.iter().rev() {
            if self.entries.peek(entry).is_none() {
                self.candidates.put(entry.clone(), (), weight::path(entry));
                self.candidates.trim();
            }
        }
    }

    pub(crate) fn candidates(&self) -> Vec<EntryPath> {
        self.candidates.keys().cloned().collect()
    }
}

/// Where else an observed identity is known from.
enum Elsewhere {
    No,
    /// It was seen there before.
    Before {
        from: EntryPath,
        before: Arc<Object>,
    },
    /// It was seen elsewhere by a later request.
    Since,
}

/// Whether both are known to be different Objects.
fn is_other(before: &Object, after: &Object) -> bool {
    matches!((&before.r#ref, &after.r#ref), (Some(before), Some(after)) if before != after)
}

fn contradiction(entry: &EntryPath, other: &EntryPath) -> ClientError {
    ClientError::invalid(format_args!(
        "the Object at {entry} has the ref and the validator of one that was observed at {other}, and differs from it"
    ))
}

#[cfg(test)]
#[path = "space_tests.rs"]
mod tests;
