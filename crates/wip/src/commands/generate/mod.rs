//! `wip gen`.

pub(super) mod declared;
mod found;
pub(super) mod sources;
mod write;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use worldspace_projections::stubs::{self, GeneratedFile, Source};

use crate::args::WorldArgs;
use crate::commands::idl::files::STDIN;
use crate::failure::{Failure, exit};
use crate::json;
use crate::screen::Screen;
use crate::show::text;
use crate::world;

use sources::Interface;
use write::Written;

const AFTER_HELP: &str = "\
Of a Worldspace, what the Objects at PATHs publish is taken; without PATH, what a walk of its tree finds. What is not in the \
tree (rows, issues) is not met there: name one Object of each kind. Only files that were made by `wip gen` are written anew.";

/// Write a typed client of interfaces
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct GenerateArgs {
    /// In which language
    language: Language,

    /// An Object of WORLD whose interfaces to take
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::Other)]
    paths: Vec<String>,

    /// Take the interfaces of this file instead; `-` is stdin
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, conflicts_with = "paths")]
    idl: Option<String>,

    /// The directory to write to; it is made if there is none
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, default_value = ".")]
    to: PathBuf,

    /// The name of the module [default: that of FILE, else `interfaces`]
    #[arg(long, value_name = "NAME", value_hint = clap::ValueHint::Other)]
    module: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
enum Language {
    Rust,
    TypeScript,
    Python,
}

impl Language {
    fn client(self, sources: &[Source], module: &str) -> Vec<GeneratedFile> {
        match self {
            Self::Rust => stubs::rust::client(sources, module),
            Self::TypeScript => stubs::typescript::client(sources, module),
            Self::Python => stubs::python::client(sources, module),
        }
    }
}

pub(crate) async fn run(screen: &Screen, looking: &WorldArgs, args: &GenerateArgs) -> Result<u8, Failure> {
    // What is wrong with the command is told before anything is looked at.
    let module = module(args)?;
    let (interfaces, left_out) = match &args.idl {
        Some(_) if !looking.at.is_empty() => {
            let failure = Failure::usage("--idl and --at both say where the interfaces are");
            return Err(failure.hint("leave out one of them"));
        }
        Some(file) => match declared::of_file(screen, file)? {
            Some(interfaces) => (interfaces, Vec::new()),
            None => return Ok(exit::LOCAL),
        },
        None => found::in_world(screen, &world::open(looking)?, &args.paths).await?,
    };
    if interfaces.is_empty() {
        return Err(nothing(args, &left_out));
    }
    let sources = sources::told_apart(interfaces);
    let written = write::all(&args.to, &args.language.client(&sources, &module))?;
    if screen.is_json() {
        screen.json(document(&written, &sources, &left_out).as_bytes())?;
        return Ok(exit::DONE);
    }
    for Written { file, changed } in &written {
        let done = if *changed { "wrote" } else { "unchanged:" };
        screen.text(&format!("{done} {}\n", text::name(&file.to_string_lossy())))?;
    }
    left_out.iter().for_each(|left_out| screen.aside(&format!("left out: {}\n", text::prose(left_out))));
    Ok(exit::DONE)
}

/// The name of the module: one that every language takes.
fn module(args: &GenerateArgs) -> Result<String, Failure> {
    let Some(given) = &args.module else {
        let file = args.idl.as_deref().filter(|file| *file != STDIN).map(Path::new);
        let stem = file.and_then(Path::file_stem).map(|stem| stem.to_string_lossy());
        return Ok(stubs::module_name(stem.as_deref().unwrap_or("interfaces")));
    };
    if stubs::is_module_name(given) {
        return Ok(given.clone());
    }
    let failure = Failure::usage(format!("{given:?} cannot be the name of a module in all languages"));
    Err(failure.hint(format!("--module takes a name such as {}", stubs::module_name(given))))
}

/// Why there is nothing to write.
fn nothing(args: &GenerateArgs, left_out: &[String]) -> Failure {
    let failure = match &args.idl {
        Some(file) => Failure::local(format!("{} declares no interface", text::name(file))),
        None if args.paths.is_empty() => Failure::local("nothing in the tree publishes an interface")
            .hint("name an Object that does: wip gen LANGUAGE PATH"),
        None => Failure::local("none of these Objects publishes an interface"),
    };
    left_out.iter().fold(failure, |failure, left_out| failure.hint(format!("left out: {left_out}")))
}

fn document(written: &[Written], sources: &[Source], left_out: &[String]) -> String {
    let list = |items: Vec<String>| items.join(",");
    let file = |Written { file, changed }: &Written| {
        format!("{{\"file\":{},\"changed\":{changed}}}", json::string(&file.to_string_lossy()))
    };
    let files = list(written.iter().map(file).collect());
    let interfaces = list(sources.iter().map(|source| json::string(source.name.as_str())).collect());
    let left_out = list(left_out.iter().map(|left_out| json::string(left_out)).collect());
    format!("{{\"files\":[{files}],\"interfaces\":[{interfaces}],\"left_out\":[{left_out}]}}")
}
