//! A directory with a generated client and programs that use it.

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;
use worldspace_projections::stubs::{Source, python};

/// Where `./check` puts mypy.
const MYPY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/test-tools/python");

pub(super) struct Project(TempDir);

impl Project {
    /// A project with a client of these interfaces; none, said on stderr, where the tools are missing.
    pub(super) fn new(module: &str, sources: &[Source]) -> Option<Self> {
        let asked = ["-c", "import sys; sys.exit(sys.version_info < (3, 11))"];
        let found = Command::new("python3").args(asked).status().is_ok_and(|status| status.success());
        if !found || !Path::new(MYPY).join("mypy").exists() {
            eprintln!("skipped: Python 3.11 or mypy in {MYPY} is not there; ./check fetches mypy by pip");
            return None;
        }
        let project = Self(tempfile::tempdir().unwrap());
        project.generate(module, sources);
        Some(project)
    }

    /// A client of these interfaces.
    pub(super) fn generate(&self, module: &str, sources: &[Source]) {
        for file in python::client(sources, module) {
            self.add(&file.name, &file.text);
        }
    }

    pub(super) fn add(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).unwrap();
    }

    /// Python in the directory of the project, with nothing of the user's own.
    fn python(&self, words: &[&str]) -> Output {
        let mut command = Command::new("python3");
        // No proxy answers here: whoever asks one has shown it the token.
        for name in ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            command.env(name, "http://127.0.0.1:1/");
        }
        command.env("PYTHONDONTWRITEBYTECODE", "1").env("MYPYPATH", ".").env("PYTHONPATH", MYPY);
        command.current_dir(self.0.path()).args(words).output().unwrap()
    }

    /// mypy finds nothing in these files.
    #[track_caller]
    pub(super) fn is_typed(&self, files: &[&str]) {
        let words = [
            "-m",
            "mypy",
            "--strict",
            "--warn-unused-ignores",
            "--python-version",
            "3.11",
            "--no-incremental",
        ];
        let ran = self.python(&[&words[..], files].concat());
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    }

    /// Runs a program, which says `ok` and nothing else.
    #[track_caller]
    pub(super) fn runs(&self, program: &str, words: &[&str]) {
        let ran = self.python(&[&["-W", "error", &*format!("{program}.py")], words].concat());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(ran.status.success() && ran.stdout == b"ok\n", "{}{}", text(&ran.stdout), text(&ran.stderr));
    }
}
