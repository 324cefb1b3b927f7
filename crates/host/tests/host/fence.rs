//! The truth about outcomes (SPEC 2.3): every fault, before and behind the fence.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use worldspace_host::*;
use worldspace_model::*;

use crate::support::*;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Misdeed {
    Nothing,
    Refuses,
    Panics,
    Hangs,
    WrongResult,
    RollsBack,
    DoesNotKnow,
}

/// A world whose `bump` misbehaves before or behind the fence, and remembers whether its effect happened.
struct Faulty {
    host: Host,
    effect: Arc<AtomicBool>,
    behind: Arc<Notify>,
    go_on: Arc<Notify>,
    finished: Arc<Notify>,
}

fn faulty(before: Misdeed, behind: Misdeed) -> Faulty {
    let memory = Memory::new();
    let effect = Arc::new(AtomicBool::new(false));
    let (reached, go_on, finished) =
        (Arc::new(Notify::new()), Arc::new(Notify::new()), Arc::new(Notify::new()));
    let shared = (effect.clone(), reached.clone(), go_on.clone(), finished.clone());
    memory.serve(at_root("note"), note(), move |_, call| {
        let (effect, reached, go_on, finished) = shared.clone();
        async move {
            match before {
                Misdeed::Nothing => {}
                Misdeed::Refuses => return Err(Refusal::Limit("scripted".into())),
                Misdeed::Panics => panic!("scripted"),
                Misdeed::Hangs => std::future::pending().await,
                Misdeed::WrongResult => return Ok(call.done("not unit".into())),
                Misdeed::RollsBack | Misdeed::DoesNotKnow => return Err(Refusal::failed("scripted")),
            }
            call.fence(None, async {
                effect.store(true, Ordering::SeqCst);
                reached.notify_one();
                match behind {
                    Misdeed::Nothing => Fate::Done { result: Value::Unit, after: After::Unchanged },
                    Misdeed::Refuses | Misdeed::DoesNotKnow => Fate::unknown("scripted"),
                    Misdeed::Panics => panic!("scripted"),
                    Misdeed::Hangs => {
                        go_on.notified().await;
                        finished.notify_one();
                        Fate::Done { result: Value::Unit, after: After::Unchanged }
                    }
                    Misdeed::WrongResult => Fate::Done { result: "not unit".into(), after: After::Unchanged },
                    Misdeed::RollsBack => {
                        effect.store(false, Ordering::SeqCst);
                        Fate::RolledBack(Refusal::failed("scripted"))
                    }
                }
            })
            .await
        }
    });
    publish(&memory, "/n", "note");
    Faulty { host: mounted(&memory), effect, behind: reached, go_on, finished }
}

impl Faulty {
    async fn call(&self, time: Duration) -> Result<CallAnswer, ProtocolError> {
        let head = ready_call(&self.host, "/m/n", "/m", "note", "bump").await;
        self.host.call_operation(within(time), with(head, &[])).await
    }
}

#[tokio::test]
async fn the_answer_tells_the_truth_about_the_effect() {
    use ErrorCode::{Internal, OperationOutcomeUnknown, ResourceLimitExceeded};
    use Misdeed::*;
    let cases = [
        (Nothing, Nothing, None),
        (Refuses, Nothing, Some(ResourceLimitExceeded)),
        (Panics, Nothing, Some(Internal)),
        (Hangs, Nothing, Some(ResourceLimitExceeded)),
        (WrongResult, Nothing, Some(Internal)),
        (DoesNotKnow, Nothing, Some(Internal)),
        (Nothing, Panics, Some(OperationOutcomeUnknown)),
        (Nothing, Hangs, Some(OperationOutcomeUnknown)),
        (Nothing, WrongResult, Some(OperationOutcomeUnknown)),
        (Nothing, RollsBack, Some(Internal)),
        (Nothing, DoesNotKnow, Some(OperationOutcomeUnknown)),
    ];
    for (before, behind, code) in cases {
        let world = faulty(before, behind);
        let answer = world.call(Duration::from_millis(200)).await;
        assert_eq!(answer.as_ref().err().map(|error| error.code), code, "{before:?}/{behind:?}: {answer:?}");
        let happened = world.effect.load(Ordering::SeqCst);
        let promised_nothing = code.is_some_and(|code| code != OperationOutcomeUnknown);
        assert!(!(promised_nothing && happened), "{before:?}/{behind:?} hides an effect");
        assert_eq!(
            happened,
            before == Nothing && behind != RollsBack,
            "{before:?}/{behind:?} reached its point"
        );
    }
}

#[tokio::test]
async fn a_caller_that_leaves_behind_the_fence_does_not_stop_the_call() {
    let world = Arc::new(faulty(Misdeed::Nothing, Misdeed::Hangs));
    let calling = tokio::spawn({
        let world = world.clone();
        async move { world.call(Duration::from_secs(20)).await }
    });
    tokio::time::timeout(Duration::from_secs(10), world.behind.notified())
        .await
        .expect("the fence is crossed");
    calling.abort();
    assert!(calling.await.unwrap_err().is_cancelled());
    world.go_on.notify_one();
    tokio::time::timeout(Duration::from_secs(10), world.finished.notified()).await.expect("the call ran on");
}

#[tokio::test]
async fn a_caller_that_leaves_before_the_fence_stops_the_call() {
    let memory = Memory::new();
    let (started, go_on, tried) = (Arc::new(Notify::new()), Arc::new(Notify::new()), Arc::new(Notify::new()));
    let crossed = Arc::new(AtomicBool::new(false));
    let shared = (started.clone(), go_on.clone(), tried.clone(), crossed.clone());
    memory.serve(at_root("note"), note(), move |context: Context, call: Call| {
        let (started, go_on, tried, crossed) = shared.clone();
        async move {
            // On a thread of its own, as a blocking provider works: aborting the task does not reach it.
            let handle = tokio::runtime::Handle::current();
            let thread = tokio::task::spawn_blocking(move || {
                started.notify_one();
                handle.block_on(go_on.notified());
                assert!(context.is_cancelled());
                let done = call.fence_blocking(None, || {
                    crossed.store(true, Ordering::SeqCst);
                    Fate::Done { result: Value::Unit, after: After::Unchanged }
                });
                tried.notify_one();
                done
            });
            thread.await.unwrap()
        }
    });
    publish(&memory, "/n", "note");
    let host = mounted(&memory);
    let head = ready_call(&host, "/m/n", "/m", "note", "bump").await;
    let calling = tokio::spawn(async move { host.call_operation(anyone(), with(head, &[])).await });
    started.notified().await;
    calling.abort();
    assert!(calling.await.unwrap_err().is_cancelled());
    go_on.notify_one();
    tokio::time::timeout(Duration::from_secs(10), tried.notified()).await.unwrap();
    assert!(!crossed.load(Ordering::SeqCst), "the effect ran though its caller had gone before");
}

#[tokio::test]
async fn an_operation_cannot_cross_against_its_declared_effects() {
    let memory = Memory::new();
    memory.serve(at_root("note"), note(), |_, call| async {
        call.fence(None, async { Fate::unknown("must not run") }).await
    });
    publish(&memory, "/n", "note");
    let host = mounted(&memory);
    for (operation, arguments) in [("read", vec![]), ("set", vec![("text", "a".into())])] {
        let head = ready_call(&host, "/m/n", "/m", "note", operation).await;
        let error = host.call_operation(anyone(), with(head, &arguments)).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::Internal, "{operation}");
        assert!(
            !error.message.as_str().contains("declared"),
            "the caller is not told of the provider's mistake"
        );
    }
}
