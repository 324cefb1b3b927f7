//! Changes: whole or not at all, of the state that was seen, and told for what came of them.

use worldspace_client::{CallOptions, ErrorKind};
use worldspace_model::{ErrorCode, Record, Value};

use crate::world::{User, World};

#[tokio::test]
async fn an_issue_is_closed_once_its_dependencies_are() {
    let ann = World::small().user("ann");
    let done = [("reason", Value::from("done")), ("note", Value::from("At last."))];
    for (path, said) in [
        ("/garden/1", "blocked{dependencies: [/tracker/garden/2]}"),
        ("/garden/2", "closed"),
        ("/garden/2", "already_closed{closed_as: done}"),
        ("/garden/1", "closed"),
    ] {
        assert_eq!(ann.call(path, "close", &done).await, said, "{path}");
    }
    let comments = ann.call("/garden/1", "comments", &[]).await;
    assert_eq!(comments.matches("At last.").count(), 1, "{comments}");
    assert!(comments.contains("author: ann"), "{comments}");
    assert_eq!(ann.call("/garden/2", "reopen", &[]).await, "reopened");
    assert_eq!(ann.call("/garden/2", "reopen", &[]).await, "already_open");
}

#[tokio::test]
async fn what_will_not_be_done_waits_for_nothing() {
    let ann = World::small().user("ann");
    assert_eq!(ann.call("/garden/1", "close", &[("reason", "wont_fix".into())]).await, "closed");
}

#[tokio::test]
async fn an_outcome_that_changes_nothing_leaves_the_state_and_says_nothing_in_the_comments() {
    let world = World::small();
    let ann = world.user("ann");
    let before = ann.0.fetch(&User::entry("/garden/1")).await.unwrap().tag();
    ann.call("/garden/1", "close", &[("reason", "done".into()), ("note", "Done?".into())]).await;
    ann.call("/garden/1", "assign", &[("to", "nobody".into())]).await;
    ann.call("/garden/1", "comment", &[("text", "I wait.".into())]).await;
    assert_eq!(ann.0.fetch(&User::entry("/garden/1")).await.unwrap().tag(), before);
    assert_eq!(world.rows("SELECT text FROM comments WHERE issue_id = 1"), ["I look at it.", "I wait."]);
}

#[tokio::test]
async fn a_person_who_is_not_here_is_an_answer_with_those_who_are() {
    let ann = World::small().user("ann");
    let to = |name: &str| [("to", Value::from(name))];
    assert_eq!(
        ann.call("/garden/2", "assign", &to("Bob")).await,
        "unknown_person{people: [ann, bob, owner]}"
    );
    assert_eq!(ann.call("/garden/2", "assign", &to("bob")).await, "assigned");
    assert_eq!(ann.call("/garden/2", "assign", &[]).await, "assigned");
    assert!(!ann.call("/garden/2", "get_metadata", &[]).await.contains("assignee"));
}

#[tokio::test]
async fn a_new_issue_has_the_next_number_and_can_be_looked_at() {
    let world = World::small();
    let ann = world.user("ann");
    let labels = Value::list(vec!["bug".into(), "bug".into()]).unwrap();
    let arguments =
        [("title", "Snails".into()), ("body", "They eat <b>everything</b>.".into()), ("labels", labels)];
    assert_eq!(ann.call("/garden", "create", &arguments).await, "/tracker/garden/5");
    let metadata = ann.call("/garden/5", "get_metadata", &[]).await;
    assert!(metadata.contains("state: open, author: ann, labels: [bug]"), "{metadata}");
    // A number is given once, even if its issue is gone.
    world.sql("DELETE FROM issues WHERE number = 5");
    assert_eq!(ann.call("/garden", "create", &arguments[..2]).await, "/tracker/garden/6");
}

#[tokio::test]
async fn an_unusable_text_says_what_would_be_right() {
    let ann = World::small().user("ann");
    let long = Value::from("a".repeat(50_001));
    let label = |label: &str| Value::list(vec!["ok".into(), label.into()]).unwrap();
    for (path, operation, arguments, said) in [
        (
            "/garden",
            "create",
            vec![("title", "".into()), ("body", "".into())],
            "arguments.title: is empty, or has more than one line",
        ),
        (
            "/garden",
            "create",
            vec![("title", "a".into()), ("body", long)],
            "arguments.body: has 50001 characters; 50000 fit",
        ),
        (
            "/garden",
            "create",
            vec![("title", "a".into()), ("body", "".into()), ("labels", label("Two Words"))],
            "arguments.labels[1]: is a word of lower-case letters",
        ),
        ("/garden/1", "edit", vec![], "`body` are both absent; give at least one"),
        (
            "/garden/1",
            "close",
            vec![("reason", "done".into()), ("note", " ".into())],
            "arguments.note: is empty",
        ),
    ] {
        let told = ann.call(path, operation, &arguments).await;
        assert!(told.starts_with("invalid_arguments") && told.contains(said), "{told}");
    }
}

/// The state is compared in the transaction of the effect: of many who saw the same, one changes it.
#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_edit_what_they_saw_one_succeeds() {
    const WRITERS: usize = 16;
    let world = World::small();
    for round in 0..5 {
        let mut seen = Vec::new();
        for _ in 0..WRITERS {
            // Each through a Host of its own, as programs that share a file.
            let user = world.user("ann");
            let shown = user.0.fetch(&User::entry("/garden/1")).await.unwrap();
            let interface = user.0.resolve(&shown, "edit", None).await.unwrap();
            seen.push((user, shown, interface));
        }
        let mut writers = tokio::task::JoinSet::new();
        for (writer, (user, shown, interface)) in seen.into_iter().enumerate() {
            let body = Value::from(format!("round {round} writer {writer}"));
            let arguments = Record::new(vec![("body".into(), body)]).unwrap();
            writers.spawn(async move {
                let called = user.0.call(&shown, &interface, "edit", arguments, CallOptions::default()).await;
                called.map(|_| writer).map_err(|failure| failure.kind())
            });
        }
        let ended = writers.join_all().await;
        let won: Vec<_> = ended.iter().filter_map(|end| end.as_ref().ok()).collect();
        let lost = ended.iter().filter(|end| **end == Err(ErrorKind::Protocol(ErrorCode::ValidatorMismatch)));
        assert_eq!((won.len(), lost.count()), (1, WRITERS - 1), "{ended:?}");
        let body = world.rows("SELECT body FROM issues WHERE id = 1");
        assert_eq!(body, [format!("round {round} writer {}", won[0])]);
    }
}

#[tokio::test]
async fn an_edit_needs_the_state_that_was_seen() {
    let world = World::small();
    let ann = world.user("ann");
    let shown = ann.0.fetch(&User::entry("/garden/1")).await.unwrap();
    let interface = ann.0.resolve(&shown, "edit", None).await.unwrap();
    let arguments = Record::new(vec![("body".into(), "Mine.".into())]).unwrap();
    let options = CallOptions::default().unbound();
    let told = ann.0.call(&shown, &interface, "edit", arguments, options).await.unwrap_err();
    assert_eq!(told.kind(), ErrorKind::Protocol(ErrorCode::ValidatorRequired));
}

/// States are made by chance, so that one which a backup brings back is that very state, and one from after it is never met again.
#[tokio::test]
async fn a_state_from_after_a_backup_is_never_met_again() {
    let world = World::small();
    let ann = world.user("ann");
    let state = "SELECT hex(revision) FROM issues WHERE id = 1";
    let mut seen = world.rows(state);
    let backup = world.rows("SELECT body FROM issues WHERE id = 1").remove(0);
    for _ in 0..3 {
        ann.call("/garden/1", "edit", &[("body", "changed".into())]).await;
        ann.call("/garden/1", "edit", &[("body", backup.clone().into())]).await;
        seen.extend(world.rows(state));
    }
    let total = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), total);
}
