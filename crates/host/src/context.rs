//! What a provider is told with every request: who asks, until when, whether anyone still waits, and where it stands.

use std::sync::Arc;
use std::time::Instant;

use tokio_util::sync::{CancellationToken, DropGuard};
use worldspace_model::{EntryPath, Principal, RequestContext};

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
    cancellation: CancellationToken,
}

impl Request {
    /// The request, and the guard that cancels it when whoever waits for it is gone.
    pub(crate) fn open(context: RequestContext) -> (Arc<Self>, DropGuard) {
        let cancellation = CancellationToken::new();
        let guard = cancellation.clone().drop_guard();
        let RequestContext { principal, deadline, response_bytes: _ } = context;
        (Arc::new(Self { principal, deadline, cancellation }), guard)
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

    /// Whether nobody waits any more, or the deadline has passed: work that has no effect yet can stop.
    pub fn is_cancelled(&self) -> bool {
        self.request.cancellation.is_cancelled()
            || self.request.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Waits until nobody waits any more.
    pub async fn cancelled(&self) {
        self.request.cancellation.cancelled().await;
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
