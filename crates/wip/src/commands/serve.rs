//! `wip serve`.

use std::net::SocketAddr;
use std::sync::Arc;

use worldspace_host::Host;
use worldspace_http::{ServeError, Server, ServerConfig};

use crate::config::DEFAULT_LISTEN;
use crate::failure::Failure;
use crate::interruption::Interruption;
use crate::json;
use crate::screen::Screen;
use crate::source::SourceOptions;
use crate::{source, world};

const AFTER_HELP: &str = "\
Each source is mounted at /NAME; without a name, the last part of its path is taken.
`listening on URL` is printed when ready. Ctrl-C and SIGTERM end it cleanly.";

/// Offer directories as a Worldspace over HTTP
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ServeArgs {
    /// What to offer
    #[arg(required = true, value_name = "[NAME=]PATH", value_hint = clap::ValueHint::DirPath)]
    sources: Vec<String>,

    /// The loopback address to listen at; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = DEFAULT_LISTEN)]
    listen: SocketAddr,

    #[command(flatten)]
    options: SourceOptions,
}

pub(crate) async fn run(
    screen: &Screen,
    args: &ServeArgs,
    interruption: &Interruption,
) -> Result<(), Failure> {
    let host = world::host(Host::builder(), &source::open_all(&args.sources)?, &args.options)?;
    let config = ServerConfig { listen: args.listen, ..ServerConfig::default() };
    let (host, patience) = (Arc::new(host), config.limits.drain_timeout);
    let server = Server::bind(config, host.clone()).await.map_err(|error| cannot_serve(&error))?;
    let url = server.url();
    match screen.is_json() {
        true => screen.json(format!("{{\"listening\":{}}}", json::string(url)).as_bytes())?,
        false => screen.raw(format!("listening on {url}\n").as_bytes())?,
    }
    server.serve(interruption.asked()).await;
    // What has begun to have an effect runs on without its caller, and comes to its end here.
    if !host.drain(patience).await {
        tracing::warn!("some calls still run and are broken off; what they have done so far is not known");
    }
    Ok(())
}

fn cannot_serve(error: &ServeError) -> Failure {
    match error {
        ServeError::Bind { source, .. } => {
            let failure = Failure::caused(error);
            match source.kind() {
                std::io::ErrorKind::AddrInUse => failure.hint("--listen 127.0.0.1:0 takes a free port"),
                _ => failure,
            }
        }
        _ => Failure::usage(error.to_string()),
    }
}
