//! Who asks for one thing at one time shares one exchange, and giving up harms nobody else.

use worldspace_client::{Client, ClientError, ErrorKind, Observation};
use worldspace_model::{NotSent, TransportError};

use crate::host::{Asked, Host, answer, closed, issue, object, path, reason, tree_request};

type Asking = tokio::task::JoinHandle<Result<Observation, ClientError>>;

fn ask(client: &Client) -> Asking {
    let client = client.clone();
    tokio::spawn(async move { client.fetch(&path("/a")).await })
}

async fn ask_for(client: &Client, entry: &str) -> Result<Observation, ClientError> {
    client.fetch(&path(entry)).await
}

/// Lets all that can go on go on: with one thread, every task that is ready runs within a few turns.
async fn turn() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn ten_ask_and_one_request_goes_out() {
    let host = Host::with(&[("/a", "A", "1")]);
    let client = host.client();
    let hold = host.hold();
    let all: Vec<Asking> = (0..10).map(|_| ask(&client)).collect();
    turn().await;
    drop(hold);
    for asking in all {
        asking.await.unwrap().unwrap();
    }
    assert_eq!(host.asked(), [Asked::Fetch(1)]);
    // What is over is not shared.
    client.fetch(&path("/a")).await.unwrap();
    assert_eq!(host.asked(), [Asked::Fetch(1)]);
}

#[tokio::test]
async fn whoever_gives_up_takes_nobody_along() {
    for gives_up in 0..3 {
        let host = Host::with(&[("/a", "A", "1")]);
        let client = host.client();
        let hold = host.hold();
        let mut all: Vec<Asking> = Vec::new();
        for _ in 0..3 {
            all.push(ask(&client));
            turn().await;
        }
        all.remove(gives_up).abort();
        turn().await;
        assert_eq!(host.cancelled(), 0);
        drop(hold);
        for asking in all {
            asking.await.unwrap().unwrap();
        }
        assert_eq!(host.asked(), [Asked::Fetch(1)]);
    }
}

#[tokio::test]
async fn an_exchange_that_nobody_waits_for_is_cancelled_and_leaves_no_trace() {
    let host = Host::with(&[("/a", "A", "1")]);
    let client = host.client();
    let _hold = host.hold();
    let all = [ask(&client), ask(&client)];
    turn().await;
    all.iter().for_each(Asking::abort);
    turn().await;
    assert_eq!(host.cancelled(), 1);
    client.fetch(&path("/a")).await.unwrap();
    assert_eq!(host.asked(), [Asked::Fetch(1), Asked::Fetch(1)]);
}

#[tokio::test]
async fn a_batch_asks_only_for_what_nobody_is_asking_for() {
    let host = Host::with(&[("/a", "A", "1"), ("/b", "B", "1")]);
    let client = host.client();
    let hold = host.hold();
    let single = ask(&client);
    turn().await;
    let batch = tokio::spawn({
        let client = client.clone();
        async move { client.fetch_many(&[path("/b"), path("/a")]).await }
    });
    turn().await;
    single.abort();
    drop(hold);
    assert!(batch.await.unwrap().iter().all(Result::is_ok));
    assert_eq!(host.asked(), [Asked::Fetch(1), Asked::Fetch(1)]);
}

#[tokio::test]
async fn trees_and_interfaces_are_shared_too() {
    let host = Host::with(&[("/a", "A", "1")]);
    let client = host.client();
    let request = tree_request("/", 1, 9, None);
    let hold = host.hold();
    let (one, two, ()) = tokio::join!(client.tree(&request), client.tree(&request), async { drop(hold) });
    assert!(one.is_ok() && two.is_ok());
    let issue = issue();
    let hold = host.hold();
    let (one, two, ()) =
        tokio::join!(client.interface(&issue), client.interface(&issue), async { drop(hold) });
    assert!(one.unwrap().is_same(&two.unwrap()));
    assert_eq!(host.asked(), [Asked::Tree(path("/")), Asked::Interface(issue, true)]);
}

/// An exchange that began before a call may show the world before that call.
#[tokio::test]
async fn who_asks_behind_a_call_gets_an_answer_from_behind_it() {
    let host = Host::with(&[("/a", "A", "1")]);
    let client = host.client();
    let shown = client.fetch(&path("/a")).await.unwrap();
    let interface = client.interface(&issue()).await.unwrap();
    let hold = host.hold();
    let before = ask(&client);
    turn().await;
    host.put("/a", "A", "2");
    host.world(|world| world.calls.push_back(Ok(answer(closed("/a", &[]), None))));
    let unbound = worldspace_client::CallOptions::default().unbound();
    client.call(&shown, &interface, "close", reason("done"), unbound).await.unwrap();
    let behind = client.fetch(&path("/a")).await.unwrap();
    assert_ne!(behind.tag(), shown.tag());
    drop(hold);
    before.await.unwrap().unwrap();
    assert_eq!(client.known(&path("/a")).unwrap().tag(), behind.tag());
}

#[tokio::test]
async fn a_host_that_says_nothing_is_asked_once_for_all_who_wait() {
    let host = Host::with(&[("/a", "A", "1")]);
    let client = host.client();
    let silence = || {
        let detail = "refused".to_owned();
        TransportError::NotSent(NotSent::Unreachable { detail, source: None })
    };
    host.world(|world| world.silence.extend([silence(), silence()]));
    let hold = host.hold();
    let both = [ask(&client), ask(&client)];
    turn().await;
    drop(hold);
    for asking in both {
        assert_eq!(asking.await.unwrap().unwrap_err().kind(), ErrorKind::Unreachable);
    }
    assert_eq!(host.world(|world| world.introductions), 1);
    // A failure is not remembered; what the Host says is.
    client.fetch(&path("/a")).await.unwrap_err();
    client.fetch(&path("/a")).await.unwrap();
    client.fetch(&path("/a")).await.unwrap();
    assert_eq!(host.world(|world| world.introductions), 3);
}

/// What is wrong with one entry, or with their number, takes no other along.
#[tokio::test]
async fn a_batch_that_fails_as_a_whole_is_asked_for_in_halves() {
    let names: Vec<String> = (0..64).map(|number| format!("/{number}")).collect();
    let objects: Vec<_> = names.iter().map(|name| (name.as_str(), "", "")).collect();
    let long = format!("/{}", "x".repeat(100));
    type Trouble = fn(&mut crate::host::World);
    type Bad<'a> = Option<(&'a str, ErrorKind)>;
    let cases: [(&str, Trouble, Bad<'_>, usize); 3] = [
        (
            "a wrong name",
            |world| drop(world.objects.insert(path("/7"), object("/seven", "", ""))),
            Some(("/7", ErrorKind::InvalidAnswer)),
            13,
        ),
        ("too many", |world| world.bearable = 16, None, 7),
        ("a long path", |world| world.sendable = 50, Some((&long, ErrorKind::Local)), 6),
    ];
    for (case, trouble, bad, requests) in cases {
        let host = Host::with(&objects);
        host.world(|world| {
            world.capabilities.limits.fetch_entries = 64;
            trouble(world);
        });
        let client = host.client();
        let mut entries: Vec<_> = names.iter().map(|name| path(name)).collect();
        if case == "a long path" {
            entries[7] = path(&long);
        }
        let hold = host.hold();
        let (results, other, ()) =
            tokio::join!(client.fetch_many(&entries), ask_for(&client, "/8"), async { drop(hold) });
        assert_eq!(other.map(|found| found.entry().clone()).ok(), Some(path("/8")), "{case}");
        for (result, entry) in results.iter().zip(&entries) {
            let failed = result.as_ref().err().map(|error| (entry.as_str(), error.kind()));
            let expected = bad.filter(|(bad, _)| *bad == entry.as_str());
            assert_eq!(failed, expected, "{case}: {entry}");
        }
        assert_eq!(host.asked().len(), requests, "{case}");
    }
}

/// The Host is not asked for halves of what it cannot answer at all.
#[tokio::test]
async fn a_batch_that_would_fail_in_parts_too_fails_at_once() {
    let host = Host::with(&[("/a", "A", "1"), ("/b", "B", "1")]);
    let detail = "refused".to_owned();
    host.world(|world| {
        world.lost.push_back(TransportError::NotSent(NotSent::Unreachable { detail, source: None }));
    });
    let results = host.client().fetch_many(&[path("/a"), path("/b")]).await;
    assert!(results.iter().all(Result::is_err));
    assert_eq!(host.asked(), [Asked::Fetch(2)]);
}
