//! `wip invoke`.

use std::io::Read;
use std::path::Path;

use worldspace_client::{
    CallFailure, CallOptions, CallOutcome, ClientError, InterfaceObservation, NotRun, Observation, StateTag,
    Usage,
};
use worldspace_model::{Effect, EntryPath, ErrorCode, Name, Operation, Record};

use crate::args::SourceOptions;
use crate::arguments::{self, Given};
use crate::commands::{advised, entry, failed_at, kind_of, kind_of_call, message_of, quoted_reference};
use crate::failure::{Failure, Kind};
use crate::interruption::Interruption;
use crate::json;
use crate::screen::Screen;
use crate::show::result::{beside, next_steps, payload};
use crate::show::text;
use crate::world::{Place, World};

const AFTER_HELP: &str = "\
Arguments are name=value, read by their declared type, name:=JSON, or name=@FILE (`-` is stdin). \
Items of a list may be given one by one. Nothing is ever run twice.";

/// Run an operation of something
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct InvokeArgs {
    /// What to act on
    #[arg(value_hint = clap::ValueHint::Other)]
    path: String,

    /// What to do, as `wip inspect` shows it
    #[arg(value_hint = clap::ValueHint::Other)]
    operation: String,

    /// The arguments
    #[arg(value_name = "NAME=VALUE")]
    arguments: Vec<String>,

    /// Arguments as one JSON object, or `-` to read it from stdin
    #[arg(long, value_name = "JSON")]
    input: Option<String>,

    /// The interface to use, where several have the operation
    #[arg(long, value_name = "SCOPE::NAME")]
    interface: Option<String>,

    /// Act only if it is still in the state that `wip inspect` showed; states of what a server offers end when
    /// the server does
    #[arg(long = "if", value_name = "STATE")]
    state: Option<StateTag>,

    /// Write the result to a file (`-` is stdout): text or bytes as they are, and what is said beside them to
    /// stderr; all else as JSON
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    output: Option<String>,
}

pub(crate) async fn run(
    screen: &Screen,
    world: &World,
    args: &InvokeArgs,
    interruption: &Interruption,
) -> Result<(), Failure> {
    let call = tokio::select! {
        call = prepare(screen, world, args) => call?,
        () = interruption.asked() => return Err(Failure::interrupted()),
    };
    let Prepared { shown, interface, operation, arguments } = call;
    let entry = shown.entry();
    let options = how(args.state, &interface, &operation);
    let outcome = tokio::select! {
        outcome = world.client.call(&shown, &interface, operation.name(), arguments, options) => {
            outcome.map_err(|failure| not_done(screen, world.place, entry, &operation, failure))?
        }
        () = interruption.asked() => {
            if interface.effects_of(operation.name()).has(Effect::Read) {
                return Err(Failure::interrupted());
            }
            let message = format!("interrupted; it is not known whether `{}` was done", operation.name());
            let look = screen.commands.command(&["inspect", entry.as_str()]);
            let failure = Failure::protocol(ErrorCode::OperationOutcomeUnknown, message);
            return Err(failure.hint(format!("see what became of it: {look}")));
        }
    };
    tell(screen, args, &operation, &shown, &outcome)
}

/// The state that was fetched a moment ago is nobody's knowledge: where the Host does not want it, as where things are
/// made beside others, a call that is bound to it would only lose against others of its kind.
fn how(state: Option<StateTag>, interface: &InterfaceObservation, operation: &Operation) -> CallOptions {
    let options = CallOptions::default();
    match (state, interface.effects()) {
        (Some(state), _) => options.expecting(state),
        (None, Some(effects)) if !effects.at(operation).has(Effect::Guarded) => options.unbound(),
        (None, _) => options,
    }
}

/// All that it takes to make the call; until it is made, nothing has happened.
struct Prepared {
    shown: Observation,
    interface: InterfaceObservation,
    operation: Operation,
    arguments: Record,
}

async fn prepare(screen: &Screen, world: &World, args: &InvokeArgs) -> Result<Prepared, Failure> {
    let entry = entry(screen, &args.path)?;
    let mut given = args.arguments.iter().map(|word| Given::parse(word)).collect::<Result<Vec<_>, _>>()?;
    check_streams(screen, args, &given)?;
    let interface = args.interface.as_deref().map(worldspace_idl::reference::parse).transpose();
    let interface = interface.map_err(|error| Failure::usage(error.to_string()))?;
    if let Some(file) = &args.output {
        check_output(file)?;
    }
    for given in &mut given {
        if let Some(file) = given.file() {
            let literal = || {
                let quoted = json::string(&format!("@{file}"));
                let word = format!("{}:={quoted}", given.name());
                format!("a text that begins with @ is written {}", crate::show::command::quote(&word))
            };
            let content = read(file).await.map_err(|failure| failure.hint(literal()))?;
            given.fill(content);
        }
    }
    let input = match args.input.as_deref() {
        Some("-") => Some(read("-").await?),
        input => input.map(|text| text.as_bytes().to_vec()),
    };

    let client = &world.client;
    let shown = match client.fetch(&entry).await {
        Ok(shown) => shown,
        Err(error) => return Err(failed_at(screen, world, &entry, &error).await),
    };
    let interface = match client.resolve(&shown, &args.operation, interface.as_ref()).await {
        Ok(interface) => interface,
        Err(error) => return Err(unresolved(screen, world, args, &shown, &error).await),
    };
    let operation = interface.descriptor().require_operation(&args.operation);
    let operation =
        operation.map_err(|unknown| Failure::protocol(ErrorCode::OperationNotFound, unknown.to_string()))?;
    let look = |failure| with_look(screen, &entry, failure);
    let document = arguments::document(&operation, input.as_deref(), given).map_err(look)?;
    let arguments = json::arguments(&document, &operation, input.is_some()).map_err(look)?;
    Ok(Prepared { shown, interface, operation, arguments })
}

/// What is said of a parameter is not all that can be known of the operation.
fn with_look(screen: &Screen, entry: &EntryPath, failure: Failure) -> Failure {
    if failure.hints.is_empty() {
        return failure;
    }
    let look = screen.commands.command(&["inspect", entry.as_str()]);
    failure.hint(format!("see the whole operation: {look}"))
}

/// What reads stdin or writes stdout can do so once.
fn check_streams(screen: &Screen, args: &InvokeArgs, given: &[Given]) -> Result<(), Failure> {
    let from_input = usize::from(args.input.as_deref() == Some("-"));
    if from_input + given.iter().filter(|given| given.file() == Some("-")).count() > 1 {
        return Err(Failure::usage("stdin can be read for one argument only"));
    }
    if screen.is_json() && args.output.as_deref() == Some("-") {
        return Err(Failure::usage("`--output -` and `-o json` both write to stdout; leave one out"));
    }
    Ok(())
}

/// What would make writing fail is better found before the operation runs than behind it.
fn check_output(file: &str) -> Result<(), Failure> {
    let path = Path::new(file);
    let above = path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match () {
        () if path.is_dir() => Err(Failure::local(format!("cannot write to {file}: it is a directory"))),
        () if !above.is_dir() => {
            Err(Failure::local(format!("cannot write to {file}: {} is no directory", above.display())))
        }
        () => Ok(()),
    }
}

/// Reads a file, or stdin for `-`, on a thread of its own, so that waiting for it can be interrupted.
async fn read(file: &str) -> Result<Vec<u8>, Failure> {
    let path = file.to_owned();
    let reading = tokio::task::spawn_blocking(move || match path.as_str() {
        "-" => {
            let mut content = Vec::new();
            std::io::stdin().lock().read_to_end(&mut content).map(|_| content)
        }
        path => std::fs::read(path),
    });
    let read = reading.await.unwrap_or_else(|stopped| Err(std::io::Error::other(stopped)));
    read.map_err(|error| {
        Failure::io(format!("cannot read {}", if file == "-" { "stdin" } else { file }), &error)
    })
}

async fn unresolved(
    screen: &Screen,
    world: &World,
    args: &InvokeArgs,
    shown: &Observation,
    error: &ClientError,
) -> Failure {
    let failure = advised(Failure::new(kind_of(error), message_of(error)), world.place, error);
    let ClientError::Usage(usage) = error else { return failure };
    if let Usage::AmbiguousOperation { interfaces, .. } = usage {
        return interfaces.iter().fold(failure, |failure, reference| {
            let words = ["invoke", &args.path, &args.operation, "--interface", &quoted_reference(reference)];
            failure.hint(screen.commands.command(&words))
        });
    }
    let meant = match usage {
        // Where one is near, the message names it.
        Usage::NoSuchOperation { nearest: None, .. } => meant(screen, world, args, shown).await,
        _ => None,
    };
    let failure = match meant {
        Some(meant) => failure.hint(meant),
        None => failure,
    };
    let look = screen.commands.command(&["inspect", &args.path]);
    let failure = failure.hint(format!("see what can be done with it: {look}"));
    match (usage, world.place) {
        (
            Usage::NoSuchOperation { .. },
            Place::Sources { options: SourceOptions { writable: false, .. }, .. },
        ) => failure.hint("if it is meant to change something: that is offered only with --writable"),
        _ => failure,
    }
}

/// So many operations are named as what may have been meant.
const MEANT: usize = 5;

/// What may have been meant by an operation that is not there: those that begin so, or the same one of the entry above.
async fn meant(screen: &Screen, world: &World, args: &InvokeArgs, shown: &Observation) -> Option<String> {
    let wanted = args.operation.to_lowercase();
    let begin_so = |name: &Name| !wanted.is_empty() && name.to_lowercase().starts_with(&wanted);
    let names: Vec<Name> = operations(world, shown).await.into_iter().filter(begin_so).collect();
    let mut named: Vec<String> =
        names.iter().take(MEANT).map(|name| format!("`{}`", text::name(name))).collect();
    if let Some(more @ 1..) = names.len().checked_sub(MEANT) {
        named.push(text::count(more, "other", "others"));
    }
    if let Some((last, others)) = named.split_last() {
        let or = if others.is_empty() { "" } else { " or " };
        return Some(format!("did you mean {}{or}{last}?", others.join(", ")));
    }
    let above = world.client.fetch(&shown.entry().parent()?).await.ok()?;
    let offers = operations(world, &above).await.iter().any(|name| **name == *args.operation);
    offers.then(|| {
        let look = screen.commands.command(&["inspect", above.entry().as_str()]);
        format!("the entry above has such an operation: {look}")
    })
}

/// All operations of an Object that can be told.
async fn operations(world: &World, object: &Observation) -> Vec<Name> {
    let interfaces = world.client.interfaces_of(object).await.into_iter().flatten();
    interfaces
        .flat_map(|interface| {
            let declared = interface.descriptor().operations();
            declared.map(|operation| operation.name().clone()).collect::<Vec<_>>()
        })
        .collect()
}

fn not_done(
    screen: &Screen,
    place: Place,
    entry: &EntryPath,
    operation: &Operation,
    failure: CallFailure,
) -> Failure {
    if let CallFailure::NothingHappened(NotRun::Arguments { fault, .. }) = &failure {
        return with_look(screen, entry, arguments::invalid(operation, fault));
    }
    let told = match &failure {
        CallFailure::NothingHappened(NotRun::Refused(error)) => {
            Failure::protocol(error.code, error.message.as_str())
        }
        failure => Failure::new(kind_of_call(failure), failure.to_string()),
    };
    let look = screen.commands.command(&["inspect", entry.as_str()]);
    match (&failure, told.kind) {
        (CallFailure::OutcomeUnknown(_), _) => told.hint(format!("see what became of it: {look}")),
        (_, Kind::Protocol(ErrorCode::ValidatorMismatch)) => {
            told.hint(format!("see what and in which state it is now: {look}"))
        }
        (_, Kind::Protocol(ErrorCode::InvalidArguments)) => {
            with_look(screen, entry, arguments::refused_by_host(operation, &told.message))
        }
        (CallFailure::NothingHappened(NotRun::NotSent(error)), _) => {
            advised(told, place, &ClientError::Transport(error.clone()))
        }
        _ => told,
    }
}

fn tell(
    screen: &Screen,
    args: &InvokeArgs,
    operation: &Operation,
    shown: &Observation,
    outcome: &CallOutcome,
) -> Result<(), Failure> {
    let result = &outcome.result;
    // What was seen before is not told again.
    let state = outcome.observation.as_ref().and_then(Observation::tag);
    let state = state.filter(|state| Some(*state) != shown.tag());
    let mut saved = Ok(());
    let mut raw_to_stdout = false;
    if let Some(file) = args.output.as_deref() {
        let json;
        let payload = payload(result, operation);
        let content = match payload {
            Some(payload) => payload.content,
            None => {
                json = json::value(result)? + "\n";
                json.as_bytes()
            }
        };
        if file == "-" {
            screen.raw(content)?;
            raw_to_stdout = true;
        } else {
            saved = std::fs::write(file, content)
                .map_err(|error| {
                    let done = format!("`{}` was done, but its result", operation.name());
                    Failure::io(format!("{done} cannot be written to {file}"), &error)
                })
                .and_then(|()| match screen.is_json() {
                    true => Ok(()),
                    false => {
                        let size = text::size(content.len());
                        screen.text(&format!("wrote {size} to {}\n", text::name(file)))
                    }
                });
        }
        // Programs are told the whole result.
        if saved.is_ok() && !screen.is_json() {
            screen.aside(&beside(result, operation.returns(), payload));
        }
    }
    if screen.is_json() {
        saved?;
        let entries: Vec<String> = outcome.entries.iter().map(|entry| json::string(entry.as_str())).collect();
        let state = state.map_or_else(String::new, |state| format!(",\"state\":\"{state}\""));
        let (result, entries) = (json::value(result)?, entries.join(","));
        let document = format!("{{\"result\":{result},\"entries\":[{entries}]{state}}}");
        return screen.json(document.as_bytes());
    }
    if raw_to_stdout || (args.output.is_some() && saved.is_ok()) {
        return saved;
    }
    // Where writing failed, the result is shown, so that it is not lost.
    screen.result(result, operation.returns())?;
    let mut more = next_steps(result, &screen.commands);
    if let Some(state) = state {
        more.push_str(&format!("state {state}\n"));
    }
    if !more.is_empty() {
        screen.text(&format!("\n{more}"))?;
    }
    saved
}
