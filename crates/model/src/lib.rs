//! The vocabulary of WIP: names, types, values, requests, answers and errors, each parsed once and valid ever after,
//! and the two traits that carry them, [`Responder`] and [`Transport`].
//!
//! Nothing here does I/O, knows an encoding or needs a runtime. A value of one of these types keeps its rules:
//! an [`EntryPath`] is canonical, a [`Descriptor`] is checked and compiled, a [`Value`] is never too deep to be
//! compared or dropped, a [`Tree`] is breadth first. What breaks a rule is refused with a [`Fault`], which says
//! where and why.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod capabilities;
mod check;
mod compiled;
mod context;
mod error;
mod exchange;
mod fault;
mod interface;
mod object;
mod path;
mod reference;
mod request;
mod response;
mod suggest;
mod table;
mod tree;
pub mod typed;
mod types;
mod value;
mod weight;

pub use capabilities::{Capabilities, JournalTerms, StatedLimits};
pub use check::Arguments;
pub use compiled::{Cases, Member, Members, Shape, TypeRef, UnionCaseRef, UnionCases};
pub use context::{CallKey, Principal, RequestContext};
pub use error::{ErrorCode, Interaction, Message, ProtocolError};
pub use exchange::{ArgumentSource, BoxFuture, NotSent, Responder, Transport, TransportError, Unanswered};
pub use fault::{Fault, Kind, Location, Namespace, Quoted, Rule, Step};
pub use interface::{
    Declaration, Descriptor, Documentation, Effect, EffectTable, Effects, INTERFACE_FORMAT, Operation,
    OperationDeclaration, Parameter, TypeDeclaration, UnknownOperation,
};
pub use object::{InterfaceList, Object, ObjectName, Ref, Validator};
pub use path::{EntryPath, PathRule, Segment};
pub use reference::{InterfaceName, InterfaceReference};
pub use request::{
    CallHead, CallOutcomeRequest, FetchInterfaceRequest, FetchRequest, FetchTreeRequest, IncomingCall,
    InterfaceTarget, ObserveRequest, OutgoingCall, Target,
};
pub use response::{CallAnswer, CallOutcomeResponse, FetchInterfaceResponse, FetchResponse, Settled};
pub use suggest::nearest;
pub use tree::{Cause, Causes, Expansion, Tree, TreeNode};
pub use typed::{Bytes, DeclarationError, IntoResult, Json, TypeDeclarations, WipField, WipType};
pub use types::{EnumCase, Field, Type, TypeKind, UnionCase};
pub use value::{Integer, List, Number, Record, Value};
pub use weight::text_weight;

/// A shared name: of a type, operation, parameter, field or case. Any string is one.
pub type Name = std::sync::Arc<str>;

/// How many lists and records may stand inside one another, in a value or in a type.
///
/// Deeper ones cannot be built, so that comparing, cloning and dropping never exhaust a stack.
pub const MAX_DEPTH: u16 = 256;
