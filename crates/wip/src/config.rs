//! What the surroundings say: the environment and the terminal are read here and nowhere else.

#![allow(clippy::disallowed_methods, reason = "this is where the program reads its environment")]

use std::env;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;

use worldspace_http::auth::Token;

use crate::behind::Behind;
use crate::failure::Failure;

/// Where `wip serve` listens and where commands look, unless told otherwise.
pub(crate) const DEFAULT_LISTEN: &str = "127.0.0.1:8420";

/// The variable that holds a WORLD.
pub(crate) const AT: &str = "WIP_AT";

/// The WORLD of the environment: one endpoint, or sources separated as in `PATH`.
pub(crate) fn world() -> Result<Vec<String>, Failure> {
    let Some(value) = env::var_os(AT).filter(|value| !value.is_empty()) else {
        return Ok(Vec::new());
    };
    split_world(value)
}

/// The variable that holds a token.
pub(crate) const TOKEN: &str = "WIP_TOKEN";

/// The token of the environment.
pub(crate) fn token() -> Result<Option<Token>, Failure> {
    let Some(value) = env::var_os(TOKEN).filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let value = value.to_str().ok_or_else(|| Failure::usage(format!("{TOKEN} is not valid UTF-8")))?;
    let token = Token::parse(value);
    token.map(Some).map_err(|error| Failure::usage(format!("{TOKEN} holds no token: {error}")))
}

/// Where a program keeps for its user what it can make anew.
pub(crate) fn state_directory() -> Result<PathBuf, Failure> {
    let absolute = |value: OsString| Some(PathBuf::from(value)).filter(|path| path.is_absolute());
    if let Some(state) = env::var_os("XDG_STATE_HOME").and_then(absolute) {
        return Ok(state);
    }
    match env::home_dir().filter(|home| home.is_absolute()) {
        Some(home) => Ok(home.join(".local/state")),
        None => Err(Failure::local("there is no home directory to keep things in")
            .hint("set XDG_STATE_HOME to a directory of your own")),
    }
}

fn split_world(value: OsString) -> Result<Vec<String>, Failure> {
    let no_text = |_| Failure::usage(format!("{AT} is not valid UTF-8"));
    let value = value.into_string().map_err(no_text)?;
    if is_endpoint(&value) {
        return Ok(vec![value]);
    }
    // The colon of a URL would be taken for one between two paths.
    if value.contains("://") {
        let failure = Failure::usage(format!("{AT} holds one endpoint, or sources"));
        return Err(failure.hint("an endpoint is written http://HOST:PORT/, with nothing before it"));
    }
    env::split_paths(&value).map(|path| path.into_os_string().into_string().map_err(no_text)).collect()
}

/// Whether a WORLD is an endpoint and not a source. A directory of such a name is written with `./` before it.
pub(crate) fn is_endpoint(world: &str) -> bool {
    let scheme = world.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("http" | "https"))
}

/// The crates of this project. Others have little to say to its users before they ask for everything.
const OWN: [&str; 5] =
    ["wip", "worldspace_client", "worldspace_host", "worldspace_http", "worldspace_providers"];

/// Logs to stderr as loudly as was asked for; what goes wrong in a server has no other place to be told. Where nothing was
/// asked for, what goes wrong within one command is kept for the end of it.
pub(crate) fn log(verbose: u8, serving: bool) -> Behind {
    use tracing_subscriber::filter::{LevelFilter, Targets};
    use tracing_subscriber::prelude::*;
    let (own, others) = match verbose {
        0 if serving => (LevelFilter::WARN, LevelFilter::WARN),
        0 => (LevelFilter::ERROR, LevelFilter::ERROR),
        1 => (LevelFilter::INFO, LevelFilter::WARN),
        2 => (LevelFilter::DEBUG, LevelFilter::WARN),
        _ => (LevelFilter::TRACE, LevelFilter::TRACE),
    };
    let filter = Targets::new().with_default(others).with_targets(OWN.map(|name| (name, own)));
    let behind = Behind::default();
    if verbose == 0 && !serving {
        tracing_subscriber::registry().with(behind.clone().with_filter(filter)).init();
        return behind;
    }
    let colours =
        std::io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(colours);
    let registry = tracing_subscriber::registry();
    // One command takes a moment; when it was says nothing.
    match serving || verbose > 2 {
        true => registry.with(layer.with_filter(filter)).init(),
        false => registry.with(layer.without_time().with_target(false).with_filter(filter)).init(),
    }
    behind
}

/// How many cells a line has; none where nobody looks at lines.
pub(crate) fn width() -> Option<usize> {
    let (terminal_size::Width(width), _) = terminal_size::terminal_size_of(std::io::stdout())?;
    (width > 0).then_some(usize::from(width))
}

pub(crate) fn stdout_is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_world_is_one_endpoint_or_several_sources() {
        for (value, worlds) in [
            ("http://127.0.0.1:8420/", vec!["http://127.0.0.1:8420/"]),
            ("HTTPS://example.org/wip", vec!["HTTPS://example.org/wip"]),
            ("/a:n=/b c", vec!["/a", "n=/b c"]),
        ] {
            assert_eq!(split_world(value.into()).unwrap(), worlds);
        }
        for value in ["/a:http://127.0.0.1/", "n=http://127.0.0.1/", "ftp://127.0.0.1/"] {
            let message = split_world(value.into()).unwrap_err().message;
            assert!(message.contains("one endpoint, or sources"), "{message}");
        }
    }
}
