//! The space against a naive model, and what an observation costs.

use std::collections::BTreeMap;

use proptest::prelude::*;
use worldspace_model::{InterfaceList, ObjectName};

use super::*;

fn path(text: &str) -> EntryPath {
    EntryPath::parse(text).unwrap()
}

/// An Object without a validator, so that no two of them contradict one another.
fn object(entry: &EntryPath, identity: Option<u8>, description: u8) -> Arc<Object> {
    Arc::new(Object {
        name: ObjectName::of(entry),
        description: Some(description.to_string().into()),
        interfaces: InterfaceList::EMPTY,
        r#ref: identity.map(|identity| Ref::new(identity.to_string())),
        validator: None,
    })
}

fn space(entries: usize) -> Space {
    Space::new(&Settings { known_entries: entries, ..Settings::default() })
}

fn see(space: &mut Space, entry: &str, identity: Option<u8>, text: u8) -> Observation {
    let (order, entry) = (space.next_order(), path(entry));
    space.observe(order, &entry, object(&entry, identity, text)).unwrap()
}

#[derive(Debug, Clone)]
enum Event {
    Observed(EntryPath, Option<u8>, u8),
    Missing(EntryPath),
    Stale(EntryPath),
}

fn entries() -> Vec<EntryPath> {
    ["/", "/a", "/b", "/a/a", "/a/b", "/b/a", "/a/a/a", "/a/a/b", "/ab"].map(path).to_vec()
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let entry = || prop::sample::select(entries());
    let observed = (entry(), prop::option::weighted(0.8, 0u8..6), 0u8..3);
    let event = prop_oneof![
        6 => observed.prop_map(|(entry, identity, text)| Event::Observed(entry, identity, text)),
        1 => entry().prop_map(Event::Missing),
        1 => entry().prop_map(Event::Stale),
    ];
    prop::collection::vec(event, 0..60)
}

/// Everything is looked at for every event.
#[derive(Default)]
struct Naive {
    known: BTreeMap<EntryPath, (Arc<Object>, Freshness)>,
    seen: BTreeMap<Ref, EntryPath>,
}

impl Naive {
    fn happen(&mut self, event: &Event) -> &'static str {
        match event {
            Event::Observed(entry, identity, text) => self.observe(entry, object(entry, *identity, *text)),
            Event::Missing(entry) => {
                self.below(entry);
                if let Some(known) = self.known.get_mut(entry) {
                    known.1 = Freshness::Missing;
                }
                ""
            }
            Event::Stale(entry) => {
                match self.known.get_mut(entry) {
                    Some(known) => known.1 = Freshness::Stale,
                    None => self.below(entry),
                }
                ""
            }
        }
    }

    /// What is at or below an entry and was fresh is stale.
    fn below(&mut self, entry: &EntryPath) {
        for (known, (_, freshness)) in &mut self.known {
            if entry.contains(known) && *freshness == Freshness::Fresh {
                *freshness = Freshness::Stale;
            }
        }
    }

    fn observe(&mut self, entry: &EntryPath, object: Arc<Object>) -> &'static str {
        let prior = self.known.get(entry).cloned();
        let here = prior.as_ref().filter(|(_, freshness)| *freshness == Freshness::Fresh);
        let same = here.is_some_and(|(here, _)| here.r#ref == object.r#ref);
        let prior = prior.map(|(prior, _)| prior);
        let replaced = prior.as_ref().is_some_and(|prior| is_other(prior, &object));
        let from =
            object.r#ref.as_ref().and_then(|identity| self.seen.insert(identity.clone(), entry.clone()));
        let from = from.filter(|from| from != entry && !same);
        if let Some(from) = &from
            && self.known.get(from).is_some_and(|(known, _)| known.r#ref == object.r#ref)
        {
            self.below(from);
            self.known.get_mut(from).unwrap().1 = Freshness::Stale;
        }
        if replaced {
            self.known.retain(|known, _| known == entry || !entry.contains(known));
        }
        self.known.insert(entry.clone(), (object.clone(), Freshness::Fresh));
        match prior {
            _ if from.is_some() => "moved",
            None => "first",
            Some(_) if replaced => "replaced",
            Some(prior) if prior == object => "unchanged",
            Some(_) => "updated",
        }
    }
}

fn name(change: &Change) -> &'static str {
    match change {
        Change::First => "first",
        Change::Unchanged => "unchanged",
        Change::Updated { .. } => "updated",
        Change::Moved { .. } => "moved",
        Change::Replaced { .. } => "replaced",
        Change::Overtaken => "overtaken",
    }
}

fn happen(space: &mut Space, event: &Event) -> &'static str {
    match event {
        Event::Observed(entry, identity, text) => {
            let order = space.next_order();
            let observation = space.observe(order, entry, object(entry, *identity, *text)).unwrap();
            name(observation.change())
        }
        Event::Missing(entry) => {
            let order = space.next_order();
            space.missing(order, entry);
            ""
        }
        Event::Stale(entry) => {
            space.stale(entry);
            ""
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn nothing_forgotten_it_knows_what_the_naive_one_knows(events in events()) {
        let (mut space, mut naive) = (space(1_000), Naive::default());
        for event in &events {
            prop_assert_eq!(happen(&mut space, event), naive.happen(event), "{:?}", event);
            for entry in entries() {
                let known = space.known(&entry).map(|known| (known.object().clone(), known.freshness()));
                prop_assert_eq!(known, naive.known.get(&entry).cloned(), "{} behind {:?}", entry, event);
            }
        }
    }

    /// Forgetting loses knowledge and makes none up, and nothing goes before what stands below it.
    #[test]
    fn what_is_remembered_is_what_was_last_seen(
        events in events(),
        capacity in 1usize..9,
        known_bytes in (8usize << 10)..(32 << 10),
    ) {
        let mut space =
            Space::new(&Settings { known_entries: capacity, known_bytes, ..Settings::default() });
        let mut last = BTreeMap::new();
        for event in &events {
            happen(&mut space, event);
            if let Event::Observed(entry, identity, text) = event {
                last.insert(entry.clone(), object(entry, *identity, *text));
            }
            let by_use: Vec<EntryPath> = space.entries.keys().cloned().collect();
            prop_assert!(by_use.len() <= capacity);
            prop_assert!(space.entries.fits() && space.sightings.fits() && space.marks.fits());
            for (at, entry) in by_use.iter().enumerate() {
                let below = by_use[..at].iter().find(|used_later| entry.contains(used_later));
                prop_assert_eq!(below, None, "{} may go before it", entry);
            }
            for entry in entries() {
                if let Some(known) = space.known(&entry) {
                    prop_assert_eq!(Some(known.object()), last.get(&entry));
                }
            }
        }
    }

    /// Whatever the order in which answers come, the latest request has the last word.
    #[test]
    fn the_latest_request_has_the_last_word(
        answers in Just((0..12u64).collect::<Vec<_>>()).prop_shuffle(),
        entry in prop::collection::vec(0usize..3, 12),
    ) {
        let mut space = space(100);
        let entries = [path("/a"), path("/b"), path("/a/b")];
        for order in &answers {
            let entry = &entries[entry[*order as usize]];
            let object = object(entry, None, *order as u8);
            space.observe(order + 1, entry, object).unwrap();
        }
        for (at, path) in entries.iter().enumerate() {
            let latest = (0..12).rev().find(|order| entry[*order as usize] == at);
            let known = space.known(path).map(|known| known.revision());
            prop_assert_eq!(known, latest.map(|order| order + 1));
        }
    }
}

fn operations(space: &Space) -> u64 {
    space.entries.operations()
        + space.sightings.operations()
        + space.marks.operations()
        + space.candidates.operations()
}

/// Fills a space, and counts what one observation of each kind costs then.
fn costs(filled: u32) -> Vec<u64> {
    let mut space = space(filled as usize + 10);
    for number in 0..filled {
        let entry = path(&format!("/full/{number}/x"));
        let order = space.next_order();
        let mut filler = (*object(&entry, None, 0)).clone();
        filler.r#ref = Some(Ref::new(format!("filler {number}")));
        space.observe(order, &entry, Arc::new(filler)).unwrap();
        if number % 7 == 0 {
            space.mark(&entry, Mark { void: 0, stale: 1 });
        }
    }
    let mut cost = |event: Event| {
        let before = operations(&space);
        happen(&mut space, &event);
        operations(&space) - before
    };
    vec![
        cost(Event::Observed(path("/a/b/c"), Some(1), 0)),
        cost(Event::Observed(path("/a/b/c"), Some(1), 1)),
        cost(Event::Observed(path("/a/b/d"), Some(1), 1)),
        cost(Event::Observed(path("/full"), Some(2), 1)),
        // All of the filling becomes void.
        cost(Event::Observed(path("/full"), Some(3), 1)),
        cost(Event::Missing(path("/full"))),
        cost(Event::Observed(path("/full/1/x"), Some(4), 1)),
    ]
}

#[test]
fn an_observation_costs_the_same_however_much_is_known() {
    let few = costs(10);
    assert_eq!(few, costs(10_000));
    assert!(few.iter().all(|cost| *cost < 40), "{few:?}");
}

#[test]
fn replacing_voids_everything_below_at_once() {
    let mut space = space(10_000);
    let (order, top) = (space.next_order(), path("/full"));
    space.observe(order, &top, object(&top, Some(1), 0)).unwrap();
    for number in 0..1_000 {
        let (order, entry) = (space.next_order(), path(&format!("/full/{number}")));
        space.observe(order, &entry, object(&entry, None, 0)).unwrap();
    }
    let order = space.next_order();
    space.observe(order, &top, object(&top, Some(2), 0)).unwrap();
    assert!((0..1_000).all(|number| space.known(&path(&format!("/full/{number}"))).is_none()));
}

/// Marks are bounded too. Where one has to go, what it may have covered is doubted rather than believed.
#[test]
fn marks_that_had_to_go_leave_doubt_and_not_trust() {
    let mut space = space(8);
    let (order, entry) = (space.next_order(), path("/old"));
    space.observe(order, &entry, object(&entry, None, 0)).unwrap();
    for number in 0..20 {
        let order = space.next_order();
        space.mark(&path(&format!("/{number}")), Mark { void: order, stale: order });
    }
    assert!(space.known(&entry).is_none());
    let order = space.next_order();
    space.observe(order, &entry, object(&entry, None, 0)).unwrap();
    assert_eq!(space.known(&entry).map(|known| known.freshness()), Some(Freshness::Fresh));
}

/// A move back is a move, however much is still held of where it comes back to.
#[test]
fn what_left_and_came_back_has_moved() {
    for asked_meanwhile in [false, true] {
        let mut space = space(100);
        see(&mut space, "/a", Some(1), 0);
        see(&mut space, "/b", Some(1), 0);
        if asked_meanwhile {
            let order = space.next_order();
            space.missing(order, &path("/a"));
        }
        let back = see(&mut space, "/a", Some(1), 0);
        assert!(matches!(back.change(), Change::Moved { from, .. } if *from == path("/b")), "{back:?}");
        assert_eq!(space.known(&path("/b")).unwrap().freshness(), Freshness::Stale);
    }
}

#[test]
fn what_happened_to_something_forgotten_is_not_forgotten() {
    type Happening = fn(&mut Space, &EntryPath);
    let happenings: [Happening; 2] = [Space::stale, |space, entry| {
        let order = space.next_order();
        space.missing(order, entry);
    }];
    for happening in happenings {
        let mut space = space(1);
        let shown = see(&mut space, "/a", Some(1), 0);
        see(&mut space, "/b", Some(2), 0);
        assert!(space.known(&path("/a")).is_none());
        assert_eq!(space.freshness(&shown), Freshness::Fresh);
        happening(&mut space, &path("/a"));
        assert_eq!(space.freshness(&shown), Freshness::Stale);
        let again = see(&mut space, "/a", Some(1), 0);
        assert_eq!(space.freshness(&again), Freshness::Fresh);
    }
}

fn large(entry: &str, identity: u32, bytes: usize) -> (EntryPath, Arc<Object>) {
    let entry = path(entry);
    let object = Object {
        description: Some("x".repeat(bytes).into()),
        r#ref: Some(Ref::new(identity.to_string())),
        ..(*object(&entry, None, 0)).clone()
    };
    (entry, Arc::new(object))
}

#[test]
fn memory_is_bounded_by_bytes_whatever_the_number() {
    let mut space = Space::new(&Settings { known_bytes: 1 << 20, ..Settings::default() });
    let observe = |space: &mut Space, (entry, object): (EntryPath, Arc<Object>)| {
        let order = space.next_order();
        space.observe(order, &entry, object).unwrap();
    };
    for number in 0..200 {
        // What a change tells of the time before it counts too.
        observe(&mut space, large("/changes", number, 20_000));
        observe(&mut space, large(&format!("/{number}"), 1_000 + number, 20_000));
        assert!(space.entries.fits() && space.sightings.fits());
    }
    assert!(space.known(&path("/199")).is_some());
    assert!(space.known(&path("/1")).is_none());

    // One that would push out much else is not kept, and nothing older stands in its place.
    let kept = space.entries.keys().count();
    observe(&mut space, large("/199", 1_199, 200_000));
    assert!(space.known(&path("/199")).is_none());
    assert_eq!(space.entries.keys().count(), kept - 1);
}

/// The top of an answer stays, and what goes is what lies deepest.
#[test]
fn an_answer_larger_than_the_memory_keeps_its_top() {
    let mut space = Space::new(&Settings { known_bytes: 1 << 20, ..Settings::default() });
    let entries =
        ["/", "/a"].map(String::from).into_iter().chain((0..1_000).map(|number| format!("/a/{number}")));
    let objects = (0u32..).zip(entries).map(|(at, entry)| large(&entry, at, 2_000)).collect::<Vec<_>>();
    let order = space.next_order();
    assert_eq!(space.observe_all(order, objects).unwrap().len(), 1_002);
    assert!(space.entries.fits());
    for (entry, kept) in [("/", true), ("/a", true), ("/a/0", true), ("/a/999", false)] {
        assert_eq!(space.known(&path(entry)).is_some(), kept, "{entry}");
    }
}

/// A chain costs the square of its depth where every entry of it is looked up with all above it.
#[test]
fn a_chain_too_deep_to_look_up_is_not_kept() {
    let mut space = space(100_000);
    space.stale(&path("/elsewhere"));
    let mut entries = vec![path("/")];
    for _ in 0..5_000 {
        let child = entries[entries.len() - 1].child(&worldspace_model::Segment::parse("a").unwrap());
        entries.push(child);
    }
    let objects = entries.iter().map(|entry| (entry.clone(), object(entry, None, 0))).collect();
    let order = space.next_order();
    let observations = space.observe_all(order, objects).unwrap();
    assert_eq!(observations.len(), entries.len());
    assert!(space.known(&entries[100]).is_some());
    assert!(space.known(&entries[5_000]).is_none());
    assert_eq!(space.freshness(&observations[100]), Freshness::Fresh);
    assert_eq!(space.freshness(&observations[5_000]), Freshness::Stale, "nobody vouches for it");
    assert!(operations(&space) < 1_000_000, "{}", operations(&space));
}
