//! A directory that is made for a test, served by a Host, and asked as a caller would.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::runtime::Runtime;
use worldspace_host::{Host, HostLimits, Memory};
use worldspace_model::{
    ArgumentSource, Arguments, CallAnswer, CallHead, EntryPath, Fault, FetchInterfaceRequest,
    FetchInterfaceResponse, FetchRequest, FetchTreeRequest, IncomingCall, InterfaceReference,
    InterfaceTarget, Object, Operation, Principal, ProtocolError, Record, RequestContext, Responder, Target,
    Tree, Value,
};
use worldspace_providers::files::{Files, Settings};

/// Where the directory is mounted.
pub(super) const MOUNT: &str = "/w";

pub(super) struct World {
    host: Host,
    runtime: Runtime,
    directory: TempDir,
    interfaces: Mutex<HashMap<InterfaceReference, FetchInterfaceResponse>>,
}

struct Given(Record);

impl ArgumentSource for Given {
    fn read(self: Box<Self>, operation: &Operation) -> Result<Arguments, Fault> {
        Arguments::check(operation, self.0)
    }
}

/// The fields of a call, each of which may be left out.
pub(super) type Fields<'a> = &'a [(&'a str, Value)];

impl World {
    pub(super) fn new() -> Self {
        Self::with(Settings::default())
    }

    /// In which everything can be changed.
    pub(super) fn writable() -> Self {
        Self::with(Settings { writable: true, ..Settings::default() })
    }

    pub(super) fn with(settings: Settings) -> Self {
        Self::build(settings, &[])
    }

    /// With other providers mounted below it.
    pub(super) fn below(mounts: &[(&str, Memory)]) -> Self {
        Self::build(Settings::default(), mounts)
    }

    /// Of a directory that the test made itself.
    pub(super) fn serving(path: impl AsRef<Path>, settings: Settings) -> Self {
        Self::host(TempDir::new().unwrap(), path.as_ref(), settings, &[])
    }

    fn build(settings: Settings, mounts: &[(&str, Memory)]) -> Self {
        let directory = TempDir::new().unwrap();
        let root = directory.path().join("root");
        std::fs::create_dir(&root).unwrap();
        Self::host(directory, &root, settings, mounts)
    }

    fn host(directory: TempDir, root: &Path, settings: Settings, mounts: &[(&str, Memory)]) -> Self {
        let files = Files::open(root, settings).unwrap();
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let limits = HostLimits { tree_nodes: 20_000, ..HostLimits::default() };
        let mut host = Host::builder().limits(limits).mount(EntryPath::parse(MOUNT).unwrap(), files);
        for (path, memory) in mounts {
            host = host.mount(EntryPath::parse(&entry(path)).unwrap(), memory.clone());
        }
        Self { host: host.build().unwrap(), runtime, directory, interfaces: Mutex::default() }
    }

    /// With these files; a name that ends in `/` is a directory.
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let world = Self::new();
        world.write_all(files);
        world
    }

    pub(super) fn write_all(&self, files: &[(&str, &str)]) {
        for (name, content) in files {
            let path = self.path(name);
            if name.ends_with('/') {
                std::fs::create_dir_all(path).unwrap();
            } else {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, content).unwrap();
            }
        }
    }

    /// The place on disk of a name below the root.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join("root").join(name)
    }

    /// A place on disk beside the root, where no caller ever comes.
    pub(super) fn outside(&self) -> &Path {
        self.directory.path()
    }

    pub(super) fn context(&self) -> RequestContext {
        RequestContext::of(Principal::anonymous())
    }

    /// Runs what asks several things at once.
    pub(super) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// The Object of a path below the mount.
    pub(super) fn fetch(&self, path: &str) -> Result<Arc<Object>, ProtocolError> {
        self.block_on(self.fetched(path))
    }

    async fn fetched(&self, path: &str) -> Result<Arc<Object>, ProtocolError> {
        let entries = vec![EntryPath::parse(&entry(path))];
        let fetched = self.host.fetch(self.context(), FetchRequest { entries }).await?;
        fetched.results.into_iter().next().unwrap()
    }

    /// The Objects of several paths below the mount, asked for at once.
    pub(super) fn fetch_all(&self, paths: &[&str]) -> Vec<Result<Arc<Object>, ProtocolError>> {
        let entries = paths.iter().map(|path| EntryPath::parse(&entry(path))).collect();
        self.block_on(self.host.fetch(self.context(), FetchRequest { entries })).unwrap().results
    }

    pub(super) fn description(&self, path: &str) -> String {
        self.fetch(path).unwrap().description.as_deref().unwrap_or_default().to_owned()
    }

    pub(super) fn tree(&self, path: &str, depth: u32) -> Tree {
        let request =
            FetchTreeRequest::new(EntryPath::parse(&entry(path)).unwrap(), depth, 20_000, None).unwrap();
        self.runtime.block_on(self.host.fetch_tree(self.context(), request)).unwrap()
    }

    /// The names of all nodes of a tree.
    pub(super) fn names(&self, path: &str, depth: u32) -> Vec<String> {
        self.tree(path, depth).nodes().iter().map(|node| node.object.name.as_str().to_owned()).collect()
    }

    pub(super) fn call(
        &self,
        path: &str,
        operation: &str,
        arguments: Fields<'_>,
    ) -> Result<Value, ProtocolError> {
        self.call_seen(&*self.fetch(path)?, path, operation, arguments)
    }

    /// Calls an operation that has so much time.
    pub(super) fn call_within(
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
    pub(super) fn call_fitting(
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
    pub(super) async fn calling(
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
    pub(super) fn call_seen(
        &self,
        object: &Object,
        path: &str,
        operation: &str,
        arguments: Fields<'_>,
    ) -> Result<Value, ProtocolError> {
        Ok(self.block_on(self.answering(self.context(), object, path, operation, arguments))?.result)
    }

    /// Calls an operation of an Object that was fetched; the whole answer.
    pub(super) async fn answering(
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
    pub(super) fn interface(&self, path: &str) -> FetchInterfaceResponse {
        let interface = self.fetch(path).unwrap().interfaces[0].clone();
        let asked = FetchInterfaceRequest { interface, effects: true };
        self.block_on(self.host.fetch_interface(self.context(), asked)).unwrap()
    }

    pub(super) fn read(&self, path: &str) -> Result<String, ProtocolError> {
        let read = self.call(path, "read_text", &[])?;
        Ok(read.as_record().unwrap().get("text").unwrap().as_str().unwrap().to_owned())
    }
}

/// Waits until all that was done is old to the clock of the filesystem. How long that takes there is seen by what cannot
/// be read for its state, and so has none that lasts before.
pub(super) fn grow_old() {
    let probe = World::new();
    std::fs::File::create(probe.path("big")).unwrap().set_len(3 << 20).unwrap();
    // Trees do not wait by themselves.
    let seen = || probe.tree("/", 1).nodes()[1].object.validator.clone();
    let end = Instant::now() + Duration::from_secs(30);
    while seen() != seen() {
        assert!(Instant::now() < end, "nothing grows old");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether files cannot be told from later ones here, which is said.
pub(super) fn no_identities() -> bool {
    let born = TempDir::new().unwrap().path().metadata().unwrap().created();
    let known = cfg!(target_os = "linux") && born.is_ok();
    if !known {
        eprintln!(
            "skipped: the filesystem of temporary files keeps no time of birth, or nothing can be held here"
        );
    }
    !known
}

/// The entry of a path below the mount.
pub(super) fn entry(path: &str) -> String {
    if path == "/" { MOUNT.to_owned() } else { [MOUNT, path].concat() }
}

pub(super) fn integer(value: i64) -> Value {
    Value::integer(value).unwrap()
}

/// A field of a record.
pub(super) fn field<'v>(value: &'v Value, name: &str) -> &'v Value {
    value.as_record().unwrap().get(name).unwrap_or_else(|| panic!("no {name} in {value:?}"))
}

/// The paths below the mount of the entries that a value names.
pub(super) fn entries(value: &Value) -> Vec<String> {
    value.entries().iter().map(|entry| entry.as_str()[MOUNT.len()..].to_owned()).collect()
}
