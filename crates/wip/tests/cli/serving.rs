//! A running `wip serve`, and its user's directory.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use tempfile::NamedTempFile;

use crate::run::{Ran, finished, program};

/// A directory with something to offer, and room for what the program keeps.
pub(crate) struct Home(tempfile::TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        home.write("docs/a.md", "# A\n");
        home
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, content: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// The program, run there.
    pub(crate) fn program(&self) -> Command {
        let mut program = program();
        program.current_dir(self.path()).env("XDG_STATE_HOME", self.path().join("state"));
        program
    }

    pub(crate) fn wip(&self, words: &[&str]) -> Ran {
        finished(self.program().args(words), b"")
    }

    /// As [`Self::wip`], with a token in the environment.
    pub(crate) fn wip_with(&self, token: &str, words: &[&str]) -> Ran {
        finished(self.program().args(words).env("WIP_TOKEN", token), b"")
    }

    /// A new token for that name, from a file of tokens.
    pub(crate) fn token(&self, file: &str, name: &str) -> String {
        let ran = self.wip(&["token", "new", name, "--file", file]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stdout.trim_end().to_owned()
    }

    #[cfg(unix)]
    pub(crate) fn allow(&self, name: &str, mode: u32) {
        use std::os::unix::fs::PermissionsExt;
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(self.path().join(name), permissions).unwrap();
    }

    /// `wip serve` with these words, once it listens at so many addresses.
    pub(crate) fn serve(&self, words: &[&str], listeners: usize) -> Serving {
        let mut program = self.program();
        program.arg("serve").args(words);
        Self::serving(program, listeners)
    }

    /// As [`Self::serve`], by a process that may have so many open files.
    #[cfg(target_os = "linux")]
    pub(crate) fn serve_with_descriptors(&self, most: u32, words: &[&str]) -> Serving {
        let mut shell = Command::new("sh");
        shell.current_dir(self.path()).env("XDG_STATE_HOME", self.path().join("state"));
        shell.args(["-c", &format!("ulimit -n {most}; exec \"$0\" serve \"$@\""), env!("CARGO_BIN_EXE_wip")]);
        shell.args(words);
        Self::serving(shell, 1)
    }

    fn serving(mut program: Command, listeners: usize) -> Serving {
        // A file takes whatever it logs, where a pipe that nobody reads would make it wait.
        let said = NamedTempFile::new().unwrap();
        let stderr = File::options().append(true).open(said.path()).unwrap();
        program.stdout(Stdio::piped()).stderr(stderr);
        let mut child = program.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut urls = Vec::new();
        for _ in 0..listeners {
            let mut line = String::new();
            stdout.read_line(&mut line).unwrap();
            match line.trim_end().strip_prefix("listening on ") {
                Some(url) => urls.push(url.to_owned()),
                None => panic!("it does not listen: {line}{}", everything(&said)),
            }
        }
        Serving { child, urls, said, _stdout: stdout }
    }
}

/// A server, which ends with the test.
pub(crate) struct Serving {
    pub(crate) child: Child,
    pub(crate) urls: Vec<String>,
    /// Its stderr.
    said: NamedTempFile,
    /// Kept open, so that whatever else it prints has a reader.
    _stdout: BufReader<ChildStdout>,
}

impl Serving {
    pub(crate) fn url(&self) -> &str {
        &self.urls[0]
    }

    /// Ends it; what it said on stderr.
    pub(crate) fn said(mut self) -> String {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        everything(&self.said)
    }

    /// Whether that stands on its stderr by now.
    #[cfg(target_os = "linux")]
    pub(crate) fn says(&self, text: &str) -> bool {
        everything(&self.said).contains(text)
    }

    /// The line of stderr that begins so and was printed before it listened, without that beginning.
    pub(crate) fn line(&self, begin: &str) -> String {
        let said = everything(&self.said);
        let line = said.lines().find_map(|line| line.strip_prefix(begin));
        line.unwrap_or_else(|| panic!("no line begins with {begin}: {said}")).to_owned()
    }
}

fn everything(file: &NamedTempFile) -> String {
    std::fs::read_to_string(file.path()).unwrap()
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
