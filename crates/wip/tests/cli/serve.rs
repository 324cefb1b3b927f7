//! `wip serve`.

use std::io::{BufRead, BufReader, Read};

use crate::run::{Ran, program, signal, started, wip};

/// A directory to offer.
fn directory() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("docs")).unwrap();
    std::fs::write(dir.path().join("docs/a.md"), "# A\n").unwrap();
    dir
}

#[test]
fn what_cannot_be_offered_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path().to_str().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    for (words, code, message) in [
        (vec!["serve"], 2, "required"),
        (vec!["serve", file.to_str().unwrap()], 2, "is no directory"),
        (vec!["serve", "/gone/from/here"], 1, "cannot open /gone/from/here"),
        (vec!["serve", here, here], 2, "hint: give one of them another name: NAME="),
        (vec!["serve", "/"], 2, "hint: give it one: NAME=/"),
        (vec!["serve", here, "--listen", "nowhere"], 2, "--listen"),
    ] {
        let said = wip(&words).failed(code);
        assert!(said.contains(message), "{said}");
    }
}

#[test]
#[cfg(unix)]
fn a_directory_is_offered_until_the_program_is_asked_to_end() {
    let dir = directory();
    let docs = dir.path().join("docs");
    for ending in ["-TERM", "-INT"] {
        let source = format!("here={}", docs.display());
        let mut child = started(program().args(["serve", &source, "--listen", "127.0.0.1:0"]));
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let url = line.strip_prefix("listening on ").unwrap().trim_end();
        assert!(url.starts_with("http://127.0.0.1:") && line.ends_with('\n'), "{line}");
        let text = wip(&["invoke", "/here/a.md", "read_text", "--output", "-", "--at", url]).ok();
        assert_eq!(text, "# A\n");
        signal(&child, ending);
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        let ran = crate::run::ended(child);
        let ran = Ran { stdout: rest, ..ran };
        assert_eq!(ran.ok(), "");
    }
}

#[test]
fn hidden_and_ignored_names_are_offered_when_asked_for() {
    let dir = directory();
    for (name, content) in [(".gitignore", "*.log\n"), ("a.log", ""), (".hidden", "")] {
        std::fs::write(dir.path().join("docs").join(name), content).unwrap();
    }
    let docs = dir.path().join("docs");
    for (options, offered) in [(vec![], false), (vec!["--hidden", "--no-ignore"], true)] {
        let words = [vec!["serve", docs.to_str().unwrap(), "--listen", "127.0.0.1:0"], options].concat();
        let mut child = started(program().args(words));
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let tree = wip(&["tree", "--at", line.trim_end().strip_prefix("listening on ").unwrap()]).ok();
        child.kill().unwrap();
        child.wait().unwrap();
        for name in ["a.log", ".hidden"] {
            assert_eq!(tree.contains(name), offered, "{tree}");
        }
    }
}

#[test]
fn a_directory_can_be_looked_at_without_a_server() {
    let dir = directory();
    let docs = dir.path().join("docs");
    let docs = docs.to_str().unwrap();
    assert!(wip(&["tree", "--at", docs]).ok().contains("docs/"));
    let inspect = || {
        let text = wip(&["inspect", "/docs/a.md", "--at", docs]).ok();
        text.lines().nth(1).unwrap().strip_prefix("// state ").unwrap().to_owned()
    };
    let read = |state: &str| {
        wip(&["invoke", "/docs/a.md", "read_text", "--if", state, "--output", "-", "--at", docs])
    };
    // What was written a moment ago may have a state that no other process finds again.
    let mut tries = std::iter::repeat_with(|| {
        let state = inspect();
        (read(&state), state)
    });
    let (ran, state) = tries.by_ref().take(1000).find(|(ran, _)| ran.code == 0).unwrap();
    assert_eq!(ran.ok(), "# A\n");
    std::fs::write(dir.path().join("docs/a.md"), "# B is longer\n").unwrap();
    assert!(read(&state).failed(4).contains(&state));
}
