//! A small Host for the tests: entries and operations that behave as their names say.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use worldspace_model::{
    BoxFuture, CallAnswer, Capabilities, Cause, Causes, Declaration, Descriptor, Effect, EffectTable,
    Effects, EntryPath, ErrorCode, Expansion, FetchInterfaceRequest, FetchInterfaceResponse, FetchRequest,
    FetchResponse, FetchTreeRequest, IncomingCall, Interaction, InterfaceReference, Object, ObjectName,
    ObserveRequest, OperationDeclaration, Parameter, ProtocolError, RequestContext, Responder, Settled, Tree,
    Type, Value,
};

/// A Host at whose entries things go wrong.
#[derive(Default)]
pub(crate) struct World {
    /// How many requests arrived.
    pub(crate) arrived: AtomicUsize,
    /// How many of them are over, whether answered or given up.
    pub(crate) over: Arc<AtomicUsize>,
    /// Told whenever `over` grows.
    pub(crate) end: Arc<Notify>,
    /// Told when something hangs.
    pub(crate) hangs: Notify,
    /// Ends a hang.
    pub(crate) release: Notify,
    /// Whether it cannot say what it speaks.
    pub(crate) speechless: AtomicBool,
    /// What came with the last request.
    pub(crate) seen: Mutex<Option<Seen>>,
}

/// What came with a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    pub(crate) principal: String,
    pub(crate) wait: Duration,
    pub(crate) key: Option<String>,
    pub(crate) effects: bool,
}

struct Over(Arc<AtomicUsize>, Arc<Notify>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
        self.1.notify_one();
    }
}

pub(crate) fn path(text: &str) -> EntryPath {
    EntryPath::parse(text).unwrap()
}

pub(crate) fn reference() -> InterfaceReference {
    InterfaceReference::parse("/", "test").unwrap()
}

pub(crate) fn descriptor() -> Descriptor {
    let operations = ["echo", "large", "large_read", "panic", "hang", "refuse"].map(|name| {
        let text = Parameter { name: "text".into(), required: true, documentation: None, ty: Type::STRING };
        OperationDeclaration::new(name).takes([text]).returns(Type::STRING)
    });
    Descriptor::new(Declaration { operations: operations.into(), ..Declaration::default() }).unwrap()
}

fn object(path: &EntryPath) -> Arc<Object> {
    Arc::new(Object::bare(ObjectName::of(path)))
}

fn large() -> String {
    "x".repeat(64 * 1024)
}

impl World {
    pub(crate) fn seen(&self) -> Seen {
        self.seen.lock().unwrap().clone().expect("a request was seen")
    }

    fn arrive(&self, context: &RequestContext, key: Option<String>, effects: bool) -> Over {
        self.arrived.fetch_add(1, Ordering::SeqCst);
        let wait = context.deadline.unwrap().saturating_duration_since(Instant::now());
        let principal = context.principal.name().unwrap_or("anonymous").to_owned();
        *self.seen.lock().unwrap() = Some(Seen { principal, wait, key, effects });
        Over(self.over.clone(), self.end.clone())
    }

    async fn hang(&self) {
        self.hangs.notify_one();
        self.release.notified().await;
    }

    async fn look(&self, path: &EntryPath, expansion: Expansion) -> Result<Tree, ProtocolError> {
        match path.as_str() {
            "/panic" => panic!("asked to"),
            "/hang" => self.hang().await,
            "/gone" => return Err(ProtocolError::new(ErrorCode::NotFound, "nothing is at /gone")),
            _ => {}
        }
        let mut object = Object::bare(ObjectName::of(path));
        if path.as_str() == "/large" {
            object.description = Some(large().into());
        }
        let mut truncated_by = Causes::NONE;
        if expansion.is_open() {
            truncated_by.insert(Cause::Depth);
        }
        Ok(Tree::new(vec![(Arc::new(object), None, expansion)], truncated_by).unwrap())
    }
}

impl Responder for World {
    fn capabilities(&self) -> Capabilities {
        assert!(!self.speechless.load(Ordering::SeqCst), "asked to panic");
        Capabilities {
            interactions: Interaction::ALL.into(),
            extensions: vec!["effects".to_owned()],
            ..Capabilities::default()
        }
    }

    fn fetch(
        &self,
        context: RequestContext,
        request: FetchRequest,
    ) -> BoxFuture<'_, Result<FetchResponse, ProtocolError>> {
        Box::pin(async move {
            let _over = self.arrive(&context, None, false);
            let results = request.entries.into_iter().map(|entry| match entry {
                Ok(path) => Ok(object(&path)),
                Err(fault) => Err(ProtocolError::new(ErrorCode::InvalidRequest, fault.to_string())),
            });
            Ok(FetchResponse { results: results.collect() })
        })
    }

    fn fetch_tree(
        &self,
        context: RequestContext,
        request: FetchTreeRequest,
    ) -> BoxFuture<'_, Result<Tree, ProtocolError>> {
        Box::pin(async move {
            let _over = self.arrive(&context, None, false);
            self.look(request.entry(), Expansion::Leaf).await
        })
    }

    fn observe(
        &self,
        context: RequestContext,
        request: ObserveRequest,
    ) -> BoxFuture<'_, Result<Tree, ProtocolError>> {
        Box::pin(async move {
            let _over = self.arrive(&context, None, false);
            self.look(&request.path, Expansion::Unexplored).await
        })
    }

    fn fetch_interface(
        &self,
        context: RequestContext,
        request: FetchInterfaceRequest,
    ) -> BoxFuture<'_, Result<FetchInterfaceResponse, ProtocolError>> {
        Box::pin(async move {
            let _over = self.arrive(&context, None, request.effects);
            let descriptor = descriptor();
            let read = Effects::new([Effect::Read]).unwrap();
            let effects = EffectTable::new(&descriptor, vec![("echo".into(), read)]).unwrap();
            Ok(FetchInterfaceResponse {
                interface: request.interface,
                scope_ref: None,
                descriptor,
                validator: None,
                // Even unasked, which the server must not pass on.
                effects: Some(effects),
            })
        })
    }

    fn call_operation(
        &self,
        context: RequestContext,
        call: IncomingCall,
    ) -> BoxFuture<'_, Result<CallAnswer, ProtocolError>> {
        Box::pin(async move {
            let key = call.head.key.as_ref().map(|key| key.as_str().to_owned());
            let _over = self.arrive(&context, key, false);
            let operation = descriptor().require_operation(&call.head.operation).map_err(|_| {
                ProtocolError::new(ErrorCode::OperationNotFound, "there is no such operation")
            })?;
            let arguments = call
                .arguments
                .read(&operation)
                .map_err(|fault| ProtocolError::new(ErrorCode::InvalidArguments, fault.to_string()))?;
            let mut answer = CallAnswer {
                result: arguments.get("text").unwrap().clone(),
                validator: None,
                settled: Settled::BeforeFence,
            };
            match &*call.head.operation {
                "panic" => panic!("asked to"),
                "hang" => self.hang().await,
                "refuse" => return Err(ProtocolError::new(ErrorCode::PermissionDenied, "not you")),
                "large_read" => answer.result = Value::string(large()),
                "large" => {
                    answer.result = Value::string(large());
                    answer.settled = Settled::BehindFence;
                }
                _ => {}
            }
            Ok(answer)
        })
    }
}
