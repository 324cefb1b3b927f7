//! What a run of the suite found.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use worldspace_model::{ErrorCode, Interaction};

use crate::Way;

/// Where the provider was mounted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// At the root of the Worldspace, alone.
    Root,
    /// Further down, beside another mount.
    Beside,
}

/// What came of every check.
#[derive(Debug)]
#[must_use = "a report that nobody looks at shows nothing; `assert` it"]
pub struct Report {
    pub(super) subject: String,
    pub(super) mistakes: Vec<String>,
    pub(super) checks: Vec<Checked>,
    /// Whether anything at all was declared to be there.
    pub(super) bare: bool,
    pub(super) unprovoked: Vec<(Interaction, ErrorCode, &'static str)>,
}

/// One check, run one way in one place.
#[derive(Debug)]
pub struct Checked {
    /// What it holds a provider to, in words.
    pub name: Cow<'static, str>,
    /// The section of the protocol that says so.
    pub section: &'static str,
    /// How the Host was spoken to.
    pub way: Way,
    /// Where the provider was mounted.
    pub place: Place,
    /// What came of it.
    pub outcome: Outcome,
    /// How long it took, beside others.
    pub took: Duration,
}

/// What came of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The provider holds to it.
    Passed,
    /// It does not.
    Failed {
        /// What the protocol says should have come.
        expected: String,
        /// What came.
        came: String,
    },
    /// Nothing was declared that it could be tried on.
    NotApplicable {
        /// What is missing.
        lacking: String,
    },
}

impl Report {
    /// Everything that was tried, in its order.
    pub fn checks(&self) -> &[Checked] {
        &self.checks
    }

    /// The checks that failed.
    pub fn failed(&self) -> impl Iterator<Item = &Checked> {
        self.checks.iter().filter(|check| matches!(check.outcome, Outcome::Failed { .. }))
    }

    /// The answers that may be given and that no check of a provider provokes, each with its reason.
    pub fn unprovoked(&self) -> &[(Interaction, ErrorCode, &'static str)] {
        &self.unprovoked
    }

    /// How many checks passed and failed, and how many could not be tried, each counted once per way and place.
    pub fn counts(&self) -> (usize, usize, usize) {
        let count = |is: fn(&Outcome) -> bool| self.checks.iter().filter(|check| is(&check.outcome)).count();
        (
            count(|outcome| *outcome == Outcome::Passed),
            count(|outcome| matches!(outcome, Outcome::Failed { .. })),
            count(|outcome| matches!(outcome, Outcome::NotApplicable { .. })),
        )
    }

    /// What is missing for the checks that could not be tried, with how many of them wait for it.
    fn lacking(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut lacking: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for check in &self.checks {
            if let Outcome::NotApplicable { lacking: what } = &check.outcome {
                let names = lacking.entry(what).or_default();
                if !names.contains(&&*check.name) {
                    names.push(&check.name);
                }
            }
        }
        lacking
    }

    /// Why a run without failures would still show nothing, if it does not.
    fn hollow(&self) -> Option<String> {
        let (passed, failed, missing) = self.counts();
        if self.bare {
            return Some("nothing was declared to be there, so next to nothing was looked at".to_owned());
        }
        if passed + failed == 0 {
            return Some("no check was tried".to_owned());
        }
        (missing > passed + failed)
            .then(|| format!("{missing} of {} checks could not be tried", passed + failed + missing))
    }

    /// Ends the test with the whole report unless all checks passed that could be tried, and some could.
    ///
    /// # Panics
    /// A check failed, none could be tried, a declaration or the name of a check makes no sense, or nothing was declared to
    /// be there at all.
    #[track_caller]
    pub fn assert(self) {
        let (passed, failed, _) = self.counts();
        assert!(passed > 0 && failed == 0 && self.mistakes.is_empty() && !self.bare, "\n{self}");
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Root => "mounted at the root",
            Self::Beside => "mounted beside another",
        })
    }
}

fn words(way: Way) -> &'static str {
    match way {
        Way::InProcess => "in process",
        Way::Http => "over HTTP",
    }
}

/// Failures first and whole, then what could not be tried, then the sum.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (passed, failed, missing) = self.counts();
        writeln!(f, "provider suite: {}", self.subject)?;
        for mistake in &self.mistakes {
            writeln!(f, "MISTAKE  {mistake}")?;
        }
        let mut told: Vec<(&str, &Outcome)> = Vec::new();
        for check in self.failed() {
            let Outcome::Failed { expected, came } = &check.outcome else { continue };
            writeln!(f, "FAILED  {} ({}, {})", check.name, words(check.way), check.place)?;
            // The same failure in another way or place needs no second telling.
            if !told.contains(&(&check.name, &check.outcome)) {
                writeln!(f, "        expected ({}): {expected}", check.section)?;
                writeln!(f, "        came: {came}")?;
            }
            told.push((&check.name, &check.outcome));
        }
        for (lacking, names) in self.lacking() {
            writeln!(f, "not applicable without {lacking}:")?;
            names.iter().try_for_each(|name| writeln!(f, "        {name}"))?;
        }
        for (interaction, code, reason) in &self.unprovoked {
            writeln!(f, "no check makes `{interaction}` answer `{code}`: {reason}")?;
        }
        if let Some(hollow) = self.hollow() {
            writeln!(f, "TOO LITTLE APPLIED  {hollow}; declare what is listed above")?;
        }
        write!(f, "{passed} passed, {failed} failed, {missing} not applicable")
    }
}
