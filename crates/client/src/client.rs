//! The Client: asks, validates against what is known, remembers, and shares what is asked for twice at a time.

use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::{FutureExt, join_all};
use futures_util::stream::{self, Stream, StreamExt};
use worldspace_model::{
    BoxFuture, Capabilities, EntryPath, ErrorCode, FetchInterfaceRequest, FetchRequest, FetchTreeRequest,
    Interaction, InterfaceReference, NotSent, Object, ObserveRequest, Principal, ProtocolError,
    RequestContext, Responder, Transport, TransportError, Tree, nearest,
};

use crate::error::{ClientError, Usage};
use crate::explore::explore;
use crate::flight::Flights;
use crate::handle::{Freshness, InterfaceObservation, Observation, TreeObservation};
use crate::local::InProcess;
use crate::space::Space;

/// How many exchanges one question with many parts has under way.
const AT_ONCE: usize = 8;
/// How many entries are asked for together where a Host states no limit.
const BATCH: usize = 64;

/// How many interfaces of one Object are asked for without being named.
const IMPLICIT: usize = 256;

/// How much a Client remembers, and how long it waits.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// Entries whose Objects are remembered.
    pub known_entries: usize,
    /// Interfaces that are remembered.
    pub known_interfaces: usize,
    /// Entries that results named and nobody asked for yet.
    pub candidates: usize,
    /// How many bytes all that takes together, roughly. What alone is a great part of it is not remembered.
    pub known_bytes: usize,
    /// How long an observation may take.
    pub read_patience: Duration,
    /// How long a call may take that has no deadline of its own.
    pub call_patience: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            known_entries: 16_384,
            known_interfaces: 1_024,
            candidates: 1_024,
            known_bytes: 64 << 20,
            read_patience: Duration::from_secs(30),
            call_patience: Duration::from_secs(60),
        }
    }
}

/// One principal's view of one Host. Cheap to clone: clones share what they know.
///
/// Reads may be dropped at any time; others who wait for the same answer still get it. A call that is dropped may
/// have happened.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    transport: Arc<dyn Transport>,
    settings: Settings,
    /// Transports do not send it; requests have a place for one.
    nobody: Principal,
    capabilities: OnceLock<Arc<Capabilities>>,
    asking: Flights<(), Arc<Capabilities>>,
    space: Mutex<Space>,
    /// How many calls ended that may have changed something. What was asked for before one of them is not shared with
    /// who asks behind it.
    settled: AtomicU64,
    objects: Flights<(u64, EntryPath), Observation>,
    trees: Flights<(u64, FetchTreeRequest), TreeObservation>,
    interfaces: Flights<(u64, InterfaceReference), InterfaceObservation>,
}

impl Client {
    /// A Client that knows nothing yet.
    pub fn new(transport: Arc<dyn Transport>, settings: Settings) -> Self {
        Self(Arc::new(Inner {
            transport,
            nobody: Principal::anonymous(),
            capabilities: OnceLock::new(),
            asking: Flights::new(),
            space: Mutex::new(Space::new(&settings)),
            settings,
            settled: AtomicU64::new(0),
            objects: Flights::new(),
            trees: Flights::new(),
            interfaces: Flights::new(),
        }))
    }

    /// A Client of a Host in this process, as that principal.
    pub fn in_process(responder: Arc<dyn Responder>, principal: Principal, settings: Settings) -> Self {
        Self::new(Arc::new(InProcess::new(responder, principal)), settings)
    }

    /// What the Host speaks; asked of the transport until it has said more than \[v1\].
    ///
    /// # Errors
    /// The Host cannot be asked.
    pub async fn capabilities(&self) -> Result<Arc<Capabilities>, ClientError> {
        if let Some(known) = self.0.capabilities.get() {
            return Ok(known.clone());
        }
        let client = self.clone();
        let flight = self.0.asking.join((), || {
            async move {
                let told = Arc::new(client.0.transport.capabilities(client.read_context()).await?);
                // A Host that seems to speak [v1] alone may only have been out of sorts; the transport knows.
                if *told == Capabilities::v1() {
                    return Ok(told);
                }
                Ok(client.0.capabilities.get_or_init(|| told).clone())
            }
            .boxed()
        });
        flight.await
    }

    /// Asks for the Object at an entry.
    ///
    /// # Errors
    /// `not_found` and the Host's other refusals; no answer; an invalid one.
    pub async fn fetch(&self, entry: &EntryPath) -> Result<Observation, ClientError> {
        let mut results = self.fetch_many(std::slice::from_ref(entry)).await;
        results.pop().unwrap_or_else(|| Err(ClientError::invalid("it holds no result")))
    }

    /// Asks for the Objects at some entries, in as few requests as the Host allows: a result or error for each, in
    /// order, as if it were asked for alone.
    pub async fn fetch_many(&self, entries: &[EntryPath]) -> Vec<Result<Observation, ClientError>> {
        let capabilities = match self.capabilities().await {
            Ok(capabilities) => capabilities,
            Err(error) => return vec![Err(error); entries.len()],
        };
        let batch = match (capabilities.speaks(Interaction::Fetch), capabilities.limits.fetch_entries) {
            (false, _) => 1,
            (true, 0) => BATCH,
            (true, limit) => usize::try_from(limit).unwrap_or(BATCH).min(BATCH),
        };
        let together = capabilities.speaks(Interaction::Fetch);
        let mut results = Vec::with_capacity(entries.len());
        for window in entries.chunks(batch * AT_ONCE) {
            let settled = self.0.settled.load(Ordering::Acquire);
            let keys: Vec<_> = window.iter().map(|entry| (settled, entry.clone())).collect();
            let flights = self.0.objects.join_all(&keys, |wanted| {
                let wanted: Vec<EntryPath> = wanted.into_iter().map(|(_, entry)| entry).collect();
                wanted.chunks(batch).flat_map(|part| self.begin_fetch(part.to_vec(), together)).collect()
            });
            results.extend(join_all(flights).await);
        }
        results
    }

    /// One exchange for these entries, and each entry's part of it.
    fn begin_fetch(
        &self,
        entries: Vec<EntryPath>,
        together: bool,
    ) -> Vec<BoxFuture<'static, Result<Observation, ClientError>>> {
        let (client, count) = (self.clone(), entries.len());
        let exchange = async move {
            let results = match together {
                true => client.fetch_together(entries).await,
                false => client.observe_each(entries).await,
            };
            Arc::<[_]>::from(results)
        };
        let exchange = exchange.boxed().shared();
        let part = |at| {
            let exchange = exchange.clone();
            let missing = || Err(ClientError::invalid("it holds too few results"));
            async move { exchange.await.get(at).cloned().unwrap_or_else(missing) }.boxed()
        };
        (0..count).map(part).collect()
    }

    /// Asks for some entries together, and in halves where that fails because they are together: what is wrong with
    /// one entry is no failure of the others.
    async fn fetch_together(&self, entries: Vec<EntryPath>) -> Vec<Result<Observation, ClientError>> {
        // One patience for all of it.
        let context = self.read_context();
        let mut results = Vec::with_capacity(entries.len());
        let mut open = vec![&entries[..]];
        while let Some(part) = open.pop() {
            let order = self.space().next_order();
            match self.fetch_part(context.clone(), part).await {
                Ok(answers) => results.extend(
                    answers
                        .into_iter()
                        .zip(part)
                        .map(|(answer, entry)| self.took(order, entry, answer.map_err(ClientError::Refused))),
                ),
                Err(error) if part.len() > 1 && may_pass_in_halves(&error) => {
                    let (first, second) = part.split_at(part.len() / 2);
                    open.extend([second, first]);
                }
                Err(error) => {
                    results.extend(part.iter().map(|entry| self.took(order, entry, Err(error.clone()))));
                }
            }
        }
        results
    }

    async fn fetch_part(
        &self,
        context: RequestContext,
        entries: &[EntryPath],
    ) -> Result<Vec<Result<Arc<Object>, ProtocolError>>, ClientError> {
        let request = FetchRequest { entries: entries.iter().cloned().map(Ok).collect() };
        let results = self.0.transport.fetch(context, request).await?.results;
        match results.len() == entries.len() {
            true => Ok(results),
            false => {
                let (found, asked) = (results.len(), entries.len());
                Err(ClientError::invalid(format_args!("{found} results for {asked} entries")))
            }
        }
    }

    /// [v1]: one entry, one `observe`.
    async fn observe_each(&self, entries: Vec<EntryPath>) -> Vec<Result<Observation, ClientError>> {
        let mut results = Vec::with_capacity(entries.len());
        for entry in entries {
            let order = self.space().next_order();
            let request = ObserveRequest { path: entry.clone(), depth: 0 };
            let tree = self.0.transport.observe(self.read_context(), request).await;
            let object = tree.map(|tree| tree.first().object.clone()).map_err(ClientError::from);
            results.push(self.took(order, &entry, object));
        }
        results
    }

    /// Takes in what an answer says of one entry.
    fn took(
        &self,
        order: u64,
        entry: &EntryPath,
        answer: Result<Arc<Object>, ClientError>,
    ) -> Result<Observation, ClientError> {
        let mut space = self.space();
        let result = answer.and_then(|object| space.observe(order, entry, object));
        if let Err(error) = &result {
            match error.refusal() {
                Some(ErrorCode::NotFound) => space.missing(order, entry),
                _ => space.failed(order, entry),
            }
        }
        result
    }

    /// Asks for a breadth-first part of the indexable subtree.
    ///
    /// # Errors
    /// Those of the entry at the top, as [`Self::fetch`]; what fails below it is said in the tree.
    pub async fn tree(&self, request: &FetchTreeRequest) -> Result<TreeObservation, ClientError> {
        let capabilities = self.capabilities().await?;
        let key = (self.0.settled.load(Ordering::Acquire), request.clone());
        let (client, request) = (self.clone(), request.clone());
        let flight = self.0.trees.join(key, || {
            async move {
                match capabilities.speaks(Interaction::FetchTree) {
                    true => client.fetch_tree(request).await,
                    false => explore(&client, &request).await,
                }
            }
            .boxed()
        });
        flight.await
    }

    async fn fetch_tree(&self, request: FetchTreeRequest) -> Result<TreeObservation, ClientError> {
        let order = self.space().next_order();
        let answer = self.0.transport.fetch_tree(self.read_context(), request.clone()).await;
        let (tree, observations) = self.took_tree(order, request.entry(), answer.map_err(Into::into))?;
        Ok(TreeObservation::new(tree, observations))
    }

    /// Takes in a whole answer.
    pub(crate) fn took_tree(
        &self,
        order: u64,
        top: &EntryPath,
        answer: Result<Tree, ClientError>,
    ) -> Result<(Tree, Vec<Observation>), ClientError> {
        let tree = match answer {
            Ok(tree) => tree,
            Err(error) => {
                // Any other failure is one of the tree, and says nothing of the Object at its top.
                if error.refusal() == Some(ErrorCode::NotFound) {
                    self.space().missing(order, top);
                }
                return Err(error);
            }
        };
        let objects = tree.nodes().iter().map(|node| node.object.clone());
        let objects = tree.paths(top).into_iter().zip(objects).collect();
        let observations = self.space().observe_all(order, objects)?;
        Ok((tree, observations))
    }

    /// An interface, as it is held or else asked for.
    ///
    /// # Errors
    /// `interface_not_found` and the Host's other refusals; no answer; an invalid one.
    pub async fn interface(
        &self,
        reference: &InterfaceReference,
    ) -> Result<InterfaceObservation, ClientError> {
        let held = self.space().interface(reference);
        match held {
            Some(held) => Ok(held),
            None => self.fetch_interface(reference).await,
        }
    }

    /// Asks for an interface, whatever is held.
    ///
    /// # Errors
    /// As [`Self::interface`].
    pub async fn fetch_interface(
        &self,
        reference: &InterfaceReference,
    ) -> Result<InterfaceObservation, ClientError> {
        let capabilities = self.capabilities().await?;
        let key = (self.0.settled.load(Ordering::Acquire), reference.clone());
        let client = self.clone();
        let request =
            FetchInterfaceRequest { interface: reference.clone(), effects: capabilities.extends("effects") };
        let flight = self.0.interfaces.join(key, || {
            async move {
                let order = client.space().next_order();
                let answer = client.0.transport.fetch_interface(client.read_context(), request).await?;
                client.space().observe_interface(order, answer)
            }
            .boxed()
        });
        flight.await
    }

    /// The interfaces that an Object publishes, in its order: a result or error for each. Only the first 256 are asked
    /// for; those behind them are to be named to [`Self::interface`].
    pub async fn interfaces_of(
        &self,
        target: &Observation,
    ) -> Vec<Result<InterfaceObservation, ClientError>> {
        let mut interfaces: Vec<_> = self.ask_for_interfaces(target).collect().await;
        let too_many = || Err(Usage::too_many(target).into());
        interfaces.resize_with(target.object().interfaces.len(), too_many);
        interfaces
    }

    /// The first interfaces of an Object in its order, a few at a time.
    fn ask_for_interfaces(
        &self,
        target: &Observation,
    ) -> impl Stream<Item = Result<InterfaceObservation, ClientError>> {
        let references: Vec<_> = target.object().interfaces.iter().take(IMPLICIT).cloned().collect();
        let ask = move |reference: InterfaceReference| async move { self.interface(&reference).await };
        stream::iter(references).map(ask).buffered(AT_ONCE)
    }

    /// The interface by which an operation is called: the one named, or the only one of the Object that declares it.
    ///
    /// # Errors
    /// [`Usage`] where there is no such interface or operation, or several; else as [`Self::interface`].
    pub async fn resolve(
        &self,
        target: &Observation,
        operation: &str,
        interface: Option<&InterfaceReference>,
    ) -> Result<InterfaceObservation, ClientError> {
        if let Some(reference) = interface {
            if !target.object().interfaces.contains(reference) {
                return Err(Usage::not_published(target, reference).into());
            }
            let interface = self.interface(reference).await?;
            let declared = interface.descriptor().require_operation(operation);
            declared.map_err(|unknown| Usage::unknown(target.entry(), unknown))?;
            return Ok(interface);
        }
        if target.object().interfaces.len() > IMPLICIT {
            return Err(Usage::too_many(target).into());
        }
        let mut found = None;
        let mut declaring = Vec::new();
        let mut similar = Vec::new();
        let mut interfaces = pin!(self.ask_for_interfaces(target));
        while let Some(interface) = interfaces.next().await {
            match interface {
                Ok(interface) => match interface.descriptor().require_operation(operation) {
                    Ok(_) => {
                        declaring.push(interface.reference().clone());
                        found.get_or_insert(interface);
                    }
                    Err(unknown) => similar.extend(unknown.nearest),
                },
                // It went since the Object was shown, so it declares nothing.
                Err(error) if error.refusal() == Some(ErrorCode::InterfaceNotFound) => {}
                Err(error) => return Err(error),
            }
        }
        let (entry, interfaces) = (target.entry().clone(), declaring);
        match found {
            Some(interface) if interfaces.len() == 1 => Ok(interface),
            Some(_) => {
                Err(Usage::AmbiguousOperation { entry, operation: operation.into(), interfaces }.into())
            }
            None => {
                let nearest = nearest(operation, similar.iter().map(|name| &**name)).map(Into::into);
                Err(Usage::NoSuchOperation { entry, operation: operation.into(), nearest }.into())
            }
        }
    }

    /// What is known of an entry, without asking; none where it was never observed or is no longer remembered.
    pub fn known(&self, entry: &EntryPath) -> Option<Observation> {
        self.space().known(entry)
    }

    /// Whether what was shown is still what is known, without asking.
    pub fn freshness(&self, shown: &Observation) -> Freshness {
        self.space().freshness(shown)
    }

    /// Entries that results named and that were not asked for yet, the latest first.
    pub fn candidates(&self) -> Vec<EntryPath> {
        self.space().candidates()
    }

    pub(crate) fn space(&self) -> MutexGuard<'_, Space> {
        self.0.space.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn transport(&self) -> &dyn Transport {
        &*self.0.transport
    }

    /// From here on, who asks gets an answer to a request of its own.
    pub(crate) fn settle(&self) {
        self.0.settled.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn read_context(&self) -> RequestContext {
        self.context(within(self.0.settings.read_patience))
    }

    pub(crate) fn call_context(&self, deadline: Option<Instant>) -> RequestContext {
        self.context(deadline.or_else(|| within(self.0.settings.call_patience)))
    }

    fn context(&self, deadline: Option<Instant>) -> RequestContext {
        RequestContext { deadline, ..RequestContext::of(self.0.nobody.clone()) }
    }
}

/// Whether what failed for some entries together may succeed for fewer of them.
fn may_pass_in_halves(error: &ClientError) -> bool {
    match error {
        ClientError::Refused(error) => error.code == ErrorCode::ResourceLimitExceeded,
        ClientError::InvalidAnswer { .. } => true,
        ClientError::Transport(error) => matches!(
            **error,
            TransportError::NotSent(NotSent::Unsendable { .. } | NotSent::Rejected { status: 413, .. })
        ),
        ClientError::Usage(_) => false,
    }
}

/// None where there is no such time.
fn within(patience: Duration) -> Option<Instant> {
    tokio::time::Instant::now().into_std().checked_add(patience)
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("settings", &self.0.settings).finish_non_exhaustive()
    }
}
