//! The program as it serves something writable, to be killed in the middle of it.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;

use worldspace_client::{Client, Settings};
use worldspace_http::auth::Token;
use worldspace_http::{ClientConfig, Endpoint, HttpTransport};

use crate::run::program;

pub(crate) struct Served {
    pub(crate) child: Child,
    pub(crate) client: Client,
}

/// Serves a source below that name, and lets a client in by the token that the program made.
pub(crate) fn serve(name: &str, source: &Path) -> Served {
    let mut command = program();
    command
        .args(["serve", "--writable", "--listen", "127.0.0.1:0"])
        .arg(format!("{name}={}", source.display()));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let first = |stream: &mut dyn std::io::Read, mark: &str| {
        let lines = BufReader::new(stream).lines().map(Result::unwrap);
        lines.into_iter().find_map(|line| line.strip_prefix(mark).map(str::to_owned)).unwrap()
    };
    let token = first(child.stderr.as_mut().unwrap(), "token: ");
    let url = first(child.stdout.as_mut().unwrap(), "listening on ");
    let config = ClientConfig { token: Some(Token::parse(&token).unwrap()), ..ClientConfig::default() };
    let transport = HttpTransport::new(Endpoint::parse(&url).unwrap(), config).unwrap();
    Served { child, client: Client::new(Arc::new(transport), Settings::default()) }
}
