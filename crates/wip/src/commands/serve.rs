//! `wip serve`.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use worldspace_host::Host;
use worldspace_http::{ServeError, Server, ServerConfig};

use crate::args::{NoWorldArgs, SourceOptions};
use crate::config::DEFAULT_LISTEN;
use crate::failure::{Failure, Kind};
use crate::interruption::Interruption;
use crate::json;
use crate::screen::Screen;
use crate::{source, world};

const AFTER_HELP: &str = "\
Each source is mounted at /NAME; without a name, the last part of its canonical path (links resolved) is taken.
`listening on URL` is printed when ready. Ctrl-C and SIGTERM end it cleanly, a second time at once.";

/// Offer directories as a Worldspace over HTTP
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ServeArgs {
    /// What to offer
    #[arg(required = true, value_name = "[NAME=]PATH", value_hint = clap::ValueHint::DirPath)]
    sources: Vec<String>,

    /// The loopback address to listen at, or its port alone; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = DEFAULT_LISTEN, value_parser = address)]
    listen: SocketAddr,

    #[command(flatten)]
    _no_world: NoWorldArgs,
}

/// An address whose parts may be left out where only one thing can be meant.
fn address(text: &str) -> Result<SocketAddr, String> {
    let usual: SocketAddr = DEFAULT_LISTEN.parse().map_err(|_| "it has no default".to_owned())?;
    let host = |host: &str| match host {
        "" | "localhost" => Some(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        host => host.parse().ok(),
    };
    let unbracketed = |text: &str| text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let parsed = || {
        if let Ok(address) = text.parse() {
            return Some(address);
        }
        if let Ok(port) = text.parse() {
            return Some(SocketAddr::new(usual.ip(), port));
        }
        if let Some(ip) = host(text).or_else(|| unbracketed(text)).filter(|_| !text.is_empty()) {
            return Some(SocketAddr::new(ip, usual.port()));
        }
        let (name, port) = text.rsplit_once(':')?;
        Some(SocketAddr::new(host(name)?, port.parse().ok()?))
    };
    parsed().ok_or_else(|| format!("an address is written {DEFAULT_LISTEN}, localhost:8420 or 8420"))
}

pub(crate) async fn run(
    screen: &Screen,
    args: &ServeArgs,
    options: &SourceOptions,
    interruption: &Interruption,
) -> Result<(), Failure> {
    let host = world::host(Host::builder(), &source::open_all(&args.sources)?, *options)?;
    let config = ServerConfig { listen: args.listen, ..ServerConfig::default() };
    let (host, patience) = (Arc::new(host), config.limits.drain_timeout);
    let server = Server::bind(config, host.clone()).await.map_err(|error| cannot_serve(&error))?;
    let url = server.url();
    match screen.is_json() {
        true => screen.json(format!("{{\"listening\":{}}}", json::string(url)).as_bytes())?,
        false => screen.raw(format!("listening on {url}\n").as_bytes())?,
    }
    let mut end = pin!(async {
        server.serve(interruption.asked()).await;
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
        () = slow => screen.aside(&format!(
            "stopping: waiting for requests under way, up to {} s; Ctrl-C again to stop at once\n",
            patience.as_secs()
        )),
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

fn cannot_serve(error: &ServeError) -> Failure {
    match error {
        ServeError::Bind { listen, source } => {
            let failure = Failure::io(format!("cannot listen at {listen}"), source);
            let free = SocketAddr::new(listen.ip(), 0);
            match source.kind() {
                ErrorKind::AddrInUse => failure.hint(format!("--listen {free} takes a free port")),
                ErrorKind::PermissionDenied => failure
                    .hint(format!("some ports are kept for the system; --listen {free} takes a free one")),
                _ => failure,
            }
        }
        _ => Failure::usage(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_leave_out_what_is_clear() {
        for (text, wanted) in [
            ("127.0.0.1:9001", "127.0.0.1:9001"),
            ("localhost:9001", "127.0.0.1:9001"),
            ("localhost", "127.0.0.1:8420"),
            ("127.0.0.1", "127.0.0.1:8420"),
            ("127.0.0.2", "127.0.0.2:8420"),
            ("8421", "127.0.0.1:8421"),
            (":8421", "127.0.0.1:8421"),
            ("0", "127.0.0.1:0"),
            ("::1", "[::1]:8420"),
            ("[::1]", "[::1]:8420"),
            ("[::1]:7", "[::1]:7"),
        ] {
            assert_eq!(address(text).map(|address| address.to_string()).as_deref(), Ok(wanted), "{text}");
        }
        for text in
            ["", ":", "nowhere", "nowhere:8420", "localhost:", "localhost:x", "70000", "http://localhost/"]
        {
            assert!(address(text).unwrap_err().contains("127.0.0.1:8420"), "{text}");
        }
    }
}
