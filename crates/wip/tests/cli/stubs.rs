//! `wip gen` and `wip idl rust`.

use serde_json::json;

use crate::fixture::{nobody, serve};
use crate::run::wip_reading;
use crate::serving::Home;

const TYPES: &str = "type Reason = enum { done };\n";
const ISSUE: &str = "use \"types.wip\";\ninterface issue.lifecycle {\n  @guarded\n  operation close(reason: Reason) -> unit;\n}\n";
const LANGUAGES: [(&str, &[&str]); 3] = [
    ("rust", &["issue.rs"]),
    ("typescript", &["issue.ts", "wip_runtime.ts"]),
    ("python", &["issue.py", "wip_runtime.py"]),
];

fn home() -> Home {
    let home = Home::new();
    home.write("types.wip", TYPES);
    home.write("issue.wip", ISSUE);
    home
}

#[test]
fn clients_are_written_of_files_and_of_those_they_use() {
    let home = home();
    for (language, files) in LANGUAGES {
        let words = ["gen", language, "--idl", "issue.wip", "--to", "made/here"];
        let wrote: Vec<String> = files.iter().map(|file| format!("wrote made/here/{file}\n")).collect();
        assert_eq!(home.wip(&words).ok(), wrote.concat());
        assert!(home.read(&format!("made/here/{}", files[0])).contains("IssueLifecycle"));
        let again: Vec<String> = files.iter().map(|file| format!("unchanged: made/here/{file}\n")).collect();
        assert_eq!(home.wip(&words).ok(), again.concat());
    }
    let ran = home.wip(&["gen", "rust", "--idl", "issue.wip", "--module", "calls", "-o", "json"]);
    let written = json!({"files": [{"file": "./calls.rs", "changed": true}],
        "interfaces": ["issue.lifecycle"], "left_out": []});
    assert_eq!(ran.json(), written);
}

#[test]
fn nothing_of_an_author_is_written_over() {
    let home = home();
    home.write("issue.py", "print('mine')\n");
    let said = home.wip(&["gen", "python", "--idl", "issue.wip"]).failed(1);
    assert_eq!(
        said,
        "error: ./issue.py was not made by `wip gen`, and is left alone\n\
         hint: move it away, or write elsewhere with --to DIR or --module NAME\n"
    );
    assert_eq!(home.read("issue.py"), "print('mine')\n");
    assert!(!home.path().join("wip_runtime.py").exists());
    for to in ["issue.py", "issue.py/made"] {
        let said = home.wip(&["gen", "python", "--idl", "issue.wip", "--to", to]).failed(1);
        assert!(said.starts_with(&format!("error: cannot make the directory {to}: ")), "{said}");
    }
}

#[test]
fn faults_of_a_file_are_told_and_nothing_is_written() {
    let home = home();
    home.write("types.wip", "type Reazon = enum { done };\n");
    for words in [&["gen", "rust", "--idl", "issue.wip"][..], &["idl", "rust", "issue.wip"]] {
        let said = home.wip(words).failed(1);
        assert!(said.contains("error: ") && said.contains("issue.wip:4:27"), "{said}");
        assert!(said.contains("Reazon"), "{said}");
    }
    assert!(!home.path().join("issue.rs").exists());
}

#[test]
fn what_makes_no_sense_is_told_before_anything_is_done() {
    let home = home();
    home.write("none.wip", TYPES);
    for (words, code, said) in [
        (
            &["gen", "rust", "--idl", "issue.wip", "--module", "a b"][..],
            2,
            "--module takes a name such as a_b",
        ),
        (
            &["gen", "python", "--idl", "issue.wip", "--module", "json"],
            2,
            "--module takes a name such as json_",
        ),
        (&["gen", "rust", "--idl", "issue.wip", "--at", "."], 2, "--idl and --at both say"),
        (&["gen", "cobol"], 2, "[possible values: rust, typescript, python]"),
        (&["gen", "rust", "--idl", "missing.wip"], 1, "there is no file missing.wip"),
        (&["gen", "rust", "--idl", "none.wip"], 1, "none.wip declares no interface"),
    ] {
        let told = home.wip(words).failed(code);
        assert!(told.contains(said), "{words:?}: {told}");
    }
}

#[test]
fn interfaces_are_found_in_a_world() {
    let home = home();
    home.write("docs/a.txt", "a\n");
    // By a walk, and at the Objects that are named.
    assert_eq!(home.wip(&["gen", "rust", "--at", "docs"]).ok(), "wrote ./interfaces.rs\n");
    let found = home.read("interfaces.rs");
    assert!(
        found.contains("pub struct FilesDirectory(") && found.contains("pub struct FilesFile("),
        "{found}"
    );
    let words = ["gen", "rust", "/docs/a.txt", "--at", "docs", "--module", "file"];
    assert_eq!(home.wip(&words).ok(), "wrote ./file.rs\n");
    assert!(!home.read("file.rs").contains("FilesDirectory"));
    let said = home.wip(&["gen", "rust", "/docs/b.txt", "--at", "docs"]).failed(3);
    assert!(said.contains("nothing is at `/docs/b.txt`"), "{said}");
}

#[test]
fn interfaces_of_one_name_that_differ_are_told_apart() {
    let home = home();
    let database = rusqlite::Connection::open(home.path().join("shop.db")).unwrap();
    database.execute_batch("CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (name TEXT);").unwrap();
    home.wip(&["gen", "typescript", "--at", "shop.db", "--module", "shop"]).ok();
    let made = home.read("shop.ts");
    assert!(made.contains("class ASqlTable ") && made.contains("class BSqlTable "), "{made}");
}

#[test]
fn traits_are_printed_for_an_author() {
    let home = home();
    let expected = "use worldspace_host::{Call, Done, Refusal, WipType, interface};\n\n\
        #[derive(Debug, Clone, Copy, PartialEq, Eq, WipType)]\npub enum Reason {\n    Done,\n}\n\n\
        #[interface(name = \"issue.lifecycle\")]\npub trait IssueLifecycle {\n    #[guarded]\n    \
        async fn close(&self, call: Call, reason: Reason) -> Result<Done<()>, Refusal>;\n}\n";
    assert_eq!(home.wip(&["idl", "rust", "issue.wip"]).ok(), expected);
    let ran = home.wip(&["idl", "rust", "issue.wip", "-o", "json"]);
    assert_eq!(ran.json(), json!({"rust": expected}));
}

#[test]
fn interfaces_are_found_at_a_running_server() {
    let home = home();
    home.write("docs/a.txt", "a\n");
    let serving = home.serve(&["docs", "--listen", "127.0.0.1:0"], 1);
    let words = ["gen", "python", "--at", serving.url(), "--to", "made", "--module", "files"];
    assert_eq!(home.wip(&words).ok(), "wrote made/files.py\nwrote made/wip_runtime.py\n");
    // What is opened here says the same as what is served.
    home.wip(&["gen", "python", "--at", "docs", "--module", "files"]).ok();
    assert_eq!(home.read("made/files.py"), home.read("files.py"));
    let said = home.wip(&["gen", "python", "--at", &nobody()]).failed(6);
    assert!(said.starts_with("error: the Host cannot be reached"), "{said}");
}

#[test]
fn what_a_walk_leaves_out_is_told_and_all_else_is_written() {
    let home = home();
    let small = serve();
    // What hides its children is not walked into.
    assert_eq!(
        home.wip(&["gen", "rust", "--at", &small.url, "--to", "made"]).ok(),
        "wrote made/interfaces.rs\n"
    );
    let made = home.read("made/interfaces.rs");
    assert!(made.contains("pub struct Note(") && made.contains("pub struct Other("), "{made}");
    // Who names an Object wants all of it.
    let said = home.wip(&["gen", "rust", "/日本/broken", "--at", &small.url]).failed(3);
    assert!(said.starts_with("error: /::gone: "), "{said}");

    let deep = "deep/".repeat(20);
    home.write(&format!("{deep}a.txt"), "a\n");
    let ran = home.wip(&["gen", "rust", "--at", "deep", "-o", "json"]);
    let left_out = ran.json()["left_out"][0].as_str().unwrap().to_owned();
    assert!(left_out.ends_with(
        "(it is too deep); name Objects there as PATHs, and all others whose interfaces are wanted"
    ));
}

#[test]
fn a_file_can_come_from_stdin() {
    let home = home();
    let ran = wip_reading(
        &["gen", "rust", "--idl", "-", "--to", &home.path().to_string_lossy()],
        b"interface a {}",
    );
    assert!(ran.ok().ends_with("interfaces.rs\n"));
    assert!(home.read("interfaces.rs").contains("pub struct A("));
}
