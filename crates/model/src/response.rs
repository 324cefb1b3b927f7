//! What a Host answers (SPEC 2).

use std::sync::Arc;

use crate::error::ProtocolError;
use crate::interface::{Descriptor, EffectTable};
use crate::object::{Object, Ref, Validator};
use crate::reference::InterfaceReference;
use crate::value::Value;

/// One Object or error per entry, in the order of the request.
#[derive(Debug, Clone, PartialEq)]
pub struct FetchResponse {
    /// The answers.
    pub results: Vec<Result<Arc<Object>, ProtocolError>>,
}

/// A descriptor and what belongs to it.
#[derive(Debug, Clone, PartialEq)]
pub struct FetchInterfaceResponse {
    /// The interface that was asked for.
    pub interface: InterfaceReference,
    /// The identity of the scope Object.
    pub scope_ref: Option<Ref>,
    /// The descriptor as this principal sees it.
    pub descriptor: Descriptor,
    /// The state of descriptor and effects; a descriptor without one does not change while its scope Object lives.
    pub validator: Option<Validator>,
    /// What is claimed of the operations; only where it was asked for \[ext\].
    pub effects: Option<EffectTable>,
}

/// What a call gave.
#[derive(Debug, Clone, PartialEq)]
pub struct CallAnswer {
    /// The result, of the declared type.
    pub result: Value,
    /// The state of the target behind the call, where it can still be called from the same observation.
    pub validator: Option<Validator>,
    /// Whether the call may have had an effect.
    pub settled: Settled,
}

/// What a Host with a journal knows of an earlier call \[ext\].
#[derive(Debug, Clone, PartialEq)]
pub enum CallOutcomeResponse {
    /// No call of that key is known.
    Absent,
    /// It is running.
    Running,
    /// It ended, and this was its answer.
    Done(Result<CallAnswer, ProtocolError>),
    /// Nobody knows.
    Unknown,
}

/// On which side of the fence a call ended (SPEC 2.3). Who finds that its answer cannot be sent must know: before the
/// fence nothing happened, behind it the outcome is unknown to the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// The fence was not crossed: nothing happened.
    BeforeFence,
    /// The fence was crossed: the effect is there.
    BehindFence,
}
