//! Where checks run: fresh worlds with the provider in them, spoken to one way.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use worldspace_client::InProcess;
use worldspace_host::{Host, HostLimits, LocalPath, Memory, MemoryNode};
use worldspace_model::{EntryPath, Object, Principal, Ref, Validator};

use super::check::{Verdict, failed};
use super::meddle::{Meddled, Meddling};
use super::naive::Node;
use super::subject::{Declared, Fresh};
use super::world::World;
use crate::Way;
use crate::suite::Place;

/// Where the provider is mounted beside another.
const SUBJECT: &str = "/suite/subject";
/// Where the other is.
const NEIGHBOUR: &str = "/suite/neighbour";

/// The whole Worldspace in which a provider with that tree is mounted beside another: as [`Bench::build`] makes it.
pub(super) fn world_around(own: &Node) -> Node {
    let named = |name: &str, children| Node { name: name.to_owned(), children, ..Node::default() };
    let thing = Node { known_leaf: true, ..named("thing", Vec::new()) };
    let own = Node { name: "subject".to_owned(), ..own.clone() };
    named("", vec![named("suite", vec![own, named("neighbour", vec![thing])])])
}

/// What a check gets. Cheap to clone.
#[derive(Clone)]
pub(super) struct Bench {
    pub(super) declared: Arc<Declared>,
    pub(super) way: Way,
    pub(super) place: Place,
    /// All that was seen by the checks before this one, too.
    pub(super) seen: Arc<Seen>,
}

/// Objects as they were observed, by ref and validator, per Host: each has a key of its own for validators.
#[derive(Default)]
pub(super) struct Seen {
    kept: Mutex<HashMap<(usize, Ref, Validator), Arc<Object>>>,
    hosts: Mutex<usize>,
    contradictions: Mutex<Vec<String>>,
}

impl Seen {
    /// A number for a new Host.
    fn host(&self) -> usize {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        *hosts += 1;
        *hosts
    }

    pub(super) fn note(&self, host: usize, object: &Arc<Object>) {
        let (Some(r#ref), Some(validator)) = (&object.r#ref, &object.validator) else { return };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let before = kept.entry((host, r#ref.clone(), validator.clone())).or_insert_with(|| object.clone());
        if before.check_consistency(object).is_err() {
            let mut contradictions = self.contradictions.lock().unwrap_or_else(PoisonError::into_inner);
            contradictions.push(format!("{before:?} and {object:?}"));
        }
    }

    /// How many different observations there were, and what contradicted itself among them.
    pub(super) fn result(&self) -> (usize, Vec<String>) {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).len();
        (kept, self.contradictions.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

impl Bench {
    /// A fresh world.
    pub(super) async fn world(&self) -> Verdict<World> {
        self.world_with(HostLimits::default()).await
    }

    /// A fresh world whose Host has these limits.
    pub(super) async fn world_with(&self, limits: HostLimits) -> Verdict<World> {
        let Fresh { provider, hands } = (self.declared.make)().await;
        let meddling = Meddling::default();
        let subject = Meddled::new(provider, meddling.clone());
        let built = self.build(&subject, limits);
        let (host, mount, neighbour) =
            built.or_else(|error| failed("a Host with the provider mounted", error))?;
        let calm = self.build(&subject, HostLimits::default());
        let (calm, ..) = calm.or_else(|error| failed("a Host with the provider mounted", error))?;
        let loopback = self.way.to(Arc::new(host.clone())).await;
        let loopback = loopback.or_else(|error| failed("a way to the Host", error))?;
        Ok(World {
            declared: self.declared.clone(),
            transport: loopback.transport(),
            aside: Arc::new(InProcess::new(Arc::new(calm), Principal::anonymous())),
            loopback: Arc::new(loopback),
            host,
            mount,
            neighbour,
            hands,
            meddling,
            number: self.seen.host(),
            seen: self.seen.clone(),
        })
    }

    /// Hosts of one key make the same validators.
    fn build(&self, subject: &Meddled, limits: HostLimits) -> Built {
        let builder = Host::builder().limits(limits).key(*b"the provider suite's common key!");
        let subject = subject.clone();
        if self.place == Place::Root {
            return Ok((builder.mount(EntryPath::root(), subject).build()?, EntryPath::root(), None));
        }
        let (mount, neighbour) = (EntryPath::parse(SUBJECT)?, EntryPath::parse(NEIGHBOUR)?);
        let other = Memory::new();
        other.put(&LocalPath::parse("/thing")?, MemoryNode::new());
        let host = builder.mount(mount.clone(), subject).mount(neighbour.clone(), other).build()?;
        Ok((host, mount, Some(neighbour)))
    }
}

type Built = Result<(Host, EntryPath, Option<EntryPath>), Box<dyn std::error::Error + Send + Sync>>;
