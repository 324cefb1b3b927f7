//! What every provider must hold, as a suite to run on one's own ([`suite`]), and a provider that fails wherever it is
//! told to and keeps a record of what it really did ([`oracle`]). Both speak to a Host in the same process and over
//! HTTP ([`Way`]), and expect the same of it.

pub mod oracle;
pub mod suite;
mod way;

pub use way::{Loopback, LoopbackError, Way};
