//! What the suite is told of a provider: how to make a fresh one, what is there, and what it can do.

use std::any::Any;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use worldspace_host::{DynProvider, Provider};
use worldspace_model::{BoxFuture, EntryPath, Value};

use super::sample::{Sample, local};

/// Whatever reaches the things behind a provider from outside, its type forgotten.
pub(super) type Hands = Arc<dyn Any + Send + Sync>;
/// Something that is done from outside.
pub(super) type Deed = Arc<dyn Fn(Hands) -> BoxFuture<'static, ()> + Send + Sync>;
type Making = Arc<dyn Fn() -> BoxFuture<'static, Fresh> + Send + Sync>;

/// A provider that is to be held to the protocol, and what its author declares of it. Paths are the provider's own,
/// beginning at its root.
///
/// Nothing has to be declared but one Object; each declaration makes more checks apply. `H` is whatever reaches the
/// things behind the provider from outside, such as a directory or a second handle of a database.
#[must_use]
pub struct Subject<H> {
    pub(super) declared: Declared,
    hands: PhantomData<fn() -> H>,
}

/// A provider that nobody has touched, and the hands on what is behind it.
pub(super) struct Fresh {
    pub(super) provider: DynProvider,
    pub(super) hands: Hands,
}

/// What was declared, without the type of the hands.
#[derive(Clone)]
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) make: Making,
    pub(super) objects: Vec<EntryPath>,
    pub(super) leaves: Vec<EntryPath>,
    pub(super) unlisted: Vec<EntryPath>,
    pub(super) absent: Vec<EntryPath>,
    pub(super) hidden: Vec<EntryPath>,
    pub(super) identities: bool,
    pub(super) states: bool,
    pub(super) readings: Vec<Sample>,
    pub(super) writings: Vec<Sample>,
    pub(super) refusals: Vec<Sample>,
    pub(super) denials: Vec<Sample>,
    pub(super) adding: Option<Adding>,
    pub(super) moves: Vec<(EntryPath, EntryPath, Deed)>,
    pub(super) replaced: Vec<(EntryPath, Deed)>,
    pub(super) disturbed: Vec<(EntryPath, Deed)>,
    /// What is wrong with the declarations themselves.
    pub(super) mistakes: Vec<String>,
}

/// A write each effect of which can be counted.
#[derive(Clone)]
pub(super) struct Adding {
    pub(super) write: Sample,
    pub(super) read: Sample,
    pub(super) count: fn(&Value) -> usize,
}

impl<H: Clone + Send + Sync + 'static> Subject<H> {
    /// A provider of that name, for the report. `make` gives a fresh one each time, with the same content, and the
    /// hands on what is behind it, which are kept for as long as the provider is used.
    ///
    /// Several are used at one time, and what is done to one must not be seen in another. The content should be small,
    /// some hundred Objects at most: the suite reads it many times. Where the states of what was just made do not last
    /// yet, `make` waits until they do.
    pub fn new<M, F, P>(name: impl Into<String>, make: M) -> Self
    where
        M: Fn() -> F + Send + Sync + 'static,
        F: Future<Output = (P, H)> + Send + 'static,
        P: Provider,
    {
        let make: Making = Arc::new(move || {
            let making = make();
            Box::pin(async move {
                let (provider, hands) = making.await;
                Fresh { provider: DynProvider::new(provider), hands: Arc::new(hands) }
            })
        });
        let declared = Declared {
            name: name.into(),
            make,
            objects: Vec::new(),
            leaves: Vec::new(),
            unlisted: Vec::new(),
            absent: Vec::new(),
            hidden: Vec::new(),
            identities: false,
            states: false,
            readings: Vec::new(),
            writings: Vec::new(),
            refusals: Vec::new(),
            denials: Vec::new(),
            adding: None,
            moves: Vec::new(),
            replaced: Vec::new(),
            disturbed: Vec::new(),
            mistakes: Vec::new(),
        };
        Self { declared, hands: PhantomData }
    }

    /// An Object is there, and trees show it.
    pub fn object(mut self, path: &str) -> Self {
        let path = local(path, &mut self.declared.mistakes);
        self.declared.objects.push(path);
        self
    }

    /// As [`Subject::object`], and it has no indexable children.
    pub fn leaf(mut self, path: &str) -> Self {
        let path = local(path, &mut self.declared.mistakes);
        self.declared.objects.push(path.clone());
        self.declared.leaves.push(path);
        self
    }

    /// An Object is there, and trees do not show it: it is no indexable child.
    pub fn unlisted(mut self, path: &str) -> Self {
        let path = local(path, &mut self.declared.mistakes);
        self.declared.unlisted.push(path);
        self
    }

    /// Nothing is there.
    pub fn absent(mut self, path: &str) -> Self {
        let path = local(path, &mut self.declared.mistakes);
        self.declared.absent.push(path);
        self
    }

    /// Something is there behind the provider, which does not publish it.
    pub fn hidden(mut self, path: &str) -> Self {
        let path = local(path, &mut self.declared.mistakes);
        self.declared.hidden.push(path);
        self
    }

    /// Objects have identities.
    pub fn identities(mut self) -> Self {
        self.declared.identities = true;
        self
    }

    /// Objects have states.
    pub fn states(mut self) -> Self {
        self.declared.states = true;
        self
    }

    /// A call that succeeds and changes nothing. Its result is the same as long as nothing changes: the suite tells by
    /// it, and by the tree, whether anything happened.
    pub fn reading(mut self, sample: Sample) -> Self {
        self.declared.mistakes.extend(sample.mistakes.iter().cloned());
        self.declared.readings.push(sample);
        self
    }

    /// A call that succeeds on a fresh provider, and changes what the tree or a [`Subject::reading`] shows. Whether it
    /// is guarded, its interface says.
    pub fn writing(mut self, sample: Sample) -> Self {
        self.declared.mistakes.extend(sample.mistakes.iter().cloned());
        self.declared.writings.push(sample);
        self
    }

    /// A write that succeeds as often as it is called, and adds one each time to what `count` finds in the result of
    /// `read`. It counts as a [`Subject::writing`], and `read` as a [`Subject::reading`].
    pub fn adding(mut self, write: Sample, read: Sample, count: fn(&Value) -> usize) -> Self {
        self = self.writing(write.clone()).reading(read.clone());
        self.declared.adding = Some(Adding { write, read, count });
        self
    }

    /// A call with arguments that are of their types and yet unusable whatever the state.
    pub fn refusing(mut self, sample: Sample) -> Self {
        self.declared.mistakes.extend(sample.mistakes.iter().cloned());
        self.declared.refusals.push(sample);
        self
    }

    /// A call that the provider does not permit.
    pub fn denying(mut self, sample: Sample) -> Self {
        self.declared.mistakes.extend(sample.mistakes.iter().cloned());
        self.declared.denials.push(sample);
        self
    }

    /// How somebody outside moves the Object at `from` to `to`, where nothing is. It stays the same Object.
    pub fn moving<F>(mut self, from: &str, to: &str, deed: impl Fn(H) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let mistakes = &mut self.declared.mistakes;
        let (from, to) = (local(from, mistakes), local(to, mistakes));
        self.declared.moves.push((from, to, erased(deed)));
        self
    }

    /// How somebody outside puts another Object in the place of the one at `path`: each time that it is done another one,
    /// as it may be done several times in one world.
    pub fn replacing<F>(mut self, path: &str, deed: impl Fn(H) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let path = local(path, &mut self.declared.mistakes);
        self.declared.replaced.push((path, erased(deed)));
        self
    }

    /// How somebody outside changes the state of the Object at `path`, which stays the same Object: each time that it is
    /// done, as it may be done several times in one world.
    pub fn disturbing<F>(mut self, path: &str, deed: impl Fn(H) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let path = local(path, &mut self.declared.mistakes);
        self.declared.disturbed.push((path, erased(deed)));
        self
    }
}

/// The hands are those that `make` gave, so they are of this type.
fn erased<H, F>(deed: impl Fn(H) -> F + Send + Sync + 'static) -> Deed
where
    H: Clone + Send + Sync + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    Arc::new(move |hands: Hands| match hands.downcast_ref::<H>() {
        Some(hands) => Box::pin(deed(hands.clone())),
        None => Box::pin(async {}),
    })
}

impl<H> std::fmt::Debug for Subject<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subject").field("name", &self.declared.name).finish_non_exhaustive()
    }
}
