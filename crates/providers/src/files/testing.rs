//! What tests need to stand where an operation runs.

use std::path::Path;

use worldspace_host::{
    Call, Context, Done, Host, Interface, LocalPath, LocalReference, Page, Provider, ProviderError,
    Published, Refusal,
};
use worldspace_model::{
    ArgumentSource, Arguments, CallHead, EntryPath, Fault, FetchInterfaceRequest, FetchRequest, IncomingCall,
    InterfaceTarget, Operation, Principal, ProtocolError, Record, RequestContext, Responder, Segment, Target,
    Value,
};

use super::root::Root;
use super::{Files, Settings};

#[path = "../../tests/providers/unprivileged.rs"]
pub(super) mod unprivileged;

/// Serves a directory in all but calls.
struct Instead<W> {
    files: Files,
    work: W,
}

impl<W> Provider for Instead<W>
where
    W: Fn(&Root, &Context, Call) -> Result<Done, Refusal> + Send + Sync + 'static,
{
    async fn object(&self, context: &Context, path: &LocalPath) -> Result<Published, ProviderError> {
        self.files.object(context, path).await
    }

    async fn children(
        &self,
        context: &Context,
        path: &LocalPath,
        after: Option<&Segment>,
        most: usize,
    ) -> Result<Page, ProviderError> {
        self.files.children(context, path, after, most).await
    }

    async fn interface(
        &self,
        context: &Context,
        reference: &LocalReference,
    ) -> Result<Interface, ProviderError> {
        self.files.interface(context, reference).await
    }

    async fn call(&self, context: &Context, call: Call) -> Result<Done, Refusal> {
        let root = self.files.0.anchor.root()?;
        (self.work)(&root, context, call)
    }
}

struct Given(Record);

impl ArgumentSource for Given {
    fn read(self: Box<Self>, operation: &Operation) -> Result<Arguments, Fault> {
        Arguments::check(operation, self.0)
    }
}

/// Calls an operation of a directory, and does this instead.
pub(super) fn call_instead(
    directory: &Path,
    operation: &str,
    arguments: Vec<(&str, Value)>,
    work: impl Fn(&Root, &Context, Call) -> Result<Done, Refusal> + Send + Sync + 'static,
) -> Result<Value, ProtocolError> {
    let at = EntryPath::parse("/w").unwrap();
    instead(directory, Settings::default(), at, 0, operation, arguments, work)
}

/// Writes a file, and does this instead.
pub(super) fn write_instead(
    directory: &Path,
    path: &str,
    work: impl Fn(&Root, &Context, Call) -> Result<Done, Refusal> + Send + Sync + 'static,
) -> Result<Value, ProtocolError> {
    let settings = Settings { writable: true, ..Settings::default() };
    let at = EntryPath::parse(&["/w", path].concat()).unwrap();
    instead(directory, settings, at, 1, "write", vec![("text", Value::from(""))], work)
}

fn instead(
    directory: &Path,
    settings: Settings,
    at: EntryPath,
    interface: usize,
    operation: &str,
    arguments: Vec<(&str, Value)>,
    work: impl Fn(&Root, &Context, Call) -> Result<Done, Refusal> + Send + Sync + 'static,
) -> Result<Value, ProtocolError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let files = Files::open(directory, settings).unwrap();
    let mount = EntryPath::parse("/w").unwrap();
    let host = Host::builder().mount(mount, Instead { files, work }).build().unwrap();
    let context = || RequestContext::of(Principal::anonymous());
    runtime.block_on(async {
        let fetched = host.fetch(context(), FetchRequest { entries: vec![Ok(at.clone())] }).await?;
        let object = fetched.results.into_iter().next().unwrap()?;
        let reference = object.interfaces[interface].clone();
        let asked = FetchInterfaceRequest { interface: reference.clone(), effects: false };
        let interface = host.fetch_interface(context(), asked).await?;
        let given = arguments.into_iter().map(|(name, value)| (name.into(), value)).collect();
        let call = IncomingCall {
            head: CallHead {
                target: Target { path: at, validator: object.validator.clone() },
                interface: InterfaceTarget { reference, scope_ref: None, validator: interface.validator },
                operation: operation.into(),
                key: None,
            },
            arguments: Box::new(Given(Record::new(given).unwrap())),
        };
        Ok(host.call_operation(context(), call).await?.result)
    })
}
