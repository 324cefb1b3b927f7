//! `wip invoke`.

use serde_json::json;

use crate::fixture::serve;
use crate::run::wip_reading;

const TEXT: &str = "# Today\n\u{1b}[31mwash up\n";

#[test]
fn text_goes_into_a_pipe_as_it_is() {
    assert_eq!(serve().wip(&["invoke", "/notes/today", "read"]).ok(), TEXT);
}

#[test]
fn results_are_shown_by_their_type() {
    let host = serve();
    for (operation, shown) in [
        ("page", "lines:  2\n\ntext:\n# Today\n\\u001b[31mwash up\n".to_owned()),
        ("raw", "3 bytes\n".to_owned()),
        ("touch", "done\n".to_owned()),
        (
            "list",
            format!(
                "items:\nentry             size\n/notes/today        12\n/notes/two words\n\nlook at next:\n  wip inspect /notes/today --at {0}\n  wip inspect '/notes/two words' --at {0}\n",
                host.url
            ),
        ),
        (
            "close",
            format!(
                "blocked: [/notes/two words]\n\nlook at next:\n  wip inspect '/notes/two words' --at {}\n",
                host.url
            ),
        ),
    ] {
        assert_eq!(host.wip(&["invoke", "/notes/today", operation]).ok(), shown);
    }
}

#[test]
fn json_holds_the_result_and_its_entries() {
    let document = serve().wip(&["invoke", "/notes/today", "list", "-o", "json"]).json();
    let items = json!([{"entry": "/notes/today", "size": 12}, {"entry": "/notes/two words"}]);
    assert_eq!(
        document,
        json!({"result": {"items": items}, "entries": ["/notes/today", "/notes/two words"]})
    );
}

#[test]
fn arguments_are_read_by_their_type_from_words_files_and_stdin() {
    let host = serve();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("data");
    std::fs::write(&file, [0, 255]).unwrap();
    let data = format!("data=@{}", file.display());
    let echo = |words: &[&str], stdin: &[u8]| {
        let words = [&["invoke", "/notes/today", "echo", "--at", &host.url, "-o", "json"], words].concat();
        wip_reading(&words, stdin).json()["result"].clone()
    };
    for (words, stdin, result) in [
        (vec![], "", json!({})),
        (vec!["text=5", "count=5"], "", json!({"text": "5", "count": 5})),
        (vec!["kind=link", "tags=a", "tags=b"], "", json!({"kind": "link", "tags": ["a", "b"]})),
        (vec!["any:={\"a\":[1,null]}"], "", json!({"any": {"a": [1, null]}})),
        (vec![data.as_str()], "", json!({"data": "[0, 255]"})),
        (vec!["text=@-"], "from stdin\n", json!({"text": "from stdin\n"})),
        (vec!["--input", "{\"count\":1}", "text=x"], "", json!({"count": 1, "text": "x"})),
        (vec!["--input", "-"], "{\"count\": 2}", json!({"count": 2})),
    ] {
        assert_eq!(echo(&words, stdin.as_bytes()), result, "{words:?}");
    }
}

#[test]
fn arguments_that_do_not_fit_are_refused_before_anything_is_sent() {
    let host = serve();
    for (words, message) in [
        (vec!["echo", "count=x"], "count: expected an integer, found \"x\""),
        (vec!["echo", "count:=1.5"], "count: expected integer"),
        (vec!["echo", "cuont=1"], "there is no parameter `cuont`; did you mean `count`?"),
        (vec!["echo", "kind=fil"], "did you mean `file`?"),
        (vec!["echo", "--input", "{\"text\":1}"], "text: expected string, found"),
        (
            vec!["echo", "--input", "{\"text\":\"a\"}", "text=b"],
            "error: text: given twice (by --input and by text=b)\n",
        ),
        (vec!["echo", "any:={\"a\":1,\"a\":1}"], "error: any: the field `a` stands twice\n"),
        (vec!["echo", "--input", "{"], "--input: not JSON"),
        (vec!["need"], "the required argument `text` is absent"),
    ] {
        let words = [vec!["invoke", "/notes/today"], words].concat();
        let said = host.wip(&words).failed(2);
        assert!(said.contains(message), "{words:?}: {said}");
        let (code, told) = host.wip(&[words, vec!["-o", "json"]].concat()).json_error(2);
        assert_eq!(code, "usage", "{told}");
    }
}

/// The one parameter that is concerned is shown, not all of them.
#[test]
fn a_refused_argument_is_shown_as_it_is_declared() {
    let host = serve();
    let look = format!("hint: see the whole operation: wip inspect /notes/today --at {}\n", host.url);
    let text = "hint: it is declared as\n/// \"What is needed.\"\ntext: string\n";
    for (words, status, wanted) in [
        (vec!["need", "text:=1"], 2, format!("error: text: expected string, found number\n{text}{look}")),
        (vec!["need"], 2, format!("error: the required argument `text` is absent\n{text}{look}")),
        (
            vec!["need", "texd=x"],
            2,
            format!("error: there is no parameter `texd`; did you mean `text`?\n{text}{look}"),
        ),
        (
            vec!["need", "xyzzy=x"],
            2,
            format!("error: there is no parameter `xyzzy`\nhint: it takes text, others\n{look}"),
        ),
        (
            vec!["read", "xyzzy=x"],
            2,
            format!("error: there is no parameter `xyzzy`\nhint: `read` takes no arguments\n{look}"),
        ),
        // The Host's word on an argument begins as this program's own.
        (
            vec!["picky", "text=x"],
            4,
            format!("error: text: is not nice\nhint: it is declared as\ntext: string\n{look}"),
        ),
        (
            vec!["need", "--input", "["],
            2,
            "error: --input: not JSON: EOF while parsing a list at line 1 column 1\n".into(),
        ),
    ] {
        let said = host.wip(&[vec!["invoke", "/notes/today"], words].concat()).failed(status);
        assert_eq!(said, wanted);
    }
    let (code, _) = host.wip(&["invoke", "/notes/today", "picky", "text=x", "-o", "json"]).json_error(4);
    assert_eq!(code, "invalid_arguments");
}

#[test]
fn what_was_written_is_not_repeated_at_length() {
    let host = serve();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("many");
    std::fs::write(&file, "x y\n".repeat(10_000)).unwrap();
    let (from_file, long) = (format!("count=@{}", file.display()), "x".repeat(10_000));
    for word in [from_file, format!("count={long}"), format!("any={long}"), format!("kind={long}")] {
        let said = host.wip(&["invoke", "/notes/today", "echo", &word]).failed(2);
        assert!(said.len() < 500, "{} bytes", said.len());
    }
    assert!(host.wip(&["invoke", "/notes/today", "echo", &long]).failed(2).len() < 500);
}

#[test]
fn words_that_are_no_arguments_are_usage_errors() {
    let host = serve();
    for (words, message) in [
        (vec!["echo", "text"], "arguments are name=value"),
        (vec!["echo", "text=@-", "--input", "-"], "stdin can be read for one argument only"),
        (vec!["echo", "--interface", "note"], "an interface is named `/scope::name`"),
        (vec!["echo", "--if", "short"], "state tag"),
        (vec!["read", "--output", "-", "-o", "json"], "leave one out"),
    ] {
        let ran = host.wip(&[vec!["invoke", "/notes/today"], words].concat());
        assert_eq!(ran.code, 2);
        assert!((ran.stdout + &ran.stderr).contains(message), "{message}");
    }
}

#[test]
fn what_is_not_there_is_not_found() {
    let host = serve();
    for (words, code, message) in [
        (vec!["invoke", "/gone", "read"], "not_found", "/gone"),
        (vec!["invoke", "/notes/today", "raed"], "operation_not_found", "did you mean"),
        (vec!["invoke", "/notes", "read"], "operation_not_found", "/notes"),
        (vec!["invoke", "/notes/today", "read", "--interface", "/::other"], "interface_not_found", "/::note"),
    ] {
        let (told, said) = host.wip(&[words, vec!["-o", "json"]].concat()).json_error(3);
        assert_eq!(told, code);
        assert!(said.contains(message), "{said}");
    }
}

#[test]
fn an_operation_of_two_interfaces_needs_one_named() {
    let host = serve();
    let said = host.wip(&["invoke", "/both", "read"]).failed(2);
    for interface in ["/::note", "/::other"] {
        let hint = format!("hint: wip invoke /both read --interface {interface} --at {}\n", host.url);
        assert!(said.contains(&hint), "{said}");
    }
    assert_eq!(host.wip(&["invoke", "/both", "read", "--interface", "/::other"]).ok(), TEXT);
}

#[test]
fn a_call_is_bound_to_the_state_that_was_shown() {
    let host = serve();
    let text = host.wip(&["inspect", "/notes/today"]).ok();
    let state = text.lines().nth(1).unwrap().strip_prefix("// state ").unwrap();
    assert_eq!(host.wip(&["invoke", "/notes/today", "read", "--if", state]).ok(), TEXT);
    host.change("/notes/today");
    let said = host.wip(&["invoke", "/notes/today", "read", "--if", state]).failed(4);
    assert!(
        said.contains(state)
            && said.contains("hint: see what and in which state it is now: wip inspect /notes/today"),
        "{said}"
    );
    let (code, _) = host.wip(&["invoke", "/notes/today", "read", "--if", state, "-o", "json"]).json_error(4);
    assert_eq!(code, "validator_mismatch");
}

#[test]
fn outcomes_have_their_exit_status() {
    let host = serve();
    assert_eq!(
        host.wip(&["invoke", "/notes/today", "forbid", "-o", "json"]).json_error(4).0,
        "permission_denied"
    );
    let vanished = host.wip(&["invoke", "/notes/today", "vanish", "-o", "json"]).json_error(5);
    assert_eq!(vanished.0, "operation_outcome_unknown");
    assert!(!vanished.1.contains("disk"), "{}", vanished.1);
    let said = host.wip(&["invoke", "/notes/today", "vanish"]).failed(5);
    assert!(said.contains("hint: see what became of it: wip inspect /notes/today"), "{said}");
}

#[test]
fn the_raw_part_of_a_result_is_written_to_a_file() {
    let host = serve();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("out");
    let path = file.to_str().unwrap();
    for (operation, content) in [
        ("raw", &b"\x00\xff\n"[..]),
        ("read", TEXT.as_bytes()),
        ("page", TEXT.as_bytes()),
        ("touch", b"null\n"),
    ] {
        let said = host.wip(&["invoke", "/notes/today", operation, "--output", path]);
        assert_eq!(said.code, 0);
        let told = &said.stdout;
        assert!(told.starts_with("wrote ") && told.ends_with(&format!(" to {path}\n")), "{told}");
        assert_eq!(std::fs::read(&file).unwrap(), content);
    }
    let (code, said) = host
        .wip(&["invoke", "/notes/today", "touch", "--output", "/nowhere/at/all", "-o", "json"])
        .json_error(1);
    assert!(code == "local" && said.contains("/nowhere/at"), "{said}");
}

/// Who asked for a file must hear that it is not the whole of what it looks like.
#[test]
fn what_a_result_says_beside_its_raw_part_is_told() {
    let host = serve();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out");
    let path = path.to_str().unwrap();
    let truncated = "warning: the result says `truncated: true`: what was written is a part\n";
    let size = "warning: the result says `size: 5`, and this is 3 of it: what was written is a part\n";
    for (operation, content, beside) in [
        ("read", TEXT, String::new()),
        ("page", TEXT, "lines: 2\n".to_owned()),
        ("some", TEXT, format!("lines: 9, truncated: true\n{truncated}")),
        ("chunk", "abc", format!("size: 5, next: c2\n{size}")),
    ] {
        let ran = host.wip(&["invoke", "/notes/today", operation, "--output", path]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, beside.as_str()), "{operation}");
        let ran = host.wip(&["invoke", "/notes/today", operation, "--output", "-"]);
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, content, beside.as_str()));
        // Programs find it in the result.
        let told = host.wip(&["invoke", "/notes/today", operation, "--output", path, "-o", "json"]).json();
        assert_eq!(told["result"]["truncated"] == true, operation == "some");
    }
    assert_eq!(host.wip(&["invoke", "/notes/today", "touch", "--output", "-"]).ok(), "null\n");
}

#[test]
fn cells_escape_line_ends_and_a_long_one_pads_no_other_row() {
    let text = serve().wip(&["invoke", "/notes/today", "wide"]).ok();
    assert_eq!(text, format!("name    size\na\\tb\\n     1\n{}     1\n", "x".repeat(200)));
}

#[test]
fn line_ends_of_two_characters_are_shown_as_line_ends() {
    let text = serve().wip(&["invoke", "/notes/today", "windows"]).ok();
    assert_eq!(text, "lines:  3\n\ntext:\none\ntwo\nthr\\ree\n");
}

#[test]
fn files_that_cannot_be_read_are_local_failures() {
    let host = serve();
    let echo = ["invoke", "/notes/today", "echo", "text=@/gone"];
    let (code, said) = host.wip(&[&echo[..], &["-o", "json"]].concat()).json_error(1);
    assert!(code == "local" && said.contains("/gone"), "{said}");
    let hint = "hint: a text that begins with @ is written 'text:=\"@/gone\"'\n";
    assert!(host.wip(&echo).failed(1).ends_with(hint));
}

#[test]
fn a_message_of_a_host_cannot_pass_for_a_hint() {
    let said = serve().wip(&["invoke", "/notes/today", "forbid"]).failed(4);
    assert_eq!(said, "error: nobody may hint: ask me\\u001b[1m\n");
}
