//! A provider that logs every effect durably, and fails, hangs, panics or answers nonsense where it is told to.
//!
//! The [`Oracle`] is a provider like any other. A [`Script`] tells it at which [`Point`] of a call to commit which
//! [`Fault`]; whatever it really does to its world goes into an [`EffectLog`] on disk first. So what a caller was told
//! can be held against what happened, in this process or, through the log's file, in another.
//!
//! A [`Trial`] does that for every point, fault, kind of operation, fate of the caller and way to the Host, and gives
//! a [`Report`]. Its judgement ([`judge`]) knows no Host: it has what the caller was [`Told`], and the [`Facts`].
//! The report fails where something was told that is not so, and where too few cases came to their point at all; what
//! cannot be is listed with the reason.
//!
//! The oracle by itself, for tests of one's own:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use worldspace_host::Host;
//! use worldspace_model::EntryPath;
//! use worldspace_testkit::oracle::{Fault, Net, Oracle, Point, Script};
//! # let directory = tempfile::tempdir()?;
//! # let log = directory.path().join("effects.log");
//! let oracle = Oracle::new(log)?;
//! let host = Host::builder().mount(EntryPath::parse("/oracle")?, oracle.clone()).build()?;
//! let play = oracle.play("call-1", Script::new(Point::MidEffect, Fault::HangsUntilReleased));
//! // Now somebody calls `add` of /oracle/thing with the id "call-1", and then, elsewhere:
//! // play.reached().await; … play.release(); play.ended().await;
//! assert_eq!(oracle.log().net(play.id())?, Net::None, "nobody has called yet");
//! # Ok(())
//! # }
//! ```

mod bench;
mod effect;
mod judge;
mod log;
mod play;
mod provider;
mod report;
mod script;
mod trial;
mod watched;

pub use judge::{Facts, Flaw, Told, judge};
pub use log::{EffectLog, Net, Record, Step};
pub use play::{Handed, Play, Progress};
pub use provider::{Oracle, OracleError};
pub use report::{Case, Failure, Group, Outcome, Report};
pub use script::{Caller, Fault, Kind, Point, Reason, Script, Style};
pub use trial::{Trial, TrialError};
