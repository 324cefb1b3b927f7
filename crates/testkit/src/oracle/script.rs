//! What can go wrong in a call, and where: the points, the faults, and which of them cannot come together.

use worldspace_model::ErrorCode;

use super::log::Net;

/// Where a call can be stopped: what a provider awaits, in the order in which a call comes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Point {
    /// The Object that is called is read.
    Object,
    /// The Object to which its interface belongs is read.
    Scope,
    /// The interface is read.
    Interface,
    /// The children of the Object's parent are listed.
    Children,
    /// The call has come to its provider.
    Called,
    /// The provider reads the state.
    ReadingState,
    /// The provider waits for its lock.
    WaitingForLock,
    /// Within the lock, just before the fence; for a read, just before its result.
    BeforeFence,
    /// Behind the fence, before the effect.
    BehindFence,
    /// Between the two parts of the effect.
    MidEffect,
    /// Behind the effect, before its result.
    AfterEffect,
    /// The first part of the effect is there and is about to be undone.
    RollingBack,
    /// The result was given and is yet to be handed to the Host.
    HandingOver,
}

/// What happens at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fault {
    /// Nothing.
    Nothing,
    /// An error; behind the fence, a rollback and then the error.
    Refuses(Reason),
    /// It hangs until it is released, and goes on.
    HangsUntilReleased,
    /// It hangs until nobody waits any more, and goes on; behind the fence that is never.
    HangsUntilCancelled,
    /// It hangs and never goes on.
    HangsForEver,
    /// It panics.
    Panics,
    /// Something of another type or kind than was declared.
    WrongType,
    /// More than fits into an answer.
    TooLarge,
    /// A name or a path that cannot be one.
    InvalidEntry,
    /// The token of a state that never was.
    WrongState,
    /// No state where one is owed.
    NoState,
    /// An operation that is declared `read` crosses the fence.
    Crosses,
    /// The effect is left as it is, and nobody knows.
    GivesUp,
    /// The provider drops its own effect unfinished, and refuses.
    DropsEffect,
}

/// The kinds of errors of a provider, those of observations and those of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names of `ProviderError` and `Refusal`")]
pub enum Reason {
    InvalidArguments,
    PermissionDenied,
    NotFound,
    StateChanged,
    InterfaceChanged,
    Gone,
    Late,
    Limit,
    Failed,
}

/// What kind of operation is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A write that is bound to a state.
    Guarded,
    /// A write that is not.
    Unguarded,
    /// One that changes nothing.
    Read,
}

/// Where the provider works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Style {
    /// In the task of the call, which the Host can drop.
    Task,
    /// On a thread of its own, which nothing stops.
    Thread,
}

/// What becomes of the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Caller {
    /// Waits for the answer.
    Waits,
    /// Waits, and the Host's deadline passes meanwhile.
    RunsOutOfTime,
    /// Goes away while the call is at its point: drops its future, or closes its connection.
    GoesAway,
}

/// What the oracle does with one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Script {
    /// Where.
    pub point: Point,
    /// What.
    pub fault: Fault,
    /// Whether the call waits at the point until it is released, before the fault.
    pub held: bool,
    /// Where the provider works.
    pub style: Style,
}

impl Point {
    /// All of them, in the order in which a call comes by.
    pub const ALL: [Self; 13] = [
        Self::Object,
        Self::Scope,
        Self::Interface,
        Self::Children,
        Self::Called,
        Self::ReadingState,
        Self::WaitingForLock,
        Self::BeforeFence,
        Self::BehindFence,
        Self::MidEffect,
        Self::AfterEffect,
        Self::RollingBack,
        Self::HandingOver,
    ];

    /// Whether it lies in an observation, before the call gets to its provider.
    pub fn is_observation(self) -> bool {
        self <= Self::Children
    }

    /// Whether it lies within the effect.
    pub fn is_effect(self) -> bool {
        (Self::BehindFence..=Self::RollingBack).contains(&self)
    }

    /// Whether a call of that kind is behind its fence there.
    pub fn is_behind_fence(self, kind: Kind) -> bool {
        kind != Kind::Read && self >= Self::BehindFence
    }
}

impl Fault {
    /// All of them.
    pub const ALL: [Self; 22] = [
        Self::Nothing,
        Self::Refuses(Reason::InvalidArguments),
        Self::Refuses(Reason::PermissionDenied),
        Self::Refuses(Reason::NotFound),
        Self::Refuses(Reason::StateChanged),
        Self::Refuses(Reason::InterfaceChanged),
        Self::Refuses(Reason::Gone),
        Self::Refuses(Reason::Late),
        Self::Refuses(Reason::Limit),
        Self::Refuses(Reason::Failed),
        Self::HangsUntilReleased,
        Self::HangsUntilCancelled,
        Self::HangsForEver,
        Self::Panics,
        Self::WrongType,
        Self::TooLarge,
        Self::InvalidEntry,
        Self::WrongState,
        Self::NoState,
        Self::Crosses,
        Self::GivesUp,
        Self::DropsEffect,
    ];

    /// Whether it takes time.
    pub fn hangs(self) -> bool {
        matches!(self, Self::HangsUntilReleased | Self::HangsUntilCancelled | Self::HangsForEver)
    }

    fn is_of_result(self) -> bool {
        matches!(self, Self::WrongType | Self::TooLarge | Self::InvalidEntry)
    }
}

impl Reason {
    /// The code with which a call is refused for it.
    pub fn code(self) -> ErrorCode {
        match self {
            Self::InvalidArguments | Self::Gone => ErrorCode::InvalidArguments,
            Self::PermissionDenied => ErrorCode::PermissionDenied,
            Self::NotFound => ErrorCode::NotFound,
            Self::StateChanged => ErrorCode::ValidatorMismatch,
            Self::InterfaceChanged => ErrorCode::InterfaceValidatorMismatch,
            Self::Late | Self::Limit => ErrorCode::ResourceLimitExceeded,
            Self::Failed => ErrorCode::Internal,
        }
    }
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Guarded, Self::Unguarded, Self::Read];

    /// The name of the oracle's operation of that kind.
    pub fn operation(self) -> &'static str {
        match self {
            Self::Guarded => "change",
            Self::Unguarded => "add",
            Self::Read => "look",
        }
    }
}

impl Style {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Task, Self::Thread];
}

impl Caller {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Waits, Self::RunsOutOfTime, Self::GoesAway];
}

impl Script {
    /// That fault at that point, in the task of the call, at once.
    pub fn new(point: Point, fault: Fault) -> Self {
        Self { point, fault, held: false, style: Style::Task }
    }

    /// On a thread of the provider's own.
    #[must_use]
    pub fn on_thread(mut self) -> Self {
        self.style = Style::Thread;
        self
    }

    /// Once it is released.
    #[must_use]
    pub fn held(mut self) -> Self {
        self.held = true;
        self
    }

    /// What the call leaves if it crosses the fence and runs to its end.
    pub fn leaves(self) -> Net {
        let parts_at = match self.point {
            Point::BehindFence => 0,
            Point::MidEffect | Point::RollingBack => 1,
            _ => 2,
        };
        let undoes = self.point == Point::RollingBack || matches!(self.fault, Fault::Refuses(_));
        let parts = match self.fault {
            Fault::Panics | Fault::GivesUp | Fault::DropsEffect => parts_at,
            _ if undoes && self.point.is_effect() => 0,
            _ => 2,
        };
        [Net::None, Net::Half, Net::Once][parts]
    }

    /// Why there can be no such call; none where there can.
    pub fn impossible(self, kind: Kind, caller: Caller) -> Option<&'static str> {
        self.impossible_point(kind).or_else(|| self.impossible_fault(kind)).or_else(|| {
            let stops_with_caller = self.style == Style::Task && !self.point.is_behind_fence(kind);
            match (caller, self.fault) {
                (Caller::Waits, Fault::HangsUntilCancelled | Fault::HangsForEver) => {
                    Some("while its caller waits, nothing ends such a hang")
                }
                (Caller::RunsOutOfTime, fault) if !fault.hangs() => Some("it ends long before any deadline"),
                (Caller::GoesAway, Fault::Nothing) => {
                    Some("it would hang until it is released, which is a case")
                }
                (Caller::GoesAway, fault) if stops_with_caller && !fault.hangs() => {
                    Some("it stops at the point as its caller goes away, so nothing follows")
                }
                _ => None,
            }
        })
    }

    fn impossible_point(self, kind: Kind) -> Option<&'static str> {
        let Self { point, style, .. } = self;
        if point.is_observation() && style == Style::Thread {
            return Some(
                "what matters of a thread is that it runs on to the fence, and an observation has none",
            );
        }
        if point == Point::Children && kind != Kind::Read {
            return Some("no call lists children; whoever looks for what to call does");
        }
        if point.is_effect() && kind == Kind::Read {
            return Some("a read has no effect");
        }
        None
    }

    fn impossible_fault(self, kind: Kind) -> Option<&'static str> {
        use Fault::*;
        let Self { point, fault, style, .. } = self;
        let observes = point.is_observation();
        match fault {
            Refuses(
                Reason::InvalidArguments
                | Reason::PermissionDenied
                | Reason::StateChanged
                | Reason::InterfaceChanged,
            ) if observes => Some("an observation has no such error"),
            WrongType if point == Point::Children => Some("children have no type"),
            TooLarge | InvalidEntry if point == Point::Interface => {
                Some("an interface is checked as it is built, so there is no such one")
            }
            _ if fault.is_of_result() && (point.is_effect() || point == Point::HandingOver) => {
                (point != Point::AfterEffect).then_some("the result is given behind the effect, and once")
            }
            WrongState | NoState if point == Point::Object => None,
            WrongState if point == Point::AfterEffect => None,
            WrongState | NoState if point == Point::BeforeFence && kind == Kind::Guarded => None,
            WrongState | NoState => Some("no state is given or compared there"),
            Crosses if point != Point::BeforeFence || kind != Kind::Read => {
                Some("only a read may not cross, and only there it could")
            }
            GivesUp | DropsEffect if !point.is_effect() => Some("there is no effect yet, or it has ended"),
            DropsEffect if style == Style::Thread => Some("a thread cannot be dropped"),
            HangsForEver if point.is_behind_fence(kind) => {
                Some("what has crossed is waited for, for ever then")
            }
            HangsForEver if style == Style::Thread => {
                Some("a thread cannot be dropped, and would stay for ever")
            }
            _ => None,
        }
    }
}
