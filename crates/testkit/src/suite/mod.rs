//! What every provider must hold, as checks that are driven by what a provider declares of itself.
//!
//! An author says how to make a fresh provider with known content, what is there, and what its operations do
//! ([`Subject`]); [`run`] holds it to the protocol, in the same process and over HTTP, mounted at the root and beside
//! another provider, and gives a [`Report`] of every check. What is not declared is not checked, and the report says
//! what is missing.
//!
//! ```
//! use worldspace_host::{LocalPath, Memory, MemoryNode};
//! use worldspace_testkit::suite::{self, Subject};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let subject = Subject::new("notes", || async {
//!     let notes = Memory::new();
//!     let today = LocalPath::parse("/today").expect("a path");
//!     notes.put(&today, MemoryNode::new().described("What to do today."));
//!     (notes.clone(), notes)
//! })
//! .leaf("/today")
//! .absent("/tomorrow")
//! .identities()
//! .states();
//! suite::run(&subject).await.assert();
//! # }
//! ```
//!
//! The provider runs behind the suite's hand, which asks for children in small pages, holds calls
//! together, changes things behind the Host's checks, lets callers leave before the fence, and panics and answers
//! nonsense in the provider's place. So a provider is tried where its mistakes are, and the Host with it.

mod bench;
mod check;
mod checks;
mod heard;
mod meddle;
pub mod naive;
mod raw;
mod report;
mod run;
mod sample;
mod subject;
mod world;

pub use report::{Checked, Outcome, Place, Report};
pub use run::{run, run_only};
pub use sample::Sample;
pub use subject::Subject;
