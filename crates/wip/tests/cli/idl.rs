//! `wip idl` and `wip inspect --idl`: files that declare interfaces.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::fixture::serve;
use crate::run::{Ran, finished, program, wip};

/// Files in a place of their own.
struct Place(tempfile::TempDir);

const SOUND: &str =
    "interface a {\n  @read\n  operation o(x: string) -> { y: Z };\n  type Z = enum { b, c };\n}\n";
const UNTIDY: &str = "interface a{operation o()->unit;} // kept\n";
const FAULTY: &str = "interface a {\n  operation o() -> strin;\n  operation o() -> unit\n}\n";

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            place.write(name, text);
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn wip(&self, words: &[&str]) -> Ran {
        self.wip_reading(words, "")
    }

    fn wip_reading(&self, words: &[&str], stdin: &str) -> Ran {
        finished(program().current_dir(self.0.path()).args(words), stdin.as_bytes())
    }
}

#[test]
fn sound_files_are_counted() {
    let place = Place::new(&[("a.wip", SOUND), ("b.wip", "interface b {}\ninterface c {}\n")]);
    assert_eq!(place.wip(&["idl", "check", "a.wip"]).ok(), "no errors in 1 file with 1 interface\n");
    assert_eq!(
        place.wip(&["idl", "check", "a.wip", "b.wip"]).ok(),
        "no errors in 2 files with 3 interfaces\n"
    );
    let ran = place.wip(&["idl", "check", "a.wip", "-o", "json"]);
    assert_eq!((ran.code, ran.json()), (0, json!({"diagnostics": []})));
    assert_eq!(place.wip_reading(&["idl", "check", "-"], SOUND).code, 0);
}

#[test]
fn everything_that_is_wrong_is_told_in_one_run() {
    let place = Place::new(&[("a.wip", FAULTY), ("b.wip", "use \"a.wip\";\ntype A = \"\u{1b}\u{202e}\";\n")]);
    let ran = place.wip(&["idl", "check", "a.wip", "gone.wip", "b.wip"]);
    let told = ran.failed(1);
    for said in
        ["a.wip:2:", "strin", "a.wip:3:", "b.wip:2:", "error: there is no file gone.wip", "\n6 errors\n"]
    {
        assert!(told.contains(said), "{said}\n{told}");
    }
    assert!(!told.contains('\u{1b}') && !told.contains('\u{202e}'), "{told}");
    let ran = place.wip(&["idl", "check", "a.wip", "gone.wip", "-o", "json"]);
    assert_eq!(ran.code, 1);
    let document = ran.json();
    let told = document["diagnostics"].as_array().unwrap();
    let places: Vec<_> =
        told.iter().map(|told| (told["file"].as_str().unwrap(), told["line"].as_u64().unwrap())).collect();
    assert_eq!(places[0], ("a.wip", 2));
    assert_eq!(*places.last().unwrap(), ("gone.wip", 1));
    assert_eq!(told[0]["column"], 20);
    for told in told {
        let known = ["file", "line", "column", "message", "help"];
        assert!(told.as_object().unwrap().keys().all(|key| known.contains(&&**key)), "{told}");
        assert!(!told["message"].as_str().unwrap().is_empty());
    }
}

#[test]
fn a_file_that_is_no_text_says_what_to_do() {
    let place = Place::new(&[("folder/a.wip", SOUND)]);
    place.write("latin.wip", b"// a\n// caf\xe9\n");
    for (words, said) in [
        (["check", "gone.wip"], "error: there is no file gone.wip\n"),
        (
            ["check", "folder"],
            "error: folder is a directory\n = help: name the files in it, such as `DIR/*.wip`\n",
        ),
        (
            ["check", "latin.wip"],
            "error: latin.wip is not UTF-8 text: line 2 has other bytes\n = help: save it as UTF-8\n",
        ),
        (["fmt", "latin.wip"], "error: latin.wip is not UTF-8 text: line 2 has other bytes\n"),
        (["show", "folder"], "error: folder is a directory\n"),
    ] {
        let told = place.wip(&[&["idl"], &words[..]].concat()).failed(1);
        assert!(told.starts_with(said), "{told}");
    }
    let told = place.wip(&["idl", "diff", "gone.wip", "folder"]).failed(1);
    assert!(told.contains("no file gone.wip") && told.contains("folder is a directory"), "{told}");
    for words in [&["idl"][..], &["idl", "check"], &["idl", "diff", "a"], &["idl", "nonsense"]] {
        place.wip(words).failed(2);
    }
}

#[test]
fn used_files_are_seen_from_the_file_that_uses_them() {
    let place = Place::new(&[
        (
            "top/a.wip",
            "use \"../shared/types.wip\";\nuse \"./b.wip\";\ninterface i { operation o(x: T, y: B) -> unit; }\n",
        ),
        ("top/b.wip", "use \"../shared/types.wip\";\ntype B = [T];\n"),
        ("shared/types.wip", "type T = string;\n"),
        ("shared/loop.wip", "use \"../shared/loop.wip\";\n"),
        ("missing.wip", "use \"gone.wip\";\nuse \"top\";\n"),
    ]);
    assert_eq!(place.wip(&["idl", "check", "top/a.wip"]).code, 0);
    let document = place.wip(&["idl", "show", "top/a.wip", "-o", "json"]).json();
    let types = document["interfaces"][0]["descriptor"]["types"].as_array().unwrap().len();
    assert_eq!(types, 2, "{document}");
    place.wip(&["idl", "check", "shared/loop.wip"]).failed(1);
    let told = place.wip(&["idl", "check", "missing.wip"]).failed(1);
    assert!(told.contains("there is no file gone.wip") && told.contains("top is a directory"), "{told}");
}

/// A file that several use is told of once.
#[test]
fn what_is_wrong_with_a_used_file_is_told_once() {
    let place = Place::new(&[
        ("a.wip", "use \"c.wip\";\n"),
        ("b.wip", "use \"c.wip\";\n"),
        ("c.wip", "type T = strin;\n"),
    ]);
    let ran = place.wip(&["idl", "check", "a.wip", "b.wip", "c.wip", "-o", "json"]);
    let document = ran.json();
    let told = document["diagnostics"].as_array().unwrap();
    let of_c = told.iter().filter(|told| told["file"] == "c.wip" && told["line"] == 1).count();
    assert_eq!((ran.code, of_c), (1, 1), "{document}");
}

#[test]
fn files_are_formatted_in_place() {
    let place = Place::new(&[("a.wip", UNTIDY), ("b.wip", SOUND), ("c.wip", FAULTY)]);
    let ran = place.wip(&["idl", "fmt", "--check", "a.wip", "b.wip"]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (1, "a.wip\n", ""));
    assert_eq!(place.read("a.wip"), UNTIDY);
    let before = fs::metadata(place.path("b.wip")).unwrap().modified().unwrap();
    let ran = place.wip(&["idl", "fmt", "a.wip", "c.wip", "b.wip"]);
    assert!(ran.failed(1).contains("c.wip:3:"));
    assert_eq!(place.read("a.wip"), "interface a {\n  operation o() -> unit;\n} // kept\n");
    assert_eq!((place.read("b.wip").as_str(), place.read("c.wip").as_str()), (SOUND, FAULTY));
    assert_eq!(fs::metadata(place.path("b.wip")).unwrap().modified().unwrap(), before, "it was written");
    assert_eq!(place.wip(&["idl", "fmt", "a.wip", "b.wip"]).ok(), "");
    let ran = place.wip(&["idl", "fmt", "--check", "a.wip", "-o", "json"]);
    assert_eq!(ran.json(), json!({"files": [{"file": "a.wip", "changed": false}], "diagnostics": []}));
    let names: Vec<_> =
        fs::read_dir(place.0.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
fn what_comes_from_stdin_goes_to_stdout() {
    let place = Place::new(&[]);
    assert_eq!(
        place.wip_reading(&["idl", "fmt", "-"], UNTIDY).ok(),
        "interface a {\n  operation o() -> unit;\n} // kept\n"
    );
    assert_eq!(place.wip_reading(&["idl", "fmt", "-"], SOUND).ok(), SOUND);
    let ran = place.wip_reading(&["idl", "fmt", "-"], FAULTY);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert_eq!(place.wip_reading(&["idl", "fmt", "--check", "-"], UNTIDY).code, 1);
}

#[test]
#[cfg(unix)]
fn permissions_and_links_stay_and_what_is_read_only_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new(&[("kept/a.wip", UNTIDY), ("b.wip", UNTIDY), ("c.wip", UNTIDY)]);
    let allow = |name, mode| fs::set_permissions(place.path(name), fs::Permissions::from_mode(mode)).unwrap();
    allow("kept/a.wip", 0o640);
    allow("b.wip", 0o444);
    std::os::unix::fs::symlink("kept/a.wip", place.path("link.wip")).unwrap();
    let ran = place.wip(&["idl", "fmt", "link.wip", "b.wip", "c.wip"]);
    assert_eq!(ran.failed(1), "error: cannot write b.wip: it is read-only\n\n1 error\n");
    assert_eq!(fs::metadata(place.path("kept/a.wip")).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(fs::symlink_metadata(place.path("link.wip")).unwrap().is_symlink());
    assert_eq!(place.read("b.wip"), UNTIDY);
    assert_eq!(place.read("kept/a.wip"), place.read("c.wip"));
}

#[test]
fn interfaces_are_shown_as_on_the_wire() {
    let place = Place::new(&[
        (
            "a.wip",
            "type T = string;\n/// Said.\n///\n/// More.\ninterface a.b {\n  @read operation o(x?: T) -> unit;\n}\ninterface \"/s::c\" {}\n",
        ),
        ("c.wip", FAULTY),
    ]);
    let document = place.wip(&["idl", "show", "a.wip", "-o", "json"]).json();
    let [first, second] = document["interfaces"].as_array().unwrap().as_slice() else { panic!("{document}") };
    assert_eq!(first["name"], "a.b");
    assert_eq!(first["descriptor"]["format"], "wip-interface/1");
    assert_eq!(first["descriptor"]["documentation"], json!({"summary": "Said.", "details": "More."}));
    assert_eq!(first["effects"], json!({"o": ["read"]}));
    assert_eq!(second["reference"], json!({"scope": "/s", "name": "c"}));
    assert!(second.get("name").is_none() && first.get("reference").is_none());
    let text = "/// Said.\n///\n/// More.\ninterface a.b {\n  type T = string;\n\n  @read\n  operation o(x?: T) -> unit;\n}\n\n\
                interface \"/s::c\" {}\n";
    assert_eq!(place.wip(&["idl", "show", "a.wip"]).ok(), text);
    let ran = place.wip(&["idl", "show", "c.wip"]);
    assert_eq!((ran.stdout.as_str(), ran.code), ("", 1));
    let ran = place.wip(&["idl", "show", "c.wip", "-o", "json"]);
    assert!(ran.code == 1 && ran.json()["diagnostics"].as_array().is_some_and(|told| !told.is_empty()));
}

#[test]
fn what_breaks_callers_stands_first_and_is_the_exit_status() {
    let place = Place::new(&[
        ("old.wip", SOUND),
        (
            "new.wip",
            "interface a {\n  @read\n  operation o(x: string, n?: string) -> { y: W };\n  type W = enum { b, c, d };\n}\ninterface z {}\n",
        ),
        ("fine.wip", "interface a {\n  @read\n  operation o(x?: string) -> { y: enum { b, c } };\n}\n"),
        ("faulty.wip", FAULTY),
    ]);
    let ran = place.wip(&["idl", "diff", "old.wip", "new.wip"]);
    let wanted = "\
breaks callers:
  a.o -> y.d: the case is new, and callers do not know it

harmless:
  a.o(n): the parameter is new, and may be left out
  a type Z: the type is named `W` now
  z: the interface is new
";
    assert_eq!((ran.code, ran.stdout.as_str()), (1, wanted));
    let ran = place.wip(&["idl", "diff", "old.wip", "fine.wip", "-o", "json"]);
    let document = ran.json();
    assert_eq!((ran.code, &document["breaks"]), (0, &json!(false)));
    assert_eq!(
        document["changes"][0],
        json!({"name": "a", "place": "a.o(x)", "what": "the parameter may be left out now", "breaks": false})
    );
    assert_eq!(place.wip(&["idl", "diff", "old.wip", "old.wip"]).ok(), "nothing changed\n");
    let ran = place.wip(&["idl", "diff", "old.wip", "faulty.wip", "-o", "json"]);
    assert!(ran.code == 1 && ran.json().get("changes").is_none());
}

#[test]
fn what_a_host_publishes_is_shown_as_a_file() {
    let host = serve();
    let text = host.wip(&["inspect", "--idl", "/notes/today", "/both", "/notes/today"]).ok();
    assert!(
        text.starts_with("/// Something written.\ninterface \"/::note\" {\n  /// Its text.\n  @read\n"),
        "{text}"
    );
    assert_eq!(text.matches("interface ").count(), 2, "each stands once");
    let place = Place::new(&[("a.wip", &text)]);
    assert_eq!(place.wip(&["idl", "check", "a.wip"]).ok(), "no errors in 1 file with 2 interfaces\n");
    assert_eq!(place.wip(&["idl", "fmt", "--check", "a.wip"]).ok(), "");
    // As the Host has it.
    let shown = place.wip(&["idl", "show", "a.wip", "-o", "json"]).json();
    let inspected = host.wip(&["inspect", "/both", "-o", "json"]).json();
    assert_eq!(shown["interfaces"], inspected["objects"][0]["interfaces"]);
    let document = host.wip(&["inspect", "--idl", "/notes/today", "/both", "-o", "json"]).json();
    assert_eq!(document, json!({"idl": text}));
}

#[test]
fn what_cannot_be_shown_as_a_file_is_said_in_it() {
    let host = serve();
    let ran = host.wip(&["inspect", "--idl", "/日本/broken", "/gone"]);
    assert_eq!(ran.code, 3);
    assert!(ran.stdout.starts_with("// /::gone cannot be shown: "), "{}", ran.stdout);
    assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains("/gone"), "{}", ran.stderr);
    let ran = host.wip(&["inspect", "--idl", "/gone", "-o", "json"]);
    assert_eq!((ran.code, &ran.json()["errors"][0]["error"]["code"]), (3, &json!("not_found")));
}

#[test]
fn nothing_is_looked_at_but_files() {
    assert!(wip(&["idl", "--help"]).ok().contains("check"));
    let place = Place::new(&[("a.wip", SOUND)]);
    let ran = finished(
        program()
            .current_dir(place.0.path())
            .env("WIP_AT", "/nowhere/at/all")
            .args(["idl", "check", "a.wip"]),
        b"",
    );
    assert_eq!(ran.code, 0);
}
