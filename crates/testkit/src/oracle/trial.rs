//! Runs cases against a Host, several at a time, each Host with room for one call: a place that is lost, or a call that
//! is left running, shows in the very next case.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::{JoinError, JoinSet};
use worldspace_host::MountError;
use worldspace_model::{Fault, Responder, TransportError};

use super::bench::Bench;
use super::provider::OracleError;
use super::report::{Case, Outcome, Report};
use crate::{LoopbackError, Way};

/// Hosts at one time for each way. Most of their time goes into waiting for deadlines.
const BENCHES: usize = 12;

/// Stands between a Host and whoever asks it.
pub(super) type Through = Arc<dyn Fn(Arc<dyn Responder>) -> Arc<dyn Responder> + Send + Sync>;

/// All cases, or some, to be run.
///
/// ```
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// use worldspace_testkit::oracle::{Point, Trial};
/// let logs = tempfile::tempdir()?;
/// let report = Trial::new().only(|case| case.script.point == Point::MidEffect).run(logs.path()).await?;
/// report.verdict(1.0)?;
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct Trial {
    cases: Vec<Case>,
    through: Through,
    patience: Duration,
}

/// What happens in the end happens within this time, on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Why a trial cannot be held.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrialError {
    /// There is no oracle.
    #[error("there is no oracle")]
    Oracle(#[from] OracleError),
    /// There is no Host.
    #[error("there is no Host")]
    Host(#[from] MountError),
    /// The Host cannot be spoken to.
    #[error("the Host cannot be spoken to")]
    Loopback(#[from] LoopbackError),
    /// The log cannot be read.
    #[error("the log of effects cannot be read")]
    Log(#[from] io::Error),
    /// A request of the trial's own is not valid.
    #[error("a request of the trial is not valid")]
    Request(#[from] Fault),
    /// The Host does not show the oracle as it is before any fault.
    #[error("the Host does not show the oracle")]
    Unseen(#[source] TransportError),
    /// What runs the cases has stopped.
    #[error("what runs the cases has stopped")]
    Stopped(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl TrialError {
    pub(super) fn stopped(ended: JoinError) -> Self {
        Self::Stopped(Box::new(ended))
    }
}

impl Trial {
    /// Every case.
    pub fn new() -> Self {
        Self { cases: Case::all().collect(), through: Arc::new(|host| host), patience: PATIENCE }
    }

    /// Those cases alone.
    pub fn only(mut self, keep: impl FnMut(&Case) -> bool) -> Self {
        self.cases.retain(keep);
        self
    }

    /// With something between the Host and whoever asks, which is then judged with it.
    pub fn through(
        mut self,
        wrap: impl Fn(Arc<dyn Responder>) -> Arc<dyn Responder> + Send + Sync + 'static,
    ) -> Self {
        self.through = Arc::new(wrap);
        self
    }

    /// With another time within which things that have to come must come, 20 seconds otherwise: less, where it is known
    /// that they do not.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Runs them; the logs are put into that directory.
    ///
    /// # Errors
    /// [`TrialError`], where no judgement can be had. What is judged is in the report.
    pub async fn run(self, logs: &Path) -> Result<Report, TrialError> {
        let mut report = Report::default();
        let mut running = JoinSet::new();
        for way in Way::ALL {
            let mut queue = VecDeque::new();
            for case in self.cases.iter().filter(|case| case.way == way) {
                match case.impossible() {
                    Some(reason) => report.impossible.push((*case, reason)),
                    None => queue.push_back(*case),
                }
            }
            let benches = BENCHES.min(queue.len());
            let queue = Arc::new(Mutex::new(queue));
            for at in 0..benches {
                let log = logs.join(format!("{way:?}-{at}.log"));
                running.spawn(work(way, log, queue.clone(), self.through.clone(), self.patience));
            }
        }
        while let Some(ended) = running.join_next().await {
            report.outcomes.extend(ended.map_err(TrialError::stopped)??);
        }
        Ok(report)
    }
}

impl Default for Trial {
    fn default() -> Self {
        Self::new()
    }
}

async fn work(
    way: Way,
    log: PathBuf,
    queue: Arc<Mutex<VecDeque<Case>>>,
    through: Through,
    patience: Duration,
) -> Result<Vec<Outcome>, TrialError> {
    let mut bench = Bench::new(way, log, &through, patience).await?;
    let mut outcomes = Vec::new();
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some(case) = next else { return Ok(outcomes) };
        outcomes.push(bench.try_case(case).await?);
    }
}
