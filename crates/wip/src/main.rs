//! `wip`: serve, see and use a Worldspace from the command line.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod args;
mod arguments;
mod commands;
mod config;
mod failure;
mod interruption;
mod json;
mod screen;
mod show;
mod source;
mod world;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use args::{Args, Command, Format};
use failure::{Failure, exit};
use interruption::Interruption;
use screen::Screen;
use show::command::Commands;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let args = match Args::try_parse_from(&words) {
        Ok(args) => args,
        Err(error) => return ExitCode::from(not_understood(&words, &error)),
    };
    let screen = Screen::new(args.global.format, Commands::at(&args.global.at));
    config::log(args.global.verbose, matches!(args.command, Command::Serve(_)));
    let status = run(&screen, args).unwrap_or_else(|failure| {
        screen.failure(&failure);
        failure.kind.exit()
    });
    ExitCode::from(status)
}

/// Help and versions are no errors; of real ones, programs are told in their way.
fn not_understood(words: &[OsString], error: &clap::Error) -> u8 {
    let wants_help = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if args::format_of(words) == Format::Json && !wants_help {
        let failure = match error.kind() {
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
                Failure::usage("a command is missing").hint("`wip --help` lists them")
            }
            _ => in_one_line(&error.render().to_string()),
        };
        Screen::new(Format::Json, Commands::default()).failure(&failure);
        return exit::USAGE;
    }
    // There is nobody left to tell that this could not be told.
    let _ = error.print();
    if wants_help { exit::DONE } else { exit::USAGE }
}

/// What stands in the first paragraph, and what is suggested behind it; the usage is for people.
fn in_one_line(text: &str) -> Failure {
    let lines = |paragraph: &str| paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut paragraphs = text.split("\n\n").map(lines);
    let first = paragraphs.next().unwrap_or_default();
    let failure = Failure::usage(first.strip_prefix("error: ").unwrap_or(&first));
    let tips = paragraphs.filter_map(|paragraph| paragraph.strip_prefix("tip: ").map(str::to_owned));
    tips.fold(failure, |failure, tip| failure.hint(tip))
}

fn run(screen: &Screen, args: Args) -> Result<u8, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::io("cannot start", &error))?;
    let status = runtime.block_on(async {
        let interruption =
            Interruption::listen().map_err(|error| Failure::io("cannot listen for signals", &error))?;
        tokio::select! {
            status = command(screen, &args, &interruption) => status,
            // To these two it means something of their own.
            () = interruption.asked(), if !matches!(args.command, Command::Serve(_) | Command::Invoke(_)) => {
                Err(Failure::interrupted())
            }
        }
    });
    // A thread that waits for stdin would keep a finished program.
    runtime.shutdown_background();
    status
}

async fn command(screen: &Screen, args: &Args, interruption: &Interruption) -> Result<u8, Failure> {
    let at = &args.global.at;
    match &args.command {
        Command::Serve(_) if !at.is_empty() => {
            Err(Failure::usage("`wip serve` takes its sources as arguments, not with --at"))
        }
        Command::Serve(args) => commands::serve::run(screen, args, interruption).await.map(|()| exit::DONE),
        Command::Tree(args) => {
            commands::tree::run(screen, &world::open(at)?, args).await.map(|()| exit::DONE)
        }
        Command::Inspect(args) => commands::inspect::run(screen, &world::open(at)?, args).await,
        Command::Invoke(args) => {
            commands::invoke::run(screen, &world::open(at)?, args, interruption).await.map(|()| exit::DONE)
        }
        Command::Completions(args) => commands::completions::run(screen, args).map(|()| exit::DONE),
    }
}
