//! HTTP/2 frame by frame, for clients that no library would be.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::raw::{LONG, Running};

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const RESET: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PING: u8 = 6;
pub(crate) const GOAWAY: u8 = 7;
pub(crate) const CONTINUATION: u8 = 9;

/// Flags.
pub(crate) const ACK: u8 = 1;
pub(crate) const END_STREAM: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;

pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A connection with these settings: pairs of identifier and value.
pub(crate) async fn open(server: &Running, settings: &[(u16, u32)]) -> TcpStream {
    let pair = |(id, value): &(u16, u32)| [&id.to_be_bytes()[..], &value.to_be_bytes()].concat();
    let settings: Vec<u8> = settings.iter().flat_map(pair).collect();
    let mut stream = server.connect().await;
    let begin = [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", &*frame(SETTINGS, 0, 0, &settings)].concat();
    stream.write_all(&begin).await.unwrap();
    stream
}

/// The compressed head of a post, spelled out.
pub(crate) fn head(server: &Running, path: &str) -> Vec<u8> {
    let text = |text: &str| [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
    let authority = text(&server.address.to_string());
    [&[0x83, 0x86, 0x04], &*text(path), &[0x01], &*authority, &[0x0f, 0x10], &*text("application/json")]
        .concat()
}

/// A whole request.
pub(crate) fn post(server: &Running, stream: u32, path: &str, body: &str) -> Vec<u8> {
    let head = frame(HEADERS, END_HEADERS, stream, &head(server, path));
    [head, frame(DATA, END_STREAM, stream, body.as_bytes())].concat()
}

/// The next frame: kind, flags, stream. Nothing once the connection is closed.
pub(crate) async fn next(stream: &mut TcpStream) -> Option<(u8, u8, u32)> {
    let read = async {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await.ok()?;
        let [a, b, c, kind, flags, number @ ..] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        stream.read_exact(&mut payload).await.ok()?;
        Some((kind, flags, u32::from_be_bytes(number)))
    };
    tokio::time::timeout(LONG, read).await.expect("something comes, or the connection is closed")
}

/// Reads until a frame of that kind on that stream.
pub(crate) async fn until(stream: &mut TcpStream, kind: u8, number: u32) {
    loop {
        let (found, _, on) = next(stream).await.expect("the connection is open");
        if (found, on) == (kind, number) {
            return;
        }
    }
}
