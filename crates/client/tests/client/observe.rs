//! Observations: what they say of the world, and that nothing changes them.

use worldspace_client::{Change, ErrorKind, Freshness, MemberChange, Settings, StateTag};
use worldspace_model::{ErrorCode, NotSent, Principal, TransportError};

use crate::host::{Asked, Host, path, tree_request};

#[tokio::test]
async fn many_entries_are_asked_for_in_as_few_requests_as_the_host_allows() {
    let names: Vec<String> = (0..10).map(|number| format!("/{number}")).collect();
    let objects: Vec<_> = names.iter().map(|name| (name.as_str(), "", "")).collect();
    let host = Host::with(&objects);
    let mut entries: Vec<_> = names.iter().map(|name| path(name)).collect();
    entries.insert(3, path("/gone"));
    entries.push(path("/0"));
    let results = host.client().fetch_many(&entries).await;
    // Eleven different entries, four at a time.
    assert_eq!(host.asked(), [Asked::Fetch(4), Asked::Fetch(4), Asked::Fetch(3)]);
    assert_eq!(results.len(), entries.len());
    for (result, entry) in results.iter().zip(&entries) {
        match result {
            Ok(observation) => assert_eq!(observation.entry(), entry),
            Err(error) => {
                assert_eq!((error.kind(), entry), (ErrorKind::Protocol(ErrorCode::NotFound), &path("/gone")));
            }
        }
    }
    assert_eq!(host.principals()[0], Principal::new("ada"), "the connection has its own principal");
}

#[tokio::test]
async fn an_observation_tells_what_changed_and_never_changes_itself() {
    let host = Host::with(&[("/a", "A", "1")]);
    let client = host.client();
    let first = client.fetch(&path("/a")).await.unwrap();
    assert_eq!(*first.change(), Change::First);
    let again = client.fetch(&path("/a")).await.unwrap();
    assert_eq!(*again.change(), Change::Unchanged);
    assert_eq!(first.tag(), again.tag());

    host.put("/a", "A", "2");
    host.world(|world| world.objects.get_mut(&path("/a")).unwrap().description = Some("new".into()));
    let updated = client.fetch(&path("/a")).await.unwrap();
    assert!(matches!(updated.change(), Change::Updated { before } if before == first.object()));
    let description = MemberChange::Description { before: None, after: Some("new".into()) };
    assert_eq!(updated.changes(), [description, MemberChange::State]);
    assert_ne!(first.tag(), updated.tag());

    assert_eq!(first.freshness(), Freshness::Fresh, "a held snapshot is what it was");
    assert_eq!(first.object().description, None);
    assert_eq!(client.freshness(&first), Freshness::Stale);
    assert_eq!(client.freshness(&updated), Freshness::Fresh);
}

#[tokio::test]
async fn the_same_ref_at_a_new_path_is_a_move_and_a_new_ref_at_a_known_one_voids_what_is_below() {
    let host = Host::with(&[("/a", "A", "1"), ("/a/x", "X", "1"), ("/a/y", "", "")]);
    let client = host.client();
    client.tree(&tree_request("/", 9, 99, None)).await.unwrap();
    let shown = client.known(&path("/a/x")).unwrap();

    host.put("/b", "A", "2");
    let moved = client.fetch(&path("/b")).await.unwrap();
    let Change::Moved { from, displaced: None, .. } = moved.change() else { panic!("{moved:?}") };
    assert_eq!(*from, path("/a"));
    assert!(matches!(moved.changes()[..], [MemberChange::Name { .. }, MemberChange::State]));
    for left in ["/a", "/a/x", "/a/y"] {
        assert_eq!(client.known(&path(left)).unwrap().freshness(), Freshness::Stale, "{left}");
    }

    host.put("/a", "other", "1");
    let replaced = client.fetch(&path("/a")).await.unwrap();
    assert!(matches!(replaced.change(), Change::Replaced { .. }));
    assert!(client.known(&path("/a/x")).is_none());
    assert!(client.known(&path("/a/y")).is_none());
    assert_eq!(client.freshness(&shown), Freshness::Stale);
    let found = client.fetch(&path("/a/x")).await.unwrap();
    assert_eq!(*found.change(), Change::First);
}

#[tokio::test]
async fn one_object_at_two_entries_has_not_moved() {
    let host =
        Host::with(&[("/a", "A", "1"), ("/b", "B", "1"), ("/a/same", "S", "1"), ("/b/same", "S", "1")]);
    let client = host.client();
    for change in [Change::First, Change::Unchanged, Change::Unchanged] {
        let tree = client.tree(&tree_request("/", 9, 99, None)).await.unwrap();
        assert!(tree.observations().iter().all(|observation| *observation.change() == change));
    }
    assert_eq!(client.known(&path("/a/same")).unwrap().freshness(), Freshness::Fresh);
}

#[tokio::test]
async fn gone_and_unreachable_are_told_apart() {
    let host = Host::with(&[("/a", "A", "1"), ("/a/x", "X", "1"), ("/b", "B", "1")]);
    let client = host.client();
    client.tree(&tree_request("/", 9, 99, None)).await.unwrap();

    let detail = "refused".to_owned();
    let unreachable = TransportError::NotSent(NotSent::Unreachable { detail, source: None });
    host.world(|world| world.lost.push_back(unreachable));
    let error = client.fetch(&path("/b")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    assert_eq!(client.known(&path("/b")).unwrap().freshness(), Freshness::Failed);

    host.remove("/a");
    let error = client.fetch(&path("/a")).await.unwrap_err();
    assert_eq!(error.kind().name(), "not_found");
    assert_eq!(client.known(&path("/a")).unwrap().freshness(), Freshness::Missing);
    assert_eq!(client.known(&path("/a/x")).unwrap().freshness(), Freshness::Stale);
    client.fetch(&path("/b")).await.unwrap();
    assert_eq!(client.known(&path("/b")).unwrap().freshness(), Freshness::Fresh);
}

#[tokio::test]
async fn an_older_answer_never_overwrites_a_newer_one() {
    let host = Host::with(&[("/a", "A", "1")]);
    let client = host.client();
    // Two requests that are not shared: a tree, and an Object in it.
    let hold = host.hold();
    let older = tokio::spawn({
        let client = client.clone();
        async move { client.tree(&tree_request("/", 1, 9, None)).await }
    });
    while host.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    host.put("/a", "A", "2");
    let newer = client.fetch(&path("/a")).await.unwrap();
    hold.send(()).unwrap();
    let older = older.await.unwrap().unwrap();
    assert_eq!(*older.observations()[1].change(), Change::Overtaken);
    let known = client.known(&path("/a")).unwrap();
    assert_eq!((known.revision(), known.tag()), (newer.revision(), newer.tag()));
}

#[tokio::test]
async fn what_is_let_go_was_not_deleted() {
    let host = Host::with(&[("/a", "A", "1"), ("/b", "B", "1"), ("/c", "C", "1")]);
    let mut settings = Settings::default();
    settings.known_entries = 2;
    let client = host.client_with(settings);
    let shown = client.fetch(&path("/a")).await.unwrap();
    client.fetch(&path("/b")).await.unwrap();
    client.fetch(&path("/c")).await.unwrap();
    assert!(client.known(&path("/a")).is_none());
    assert!(client.known(&path("/c")).is_some());
    assert_eq!(client.freshness(&shown), Freshness::Fresh);
    let tree = client.tree(&tree_request("/", 1, 9, None)).await.unwrap();
    assert_eq!(tree.observations().len(), 4, "an answer is whole, whatever is remembered of it");
}

#[tokio::test]
async fn a_contradiction_is_refused_once_and_then_forgotten() {
    let host = Host::with(&[("/a", "A", "1")]);
    let client = host.client();
    client.fetch(&path("/a")).await.unwrap();
    host.world(|world| world.objects.get_mut(&path("/a")).unwrap().description = Some("other".into()));
    let error = client.fetch(&path("/a")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidAnswer);
    client.fetch(&path("/a")).await.unwrap();
}

#[tokio::test]
async fn a_tag_stands_for_ref_and_state_alone() {
    let host = Host::with(&[
        ("/a", "A", "1"),
        ("/d/a", "A", "1"),
        ("/b", "B", "1"),
        ("/c", "", "1"),
        ("/e", "E", ""),
    ]);
    let client = host.client();
    let mut tags = Vec::new();
    for entry in ["/a", "/d/a", "/b", "/c", "/e"] {
        tags.push(client.fetch(&path(entry)).await.unwrap().tag());
    }
    assert_eq!(tags[0], tags[1], "one Object, one tag, at every entry");
    assert!(tags[0] != tags[2] && tags[0] != tags[3]);
    assert_eq!(tags[4], None);
    let text = tags[0].unwrap().to_string();
    assert_eq!(text.len(), 10);
    assert!(
        text.bytes()
            .all(|byte| byte.is_ascii_lowercase() && !b"ilou".contains(&byte) || byte.is_ascii_digit())
    );
    assert_eq!(text.parse::<StateTag>().ok(), tags[0]);
}
