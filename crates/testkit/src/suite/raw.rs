//! Requests that no Transport would send, written to the socket by hand.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use worldspace_model::Interaction;

use super::check::{Verdict, failed, need};
use super::world::{PATIENCE, World};

/// Posts a body to the route of an interaction; the whole answer, head and body.
pub(super) async fn post(world: &World, interaction: Interaction, body: &str) -> Verdict<String> {
    let url = need(world.loopback.url(), "HTTP")?;
    let rest = url.strip_prefix("http://").unwrap_or(url);
    let (address, base) = rest.split_once('/').unwrap_or((rest, ""));
    let base = base.trim_end_matches('/');
    let slash = if base.is_empty() { "" } else { "/" };
    let request = format!(
        "POST {slash}{base}/v1/{interaction} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let asking = async {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await?;
        Ok::<_, std::io::Error>(String::from_utf8_lossy(&answer).into_owned())
    };
    match tokio::time::timeout(PATIENCE, asking).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => failed("an answer over HTTP", error),
        Err(_) => failed("an answer over HTTP", "none came"),
    }
}

/// The codes in an answer, in their order.
pub(super) fn codes(answer: &str) -> Vec<&str> {
    let codes = answer.split("\"code\":\"").skip(1);
    codes.filter_map(|rest| rest.split('"').next()).collect()
}

/// A string of JSON.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if control.is_control() => quoted.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
