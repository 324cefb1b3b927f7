//! Lines with a text in them. The matcher takes time in proportion to what it reads, whatever the expression.

use std::io::{self, BufRead, BufReader, Read};

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use worldspace_host::Refusal;

/// The largest compiled expression.
const EXPRESSION: usize = 4 << 20;
/// The longest line that is searched, and so what a search holds.
const LINE: usize = 16 << 20;
/// Bytes read at a time.
const BUFFER: usize = 64 << 10;
/// What some editors begin a UTF-8 text with.
const MARK: &[u8] = "\u{feff}".as_bytes();
/// Bytes of a line that are shown.
const SHOWN: usize = 400;
/// Bytes of a long line that are shown before the match.
const BEFORE: usize = 80;

/// What holds for a plain text and for an expression alike.
const WITHIN_A_LINE: &str =
    "may hold no line end, since what is looked for stands within one line; look for one of its lines";

/// Searches files for one text.
pub(super) struct Search {
    matcher: RegexMatcher,
    searcher: Searcher,
}

impl Search {
    pub(super) fn new(text: &str, regex: bool) -> Result<Self, Refusal> {
        if text.is_empty() {
            return Err(Refusal::argument("text", "is empty; leave it out to find files by name alone"));
        }
        if !regex && text.contains('\n') {
            return Err(Refusal::argument("text", WITHIN_A_LINE));
        }
        let mut builder = RegexMatcherBuilder::new();
        // `^` and `$` are the borders of a line, whether or not its end has a carriage return.
        builder
            .multi_line(true)
            .crlf(true)
            .line_terminator(Some(b'\n'))
            .size_limit(EXPRESSION)
            .fixed_strings(!regex);
        let matcher = builder.build(text).map_err(|error| Refusal::argument("text", wrong(text, &error)))?;
        let searcher = SearcherBuilder::new()
            .line_number(true)
            .binary_detection(BinaryDetection::quit(0))
            // A file is searched as the bytes that it is, so that nothing is found that `read_text` then refuses.
            .bom_sniffing(false)
            .heap_limit(Some(LINE))
            .build();
        Ok(Self { matcher, searcher })
    }

    /// Gives number and text of each line that matches, until `take` says that it is enough.
    pub(super) fn run(&mut self, file: impl Read, take: impl FnMut(u64, String) -> bool) -> io::Result<()> {
        let mut file = BufReader::with_capacity(BUFFER, file);
        // A mark that says that the text is UTF-8 is no part of its first line.
        if file.fill_buf()?.starts_with(MARK) {
            file.consume(MARK.len());
        }
        self.searcher.search_reader(&self.matcher, file, Taking { matcher: &self.matcher, take })
    }
}

/// Why an expression cannot be searched for, in one sentence.
fn wrong(expression: &str, error: &grep_regex::Error) -> String {
    // The parser itself says where; the matcher draws it, around an expression that was never written so.
    let (what, span) =
        match regex_syntax::ParserBuilder::new().utf8(false).build().parse(expression) {
            Err(regex_syntax::Error::Parse(error)) => (error.kind().to_string(), *error.span()),
            Err(regex_syntax::Error::Translate(error)) => (error.kind().to_string(), *error.span()),
            Err(error) => return format!("is no regular expression: {error}"),
            Ok(_) => {
                return match error.kind() {
                grep_regex::ErrorKind::NotAllowed(_) => WITHIN_A_LINE.to_owned(),
                grep_regex::ErrorKind::Regex(text) if text.contains("size limit") => format!(
                    "is an expression that takes more than {} MiB, the limit here; repeat less in it",
                    EXPRESSION >> 20
                ),
                _ => "is an expression that cannot be searched for; leave out comments, or write it otherwise"
                    .to_owned(),
            };
            }
        };
    let before = expression.get(..span.start.offset).unwrap_or(expression);
    format!("is no regular expression: {what}, at character {}", before.chars().count() + 1)
}

struct Taking<'s, T> {
    matcher: &'s RegexMatcher,
    take: T,
}

impl<T: FnMut(u64, String) -> bool> Sink for Taking<'_, T> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let line = found.bytes();
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let at = self.matcher.find(line).ok().flatten().map_or(0, |found| found.start());
        Ok((self.take)(found.line_number().unwrap_or(0), clip(line, at)))
    }
}

/// The line, or where it is long the part of it around the match. What is not UTF-8 in it shows as �.
fn clip(line: &[u8], at: usize) -> String {
    if line.len() <= SHOWN {
        return String::from_utf8_lossy(line).into_owned();
    }
    let start = border(line, at.saturating_sub(BEFORE).min(line.len() - SHOWN));
    let end = border(line, start + SHOWN);
    let before = if start > 0 { "…" } else { "" };
    let behind = if end < line.len() { "…" } else { "" };
    [before, &String::from_utf8_lossy(&line[start..end]), behind].concat()
}

/// The beginning of the character that stands at a place.
fn border(line: &[u8], at: usize) -> usize {
    let inside = |at: usize| line.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    (at.saturating_sub(3)..=at.min(line.len())).rev().find(|at| !inside(*at)).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_at_characters_around_the_match() {
        assert_eq!(clip(b"short", 2), "short");
        let line = format!("{}needle{}", "ä".repeat(500), "ö".repeat(500));
        let shown = clip(line.as_bytes(), 1000);
        assert!(shown.starts_with("…ä") && shown.ends_with("ö…") && shown.contains("needle"), "{shown}");
        assert!(!shown.contains('\u{fffd}') && shown.len() <= SHOWN + 6, "{shown}");
        let shown = clip(line.as_bytes(), 0);
        assert!(shown.starts_with('ä') && shown.ends_with("ä…"), "{shown}");
        let shown = clip(line.as_bytes(), line.len() - 2);
        assert!(shown.starts_with("…ö") && shown.ends_with('ö'), "{shown}");
        assert!(clip(&[0x80; 2000], 1000).len() < 3 * 2000);
    }
}
