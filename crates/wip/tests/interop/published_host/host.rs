//! A Host made of the published crates: notes below the root, which is the scope of their one interface.

#![allow(unreachable_pub, reason = "the macros ask for public items")]

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use wip_host::wip_protocol::{
    InterfaceDescriptor, ObjectObservation, ObserveRequest, ProtocolError, ProtocolErrorCode,
};
use wip_host::{
    ExecutionContext, InterfaceRef, InterfaceRegistry, ObjectProvider, ProviderResult, PublishedObject,
    RegisteredInterface, Scope, ScopeObservation, Validator, WipObject,
};
use wip_interface::{EffectGuarantee, Entry, HostError, OperationResult, WipType, interface};

/// What reading gives.
#[derive(WipType)]
pub struct Page {
    text: String,
    /// Another note, if this one names one.
    next: Option<Entry>,
}

/// What adding gives.
#[derive(WipType)]
pub enum Added {
    /// It is there now.
    Made(Entry),
    /// Another one had that name.
    Taken,
}

/// How to fail.
#[derive(WipType)]
pub enum How {
    /// A limit, with nothing done.
    Limit,
    /// A failure, with nothing done.
    Internal,
    /// A failure that may have left something behind.
    Unknown,
}

#[interface]
pub trait Notebook {
    /// Reads the note.
    fn read(&self) -> OperationResult<Page>;
    /// Lists all notes.
    fn list(&self) -> OperationResult<Vec<Entry>>;
    /// Replaces the text.
    fn write(&self, text: String) -> OperationResult<()>;
    /// Makes a note below this one.
    fn add(&self, name: String, text: Option<String>) -> OperationResult<Added>;
    /// Gives stars, of which there are at most 255: the type of the protocol has no such bound.
    fn rate(&self, stars: u8) -> OperationResult<()>;
    /// Fails.
    fn fail(&self, how: How) -> OperationResult<()>;
}

#[derive(Clone)]
pub(super) struct Note {
    pub(super) text: String,
    pub(super) description: Option<String>,
    pub(super) identity: u64,
    pub(super) version: u64,
}

/// Everything that a test can change behind the Client's back.
pub(super) struct World {
    pub(super) notes: BTreeMap<String, Note>,
    pub(super) publishes: bool,
    pub(super) permits: bool,
    /// An operation that the notes no longer have.
    pub(super) hidden: Option<&'static str>,
    /// Entries whose children are too many to be observed.
    pub(super) crowded: Vec<&'static str>,
    scope: Scope,
    scope_ref: String,
    registry: InterfaceRegistry,
    interface: RegisteredInterface<NotebookDefinition>,
    counter: u64,
}

impl World {
    fn new() -> Self {
        let scope = Scope::new("/").unwrap();
        let (registry, interface) = register(&scope, Some(b"first"));
        let mut world = Self {
            notes: BTreeMap::new(),
            publishes: true,
            permits: true,
            hidden: None,
            crowded: Vec::new(),
            scope,
            scope_ref: "root".into(),
            registry,
            interface,
            counter: 0,
        };
        for path in ["/a", "/a/b", "/a/c", "/d", "/d/e", "/d/e/f", "/g"] {
            world.put(path, path);
        }
        world
    }

    /// Puts a new note, or another text into the one that is there.
    pub(super) fn put(&mut self, path: &str, text: &str) {
        self.counter += 1;
        let version = self.counter;
        let made = Note { text: String::new(), description: None, identity: version, version };
        let note = self.notes.entry(path.to_owned()).or_insert(made);
        note.text = text.to_owned();
        note.version = version;
    }

    /// Moves a note, which stays the same Object in another state, since its name is part of it.
    pub(super) fn rename(&mut self, from: &str, to: &str) {
        self.counter += 1;
        let note = self.notes.remove(from).unwrap();
        self.notes.insert(to.to_owned(), Note { version: self.counter, ..note });
    }

    /// Publishes the interface under another validator, or under none; `anew`, of another Object at the root.
    pub(super) fn register(&mut self, validator: Option<&[u8]>, anew: bool) {
        if anew {
            self.scope = Scope::new("/").unwrap();
            self.scope_ref.push('+');
        }
        (self.registry, self.interface) = register(&self.scope, validator);
    }

    fn children(&self, path: &str) -> Vec<String> {
        let below = if path == "/" { "/".to_owned() } else { format!("{path}/") };
        let child = |at: &&String| {
            at.strip_prefix(&below).is_some_and(|rest| !rest.is_empty() && !rest.contains('/'))
        };
        self.notes.keys().filter(child).cloned().collect()
    }
}

fn register(
    scope: &Scope,
    validator: Option<&[u8]>,
) -> (InterfaceRegistry, RegisteredInterface<NotebookDefinition>) {
    let mut registry = InterfaceRegistry::new();
    let interface =
        registry.register(scope, "notebook", NotebookDefinition, validator.map(Validator::new)).unwrap();
    (registry, interface)
}

/// The Host. Clones share one world.
#[derive(Clone)]
pub(super) struct Notes(Arc<Mutex<World>>);

/// An Object for one request.
pub(super) struct Resolved {
    notes: Notes,
    path: String,
    note: Option<Note>,
    reference: String,
    before: Validator,
    /// Set by an operation that changed the note.
    after: OnceCell<Validator>,
}

impl Notes {
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(World::new())))
    }

    pub(super) fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap()
    }

    fn resolve(&self, path: &str) -> Option<Resolved> {
        let world = self.world();
        let note = world.notes.get(path).cloned();
        let (reference, version) = match &note {
            Some(note) => (note.identity.to_string(), note.version),
            None if path == "/" => (world.scope_ref.clone(), 0),
            None => return None,
        };
        let before = Validator::new(version.to_be_bytes());
        Some(Resolved {
            notes: self.clone(),
            path: path.to_owned(),
            note,
            reference,
            before,
            after: OnceCell::new(),
        })
    }

    pub(super) fn observe(&self, request: &ObserveRequest) -> Result<ObjectObservation, ProtocolError> {
        let object = self.observe_object(&request.path).map_err(|error| error.protocol_error())?;
        if request.depth == 0 {
            return Ok(ObjectObservation { object, children: None });
        }
        let (children, crowded) = {
            let world = self.world();
            (world.children(&request.path), world.crowded.contains(&request.path.as_str()))
        };
        if crowded {
            let message = "too many children".to_owned();
            return Err(ProtocolError { code: ProtocolErrorCode::ResourceLimitExceeded, message });
        }
        let below = |path| self.observe(&ObserveRequest { path, depth: request.depth - 1 });
        let children = children.into_iter().map(below).collect::<Result<_, _>>()?;
        Ok(ObjectObservation { object, children: Some(children) })
    }

    pub(super) fn interface(
        &self,
        reference: &wip_host::wip_protocol::InterfaceReference,
    ) -> Result<wip_host::InterfaceObservation, ProtocolError> {
        // `fetch_interface` resolves the scope Object, which looks into the world by itself.
        let registry = std::mem::take(&mut self.world().registry);
        let fetched = ObjectProvider::fetch_interface(self, &registry, reference);
        let mut world = self.world();
        world.registry = registry;
        let hidden = world.hidden;
        fetched.map(|observation| observation.project_operations(|operation| hidden != Some(operation)))
    }

    pub(super) fn descriptor(&self) -> InterfaceDescriptor {
        NotebookDefinition::descriptor()
    }
}

impl ObjectProvider for Notes {
    type Object = Resolved;

    fn with_object<R>(
        &self,
        _: &ExecutionContext,
        path: &str,
        operation: impl FnOnce(&PublishedObject<Resolved>) -> R,
    ) -> ProviderResult<R> {
        let (Some(object), Some(root)) = (self.resolve(path), self.resolve("/")) else {
            return ProviderResult::NotFound;
        };
        let published = {
            let world = self.world();
            let shown = object.note.is_some() && world.publishes;
            let mut published =
                PublishedObject::new(object).bind_scope(ScopeObservation::new(&world.scope, &root));
            if shown {
                let only = [world.interface.reference().clone()];
                published = published.expose(&world.interface).unwrap();
                published = published.project(&only, |_, name| world.hidden != Some(name)).unwrap();
            }
            published
        };
        ProviderResult::Found(operation(&published))
    }

    fn authorize(&self, _: &str, _: &Resolved, _: &InterfaceRef, _: &str) -> bool {
        self.world().permits
    }
}

impl WipObject for Resolved {
    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    fn description(&self) -> Option<&str> {
        self.note.as_ref()?.description.as_deref()
    }

    fn reference(&self) -> Option<&str> {
        Some(&self.reference)
    }

    fn validator(&self) -> Option<&Validator> {
        Some(self.after.get().unwrap_or(&self.before))
    }

    fn requires_validator(&self, _: &InterfaceRef, operation: &str) -> bool {
        operation == "write"
    }
}

fn entry(path: &str) -> Entry {
    Entry::new(path).unwrap()
}

impl Notebook for Resolved {
    fn read(&self) -> OperationResult<Page> {
        let text = self.note.as_ref().map(|note| note.text.clone()).unwrap_or_default();
        let next = text.strip_prefix("next: ").map(entry);
        Ok(Page { text, next })
    }

    fn list(&self) -> OperationResult<Vec<Entry>> {
        Ok(self.notes.world().notes.keys().map(|path| entry(path)).collect())
    }

    fn write(&self, text: String) -> OperationResult<()> {
        let mut world = self.notes.world();
        world.put(&self.path, &text);
        let now = world.notes[&self.path].version;
        self.after.set(Validator::new(now.to_be_bytes())).unwrap();
        Ok(())
    }

    fn add(&self, name: String, text: Option<String>) -> OperationResult<Added> {
        let path = format!("{}/{name}", self.path);
        let mut world = self.notes.world();
        if world.notes.contains_key(&path) {
            return Ok(Added::Taken);
        }
        world.put(&path, &text.unwrap_or_default());
        Ok(Added::Made(entry(&path)))
    }

    fn rate(&self, _: u8) -> OperationResult<()> {
        Ok(())
    }

    fn fail(&self, how: How) -> OperationResult<()> {
        Err(match how {
            How::Limit => HostError::resource_limit("too much", EffectGuarantee::NotCommitted),
            How::Internal => HostError::internal("broken", EffectGuarantee::NotCommitted),
            How::Unknown => HostError::internal("broken", EffectGuarantee::Unknown),
        })
    }
}
