//! `wip tree`.

use serde_json::json;

use crate::fixture::serve;

#[test]
fn a_tree_is_aligned_and_foreign_text_is_tame() {
    let wanted = "\
/                A small world
├── notes/       What is written down
│   ├── today    What to do today
│   └── two words
├── 日本         幅の広い文字
├── both
└── gnp.\\u202ex  line break \\u001b[2J
";
    assert_eq!(serve().wip(&["tree"]).ok(), wanted);
}

#[test]
fn what_is_not_shown_can_be_shown_with_the_command_that_is_said() {
    let host = serve();
    let text = host.wip(&["tree", "--depth", "1", "--limit", "3"]).ok();
    let wanted = format!(
        "\
/             A small world
├── notes/ …  What is written down
├── 日本      幅の広い文字
└── …

not shown: what 1 entry has deeper than 1 below:
  wip tree /notes --depth 1 --limit 3 --at {url}
not shown: what is behind the limit of 3 entries:
  wip tree / --depth 1 --limit 3 --after 日本 --at {url}
",
        url = host.url
    );
    assert_eq!(text, wanted);
    let said = text.lines().last().unwrap().trim().to_owned();
    let words: Vec<&str> = said.split(' ').skip(1).collect();
    assert!(crate::run::wip(&words).ok().contains("both"));
}

/// Who follows the last command each time sees every child once, and is told when there are no more.
#[test]
#[cfg(unix)]
fn following_what_is_said_leads_through_all_children() {
    let host = serve();
    let shown = |text: &str| -> Vec<String> {
        let children = text.lines().filter_map(|line| line.split_once("── "));
        children.map(|(_, name)| name.to_owned()).filter(|name| name != "…").collect()
    };
    let mut seen = Vec::new();
    let mut words: Vec<String> =
        ["tree", "/日本/alike", "--limit", "3", "--at", &host.url].map(str::to_owned).to_vec();
    for _ in 0..3 {
        let text = crate::run::wip(&words.iter().map(String::as_str).collect::<Vec<_>>()).ok();
        seen.extend(shown(&text));
        let Some(command) = text.lines().last().unwrap().trim().strip_prefix("wip ") else { break };
        words = unquoted(command);
    }
    assert_eq!(seen, ["a b", r"a\nb", r"a\tb", r"a\\nb", "-x", "-y"]);
}

/// What a shell makes of it.
#[cfg(unix)]
fn unquoted(command: &str) -> Vec<String> {
    let output = std::process::Command::new("bash")
        .args(["-c", &format!("printf '%s\\0' {command}")])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_terminator('\0').map(str::to_owned).collect()
}

#[test]
fn no_command_is_said_that_shows_the_same_again() {
    let host = serve();
    for (words, said) in [
        (vec!["/", "--limit", "1"], vec!["tree /"]),
        (vec!["/", "--depth", "0"], vec!["tree / --depth 1"]),
        (vec!["/", "--depth", "0", "--limit", "1"], vec!["tree / --depth 1"]),
        (vec!["/", "--limit", "2"], vec!["tree / --limit 2 --after notes", "tree /notes --limit 2"]),
        (vec!["/", "--limit", "6"], vec!["tree /notes --limit 6 --after today"]),
        (vec!["/", "--depth", "1", "--after", "日本"], vec![]),
        (vec!["/日本", "--depth", "1"], vec![]),
    ] {
        let text = host.wip(&[vec!["tree"], words.clone()].concat()).ok();
        let wanted: Vec<String> =
            said.iter().map(|words| format!("  wip {words} --at {}", host.url)).collect();
        let commands: Vec<&str> = text.lines().filter(|line| line.starts_with("  wip ")).collect();
        assert_eq!(commands, wanted, "{words:?}: {text}");
    }
}

#[test]
fn names_that_look_alike_are_told_apart() {
    let host = serve();
    let text = host.wip(&["tree", "/日本/alike"]).ok();
    let names = ["a b", r"a\nb", r"a\tb", r"a\\nb"];
    assert!(
        names.iter().all(|name| text.lines().any(|line| line.ends_with(&format!("── {name}")))),
        "{text}"
    );
    for (name, shown) in ["a b", "a\nb", "a\tb", r"a\nb"].iter().zip(names) {
        let text = host.wip(&["inspect", &format!("/日本/alike/{name}")]).ok();
        assert_eq!(text.lines().next(), Some(format!("// /日本/alike/{shown}").as_str()));
    }
}

#[test]
fn the_rest_of_many_children_begins_behind_one() {
    let text = serve().wip(&["tree", "/notes", "--after", "today"]).ok();
    assert_eq!(text, "/notes/  What is written down\n└── two words\n");
}

#[test]
fn json_is_the_answer_of_the_protocol() {
    let tree = serve().wip(&["tree", "/notes", "--depth", "1", "--limit", "2", "-o", "json"]).json();
    assert_eq!(tree["truncated"], true);
    assert_eq!(tree["truncated_by"], json!(["limit"]));
    assert_eq!(tree["nodes"][0]["object"]["name"], "notes");
    assert_eq!(tree["nodes"][0]["expansion"], "partial");
    assert_eq!(
        (&tree["nodes"][1]["object"]["name"], &tree["nodes"][1]["parent"]),
        (&json!("today"), &json!(0))
    );
}

#[test]
fn what_is_not_there_is_said_with_where_to_look() {
    let host = serve();
    let said = host.wip(&["tree", "/notes/gone"]).failed(3);
    assert!(said.starts_with("error: "), "{said}");
    assert!(said.contains("/notes/gone"), "{said}");
    assert!(
        said.ends_with(&format!("hint: see what is there: wip tree /notes --depth 1 --at {}\n", host.url)),
        "{said}"
    );
    assert_eq!(host.wip(&["tree", "/gone", "-o", "json"]).json_error(3).0, "not_found");
}

#[test]
fn impossible_questions_are_usage_errors() {
    let host = serve();
    for (words, hint) in [
        (vec!["tree", "notes"], "hint: did you mean /notes?"),
        (vec!["tree", "/", "--after", "a/b"], "a/b"),
        (vec!["tree", "/", "--depth", "0", "--after", "a"], "`depth` of at least 1"),
        (vec!["tree", "--limit", "0"], "--limit"),
        (vec!["tree", "--depth", "-1"], "--depth"),
    ] {
        let said = host.wip(&words).failed(2);
        assert!(said.contains(hint), "{said}");
    }
}
