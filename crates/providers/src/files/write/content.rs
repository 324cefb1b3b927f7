//! `write`, `append`, `replace_text`: new content is made ready from the arguments and what is there.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use memchr::memmem;
use worldspace_host::{Call, Done, Refusal};
use worldspace_model::Value;

use super::basis::Basis;
use super::replace::{self, Ready};
use super::{Writer, unprepared};
use crate::files::failure::refused;
use crate::files::pool::is_end;
use crate::files::state::{READ, digest};
use crate::files::task::Task;

/// The longest file in which a text is replaced: it is held in memory, twice.
pub(super) const EDITED: u64 = 64 << 20;

pub(super) fn write(task: &Task<'_>, writer: &Writer, call: Call) -> Result<Done, Refusal> {
    let content = given(&call)?
        .ok_or_else(|| {
            let text =
                "neither `text` nor `data` is given; give one of them (an empty text empties the file)";
            Refusal::InvalidArguments(text.to_owned())
        })?
        .to_vec();
    let basis = find(task, &call)?;
    let ready = ready(writer, &content)?;
    replace::run(task, writer, call, basis, ready, Value::Unit)
}

pub(super) fn append(task: &Task<'_>, writer: &Writer, call: Call) -> Result<Done, Refusal> {
    let more = call.text("text").unwrap_or_default().to_owned();
    let basis = find(task, &call)?;
    let slot = writer.staging()?.slot().map_err(unprepared)?;
    let mut file = slot.create().map_err(unprepared)?;
    let old = basis.file().map_err(refused)?;
    copy(task, old, &mut file).map_err(|error| match is_end(&error) {
        true => Refusal::Limit(
            "the time ran out while the file was copied, and nothing was changed; allow more time".to_owned(),
        ),
        false => unprepared(error),
    })?;
    file.write_all(more.as_bytes()).map_err(unprepared)?;
    let digest = digest_of(&mut file).map_err(unprepared)?;
    replace::run(task, writer, call, basis, Ready { slot, file, digest }, Value::Unit)
}

pub(super) fn replace_text(task: &Task<'_>, writer: &Writer, call: Call) -> Result<Done, Refusal> {
    let old = call.text("old").unwrap_or_default();
    if old.is_empty() {
        return Err(Refusal::argument(
            "old",
            "is empty, which stands everywhere; give the text to be replaced",
        ));
    }
    let expected = call.count("count", 1, usize::MAX)?;
    let basis = find(task, &call)?;
    if basis.stat.size > EDITED {
        let text = format!(
            "the file is longer than {} MiB, above which no text is replaced; nothing was changed (`write` sets it whole)",
            EDITED >> 20
        );
        return Err(Refusal::Limit(text));
    }
    let mut content = Vec::new();
    let mut file = basis.file().map_err(refused)?;
    file.rewind().and_then(|()| file.take(EDITED + 1).read_to_end(&mut content)).map_err(refused)?;
    let places: Vec<usize> = memmem::find_iter(&content, old).collect();
    if places.len() != expected {
        let found = Value::case("found", Some(Value::count(places.len() as u64)))?;
        return Ok(call.done(found));
    }
    let new = call.text("new").unwrap_or_default();
    let ready = ready(writer, &replaced(&content, &places, old.len(), new.as_bytes()))?;
    let result = Value::case("replaced", Some(Value::count(places.len() as u64)))?;
    replace::run(task, writer, call, basis.holding(&content), ready, result)
}

/// The content that a call gives, be it text or bytes, if it gives any.
pub(super) fn given(call: &Call) -> Result<Option<&[u8]>, Refusal> {
    match (call.text("text"), call.argument("data").and_then(Value::as_bytes)) {
        (Some(_), Some(_)) => Err(Refusal::argument(
            "data",
            "and `text` are both given; a file has one content, give one of them",
        )),
        (Some(text), None) => Ok(Some(text.as_bytes())),
        (None, data) => Ok(data),
    }
}

/// The file that is called, if it may be written.
fn find(task: &Task<'_>, call: &Call) -> Result<Basis, Refusal> {
    let found = task.find(call)?;
    let Some((parent, name)) = &found.above else { return Err(Refusal::StateChanged) };
    // A file that may not be written could still be replaced, which is not what its owner meant.
    let flags = rustix::fs::AtFlags::EACCESS | rustix::fs::AtFlags::SYMLINK_NOFOLLOW;
    let allowed = rustix::fs::accessat(parent, name.as_str(), rustix::fs::Access::WRITE_OK, flags);
    allowed.map_err(|error| unprepared(error.into()))?;
    Basis::of(task.root, &found).map_err(refused)
}

/// Content that is known.
pub(super) fn ready(writer: &Writer, content: &[u8]) -> Result<Ready, Refusal> {
    let slot = writer.staging()?.slot().map_err(unprepared)?;
    let mut file = slot.create().map_err(unprepared)?;
    file.write_all(content).map_err(unprepared)?;
    let short = content.len() as u64 <= READ;
    Ok(Ready { slot, file, digest: short.then(|| digest(content)) })
}

/// Copies a file as it is, as long as somebody waits for it.
fn copy(task: &Task<'_>, mut old: &File, new: &mut File) -> io::Result<()> {
    /// What is copied at a time.
    const PART: u64 = 8 << 20;
    old.rewind()?;
    // The system copies within itself, and shares what it can.
    while io::copy(&mut old.take(PART), new)? > 0 {
        if task.patience.is_over() {
            return Err(io::Error::from(io::ErrorKind::TimedOut));
        }
    }
    Ok(())
}

fn digest_of(file: &mut File) -> io::Result<Option<crate::files::state::Digest>> {
    if file.metadata()?.len() > READ {
        return Ok(None);
    }
    let mut content = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut content)?;
    Ok(Some(digest(&content)))
}

fn replaced(content: &[u8], places: &[usize], old: usize, new: &[u8]) -> Vec<u8> {
    let mut made = Vec::with_capacity(content.len() + places.len() * new.len());
    let mut behind = 0;
    for place in places {
        made.extend_from_slice(&content[behind..*place]);
        made.extend_from_slice(new);
        behind = place + old;
    }
    made.extend_from_slice(&content[behind..]);
    made
}
