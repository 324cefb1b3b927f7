//! Issues and a project, in a real Host: what the tests look at and call.

use std::sync::{Arc, Mutex};

use worldspace_client::{Client, Settings};
use worldspace_host::model::{EntryPath, Principal, Segment};
use worldspace_host::{
    Call, Context, Done, Fate, Host, Interface, LocalPath, LocalReference, Offers, Page, Provider,
    ProviderError, Published, Refusal, StateToken, WipType, interface,
};

/// Why an issue was closed.
#[derive(WipType, Debug, Clone, PartialEq)]
pub enum Reason {
    Done,
    /// It was told before.
    Duplicate,
    WontFix,
}

#[derive(WipType, Debug, Clone, PartialEq)]
pub enum CloseResult {
    Closed,
    /// Other issues must be closed first.
    Blocked {
        /// Which.
        dependencies: Vec<EntryPath>,
    },
    Refused(String),
}

/// What is written in an issue.
#[derive(WipType, Debug, Clone, PartialEq)]
pub struct Body {
    body: String,
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
        context: &Context,
        /// Why.
        reason: Reason,
        note: Option<String>,
    ) -> Result<Done<CloseResult>, Refusal>;

    /// What is written in the issue.
    #[read]
    #[returns("The text as it is now.")]
    async fn read_body(&self) -> Result<Body, Refusal>;

    #[read]
    async fn related(&self, call: &Call, context: &Context, limit: u16) -> Result<Vec<EntryPath>, Refusal>;

    #[read]
    async fn too_large_to_read(&self) -> Result<u64, Refusal>;

    #[idempotent]
    async fn too_large_to_tell(&self, call: Call) -> Result<Done<u64>, Refusal>;
}

/// What can be commented on.
#[interface(name = "commentable", client)]
pub trait Commentable {
    async fn comment(&self, call: Call, text: String) -> Result<Done<u32>, Refusal>;

    #[read]
    async fn comments(&self) -> Result<Vec<String>, Refusal>;
}

type Said = Arc<Mutex<Vec<String>>>;

#[derive(Clone)]
pub struct Issue {
    said: Said,
}

#[derive(Clone)]
pub struct Project {
    said: Said,
}

fn state(said: &[String]) -> StateToken {
    StateToken::new(said.join("\n").into_bytes())
}

/// Says something more, within the lock that the state is compared under.
fn say<R: worldspace_host::model::IntoResult>(
    call: Call,
    said: &Said,
    text: String,
    result: impl FnOnce(usize) -> R,
) -> Result<Done<R>, Refusal> {
    let mut said = said.lock().unwrap();
    let before = state(&said);
    call.fence_blocking(Some(&before), || {
        said.push(text);
        Fate::done(result(said.len()), state(&said))
    })
}

impl Lifecycle for Issue {
    async fn close(
        &self,
        call: Call,
        context: &Context,
        reason: Reason,
        note: Option<String>,
    ) -> Result<Done<CloseResult>, Refusal> {
        match (reason, note) {
            (Reason::WontFix, _) => {
                let dependencies = vec![context.entry(&LocalPath::parse("/project")?)];
                Ok(call.done(CloseResult::Blocked { dependencies }))
            }
            (Reason::Duplicate, None) => Ok(call.done(CloseResult::Refused("of what?".to_owned()))),
            (reason, note) => say(call, &self.said, format!("{reason:?} {note:?}"), |_| CloseResult::Closed),
        }
    }

    async fn read_body(&self) -> Result<Body, Refusal> {
        let said = self.said.lock().unwrap();
        Ok(Body { body: said.join("; "), note: said.first().cloned() })
    }

    async fn related(&self, call: &Call, context: &Context, limit: u16) -> Result<Vec<EntryPath>, Refusal> {
        assert_eq!(call.operation(), "related");
        let all = vec![context.entry(&LocalPath::parse("/project")?)];
        Ok(all.into_iter().take(limit.into()).collect())
    }

    async fn too_large_to_read(&self) -> Result<u64, Refusal> {
        Ok(u64::MAX)
    }

    async fn too_large_to_tell(&self, call: Call) -> Result<Done<u64>, Refusal> {
        say(call, &self.said, "too large".to_owned(), |_| u64::MAX)
    }
}

macro_rules! commentable {
    ($($object:ty),*) => {$(
        impl Commentable for $object {
            async fn comment(&self, call: Call, text: String) -> Result<Done<u32>, Refusal> {
                say(call, &self.said, text, |count| u32::try_from(count).unwrap())
            }

            async fn comments(&self) -> Result<Vec<String>, Refusal> {
                Ok(self.said.lock().unwrap().clone())
            }
        }
    )*};
}

commentable!(Issue, Project);

/// `/issue` and `/project`.
pub struct Tracker {
    issue: Issue,
    project: Project,
    issues: Offers<Issue>,
    projects: Offers<Project>,
}

impl Tracker {
    fn new() -> Self {
        Self {
            issue: Issue { said: Said::default() },
            project: Project { said: Said::default() },
            issues: Offers::new().with(LifecycleInterface).unwrap().with(CommentableInterface).unwrap(),
            projects: Offers::new().with(CommentableInterface).unwrap(),
        }
    }
}

impl Provider for Tracker {
    async fn object(&self, _: &Context, path: &LocalPath) -> Result<Published, ProviderError> {
        Ok(match path.as_str() {
            "/" => Published::new(),
            "/issue" => Published::new()
                .publishing(self.issues.interfaces())
                .in_state(state(&self.issue.said.lock().unwrap())),
            "/project" => Published::new().publishing(self.projects.interfaces()),
            _ => return Err(ProviderError::NotFound),
        })
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

    async fn interface(&self, _: &Context, reference: &LocalReference) -> Result<Interface, ProviderError> {
        self.issues.interface(reference).ok_or(ProviderError::NotFound)
    }

    async fn call(&self, context: &Context, call: Call) -> Result<Done, Refusal> {
        match call.path().as_str() {
            "/issue" => self.issues.call(self.issue.clone(), context, call).await,
            _ => self.projects.call(self.project.clone(), context, call).await,
        }
    }
}

pub fn entry(path: &str) -> EntryPath {
    EntryPath::parse(path).unwrap()
}

/// A Client of a Host that has the tracker at `/t`.
pub fn client() -> Client {
    client_of(Tracker::new())
}

/// A Client of a Host that has that provider at `/t`.
pub fn client_of(provider: impl Provider) -> Client {
    let host = Host::builder().mount(entry("/t"), provider).build().unwrap();
    Client::in_process(Arc::new(host), Principal::anonymous(), Settings::default())
}
