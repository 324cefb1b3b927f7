//! The judgement: what a caller was told, held against what really happened.

use std::fmt;

use worldspace_model::ErrorCode;

use super::log::Net;
use super::play::{Handed, Progress};
use super::script::{Caller, Fault, Kind, Point, Reason, Script};

/// What a caller was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Told {
    /// It was done.
    Success,
    /// The Host's error.
    Refused(ErrorCode),
    /// The request never left.
    NotSent,
    /// The request left, and nothing of use came back.
    NoAnswer,
    /// Nothing, since it did not stay to hear it.
    Gone,
}

/// What is known of a call from its other end.
#[derive(Debug, Clone)]
pub struct Facts {
    /// What the oracle was to do.
    pub script: Script,
    /// What kind of operation was called.
    pub kind: Kind,
    /// What the caller did.
    pub caller: Caller,
    /// Whether results have to fit into an answer on a wire.
    pub encoded: bool,
    /// How far the call was when the answer came.
    pub at_answer: Progress,
    /// How far it came in the end.
    pub at_end: Progress,
    /// What it left, by the log.
    pub net: Net,
}

/// What a Host must not do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// It says that nothing happened, and something did.
    HidesEffect(Net),
    /// It says that nothing happened where it cannot know.
    Guesses(ErrorCode),
    /// It says that all went well, and the effect is not there once and whole, or the provider said otherwise.
    ClaimsSuccess(Net),
    /// It calls unknown what is known.
    UnknownWithoutNeed,
    /// It gives another answer than the success that there was.
    HidesSuccess,
    /// It gives no answer to one who waits.
    GivesNoAnswer,
    /// It gives another reason than there was.
    WrongReason(ErrorCode),
    /// The effect happened more than once.
    Repeats,
    /// A read changed something.
    ReadChanges(Net),
    /// A call behind its fence was stopped on its way.
    StopsBehindFence(Net),
    /// A call had its effect though its caller had gone before the fence.
    RunsForNobody,
    /// It runs a call whose Object, scope or interface could not be read, or is not the one that was observed.
    RunsUnseen,
    /// It gives another result than its provider did.
    WrongResult,
    /// The validator that it tells is not the one that the Object has.
    WrongValidator,
    /// A tree that could not be read whole passes for whole.
    HidesTruncation,
    /// A call never ended.
    NeverEnds,
    /// It never noticed that its caller had gone.
    NeverNotices,
    /// It does not answer others, during a call or behind it.
    LeavesOthersWaiting(Told),
    /// The place that a call took among those that run is not given back.
    LosesPlace,
    /// It cannot be drained though no call runs.
    CannotDrain,
}

impl Told {
    /// Whether it promises that nothing happened.
    pub fn promises_nothing(self) -> bool {
        match self {
            Self::Refused(code) => code != ErrorCode::OperationOutcomeUnknown,
            Self::NotSent => true,
            Self::Success | Self::NoAnswer | Self::Gone => false,
        }
    }
}

/// Everything that is wrong with what a caller was told.
pub fn judge(told: Told, facts: &Facts) -> Vec<Flaw> {
    let Facts { script, kind, caller, at_answer, at_end, net, .. } = facts;
    let mut flaws = Vec::new();
    let mut note = |wrong: bool, flaw: Flaw| {
        if wrong {
            flaws.push(flaw);
        }
    };
    let sound = |handed| match handed {
        Some(Handed::Result) => true,
        Some(Handed::LargeResult) => !facts.encoded,
        _ => false,
    };
    let unknown = told == Told::Refused(ErrorCode::OperationOutcomeUnknown);
    let rolled_back = matches!(at_answer.handed, Some(Handed::RolledBack(_)));
    let stays = *caller != Caller::GoesAway;

    note(matches!(net, Net::Repeated | Net::Broken), Flaw::Repeats);
    note(*kind == Kind::Read && *net != Net::None, Flaw::ReadChanges(*net));
    note(told.promises_nothing() && *net != Net::None, Flaw::HidesEffect(*net));
    if let Told::Refused(code) = told {
        note(told.promises_nothing() && at_answer.crossed && !rolled_back, Flaw::Guesses(code));
    }
    // Of a tree nothing more is asked than that it hides nothing.
    if told == Told::Success && script.point != Point::Children {
        let expected = if at_end.crossed { Net::Once } else { Net::None };
        note(*net != expected || !sound(at_end.handed), Flaw::ClaimsSuccess(*net));
    }
    let known = !at_end.crossed || sound(at_answer.handed) || rolled_back;
    note(unknown && known, Flaw::UnknownWithoutNeed);
    note(stays && matches!(told, Told::NoAnswer | Told::Gone), Flaw::GivesNoAnswer);
    let waits = *caller == Caller::Waits;
    note(waits && sound(at_answer.handed) && told != Told::Success, Flaw::HidesSuccess);
    if let (true, Some(code)) = (stays, due(facts)) {
        note(told != Told::Refused(code), Flaw::WrongReason(code));
    }
    let unseen = at_end.reached && refused_by_looking(*script, *kind).is_some();
    note(unseen && (at_end.crossed || at_end.handed.is_some()), Flaw::RunsUnseen);
    let stopped = at_end.called_off || at_end.cut_off || (at_end.crossed && *net != script.leaves());
    note(stopped, Flaw::StopsBehindFence(*net));
    let left_before = !stays && at_end.reached && !script.point.is_behind_fence(*kind);
    note(left_before && (at_end.crossed || *net != Net::None), Flaw::RunsForNobody);
    flaws
}

/// The code with which a call ends before it gets to its provider, because of what is found at its Object, its scope or
/// its interface; none where it goes on.
fn refused_by_looking(script: Script, kind: Kind) -> Option<ErrorCode> {
    let Script { point, fault, .. } = script;
    if !matches!(point, Point::Object | Point::Scope | Point::Interface) {
        return None;
    }
    // Only this one names the state that it acts on.
    let bound = kind == Kind::Guarded;
    match (fault, point) {
        (Fault::Panics | Fault::InvalidEntry | Fault::Refuses(Reason::Failed | Reason::Gone), _) => {
            Some(ErrorCode::Internal)
        }
        (Fault::Refuses(Reason::Late | Reason::Limit), _) => Some(ErrorCode::ResourceLimitExceeded),
        (Fault::Refuses(Reason::NotFound), Point::Object) => Some(ErrorCode::NotFound),
        // Without its scope, or in another one, it is no interface of the Object.
        (Fault::Refuses(Reason::NotFound), _) | (Fault::WrongType, Point::Scope) => {
            Some(ErrorCode::InterfaceMismatch)
        }
        (Fault::WrongType, Point::Interface) => Some(ErrorCode::InterfaceValidatorMismatch),
        (Fault::WrongType | Fault::TooLarge | Fault::WrongState | Fault::NoState, Point::Object) if bound => {
            Some(ErrorCode::ValidatorMismatch)
        }
        (Fault::WrongType, Point::Object) => Some(ErrorCode::InterfaceMismatch),
        _ => None,
    }
}

/// The code that the caller must be told, where there is one only.
fn due(facts: &Facts) -> Option<ErrorCode> {
    let Facts { script, at_answer, .. } = facts;
    if !at_answer.reached || script.point == Point::Children {
        return None;
    }
    if let Some(code) = refused_by_looking(*script, facts.kind) {
        return Some(code);
    }
    match (at_answer.handed, at_answer.crossed) {
        (Some(Handed::Refused(code)), false) | (Some(Handed::RolledBack(code)), _) => Some(code),
        (Some(Handed::BadResult), false) => Some(ErrorCode::Internal),
        (Some(Handed::LargeResult), false) if facts.encoded => Some(ErrorCode::ResourceLimitExceeded),
        (None, false) if script.fault == Fault::Panics => Some(ErrorCode::Internal),
        (None, false) if facts.caller == Caller::RunsOutOfTime => Some(ErrorCode::ResourceLimitExceeded),
        _ => None,
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HidesEffect(net) => write!(f, "says that nothing happened, and the log has {net:?}"),
            Self::Guesses(code) => write!(f, "says `{code}` behind the fence, where it cannot know"),
            Self::ClaimsSuccess(net) => write!(f, "claims a success, and the log has {net:?}"),
            Self::UnknownWithoutNeed => f.write_str("calls unknown what is known"),
            Self::HidesSuccess => f.write_str("hides a success"),
            Self::GivesNoAnswer => f.write_str("gives no answer to one who waits"),
            Self::WrongReason(code) => write!(f, "should say `{code}`"),
            Self::Repeats => f.write_str("lets the effect happen more than once"),
            Self::ReadChanges(net) => write!(f, "lets a read have an effect: {net:?}"),
            Self::StopsBehindFence(net) => write!(f, "stops a call behind its fence: the log has {net:?}"),
            Self::RunsForNobody => f.write_str("runs a call whose caller had gone before the fence"),
            Self::RunsUnseen => f.write_str("runs a call though what it is called on could not be seen"),
            Self::WrongResult => f.write_str("gives another result than its provider"),
            Self::WrongValidator => f.write_str("tells a validator that the Object does not have"),
            Self::HidesTruncation => f.write_str("says that a tree is whole which could not be read"),
            Self::NeverEnds => f.write_str("has a call that never ends"),
            Self::NeverNotices => f.write_str("never notices that the caller has gone"),
            Self::LeavesOthersWaiting(told) => write!(f, "does not answer others: {told:?}"),
            Self::LosesPlace => f.write_str("does not give back the place of a call"),
            Self::CannotDrain => f.write_str("cannot be drained though no call runs"),
        }
    }
}
