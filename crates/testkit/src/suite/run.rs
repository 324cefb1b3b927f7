//! Runs every check each way and in each place.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};

use super::bench::{Bench, Seen};
use super::check::{Check, Stop, Verdict};
use super::checks;
use super::report::{Checked, Outcome, Place, Report};
use super::subject::Subject;
use crate::Way;

/// For one check, however slow the machine: what takes longer hangs.
const TIME: Duration = Duration::from_secs(120);

/// Checks at one time for each way and place.
const AT_ONCE: usize = 4;

/// Holds a provider to everything that applies to what was declared of it. All checks run, whichever of them fail.
pub async fn run<H>(subject: &Subject<H>) -> Report {
    run_where(subject, |_| true).await
}

/// As [`run`], but only the checks of these names, for an author who works on one failure. A name that none has is a
/// mistake, and told in the report.
pub async fn run_only<H>(subject: &Subject<H>, names: &[&str]) -> Report {
    let all = checks::all();
    let unknown = names.iter().filter(|name| all.iter().all(|check| check.name != **name));
    let unknown =
        unknown.map(|name| format!("there is no check {name:?}; a report shows what they are called"));
    let mut report = run_where(subject, |name| names.contains(&name)).await;
    report.mistakes.extend(unknown);
    report
}

async fn run_where<H>(subject: &Subject<H>, wanted: impl Fn(&str) -> bool) -> Report {
    let declared = Arc::new(subject.declared.clone());
    let bench =
        |way, place| Bench { declared: declared.clone(), way, place, seen: Arc::new(Seen::default()) };
    let [near, far] = Way::ALL;
    // Each way and place has worlds of its own, and much of the time goes by in waiting for deadlines.
    let (a, b, c, d) = tokio::join!(
        run_on(bench(near, Place::Root), &wanted),
        run_on(bench(near, Place::Beside), &wanted),
        run_on(bench(far, Place::Root), &wanted),
        run_on(bench(far, Place::Beside), &wanted),
    );
    Report {
        subject: declared.name.clone(),
        mistakes: declared.mistakes.clone(),
        checks: [a, b, c, d].into_iter().flatten().collect(),
        bare: declared.objects.is_empty(),
        unprovoked: checks::unprovoked(),
    }
}

/// Each check has worlds of its own, so that several run at one time: while one waits, another works.
async fn run_on(bench: Bench, wanted: &impl Fn(&str) -> bool) -> Vec<Checked> {
    let (way, place) = (bench.way, bench.place);
    let meant = |check: &Check| check.is_meant_for(way, place) && wanted(&check.name);
    let (last, first): (Vec<_>, Vec<_>) =
        checks::all().into_iter().filter(meant).partition(|check| check.last);
    let run = |check| run_one(check, bench.clone());
    let mut checked: Vec<Checked> = stream::iter(first).map(run).buffered(AT_ONCE).collect().await;
    for check in last {
        checked.push(run(check).await);
    }
    checked
}

async fn run_one(check: Check, bench: Bench) -> Checked {
    let (way, place, begun) = (bench.way, bench.place, Instant::now());
    let outcome = outcome(&check, bench).await;
    Checked { name: check.name, section: check.section, way, place, outcome, took: begun.elapsed() }
}

/// A task of its own, so that a panic is one failure and not the end of the run.
async fn outcome(check: &Check, bench: Bench) -> Outcome {
    let running = tokio::spawn(check.run(bench));
    let abort = running.abort_handle();
    let ended = tokio::time::timeout(TIME, running).await;
    let verdict: Verdict = match ended {
        Ok(Ok(verdict)) => verdict,
        Ok(Err(error)) => {
            let came = match error.try_into_panic() {
                Ok(panic) => format!("a panic: {}", text(&*panic)),
                Err(error) => error.to_string(),
            };
            Err(Stop::Failed {
                expected: "the check, or what is done by hand in it, to come to its end".into(),
                came,
            })
        }
        Err(_) => {
            abort.abort();
            let expected = format!("an end within {} seconds", TIME.as_secs());
            Err(Stop::Failed { expected, came: "none: something hangs".to_owned() })
        }
    };
    match verdict {
        Ok(()) => Outcome::Passed,
        Err(Stop::Failed { expected, came }) => Outcome::Failed { expected, came },
        Err(Stop::Lacking(lacking)) => Outcome::NotApplicable { lacking },
    }
}

fn text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without words")
}
