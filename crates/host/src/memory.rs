//! A provider that holds its Objects in memory: for small worlds, examples and tests.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use worldspace_model::{BoxFuture, Segment};

use crate::call::{Call, Done};
use crate::context::Context;
use crate::failure::{ProviderError, Refusal};
use crate::interface::Interface;
use crate::local::{LocalPath, LocalReference};
use crate::provider::{Page, Provider};
use crate::published::{Identity, Interfaces, Published, StateToken};

/// Objects in memory, with operations given as functions. Clones share the same Objects.
///
/// Children stand in the order in which they were put. Every Object has an identity, and a state that changes
/// whenever it is put again.
///
/// ```
/// use worldspace_host::{Host, LocalPath, Memory, MemoryNode};
/// use worldspace_model::EntryPath;
/// let notes = Memory::new();
/// notes.put(&LocalPath::parse("/today")?, MemoryNode::new().described("What to do today."));
/// let host = Host::builder().mount(EntryPath::root(), notes).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Memory(Arc<Inner>);

struct Inner {
    /// Told apart from every other one, so that no identity of one start is taken for one of another.
    instance: String,
    world: Mutex<World>,
}

#[derive(Default)]
struct World {
    nodes: HashMap<LocalPath, Stored>,
    interfaces: HashMap<LocalReference, (Interface, MemoryHandler)>,
    counter: u64,
}

struct Stored {
    node: MemoryNode,
    identity: u64,
    state: u64,
    children: Vec<Segment>,
}

/// An Object to be put into a [`Memory`].
#[derive(Debug, Clone, Default)]
pub struct MemoryNode {
    description: Option<String>,
    interfaces: Interfaces,
    hidden_children: bool,
}

/// The function behind the operations of an interface.
pub type MemoryHandler =
    Arc<dyn Fn(Context, Call) -> BoxFuture<'static, Result<Done, Refusal>> + Send + Sync>;

impl MemoryNode {
    /// An Object with nothing but its place.
    pub fn new() -> Self {
        Self::default()
    }

    /// With a short text.
    #[must_use]
    pub fn described(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// With these interfaces.
    #[must_use]
    pub fn publishing(mut self, interfaces: &Interfaces) -> Self {
        self.interfaces = interfaces.clone();
        self
    }

    /// With children that are entries but not indexable.
    #[must_use]
    pub fn with_unlisted_children(mut self) -> Self {
        self.hidden_children = true;
        self
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl Memory {
    /// A world with a root and nothing else.
    pub fn new() -> Self {
        // Without randomness the address tells instances of one process apart, which is what identities need here.
        let inner = Arc::new_cyclic(|weak: &std::sync::Weak<Inner>| {
            let instance = getrandom::u64().unwrap_or(weak.as_ptr().addr() as u64);
            Inner { instance: format!("{instance:016x}"), world: Mutex::default() }
        });
        let memory = Self(inner);
        memory.put(&LocalPath::root(), MemoryNode::new());
        memory
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.0.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts an Object, or changes the one that is there; missing Objects above it are made.
    pub fn put(&self, path: &LocalPath, node: MemoryNode) {
        let mut world = self.world();
        world.make_parents(path);
        let state = world.tick();
        match world.nodes.get_mut(path) {
            Some(stored) => {
                stored.node = node;
                stored.state = state;
            }
            None => world.add(path, node, state),
        }
    }

    /// Takes away an Object and all below it; whether there was one.
    pub fn remove(&self, path: &LocalPath) -> bool {
        let mut world = self.world();
        let there = world.nodes.contains_key(path);
        world.nodes.retain(|at, _| !path.contains(at));
        world.unlink(path);
        there
    }

    /// Moves an Object and all below it, which stay the same Objects; whether there was one and room for it.
    /// Interfaces keep their scopes: what publishes one that is scoped at a moved place is to be put anew.
    pub fn rename(&self, from: &LocalPath, to: &LocalPath) -> bool {
        let mut world = self.world();
        let possible = world.nodes.contains_key(from) && !world.nodes.contains_key(to) && !from.contains(to);
        if !possible {
            return false;
        }
        world.make_parents(to);
        let moved: Vec<LocalPath> = world.nodes.keys().filter(|at| from.contains(at)).cloned().collect();
        for at in moved {
            let below = from.as_entry().relative(at.as_entry());
            if let (Some(below), Some(stored)) = (below, world.nodes.remove(&at)) {
                world.nodes.insert(LocalPath::new(to.as_entry().descend(&below)), stored);
            }
        }
        world.unlink(from);
        world.link(to);
        true
    }

    /// The state of an Object, for [`Call::fence`].
    pub fn state(&self, path: &LocalPath) -> Option<StateToken> {
        self.world().nodes.get(path).map(|stored| token(stored.state))
    }

    /// Gives an interface and the function behind its operations.
    pub fn serve<F, R>(&self, reference: LocalReference, interface: Interface, handler: F)
    where
        F: Fn(Context, Call) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Done, Refusal>> + Send + 'static,
    {
        let handler: MemoryHandler = Arc::new(move |context, call| Box::pin(handler(context, call)));
        self.world().interfaces.insert(reference, (interface, handler));
    }

    fn published(&self, stored: &Stored) -> Published {
        let mut published = Published::new()
            .publishing(&stored.node.interfaces)
            .identified(Identity::new(format!("{}.{}", self.0.instance, stored.identity)))
            .in_state(token(stored.state));
        if let Some(description) = &stored.node.description {
            published = published.described(description.as_str());
        }
        let leaf = stored.children.is_empty() || stored.node.hidden_children;
        if leaf { published.leaf() } else { published }
    }
}

fn token(state: u64) -> StateToken {
    StateToken::new(state.to_le_bytes())
}

impl World {
    fn tick(&mut self) -> u64 {
        self.counter += 1;
        self.counter
    }

    fn make_parents(&mut self, path: &LocalPath) {
        let mut missing = Vec::new();
        let mut above = path.parent();
        while let Some(path) = above.filter(|path| !self.nodes.contains_key(path)) {
            above = path.parent();
            missing.push(path);
        }
        for path in missing.into_iter().rev() {
            let state = self.tick();
            self.add(&path, MemoryNode::new(), state);
        }
    }

    fn add(&mut self, path: &LocalPath, node: MemoryNode, state: u64) {
        let stored = Stored { node, identity: state, state, children: Vec::new() };
        self.nodes.insert(path.clone(), stored);
        self.link(path);
    }

    fn link(&mut self, path: &LocalPath) {
        let above = path.parent().and_then(|above| self.nodes.get_mut(&above));
        if let (Some(above), Ok(name)) = (above, Segment::parse(path.name())) {
            above.children.push(name);
        }
    }

    fn unlink(&mut self, path: &LocalPath) {
        let above = path.parent().and_then(|above| self.nodes.get_mut(&above));
        if let Some(above) = above {
            above.children.retain(|name| name.as_str() != path.name());
        }
    }
}

impl Provider for Memory {
    async fn object(&self, _: &Context, path: &LocalPath) -> Result<Published, ProviderError> {
        let world = self.world();
        let stored = world.nodes.get(path).ok_or(ProviderError::NotFound)?;
        Ok(self.published(stored))
    }

    async fn children(
        &self,
        _: &Context,
        path: &LocalPath,
        after: Option<&Segment>,
        most: usize,
    ) -> Result<Page, ProviderError> {
        let world = self.world();
        let stored = world.nodes.get(path).ok_or(ProviderError::NotFound)?;
        if stored.node.hidden_children {
            return Ok(Page::empty());
        }
        Page::of(&stored.children, after, most, |name| {
            let child = world.nodes.get(&path.child(name)).ok_or(ProviderError::NotFound)?;
            Ok(self.published(child))
        })
    }

    async fn interface(&self, _: &Context, reference: &LocalReference) -> Result<Interface, ProviderError> {
        let world = self.world();
        let known = world.interfaces.get(reference);
        known.map(|(interface, _)| interface.clone()).ok_or(ProviderError::NotFound)
    }

    async fn call(&self, context: &Context, call: Call) -> Result<Done, Refusal> {
        let handler = {
            let world = self.world();
            world.interfaces.get(call.interface()).map(|(_, handler)| handler.clone())
        };
        handler.ok_or(Refusal::NotFound)?(context.clone(), call).await
    }
}
