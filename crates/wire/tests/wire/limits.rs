//! Both sides keep the same limits: a body that one side may just write, the other may just read, for every message.

use std::sync::Arc;

use bytes::Bytes;
use worldspace_model::{
    CallAnswer, Capabilities, Cause, ErrorCode, Expansion, FetchInterfaceRequest, FetchInterfaceResponse,
    FetchRequest, FetchResponse, FetchTreeRequest, InterfaceList, Object, ObjectName, ObserveRequest,
    ProtocolError, Segment, Settled, Tree, Type, Validator, Value,
};
use worldspace_wire::{Class, Codec, DecodeError, EncodeError, Limits};

use crate::support::{call, echo, path, reference, roomy};

type Write = dyn Fn(&Codec) -> Result<Vec<u8>, EncodeError>;
type Read = dyn Fn(&Codec, &[u8]) -> Result<(), DecodeError>;

struct Message {
    name: &'static str,
    write: Box<Write>,
    read: Box<Read>,
}

fn message(
    name: &'static str,
    write: impl Fn(&Codec) -> Result<Vec<u8>, EncodeError> + 'static,
    read: impl Fn(&Codec, &[u8]) -> Result<(), DecodeError> + 'static,
) -> Message {
    Message { name, write: Box::new(write), read: Box::new(read) }
}

fn object(name: &str) -> Arc<Object> {
    let interfaces = InterfaceList::new(vec![reference("/", "i"), reference("/", "j")]).unwrap();
    let validator = Some(Validator::new(*b"v"));
    Arc::new(Object { interfaces, validator, ..Object::bare(ObjectName::parse(name).unwrap()) })
}

fn messages() -> Vec<Message> {
    // The same list stands at several depths, so that the memo is under the limits too.
    let list = object("a").interfaces.clone();
    let shared = |name: &str| Arc::new(Object { interfaces: list.clone(), ..(*object(name)).clone() });
    let nodes = |expansion: Expansion| {
        vec![
            (shared(""), None, Expansion::Complete),
            (shared("a"), Some(0), Expansion::Complete),
            (shared("b"), Some(1), expansion),
        ]
    };
    let tree = Tree::new(nodes(Expansion::Unexplored), [Cause::Depth].into_iter().collect()).unwrap();
    let tree_request = FetchTreeRequest::new(path("/"), 2, 3, Some(Segment::parse("0").unwrap())).unwrap();
    let observe = ObserveRequest { path: path("/"), depth: 2 };
    let fetch = FetchRequest { entries: vec![Ok(path("/a"))] };
    let fetched = FetchResponse { results: vec![Ok(object("a"))] };
    let operation = echo(vec![], Type::list(Type::list(Type::JSON)));
    let value =
        Value::list(vec![Value::list(vec![Value::list(vec![Value::Unit]).unwrap()]).unwrap()]).unwrap();
    let outgoing = call(&operation, value.clone());
    let answer = CallAnswer { result: value, validator: None, settled: Settled::BeforeFence };
    let interface = FetchInterfaceRequest { interface: reference("/", "i"), effects: false };
    let described = FetchInterfaceResponse {
        interface: interface.interface.clone(),
        scope_ref: None,
        descriptor: operation.descriptor().clone(),
        validator: None,
        effects: None,
    };
    let (observation, tree_again) = (tree.clone(), tree.clone());
    let (observe_again, tree_request_again) = (observe.clone(), tree_request.clone());
    let (fetch_again, interface_again) = (fetch.clone(), interface.clone());
    vec![
        message(
            "fetch",
            move |codec| codec.write_fetch_request(&fetch),
            |codec, body| codec.read_fetch_request(body).map(drop),
        ),
        message(
            "fetch answer",
            move |codec| codec.write_fetch_response(&fetched),
            move |codec, body| codec.read_fetch_response(body, &fetch_again).map(drop),
        ),
        message(
            "fetch_tree",
            move |codec| codec.write_fetch_tree_request(&tree_request),
            |codec, body| codec.read_fetch_tree_request(body).map(drop),
        ),
        message(
            "fetch_tree answer",
            move |codec| codec.write_tree(&tree_again),
            move |codec, body| codec.read_tree(body, &tree_request_again).map(drop),
        ),
        message(
            "observe",
            move |codec| codec.write_observe_request(&observe),
            |codec, body| codec.read_observe_request(body).map(drop),
        ),
        message(
            "observe answer",
            move |codec| codec.write_observation(&observation),
            move |codec, body| codec.read_observation(body, &observe_again).map(drop),
        ),
        message(
            "fetch_interface",
            move |codec| codec.write_fetch_interface_request(&interface),
            |codec, body| codec.read_fetch_interface_request(body, false).map(drop),
        ),
        message(
            "fetch_interface answer",
            move |codec| codec.write_interface_response(&described),
            move |codec, body| codec.read_interface_response(body, &interface_again).map(drop),
        ),
        message(
            "call_operation",
            move |codec| codec.write_call_request(&outgoing),
            |codec, body| codec.read_call_request(&Bytes::copy_from_slice(body), None).map(drop),
        ),
        message(
            "call_operation answer",
            move |codec| codec.write_call_answer(&answer),
            move |codec, body| codec.read_call_answer(body, &operation).map(drop),
        ),
        message(
            "capabilities",
            |codec| codec.write_capabilities(&Capabilities::v1()),
            |codec, body| codec.read_capabilities(body).map(drop),
        ),
    ]
}

fn bounded(bytes: usize, nesting: usize) -> Codec {
    Codec::json(Limits::new(bytes, bytes, nesting).unwrap())
}

#[test]
fn a_body_as_long_as_the_limit_passes_on_both_sides_and_a_longer_one_on_neither() {
    for Message { name, write, read } in messages() {
        let body = write(&roomy()).unwrap();
        let (exact, short) = (bounded(body.len(), 64), bounded(body.len() - 1, 64));
        assert_eq!(write(&exact).as_deref(), Ok(&*body), "{name}");
        read(&exact, &body).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(write(&short), Err(EncodeError::TooLarge { limit: body.len() - 1 }), "{name}");
        assert_eq!(read(&short, &body).unwrap_err().class(), Class::BodyTooLarge, "{name}");
    }
}

#[test]
fn a_body_as_deep_as_the_limit_passes_on_both_sides_and_a_deeper_one_on_neither() {
    for Message { name, write, read } in messages() {
        let body = write(&roomy()).unwrap();
        let deepest = (1..64).find(|nesting| write(&bounded(1 << 20, *nesting)).is_ok()).unwrap();
        for nesting in 1..deepest {
            let codec = bounded(1 << 20, nesting);
            assert_eq!(write(&codec), Err(EncodeError::TooDeep { limit: nesting }), "{name}");
            assert_eq!(read(&codec, &body).unwrap_err().class(), Class::NestingTooDeep, "{name}");
        }
        read(&bounded(1 << 20, deepest), &body).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn writing_stops_where_the_limit_is_exceeded() {
    // Three quarters of a gibibyte if it were written.
    let text = Value::string("x".repeat(1 << 20));
    let value = Value::list(vec![text; 768]).unwrap();
    let answer = CallAnswer { result: value, validator: None, settled: Settled::BeforeFence };
    let written = bounded(3 << 20, 64).write_call_answer(&answer);
    assert_eq!(written, Err(EncodeError::TooLarge { limit: 3 << 20 }));
}

#[test]
fn more_entries_than_the_limit_are_refused_on_both_sides_as_too_much_and_not_as_wrong() {
    let codec = Codec::json(Limits::default().with_fetch_entries(2).unwrap());
    let entries = |count| FetchRequest { entries: vec![Ok(path("/a")); count] };
    let body = |count| roomy().write_fetch_request(&entries(count)).unwrap();
    assert_eq!(codec.read_fetch_request(&body(2)).unwrap().entries.len(), 2);
    codec.write_fetch_request(&entries(2)).unwrap();

    assert_eq!(codec.write_fetch_request(&entries(3)), Err(EncodeError::TooMany { limit: 2 }));
    let error = codec.read_fetch_request(&body(3)).unwrap_err();
    assert_eq!(error.class(), Class::TooManyEntries);
    let error = ProtocolError::from(error);
    assert_eq!(error.code, ErrorCode::ResourceLimitExceeded);
    assert!(
        error.message.as_str().ends_with("more than 2 entries at once; ask for fewer, in several requests")
    );
}

#[test]
fn an_error_that_a_caller_is_told_ends_with_what_to_do() {
    let read =
        |body: &str| ProtocolError::from(bounded(64, 2).read_observe_request(body.as_bytes()).unwrap_err());
    for (body, message) in [
        (r#"{"path":"/"}"#, "the required field `depth` is absent; add it"),
        (r#"{"path":"/","x":1}"#, "there is no field `x`; leave it out"),
        (r#"{"path":"/","dept":1}"#, "there is no field `dept`; did you mean `depth`?"),
        (r#"{"path":"/","path":"/"}"#, "; send each member once"),
        (
            r#"{"path":"a","depth":1}"#,
            "path: a path begins with `/`; send a path as a tree of this Host shows it",
        ),
        (r#"{"path":"/""#, "; send one JSON text (RFC 8259) in UTF-8"),
        ("\u{feff}{}", "the body begins with a byte order mark; leave it out (byte 0)"),
        (&" ".repeat(65), "the body is larger than 64 bytes; send less at once"),
    ] {
        let error = read(body);
        assert_eq!(error.code, ErrorCode::InvalidRequest);
        assert!(error.message.as_str().ends_with(message), "{}", error.message);
    }
}
