//! `wip`: serve, see and use a Worldspace from the command line.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod access;
mod args;
mod arguments;
mod behind;
mod commands;
mod config;
mod example;
mod failure;
mod interruption;
mod json;
mod listen;
mod screen;
mod self_signed;
mod show;
mod source;
mod traced;
mod world;
mod world_file;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use args::{Args, Command, Format};
use behind::Behind;
use failure::{Failure, Kind, exit};
use interruption::Interruption;
use screen::Screen;
use show::command::Commands;

fn main() -> ExitCode {
    let words = without_help_of_help(std::env::args_os().collect());
    let args = match Args::try_parse_from(&words) {
        Ok(args) => args,
        Err(error) => return ExitCode::from(not_understood(&words, &error)),
    };
    let screen = Screen::new(args.global.format, Commands::looking(&args.global.world));
    let behind = config::log(args.global.verbose, matches!(args.command, Command::Serve(_)));
    ExitCode::from(run(&screen, args, &behind))
}

/// `wip help --help` asks for what `wip help` gives.
fn without_help_of_help(mut words: Vec<OsString>) -> Vec<OsString> {
    if words.get(1).is_some_and(|word| word == "help") {
        words.retain(|word| word != "--help" && word != "-h");
    }
    words
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

/// The exit status, unless the program ends as the signal that interrupted it would have it.
fn run(screen: &Screen, args: Args, behind: &Behind) -> u8 {
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return told(screen, &Failure::io("cannot start", &error)),
    };
    let entered = runtime.enter();
    let patience = match args.command {
        Command::Serve(_) => 2,
        // It reads and writes files, each in one step, on the thread that would listen.
        Command::Idl(_) => 0,
        _ => 1,
    };
    let interruption = match Interruption::listen(patience) {
        Ok(interruption) => interruption,
        Err(error) => return told(screen, &Failure::io("cannot listen for signals", &error)),
    };
    let status = runtime.block_on(async {
        tokio::select! {
            status = command(screen, &args, &interruption) => status,
            // To these two it means something of their own.
            () = interruption.asked(), if !matches!(args.command, Command::Serve(_) | Command::Invoke(_)) => {
                Err(Failure::interrupted())
            }
        }
    });
    drop(entered);
    // A thread that waits for stdin would keep a finished program.
    runtime.shutdown_background();
    let (status, interrupted) = match status {
        Ok(status) => (status, false),
        Err(failure) => (told(screen, &failure), failure.kind == Kind::Interrupted),
    };
    screen.log(&behind.take());
    if interrupted {
        interruption.end();
    }
    status
}

fn told(screen: &Screen, failure: &Failure) -> u8 {
    screen.failure(failure);
    failure.kind.exit()
}

async fn command(screen: &Screen, args: &Args, interruption: &Interruption) -> Result<u8, Failure> {
    let looking = &args.global.world;
    match &args.command {
        Command::Serve(args) => {
            commands::serve::run(screen, args, looking, interruption).await.map(|()| exit::DONE)
        }
        Command::Tree(args) => {
            commands::tree::run(screen, &world::open(looking)?, args).await.map(|()| exit::DONE)
        }
        Command::Inspect(args) => commands::inspect::run(screen, &world::open(looking)?, args).await,
        Command::Invoke(args) => commands::invoke::run(screen, &world::open(looking)?, args, interruption)
            .await
            .map(|()| exit::DONE),
        Command::Idl(args) => commands::idl::run(screen, args),
        Command::Generate(args) => commands::generate::run(screen, looking, args).await,
        Command::Token(args) => commands::token::run(screen, args).map(|()| exit::DONE),
        Command::Completions(args) => commands::completions::run(screen, args).map(|()| exit::DONE),
    }
}
