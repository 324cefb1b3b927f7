//! `wip inspect`.

use crate::fixture::serve;

#[test]
fn an_object_is_shown_with_its_state_and_its_operations() {
    let text = serve().wip(&["inspect", "/notes/today"]).ok();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("// /notes/today"));
    let state = lines.next().unwrap().strip_prefix("// state ").unwrap();
    assert!(state.len() == 10 && state.chars().all(|c| c.is_ascii_alphanumeric()), "{state}");
    let rest: Vec<&str> = lines.collect();
    let wanted = "\
object {
  name: \"today\";
  description: \"What to do today\";
  interfaces: [\"/::note\"];
}

/// \"Something written.\"
interface \"/::note\" {
  /// \"Its text.\"
  @read
  operation read() -> string;";
    assert_eq!(rest[..wanted.lines().count()].join("\n"), wanted);
    assert!(text.ends_with("}\n"));
}

#[test]
fn several_are_shown_and_the_first_failure_is_the_status() {
    let host = serve();
    let ran = host.wip(&["inspect", "/notes", "/gone", "/both"]);
    assert_eq!(ran.code, 3);
    assert!(
        ran.stdout.starts_with("// /notes\n") && ran.stdout.contains("}\n\n// /both\n"),
        "{}",
        ran.stdout
    );
    assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains("/gone"), "{}", ran.stderr);
}

#[test]
fn json_holds_objects_and_errors_in_order() {
    let ran = serve().wip(&["inspect", "/both", "/gone", "-o", "json"]);
    assert_eq!(ran.code, 3);
    let document = ran.json();
    let [both, gone] = document["objects"].as_array().unwrap().as_slice() else { panic!("{document}") };
    assert_eq!(both["entry"], "/both");
    assert_eq!(both["state"].as_str().unwrap().len(), 10);
    assert_eq!(both["object"]["name"], "both");
    let [note, other] = both["interfaces"].as_array().unwrap().as_slice() else { panic!("{both}") };
    assert_eq!(note["reference"], serde_json::json!({"scope": "/", "name": "note"}));
    assert_eq!(note["descriptor"]["format"], "wip-interface/1");
    assert_eq!(note["effects"]["read"], serde_json::json!(["read"]));
    assert_eq!(note["effects"]["touch"], serde_json::json!([]));
    assert_eq!(other["reference"]["name"], "other");
    assert_eq!((&gone["entry"], &gone["error"]["code"]), (&"/gone".into(), &"not_found".into()));
}

#[test]
fn an_interface_that_is_not_there_is_said_beside_the_object() {
    let host = serve();
    let ran = host.wip(&["inspect", "/日本/broken"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (3, ""));
    assert!(ran.stdout.contains("\n// /::gone cannot be shown: "), "{}", ran.stdout);
    let ran = host.wip(&["inspect", "/日本/broken", "-o", "json"]);
    assert_eq!(ran.code, 3);
    let interface = &ran.json()["objects"][0]["interfaces"][0];
    assert_eq!(interface["reference"]["name"], "gone");
    assert_eq!(interface["error"]["code"], "interface_not_found");
}

#[test]
fn the_state_is_the_same_in_every_process_and_changes_with_the_object() {
    let host = serve();
    let state = || host.wip(&["inspect", "/notes/today"]).ok().lines().nth(1).unwrap().to_owned();
    let before = state();
    assert_eq!(state(), before);
    host.change("/notes/today");
    assert_ne!(state(), before);
}
