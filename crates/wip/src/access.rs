//! How an endpoint is come into: the token that is shown there, and the authorities that are trusted.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use worldspace_http::auth::Token;
use worldspace_http::{ClientConfig, SetupError, Trust, UnknownIssuer};
use worldspace_model::{NotSent, TransportError};

use crate::args::EndpointArgs;
use crate::config;
use crate::failure::Failure;
use crate::show::command::quote;
use crate::show::text;

/// Where the token is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenFrom {
    Nowhere,
    Environment,
    File,
}

/// Far more than a token and the blank space around it.
const MOST: u64 = 4096;

/// How a client speaks to an endpoint, and where its token is from.
pub(crate) fn client(args: &EndpointArgs) -> Result<(ClientConfig, TokenFrom), Failure> {
    let (token, from) = match &args.token_file {
        Some(file) => (Some(token_of(file)?), TokenFrom::File),
        None => match config::token()? {
            Some(token) => (Some(token), TokenFrom::Environment),
            None => (None, TokenFrom::Nowhere),
        },
    };
    let trust = match &args.ca {
        Some(file) => Trust::from_file(Path::new(file)).map_err(|error| Failure::caused(&error))?,
        None => Trust::System,
    };
    let plain_token_beyond_loopback = args.allow_plain_http;
    Ok((ClientConfig { token, trust, plain_token_beyond_loopback, ..ClientConfig::default() }, from))
}

/// Why an endpoint cannot be spoken to, and what to do about it.
pub(crate) fn no_transport(args: &EndpointArgs, error: &SetupError) -> Failure {
    match error {
        SetupError::Scheme { .. } | SetupError::UserInformation { .. } => Failure::usage(error.to_string()),
        SetupError::PlainToken { endpoint } => {
            let why = "whoever is on the way could take it";
            let failure = Failure::usage(format!("the token is not sent to {endpoint}: {why}"));
            failure.hint("use https://, or send it all the same with --allow-plain-http")
        }
        SetupError::Trust(cause) if args.ca.is_none() => {
            Failure::caused(cause).hint("--ca FILE names the certificates to trust")
        }
        _ => Failure::caused(error),
    }
}

/// What to do about an endpoint that does not let in, or that is not trusted.
pub(crate) fn advice(from: TokenFrom, error: &TransportError) -> Option<&'static str> {
    match error {
        TransportError::NotSent(NotSent::Rejected { status: 401, .. }) => Some(match from {
            TokenFrom::Nowhere => {
                "show a token: set WIP_TOKEN, or name a file that holds it with --token-file"
            }
            TokenFrom::Environment => "the token in WIP_TOKEN is wrong, or was taken back; ask for another",
            TokenFrom::File => {
                "the token in the file of --token-file is wrong, or was taken back; ask for another"
            }
        }),
        TransportError::NotSent(NotSent::Unreachable { source: Some(source), .. })
            if source.is::<UnknownIssuer>() =>
        {
            Some("--ca FILE names it; a server with `--tls self-signed` says at its start where it is")
        }
        _ => None,
    }
}

/// Refuses what is a token where the name of a file belongs. Whoever wrote it there has shown it to everybody on the
/// machine.
pub(crate) fn no_token(option: &str, value: &str) -> Result<(), Failure> {
    if !is_token(value) {
        return Ok(());
    }
    let failure = Failure::usage(format!("{option} takes the name of a file, and was given a token"));
    Err(failure
        .hint("everybody on this machine could read it there: take that token back, and make another")
        .hint(HOW))
}

/// Whether it looks like a token that `wip token new` made.
pub(crate) fn is_token(value: &str) -> bool {
    value.strip_prefix(PREFIX).is_some_and(|rest| rest.len() == LENGTH && Token::parse(rest).is_ok())
}

/// The text with such tokens made illegible, and everything else where it was.
pub(crate) fn masked(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(PREFIX) {
        let (before, secret) = rest.split_at(at + PREFIX.len());
        let of_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
        let length = Some(secret.bytes().take_while(of_token).count()).filter(|length| *length >= LENGTH);
        let length = length.unwrap_or_default();
        masked.push_str(before);
        masked.push_str(&"*".repeat(length));
        rest = &secret[length..];
    }
    masked + rest
}

const PREFIX: &str = "wip_";

/// Of what is random in a token.
const LENGTH: usize = 43;

const HOW: &str = "put the token into WIP_TOKEN, or into a file of your own and name that with --token-file";

/// The one token in a file that nobody else can read. What was given is not repeated: it may be a token.
fn token_of(path: &str) -> Result<Token, Failure> {
    no_token("--token-file", path)?;
    let unreadable = |error| Failure::io("cannot read the file that --token-file names", &error).hint(HOW);
    let file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    let name = text::name(path);
    if metadata.is_dir() {
        return Err(Failure::usage(format!("{name} is a directory")).hint(HOW));
    }
    if metadata.is_file() && is_open_to_others(&metadata) {
        let failure =
            Failure::usage(format!("the token in {name} is not used: others can read that file too"));
        return Err(failure.hint(format!("chmod 600 {}", quote(path))));
    }
    let mut content = String::new();
    file.take(MOST).read_to_string(&mut content).map_err(unreadable)?;
    Token::parse(&content).map_err(|error| {
        let failure = Failure::usage(format!("{name} holds no token: {error}"));
        match content.contains("sha256:") {
            true => failure.hint(
                "it is the file of a server, which holds hashes; the token is what `wip token new` printed",
            ),
            false => failure.hint("the file holds one token and nothing else, as `wip token new` prints it"),
        }
    })
}

#[cfg(unix)]
fn is_open_to_others(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o077 != 0
}

/// Where permissions are of another kind, they are left to whoever sets them.
#[cfg(not(unix))]
fn is_open_to_others(_: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_masked_and_nothing_moves() {
        let (secret, stars) = ("Ab-_9".repeat(9), "*".repeat(45));
        for (text, wanted) in [
            (format!("tokens = \"wip_{secret}\" # ü"), format!("tokens = \"wip_{stars}\" # ü")),
            (format!("wip_{secret} wip_short wip_{secret}"), format!("wip_{stars} wip_short wip_{stars}")),
            (format!("wip_ü wip_wip_{secret}"), format!("wip_ü wip_****{stars}")),
            ("wip_".to_owned(), "wip_".to_owned()),
        ] {
            assert_eq!(masked(&text), wanted);
        }
    }
}
