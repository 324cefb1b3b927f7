//! Putting a Host together, and its observations. Calls are in `dispatch`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;
use worldspace_model::{
    BoxFuture, CallAnswer, Capabilities, EntryPath, ErrorCode, Fault, FetchInterfaceRequest,
    FetchInterfaceResponse, FetchRequest, FetchResponse, FetchTreeRequest, IncomingCall, Interaction,
    Message, Object, ObserveRequest, ProtocolError, RequestContext, Responder, StatedLimits, Tree,
};

use crate::context::Request;
use crate::cursor::Sealer;
use crate::erased::DynProvider;
use crate::failure::{ProviderError, quoted};
use crate::guard::Validators;
use crate::limits::HostLimits;
use crate::mount::FoundInterface;
use crate::mounts::Mounts;
use crate::provider::Provider;
use crate::tree::in_time;
use crate::visibility::Visibility;

/// Entries read at one time for one `fetch`.
const FETCH_WINDOW: usize = 8;

/// A Worldspace made of mounted providers. Cheap to clone.
#[derive(Clone)]
pub struct Host(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) mounts: Mounts,
    pub(crate) visibility: Visibility,
    pub(crate) validators: Validators,
    pub(crate) sealer: Sealer,
    pub(crate) limits: HostLimits,
    /// Places for calls that run.
    pub(crate) calls: Arc<Semaphore>,
    /// The calls that run, those that nobody waits for any more included.
    pub(crate) running: TaskTracker,
}

/// Gathers the mounts of a [`Host`].
///
/// ```
/// use worldspace_host::{Host, Memory};
/// use worldspace_model::EntryPath;
/// let host = Host::builder().mount(EntryPath::parse("/notes")?, Memory::new()).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
#[must_use]
pub struct HostBuilder {
    mounts: Vec<(EntryPath, DynProvider)>,
    limits: HostLimits,
    key: Option<[u8; 32]>,
    visibility: Visibility,
}

/// Why a Host cannot be put together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MountError {
    /// Two providers are mounted at one entry.
    #[error("two providers are mounted at `{0}`; give one of them another place")]
    Taken(EntryPath),
    /// The system gives no randomness for the Host's key.
    #[error("the system gives no random bytes for the Host's key")]
    NoRandomness(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl HostBuilder {
    /// Mounts a provider at an entry. Among siblings, mounts stand in the order in which they are mounted.
    pub fn mount(mut self, at: EntryPath, provider: impl Provider) -> Self {
        self.mounts.push((at, DynProvider::new(provider)));
        self
    }

    /// With these limits.
    pub fn limits(mut self, limits: HostLimits) -> Self {
        self.limits = limits;
        self
    }

    /// With this key for validators and cursors: the same for Hosts that stand in for each other. Without one, each
    /// start makes its own, and what was observed before it matches nothing.
    pub fn key(mut self, key: [u8; 32]) -> Self {
        self.key = Some(key);
        self
    }

    #[cfg(test)]
    pub(crate) fn visibility(mut self, visibility: Visibility) -> Self {
        self.visibility = visibility;
        self
    }

    /// Puts the Host together.
    ///
    /// # Errors
    /// [`MountError`].
    pub fn build(self) -> Result<Host, MountError> {
        let key = match self.key {
            Some(key) => key,
            None => {
                let mut key = [0; 32];
                getrandom::fill(&mut key).map_err(|error| MountError::NoRandomness(Box::new(error)))?;
                key
            }
        };
        // One key each, so that neither use can help against the other.
        let derived = |purpose: &str| blake3::derive_key(purpose, &key);
        Ok(Host(Arc::new(Inner {
            mounts: Mounts::new(self.mounts).map_err(MountError::Taken)?,
            visibility: self.visibility,
            validators: Validators::new(derived("worldspace 2026 validators")),
            sealer: Sealer::new(&derived("worldspace 2026 cursors")),
            calls: Arc::new(Semaphore::new(self.limits.calls.min(Semaphore::MAX_PERMITS))),
            running: TaskTracker::new(),
            limits: self.limits.sound(),
        })))
    }
}

impl Host {
    /// A Host without mounts yet.
    pub fn builder() -> HostBuilder {
        HostBuilder::default()
    }

    /// The Host's own limits.
    pub fn limits(&self) -> &HostLimits {
        &self.0.limits
    }

    /// Waits for the calls that still run, some of them perhaps behind the fence and without a caller; false where they
    /// need longer than `patience`. For the end of a process: nothing keeps new calls from coming.
    pub async fn drain(&self, patience: Duration) -> bool {
        self.0.running.close();
        tokio::time::timeout(patience, self.0.running.wait()).await.is_ok()
    }
}

impl Inner {
    /// The context with the deadline that holds here.
    pub(crate) fn bounded(&self, mut context: RequestContext) -> RequestContext {
        // A limit beyond what a clock can tell is none.
        let latest = Instant::now().checked_add(self.limits.time);
        context.deadline = context.deadline.into_iter().chain(latest).min();
        context
    }

    async fn fetch_one(
        &self,
        request: &Arc<Request>,
        entry: Result<EntryPath, Fault>,
    ) -> Result<Arc<Object>, ProtocolError> {
        let entry = entry.map_err(|fault| invalid_request(&fault))?;
        let found = in_time(request.deadline, self.find(request, &entry)).await;
        let found = found.unwrap_or(Err(ProviderError::Late));
        found.map(|found| found.object).map_err(|error| error.shown(&quoted(entry.as_str())))
    }

    async fn fetch(
        &self,
        context: RequestContext,
        asked: FetchRequest,
    ) -> Result<FetchResponse, ProtocolError> {
        let most = self.limits.fetch_entries;
        if asked.entries.len() > most {
            let text = format!(
                "{} entries in one fetch are more than this Host's limit of {most}; ask for fewer at a time",
                asked.entries.len()
            );
            return Err(ProtocolError::new(ErrorCode::ResourceLimitExceeded, text));
        }
        let (request, _cancelled_on_drop) = Request::open(self.bounded(context));
        let reads = asked.entries.into_iter().enumerate().map(|(at, entry)| {
            let reading = self.fetch_one(&request, entry);
            async move { (at, reading.await) }
        });
        // As they come, so that one that hangs keeps no place from those behind it.
        let mut read: Vec<_> = stream::iter(reads).buffer_unordered(FETCH_WINDOW).collect().await;
        read.sort_unstable_by_key(|(at, _)| *at);
        let results = read.into_iter().map(|(_, result)| result);
        Ok(FetchResponse { results: within_bytes(results, request.response_bytes) })
    }

    async fn fetch_tree(
        &self,
        context: RequestContext,
        asked: FetchTreeRequest,
    ) -> Result<Tree, ProtocolError> {
        let (request, _cancelled_on_drop) = Request::open(self.bounded(context));
        let walked = self.walk_tree(&request, &asked).await;
        walked.map_err(|error| self.told(error, asked.entry()))
    }

    async fn observe(&self, context: RequestContext, asked: ObserveRequest) -> Result<Tree, ProtocolError> {
        let (request, _cancelled_on_drop) = Request::open(self.bounded(context));
        let walked = self.walk_observed(&request, &asked).await;
        walked.map_err(|error| self.told(error, &asked.path))
    }

    /// Notes what failed in the walk itself; what failed in a provider is noted where it happened.
    fn told(&self, error: ProviderError, entry: &EntryPath) -> ProtocolError {
        if let ProviderError::Failed(source) = &error {
            tracing::warn!(%entry, error = %crate::mount::Chain(&**source), "no tree");
        }
        error.shown(&quoted(entry.as_str()))
    }

    async fn fetch_interface(
        &self,
        context: RequestContext,
        asked: FetchInterfaceRequest,
    ) -> Result<FetchInterfaceResponse, ProtocolError> {
        let (request, _cancelled_on_drop) = Request::open(self.bounded(context));
        let reference = &asked.interface;
        let found = in_time(request.deadline, self.find_interface(&request, reference)).await;
        let FoundInterface { interface, scope_ref } =
            found.unwrap_or(Err(ProviderError::Late)).map_err(|error| match error {
                ProviderError::NotFound => interface_not_found(&quoted(&reference.to_string())),
                error => error.shown(&quoted(&reference.to_string())),
            })?;
        Ok(FetchInterfaceResponse {
            scope_ref,
            validator: Some(self.validators.interface(&request.principal, &interface)),
            effects: asked.effects.then(|| interface.effects().clone()),
            descriptor: interface.descriptor().clone(),
            interface: asked.interface,
        })
    }
}

/// Results that fit into one answer; those that do not can be had by themselves.
fn within_bytes(
    results: impl Iterator<Item = Result<Arc<Object>, ProtocolError>>,
    bytes: Option<usize>,
) -> Vec<Result<Arc<Object>, ProtocolError>> {
    let Some(bytes) = bytes else { return results.collect() };
    // Errors are short, and always have room.
    let mut left = bytes / 16 * 15;
    let fitting = |result: Result<Arc<Object>, ProtocolError>| {
        let object = result?;
        match left.checked_sub(object.weight() + Message::MAX) {
            Some(rest) => {
                left = rest;
                Ok(object)
            }
            None => {
                let text = "the answer is full; fetch this entry in a request of its own";
                Err(ProtocolError::new(ErrorCode::ResourceLimitExceeded, text))
            }
        }
    };
    results.map(fitting).collect()
}

pub(crate) fn invalid_request(fault: &Fault) -> ProtocolError {
    ProtocolError::new(ErrorCode::InvalidRequest, fault.to_string())
}

fn interface_not_found(asked: &str) -> ProtocolError {
    let text = format!("there is no interface {asked}; an Object names those that it publishes");
    ProtocolError::new(ErrorCode::InterfaceNotFound, text)
}

impl Responder for Host {
    /// Limits of bodies are those of the binding, which fills them in.
    fn capabilities(&self) -> Capabilities {
        let limits = &self.0.limits;
        Capabilities {
            interactions: vec![
                Interaction::Fetch,
                Interaction::FetchTree,
                Interaction::Observe,
                Interaction::FetchInterface,
                Interaction::CallOperation,
            ],
            encodings: Vec::new(),
            extensions: vec!["effects".to_owned()],
            limits: StatedLimits {
                fetch_entries: limits.fetch_entries as u64,
                tree_nodes: limits.tree_nodes.into(),
                tree_depth: limits.tree_depth.into(),
                ..StatedLimits::default()
            },
            journal: None,
        }
    }

    fn fetch(
        &self,
        context: RequestContext,
        request: FetchRequest,
    ) -> BoxFuture<'_, Result<FetchResponse, ProtocolError>> {
        Box::pin(self.0.fetch(context, request))
    }

    fn fetch_tree(
        &self,
        context: RequestContext,
        request: FetchTreeRequest,
    ) -> BoxFuture<'_, Result<Tree, ProtocolError>> {
        Box::pin(self.0.fetch_tree(context, request))
    }

    fn observe(
        &self,
        context: RequestContext,
        request: ObserveRequest,
    ) -> BoxFuture<'_, Result<Tree, ProtocolError>> {
        Box::pin(self.0.observe(context, request))
    }

    fn fetch_interface(
        &self,
        context: RequestContext,
        request: FetchInterfaceRequest,
    ) -> BoxFuture<'_, Result<FetchInterfaceResponse, ProtocolError>> {
        Box::pin(self.0.fetch_interface(context, request))
    }

    fn call_operation(
        &self,
        context: RequestContext,
        call: IncomingCall,
    ) -> BoxFuture<'_, Result<CallAnswer, ProtocolError>> {
        Box::pin(self.0.call_operation(context, call))
    }
}
