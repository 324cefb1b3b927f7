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
    Arguments, CallAnswer, EntryPath, ErrorCode, Fault as ModelFault, FetchInterfaceRequest, FetchRequest,
    FetchTreeRequest, InterfaceReference, InterfaceTarget, Object, OutgoingCall, Principal, Record,
    RequestContext, Responder, Segment, Target, Transport, TransportError, Tree, Value,
};
use worldspace_wire::Limits;

use super::effect::result_of;
use super::judge::{Facts, Flaw, Told, judge};
use super::play::{Play, Progress};
use super::provider::{LARGE, Oracle};
use super::report::{Case, Outcome};
use super::script::{Caller, Fault, Kind, Point, Script};
use super::trial::{Through, TrialError};
use super::watched::Watched;
use crate::{LoopbackError, Way};

/// For a call by the Host, unless its deadline is to pass.
const TIME: Duration = Duration::from_secs(40);

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
    /// What is done in the end is done within this time.
    patience: Duration,
    cases: usize,
}

/// What came back of one request.
struct Heard {
    told: Told,
    /// Of a call that succeeded.
    answer: Option<CallAnswer>,
    /// Whether a tree that could not be read whole came as a whole one.
    hides: bool,
}

/// What came of one attempt.
struct Attempt {
    told: Told,
    answer: Option<CallAnswer>,
    at_answer: Progress,
    at_end: Progress,
    flaws: Vec<Flaw>,
}

impl Bench {
    pub(super) async fn new(
        way: Way,
        log: PathBuf,
        through: &Through,
        patience: Duration,
    ) -> Result<Self, TrialError> {
        let oracle = Oracle::new(log)?;
        let limits = HostLimits { calls: 1, time: TIME, ..HostLimits::default() };
        let host = Host::builder().mount(at_mount()?, oracle.clone()).limits(limits).build()?;
        let (watched, over) = Watched::new(Arc::new(host.clone()));
        let asked = through(watched);
        let mut serving = Vec::new();
        let (usual, hasty): (Arc<dyn Transport>, Arc<dyn Transport>) = match way {
            Way::InProcess => {
                let transport = Arc::new(InProcess::new(asked, Principal::anonymous()));
                (transport.clone(), transport)
            }
            Way::Http => {
                let usual = serve(asked.clone(), None, &mut serving).await?;
                (usual, serve(asked, Some(DEADLINES[0]), &mut serving).await?)
            }
        };
        let reference = InterfaceReference::parse(at_mount()?.as_str(), Oracle::INTERFACE)?;
        let interface = FetchInterfaceRequest { interface: reference, effects: false };
        let interface = usual.fetch_interface(anyone(), interface).await.map_err(TrialError::Unseen)?;
        let interface = InterfaceTarget {
            reference: interface.interface,
            scope_ref: interface.scope_ref,
            validator: interface.validator,
        };
        Ok(Self { way, oracle, host, usual, hasty, interface, over, serving, patience, cases: 0 })
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
        let shown = if case.kind == Kind::Guarded {
            Some(self.look().await.map_err(TrialError::Unseen)?)
        } else {
            None
        };
        let call = self.call(case.kind, &id, shown.as_deref())?;
        let play = self.oracle.play(id, case.script);
        let mut attempt = self.ask(case, at, call, &play).await?;
        play.release();
        if !self.in_time(play.ended()).await {
            attempt.flaws.push(Flaw::NeverEnds);
        }
        if !self.host.drain(self.patience).await {
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
        if let Some(answer) = attempt.answer.take() {
            attempt.flaws.extend(self.check_answer(&answer, play.id(), case.script).await?);
        }
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
            if tree {
                let request = FetchTreeRequest::new(at_mount()?, 1, 1000, None)?;
                return Ok(Heard::of_tree(transport.fetch_tree(context, request).await, script.fault));
            }
            let answer = transport.call_operation(context, call).await;
            Ok::<_, TrialError>(match answer {
                Ok(answer) => Heard { told: Told::Success, answer: Some(answer), hides: false },
                Err(error) => Heard::told(told_of(&error)),
            })
        });
        let early = tokio::select! {
            biased;
            () = play.reached() => None,
            answer = &mut asking => Some(answer),
            () = tokio::time::sleep(self.patience) => None,
        };
        let waiting = script.held || script.fault.hangs();
        if early.is_none() && waiting && play.progress().reached {
            flaws.extend(self.look().await.err().map(|error| Flaw::LeavesOthersWaiting(told_of(&error))));
        }
        let Heard { told, answer, hides } = match (early, caller) {
            (None, Caller::GoesAway) => {
                asking.abort();
                let gone = asking.await.is_err();
                if gone && !self.in_time(self.over.clone().wait_for(|over| *over > before)).await {
                    flaws.push(Flaw::NeverNotices);
                }
                Heard::told(Told::Gone)
            }
            (None, _) => {
                if caller == Caller::Waits {
                    play.release();
                }
                asking.await.map_err(TrialError::stopped)??
            }
            (Some(heard), _) => heard.map_err(TrialError::stopped)??,
        };
        if hides {
            flaws.push(Flaw::HidesTruncation);
        }
        let progress = play.progress();
        Ok(Attempt { told, answer, at_answer: progress.clone(), at_end: progress, flaws })
    }

    /// Whether a success tells the provider's result, and the state that the Object has.
    async fn check_answer(
        &self,
        answer: &CallAnswer,
        id: &str,
        script: Script,
    ) -> Result<Vec<Flaw>, TrialError> {
        // What is wrong with an observation leaves the result as it is.
        let fault = if script.point.is_observation() { Fault::Nothing } else { script.fault };
        let mut flaws = Vec::new();
        if answer.result != result_of(&at_mount()?, id, fault) {
            flaws.push(Flaw::WrongResult);
        }
        // Where the provider names a state that never was, the Host cannot know it.
        if answer.validator.is_some() && fault != Fault::WrongState {
            match self.look().await {
                Ok(object) if object.validator == answer.validator => {}
                Ok(_) => flaws.push(Flaw::WrongValidator),
                Err(error) => flaws.push(Flaw::LeavesOthersWaiting(told_of(&error))),
            }
        }
        Ok(flaws)
    }

    async fn in_time<T>(&self, what: impl Future<Output = T>) -> bool {
        tokio::time::timeout(self.patience, what).await.is_ok()
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
        let refused = self.usual.call_operation(anyone(), call).await.err();
        Ok(match refused.as_ref().map(told_of) {
            None => Vec::new(),
            Some(Told::Refused(ErrorCode::ResourceLimitExceeded)) => vec![Flaw::LosesPlace],
            Some(told) => vec![Flaw::LeavesOthersWaiting(told)],
        })
    }

    async fn look(&self) -> Result<Arc<Object>, TransportError> {
        let none = |detail: String| TransportError::InvalidAnswer { detail };
        let entries = vec![Ok(thing().map_err(|fault| none(fault.to_string()))?)];
        let context = RequestContext { deadline: Some(Instant::now() + self.patience), ..anyone() };
        let mut answer = self.usual.fetch(context, FetchRequest { entries }).await?;
        let only = answer.results.pop().ok_or_else(|| none("no result for an entry".to_owned()))?;
        only.map_err(TransportError::Refused)
    }

    fn call(&self, kind: Kind, id: &str, shown: Option<&Object>) -> Result<OutgoingCall, TrialError> {
        let operation = self.oracle.interface().descriptor().require_operation(kind.operation());
        let operation = operation.map_err(|unknown| {
            TrialError::Unseen(TransportError::InvalidAnswer { detail: unknown.to_string() })
        })?;
        let arguments = Record::new(vec![("id".into(), Value::string(id))])?;
        let arguments = Arguments::check(&operation, arguments)?;
        let validator = shown.and_then(|shown| shown.validator.clone());
        let target = Target { path: thing()?, validator };
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

impl Heard {
    fn told(told: Told) -> Self {
        Self { told, answer: None, hides: false }
    }

    fn of_tree(answer: Result<Tree, TransportError>, fault: Fault) -> Self {
        let fails = !matches!(fault, Fault::Nothing | Fault::HangsUntilReleased | Fault::TooLarge);
        match answer {
            Ok(tree) => Self { hides: fails && !tree.is_truncated(), ..Self::told(Told::Success) },
            Err(error) => Self::told(told_of(&error)),
        }
    }
}

fn told_of(error: &TransportError) -> Told {
    match error {
        TransportError::Refused(error) => Told::Refused(error.code),
        TransportError::NotSent(_) => Told::NotSent,
        TransportError::Unanswered(_) | TransportError::InvalidAnswer { .. } => Told::NoAnswer,
    }
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
