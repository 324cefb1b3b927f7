//! `wip idl show`.

use worldspace_idl::DeclaredInterface;

use super::diagnostics::{Wrong, checked};
use super::files::Files;
use crate::args::NowhereArgs;
use crate::failure::{Failure, exit};
use crate::json;
use crate::screen::Screen;
use crate::show::object;

/// Show the interfaces that a file declares: each by itself, with the types that it reaches
#[derive(Debug, clap::Args)]
pub(super) struct ShowArgs {
    /// The file; `-` is stdin
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: String,

    #[command(flatten)]
    _nowhere: NowhereArgs,
}

pub(super) fn run(screen: &Screen, args: &ShowArgs) -> Result<u8, Failure> {
    let mut wrong = Wrong::default();
    let checked = checked(&mut Files::default(), &mut wrong, &args.file);
    let Some(checked) = checked.filter(|_| wrong.is_empty()) else {
        wrong.tell(screen)?;
        return Ok(exit::LOCAL);
    };
    if screen.is_json() {
        let interfaces = checked.interfaces.iter().map(json::declared).collect::<Result<Vec<_>, _>>()?;
        screen.json(format!("{{\"interfaces\":[{}]}}", interfaces.join(",")).as_bytes())?;
        return Ok(exit::DONE);
    }
    for (at, DeclaredInterface { name, descriptor, effects, .. }) in checked.interfaces.iter().enumerate() {
        if at > 0 {
            screen.text("\n")?;
        }
        screen.text(&object::source(name, descriptor, Some(effects)))?;
    }
    Ok(exit::DONE)
}
