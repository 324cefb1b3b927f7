//! `wip completions`.

use clap::{CommandFactory, ValueEnum};
use clap_complete::Shell;

use crate::args::{Args, NoHttpArgs, NoSourcesArgs, NoWorldArgs};
use crate::failure::Failure;
use crate::json;
use crate::screen::Screen;

const AFTER_HELP: &str = "\
For bash: `source <(wip completions bash)`; other shells document where they look for such scripts.";

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,

    #[command(flatten)]
    _no_world: NoWorldArgs,

    #[command(flatten)]
    _no_http: NoHttpArgs,

    #[command(flatten)]
    _no_sources: NoSourcesArgs,
}

pub(crate) fn run(screen: &Screen, args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "wip", &mut script);
    if args.shell == Shell::Fish {
        // Its generator knows the values of options alone, and files would be offered.
        let shells: Vec<String> = Shell::value_variants().iter().map(ToString::to_string).collect();
        let shells = shells.join(" ");
        let line =
            format!("complete -c wip -n \"__fish_wip_using_subcommand completions\" -f -a \"{shells}\"\n");
        script.extend(line.into_bytes());
    }
    if screen.is_json() {
        let script = json::string(&String::from_utf8_lossy(&script));
        return screen.json(format!("{{\"script\":{script}}}").as_bytes());
    }
    screen.raw(&script)
}
