//! Answers that break the protocol: each is refused as the Host's fault, and nothing of it is taken over.

use std::sync::Arc;

use worldspace_client::{CallFailure, CallOptions, ErrorKind, UnknownCause};
use worldspace_model::{
    Cause, EffectTable, EntryPath, ErrorCode, Expansion, FetchResponse, InterfaceList, InterfaceReference,
    Object, ProtocolError, Tree, Validator, Value,
};

use crate::host::{
    Host, World, answer, closed, error, interface_answer, issue, object, path, reason, tree_request,
};

fn results(results: Vec<Result<Object, ProtocolError>>) -> Result<FetchResponse, ProtocolError> {
    Ok(FetchResponse { results: results.into_iter().map(|result| result.map(Arc::new)).collect() })
}

fn foreign_scope() -> Object {
    let foreign = InterfaceReference::parse("/b", "i").unwrap();
    Object { interfaces: InterfaceList::new(vec![foreign]).unwrap(), ..object("/a", "", "") }
}

#[tokio::test]
async fn lies_about_objects() {
    let lies: Vec<(&str, Result<FetchResponse, ProtocolError>)> = vec![
        ("too few", results(vec![])),
        ("too many", results(vec![Ok(object("/a", "", "")), Ok(object("/a", "", ""))])),
        ("another name", results(vec![Ok(object("/b", "", ""))])),
        ("a foreign scope", results(vec![Ok(foreign_scope())])),
        ("a code of calls", results(vec![error(ErrorCode::InvalidArguments)])),
        ("a code of calls as a whole", error(ErrorCode::OperationOutcomeUnknown)),
    ];
    for (lie, told) in lies {
        let host = Host::with(&[("/a", "", "")]);
        host.world(|world| world.fetched.push_back(told));
        let client = host.client();
        let result = client.fetch(&path("/a")).await;
        assert_eq!(result.map_err(|error| error.kind()).err(), Some(ErrorKind::InvalidAnswer), "{lie}");
        assert!(client.known(&path("/a")).is_none(), "{lie}");
    }
}

fn tree(nodes: Vec<(Object, Option<u32>, Expansion)>, causes: &[Cause]) -> Tree {
    let nodes = nodes.into_iter().map(|(object, parent, expansion)| (Arc::new(object), parent, expansion));
    Tree::new(nodes.collect(), causes.iter().copied().collect()).unwrap()
}

#[tokio::test]
async fn lies_about_trees() {
    let root = || (object("/", "root", "r0"), None, Expansion::Complete);
    let leaf = |entry: &str, state: &str| (object(entry, "A", state), Some(0), Expansion::Leaf);
    let mut other = leaf("/a", "1");
    other.0.description = Some("other".into());
    let lies = vec![
        ("another top", tree(vec![leaf("/b", "1")].into_iter().map(|(o, _, e)| (o, None, e)).collect(), &[])),
        ("above the limit", tree(vec![root(), leaf("/a", "1"), leaf("/b", "2"), leaf("/c", "3")], &[])),
        (
            "below the depth",
            tree(
                vec![
                    root(),
                    (object("/a", "", ""), Some(0), Expansion::Complete),
                    (object("/a/b", "", ""), Some(1), Expansion::Leaf),
                ],
                &[],
            ),
        ),
        ("two Objects of one ref and state", tree(vec![root(), leaf("/a", "1"), leaf("/b", "1")], &[])),
        ("another Object than was known", tree(vec![root(), other], &[])),
    ];
    for (lie, told) in lies {
        let host = Host::with(&[("/a", "A", "1")]);
        let client = host.client();
        client.fetch(&path("/a")).await.unwrap();
        host.world(|world| world.trees.push_back(Ok(told)));
        let result = client.tree(&tree_request("/", 1, 3, None)).await;
        assert_eq!(result.map_err(|error| error.kind()).err(), Some(ErrorKind::InvalidAnswer), "{lie}");
        assert!(client.known(&EntryPath::root()).is_none(), "{lie}");
        let (known, truth) = (client.fetch(&path("/a")).await.unwrap(), object("/a", "A", "1"));
        assert_eq!(**known.object(), truth, "{lie}");
    }
}

#[tokio::test]
async fn lies_about_interfaces() {
    type Lie = fn(&mut World);
    let lies: Vec<(&str, Lie)> = vec![
        ("another interface", |world| {
            world.interface.interface = InterfaceReference::parse("/", "other").unwrap();
        }),
        ("effects unasked", |world| {
            world.capabilities.extensions.clear();
            let mut told = interface_answer();
            told.effects = Some(EffectTable::new(&told.descriptor, vec![]).unwrap());
            world.interfaces.push_back(Ok(told));
        }),
        ("effects of something else", |world| {
            let mut told = interface_answer();
            told.effects = Some(EffectTable::default());
            world.interfaces.push_back(Ok(told));
        }),
        ("a code of observations", |world| world.interfaces.push_back(error(ErrorCode::NotFound))),
    ];
    for (lie, tell) in lies {
        let host = Host::with(&[]);
        host.world(tell);
        let result = host.client().interface(&issue()).await;
        assert_eq!(result.map_err(|error| error.kind()).err(), Some(ErrorKind::InvalidAnswer), "{lie}");
    }
}

/// Behind a call, an answer that nobody can trust says nothing of what happened.
#[tokio::test]
async fn lies_about_results() {
    let record = |fields: Vec<(&str, Value)>| {
        Value::record(fields.into_iter().map(|(name, value)| (name, Some(value)))).unwrap()
    };
    let entry = || Value::Entry(path("/a"));
    let all = || Value::list(vec![]).unwrap();
    let lies = vec![
        ("another type", Ok(answer(Value::Unit, None))),
        ("a string for an entry", Ok(answer(record(vec![("next", "/a".into()), ("all", all())]), None))),
        ("a missing field", Ok(answer(record(vec![("next", entry())]), None))),
        (
            "a field too many",
            Ok(answer(record(vec![("next", entry()), ("all", all()), ("more", Value::Unit)]), None)),
        ),
        ("a code of interfaces", error(ErrorCode::InterfaceNotFound)),
    ];
    for (lie, told) in lies {
        let host = Host::with(&[("/a", "A", "1")]);
        host.world(|world| world.calls.push_back(told));
        let client = host.client();
        let shown = client.fetch(&path("/a")).await.unwrap();
        let interface = client.interface(&issue()).await.unwrap();
        let failure = client.call(&shown, &interface, "close", reason("done"), CallOptions::default()).await;
        let Err(CallFailure::OutcomeUnknown(unknown)) = failure else { panic!("{lie}: {failure:?}") };
        assert!(matches!(unknown.cause, UnknownCause::InvalidAnswer { .. }), "{lie}: {unknown:?}");
        assert!(!unknown.read);
    }
}

#[tokio::test]
async fn the_truth_passes() {
    let host = Host::with(&[("/a", "A", "1")]);
    host.world(|world| world.calls.push_back(Ok(answer(closed("/b", &["/b", "/c"]), None))));
    host.world(|world| world.interface.validator = Some(Validator::new(&b"v"[..])));
    let client = host.client();
    let shown = client.fetch(&path("/a")).await.unwrap();
    let interface = client.interface(&issue()).await.unwrap();
    client.call(&shown, &interface, "close", reason("done"), CallOptions::default()).await.unwrap();
}
