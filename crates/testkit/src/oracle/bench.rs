//! One Host with an oracle, and a caller: runs one case after the other, and looks at what is left behind each.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::task::JoinHandle;
use worldspace_client::InProcess;
use worldspace_host::{Host, HostLimits};
use worldspace_http::{ClientConfig, HttpTransport, Server, ServerConfig};
use worldspace_model::{
    Arguments, EntryPath, ErrorCode, Fault as ModelFault, FetchInterfaceRequest, FetchRequest,
    FetchTreeRequest, InterfaceReference, InterfaceTarget, Object, OutgoingCall, Principal, Record,
    RequestContext, Responder, Segment, Target, Transport, TransportError, Value,
};
use worldspace_wire::Limits;

use super::judge::{Facts, Flaw, Told, judge};
use super::play::{Play, Progress};
use super::provider::{LARGE, Oracle};
use super::report::{Case, Outcome};
use super::script::{Caller, Fault, Kind, Point};
use super::trial::{Through, TrialError};
use super::watched::Watched;
use crate::{LoopbackError, Way};

/// What is done in the end is done within this time, on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Until the Host's deadline, where it is to pass. It grows where a call did not get to its point in time.
const DEADLINES: [Duration; 3] = [Duration::from_millis(120), Duration::from_secs(1), Duration::from_secs(3)];

/// How long a caller over HTTP waits beyond the Host's deadline, so that it hears the Host's own word.
const BEYOND: Duration = Duration::from_millis(600);

pub(super) struct Bench {
    way: Way,
    oracle: Oracle,
    host: Host,
    usual: Arc<dyn Transport>,
    /// The way to a server that waits no longer than the first deadline.
    hasty: Arc<dyn Transport>,
    interface: InterfaceTarget,
    /// How many requests are over for the Host, answered or given up.
    over: watch::Receiver<u64>,
    serving: Vec<JoinHandle<()>>,
    cases: usize,
}

/// What came of one attempt.
struct Attempt {
    told: Told,
    at_answer: Progress,
    at_end: Progress,
    flaws: Vec<Flaw>,
}

impl Bench {
    pub(super) async fn new(way: Way, log: PathBuf, through: &Through) -> Result<Self, TrialError> {
        let oracle = Oracle::new(log)?;
        let limits = HostLimits { calls: 1, time: PATIENCE * 2, ..HostLimits::default() };
        let host =
            Host::builder().mount(at_mount().map_err(unseen)?, oracle.clone()).limits(limits).build()?;
        let (watched, over) = Watched::new(through(Arc::new(host.clone())));
        let mut serving = Vec::new();
        let (usual, hasty): (Arc<dyn Transport>, Arc<dyn Transport>) = match way {
            Way::InProcess => {
                let transport = Arc::new(InProcess::new(watched, Principal::anonymous()));
                (transport.clone(), transport)
            }
            Way::Http => {
                let usual = serve(watched.clone(), None, &mut serving).await?;
                (usual, serve(watched, Some(DEADLINES[0]), &mut serving).await?)
            }
        };
        let reference = InterfaceReference::parse(at_mount().map_err(unseen)?.as_str(), Oracle::INTERFACE)
            .map_err(unseen)?;
        let interface = FetchInterfaceRequest { interface: reference, effects: false };
        let interface = usual.fetch_interface(anyone(), interface).await.map_err(unseen)?;
        let interface = InterfaceTarget {
            reference: interface.interface,
            scope_ref: interface.scope_ref,
            validator: interface.validator,
        };
        Ok(Self { way, oracle, host, usual, hasty, interface, over, serving, cases: 0 })
    }

    /// Runs a case; again, with more time, where the deadline passed before the call was at its point, or its answer came
    /// after the caller's patience.
    pub(super) async fn try_case(&mut self, case: Case) -> Result<Outcome, TrialError> {
        let mut at = 0;
        loop {
            let Attempt { told, at_end, flaws, .. } = self.attempt(case, at).await?;
            let more = case.caller == Caller::RunsOutOfTime && at + 1 < DEADLINES.len();
            // A machine that stands still for a moment is no Host that does not answer; one that never does is.
            let unheard = flaws == [Flaw::GivesNoAnswer];
            let missed = !at_end.reached && flaws.is_empty();
            if !(more && (missed || unheard)) {
                return Ok(Outcome { case, told, reached: at_end.reached, flaws });
            }
            at += 1;
        }
    }

    async fn attempt(&mut self, case: Case, at: usize) -> Result<Attempt, TrialError> {
        self.cases += 1;
        let id = format!("{:?}-{}", self.way, self.cases);
        // Looked at before, so that no observation but the call's own can come to its point.
        let shown = if case.kind == Kind::Guarded { Some(self.look().await.map_err(unseen)?) } else { None };
        let call = self.call(case.kind, &id, shown.as_deref())?;
        let play = self.oracle.play(id, case.script);
        let mut attempt = self.ask(case, at, call, &play).await?;
        play.release();
        if !in_time(play.ended()).await {
            attempt.flaws.push(Flaw::NeverEnds);
        }
        if !self.host.drain(PATIENCE).await {
            attempt.flaws.push(Flaw::CannotDrain);
        }
        // A run that was spawned and never began cannot begin any more.
        attempt.at_end = play.progress();
        let facts = Facts {
            script: case.script,
            kind: case.kind,
            caller: case.caller,
            encoded: self.way == Way::Http,
            at_answer: attempt.at_answer.clone(),
            at_end: attempt.at_end.clone(),
            net: self.oracle.log().net(play.id())?,
        };
        attempt.flaws.extend(judge(attempt.told, &facts));
        drop(play);
        attempt.flaws.extend(self.probe().await?);
        Ok(attempt)
    }

    /// Asks, as the case has it.
    async fn ask(
        &mut self,
        case: Case,
        at: usize,
        call: OutgoingCall,
        play: &Play,
    ) -> Result<Attempt, TrialError> {
        let Case { caller, script, .. } = case;
        let mut flaws = Vec::new();
        let before = *self.over.borrow();
        let (transport, context) = self.way_for(caller, at);
        let tree = script.point == Point::Children;
        let mut asking = tokio::spawn(async move {
            if !tree {
                return Ok(told_of(transport.call_operation(context, call).await.map(drop)));
            }
            let request = FetchTreeRequest::new(at_mount()?, 1, 1000, None)?;
            let answer = transport.fetch_tree(context, request).await;
            let whole = answer.as_ref().is_ok_and(|tree| !tree.is_truncated());
            let fails = !matches!(script.fault, Fault::Nothing | Fault::HangsUntilReleased | Fault::TooLarge);
            if whole && fails {
                return Err(None);
            }
            Ok(told_of(answer.map(drop)))
        });
        let early = tokio::select! {
            biased;
            () = play.reached() => None,
            answer = &mut asking => Some(answer),
            () = tokio::time::sleep(PATIENCE) => None,
        };
        let waiting = script.held || script.fault.hangs();
        if early.is_none() && waiting && play.progress().reached {
            flaws.extend(self.look().await.err().map(Flaw::LeavesOthersWaiting));
        }
        let told = match (early, caller) {
            (None, Caller::GoesAway) => {
                asking.abort();
                let gone = asking.await.is_err();
                if gone && !in_time(self.over.wait_for(|over| *over > before)).await {
                    flaws.push(Flaw::NeverNotices);
                }
                Ok(Told::Gone)
            }
            (None, _) => {
                if caller == Caller::Waits {
                    play.release();
                }
                asking.await?
            }
            (Some(answer), _) => answer?,
        };
        let told = match told {
            Ok(told) => told,
            Err(None) => {
                flaws.push(Flaw::HidesTruncation);
                Told::Success
            }
            Err(Some(fault)) => return Err(unseen(fault)),
        };
        let progress = play.progress();
        Ok(Attempt { told, at_answer: progress.clone(), at_end: progress, flaws })
    }

    /// The way of a caller, and how long it waits.
    fn way_for(&self, caller: Caller, at: usize) -> (Arc<dyn Transport>, RequestContext) {
        let mut context = anyone();
        if caller != Caller::RunsOutOfTime {
            return (self.usual.clone(), context);
        }
        if self.way == Way::Http && at == 0 {
            return (self.hasty.clone(), context);
        }
        let beyond = if self.way == Way::Http { BEYOND } else { Duration::ZERO };
        context.deadline = Some(Instant::now() + DEADLINES[at] + beyond);
        (self.usual.clone(), context)
    }

    /// Whether the Host answers others and has room for a call, now that none runs.
    async fn probe(&mut self) -> Result<Vec<Flaw>, TrialError> {
        let call = self.call(Kind::Read, &format!("{:?}-{}-behind", self.way, self.cases), None)?;
        let answer = told_of(self.usual.call_operation(anyone(), call).await.map(drop));
        Ok(match answer {
            Told::Success => Vec::new(),
            Told::Refused(ErrorCode::ResourceLimitExceeded) => vec![Flaw::LosesPlace],
            told => vec![Flaw::LeavesOthersWaiting(told)],
        })
    }

    async fn look(&self) -> Result<Arc<Object>, Told> {
        let Ok(thing) = thing() else { return Err(Told::NotSent) };
        let context = RequestContext { deadline: Some(Instant::now() + PATIENCE), ..anyone() };
        let answer = self.usual.fetch(context, FetchRequest { entries: vec![Ok(thing)] }).await;
        match answer.map(|mut answer| answer.results.pop()) {
            Ok(Some(Ok(object))) => Ok(object),
            Ok(Some(Err(error))) => Err(Told::Refused(error.code)),
            Ok(None) => Err(Told::NoAnswer),
            Err(error) => Err(told_of(Err(error))),
        }
    }

    fn call(&self, kind: Kind, id: &str, shown: Option<&Object>) -> Result<OutgoingCall, TrialError> {
        let operation = self.oracle.interface().descriptor().require_operation(kind.operation());
        let operation = operation.map_err(unseen)?;
        let arguments = Record::new(vec![("id".into(), Value::string(id))]).map_err(unseen)?;
        let arguments = Arguments::check(&operation, arguments).map_err(unseen)?;
        let validator = shown.and_then(|shown| shown.validator.clone());
        let target = Target { path: thing().map_err(unseen)?, validator };
        let (interface, read) = (self.interface.clone(), kind == Kind::Read);
        Ok(OutgoingCall { target, interface, operation, arguments, key: None, read })
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.serving.iter().for_each(JoinHandle::abort);
    }
}

/// A server for one Host and the way there; answers are small, so that one that is too large costs little.
async fn serve(
    responder: Arc<dyn Responder>,
    deadline: Option<Duration>,
    serving: &mut Vec<JoinHandle<()>>,
) -> Result<Arc<dyn Transport>, LoopbackError> {
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let mut config = ServerConfig { listen, ..ServerConfig::default() };
    let wire = config.wire;
    config.wire = Limits::new(wire.request_bytes(), LARGE / 2, wire.nesting()).unwrap_or(wire);
    if let Some(deadline) = deadline {
        config.limits.max_deadline = deadline;
    }
    let server = Server::bind(config, responder).await?;
    let transport = HttpTransport::new(server.endpoint().clone(), ClientConfig::default())?;
    serving.push(tokio::spawn(server.serve(std::future::pending())));
    Ok(Arc::new(transport))
}

fn told_of(answer: Result<(), TransportError>) -> Told {
    match answer {
        Ok(()) => Told::Success,
        Err(TransportError::Refused(error)) => Told::Refused(error.code),
        Err(TransportError::NotSent(_)) => Told::NotSent,
        Err(TransportError::Unanswered(_) | TransportError::InvalidAnswer { .. }) => Told::NoAnswer,
    }
}

async fn in_time<T>(what: impl Future<Output = T>) -> bool {
    tokio::time::timeout(PATIENCE, what).await.is_ok()
}

fn anyone() -> RequestContext {
    RequestContext::of(Principal::anonymous())
}

fn at_mount() -> Result<EntryPath, ModelFault> {
    EntryPath::parse("/oracle")
}

fn thing() -> Result<EntryPath, ModelFault> {
    Ok(at_mount()?.child(&Segment::parse(Oracle::OBJECT)?))
}

fn unseen(why: impl std::fmt::Debug) -> TrialError {
    TrialError::Unseen(format!("{why:?}"))
}
