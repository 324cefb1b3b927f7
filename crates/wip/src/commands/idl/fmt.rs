//! `wip idl fmt`.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::diagnostics::Wrong;
use super::files::{self, Files, STDIN, Unread};
use crate::args::NowhereArgs;
use crate::failure::{Failure, exit};
use crate::json;
use crate::screen::Screen;
use crate::show::text;

const AFTER_HELP: &str = "\
Files that are formatted already are not touched, and files with errors are left alone. Comments are kept.";

/// Write files anew in the one layout, in place
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct FmtArgs {
    /// The files; `-` is stdin, whose text goes to stdout
    #[arg(required = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    files: Vec<String>,

    /// Change nothing; name the files that would change, and exit with 1 if there are any
    #[arg(long)]
    check: bool,

    #[command(flatten)]
    _nowhere: NowhereArgs,
}

/// What became of a file.
struct Formatted<'a> {
    given: &'a str,
    changed: bool,
    /// The text that is not written to a file.
    text: Option<String>,
}

pub(super) fn run(screen: &Screen, args: &FmtArgs) -> Result<u8, Failure> {
    files::stdin_once(&args.files)?;
    let (mut files, mut wrong) = (Files::default(), Wrong::default());
    let mut done = Vec::with_capacity(args.files.len());
    for given in &args.files {
        let (name, text) = match files.read(given) {
            Ok(read) => read,
            Err(unread) => {
                wrong.unread(given, &unread);
                continue;
            }
        };
        let formatted = match worldspace_idl::format(&name, &text) {
            Ok(formatted) => formatted,
            Err((sources, diagnostics)) => {
                wrong.all(&sources, &diagnostics);
                continue;
            }
        };
        // A file whose form is sound may be faulty all the same.
        let checked = worldspace_idl::check(&name, &text, &mut files);
        if !checked.diagnostics.is_empty() {
            wrong.all(&checked.sources, &checked.diagnostics);
            continue;
        }
        let changed = formatted != text;
        let to_stdout = given == STDIN && !args.check;
        // Nothing is written of stdin.
        if let Some(path) = files.path(&name).filter(|_| changed && !args.check)
            && let Err(error) = replace(path, &text, &formatted)
        {
            let message = format!("cannot write {}: {error}", text::name(given));
            wrong.unread(given, &Unread::new(message, None));
            continue;
        }
        done.push(Formatted { given, changed, text: to_stdout.then_some(formatted) });
    }
    let status = if wrong.is_empty() && !(args.check && done.iter().any(|file| file.changed)) {
        exit::DONE
    } else {
        exit::LOCAL
    };
    if screen.is_json() {
        screen.json(document(&done, &wrong).as_bytes())?;
        return Ok(status);
    }
    for file in &done {
        match &file.text {
            Some(text) => screen.raw(text.as_bytes())?,
            None if args.check && file.changed => screen.text(&format!("{}\n", text::name(file.given)))?,
            None => {}
        }
    }
    wrong.complain(screen);
    Ok(status)
}

/// `{"files":[{"file","changed","text"?}],"diagnostics":[…]}`
fn document(done: &[Formatted<'_>], wrong: &Wrong) -> String {
    let file = |file: &Formatted<'_>| {
        let text =
            file.text.as_ref().map_or(String::new(), |text| format!(",\"text\":{}", json::string(text)));
        format!("{{\"file\":{},\"changed\":{}{text}}}", json::string(file.given), file.changed)
    };
    let files: Vec<String> = done.iter().map(file).collect();
    format!("{{\"files\":[{}],\"diagnostics\":{}}}", files.join(","), wrong.document())
}

/// Replaces the file whole, with the permissions that it has, unless someone else changed it meanwhile.
fn replace(path: &Path, before: &str, text: &str) -> io::Result<()> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file; `-` formats stdin"));
    }
    if metadata.permissions().readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    let beside = path.parent().unwrap_or(Path::new("."));
    let mut made = tempfile::Builder::new().prefix(".wip-idl-").tempfile_in(beside)?;
    made.write_all(text.as_bytes())?;
    made.as_file().set_permissions(metadata.permissions())?;
    made.as_file().sync_all()?;
    if fs::read(path)? != before.as_bytes() {
        return Err(io::Error::new(io::ErrorKind::ResourceBusy, "it changed meanwhile; format it again"));
    }
    made.persist(path).map_err(|error| error.error)?;
    Ok(())
}
