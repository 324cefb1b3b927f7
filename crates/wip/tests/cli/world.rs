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
    assert!(said.contains("hint: start a Host with `wip serve DIRECTORY`"), "{said}");
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
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_a_look_and_says_so() {
    let (url, connected) = silent();
    let child = started(program().args(["tree", "--at", &url]));
    connected.recv().unwrap();
    signal(&child, "-INT");
    assert_eq!(ended(child).failed(130), "error: interrupted\n");
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
