//! `wip token`.

use clap::Subcommand;
use worldspace_http::auth::{TokenFile, TokenFileError};

use crate::access::no_token;
use crate::args::{NoHttpArgs, NoSourcesArgs, NoWorldArgs};
use crate::failure::Failure;
use crate::json;
use crate::screen::Screen;
use crate::show::text;

const AFTER_HELP: &str = "\
The token is printed once and kept nowhere; the file holds its hash. To take a token back, take its line out of the \
file: from the next request on it is worth nothing.";

/// Make tokens, by which a server knows who asks
#[derive(Debug, clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct TokenArgs {
    #[command(subcommand)]
    command: TokenCommand,

    #[command(flatten)]
    _no_world: NoWorldArgs,

    #[command(flatten)]
    _no_http: NoHttpArgs,

    #[command(flatten)]
    _no_sources: NoSourcesArgs,
}

#[derive(Debug, Subcommand)]
enum TokenCommand {
    New(NewArgs),
}

/// Make a token for someone, and print it
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
struct NewArgs {
    /// Whose it is
    #[arg(value_name = "NAME", value_hint = clap::ValueHint::Other)]
    name: String,

    /// The file of tokens that a server is given with `wip serve --tokens`; it is made if there is none
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: String,

    #[command(flatten)]
    _no_world: NoWorldArgs,

    #[command(flatten)]
    _no_http: NoHttpArgs,

    #[command(flatten)]
    _no_sources: NoSourcesArgs,
}

pub(crate) fn run(screen: &Screen, args: &TokenArgs) -> Result<(), Failure> {
    let TokenCommand::New(NewArgs { name, file, .. }) = &args.command;
    no_token("--file", file)?;
    let token = TokenFile::add(file, name).map_err(|error| match &error {
        TokenFileError::Name => Failure::usage(error.to_string()),
        _ => Failure::caused(&error),
    })?;
    if screen.is_json() {
        let (token, name, file) = (json::string(token.reveal()), json::string(name), json::string(file));
        return screen.json(format!("{{\"token\":{token},\"name\":{name},\"file\":{file}}}").as_bytes());
    }
    screen.raw(format!("{}\n", token.reveal()).as_bytes())?;
    let count = TokenFile::count(file, name);
    let file = text::name(file);
    screen.aside(&format!("its hash was added to {file} as a token of {name}; it is shown this once\n"));
    if let Ok(count @ 2..) = count {
        screen.aside(&format!(
            "{name} has {count} tokens now, and each is good; that of the last line is this one\n"
        ));
    }
    Ok(())
}
