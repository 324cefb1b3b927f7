//! The program: what it says, and that each write is there once it was answered, whenever the program is killed.

use std::process::Stdio;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use worldspace_client::{Client, Settings};
use worldspace_http::auth::Token;
use worldspace_http::{ClientConfig, Endpoint, HttpTransport};

use crate::world::{User, World};

/// The rest of the first line that begins so.
async fn line(stream: impl AsyncRead + Unpin, mark: &str) -> String {
    let mut lines = BufReader::new(stream).lines();
    loop {
        let line = lines.next_line().await.unwrap().unwrap();
        if let Some(rest) = line.strip_prefix(mark) {
            return rest.to_owned();
        }
    }
}

/// The program on that file, and somebody who has its token.
async fn program(world: &World) -> (Child, User) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracker"));
    let command = command.arg(world.file()).args(["--port", "0"]).kill_on_drop(true);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let token = line(child.stderr.as_mut().unwrap(), "token: ").await;
    let url = line(child.stdout.as_mut().unwrap(), "listening on ").await;
    let config = ClientConfig { token: Some(Token::parse(&token).unwrap()), ..ClientConfig::default() };
    let transport = HttpTransport::new(Endpoint::parse(&url).unwrap(), config).unwrap();
    (child, User(Client::new(Arc::new(transport), Settings::default()), world.clone()))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_answered_is_there_whenever_the_program_is_killed() {
    let world = World::small();
    let mut answered = 0;
    for round in 0..3 {
        let (mut child, owner) = program(&world).await;
        let victim = child.id().unwrap();
        let killing = tokio::spawn(async move {
            tokio::time::sleep(std::time::Duration::from_millis(150 + 100 * round)).await;
            child.kill().await.unwrap();
        });
        loop {
            let text = format!("{victim} says {answered}");
            if owner.call("/garden/1", "comment", &[("text", text.into())]).await != "done" {
                break;
            }
            answered += 1;
        }
        killing.await.unwrap();
        let kept = world.rows("SELECT text FROM comments WHERE text LIKE '% says %' ORDER BY id");
        // One more may have come to its end without its answer.
        assert!(answered > 0 && (answered..=answered + 1).contains(&kept.len()), "{answered}: {kept:?}");
        answered = kept.len();
        assert_eq!(world.rows("SELECT integrity_check FROM pragma_integrity_check"), ["ok"]);
    }
    assert_eq!(world.rows("SELECT DISTINCT author FROM comments WHERE text LIKE '% says %'"), ["owner"]);
}

#[tokio::test]
async fn it_says_why_it_does_not_start() {
    let world = World::empty();
    world.sql("CREATE TABLE other (id)");
    let run = |arguments: Vec<String>| async move {
        let output = Command::new(env!("CARGO_BIN_EXE_tracker")).args(arguments).output().await.unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = run(vec![world.file().display().to_string()]).await;
    assert!(code == 1 && said.contains("is a database of something else; name another file"), "{said}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let file = World::empty();
    let (code, said) = run(vec![file.file().display().to_string(), "--port".to_owned(), port]).await;
    assert!(code == 1 && said.contains("cannot listen at") && said.contains("because: "), "{said}");
    let (code, said) = run(vec!["--prot".to_owned()]).await;
    assert!(code == 2 && said.contains("--port"), "{said}");
}
