//! The fence of a call (SPEC 2.3): before it any error may be told, behind it only success, a proven rollback, or
//! that the outcome is unknown.
//!
//! One atomic step decides between the call and whoever waits for it: either the call crosses and then runs to its
//! end, or the waiter gives it up and then it can never cross.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use worldspace_model::{IntoResult, Value};

use crate::failure::{Refusal, Source};
use crate::published::StateToken;

const BEFORE: u8 = 0;
const CROSSED: u8 = 1;
const ABANDONED: u8 = 2;

/// The fence of one call, shared by the call and whoever waits for it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fence(Arc<AtomicU8>);

impl Fence {
    /// Crosses; false if the call was given up.
    pub(crate) fn cross(&self) -> bool {
        self.0.compare_exchange(BEFORE, CROSSED, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Gives the call up; false if it has crossed.
    pub(crate) fn abandon(&self) -> bool {
        let turned = self.0.compare_exchange(BEFORE, ABANDONED, Ordering::AcqRel, Ordering::Acquire);
        turned.is_ok() || turned == Err(ABANDONED)
    }

    pub(crate) fn is_crossed(&self) -> bool {
        self.0.load(Ordering::Acquire) == CROSSED
    }
}

/// What became of an effect. This, not a `Result`, is what the code behind the fence returns, so that no `?` there can
/// turn something half done into an error that promises that nothing happened.
#[derive(Debug)]
#[must_use]
pub enum Fate<R = Value> {
    /// It is there.
    Done {
        /// The result of the operation.
        result: R,
        /// What it did to the target.
        after: After,
    },
    /// It was undone for certain.
    RolledBack(Refusal),
    /// Nobody knows. The cause goes to the log.
    Unknown(Source),
}

/// What an effect did to the Object that was called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum After {
    /// Nothing.
    Unchanged,
    /// It is in this state now, and everything else that is published of it is as before.
    State(StateToken),
    /// More changed than its state: description, interfaces, name; or it is gone, or nobody knows.
    Changed,
}

impl<R> Fate<R> {
    /// It is there, and the target is in this state now.
    pub fn done(result: R, state: StateToken) -> Self {
        Self::Done { result, after: After::State(state) }
    }

    /// Nobody knows.
    pub fn unknown(source: impl Into<Source>) -> Self {
        Self::Unknown(source.into())
    }
}

impl<R: IntoResult> Fate<R> {
    /// A result that the protocol has no value for cannot be told any more, so that nobody knows what happened.
    pub(crate) fn into_value(self) -> Fate {
        match self {
            Self::Done { result, after } => match result.into_result() {
                Ok(result) => Fate::Done { result, after },
                Err(fault) => Fate::Unknown(fault.at_member("result").into()),
            },
            Self::RolledBack(refusal) => Fate::RolledBack(refusal),
            Self::Unknown(source) => Fate::Unknown(source),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_crossed_or_abandoned_and_never_both() {
        let fence = Fence::default();
        assert!(fence.cross());
        assert!(!fence.abandon() && fence.is_crossed());
        let fence = Fence::default();
        assert!(fence.abandon() && fence.abandon());
        assert!(!fence.cross() && !fence.is_crossed());
    }
}
