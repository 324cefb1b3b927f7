//! A generated client calls what a generated trait serves.

use std::sync::Arc;

use worldspace_client::{CallFailure, Client, Settings, TypedClient, TypedFailure, TypedObject};
use worldspace_host::model::{Bytes, EntryPath, Json, Principal, Record, Value};
use worldspace_host::{
    Call, Context, Done, Fate, Host, Interfaces, LocalPath, LocalReference, Memory, MemoryNode, Refusal,
    Serves, TypedInterface,
};

use crate::made::nasty_client as client;
use crate::made::nasty_traits::{AType, Bare};
use crate::made::nasty_traits::{
    EchoResult, NastyOne, NastyOneInterface, NastyOneOption, NastyOneResult, NastyOneString,
    NastyOneTypedObject, NastyOneVec, ObjectResult, Other, OtherInterface, OtherKind, Outer, TypeA,
    TypeRecord, TypeResultItem,
};

/// An Object of the world, whose state is the Memory's.
struct Thing(Memory);

impl NastyOne for Thing {
    async fn echo(
        &self,
        _: &Context,
        outer: Option<Outer>,
        string: NastyOneString,
        option: Option<NastyOneOption>,
        result: Option<NastyOneResult>,
        bare: Option<Bare>,
        json: Option<AType>,
        record: TypeA,
        arguments: Option<Vec<Vec<i64>>>,
    ) -> Result<EchoResult, Refusal> {
        Ok(EchoResult { outer, string, option, result, bare, json, record, arguments })
    }

    async fn r#type(
        &self,
        call_: Call,
        _: &Context,
        call: String,
        _: TypeRecord,
    ) -> Result<Done<Vec<TypeResultItem>>, Refusal> {
        let at = EntryPath::parse(&call)?;
        let path = call_.path().clone();
        let state = self.0.state(&path).ok_or(Refusal::NotFound)?;
        call_.fence_blocking(Some(&state), || {
            self.0.put(&path, node());
            self.0.state(&path).map_or_else(
                || Fate::unknown("it is gone"),
                |state| Fate::done(vec![TypeResultItem { at }], state),
            )
        })
    }

    async fn self_(&self, call: Call, _: Option<String>) -> Result<Done<()>, Refusal> {
        let path = call.path().clone();
        call.fence_blocking(None, || {
            self.0.put(&path, node());
            self.0.state(&path).map_or_else(|| Fate::unknown("it is gone"), |state| Fate::done((), state))
        })
    }

    async fn object(
        &self,
        call: Call,
        _: Option<NastyOneVec>,
        _: Option<NastyOneTypedObject>,
    ) -> Result<Done<ObjectResult>, Refusal> {
        Ok(call.done(ObjectResult::Ok))
    }
}

impl Other for Thing {
    async fn refresh(&self, call: Call, kind: OtherKind) -> Result<Done<OtherKind>, Refusal> {
        Ok(call.done(kind))
    }
}

fn references() -> [LocalReference; 2] {
    [NastyOneInterface::NAME, OtherInterface::NAME].map(|name| LocalReference::at_root(name).unwrap())
}

fn node() -> MemoryNode {
    MemoryNode::new().publishing(&Interfaces::new(references()))
}

/// Two Objects, `/a` and `/b`, and a Client of them.
fn world() -> Client {
    let memory = Memory::new();
    for path in ["/a", "/b"] {
        memory.put(&LocalPath::parse(path).unwrap(), node());
    }
    let [nasty, other] = references();
    let here = memory.clone();
    memory.serve(nasty, NastyOneInterface::interface().unwrap(), move |context, call| {
        let thing = Thing(here.clone());
        async move { NastyOneInterface::serve(&thing, &context, call).await }
    });
    let here = memory.clone();
    memory.serve(other, OtherInterface::interface().unwrap(), move |context, call| {
        let thing = Thing(here.clone());
        async move { OtherInterface::serve(&thing, &context, call).await }
    });
    let host = Host::builder().mount(EntryPath::root(), memory).build().unwrap();
    Client::in_process(Arc::new(host), Principal::anonymous(), Settings::default())
}

fn entry(path: &str) -> EntryPath {
    EntryPath::parse(path).unwrap()
}

fn record() -> client::TypeA {
    client::TypeA {
        self_: Bytes(vec![0, 255]),
        self_2: -1,
        crate_: Some(Json(Value::Unit)),
        unnamed: Some(()),
        unnamed_: None,
        note: Some(0.5),
        note_: None,
    }
}

fn expand() -> client::TypeRecord {
    let z = client::TypeRecordExpandX::Z { w: client::TypeRecordExpandXZW::V };
    client::TypeRecord { expand: client::TypeRecordExpand { x: Some(z) } }
}

#[tokio::test]
async fn every_kind_of_value_goes_there_and_back() {
    let nasty = client::NastyOne::open(&world(), &entry("/a")).await.unwrap();
    let inner = vec![
        client::Inner::Closed,
        client::Inner::Blocked { dependencies: vec![entry("/b"), entry("/日本")], r#type: None },
        client::Inner::Plain("x".to_owned()),
        client::Inner::Nothing(()),
        client::Inner::Kind(client::Kind::Unnamed),
    ];
    let outer = client::Outer { inner, again: Some(client::Inner::Kind(client::Kind::Done_)) };
    let string = client::NastyOneString("\0".to_owned());
    let option = client::NastyOneOption(vec![client::Option2(-0.5)]);
    let json = client::AType(Json(Value::list(vec![Value::Unit, true.into()]).unwrap()));
    let came = nasty
        .echo(
            Some(outer.clone()),
            string.clone(),
            Some(option.clone()),
            Some(client::NastyOneResult {}),
            Some(client::Bare::Two),
            Some(json.clone()),
            record(),
            Some(vec![vec![], vec![1]]),
        )
        .await
        .unwrap();
    assert_eq!(came.outer, Some(outer));
    assert_eq!((came.string, came.option), (string, Some(option)));
    assert_eq!((came.result, came.bare), (Some(client::NastyOneResult {}), Some(client::Bare::Two)));
    assert_eq!((came.json, came.record), (Some(json), record()));
    assert_eq!(came.arguments, Some(vec![vec![], vec![1]]));
}

#[tokio::test]
async fn entries_of_results_are_opened_and_what_is_guarded_is_bound_to_what_was_shown() {
    let world = world();
    let a = client::NastyOne::open(&world, &entry("/a")).await.unwrap();
    let stale = client::NastyOne::open(&world, &entry("/a")).await.unwrap();
    // Each goes on with the state that its own calls told.
    for _ in 0..2 {
        let items = a.r#type("/b".to_owned(), expand()).await.unwrap();
        let b = client::Other::open(&world, &items[0].at).await.unwrap();
        // The operation has the name of a method of all clients, and stands before it.
        assert_eq!(b.refresh(client::OtherKind::Other).await.unwrap(), client::OtherKind::Other);
    }
    let failure = stale.r#type("/b".to_owned(), expand()).await.unwrap_err();
    assert!(matches!(failure, TypedFailure::Call(CallFailure::StateChanged(_))), "{failure}");
    TypedClient::refresh(&stale).await.unwrap();
    stale.r#type("/b".to_owned(), expand()).await.unwrap();
    // What is not guarded is bound to no state.
    for _ in 0..2 {
        a.self_(None).await.unwrap();
    }
    assert_eq!(a.object(None, None).await.unwrap(), client::ObjectResult::Ok);
}

#[tokio::test]
async fn what_cannot_be_sent_or_opened_is_told() {
    let world = world();
    let a = client::NastyOne::open(&world, &entry("/a")).await.unwrap();
    let beyond = client::TypeA { self_2: i64::MAX, ..record() };
    let string = client::NastyOneString(String::new());
    let failure = a.echo(None, string, None, None, None, None, beyond, None).await.unwrap_err();
    assert!(failure.to_string().contains("record.self: an integer lies within"), "{failure}");
    assert!(matches!(failure, TypedFailure::Call(CallFailure::NothingHappened(_))));
    let missing = client::Other::open(&world, &EntryPath::root()).await.unwrap_err();
    assert_eq!(missing.to_string(), "/ has no interface named \"other\"; it publishes none");
}

#[tokio::test]
async fn a_result_that_the_program_was_not_made_for_is_told_as_what_ran() {
    /// The client of a program that was made when nothing could go wrong.
    struct Older(TypedObject);

    impl TypedClient for Older {
        const INTERFACE: &'static str = client::NastyOne::INTERFACE;

        fn of(object: TypedObject) -> Self {
            Self(object)
        }

        fn object(&self) -> &TypedObject {
            &self.0
        }
    }

    let older = Older::open(&world(), &entry("/a")).await.unwrap();
    let failure = older.object().call::<client::Bare>("object", Ok(Record::default())).await.unwrap_err();
    let TypedFailure::Result { fault, .. } = &failure else { panic!("{failure}") };
    assert!(fault.to_string().contains("ok"), "{fault}");
    assert!(failure.to_string().starts_with("it ran, but its result is of another type"), "{failure}");
    let failure = older.object().call::<client::Bare>("gone", Ok(Record::default())).await.unwrap_err();
    assert!(matches!(failure, TypedFailure::Call(CallFailure::NothingHappened(_))), "{failure}");
}
