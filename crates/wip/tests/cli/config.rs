//! `wip serve --config`: what a world.toml says, and what is said about one that is wrong.

use crate::serving::Home;

/// What is printed about a file that is wrong in this way, without the marker under each line.
fn complaints(text: &str) -> String {
    let home = Home::new();
    home.write("world.toml", text);
    // It begins as a database does, and nobody comes to open it.
    home.write("shop.db", "SQLite format 3\0");
    home.write("docs/in.db", "SQLite format 3\0");
    home.write("empty.db", "");
    let ran = home.wip(&["serve", "--config", "world.toml"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{text}");
    ran.stderr
}

#[test]
fn every_mistake_is_shown_where_it_stands_with_what_would_be_right() {
    let said = complaints(
        "writable = true\n\
         [[mount]]\n\
         at = \"docs/\"\n\
         file = \"docs\"\n\
         writeable = \"yes\"\n\
         [[mount]]\n\
         files = \"gone\"\n\
         \thidden = 1\t# tab\n",
    );
    assert_eq!(
        said,
        "error: unknown key `writable`
at world.toml:1:1
  |
1 | writable = true
  | ^^^^^^^^
hint: `writable` stands in [[mount]]

error: `at`: \"docs/\" is no path in a Worldspace: a path begins with `/`
at world.toml:3:6
  |
3 | at = \"docs/\"
  |      ^^^^^^^
hint: did you mean \"/docs\"?

error: unknown key `file`
at world.toml:4:1
  |
4 | file = \"docs\"
  | ^^^^
hint: did you mean `files`?

error: unknown key `writeable`
at world.toml:5:1
  |
5 | writeable = \"yes\"
  | ^^^^^^^^^
hint: did you mean `writable`?

error: `at` is missing
at world.toml:6:1
  |
6 | [[mount]]
  | ^^^^^^^^^
hint: add a line such as at = \"/docs\"

error: `files`: cannot open gone: No such file or directory (os error 2)
at world.toml:7:9
  |
7 | files = \"gone\"
  |         ^^^^^^
hint: name a directory; a path that does not begin with / is seen from where this file is

error: `hidden` is a whole number
at world.toml:8:11
  |
8 | \\thidden = 1\\t# tab
  |            ^
hint: it takes true or false, without quotes
"
    );
}

#[test]
fn each_kind_of_mistake_is_told_as_such() {
    let mount = "[[mount]]\nat = \"/docs\"\nfiles = \"docs\"\n";
    for (text, at, what, right) in [
        ("", "1:1", "nothing is offered", "[[mount]]"),
        ("x = \"\n", "1:6", "invalid basic string", "expected `\"`"),
        ("[[mount]]\nat = \n", "2:6", "a value is missing", "write one behind the `=`"),
        ("[[mount]]\nat = docs\n", "2:6", "this is no value", "write a text in quotes"),
        ("[[mount]\nat = \"/\"\n", "1:9", "unclosed array table", "expected `]`"),
        (
            "[[mount]]\nat = \"/\"\nat = \"/x\"\n",
            "3:1",
            "stands here a second time",
            "leave one of the two out",
        ),
        ("[mount]\nat = \"/\"\n", "1:1", "`mount` is a table", "write [[mount]]"),
        ("[[mount]]\nat = \"/a/../b\"\nfiles = \"docs\"\n", "2:6", "no segment", "a path is written"),
        ("[[mount]]\nat = \"/\"\nfiles = \"docs/a.md\"\n", "3:9", "is no directory", "name a directory"),
        ("[[mount]]\nat = \"/\u{202e}/\"\nfiles = \"docs\"\n", "2:6", "\"/\\u{202e}/\"", "did you mean"),
        ("+[[mount]]\nat = \"/docs\"\nfiles = \".\"\n", "5:6", "mounted at /docs already", "another place"),
        ("+[[listen]]\naddress = \"nowhere\"\n", "5:11", "no address to listen at", "127.0.0.1:8420"),
        ("+[[listen]]\nport = 8420\n", "5:1", "unknown key `port`", "did you mean `address`?"),
        ("+[[listen]]\nallow-anonymus = true\n", "5:1", "unknown key", "did you mean `allow_anonymous`?"),
        ("+[[listen]]\nfoo = true\n", "5:1", "unknown key `foo`", "[[listen]] has `address`, `base_path`"),
        (
            "+[[listen]]\n[[listen]]\n",
            "5:1",
            "another [[listen]] has 127.0.0.1:8420",
            "port 0 takes a free one",
        ),
        ("+[[listen]]\nbase_path = \"wip\"\n", "5:13", "not the path of a URL", "\"/wip/\""),
        ("+[[listen]]\nhosts = [\"http://a\"]\n", "5:9", "\"http://a\" is no host", "without a scheme"),
        ("+[[listen]]\nhosts = \"a\"\n", "5:9", "`hosts` is a text", "a list of texts"),
        ("+[[listen]]\norigins = [\"a\"]\n", "5:11", "\"a\" is no origin", "https://example.org"),
        ("+[[listen]]\ntls = \"selfsigned\"\n", "5:7", "\"selfsigned\" is unknown", "\"self-signed\""),
        ("+[[listen]]\ntls = 1\n", "5:7", "`tls` is a whole number", "\"self-signed\""),
        (
            "+[[listen]]\ntls = { cert = \"a\", key = \"docs/a.md\" }\n",
            "5:9",
            "unknown key `cert`",
            "`certificate`",
        ),
        (
            "+[[listen]]\ntls = { certificate = \"gone\", key = \"docs/a.md\" }\n",
            "5:23",
            "the certificate file gone cannot be read: No such file",
            "PEM",
        ),
        (
            "+[[listen]]\ntls = { certificate = \"docs/a.md\", key = \"docs/a.md\" }\n",
            "5:7",
            "the certificate file docs/a.md is no PEM text",
            "PEM",
        ),
        ("[[mount]]\npath = \"/g\"\nfiles = \"docs\"\n", "2:1", "unknown key `path`", "did you mean `at`?"),
        ("[[mount]]\nat = \"/g\"\npath = \"docs\"\n", "3:1", "unknown key `path`", "did you mean `files`?"),
        ("[[mount]]\nat = \"/g\"\n", "1:1", "`files` or `sqlite` is missing", "or sqlite = \"shop.db\""),
        ("+sqlite = \"shop.db\"\n", "4:1", "one of `files` and `sqlite`", "a [[mount]] for each"),
        (
            "[[mount]]\nsqlite = \"shop.db\"\nat = \"/g\"\nhidden = 1\nfiles = \"docs\"\n",
            "5:1",
            "one of `files` and `sqlite`",
            "leave one of them out",
        ),
        (
            "[[mount]]\nat = \"/g\"\nsqlite = \"shop.db\"\nhidden = 1\n",
            "4:1",
            "`hidden` says nothing of what is mounted by `sqlite`",
            "it stands beside `files`",
        ),
        (
            "[[mount]]\nat = \"/g\"\nsqlite = \"shop.db\"\nindexable_names = 7\n",
            "4:1",
            "`indexable_names` says nothing of what is mounted by `sqlite`",
            "it stands beside `files`",
        ),
        (
            "+statement_time = \"1 s\"\n",
            "4:1",
            "`statement_time` says nothing of what is mounted by `files`",
            "it stands beside `sqlite`",
        ),
        ("+exact_integers = 1\n", "4:1", "`exact_integers` says nothing", "it stands beside `sqlite`"),
        ("[[mount]]\nat = \"/g\"\ndb = \"shop.db\"\n", "3:1", "unknown key `db`", "did you mean `sqlite`?"),
        (
            "[[mount]]\nat = \"/g\"\ndatabase = \"shop.db\"\nexact_integers = true\n",
            "3:1",
            "unknown key `database`",
            "did you mean `sqlite`?",
        ),
        (
            "[[mount]]\npath = \"/g\"\nsqlite = \"shop.db\"\n",
            "2:1",
            "unknown key `path`",
            "did you mean `at`?",
        ),
        (
            "[[mount]]\nat = \"/g\"\nsqlite = \"shop.db\"\nstatement_time = 2\n",
            "4:18",
            "a time has a unit",
            "\"10 s\"",
        ),
        (
            "[[mount]]\nat = \"/g\"\nsqlite = \"shop.db\"\nstatement_time = \"0 s\"\n",
            "4:18",
            "no time at all is left",
            "longer than 0",
        ),
        (
            "+[[mount]]\nat = \"/g\"\nsqlite = \"docs/in.db\"\n",
            "6:10",
            "`sqlite`: the database docs/in.db lies in the directory docs, and one process cannot offer both",
            "offer each from a process of its own",
        ),
        (
            "[[mount]]\nat = \"/g\"\nsqlite = \"shop.db\"\n[[mount]]\nat = \"/\"\nfiles = \"docs/..\"\n",
            "6:9",
            "`files`: the database shop.db lies in the directory docs/..",
            "a directory that does not hold the database",
        ),
        ("[[mount]]\nat = \"/g\"\nsqlite = \"gone\"\n", "3:10", "cannot open gone", "name a SQLite database"),
        (
            "[[mount]]\nat = \"/g\"\nsqlite = \"docs/a.md\"\n",
            "3:10",
            "is no SQLite database",
            "name a SQLite database",
        ),
        (
            "[[mount]]\nat = \"/g\"\nsqlite = \"empty.db\"\n",
            "3:10",
            "is no SQLite database",
            "an empty file is no database yet",
        ),
        (
            "[[mount]]\nat = \"/g\"\nsqlite = \"docs\"\n",
            "3:10",
            "is a directory and no SQLite database",
            "write files = \"docs\"",
        ),
        (
            "[[mount]]\nat = \"/g\"\nfiles = \"shop.db\"\n",
            "3:9",
            "is a SQLite database and no directory",
            "write sqlite = \"shop.db\"",
        ),
        ("+[limits]\nstatement_time = \"1 s\"\n", "5:1", "`statement_time`", "stands in [[mount]]"),
        // What follows from something that nobody can read is no mistake of its own.
        ("+[[listen]]\naddress = \"nowhere\"\n[[listen]]\n", "5:11", "no address to listen at", "8420"),
        ("+[[listen]]\n[[listen]]\nport = 9000\n", "6:1", "unknown key `port`", "did you mean `address`?"),
        ("+[[listen]]\naddress = 70000\n", "5:11", "\"70000\" is no address to listen at", "8420"),
        ("+[[listen]]\naddress = -1\n", "5:11", "\"-1\" is no address to listen at", "8420"),
        ("+[[listen]]\n[[listen]]\naddress = 8420\n", "6:11", "another [[listen]] has", "another port"),
        (
            "+[[listen]]\naddress = \"0.0.0.0\"\nallow_plain_http = 1\nallow_anonymous = true\n",
            "6:20",
            "`allow_plain_http` is a whole number",
            "true or false",
        ),
        (
            "+writable = \"yes\"\n[[listen]]\naddress = \"0.0.0.0\"\nallow_plain_http = true\n",
            "4:12",
            "`writable` is a text",
            "true or false",
        ),
        (
            "[[mount]]\nat = \"docs\"\nfiles = \"docs\"\nwritable = true\n\
             [[listen]]\naddress = \"0.0.0.0\"\nallow_plain_http = true\n",
            "2:6",
            "is no path in a Worldspace",
            "did you mean \"/docs\"?",
        ),
        ("+[[listen]]\ntokens = \"gone\"\n", "5:10", "cannot be read", "`wip token new NAME --file FILE`"),
        (
            "+[[listen]]\naddress = \"0.0.0.0\"\nallow_plain_http = true\n",
            "5:11",
            "0.0.0.0:8420 can be reached from other machines, but nobody has to show a token",
            "allow_anonymous = true",
        ),
        (
            "+[[listen]]\naddress = \"0.0.0.0\"\nallow_anonymous = true\n",
            "5:11",
            "but nothing is encrypted",
            "allow_plain_http = true",
        ),
        ("+[limits.http]\nidle_timeout = 10\n", "5:16", "a time has a unit", "\"10 s\""),
        ("+[limits.http]\nheaders = \"unlimited\"\n", "5:11", "`headers` is a text", "a whole number"),
        ("+[limits.http]\nheader_bytes = \"8 mib\"\n", "5:16", "\"8 mib\" is no size", "MiB"),
        ("+[limits.http]\nin_flight_bytes = 1\n", "4:1", "`in_flight_bytes` is 1", "raise `in_flight_bytes`"),
        ("+[limits.wire]\nrequest_bytes = 0\n", "5:17", "0 would allow nothing", "at least 1"),
        ("+[limits]\ntree_nodes = 5\n", "5:1", "unknown key `tree_nodes`", "stands in [limits.host]"),
    ] {
        let text = text.strip_prefix('+').map_or(text.to_owned(), |more| format!("{mount}{more}"));
        let said = complaints(&text);
        let first = said.split("\n\n").next().unwrap();
        assert!(first.contains(&format!("at world.toml:{at}\n")), "{text}\n{said}");
        assert!(first.contains(what), "{what}\n{said}");
        assert!(
            first.lines().any(|line| line.starts_with("hint: ") && line.contains(right)),
            "{right}\n{said}"
        );
        assert_eq!(said.matches("error: ").count(), 1, "one mistake, and not what follows from it\n{said}");
    }
}

#[test]
fn what_is_wrong_with_a_certificate_and_with_its_key_is_told_at_once() {
    let mount = "[[mount]]\nat = \"/docs\"\nfiles = \"docs\"\n[[listen]]\n";
    for (tls, told) in [
        ("{}", ["`certificate` is missing", "`key` is missing"]),
        ("{ key = \"gone\" }", ["`certificate` is missing", "the private key file gone cannot be read"]),
        (
            "{ certificate = \"a\", key = \"b\" }",
            ["the certificate file a cannot be read", "the private key file b cannot be read"],
        ),
    ] {
        let said = complaints(&format!("{mount}tls = {tls}\n"));
        assert!(told.iter().all(|told| said.contains(told)), "{said}");
        assert_eq!(said.matches("error: ").count(), 2, "{said}");
    }
}

#[test]
fn programs_are_told_all_mistakes_in_one_message() {
    let home = Home::new();
    home.write("world.toml", "x = 1\n[[mount]]\nat = \"/\"\n");
    let (code, message) = home.wip(&["serve", "--config", "world.toml", "-o", "json"]).json_error(2);
    assert_eq!(code, "usage");
    assert_eq!(
        message,
        "world.toml:1:1: unknown key `x`; the file has [[mount]], [[listen]] and [limits]\n\
         world.toml:2:1: `files` or `sqlite` is missing; add a line such as files = \"docs\" or sqlite = \"shop.db\""
    );
}

#[test]
fn the_file_and_the_command_line_do_not_say_the_same_thing_twice() {
    let home = Home::new();
    home.write("mounts.toml", "[[mount]]\nat = \"/docs\"\nfiles = \"docs\"\n");
    home.write("shop.db", "SQLite format 3\0");
    home.write("all.toml", &(home.read("mounts.toml") + "[[listen]]\naddress = \"0\"\n"));
    for (words, code, said) in [
        (vec!["--config", "all.toml", "docs"], 2, "files = \"docs\""),
        (vec!["--config", "all.toml", "s=shop.db"], 2, "sqlite = \"shop.db\""),
        (vec!["--config", "all.toml", "--hidden"], 2, "write `hidden = true` into a [[mount]] of all.toml"),
        (vec!["--config", "all.toml", "--no-ignore"], 2, "write `gitignore = false`"),
        (vec!["--config", "all.toml", "--listen", "0"], 2, "so --listen cannot"),
        (vec!["--config", "all.toml", "--allow-anonymous"], 2, "so --allow-anonymous cannot"),
        (vec!["--config", "gone.toml"], 1, "cannot read gone.toml"),
        (vec!["--config", "docs"], 1, "hint: --config takes the file itself"),
        (vec!["--config", "mounts.toml", "--listen", "0.0.0.0:0"], 2, "--allow-plain-http"),
    ] {
        let words = [vec!["serve"], words].concat();
        let told = home.wip(&words).failed(code);
        assert!(told.contains(said), "{words:?}\n{told}");
    }
    // A file without listeners leaves them to the command line.
    let serving = home.serve(&["--config", "mounts.toml", "--listen", "0"], 1);
    assert!(home.wip(&["tree", "--at", serving.url()]).ok().contains("docs/"));
}

#[test]
fn paths_are_seen_from_the_file() {
    let home = Home::new();
    home.write("etc/world.toml", "[[mount]]\nat = \"/\"\nfiles = \"../docs\"\n[[listen]]\naddress = \"0\"\n");
    let serving = home.serve(&["--config", "etc/world.toml"], 1);
    assert!(home.wip(&["tree", "--at", serving.url()]).ok().contains("a.md"));
    assert_eq!(serving.said(), "");
}

#[test]
#[cfg(unix)]
fn one_world_is_offered_at_two_doors() {
    let home = Home::new();
    home.write("notes/n.md", "");
    let token = home.token("tokens", "me");
    home.write(
        "world.toml",
        "[[mount]]\nat = \"/docs\"\nfiles = \"docs\"\n\
         [[mount]]\nat = \"/docs/notes\"\nfiles = \"notes\"\nwritable = true\n\
         [[listen]]\naddress = \"0\"\n\
         [[listen]]\naddress = \"0\"\ntls = \"self-signed\"\ntokens = \"tokens\"\n",
    );
    let serving = home.serve(&["--config", "world.toml"], 2);
    let ca = serving.line("certificate: ");
    let owner = serving.line("token: ");
    let [plain, encrypted] = &serving.urls[..] else { panic!("{:?}", serving.urls) };
    assert!(plain.starts_with("http://") && encrypted.starts_with("https://"));
    // Two doors, and a token for one of them.
    assert!(serving.line("whoever shows this token at ").starts_with(&format!("{plain} can change")));
    let through = |token: &str, words: &[&str]| {
        home.wip_with(token, &[words, &["--at", encrypted, "--ca", &ca]].concat())
    };
    let beside = |token: &str, words: &[&str]| home.wip_with(token, &[words, &["--at", plain]].concat());

    // What one of them changes, the other one sees.
    let made = through(&token, &["invoke", "/docs/notes", "create_file", "name=new.md", "text=one"]).ok();
    assert!(made.starts_with("created: /docs/notes/new.md"), "{made}");
    assert!(beside(&owner, &["tree", "/docs"]).ok().contains("new.md"));
    assert_eq!(home.read("notes/new.md"), "one");
    // What is not writable has nothing that writes, whoever asks.
    let said = beside(&owner, &["invoke", "/docs", "create_file", "name=x"]).failed(3);
    assert!(said.contains("create_file"), "{said}");
    // Each door has keys of its own.
    assert_eq!(through(&owner, &["tree"]).code, 4);
    assert_eq!(beside(&token, &["tree"]).code, 4);
    // A token that is taken back is worth nothing from then on.
    home.write("tokens", "");
    home.allow("tokens", 0o600);
    let said = through(&token, &["tree"]).failed(4);
    assert!(said.contains("hint: the token in WIP_TOKEN is wrong, or was taken back"), "{said}");
}

#[test]
fn limits_can_be_taken_away() {
    let home = Home::new();
    let limits =
        |keys: &[&str]| keys.iter().map(|key| format!("{key} = \"unlimited\"\n")).collect::<String>();
    let text = [
        "[[mount]]\nat = \"/docs\"\nfiles = \"docs\"\n[[listen]]\naddress = \"0\"\n[limits.host]\n"
            .to_owned(),
        limits(&["fetch_entries", "tree_nodes", "tree_depth", "calls", "time"]),
        "[limits.http]\n".to_owned(),
        limits(&["connections", "streams", "requests", "in_flight_bytes", "header_bytes", "header_timeout"]),
        limits(&["body_timeout", "idle_timeout", "write_timeout", "total_timeout", "default_deadline"]),
        limits(&["max_deadline", "drain_timeout"]),
        "[limits.wire]\n".to_owned(),
        limits(&["fetch_entries"]),
    ];
    home.write("world.toml", &text.concat());
    let serving = home.serve(&["--config", "world.toml"], 1);
    let read = home.wip(&["invoke", "/docs/a.md", "read_text", "--output", "-", "--at", serving.url()]);
    assert_eq!((read.code, read.stdout.as_str()), (0, "# A\n"), "{}", read.stderr);
}

#[test]
fn limits_of_the_file_hold() {
    let home = Home::new();
    home.write("docs/b.md", "");
    home.write(
        "world.toml",
        "[[mount]]\nat = \"/docs\"\nfiles = \"docs\"\n[[listen]]\naddress = \"0\"\n\
         [limits.host]\ntree_nodes = 3\ncalls = 0\n[limits.wire]\nrequest_bytes = 1000\n",
    );
    let serving = home.serve(&["--config", "world.toml"], 1);
    let at = ["--at", serving.url()];
    let tree = home.wip(&[&["tree"][..], &at].concat()).ok();
    assert!(tree.contains("a.md") && !tree.contains("b.md"), "{tree}");
    let said = home.wip(&[&["invoke", "/docs/a.md", "read_text"][..], &at].concat()).failed(4);
    assert!(said.contains("calls"), "{said}");
    let long = format!("glob={}", "x".repeat(2000));
    let said = home.wip(&[&["invoke", "/docs", "find", &long][..], &at].concat()).failed(1);
    assert!(said.contains("limit of 1000 bytes") && said.contains("`request_bytes`"), "{said}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_port_in_use_is_told_in_the_words_of_the_file() {
    let home = Home::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    home.write(
        "world.toml",
        &format!("[[mount]]\nat = \"/\"\nfiles = \"docs\"\n[[listen]]\naddress = \"{port}\"\n"),
    );
    let said = home.wip(&["serve", "--config", "world.toml"]).failed(1);
    assert!(said.contains("hint: address = \"127.0.0.1:0\" takes a free port"), "{said}");
}

#[test]
fn what_a_server_takes_its_clients_send() {
    let home = Home::new();
    home.write(
        "world.toml",
        "[[mount]]\nat = \"/docs\"\nfiles = \"docs\"\nwritable = true\n\
         [[listen]]\naddress = 0\nallow_anonymous = true\n[limits.wire]\nrequest_bytes = \"4 MiB\"\n",
    );
    home.write("big", &"x".repeat(2 << 20));
    let serving = home.serve(&["--config", "world.toml"], 1);
    for argument in ["text=@big", "data=@big"] {
        let name = format!("name={}", &argument[..4]);
        let made = home.wip(&["invoke", "/docs", "create_file", &name, argument, "--at", serving.url()]);
        assert!(made.ok().starts_with("created: "));
        assert_eq!(home.read(&format!("docs/{}", &argument[..4])).len(), 2 << 20);
    }
}
