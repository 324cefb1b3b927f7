//! The fence (SPEC 2.3), where it takes more than an outcome to see it. That every outcome is told truly, whatever fails
//! on which side of the fence, is shown by the oracle of the testkit.

use std::sync::Arc;

use tokio::sync::Notify;
use worldspace_host::*;
use worldspace_model::*;

use crate::support::*;

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

#[tokio::test]
async fn a_provider_keeps_its_place_until_it_has_handed_its_answer_over() {
    let memory = Memory::new();
    let (crossed, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let shared = (crossed.clone(), go_on.clone());
    memory.serve(at_root("note"), note(), move |_, call| {
        let (crossed, go_on) = shared.clone();
        async move {
            let fate = async { Fate::Done { result: Value::Unit, after: After::Unchanged } };
            let done = call.fence(None, fate).await?;
            crossed.notify_one();
            go_on.notified().await;
            Ok(done)
        }
    });
    publish(&memory, "/n", "note");
    let host = builder(&memory).limits(HostLimits { calls: 1, ..HostLimits::default() }).build().unwrap();
    let head = ready_call(&host, "/m/n", "/m", "note", "bump").await;
    for _ in 0..2 {
        let (there, call) = (host.clone(), with(head.clone(), &[]));
        let first = tokio::spawn(async move { there.call_operation(anyone(), call).await });
        crossed.notified().await;
        let second = host.call_operation(anyone(), with(head.clone(), &[])).await.unwrap_err();
        assert_eq!(second.code, ErrorCode::ResourceLimitExceeded, "the first one has not ended");
        go_on.notify_one();
        first.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn an_interface_that_changed_meanwhile_is_told_by_whoever_compares_it_in_the_transaction() {
    for (current, code) in [(note(), None), (other(), Some(ErrorCode::InterfaceValidatorMismatch))] {
        let memory = Memory::new();
        memory.serve(at_root("note"), note(), move |_, call| {
            let current = current.clone();
            async move {
                call.compare_interface(&current)?;
                Ok(call.done("text".into()))
            }
        });
        publish(&memory, "/n", "note");
        let host = mounted(&memory);
        let head = ready_call(&host, "/m/n", "/m", "note", "read").await;
        let answer = host.call_operation(anyone(), with(head, &[])).await;
        assert_eq!(answer.err().map(|error| error.code), code);
    }
}

fn other() -> Interface {
    Interface::builder().read(OperationDeclaration::new("read").returns(Type::STRING)).build().unwrap()
}
