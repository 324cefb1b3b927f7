//! One file for each command; the doc comment of its arguments is its help.

pub(crate) mod completions;
pub(crate) mod generate;
pub(crate) mod idl;
pub(crate) mod inspect;
pub(crate) mod invoke;
pub(crate) mod serve;
pub(crate) mod token;
pub(crate) mod tree;

use worldspace_client::{CallFailure, ClientError, ErrorKind, NotRun};
use worldspace_model::{
    EntryPath, ErrorCode, Expansion, FetchTreeRequest, InterfaceReference, NotSent, TransportError,
};

use crate::access;
use crate::args::SourceOptions;
use crate::config;
use crate::failure::{Failure, Kind};
use crate::screen::Screen;
use crate::show;
use crate::source::{self, SourceKind};
use crate::world::{Place, World};

/// A path as a person gives it.
fn entry(screen: &Screen, text: &str) -> Result<EntryPath, Failure> {
    EntryPath::parse(text).map_err(|fault| {
        let mut failure = Failure::usage(format!("{text:?} is no path in a Worldspace: {fault}"));
        if let Some(kind) = source_at(screen, text) {
            let look = screen.commands.command(&["tree", "--at", text]);
            failure = failure.hint(format!("to look into what is here on this machine: {look}"));
            if let SourceKind::Sqlite(_) = kind {
                return failure;
            }
        }
        match text.trim_matches('/') {
            "" => failure.hint("the top is /"),
            inner => match EntryPath::parse(&format!("/{inner}")) {
                Ok(path) => failure.hint(format!("did you mean {path}?")),
                Err(_) => failure,
            },
        }
    })
}

/// What could be looked into by `--at`, where nothing is said of that yet.
fn source_at(screen: &Screen, text: &str) -> Option<SourceKind> {
    let is_relative = !text.is_empty() && !text.starts_with('/');
    (is_relative && !screen.commands.say_where()).then(|| source::kind_of(text.into()).ok().flatten())?
}

/// What the Client calls an error, as this program tells it.
pub(crate) fn kind_of(error: &ClientError) -> Kind {
    match error {
        ClientError::Transport(error) => shut_out(error),
        _ => None,
    }
    .unwrap_or_else(|| kind(error.kind()))
}

/// As [`kind_of`], of a call.
fn kind_of_call(failure: &CallFailure) -> Kind {
    match failure {
        CallFailure::NothingHappened(NotRun::NotSent(error)) => shut_out(error),
        _ => None,
    }
    .unwrap_or_else(|| kind(failure.kind()))
}

/// Who is not let in has reached somebody, unlike who finds nobody there.
fn shut_out(error: &TransportError) -> Option<Kind> {
    match error {
        TransportError::NotSent(NotSent::Rejected { status: 401, .. }) => Some(Kind::Unauthorized),
        TransportError::NotSent(NotSent::Rejected { status: 403, .. }) => Some(Kind::Forbidden),
        _ => None,
    }
}

fn kind(kind: ErrorKind) -> Kind {
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
async fn failed_at(screen: &Screen, world: &World, entry: &EntryPath, error: &ClientError) -> Failure {
    let place = world.place;
    let failure = Failure::new(kind_of(error), message_of(error));
    let failure = advised(failure, place, error);
    match failure.kind {
        Kind::Protocol(ErrorCode::NotFound) => {
            let failure = match entry.parent() {
                Some(above) if is_leaf(world, &above).await => {
                    let look = screen.commands.command(&["inspect", above.as_str()]);
                    failure.hint(format!(
                        "no tree shows what is below {}; what it offers may find things there: {look}",
                        show::path(&above)
                    ))
                }
                Some(above) => {
                    let look = screen.commands.command(&["tree", above.as_str(), "--depth", "1"]);
                    failure.hint(format!("see what is there: {look}"))
                }
                None => failure,
            };
            match left_out(place, entry) {
                Some(hint) => failure.hint(hint),
                None => failure,
            }
        }
        Kind::Unreachable if matches!(place, Place::Endpoint { here: true, .. }) && is_refused(error) => {
            failure.hint(format!(
                "start a Host with `wip serve PATH`, or name a WORLD with --at or {}",
                config::AT
            ))
        }
        _ => failure,
    }
}

/// Whether an entry is there and trees show nothing below it.
async fn is_leaf(world: &World, entry: &EntryPath) -> bool {
    let Ok(request) = FetchTreeRequest::new(entry.clone(), 1, 2, None) else { return false };
    let observed = world.client.tree(&request).await;
    let top = observed.ok().and_then(|observed| observed.tree().nodes().first().map(|top| top.expansion));
    top == Some(Expansion::Leaf)
}

/// With what to do about an endpoint that does not let in, or that is not trusted.
fn advised(failure: Failure, place: Place, error: &ClientError) -> Failure {
    match (place, error) {
        (Place::Endpoint { token, .. }, ClientError::Transport(error)) => {
            match access::advice(token, error) {
                Some(advice) => failure.hint(advice),
                None => failure,
            }
        }
        _ => failure,
    }
}

/// What may be there and is not shown. Of what an endpoint leaves out nothing is known, but that it often does.
fn left_out(place: Place, entry: &EntryPath) -> Option<&'static str> {
    match place {
        Place::Sources { directories: false, .. }
        | Place::Sources { options: SourceOptions { hidden: true, no_ignore: true, .. }, .. } => None,
        Place::Sources { .. } => {
            Some("hidden and ignored names are left out; --hidden and --no-ignore offer them too")
        }
        Place::Endpoint { .. } => entry.as_str().contains("/.").then_some(
            "hidden or ignored names may be left out; `wip serve --hidden --no-ignore` offers them too",
        ),
    }
}

/// Whether nobody listens at the address.
fn is_refused(error: &ClientError) -> bool {
    let causes = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
    causes
        .filter_map(|error| error.downcast_ref::<std::io::Error>())
        .any(|error| error.kind() == std::io::ErrorKind::ConnectionRefused)
}

/// A reference as `--interface` takes it.
fn quoted_reference(reference: &InterfaceReference) -> String {
    worldspace_idl::reference::write(reference)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Format;
    use crate::show::command::Commands;

    #[test]
    fn a_path_that_is_nearly_one_is_suggested() {
        for (text, hint) in [
            ("a/b", Some("did you mean /a/b?")),
            ("/a/", Some("did you mean /a?")),
            ("", Some("the top is /")),
            ("//", Some("the top is /")),
            ("a/../b", None),
        ] {
            let screen = Screen::new(Format::Text, Commands::default());
            let failure = entry(&screen, text).unwrap_err();
            assert_eq!(failure.hints.first().map(String::as_str), hint, "{text:?}");
        }
    }
}
