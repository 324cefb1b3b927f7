//! `write`, `append`, `replace_text`: new content is made ready from the arguments and what is there.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use memchr::memmem;
use rustix::io::Errno;
use worldspace_host::{Call, Done, Refusal};
use worldspace_model::Value;

use super::basis::Basis;
use super::replace::{self, Ready};
use super::{Writer, unprepared};
use crate::files::failure::refused;
use crate::files::state::{READ, digest_of};
use crate::files::task::Task;
use crate::pool::is_end;

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
    let ready = prepare(writer, |file| file.write_all(&content))?;
    replace::run(task, writer, call, basis, ready, Value::Unit)
}

pub(super) fn append(task: &Task<'_>, writer: &Writer, call: Call) -> Result<Done, Refusal> {
    let more = call.text("text").unwrap_or_default().to_owned();
    let basis = find(task, &call)?;
    let old = basis.file().map_err(refused)?;
    let ready = prepare(writer, |file| {
        copy(task, old, basis.stat.size, file)?;
        file.write_all(more.as_bytes())
    })?;
    replace::run(task, writer, call, basis, ready, Value::Unit)
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
    let new = call.text("new").unwrap_or_default();
    let count = memmem::find_iter(&content, old).count();
    if count != expected {
        let found = Value::case("found", Some(Value::count(count as u64)))?;
        return Ok(call.done(found));
    }
    let longer = (new.len() as u64).saturating_sub(old.len() as u64).saturating_mul(count as u64);
    if basis.stat.size.saturating_add(longer) > EDITED {
        let text = format!(
            "the file would become longer than {} MiB, above which no text is replaced; nothing was changed",
            EDITED >> 20
        );
        return Err(Refusal::Limit(text));
    }
    let ready = prepare(writer, |file| {
        let mut file = BufWriter::new(file);
        let mut behind = 0;
        for place in memmem::find_iter(&content, old) {
            file.write_all(&content[behind..place])?;
            file.write_all(new.as_bytes())?;
            behind = place + old.len();
        }
        file.write_all(&content[behind..])?;
        file.flush()
    })?;
    let result = Value::case("replaced", Some(Value::count(count as u64)))?;
    replace::run(task, writer, call, basis.holding(&content), ready, result)
}

/// The content that a call gives, be it text or bytes, if it gives any.
pub(super) fn given(call: &Call) -> Result<Option<&[u8]>, Refusal> {
    match (call.text("text"), call.argument("data").and_then(Value::as_bytes)) {
        (Some(_), Some(_)) => {
            let text = "both `text` and `data` are given; a file has one content, give one of them";
            Err(Refusal::InvalidArguments(text.to_owned()))
        }
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
    match allowed {
        // Old systems cannot say it without following links.
        Ok(()) | Err(Errno::NOSYS | Errno::INVAL) => {}
        Err(error) => return Err(unprepared(error.into())),
    }
    Basis::of(task.root, &found)
}

/// Makes content ready.
pub(super) fn prepare(
    writer: &Writer,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<Ready, Refusal> {
    let slot = writer.staging()?.slot().map_err(unprepared)?;
    let mut file = slot.create().map_err(unprepared)?;
    let digest = write(&mut file).and_then(|()| match file.metadata()?.len() {
        0..=READ => digest_of(&file, READ).map(Some),
        _ => Ok(None),
    });
    match digest {
        Ok(digest) => Ok(Ready { slot, file, digest }),
        Err(error) if is_end(&error) => {
            let text = "the time ran out while the file was copied, and nothing was changed; allow more time";
            Err(Refusal::Limit(text.to_owned()))
        }
        Err(error) => Err(unprepared(error)),
    }
}

/// Copies a file as it is, holes as holes, as long as somebody waits for it.
fn copy(task: &Task<'_>, mut old: &File, size: u64, new: &mut File) -> io::Result<()> {
    /// What is copied at a time.
    const PART: u64 = 8 << 20;
    let mut at = 0;
    while let Some(data) = next_data(old, at, size)? {
        old.seek(SeekFrom::Start(data.start))?;
        new.seek(SeekFrom::Start(data.start))?;
        let mut left = data.end - data.start;
        while left > 0 {
            if task.patience.is_over() {
                return Err(io::Error::from(io::ErrorKind::TimedOut));
            }
            // The system copies within itself, and shares what it can.
            match io::copy(&mut old.take(left.min(PART)), new)? {
                // It is shorter by now, which the comparison will tell.
                0 => break,
                copied => left -= copied,
            }
        }
        at = data.end;
    }
    new.set_len(size)?;
    new.seek(SeekFrom::Start(size))?;
    Ok(())
}

/// The next part of a file that is no hole, where the filesystem tells.
fn next_data(file: &File, at: u64, size: u64) -> io::Result<Option<Range<u64>>> {
    use rustix::fs::{SeekFrom, seek};
    if at >= size {
        return Ok(None);
    }
    let start = match seek(file, SeekFrom::Data(at)) {
        Ok(start) => start,
        Err(Errno::NXIO) => return Ok(None),
        Err(_) => return Ok(Some(at..size)),
    };
    let end = seek(file, SeekFrom::Hole(start)).unwrap_or(size).min(size);
    Ok((start < end).then_some(start..end))
}
