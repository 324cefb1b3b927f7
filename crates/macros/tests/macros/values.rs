//! Values of derived types, there and back.

use std::fmt::Debug;

use worldspace_host::WipType;
use worldspace_host::model::{Bytes, Json, Value, WipType as Type};

#[derive(WipType, Debug, Clone, PartialEq)]
struct Record {
    required: u16,
    optional: Option<Vec<Key>>,
    #[wip(name = "renamed to this")]
    renamed: Marker,
}

#[derive(WipType, Debug, Clone, PartialEq)]
struct Key(String);

#[derive(WipType, Debug, Clone, PartialEq)]
struct Marker;

#[derive(WipType, Debug, Clone, PartialEq)]
struct Empty {}

#[derive(WipType, Debug, Clone, PartialEq)]
#[allow(dead_code, reason = "there is no value of it")]
enum Never {}

#[derive(WipType, Debug, Clone, PartialEq)]
enum Case {
    Bare,
    HTTPError(u16),
    Fields { key: Key, other: Option<Bytes> },
    NoFields {},
}

#[derive(WipType, Debug, Clone, PartialEq)]
#[wip(union)]
enum BareUnion {
    One,
}

/// The client's derive of the same name.
#[derive(worldspace_client::WipType, Debug, Clone, PartialEq)]
enum OfClient {
    Told(Json),
}

fn record(fields: &[(&str, Value)]) -> Value {
    Value::record(fields.iter().map(|(name, value)| (*name, Some(value.clone())))).unwrap()
}

fn is<T: Type + Clone + PartialEq + Debug>(rust: T, value: Value) {
    assert_eq!(rust.clone().into_value().unwrap(), value, "{rust:?}");
    assert_eq!(T::from_value(&value).unwrap(), rust, "{value:?}");
}

#[test]
fn what_goes_there_comes_back() {
    let (unit, text) = (Value::Unit, |text: &str| Value::from(text));
    is(
        Record { required: 1, optional: None, renamed: Marker },
        record(&[("required", Value::count(1)), ("renamed to this", unit.clone())]),
    );
    is(
        Record { required: 1, optional: Some(vec![Key("k".to_owned())]), renamed: Marker },
        record(&[
            ("required", Value::count(1)),
            ("optional", Value::list(vec![text("k")]).unwrap()),
            ("renamed to this", unit),
        ]),
    );
    is(Empty {}, record(&[]));
    is(Case::Bare, Value::case("bare", None).unwrap());
    is(Case::HTTPError(404), Value::case("http_error", Some(Value::count(404))).unwrap());
    is(
        Case::Fields { key: Key(String::new()), other: Some(Bytes(vec![0])) },
        Value::case("fields", Some(record(&[("key", text("")), ("other", Value::bytes(vec![0]))]))).unwrap(),
    );
    is(Case::NoFields {}, Value::case("no_fields", Some(record(&[]))).unwrap());
    is(BareUnion::One, Value::case("one", None).unwrap());
    is(OfClient::Told(Json(Value::Unit)), Value::case("told", Some(Value::Unit)).unwrap());
}

#[test]
fn what_does_not_fit_says_where_and_why() {
    fn told<T: Type + Debug>(value: &Value) -> String {
        T::from_value(value).unwrap_err().to_string()
    }
    let fields = |value| Value::case("fields", Some(record(&[("key", value)]))).unwrap();
    for (told, said) in [
        (
            told::<Record>(&record(&[("required", Value::count(70_000))])),
            "required: expected an integer from 0 to 65535",
        ),
        (told::<Record>(&record(&[])), "required"),
        (told::<Record>(&Value::Unit), "expected record, found unit"),
        (told::<Case>(&fields(Value::Unit)), "fields.key: expected string, found unit"),
        (told::<Case>(&Value::case("fields", None).unwrap()), "fields"),
        (told::<Case>(&Value::case("bare", Some(Value::Unit)).unwrap()), "bare"),
        (told::<Case>(&Value::case("bar", None).unwrap()), "did you mean `bare`"),
        (told::<Never>(&Value::from("x")), "x"),
    ] {
        assert!(told.contains(said), "{told}");
    }
}
