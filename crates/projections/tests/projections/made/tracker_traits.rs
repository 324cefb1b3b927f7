use worldspace_host::model::EntryPath;
use worldspace_host::{Call, Context, Done, Refusal, WipType, interface};

/// Whether there is something left to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, WipType)]
pub enum State {
    Open,
    Closed,
}

/// An issue in a list: what helps to choose.
#[derive(Debug, Clone, PartialEq, WipType)]
pub struct IssueLine {
    pub issue: EntryPath,
    pub title: String,
    pub state: State,
    pub labels: Vec<String>,
    pub assignee: Option<String>,
}

/// A part of a list of issues.
#[derive(Debug, Clone, PartialEq, WipType)]
pub struct IssuePage {
    pub issues: Vec<IssueLine>,
    /// There are more: give it as `cursor`.
    pub next_cursor: Option<String>,
}

/// What is written in an issue.
#[derive(Debug, Clone, PartialEq, WipType)]
pub struct Body {
    pub title: String,
    pub body: String,
}

/// Why an issue was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, WipType)]
pub enum Reason {
    /// What it asks for is there. Only where no dependency is open.
    Done,
    /// Another issue says the same.
    Duplicate,
    /// It will stay as it is.
    WontFix,
}

/// Everything about an issue but its text. Times are UTC.
#[derive(Debug, Clone, PartialEq, WipType)]
pub struct Metadata {
    pub state: State,
    /// Why it is closed.
    pub closed_as: Option<Reason>,
    pub author: String,
    /// Who sees to it.
    pub assignee: Option<String>,
    pub labels: Vec<String>,
    pub created_at: String,
    /// Of title, text, assignee and state; comments do not count.
    pub updated_at: String,
    /// How many there are.
    pub comments: i64,
}

/// The issues that an issue has to do with, those of each kind in the order of their numbers.
#[derive(Debug, Clone, PartialEq, WipType)]
pub struct RelatedItems {
    /// Its dependencies.
    pub blocked_by: Vec<IssueLine>,
    /// What depends on it.
    pub blocks: Vec<IssueLine>,
    /// What says the same, and is worked on instead.
    pub duplicate_of: Vec<IssueLine>,
    /// What says the same, and was closed for it.
    pub duplicates: Vec<IssueLine>,
    /// What may be worth reading as well.
    pub relates_to: Vec<IssueLine>,
    /// Whether there are more: only the first 50 of each kind are told.
    pub truncated: bool,
}

/// What came of assigning an issue.
#[derive(Debug, Clone, PartialEq, WipType)]
pub enum AssignResult {
    Assigned,
    /// Nobody here has that name; nothing was changed. Ask again with one of these.
    UnknownPerson {
        people: Vec<String>,
    },
}

/// What came of closing an issue.
#[derive(Debug, Clone, PartialEq, WipType)]
pub enum CloseResult {
    Closed,
    /// Nothing was changed.
    AlreadyClosed {
        closed_as: Reason,
    },
    /// Nothing was changed: these dependencies are open (the first 50). Look at them, and close
    /// them first.
    Blocked {
        dependencies: Vec<EntryPath>,
    },
}

/// What came of opening an issue again.
#[derive(Debug, Clone, PartialEq, WipType)]
#[wip(union)]
pub enum ReopenResult {
    Reopened,
    /// Nothing was changed.
    AlreadyOpen,
}

/// What somebody said.
#[derive(Debug, Clone, PartialEq, WipType)]
pub struct Comment {
    pub author: String,
    pub written_at: String,
    pub text: String,
}

/// A part of a conversation.
#[derive(Debug, Clone, PartialEq, WipType)]
pub struct CommentPage {
    pub comments: Vec<Comment>,
    /// There are more: give it as `cursor`.
    pub next_cursor: Option<String>,
}

/// Finds issues in all projects.
///
/// Projects are in the tree, issues are not: they are found here, by the operations of their project, and by following
/// what is related to them.
#[interface(name = "tracker.search")]
pub trait TrackerSearch {
    /// Finds issues by words of their title and text, the best match first.
    #[read]
    async fn search(
        &self,
        context: &Context,
        /// Words that must all be there, in any form: `crash` finds `crashes`. Of the last one, its
        /// start will do.
        text: String,
        /// Only issues in this state.
        state: Option<State>,
        /// How many, from 1 to 100; 20 unless given.
        limit: Option<i64>,
        /// The `next_cursor` of an answer, to go on there; repeat the other arguments.
        cursor: Option<String>,
    ) -> Result<IssuePage, Refusal>;
}

/// The issues of a project.
#[interface(name = "project.issues")]
pub trait ProjectIssues {
    /// Finds issues of this project by words of their title and text, the best match first.
    #[read]
    async fn search(
        &self,
        context: &Context,
        /// Words that must all be there, in any form: `crash` finds `crashes`. Of the last one, its
        /// start will do.
        text: String,
        /// Only issues in this state.
        state: Option<State>,
        /// How many, from 1 to 100; 20 unless given.
        limit: Option<i64>,
        /// The `next_cursor` of an answer, to go on there; repeat the other arguments.
        cursor: Option<String>,
    ) -> Result<IssuePage, Refusal>;

    /// Lists issues of this project, the newest first. What is given narrows the list.
    #[read]
    async fn list(
        &self,
        context: &Context,
        /// Only issues in this state.
        state: Option<State>,
        /// Only issues that this person is to see to.
        assignee: Option<String>,
        /// Only issues with this label.
        label: Option<String>,
        /// How many, from 1 to 100; 20 unless given.
        limit: Option<i64>,
        /// The `next_cursor` of an answer, to go on there; repeat the other arguments.
        cursor: Option<String>,
    ) -> Result<IssuePage, Refusal>;

    /// Opens a new issue, and tells where it is. Search first: somebody may have reported it.
    async fn create(
        &self,
        call: Call,
        context: &Context,
        /// What is wrong or wanted, in one line.
        title: String,
        /// Everything that helps: what was done, what came of it, what was expected.
        body: String,
        /// Such as `bug` or `performance`: lower-case letters, digits and hyphens.
        labels: Option<Vec<String>>,
    ) -> Result<Done<EntryPath>, Refusal>;
}

/// An issue: what it says, and what becomes of it.
#[interface(name = "issue.lifecycle")]
pub trait IssueLifecycle {
    /// What is written in the issue.
    #[read]
    async fn read_body(&self) -> Result<Body, Refusal>;

    /// Everything about the issue but its text: state, people, labels, times.
    #[read]
    async fn get_metadata(&self) -> Result<Metadata, Refusal>;

    /// The issues that this one has to do with. To close it as done, close those in `blocked_by`
    /// first.
    #[read]
    async fn get_related_items(&self, context: &Context) -> Result<RelatedItems, Refusal>;

    /// Replaces the title, the text, or both. What stood there is not kept.
    #[destructive]
    #[guarded]
    async fn edit(
        &self,
        call: Call,
        title: Option<String>,
        body: Option<String>,
    ) -> Result<Done<()>, Refusal>;

    /// Says who sees to the issue.
    #[idempotent]
    async fn assign(
        &self,
        call: Call,
        /// The person's name; nobody, unless given.
        to: Option<String>,
    ) -> Result<Done<AssignResult>, Refusal>;

    /// Closes the issue. It can be opened again.
    #[idempotent]
    async fn close(
        &self,
        call: Call,
        context: &Context,
        reason: Reason,
        /// Added to the comments, if the issue is closed.
        note: Option<String>,
    ) -> Result<Done<CloseResult>, Refusal>;

    /// Opens the issue again, after it was closed.
    #[idempotent]
    async fn reopen(&self, call: Call) -> Result<Done<ReopenResult>, Refusal>;
}

/// Something that people talk about: an issue, or a project as a whole.
#[interface(name = "commentable")]
pub trait Commentable {
    /// Adds a comment in your name. It does not change the state of what it is about.
    async fn comment(&self, call: Call, text: String) -> Result<Done<()>, Refusal>;

    /// What was said so far, the oldest first.
    #[read]
    async fn comments(
        &self,
        /// How many, from 1 to 100; 20 unless given.
        limit: Option<i64>,
        /// The `next_cursor` of an answer, to go on there.
        cursor: Option<String>,
    ) -> Result<CommentPage, Refusal>;
}
