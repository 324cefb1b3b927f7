//! Notes in memory, which can be made to break one rule each: what the suite is tried on.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use worldspace_host::*;
use worldspace_model::*;
use worldspace_testkit::suite::{Sample, Subject};

/// The one rule that the provider breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Misdeed {
    None,
    /// Siblings stand in another order each time.
    OrderChanges,
    /// A child stands twice among its siblings.
    ChildTwice,
    /// A child is lost where a page ends.
    PageLosesOne,
    /// Behind a child that is gone, the list begins again.
    GoneBeginsAgain,
    /// What has children says that it has none.
    LeafWithChildren,
    /// A child in a list is not the one that a fetch gives.
    ChildDiffers,
    /// The state stays when the text changes.
    StateIgnoresChange,
    /// The state changes when nothing does.
    StateChangesByItself,
    /// A write tells a state that is not the one behind it.
    TellsAnotherState,
    /// An Object that takes another's place takes its identity.
    IdentityIsThePath,
    /// A moved Object is another one.
    MovingMakesNew,
    /// All notes have one identity.
    IdentityOfAll,
    /// The effect comes before the state is compared.
    EffectBeforeGuard,
    /// The effect comes before the fence.
    EffectBeforeFence,
    /// The state is compared outside of the critical section.
    ComparesEarly,
    /// A read changes the state.
    ReadWrites,
    /// A result names a place by its path within the provider.
    EntryOutside,
    /// An entry of another mount passes for an own one.
    TakesAnyEntry,
    /// Upper and lower case are the same.
    FoldsCase,
    /// A name that it does not expect makes it panic.
    PanicsOnNames,
    /// It fails on what it hides.
    HiddenFails,
    /// An unusable argument is a failure.
    UnusableFails,
    /// An unusable argument is refused after the effect.
    UnusableHasEffect,
    /// A declared interface is another one each time.
    InterfaceChanges,
    /// A write that succeeds does nothing.
    DoesNothing,
    /// The text is read outside of the critical section, and written in it.
    LosesUpdates,
    /// An Object that changes is another one.
    IdentityIsTheText,
    /// Whatever is asked for is there.
    Invents,
    /// What nobody may do is done.
    PermitsAll,
    /// An interface of any name is there.
    AnyInterface,
    /// An Object that is listed is not there by itself.
    LosesOne,
    /// A note has no identity.
    NoIdentity,
    /// An Object is another one each time.
    IdentityOfEachLook,
    /// A note has no state.
    NoState,
    /// What is no indexable child is listed.
    ListsUnlisted,
    /// Where few children are asked for, it gives one too few, and says that these are all.
    GivesOneTooFew,
    /// What is gone is listed all the same.
    ListsWhatIsGone,
    /// What is gone has no children, as if it were there.
    GoneIsEmpty,
    /// Two reads at one time disturb each other.
    ReadsDisturb,
    /// Whoever reads the interface changes a note.
    InterfaceWrites,
}

/// A list of notes, with a private one that it does not publish.
#[derive(Clone)]
pub(crate) struct Notes {
    memory: Memory,
    texts: Arc<Mutex<HashMap<LocalPath, String>>>,
    looks: Arc<AtomicUsize>,
    misdeed: Misdeed,
}

fn local(text: &str) -> LocalPath {
    LocalPath::parse(text).unwrap()
}

fn published() -> Interfaces {
    Interfaces::new([LocalReference::at_root("notes.note").unwrap()])
}

fn lists() -> Interfaces {
    Interfaces::new([LocalReference::at_root("notes.list").unwrap()])
}

impl Notes {
    pub(crate) fn new(misdeed: Misdeed) -> Self {
        let (memory, texts) = (Memory::new(), Arc::default());
        let notes = Self { memory, texts, looks: Arc::default(), misdeed };
        notes.memory.put(&LocalPath::root(), MemoryNode::new().described("Notes.").publishing(&lists()));
        for path in ["/work/plan", "/work/ideas", "/work/aims", "/today", "/home/list/milk"] {
            notes.write(&local(path), "");
        }
        let archive = MemoryNode::new().publishing(&lists());
        let archive =
            if misdeed == Misdeed::ListsUnlisted { archive } else { archive.with_unlisted_children() };
        notes.memory.put(&local("/archive"), archive);
        notes.write(&local("/archive/old"), "gone by");
        notes.memory.put(&local("/work"), MemoryNode::new().described("About work.").publishing(&lists()));
        notes
    }

    /// Writes a note, which is made if it is not there.
    pub(crate) fn write(&self, path: &LocalPath, text: &str) {
        self.texts.lock().unwrap().insert(path.clone(), text.to_owned());
        self.memory.put(path, MemoryNode::new().described("A note.").publishing(&published()));
    }

    pub(crate) fn rename(&self, from: &str, to: &str) {
        let (from, to) = (local(from), local(to));
        if self.misdeed == Misdeed::MovingMakesNew {
            self.memory.remove(&from);
            return self.write(&to, "");
        }
        self.memory.rename(&from, &to);
        let mut texts = self.texts.lock().unwrap();
        let text = texts.remove(&from);
        texts.extend(text.map(|text| (to, text)));
    }

    pub(crate) fn replace(&self, path: &str) {
        self.memory.remove(&local(path));
        self.write(&local(path), "another");
    }

    fn text(&self, path: &LocalPath) -> String {
        self.texts.lock().unwrap().get(path).cloned().unwrap_or_default()
    }

    fn does(&self, misdeed: Misdeed) -> bool {
        self.misdeed == misdeed
    }

    /// Whether this is an odd look.
    fn odd(&self) -> bool {
        self.looks.fetch_add(1, Ordering::SeqCst) % 2 == 1
    }

    fn spoil(&self, path: &LocalPath, mut published: Published) -> Published {
        if self.does(Misdeed::StateIgnoresChange) {
            published = published.in_state(StateToken::new(*b"always"));
        }
        if self.does(Misdeed::StateChangesByItself) {
            let looks = self.looks.fetch_add(1, Ordering::SeqCst);
            published = published.in_state(StateToken::new(looks.to_le_bytes()));
        }
        if path.as_str() == "/today" && self.does(Misdeed::NoIdentity) {
            let state = self.memory.state(path).unwrap_or_else(|| StateToken::new(*b"none"));
            published = Published::new().described("A note.").publishing(&self::published()).in_state(state);
        }
        if path.as_str() == "/today" && self.does(Misdeed::NoState) {
            let identity = Identity::new("today");
            published =
                Published::new().described("A note.").publishing(&self::published()).identified(identity);
        }
        if self.does(Misdeed::IdentityOfEachLook) {
            let looks = self.looks.fetch_add(1, Ordering::SeqCst);
            published = published.identified(Identity::new(format!("{path} {looks}")));
        }
        if self.does(Misdeed::IdentityIsThePath) {
            published = published.identified(Identity::new(path.as_str()));
        }
        if self.does(Misdeed::IdentityOfAll) && !path.is_root() {
            published = published.identified(Identity::new("note"));
        }
        if self.does(Misdeed::IdentityIsTheText) {
            published = published.identified(Identity::new(format!("{path} {}", self.text(path))));
        }
        if self.does(Misdeed::LeafWithChildren) { published.leaf() } else { published }
    }

    /// Adds to a note. The lock is held over comparison and effect.
    async fn append(&self, call: Call) -> Result<Done, Refusal> {
        let text = call.text("text").unwrap_or_default().to_owned();
        let path = call.path().clone();
        if text.contains('\0') && !self.does(Misdeed::UnusableHasEffect) {
            return match self.misdeed {
                Misdeed::UnusableFails => Err(Refusal::failed("a zero")),
                _ => Err(Refusal::argument("text", "holds no zero character")),
            };
        }
        let (early, before) = (self.memory.state(&path).ok_or(Refusal::NotFound)?, self.text(&path));
        if self.does(Misdeed::ComparesEarly) || self.does(Misdeed::LosesUpdates) {
            tokio::task::yield_now().await;
        }
        if self.does(Misdeed::EffectBeforeGuard) {
            self.add(&path, &text);
            return call
                .fence_blocking(Some(&early), || Fate::Done { result: Value::Unit, after: After::Changed });
        }
        if text.contains('\0') {
            self.add(&path, &text);
            return Err(Refusal::argument("text", "holds no zero character"));
        }
        let mut texts = self.texts.lock().unwrap();
        let now = self.memory.state(&path).ok_or(Refusal::NotFound)?;
        let compared = match self.misdeed {
            Misdeed::ComparesEarly | Misdeed::LosesUpdates => early,
            Misdeed::StateIgnoresChange => StateToken::new(*b"always"),
            _ => now.clone(),
        };
        call.fence_blocking(Some(&compared), || {
            if self.does(Misdeed::LosesUpdates) {
                texts.insert(path.clone(), before);
            }
            if !self.does(Misdeed::DoesNothing) {
                texts.entry(path.clone()).or_default().push_str(&text);
                self.memory.put(&path, MemoryNode::new().described("A note.").publishing(&published()));
            }
            let state = self.memory.state(&path).unwrap_or_else(|| now.clone());
            match self.misdeed {
                Misdeed::TellsAnotherState => Fate::done(Value::Unit, now),
                Misdeed::StateIgnoresChange => Fate::Done { result: Value::Unit, after: After::Changed },
                _ => Fate::done(Value::Unit, state),
            }
        })
    }

    fn add(&self, path: &LocalPath, text: &str) {
        let longer = self.text(path) + text;
        self.write(path, &longer);
    }

    /// Moves a note to a place where nothing is.
    fn move_to(&self, call: Call) -> Result<Done, Refusal> {
        let to = match (self.misdeed, call.argument("to").and_then(Value::as_entry)) {
            (Misdeed::TakesAnyEntry, Some(entry)) => Some(local(entry.as_str())),
            _ => call.local("to")?,
        };
        let to = to.ok_or_else(|| Refusal::argument("to", "is missing"))?;
        let from = call.path().clone();
        let state = self.memory.state(&from).ok_or(Refusal::NotFound)?;
        call.fence_blocking(Some(&state), || {
            self.rename(from.as_str(), to.as_str());
            Fate::Done { result: Value::Unit, after: After::Changed }
        })
    }

    /// A new note.
    fn create(&self, context: &Context, call: Call) -> Result<Done, Refusal> {
        let name = call.segment("name")?.ok_or_else(|| Refusal::argument("name", "is missing"))?;
        let path = call.path().child(&name);
        let result = Value::Entry(context.entry(&path));
        if self.does(Misdeed::EffectBeforeFence) {
            self.write(&path, "");
        }
        call.fence_blocking(None, || {
            self.write(&path, "");
            Fate::Done { result, after: After::Changed }
        })
    }

    /// Whether another read runs at the same time.
    async fn meets_another(&self) -> bool {
        /// One that reads.
        struct Reading(Arc<AtomicUsize>);
        impl Drop for Reading {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::SeqCst);
            }
        }
        self.looks.fetch_add(1, Ordering::SeqCst);
        let reading = Reading(self.looks.clone());
        tokio::task::yield_now().await;
        reading.0.load(Ordering::SeqCst) > 1
    }

    fn names(&self, context: &Context, call: Call) -> Result<Done, Refusal> {
        let mut paths: Vec<_> = self.texts.lock().unwrap().keys().cloned().collect();
        paths.sort();
        let below = paths.into_iter().filter(|path| call.path().contains(path));
        let entry = |path: LocalPath| match self.misdeed {
            Misdeed::EntryOutside => EntryPath::parse(path.as_str()).unwrap(),
            _ => context.entry(&path),
        };
        let entries = below.map(|path| Value::Entry(entry(path))).collect();
        Ok(call.done(Value::list(entries)?))
    }
}

impl Provider for Notes {
    async fn object(&self, context: &Context, path: &LocalPath) -> Result<Published, ProviderError> {
        let path = &match self.misdeed {
            Misdeed::FoldsCase => local(&path.as_str().to_lowercase()),
            _ => path.clone(),
        };
        assert!(!self.does(Misdeed::PanicsOnNames) || !path.as_str().contains('\0'), "no such name");
        if self.does(Misdeed::HiddenFails) && path.as_str() == "/private" {
            return Err(ProviderError::failed("it is private"));
        }
        if self.does(Misdeed::LosesOne) && path.as_str() == "/work/plan" {
            return Err(ProviderError::NotFound);
        }
        if self.does(Misdeed::ReadsDisturb) && self.meets_another().await {
            return Ok(Published::new().described("Busy."));
        }
        let found = match self.memory.object(context, path).await {
            Err(ProviderError::NotFound) if self.does(Misdeed::Invents) => Published::new(),
            found => found?,
        };
        Ok(self.spoil(path, found))
    }

    async fn children(
        &self,
        context: &Context,
        path: &LocalPath,
        after: Option<&Segment>,
        most: usize,
    ) -> Result<Page, ProviderError> {
        if self.does(Misdeed::GoneBeginsAgain) {
            let page = self.memory.children(context, path, after, most).await;
            return match page {
                Err(ProviderError::Gone) => self.memory.children(context, path, None, most).await,
                page => page,
            };
        }
        if !path.is_root() || self.misdeed == Misdeed::None {
            return match self.memory.children(context, path, after, most).await {
                Err(ProviderError::NotFound) if self.does(Misdeed::GoneIsEmpty) => Ok(Page::empty()),
                page => page,
            };
        }
        // At the root, children are picked by hand.
        let mut names: Vec<Segment> =
            ["work", "today", "home", "archive"].map(|name| Segment::parse(name).unwrap()).to_vec();
        let mut there = Vec::new();
        for name in names.drain(..) {
            if let Ok(object) = self.memory.object(context, &path.child(&name)).await {
                there.push((name.clone(), self.spoil(&path.child(&name), object)));
            } else if self.does(Misdeed::ListsWhatIsGone) {
                there.push((name, Published::new().leaf()));
            }
        }
        if self.does(Misdeed::OrderChanges) && self.odd() {
            there.reverse();
        }
        if self.does(Misdeed::ChildTwice) {
            let first = there[0].clone();
            there.push(first);
        }
        if self.does(Misdeed::ChildDiffers) {
            for (_, object) in &mut there {
                *object = object.clone().described("A child.");
            }
        }
        let from = match after {
            Some(after) => 1 + there.iter().position(|(name, _)| name == after).ok_or(ProviderError::Gone)?,
            None => 0,
        };
        let from = from + usize::from(after.is_some() && self.does(Misdeed::PageLosesOne));
        if self.does(Misdeed::GivesOneTooFew) && there.len() >= from + most {
            there.truncate(from + most - 1);
        }
        let more = there.len() > from + most;
        Ok(Page::in_own_order(there.into_iter().skip(from).take(most).collect(), more))
    }

    async fn interface(&self, _: &Context, reference: &LocalReference) -> Result<Interface, ProviderError> {
        if self.does(Misdeed::InterfaceWrites) {
            self.add(&local("/work/plan"), "!");
        }
        let text = || Field::required("text", Type::STRING);
        let builder = match reference.name.as_str() {
            name if name == "notes.note" || (self.does(Misdeed::AnyInterface) && name != "notes.list") => {
                Interface::builder()
                    .read(OperationDeclaration::new("read").returns(Type::record([text()])))
                    .operation(OperationDeclaration::new("append").takes([text()]), [Effect::Guarded])
                    .operation(
                        OperationDeclaration::new("move").takes([Field::required("to", Type::ENTRY)]),
                        [Effect::Guarded],
                    )
            }
            "notes.list" => Interface::builder()
                .read(OperationDeclaration::new("names").returns(Type::list(Type::ENTRY)))
                .write(
                    OperationDeclaration::new("create")
                        .takes([Field::required("name", Type::STRING)])
                        .returns(Type::ENTRY),
                )
                .write(OperationDeclaration::new("clear")),
            _ => return Err(ProviderError::NotFound),
        };
        let changes = self.does(Misdeed::InterfaceChanges) && self.odd();
        Ok(if changes { builder.documented("Once so, once so.") } else { builder }.build()?)
    }

    async fn call(&self, context: &Context, call: Call) -> Result<Done, Refusal> {
        match call.operation() {
            "read" => {
                let path = call.path().clone();
                if self.does(Misdeed::ReadWrites) {
                    self.write(&path, &self.text(&path));
                }
                Ok(call.done(Value::record([("text", Some(Value::from(self.text(&path))))])?))
            }
            "append" => self.append(call).await,
            "move" => self.move_to(call),
            "names" => self.names(context, call),
            "create" => self.create(context, call),
            "clear" if self.does(Misdeed::PermitsAll) => Ok(call.done(Value::Unit)),
            "clear" => Err(Refusal::PermissionDenied("nobody clears notes".to_owned())),
            _ => Err(Refusal::NotFound),
        }
    }
}

/// The notes, and all that the suite can be told of them.
pub(crate) fn subject(misdeed: Misdeed) -> Subject<Notes> {
    let read = || Sample::of("/today", "notes.note", "read");
    let append = || Sample::of("/today", "notes.note", "append");
    Subject::new(format!("notes in memory ({misdeed:?})"), move || async move {
        let notes = Notes::new(misdeed);
        (notes.clone(), notes)
    })
    .object("/")
    .object("/work")
    .object("/work/plan")
    .object("/home/list")
    .leaf("/today")
    .leaf("/archive")
    .unlisted("/archive/old")
    .absent("/nobody")
    .absent("/work/nothing")
    .absent("/today/below")
    .hidden("/private")
    .identities()
    .states()
    .reading(Sample::of("/", "notes.list", "names"))
    .reading(Sample::of("/work/plan", "notes.note", "read"))
    .writing(Sample::of("/work", "notes.list", "create").with("name", "new"))
    .writing(Sample::of("/today", "notes.note", "move").with_entry("to", "/home/now").moving_to("/home/now"))
    .adding(append().with("text", "x"), read(), |result| {
        result.as_record().and_then(|record| record.get("text")?.as_str()).map_or(0, str::len)
    })
    .refusing(append().with("text", "a\0b"))
    .refusing(Sample::of("/work", "notes.list", "create").with("name", ".."))
    .refusing(Sample::of("/work", "notes.list", "create").with("name", "a/b"))
    .refusing(Sample::of("/work", "notes.list", "create").with("name", ""))
    .denying(Sample::of("/", "notes.list", "clear"))
    .moving("/work", "/home/work", |notes: Notes| async move { notes.rename("/work", "/home/work") })
    .moving("/today", "/tomorrow", |notes: Notes| async move { notes.rename("/today", "/tomorrow") })
    .replacing("/today", |notes: Notes| async move { notes.replace("/today") })
    .disturbing("/today", |notes: Notes| async move {
        let longer = notes.text(&local("/today")) + "?";
        notes.write(&local("/today"), &longer);
    })
}
