//! Putting a Host together, and its observations. Calls are in `dispatch`.

use std::sync::Arc;
use std::time::Instant;

use futures_util::StreamExt;
use futures_util::stream;
use tokio::sync::Semaphore;
use worldspace_model::{
    BoxFuture, CallAnswer, Capabilities, EntryPath, ErrorCode, Fault, FetchInterfaceRequest,
    FetchInterfaceResponse, FetchRequest, FetchResponse, FetchTreeRequest, IncomingCall, Interaction, Object,
    ObserveRequest, ProtocolError, RequestContext, Responder, StatedLimits, Tree,
};

use crate::context::{Context, Request};
use crate::cursor::Sealer;
use crate::erased::ErasedProvider;
use crate::failure::{ProviderError, quoted};
use crate::guard::Validators;
use crate::interface::Interface;
use crate::limits::HostLimits;
use crate::mount::log_failure;
use crate::mounts::{Mounts, Place};
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
    pub(crate) calls: Arc<Semaphore>,
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
    mounts: Vec<(EntryPath, Arc<dyn ErasedProvider>)>,
    limits: HostLimits,
    key: Option<[u8; 32]>,
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
        self.mounts.push((at, Arc::new(provider)));
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
            visibility: Visibility::default(),
            validators: Validators::new(derived("worldspace 2026 validators")),
            sealer: Sealer::new(&derived("worldspace 2026 cursors")),
            calls: Arc::new(Semaphore::new(self.limits.calls.min(Semaphore::MAX_PERMITS))),
            limits: self.limits,
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
}

impl Inner {
    /// The context with the deadline that holds here.
    pub(crate) fn bounded(&self, mut context: RequestContext) -> RequestContext {
        let latest = Instant::now() + self.limits.time;
        context.deadline = Some(context.deadline.map_or(latest, |deadline| deadline.min(latest)));
        context
    }

    pub(crate) fn too_late(&self, asked: &str) -> ProtocolError {
        let most = self.limits.time.as_secs_f32();
        let text = format!(
            "the time for {asked} ran out and nothing was changed; allow more time (this Host takes {most} s at most) or ask \
             for less"
        );
        ProtocolError::new(ErrorCode::ResourceLimitExceeded, text)
    }

    async fn fetch_one(
        &self,
        request: &Arc<Request>,
        entry: Result<EntryPath, Fault>,
    ) -> Result<Arc<Object>, ProtocolError> {
        let entry = entry.map_err(|fault| invalid_request(&fault))?;
        match in_time(request.deadline, self.find(request, &entry)).await {
            Some(found) => {
                found.map(|found| found.object).map_err(|error| error.shown(&quoted(entry.as_str())))
            }
            None => Err(self.too_late(&quoted(entry.as_str()))),
        }
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
        let reads = asked.entries.into_iter().map(|entry| self.fetch_one(&request, entry));
        Ok(FetchResponse { results: stream::iter(reads).buffered(FETCH_WINDOW).collect().await })
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
        let reading = self.read_interface(&request, &asked);
        let name = || quoted(&asked.interface.to_string());
        in_time(request.deadline, reading).await.unwrap_or_else(|| Err(self.too_late(&name())))
    }

    async fn read_interface(
        &self,
        request: &Arc<Request>,
        asked: &FetchInterfaceRequest,
    ) -> Result<FetchInterfaceResponse, ProtocolError> {
        let reference = &asked.interface;
        let told = |error: ProviderError| match error {
            ProviderError::NotFound => interface_not_found(&quoted(&reference.to_string())),
            error => error.shown(&quoted(&reference.to_string())),
        };
        let scope = self.find(request, reference.scope()).await.map_err(told)?;
        if !self.visibility.interface(&request.principal, reference) {
            return Err(told(ProviderError::NotFound));
        }
        let Some(Place::Mounted(mount, _)) = self.mounts.place(reference.scope()) else {
            return Err(told(ProviderError::NotFound));
        };
        let Some(local) = mount.local_reference(reference) else {
            return Err(told(ProviderError::NotFound));
        };
        let context = Context::new(request, mount);
        let interface: Interface = mount
            .provider()
            .interface(&context, &local)
            .await
            .inspect_err(|error| log_failure(mount, reference.scope(), error))
            .map_err(told)?;
        Ok(FetchInterfaceResponse {
            interface: reference.clone(),
            scope_ref: scope.object.r#ref.clone(),
            validator: Some(self.validators.interface(&request.principal, &interface)),
            effects: asked.effects.then(|| interface.effects().clone()),
            descriptor: interface.descriptor().clone(),
        })
    }
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
