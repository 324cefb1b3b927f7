//! Finding issues: what matches, in which order, part by part, and whatever is typed.

use worldspace_model::Value;

use crate::world::{World, short};

/// The entries of a list, and its cursor.
fn page(value: &Value) -> (Vec<String>, Option<Value>) {
    let record = value.as_record().unwrap();
    let issues = record.get("issues").and_then(Value::as_list).unwrap();
    let entries = issues.iter().map(|line| short(line.as_record().unwrap().get("issue").unwrap()));
    (entries.collect(), record.get("next_cursor").cloned())
}

#[tokio::test]
async fn words_are_found_in_any_form_and_the_best_match_stands_first() {
    let ann = World::small().user("ann");
    for (path, text, state, found) in [
        ("/", "rose", None, "41"),
        ("/", "ROSES", Some("closed"), "4"),
        ("/", "roses dry", None, "4"),
        ("/garden", "leaking hose", None, "21"),
        ("/garden", "leaks at the t", None, "2"),
        ("/house", "rose", None, ""),
        ("/", "half-inch", None, "3"),
    ] {
        let mut arguments = vec![("text", Value::from(text))];
        arguments.extend(state.map(|state| ("state", Value::from(state))));
        let (entries, next) = page(&ann.value(path, "search", &arguments).await.unwrap());
        let numbers: String = entries.iter().map(|entry| entry.rsplit('/').next().unwrap()).collect();
        assert_eq!((numbers.as_str(), next), (found, None), "{text}");
    }
}

#[tokio::test]
async fn a_line_says_what_helps_to_choose() {
    let ann = World::small().user("ann");
    let list = ann.call("/garden", "list", &[("label", "urgent".into())]).await;
    let line = "{issue: /tracker/garden/1, title: Water reaches the roses, state: open, labels: [roses, urgent], assignee: bob}";
    assert_eq!(list, format!("{{issues: [{line}]}}"));
    let related = ann.call("/garden/1", "get_related_items", &[]).await;
    assert!(
        related.contains("blocked_by: [{issue: /tracker/garden/2")
            && related.contains("duplicates: [{issue: /tracker/garden/4"),
        "{related}"
    );
}

#[tokio::test]
async fn a_list_is_narrowed_by_what_is_given() {
    let ann = World::small().user("ann");
    for (arguments, found) in [
        (vec![], "4321"),
        (vec![("state", "open")], "21"),
        (vec![("state", "closed")], "43"),
        (vec![("assignee", "bob")], "1"),
        (vec![("label", "tools"), ("state", "open")], "2"),
        (vec![("label", "' OR 1=1 --")], ""),
    ] {
        let arguments: Vec<_> =
            arguments.into_iter().map(|(name, value)| (name, Value::from(value))).collect();
        let (entries, _) = page(&ann.value("/garden", "list", &arguments).await.unwrap());
        let numbers: String = entries.iter().map(|entry| entry.rsplit('/').next().unwrap()).collect();
        assert_eq!(numbers, found, "{arguments:?}");
    }
}

/// Whatever the size of its parts, a list is the same, and has each issue once.
#[tokio::test]
async fn parts_make_up_the_whole() {
    let world = World::empty();
    world.tracker().fill(120).unwrap();
    let ann = world.user("ann");
    for (path, operation, fixed) in [
        ("/atlas", "list", vec![]),
        ("/", "search", vec![("text", "the")]),
        ("/atlas", "search", vec![("text", "the")]),
    ] {
        let fixed: Vec<_> = fixed.into_iter().map(|(name, value)| (name, Value::from(value))).collect();
        let mut whole: Vec<Vec<String>> = Vec::new();
        for limit in [1_u64, 7, 100] {
            let (mut all, mut next) = (Vec::new(), None);
            loop {
                let mut arguments = fixed.clone();
                arguments.push(("limit", Value::count(limit)));
                arguments.extend(next.map(|cursor| ("cursor", cursor)));
                let (entries, further) = page(&ann.value(path, operation, &arguments).await.unwrap());
                assert!(entries.len() as u64 <= limit && !entries.is_empty());
                all.extend(entries);
                next = further;
                if next.is_none() {
                    break;
                }
            }
            whole.push(all);
        }
        let mut each = whole[0].clone();
        each.sort();
        each.dedup();
        assert!(each.len() > 7 && each.len() == whole[0].len(), "{operation}");
        assert!(whole.iter().all(|all| *all == whole[0]), "{operation}");
    }
}

#[tokio::test]
async fn a_cursor_is_good_for_its_own_list_and_person() {
    let world = World::small();
    let ann = world.user("ann");
    let one = ("limit", Value::count(1));
    let (_, cursor) = page(&ann.value("/garden", "list", std::slice::from_ref(&one)).await.unwrap());
    let cursor = ("cursor", cursor.unwrap());
    let told = ann.call("/garden", "comments", std::slice::from_ref(&cursor)).await;
    assert!(told.contains("arguments.cursor: is not a cursor of this list"), "{told}");
    let told = world.user("bob").call("/garden", "list", &[cursor]).await;
    assert!(told.contains("arguments.cursor: is not a cursor of this list"), "{told}");
}

#[tokio::test]
async fn whatever_is_typed_is_no_more_than_words() {
    let ann = World::small().user("ann");
    let long = "rose ".repeat(32);
    for text in [
        "rose\"",
        "\"rose",
        "rose*",
        "rose OR",
        "NOT rose",
        "NEAR(rose, 1)",
        "title:rose",
        "{title body}: rose",
        "^rose",
        "rose\0",
        "-rose",
        "rose AND",
        "(rose",
        "'; DROP TABLE issues; --",
        "ro\u{301}se",
        "日本語",
        "\u{202e}rose",
        &long,
    ] {
        let told = ann.value("/", "search", &[("text", text.into())]).await;
        assert!(told.is_ok(), "{text:?}: {told:?}");
    }
    let very_long = "a".repeat(500_000);
    let many = "a ".repeat(400);
    for (text, said) in [
        ("", "holds no word"),
        ("\0", "holds no word"),
        ("\"*\"", "holds no word"),
        (&many, "more than 32 words"),
        (&very_long, "has 500000 characters"),
    ] {
        let told = ann.call("/", "search", &[("text", text.into())]).await;
        assert!(told.starts_with("invalid_arguments") && told.contains(said), "{told}");
    }
}
