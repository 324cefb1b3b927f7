//! A Host with the provider under test in it, and requests to it as a caller makes them by hand.

use std::sync::Arc;
use std::time::Duration;

use worldspace_host::{Host, HostLimits, LocalPath};
use worldspace_model::{
    Arguments, CallAnswer, Effect, Effects, EntryPath, ErrorCode, FetchInterfaceRequest,
    FetchInterfaceResponse, FetchRequest, FetchResponse, FetchTreeRequest, InterfaceReference,
    InterfaceTarget, Object, ObserveRequest, OutgoingCall, Principal, RequestContext, Segment, Target,
    Transport, TransportError, Tree, Validator, Value,
};

use super::bench::Seen;
use super::check::{Stop, Verdict, code_of, expect, expect_same, expect_success, failed, need, need_some};
use super::meddle::Meddling;
use super::sample::Sample;
use super::subject::{Adding, Declared, Deed, Hands};
use crate::Loopback;

/// How long is waited for what must come.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// The time of a Host that is made to run out of it.
pub(super) const SHORT: Duration = Duration::from_millis(300);

/// How often something is tried that must come about in little time.
pub(super) const TRIES: usize = 20;

#[derive(Clone)]
pub(super) struct World {
    pub(super) declared: Arc<Declared>,
    pub(super) transport: Arc<dyn Transport>,
    /// To a Host of the same key and mounts that has time enough, in process: for looks that are no part of a check.
    pub(super) aside: Arc<dyn Transport>,
    pub(super) loopback: Arc<Loopback>,
    pub(super) host: Host,
    /// Where the provider is.
    pub(super) mount: EntryPath,
    /// Where another is, if there is one.
    pub(super) neighbour: Option<EntryPath>,
    pub(super) hands: Hands,
    pub(super) meddling: Meddling,
    pub(super) number: usize,
    pub(super) seen: Arc<Seen>,
}

/// A call as a careful caller makes it, on what it has just observed.
#[derive(Debug, Clone)]
pub(super) struct Prepared {
    pub(super) call: OutgoingCall,
    pub(super) effects: Effects,
}

/// All that can be seen of a provider: its tree, and the results of its readings, a line each.
#[derive(Debug, Clone)]
pub(super) struct Snapshot(Vec<Line>);

#[derive(Debug, Clone, Default)]
struct Line {
    text: String,
    /// Of an Object, where it is and in which state.
    state: Option<(EntryPath, Validator)>,
}

/// A Host that has little time for anything.
pub(super) fn hasty() -> HostLimits {
    HostLimits { time: SHORT, ..HostLimits::default() }
}

/// Asks a Host that has little time for anything, until there was enough of it on a slow machine.
pub(super) async fn in_some_try<T, F>(ask: impl Fn() -> F) -> Result<T, TransportError>
where
    F: Future<Output = Result<T, TransportError>>,
{
    for _ in 1..TRIES {
        let answer = ask().await;
        if code_of(&answer) != Some(ErrorCode::ResourceLimitExceeded) {
            return answer;
        }
    }
    ask().await
}

pub(super) fn anyone() -> RequestContext {
    RequestContext::of(Principal::anonymous())
}

impl World {
    /// The entry of a path of the provider.
    pub(super) fn entry(&self, path: &EntryPath) -> EntryPath {
        self.mount.descend(path)
    }

    /// A path of the provider as itself names it.
    pub(super) fn local(path: &EntryPath) -> Verdict<LocalPath> {
        LocalPath::parse(path.as_str()).or_else(|fault| failed("a path of the provider", fault))
    }

    /// A declared Object that is not the provider's root, which is there whatever its provider says.
    pub(super) fn inner_object(&self) -> Verdict<&EntryPath> {
        let inner = self.declared.objects.iter().find(|path| !path.is_root());
        need(inner, "an `object` below the root")
    }

    pub(super) fn absent(&self) -> Verdict<EntryPath> {
        Ok(self.entry(need(self.declared.absent.first(), "an `absent` path")?))
    }

    /// Any call there is.
    pub(super) fn any_sample(&self) -> Verdict<&Sample> {
        let any = self.declared.readings.iter().chain(&self.declared.writings).next();
        need(any, "a `reading` or a `writing`")
    }

    pub(super) fn adding(&self) -> Verdict<&Adding> {
        need(self.declared.adding.as_ref(), "an `adding`")
    }

    pub(super) async fn by_hand(&self, deed: &Deed) {
        deed(self.hands.clone()).await;
    }

    pub(super) async fn fetch(&self, request: FetchRequest) -> Result<FetchResponse, TransportError> {
        let answer = self.transport.fetch(anyone(), request).await?;
        answer.results.iter().flatten().for_each(|object| self.seen.note(self.number, object));
        Ok(answer)
    }

    /// The Object at an entry. A refusal of the entry is one of the answer.
    pub(super) async fn object(&self, entry: &EntryPath) -> Result<Arc<Object>, TransportError> {
        let mut answer = self.fetch(FetchRequest { entries: vec![Ok(entry.clone())] }).await?;
        answer.results.remove(0).map_err(TransportError::Refused)
    }

    /// The Object that must be at a path of the provider.
    pub(super) async fn found(&self, path: &EntryPath) -> Verdict<Arc<Object>> {
        let entry = self.entry(path);
        expect_success(self.object(&entry).await, format!("the Object at {path}"))
    }

    /// Every declared Object has this.
    pub(super) async fn each_has<T>(
        &self,
        what: &str,
        declared: &str,
        part: fn(&Object) -> &Option<T>,
    ) -> Verdict {
        for path in need_some(&self.declared.objects, "an `object`")? {
            let object = self.found(path).await?;
            let expected = format!("a {what} of {path}, since `{declared}` was declared");
            expect(part(&object).is_some(), expected, "none")?;
        }
        Ok(())
    }

    /// Every declared Object shows the same of this each time.
    pub(super) async fn each_keeps<T: PartialEq + std::fmt::Debug>(
        &self,
        what: &str,
        part: fn(&Object) -> &Option<T>,
    ) -> Verdict {
        for path in need_some(&self.declared.objects, "an `object`")? {
            let first = self.found(path).await?;
            for _ in 0..3 {
                let again = self.found(path).await?;
                let what = format!("the {what} of {path}, which did not change");
                expect_same(part(&first), part(&again), what)?;
            }
        }
        Ok(())
    }

    pub(super) async fn tree(
        &self,
        entry: &EntryPath,
        depth: u32,
        limit: u32,
        after: Option<&str>,
    ) -> Result<Tree, TransportError> {
        let after = after.map(Segment::parse).transpose();
        let request = after.and_then(|after| FetchTreeRequest::new(entry.clone(), depth, limit, after));
        let request = request.map_err(|fault| TransportError::InvalidAnswer { detail: fault.to_string() })?;
        let tree = self.transport.fetch_tree(anyone(), request).await?;
        tree.nodes().iter().for_each(|node| self.seen.note(self.number, &node.object));
        Ok(tree)
    }

    /// The whole tree below an entry, which must be to be had.
    pub(super) async fn whole(&self, entry: &EntryPath) -> Verdict<Tree> {
        let limits = self.host.limits();
        let tree = self.tree(entry, limits.tree_depth, limits.tree_nodes, None).await;
        let tree = expect_success(tree, format!("the tree below {entry}"))?;
        if tree.is_truncated() {
            let paths = tree.paths(entry);
            let open = tree.nodes().iter().zip(paths).find(|(node, _)| node.expansion.is_open());
            let (node, path) = open.map_or((None, None), |(node, path)| (Some(node.expansion), Some(path)));
            return failed(
                "the whole tree, each child once, in an order that holds, every part of it readable",
                format!("a tree that is cut by {:?}, first at {path:?}, {node:?}", tree.truncated_by()),
            );
        }
        Ok(tree)
    }

    pub(super) async fn observe(&self, entry: &EntryPath, depth: u32) -> Result<Tree, TransportError> {
        let tree = self.transport.observe(anyone(), ObserveRequest { path: entry.clone(), depth }).await?;
        tree.nodes().iter().for_each(|node| self.seen.note(self.number, &node.object));
        Ok(tree)
    }

    pub(super) async fn interface(
        &self,
        reference: &InterfaceReference,
    ) -> Result<FetchInterfaceResponse, TransportError> {
        let request = FetchInterfaceRequest { interface: reference.clone(), effects: true };
        self.transport.fetch_interface(anyone(), request).await
    }

    pub(super) async fn call(&self, call: OutgoingCall) -> Result<CallAnswer, TransportError> {
        self.transport.call_operation(anyone(), call).await
    }

    /// Looks at Object and interface, and makes the call that the sample means.
    pub(super) async fn prepare(&self, sample: &Sample) -> Verdict<Prepared> {
        let wrong =
            |what: String| Stop::Failed { expected: format!("a call as declared, {sample}"), came: what };
        let object = self.found(&sample.path).await?;
        let reference = sample.reference(&self.mount).map_err(wrong)?;
        let fetched = self.interface(&reference).await;
        let fetched = expect_success(fetched, format!("the interface of {sample}"))?;
        let operation = fetched.descriptor.require_operation(&sample.operation);
        let operation = operation.map_err(|unknown| wrong(unknown.to_string()))?;
        let arguments = Arguments::check(&operation, sample.record(&self.mount).map_err(wrong)?);
        let arguments = arguments.map_err(|fault| wrong(fault.to_string()))?;
        let effects = fetched.effects.as_ref().map_or(Effects::WRITE, |effects| effects.at(&operation));
        let call = OutgoingCall {
            target: Target { path: self.entry(&sample.path), validator: object.validator.clone() },
            interface: InterfaceTarget {
                reference,
                scope_ref: fetched.scope_ref,
                validator: fetched.validator,
            },
            operation,
            arguments,
            key: None,
            read: effects.has(Effect::Read),
        };
        Ok(Prepared { call, effects })
    }

    /// The same world, looked at from aside: whatever way and with whatever limits it is spoken to, it looks the same.
    pub(super) fn calm(&self) -> Self {
        Self { transport: self.aside.clone(), ..self.clone() }
    }

    /// Runs a sample that must succeed.
    pub(super) async fn run(&self, sample: &Sample) -> Verdict<CallAnswer> {
        let prepared = self.prepare(sample).await?;
        expect_success(self.call(prepared.call).await, format!("the call {sample}"))
    }

    /// How many effects of the counted write there have been, and what was there before.
    pub(super) async fn count(&self) -> Verdict<usize> {
        let adding = self.adding()?;
        let aside = self.calm();
        let mut call = aside.prepare(&adding.read).await?.call;
        // A write that is on its way may come between look and call.
        call.target.validator = None;
        let answer = expect_success(aside.call(call).await, format!("the call {}", adding.read))?;
        Ok((adding.count)(&answer.result))
    }

    /// All that can be seen, whole.
    pub(super) async fn snapshot(&self) -> Verdict<Snapshot> {
        let aside = self.calm();
        let tree = aside.whole(&self.mount).await?;
        let paths = tree.paths(&self.mount);
        let mut lines: Vec<Line> =
            tree.nodes().iter().zip(paths).map(|(node, path)| Line::of(&path, &node.object)).collect();
        for path in &self.declared.unlisted {
            let entry = self.entry(path);
            lines.extend(aside.object(&entry).await.ok().map(|object| Line::of(&entry, &object)));
        }
        for sample in &self.declared.readings {
            let text = match aside.prepare(sample).await {
                Ok(prepared) => match aside.call(prepared.call).await {
                    Ok(answer) => debug(&answer.result),
                    Err(error) => error.to_string(),
                },
                // What it reads may be gone, which is something to see too.
                Err(stop) => format!("{stop:?}"),
            };
            lines.push(Line { text: format!("{sample}: {text}"), state: None });
        }
        Ok(Snapshot(lines))
    }

    /// Fails unless all is as it was.
    pub(super) async fn unchanged_since(&self, before: &Snapshot, what: &str) -> Verdict {
        self.same_as(before, None, what).await
    }

    /// Fails unless all is as it was, but for the validators of what the Object at `path` stands in: before its fence a
    /// provider may prepare something beside it that nobody sees, and so touch what holds both.
    pub(super) async fn unchanged_but_above(
        &self,
        before: &Snapshot,
        path: &EntryPath,
        what: &str,
    ) -> Verdict {
        self.same_as(before, Some(&self.entry(path)), what).await
    }

    async fn same_as(&self, before: &Snapshot, but_above: Option<&EntryPath>, what: &str) -> Verdict {
        match before.difference(&self.snapshot().await?, but_above) {
            None => Ok(()),
            Some(difference) => failed(format!("nothing happens: {what}"), difference),
        }
    }
}

impl Line {
    fn of(entry: &EntryPath, object: &Object) -> Self {
        let state = object.validator.clone().map(|validator| (entry.clone(), validator));
        Self { text: format!("{entry}: {:?}", Object { validator: None, ..object.clone() }), state }
    }

    fn is_same(&self, other: &Self, but_above: Option<&EntryPath>) -> bool {
        let states = || self.state == other.state;
        let excused = || match (&self.state, but_above) {
            (Some((entry, _)), Some(below)) => entry != below && entry.contains(below),
            _ => false,
        };
        self.text == other.text && (states() || excused())
    }
}

/// As [`Value`] shows itself, with its bytes.
fn debug(value: &Value) -> String {
    match value {
        Value::Bytes(bytes) => format!("{bytes:?}"),
        Value::List(list) => list.items().iter().map(|item| debug(item) + ", ").collect(),
        Value::Record(record) => {
            record.fields().iter().map(|(name, value)| format!("{name}: {}, ", debug(value))).collect()
        }
        value => format!("{value:?}"),
    }
}

impl Snapshot {
    /// The first thing that is not the same.
    pub(super) fn difference(&self, now: &Self, but_above: Option<&EntryPath>) -> Option<String> {
        let mut pairs = self.0.iter().zip(&now.0);
        let at = pairs.position(|(before, now)| !before.is_same(now, but_above));
        let at = at.or((self.0.len() != now.0.len()).then(|| self.0.len().min(now.0.len())))?;
        let line = |lines: &[Line]| match lines.get(at) {
            Some(Line { text, state: Some((_, validator)) }) => format!("{text} in the state {validator:?}"),
            Some(Line { text, state: None }) => text.clone(),
            None => "nothing more".to_owned(),
        };
        Some(format!("before: {}; now: {}", line(&self.0), line(&now.0)))
    }
}
