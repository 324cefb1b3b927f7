//! Runs the program.

use std::io::Write;
use std::process::{Child, Command, Stdio};

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The exit status, or the number of the signal that ended it as a negative one.
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Stdout of a run that went well and said nothing else.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{}", self.stdout);
        self.stdout
    }

    /// Stderr of a run that failed in this way.
    #[track_caller]
    pub(crate) fn failed(self, code: i32) -> String {
        assert_eq!(self.code, code, "{}{}", self.stdout, self.stderr);
        self.stderr
    }

    /// The one document on stdout.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        assert_eq!(self.stderr, "");
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }

    /// Code and message of a failure that was told as JSON.
    #[track_caller]
    pub(crate) fn json_error(&self, code: i32) -> (String, String) {
        assert_eq!(self.code, code, "{}", self.stdout);
        let error = &self.json()["error"];
        let text = |member: &str| error[member].as_str().unwrap().to_owned();
        (text("code"), text("message"))
    }
}

/// The program with nothing of its surroundings that could change what it prints.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wip"));
    for name in ["WIP_AT", "WIP_TOKEN", "XDG_STATE_HOME", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"]
    {
        command.env_remove(name);
    }
    command
}

pub(crate) fn wip(words: &[&str]) -> Ran {
    wip_reading(words, b"")
}

/// As [`wip`], with something on stdin.
pub(crate) fn wip_reading(words: &[&str], stdin: &[u8]) -> Ran {
    finished(program().args(words), stdin)
}

pub(crate) fn finished(command: &mut Command, stdin: &[u8]) -> Ran {
    let mut child = started(command);
    // A program that does not read its stdin may be gone by now.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    ended(child)
}

pub(crate) fn started(command: &mut Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Asks a program that this test started to end.
#[cfg(unix)]
pub(crate) fn signal(child: &Child, signal: &str) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

pub(crate) fn ended(child: Child) -> Ran {
    let output = child.wait_with_output().unwrap();
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&output.status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    Ran {
        code: output.status.code().or(signal.map(|signal| -signal)).unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
