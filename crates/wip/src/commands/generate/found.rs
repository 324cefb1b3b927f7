//! The interfaces that Objects of a Worldspace publish.

use std::collections::BTreeMap;

use worldspace_client::{InterfaceObservation, Observation, TreeObservation};
use worldspace_model::{Cause, EntryPath, FetchTreeRequest, InterfaceReference};

use crate::commands::{entry, failed_at, kind_of, message_of};
use crate::failure::Failure;
use crate::screen::Screen;
use crate::show;
use crate::world::World;

use super::Interface;

/// How far a walk goes.
const DEPTH: u32 = 16;
const LIMIT: u32 = 10_000;

/// How many interfaces are asked for without being named.
const MOST: usize = 1000;

/// How many places are named of those that a walk left out.
const NAMED: usize = 5;

/// The interfaces, by name, and what was left out. What is named is found, or the whole fails; what a walk meets and cannot be
/// had is left out.
pub(super) async fn in_world(
    screen: &Screen,
    world: &World,
    paths: &[String],
) -> Result<(Vec<Interface>, Vec<String>), Failure> {
    let mut left_out = Vec::new();
    let objects = match paths {
        [] => walk(screen, world, &mut left_out).await?,
        paths => named(screen, world, paths).await?,
    };
    let published = objects.iter().flat_map(|object| object.object().interfaces.iter());
    // By name, then scope: the order of the Objects says nothing of the interfaces.
    let references: BTreeMap<(&str, &str), &InterfaceReference> = published
        .map(|reference| ((reference.name().as_str(), reference.scope().as_str()), reference))
        .collect();
    if paths.is_empty() && references.len() > MOST {
        left_out.push(format!(
            "{} interfaces behind the first {MOST}; name the Objects that publish them as PATHs",
            references.len() - MOST
        ));
    }
    let most = if paths.is_empty() { MOST } else { usize::MAX };
    let mut interfaces = Vec::with_capacity(references.len().min(most));
    for reference in references.into_values().take(most) {
        match world.client.interface(reference).await {
            Ok(interface) => interfaces.push(found(reference, &interface)),
            Err(error) if paths.is_empty() => {
                left_out.push(format!(
                    "{}: {}",
                    worldspace_idl::reference::write(reference),
                    message_of(&error)
                ));
            }
            Err(error) => {
                let reference = worldspace_idl::reference::write(reference);
                return Err(Failure::new(kind_of(&error), format!("{reference}: {}", message_of(&error))));
            }
        }
    }
    Ok((interfaces, left_out))
}

fn found(reference: &InterfaceReference, interface: &InterfaceObservation) -> Interface {
    Interface {
        scope: Some(reference.scope().clone()),
        name: reference.name().clone(),
        descriptor: interface.descriptor().clone(),
        effects: interface.effects().cloned().unwrap_or_default(),
    }
}

async fn named(screen: &Screen, world: &World, paths: &[String]) -> Result<Vec<Observation>, Failure> {
    let entries = paths.iter().map(|path| entry(screen, path)).collect::<Result<Vec<_>, _>>()?;
    let mut objects = Vec::with_capacity(entries.len());
    for (entry, object) in entries.iter().zip(world.client.fetch_many(&entries).await) {
        match object {
            Ok(object) => objects.push(object),
            Err(error) => return Err(failed_at(screen, world, entry, &error).await),
        }
    }
    Ok(objects)
}

async fn walk(
    screen: &Screen,
    world: &World,
    left_out: &mut Vec<String>,
) -> Result<Vec<Observation>, Failure> {
    let top = EntryPath::root();
    let request = FetchTreeRequest::new(top.clone(), DEPTH, LIMIT, None)
        .map_err(|fault| Failure::usage(fault.to_string()))?;
    let observed = match world.client.tree(&request).await {
        Ok(observed) => observed,
        Err(error) => return Err(failed_at(screen, world, &top, &error).await),
    };
    left_out.extend(unseen(&observed));
    Ok(observed.observations().to_vec())
}

/// What of a tree was not seen.
fn unseen(observed: &TreeObservation) -> Option<String> {
    if !observed.is_truncated() {
        return None;
    }
    let open = observed.items().filter(|item| item.expansion.is_open());
    let open: Vec<_> = open.map(|item| show::path(item.observation.entry()).into_owned()).collect();
    let causes: Vec<&str> = observed.truncated_by().iter().map(why).collect();
    let mut places = open[..open.len().min(NAMED)].join(", ");
    if open.len() > NAMED {
        places.push_str(&format!(" and {} more places", open.len() - NAMED));
    }
    Some(format!(
        "what is below {places}, or a part of it ({}); name Objects there as PATHs, and all others whose interfaces are wanted",
        causes.join(", ")
    ))
}

fn why(cause: Cause) -> &'static str {
    match cause {
        Cause::Depth => "it is too deep",
        Cause::Limit => "there is too much",
        Cause::HostLimit => "the Host shows no more at once",
        Cause::Deadline => "it took too long",
        Cause::Unavailable => "something could not be read",
    }
}
