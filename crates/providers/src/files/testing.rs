//! What tests need to stand where an operation runs.

use std::path::Path;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use worldspace_host::{
    Call, Context, Done, Host, Interface, LocalPath, LocalReference, Page, Provider, ProviderError,
    Published, Refusal,
};
use worldspace_model::{
    ArgumentSource, Arguments, CallHead, EntryPath, ErrorCode, Fault, FetchInterfaceRequest, FetchRequest,
    IncomingCall, InterfaceTarget, Operation, Principal, ProtocolError, Record, RequestContext, Responder,
    Segment, Target, Value,
};

use super::root::Root;
use super::task::Task;
use super::{Files, Settings};
use crate::pool::Patience;

pub(super) use crate::unprivileged;

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

/// Calls `write` of the file `f`, and does this instead.
pub(super) fn write_instead(
    directory: &Path,
    work: impl Fn(&Task<'_>, Call) -> Result<Done, Refusal> + Send + Sync + 'static,
) -> Result<Value, ProtocolError> {
    let settings = Settings { writable: true, ..Settings::default() };
    let entry = EntryPath::parse("/w/f").unwrap();
    let arguments = vec![("text", Value::from(""))];
    instead(directory, settings, entry, 1, "write", arguments, move |root, context, call| {
        let patience = Patience::of_looks(context, u64::MAX);
        work(&Task { root, context, patience: &patience }, call)
    })
}

/// Writes into a file as it is, and sets the time of its last change back.
pub(super) fn rewrite(path: &Path, content: &[u8]) {
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    let before = file.metadata().unwrap().modified().unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, content, 0).unwrap();
    file.set_modified(before).unwrap();
}

/// What an operation does that others get ahead of: `between` is what they do right behind the comparison.
pub(super) type Overtaken = fn(&Task<'_>, Call, &dyn Fn()) -> Result<Done, Refusal>;

/// Calls an operation of the file `f` and lets others get ahead of it: it is told that the file changed, what stands in
/// the directory is theirs, and nothing is left of what the call made ready.
pub(super) fn check_overtaken(
    operation: &str,
    arguments: Vec<(&str, Value)>,
    run: Overtaken,
    between: impl Fn(&Path) + Send + Sync + 'static,
    then: &[(&str, Option<&str>)],
) {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().to_owned();
    for (name, content) in [("f", "seen"), ("g", "other"), ("d/x", "below")] {
        std::fs::create_dir_all(at.join(name).parent().unwrap()).unwrap();
        std::fs::write(at.join(name), content).unwrap();
    }
    let place = at.clone();
    let settings = Settings { writable: true, ..Settings::default() };
    let entry = EntryPath::parse("/w/f").unwrap();
    let refused = instead(&at, settings, entry, 1, operation, arguments, move |root, context, call| {
        let patience = Patience::of_looks(context, u64::MAX);
        run(&Task { root, context, patience: &patience }, call, &|| between(&place))
    });
    assert_eq!(refused.unwrap_err().code, ErrorCode::ValidatorMismatch, "{operation}");
    for (name, content) in then {
        assert_eq!(std::fs::read_to_string(at.join(name)).ok().as_deref(), *content, "{operation}: {name}");
    }
    assert!(!at.join(super::write::staging::NAME).exists(), "{operation}: something is kept");
}

/// What is done to a directory, and what stands there then: names, and what the files hold.
type Overtaker = (Box<dyn Fn(&Path) + Send + Sync>, Vec<(&'static str, Option<&'static str>)>);

/// What others do to the file `f` so that whoever saw it before may not touch it, and what stands there then.
pub(super) fn overtakers() -> Vec<Overtaker> {
    let in_place = |at: &Path, content: &[u8]| rewrite(&at.join("f"), content);
    vec![
        (Box::new(move |at| in_place(at, b"them")), vec![("f", Some("them"))]),
        (Box::new(move |at| in_place(at, b"longer")), vec![("f", Some("longer"))]),
        (
            Box::new(|at| std::fs::rename(at.join("g"), at.join("f")).unwrap()),
            vec![("f", Some("other")), ("g", None)],
        ),
        (Box::new(|at| std::fs::remove_file(at.join("f")).unwrap()), vec![("f", None)]),
        (
            Box::new(|at| {
                std::fs::remove_file(at.join("f")).unwrap();
                std::fs::create_dir(at.join("f")).unwrap();
                std::fs::write(at.join("f/x"), "theirs").unwrap();
            }),
            vec![("f/x", Some("theirs"))],
        ),
        (
            Box::new(|at| {
                std::fs::rename(at.join("f"), at.join("h")).unwrap();
                std::os::unix::fs::symlink("g", at.join("f")).unwrap();
            }),
            vec![("h", Some("seen")), ("f", Some("other")), ("g", Some("other"))],
        ),
        (
            Box::new(|at| {
                let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
                std::fs::set_permissions(at.join("f"), private).unwrap();
            }),
            vec![("f", Some("seen"))],
        ),
        (
            Box::new(|at| std::fs::hard_link(at.join("f"), at.join("h")).unwrap()),
            vec![("f", Some("seen")), ("h", Some("seen"))],
        ),
    ]
}

/// What others do to names below the root.
#[derive(Debug)]
pub(super) enum Meddling {
    Exchange(&'static str, &'static str),
    Rename(&'static str, &'static str),
}

impl Meddling {
    /// Does it if it can be done.
    pub(super) fn run(&self, root: &Path) {
        let (from, to, flags) = match self {
            Self::Exchange(from, to) => (from, to, RenameFlags::EXCHANGE),
            Self::Rename(from, to) => (from, to, RenameFlags::empty()),
        };
        let _ = renameat_with(CWD, root.join(from), CWD, root.join(to), flags);
    }
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
