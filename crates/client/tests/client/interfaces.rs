//! Interfaces: held while their scope Object lives, shared, and checked against what was said of them before.

use worldspace_client::{ClientError, ErrorKind, Settings, Usage};
use worldspace_model::{
    Declaration, Descriptor, InterfaceList, InterfaceReference, OperationDeclaration, Ref, Validator,
};

use crate::host::{Asked, Host, World, issue, path, tree_request};

fn other() -> Descriptor {
    let operations = vec![OperationDeclaration::new("other")];
    Descriptor::new(Declaration { operations, ..Declaration::default() }).unwrap()
}

fn validator(text: &str) -> Option<Validator> {
    Some(Validator::new(text.as_bytes()))
}

#[tokio::test]
async fn an_interface_is_asked_for_once_and_again_when_its_scope_object_is_replaced() {
    let host = Host::with(&[("/a", "A", "1")]);
    let client = host.client();
    let first = client.interface(&issue()).await.unwrap();
    assert!(first.is_same(&client.interface(&issue()).await.unwrap()));
    assert_eq!(host.asked(), [Asked::Interface(issue(), true)]);

    host.put("/", "root", "r1");
    client.fetch(&path("/")).await.unwrap();
    assert!(first.is_same(&client.interface(&issue()).await.unwrap()), "the same scope Object lives on");

    host.put("/", "new root", "r0");
    host.world(|world| {
        world.interface.scope_ref = Some(Ref::new("new root"));
        world.interface.descriptor = other();
    });
    client.fetch(&path("/")).await.unwrap();
    host.asked();
    let second = client.interface(&issue()).await.unwrap();
    assert!(second.descriptor().operation("other").is_some());
    assert_eq!(host.asked(), [Asked::Interface(issue(), true)]);
}

/// The answer itself may be the first to say that the scope Object is another one.
#[tokio::test]
async fn a_new_scope_ref_voids_what_was_known_below_the_scope() {
    let host = Host::with(&[("/a", "A", "1")]);
    let client = host.client();
    client.tree(&tree_request("/", 1, 9, None)).await.unwrap();
    host.world(|world| world.interface.scope_ref = Some(Ref::new("new root")));
    client.interface(&issue()).await.unwrap();
    assert!(client.known(&path("/")).is_none());
    assert!(client.known(&path("/a")).is_none());
}

#[tokio::test]
async fn what_may_change_and_what_may_not() {
    type Step = fn(&mut World);
    let cases: Vec<(&str, Step, Step, bool)> = vec![
        ("no validator, one scope Object", |_| {}, |world| world.interface.descriptor = other(), false),
        (
            "no validator, another scope Object",
            |_| {},
            |world| {
                world.interface.scope_ref = Some(Ref::new("2"));
                world.interface.descriptor = other();
            },
            true,
        ),
        (
            "no validator, no identity",
            |world| world.interface.scope_ref = None,
            |world| world.interface.descriptor = other(),
            true,
        ),
        (
            "one validator",
            |world| world.interface.validator = validator("1"),
            |world| world.interface.descriptor = other(),
            false,
        ),
        (
            "another validator",
            |world| world.interface.validator = validator("1"),
            |world| {
                world.interface.validator = validator("2");
                world.interface.descriptor = other();
            },
            true,
        ),
    ];
    for (case, before, after, allowed) in cases {
        let host = Host::with(&[]);
        let client = host.client();
        host.world(before);
        client.fetch_interface(&issue()).await.unwrap();
        host.world(after);
        let result = client.fetch_interface(&issue()).await;
        match allowed {
            true => assert!(result.is_ok(), "{case}: {result:?}"),
            false => {
                assert_eq!(result.unwrap_err().kind(), ErrorKind::InvalidAnswer, "{case}");
                // Nobody knows which of the two was right, so neither is held against the next.
                client.fetch_interface(&issue()).await.unwrap();
            }
        }
    }
}

#[tokio::test]
async fn equal_descriptors_are_shared() {
    let host = Host::with(&[]);
    host.world(|world| world.interface.validator = validator("1"));
    let client = host.client();
    let first = client.fetch_interface(&issue()).await.unwrap();
    host.world(|world| {
        world.interface.validator = validator("2");
        world.interface.descriptor = Descriptor::new(first.descriptor().declaration().clone()).unwrap();
    });
    let second = client.fetch_interface(&issue()).await.unwrap();
    assert!(first.descriptor().is_same(second.descriptor()));
}

#[tokio::test]
async fn effects_are_asked_for_only_where_the_host_knows_them() {
    let host = Host::v1(&[]);
    let client = host.client();
    let interface = client.interface(&issue()).await.unwrap();
    assert_eq!(host.asked(), [Asked::Interface(issue(), false)]);
    assert!(interface.effects().is_none());
}

#[tokio::test]
async fn an_operation_finds_its_interface_where_only_one_has_it() {
    let host = Host::with(&[("/a", "A", "1")]);
    let client = host.client();
    let target = client.fetch(&path("/a")).await.unwrap();
    let found = client.resolve(&target, "close", None).await.unwrap();
    assert_eq!(*found.reference(), issue());

    let error = client.resolve(&target, "clsoe", None).await.unwrap_err();
    assert_eq!(error.kind().name(), "operation_not_found");
    assert!(error.to_string().contains("close"), "{error}");

    let foreign = InterfaceReference::parse("/a", "else").unwrap();
    let error = client.resolve(&target, "close", Some(&foreign)).await.unwrap_err();
    assert!(matches!(
        &error,
        ClientError::Usage(Usage::NotPublished { published, .. }) if *published == [issue()]
    ));
}

#[tokio::test]
async fn of_an_object_with_very_many_interfaces_one_has_to_be_named() {
    let host = Host::with(&[("/a", "A", "1")]);
    let many = (0..300).map(|number| InterfaceReference::parse("/", &format!("i{number}")).unwrap());
    let many: Vec<_> = std::iter::once(issue()).chain(many).collect();
    host.world(|world| {
        world.objects.get_mut(&path("/a")).unwrap().interfaces = InterfaceList::new(many.clone()).unwrap();
    });
    let client = host.client();
    let target = client.fetch(&path("/a")).await.unwrap();
    host.asked();

    let error = client.resolve(&target, "close", None).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(error.to_string().contains("301 interfaces") && error.to_string().contains("name"), "{error}");
    assert_eq!(host.asked(), [], "nothing is asked for in vain");
    client.resolve(&target, "close", Some(&issue())).await.unwrap();

    let interfaces = client.interfaces_of(&target).await;
    assert_eq!(interfaces.len(), many.len(), "a result or error for each");
    let unasked = |result: &Result<_, ClientError>| {
        matches!(result, Err(ClientError::Usage(Usage::TooManyInterfaces { published: 301, .. })))
    };
    assert_eq!(interfaces.iter().position(unasked), Some(256));
    assert!(interfaces[256..].iter().all(unasked));
}

/// Memory is bounded by bytes too: a descriptor that would push out many others is not held.
#[tokio::test]
async fn a_very_large_descriptor_is_used_and_not_held() {
    for (bytes, held) in [(1_000, true), (40_000, false)] {
        let host = Host::with(&[]);
        let operation = OperationDeclaration::new("close").documented("x".repeat(bytes));
        let large = Declaration { operations: vec![operation], ..Declaration::default() };
        host.world(|world| world.interface.descriptor = Descriptor::new(large).unwrap());
        let mut settings = Settings::default();
        settings.known_bytes = 1 << 20;
        let client = host.client_with(settings);
        for _ in 0..2 {
            assert!(client.interface(&issue()).await.unwrap().descriptor().operation("close").is_some());
        }
        assert_eq!(host.asked().len(), if held { 1 } else { 2 });
    }
}
