//! `wip idl check`.

use super::diagnostics::{Wrong, checked};
use super::files::{self, Files};
use crate::args::NowhereArgs;
use crate::failure::{Failure, exit};
use crate::screen::Screen;
use crate::show::text;

/// Tell everything that is wrong with files, and with those they use
#[derive(Debug, clap::Args)]
pub(super) struct CheckArgs {
    /// The files; `-` is stdin
    #[arg(required = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    files: Vec<String>,

    #[command(flatten)]
    _nowhere: NowhereArgs,
}

pub(super) fn run(screen: &Screen, args: &CheckArgs) -> Result<u8, Failure> {
    files::stdin_once(&args.files)?;
    let (mut files, mut wrong) = (Files::default(), Wrong::default());
    let mut interfaces = 0;
    for given in &args.files {
        if let Some(checked) = checked(&mut files, &mut wrong, given) {
            interfaces += checked.interfaces.len();
        }
    }
    if !wrong.is_empty() || screen.is_json() {
        wrong.tell(screen)?;
        return Ok(if wrong.is_empty() { exit::DONE } else { exit::LOCAL });
    }
    let files = text::count(args.files.len(), "file", "files");
    screen.text(&format!(
        "no errors in {files} with {}\n",
        text::count(interfaces, "interface", "interfaces")
    ))?;
    Ok(exit::DONE)
}
