//! WORLD: where commands look, and what happens where nobody answers as a Host does.

use std::process::Stdio;

use crate::fixture::{answering, nobody, serve, silent};
use crate::run::{ended, finished, program, signal, started, wip};

#[test]
fn the_environment_names_a_world_that_the_command_line_overrides() {
    let host = serve();
    let run = |words: &[&str], at: &str| finished(program().args(words).env("WIP_AT", at), b"");
    assert!(run(&["tree", "/notes"], &host.url).ok().starts_with("/notes/"));
    // Only what stands on the command line has to be repeated.
    assert!(!run(&["tree", "--depth", "0"], &host.url).ok().contains("--at"));
    assert_eq!(run(&["tree", "--at", &nobody()], &host.url).code, 6);
}

#[test]
fn nobody_there_is_unreachable() {
    let url = nobody();
    let said = wip(&["tree", "--at", &url]).failed(6);
    assert!(said.contains("hint: start a Host with `wip serve PATH`"), "{said}");
    // Elsewhere nobody can be expected to start one.
    assert!(!wip(&["tree", "--at", "http://host.invalid/"]).failed(6).contains("hint"));
    for words in [vec!["tree"], vec!["invoke", "/a", "read"]] {
        let (code, _) = wip(&[words, vec!["--at", &url, "-o", "json"]].concat()).json_error(6);
        assert_eq!(code, "unreachable");
    }
    let inspected = wip(&["inspect", "/a", "--at", &url, "-o", "json"]);
    assert_eq!(inspected.code, 6);
    assert_eq!(inspected.json()["objects"][0]["error"]["code"], "unreachable");
}

#[test]
fn an_answer_that_is_none_is_invalid() {
    let url = answering(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: LENGTH\r\nconnection: close\r\n\r\n{\"nonsense\":1}",
    );
    let (code, _) = wip(&["tree", "--at", &url, "-o", "json"]).json_error(7);
    assert_eq!(code, "invalid_answer");
}

#[test]
fn a_page_of_something_else_is_no_host() {
    let url = answering(
        "HTTP/1.1 404 Not Found\r\ncontent-type: text/html\r\ncontent-length: LENGTH\r\nconnection: close\r\n\r\n<p>nothing</p>",
    );
    assert_eq!(wip(&["tree", "--at", &url, "-o", "json"]).json_error(6).0, "unreachable");
}

/// Unlike one that is down, it need not be waited for.
#[test]
fn a_peer_that_refuses_this_client_is_no_peer_that_is_down() {
    let url = answering("HTTP/1.1 403 Forbidden\r\ncontent-length: LENGTH\r\nconnection: close\r\n\r\nno");
    for words in [vec!["tree"], vec!["invoke", "/a", "read"]] {
        let (code, _) = wip(&[words, vec!["--at", &url, "-o", "json"]].concat()).json_error(4);
        assert_eq!(code, "forbidden");
    }
}

#[test]
fn worlds_that_are_none_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path().to_str().unwrap();
    for (at, code, message) in [
        (vec!["http://a/", "http://b/"], 2, "a WORLD is one endpoint, or sources"),
        (vec!["http://a/", here], 2, "a WORLD is one endpoint, or sources"),
        (vec!["http://"], 2, "is no URL"),
        (vec!["localhost:8420"], 1, "hint: an endpoint is written http://localhost:8420/"),
        (vec!["/gone/from/here"], 1, "cannot open /gone/from/here"),
        (vec![here, here], 2, "two sources are named"),
    ] {
        let at: Vec<&str> = at.iter().flat_map(|at| ["--at", at]).collect();
        let said = wip(&[vec!["tree"], at].concat()).failed(code);
        assert!(said.contains(message), "{said}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let host = serve();
    let mut child = program()
        .args(["tree", "--at", &host.url])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn logs_go_to_stderr_when_asked_for() {
    let host = serve();
    let ran = host.wip(&["tree", "/notes", "-vvv"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.starts_with("/notes/") && !ran.stderr.is_empty());
    for loud in ["-v", "-vv"] {
        let ran = host.wip(&["inspect", "/notes", "/gone", loud]);
        let without_times: Vec<&str> = ran
            .stderr
            .lines()
            .filter(|line| line.contains("INFO"))
            .map(|line| line.split(", ").next().unwrap())
            .collect();
        // The last one is for the hint.
        let asked = " INFO capabilities: ok\n INFO fetch of 2 entries: ok\n INFO fetch_tree /: ok";
        let logged = without_times.join("\n");
        assert_eq!(logged, asked, "{}", ran.stderr);
        assert!(!ran.stderr.contains("hyper"), "{}", ran.stderr);
    }
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_a_look_and_says_so() {
    let (url, connected) = silent();
    let child = started(program().args(["tree", "--at", &url]));
    connected.recv().unwrap();
    signal(&child, "-INT");
    // By the signal, as shells need to see it to stop a loop.
    assert_eq!(ended(child).failed(-2), "error: interrupted\n");
}

#[test]
#[cfg(unix)]
fn a_shell_stops_its_loop_when_a_look_is_interrupted() {
    use std::os::unix::process::CommandExt;
    let (url, connected) = silent();
    let mut shell = std::process::Command::new("bash");
    let wip = env!("CARGO_BIN_EXE_wip");
    shell.args(["-c", &format!("for i in 1 2; do {wip} tree --at {url}; done; echo went on")]);
    // As a terminal has it: the signal goes to the shell and what it runs.
    let child = started(shell.process_group(0));
    connected.recv().unwrap();
    let sent = std::process::Command::new("kill").args(["-INT", "--", &format!("-{}", child.id())]).status();
    assert!(sent.unwrap().success());
    let ran = ended(child);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (-2, "", "error: interrupted\n"));
}

#[test]
#[cfg(unix)]
fn ctrl_c_during_a_read_leaves_nothing_unknown() {
    let host = serve();
    for (signals, code) in [("-INT", -2), ("-TERM", -15)] {
        let child = started(program().args(["invoke", "/notes/today", "wait", "--at", &host.url]));
        host.wait_for_hang();
        signal(&child, signals);
        assert_eq!(ended(child).failed(code), "error: interrupted\n");
    }
    let child = started(program().args(["invoke", "/notes/today", "wait", "-o", "json", "--at", &host.url]));
    host.wait_for_hang();
    signal(&child, "-INT");
    assert_eq!(ended(child).json_error(-2).0, "local");
}

#[test]
#[cfg(target_os = "linux")]
fn what_cannot_be_written_is_said_on_stderr() {
    let host = serve();
    for words in [vec!["tree"], vec!["tree", "-o", "json"], vec!["tree", "/gone", "-o", "json"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let child = program()
            .args([words.clone(), vec!["--at", &host.url]].concat())
            .stdout(full)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let ran = ended(child);
        assert!(ran.code != 0 && ran.stderr.contains("cannot write to stdout: No space left"), "{ran:?}");
    }
}

#[test]
fn hidden_and_ignored_names_of_sources_are_shown_when_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    for (name, content) in [(".gitignore", "*.log\n"), ("a.log", ""), (".hidden", "")] {
        std::fs::write(docs.join(name), content).unwrap();
    }
    let at = docs.to_str().unwrap();
    let hint = "hint: hidden and ignored names are left out; --hidden and --no-ignore offer them too\n";
    for name in ["a.log", ".hidden"] {
        let path = format!("/docs/{name}");
        assert!(!wip(&["tree", "--at", at]).ok().contains(name));
        assert!(wip(&["inspect", &path, "--at", at]).failed(3).ends_with(hint));
        assert!(wip(&["tree", "--at", at, "--hidden", "--no-ignore"]).ok().contains(name));
        wip(&["--hidden", "--no-ignore", "inspect", &path, "--at", at]).ok();
    }
    let said = wip(&["inspect", "/docs/.gone", "--hidden", "--no-ignore", "--at", at]).failed(3);
    assert!(said.ends_with(&format!("wip tree /docs --depth 1 --at {at} --hidden --no-ignore\n")), "{said}");
    let host = serve();
    let hint =
        "hint: hidden or ignored names may be left out; `wip serve --hidden --no-ignore` offers them too\n";
    assert!(host.wip(&["inspect", "/notes/.env"]).failed(3).ends_with(hint));
    assert!(!host.wip(&["inspect", "/notes/env"]).failed(3).contains("hidden"));
    assert!(host.wip(&["tree", "--hidden"]).failed(2).contains("is an endpoint"));
}

#[test]
fn sources_that_are_separated_wrongly_are_told_how() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("a")).unwrap();
    std::fs::create_dir(dir.path().join("b")).unwrap();
    let run = |at: &str| {
        finished(program().args(["tree", "--depth", "0"]).current_dir(dir.path()).env("WIP_AT", at), b"")
    };
    assert_eq!(run("a:b").code, 0);
    for at in ["a,b", "a b", "a;b"] {
        assert!(run(at).failed(1).contains("hint: several sources are separated by `:` in WIP_AT"), "{at}");
    }
    assert!(!run("gone").failed(1).contains("hint"));
}

#[test]
#[cfg(unix)]
fn ctrl_c_during_a_call_leaves_its_outcome_unknown() {
    let host = serve();
    let child = started(program().args(["invoke", "/notes/today", "hang", "--at", &host.url]));
    host.wait_for_hang();
    signal(&child, "-INT");
    let said = ended(child).failed(5);
    assert!(said.contains("it is not known whether `hang` was done"), "{said}");
    assert!(said.contains("hint: see what became of it: wip inspect /notes/today"), "{said}");
}
