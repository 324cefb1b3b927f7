//! WORLD: an endpoint that is spoken to over HTTP, or sources that are opened in this process.

use std::path::Path;
use std::sync::Arc;

use worldspace_client::{Client, InProcess, Settings};
use worldspace_host::{Host, HostBuilder};
use worldspace_http::{ClientConfig, Endpoint, HttpTransport};
use worldspace_model::{EntryPath, Principal};
use worldspace_providers::files::{self, Files};

use crate::args::{SourceOptions, WorldArgs};
use crate::config;
use crate::failure::Failure;
use crate::source::{self, Source, SourceKind};
use crate::traced::Traced;

/// In one process nobody but its owner sees a validator, so its key need not be secret; but a state that `inspect`
/// showed must be the same one in the process of a later `invoke`.
const IN_PROCESS_KEY: [u8; 32] = *b"wip: one person, many processes.";

/// A Worldspace to look at.
pub(crate) struct World {
    pub(crate) client: Client,
    pub(crate) place: Place,
}

/// Where a Worldspace is, as far as hints depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Behind an endpoint of this machine.
    Here,
    /// Behind another endpoint.
    Elsewhere,
    /// In this process, of sources.
    Sources(SourceOptions),
}

/// Opens the WORLD of a command line, else that of the environment, else the usual endpoint.
pub(crate) fn open(looking: &WorldArgs) -> Result<World, Failure> {
    let WorldArgs { at, options } = looking;
    let from_environment = if at.is_empty() { config::world()? } else { Vec::new() };
    let usual = [format!("http://{}/", config::DEFAULT_LISTEN)];
    let at = match (at.as_slice(), from_environment.as_slice()) {
        ([], []) => &usual,
        ([], environment) => environment,
        (at, _) => at,
    };
    match at {
        [endpoint] if config::is_endpoint(endpoint) => {
            if *options != SourceOptions::default() {
                let failure = Failure::usage(format!(
                    "--hidden and --no-ignore are for sources, and {endpoint} is an endpoint"
                ));
                return Err(
                    failure.hint("what it offers, its server decides: `wip serve --hidden --no-ignore`")
                );
            }
            connect(endpoint)
        }
        _ if at.iter().any(|world| config::is_endpoint(world)) => {
            let failure = Failure::usage("a WORLD is one endpoint, or sources");
            Err(failure.hint(
                "to look at several sources, name each with --at; to look at an endpoint, name it alone",
            ))
        }
        sources => {
            let opened = source::open_all(sources);
            let opened = opened.map_err(|failure| match several_in_one(sources) {
                true => failure.hint(format!(
                    "several sources are separated by `:` in {}; with --at each has its own",
                    config::AT
                )),
                false => failure,
            })?;
            let host = host(Host::builder().key(IN_PROCESS_KEY), &opened, *options)?;
            let client = Client::new(
                Arc::new(Traced(InProcess::new(Arc::new(host), Principal::anonymous()))),
                Settings::default(),
            );
            Ok(World { client, place: Place::Sources(*options) })
        }
    }
}

/// Whether one of the sources looks like several that were separated in another way.
fn several_in_one(sources: &[String]) -> bool {
    let separators = [',', ';', ' ', '\n'];
    let several = |source: &String| {
        let first = source.split(separators).next().unwrap_or_default();
        first.len() < source.len() && Path::new(first).is_dir() && !Path::new(source).exists()
    };
    sources.iter().any(several)
}

fn connect(endpoint: &str) -> Result<World, Failure> {
    let endpoint = Endpoint::parse(endpoint).map_err(|error| Failure::usage(error.to_string()))?;
    let place = if is_loopback(&endpoint) { Place::Here } else { Place::Elsewhere };
    let transport = HttpTransport::new(endpoint, ClientConfig::default())
        .map_err(|error| Failure::usage(error.to_string()))?;
    Ok(World { client: Client::new(Arc::new(Traced(transport)), Settings::default()), place })
}

fn is_loopback(endpoint: &Endpoint) -> bool {
    let behind_scheme = endpoint.as_str().split_once("://").map_or("", |(_, rest)| rest);
    let authority = behind_scheme.split('/').next().unwrap_or_default();
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// A Host of these sources, each mounted at its name.
pub(crate) fn host(
    builder: HostBuilder,
    sources: &[Source],
    options: SourceOptions,
) -> Result<Host, Failure> {
    let mut builder = builder;
    for Source { name, kind } in sources {
        let at = EntryPath::root().child(name);
        builder = mount(builder, at, kind, options)?;
    }
    builder.build().map_err(|error| Failure::caused(&error))
}

fn mount(
    builder: HostBuilder,
    at: EntryPath,
    kind: &SourceKind,
    options: SourceOptions,
) -> Result<HostBuilder, Failure> {
    match kind {
        SourceKind::Directory(path) => {
            let settings = files::Settings {
                hidden: options.hidden,
                gitignore: !options.no_ignore,
                ..files::Settings::default()
            };
            let files = Files::open(path, settings).map_err(|error| Failure::caused(&error))?;
            Ok(builder.mount(at, files))
        }
    }
}
