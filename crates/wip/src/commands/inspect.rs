//! `wip inspect`.

use std::collections::HashSet;

use worldspace_client::{ClientError, InterfaceObservation, Observation};
use worldspace_idl::DeclaredName;
use worldspace_model::{EntryPath, InterfaceReference};

use crate::commands::{entry, failed_at, kind_of, message_of};
use crate::failure::{Failure, exit};
use crate::json;
use crate::screen::Screen;
use crate::show::object::{Shown, missing, render, source};
use crate::world::World;

const AFTER_HELP: &str = "\
The state is short for what was seen: `wip invoke --if STATE` acts only if it is still so.";

/// Show what something is and what can be done with it
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct InspectArgs {
    /// What to look at
    #[arg(required = true, value_name = "PATH", value_hint = clap::ValueHint::Other)]
    paths: Vec<String>,

    /// Show the interfaces alone, as a file of the IDL has them: with details and effects
    #[arg(long)]
    idl: bool,
}

/// An Object and its interfaces.
type Seen = (Observation, Vec<Result<InterfaceObservation, ClientError>>);

/// The status of the first error, once all are shown.
pub(crate) async fn run(screen: &Screen, world: &World, args: &InspectArgs) -> Result<u8, Failure> {
    let entries = args.paths.iter().map(|path| entry(screen, path)).collect::<Result<Vec<_>, _>>()?;
    let client = &world.client;
    let objects = client.fetch_many(&entries).await;
    let mut status = exit::DONE;
    let mut documents = Vec::with_capacity(entries.len());
    let mut declared = Declared::default();
    for (at, (entry, object)) in entries.iter().zip(objects).enumerate() {
        let seen: Result<Seen, Failure> = match object {
            Ok(object) => {
                let interfaces = client.interfaces_of(&object).await;
                Ok((object, interfaces))
            }
            Err(error) => Err(failed_at(screen, world, entry, &error).await),
        };
        if status == exit::DONE {
            status = status_of(&seen);
        }
        if args.idl {
            declared.add(screen, entry, seen)?;
            continue;
        }
        if screen.is_json() {
            documents.push(document(entry, &seen)?);
            continue;
        }
        match seen {
            Ok(seen) => screen.text(&text(entry, &seen, at > 0))?,
            Err(failure) => screen.failure(&failure),
        }
    }
    if args.idl {
        declared.finish(screen)?;
    } else if screen.is_json() {
        screen.json(format!("{{\"objects\":[{}]}}", documents.join(",")).as_bytes())?;
    }
    Ok(status)
}

/// Interfaces as a file declares them, each once, whichever Objects publish it.
#[derive(Default)]
struct Declared {
    known: HashSet<InterfaceReference>,
    text: String,
    /// What failed, in JSON.
    errors: Vec<String>,
}

impl Declared {
    fn add(
        &mut self,
        screen: &Screen,
        entry: &EntryPath,
        seen: Result<Seen, Failure>,
    ) -> Result<(), Failure> {
        let (object, interfaces) = match seen {
            Ok(seen) => seen,
            Err(failure) if screen.is_json() => {
                self.errors.push(document(entry, &Err(failure))?);
                return Ok(());
            }
            Err(failure) => {
                screen.failure(&failure);
                return Ok(());
            }
        };
        for (reference, interface) in object.object().interfaces.iter().zip(&interfaces) {
            if !self.known.insert(reference.clone()) {
                continue;
            }
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            let text = match interface {
                Ok(interface) => {
                    let name = DeclaredName::Full(reference.clone());
                    source(&name, interface.descriptor(), interface.effects())
                }
                Err(error) => missing(reference, &message_of(error)),
            };
            self.text.push_str(&text);
        }
        Ok(())
    }

    /// `{"idl","errors"?}` to programs.
    fn finish(&self, screen: &Screen) -> Result<(), Failure> {
        if !screen.is_json() {
            return screen.text(&self.text);
        }
        let text = anstream::adapter::strip_str(&self.text).to_string();
        let errors = match &self.errors[..] {
            [] => String::new(),
            errors => format!(",\"errors\":[{}]", errors.join(",")),
        };
        screen.json(format!("{{\"idl\":{}{errors}}}", json::string(&text)).as_bytes())
    }
}

/// That of the first error, be it of the Object or of an interface.
fn status_of(seen: &Result<Seen, Failure>) -> u8 {
    match seen {
        Err(failure) => failure.kind.exit(),
        Ok((_, interfaces)) => {
            let error = interfaces.iter().find_map(|interface| interface.as_ref().err());
            error.map_or(exit::DONE, |error| kind_of(error).exit())
        }
    }
}

fn text(entry: &EntryPath, (object, interfaces): &Seen, separated: bool) -> String {
    let references = object.object().interfaces.iter();
    let shown: Vec<Shown<'_>> = references
        .zip(interfaces)
        .map(|(reference, interface)| Shown {
            reference,
            descriptor: match interface {
                Ok(interface) => Ok((interface.descriptor(), interface.effects())),
                Err(error) => Err(message_of(error)),
            },
        })
        .collect();
    let state = object.tag();
    let state = state.as_ref().map(|state| state.as_str());
    let text = render(entry, state, object.object(), &shown);
    if separated { format!("\n{text}") } else { text }
}

fn document(entry: &EntryPath, seen: &Result<Seen, Failure>) -> Result<String, Failure> {
    let entry = json::string(entry.as_str());
    let (object, interfaces) = match seen {
        Ok(seen) => seen,
        Err(failure) => return Ok(format!("{{\"entry\":{entry},\"error\":{}}}", json::error(failure))),
    };
    let state = match object.tag() {
        Some(state) => format!("\"state\":{},", json::string(state.as_str())),
        None => String::new(),
    };
    let mut members = Vec::with_capacity(interfaces.len());
    for (reference, interface) in object.object().interfaces.iter().zip(interfaces) {
        members.push(json::interface(reference, interface)?);
    }
    let (object, interfaces) = (json::object(object.object())?, members.join(","));
    Ok(format!("{{\"entry\":{entry},{state}\"object\":{object},\"interfaces\":[{interfaces}]}}"))
}
