//! A Host whose world, delays, failures and lies the tests decide.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use tokio::sync::oneshot;
use worldspace_client::{Client, InProcess, Settings};
use worldspace_model::{
    BoxFuture, CallAnswer, CallHead, Capabilities, Cause, Causes, Declaration, Descriptor, Effect,
    EffectTable, Effects, EntryPath, ErrorCode, Expansion, FetchInterfaceRequest, FetchInterfaceResponse,
    FetchRequest, FetchResponse, FetchTreeRequest, Field, IncomingCall, Interaction, InterfaceList,
    InterfaceReference, NotSent, Object, ObjectName, ObserveRequest, OperationDeclaration, OutgoingCall,
    Principal, ProtocolError, Record, Ref, RequestContext, Responder, Segment, Settled, StatedLimits,
    Transport, TransportError, Tree, Type, Validator, Value,
};

pub(crate) fn path(text: &str) -> EntryPath {
    EntryPath::parse(text).unwrap()
}

pub(crate) fn issue() -> InterfaceReference {
    InterfaceReference::parse("/", "issue").unwrap()
}

/// An Object at that entry with the interface `/::issue`.
pub(crate) fn object(entry: &str, identity: &str, state: &str) -> Object {
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    Object {
        name: ObjectName::of(&path(entry)),
        description: None,
        interfaces: InterfaceList::new(vec![issue()]).unwrap(),
        r#ref: some(identity).map(Ref::new),
        validator: some(state).map(|state| Validator::new(state.as_bytes())),
    }
}

pub(crate) fn descriptor() -> Descriptor {
    let returns =
        Type::record([Field::required("next", Type::ENTRY), Field::required("all", Type::list(Type::ENTRY))]);
    Descriptor::new(Declaration {
        operations: vec![
            OperationDeclaration::new("close")
                .takes([Field::required("reason", Type::STRING)])
                .returns(returns),
            OperationDeclaration::new("read").returns(Type::STRING),
        ],
        ..Declaration::default()
    })
    .unwrap()
}

pub(crate) fn interface_answer() -> FetchInterfaceResponse {
    FetchInterfaceResponse {
        interface: issue(),
        scope_ref: Some(Ref::new("root")),
        descriptor: descriptor(),
        validator: None,
        effects: None,
    }
}

/// Arguments for `close`.
pub(crate) fn reason(text: &str) -> Record {
    Record::new(vec![("reason".into(), Value::from(text))]).unwrap()
}

pub(crate) fn closed(next: &str, all: &[&str]) -> Value {
    let all = all.iter().map(|entry| Value::Entry(path(entry))).collect();
    let record = [("next", Some(Value::Entry(path(next)))), ("all", Some(Value::list(all).unwrap()))];
    Value::record(record).unwrap()
}

pub(crate) fn answer(result: Value, validator: Option<&str>) -> CallAnswer {
    let validator = validator.map(|state| Validator::new(state.as_bytes()));
    CallAnswer { result, validator, settled: Settled::BehindFence }
}

pub(crate) fn error<T>(code: ErrorCode) -> Result<T, ProtocolError> {
    Err(ProtocolError::new(code, "scripted"))
}

/// What reached the Host.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Asked {
    Fetch(usize),
    Tree(EntryPath),
    Observe(EntryPath, u32),
    Interface(InterfaceReference, bool),
    Call(CallHead),
}

/// What the tests decide.
pub(crate) struct World {
    pub(crate) capabilities: Capabilities,
    pub(crate) objects: BTreeMap<EntryPath, Object>,
    /// The next answers, in place of the true ones.
    pub(crate) fetched: VecDeque<Result<FetchResponse, ProtocolError>>,
    pub(crate) trees: VecDeque<Result<Tree, ProtocolError>>,
    pub(crate) interfaces: VecDeque<Result<FetchInterfaceResponse, ProtocolError>>,
    pub(crate) calls: VecDeque<Result<CallAnswer, ProtocolError>>,
    /// Errors of single entries.
    pub(crate) errors: BTreeMap<EntryPath, ErrorCode>,
    /// The next transport failures: the request reaches the Host, its answer is lost.
    pub(crate) lost: VecDeque<TransportError>,
    /// The next failures to say what the Host speaks.
    pub(crate) silence: VecDeque<TransportError>,
    /// How often that was asked.
    pub(crate) introductions: usize,
    /// More entries than this are too many for one `fetch`, as the Host finds out only when asked.
    pub(crate) bearable: usize,
    /// Longer paths do not fit into a request.
    pub(crate) sendable: usize,
    /// So many answers get through before the next is lost.
    pub(crate) passing: usize,
    /// Each holds back one answer, which was made when the request came.
    holds: VecDeque<oneshot::Receiver<()>>,
    pub(crate) interface: FetchInterfaceResponse,
    asked: Vec<Asked>,
    cancelled: usize,
    principals: Vec<Principal>,
}

#[derive(Clone)]
pub(crate) struct Host(Arc<Mutex<World>>);

impl Host {
    /// A Host that speaks all of the protocol, with these Objects, given as entry, ref and state.
    pub(crate) fn with(objects: &[(&str, &str, &str)]) -> Self {
        let interactions = vec![
            Interaction::Fetch,
            Interaction::FetchTree,
            Interaction::Observe,
            Interaction::FetchInterface,
            Interaction::CallOperation,
        ];
        let limits = StatedLimits { fetch_entries: 4, ..Default::default() };
        let extensions = vec!["effects".to_owned()];
        let host = Self(Arc::new(Mutex::new(World {
            capabilities: Capabilities { interactions, extensions, limits, ..Default::default() },
            objects: BTreeMap::new(),
            fetched: VecDeque::new(),
            trees: VecDeque::new(),
            interfaces: VecDeque::new(),
            calls: VecDeque::new(),
            errors: BTreeMap::new(),
            lost: VecDeque::new(),
            silence: VecDeque::new(),
            introductions: 0,
            bearable: usize::MAX,
            sendable: usize::MAX,
            passing: 0,
            holds: VecDeque::new(),
            interface: interface_answer(),
            asked: Vec::new(),
            cancelled: 0,
            principals: Vec::new(),
        })));
        host.put("/", "root", "r0");
        objects.iter().for_each(|(entry, identity, state)| host.put(entry, identity, state));
        host
    }

    /// One that only speaks [v1].
    pub(crate) fn v1(objects: &[(&str, &str, &str)]) -> Self {
        let host = Self::with(objects);
        host.world(|world| world.capabilities = Capabilities::v1());
        host
    }

    pub(crate) fn world<T>(&self, change: impl FnOnce(&mut World) -> T) -> T {
        change(&mut self.0.lock().unwrap())
    }

    pub(crate) fn put(&self, entry: &str, identity: &str, state: &str) {
        self.world(|world| world.objects.insert(path(entry), object(entry, identity, state)));
    }

    pub(crate) fn remove(&self, entry: &str) {
        self.world(|world| world.objects.retain(|known, _| !path(entry).contains(known)));
    }

    /// Holds back the answer to the next request until told, or until the sender is dropped.
    pub(crate) fn hold(&self) -> oneshot::Sender<()> {
        let (sender, receiver) = oneshot::channel();
        self.world(|world| world.holds.push_back(receiver));
        sender
    }

    /// What was asked since the last time.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.world(|world| std::mem::take(&mut world.asked))
    }

    pub(crate) fn cancelled(&self) -> usize {
        self.world(|world| world.cancelled)
    }

    pub(crate) fn principals(&self) -> Vec<Principal> {
        self.world(|world| world.principals.clone())
    }

    pub(crate) fn client(&self) -> Client {
        self.client_with(Settings::default())
    }

    pub(crate) fn client_with(&self, settings: Settings) -> Client {
        let way = InProcess::new(Arc::new(self.clone()), Principal::new("ada"));
        Client::new(Arc::new(Line { host: self.clone(), way }), settings)
    }

    /// Notes a request, makes its answer, and gives it when it is no longer held back.
    fn answer<T: Send + 'static>(
        &self,
        context: &RequestContext,
        asked: Asked,
        make: impl FnOnce(&mut World) -> T,
    ) -> BoxFuture<'static, T> {
        let (answer, hold) = self.world(|world| {
            world.asked.push(asked);
            world.principals.push(context.principal.clone());
            (make(world), world.holds.pop_front())
        });
        let mut running = Running { host: self.clone(), done: false };
        Box::pin(async move {
            if let Some(hold) = hold {
                hold.await.ok();
            }
            running.finish();
            answer
        })
    }
}

/// Counts the requests that are given up.
struct Running {
    host: Host,
    done: bool,
}

impl Running {
    fn finish(&mut self) {
        self.done = true;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.done {
            self.host.world(|world| world.cancelled += 1);
        }
    }
}

impl World {
    fn object(&self, entry: &EntryPath) -> Result<Arc<Object>, ProtocolError> {
        if let Some(code) = self.errors.get(entry) {
            return error(*code);
        }
        self.objects
            .get(entry)
            .map_or_else(|| error(ErrorCode::NotFound), |object| Ok(Arc::new(object.clone())))
    }

    pub(crate) fn children(&self, entry: &EntryPath) -> Vec<EntryPath> {
        self.objects.keys().filter(|known| known.parent().as_ref() == Some(entry)).cloned().collect()
    }

    /// SPEC 2.1, word by word, for a world in which nothing fails.
    pub(crate) fn tree(&self, request: &FetchTreeRequest, knows_leaves: bool) -> Result<Tree, ProtocolError> {
        let top = request.entry().clone();
        let mut nodes = vec![(self.object(&top)?, None, Expansion::Unexplored)];
        let mut places = vec![(top, 0)];
        let mut causes = Causes::NONE;
        let mut at = 0;
        while at < nodes.len() {
            let (entry, level) = places[at].clone();
            let mut children = self.children(&entry);
            if let Some(after) = request.after().filter(|_| at == 0) {
                children.retain(|child| child.name() > after.as_str());
            }
            let room = request.limit().get() as usize - nodes.len();
            let unread = if level == request.depth() {
                Some(Cause::Depth)
            } else {
                (room == 0).then_some(Cause::Limit)
            };
            nodes[at].2 = match unread {
                Some(_) if knows_leaves && children.is_empty() => Expansion::Leaf,
                Some(cause) => {
                    causes.insert(cause);
                    Expansion::Unexplored
                }
                None if children.is_empty() && at == 0 && request.after().is_some() => Expansion::Complete,
                None if children.is_empty() => Expansion::Leaf,
                None if children.len() <= room => Expansion::Complete,
                None => {
                    causes.insert(Cause::Limit);
                    Expansion::Partial
                }
            };
            if unread.is_none() {
                for child in children.into_iter().take(room) {
                    nodes.push((self.object(&child)?, Some(at as u32), Expansion::Unexplored));
                    places.push((child, level + 1));
                }
            }
            at += 1;
        }
        Ok(Tree::new(nodes, causes).unwrap())
    }

    fn observe(&self, request: &ObserveRequest) -> Result<Tree, ProtocolError> {
        let mut nodes = vec![(self.object(&request.path)?, None, Expansion::Unexplored)];
        let mut causes = Causes::NONE;
        causes.insert(Cause::Depth);
        if request.depth > 0 {
            assert_eq!(request.depth, 1, "a deep observe may be too much for a Host");
            nodes[0].2 = Expansion::Complete;
            for child in self.children(&request.path) {
                let object = Arc::new(self.objects[&child].clone());
                nodes.push((object, Some(0), Expansion::Unexplored));
            }
            if nodes.len() == 1 {
                causes = Causes::NONE;
            }
        }
        Ok(Tree::new(nodes, causes).unwrap())
    }

    fn interface(&self, request: &FetchInterfaceRequest) -> FetchInterfaceResponse {
        let mut answer = self.interface.clone();
        if request.effects {
            let read = Effects::new([Effect::Read]).unwrap();
            let effects = answer.descriptor.operations().map(|operation| {
                let effects = if **operation.name() == *"read" { read } else { Effects::WRITE };
                (operation.name().clone(), effects)
            });
            answer.effects = Some(EffectTable::new(&answer.descriptor, effects.collect()).unwrap());
        }
        answer
    }
}

impl Responder for Host {
    fn capabilities(&self) -> Capabilities {
        self.world(|world| world.capabilities.clone())
    }

    fn fetch(
        &self,
        context: RequestContext,
        request: FetchRequest,
    ) -> BoxFuture<'_, Result<FetchResponse, ProtocolError>> {
        self.answer(&context, Asked::Fetch(request.entries.len()), |world| {
            let true_answer = |world: &World| {
                if request.entries.len() > world.bearable {
                    return error(ErrorCode::ResourceLimitExceeded);
                }
                let results = request.entries.iter().map(|entry| world.object(entry.as_ref().unwrap()));
                Ok(FetchResponse { results: results.collect() })
            };
            world.fetched.pop_front().unwrap_or_else(|| true_answer(world))
        })
    }

    fn fetch_tree(
        &self,
        context: RequestContext,
        request: FetchTreeRequest,
    ) -> BoxFuture<'_, Result<Tree, ProtocolError>> {
        self.answer(&context, Asked::Tree(request.entry().clone()), |world| {
            world.trees.pop_front().unwrap_or_else(|| world.tree(&request, true))
        })
    }

    fn observe(
        &self,
        context: RequestContext,
        request: ObserveRequest,
    ) -> BoxFuture<'_, Result<Tree, ProtocolError>> {
        let asked = Asked::Observe(request.path.clone(), request.depth);
        self.answer(&context, asked, |world| {
            world.trees.pop_front().unwrap_or_else(|| world.observe(&request))
        })
    }

    fn fetch_interface(
        &self,
        context: RequestContext,
        request: FetchInterfaceRequest,
    ) -> BoxFuture<'_, Result<FetchInterfaceResponse, ProtocolError>> {
        let asked = Asked::Interface(request.interface.clone(), request.effects);
        self.answer(&context, asked, |world| {
            world.interfaces.pop_front().unwrap_or_else(|| Ok(world.interface(&request)))
        })
    }

    fn call_operation(
        &self,
        context: RequestContext,
        call: IncomingCall,
    ) -> BoxFuture<'_, Result<CallAnswer, ProtocolError>> {
        let IncomingCall { head, arguments } = call;
        self.answer(&context, Asked::Call(head.clone()), |world| {
            let object = world.object(&head.target.path)?;
            if head.target.validator.is_some() && head.target.validator != object.validator {
                return error(ErrorCode::ValidatorMismatch);
            }
            let operation = world.interface.descriptor.operation(&head.operation);
            let Some(operation) = operation else { return error(ErrorCode::OperationNotFound) };
            if let Err(fault) = arguments.read(&operation) {
                return Err(ProtocolError::new(ErrorCode::InvalidArguments, fault.to_string()));
            }
            world.calls.pop_front().unwrap_or_else(|| error(ErrorCode::Internal))
        })
    }
}

/// The way to the Host, on which answers can get lost.
struct Line {
    host: Host,
    way: InProcess,
}

impl Line {
    async fn carry<T>(&self, answer: BoxFuture<'_, Result<T, TransportError>>) -> Result<T, TransportError> {
        let answer = answer.await;
        let lost = self.host.world(|world| match world.passing.checked_sub(1) {
            Some(left) => {
                world.passing = left;
                None
            }
            None => world.lost.pop_front(),
        });
        lost.map_or(answer, Err)
    }
}

impl Transport for Line {
    fn capabilities(&self, context: RequestContext) -> BoxFuture<'_, Result<Capabilities, TransportError>> {
        let (silence, hold) = self.host.world(|world| {
            world.introductions += 1;
            let silence = world.silence.pop_front();
            let hold = silence.is_some().then(|| world.holds.pop_front()).flatten();
            (silence, hold)
        });
        Box::pin(async move {
            if let Some(hold) = hold {
                hold.await.ok();
            }
            match silence {
                Some(error) => Err(error),
                None => self.way.capabilities(context).await,
            }
        })
    }

    fn fetch(
        &self,
        context: RequestContext,
        request: FetchRequest,
    ) -> BoxFuture<'_, Result<FetchResponse, TransportError>> {
        let sendable = self.host.world(|world| world.sendable);
        let lengths = request.entries.iter().flatten().map(|entry| entry.as_str().len());
        if lengths.max() > Some(sendable) {
            let detail = "too large".to_owned();
            let error = TransportError::NotSent(NotSent::Unsendable { detail });
            return Box::pin(async { Err(error) });
        }
        Box::pin(self.carry(self.way.fetch(context, request)))
    }

    fn fetch_tree(
        &self,
        context: RequestContext,
        request: FetchTreeRequest,
    ) -> BoxFuture<'_, Result<Tree, TransportError>> {
        Box::pin(self.carry(self.way.fetch_tree(context, request)))
    }

    fn observe(
        &self,
        context: RequestContext,
        request: ObserveRequest,
    ) -> BoxFuture<'_, Result<Tree, TransportError>> {
        Box::pin(self.carry(self.way.observe(context, request)))
    }

    fn fetch_interface(
        &self,
        context: RequestContext,
        request: FetchInterfaceRequest,
    ) -> BoxFuture<'_, Result<FetchInterfaceResponse, TransportError>> {
        Box::pin(self.carry(self.way.fetch_interface(context, request)))
    }

    fn call_operation(
        &self,
        context: RequestContext,
        call: OutgoingCall,
    ) -> BoxFuture<'_, Result<CallAnswer, TransportError>> {
        Box::pin(self.carry(self.way.call_operation(context, call)))
    }
}

pub(crate) fn tree_request(entry: &str, depth: u32, limit: u32, after: Option<&str>) -> FetchTreeRequest {
    let after = after.map(|after| Segment::parse(after).unwrap());
    FetchTreeRequest::new(path(entry), depth, limit, after).unwrap()
}
