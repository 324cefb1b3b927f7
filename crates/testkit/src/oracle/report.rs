//! What came of all cases.

use std::collections::BTreeMap;
use std::fmt;

use super::judge::{Flaw, Told};
use super::script::{Caller, Fault, Kind, Point, Script, Style};
use crate::Way;

/// One combination of everything that varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Case {
    /// How the Host is spoken to.
    pub way: Way,
    /// What kind of operation is called.
    pub kind: Kind,
    /// What the oracle does.
    pub script: Script,
    /// What the caller does.
    pub caller: Caller,
}

/// What came of one case.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The case.
    pub case: Case,
    /// What the caller was told.
    pub told: Told,
    /// Whether the call came to its point, as the oracle has it.
    pub reached: bool,
    /// Everything that was wrong.
    pub flaws: Vec<Flaw>,
}

/// What came of all cases.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Those that were run.
    pub outcomes: Vec<Outcome>,
    /// Those that cannot be, and why.
    pub impossible: Vec<(Case, &'static str)>,
}

/// Why a report is a failure.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct Failure(Vec<String>);

/// What is counted together: whether enough cases got to their point is asked of each such group.
pub type Group = (Point, Fault, Way);

/// How many flawed cases a failure names.
const SHOWN: usize = 25;

impl Case {
    /// Every combination, possible or not.
    pub fn all() -> impl Iterator<Item = Self> {
        let combined = Way::ALL.into_iter().flat_map(|way| Point::ALL.map(|point| (way, point)));
        let combined = combined.flat_map(|(way, point)| Fault::ALL.map(|fault| (way, point, fault)));
        combined.flat_map(|(way, point, fault)| {
            let rest = Kind::ALL.into_iter().flat_map(|kind| Style::ALL.map(|style| (kind, style)));
            let rest = rest.flat_map(|(kind, style)| Caller::ALL.map(|caller| (kind, style, caller)));
            rest.map(move |(kind, style, caller)| {
                let held = caller == Caller::GoesAway;
                Self { way, kind, script: Script { point, fault, held, style }, caller }
            })
        })
    }

    /// Why there can be no such case; none where there can.
    pub fn impossible(&self) -> Option<&'static str> {
        self.script.impossible(self.kind, self.caller)
    }

    /// What it is counted with.
    pub fn group(&self) -> Group {
        (self.script.point, self.script.fault, self.way)
    }
}

impl Report {
    /// How many cases were run, and how many of them came to their point, for each group.
    pub fn reached(&self) -> BTreeMap<String, (usize, usize)> {
        let mut groups: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for outcome in &self.outcomes {
            let (point, fault, way) = outcome.case.group();
            let group = groups.entry(format!("{point:?} {fault:?} {way:?}")).or_default();
            group.0 += 1;
            group.1 += usize::from(outcome.reached);
        }
        groups
    }

    /// Those with something wrong.
    pub fn flawed(&self) -> impl Iterator<Item = &Outcome> {
        self.outcomes.iter().filter(|outcome| !outcome.flaws.is_empty())
    }

    /// Whether that flaw was found in some case.
    pub fn has(&self, is: impl Fn(&Flaw) -> bool) -> bool {
        self.flawed().any(|outcome| outcome.flaws.iter().any(&is))
    }

    /// Fails where a case has a flaw, or where in some group fewer cases than that share came to their point.
    ///
    /// # Errors
    /// Says which.
    pub fn verdict(&self, share: f64) -> Result<(), Failure> {
        let mut wrong = Vec::new();
        for outcome in self.flawed().take(SHOWN) {
            wrong.push(outcome.to_string());
        }
        let flawed = self.flawed().count();
        if flawed > 0 {
            wrong.push(format!("{flawed} of {} cases are flawed", self.outcomes.len()));
        }
        for (group, (run, reached)) in self.reached() {
            if (reached as f64) < share * run as f64 {
                wrong.push(format!("{group}: {reached} of {run} cases came to their point"));
            }
        }
        if self.outcomes.is_empty() {
            wrong.push("no case was run".to_owned());
        }
        if wrong.is_empty() { Ok(()) } else { Err(Failure(wrong)) }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { way, kind, script: Script { point, fault, style, .. }, caller } = self;
        write!(f, "{way:?} {kind:?} {style:?} {point:?} {fault:?} {caller:?}")
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: told {:?}", self.case, self.told)?;
        self.flaws.iter().try_for_each(|flaw| write!(f, "; the Host {flaw}"))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reached = self.outcomes.iter().filter(|outcome| outcome.reached).count();
        writeln!(
            f,
            "{} cases, {reached} came to their point, {} flawed",
            self.outcomes.len(),
            self.flawed().count()
        )?;
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, reason) in &self.impossible {
            *reasons.entry(reason).or_default() += 1;
        }
        for (reason, cases) in reasons {
            writeln!(f, "{cases} cannot be: {reason}")?;
        }
        for (group, (run, reached)) in self.reached() {
            writeln!(f, "{group}: {reached} of {run}")?;
        }
        Ok(())
    }
}
