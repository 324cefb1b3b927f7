//! `wip completions`.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Args;
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
}

pub(crate) fn run(screen: &Screen, args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "wip", &mut script);
    if screen.is_json() {
        let script = json::string(&String::from_utf8_lossy(&script));
        return screen.json(format!("{{\"script\":{script}}}").as_bytes());
    }
    screen.raw(&script)
}
