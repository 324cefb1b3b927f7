//! The two traits between which everything happens: who answers requests, and what carries them.
//!
//! A Host is a [`Responder`]. A Client speaks to a [`Transport`]: over HTTP, or in-process straight to a Responder.
//! The two differ where a call crosses them: a Responder gets arguments yet to be read ([`ArgumentSource`]), since
//! only it can find their declaration; a Transport gets checked ones, and returns a result checked against the
//! declaration that its caller holds.

use std::error::Error;
use std::fmt;
use std::pin::Pin;

use crate::capabilities::Capabilities;
use crate::check::Arguments;
use crate::context::RequestContext;
use crate::error::ProtocolError;
use crate::fault::Fault;
use crate::interface::Operation;
use crate::request::{
    FetchInterfaceRequest, FetchRequest, FetchTreeRequest, IncomingCall, ObserveRequest, OutgoingCall,
};
use crate::response::{CallAnswer, FetchInterfaceResponse, FetchResponse};
use crate::tree::Tree;

/// A future that any runtime can drive, so that the model needs none.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Arguments that are well formed but not yet read.
pub trait ArgumentSource: Send {
    /// Reads the arguments along the declaration of their operation.
    ///
    /// # Errors
    /// The first broken rule, located below the argument.
    fn read(self: Box<Self>, operation: &Operation) -> Result<Arguments, Fault>;
}

/// Answers requests. Dropping a future cancels its request; a call that has passed the fence runs on.
pub trait Responder: Send + Sync {
    /// What this Host speaks.
    fn capabilities(&self) -> Capabilities;

    /// The Objects at some entries.
    fn fetch(
        &self,
        context: RequestContext,
        request: FetchRequest,
    ) -> BoxFuture<'_, Result<FetchResponse, ProtocolError>>;

    /// A breadth-first prefix of a subtree.
    fn fetch_tree(
        &self,
        context: RequestContext,
        request: FetchTreeRequest,
    ) -> BoxFuture<'_, Result<Tree, ProtocolError>>;

    /// A complete subtree to a depth.
    fn observe(
        &self,
        context: RequestContext,
        request: ObserveRequest,
    ) -> BoxFuture<'_, Result<Tree, ProtocolError>>;

    /// A descriptor.
    fn fetch_interface(
        &self,
        context: RequestContext,
        request: FetchInterfaceRequest,
    ) -> BoxFuture<'_, Result<FetchInterfaceResponse, ProtocolError>>;

    /// Runs an operation.
    fn call_operation(
        &self,
        context: RequestContext,
        call: IncomingCall,
    ) -> BoxFuture<'_, Result<CallAnswer, ProtocolError>>;
}

/// Carries requests to one Host as one principal, and validates what comes back.
///
/// A Transport follows no redirect and repeats nothing.
pub trait Transport: Send + Sync {
    /// What the Host speaks; [`Capabilities::v1`] where it says nothing of itself.
    fn capabilities(&self, context: RequestContext) -> BoxFuture<'_, Result<Capabilities, TransportError>>;

    /// As [`Responder::fetch`]. `context.principal` is not sent: the connection has its own.
    fn fetch(
        &self,
        context: RequestContext,
        request: FetchRequest,
    ) -> BoxFuture<'_, Result<FetchResponse, TransportError>>;

    /// As [`Responder::fetch_tree`]; the tree answers the request.
    fn fetch_tree(
        &self,
        context: RequestContext,
        request: FetchTreeRequest,
    ) -> BoxFuture<'_, Result<Tree, TransportError>>;

    /// As [`Responder::observe`]; the tree answers the request.
    fn observe(
        &self,
        context: RequestContext,
        request: ObserveRequest,
    ) -> BoxFuture<'_, Result<Tree, TransportError>>;

    /// As [`Responder::fetch_interface`].
    fn fetch_interface(
        &self,
        context: RequestContext,
        request: FetchInterfaceRequest,
    ) -> BoxFuture<'_, Result<FetchInterfaceResponse, TransportError>>;

    /// As [`Responder::call_operation`]; the result is of the type that the call's operation declares.
    fn call_operation(
        &self,
        context: RequestContext,
        call: OutgoingCall,
    ) -> BoxFuture<'_, Result<CallAnswer, TransportError>>;
}

/// Why a Transport has no success to return, by who is at fault. For a call, only [`TransportError::Refused`] with a
/// code other than `operation_outcome_unknown`, and [`TransportError::NotSent`], say that nothing happened.
#[derive(Debug)]
pub enum TransportError {
    /// The Host answered with an error.
    Refused(ProtocolError),
    /// The Host did not run the request, for certain.
    NotSent(NotSent),
    /// The request went out and no answer came, or one that is none of this protocol's.
    Unanswered(Unanswered),
    /// The Host's answer breaks the protocol.
    InvalidAnswer {
        /// What is wrong with it.
        detail: String,
    },
}

/// Why a request was not run.
#[derive(Debug)]
#[non_exhaustive]
pub enum NotSent {
    /// No connection came about.
    Unreachable {
        /// Why, for people.
        detail: String,
        /// The cause.
        source: Option<Box<dyn Error + Send + Sync>>,
    },
    /// What stands before the Host refused it with a bare status, such as 401.
    Rejected {
        /// The status.
        status: u16,
        /// What to do about it.
        detail: String,
    },
    /// It cannot be put into a request: too large, or too deep.
    Unsendable {
        /// Which limit it breaks.
        detail: String,
    },
}

/// Why nothing is known of a request that went out.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unanswered {
    /// The connection broke.
    Lost {
        /// Why, for people.
        detail: String,
        /// The cause.
        source: Option<Box<dyn Error + Send + Sync>>,
    },
    /// The deadline passed.
    TimedOut,
    /// A status without an answer of this protocol.
    Status {
        /// The status.
        status: u16,
        /// What it may mean.
        detail: String,
    },
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => fmt::Display::fmt(error, f),
            Self::NotSent(reason) => fmt::Display::fmt(reason, f),
            Self::Unanswered(reason) => fmt::Display::fmt(reason, f),
            Self::InvalidAnswer { detail } => write!(f, "the Host's answer is invalid: {detail}"),
        }
    }
}

impl fmt::Display for NotSent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable { detail, .. } => write!(f, "the Host cannot be reached: {detail}"),
            Self::Rejected { status, detail } => write!(f, "HTTP {status}: {detail}"),
            Self::Unsendable { detail } => write!(f, "the request cannot be sent: {detail}"),
        }
    }
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost { detail, .. } => write!(f, "the connection was lost: {detail}"),
            Self::TimedOut => f.write_str("no answer came in time"),
            Self::Status { status, detail } => write!(f, "HTTP {status} without an answer: {detail}"),
        }
    }
}

impl Error for TransportError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NotSent(NotSent::Unreachable { source, .. })
            | Self::Unanswered(Unanswered::Lost { source, .. }) => {
                source.as_deref().map(|source| source as _)
            }
            _ => None,
        }
    }
}
