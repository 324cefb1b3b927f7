//! `wip idl diff`.

use worldspace_idl::diff::{Change, diff};

use super::diagnostics::{Wrong, checked};
use super::files::{self, Files};
use crate::args::NowhereArgs;
use crate::failure::{Failure, exit};
use crate::json;
use crate::screen::Screen;
use crate::show::style::{self, styled};
use crate::show::text;

const AFTER_HELP: &str = "\
Callers break where a call that was right is refused, where a result holds what was never announced, where a name that they \
write is gone, and where a promise is taken back. Exit status: 1 if callers break, or a file has errors.";

/// Tell what changed from one file to another, and whether callers break
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct DiffArgs {
    /// The file as callers know it
    #[arg(value_name = "OLD", value_hint = clap::ValueHint::FilePath)]
    old: String,

    /// The file as it is now
    #[arg(value_name = "NEW", value_hint = clap::ValueHint::FilePath)]
    new: String,

    #[command(flatten)]
    _nowhere: NowhereArgs,
}

pub(super) fn run(screen: &Screen, args: &DiffArgs) -> Result<u8, Failure> {
    files::stdin_once([&args.old, &args.new])?;
    let mut wrong = Wrong::default();
    let old = checked(&mut Files::default(), &mut wrong, &args.old);
    let new = checked(&mut Files::default(), &mut wrong, &args.new);
    let (Some(old), Some(new), true) = (old, new, wrong.is_empty()) else {
        wrong.tell(screen)?;
        return Ok(exit::LOCAL);
    };
    let changes = diff(&old.interfaces, &new.interfaces);
    let breaks = changes.iter().any(|change| change.breaks);
    if screen.is_json() {
        let changes = changes.iter().map(document).collect::<Result<Vec<_>, _>>()?;
        screen.json(format!("{{\"breaks\":{breaks},\"changes\":[{}]}}", changes.join(",")).as_bytes())?;
    } else {
        screen.text(&shown(&changes))?;
    }
    Ok(if breaks { exit::LOCAL } else { exit::DONE })
}

fn shown(changes: &[Change]) -> String {
    if changes.is_empty() {
        return "nothing changed\n".to_owned();
    }
    let mut shown = String::new();
    for (breaks, title) in [(true, styled(style::ERROR, "breaks callers")), (false, "harmless".to_owned())] {
        let mut changes = changes.iter().filter(|change| change.breaks == breaks).peekable();
        if changes.peek().is_none() {
            continue;
        }
        if !shown.is_empty() {
            shown.push('\n');
        }
        shown.push_str(&format!("{title}:\n"));
        for change in changes {
            let place = styled(style::STRONG, text::line(&change.place));
            shown.push_str(&format!("  {place}: {}\n", text::line(&change.what)));
        }
    }
    shown
}

/// `{"reference"|"name","place","what","breaks"}`
fn document(change: &Change) -> Result<String, Failure> {
    let (name, place, what) =
        (json::declared_name(&change.interface)?, json::string(&change.place), json::string(&change.what));
    Ok(format!("{{{name},\"place\":{place},\"what\":{what},\"breaks\":{}}}", change.breaks))
}
