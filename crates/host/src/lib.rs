//! The Host: publishes providers as one Worldspace and answers for all of them.
//!
//! An author implements [`Provider`], which speaks paths and identities of its own. A [`Host`] mounts providers,
//! translates what they say into the Worldspace, and keeps every rule of the protocol for them: the order of checks,
//! trees and their truncation, validators, the fence, deadlines, panics. It is a [`worldspace_model::Responder`], so
//! that HTTP and in-process callers meet the same Host.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod call;
mod children;
mod context;
mod cursor;
mod dispatch;
mod erased;
pub mod expand;
mod failure;
mod fence;
mod guard;
mod host;
mod interface;
mod limits;
mod local;
mod memory;
mod mount;
mod mounts;
mod offers;
mod provider;
mod published;
mod tree;
mod visibility;

pub use call::{Call, Done};
pub use context::Context;
pub use erased::DynProvider;
pub use failure::{ProviderError, Refusal};
pub use fence::{After, Fate};
pub use host::{Host, HostBuilder, MountError};
pub use interface::{Interface, InterfaceBuilder};
pub use limits::HostLimits;
pub use local::{LocalPath, LocalReference};
pub use memory::{Memory, MemoryHandler, MemoryNode};
pub use offers::{Offers, Serves, TypedInterface};
pub use provider::{Page, Provider};
pub use published::{Identity, Interfaces, Published, StateToken};
/// Makes a type of the protocol of a struct or enum: implements [`model::WipType`].
///
/// | Rust | the protocol |
/// | --- | --- |
/// | a struct with named fields | a record; a field of `Option` is optional |
/// | a struct around one value | what that value is, under a name of its own |
/// | an enum of bare cases | an enum, its cases in snake case |
/// | an enum of which a case carries something | a union; `Case(T)` carries a `T`, `Case { … }` a record |
///
/// The type is declared by its name, once for each interface that uses it, and doc comments are its documentation.
/// `#[wip(…)]` says what differs: `name = "…"` on a type, field or case gives it another name, `inline` puts a type where it is
/// used instead of naming it, and `union` makes a union of an enum of bare cases.
///
/// ```
/// use worldspace_host::WipType;
/// use worldspace_host::model::{EntryPath, Value, WipType as _};
///
/// /// What became of it.
/// #[derive(WipType)]
/// enum CloseResult {
///     Closed,
///     /// Other issues must be closed first.
///     Blocked { dependencies: Vec<EntryPath> },
/// }
///
/// #[derive(WipType)]
/// struct Body {
///     text: String,
///     #[wip(name = "updatedAt")]
///     updated_at: Option<String>,
/// }
///
/// assert_eq!(CloseResult::Closed.into_value()?, Value::case("closed", None)?);
/// let body = Body { text: "It rains.".to_owned(), updated_at: None };
/// assert_eq!(body.into_value()?, Value::record([("text", Some("It rains.".into()))])?);
/// # Ok::<(), worldspace_host::model::Fault>(())
/// ```
///
/// No type of the protocol contains itself, has parameters, or borrows. What stands for which type is said at [`model::typed`].
pub use worldspace_macros::HostWipType as WipType;
/// Makes an interface of a trait: each method is an operation.
///
/// Of a trait `Notes` it makes `NotesInterface`, which is a [`TypedInterface`] and [`Serves`] whatever implements the trait;
/// nothing is published before an [`Offers`] says so. With `client` it makes a `NotesClient` too, for which the crate depends on
/// `worldspace-client`.
///
/// ```
/// use worldspace_host::{Call, Context, Done, Fate, Offers, Refusal, StateToken, interface};
/// use worldspace_host::model::EntryPath;
///
/// /// Something that can be read and written.
/// ///
/// /// From the second paragraph on, this is details.
/// #[interface(name = "notes.note", client)]
/// trait Note {
///     /// The whole text.
///     #[read]
///     #[returns("The text as it is now.")]
///     async fn read(&self) -> Result<String, Refusal>;
///
///     /// Notes that speak of the same.
///     #[read]
///     async fn related(&self, context: &Context, limit: Option<u16>) -> Result<Vec<EntryPath>, Refusal>;
///
///     /// Writes another text.
///     #[destructive]
///     #[guarded]
///     async fn write(&self, call: Call, /** All of it. */ text: String) -> Result<Done<()>, Refusal>;
/// }
///
/// struct Page(std::sync::Mutex<String>);
///
/// impl Note for Page {
///     async fn read(&self) -> Result<String, Refusal> {
///         Ok(self.0.lock().map_err(|_| Refusal::failed("a write broke off"))?.clone())
///     }
///
///     async fn related(&self, _: &Context, _: Option<u16>) -> Result<Vec<EntryPath>, Refusal> {
///         Ok(Vec::new())
///     }
///
///     async fn write(&self, call: Call, text: String) -> Result<Done<()>, Refusal> {
///         let mut held = self.0.lock().map_err(|_| Refusal::failed("a write broke off"))?;
///         let state = StateToken::new(held.as_bytes());
///         call.fence_blocking(Some(&state), || {
///             *held = text;
///             Fate::done((), StateToken::new(held.as_bytes()))
///         })
///     }
/// }
///
/// let pages = Offers::<Page>::new().with(NoteInterface)?;
/// # Ok::<(), worldspace_host::model::DeclarationError>(())
/// ```
///
/// # The trait
/// - `name = "…"` is the name of the interface. `types(A, B)` declares types by name in this order, also those that no operation
///   uses.
/// - Effects are attributes: `#[read]`, `#[idempotent]`, `#[destructive]`, `#[guarded]`. An operation without any is an ordinary
///   write.
/// - A `#[read]` gives `Result<T, Refusal>`, and may take `call: &Call` and `context: &Context` before its arguments. Any other
///   operation takes `call: Call`, with which it crosses the fence, and gives `Result<Done<T>, Refusal>`.
/// - Arguments are of types that are a [`model::WipField`], results of those that are a [`model::WipType`]. An argument beyond
///   what its Rust type holds is `invalid_arguments` before the method is called.
/// - Doc comments of the trait, its methods and their parameters are documentation; `#[returns("…")]` is that of a result.
/// - `#[wip(name = "…")]` on a method or parameter gives it another name in the protocol.
/// - `#[cfg(…)]` on a method holds for the operation and for all that is made of it.
/// - A method with a body is what an implementation does that has none of its own.
///
/// Futures are `Send`; implementations write `async fn`.
///
/// # The client
/// It has a method for each operation, which takes the arguments alone. One that is named like something that all clients have
/// (`open`, `of`, `on`, `object`, `refresh`) stands before it: then that is reached as
/// `<NotesClient as TypedClient>::open(…)`.
///
/// # Errors
/// All mistakes of a trait are told by the compiler, at once. What shows only when types are put together (two of one name,
/// types that contain each other, a type that is too deep) is told by [`TypedInterface::interface`], and so by [`Offers::with`].
pub use worldspace_macros::interface;
/// The vocabulary, for what macros write.
pub use worldspace_model as model;

/// The guide for authors, compiled and run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/provider-guide.md")]
mod provider_guide {}
