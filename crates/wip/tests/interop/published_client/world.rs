//! The world that the published Client meets: notes in memory that can be read, changed, renamed and replaced.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use worldspace_host::{
    After, Call, Context, Done, Fate, Host, Interface, Interfaces, LocalPath, LocalReference, Memory,
    MemoryNode, Refusal,
};
use worldspace_model::{Effect, EntryPath, Field, OperationDeclaration, Segment, Type, UnionCase, Value};

/// A world of notes. Clones share it, so that a test can change it behind the Client's back.
#[derive(Clone)]
pub(crate) struct Notes {
    pub(crate) memory: Memory,
    texts: Arc<Mutex<HashMap<LocalPath, String>>>,
}

pub(crate) fn local(path: &str) -> LocalPath {
    LocalPath::parse(path).unwrap()
}

pub(crate) fn note() -> LocalReference {
    LocalReference::at_root("note").unwrap()
}

fn shelf() -> LocalReference {
    LocalReference { scope: local("/shelf"), ..LocalReference::at_root("shelf").unwrap() }
}

/// Every kind of type, in one record.
fn everything() -> Type {
    Type::record([
        Field::required("unit", Type::UNIT),
        Field::required("boolean", Type::BOOLEAN),
        Field::required("integer", Type::INTEGER),
        Field::required("number", Type::NUMBER),
        Field::required("string", Type::STRING),
        Field::required("bytes", Type::BYTES),
        Field::required("json", Type::JSON),
        Field::required("entry", Type::ENTRY),
        Field::required("named", Type::named("Colour")),
        Field::required("list", Type::list(Type::list(Type::INTEGER))),
        Field::required(
            "union",
            Type::union([UnionCase::bare("none"), UnionCase::carrying("some", Type::ENTRY)]),
        ),
        Field::optional("absent", Type::STRING),
    ])
}

/// What notes can do. With `grown`, one operation more.
fn declare_note(grown: bool) -> Interface {
    let text = || Field::required("text", Type::STRING);
    let mut interface = Interface::builder()
        .documented("A note.")
        .ty("Colour", Type::one_of(["red", "blue"]))
        .read(OperationDeclaration::new("read").returns(Type::STRING))
        .read(OperationDeclaration::new("beside").returns(Type::list(Type::ENTRY)))
        .read(
            OperationDeclaration::new("echo")
                .takes([Field::required("value", everything())])
                .returns(everything()),
        )
        .operation(OperationDeclaration::new("write").takes([text()]), [Effect::Guarded])
        .write(OperationDeclaration::new("append").takes([text()]))
        .operation(OperationDeclaration::new("describe").takes([text()]), [Effect::Guarded])
        .operation(
            OperationDeclaration::new("rename").takes([text()]).returns(Type::ENTRY),
            [Effect::Guarded],
        )
        .write(OperationDeclaration::new("fail").takes([Field::required(
            "how",
            Type::one_of(["arguments", "permission", "limit", "internal", "unknown", "rolled_back"]),
        )]));
    if grown {
        interface = interface.read(OperationDeclaration::new("count").returns(Type::INTEGER));
    }
    interface.build().unwrap()
}

impl Notes {
    pub(crate) fn new() -> Self {
        let notes = Self { memory: Memory::new(), texts: Arc::default() };
        notes.declare(false);
        let served = notes.clone();
        let on_shelf = Interface::builder().read(OperationDeclaration::new("read").returns(Type::STRING));
        notes.memory.serve(shelf(), on_shelf.build().unwrap(), move |context, call| {
            let notes = served.clone();
            async move { notes.run(context, call).await }
        });
        for path in ["/first", "/second", "/deep/down/below"] {
            notes.write(path, "hello");
        }
        notes.stock("a book");
        notes
    }

    /// Declares what notes can do, anew.
    pub(crate) fn declare(&self, grown: bool) {
        let served = self.clone();
        self.memory.serve(note(), declare_note(grown), move |context, call| {
            let notes = served.clone();
            async move { notes.run(context, call).await }
        });
    }

    /// Puts a note, or changes the one that is there.
    pub(crate) fn write(&self, path: &str, text: &str) {
        self.put(&local(path), None, text);
    }

    pub(crate) fn describe(&self, path: &str, description: &str) {
        let text = self.text(&local(path));
        self.put(&local(path), Some(description), &text);
    }

    fn put(&self, path: &LocalPath, description: Option<&str>, text: &str) {
        self.texts.lock().unwrap().insert(path.clone(), text.to_owned());
        let mut node = MemoryNode::new().publishing(&Interfaces::new([note()]));
        if let Some(description) = description {
            node = node.described(description);
        }
        self.memory.put(path, node);
    }

    /// Puts a shelf, as a new Object, with a book on it whose interface belongs to the shelf.
    pub(crate) fn stock(&self, text: &str) {
        self.memory.remove(&local("/shelf"));
        self.memory.put(&local("/shelf"), MemoryNode::new().described("A shelf."));
        self.memory.put(&local("/shelf/book"), MemoryNode::new().publishing(&Interfaces::new([shelf()])));
        self.texts.lock().unwrap().insert(local("/shelf/book"), text.to_owned());
    }

    fn text(&self, path: &LocalPath) -> String {
        self.texts.lock().unwrap().get(path).cloned().unwrap_or_default()
    }

    async fn run(&self, context: Context, call: Call) -> Result<Done, Refusal> {
        let path = call.path().clone();
        let text = call.text("text").unwrap_or_default().to_owned();
        let state = self.memory.state(&path).ok_or(Refusal::NotFound)?;
        match call.operation() {
            "read" => Ok(call.done(self.text(&path).into())),
            "count" => Ok(call.done(Value::count(self.text(&path).len() as u64))),
            "echo" => {
                let value = call.argument("value").cloned().unwrap();
                Ok(call.done(value))
            }
            "beside" => {
                let entries =
                    ["/second", "/first", "/gone"].map(|path| Value::from(context.entry(&local(path))));
                Ok(call.done(Value::list(entries.to_vec())?))
            }
            "write" => {
                let effect = async {
                    self.put(&path, None, &text);
                    Fate::done(Value::Unit, self.memory.state(&path).unwrap())
                };
                call.fence(Some(&state), effect).await
            }
            "append" => {
                let effect = async {
                    let whole = self.text(&path) + &text;
                    self.put(&path, None, &whole);
                    Fate::done(Value::Unit, self.memory.state(&path).unwrap())
                };
                call.fence(Some(&state), effect).await
            }
            "describe" => {
                let effect = async {
                    self.describe(path.as_str(), &text);
                    Fate::Done { result: Value::Unit, after: After::Changed }
                };
                call.fence(Some(&state), effect).await
            }
            "rename" => {
                let to = local("/")
                    .child(&Segment::parse(&text).map_err(|fault| Refusal::argument("text", fault))?);
                let entry: EntryPath = context.entry(&to);
                let effect = async {
                    let was = self.text(&path);
                    assert!(self.memory.rename(&path, &to));
                    self.texts.lock().unwrap().insert(to, was);
                    Fate::Done { result: entry.into(), after: After::Changed }
                };
                call.fence(Some(&state), effect).await
            }
            _ => fail(call).await,
        }
    }
}

async fn fail(call: Call) -> Result<Done, Refusal> {
    match call.text("how").unwrap_or_default() {
        "arguments" => Err(Refusal::argument("how", "this one is never right")),
        "permission" => Err(Refusal::PermissionDenied("nobody may do this".to_owned())),
        "limit" => Err(Refusal::Limit("too much at once".to_owned())),
        "internal" => Err(Refusal::failed("the disk is gone")),
        "unknown" => call.fence(None, async { Fate::unknown("the disk went midway") }).await,
        _ => call.fence(None, async { Fate::RolledBack(Refusal::failed("the disk is full")) }).await,
    }
}

/// The notes alone, at the root.
pub(crate) fn host(notes: &Notes) -> Host {
    Host::builder().mount(EntryPath::root(), notes.memory.clone()).build().unwrap()
}
