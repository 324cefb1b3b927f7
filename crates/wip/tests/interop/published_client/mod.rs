//! The published Client, version 0.2.0, explores and calls our Host over HTTP. By its own judgement no answer may be
//! invalid, and nothing that it holds as fresh may turn out to be stale without anybody having changed it.

mod carrier;
mod world;
mod writable;

use wip_client::{CallOutcome, ObservationState, OutcomeUnknownReason};
use wip_http::wip_protocol::{ProtocolErrorCode, TypeExpr, Value};
use worldspace_host::Host;
use worldspace_providers::files::{Files, Settings};

use crate::live::{Live, entry};
use carrier::{Published, reference, string};
use world::{Notes, host, local};

async fn meet() -> (Notes, Live, Published) {
    let notes = Notes::new();
    let live = Live::serve(host(&notes)).await;
    let client = Published::at(&live.url);
    (notes, live, client)
}

#[tokio::test]
async fn observes_at_every_depth() {
    let (_notes, _live, mut client) = meet().await;
    let root = client.object("/").await;
    assert_eq!((root.name.as_str(), root.interfaces.len()), ("", 0));
    assert!(root.r#ref.is_some() && root.validator.is_some());
    let expected = ["/first", "/second", "/deep", "/shelf"];
    for depth in [1, 2, 3, 30] {
        client.observe("/", depth).await.unwrap();
        assert_eq!(client.children("/"), expected, "at depth {depth}");
    }
    assert_eq!(client.children("/deep"), ["/deep/down"]);
    assert_eq!(client.children("/deep/down"), ["/deep/down/below"]);
    assert_eq!(client.object("/deep/down/below").await.interfaces, [reference("/", "note")]);
    assert_eq!(client.observe("/nowhere", 1).await, Err(ProtocolErrorCode::NotFound));
}

#[tokio::test]
async fn fetches_interfaces() {
    let (_notes, _live, mut client) = meet().await;
    let descriptor = client.interface("/", "note").await.unwrap();
    assert_eq!(descriptor.types[0].name, "Colour");
    let named = |name: &str| descriptor.operations.iter().find(|operation| operation.name == name).unwrap();
    assert_eq!(named("read").returns.r#type, TypeExpr::String);
    assert_eq!(named("beside").returns.r#type, TypeExpr::List { items: Box::new(TypeExpr::Entry) });
    for (scope, name) in [("/", "missing"), ("/first", "note"), ("/nowhere", "note")] {
        let missing = client.interface(scope, name).await;
        assert_eq!(missing, Err(ProtocolErrorCode::InterfaceNotFound), "{scope} {name}");
    }
}

#[tokio::test]
async fn calls_with_and_without_arguments() {
    let (_notes, _live, mut client) = meet().await;
    let note = reference("/", "note");
    let before = client.object("/first").await;
    client.interface("/", "note").await.unwrap();

    let (result, validator) = client.done("/first", &note, "read", []).await;
    assert_eq!(
        (result, &validator),
        (string("hello"), &before.validator),
        "a reading call leaves the state as it was"
    );

    let (result, _) = client.done("/first", &note, "beside", []).await;
    assert_eq!(result, Value::List(["/second", "/first", "/gone"].map(string).to_vec()));
    assert_eq!(client.observe("/second", 0).await.map(|seen| seen.path), Ok("/second".to_owned()));
    assert_eq!(
        client.observe("/gone", 0).await.map(|_| ()),
        Err(ProtocolErrorCode::NotFound),
        "an entry is a name"
    );

    let fields = [
        ("unit", Value::Unit),
        ("boolean", Value::Boolean(true)),
        ("integer", Value::Integer(-(1 << 53) + 1)),
        ("number", Value::Number(5e-324)),
        ("string", string("\u{0}\u{10ffff}\"\\")),
        ("bytes", Value::Bytes(vec![0, 255, 128])),
        ("json", Value::List(vec![Value::Unit, Value::Number(0.1), Value::Record(Default::default())])),
        ("entry", string("/a b/..c/世界")),
        ("named", string("blue")),
        ("list", Value::List(vec![Value::List(vec![]), Value::List(vec![Value::Integer(1)])])),
        (
            "union",
            Value::Record([("$case".to_owned(), string("some")), ("value".to_owned(), string("/"))].into()),
        ),
    ];
    let value = Value::Record(fields.map(|(name, value)| (name.to_owned(), value)).into());
    let (result, _) = client.done("/first", &note, "echo", [("value", value.clone())]).await;
    assert_eq!(result, value, "every type of the protocol comes back as it went");
}

#[tokio::test]
async fn goes_on_from_the_validator_that_a_call_returns() {
    let (_notes, _live, mut client) = meet().await;
    let note = reference("/", "note");
    let before = client.object("/first").await;
    client.interface("/", "note").await.unwrap();
    let mut seen = vec![before.validator.clone()];
    for text in ["one", "two", "three"] {
        // Bound each time to what the call before returned: nothing is observed in between.
        let (_, validator) = client.done("/first", &note, "write", [("text", string(text))]).await;
        assert!(validator.is_some() && !seen.contains(&validator), "a new state has a new validator");
        seen.push(validator);
    }
    let (_, validator) = client.done("/first", &note, "append", [("text", string("!"))]).await;
    let after = client.object("/first").await;
    assert_eq!(after.validator, validator, "what the call returned is what is observed behind it");
    assert_eq!((&after.r#ref, &after.description), (&before.r#ref, &before.description));
    assert_eq!(client.done("/first", &note, "read", []).await.0, string("three!"));
}

#[tokio::test]
async fn is_refused_with_each_code_and_told_what_is_unknown() {
    let (notes, _live, mut client) = meet().await;
    let note = reference("/", "note");
    client.object("/first").await;
    client.interface("/", "note").await.unwrap();
    for (how, code) in [
        ("arguments", ProtocolErrorCode::InvalidArguments),
        ("permission", ProtocolErrorCode::PermissionDenied),
        ("limit", ProtocolErrorCode::ResourceLimitExceeded),
        ("internal", ProtocolErrorCode::Internal),
        ("rolled_back", ProtocolErrorCode::Internal),
    ] {
        assert_eq!(client.refused("/first", &note, "fail", [("how", string(how))]).await, code, "{how}");
        assert!(client.may_call("/first", &note, "read"), "{how}: what is held stays good");
    }
    let unknown = client.call("/first", &note, "fail", [("how", string("unknown"))]).await;
    let CallOutcome::Unknown { reason, failure: None } = unknown else { panic!("{unknown:?}") };
    assert_eq!(reason, OutcomeUnknownReason::Protocol);

    client.object("/first").await;
    notes.write("/first", "changed by another");
    assert_eq!(client.refused("/first", &note, "read", []).await, ProtocolErrorCode::ValidatorMismatch);
    assert_eq!(client.held("/first").unwrap().state, ObservationState::Stale);
    client.object("/first").await;
    assert_eq!(client.done("/first", &note, "read", []).await.0, string("changed by another"));

    notes.memory.remove(&local("/first"));
    assert_eq!(client.refused("/first", &note, "read", []).await, ProtocolErrorCode::NotFound);
    assert_eq!(client.observe("/first", 0).await.map(|_| ()), Err(ProtocolErrorCode::NotFound));
}

#[tokio::test]
async fn follows_a_rename() {
    let (notes, _live, mut client) = meet().await;
    let note = reference("/", "note");
    client.observe("/", 1).await.unwrap();
    client.interface("/", "note").await.unwrap();
    let before = client.object("/first").await;

    // By a call of its own.
    let (result, validator) = client.done("/first", &note, "rename", [("text", string("renamed"))]).await;
    assert_eq!((result, validator), (string("/renamed"), None), "a published member changed");
    let renamed = client.object("/renamed").await;
    assert_eq!((renamed.name.as_str(), &renamed.r#ref), ("renamed", &before.r#ref), "it is the same Object");
    assert_ne!(renamed.validator, before.validator, "equal ref and validator would mean an equal name");
    assert_eq!(client.observe("/first", 0).await.map(|_| ()), Err(ProtocolErrorCode::NotFound));
    assert_eq!(client.done("/renamed", &note, "read", []).await.0, string("hello"));

    // Behind its back, with the old place taken by another Object.
    assert!(notes.memory.rename(&local("/renamed"), &local("/again")));
    notes.write("/renamed", "another");
    assert_eq!(client.refused("/renamed", &note, "read", []).await, ProtocolErrorCode::ValidatorMismatch);
    client.observe("/", 1).await.unwrap();
    assert_eq!(client.children("/"), ["/second", "/deep", "/shelf", "/again", "/renamed"]);
    assert_eq!(client.object("/again").await.r#ref, before.r#ref);
    assert_ne!(client.object("/renamed").await.r#ref, before.r#ref);
    assert_eq!(client.done("/renamed", &note, "read", []).await.0, string("another"));
}

#[tokio::test]
async fn sees_a_description_change() {
    let (notes, _live, mut client) = meet().await;
    let note = reference("/", "note");
    let before = client.object("/first").await;
    client.interface("/", "note").await.unwrap();

    let (_, validator) = client.done("/first", &note, "describe", [("text", string("A note."))]).await;
    assert_eq!(validator, None, "no validator where a published member changed");
    // The published Client keeps what it held; what it does with that is refused, not done.
    assert_eq!(client.refused("/first", &note, "read", []).await, ProtocolErrorCode::ValidatorMismatch);
    let after = client.object("/first").await;
    assert_eq!((after.description.as_deref(), &after.r#ref), (Some("A note."), &before.r#ref));
    assert_eq!(client.done("/first", &note, "read", []).await.0, string("hello"));

    notes.describe("/first", "Described by another.");
    client.observe("/", 2).await.unwrap();
    let held = client.held("/first").unwrap();
    assert_eq!(held.object.unwrap().description.as_deref(), Some("Described by another."));
    // The same description again is another state, and takes nothing back that was said before.
    notes.describe("/first", "A note.");
    assert_eq!(client.object("/first").await.description.as_deref(), Some("A note."));
}

#[tokio::test]
async fn is_told_when_an_interface_changes() {
    let (notes, _live, mut client) = meet().await;
    let note = reference("/", "note");
    client.object("/first").await;
    client.interface("/", "note").await.unwrap();
    assert!(!client.may_call("/first", &note, "count"));

    notes.declare(true);
    assert_eq!(
        client.refused("/first", &note, "read", []).await,
        ProtocolErrorCode::InterfaceValidatorMismatch
    );
    client.interface("/", "note").await.unwrap();
    assert_eq!(client.done("/first", &note, "count", []).await.0, Value::Integer(5));
    // Back to a declaration that was seen before: the same validator for the same descriptor is no contradiction.
    notes.declare(false);
    client.interface("/", "note").await.unwrap();
    assert_eq!(client.done("/first", &note, "read", []).await.0, string("hello"));
}

#[tokio::test]
async fn notices_a_scope_that_was_replaced() {
    let (notes, _live, mut client) = meet().await;
    let shelf = reference("/shelf", "shelf");
    let before = client.object("/shelf").await;
    client.object("/shelf/book").await;
    client.interface("/shelf", "shelf").await.unwrap();
    assert_eq!(client.done("/shelf/book", &shelf, "read", []).await.0, string("a book"));

    notes.stock("another book");
    // The book is fetched anew, so that only the scope is another than was seen.
    client.object("/shelf/book").await;
    assert_eq!(client.refused("/shelf/book", &shelf, "read", []).await, ProtocolErrorCode::InterfaceMismatch);
    assert_ne!(client.object("/shelf").await.r#ref, before.r#ref);
    client.object("/shelf/book").await;
    client.interface("/shelf", "shelf").await.unwrap();
    assert_eq!(client.done("/shelf/book", &shelf, "read", []).await.0, string("another book"));
}

#[tokio::test]
async fn uses_a_directory_beside_a_world_in_memory() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::create_dir(at("sub")).unwrap();
    std::fs::write(at("read me.txt"), "one\ntwo\n").unwrap();
    std::fs::write(at("sub/deep.txt"), "needle\n").unwrap();
    let notes = Notes::new();
    let files = Files::open(directory.path(), Settings::default()).unwrap();
    let host = Host::builder().mount(entry("/files"), files).mount(entry("/notes"), notes.memory.clone());
    let live = Live::serve(host.build().unwrap()).await;
    let mut client = Published::at(&live.url);

    client.observe("/", 4).await.unwrap();
    assert_eq!(client.children("/"), ["/files", "/notes"]);
    let (file, dir) = (reference("/files", "files.file"), reference("/files", "files.directory"));
    for name in ["files.file", "files.directory"] {
        client.interface("/files", name).await.unwrap();
    }
    assert_eq!(client.object("/files/read me.txt").await.interfaces, std::slice::from_ref(&file));
    let (result, _) =
        client.done("/files/read me.txt", &file, "read_text", [("start_line", Value::Integer(2))]).await;
    let Value::Record(fields) = result else { panic!("{result:?}") };
    assert_eq!((&fields["text"], &fields["total_lines"]), (&string("two\n"), &Value::Integer(2)));

    client.object("/files").await;
    let (result, _) = client.done("/files", &dir, "find", [("text", string("needle"))]).await;
    assert!(
        format!("{result:?}").contains("/files/sub/deep.txt"),
        "entries are those of the Worldspace: {result:?}"
    );
    let glob = client.refused("/files", &dir, "find", [("glob", string("{"))]).await;
    assert_eq!(glob, ProtocolErrorCode::InvalidArguments);

    std::fs::write(at("read me.txt"), "changed and longer\n").unwrap();
    assert_eq!(
        client.refused("/files/read me.txt", &file, "read_text", []).await,
        ProtocolErrorCode::ValidatorMismatch
    );
    client.object("/files/read me.txt").await;
    client.done("/files/read me.txt", &file, "read_text", []).await;
    let before = client.object("/files/read me.txt").await;
    std::fs::rename(at("read me.txt"), at("sub/moved.txt")).unwrap();
    client.observe("/files", 2).await.unwrap();
    assert_eq!(
        client.object("/files/sub/moved.txt").await.r#ref,
        before.r#ref,
        "the same file at another place"
    );
    assert_eq!(client.observe("/files/read me.txt", 0).await.map(|_| ()), Err(ProtocolErrorCode::NotFound));
    client.object("/notes/first").await;
    client.interface("/notes", "note").await.unwrap();
    let (entries, _) = client.done("/notes/first", &reference("/notes", "note"), "beside", []).await;
    assert_eq!(entries, Value::List(["/notes/second", "/notes/first", "/notes/gone"].map(string).to_vec()));
}
