//! One file for each command; the doc comment of its arguments is its help.

pub(crate) mod completions;
pub(crate) mod inspect;
pub(crate) mod invoke;
pub(crate) mod serve;
pub(crate) mod tree;

use worldspace_client::{ClientError, ErrorKind};
use worldspace_model::{EntryPath, ErrorCode, InterfaceReference};

use crate::config;
use crate::failure::{Failure, Kind};
use crate::screen::Screen;

/// A path as a person gives it.
fn entry(text: &str) -> Result<EntryPath, Failure> {
    EntryPath::parse(text).map_err(|fault| {
        let failure = Failure::usage(format!("{text:?} is no path in a Worldspace: {fault}"));
        match text.trim_matches('/') {
            "" => failure.hint("the top is /"),
            inner => match EntryPath::parse(&format!("/{inner}")) {
                Ok(path) => failure.hint(format!("did you mean {path}?")),
                Err(_) => failure,
            },
        }
    })
}

/// What the Client calls an error, as this program tells it.
pub(crate) fn kind_of(kind: ErrorKind) -> Kind {
    match kind {
        ErrorKind::Protocol(code) => Kind::Protocol(code),
        ErrorKind::Usage => Kind::Usage,
        ErrorKind::Unreachable => Kind::Unreachable,
        ErrorKind::InvalidAnswer => Kind::InvalidAnswer,
        _ => Kind::Local,
    }
}

/// What to say of a Client's error; a code has its own place.
pub(crate) fn message_of(error: &ClientError) -> String {
    match error {
        ClientError::Refused(error) => error.message.to_string(),
        error => error.to_string(),
    }
}

/// An observation that failed, and where to look instead.
fn failed_at(screen: &Screen, entry: &EntryPath, error: &ClientError) -> Failure {
    let failure = Failure::new(kind_of(error.kind()), message_of(error));
    match failure.kind {
        Kind::Protocol(ErrorCode::NotFound) => match entry.parent() {
            Some(above) => {
                let look = screen.commands.command(&["tree", above.as_str(), "--depth", "1"]);
                failure.hint(format!("see what is there: {look}"))
            }
            None => failure,
        },
        Kind::Unreachable => failure.hint(format!(
            "start a Host with `wip serve DIRECTORY`, or name a WORLD with --at or {}",
            config::AT
        )),
        _ => failure,
    }
}

/// A reference as `--interface` takes it.
fn quoted_reference(reference: &InterfaceReference) -> String {
    worldspace_idl::reference::write(reference)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_nearly_one_is_suggested() {
        for (text, hint) in [
            ("a/b", Some("did you mean /a/b?")),
            ("/a/", Some("did you mean /a?")),
            ("", Some("the top is /")),
            ("//", Some("the top is /")),
            ("a/../b", None),
        ] {
            let failure = entry(text).unwrap_err();
            assert_eq!(failure.hints.first().map(String::as_str), hint, "{text:?}");
        }
    }
}
