//! `wip serve`.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use worldspace_host::Host;
use worldspace_http::auth::{Authentication, Token, TokenFile};
use worldspace_http::tls::ServerTls;
use worldspace_http::{BeyondLoopback, BoundServer, ServeError, Server, ServerConfig};
use worldspace_model::Principal;

use crate::access::no_token;
use crate::args::{NoEndpointArgs, NoWorldArgs, WorldArgs};
use crate::config::TOKEN;
use crate::failure::{Failure, Kind};
use crate::interruption::Interruption;
use crate::json;
use crate::listen::{self, Listen, Tls};
use crate::screen::Screen;
use crate::show::command::quote;
use crate::show::text;
use crate::source::SourceKind;
use crate::world_file::{self, Limits, WorldFile};
use crate::{self_signed, source, world};

const AFTER_HELP: &str = "\
Each source is mounted at /NAME; without a name, the last part of its canonical path (links resolved) is taken, of a file without \
its ending. With --writable and without --tokens, a token is made and told on stderr.
`listening on URL` is printed when ready. Ctrl-C and SIGTERM end it cleanly, a second time at once.";

/// Offer directories and SQLite databases as a Worldspace over HTTP
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ServeArgs {
    /// What to offer: directories, SQLite databases
    #[arg(required_unless_present = "config", value_name = "[NAME=]PATH", value_hint = clap::ValueHint::AnyPath)]
    sources: Vec<String>,

    /// A world.toml that says what to offer, instead of sources (see docs/configuration.md)
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    config: Option<String>,

    /// The address to listen at, or its port alone; port 0 takes a free one [default: 127.0.0.1:8420]
    #[arg(long, value_name = "ADDR", value_parser = listen::address)]
    listen: Option<SocketAddr>,

    /// Encrypt, for trying, with a certificate that is made here; clients are given it with --ca
    #[arg(long, value_name = "self-signed", value_parser = ["self-signed"], hide_possible_values = true)]
    #[arg(conflicts_with = "tls_cert")]
    tls: Option<String>,

    /// Encrypt with the certificate in this file (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key", value_hint = clap::ValueHint::FilePath)]
    tls_cert: Option<String>,

    /// The certificate's key (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert", value_hint = clap::ValueHint::FilePath)]
    tls_key: Option<String>,

    /// Let in only who shows a token of this file, which `wip token new` makes
    #[arg(long, value_name = "FILE", conflicts_with = "allow_anonymous", value_hint = clap::ValueHint::FilePath)]
    tokens: Option<String>,

    /// Let other machines come without TLS
    #[arg(id = "allow_plain_http", long = "allow-plain-http")]
    allow_plain_http: bool,

    /// Let other machines come, and things be changed, without a token
    #[arg(long)]
    allow_anonymous: bool,

    #[command(flatten)]
    _no_world: NoWorldArgs,

    #[command(flatten)]
    _no_endpoint: NoEndpointArgs,
}

pub(crate) async fn run(
    screen: &Screen,
    args: &ServeArgs,
    looking: &WorldArgs,
    interruption: &Interruption,
) -> Result<(), Failure> {
    let WorldFile { mounts, listeners, limits } = what(args, looking)?;
    let by_file = args.config.is_some() && given_for_listener(args).is_none();
    let writable = mounts.iter().any(|mount| mount.what.is_writable());
    let host = Arc::new(world::host(Host::builder().limits(limits.host.clone()), &mounts)?);
    let token = match listeners.iter().any(|listen| listen.makes_token(writable)) {
        true => Some(Token::generate().map_err(|error| Failure::caused(&error))?),
        false => None,
    };
    let mut said = String::new();
    let mut servers = Vec::with_capacity(listeners.len());
    for listen in &listeners {
        let token = token.as_ref().filter(|_| listen.makes_token(writable));
        let config = configured(listen, token, &limits, &mut said)?;
        let bound = Server::bind(config, host.clone()).await;
        servers.push(bound.map_err(|error| cannot_serve(listen, by_file, &error))?);
    }
    for server in servers.iter().filter(|server| server.address().ip().is_unspecified()) {
        let port = server.address().port();
        said.push_str(&format!("other machines reach it at every address of this machine, at port {port}\n"));
    }
    if let Some(token) = token {
        let doors = listeners.iter().zip(&servers).filter(|(listen, _)| listen.makes_token(writable));
        let doors: Vec<&str> = doors.map(|(_, server)| server.url()).collect();
        let at = if servers.len() > 1 { format!(" at {}", doors.join(", ")) } else { String::new() };
        said.push_str(&format!("whoever shows this token{at} can change what is offered: {TOKEN}=… wip …\n"));
        said.push_str(&format!("token: {}\n", token.reveal()));
    }
    screen.aside(&said);
    for server in &servers {
        match screen.is_json() {
            true => screen.json(format!("{{\"listening\":{}}}", json::string(server.url())).as_bytes())?,
            false => screen.raw(format!("listening on {}\n", server.url()).as_bytes())?,
        }
    }
    until_asked(screen, servers, &host, limits.http.drain_timeout, interruption).await
}

/// What to offer and where: by the file, or by the command line.
fn what(args: &ServeArgs, looking: &WorldArgs) -> Result<WorldFile, Failure> {
    if !looking.at.is_empty() {
        return Err(Failure::usage("`wip serve` takes its sources as arguments, not with --at"));
    }
    if looking.endpoint.token_file.is_some() || looking.endpoint.ca.is_some() {
        let failure = Failure::usage("--token-file and --ca are for those who look at an endpoint");
        return Err(failure.hint("a server takes the tokens that it lets in with --tokens FILE, its certificate with --tls-cert FILE"));
    }
    let Some(file) = &args.config else {
        let mounts = world::mounts(source::open_all(&args.sources)?, looking.options)?;
        let writable = looking.options.writable;
        let listeners = vec![listener(args, writable)?];
        return Ok(WorldFile { mounts, listeners, limits: Limits::default() });
    };
    if let Some(source) = args.sources.first() {
        let failure = Failure::usage("--config says what to offer, so no source can stand beside it");
        let path = source.split_once('=').map_or(source.as_str(), |(_, path)| path);
        let key = match source::kind_of(path.into()) {
            Ok(Some(SourceKind::Sqlite(_))) => "sqlite",
            _ => "files",
        };
        let mount = format!("[[mount]]\nat = \"/NAME\"\n{key} = {}", json::string(path));
        return Err(failure.hint(format!("write it into {}:\n{mount}", text::name(file))));
    }
    if let Some(option) = looking.options.given().first() {
        let failure =
            Failure::usage(format!("{option} is for sources on the command line, not for --config"));
        let line = match *option {
            "--writable" => "writable = true",
            "--hidden" => "hidden = true",
            _ => "gitignore = false",
        };
        return Err(failure.hint(format!("write `{line}` into a [[mount]] of {}", text::name(file))));
    }
    let mut world = world_file::read(file)?;
    if world.listeners.is_empty() {
        let writable = world.mounts.iter().any(|mount| mount.what.is_writable());
        world.listeners.push(listener(args, writable)?);
    } else if let Some(option) = given_for_listener(args) {
        let failure =
            Failure::usage(format!("{} says itself where to listen, so {option} cannot", text::name(file)));
        return Err(failure.hint("write it into its [[listen]], or take all [[listen]] out of the file"));
    }
    Ok(world)
}

/// The first option that is about the listener.
fn given_for_listener(args: &ServeArgs) -> Option<&'static str> {
    let options = [
        ("--listen", args.listen.is_some()),
        ("--tls", args.tls.is_some()),
        ("--tls-cert", args.tls_cert.is_some()),
        ("--tokens", args.tokens.is_some()),
        ("--allow-plain-http", args.allow_plain_http),
        ("--allow-anonymous", args.allow_anonymous),
    ];
    options.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
}

/// The one listener of the command line.
fn listener(args: &ServeArgs, writable: bool) -> Result<Listen, Failure> {
    let mut listen = Listen {
        allow_plain_http: args.allow_plain_http,
        allow_anonymous: args.allow_anonymous,
        ..Listen::default()
    };
    if let Some(address) = args.listen {
        listen.address = address;
    }
    if args.tls.is_some() {
        listen.tls = Tls::SelfSigned;
    }
    if let (Some(certificate), Some(key)) = (&args.tls_cert, &args.tls_key) {
        let tls = ServerTls::from_files(Path::new(certificate), Path::new(key));
        listen.tls = Tls::Given(tls.map_err(|error| Failure::caused(&error))?);
    }
    if let Some(file) = &args.tokens {
        no_token("--tokens", file)?;
        let tokens = TokenFile::open(file).map_err(|error| {
            let failure = Failure::caused(&error);
            match listen::is_absent(&error) {
                true => failure.hint(format!("this makes it: wip token new NAME --file {}", quote(file))),
                false => failure,
            }
        })?;
        listen.tokens = Some(Arc::new(tokens));
    }
    let missing = listen.missing(writable);
    if missing.is_empty() {
        return Ok(listen);
    }
    let what: Vec<&str> = missing.iter().map(|missing| missing.what()).collect();
    let failure = Failure::usage(format!(
        "{} can be reached from other machines, but {}",
        listen.address,
        what.join(", and ")
    ));
    Err(missing.iter().fold(failure, |failure, missing| failure.hint(missing.on_command_line())))
}

/// What the server is told; what its user is to know is added to `said`.
fn configured(
    listen: &Listen,
    token: Option<&Token>,
    limits: &Limits,
    said: &mut String,
) -> Result<ServerConfig, Failure> {
    let tls = match &listen.tls {
        Tls::Plain => None,
        Tls::Given(tls) => Some(tls.clone()),
        Tls::SelfSigned => {
            let kept = self_signed::kept_for(listen)?;
            let path = kept.certificate.to_string_lossy();
            let line = format!("certificate: {}\n", text::name(&path));
            // Several listeners may have the same.
            if !said.contains(&line) {
                said.push_str(&format!("{line}clients trust it with: wip … --ca {}\n", quote(&path)));
            }
            if kept.is_for_this_machine && listen.address.ip().to_canonical().is_unspecified() {
                said.push_str(
                    "it is for localhost alone: for other machines to trust it as well, listen at the address that \
                     they come by (--listen), or name what they call this one (`hosts` in a world.toml)\n",
                );
            }
            Some(kept.tls)
        }
    };
    let authentication = match (&listen.tokens, token) {
        (Some(tokens), _) => Authentication::Tokens(tokens.clone()),
        (None, Some(token)) => {
            Authentication::One { token: token.clone(), principal: Principal::new("owner") }
        }
        (None, None) => Authentication::Anonymous,
    };
    Ok(ServerConfig {
        listen: listen.address,
        base_path: listen.base_path.clone(),
        title: listen.title.clone(),
        hosts: listen.hosts.clone(),
        origins: listen.origins.clone(),
        tls,
        authentication,
        beyond_loopback: BeyondLoopback { plain: listen.allow_plain_http, anonymous: listen.allow_anonymous },
        wire: limits.wire,
        limits: limits.http.clone(),
    })
}

/// Serves until it is asked to end, and lets what is under way come to its end.
async fn until_asked(
    screen: &Screen,
    servers: Vec<BoundServer>,
    host: &Host,
    patience: Duration,
    interruption: &Interruption,
) -> Result<(), Failure> {
    let mut serving = JoinSet::new();
    for server in servers {
        let interruption = interruption.clone();
        serving.spawn(async move { server.serve(interruption.asked()).await });
    }
    let mut end = pin!(async {
        while serving.join_next().await.is_some() {}
        // What has begun to have an effect runs on without its caller, and comes to its end here.
        let left = interruption.asked_at().map_or(patience, |at| patience.saturating_sub(at.elapsed()));
        if !host.drain(left).await {
            tracing::warn!(
                "some calls still run and are broken off; what they have done so far is not known"
            );
        }
    });
    let slow = async {
        interruption.asked().await;
        // Usually nothing is under way, and then there is nothing to say.
        tokio::time::sleep(SHORT).await;
    };
    tokio::select! {
        () = &mut end => return Ok(()),
        () = slow => {
            let most = if patience == Duration::MAX { String::new() } else { format!(", up to {} s", patience.as_secs()) };
            screen.aside(&format!(
                "stopping: waiting for requests under way{most}; Ctrl-C again to stop at once\n"
            ));
        }
    }
    tokio::select! {
        () = end => Ok(()),
        () = interruption.insisted() => {
            Err(Failure::new(Kind::Interrupted, "stopped at once; what calls under way have done is not known"))
        }
    }
}

/// For what ends at once.
const SHORT: Duration = Duration::from_millis(200);

fn cannot_serve(listen: &Listen, by_file: bool, error: &ServeError) -> Failure {
    match error {
        ServeError::Bind { source, .. } => {
            let failure = Failure::io(format!("cannot listen at {}", listen.address), source);
            let free = SocketAddr::new(listen.address.ip(), 0);
            let free = if by_file { format!("address = \"{free}\"") } else { format!("--listen {free}") };
            match source.kind() {
                ErrorKind::AddrInUse => failure.hint(format!("{free} takes a free port")),
                ErrorKind::PermissionDenied => {
                    failure.hint(format!("some ports are kept for the system; {free} takes a free one"))
                }
                _ => failure,
            }
        }
        _ => Failure::usage(error.to_string()),
    }
}
