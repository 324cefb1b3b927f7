//! What fails inside a Host is its own affair: the log holds causes, messages hold none.

use serde_json::json;
use worldspace_host::{
    Call, Context, Done, Fate, Host, Interface, Interfaces, LocalPath, LocalReference, Memory, MemoryNode,
    Page, Provider, ProviderError, Published, Refusal,
};
use worldspace_model::{EntryPath, Field, OperationDeclaration, Segment, Type, Value};

use super::verdict::{SECRET, expect_error};
use crate::live::{Live, entry, panics};

/// A provider that fails at everything, for reasons that nobody else is to know.
struct Failing;

fn cause() -> String {
    format!("/srv/{SECRET}/users.db: Os {{ code: 5 }}")
}

impl Provider for Failing {
    async fn object(&self, _: &Context, _: &LocalPath) -> Result<Published, ProviderError> {
        Err(ProviderError::failed(cause()))
    }

    async fn children(
        &self,
        _: &Context,
        _: &LocalPath,
        _: Option<&Segment>,
        _: usize,
    ) -> Result<Page, ProviderError> {
        Err(ProviderError::failed(cause()))
    }

    async fn interface(&self, _: &Context, _: &LocalReference) -> Result<Interface, ProviderError> {
        Err(ProviderError::failed(cause()))
    }

    async fn call(&self, _: &Context, _: Call) -> Result<Done, Refusal> {
        Err(Refusal::failed(cause()))
    }
}

#[tokio::test]
async fn causes_of_failures_are_told_to_nobody() {
    let before = panics();
    let memory = Memory::new();
    let failing = OperationDeclaration::new("fail").takes([Field::required("how", Type::STRING)]);
    let reference = LocalReference::at_root("i").unwrap();
    let interface = Interface::builder().write(failing.returns(Type::INTEGER)).build().unwrap();
    memory.serve(reference.clone(), interface, |_, call| async move {
        match call.text("how").unwrap_or_default() {
            "before" => Err(Refusal::failed(cause())),
            "undone" => call.fence(None, async { Fate::RolledBack(Refusal::failed(cause())) }).await,
            "behind" => call.fence(None, async { Fate::unknown(cause()) }).await,
            // No integer, as was declared.
            _ => Ok(call.done(Value::from(cause()))),
        }
    });
    memory.put(&LocalPath::parse("/t").unwrap(), MemoryNode::new().publishing(&Interfaces::new([reference])));
    let host = Host::builder().mount(entry("/down"), Failing).mount(EntryPath::root(), memory);
    let live = Live::serve(host.build().unwrap()).await;

    let validator = live.interface_validator("/", "i").await;
    let interface = json!({"reference": {"scope": "/", "name": "i"}, "validator": validator});
    for (how, code) in [
        ("before", "internal"),
        ("undone", "internal"),
        ("wrong", "internal"),
        ("behind", "operation_outcome_unknown"),
    ] {
        let call = json!({
            "target": {"path": "/t"}, "interface": interface, "operation": "fail", "arguments": {"how": how}
        });
        let reply = live.post("call_operation", call.to_string()).await;
        expect_error(&reply, code, &["`/t`"], b"").unwrap_or_else(|reason| panic!("{how}: {reason}"));
    }
    for (route, body) in [
        ("observe", json!({"path": "/down/x", "depth": 0})),
        ("observe", json!({"path": "/down", "depth": 1})),
        ("fetch_tree", json!({"entry": "/down/x", "depth": 1, "limit": 9})),
        ("fetch_interface", json!({"interface": {"scope": "/down", "name": "i"}})),
    ] {
        let reply = live.post(route, body.to_string()).await;
        expect_error(&reply, "internal", &["`/down"], b"")
            .unwrap_or_else(|reason| panic!("{body}: {reason}"));
    }
    for (route, body) in [
        ("fetch", json!({"entries": ["/down", "/down/x"]})),
        ("fetch_tree", json!({"entry": "/", "depth": 3, "limit": 9})),
    ] {
        let reply = live.post(route, body.to_string()).await;
        let told = String::from_utf8_lossy(&reply.body).into_owned();
        assert!(reply.status == 200 && !told.contains(SECRET) && !told.contains("Os {"), "{told}");
    }
    live.expect_alive().await;
    assert_eq!(panics(), before);
}
