//! Trees against the naive statement of SPEC 2.1.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use worldspace_host::*;
use worldspace_model::*;
use worldspace_testkit::suite::naive::{self, Line, Node, lines};

use crate::scripted::{Scripted, worlds};
use crate::support::*;

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// Order, truncation, causes and expansions at every depth and limit, whatever the page size, for a mount at the
    /// root and below it.
    #[test]
    fn fetch_tree_is_the_naive_tree(
        world in scripted(), depth in 0u32..6, limit in 1u32..80, at in places(),
    ) {
        let root = world.root.clone();
        let host = Host::builder().mount(entry(at), world).build().unwrap();
        let found = run(tree(&host, at, depth, limit, None)).unwrap();
        prop_assert_eq!(lines(&found, &entry(at)), naive::fetch_tree(&root, depth, limit as usize, None));
    }

    /// Going on behind any child, one that is gone included, gives what stands behind it, or says that it is gone.
    #[test]
    fn after_resumes_behind_a_child(world in scripted(), depth in 1u32..4, limit in 1u32..30, at in places()) {
        let (root, by_name) = (world.root.clone(), world.by_name);
        let host = Host::builder().mount(entry(at), world).build().unwrap();
        let there: Vec<&str> = root.readable().0.iter().map(|child| &*child.name).collect();
        for after in there.iter().copied().chain(["a", "n2x", "z"]) {
            let found = run(tree(&host, at, depth, limit, Some(after)));
            if !by_name && !there.contains(&after) && root.readable().1 {
                continue; // The provider fails before or behind it, and may say either.
            }
            if by_name || there.contains(&after) {
                let expected = naive::fetch_tree(&root, depth, limit as usize, Some(after));
                prop_assert_eq!(lines(&found.unwrap(), &entry(at)), expected, "after {}", after);
            } else {
                prop_assert_eq!(found.unwrap_err().code, ErrorCode::InvalidRequest);
            }
        }
    }

    /// `observe` is the whole subtree or an error, never a part of it.
    #[test]
    fn observe_is_whole_or_fails(world in scripted(), depth in 0u32..6) {
        let root = world.root.clone().without_vanishing();
        let host = Host::builder().mount(entry("/"), world).build().unwrap();
        let asked = ObserveRequest { path: entry("/"), depth };
        let found = run(host.observe(anyone(), asked.clone()));
        let (expected, causes) = naive::fetch_tree(&root, depth, usize::MAX, None);
        if causes.contains("unavailable") {
            prop_assert_eq!(found.unwrap_err().code, ErrorCode::Internal);
        } else {
            let found = found.unwrap();
            found.check_observe(&asked).unwrap();
            let names = |lines: Vec<Line>| lines.into_iter().map(|line| (line.0, line.1)).collect::<Vec<_>>();
            prop_assert_eq!(names(lines(&found, &entry("/")).0), names(expected));
        }
    }
}

fn scripted() -> impl Strategy<Value = Scripted> {
    (worlds(), 1usize..9, any::<bool>()).prop_map(|(root, page, by_name)| Scripted { root, page, by_name })
}

/// Where a provider may be mounted: at the root and below it.
fn places() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["/", "/a/b"])
}

fn wide(count: usize) -> Node {
    let child = |at| Node { name: format!("n{at:05}"), known_leaf: true, ..Node::default() };
    Node { children: (0..count).map(child).collect(), ..Node::default() }
}

#[tokio::test]
async fn a_gone_child_to_resume_behind_is_told_as_such() {
    let host = Host::builder()
        .mount(entry("/"), Scripted { root: wide(3), page: 2, by_name: false })
        .build()
        .unwrap();
    let error = tree(&host, "/", 1, 10, Some("nobody")).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidRequest);
    assert!(error.message.as_str().contains("start again"), "{error}");
}

#[tokio::test]
async fn limits_of_the_host_are_said_to_be_the_hosts() {
    let limits = HostLimits { tree_nodes: 5, tree_depth: 2, fetch_entries: 2, ..HostLimits::default() };
    let deep = |name: &str, children| Node { name: name.into(), children, ..Node::default() };
    let root = deep("", vec![deep("a", vec![deep("b", vec![deep("c", vec![])])])]);
    let host = Host::builder()
        .mount(entry("/wide"), Scripted { root: wide(9), page: 4, by_name: false })
        .mount(entry("/deep"), Scripted { root, page: 4, by_name: false })
        .limits(limits)
        .build()
        .unwrap();
    let found = tree(&host, "/wide", 9, 100, None).await.unwrap();
    assert_eq!((found.nodes().len(), found.first().expansion), (5, Expansion::Partial));
    assert_eq!(found.truncated_by(), Causes::from_iter([Cause::HostLimit]));
    let found = tree(&host, "/wide", 9, 3, None).await.unwrap();
    assert_eq!(found.truncated_by(), Causes::from_iter([Cause::Limit]));
    let found = tree(&host, "/deep", 9, 100, None).await.unwrap();
    assert_eq!((found.nodes().len(), found.truncated_by()), (3, Causes::from_iter([Cause::HostLimit])));

    for (path, depth) in [("/wide", 1), ("/deep", 9)] {
        let error = host.observe(anyone(), ObserveRequest { path: entry(path), depth }).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::ResourceLimitExceeded, "{path}");
    }
    let three = FetchRequest { entries: vec![Ok(entry("/")), Ok(entry("/wide")), Ok(entry("/deep"))] };
    assert_eq!(host.fetch(anyone(), three).await.unwrap_err().code, ErrorCode::ResourceLimitExceeded);
}

/// Counts what is read, and hangs where it is told to.
#[derive(Clone, Default)]
struct Counting {
    children_read: Arc<AtomicUsize>,
    asked_for: Arc<AtomicUsize>,
    at_once: Arc<AtomicUsize>,
    most_at_once: Arc<AtomicUsize>,
    hangs: Option<&'static str>,
}

impl Provider for Counting {
    async fn object(&self, _: &Context, _: &LocalPath) -> Result<Published, ProviderError> {
        Ok(Published::new())
    }

    async fn children(
        &self,
        _: &Context,
        path: &LocalPath,
        after: Option<&Segment>,
        most: usize,
    ) -> Result<Page, ProviderError> {
        if self.hangs == Some(path.as_str()) {
            std::future::pending::<()>().await;
        }
        self.children_read.fetch_add(1, Ordering::SeqCst);
        self.asked_for.fetch_add(most, Ordering::SeqCst);
        let now = self.at_once.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_at_once.fetch_max(now, Ordering::SeqCst);
        tokio::task::yield_now().await;
        self.at_once.fetch_sub(1, Ordering::SeqCst);
        // A million children, each with a million of its own.
        let from = after.map_or(0, |after| after.as_str().parse::<usize>().unwrap() + 1);
        let children =
            (from..from + most).map(|at| (segment(&format!("{at:07}")), Published::new())).collect();
        Ok(Page::by_name(children, true))
    }
}

/// Twenty children at the top, three below each of them, and none below those.
struct Few(Counting);

impl Provider for Few {
    async fn object(&self, context: &Context, path: &LocalPath) -> Result<Published, ProviderError> {
        self.0.object(context, path).await
    }

    async fn children(
        &self,
        context: &Context,
        path: &LocalPath,
        after: Option<&Segment>,
        most: usize,
    ) -> Result<Page, ProviderError> {
        self.0.children(context, path, after, most).await?;
        let names: Vec<_> = match path.segments().count() {
            0 => (0..20).map(|at| segment(&at.to_string())).collect(),
            1 => (0..3).map(|at| segment(&at.to_string())).collect(),
            _ => Vec::new(),
        };
        Page::of(&names, after, most, |_| Ok(Published::new()))
    }
}

#[tokio::test]
async fn a_tree_costs_what_it_returns_and_not_what_there_is() {
    for limit in [1u32, 2, 10, 100, 1_000] {
        let counting = Counting::default();
        let host = Host::builder().mount(entry("/"), counting.clone()).build().unwrap();
        let found = tree(&host, "/", 5, limit, None).await.unwrap();
        assert_eq!(found.nodes().len(), limit as usize);
        let asked = counting.asked_for.load(Ordering::SeqCst);
        assert!(asked <= limit as usize + 1, "{asked} children asked for with limit {limit}");
    }
}

#[tokio::test]
async fn independent_reads_of_one_level_run_at_once_and_within_the_room() {
    for (limit, expected) in [(60, 1..=1), (10_000, 8..=8)] {
        let counting = Counting::default();
        let host = Host::builder().mount(entry("/"), Few(counting.clone())).build().unwrap();
        tree(&host, "/", 2, limit, None).await.unwrap();
        let at_once = counting.most_at_once.load(Ordering::SeqCst);
        assert!(expected.contains(&at_once), "{at_once} reads at once with limit {limit}");
    }
}

#[tokio::test]
async fn a_deadline_cuts_the_tree_and_says_so() {
    let request = FetchTreeRequest::new(entry("/"), 3, 300, None).unwrap();
    let few = Few(Counting { hangs: Some("/1"), ..Counting::default() });
    let host = Host::builder().mount(entry("/"), few).build().unwrap();
    let found = host.fetch_tree(within(Duration::from_millis(800)), request.clone()).await.unwrap();
    found.check_fetch_tree(&request).unwrap();
    assert_eq!(found.truncated_by(), Causes::from_iter([Cause::Deadline]));
    // What hangs is not explored; what stands behind it is, in the time that is left.
    let expansions: Vec<_> = found.nodes()[..4].iter().map(|node| node.expansion).collect();
    assert_eq!(
        expansions,
        [Expansion::Complete, Expansion::Complete, Expansion::Unexplored, Expansion::Complete]
    );

    let hangs = Host::builder()
        .mount(entry("/"), Counting { hangs: Some("/"), ..Counting::default() })
        .build()
        .unwrap();
    let found = hangs.fetch_tree(within(Duration::from_millis(50)), request).await.unwrap();
    assert_eq!(found.nodes().len(), 1);
    assert_eq!(found.truncated_by(), Causes::from_iter([Cause::Deadline]));
}

#[tokio::test]
async fn entries_unread_at_the_deadline_are_told_one_by_one() {
    struct Hangs;
    impl Provider for Hangs {
        async fn object(&self, _: &Context, path: &LocalPath) -> Result<Published, ProviderError> {
            match path.as_str() {
                "/slow" => std::future::pending().await,
                "/panics" => panic!("scripted"),
                "/none" => Err(ProviderError::NotFound),
                _ => Ok(Published::new()),
            }
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
    let host = Host::builder().mount(entry("/"), Hangs).build().unwrap();
    let entries = ["/a", "/slow", "nonsense", "/none", "/panics", "/b"].map(EntryPath::parse).to_vec();
    let answer = host.fetch(within(Duration::from_millis(80)), FetchRequest { entries }).await.unwrap();
    let codes: Vec<_> =
        answer.results.into_iter().map(|result| result.err().map(|error| error.code)).collect();
    let expected = [
        None,
        Some(ErrorCode::ResourceLimitExceeded),
        Some(ErrorCode::InvalidRequest),
        Some(ErrorCode::NotFound),
        Some(ErrorCode::Internal),
        None,
    ];
    assert_eq!(codes, expected);
}
