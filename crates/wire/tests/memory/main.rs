//! What a body takes in memory once it is read grows with its length, and not with what is declared. A binary of its
//! own with one test, since whatever runs beside it would be counted too.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use bytes::Bytes;
use peak_alloc::PeakAlloc;
use worldspace_model::{Declaration, Descriptor, Field, Operation, OperationDeclaration, Type, Value};
use worldspace_wire::{Codec, Limits};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

// More would be paid for by every list and record.
const _: () = assert!(size_of::<Value>() == 24);

const BODY: usize = 64 << 10;
/// Bytes of heap for each byte of a body, at the peak. A value takes 24 in a list for its two bytes of text, and while
/// a list grows it stands there twice, once half as long.
const FACTOR: usize = 40;

fn operation(ty: Type) -> Operation {
    let operation = OperationDeclaration::new("op").takes([Field::required("rows", ty.clone())]).returns(ty);
    let declaration = Declaration { operations: vec![operation], ..Declaration::default() };
    Descriptor::new(declaration).unwrap().operation("op").unwrap()
}

/// A list of records of so many optional integers.
fn wide(fields: usize) -> Type {
    Type::list(Type::record((0..fields).map(|at| Field::optional(format!("f{at}"), Type::INTEGER))))
}

/// As many of an element as there is room for.
fn list(element: &str) -> String {
    let count = BODY / (element.len() + 1);
    format!("[{}]", vec![element; count].join(","))
}

/// What was taken at most during `work`.
fn peak<T>(work: impl FnOnce() -> T) -> usize {
    HEAP.reset_peak_usage();
    let before = HEAP.current_usage();
    drop(work());
    HEAP.peak_usage() - before
}

#[test]
fn a_body_takes_memory_in_proportion_to_its_length() {
    let codec = Codec::json(Limits::default());
    let head =
        r#""target":{"path":"/t"},"interface":{"reference":{"scope":"/","name":"i"}},"operation":"op""#;
    let last = |fields: usize| format!(r#"{{"f{}":1}}"#, fields - 1);
    for (name, ty, element) in [
        ("empty records of 20 fields", wide(20), "{}".to_owned()),
        ("empty records of 1,000 fields", wide(1_000), "{}".to_owned()),
        ("empty records of 8,000 fields", wide(8_000), "{}".to_owned()),
        ("the last of 20 fields", wide(20), last(20)),
        ("the last of 1,000 fields", wide(1_000), last(1_000)),
        ("the last of 8,000 fields", wide(8_000), last(8_000)),
        ("integers", Type::list(Type::INTEGER), "1".to_owned()),
        ("lists of one integer", Type::list(Type::list(Type::INTEGER)), "[1]".to_owned()),
        ("empty strings", Type::list(Type::STRING), r#""""#.to_owned()),
        ("empty objects under json", Type::JSON, "{}".to_owned()),
        ("small objects under json", Type::JSON, r#"{"":0}"#.to_owned()),
        ("integers under json", Type::JSON, "1".to_owned()),
        ("empty lists under json", Type::JSON, "[]".to_owned()),
    ] {
        let operation = operation(ty);
        let rows = list(&element);
        let body = Bytes::from(format!(r#"{{{head},"arguments":{{"rows":{rows}}}}}"#));
        let taken = peak(|| {
            let call = codec.read_call_request(&body, None).unwrap();
            call.arguments.read(&operation).unwrap()
        });
        assert!(taken <= FACTOR * body.len(), "{name}: {taken} bytes for {} as arguments", body.len());

        let answer = format!(r#"{{"result":{rows}}}"#);
        let taken = peak(|| codec.read_call_answer(answer.as_bytes(), &operation).unwrap());
        assert!(taken <= FACTOR * answer.len(), "{name}: {taken} bytes for {} as a result", answer.len());
    }

    let entries = list(r#""""#);
    let body = format!(r#"{{"entries":{entries}}}"#);
    let taken = peak(|| codec.read_fetch_request(body.as_bytes()).is_ok());
    assert!(taken <= FACTOR * body.len(), "{taken} bytes for {} of entries that are none", body.len());
}
