//! The Client of a Worldspace: what it observed, in which state, and calls on what its user was shown (SPEC 5).
//!
//! A [`Client`] speaks to one Host as one principal, over any [`Transport`](worldspace_model::Transport), be it HTTP
//! or [in-process](InProcess). It keeps the Known Space: Objects and interfaces that it observed, bounded, each with
//! its freshness. Its users hold [`Observation`]s and [`InterfaceObservation`]s, which never change under them, and
//! never handle validators, refs or caches: a call is made *on an observation*, and is bound to the state that this
//! observation shows, whatever the Client has learned since. Only what its Host declares `read` is bound no more than
//! its caller asks for ([`Bind`]).
//!
//! ```
//! use worldspace_client::{CallOptions, Client, ClientError};
//! use worldspace_model::{EntryPath, Record};
//!
//! async fn close(client: &Client, issue: &EntryPath) -> Result<(), Box<dyn std::error::Error>> {
//!     let shown = client.fetch(issue).await?;
//!     let interface = client.resolve(&shown, "close", None).await?;
//!     let outcome = client.call(&shown, &interface, "close", Record::default(), CallOptions::default()).await?;
//!     println!("{:?}, to look at next: {:?}", outcome.result, outcome.entries);
//!     Ok(())
//! }
//! ```
//!
//! What was left out: a Client does not follow entries that it finds, does not watch for changes, and repeats no
//! call, save once one that its Host declares `read`.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bounded;
mod call;
mod client;
mod error;
mod explore;
mod flight;
mod handle;
mod identity;
mod interfaces;
mod local;
mod space;
mod tag;
mod typed;
mod weight;

pub use call::{
    Bind, CallFailure, CallOptions, CallOutcome, NotRun, OutcomeUnknown, StateChanged, UnknownCause,
};
pub use client::{Client, Settings};
pub use error::{ClientError, ErrorKind, Usage};
pub use handle::{Freshness, InterfaceObservation, Observation, TreeItem, TreeObservation};
pub use identity::{Change, MemberChange};
pub use local::InProcess;
pub use tag::{InvalidTag, StateTag};
pub use typed::{TypedClient, TypedFailure, TypedObject};
/// Makes a type of the protocol of a struct or enum: implements [`model::WipType`], for typed clients in crates without a
/// Host. The macro of the same name in `worldspace-host` does the same, and its documentation says what may be written.
///
/// ```
/// use worldspace_client::model::{Value, WipType as _};
/// use worldspace_client::{TypedFailure, TypedObject, WipType};
///
/// /// What became of it.
/// #[derive(Debug, PartialEq, WipType)]
/// enum CloseResult {
///     Closed,
///     Refused(String),
/// }
///
/// async fn close(issue: &TypedObject) -> Result<CloseResult, TypedFailure> {
///     issue.call("close", Ok(Default::default())).await
/// }
///
/// let value = Value::case("refused", Some("It is new.".into()))?;
/// assert_eq!(CloseResult::from_value(&value)?, CloseResult::Refused("It is new.".to_owned()));
/// # Ok::<(), worldspace_client::model::Fault>(())
/// ```
pub use worldspace_macros::ClientWipType as WipType;
/// The vocabulary, for what macros write.
pub use worldspace_model as model;
