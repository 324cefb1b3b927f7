//! Providers and callers that are hard on a Host: each costs itself something, and nobody else.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use worldspace_host::*;
use worldspace_model::*;

use crate::support::*;

/// What an awkward provider does at each turn; everything else is ordinary.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Habit {
    /// Never answers.
    Hangs,
    /// Has one child, which goes on for ever.
    RepeatsItself,
    /// Has children that are gone by the time that theirs are read.
    Vanishes,
    /// Describes everything at length.
    Talks,
    /// Says of whatever is asked that a child to go on behind is gone.
    LosesPlaces,
    /// Says of each Object that a limit keeps it from being read.
    Limits,
}

struct Awkward(Habit);

impl Provider for Awkward {
    async fn object(&self, _: &Context, path: &LocalPath) -> Result<Published, ProviderError> {
        match self.0 {
            Habit::Hangs => std::future::pending().await,
            Habit::Talks => Ok(Published::new().described("é".repeat(9_000))),
            Habit::Vanishes if !path.is_root() => Err(ProviderError::NotFound),
            Habit::LosesPlaces => Err(ProviderError::Gone),
            Habit::Limits => Err(ProviderError::Limit("seven at a time".to_owned())),
            _ => Ok(Published::new()),
        }
    }

    async fn children(
        &self,
        context: &Context,
        path: &LocalPath,
        after: Option<&Segment>,
        most: usize,
    ) -> Result<Page, ProviderError> {
        match self.0 {
            Habit::Hangs => std::future::pending().await,
            Habit::RepeatsItself => Ok(Page::in_own_order(vec![(segment("a"), Published::new())], true)),
            Habit::Vanishes if !path.is_root() => Err(ProviderError::NotFound),
            Habit::Vanishes => Ok(Page::by_name(vec![(segment("a"), Published::new())], false)),
            Habit::LosesPlaces => Err(ProviderError::Gone),
            Habit::Limits => Ok(Page::empty()),
            Habit::Talks if !path.is_root() => Ok(Page::empty()),
            Habit::Talks => {
                let names: Vec<_> = (100..200).map(|at| segment(&at.to_string())).collect();
                let object = self.object(context, path).await?;
                Page::of(&names, after, most, |_| Ok(object.clone()))
            }
        }
    }
}

fn ordinary() -> Memory {
    let memory = Memory::new();
    memory.put(&local("/a"), MemoryNode::new());
    memory
}

async fn paths_within(host: &Host, time: Duration) -> (Vec<String>, Causes) {
    let request = FetchTreeRequest::new(entry("/"), 9, 100, None).unwrap();
    let found = host.fetch_tree(within(time), request).await.unwrap();
    (found.paths(&entry("/")).iter().map(ToString::to_string).collect(), found.truncated_by())
}

/// Only whoever named a child to go on behind can be told that it is gone.
#[tokio::test]
async fn a_place_that_nobody_named_is_the_providers_mistake() {
    let host = Host::builder().mount(entry("/m"), Awkward(Habit::LosesPlaces)).build().unwrap();
    assert_eq!(object(&host, "/m/a").await.unwrap_err().code, ErrorCode::Internal);
    assert_eq!(tree(&host, "/m/a", 1, 9, None).await.unwrap_err().code, ErrorCode::Internal);
    let named = tree(&host, "/m", 1, 9, Some("a")).await.unwrap_err();
    assert_eq!(named.code, ErrorCode::InvalidRequest);
}

/// A mount point that a limit keeps from being read is there, and whoever needs what it publishes is told of the limit.
#[tokio::test]
async fn a_limit_at_a_mount_point_is_told_as_one() {
    let host = Host::builder().mount(entry("/m"), Awkward(Habit::Limits)).build().unwrap();
    assert!(object(&host, "/m").await.unwrap().interfaces.is_empty());
    let refused = interface(&host, "/m", "any").await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::ResourceLimitExceeded);
    assert!(refused.message.as_str().contains("seven at a time"), "{refused}");
    let below = tree(&host, "/", 9, 9, None).await.unwrap();
    assert_eq!(below.truncated_by(), Causes::from_iter([Cause::HostLimit]));
}

#[tokio::test]
async fn a_mount_that_hangs_hides_none_of_the_others() {
    for hanging_first in [true, false] {
        let (hangs, good) = (entry("/hangs"), entry("/good"));
        let builder = if hanging_first {
            Host::builder().mount(hangs, Awkward(Habit::Hangs)).mount(good, ordinary())
        } else {
            Host::builder().mount(good, ordinary()).mount(hangs, Awkward(Habit::Hangs))
        };
        let host = builder.build().unwrap();
        let (mut paths, causes) = paths_within(&host, Duration::from_millis(400)).await;
        paths.sort();
        assert_eq!(paths, ["/", "/good", "/good/a", "/hangs"]);
        assert_eq!(causes, Causes::from_iter([Cause::Deadline]));
        let request = FetchRequest { entries: vec![Ok(entry("/hangs"))] };
        let fetched = host.fetch(within(Duration::from_millis(200)), request).await.unwrap();
        assert_eq!(**fetched.results[0].as_ref().unwrap(), Object::bare(ObjectName::parse("hangs").unwrap()));
    }
}

#[tokio::test]
async fn what_hangs_is_late_and_not_broken() {
    let host = Host::builder().mount(entry("/hangs"), Awkward(Habit::Hangs)).build().unwrap();
    let interface = InterfaceReference::parse("/hangs", "note").unwrap();
    let request = FetchInterfaceRequest { interface: interface.clone(), effects: false };
    let error = host.fetch_interface(within(Duration::from_millis(200)), request).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::ResourceLimitExceeded);
    let head = CallHead {
        target: Target { path: entry("/hangs"), validator: None },
        interface: InterfaceTarget { reference: interface, scope_ref: None, validator: None },
        operation: "read".into(),
        key: None,
    };
    let error = host.call_operation(within(Duration::from_millis(200)), with(head, &[])).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::ResourceLimitExceeded);
    let request = ObserveRequest { path: entry("/"), depth: 2 };
    let error = host.observe(within(Duration::from_millis(200)), request).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::ResourceLimitExceeded);
}

#[tokio::test]
async fn entries_that_hang_take_no_place_from_those_behind_them() {
    let host = Host::builder().mount(entry("/"), Slow).build().unwrap();
    let entries = std::iter::once("/hangs".to_owned()).chain((0..40).map(|at| format!("/{at}")));
    let entries = entries.map(|text| EntryPath::parse(&text)).collect();
    let answer = host.fetch(within(Duration::from_millis(700)), FetchRequest { entries }).await.unwrap();
    assert_eq!(answer.results[0].as_ref().unwrap_err().code, ErrorCode::ResourceLimitExceeded);
    assert!(answer.results[1..].iter().all(Result::is_ok));

    struct Slow;
    impl Provider for Slow {
        async fn object(&self, _: &Context, path: &LocalPath) -> Result<Published, ProviderError> {
            if path.as_str() == "/hangs" {
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
            Ok(Published::new())
        }
        async fn children(
            &self,
            _: &Context,
            _: &LocalPath,
            _: Option<&Segment>,
            _: usize,
        ) -> Result<Page, ProviderError> {
            Ok(Page::empty())
        }
    }
}

#[tokio::test]
async fn a_list_that_repeats_itself_out_of_sight_ends() {
    // The one child is shadowed by a mount, so no page ever holds anything to show, and none ever waits.
    let host = Host::builder()
        .mount(entry("/"), Awkward(Habit::RepeatsItself))
        .mount(entry("/a"), ordinary())
        .build()
        .unwrap();
    let begun = Instant::now();
    let (paths, causes) = paths_within(&host, Duration::from_secs(5)).await;
    assert_eq!(paths, ["/", "/a", "/a/a"]);
    assert_eq!(causes, Causes::from_iter([Cause::Unavailable]));
    assert!(begun.elapsed() < Duration::from_secs(4), "the mistake is noticed, not waited for");
}

#[tokio::test]
async fn what_vanishes_while_it_is_observed_is_no_failure() {
    let host = Host::builder().mount(entry("/"), Awkward(Habit::Vanishes)).build().unwrap();
    let request = ObserveRequest { path: entry("/"), depth: 2 };
    let observed = host.observe(anyone(), request.clone()).await.unwrap();
    observed.check_observe(&request).unwrap();
    assert_eq!(observed.nodes().len(), 2);
    let found = tree(&host, "/", 2, 9, None).await.unwrap();
    assert_eq!(found.nodes()[1].expansion, Expansion::Unexplored);
}

#[tokio::test]
async fn answers_are_cut_to_what_their_taker_takes() {
    let host = Host::builder().mount(entry("/"), Awkward(Habit::Talks)).build().unwrap();
    let description = object(&host, "/100").await.unwrap().description.clone().unwrap();
    assert!(description.len() <= 4096 && description.ends_with('…'));
    let request = FetchTreeRequest::new(entry("/"), 2, 1_000, None).unwrap();
    for bytes in [20_000, 100_000] {
        let found = host.fetch_tree(taking(bytes), request.clone()).await.unwrap();
        let weight: usize = found.nodes().iter().map(|node| node.object.weight()).sum();
        assert!(weight < bytes && weight > bytes / 2, "{weight} of {bytes}");
        assert_eq!(found.truncated_by(), Causes::from_iter([Cause::HostLimit]));
        let entries = (100..150).map(|at| EntryPath::parse(&format!("/{at}"))).collect();
        let fetched = host.fetch(taking(bytes), FetchRequest { entries }).await.unwrap();
        let had = fetched.results.iter().filter(|result| result.is_ok()).count();
        assert!((1..50).contains(&had), "{had} fit into {bytes}");
        let left_out = fetched.results.into_iter().find_map(Result::err).unwrap();
        assert_eq!(left_out.code, ErrorCode::ResourceLimitExceeded);
    }
}

#[tokio::test]
async fn extreme_limits_are_limits_and_no_panics() {
    let limits = HostLimits {
        tree_nodes: 0,
        tree_depth: 0,
        fetch_entries: 1,
        time: Duration::MAX,
        ..HostLimits::default()
    };
    let host = Host::builder().mount(entry("/"), ordinary()).limits(limits).build().unwrap();
    let found = tree(&host, "/", u32::MAX, u32::MAX, None).await.unwrap();
    assert_eq!((found.nodes().len(), found.truncated_by().has(Cause::HostLimit)), (1, true));
    assert!(object(&host, "/a").await.is_ok());
}

#[tokio::test]
async fn nothing_is_said_of_what_an_unreadable_object_publishes() {
    struct Down(Arc<AtomicBool>, Memory);
    impl Provider for Down {
        async fn object(&self, context: &Context, path: &LocalPath) -> Result<Published, ProviderError> {
            if self.0.load(Ordering::SeqCst) {
                return Err(ProviderError::failed("down"));
            }
            self.1.object(context, path).await
        }
        async fn children(
            &self,
            context: &Context,
            path: &LocalPath,
            after: Option<&Segment>,
            most: usize,
        ) -> Result<Page, ProviderError> {
            self.1.children(context, path, after, most).await
        }
        async fn interface(&self, c: &Context, r: &LocalReference) -> Result<Interface, ProviderError> {
            self.1.interface(c, r).await
        }
        async fn call(&self, context: &Context, call: Call) -> Result<Done, Refusal> {
            Provider::call(&self.1, context, call).await
        }
    }
    let memory = Memory::new();
    memory.serve(at_root("note"), note(), |_, call| async { Ok(call.done("text".into())) });
    publish(&memory, "/", "note");
    let down = Arc::new(AtomicBool::new(false));
    let host = Host::builder().mount(entry("/m"), Down(down.clone(), memory)).build().unwrap();
    let head = ready_call(&host, "/m", "/m", "note", "read").await;
    down.store(true, Ordering::SeqCst);
    for unbound in [false, true] {
        let mut head = head.clone();
        head.target.validator = head.target.validator.filter(|_| !unbound);
        let error = host.call_operation(anyone(), with(head, &[])).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::Internal, "neither a mismatch nor a missing interface: {error}");
    }
    assert_eq!(interface(&host, "/m", "note").await.unwrap_err().code, ErrorCode::Internal);
    assert!(object(&host, "/m").await.unwrap().interfaces.is_empty());
}

#[tokio::test]
async fn a_call_behind_the_fence_is_never_told_to_stop_and_is_waited_for() {
    let memory = Memory::new();
    let (behind, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let cancelled = Arc::new(AtomicBool::new(true));
    let shared = (behind.clone(), go_on.clone(), cancelled.clone());
    memory.serve(at_root("note"), note(), move |context: Context, call: Call| {
        let (behind, go_on, cancelled) = shared.clone();
        async move {
            call.fence(None, async {
                behind.notify_one();
                go_on.notified().await;
                cancelled.store(context.is_cancelled(), Ordering::SeqCst);
                Fate::Done { result: Value::Unit, after: After::Unchanged }
            })
            .await
        }
    });
    publish(&memory, "/n", "note");
    let host = mounted(&memory);
    let head = ready_call(&host, "/m/n", "/m", "note", "bump").await;
    // The deadline passes behind the fence, and the caller goes.
    let error = host.call_operation(within(Duration::from_millis(50)), with(head, &[])).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::OperationOutcomeUnknown);
    assert!(!host.drain(Duration::from_millis(20)).await, "the call still runs");
    go_on.notify_one();
    assert!(host.drain(Duration::from_secs(10)).await, "the call ended");
    assert!(!cancelled.load(Ordering::SeqCst));
}
