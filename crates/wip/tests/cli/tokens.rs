//! Tokens and certificates, on the side that asks and the side that is asked.

use std::process::Stdio;

use crate::fixture::{serve, silent};
use crate::run::{finished, program, started, wip};
use crate::serving::Home;

/// A token that is nobody's.
const WRONG: &str = "wip_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

#[test]
fn a_new_token_is_shown_once_and_kept_as_a_hash() {
    let home = Home::new();
    let ran = home.wip(&["token", "new", "me", "--file", "tokens"]);
    let token = ran.stdout.strip_suffix('\n').unwrap();
    assert!(token.starts_with("wip_") && !token.contains(char::is_whitespace), "{token}");
    assert_eq!(ran.stderr, "its hash was added to tokens as a token of me; it is shown this once\n");
    // Whoever asks for another one may have lost the first.
    let again = home.wip(&["token", "new", "me", "--file", "tokens"]).stderr;
    assert!(
        again.ends_with("\nme has 2 tokens now, and each is good; that of the last line is this one\n"),
        "{again}"
    );
    let ran = home.wip(&["token", "new", "you", "--file", "tokens", "-o", "json"]);
    let told = ran.json();
    assert_eq!((&told["name"], &told["file"]), (&"you".into(), &"tokens".into()));
    let kept = home.read("tokens");
    assert!(kept.contains("\nme sha256:") && kept.contains("\nyou sha256:"), "{kept}");
    for token in [token, told["token"].as_str().unwrap()] {
        assert!(!kept.contains(token) && !kept.contains(&token[4..]), "{kept}");
    }
    home.write("shopping", "eggs\n");
    for (words, code, said) in [
        (vec!["no name", "--file", "tokens"], 2, "1 to 64 ASCII letters"),
        (vec!["anonymous", "--file", "tokens"], 2, "is not `anonymous`"),
        (vec!["me", "--file", "docs"], 1, "it is no file"),
        (vec!["me", "--file", "gone/tokens"], 1, "No such file or directory"),
        (vec!["me", "--file", "shopping"], 1, "line 1 of the file of tokens"),
        (vec!["me"], 2, "--file <FILE>"),
    ] {
        let told = home.wip(&[vec!["token", "new"], words].concat()).failed(code);
        assert!(told.contains(said), "{told}");
    }
    assert_eq!(home.read("shopping"), "eggs\n");
}

#[test]
#[cfg(unix)]
fn the_token_of_a_writable_world_stands_alone_before_it_listens() {
    let home = Home::new();
    for (format, listening) in [("text", "listening on http://"), ("json", "{\"listening\":\"http://")] {
        // Both in one pipe, so that their order is seen.
        let mut shell = std::process::Command::new("sh");
        let wip = env!("CARGO_BIN_EXE_wip");
        shell.args(["-c", &format!("exec {wip} serve docs --writable --listen 0 -o {format} 2>&1")]);
        let mut child = started(shell.current_dir(home.path()).stderr(Stdio::null()));
        let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
        let lines: Vec<String> = (0..3).map(|_| lines.next().unwrap().unwrap()).collect();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(lines[0].starts_with("whoever shows this token"), "{lines:?}");
        let token = lines[1].strip_prefix("token: ").unwrap();
        assert!(token.len() == WRONG.len() && token.starts_with("wip_"), "{lines:?}");
        assert!(lines[2].starts_with(listening), "{lines:?}");
    }
    // Whoever says that nobody needs one gets none; nor does a world that cannot be changed.
    for words in [vec!["--writable", "--allow-anonymous"], vec![]] {
        let serving = home.serve(&[vec!["docs", "--listen", "0"], words].concat(), 1);
        home.wip(&["tree", "--at", serving.url()]).ok();
        assert_eq!(serving.said(), "");
    }
}

#[test]
fn who_is_not_let_in_is_told_what_to_do() {
    let home = Home::new();
    let token = home.token("tokens", "me");
    let serving = home.serve(&["docs", "--listen", "0", "--tokens", "tokens"], 1);
    let at = ["--at", serving.url()];
    home.write("wrong", WRONG);
    home.write("right", &format!("{token}\n"));
    home.allow("wrong", 0o600);
    home.allow("right", 0o400);
    let asks = |token: Option<&str>, words: &[&str]| {
        let mut program = home.program();
        program.args(["tree"]).args(at).args(words).env("WIP_TOKEN", token.unwrap_or_default());
        finished(&mut program, b"")
    };
    for (token, words, hint) in [
        (None, vec![], "show a token: set WIP_TOKEN, or name a file that holds it with --token-file"),
        (Some(WRONG), vec![], "the token in WIP_TOKEN is wrong, or was taken back; ask for another"),
        (Some(&*token), vec!["--token-file", "wrong"], "the token in the file of --token-file is wrong"),
    ] {
        let said = asks(token, &words).failed(4);
        assert!(said.starts_with("error: HTTP 401: ") && said.contains(&format!("hint: {hint}")), "{said}");
        let (code, _) = asks(token, &[words, vec!["-o", "json"]].concat()).json_error(4);
        assert_eq!(code, "unauthorized");
    }
    assert!(asks(Some(&token), &[]).ok().contains("docs/"));
    // What stands on the command line counts.
    assert!(asks(Some(WRONG), &["--token-file", "right"]).ok().contains("docs/"));
    let invoked = home.wip(&[&["invoke", "/docs/a.md", "read_text"][..], &at].concat()).failed(4);
    assert!(invoked.contains("hint: show a token"), "{invoked}");
    let inspected = home.wip(&[&["inspect", "/docs"][..], &at].concat()).failed(4);
    assert!(inspected.contains("hint: show a token"), "{inspected}");
    let inspected = home.wip(&[&["inspect", "/docs", "-o", "json"][..], &at].concat());
    assert_eq!(inspected.code, 4);
    assert_eq!(inspected.json()["objects"][0]["error"]["code"], "unauthorized");
}

#[test]
#[cfg(unix)]
fn a_file_that_holds_no_secret_token_is_refused() {
    let home = Home::new();
    home.token("tokens", "me");
    home.write("open", WRONG);
    home.allow("open", 0o640);
    home.write("two", &format!("{WRONG}\n{WRONG}\n"));
    home.write("empty", "\n");
    for (name, code, said) in [
        ("open", 2, "hint: chmod 600 open"),
        ("two", 2, "holds no token"),
        ("empty", 2, "there is no token"),
        ("docs", 2, "docs is a directory"),
        ("tokens", 2, "hint: it is the file of a server, which holds hashes"),
        ("gone", 1, "cannot read the file that --token-file names: No such file"),
    ] {
        if name != "open" && name != "docs" && name != "gone" {
            home.allow(name, 0o600);
        }
        let told = home.wip(&["tree", "--token-file", name]).failed(code);
        assert!(told.contains(said) && !told.contains(WRONG), "{told}");
    }
    let told = finished(home.program().args(["tree"]).env("WIP_TOKEN", "se cret"), b"").failed(2);
    assert!(told.contains("WIP_TOKEN holds no token") && !told.contains("cret\""), "{told}");
}

#[test]
fn a_token_as_an_argument_is_refused_and_not_repeated() {
    let home = Home::new();
    let mount = "[[mount]]\nat = \"/docs\"\nfiles = \"docs\"\n[[listen]]\n";
    for (name, line) in [
        ("tokens", format!("tokens = \"{WRONG}\"")),
        ("path", format!("tokens = \"secret/{WRONG}\"")),
        ("title", format!("title = \"{WRONG}\"\nport = 1")),
        ("unknown", format!("token = \"{WRONG}\"")),
        ("bare", format!("tokens = {WRONG}")),
        ("list", format!("tokens = [\"{}\", \"{WRONG}\"]", "x".repeat(80))),
        ("certificate", format!("tls = {{ certificate = \"{WRONG}\", key = \"{WRONG}\" }}")),
        ("mode", format!("tls = \"{WRONG}\"")),
    ] {
        home.write(&format!("{name}.toml"), &format!("{mount}{line}\n"));
        for format in ["text", "json"] {
            let ran = home.wip(&["serve", "--config", &format!("{name}.toml"), "-o", format]);
            assert!(ran.code == 2 && !ran.stderr.contains("AAAAAAA"), "{ran:?}");
        }
    }
    let said = home.wip(&["serve", "--config", "tokens.toml"]).failed(2);
    assert!(said.contains("takes the name of a file, and was given a token"), "{said}");
    for words in [
        vec!["tree", "--token-file", WRONG],
        vec!["serve", ".", "--tokens", WRONG],
        vec!["tree", "--token", WRONG],
        vec!["tree", &format!("--token={WRONG}")],
        vec!["tree", "--token-file", "eyJhbGciOiJIUzI1NiJ9.e30.AAAAAAAAAAA"],
        vec!["token", "new", "me", "--file", WRONG],
        vec!["token", "new", "me", "--file", WRONG, "--token", WRONG],
        vec!["tree", "--at", &format!("http://me:{WRONG}@127.0.0.1:1/")],
    ] {
        for words in [words.clone(), [words, vec!["-o", "json"]].concat()] {
            let ran = wip(&words);
            assert!([1, 2].contains(&ran.code), "{words:?} {ran:?}");
            for secret in ["AAAAAAA", "eyJ"] {
                assert!(!ran.stdout.contains(secret) && !ran.stderr.contains(secret), "{words:?} {ran:?}");
            }
        }
    }
    let said = wip(&["tree", "--token-file", WRONG]).failed(2);
    assert!(said.contains("take that token back") && said.contains("put the token into WIP_TOKEN"), "{said}");
}

#[test]
fn what_is_for_endpoints_is_refused_for_sources() {
    let host = serve();
    for words in [["--token-file", "x"], ["--ca", "x"]] {
        let said = wip(&[&["tree", "--at", "."][..], &words].concat()).failed(2);
        assert!(said.contains(&format!("{} is for endpoints, and . is a source", words[0])), "{said}");
        let said = wip(&[&["serve", "."][..], &words].concat()).failed(2);
        assert!(said.contains("--tokens FILE"), "{said}");
    }
    let said = host.wip(&["tree", "--writable"]).failed(2);
    assert!(said.contains("--writable is for sources"), "{said}");
    // A token of the environment is for endpoints, whatever else is looked at.
    let home = Home::new();
    assert!(home.wip_with(WRONG, &["tree", "--at", "docs"]).ok().contains("a.md"));
}

#[test]
fn a_token_does_not_leave_this_machine_unencrypted() {
    let said =
        finished(program().args(["tree", "--at", "http://host.invalid/"]).env("WIP_TOKEN", WRONG), b"");
    let said = said.failed(2);
    assert!(said.contains("the token is not sent to http://host.invalid/"), "{said}");
    assert!(said.contains("--allow-plain-http") && !said.contains(WRONG), "{said}");
    let mut allowed = program();
    allowed.args(["tree", "--at", "http://host.invalid/", "--allow-plain-http"]).env("WIP_TOKEN", WRONG);
    assert_eq!(finished(&mut allowed, b"").code, 6);
}

#[test]
#[cfg(unix)]
fn a_certificate_of_ones_own_is_kept_and_trusted_by_its_file() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let words = ["docs", "--listen", "0", "--tls", "self-signed"];
    let serving = home.serve(&words, 1);
    let ca = serving.line("certificate: ");
    assert_eq!(serving.line("clients trust it with: "), format!("wip … --ca {ca}"));
    let url = serving.url().to_owned();
    assert!(home.wip(&["tree", "--at", &url, "--ca", &ca]).ok().contains("docs/"));
    assert!(home.wip(&["tree", "--at", &url.replace("127.0.0.1", "localhost"), "--ca", &ca]).code == 0);
    let hint = home.wip(&["inspect", "/docs/gone", "--at", &url, "--ca", &ca]).failed(3);
    assert!(hint.contains(&format!("--at {url} --ca {ca}")), "{hint}");
    // Of another issuer, or by the system's certificates, it is nobody's.
    let made = worldspace_http::tls::self_signed(&["localhost".to_owned()]).unwrap();
    home.write("other.pem", &made.certificate_pem);
    let said = home.wip(&["tree", "--at", &url, "--ca", "other.pem"]).failed(6);
    assert!(said.contains("hint: --ca FILE names it"), "{said}");
    drop(serving);

    let key = home.path().join("state/wip/self-signed/localhost/key.pem");
    assert_eq!(std::fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    let before = std::fs::read_to_string(&ca).unwrap();
    let serving = home.serve(&words, 1);
    assert_eq!(std::fs::read_to_string(&ca).unwrap(), before, "clients would no longer trust it");
    home.wip(&["tree", "--at", serving.url(), "--ca", &ca]).ok();
    drop(serving);
    // What is broken is made anew, and an old one before clients refuse it.
    for (file, content) in [("key.pem", "broken"), ("names.txt", "1\nlocalhost\n127.0.0.1\n::1\n")] {
        home.write(&format!("state/wip/self-signed/localhost/{file}"), content);
        let before = std::fs::read_to_string(&ca).unwrap();
        let serving = home.serve(&words, 1);
        assert_ne!(std::fs::read_to_string(&ca).unwrap(), before);
        home.wip(&["tree", "--at", serving.url(), "--ca", &ca]).ok();
    }
    // What others may have read is no secret any more.
    let before = std::fs::read_to_string(&ca).unwrap();
    home.allow("state/wip/self-signed/localhost/key.pem", 0o640);
    drop(home.serve(&words, 1));
    assert_ne!(std::fs::read_to_string(&ca).unwrap(), before);
    assert_eq!(std::fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_certificate_that_other_machines_cannot_trust_says_so() {
    let home = Home::new();
    let token = home.token("tokens", "me");
    for (address, said) in [("0.0.0.0:0", true), ("127.0.0.1:0", false)] {
        let words = ["docs", "--listen", address, "--tls", "self-signed", "--tokens", "tokens"];
        let serving = home.serve(&words, 1);
        let ca = serving.line("certificate: ");
        home.wip_with(&token, &["tree", "--at", serving.url(), "--ca", &ca]).ok();
        let port = serving.url().rsplit(':').next().unwrap().trim_end_matches('/').to_owned();
        let told = serving.said();
        assert_eq!(told.contains("it is for localhost alone"), said, "{address}");
        let reached = format!("other machines reach it at every address of this machine, at port {port}\n");
        assert_eq!(told.contains(&reached), said, "{address} {told}");
    }
}

#[test]
fn a_certificate_of_the_users_is_shown() {
    let home = Home::new();
    let made = worldspace_http::tls::self_signed(&["127.0.0.1".to_owned()]).unwrap();
    home.write("cert.pem", &made.certificate_pem);
    home.write("key.pem", made.key_pem.reveal());
    let words = ["docs", "--listen", "0", "--tls-cert", "cert.pem", "--tls-key", "key.pem"];
    home.allow("key.pem", 0o644);
    let said = home.serve(&words, 1).said();
    assert!(said.contains("WARN") && said.contains("everybody on this machine may read"), "{said}");
    home.allow("key.pem", 0o640);
    let serving = home.serve(&words, 1);
    assert!(home.wip(&["tree", "--at", serving.url(), "--ca", "cert.pem"]).ok().contains("docs/"));
    assert_eq!(serving.said(), "");
    home.write("wrong", "what is this\n");
    home.allow("wrong", 0o600);
    let said = home.wip(&["serve", "docs", "--tokens", "wrong"]).failed(1);
    assert!(said.contains("line 1 of the file of tokens") && !said.contains("wip token new"), "{said}");
    for (words, code, said) in [
        (vec!["--tls-cert", "cert.pem"], 2, "--tls-key <FILE>"),
        (vec!["--tls-cert", "key.pem", "--tls-key", "cert.pem"], 1, "holds no certificate"),
        (vec!["--tls-cert", "cert.pem", "--tls-key", "gone"], 1, "the private key file gone cannot be read"),
        (vec!["--tls", "nonsense"], 2, "self-signed"),
        (vec!["--tokens", "t", "--allow-anonymous"], 2, "cannot be used with"),
        (vec!["--tokens", "t"], 1, "wip token new NAME --file t"),
    ] {
        let told = home.wip(&[vec!["serve", "docs"], words].concat()).failed(code);
        assert!(told.contains(said), "{told}");
    }
}

#[test]
fn an_address_beyond_loopback_needs_tls_and_tokens_or_so_many_words() {
    let home = Home::new();
    home.token("tokens", "me");
    let (plain, anonymous) = ("but nothing is encrypted", "nobody has to show a token");
    for (words, said, unsaid) in [
        (vec![], vec![plain, anonymous, "--allow-plain-http", "--allow-anonymous"], ""),
        (vec!["--tokens", "tokens"], vec![plain, "--tls self-signed"], anonymous),
        (vec!["--writable"], vec![plain], anonymous),
        (vec!["--tls", "self-signed"], vec![anonymous, "wip token new"], plain),
        (vec!["--allow-plain-http"], vec![anonymous], plain),
        (vec!["--allow-anonymous"], vec![plain], anonymous),
    ] {
        let words = [vec!["serve", "docs", "--listen", "0.0.0.0:0"], words].concat();
        let told = home.wip(&words).failed(2);
        assert!(said.iter().all(|said| told.contains(said)), "{words:?}\n{told}");
        assert!(unsaid.is_empty() || !told.contains(unsaid), "{words:?}\n{told}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_token_is_seen_nowhere() {
    let home = Home::new();
    let serving = home.serve(&["docs", "--listen", "0", "--tls", "self-signed", "--writable", "-vvv"], 1);
    let ca = serving.line("certificate: ");
    let token = serving.line("token: ");
    let url = serving.url().to_owned();
    let at = ["--at", url.as_str(), "--ca", &ca];
    home.write("mine", &token);
    home.allow("mine", 0o600);
    for words in [
        vec!["tree", "-vvv"],
        vec!["tree", "-vvv", "--token-file", "mine"],
        vec!["inspect", "/docs", "/gone", "-vvv", "-o", "json"],
        vec!["invoke", "/docs", "create_file", "name=b.md", "-vvv"],
        vec!["invoke", "/docs", "create_file", "-vvv"],
    ] {
        let ran = home.wip_with(&token, &[&words[..], &at].concat());
        assert!(!ran.stdout.contains(&token) && !ran.stderr.contains(&token), "{words:?} {ran:?}");
        assert!(ran.stderr.contains("TRACE"), "nothing was logged: {ran:?}");
    }
    let command_line = |id: u32| std::fs::read(format!("/proc/{id}/cmdline")).unwrap();
    let (url, connected) = silent();
    let mut client = started(home.program().args(["tree", "--at", &url]).env("WIP_TOKEN", &token));
    connected.recv().unwrap();
    for id in [client.id(), serving.child.id()] {
        let words = String::from_utf8(command_line(id)).unwrap();
        assert!(words.contains("wip") && !words.contains(&token), "{words}");
    }
    client.kill().unwrap();
    client.wait().unwrap();
    let said = serving.said();
    assert!(said.contains("TRACE"), "nothing was logged: {said}");
    // On the line that is for it.
    assert_eq!(said.matches(&token).count(), 1, "{said}");
}
