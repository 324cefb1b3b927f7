//! Clients in Rust, and the traits from which an author begins.
//!
//! Both are written as an author would write them, and laid out as rustfmt does it, as long as nothing is very long. The
//! derive and the trait's macro read back from them exactly what they were made of: types, names, documentation and, of
//! traits, effects.

mod client;
mod comment;
mod layout;
mod traits;
mod types;
mod words;

use super::{GENERATED, GeneratedFile, Source};

/// The file of a module that calls these interfaces, for a crate that depends on `worldspace-client`.
pub fn client(sources: &[Source], module: &str) -> Vec<GeneratedFile> {
    let text = format!("// {GENERATED}\n\n{}", client::module(sources));
    vec![GeneratedFile { name: format!("{module}.rs"), text }]
}

/// The traits of these interfaces and their types, from which an author begins: for a crate that depends on
/// `worldspace-host`.
pub fn traits(sources: &[Source]) -> String {
    traits::module(sources)
}
