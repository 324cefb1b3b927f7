//! A Host that only speaks the three interactions of [v1] looks the same.

use proptest::prelude::*;
use worldspace_client::ErrorKind;
use worldspace_model::{
    Cause, ErrorCode, Expansion, InterfaceList, InterfaceReference, NotSent, Object, TransportError,
};

use crate::host::{Asked, Host, object, path, tree_request};

const WORLD: &[(&str, &str, &str)] = &[
    ("/a", "", ""),
    ("/a/x", "", ""),
    ("/a/y", "", ""),
    ("/b", "", ""),
    ("/b/z", "", ""),
    ("/b/z/w", "", ""),
];

#[tokio::test]
async fn fetching_is_an_observe_of_depth_0_each() {
    let host = Host::v1(WORLD);
    let results = host.client().fetch_many(&[path("/a"), path("/no"), path("/b")]).await;
    let found: Vec<bool> = results.iter().map(Result::is_ok).collect();
    assert_eq!(found, [true, false, true]);
    let asked = ["/a", "/no", "/b"].map(|entry| Asked::Observe(path(entry), 0));
    assert_eq!(host.asked(), asked);
}

#[tokio::test]
async fn a_limit_is_a_limit_on_requests_too() {
    let host = Host::v1(WORLD);
    let client = host.client();
    let tree = client.tree(&tree_request("/", 9, 3, None)).await.unwrap();
    assert_eq!(tree.observations().len(), 3);
    assert_eq!(host.asked(), [Asked::Observe(path("/"), 1)]);
    client.tree(&tree_request("/", 9, 1, None)).await.unwrap();
    assert_eq!(host.asked(), [Asked::Observe(path("/"), 0)]);
}

#[tokio::test]
async fn a_node_that_cannot_be_read_stays_unexplored_and_says_why() {
    let cases = [
        (ErrorCode::ResourceLimitExceeded, Cause::HostLimit),
        (ErrorCode::NotFound, Cause::Unavailable),
        (ErrorCode::Internal, Cause::Unavailable),
    ];
    for (code, cause) in cases {
        let host = Host::v1(WORLD);
        host.world(|world| world.errors.insert(path("/a"), code));
        let tree = host.client().tree(&tree_request("/", 9, 99, None)).await.unwrap();
        assert_eq!(tree.truncated_by().iter().collect::<Vec<_>>(), [cause]);
        let expansions: Vec<_> =
            tree.items().map(|item| (item.observation.entry().to_string(), item.expansion)).collect();
        assert_eq!(expansions[1], ("/a".to_owned(), Expansion::Unexplored));
        assert_eq!(expansions.last(), Some(&("/b/z/w".to_owned(), Expansion::Leaf)), "the rest is there");
    }
}

#[tokio::test]
async fn a_top_that_is_too_large_is_shown_alone() {
    let host = Host::v1(WORLD);
    host.world(|world| world.trees.push_back(crate::host::error(ErrorCode::ResourceLimitExceeded)));
    let tree = host.client().tree(&tree_request("/", 9, 99, None)).await.unwrap();
    assert_eq!((tree.observations().len(), tree.truncated_by().has(Cause::HostLimit)), (1, true));
}

#[tokio::test]
async fn a_host_that_goes_away_midway_is_not_asked_for_every_node() {
    let host = Host::v1(WORLD);
    let client = host.client();
    let detail = "refused".to_owned();
    host.world(|world| {
        world.passing = 1;
        world.lost.push_back(TransportError::NotSent(NotSent::Unreachable { detail, source: None }));
    });
    let tree = client.tree(&tree_request("/", 9, 99, None)).await.unwrap();
    assert_eq!(tree.observations().len(), 3);
    assert_eq!(tree.truncated_by().iter().collect::<Vec<_>>(), [Cause::Unavailable]);
    assert_eq!(host.asked(), [Asked::Observe(path("/"), 1), Asked::Observe(path("/a"), 1)]);
}

#[tokio::test]
async fn a_node_whose_answer_is_invalid_takes_no_other_along() {
    let host = Host::v1(WORLD);
    // `/a/x` publishes what it cannot, so that the children of `/a` cannot be read.
    let foreign = InterfaceReference::parse("/b", "i").unwrap();
    let interfaces = InterfaceList::new(vec![foreign]).unwrap();
    let wrong = Object { interfaces, ..object("/a/x", "", "") };
    host.world(|world| world.objects.insert(path("/a/x"), wrong));
    let client = host.client();
    let tree = client.tree(&tree_request("/", 9, 99, None)).await.unwrap();
    assert_eq!(tree.truncated_by().iter().collect::<Vec<_>>(), [Cause::Unavailable]);
    let expansions: Vec<_> =
        tree.items().map(|item| (item.observation.entry().to_string(), item.expansion)).collect();
    assert_eq!(expansions[1], ("/a".to_owned(), Expansion::Unexplored));
    assert_eq!(expansions.last(), Some(&("/b/z/w".to_owned(), Expansion::Leaf)), "the rest is there");

    let error = client.tree(&tree_request("/a", 9, 99, None)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidAnswer, "the top is what was asked for");
}

/// Every path repeats the names above it, so that a deep chain of long names is much more than its names.
#[tokio::test]
async fn a_chain_of_long_names_ends_somewhere() {
    let mut entry = String::new();
    let mut chain = Vec::new();
    for _ in 0..50 {
        entry.push('/');
        entry.push_str(&"x".repeat(128 << 10));
        chain.push(entry.clone());
    }
    let objects: Vec<_> = chain.iter().map(|entry| (entry.as_str(), "", "")).collect();
    let host = Host::v1(&objects);
    let tree = host.client().tree(&tree_request("/", 1_000, 1_000, None)).await.unwrap();
    assert_eq!(tree.truncated_by().iter().collect::<Vec<_>>(), [Cause::Unavailable]);
    let bytes: usize = tree.observations().iter().map(|node| node.entry().as_str().len()).sum();
    assert!(bytes > 60 << 20 && bytes < 70 << 20, "{bytes}");
}

#[tokio::test]
async fn a_missing_top_fails_as_it_would_elsewhere() {
    let host = Host::v1(WORLD);
    let client = host.client();
    for (depth, limit) in [(0, 1), (1, 1), (2, 9)] {
        let error = client.tree(&tree_request("/no", depth, limit, None)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Protocol(ErrorCode::NotFound));
    }
}

/// The walk against SPEC 2.1 written down plainly. Children are in the order of their names here.
fn check(names: &[(u8, u8, u8)], depth: u32, limit: u32, after: Option<u8>) {
    let mut objects = std::collections::BTreeSet::new();
    for (a, b, c) in names {
        objects.insert(format!("/{a}"));
        objects.insert(format!("/{a}/{b}"));
        objects.insert(format!("/{a}/{b}/{c}"));
    }
    let objects: Vec<_> = objects.iter().map(|entry| (entry.as_str(), "", "")).collect();
    let host = Host::v1(&objects);
    let after = after.filter(|_| depth > 0).map(|after| after.to_string());
    let request = tree_request("/", depth, limit, after.as_deref());
    let expected = host.world(|world| world.tree(&request, false)).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let found = runtime.block_on(host.client().tree(&request)).unwrap();
    assert_eq!(*found.tree(), expected, "{request:?}");
    assert!(host.asked().len() <= limit.max(1) as usize, "one request per node at most");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn the_walk_gives_what_fetch_tree_would(
        names in prop::collection::vec((0u8..4, 0u8..3, 0u8..3), 0..12),
        depth in 0u32..5,
        limit in 1u32..30,
        after in prop::option::of(0u8..5),
    ) {
        check(&names, depth, limit, after);
    }
}
