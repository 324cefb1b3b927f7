//! `wip idl rust`.

use worldspace_projections::stubs;

use crate::args::NowhereArgs;
use crate::commands::generate::{declared, sources};
use crate::failure::{Failure, exit};
use crate::json;
use crate::screen::Screen;

/// Print the interfaces of a file as the Rust traits from which an application begins
#[derive(Debug, clap::Args)]
pub(super) struct RustArgs {
    /// The file; `-` is stdin
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: String,

    #[command(flatten)]
    _nowhere: NowhereArgs,
}

pub(super) fn run(screen: &Screen, args: &RustArgs) -> Result<u8, Failure> {
    let Some(interfaces) = declared::of_file(screen, &args.file)? else { return Ok(exit::LOCAL) };
    let text = stubs::rust::traits(&sources::told_apart(interfaces));
    if screen.is_json() {
        screen.json(format!("{{\"rust\":{}}}", json::string(&text)).as_bytes())?;
    } else {
        screen.text(&text)?;
    }
    Ok(exit::DONE)
}
