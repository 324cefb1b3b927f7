//! Calls of typed clients, through a Host, to what implements the traits.

use worldspace_client::{CallFailure, CallOptions, ErrorKind, NotRun, TypedClient, TypedFailure};
use worldspace_host::model::{ErrorCode, Record, Value};

use crate::world::{Body, CloseResult, CommentableClient, LifecycleClient, Reason, client, entry};

#[tokio::test]
async fn results_come_as_they_were_given() {
    let issue = LifecycleClient::open(&client(), &entry("/t/issue")).await.unwrap();
    let blocked = CloseResult::Blocked { dependencies: vec![entry("/t/project")] };
    assert_eq!(issue.close(Reason::WontFix, None).await.unwrap(), blocked);
    let refused = CloseResult::Refused("of what?".to_owned());
    assert_eq!(issue.close(Reason::Duplicate, None).await.unwrap(), refused);
    let body = issue.read_body().await.unwrap();
    assert_eq!(format!("{body:?}"), r#"Body { body: "", note: None }"#);
    assert_eq!(issue.close(Reason::Duplicate, Some("7".to_owned())).await.unwrap(), CloseResult::Closed);
    let said = r#"Duplicate Some("7")"#;
    let body: Body = issue.read_body().await.unwrap();
    assert_eq!(format!("{body:?}"), format!("Body {{ body: {said:?}, note: Some({said:?}) }}"));
}

#[tokio::test]
async fn entries_of_a_result_are_opened_by_whichever_interface_they_have() {
    let client = client();
    let issue = LifecycleClient::open(&client, &entry("/t/issue")).await.unwrap();
    let related = issue.related(10).await.unwrap();
    let project = CommentableClient::open(&client, &related[0]).await.unwrap();
    assert_eq!(project.comment("Well done.".to_owned()).await.unwrap(), 1);
    assert_eq!(project.comments().await.unwrap(), ["Well done."]);
    let nothing = LifecycleClient::open(&client, &related[0]).await.unwrap_err();
    assert!(nothing.to_string().contains("issue.lifecycle"), "{nothing}");
}

#[tokio::test]
async fn two_interfaces_of_one_object_share_it() {
    let client = client();
    let issue = LifecycleClient::open(&client, &entry("/t/issue")).await.unwrap();
    let comments = CommentableClient::open(&client, &entry("/t/issue")).await.unwrap();
    assert_eq!(comments.comment("Oh.".to_owned()).await.unwrap(), 1);
    assert!(format!("{:?}", issue.read_body().await.unwrap()).contains("Oh."));
}

#[tokio::test]
async fn a_guarded_call_on_an_old_state_has_no_effect_until_one_looks_again() {
    let client = client();
    let old = LifecycleClient::open(&client, &entry("/t/issue")).await.unwrap();
    let other = LifecycleClient::open(&client, &entry("/t/issue")).await.unwrap();
    assert_eq!(other.close(Reason::Done, None).await.unwrap(), CloseResult::Closed);
    // The one that called was told the new state.
    assert_eq!(other.close(Reason::Done, None).await.unwrap(), CloseResult::Closed);
    let failure = old.close(Reason::Done, None).await.unwrap_err();
    assert!(matches!(failure, TypedFailure::Call(CallFailure::StateChanged(_))), "{failure}");
    TypedClient::refresh(&old).await.unwrap();
    assert_eq!(old.close(Reason::Done, None).await.unwrap(), CloseResult::Closed);
}

#[tokio::test]
async fn an_argument_beyond_its_rust_type_is_told_with_what_it_may_be() {
    let client = client();
    let shown = client.fetch(&entry("/t/issue")).await.unwrap();
    let interface = client.resolve(&shown, "related", None).await.unwrap();
    let arguments = Record::new(vec![("limit".into(), Value::count(70_000))]).unwrap();
    let call = client.call(&shown, &interface, "related", arguments, CallOptions::default());
    let Err(CallFailure::NothingHappened(NotRun::Refused(error))) = call.await else {
        panic!("it is refused")
    };
    assert_eq!(error.code, ErrorCode::InvalidArguments);
    assert_eq!(error.message.as_str(), "arguments.limit: expected an integer from 0 to 65535");
}

#[tokio::test]
async fn a_result_without_a_value_fails_before_the_fence_and_is_unknown_behind_it() {
    let issue = LifecycleClient::open(&client(), &entry("/t/issue")).await.unwrap();
    let read = issue.too_large_to_read().await.unwrap_err();
    assert_eq!(read.kind(), ErrorKind::Protocol(ErrorCode::Internal), "{read}");
    let told = issue.too_large_to_tell().await.unwrap_err();
    assert_eq!(told.kind(), ErrorKind::Protocol(ErrorCode::OperationOutcomeUnknown), "{told}");
    assert!(matches!(told, TypedFailure::Call(CallFailure::OutcomeUnknown(_))), "{told}");
}

#[tokio::test]
async fn what_a_client_cannot_say_is_not_sent() {
    let issue = CommentableClient::open(&client(), &entry("/t/issue")).await.unwrap();
    let arguments = worldspace_client::model::typed::expand::record([(
        "text",
        worldspace_client::model::WipField::into_field(u64::MAX),
    )]);
    let failure = issue.object().call::<u32>("comment", arguments).await.unwrap_err();
    assert!(failure.to_string().contains("text"), "{failure}");
    assert_eq!(issue.comments().await.unwrap(), Vec::<String>::new());
}
