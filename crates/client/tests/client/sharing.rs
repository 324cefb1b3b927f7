//! Who asks for one thing at one time shares one exchange, and giving up harms nobody else.

use worldspace_client::{Client, ClientError, Observation};

use crate::host::{Asked, Host, answer, closed, issue, path, reason, tree_request};

type Asking = tokio::task::JoinHandle<Result<Observation, ClientError>>;

fn ask(client: &Client) -> Asking {
    let client = client.clone();
    tokio::spawn(async move { client.fetch(&path("/a")).await })
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
