//! What the tests share: requests in a line, arguments, and a world to call.

use std::time::{Duration, Instant};

use worldspace_host::{
    Host, HostBuilder, Interface, Interfaces, LocalPath, LocalReference, Memory, MemoryNode,
};
use worldspace_model::*;

pub fn entry(text: &str) -> EntryPath {
    EntryPath::parse(text).unwrap()
}

pub fn local(text: &str) -> LocalPath {
    LocalPath::parse(text).unwrap()
}

pub fn segment(text: &str) -> Segment {
    Segment::parse(text).unwrap()
}

pub fn anyone() -> RequestContext {
    RequestContext::of(Principal::anonymous())
}

/// As one who takes so many bytes at most.
pub fn taking(bytes: usize) -> RequestContext {
    RequestContext { response_bytes: Some(bytes), ..anyone() }
}

pub fn within(time: Duration) -> RequestContext {
    RequestContext { deadline: Some(Instant::now() + time), ..anyone() }
}

/// Arguments that were given as a record.
pub struct Given(pub Record);

impl ArgumentSource for Given {
    fn read(self: Box<Self>, operation: &Operation) -> Result<Arguments, Fault> {
        Arguments::check(operation, self.0)
    }
}

pub async fn object(host: &Host, path: &str) -> Result<std::sync::Arc<Object>, ProtocolError> {
    let request = FetchRequest { entries: vec![EntryPath::parse(path)] };
    host.fetch(anyone(), request).await.unwrap().results.remove(0)
}

pub async fn interface(
    host: &Host,
    scope: &str,
    name: &str,
) -> Result<FetchInterfaceResponse, ProtocolError> {
    let interface = InterfaceReference::parse(scope, name).unwrap();
    host.fetch_interface(anyone(), FetchInterfaceRequest { interface, effects: true }).await
}

pub async fn tree(
    host: &Host,
    path: &str,
    depth: u32,
    limit: u32,
    after: Option<&str>,
) -> Result<Tree, ProtocolError> {
    let request = FetchTreeRequest::new(entry(path), depth, limit, after.map(segment)).unwrap();
    host.fetch_tree(anyone(), request).await
}

/// A call as a careful caller would make it: on what it has just observed.
pub async fn ready_call(host: &Host, path: &str, scope: &str, name: &str, operation: &str) -> CallHead {
    let seen = object(host, path).await.unwrap();
    let fetched = interface(host, scope, name).await.unwrap();
    CallHead {
        target: Target { path: entry(path), validator: seen.validator.clone() },
        interface: InterfaceTarget {
            reference: fetched.interface,
            scope_ref: fetched.scope_ref,
            validator: fetched.validator,
        },
        operation: operation.into(),
        key: None,
    }
}

pub fn with(head: CallHead, arguments: &[(&str, Value)]) -> IncomingCall {
    let fields = arguments.iter().map(|(name, value)| (Name::from(*name), value.clone())).collect();
    IncomingCall { head, arguments: Box::new(Given(Record::new(fields).unwrap())) }
}

/// A host with `memory` at `/m`.
pub fn mounted(memory: &Memory) -> Host {
    builder(memory).build().unwrap()
}

pub fn builder(memory: &Memory) -> HostBuilder {
    Host::builder().mount(entry("/m"), memory.clone())
}

/// Puts an Object at `path` that publishes the interface `name` of the root.
pub fn publish(memory: &Memory, path: &str, name: &str) {
    let interfaces = Interfaces::new([LocalReference::at_root(name).unwrap()]);
    memory.put(&local(path), MemoryNode::new().publishing(&interfaces));
}

pub fn at_root(name: &str) -> LocalReference {
    LocalReference::at_root(name).unwrap()
}

/// `read() -> string`, `set(text: string) -> string` guarded, `bump() -> unit`.
pub fn note() -> Interface {
    Interface::builder()
        .read(OperationDeclaration::new("read").returns(Type::STRING))
        .operation(
            OperationDeclaration::new("set")
                .takes([Field::required("text", Type::STRING)])
                .returns(Type::STRING),
            [Effect::Guarded],
        )
        .write(OperationDeclaration::new("bump"))
        .build()
        .unwrap()
}
