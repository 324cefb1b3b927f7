//! What the documents show is what the program does: every `console` block is run and compared.
//!
//! `WIP_UPDATE_DOCS=1` writes the blocks anew. What differs from run to run (ports, times, state tags, cursors, tokens) is
//! compared by its form alone. A command that takes a state which an earlier one has shown is given the one that it has shown
//! now. Each document works on a copy of the examples and on a shop of its own (`shop.db`), which its commands may change.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    missing_docs,
    reason = "tests stop at the first surprise"
)]

use std::any::Any;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use regex::Regex;

#[path = "../../../../examples/shop/src/shop.rs"]
mod shop;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn documents() -> Vec<PathBuf> {
    let mut found = vec![root().join("README.md")];
    let in_docs = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    found.extend(in_docs.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    found.sort();
    found
}

/// The server that a document started; the commands behind it speak to it.
struct Served {
    url: String,
    /// What it said on stderr before it listened.
    said: String,
    /// Serves as long as it is there.
    _running: Box<dyn Any>,
}

struct Program {
    child: Child,
    /// Kept open, so that whatever else it prints has a reader.
    stdout: BufReader<ChildStdout>,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What serves the example of a tracker.
const TRACKER: &str = "cargo run -q --release -p worldspace-example-tracker";

/// Serves what the command says, if it is one that serves.
fn started(command: &str, place: &Path) -> Option<Served> {
    match command {
        TRACKER => Some(serve_tracker(place)),
        command if command.starts_with("wip serve") => Some(serve(command, place)),
        _ => None,
    }
}

/// The tracker, as its program serves it, on a new file: on threads of this process, since it is a library, too.
fn serve_tracker(place: &Path) -> Served {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let listen = ([127, 0, 0, 1], 0).into();
    let file = place.join("tracker.db");
    let filling = worldspace_example_tracker::filling(&file).unwrap_or_default();
    let serving = runtime.block_on(worldspace_example_tracker::bind(&file, listen)).unwrap();
    let (url, said) = (serving.server.url().to_owned(), filling + &serving.notice());
    runtime.spawn(serving.server.serve(std::future::pending()));
    Served { url, said, _running: Box::new(runtime) }
}

fn serve(command: &str, place: &Path) -> Served {
    let arguments = command.strip_prefix("wip ").unwrap();
    // A file takes whatever it logs, where a pipe that nobody reads would make it wait.
    let mut said = tempfile::tempfile().unwrap();
    let mut child = program(env!("CARGO_BIN_EXE_wip"), place)
        .args(arguments.split_whitespace())
        .args(["--listen", "127.0.0.1:0"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(said.try_clone().unwrap())
        .spawn()
        .unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    // From here on it is ended with the test, however the test ends.
    let mut program = Program { child, stdout };
    let mut line = String::new();
    program.stdout.read_line(&mut line).unwrap();
    let Some(url) = line.trim().strip_prefix("listening on ") else {
        panic!("`{command}` does not listen: {line}{}", everything(&mut said));
    };
    Served { url: url.to_owned(), said: everything(&mut said), _running: Box::new(program) }
}

impl Served {
    /// The token that it made, if it made one.
    fn token(&self) -> Option<&str> {
        self.said.lines().find_map(|line| line.strip_prefix("token: "))
    }
}

fn everything(file: &mut File) -> String {
    let mut text = String::new();
    file.rewind().unwrap();
    file.read_to_string(&mut text).unwrap();
    text
}

/// A program that finds `wip` and nothing in its surroundings that would change what `wip` prints.
fn program(name: &str, place: &Path) -> Command {
    let directory = Path::new(env!("CARGO_BIN_EXE_wip")).parent().unwrap();
    let usual = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(directory.to_owned()).chain(std::env::split_paths(&usual));
    let mut program = Command::new(name);
    program.current_dir(place).env("PATH", std::env::join_paths(path).unwrap());
    program.env("COLUMNS", "100").env("NO_COLOR", "1");
    for name in ["WIP_AT", "WIP_TOKEN", "CLICOLOR", "CLICOLOR_FORCE"] {
        program.env_remove(name);
    }
    program
}

/// What a command prints, stdout and stderr in their order, as in a terminal of 100 columns without colour.
fn run(command: &str, place: &Path, served: Option<&Served>) -> String {
    let mut shell = program("sh", place);
    shell.args(["-c", &format!("{{ {command}\n}} 2>&1")]).stdin(Stdio::null()).stderr(Stdio::inherit());
    if let Some(served) = served {
        shell.env("WIP_AT", &served.url);
        shell.envs(served.token().map(|token| ("WIP_TOKEN", token)));
    }
    String::from_utf8(shell.output().unwrap().stdout).unwrap()
}

/// The document with the output of every command as it is now.
fn rewritten(text: &str) -> String {
    let place = examples();
    let place = place.path();
    let mut served: Option<Served> = None;
    let mut written = String::new();
    let mut in_block = false;
    let mut states = States::default();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            in_block = line == "```console";
        } else if in_block {
            let Some(command) = line.strip_prefix("$ ") else { continue };
            let command = &*states.as_now(command);
            let mut before = String::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("$ ") && !line.starts_with("```")) {
                before.push_str(line);
                before.push('\n');
            }
            let output = match started(command, place) {
                Some(started) => {
                    let started = served.insert(started);
                    format!("{}listening on {}\n", started.said, started.url)
                }
                None => run(command, place, served.as_ref()),
            };
            // The port that the document's reader gets.
            let output = match &served {
                Some(served) => output.replace(&served.url, "http://127.0.0.1:8420/"),
                None => output,
            };
            states.learn(&before, &output);
            written.push_str(&format!("$ {command}\n{output}"));
            continue;
        }
        written.push_str(line);
        written.push('\n');
    }
    written
}

/// The states that a document shows, and those that they are now.
#[derive(Default)]
struct States(Vec<(String, String)>);

impl States {
    fn learn(&mut self, before: &str, now: &str) {
        let shown = Regex::new(STATE).unwrap();
        let tags = |text| shown.captures_iter(text).map(|found| found[1].to_owned()).collect::<Vec<_>>();
        self.0.extend(tags(before).into_iter().zip(tags(now)));
    }

    /// A command as it is written, with the states of now.
    fn as_now(&self, command: &str) -> String {
        self.0.iter().fold(command.to_owned(), |command, (before, now)| command.replace(before, now))
    }
}

/// What shows a state.
const STATE: &str = r"\bstate ([0-9a-z]{10})\b";

/// A place with the examples in it, as in a clone where the shop was made.
fn examples() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let copied =
        Command::new("cp").arg("-R").arg(root().join("examples")).arg(place.path()).status().unwrap();
    assert!(copied.success());
    shop::make(&place.path().join("shop.db")).unwrap();
    place
}

fn form(text: &str) -> String {
    let patterns = [
        (r"\bwip_[0-9A-Za-z_-]{43}\b", "TOKEN"),
        (r"\bstate [0-9a-z]{10}, not [0-9a-z]{10}\b", "state TAG, not TAG"),
        (STATE, "state TAG"),
        (r"--if [0-9a-z]{10}\b", "--if TAG"),
        (r#""state":"[0-9a-z]{10}""#, r#""state":"TAG""#),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME"),
        (r#"(next_cursor"?:\s*"?)[A-Za-z0-9_-]{40,}"#, "${1}CURSOR"),
    ];
    let replace = |text: String, (pattern, with): &(&str, &str)| {
        Regex::new(pattern).unwrap().replace_all(&text, *with).into_owned()
    };
    patterns.iter().fold(text.to_owned(), replace)
}

#[test]
fn every_transcript_is_true() {
    let mut blocks = 0;
    for document in documents() {
        let text = std::fs::read_to_string(&document).unwrap();
        blocks += text.matches("```console").count();
        let now = rewritten(&text);
        if form(&now) == form(&text) {
            continue;
        }
        if std::env::var_os("WIP_UPDATE_DOCS").is_some() {
            std::fs::write(&document, now).unwrap();
            continue;
        }
        let (written, now) = (form(&text), form(&now));
        let (mut written, mut now) = (written.lines(), now.lines());
        let differing = std::iter::repeat_with(|| (written.next(), now.next())).find(|(a, b)| a != b);
        let (written, now) = differing.unwrap();
        panic!(
            "{} is out of date; WIP_UPDATE_DOCS=1 writes it anew\nit says: {}\nit is:   {}",
            document.display(),
            written.unwrap_or("(nothing more)"),
            now.unwrap_or("(nothing more)"),
        );
    }
    assert!(blocks > 0, "no document has a transcript");
}

#[test]
#[should_panic(expected = "cannot open /gone/from/here")]
fn a_server_that_does_not_start_says_why() {
    serve("wip serve /gone/from/here", &root());
}
