//! What `docs/stubs.md` shows of Rust, compiled.

use std::error::Error;

use worldspace_client::{CallFailure, Client, TypedClient, TypedFailure};
use worldspace_host::model::EntryPath;

use crate::made::tracker_client::{CloseResult, IssueLifecycle, Reason, State, TrackerSearch};

#[allow(dead_code, clippy::print_stdout, reason = "it is there to be compiled")]
async fn close(client: Client) -> Result<(), Box<dyn Error>> {
    let tracker = TrackerSearch::open(&client, &EntryPath::parse("/tracker")?).await?;
    for line in tracker.search("crash".to_owned(), Some(State::Open), None, None).await?.issues {
        let issue = IssueLifecycle::open(&client, &line.issue).await?;
        match issue.close(Reason::Done, None).await? {
            CloseResult::Blocked { dependencies } => println!("{} waits for {dependencies:?}", line.title),
            came => println!("{came:?}"),
        }
    }
    Ok(())
}

#[allow(dead_code, clippy::print_stdout, reason = "it is there to be compiled")]
async fn edit(issue: IssueLifecycle) -> Result<(), Box<dyn Error>> {
    match issue.edit(Some("It crashes".to_owned()), None).await {
        Err(TypedFailure::Call(CallFailure::StateChanged(_))) => {
            println!("it is now: {:?}", issue.refresh().await?.object().description);
        }
        Err(TypedFailure::Call(CallFailure::OutcomeUnknown(_))) => println!("look before you try again"),
        edited => edited?,
    }
    Ok(())
}

#[test]
fn what_the_document_shows_is_what_is_compiled_here() {
    let lines = |text: &str| text.lines().map(str::trim_start).collect::<Vec<_>>().join("\n");
    let here = lines(include_str!("example.rs"));
    let document = include_str!("../../../../docs/stubs.md");
    let blocks = document.split("```rust,ignore\n").skip(1).filter_map(|rest| rest.split("```").next());
    let blocks: Vec<String> = blocks.map(lines).collect();
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        assert!(here.contains(&block), "this is not compiled:\n{block}");
    }
}
