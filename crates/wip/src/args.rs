//! The command line.

use clap::builder::Styles;
use clap::{Parser, Subcommand, ValueEnum};

use crate::commands::{completions, generate, idl, inspect, invoke, serve, token, tree};

/// See and use a Worldspace: things in a tree, each with the operations it offers
#[derive(Debug, Parser)]
#[command(name = "wip", version, styles = STYLES, max_term_width = 100, after_help = AFTER_HELP)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Clone, clap::Args)]
pub(crate) struct GlobalArgs {
    #[command(flatten)]
    pub(crate) world: WorldArgs,

    /// How to print; `json` is for programs, errors included
    #[arg(
        short = 'o',
        long,
        global = true,
        value_name = "FORMAT",
        value_enum,
        default_value_t,
        display_order = 102
    )]
    pub(crate) format: Format,

    /// Log requests to stderr; twice for more, three times for all
    #[arg(short, long, global = true, action = clap::ArgAction::Count, display_order = 103)]
    pub(crate) verbose: u8,
}

/// Where to look.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct WorldArgs {
    /// An endpoint URL, or a source as for `wip serve`, opened here (repeatable)
    /// [env: WIP_AT, separated by `:`] [default: http://127.0.0.1:8420/]
    #[arg(long, global = true, value_name = "WORLD", value_hint = clap::ValueHint::AnyPath, display_order = 95)]
    pub(crate) at: Vec<String>,

    #[command(flatten)]
    pub(crate) endpoint: EndpointArgs,

    #[command(flatten)]
    pub(crate) options: SourceOptions,
}

/// How an endpoint is come into.
#[derive(Debug, Clone, PartialEq, Eq, Default, clap::Args)]
pub(crate) struct EndpointArgs {
    /// For an endpoint, the file with the token; or set WIP_TOKEN
    #[arg(long, global = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath, display_order = 96)]
    pub(crate) token_file: Option<String>,

    /// For an endpoint, the file of certificates to trust (PEM)
    #[arg(long, global = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath, display_order = 97)]
    pub(crate) ca: Option<String>,

    /// For an endpoint on another machine, show the token even without TLS
    #[arg(long, global = true, display_order = 98)]
    pub(crate) allow_plain_http: bool,
}

/// What is offered of sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::Args)]
pub(crate) struct SourceOptions {
    /// Of sources, offer what changes them too
    #[arg(long, global = true, display_order = 99)]
    pub(crate) writable: bool,

    /// Of directories, offer names that begin with a dot too
    #[arg(long, global = true, display_order = 100)]
    pub(crate) hidden: bool,

    /// Of directories, offer what .gitignore files leave out too
    #[arg(long, global = true, display_order = 101)]
    pub(crate) no_ignore: bool,
}

impl EndpointArgs {
    /// The options that were given, as they are written.
    pub(crate) fn given(&self) -> Vec<(&'static str, Option<&str>)> {
        let files = [("--token-file", &self.token_file), ("--ca", &self.ca)];
        let mut given: Vec<_> =
            files.into_iter().filter_map(|(name, file)| Some((name, Some(file.as_deref()?)))).collect();
        if self.allow_plain_http {
            given.push(("--allow-plain-http", None));
        }
        given
    }
}

impl SourceOptions {
    /// The options that were given, as they are written.
    pub(crate) fn given(self) -> Vec<&'static str> {
        let options =
            [("--writable", self.writable), ("--hidden", self.hidden), ("--no-ignore", self.no_ignore)];
        options.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }

    /// As [`Self::given`], of those that say nothing of other sources than directories.
    pub(crate) fn of_directories(self) -> Vec<&'static str> {
        Self { writable: false, ..self }.given()
    }
}

/// Stands in a command that looks nowhere, so that its help does not list what it has no use for.
#[derive(Debug, clap::Args)]
pub(crate) struct NoWorldArgs {
    #[arg(id = "at", long = "at", hide = true, value_name = "WORLD")]
    _at: Vec<String>,
}

/// As [`NoWorldArgs`], for what is said of an endpoint.
#[derive(Debug, clap::Args)]
pub(crate) struct NoEndpointArgs {
    #[arg(id = "token_file", long = "token-file", hide = true, value_name = "FILE")]
    _token_file: Option<String>,

    #[arg(id = "ca", long = "ca", hide = true, value_name = "FILE")]
    _ca: Option<String>,
}

/// As [`NoEndpointArgs`], where nothing is sent or served at all.
#[derive(Debug, clap::Args)]
pub(crate) struct NoHttpArgs {
    #[command(flatten)]
    _no_endpoint: NoEndpointArgs,

    #[arg(id = "allow_plain_http", long = "allow-plain-http", hide = true)]
    _allow_plain_http: bool,
}

/// As [`NoWorldArgs`], for what is said of sources.
#[derive(Debug, clap::Args)]
pub(crate) struct NoSourcesArgs {
    #[arg(id = "writable", long = "writable", hide = true)]
    _writable: bool,

    #[arg(id = "hidden", long = "hidden", hide = true)]
    _hidden: bool,

    #[arg(id = "no_ignore", long = "no-ignore", hide = true)]
    _no_ignore: bool,
}

/// For commands that look at nothing but files of their user.
#[derive(Debug, clap::Args)]
pub(crate) struct NowhereArgs {
    #[command(flatten)]
    _no_world: NoWorldArgs,

    #[command(flatten)]
    _no_http: NoHttpArgs,

    #[command(flatten)]
    _no_sources: NoSourcesArgs,
}

/// What goes to stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Format {
    #[default]
    Text,
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Serve(serve::ServeArgs),
    Tree(tree::TreeArgs),
    Inspect(inspect::InspectArgs),
    Invoke(invoke::InvokeArgs),
    Idl(idl::IdlArgs),
    #[command(name = "gen")]
    Generate(generate::GenerateArgs),
    Token(token::TokenArgs),
    Completions(completions::CompletionsArgs),
}

const STYLES: Styles = Styles::styled()
    .header(crate::show::style::STRONG)
    .usage(crate::show::style::STRONG)
    .literal(crate::show::style::NAME)
    .placeholder(crate::show::style::FAINT);

// Help has one form: long texts for some arguments would spread all of them over several lines each.
const AFTER_HELP: &str = "\
Exit status: 0 a result, even `refused` · 1 local failure · 2 usage · 3 not found · 4 error or not let in, nothing \
happened · 5 outcome unknown · 6 unreachable · 7 invalid answer · 130 interrupted";

/// The format that a command line asks for, even where the rest of it cannot be understood.
pub(crate) fn format_of(words: &[std::ffi::OsString]) -> Format {
    let mut words = words.iter().skip(1).map(|word| word.to_string_lossy()).take_while(|word| word != "--");
    while let Some(word) = words.next() {
        let value = match &*word {
            "--format" => words.next(),
            word => word.strip_prefix("--format=").map(|value| value.to_owned().into()).or_else(|| {
                match short(word)? {
                    "" => words.next(),
                    value => Some(value.to_owned().into()),
                }
            }),
        };
        if value.is_some_and(|value| value.trim_start_matches('=') == "json") {
            return Format::Json;
        }
    }
    Format::Text
}

/// The value of `-o` in a word of short options, `-v` being the one that may stand before it.
fn short(word: &str) -> Option<&str> {
    word.strip_prefix('-')?.trim_start_matches('v').strip_prefix('o')
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn the_format_is_known_before_the_rest() {
        for (words, format) in [
            ("wip -o json tree", Format::Json),
            ("wip tree -ojson --nonsense", Format::Json),
            ("wip tree -o=json", Format::Json),
            ("wip tree --format json", Format::Json),
            ("wip tree -vo json", Format::Json),
            ("wip tree -vvojson", Format::Json),
            ("wip tree --at -o json", Format::Json),
            ("wip tree --overview json", Format::Text),
            ("wip tree --format=json", Format::Json),
            ("wip tree", Format::Text),
            ("wip tree -o text", Format::Text),
            ("wip tree -- -o json", Format::Text),
        ] {
            let words: Vec<_> = words.split(' ').map(Into::into).collect();
            assert_eq!(format_of(&words), format, "{words:?}");
        }
    }
}
