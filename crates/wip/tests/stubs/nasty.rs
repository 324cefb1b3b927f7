//! An interface whose names and texts are as bad as the protocol allows, and a Host that publishes it.

use std::net::SocketAddr;
use std::sync::{Arc, mpsc};

use worldspace_host::{After, Fate, Host, Interface, LocalPath, LocalReference, Memory, MemoryNode};
use worldspace_host::{Done, Interfaces, Refusal};
use worldspace_http::{Server, ServerConfig};
use worldspace_model::{Documentation, Effect, EntryPath, EnumCase, Field, Name, OperationDeclaration};
use worldspace_model::{Type, UnionCase, Value};

/// Texts that would end a comment or a string in some language, or begin something there.
const TEXT: &str = "*/ evil(); /* \"\"\" ''' ` ${evil()} \\ \\u0022 {@link x} <b>\n@ts-expect-error\r\n \u{2028}evil()\u{202e}\0\u{feff}";

/// Names that a language has a use for, that are no names there, or that come to the same.
pub(crate) const NAMES: &[&str] = &[
    "then",
    "constructor",
    "__proto__",
    "prototype",
    "refresh",
    "entry",
    "object",
    "delete",
    "class",
    "new",
    "await",
    "self",
    "None",
    "def",
    "import",
    "toString",
    "toJSON",
    "hasOwnProperty",
    "__class__",
    "__init__",
    "",
    "…",
    "a b",
    "a_b",
    "aB",
    "A-b",
    "2nd",
    "日本",
    "\u{1d4b3}",
    "\u{378}",
    "\u{10d50}\u{10d51}",
    "ﬁ",
    "\u{202e}x",
    "quote\"'`\\",
    "line\nend\u{2029}",
    "*/",
    "${x}",
    "$call",
    "args",
    "patience",
    "undefined",
    "wip",
];

fn documentation() -> Option<Documentation> {
    Some(Documentation { summary: TEXT.to_owned(), details: Some(format!("@deprecated\n{TEXT}")) })
}

/// The interface, under the name `Nasty`, with a chain of so many names, and lists a twentieth of it deep.
pub(crate) fn interface(links: usize) -> Interface {
    let name = |name: &&str| Name::from(*name);
    let field = |name: Name, ty: Type, required| Field { name, required, documentation: documentation(), ty };
    let fields = || NAMES.iter().map(|one| field(name(one), Type::STRING, false));
    let cases =
        NAMES.iter().map(|one| EnumCase { name: name(one), documentation: documentation() }).collect();
    let union = NAMES.iter().enumerate().map(|(at, one)| UnionCase {
        name: name(one),
        documentation: documentation(),
        payload: (at % 2 == 1).then_some(Type::INTEGER),
    });
    let mut builder = Interface::builder().documented(TEXT).ty("Nasty", Type::record(fields()));
    for ty in
        NAMES.iter().chain(&["Promise", "Object", "Uint8Array", "string", "any", "Entry", "Map", "List"])
    {
        builder = builder.ty(*ty, Type::one_of([*ty]));
    }
    builder = builder.ty("Cases", Type::cases(cases)).ty("Tagged", Type::union(union));
    builder = builder.ty("Chain0", Type::named("Tagged")).ty("Never", Type::one_of([] as [&str; 0]));
    for link in 1..links {
        builder = builder.ty(format!("Chain{link}"), Type::named(format!("Chain{}", link - 1)));
    }
    let deep = (0..links / 20).fold(Type::INTEGER, |ty, _| Type::list(ty));
    let echoes = [
        ("unit", Type::UNIT),
        ("boolean", Type::BOOLEAN),
        ("integer", Type::INTEGER),
        ("number", Type::NUMBER),
        ("string", Type::STRING),
        ("bytes", Type::BYTES),
        ("json", Type::JSON),
        ("entry", Type::ENTRY),
        ("record", Type::named("Nasty")),
        ("cases", Type::named("Cases")),
        ("chain", Type::named(format!("Chain{}", links - 1))),
        ("lists", Type::list(Type::list(Type::ENTRY))),
        ("deep", deep),
        ("never", Type::list(Type::named("Never"))),
    ];
    let operation = |operation: OperationDeclaration| OperationDeclaration {
        documentation: documentation(),
        returns_documentation: documentation(),
        ..operation
    };
    for (what, ty) in echoes {
        let takes = [field("value".into(), ty.clone(), false)];
        let returns = Type::record([Field::optional("value", ty)]);
        builder = builder
            .read(operation(OperationDeclaration::new(format!("echo {what}")).takes(takes).returns(returns)));
    }
    for one in NAMES {
        builder = builder.read(operation(OperationDeclaration::new(*one).returns(Type::STRING)));
    }
    let all = OperationDeclaration::new("all").takes(fields()).returns(Type::named("Nasty"));
    let write = OperationDeclaration::new("write").returns(Type::INTEGER);
    builder.read(operation(all)).operation(write, [Effect::Guarded]).build().unwrap()
}

/// The interface at `/nasty` of a Host, which ends with the test.
pub(crate) fn serve(links: usize) -> String {
    let memory = Memory::new();
    let path = LocalPath::parse("/nasty").unwrap();
    let reference = LocalReference::at_root("Nasty").unwrap();
    memory.put(&path, MemoryNode::new().publishing(&Interfaces::new([reference.clone()])));
    let states = memory.clone();
    memory.serve(reference, interface(links), move |_, call| {
        let state = states.state(call.path());
        async move {
            let name = call.operation().to_owned();
            if name == "write" {
                let fate = Fate::Done { result: Value::count(1), after: After::Unchanged };
                return call.fence(state.as_ref(), async { fate }).await;
            }
            let given = Value::Record(call.arguments().record().clone());
            let result = if name == "all" || name.starts_with("echo ") { given } else { name.into() };
            Ok::<Done, Refusal>(call.done(result))
        }
    });
    let host = Host::builder().mount(EntryPath::root(), memory).build().unwrap();
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
    receive.recv().unwrap()
}
