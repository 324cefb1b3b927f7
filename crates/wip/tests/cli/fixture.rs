//! Worldspaces to look at: a small one behind HTTP, and peers that do not keep the protocol.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::mpsc;

use worldspace_host::{Call, Done, Fate, Host, Interface, LocalPath, LocalReference, Memory, MemoryNode};
use worldspace_host::{Interfaces, Refusal};
use worldspace_http::{Server, ServerConfig};
use worldspace_model::{EntryPath, Field, OperationDeclaration, Type, UnionCase, Value};

/// A Host of the Worldspace below, which ends with the test.
pub(crate) struct Serving {
    pub(crate) url: String,
    memory: Memory,
    hangs: mpsc::Receiver<()>,
}

impl Serving {
    /// A path of the Worldspace that was changed by someone else.
    pub(crate) fn change(&self, path: &str) {
        self.memory
            .put(&local(path), MemoryNode::new().described("Changed.").publishing(&published(&["note"])));
    }

    /// Waits until the operation that never ends runs.
    pub(crate) fn wait_for_hang(&self) {
        self.hangs.recv().unwrap();
    }

    /// The words, looking at this Host.
    pub(crate) fn wip(&self, words: &[&str]) -> crate::run::Ran {
        crate::run::wip(&[words, &["--at", &self.url]].concat())
    }
}

pub(crate) fn serve() -> Serving {
    let (hanging, hangs) = mpsc::channel();
    let memory = memory(hanging);
    let host = Host::builder().mount(EntryPath::root(), memory.clone()).build().unwrap();
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listen = SocketAddr::from(([127, 0, 0, 1], 0));
            let config = ServerConfig { listen, ..ServerConfig::default() };
            let server = Server::bind(config, Arc::new(host)).await.unwrap();
            send.send(server.url().to_owned()).unwrap();
            server.serve(std::future::pending()).await;
        });
    });
    Serving { url: receive.recv().unwrap(), memory, hangs }
}

/// An address where nobody listens.
pub(crate) fn nobody() -> String {
    // A port that is given to nobody who asks for any.
    "http://127.0.0.1:1/".to_owned()
}

/// A peer that answers every request with this and closes.
pub(crate) fn answering(response: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = [0; 4096];
            let _ = stream.read(&mut head);
            let length = response.split_once("\r\n\r\n").unwrap().1.len();
            let response = response.replace("LENGTH", &length.to_string());
            let _ = stream.write_all(response.as_bytes());
        }
    });
    url
}

/// A peer that takes connections and says nothing; the receiver hears of each.
pub(crate) fn silent() -> (String, mpsc::Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut open = Vec::new();
        for stream in listener.incoming() {
            open.push(stream);
            let _ = send.send(());
        }
    });
    (url, receive)
}

fn local(path: &str) -> LocalPath {
    LocalPath::parse(path).unwrap()
}

fn reference(name: &str) -> LocalReference {
    LocalReference::at_root(name).unwrap()
}

fn published(names: &[&str]) -> Interfaces {
    Interfaces::new(names.iter().map(|name| reference(name)))
}

fn memory(hanging: mpsc::Sender<()>) -> Memory {
    let memory = Memory::new();
    let note = || MemoryNode::new().publishing(&published(&["note"]));
    memory.put(&local("/"), MemoryNode::new().described("A small world"));
    memory.put(&local("/notes"), MemoryNode::new().described("What is written down"));
    memory.put(&local("/notes/today"), note().described("What to do today"));
    memory.put(&local("/notes/two words"), note());
    memory.put(&local("/日本"), MemoryNode::new().described("幅の広い文字").with_unlisted_children());
    memory.put(&local("/日本/broken"), MemoryNode::new().publishing(&published(&["gone"])));
    memory.put(&local("/日本/alike"), MemoryNode::new());
    for alike in ["a b", "a\nb", "a\tb", "a\\nb", "-x", "-y"] {
        memory.put(&local(&format!("/日本/alike/{alike}")), MemoryNode::new());
    }
    memory.put(&local("/both"), MemoryNode::new().publishing(&published(&["note", "other"])));
    memory.put(&local("/gnp.\u{202e}x"), MemoryNode::new().described("line\nbreak \u{1b}[2J"));
    let (notes, others) = (memory.clone(), memory.clone());
    memory.serve(reference("note"), note_interface(), move |_, call| {
        answer(notes.clone(), hanging.clone(), call)
    });
    let read = OperationDeclaration::new("read").returns(Type::STRING);
    let other = Interface::builder().read(read).build().unwrap();
    memory.serve(reference("other"), other, move |_, call| answer(others.clone(), mpsc::channel().0, call));
    memory
}

fn note_interface() -> Interface {
    let item = Type::record([Field::required("entry", Type::ENTRY), Field::optional("size", Type::INTEGER)]);
    let page = Type::record([Field::required("text", Type::STRING), Field::required("lines", Type::INTEGER)]);
    let some = Type::record([
        Field::required("text", Type::STRING),
        Field::required("lines", Type::INTEGER),
        Field::required("truncated", Type::BOOLEAN),
    ]);
    let chunk = Type::record([
        Field::required("data", Type::BYTES),
        Field::required("size", Type::INTEGER),
        Field::optional("next", Type::STRING),
    ]);
    let wide = Type::list(Type::record([
        Field::required("name", Type::STRING),
        Field::required("size", Type::INTEGER),
    ]));
    let closed =
        Type::union([UnionCase::bare("closed"), UnionCase::carrying("blocked", Type::list(Type::ENTRY))]);
    Interface::builder()
        .documented("Something written.")
        .read(OperationDeclaration::new("read").documented("Its text.").returns(Type::STRING))
        .read(OperationDeclaration::new("page").returns(page.clone()))
        .read(OperationDeclaration::new("raw").returns(Type::BYTES))
        .read(OperationDeclaration::new("some").returns(some))
        .read(OperationDeclaration::new("chunk").returns(chunk))
        .read(OperationDeclaration::new("wide").returns(wide))
        .read(OperationDeclaration::new("windows").returns(page.clone()))
        .read(OperationDeclaration::new("wait"))
        .read(
            OperationDeclaration::new("list")
                .returns(Type::record([Field::required("items", Type::list(item))])),
        )
        .read(
            OperationDeclaration::new("echo")
                .takes([
                    Field::optional("text", Type::STRING),
                    Field::optional("count", Type::INTEGER),
                    Field::optional("kind", Type::one_of(["file", "link"])),
                    Field::optional("data", Type::BYTES),
                    Field::optional("any", Type::JSON),
                    Field::optional("tags", Type::list(Type::STRING)),
                ])
                .returns(Type::JSON),
        )
        .read(OperationDeclaration::new("need").takes([
            Field::required("text", Type::STRING).documented("What is needed."),
            Field::optional("others", Type::INTEGER),
        ]))
        .read(OperationDeclaration::new("picky").takes([Field::required("text", Type::STRING)]))
        .write(OperationDeclaration::new("close").returns(closed))
        .write(OperationDeclaration::new("touch"))
        .write(OperationDeclaration::new("vanish"))
        .write(OperationDeclaration::new("forbid"))
        .write(OperationDeclaration::new("hang"))
        .build()
        .unwrap()
}

const TEXT: &str = "# Today\n\u{1b}[31mwash up\n";

async fn answer(memory: Memory, hanging: mpsc::Sender<()>, call: Call) -> Result<Done, Refusal> {
    let entry = |path: &str| Value::Entry(EntryPath::parse(path).unwrap());
    let record = |fields: &[(&'static str, Value)]| {
        Value::record(fields.iter().map(|(name, value)| (*name, Some(value.clone())))).unwrap()
    };
    let list = |items: Vec<Value>| Value::list(items).unwrap();
    let state = memory.state(call.path());
    match call.operation() {
        "read" => Ok(call.done(TEXT.into())),
        "page" => Ok(call.done(record(&[("text", TEXT.into()), ("lines", Value::count(2))]))),
        "raw" => Ok(call.done(Value::bytes(*b"\x00\xff\n"))),
        "list" => {
            let today = record(&[("entry", entry("/notes/today")), ("size", Value::count(12))]);
            let words = record(&[("entry", entry("/notes/two words"))]);
            Ok(call.done(record(&[("items", list(vec![today, words]))])))
        }
        "echo" => {
            let arguments = call.arguments().record().fields().to_vec();
            let shown = arguments.into_iter().map(|(name, value)| {
                let value = match value.as_bytes() {
                    Some(bytes) => Value::string(format!("{bytes:?}")),
                    None => value,
                };
                (name, Some(value))
            });
            let shown = Value::record(shown).unwrap();
            Ok(call.done(shown))
        }
        "some" => Ok(call.done(record(&[
            ("text", TEXT.into()),
            ("lines", Value::count(9)),
            ("truncated", true.into()),
        ]))),
        "chunk" => Ok(call.done(record(&[
            ("data", Value::bytes(*b"abc")),
            ("size", Value::count(5)),
            ("next", "c2".into()),
        ]))),
        "wide" => {
            let row = |name: String| record(&[("name", name.into()), ("size", Value::count(1))]);
            Ok(call.done(list(vec![row("a\tb\n".to_owned()), row("x".repeat(200))])))
        }
        "windows" => {
            Ok(call.done(record(&[("text", "one\r\ntwo\r\nthr\ree\r\n".into()), ("lines", Value::count(3))])))
        }
        "picky" => Err(Refusal::argument("text", "is not nice")),
        "need" => Ok(call.done(Value::Unit)),
        "wait" => {
            hanging.send(()).unwrap();
            std::future::pending().await
        }
        "close" => {
            let blocked = Value::case("blocked", Some(list(vec![entry("/notes/two words")]))).unwrap();
            call.fence(state.as_ref(), async {
                Fate::Done { result: blocked, after: worldspace_host::After::Unchanged }
            })
            .await
        }
        "touch" => {
            call.fence(state.as_ref(), async {
                Fate::Done { result: Value::Unit, after: worldspace_host::After::Changed }
            })
            .await
        }
        "vanish" => call.fence(state.as_ref(), async { Fate::unknown("the disk went away") }).await,
        "hang" => {
            hanging.send(()).unwrap();
            std::future::pending().await
        }
        _ => Err(Refusal::PermissionDenied("nobody may\nhint: ask me\u{1b}[1m".to_owned())),
    }
}
