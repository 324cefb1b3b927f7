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
  wip tree / --depth 2 --at {url}
not shown: what is behind the limit of 3 entries:
  wip tree / --depth 1 --limit 12 --at {url}
",
        url = host.url
    );
    assert_eq!(text, wanted);
    let said = text.lines().last().unwrap().trim().to_owned();
    let words: Vec<&str> = said.split(' ').skip(1).collect();
    assert!(crate::run::wip(&words).ok().contains("both"));
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
