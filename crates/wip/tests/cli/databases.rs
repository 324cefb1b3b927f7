//! SQLite databases as sources: what is taken for one, what is offered of it, and what is said of one that is none.

use std::path::Path;

use rusqlite::Connection;

use crate::run::{Ran, finished};
use crate::serving::Home;

#[path = "../../../../examples/shop/src/shop.rs"]
mod shop;

const MEMBERS: &str = "
    CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, sponsor INTEGER REFERENCES members);
    INSERT INTO members VALUES (1, 'Ann', NULL), (2, 'Bo', 1);";

/// A home with `club.db` in it, and the same under a name without an ending.
fn home() -> Home {
    let home = Home::new();
    make(&home.path().join("club.db"), MEMBERS);
    std::fs::copy(home.path().join("club.db"), home.path().join("data")).unwrap();
    home
}

fn make(path: &Path, sql: &str) {
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

/// The state that `wip inspect` shows.
fn state(shown: &Ran) -> String {
    let line = shown.stdout.lines().nth(1).unwrap_or_default();
    line.strip_prefix("// state ").unwrap_or_else(|| panic!("{shown:?}")).to_owned()
}

#[test]
fn a_database_is_known_by_what_it_holds_and_called_by_its_stem() {
    let home = home();
    let tree = home.wip(&["tree", "--at", "club.db", "--at", "data", "--at", "docs"]).ok();
    for shown in ["├── club/", "├── data/", "└── docs/", "members", "a.md"] {
        assert!(tree.contains(shown), "{shown}\n{tree}");
    }
    assert!(home.wip(&["tree", "--at", "c=club.db"]).ok().contains("└── c/"));
    let mut by_environment = home.program();
    by_environment.args(["tree"]).env("WIP_AT", "club.db:docs");
    assert_eq!(
        finished(&mut by_environment, b"").ok(),
        home.wip(&["tree", "--at", "club.db", "--at", "docs"]).ok()
    );
    assert!(
        home.wip(&["tree", "--at", "club.db", "--at", "club=docs"])
            .failed(2)
            .contains("two sources are named")
    );
}

#[test]
fn tables_and_rows_are_looked_at_with_and_without_a_server() {
    let home = home();
    let serving = home.serve(&["club.db", "docs", "--listen", "0"], 1);
    for at in [serving.url(), "club.db"] {
        let inspected = home.wip(&["inspect", "/club/members", "--at", at]).ok();
        assert!(inspected.contains("interface \"/club/members::sql.table\""), "{inspected}");
        let where_ = r#"where=[[{"$case":"name","value":{"$case":"equal","value":"Bo"}}]]"#;
        let found = home.wip(&["invoke", "/club/members", "query", where_, "-o", "json", "--at", at]).json();
        assert_eq!(found["entries"], serde_json::json!(["/club/members/2", "/club/members/1"]), "{found}");
        let read = home.wip(&["invoke", "/club/members/2", "read", "--at", at]).ok();
        assert!(read.contains("Bo") && read.contains("wip inspect /club/members/1"), "{read}");
        let counted =
            home.wip(&["invoke", "/club", "sql", "query=SELECT count(*) FROM members", "--at", at]).ok();
        assert!(counted.contains('2'), "{counted}");
    }
}

/// Rows are the same in a file whether or not further ones follow, and a row that has one text is still a row.
#[test]
fn what_is_written_to_a_file_depends_on_no_data() {
    let home = home();
    let write = |words: &[&str]| {
        let words = [&["invoke"], words, &["--output", "out", "--at", "club.db"]].concat();
        let ran = home.wip(&words);
        assert_eq!(ran.code, 0, "{ran:?}");
        (home.read("out"), ran.stderr)
    };
    let part = "warning: the result has a `next_cursor`: what was written is a part\n";
    for (limit, rows, more) in [("limit=1", 1, true), ("limit=9", 2, false)] {
        let (written, beside) = write(&["/club/members", "query", limit]);
        let page: serde_json::Value = serde_json::from_str(&written).unwrap();
        assert_eq!(
            (page["rows"].as_array().unwrap().len(), beside.as_str()),
            (rows, if more { part } else { "" }),
            "{page}"
        );
        assert_eq!(page["next_cursor"].is_string(), more, "{page}");
    }
    let (written, beside) = write(&["/club/members/1", "read"]);
    let row: serde_json::Value = serde_json::from_str(&written).unwrap();
    assert_eq!((row, beside.as_str()), (serde_json::json!({"id": 1, "name": "Ann"}), ""));
    let read_bytes = ["/club/members/1", "read_bytes", "column=name"];
    assert_eq!(write(&read_bytes), ("Ann".to_owned(), "size: 3\n".to_owned()));
}

/// Nothing that is left out of directories is in a database.
#[test]
fn what_is_not_in_a_database_is_not_said_to_be_hidden() {
    let home = home();
    for path in ["/club/.members", "/club/members/3"] {
        let said = home.wip(&["inspect", path, "--at", "club.db"]).failed(3);
        assert!(!said.contains("hidden"), "{said}");
    }
    let said = home.wip(&["inspect", "/docs/.gone", "--at", "club.db", "--at", "docs"]).failed(3);
    assert!(said.contains("--hidden"), "{said}");
}

/// No tree has rows, so that a tree of the table would show nothing.
#[test]
fn who_asks_for_a_row_that_is_not_there_is_led_to_what_finds_rows() {
    let home = home();
    for (path, hint) in [
        ("/club/members/9", "things there: wip inspect /club/members --at club.db"),
        ("/club/member", "hint: see what is there: wip tree /club --depth 1 --at club.db"),
    ] {
        for command in [["inspect", path].as_slice(), &["tree", path], &["invoke", path, "read"]] {
            let said = home.wip(&[command, &["--at", "club.db"]].concat()).failed(3);
            assert!(said.contains(hint), "{said}");
        }
    }
}

#[test]
fn an_operation_that_is_not_there_is_looked_for_before_writing_is_spoken_of() {
    let home = home();
    let look = |path: &str| format!("hint: see what can be done with it: wip inspect {path} --at club.db\n");
    let writable = "hint: if it is meant to change something: that is offered only with --writable\n";
    for (path, operation, meant) in [
        ("/club/members/1", "MEM", "hint: did you mean `members`?\n"),
        ("/club/members/1", "r", "hint: did you mean `read`, `read_exact` or `read_bytes`?\n"),
        (
            "/club/members/1",
            "query",
            "hint: the entry above has such an operation: wip inspect /club/members --at club.db\n",
        ),
        ("/club/members/1", "xyzzy", ""),
    ] {
        let said = home.wip(&["invoke", path, operation, "--at", "club.db"]).failed(3);
        assert!(said.ends_with(&format!("/club/members/1\n{meant}{}{writable}", look(path))), "{said}");
    }
}

#[test]
fn who_writes_a_filter_or_an_order_wrongly_is_shown_one() {
    let home = home();
    let order = "hint: it is written as in 'order_by:=[{\"column\": \"id\"}]'\n";
    let filter = "hint: it is written as in 'where:=[[{\"$case\": \"id\", \"value\": {\"$case\": \"equal\", \"value\": 1}}]]'\n\
        hint: a case is written {\"$case\": \"…\", \"value\": …}; there are id, name, sponsor";
    for (word, error, hint) in [
        ("order_by=name", "error: order_by: expected a record as JSON, found \"name\"\n", order),
        ("order_by:=name", "error: order_by: expected a list as JSON, found \"name\"\n", order),
        ("order_by:=[{\"column\":\"nam\"}]", "error: order_by[0].column: ", order),
        ("where=name", "error: where[0][0]: the case `name` needs a `value`", filter),
        ("where=Bo", "error: where: there is no case `Bo`", filter),
        ("where=[[{\"name\":\"Bo\"}]]", "error: where[0][0]", filter),
        ("where=[[{\"$case\":\"name\",\"value\":\"Bo\"}]]", "error: where[0][0]", filter),
    ] {
        let said = home.wip(&["invoke", "/club/members", "query", word, "--at", "club.db"]).failed(2);
        assert!(said.starts_with(error) && said.contains(hint), "{said}");
    }
    // What is shown can be pasted.
    let shown = [
        "where:=[[{\"$case\": \"id\", \"value\": {\"$case\": \"equal\", \"value\": 1}}]]",
        "order_by:=[{\"column\": \"id\"}]",
    ];
    let query = [&["invoke", "/club/members", "query", "--at", "club.db"], &shown[..]].concat();
    assert!(home.wip(&query).ok().contains("Ann"));
}

/// A path of the machine where one of a Worldspace belongs, and the form in which others name databases.
#[test]
fn who_names_a_database_in_another_way_is_told_how() {
    let home = home();
    for (words, hint) in [
        (["tree", "club.db"].as_slice(), "this machine: wip tree --at club.db\n"),
        (&["inspect", "./club.db"], "this machine: wip tree --at ./club.db\n"),
        (&["tree", "docs"], "this machine: wip tree --at docs\nhint: did you mean /docs?\n"),
        (&["tree", "docs", "--at", "docs"], "`/`\nhint: did you mean /docs?\n"),
        (&["tree", "club"], "`/`\nhint: did you mean /club?\n"),
    ] {
        let said = home.wip(words).failed(2);
        assert!(said.ends_with(hint), "{said}");
    }
    for at in ["sqlite:club.db", "file:club.db?mode=ro"] {
        let said = home.wip(&["tree", "--at", at]).failed(1);
        assert!(said.ends_with("\nhint: the path alone is enough: club.db\n"), "{said}");
    }
}

#[test]
fn rows_are_changed_only_where_that_is_offered_and_only_in_the_state_that_was_seen() {
    let home = home();
    let update = ["invoke", "/club/members/2", "update", "name=Bea"];
    let said = home.wip(&[&update[..], &["--at", "club.db"]].concat()).failed(3);
    let writable = "hint: if it is meant to change something: that is offered only with --writable\n";
    assert!(said.ends_with(writable), "{said}");

    let here = ["--at", "club.db", "--writable"];
    let look = || home.wip(&[&["inspect", "/club/members/2"][..], &here].concat());
    let seen = state(&look());
    assert_eq!(state(&look()), seen, "another process finds the same state");
    make(&home.path().join("club.db"), "UPDATE members SET name = 'Bob' WHERE id = 2");
    let refused = home.wip(&[&update[..], &["--if", &seen], &here].concat()).failed(4);
    assert!(refused.contains(&seen), "{refused}");
    let now = state(&look());
    let done = home.wip(&[&update[..], &["--if", &now], &here].concat()).ok();
    assert!(done.starts_with("updated\n"), "{done}");
    // A rule of the database is an answer, not an error.
    let refused = home.wip(&[&["invoke", "/club/members/2", "update", "name=Ann"][..], &here].concat()).ok();
    assert!(refused.starts_with("refused:\n") && refused.contains(" [name]\n"), "{refused}");
    let read = home.wip(&["invoke", "/club/members/2", "read", "--at", "club.db"]).ok();
    assert!(read.contains("Bea"), "{read}");
}

#[test]
fn with_writable_databases_take_tokens_as_directories_do() {
    let home = home();
    let serving = home.serve(&["club.db", "--listen", "0", "--writable"], 1);
    let insert = ["invoke", "/club/members", "insert", "name=Cy", "--at", serving.url()];
    assert_eq!(home.wip(&insert).code, 4);
    let made = home.wip_with(&serving.line("token: "), &insert).ok();
    assert!(made.contains("/club/members/3"), "{made}");
}

#[test]
fn what_is_neither_a_directory_nor_a_database_is_told_what_it_may_be() {
    let home = home();
    for (name, content) in [
        ("empty", ""),
        ("other.db", "not a database"),
        ("club.db-wal", "x"),
        ("notes.txt", "SQLite format 3"),
    ] {
        home.write(name, content);
    }
    for (name, hint) in [
        ("empty", "an empty file is no database yet"),
        ("other.db", "by its name it is a database"),
        ("club.db-wal", "it belongs to the database beside it; name that one: club.db"),
        ("notes.txt", "name the directory that holds them"),
    ] {
        for words in [["serve", name], ["--at", name]] {
            let words = [&words[..], if words[0] == "serve" { &[] } else { &["tree"] }].concat();
            let said = home.wip(&words).failed(2);
            let wanted = format!("error: {name} is neither a directory nor a SQLite database\nhint: ");
            assert!(said.starts_with(&wanted) && said.contains(hint), "{said}");
        }
    }
}

#[test]
fn a_damaged_database_is_told_before_anything_is_served() {
    let home = home();
    let whole = std::fs::read(home.path().join("club.db")).unwrap();
    std::fs::write(home.path().join("cut.db"), &whole[..16]).unwrap();
    home.write("world.toml", "[[mount]]\nat = \"/\"\nsqlite = \"cut.db\"\n");
    for words in
        [vec!["serve", "cut.db"], vec!["tree", "--at", "cut.db"], vec!["serve", "--config", "world.toml"]]
    {
        let said = home.wip(&words).failed(1);
        assert!(said.contains("cut.db as a SQLite database: "), "{said}");
        assert!(said.contains("\nhint: it is damaged"), "{said}");
    }
}

/// The cause is in the log, of which one command shows no raw lines.
#[test]
fn what_a_damaged_table_does_to_a_command_is_said_behind_it() {
    let home = home();
    let mut file = std::fs::read(home.path().join("club.db")).unwrap();
    file[4096..].fill(0xff);
    std::fs::write(home.path().join("club.db"), file).unwrap();
    let query = ["invoke", "/club/members", "query", "--at", "club.db"];
    let said = home.wip(&query).failed(4);
    let (error, log) = said.split_once('\n').unwrap();
    assert!(error.starts_with("error: the Host failed on `/club/members`"), "{said}");
    assert!(log.starts_with("log: /club/members: the call failed: the database failed: "), "{said}");
    assert_eq!(log.lines().count(), 1, "{said}");
    let said = home.wip(&[&query[..], &["-v"]].concat()).failed(4);
    assert!(said.contains("ERROR the call failed") && !said.contains("log: "), "{said}");
    let ran = home.wip(&[&query[..], &["-o", "json"]].concat());
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&document["error"]["code"], ran.stderr.as_str()), (&"internal".into(), log));
}

/// Otherwise SQLite would lose its locks whenever the file is read as a file.
#[test]
fn a_database_and_a_directory_that_holds_it_are_not_offered_by_one_process() {
    let home = home();
    std::os::unix::fs::symlink("..", home.path().join("docs/up")).unwrap();
    std::os::unix::fs::symlink("../club.db", home.path().join("docs/link.db")).unwrap();
    for [one, other] in [["club.db", "all=."], ["club.db", "docs/up"], ["top=/", "docs/link.db"]] {
        for [one, other] in [[one, other], [other, one]] {
            let said = home.wip(&["serve", one, other]).failed(2);
            assert!(said.contains("club.db lies in the directory /"), "{said}");
            assert!(said.contains("\nhint: offer each from a process of its own"), "{said}");
            assert_eq!(home.wip(&["tree", "--at", one, "--at", other]).failed(2), said);
        }
    }
    // A directory never leads to what a link in it leads to.
    assert!(home.wip(&["tree", "--at", "docs/link.db", "--at", "docs"]).ok().contains("members"));
}

#[test]
fn options_of_directories_need_one() {
    let home = home();
    for (option, words) in [("--hidden", ["--hidden"]), ("--no-ignore", ["--no-ignore"])] {
        for command in [vec!["serve", "club.db"], vec!["tree", "--at", "club.db"]] {
            let said = home.wip(&[command, words.to_vec()].concat()).failed(2);
            assert!(
                said.starts_with(&format!("error: {option} is for directories, and no source is one\n")),
                "{said}"
            );
        }
    }
    home.write("docs/.b.md", "");
    let mixed = ["tree", "--at", "club.db", "--at", "docs", "--hidden", "--no-ignore"];
    assert!(home.wip(&mixed).ok().contains(".b.md"));
}

#[test]
fn a_world_file_says_how_a_database_is_offered() {
    let home = home();
    let forever =
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) AS n FROM t";
    make(&home.path().join("club.db"), &format!("CREATE VIEW forever AS {forever}"));
    home.write(
        "world.toml",
        "[[mount]]\nat = \"/a\"\nsqlite = \"club.db\"\nstatement_time = \"50 ms\"\nexact_integers = true\n\
         [[mount]]\nat = \"/a/b\"\nsqlite = \"data\"\nstatement_time = \"unlimited\"\nwritable = true\n\
         [[listen]]\naddress = \"0\"\nallow_anonymous = true\n",
    );
    let serving = home.serve(&["--config", "world.toml"], 1);
    let at = ["--at", serving.url()];
    let wip = |words: &[&str]| home.wip(&[words, &at].concat());
    let query = format!("query={forever}");
    // Whoever wrote the statement, the limit is named that ended it.
    for asked in [["/a", "sql", &query].as_slice(), &["/a/forever", "count"], &["/a/forever", "query"]] {
        let said = wip(&[&["invoke"], asked].concat()).failed(4);
        assert!(said.contains("longer than 0.05 s") && said.contains("statement_time"), "{said}");
    }
    let read = wip(&["invoke", "/a/members/1", "read", "-o", "json"]).json();
    assert_eq!(read["result"]["id"], "1", "{read}");
    let read = wip(&["invoke", "/a/b/members/1", "read", "-o", "json"]).json();
    assert_eq!(read["result"]["id"], 1, "{read}");
    assert!(wip(&["invoke", "/a/b/members", "insert", "name=Cy"]).ok().contains("/a/b/members/3"));
    assert!(wip(&["invoke", "/a/members", "insert", "name=Cy"]).failed(3).contains("insert"));
}

/// What the README and those who try it out rest on.
#[test]
fn the_shop_is_the_same_one_each_time() {
    let dir = tempfile::tempdir().unwrap();
    let made = ["one.db", "two.db"].map(|name| {
        let path = dir.path().join(name);
        assert_eq!(shop::make(&path).unwrap(), "60 customers, 40 products, 400 orders with 968 lines");
        path
    });
    let [one, two] = made.each_ref().map(|path| std::fs::read(path).unwrap());
    assert!(one == two, "two files of the same program differ");
    let shop = Connection::open(&made[0]).unwrap();
    let number = |sql: &str| shop.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(number("SELECT count(*) FROM customers"), 60);
    assert_eq!(number("SELECT count(DISTINCT country) FROM customers"), 10);
    assert_eq!(
        number("SELECT count(*) FROM orders WHERE ordered_on BETWEEN '2026-10-01' AND '2026-10-31'"),
        70
    );
    assert_eq!(
        number("SELECT count(*) FROM orders WHERE ordered_on NOT BETWEEN '2025-11-01' AND '2026-10-31'"),
        0
    );
    assert_eq!(number("SELECT count(*) FROM pragma_foreign_key_check"), 1, "one reference leads nowhere");
}
