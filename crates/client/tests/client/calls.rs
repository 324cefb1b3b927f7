//! Calls: bound to what was shown, sent once, and told by what happened.

use std::time::Duration;

use tokio::time::Instant;
use worldspace_client::{
    CallFailure, CallOptions, CallOutcome, Client, Freshness, InterfaceObservation, MemberChange, NotRun,
    Observation, OutcomeUnknown, UnknownCause,
};
use worldspace_model::{
    CallHead, ErrorCode, NotSent, Record, Ref, TransportError, Unanswered, Validator, Value,
};

use crate::host::{Asked, Host, answer, closed, error, issue, path, reason};

/// A Host with `/a`, and a Client that was shown it and its interface.
async fn shown() -> (Host, Client, Observation, InterfaceObservation) {
    let host = Host::with(&[("/a", "A", "1"), ("/b", "B", "1")]);
    host.world(|world| world.interface.validator = Some(Validator::new(&b"i1"[..])));
    let client = host.client();
    let target = client.fetch(&path("/a")).await.unwrap();
    let interface = client.interface(&issue()).await.unwrap();
    host.asked();
    (host, client, target, interface)
}

async fn close(
    client: &Client,
    target: &Observation,
    interface: &InterfaceObservation,
) -> Result<CallOutcome, CallFailure> {
    client.call(target, interface, "close", reason("done"), CallOptions::default()).await
}

fn only_call(host: &Host) -> CallHead {
    let asked = host.asked();
    let [Asked::Call(head)] = &asked[..] else { panic!("not one call: {asked:?}") };
    head.clone()
}

fn lost() -> TransportError {
    TransportError::Unanswered(Unanswered::Lost { detail: "reset".to_owned(), source: None })
}

#[tokio::test]
async fn one_request_carries_all_that_was_shown() {
    let (host, client, target, interface) = shown().await;
    host.world(|world| world.calls.push_back(Ok(answer(closed("/b", &["/c", "/b", "/d"]), Some("2")))));
    let outcome = close(&client, &target, &interface).await.unwrap();
    let head = only_call(&host);
    assert_eq!(head.target.path, path("/a"));
    assert_eq!(head.target.validator, target.object().validator);
    assert_eq!(head.interface.reference, issue());
    assert_eq!(head.interface.scope_ref, Some(Ref::new("root")));
    assert_eq!(head.interface.validator, Some(Validator::new(&b"i1"[..])));
    assert_eq!(head.key, Some(outcome.key));

    assert_eq!(outcome.entries, ["/b", "/c", "/d"].map(path));
    assert_eq!(client.candidates(), ["/b", "/c", "/d"].map(path), "nothing is known of them");
    let next = outcome.observation.unwrap();
    assert_eq!(next.object().validator, Some(Validator::new(&b"2"[..])));
    assert_eq!(client.known(&path("/a")).unwrap().tag(), next.tag());
    assert_eq!(next.changes(), [MemberChange::State]);
    assert_eq!(client.freshness(&target), Freshness::Stale);

    client.fetch(&path("/b")).await.unwrap();
    client.fetch(&path("/c")).await.unwrap_err();
    assert_eq!(client.candidates(), [path("/d")], "asked for, it is one no more");
}

#[tokio::test]
async fn every_call_has_a_key_of_its_own() {
    let (host, client, target, interface) = shown().await;
    let mut keys = std::collections::HashSet::new();
    for _ in 0..50 {
        host.world(|world| world.calls.push_back(Ok(answer(closed("/a", &[]), None))));
        keys.insert(close(&client, &target, &interface).await.unwrap().key);
    }
    assert_eq!(keys.len(), 50);
}

#[tokio::test]
async fn what_makes_no_sense_is_not_sent() {
    let (host, client, target, interface) = shown().await;
    let wrong = |value: Value| Record::new(vec![("reason".into(), value)]).unwrap();
    let stranger = client.fetch(&path("/b")).await.unwrap();
    host.world(|world| world.objects.get_mut(&path("/b")).unwrap().interfaces = Default::default());
    host.put("/b", "B", "2");
    host.world(|world| world.objects.get_mut(&path("/b")).unwrap().interfaces = Default::default());
    let bare = client.fetch(&path("/b")).await.unwrap();
    host.asked();
    let expecting = CallOptions::default().expecting(stranger.tag().unwrap());
    let plain = CallOptions::default;
    let cases = [
        ("reason", "invalid_arguments", &target, "close", wrong(Value::Unit), plain()),
        ("reason", "invalid_arguments", &target, "close", Record::default(), plain()),
        ("no parameter", "invalid_arguments", &target, "read", reason("done"), plain()),
        ("did you mean \"close\"", "operation_not_found", &target, "clos", reason("done"), plain()),
        ("publishes none", "interface_not_found", &bare, "close", reason("done"), plain()),
        ("not", "validator_mismatch", &target, "close", reason("done"), expecting),
    ];
    for (says, kind, target, operation, arguments, options) in cases {
        let failure = client.call(target, &interface, operation, arguments, options).await.unwrap_err();
        assert!(matches!(failure, CallFailure::NothingHappened(_)), "{failure:?}");
        assert_eq!(failure.kind().name(), kind, "{failure}");
        assert!(failure.to_string().contains(says), "{failure}");
    }
    assert_eq!(host.asked(), []);
}

#[tokio::test]
async fn a_call_is_bound_to_what_was_shown_and_not_to_the_newest_state() {
    let (host, client, target, interface) = shown().await;
    host.put("/a", "A", "2");
    host.world(|world| world.objects.get_mut(&path("/a")).unwrap().description = Some("closed".into()));
    // Someone else's look at it does not move what this user was shown.
    client.fetch(&path("/a")).await.unwrap();
    host.asked();
    host.world(|world| world.calls.push_back(Ok(answer(closed("/a", &[]), None))));
    let failure = close(&client, &target, &interface).await.unwrap_err();
    let CallFailure::StateChanged(changed) = &failure else { panic!("{failure:?}") };
    let description = MemberChange::Description { before: None, after: Some("closed".into()) };
    assert_eq!(changed.changes(), [description, MemberChange::State]);
    assert_eq!(changed.shown.tag(), target.tag());
    assert!(failure.to_string().contains("closed"), "{failure}");
    let asked = host.asked();
    assert!(
        matches!(&asked[..], [Asked::Call(head), Asked::Fetch(1)] if head.target.validator == target.object().validator)
    );
    assert_eq!(host.world(|world| world.calls.len()), 1, "it was not run on the new state");

    let now = changed.now.clone().unwrap();
    close(&client, &now, &interface).await.unwrap();
}

#[tokio::test]
async fn an_object_that_went_after_a_mismatch_is_told_as_gone() {
    let (host, client, target, interface) = shown().await;
    host.put("/a", "A", "2");
    let hold = host.hold();
    let call = tokio::spawn({
        let (client, target, interface) = (client.clone(), target.clone(), interface.clone());
        async move { close(&client, &target, &interface).await }
    });
    while host.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    host.remove("/a");
    drop(hold);
    let Err(CallFailure::StateChanged(changed)) = call.await.unwrap() else { panic!("no change") };
    assert_eq!(changed.now.unwrap_err().kind().name(), "not_found");
}

#[tokio::test]
async fn unbound_calls_send_no_state_and_learn_none() {
    let (host, client, target, interface) = shown().await;
    host.world(|world| world.calls.push_back(Ok(answer(closed("/a", &[]), Some("9")))));
    let options = CallOptions::default().unbound();
    let outcome = client.call(&target, &interface, "close", reason("done"), options).await.unwrap();
    assert_eq!(only_call(&host).target.validator, None);
    // The state is that of an Object whose members nobody looked at.
    assert!(outcome.observation.is_none());
    assert_eq!(client.known(&path("/a")).unwrap().freshness(), Freshness::Stale);
}

#[tokio::test]
async fn a_write_that_returns_no_state_leaves_the_object_stale_and_a_read_does_not() {
    let (host, client, target, interface) = shown().await;
    host.world(|world| world.calls.push_back(Ok(answer("text".into(), None))));
    let outcome =
        client.call(&target, &interface, "read", Record::default(), CallOptions::default()).await.unwrap();
    assert_eq!(outcome.observation.unwrap().tag(), target.tag());
    assert_eq!(client.freshness(&target), Freshness::Fresh);

    host.world(|world| world.calls.push_back(Ok(answer(closed("/a", &[]), None))));
    let outcome = close(&client, &target, &interface).await.unwrap();
    assert!(outcome.observation.is_none());
    assert_eq!(client.freshness(&target), Freshness::Stale);
}

#[tokio::test]
async fn only_a_read_is_repeated_once_after_a_lost_connection() {
    let (host, client, target, interface) = shown().await;
    let read = || client.call(&target, &interface, "read", Record::default(), CallOptions::default());

    host.world(|world| {
        world.calls.extend([Ok(answer("one".into(), None)), Ok(answer("two".into(), None))]);
        world.lost.push_back(lost());
    });
    assert_eq!(read().await.unwrap().result, "two".into());
    let asked = host.asked();
    assert!(matches!(&asked[..], [Asked::Call(one), Asked::Call(two)] if one == two), "{asked:?}");

    host.world(|world| {
        world.calls.extend((0..9).map(|_| Ok(answer("text".into(), None))));
        world.lost.extend([lost(), lost()]);
    });
    let failure = read().await.unwrap_err();
    assert!(matches!(&failure, CallFailure::OutcomeUnknown(unknown) if unknown.read), "{failure:?}");
    assert_eq!(host.asked().len(), 2);

    // What becomes of the repeat says nothing of the first.
    let unreachable = NotSent::Unreachable { detail: "refused".to_owned(), source: None };
    let unauthorised = NotSent::Rejected { status: 401, detail: String::new() };
    for not_sent in [unreachable, unauthorised] {
        host.world(|world| world.lost.extend([lost(), TransportError::NotSent(not_sent)]));
        let failure = read().await.unwrap_err();
        let CallFailure::OutcomeUnknown(unknown) = &failure else { panic!("{failure:?}") };
        assert!(unknown.read && unknown.to_string().contains("reset"), "{unknown:?}");
        assert_eq!(host.asked().len(), 2);
    }
    host.world(|world| {
        world.lost.push_back(lost());
        world.calls = [Ok(answer("one".into(), None)), error(ErrorCode::PermissionDenied)].into();
    });
    // What the Host answers to the repeat is its word: a read has no outcome to be unsure of.
    let failure = read().await.unwrap_err();
    let CallFailure::NothingHappened(NotRun::Refused(refused)) = &failure else { panic!("{failure:?}") };
    assert_eq!(refused.code, ErrorCode::PermissionDenied);
    assert_eq!(host.asked().len(), 2);

    host.world(|world| world.lost.push_back(lost()));
    host.world(|world| world.calls.clear());
    host.world(|world| world.calls.push_back(Ok(answer(closed("/a", &[]), None))));
    let failure = close(&client, &target, &interface).await.unwrap_err();
    assert!(matches!(&failure, CallFailure::OutcomeUnknown(unknown) if !unknown.read), "{failure:?}");
    assert_eq!(host.asked().len(), 1, "a write is sent once");
    assert!(failure.to_string().contains("look at /a"), "{failure}");
}

/// Each way in which a call can fail: what happened, the kind, and how the Object stands behind it.
#[tokio::test]
async fn failures_are_told_by_what_happened() {
    let status = || TransportError::Unanswered(Unanswered::Status { status: 502, detail: String::new() });
    let unauthorised = || TransportError::NotSent(NotSent::Rejected { status: 401, detail: String::new() });
    let unsendable = || TransportError::NotSent(NotSent::Unsendable { detail: "too large".to_owned() });
    let timed_out = || TransportError::Unanswered(Unanswered::TimedOut);
    let cases = [
        (Some(status()), "operation_outcome_unknown", Freshness::Stale),
        (Some(timed_out()), "operation_outcome_unknown", Freshness::Stale),
        (Some(unauthorised()), "unreachable", Freshness::Fresh),
        (Some(unsendable()), "local", Freshness::Fresh),
        (None, "internal", Freshness::Fresh),
    ];
    for (failure, kind, freshness) in cases {
        let (host, client, target, interface) = shown().await;
        host.world(|world| world.lost.extend(failure));
        let failure = close(&client, &target, &interface).await.unwrap_err();
        assert_eq!(failure.kind().name(), kind, "{failure:?}");
        let unknown = matches!(failure, CallFailure::OutcomeUnknown(_));
        assert_eq!(unknown, kind == "operation_outcome_unknown", "{failure:?}");
        assert_eq!(client.freshness(&target), freshness, "{failure:?}");
        assert_eq!(host.asked().len(), 1);
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_leaves_doubt() {
    let (host, client, target, interface) = shown().await;
    let _hold = host.hold();
    let call = tokio::spawn({
        let (client, target, interface) = (client.clone(), target.clone(), interface.clone());
        async move { close(&client, &target, &interface).await }
    });
    while host.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(client.freshness(&target), Freshness::Fresh);
    call.abort();
    call.await.unwrap_err();
    assert_eq!(client.freshness(&target), Freshness::Stale);
}

#[tokio::test]
async fn the_hosts_own_unknown_is_unknown() {
    let (host, client, target, interface) = shown().await;
    host.world(|world| world.calls.push_back(error(ErrorCode::OperationOutcomeUnknown)));
    let failure = close(&client, &target, &interface).await.unwrap_err();
    let CallFailure::OutcomeUnknown(unknown) = failure else { panic!("{failure:?}") };
    let OutcomeUnknown { cause: UnknownCause::Host(message), target, .. } = *unknown else { panic!() };
    assert_eq!((message.as_str(), target), ("scripted", path("/a")));
}

#[tokio::test]
async fn an_interface_that_no_longer_fits_is_asked_for_again() {
    let codes =
        [ErrorCode::InterfaceMismatch, ErrorCode::InterfaceValidatorMismatch, ErrorCode::OperationNotFound];
    for code in codes {
        let (host, client, target, interface) = shown().await;
        host.world(|world| world.calls.push_back(error(code)));
        let failure = close(&client, &target, &interface).await.unwrap_err();
        assert!(matches!(&failure, CallFailure::NothingHappened(NotRun::Refused(_))), "{failure:?}");
        host.asked();
        client.interface(&issue()).await.unwrap();
        assert_eq!(host.asked(), [Asked::Interface(issue(), true)], "{code}");
        client.interface(&issue()).await.unwrap();
        assert_eq!(host.asked(), []);
    }
}

#[tokio::test]
async fn an_object_that_is_gone_is_known_to_be_missing() {
    let (host, client, target, interface) = shown().await;
    host.remove("/a");
    let failure = close(&client, &target, &interface).await.unwrap_err();
    assert_eq!(failure.kind().name(), "not_found");
    assert_eq!(client.freshness(&target), Freshness::Missing);
}

/// The Host's declaration is another one by now: it is the Host that refuses, before anything happens.
#[tokio::test]
async fn in_process_arguments_are_checked_against_the_hosts_declaration_too() {
    use worldspace_model::{Declaration, Descriptor, OperationDeclaration};
    let (host, client, target, interface) = shown().await;
    let operations = vec![OperationDeclaration::new("close")];
    let changed = Descriptor::new(Declaration { operations, ..Declaration::default() }).unwrap();
    host.world(|world| world.interface.descriptor = changed);
    let failure = close(&client, &target, &interface).await.unwrap_err();
    assert_eq!(failure.kind().name(), "invalid_arguments");
    assert_eq!(host.asked().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_host_that_never_answers_ends_in_unknown() {
    let (host, client, target, interface) = shown().await;
    let _hold = host.hold();
    host.world(|world| world.calls.push_back(Ok(answer(closed("/a", &[]), None))));
    let failure = close(&client, &target, &interface).await.unwrap_err();
    assert!(matches!(failure, CallFailure::OutcomeUnknown(_)), "{failure:?}");
}

/// Begins a call, and waits until the Host has it.
async fn begin(
    host: &Host,
    (client, target, interface): (&Client, &Observation, &InterfaceObservation),
) -> tokio::task::JoinHandle<Result<CallOutcome, CallFailure>> {
    let (client, target, interface) = (client.clone(), target.clone(), interface.clone());
    let call = tokio::spawn(async move { close(&client, &target, &interface).await });
    while host.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    call
}

#[tokio::test]
async fn the_late_answer_to_a_call_never_overwrites_what_was_asked_for_since() {
    let (host, client, target, interface) = shown().await;
    host.world(|world| world.calls.push_back(Ok(answer(closed("/a", &[]), Some("2")))));
    let hold = host.hold();
    let call = begin(&host, (&client, &target, &interface)).await;
    host.put("/a", "A", "3");
    let newer = client.fetch(&path("/a")).await.unwrap();
    drop(hold);
    let outcome = call.await.unwrap().unwrap();
    assert!(outcome.observation.is_none(), "which of the two is newer, nobody knows");
    let known = client.known(&path("/a")).unwrap();
    assert_eq!((known.tag(), known.freshness()), (newer.tag(), Freshness::Stale));
}

#[tokio::test]
async fn the_late_answer_to_what_was_asked_beside_a_call_is_not_trusted() {
    let (host, client, target, interface) = shown().await;
    host.world(|world| world.calls.push_back(Ok(answer(closed("/a", &[]), Some("2")))));
    let hold = host.hold();
    let call = begin(&host, (&client, &target, &interface)).await;
    // It shows the state before the call.
    let held_fetch = host.hold();
    let beside = tokio::spawn({
        let client = client.clone();
        async move { client.fetch(&path("/a")).await }
    });
    while host.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    drop(hold);
    let behind = call.await.unwrap().unwrap().observation.unwrap();
    assert_eq!(client.freshness(&behind), Freshness::Fresh);
    drop(held_fetch);
    let beside = beside.await.unwrap().unwrap();
    assert_eq!((beside.tag(), beside.freshness()), (target.tag(), Freshness::Stale));
    assert_eq!(client.known(&path("/a")).unwrap().freshness(), Freshness::Stale);

    host.put("/a", "A", "2");
    let now = client.fetch(&path("/a")).await.unwrap();
    assert_eq!((client.freshness(&now), now.tag()), (Freshness::Fresh, behind.tag()));
}

#[tokio::test]
async fn a_late_not_found_takes_nothing_from_what_was_fetched_since() {
    let (host, client, target, interface) = shown().await;
    host.remove("/a");
    let hold = host.hold();
    let call = begin(&host, (&client, &target, &interface)).await;
    host.put("/a", "A", "2");
    let newer = client.fetch(&path("/a")).await.unwrap();
    drop(hold);
    assert_eq!(call.await.unwrap().unwrap_err().kind().name(), "not_found");
    assert_eq!(client.freshness(&newer), Freshness::Fresh);
}

#[tokio::test(start_paused = true)]
async fn a_call_keeps_its_deadline_behind_a_mismatch_too() {
    let (host, client, target, interface) = shown().await;
    host.put("/a", "A", "2");
    drop(host.hold());
    let _hold = host.hold();
    let begun = Instant::now();
    let options = CallOptions::default().until((begun + Duration::from_secs(2)).into_std());
    let failure = client.call(&target, &interface, "close", reason("done"), options).await.unwrap_err();
    let CallFailure::StateChanged(changed) = &failure else { panic!("{failure:?}") };
    assert_eq!(changed.now.as_ref().unwrap_err().kind().name(), "unreachable");
    assert!(begun.elapsed() <= Duration::from_secs(3), "{:?}", begun.elapsed());
    assert!(failure.to_string().contains("nothing was done"), "{failure}");
}

#[tokio::test]
async fn what_was_called_and_forgotten_is_not_what_was_shown() {
    let host = Host::with(&[("/a", "A", "1"), ("/b", "B", "1")]);
    let mut settings = worldspace_client::Settings::default();
    settings.known_entries = 1;
    let client = host.client_with(settings);
    let target = client.fetch(&path("/a")).await.unwrap();
    let interface = client.interface(&issue()).await.unwrap();
    client.fetch(&path("/b")).await.unwrap();
    assert!(client.known(&path("/a")).is_none());
    host.world(|world| world.calls.push_back(Ok(answer(closed("/a", &[]), None))));
    close(&client, &target, &interface).await.unwrap();
    assert_eq!(client.freshness(&target), Freshness::Stale);
}

#[tokio::test]
async fn a_state_that_the_host_asks_for_is_one_that_was_not_shown() {
    let (host, client, target, interface) = shown().await;
    host.world(|world| world.calls.push_back(error(ErrorCode::ValidatorRequired)));
    let failure = close(&client, &target, &interface).await.unwrap_err();
    assert!(matches!(&failure, CallFailure::NothingHappened(NotRun::Refused(_))), "{failure:?}");
    assert_eq!(client.freshness(&target), Freshness::Stale);
}

/// What changes all the time can be read. Who wants to read the very state that was shown says so.
#[tokio::test]
async fn a_read_is_bound_only_if_its_caller_asks_for_it() {
    let plain = CallOptions::default;
    let tag = shown().await.2.tag().unwrap();
    let cases = [
        ("close", plain(), true),
        ("close", plain().unbound(), false),
        ("read", plain(), false),
        ("read", plain().unbound(), false),
        ("read", plain().bound(), true),
        ("read", plain().expecting(tag), true),
    ];
    for (operation, options, bound) in cases {
        let (host, client, target, interface) = shown().await;
        host.put("/a", "A", "2");
        let result = if operation == "read" { "text".into() } else { closed("/a", &[]) };
        host.world(|world| world.calls.push_back(Ok(answer(result, Some("2")))));
        let arguments = if operation == "read" { Record::default() } else { reason("done") };
        let called = client.call(&target, &interface, operation, arguments, options.clone()).await;
        let asked = host.asked();
        let Asked::Call(head) = &asked[0] else { panic!("{asked:?}") };
        assert_eq!(head.target.validator.is_some(), bound, "{operation} {options:?}");
        match called {
            Ok(outcome) => assert!(!bound && outcome.observation.is_none(), "{operation} {options:?}"),
            Err(failure) => {
                assert!(bound && matches!(failure, CallFailure::StateChanged(_)), "{operation} {options:?}");
            }
        }
        assert_ne!(client.freshness(&target), Freshness::Fresh, "{operation} {options:?}");
    }
}
