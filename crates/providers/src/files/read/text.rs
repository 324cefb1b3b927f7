//! `read_text`: lines of a text. The file streams past; only the lines that are asked for are kept.

use std::io::{self, BufRead, BufReader, Read};

use worldspace_host::{Call, Refusal};
use worldspace_model::Value;

use crate::budget;
use crate::files::failure::refused;
use crate::files::stat::Stat;
use crate::files::task::Task;
use crate::pool::is_end;

/// Lines in an answer unless the caller asks for more.
pub(in crate::files) const USUAL: usize = 2_000;
/// Bytes of text in an answer at most: even if JSON has to escape each one, within the smallest response limit among
/// peers.
pub(in crate::files) const LONGEST: usize = 128 << 10;
/// What JSON makes of one byte at most.
const ESCAPED: usize = 6;
/// Bytes read at a time.
const BUFFER: usize = 256 << 10;

pub(super) fn run(task: &Task<'_>, call: &Call) -> Result<Value, Refusal> {
    let start = call.count("start_line", 1, usize::MAX)?;
    let lines = call.count("lines", USUAL, usize::MAX)?;
    let to_the_end = call.integer("lines").is_none();
    let (file, stat) = task.open_file(call)?;
    let reader = BufReader::with_capacity(BUFFER, task.patience.watch(as_it_is(&file, &stat)));
    let longest = budget::room(task.context, LONGEST * ESCAPED) / ESCAPED;
    let read = Extract::read(reader, start as u64, lines as u64, longest).map_err(|error| {
        if !is_end(&error) {
            return refused(error);
        }
        let text = "the time ran out while the lines were counted; allow more time, or read a part with `read_bytes`";
        Refusal::Limit(text.to_owned())
    })?;
    task.confirm_file(call, &file)?;
    let text = read.text().map_err(|line| {
        Refusal::InvalidArguments(format!(
            "line {line} is not UTF-8 text, so the file has no such lines to read; `read_bytes` reads it as it is"
        ))
    })?;
    let more = to_the_end && read.total > start as u64 - 1 + read.taken;
    Ok(Value::record([
        ("text", Some(Value::from(text))),
        ("start_line", Some(Value::count(start as u64))),
        ("total_lines", Some(Value::count(read.total))),
        ("truncated", Some(Value::from(read.cut || more))),
    ])?)
}

/// The file as long as it is now: one that grows as fast as it is read would never end. Files that the system makes up
/// have no length, but an end.
fn as_it_is(file: impl Read, stat: &Stat) -> impl Read {
    file.take(if stat.size == 0 { u64::MAX } else { stat.size })
}

/// Some lines of a file, and how many there are.
struct Extract {
    start: u64,
    longest: usize,
    bytes: Vec<u8>,
    /// Lines that were taken, the last of them perhaps not whole.
    taken: u64,
    /// Whether the text was full before the lines that were asked for ended.
    cut: bool,
    total: u64,
}

impl Extract {
    fn read(mut reader: impl BufRead, start: u64, lines: u64, longest: usize) -> io::Result<Self> {
        let mut extract = Self { start, longest, bytes: Vec::new(), taken: 0, cut: false, total: 0 };
        while extract.total < start - 1 && reader.skip_until(b'\n')? > 0 {
            extract.total += 1;
        }
        if extract.total == start - 1 {
            while extract.taken < lines && !extract.cut && extract.take_line(&mut reader)? {
                extract.total += 1;
            }
        }
        while reader.skip_until(b'\n')? > 0 {
            extract.total += 1;
        }
        Ok(extract)
    }

    /// Takes a line; whether there was one. One that has no room behind others is left for the next answer, only one
    /// that would not even have room alone is cut: either way the text is full.
    fn take_line(&mut self, reader: &mut impl BufRead) -> io::Result<bool> {
        let begin = self.bytes.len();
        loop {
            let buffer = match reader.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let end = memchr::memchr(b'\n', buffer).map(|at| at + 1);
            let part = end.unwrap_or(buffer.len());
            let room = self.longest - self.bytes.len();
            self.bytes.extend_from_slice(&buffer[..part.min(room)]);
            reader.consume(part);
            let ended = end.is_some() || part == 0;
            if part > room {
                self.cut = true;
                if begin > 0 {
                    self.bytes.truncate(begin);
                }
                if !ended {
                    reader.skip_until(b'\n')?;
                }
            }
            if ended || self.cut {
                self.taken += u64::from(self.bytes.len() > begin);
                return Ok(self.cut || self.bytes.len() > begin);
            }
        }
    }

    /// The text.
    ///
    /// # Errors
    /// The number of the line that is not UTF-8.
    fn text(&self) -> Result<String, u64> {
        let valid = match std::str::from_utf8(&self.bytes) {
            Ok(text) => text,
            Err(error) => {
                let (valid, _) = self.bytes.split_at(error.valid_up_to());
                // Where the text was cut within a character, that one is left out.
                if !(self.cut && error.error_len().is_none()) {
                    return Err(self.start + memchr::memchr_iter(b'\n', valid).count() as u64);
                }
                std::str::from_utf8(valid).unwrap_or_default()
            }
        };
        Ok(valid.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &[u8], start: u64, lines: u64, text: &str, total: u64, cut: bool) {
        // Small buffers, so that lines and characters lie across their borders.
        for capacity in [1, 3, 1 << 16] {
            let read =
                Extract::read(BufReader::with_capacity(capacity, content), start, lines, LONGEST).unwrap();
            let found = (read.text().unwrap(), read.total, read.cut);
            assert_eq!(found, (text.to_owned(), total, cut), "{start} {lines} {capacity}");
        }
    }

    #[test]
    fn lines_are_counted_and_kept_as_they_are() {
        check(b"", 1, 10, "", 0, false);
        check(b"a", 1, 10, "a", 1, false);
        check(b"a\nb\r\n\nc", 1, 10, "a\nb\r\n\nc", 4, false);
        check(b"a\nb\r\n\nc", 2, 2, "b\r\n\n", 4, false);
        check(b"a\nb\n", 2, 1, "b\n", 2, false);
        check(b"a\nb\n", 3, 1, "", 2, false);
        check(b"a\nb\n", 900, 1, "", 2, false);
        check("ä\nö".as_bytes(), 2, 1, "ö", 2, false);
    }

    #[test]
    fn a_text_is_cut_at_a_character_and_the_lines_behind_it_are_counted() {
        let long = "ä".repeat(LONGEST);
        check(format!("{long}\nb\n").as_bytes(), 1, 5, &long[..LONGEST], 2, true);
        let shifted = format!("x{long}\nb\n");
        check(shifted.as_bytes(), 1, 5, &shifted[..LONGEST - 1], 2, true);
        // Behind others it waits for the next answer, however little of it is missing.
        check(format!("b\n{long}\n").as_bytes(), 1, 5, "b\n", 2, true);
        check(format!("b\n{}\n", "x".repeat(LONGEST - 2)).as_bytes(), 1, 5, "b\n", 2, true);
        check(format!("b\n{}", "x".repeat(LONGEST - 1)).as_bytes(), 1, 5, "b\n", 2, true);
        let full = format!("{}\n", "x".repeat(LONGEST - 1));
        check(format!("{full}b\nc").as_bytes(), 1, 3, &full, 3, true);
        check(format!("{full}b\nc").as_bytes(), 1, 1, &full, 3, false);
        check(full.as_bytes(), 1, 2, &full, 1, false);
    }

    /// A file that somebody appends to whenever it is read.
    struct Growing {
        file: std::fs::File,
        reads: usize,
    }

    impl Read for Growing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.reads += 1;
            assert!(self.reads < 100, "it is read without end");
            let length = self.file.metadata()?.len();
            std::os::unix::fs::FileExt::write_all_at(&self.file, &b"more\n".repeat(200), length)?;
            self.file.read(buffer)
        }
    }

    #[test]
    fn a_file_that_grows_while_it_is_read_ends_where_it_did() {
        let file = tempfile::tempfile().unwrap();
        std::os::unix::fs::FileExt::write_all_at(&file, b"one\ntwo\n", 0).unwrap();
        let stat = Stat::of(&file).unwrap();
        let reader = BufReader::with_capacity(16, as_it_is(Growing { file, reads: 0 }, &stat));
        let read = Extract::read(reader, 1, 10, LONGEST).unwrap();
        assert_eq!((read.text().as_deref(), read.total, read.cut), (Ok("one\ntwo\n"), 2, false));
    }

    #[test]
    fn what_is_no_text_names_its_line() {
        let read = Extract::read(BufReader::new(&b"a\nb\xff\n"[..]), 1, 5, LONGEST).unwrap();
        assert_eq!(read.text(), Err(2));
        let read = Extract::read(BufReader::new(&b"a\nb\xff\n"[..]), 1, 1, LONGEST).unwrap();
        assert_eq!(read.text().unwrap(), "a\n");
    }
}
