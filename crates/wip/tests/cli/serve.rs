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
        (vec!["serve", file.to_str().unwrap()], 2, "is neither a directory nor a SQLite database"),
        (vec!["serve", "/gone/from/here"], 1, "cannot open /gone/from/here"),
        (vec!["serve", here, here], 2, "hint: give one of them another name: NAME="),
        (vec!["serve", "/"], 2, "hint: give it one: NAME=/"),
        (vec!["serve", here, "--listen", "nowhere"], 2, "an address is written 127.0.0.1:8420"),
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
        let read = wip(&["invoke", "/here/a.md", "read_text", "--output", "-", "--at", url]);
        assert_eq!((read.code, read.stdout.as_str()), (0, "# A\n"));
        signal(&child, ending);
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        let ran = crate::run::ended(child);
        let ran = Ran { stdout: rest, ..ran };
        assert_eq!(ran.ok(), "");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_port_in_use_is_said_once() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let dir = directory();
    for listen in [port.to_string(), format!(":{port}"), format!("localhost:{port}")] {
        let said = wip(&["serve", dir.path().to_str().unwrap(), "--listen", &listen]).failed(1);
        let wanted = format!(
            "error: cannot listen at 127.0.0.1:{port}: Address already in use (os error 98)\nhint: --listen 127.0.0.1:0 takes a free port\n"
        );
        assert_eq!(said, wanted);
    }
}

#[test]
#[cfg(unix)]
fn asked_again_it_ends_at_once() {
    use std::io::Write;
    let dir = directory();
    let mut child =
        started(program().args(["serve", dir.path().to_str().unwrap(), "--listen", "127.0.0.1:0"]));
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    let url = line.trim_end().strip_prefix("listening on ").unwrap();
    let address = url.strip_prefix("http://").unwrap().trim_end_matches('/');
    let mut request = std::net::TcpStream::connect(address).unwrap();
    let head = format!(
        "POST /v1/fetch HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: 9\r\nexpect: 100-continue\r\n\r\n"
    );
    request.write_all(head.as_bytes()).unwrap();
    // Its body is awaited now.
    let mut answered = [0; 12];
    request.read_exact(&mut answered).unwrap();
    assert_eq!(&answered, b"HTTP/1.1 100");
    signal(&child, "-INT");
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    stderr.read_line(&mut said).unwrap();
    let wanted = "stopping: waiting for requests under way, up to 15 s; Ctrl-C again to stop at once\n";
    assert_eq!(said, wanted);
    signal(&child, "-INT");
    let mut said = String::new();
    stderr.read_to_string(&mut said).unwrap();
    assert_eq!(said, "error: stopped at once; what calls under way have done is not known\n");
    assert_eq!(crate::run::ended(child).code, -2);
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
    assert_eq!(ran.stdout, "# A\n");
    std::fs::write(dir.path().join("docs/a.md"), "# B is longer\n").unwrap();
    assert!(read(&state).failed(4).contains(&state));
}

#[test]
fn things_are_changed_only_where_that_is_offered_and_only_in_the_state_that_was_seen() {
    let home = crate::serving::Home::new();
    let readable = home.serve(&["docs", "--listen", "0"], 1);
    let said = home.wip(&["invoke", "/docs", "create_file", "name=b.md", "--at", readable.url()]).failed(3);
    assert!(said.contains("create_file"), "{said}");
    // Whoever opens the directory himself can have it otherwise.
    let said = home.wip(&["invoke", "/docs", "create_file", "name=b.md", "--at", "docs"]).failed(3);
    assert!(said.ends_with("meant to change something: that is offered only with --writable\n"), "{said}");
    let said = home.wip(&["invoke", "/docs", "creat", "--at", "docs", "--writable"]).failed(3);
    assert!(!said.contains("offered only with"), "{said}");

    let writable = home.serve(&["docs", "--listen", "0", "--writable", "--allow-anonymous"], 1);
    let at = ["--at", writable.url()];
    let state = || {
        let text = home.wip(&[&["inspect", "/docs/a.md"][..], &at].concat()).ok();
        text.lines().nth(1).unwrap().strip_prefix("// state ").unwrap().to_owned()
    };
    let seen = state();
    let write = |text: &str| {
        let text = format!("text={text}");
        home.wip(&[&["invoke", "/docs/a.md", "write", &text, "--if", &seen][..], &at].concat())
    };
    let done = write("one").ok();
    assert_eq!(done.lines().next(), Some("done"));
    // The state that it has now is told, and is the one that is shown.
    assert_eq!(done.lines().last(), Some(&*format!("state {}", state())));
    let json = |words: &[&str]| {
        home.wip(&[&["invoke", "/docs/a.md"], words, &["-o", "json"], &at].concat()).json()["state"].clone()
    };
    assert_eq!(json(&["read_text"]), serde_json::Value::Null, "nothing has changed");
    assert_eq!(json(&["append", "text=!"]), state());
    let refused = write("two").failed(4);
    assert!(refused.contains(&seen), "{refused}");
    assert_eq!(home.read("docs/a.md"), "one!");
    // Without `--if`, a call is bound to the state in which it finds the thing.
    assert_eq!(home.wip(&[&["invoke", "/docs/a.md", "delete"][..], &at].concat()).ok(), "deleted\n");

    let here = ["--at", "docs", "--writable"];
    let made =
        home.wip(&[&["invoke", "/docs", "create_file", "name=c.md", "text=hi"][..], &here].concat()).ok();
    assert!(made.contains("wip inspect /docs/c.md --at docs --writable"), "{made}");
    assert_eq!(home.read("docs/c.md"), "hi");
}

/// Each of them changes the state of the directory, and none of them rests on it.
#[test]
fn those_who_make_different_things_in_one_directory_do_not_meet() {
    let home = crate::serving::Home::new();
    let serving = home.serve(&["docs", "--listen", "0", "--writable", "--allow-anonymous"], 1);
    let names: Vec<String> = (0..20).map(|number| format!("name=f{number}")).collect();
    let make = |operation: &str, name: &String| {
        let mut program = home.program();
        program.args(["invoke", "/docs", operation, name, "--at", serving.url()]);
        started(&mut program)
    };
    for (operation, name) in [("create_file", "f"), ("create_directory", "d")] {
        let names: Vec<String> = names.iter().map(|given| given.replace("=f", &format!("={name}"))).collect();
        let making: Vec<_> = names.iter().map(|name| make(operation, name)).collect();
        for made in making {
            let said = crate::run::ended(made).ok();
            assert!(said.starts_with("created: /docs/"), "{said}");
        }
    }
    let made = std::fs::read_dir(home.path().join("docs")).unwrap();
    let made = made.filter(|made| !made.as_ref().unwrap().file_name().to_string_lossy().starts_with('.'));
    assert_eq!(made.count(), 41, "and the one that was there");
}
