//! `wip idl`: files that declare interfaces.

mod check;
pub(super) mod diagnostics;
mod diff;
pub(super) mod files;
mod fmt;
mod rust;
mod show;

use clap::Subcommand;

use crate::args::NowhereArgs;
use crate::failure::Failure;
use crate::screen::Screen;

/// Check, format, show and compare files that declare interfaces (docs/idl.md)
#[derive(Debug, clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct IdlArgs {
    #[command(subcommand)]
    command: IdlCommand,

    #[command(flatten)]
    _nowhere: NowhereArgs,
}

#[derive(Debug, Subcommand)]
enum IdlCommand {
    Check(check::CheckArgs),
    Fmt(fmt::FmtArgs),
    Show(show::ShowArgs),
    Diff(diff::DiffArgs),
    Rust(rust::RustArgs),
}

/// The exit status: 1 where a file has errors, or callers break.
pub(crate) fn run(screen: &Screen, args: &IdlArgs) -> Result<u8, Failure> {
    match &args.command {
        IdlCommand::Check(args) => check::run(screen, args),
        IdlCommand::Fmt(args) => fmt::run(screen, args),
        IdlCommand::Show(args) => show::run(screen, args),
        IdlCommand::Diff(args) => diff::run(screen, args),
        IdlCommand::Rust(args) => rust::run(screen, args),
    }
}
