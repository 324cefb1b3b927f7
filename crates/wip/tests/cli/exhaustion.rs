//! A server that has run out of descriptors for a while.

use std::fs::Permissions;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::{Duration, Instant, SystemTime};

use crate::serving::Home;

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(20);

/// Asks again and again until it is so.
#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "{what} does not come");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The status of an answer over a connection that stays open.
fn ask(stream: &mut TcpStream, token: &str) -> String {
    let host = stream.peer_addr().unwrap();
    let request = format!("GET /v1 HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    let whole = |answer: &str| {
        let (head, body) = answer.split_once("\r\n\r\n")?;
        let length =
            head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        (length == Some(body.len())).then(|| head[9..12].to_owned())
    };
    loop {
        let mut piece = [0; 4096];
        let length = stream.read(&mut piece).unwrap();
        assert_ne!(length, 0, "closed: {answer}");
        answer.push_str(std::str::from_utf8(&piece[..length]).unwrap());
        if let Some(status) = whole(&answer) {
            return status;
        }
    }
}

#[test]
fn tokens_are_good_again_once_there_are_descriptors_again() {
    let home = Home::new();
    let token = home.token("tokens", "me");
    let serving = home.serve_with_descriptors(60, &["docs", "--listen", "0", "--tokens", "tokens"]);
    let address = serving.url().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let connect = || {
        let stream = TcpStream::connect(&address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream
    };
    let mut open = connect();
    assert_eq!(ask(&mut open, &token), "200");
    // So it must be read anew; and it is old enough for what was read, or could not be, to be remembered.
    let file = home.path().join("tokens");
    std::fs::set_permissions(&file, Permissions::from_mode(0o400)).unwrap();
    let changed = std::fs::metadata(&file).unwrap().ctime();
    let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(u64::try_from(changed).unwrap());
    until("the file's age", || changed.elapsed().is_ok_and(|age| age > Duration::from_secs(3)));

    let others: Vec<TcpStream> = (0..80).map(|_| connect()).collect();
    until("the end of descriptors", || serving.says("connections cannot be accepted"));
    assert_eq!(ask(&mut open, &token), "401", "the file cannot be read");
    drop(others);
    until("a good token", || ask(&mut open, &token) == "200");
}
