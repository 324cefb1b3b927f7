//! `read_bytes`: a part of a file, from anywhere in it.

use std::io;
use std::os::unix::fs::FileExt;

use worldspace_host::{Call, Refusal};
use worldspace_model::Value;

use crate::budget;
use crate::files::failure::refused;
use crate::files::task::Task;

/// Bytes in an answer unless the caller says otherwise: as base64 within the smallest response limit among peers.
pub(in crate::files) const USUAL: usize = 512 << 10;
/// Bytes in an answer at most: as base64 within this project's own response limit.
pub(in crate::files) const MOST: usize = 4 << 20;

pub(super) fn run(task: &Task<'_>, call: &Call) -> Result<Value, Refusal> {
    let offset = match call.integer("offset").map(u64::try_from) {
        None => 0,
        Some(Ok(offset)) => offset,
        Some(Err(_)) => return Err(Refusal::argument("offset", "is at least 0")),
    };
    // Base64 makes four bytes of three.
    let room = budget::room(task.context, MOST.div_ceil(3) * 4) / 4 * 3;
    let length = call.count("length", USUAL, room.clamp(1, MOST))?;
    let (file, stat) = task.open_file(call)?;
    let left = usize::try_from(stat.size.saturating_sub(offset)).unwrap_or(usize::MAX);
    let mut data = vec![0; length.min(left)];
    let read = fill(&file, offset, &mut data).map_err(refused)?;
    data.truncate(read);
    task.confirm_file(call, &file)?;
    Ok(Value::record([("data", Some(Value::bytes(data))), ("size", Some(Value::count(stat.size)))])?)
}

/// Reads until the buffer is full or the file ends, which may be earlier than it did a moment ago.
fn fill(file: &std::fs::File, offset: u64, data: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < data.len() {
        match file.read_at(&mut data[read..], offset + read as u64) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}
