//! `wip tree`.

use worldspace_model::{FetchTreeRequest, Segment};

use crate::commands::{entry, failed_at};
use crate::failure::Failure;
use crate::json;
use crate::screen::Screen;
use crate::show::tree::{Asked, DEPTH, LIMIT, render};
use crate::world::World;

const AFTER_HELP: &str = "\
A slash stands behind entries with more below them, `…` for what is not shown.";

/// Show what is where
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct TreeArgs {
    /// Where to begin
    #[arg(default_value = "/", value_hint = clap::ValueHint::Other)]
    path: String,

    /// How many levels to show below it
    #[arg(long, value_name = "N", default_value_t = DEPTH, allow_negative_numbers = true)]
    depth: u32,

    /// How many entries to show at most
    #[arg(long, value_name = "N", default_value_t = LIMIT, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,

    /// Go on behind this child
    #[arg(long, value_name = "NAME")]
    after: Option<String>,
}

pub(crate) async fn run(screen: &Screen, world: &World, args: &TreeArgs) -> Result<(), Failure> {
    let entry = entry(screen, &args.path)?;
    let usage = |fault: worldspace_model::Fault| Failure::usage(fault.to_string());
    let after = args.after.as_deref().map(Segment::parse).transpose().map_err(usage)?;
    let request = FetchTreeRequest::new(entry.clone(), args.depth, args.limit, after).map_err(usage)?;
    let observed = world.client.tree(&request).await;
    let observed = match observed {
        Ok(observed) => observed,
        Err(error) => return Err(failed_at(screen, world, &entry, &error).await),
    };
    if screen.is_json() {
        return screen.json(json::tree(observed.tree())?.as_bytes());
    }
    let asked = Asked { entry: &entry, depth: args.depth, limit: args.limit, after: args.after.as_deref() };
    screen.text(&render(observed.tree(), asked, &screen.commands, screen.width))
}
