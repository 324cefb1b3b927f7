//! WORLD: an endpoint that is spoken to over HTTP, or sources that are opened in this process.

use std::sync::Arc;

use worldspace_client::{Client, Settings};
use worldspace_host::{Host, HostBuilder};
use worldspace_http::{ClientConfig, Endpoint, HttpTransport};
use worldspace_model::{EntryPath, Principal};
use worldspace_providers::files::{self, Files};

use crate::config;
use crate::failure::Failure;
use crate::source::{self, Source, SourceKind, SourceOptions};

/// In one process nobody but its owner sees a validator, so its key need not be secret; but a state that `inspect`
/// showed must be the same one in the process of a later `invoke`.
const IN_PROCESS_KEY: [u8; 32] = *b"wip: one person, many processes.";

/// Opens the WORLD of a command line, else that of the environment, else the usual endpoint.
pub(crate) fn open(at: &[String]) -> Result<Client, Failure> {
    let from_environment = if at.is_empty() { config::world()? } else { Vec::new() };
    let usual = [format!("http://{}/", config::DEFAULT_LISTEN)];
    let at = match (at, from_environment.as_slice()) {
        ([], []) => &usual,
        ([], environment) => environment,
        (at, _) => at,
    };
    match at {
        [endpoint] if config::is_endpoint(endpoint) => connect(endpoint),
        _ if at.iter().any(|world| config::is_endpoint(world)) => {
            let failure = Failure::usage("a WORLD is one endpoint, or sources");
            Err(failure.hint(
                "to look at several sources, name each with --at; to look at an endpoint, name it alone",
            ))
        }
        sources => {
            let builder = Host::builder().key(IN_PROCESS_KEY);
            let host = host(builder, &source::open_all(sources)?, &SourceOptions::default())?;
            Ok(Client::in_process(Arc::new(host), Principal::anonymous(), Settings::default()))
        }
    }
}

fn connect(endpoint: &str) -> Result<Client, Failure> {
    let endpoint = Endpoint::parse(endpoint).map_err(|error| Failure::usage(error.to_string()))?;
    let transport = HttpTransport::new(endpoint, ClientConfig::default())
        .map_err(|error| Failure::usage(error.to_string()))?;
    Ok(Client::new(Arc::new(transport), Settings::default()))
}

/// A Host of these sources, each mounted at its name.
pub(crate) fn host(
    builder: HostBuilder,
    sources: &[Source],
    options: &SourceOptions,
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
    options: &SourceOptions,
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
