//! The order of checks of a call (SPEC 2.2), and what its answer says.

use worldspace_host::*;
use worldspace_model::*;

use crate::support::*;

fn world() -> Memory {
    let memory = Memory::new();
    let shared = memory.clone();
    memory.serve(at_root("note"), note(), move |_, call| {
        let memory = shared.clone();
        async move {
            match call.operation() {
                "read" => Ok(call.done("text".into())),
                "set" if call.text("text") == Some("refuse") => {
                    Err(Refusal::argument("text", "cannot be `refuse`; say something else"))
                }
                "set" => {
                    let (path, text) = (call.path().clone(), call.argument("text").cloned().unwrap());
                    let state = memory.state(&path);
                    call.fence(state.as_ref(), async {
                        publish(&memory, path.as_str(), "note");
                        Fate::done(text, memory.state(&path).unwrap())
                    })
                    .await
                }
                _ => Ok(call.done(Value::Unit)),
            }
        }
    });
    publish(&memory, "/n", "note");
    memory
}

type Mutation = fn(&mut CallHead);

/// The checks in their order: what breaks each, and how that is told.
const CHECKS: &[(&str, ErrorCode, Mutation)] = &[
    ("target", ErrorCode::NotFound, |head| head.target.path = entry("/m/gone")),
    ("state", ErrorCode::ValidatorMismatch, |head| head.target.validator = Some(Validator::new(*b"old"))),
    ("membership", ErrorCode::InterfaceMismatch, |head| {
        head.interface.reference = InterfaceReference::parse("/m", "other").unwrap();
    }),
    ("scope_ref", ErrorCode::InterfaceMismatch, |head| head.interface.scope_ref = Some(Ref::new("another"))),
    ("no descriptor", ErrorCode::InterfaceValidatorRequired, |head| head.interface.validator = None),
    ("descriptor", ErrorCode::InterfaceValidatorMismatch, |head| {
        if head.interface.validator.is_some() {
            head.interface.validator = Some(Validator::new(*b"old"));
        }
    }),
    ("operation", ErrorCode::OperationNotFound, |head| head.operation = "sett".into()),
    ("no state", ErrorCode::ValidatorRequired, |head| {
        if head.target.validator.as_ref().is_some_and(|validator| validator.as_bytes() != b"old") {
            head.target.validator = None;
        }
    }),
];

#[tokio::test]
async fn every_earlier_check_wins_over_every_later_one() {
    let host = mounted(&world());
    for (at, (first, code, break_first)) in CHECKS.iter().enumerate() {
        for (second, _, break_second) in &CHECKS[at..] {
            // Arguments are wrong throughout: they are looked at last.
            let mut head = ready_call(&host, "/m/n", "/m", "note", "set").await;
            break_first(&mut head);
            break_second(&mut head);
            let error = host.call_operation(anyone(), with(head, &[])).await.unwrap_err();
            assert_eq!(error.code, *code, "{first} before {second}: {error}");
        }
    }
}

#[tokio::test]
async fn what_is_wrong_with_an_argument_is_said_where_it_is() {
    let host = mounted(&world());
    let cases: &[(&[(&str, Value)], &str)] = &[
        (&[], "arguments: the required argument `text` is absent"),
        (&[("text", Value::Boolean(true))], "arguments.text: expected string, found boolean"),
        (&[("txt", "a".into())], "arguments: there is no parameter `txt`; did you mean `text`?"),
        (&[("text", "refuse".into())], "arguments.text: cannot be `refuse`; say something else"),
    ];
    for (arguments, message) in cases {
        let head = ready_call(&host, "/m/n", "/m", "note", "set").await;
        let error = host.call_operation(anyone(), with(head, arguments)).await.unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (ErrorCode::InvalidArguments, *message));
    }
    let mut head = ready_call(&host, "/m/n", "/m", "note", "set").await;
    head.operation = "sett".into();
    let error = host.call_operation(anyone(), with(head, &[])).await.unwrap_err();
    assert!(error.message.as_str().contains("did you mean `set`?"), "{error}");
}

#[tokio::test]
async fn a_call_returns_the_state_that_the_next_one_needs() {
    let host = mounted(&world());
    let mut head = ready_call(&host, "/m/n", "/m", "note", "set").await;
    for text in ["one", "two", "three"] {
        let answer =
            host.call_operation(anyone(), with(head.clone(), &[("text", text.into())])).await.unwrap();
        assert_eq!((answer.result, answer.settled), (text.into(), Settled::BehindFence));
        let seen = object(&host, "/m/n").await.unwrap();
        assert_eq!(answer.validator, seen.validator);
        assert_ne!(answer.validator, head.target.validator);
        let stale = host.call_operation(anyone(), with(head.clone(), &[("text", "late".into())])).await;
        assert_eq!(stale.unwrap_err().code, ErrorCode::ValidatorMismatch);
        head.target.validator = answer.validator;
    }
    let read = ready_call(&host, "/m/n", "/m", "note", "read").await;
    let state = read.target.validator.clone();
    let answer = host.call_operation(anyone(), with(read, &[])).await.unwrap();
    assert_eq!(
        (answer.validator, answer.settled),
        (state, Settled::BeforeFence),
        "a read leaves the state as it is"
    );
}

#[tokio::test]
async fn a_state_that_changed_between_check_and_effect_is_noticed_in_the_critical_section() {
    let memory = world();
    let shared = memory.clone();
    memory.serve(at_root("note"), note(), move |_, call| {
        let memory = shared.clone();
        async move {
            // Another writer comes between the Host's check and the critical section.
            publish(&memory, "/n", "note");
            let state = memory.state(call.path());
            call.fence(state.as_ref(), async { Fate::unknown("must not run") }).await
        }
    });
    let host = mounted(&memory);
    let head = ready_call(&host, "/m/n", "/m", "note", "set").await;
    let error = host.call_operation(anyone(), with(head, &[("text", "a".into())])).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::ValidatorMismatch);
}

#[tokio::test]
async fn calls_beyond_the_limit_are_shed_before_they_run() {
    let memory = world();
    let limits = HostLimits { calls: 0, ..HostLimits::default() };
    let host = builder(&memory).limits(limits).build().unwrap();
    let head = ready_call(&host, "/m/n", "/m", "note", "read").await;
    let error = host.call_operation(anyone(), with(head, &[])).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::ResourceLimitExceeded);
}

#[tokio::test]
async fn entries_cross_a_mount_in_both_directions() {
    let memory = Memory::new();
    let linked = Interface::builder()
        .read(
            OperationDeclaration::new("go").takes([Field::required("to", Type::ENTRY)]).returns(Type::ENTRY),
        )
        .build()
        .unwrap();
    memory.serve(at_root("linked"), linked, |context: Context, call: Call| async move {
        let to = call.local("to")?.unwrap();
        let below = context.entry(&to.child(&segment("x")));
        Ok(call.done(below.into()))
    });
    publish(&memory, "/n", "linked");
    let host = builder(&memory).mount(entry("/m/inner"), Memory::new()).build().unwrap();
    let head = ready_call(&host, "/m/n", "/m", "linked", "go").await;
    for (to, expected) in
        [("/m/n", Some("/m/n/x")), ("/m", Some("/m/x")), ("/", None), ("/m/inner/a", None), ("/mm", None)]
    {
        let answer = host.call_operation(anyone(), with(head.clone(), &[("to", entry(to).into())])).await;
        match expected {
            Some(path) => assert_eq!(answer.unwrap().result, entry(path).into()),
            None => assert_eq!(answer.unwrap_err().code, ErrorCode::InvalidArguments, "{to}"),
        }
    }
}

#[tokio::test]
async fn descriptors_have_a_validator_that_follows_what_they_say() {
    let memory = world();
    let host = mounted(&memory);
    let before = interface(&host, "/m", "note").await.unwrap();
    assert_eq!(before.validator, interface(&host, "/m", "note").await.unwrap().validator);
    // The same declaration with another effect is another descriptor.
    let declaration = before.descriptor.declaration().operations[0].clone();
    let other = Interface::builder().write(declaration).build().unwrap();
    memory.serve(at_root("note"), other, |_, call| async { Ok(call.done(Value::Unit)) });
    let after = interface(&host, "/m", "note").await.unwrap();
    assert_ne!(before.validator, after.validator);
    let effects = |fetched: &FetchInterfaceResponse| fetched.effects.as_ref().unwrap().of("read");
    assert_eq!((effects(&before), effects(&after)), (Effects::READ, Effects::WRITE));
}

#[tokio::test]
async fn a_validator_vouches_for_nothing_that_its_caller_did_not_see() {
    let memory = world();
    let host = mounted(&memory);
    for (bound, operation, arguments) in [
        (false, "read", vec![]),
        (true, "read", vec![]),
        // `bump` compares nothing, so its answer cannot say that nobody else changed anything.
        (true, "bump", vec![]),
        (true, "set", vec![("text", Value::from("a"))]),
    ] {
        let mut head = ready_call(&host, "/m/n", "/m", "note", operation).await;
        head.target.validator = head.target.validator.filter(|_| bound);
        let answer = host.call_operation(anyone(), with(head, &arguments)).await.unwrap();
        assert_eq!(answer.validator.is_some(), bound, "{operation}");
    }
}

#[tokio::test]
async fn a_guard_without_a_state_is_the_providers_contradiction() {
    struct Stateless(Memory);
    impl Provider for Stateless {
        async fn object(&self, _: &Context, path: &LocalPath) -> Result<Published, ProviderError> {
            let interfaces = Interfaces::new([at_root("note")]);
            Ok(if path.is_root() { Published::new() } else { Published::new().publishing(&interfaces) })
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
        async fn interface(&self, c: &Context, r: &LocalReference) -> Result<Interface, ProviderError> {
            self.0.interface(c, r).await
        }
        async fn call(&self, _: &Context, call: Call) -> Result<Done, Refusal> {
            Ok(call.done("text".into()))
        }
    }
    let host = Host::builder().mount(entry("/s"), Stateless(world())).build().unwrap();
    let head = ready_call(&host, "/s/n", "/s", "note", "set").await;
    let error = host.call_operation(anyone(), with(head, &[("text", "a".into())])).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Internal, "asking for a validator that does not exist helps nobody");
    let read = ready_call(&host, "/s/n", "/s", "note", "read").await;
    assert!(host.call_operation(anyone(), with(read, &[])).await.is_ok());
}

#[tokio::test]
async fn a_cursor_does_not_open_in_another_object_of_the_same_place() {
    let memory = Memory::new();
    let listing = Interface::builder()
        .read(
            OperationDeclaration::new("list")
                .takes([Field::optional("cursor", Type::STRING)])
                .returns(Type::STRING),
        )
        .build()
        .unwrap();
    memory.serve(at_root("listing"), listing, |_, call| async move {
        let place = call.open_cursor("cursor")?.unwrap_or_default();
        let next = call.seal_cursor(&[place, vec![1]].concat())?;
        Ok(call.done(next.into()))
    });
    publish(&memory, "/n", "listing");
    let host = mounted(&memory);
    let list = async |cursor: Option<&Value>| {
        let head = ready_call(&host, "/m/n", "/m", "listing", "list").await;
        let arguments: Vec<_> = cursor.map(|cursor| ("cursor", cursor.clone())).into_iter().collect();
        host.call_operation(anyone(), with(head, &arguments)).await.map(|answer| answer.result)
    };
    let first = list(None).await.unwrap();
    let second = list(Some(&first)).await.unwrap();
    memory.remove(&local("/n"));
    publish(&memory, "/n", "listing");
    let error = list(Some(&second)).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArguments);
    assert!(error.message.as_str().contains("begin again"), "{error}");
}
