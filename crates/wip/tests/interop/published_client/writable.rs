//! The published Client changes files, through TLS and with a token.

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use wip_client::ObservationState;
use wip_http::wip_protocol::{ProtocolErrorCode, Value};
use worldspace_host::Host;
use worldspace_http::auth::{Authentication, Token};
use worldspace_http::tls::self_signed;
use worldspace_model::Principal;
use worldspace_providers::files::{Files, Settings};

use super::carrier::{Published, reference, string};
use crate::live::{Live, entry, http_client_builder};

struct Met {
    directory: tempfile::TempDir,
    _live: Live,
    client: Published,
}

/// A writable directory behind TLS, and a Client that trusts it and shows a token.
async fn meet() -> Met {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("note.txt"), "one\n").unwrap();
    std::fs::create_dir(directory.path().join("sub")).unwrap();
    let files = Files::open(directory.path(), Settings { writable: true, ..Settings::default() }).unwrap();
    let host = Host::builder().mount(entry("/w"), files).build().unwrap();
    let signed = self_signed(&["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let token = Token::generate().unwrap();
    let live = Live::configured(host, |config| {
        config.tls = Some(signed.tls().unwrap());
        let principal = Principal::new("ada");
        config.authentication = Authentication::One { token: token.clone(), principal };
    })
    .await;
    assert!(live.url.starts_with("https://"), "{}", live.url);
    let mut shown = HeaderValue::try_from(format!("Bearer {}", token.reveal())).unwrap();
    shown.set_sensitive(true);
    let trusted = reqwest::Certificate::from_pem(signed.certificate_pem.as_bytes()).unwrap();
    let http = http_client_builder()
        .https_only(true)
        .tls_certs_only([trusted])
        .default_headers(HeaderMap::from_iter([(AUTHORIZATION, shown)]))
        .build()
        .unwrap();
    let client = Published::through(&live.url, http);
    Met { directory, _live: live, client }
}

fn case(value: &Value) -> (&str, Option<&Value>) {
    let Value::Record(fields) = value else { panic!("{value:?}") };
    let Value::String(case) = &fields["$case"] else { panic!("{value:?}") };
    (case, fields.get("value"))
}

#[tokio::test]
async fn sees_the_state_behind_its_own_calls_a_rename_and_a_description_change() {
    let Met { directory, _live, mut client } = meet().await;
    let on_disk = |name: &str| std::fs::read_to_string(directory.path().join(name)).unwrap();
    let (file, dir) = (reference("/w", "files.file.write"), reference("/w", "files.directory.write"));
    let read = reference("/w", "files.file");
    for name in ["files.file", "files.file.write", "files.directory.write"] {
        client.interface("/w", name).await.unwrap();
    }
    client.observe("/", 3).await.unwrap();
    assert_eq!(client.children("/w"), ["/w/note.txt", "/w/sub"]);

    // Each call is bound to what the one before returned: nothing is observed in between.
    let before = client.object("/w/note.txt").await;
    let mut seen = vec![before.validator.clone()];
    for text in ["two\n", "three\n"] {
        let (_, validator) = client.done("/w/note.txt", &file, "append", [("text", string(text))]).await;
        assert!(validator.is_some() && !seen.contains(&validator), "a new state has a new validator");
        seen.push(validator);
    }
    let replacing = [("old", string("two")), ("new", string("2"))];
    let (replaced, validator) = client.done("/w/note.txt", &file, "replace_text", replacing).await;
    assert_eq!(case(&replaced), ("replaced", Some(&Value::Integer(1))));
    assert_eq!(on_disk("note.txt"), "one\n2\nthree\n");
    let after = client.object("/w/note.txt").await;
    assert_eq!((&after.validator, &after.r#ref), (&validator, &before.r#ref), "the same file in a new state");
    let (text, _) = client.done("/w/note.txt", &read, "read_text", []).await;
    assert!(format!("{text:?}").contains("three"), "{text:?}");

    // Behind its back.
    std::fs::write(directory.path().join("note.txt"), "another's\n").unwrap();
    let refused = client.refused("/w/note.txt", &file, "write", [("text", string("mine"))]).await;
    assert_eq!(
        (refused, on_disk("note.txt").as_str()),
        (ProtocolErrorCode::ValidatorMismatch, "another's\n")
    );
    assert_eq!(client.held("/w/note.txt").unwrap().state, ObservationState::Stale);

    // A new name, which describes it otherwise.
    let before = client.object("/w/note.txt").await;
    assert_eq!(before.description.as_deref(), Some("text"));
    let moving = [("to", string("/w/sub")), ("name", string("note.md"))];
    let (moved, validator) = client.done("/w/note.txt", &file, "move", moving).await;
    assert_eq!((case(&moved), validator), (("moved", Some(&string("/w/sub/note.md"))), None));
    let renamed = client.object("/w/sub/note.md").await;
    assert_eq!((renamed.name.as_str(), &renamed.r#ref), ("note.md", &before.r#ref));
    assert_eq!(renamed.description.as_deref(), Some("Markdown text"));
    assert_eq!(client.observe("/w/note.txt", 0).await.map(|_| ()), Err(ProtocolErrorCode::NotFound));

    // A description that changes where it is.
    client.object("/w").await;
    let unnamed = std::os::unix::ffi::OsStringExt::from_vec(b"\xff".to_vec());
    std::fs::write(directory.path().join::<std::ffi::OsString>(unnamed), "").unwrap();
    let described = client.object("/w").await;
    assert!(described.description.unwrap().contains("not UTF-8"));
    let (created, _) = client.done("/w", &dir, "create_file", [("name", string("new"))]).await;
    assert_eq!(case(&created), ("created", Some(&string("/w/new"))));
    client.object("/w/new").await;

    let (deleted, _) = client.done("/w/sub/note.md", &file, "delete", []).await;
    assert_eq!(case(&deleted), ("deleted", None));
    assert_eq!(client.observe("/w/sub/note.md", 0).await.map(|_| ()), Err(ProtocolErrorCode::NotFound));
    client.observe("/", 5).await.unwrap();
    assert_eq!(client.children("/w"), ["/w/new", "/w/sub"]);
}
