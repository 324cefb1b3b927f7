//! x
use worldspace_host::model::EntryPath;
use worldspace_host::{Call, Context, Done, Refusal, TypedInterface, WipType, interface};

/// Why an issue was closed.
#[derive(WipType)]
pub enum Reason {
    Done,
    Duplicate,
    WontFix,
}

#[derive(WipType)]
pub enum CloseResult {
    Closed,
    /// Other issues must be closed first.
    Blocked {
        dependencies: Vec<EntryPath>,
    },
    Other(String),
}

/// What is written in an issue.
#[derive(WipType)]
pub struct Body {
    body: String,
    updated_at: String,
    /** docs */
    note: Option<String>,
}

/// An issue's life.
///
/// Details from the second paragraph on.
#[interface(name = "issue.lifecycle", client)]
pub trait Lifecycle {
    /// Closes the issue.
    #[destructive]
    #[guarded]
    async fn close(
        &self,
        call: Call,
        /** Why. */
        reason: Reason,
        note: Option<String>,
    ) -> Result<Done<CloseResult>, Refusal>;

    /// What is written in the issue.
    #[read]
    #[returns("The text as it is now.")]
    async fn read_body(&self, context: &Context) -> Result<Body, Refusal>;

    #[read]
    async fn default(&self, call: &Call) -> Result<u64, Refusal> {
        Ok(call.operation().len() as u64)
    }
}

struct Issue;
impl Lifecycle for Issue {
    async fn close(
        &self,
        call: Call,
        reason: Reason,
        note: Option<String>,
    ) -> Result<Done<CloseResult>, Refusal> {
        let _ = (reason, note);
        Ok(call.done(CloseResult::Closed))
    }
    async fn read_body(&self, _: &Context) -> Result<Body, Refusal> {
        Err(Refusal::NotFound)
    }
}

#[test]
fn it_declares() {
    println!("{:#?}", LifecycleInterface::interface().unwrap());
    let _ = worldspace_host::Offers::<Issue>::new().with(LifecycleInterface).unwrap();
}
