//! Our Client explores and calls a Host made of the published crates, version 0.2.0, which speaks [v1] alone.

mod host;
mod server;

use std::sync::Arc;

use wip_http::http::Response;
use worldspace_client::{
    CallFailure, CallOptions, CallOutcome, Change, Client, ErrorKind, Freshness, InterfaceObservation,
    NotRun, Observation, Settings, TreeObservation, UnknownCause,
};
use worldspace_http::{ClientConfig, Endpoint, HttpTransport};
use worldspace_model::{
    Cause, Effects, ErrorCode, Expansion, FetchTreeRequest, Interaction, InterfaceReference, Record, Segment,
    Value,
};

use crate::live::entry;
use host::World;
use server::Running;

fn page() -> Response<Vec<u8>> {
    let response = Response::builder().status(404).header("content-type", "text/html");
    response.body(b"<!doctype html><title>Not here</title>".to_vec()).unwrap()
}

/// What a web application with a page for everything answers.
fn page_for_everything() -> Response<Vec<u8>> {
    let response = Response::builder().header("content-type", "text/html");
    response.body(b"<!doctype html><title>An application</title>".to_vec()).unwrap()
}

fn client(url: &str) -> Client {
    let transport = HttpTransport::new(Endpoint::parse(url).unwrap(), ClientConfig::default()).unwrap();
    Client::new(Arc::new(transport), Settings::default())
}

async fn meet() -> (Running, Client) {
    let running = Running::new(page).await;
    let client = client(&running.url);
    (running, client)
}

fn notebook() -> InterfaceReference {
    InterfaceReference::parse("/", "notebook").unwrap()
}

/// A note and its interface, as they are now.
async fn shown(client: &Client, path: &str) -> (Observation, InterfaceObservation) {
    let note = client.fetch(&entry(path)).await.unwrap();
    (note, client.fetch_interface(&notebook()).await.unwrap())
}

fn arguments(fields: &[(&str, Value)]) -> Record {
    Record::new(fields.iter().map(|(name, value)| ((*name).into(), value.clone())).collect()).unwrap()
}

async fn call(
    client: &Client,
    (note, interface): &(Observation, InterfaceObservation),
    operation: &str,
    fields: &[(&str, Value)],
) -> Result<CallOutcome, CallFailure> {
    client.call(note, interface, operation, arguments(fields), CallOptions::default()).await
}

#[tokio::test]
async fn falls_back_to_v1_and_remembers_it() {
    for elsewhere in [page, page_for_everything] {
        let running = Running::new(elsewhere).await;
        let client = client(&running.url);
        let capabilities = client.capabilities().await.unwrap();
        assert!(capabilities.speaks(Interaction::Observe) && !capabilities.speaks(Interaction::FetchTree));
        client.fetch_many(&["/a", "/g", "/nowhere"].map(entry)).await;
        client.tree(&FetchTreeRequest::new(entry("/"), 9, 100, None).unwrap()).await.unwrap();
        let shown = shown(&client, "/a").await;
        call(&client, &shown, "read", &[]).await.unwrap();
        let asked = running.asked();
        let lines: Vec<&str> = asked.iter().map(|asked| asked.line.as_str()).collect();
        assert_eq!(lines.iter().filter(|line| **line == "GET v1").count(), 1, "{lines:?}");
        let known = ["GET v1", "POST v1/observe", "POST v1/fetch_interface", "POST v1/call_operation"];
        assert!(lines.iter().all(|line| known.contains(line)), "{lines:?}");
        let deepest = asked.iter().filter_map(|asked| asked.body["depth"].as_u64()).max();
        assert_eq!(deepest, Some(1), "a deep observe may be more than a Host of [v1] can answer");
    }
}

/// A tree in one line: paths with `!` for a leaf, `=` for complete, `+` for partial and `?` for unexplored.
fn line(tree: &TreeObservation) -> String {
    let sign = |expansion| match expansion {
        Expansion::Leaf => '!',
        Expansion::Complete => '=',
        Expansion::Partial => '+',
        Expansion::Unexplored => '?',
    };
    let shown = tree.items().map(|item| format!("{}{}", item.observation.entry(), sign(item.expansion)));
    shown.collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn explores_level_by_level() {
    use Cause::{Depth, HostLimit, Limit};
    type Case = (&'static str, u32, u32, Option<&'static str>, &'static str, &'static [Cause]);
    let (running, client) = meet().await;
    let all = "/= /a= /d= /g! /a/b! /a/c! /d/e= /d/e/f!";
    let cases: [Case; 9] = [
        ("/", 9, 100, None, all, &[]),
        ("/", 3, 100, None, "/= /a= /d= /g! /a/b! /a/c! /d/e= /d/e/f?", &[Depth]),
        ("/", 0, 100, None, "/?", &[Depth]),
        ("/", 1, 100, None, "/= /a? /d? /g?", &[Depth]),
        ("/", 9, 8, None, "/= /a= /d= /g! /a/b! /a/c! /d/e= /d/e/f?", &[Limit]),
        ("/", 9, 5, None, "/= /a+ /d? /g? /a/b?", &[Limit]),
        ("/", 9, 3, None, "/+ /a? /d?", &[Limit]),
        ("/", 9, 100, Some("d"), "/= /g!", &[]),
        ("/g", 9, 100, None, "/g!", &[]),
    ];
    for (top, depth, limit, after, expected, causes) in cases {
        let after = after.map(|name| Segment::parse(name).unwrap());
        let request = FetchTreeRequest::new(entry(top), depth, limit, after).unwrap();
        let tree = client.tree(&request).await.unwrap();
        assert_eq!(line(&tree), expected, "{request:?}");
        assert_eq!(tree.truncated_by().iter().collect::<Vec<_>>(), causes, "{request:?}");
        assert_eq!(tree.is_truncated(), !causes.is_empty(), "{request:?}");
    }
    running.notes.world().crowded = vec!["/d"];
    let request = FetchTreeRequest::new(entry("/"), 9, 100, None).unwrap();
    let tree = client.tree(&request).await.unwrap();
    assert_eq!(line(&tree), "/= /a= /d? /g! /a/b! /a/c!");
    assert_eq!(tree.truncated_by().iter().collect::<Vec<_>>(), [HostLimit]);
    running.notes.world().crowded = vec!["/"];
    let tree = client.tree(&request).await.unwrap();
    assert_eq!((line(&tree).as_str(), tree.truncated_by().has(HostLimit)), ("/?", true));
    let missing = client.tree(&FetchTreeRequest::new(entry("/x"), 1, 9, None).unwrap()).await;
    assert_eq!(missing.unwrap_err().refusal(), Some(ErrorCode::NotFound));
}

#[tokio::test]
async fn calls_and_hears_of_entries() {
    let (running, client) = meet().await;
    let note = client.fetch(&entry("/a")).await.unwrap();
    let interface = client.resolve(&note, "add", None).await.unwrap();
    assert!(
        interface.effects().is_none() && interface.effects_of("read") == Effects::WRITE,
        "no claims in [v1]"
    );
    let summary = interface.descriptor().operation("write").unwrap().declaration().documentation.clone();
    assert_eq!(summary.unwrap().summary, "Replaces the text.");
    let shown = (note, interface);

    let outcome = call(&client, &shown, "list", &[]).await.unwrap();
    assert_eq!(outcome.entries, ["/a", "/a/b", "/a/c", "/d", "/d/e", "/d/e/f", "/g"].map(entry));
    let made =
        call(&client, &shown, "add", &[("name", "new".into()), ("text", "next: /g".into())]).await.unwrap();
    assert_eq!(made.entries, [entry("/a/new")]);
    assert_eq!(made.result, Value::case("Made", Some(entry("/a/new").into())).unwrap());
    let taken = call(&client, &shown, "add", &[("name", "new".into())]).await.unwrap();
    assert_eq!((taken.result, taken.entries.len()), (Value::case("Taken", None).unwrap(), 0));
    let there = (client.fetch(&made.entries[0]).await.unwrap(), shown.1.clone());
    let read = call(&client, &there, "read", &[]).await.unwrap();
    assert_eq!(read.entries, [entry("/g")]);
    let expected = [("text", Some("next: /g".into())), ("next", Some(entry("/g").into()))];
    assert_eq!(read.result, Value::record(expected).unwrap());
    running.notes.world().put("/a/new", "alone");
    let there = (client.fetch(&made.entries[0]).await.unwrap(), shown.1.clone());
    let read = call(&client, &there, "read", &[]).await.unwrap();
    assert_eq!(read.result, Value::record([("text", Some("alone".into()))]).unwrap());
}

#[tokio::test]
async fn goes_on_from_the_state_behind_a_call_and_notices_others() {
    let (running, client) = meet().await;
    let mut now = shown(&client, "/a").await;
    for text in ["one", "two", "three"] {
        // Called on what the call before left behind, without looking again.
        let outcome = call(&client, &now, "write", &[("text", text.into())]).await.unwrap();
        now.0 = outcome.observation.unwrap();
    }
    assert_eq!(running.notes.world().notes["/a"].text, "three");
    assert_eq!(client.fetch(&entry("/a")).await.unwrap().object(), now.0.object());

    running.notes.world().put("/a", "changed by another");
    running.notes.world().notes.get_mut("/a").unwrap().description = Some("New.".to_owned());
    running.asked();
    let failure = call(&client, &now, "write", &[("text", "four".into())]).await.unwrap_err();
    let CallFailure::StateChanged(changed) = failure else { panic!("{failure:?}") };
    assert!(!changed.changes().is_empty(), "{changed:?}");
    let calls = running.asked().into_iter().filter(|asked| asked.line.ends_with("call_operation"));
    assert_eq!(calls.count(), 1, "it is not run on the new state");
    assert_eq!(running.notes.world().notes["/a"].text, "changed by another");
    now.0 = changed.now.unwrap();
    call(&client, &now, "write", &[("text", "four".into())]).await.unwrap();

    // The same Object at another place, and another one at its own.
    running.notes.world().rename("/a", "/z");
    running.notes.world().put("/a", "another");
    let there = client.fetch(&entry("/z")).await.unwrap();
    assert_eq!(there.object().r#ref, now.0.object().r#ref);
    assert!(matches!(there.change(), Change::Moved { .. }), "{:?}", there.change());
    let here = client.fetch(&entry("/a")).await.unwrap();
    assert!(matches!(here.change(), Change::Replaced { .. }), "{:?}", here.change());
}

#[tokio::test]
async fn tells_every_refusal_as_what_it_is() {
    type Case<'a> = (ErrorCode, fn(&mut World), &'a str, &'a [(&'a str, Value)]);
    let cases: [Case<'_>; 9] = [
        (ErrorCode::NotFound, |world| drop(world.notes.remove("/a")), "read", &[]),
        (ErrorCode::InterfaceMismatch, |world| world.publishes = false, "read", &[]),
        (ErrorCode::InterfaceMismatch, |world| world.register(Some(b"first"), true), "read", &[]),
        (ErrorCode::InterfaceValidatorMismatch, |world| world.register(Some(b"second"), false), "read", &[]),
        (ErrorCode::OperationNotFound, |world| world.hidden = Some("read"), "read", &[]),
        (ErrorCode::InvalidArguments, |_| {}, "rate", &[("stars", Value::count(256))]),
        (ErrorCode::PermissionDenied, |world| world.permits = false, "read", &[]),
        (ErrorCode::ResourceLimitExceeded, |_| {}, "fail", &[("how", Value::String("Limit".into()))]),
        (ErrorCode::Internal, |_| {}, "fail", &[("how", Value::String("Internal".into()))]),
    ];
    for (code, change, operation, fields) in cases {
        let (running, client) = meet().await;
        let shown = shown(&client, "/a").await;
        change(&mut running.notes.world());
        let failure = call(&client, &shown, operation, fields).await.unwrap_err();
        let CallFailure::NothingHappened(NotRun::Refused(error)) = &failure else {
            panic!("{code:?}: {failure:?}")
        };
        assert_eq!(error.code, code);
        assert_eq!(failure.kind(), ErrorKind::Protocol(code));
    }
}

#[tokio::test]
async fn tells_what_it_left_out_and_what_is_unknown() {
    let (running, client) = meet().await;
    let (note, interface) = shown(&client, "/a").await;
    let write = arguments(&[("text", "x".into())]);
    let unbound =
        client.call(&note, &interface, "write", write, CallOptions::default().unbound()).await.unwrap_err();
    assert_eq!(unbound.kind(), ErrorKind::Protocol(ErrorCode::ValidatorRequired), "{unbound:?}");

    let how = [("how", Value::String("Unknown".into()))];
    let unknown = call(&client, &(note.clone(), interface.clone()), "fail", &how).await.unwrap_err();
    let CallFailure::OutcomeUnknown(unknown) = unknown else { panic!("{unknown:?}") };
    assert!(matches!(unknown.cause, UnknownCause::Host(_)) && !unknown.read, "{unknown:?}");
    assert_eq!(client.freshness(&note), Freshness::Stale);

    // A descriptor without a validator is fetched, and published with one since.
    running.notes.world().register(None, true);
    let fresh = shown(&client, "/a").await;
    assert!(fresh.1.answer().validator.is_none());
    call(&client, &fresh, "read", &[]).await.unwrap();
    running.notes.world().register(Some(b"now"), false);
    let failure = call(&client, &fresh, "read", &[]).await.unwrap_err();
    assert_eq!(failure.kind(), ErrorKind::Protocol(ErrorCode::InterfaceValidatorRequired), "{failure:?}");
    assert!(matches!(failure, CallFailure::NothingHappened(_)));

    let missing = InterfaceReference::parse("/", "nothing").unwrap();
    assert_eq!(client.interface(&missing).await.unwrap_err().refusal(), Some(ErrorCode::InterfaceNotFound));
    assert_eq!(client.fetch(&entry("/nowhere")).await.unwrap_err().refusal(), Some(ErrorCode::NotFound));
}
