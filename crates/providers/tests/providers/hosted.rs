//! A provider that a Host serves at one mount, asked as a caller would.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use worldspace_host::{Host, HostBuilder};
use worldspace_model::{
    ArgumentSource, Arguments, CallAnswer, CallHead, EntryPath, Fault, FetchInterfaceRequest,
    FetchInterfaceResponse, FetchRequest, FetchTreeRequest, IncomingCall, InterfaceReference,
    InterfaceTarget, Object, Operation, Principal, ProtocolError, Record, RequestContext, Responder, Target,
    Tree, Value,
};

/// Where the provider is mounted.
pub(crate) const MOUNT: &str = "/w";

pub(crate) struct Hosted {
    pub(crate) host: Host,
    pub(crate) runtime: Runtime,
    interfaces: Mutex<HashMap<InterfaceReference, FetchInterfaceResponse>>,
}

struct Given(Record);

impl ArgumentSource for Given {
    fn read(self: Box<Self>, operation: &Operation) -> Result<Arguments, Fault> {
        Arguments::check(operation, self.0)
    }
}

/// The fields of a call, each of which may be left out.
pub(crate) type Fields<'a> = &'a [(&'a str, Value)];

impl Hosted {
    pub(crate) fn new(host: HostBuilder) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        Self { host: host.build().unwrap(), runtime, interfaces: Mutex::default() }
    }

    pub(crate) fn context(&self) -> RequestContext {
        RequestContext::of(Principal::anonymous())
    }

    /// Runs what asks several things at once.
    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// The Object of a path below the mount.
    pub(crate) fn fetch(&self, path: &str) -> Result<Arc<Object>, ProtocolError> {
        self.block_on(self.fetched(path))
    }

    async fn fetched(&self, path: &str) -> Result<Arc<Object>, ProtocolError> {
        let entries = vec![EntryPath::parse(&entry(path))];
        let fetched = self.host.fetch(self.context(), FetchRequest { entries }).await?;
        fetched.results.into_iter().next().unwrap()
    }

    /// The Objects of several paths below the mount, asked for at once.
    pub(crate) fn fetch_all(&self, paths: &[&str]) -> Vec<Result<Arc<Object>, ProtocolError>> {
        let entries = paths.iter().map(|path| EntryPath::parse(&entry(path))).collect();
        self.block_on(self.host.fetch(self.context(), FetchRequest { entries })).unwrap().results
    }

    pub(crate) fn description(&self, path: &str) -> String {
        self.fetch(path).unwrap().description.as_deref().unwrap_or_default().to_owned()
    }

    pub(crate) fn tree(&self, path: &str, depth: u32) -> Tree {
        let request =
            FetchTreeRequest::new(EntryPath::parse(&entry(path)).unwrap(), depth, 20_000, None).unwrap();
        self.runtime.block_on(self.host.fetch_tree(self.context(), request)).unwrap()
    }

    /// The names of all nodes of a tree.
    pub(crate) fn names(&self, path: &str, depth: u32) -> Vec<String> {
        self.tree(path, depth).nodes().iter().map(|node| node.object.name.as_str().to_owned()).collect()
    }

    pub(crate) fn call(
        &self,
        path: &str,
        operation: &str,
        arguments: Fields<'_>,
    ) -> Result<Value, ProtocolError> {
        self.call_seen(&*self.fetch(path)?, path, operation, arguments)
    }

    /// Calls an operation that has so much time.
    pub(crate) fn call_within(
        &self,
        time: Duration,
        path: &str,
        operation: &str,
        arguments: Fields<'_>,
    ) -> Result<Value, ProtocolError> {
        let context = RequestContext { deadline: Some(Instant::now() + time), ..self.context() };
        self.block_on(self.calling(context, path, operation, arguments))
    }

    /// Calls an operation whose answer may have so many bytes.
    pub(crate) fn call_fitting(
        &self,
        bytes: usize,
        path: &str,
        operation: &str,
        arguments: Fields<'_>,
    ) -> Result<Value, ProtocolError> {
        let context = RequestContext { response_bytes: Some(bytes), ..self.context() };
        self.block_on(self.calling(context, path, operation, arguments))
    }

    /// A call that ends when its future is dropped.
    pub(crate) async fn calling(
        &self,
        context: RequestContext,
        path: &str,
        operation: &str,
        arguments: Fields<'_>,
    ) -> Result<Value, ProtocolError> {
        let object = self.fetched(path).await?;
        Ok(self.answering(context, &object, path, operation, arguments).await?.result)
    }

    /// Calls an operation of an Object that was fetched.
    pub(crate) fn call_seen(
        &self,
        object: &Object,
        path: &str,
        operation: &str,
        arguments: Fields<'_>,
    ) -> Result<Value, ProtocolError> {
        Ok(self.block_on(self.answering(self.context(), object, path, operation, arguments))?.result)
    }

    /// Calls an operation of an Object that was fetched; the whole answer.
    pub(crate) async fn answering(
        &self,
        context: RequestContext,
        object: &Object,
        path: &str,
        operation: &str,
        arguments: Fields<'_>,
    ) -> Result<CallAnswer, ProtocolError> {
        let (reference, interface) = self.declaring(object, operation).await?;
        let given = arguments.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
        let call = IncomingCall {
            head: CallHead {
                target: Target {
                    path: EntryPath::parse(&entry(path)).unwrap(),
                    validator: object.validator.clone(),
                },
                interface: InterfaceTarget { reference, scope_ref: None, validator: interface.validator },
                operation: operation.into(),
                key: None,
            },
            arguments: Box::new(Given(Record::new(given).unwrap())),
        };
        self.host.call_operation(context, call).await
    }

    /// The interface of an Object that declares an operation, else its first. It is asked for once.
    async fn declaring(
        &self,
        object: &Object,
        operation: &str,
    ) -> Result<(InterfaceReference, FetchInterfaceResponse), ProtocolError> {
        let mut first = None;
        for reference in object.interfaces.iter() {
            let known = self.interfaces.lock().unwrap().get(reference).cloned();
            let interface = match known {
                Some(known) => known,
                None => {
                    let asked = FetchInterfaceRequest { interface: reference.clone(), effects: true };
                    let interface = self.host.fetch_interface(self.context(), asked).await?;
                    self.interfaces.lock().unwrap().insert(reference.clone(), interface.clone());
                    interface
                }
            };
            if interface.descriptor.require_operation(operation).is_ok() {
                return Ok((reference.clone(), interface));
            }
            first.get_or_insert((reference.clone(), interface));
        }
        Ok(first.unwrap())
    }

    /// The interface that a path publishes first.
    pub(crate) fn interface(&self, path: &str) -> FetchInterfaceResponse {
        let interface = self.fetch(path).unwrap().interfaces[0].clone();
        let asked = FetchInterfaceRequest { interface, effects: true };
        self.block_on(self.host.fetch_interface(self.context(), asked)).unwrap()
    }
}

/// The entry of a path below the mount.
pub(crate) fn entry(path: &str) -> String {
    if path == "/" { MOUNT.to_owned() } else { [MOUNT, path].concat() }
}

pub(crate) fn integer(value: i64) -> Value {
    Value::integer(value).unwrap()
}

/// A field of a record.
pub(crate) fn field<'v>(value: &'v Value, name: &str) -> &'v Value {
    value.as_record().unwrap().get(name).unwrap_or_else(|| panic!("no {name} in {value:?}"))
}

/// The paths below the mount of the entries that a value names.
pub(crate) fn entries(value: &Value) -> Vec<String> {
    value.entries().iter().map(|entry| entry.as_str()[MOUNT.len()..].to_owned()).collect()
}
