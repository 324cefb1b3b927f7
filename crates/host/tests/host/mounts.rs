//! Mounts: order, shadowing, what stands between them, and what is made unique.

use worldspace_host::*;
use worldspace_model::*;
use worldspace_testkit::suite::naive::Node;

use crate::scripted::Scripted;
use crate::support::*;

fn memory(paths: &[&str]) -> Memory {
    let memory = Memory::new();
    paths.iter().for_each(|path| memory.put(&local(path), MemoryNode::new()));
    memory
}

async fn names(host: &Host, path: &str) -> Vec<String> {
    let found = tree(host, path, 1, 100, None).await.unwrap();
    found.nodes()[1..].iter().map(|node| node.object.name.to_string()).collect()
}

#[tokio::test]
async fn mount_points_come_first_and_shadow_what_the_provider_has() {
    let host = Host::builder()
        .mount(entry("/"), memory(&["/own", "/z", "/x/hidden"]))
        .mount(entry("/z"), memory(&["/in-z"]))
        .mount(entry("/x/y"), memory(&["/in-y"]))
        .build()
        .unwrap();
    assert_eq!(names(&host, "/").await, ["z", "x", "own"]);
    assert_eq!(names(&host, "/x").await, ["y", "hidden"]);
    assert_eq!(names(&host, "/z").await, ["in-z"]);
    assert!(object(&host, "/x/hidden").await.is_ok());
    assert_eq!(object(&host, "/z/own").await.unwrap_err().code, ErrorCode::NotFound);
    for (after, rest) in [("z", vec!["x", "own"]), ("x", vec!["own"]), ("own", vec![])] {
        let found = tree(&host, "/", 1, 100, Some(after)).await.unwrap();
        let names: Vec<_> = found.nodes()[1..].iter().map(|node| node.object.name.to_string()).collect();
        assert_eq!(names, rest, "after {after}");
        assert_eq!(found.first().expansion, Expansion::Complete);
    }
}

#[tokio::test]
async fn entries_between_mounts_are_bare_objects() {
    let host = Host::builder()
        .mount(entry("/a/b"), memory(&["/c"]))
        .mount(entry("/a/d"), memory(&[]))
        .build()
        .unwrap();
    for (path, children) in [("/", vec!["a"]), ("/a", vec!["b", "d"])] {
        let between = object(&host, path).await.unwrap();
        assert_eq!(*between, Object::bare(ObjectName::of(&entry(path))));
        assert_eq!(names(&host, path).await, children);
    }
    let whole = tree(&host, "/", 9, 100, None).await.unwrap();
    let paths: Vec<_> = whole.paths(&entry("/")).iter().map(ToString::to_string).collect();
    assert_eq!(paths, ["/", "/a", "/a/b", "/a/d", "/a/b/c"]);
    assert!(!whole.is_truncated());
}

#[tokio::test]
async fn a_mount_point_has_an_object_though_its_provider_is_down() {
    struct Down;
    impl Provider for Down {
        async fn object(&self, _: &Context, _: &LocalPath) -> Result<Published, ProviderError> {
            Err(ProviderError::failed("down"))
        }
        async fn children(
            &self,
            _: &Context,
            _: &LocalPath,
            _: Option<&Segment>,
            _: usize,
        ) -> Result<Page, ProviderError> {
            panic!("down")
        }
        async fn interface(&self, _: &Context, _: &LocalReference) -> Result<Interface, ProviderError> {
            Err(ProviderError::failed("down"))
        }
        async fn call(&self, _: &Context, _: Call) -> Result<Done, Refusal> {
            Err(Refusal::failed("down"))
        }
    }
    let host =
        Host::builder().mount(entry("/down"), Down).mount(entry("/up"), memory(&["/a"])).build().unwrap();
    assert_eq!(*object(&host, "/down").await.unwrap(), Object::bare(ObjectName::parse("down").unwrap()));
    assert_eq!(object(&host, "/down/x").await.unwrap_err().code, ErrorCode::Internal);
    let whole = tree(&host, "/", 9, 100, None).await.unwrap();
    assert_eq!(whole.nodes().len(), 4);
    assert_eq!(whole.nodes()[1].expansion, Expansion::Unexplored);
    assert_eq!(whole.truncated_by(), Causes::from_iter([Cause::Unavailable]));
}

#[tokio::test]
async fn refs_of_two_mounts_of_one_provider_differ_and_scopes_are_the_mounts() {
    let memory = Memory::new();
    memory.serve(at_root("note"), note(), |_, call| async { Ok(call.done(Value::Unit)) });
    publish(&memory, "/n", "note");
    let host = Host::builder().mount(entry("/a"), memory.clone()).mount(entry("/b"), memory).build().unwrap();
    let (a, b) = (object(&host, "/a/n").await.unwrap(), object(&host, "/b/n").await.unwrap());
    assert!(a.r#ref.is_some() && a.r#ref != b.r#ref);
    assert_eq!(a.interfaces[0], InterfaceReference::parse("/a", "note").unwrap());
    let fetched = interface(&host, "/b", "note").await.unwrap();
    assert_eq!(fetched.scope_ref, object(&host, "/b").await.unwrap().r#ref);
    assert_eq!(interface(&host, "/", "note").await.unwrap_err().code, ErrorCode::InterfaceNotFound);
    assert_eq!(interface(&host, "/b/n", "note").await.unwrap_err().code, ErrorCode::InterfaceNotFound);
}

#[tokio::test]
async fn equal_ref_and_validator_mean_equal_objects_across_changes() {
    let memory = memory(&["/a/b"]);
    let host = mounted(&memory);
    let mut seen = vec![object(&host, "/m/a/b").await.unwrap()];
    memory.put(&local("/a/b"), MemoryNode::new().described("changed"));
    seen.push(object(&host, "/m/a/b").await.unwrap());
    assert!(memory.rename(&local("/a/b"), &local("/a/c")));
    seen.push(object(&host, "/m/a/c").await.unwrap());
    assert!(memory.rename(&local("/a"), &local("/d/e")));
    seen.push(object(&host, "/m/d/e/c").await.unwrap());
    for (left, right) in seen.iter().zip(&seen[1..]) {
        assert_eq!(left.r#ref, right.r#ref, "a move keeps the identity");
        left.check_consistency(right).unwrap();
    }
    memory.remove(&local("/d"));
    memory.put(&local("/d/e/c"), MemoryNode::new());
    assert_ne!(
        object(&host, "/m/d/e/c").await.unwrap().r#ref,
        seen[0].r#ref,
        "another Object at a known place"
    );
}

#[test]
fn two_providers_cannot_take_one_place() {
    let taken = Host::builder().mount(entry("/a"), memory(&[])).mount(entry("/a"), memory(&[])).build();
    assert!(matches!(taken, Err(MountError::Taken(path)) if path == entry("/a")));
}

#[tokio::test]
async fn a_world_without_mounts_has_nothing() {
    let host = Host::builder().build().unwrap();
    assert_eq!(object(&host, "/").await.unwrap_err().code, ErrorCode::NotFound);
    assert_eq!(tree(&host, "/", 1, 1, None).await.unwrap_err().code, ErrorCode::NotFound);
}

/// A provider that breaks the rules of a list must not break the Host's answer for others.
#[tokio::test]
async fn siblings_of_one_name_cost_their_own_list_alone() {
    let twin = || Node { name: "twin".into(), known_leaf: true, ..Node::default() };
    let root = Node { children: vec![twin(), twin()], ..Node::default() };
    let host = Host::builder()
        .mount(entry("/bad"), Scripted { root, page: 9, by_name: false })
        .mount(entry("/good"), memory(&["/a"]))
        .build()
        .unwrap();
    let whole = tree(&host, "/", 9, 9, None).await.unwrap();
    let paths: Vec<_> = whole.paths(&entry("/")).iter().map(ToString::to_string).collect();
    assert_eq!(paths, ["/", "/bad", "/good", "/good/a"]);
    assert_eq!(whole.nodes()[1].expansion, Expansion::Unexplored);
    assert_eq!(whole.truncated_by(), Causes::from_iter([Cause::Unavailable]));
}

#[tokio::test]
async fn a_gone_child_below_a_mount_that_only_passes_through_is_told_as_such() {
    let covering =
        Host::builder().mount(entry("/"), memory(&[])).mount(entry("/x/y"), memory(&[])).build().unwrap();
    let between = Host::builder().mount(entry("/x/y"), memory(&[])).build().unwrap();
    for host in [covering, between] {
        let error = tree(&host, "/x", 1, 9, Some("nobody")).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidRequest);
        assert_eq!(tree(&host, "/x", 1, 9, Some("y")).await.unwrap().first().expansion, Expansion::Complete);
    }
}
