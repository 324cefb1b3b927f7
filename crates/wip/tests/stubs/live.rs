//! What generated clients are tested with: what `wip serve` offers, and the example of an application.

use std::io::{BufRead as _, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use tempfile::TempDir;
use worldspace_client::{Client, Settings};
use worldspace_http::auth::Token;
use worldspace_http::{ClientConfig, Endpoint, HttpTransport};
use worldspace_model::InterfaceReference;
use worldspace_projections::stubs::Source;

/// These interfaces, as a Host publishes them.
pub(crate) fn published(url: &str, token: &str, references: &[(&str, &str)]) -> Vec<Source> {
    let config = ClientConfig { token: Some(Token::parse(token).unwrap()), ..ClientConfig::default() };
    let transport = HttpTransport::new(Endpoint::parse(url).unwrap(), config).unwrap();
    let client = Client::new(Arc::new(transport), Settings::default());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let source = |(scope, name): &(&str, &str)| {
        let reference = InterfaceReference::parse(scope, name).unwrap();
        let seen = runtime.block_on(client.interface(&reference)).unwrap();
        let effects = seen.effects().cloned().unwrap_or_default();
        Source::new(reference.name().clone(), seen.descriptor().clone(), effects)
    };
    references.iter().map(source).collect()
}

/// A running `wip serve`, which ends with the test.
pub(crate) struct Served {
    child: Child,
    pub(crate) url: String,
    pub(crate) token: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn serve(directory: &Path, sources: &[&str]) -> Served {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wip"));
    command.current_dir(directory).env_remove("WIP_TOKEN").env("XDG_STATE_HOME", directory.join("state"));
    command.args(["serve", "--writable", "--listen", "127.0.0.1:0"]).args(sources);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let first = |stream: &mut dyn Read, mark: &str| {
        let lines = BufReader::new(stream).lines().map(Result::unwrap);
        lines.into_iter().find_map(|line| line.strip_prefix(mark).map(str::to_owned)).unwrap()
    };
    let token = first(child.stderr.as_mut().unwrap(), "token: ");
    let url = first(child.stdout.as_mut().unwrap(), "listening on ");
    Served { child, url, token }
}

/// A running tracker, which ends with the test: its address, its token, and its interfaces.
pub(crate) fn tracker(directory: &Path) -> (String, String, Vec<Source>) {
    let file = directory.join("tracker.db");
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listen = SocketAddr::from(([127, 0, 0, 1], 0));
            let serving = worldspace_example_tracker::bind(&file, listen).await.unwrap();
            send.send((serving.server.url().to_owned(), serving.token.reveal().to_owned())).unwrap();
            serving.server.serve(std::future::pending()).await;
        });
    });
    let (url, token) = receive.recv().unwrap();
    let names = ["tracker.search", "project.issues", "issue.lifecycle", "commentable"];
    let sources = published(&url, &token, &names.map(|name| ("/tracker", name)));
    (url, token, sources)
}

/// A directory and a database in a directory, served so that they can be changed, and their interfaces.
pub(crate) fn files_and_tables() -> (TempDir, Served, Vec<Source>) {
    let world = tempfile::tempdir().unwrap();
    std::fs::create_dir(world.path().join("docs")).unwrap();
    std::fs::write(world.path().join("docs/a.md"), "# A\n").unwrap();
    let database = rusqlite::Connection::open(world.path().join("shop.db")).unwrap();
    let table =
        "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, price REAL, photo BLOB);
                 INSERT INTO item VALUES (1, 'Tea', 2.5, x'00ff');";
    database.execute_batch(table).unwrap();
    let served = serve(world.path(), &["docs", "shop.db"]);
    let references = [
        ("/docs", "files.directory"),
        ("/docs", "files.directory.write"),
        ("/docs", "files.file"),
        ("/docs", "files.file.write"),
        ("/shop", "sql.database"),
        ("/shop/item", "sql.table"),
        ("/shop/item", "sql.table.write"),
    ];
    let sources = published(&served.url, &served.token, &references);
    (world, served, sources)
}

/// The programs of that language in the document.
pub(crate) fn shown(language: &str) -> Vec<&'static str> {
    let document = include_str!("../../../../docs/stubs.md");
    let begin = format!("```{language}\n");
    document.split(&begin).skip(1).filter_map(|rest| rest.split("```\n").next()).collect()
}
