//! A check, and the ways in which one ends.

use std::borrow::Cow;
use std::fmt::{self, Debug};
use std::sync::Arc;

use worldspace_model::{BoxFuture, ErrorCode, TransportError};

use super::bench::Bench;
use crate::Way;
use crate::suite::Place;

/// One thing that a provider is held to.
#[derive(Clone)]
pub(super) struct Check {
    pub(super) name: Cow<'static, str>,
    pub(super) section: &'static str,
    run: Run,
    /// The only way, and the only place, in which it means something.
    way: Option<Way>,
    place: Option<Place>,
    /// Whether it speaks of all that the others saw.
    pub(super) last: bool,
}

type Run = Arc<dyn Fn(Bench) -> BoxFuture<'static, Verdict> + Send + Sync>;

/// How a check ends.
pub(super) type Verdict<T = ()> = Result<T, Stop>;

/// Why a check ends without having passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stop {
    Failed {
        expected: String,
        came: String,
    },
    /// Nothing was declared that it could be tried on.
    Lacking(String),
}

impl Check {
    pub(super) fn new<F>(
        name: impl Into<Cow<'static, str>>,
        section: &'static str,
        run: impl Fn(Bench) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Verdict> + Send + 'static,
    {
        let run: Run = Arc::new(move |bench| Box::pin(run(bench)));
        Self { name: name.into(), section, run, way: None, place: None, last: false }
    }

    pub(super) fn only_by(mut self, way: Way) -> Self {
        self.way = Some(way);
        self
    }

    pub(super) fn only_at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Once all others have ended.
    pub(super) fn at_last(mut self) -> Self {
        self.last = true;
        self
    }

    pub(super) fn is_meant_for(&self, way: Way, place: Place) -> bool {
        self.way.is_none_or(|only| only == way) && self.place.is_none_or(|only| only == place)
    }

    pub(super) fn run(&self, bench: Bench) -> BoxFuture<'static, Verdict> {
        (self.run)(bench)
    }
}

/// A failure.
pub(super) fn failed<T>(expected: impl fmt::Display, came: impl fmt::Display) -> Verdict<T> {
    Err(Stop::Failed { expected: expected.to_string(), came: clipped(came.to_string()) })
}

/// Trees and results may be long; their beginning tells enough.
fn clipped(mut text: String) -> String {
    const MOST: usize = 4000;
    if text.len() > MOST {
        text.truncate(text.floor_char_boundary(MOST));
        text.push('…');
    }
    text
}

/// Fails unless it holds.
pub(super) fn expect(holds: bool, expected: impl fmt::Display, came: impl fmt::Display) -> Verdict {
    if holds { Ok(()) } else { failed(expected, came) }
}

/// Fails unless both are equal.
pub(super) fn expect_same<T: PartialEq + Debug>(expected: &T, came: &T, what: impl fmt::Display) -> Verdict {
    expect(expected == came, format!("{what}: {expected:?}"), format!("{came:?}"))
}

/// What was declared, or the word that it was not.
pub(super) fn need<T>(declared: Option<T>, lacking: &str) -> Verdict<T> {
    declared.ok_or_else(|| Stop::Lacking(lacking.to_owned()))
}

/// All that was declared, or the word that nothing was.
pub(super) fn need_some<'a, T>(declared: &'a [T], lacking: &str) -> Verdict<&'a [T]> {
    if declared.is_empty() { Err(Stop::Lacking(lacking.to_owned())) } else { Ok(declared) }
}

/// The code of a refusal.
pub(super) fn code_of<T>(answer: &Result<T, TransportError>) -> Option<ErrorCode> {
    match answer {
        Err(TransportError::Refused(error)) => Some(error.code),
        _ => None,
    }
}

/// An answer in words.
pub(super) fn told<T: Debug>(answer: &Result<T, TransportError>) -> String {
    match answer {
        Ok(answer) => format!("success: {answer:?}"),
        Err(TransportError::Refused(error)) => error.to_string(),
        Err(error) => format!("{error} ({error:?})"),
    }
}

/// Fails unless the answer is a refusal with that code.
pub(super) fn expect_code<T: Debug>(
    answer: &Result<T, TransportError>,
    code: ErrorCode,
    what: impl fmt::Display,
) -> Verdict {
    expect(code_of(answer) == Some(code), format!("{what}: {code}"), told(answer))
}

/// Fails unless the answer is a success, which is given.
pub(super) fn expect_success<T: Debug>(
    answer: Result<T, TransportError>,
    what: impl fmt::Display,
) -> Verdict<T> {
    match answer {
        Ok(answer) => Ok(answer),
        refused => failed(format!("{what}: success"), told(&refused)),
    }
}
