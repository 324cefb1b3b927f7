//! A tracker behind HTTP, for whoever shows its token.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use worldspace_host::Host;
use worldspace_http::auth::{Authentication, GenerateError, Token};
use worldspace_http::{BoundServer, ServeError, Server, ServerConfig};
use worldspace_model::{EntryPath, Principal};

use crate::{OpenError, Tracker};

/// Where the tracker is mounted.
const MOUNT: &str = "/tracker";
/// Who shows the token.
const OWNER: &str = "owner";

/// A tracker that has its address and does not answer yet.
pub struct Serving {
    /// The server.
    pub server: BoundServer,
    /// The Host behind it.
    pub host: Host,
    /// Lets in.
    pub token: Token,
}

impl Serving {
    /// What whoever started it has to know, and nobody else.
    pub fn notice(&self) -> String {
        let token = self.token.reveal();
        format!("whoever shows this token can change what is offered: WIP_TOKEN=… wip …\ntoken: {token}\n")
    }
}

/// Why a tracker cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// Its file.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Its address.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// Its token.
    #[error(transparent)]
    Token(#[from] GenerateError),
    /// What it publishes.
    #[error("what the tracker publishes is not sound")]
    Declaration(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// What is to be said before a file is opened that is not there yet: filling it takes a while.
pub fn filling(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_string_lossy();
    (!file.exists()).then(|| format!("filling {name} with {} issues\n", crate::ISSUES))
}

/// Opens a file, which need not be there, and takes the address; a new tracker is filled with examples.
///
/// # Errors
/// [`StartError`].
pub async fn bind(file: &Path, listen: SocketAddr) -> Result<Serving, StartError> {
    let file = file.to_owned();
    let opened = tokio::task::spawn_blocking(move || {
        let tracker = Tracker::open(&file)?;
        tracker.fill(crate::ISSUES)?;
        Ok::<_, OpenError>(tracker)
    });
    let tracker = opened.await.map_err(|broken| StartError::Declaration(broken.into()))??;
    let host = host(&tracker).map_err(StartError::Declaration)?;
    let token = Token::generate()?;
    let authentication = Authentication::One { token: token.clone(), principal: Principal::new(OWNER) };
    let config =
        ServerConfig { listen, title: "Issue tracker".to_owned(), authentication, ..ServerConfig::default() };
    let server = Server::bind(config, Arc::new(host.clone())).await?;
    Ok(Serving { server, host, token })
}

fn host(tracker: &Tracker) -> Result<Host, Box<dyn std::error::Error + Send + Sync>> {
    Ok(Host::builder().mount(EntryPath::parse(MOUNT)?, tracker.provider()?).build()?)
}
