//! What a provider is told with every request: who asks, until when, whether anyone still waits, and where it stands.

use std::sync::Arc;
use std::time::Instant;

use tokio_util::sync::{CancellationToken, DropGuard};
use worldspace_model::{EntryPath, Principal, RequestContext};

use crate::fence::Fence;
use crate::local::LocalPath;
use crate::mounts::MountPoint;

/// What comes with a request, for one provider. Cheap to clone, so that it can go along to other threads.
#[derive(Clone, Debug)]
pub struct Context {
    request: Arc<Request>,
    mount: Arc<MountPoint>,
}

/// The part of a context that all providers of one request share.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) principal: Principal,
    pub(crate) deadline: Option<Instant>,
    pub(crate) response_bytes: Option<usize>,
    /// That of the call, where the request is one. Nothing is called off behind it.
    pub(crate) fence: Fence,
    cancellation: CancellationToken,
}

impl Request {
    /// The request, and the guard that cancels it when whoever waits for it is gone.
    pub(crate) fn open(context: RequestContext) -> (Arc<Self>, DropGuard) {
        let cancellation = CancellationToken::new();
        let guard = cancellation.clone().drop_guard();
        let RequestContext { principal, deadline, response_bytes } = context;
        let fence = Fence::default();
        (Arc::new(Self { principal, deadline, response_bytes, fence, cancellation }), guard)
    }

    pub(crate) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// When so much of the time that is left will be over: no part of a request may take all of it.
    pub(crate) fn part_of_time(&self, part: u32) -> Option<Instant> {
        let now = Instant::now();
        self.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / part)
    }
}

impl Context {
    pub(crate) fn new(request: &Arc<Request>, mount: &Arc<MountPoint>) -> Self {
        Self { request: request.clone(), mount: mount.clone() }
    }

    /// Who asks.
    pub fn principal(&self) -> &Principal {
        &self.request.principal
    }

    /// When the answer ceases to be of use.
    pub fn deadline(&self) -> Option<Instant> {
        self.request.deadline
    }

    /// How many bytes the whole answer may have once it is encoded, where it will be.
    pub fn response_bytes(&self) -> Option<usize> {
        self.request.response_bytes
    }

    /// Whether nobody waits any more, or the deadline has passed, so that work can stop. Never so behind the fence.
    pub fn is_cancelled(&self) -> bool {
        let request = &self.request;
        (request.cancellation.is_cancelled() || request.is_late()) && !request.fence.is_crossed()
    }

    /// Waits until [`Context::is_cancelled`].
    pub async fn cancelled(&self) {
        let late = async {
            match self.request.deadline {
                Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.request.cancellation.cancelled() => {}
            () = late => {}
        }
        if self.request.fence.is_crossed() {
            std::future::pending::<()>().await;
        }
    }

    /// Where the provider's root stands in the Worldspace.
    pub fn mount(&self) -> &EntryPath {
        self.mount.path()
    }

    /// The entry of one of the provider's own Objects, for `entry` values.
    pub fn entry(&self, path: &LocalPath) -> EntryPath {
        self.mount.entry(path)
    }

    /// The provider's own position of an entry, if it is one.
    pub fn local(&self, entry: &EntryPath) -> Option<LocalPath> {
        self.mount.local(entry)
    }
}
