//! WORLD: an endpoint that is spoken to over HTTP, or sources that are opened in this process.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use worldspace_client::{Client, InProcess, Settings};
use worldspace_host::{Host, HostBuilder};
use worldspace_http::{Endpoint, HttpTransport};
use worldspace_model::{EntryPath, Principal};
use worldspace_providers::files::{self, Files};
use worldspace_providers::sql::{self, Database, OpenError};

use crate::access::{self, TokenFrom};
use crate::args::{EndpointArgs, SourceOptions, WorldArgs};
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
    /// Behind an endpoint.
    Endpoint {
        /// Whether it is one of this machine.
        here: bool,
        /// Where the token is from that is shown there.
        token: TokenFrom,
    },
    /// In this process, of sources.
    Sources {
        options: SourceOptions,
        /// Whether any of them is a directory.
        directories: bool,
    },
}

/// Something that is offered, and where.
#[derive(Debug)]
pub(crate) struct Mount {
    pub(crate) at: EntryPath,
    pub(crate) what: Mounted,
}

/// What a mount offers, and how.
#[derive(Debug)]
pub(crate) enum Mounted {
    Directory(PathBuf, files::Settings),
    Sqlite(PathBuf, sql::Settings),
}

impl Mounted {
    /// Whether what changes things there is offered as well.
    pub(crate) fn is_writable(&self) -> bool {
        match self {
            Self::Directory(_, settings) => settings.writable,
            Self::Sqlite(_, settings) => settings.writable,
        }
    }

    fn is_directory(&self) -> bool {
        matches!(self, Self::Directory(..))
    }

    /// Why one process cannot offer both, if so. On POSIX systems, to close a file lets go of every lock that the process has
    /// on it, those that SQLite took through other descriptors too.
    pub(crate) fn clash(&self, other: &Self) -> Option<String> {
        let (directory, database) = match (self, other) {
            (Self::Directory(directory, _), Self::Sqlite(database, _))
            | (Self::Sqlite(database, _), Self::Directory(directory, _)) => (directory, database),
            _ => return None,
        };
        let within = database.canonicalize().ok()?.starts_with(directory.canonicalize().ok()?);
        within.then(|| {
            format!(
                "the database {} lies in the directory {}, and one process cannot offer both: when a file is closed, its \
                 process loses the locks that it has on it, so that other programs could write in the middle of a change",
                database.display(),
                directory.display()
            )
        })
    }
}

/// What to do about [`Mounted::clash`].
pub(crate) const APART: &str = "offer each from a process of its own, as by two `wip serve`, or a directory that does not hold the database";

/// Opens the WORLD of a command line, else that of the environment, else the usual endpoint.
pub(crate) fn open(looking: &WorldArgs) -> Result<World, Failure> {
    let WorldArgs { at, endpoint: how, options } = looking;
    let from_environment = if at.is_empty() { config::world()? } else { Vec::new() };
    let usual = [format!("http://{}/", config::DEFAULT_LISTEN)];
    let at = match (at.as_slice(), from_environment.as_slice()) {
        ([], []) => &usual,
        ([], environment) => environment,
        (at, _) => at,
    };
    match at {
        [endpoint] if config::is_endpoint(endpoint) => {
            let given = options.given();
            if !given.is_empty() {
                let given = given.join(" ");
                let failure =
                    Failure::usage(format!("{given} is for sources, and {endpoint} is an endpoint"));
                return Err(failure.hint(format!("what it offers, its server decides: `wip serve {given}`")));
            }
            connect(endpoint, how)
        }
        _ if at.iter().any(|world| config::is_endpoint(world)) => {
            let failure = Failure::usage("a WORLD is one endpoint, or sources");
            Err(failure.hint(
                "to look at several sources, name each with --at; to look at an endpoint, name it alone",
            ))
        }
        sources => {
            if let Some((option, _)) = how.given().first() {
                let failure =
                    Failure::usage(format!("{option} is for endpoints, and {} is a source", sources[0]));
                return Err(
                    failure.hint("what is opened here needs no token and no certificate; leave it out")
                );
            }
            let opened = source::open_all(sources);
            let opened = opened.map_err(|failure| match several_in_one(sources) {
                true => failure.hint(format!(
                    "several sources are separated by `:` in {}; with --at each has its own",
                    config::AT
                )),
                false => failure,
            })?;
            let mounts = mounts(opened, *options)?;
            let host = host(Host::builder().key(IN_PROCESS_KEY), &mounts)?;
            let client = Client::new(
                Arc::new(Traced(InProcess::new(Arc::new(host), Principal::anonymous()))),
                Settings::default(),
            );
            let directories = mounts.iter().any(|mount| mount.what.is_directory());
            Ok(World { client, place: Place::Sources { options: *options, directories } })
        }
    }
}

/// Whether one of the sources looks like several that were separated in another way.
fn several_in_one(sources: &[String]) -> bool {
    let separators = [',', ';', ' ', '\n'];
    let several = |source: &String| {
        let first = source.split(separators).next().unwrap_or_default();
        first.len() < source.len() && Path::new(first).exists() && !Path::new(source).exists()
    };
    sources.iter().any(several)
}

fn connect(endpoint: &str, how: &EndpointArgs) -> Result<World, Failure> {
    let endpoint = Endpoint::parse(endpoint).map_err(|error| Failure::usage(error.to_string()))?;
    if endpoint.has_user_information() {
        let failure = Failure::usage(format!("the URL of {endpoint} holds a name or password"));
        return Err(failure.hint("leave out what stands before the `@`; a token goes into WIP_TOKEN"));
    }
    let (config, token) = access::client(how)?;
    let place = Place::Endpoint { here: endpoint.is_loopback(), token };
    let transport =
        HttpTransport::new(endpoint, config).map_err(|error| access::no_transport(how, &error))?;
    Ok(World { client: Client::new(Arc::new(Traced(transport)), Settings::default()), place })
}

/// Each source mounted at its name.
pub(crate) fn mounts(sources: Vec<Source>, options: SourceOptions) -> Result<Vec<Mount>, Failure> {
    let mount = |Source { name, kind }| {
        let what = match kind {
            SourceKind::Directory(path) => {
                let settings = files::Settings {
                    hidden: options.hidden,
                    gitignore: !options.no_ignore,
                    writable: options.writable,
                    ..files::Settings::default()
                };
                Mounted::Directory(path, settings)
            }
            SourceKind::Sqlite(path) => Mounted::Sqlite(
                path,
                sql::Settings { writable: options.writable, ..sql::Settings::default() },
            ),
        };
        Mount { at: EntryPath::root().child(&name), what }
    };
    let mounts: Vec<Mount> = sources.into_iter().map(mount).collect();
    for (at, mount) in mounts.iter().enumerate() {
        if let Some(why) = mounts[..at].iter().find_map(|other| mount.what.clash(&other.what)) {
            return Err(Failure::usage(why).hint(APART));
        }
    }
    match options.of_directories().first() {
        Some(option) if !mounts.iter().any(|mount| mount.what.is_directory()) => {
            let failure = Failure::usage(format!("{option} is for directories, and no source is one"));
            Err(failure.hint("of a database, all tables and views are offered; leave it out"))
        }
        _ => Ok(mounts),
    }
}

/// A Host of what is mounted.
pub(crate) fn host(builder: HostBuilder, mounts: &[Mount]) -> Result<Host, Failure> {
    let mut builder = builder;
    for Mount { at, what } in mounts {
        builder = match what {
            Mounted::Directory(path, settings) => {
                let files = Files::open(path, settings.clone()).map_err(|error| Failure::caused(&error))?;
                builder.mount(at.clone(), files)
            }
            Mounted::Sqlite(path, settings) => {
                let database = Database::open_sqlite(path, settings.clone());
                builder.mount(at.clone(), database.map_err(|error| no_database(&error, settings.writable))?)
            }
        };
    }
    builder.build().map_err(|error| Failure::caused(&error))
}

/// Why a database is not served, and what to do.
fn no_database(error: &OpenError, writable: bool) -> Failure {
    match error {
        OpenError::File { source, .. } if source.kind() == ErrorKind::PermissionDenied => {
            let needed = match writable {
                true => "read and write the file, and make files in its directory",
                false => "read the file",
            };
            Failure::caused(error).hint(format!("whoever runs this must be allowed to {needed}"))
        }
        OpenError::Read { path, hint, source } => {
            let what = format!("cannot read {} as a SQLite database", path.display());
            // Its own causes say the same again, by numbers.
            Failure::local(format!("{what}: {source}")).hint(hint.clone())
        }
        _ => Failure::caused(error),
    }
}
