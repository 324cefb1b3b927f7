//! Clients in Rust, and the traits from which an author begins.

use super::{GENERATED, GeneratedFile, Source};

/// The file of a module that calls these interfaces, for a crate that depends on `worldspace_client`.
pub fn client(_: &[Source], module: &str) -> Vec<GeneratedFile> {
    vec![GeneratedFile { name: format!("{module}.rs"), text: format!("// {GENERATED}\n") }]
}
