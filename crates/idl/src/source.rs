//! The texts that are read, and places in them.

/// One file of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(u32);

/// Bytes `start..end` of one file, on boundaries of characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Whose bytes.
    pub file: FileId,
    /// The first one.
    pub start: u32,
    /// The one behind the last.
    pub end: u32,
}

/// A place as people and editors count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

/// The files of one run.
#[derive(Debug, Clone, Default)]
pub struct Sources(Vec<Source>);

#[derive(Debug, Clone)]
struct Source {
    name: String,
    text: String,
    /// Where each line begins.
    lines: Vec<u32>,
    /// How many characters stand before each [`STRIDE`]th byte, so that a column of a very long line is not counted
    /// from its beginning.
    characters: Vec<u32>,
}

const STRIDE: usize = 256;

/// Texts are longer than this only by mistake; their places would not fit a [`Span`].
pub(crate) const LONGEST: usize = u32::MAX as usize / 2;

impl Span {
    pub(crate) fn new(file: FileId, start: usize, end: usize) -> Self {
        // No longer text is taken.
        let fit = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { file, start: fit(start), end: fit(end) }
    }

    /// From the beginning of this one to the end of the other.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { end: other.end.max(self.start), ..self }
    }

    /// The empty span behind this one.
    #[must_use]
    pub fn behind(self) -> Self {
        Self { start: self.end, ..self }
    }
}

impl Sources {
    /// Takes a file. What follows the first two gigabytes of a text is not read.
    pub(crate) fn add(&mut self, name: String, mut text: String) -> FileId {
        if text.len() > LONGEST {
            text.truncate(text.floor_char_boundary(LONGEST));
        }
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(breaks.map(|(at, _)| at as u32 + 1)).collect();
        let mut count = 0;
        let characters = text
            .as_bytes()
            .chunks(STRIDE)
            .map(|chunk| {
                let before = count;
                count += first_bytes(chunk);
                before
            })
            .collect();
        let id = FileId(u32::try_from(self.0.len()).unwrap_or(u32::MAX));
        self.0.push(Source { name, text, lines, characters });
        id
    }

    /// The position of a file among those of the run.
    pub(crate) fn index(&self, file: FileId) -> usize {
        file.0 as usize
    }

    fn get(&self, file: FileId) -> Option<&Source> {
        self.0.get(file.0 as usize)
    }

    /// The name under which the file is known.
    pub fn name(&self, file: FileId) -> &str {
        self.get(file).map_or("", |source| &source.name)
    }

    /// The text of the file.
    pub fn text(&self, file: FileId) -> &str {
        self.get(file).map_or("", |source| &source.text)
    }

    /// The text at a place, empty where it is no place of these files.
    pub fn slice(&self, span: Span) -> &str {
        self.text(span.file).get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Line and column of a byte. What lies behind the end is at the end.
    pub fn position(&self, file: FileId, offset: u32) -> Position {
        let Some(source) = self.get(file) else {
            return Position { line: 1, column: 1 };
        };
        let line = source.lines.partition_point(|start| *start <= offset).max(1);
        let start = source.lines.get(line - 1).copied().unwrap_or(0);
        // The mark of byte order belongs to no column.
        let mark = u32::from(start == 0 && offset > 0 && source.text.starts_with('\u{feff}'));
        let before = source.characters_before(offset) - source.characters_before(start) - mark;
        Position { line, column: before as usize + 1 }
    }

    /// A line, counted from 1, without its end; empty where there is none.
    pub fn line_text(&self, file: FileId, line: usize) -> &str {
        let Some(source) = self.get(file) else {
            return "";
        };
        let Some(start) = line.checked_sub(1).and_then(|at| source.lines.get(at)) else {
            return "";
        };
        let end = source.lines.get(line).map_or(source.text.len(), |next| *next as usize - 1);
        let text = source.text.get(*start as usize..end).unwrap_or_default();
        text.strip_suffix('\r').unwrap_or(text)
    }

    /// Where a line, counted from 1, begins.
    pub(crate) fn line_start(&self, file: FileId, line: usize) -> usize {
        let start = |source: &Source| line.checked_sub(1).and_then(|at| source.lines.get(at).copied());
        self.get(file).and_then(start).unwrap_or(0) as usize
    }
}

impl Source {
    fn characters_before(&self, offset: u32) -> u32 {
        let offset = (offset as usize).min(self.text.len());
        let stride = (offset / STRIDE).min(self.characters.len().saturating_sub(1));
        let counted = self.characters.get(stride).copied().unwrap_or(0);
        let rest = self.text.as_bytes().get(stride * STRIDE..offset).unwrap_or_default();
        counted + first_bytes(rest)
    }
}

/// How many characters begin in these bytes.
fn first_bytes(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_in_characters_from_one() {
        let mut sources = Sources::default();
        let file = sources.add("a".into(), "aé日\r\n\nx".into());
        let at = |offset| {
            let position = sources.position(file, offset);
            (position.line, position.column)
        };
        assert_eq!(
            [at(0), at(1), at(3), at(6), at(8), at(9), at(10), at(99)],
            [(1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (3, 1), (3, 2), (3, 2)]
        );
        assert_eq!([1, 2, 3, 4].map(|line| sources.line_text(file, line)), ["aé日", "", "x", ""]);
    }

    #[test]
    fn a_column_of_a_long_line_is_that_of_a_naive_count() {
        let text = "aé日💻".repeat(300);
        let mut sources = Sources::default();
        let file = sources.add("a".into(), text.clone());
        for (column, (offset, _)) in text.char_indices().enumerate() {
            assert_eq!(sources.position(file, offset as u32).column, column + 1);
        }
    }

    #[test]
    fn a_mark_of_byte_order_is_no_column() {
        let mut sources = Sources::default();
        let file = sources.add("a".into(), "\u{feff}ab".into());
        assert_eq!([0, 3, 4].map(|at| sources.position(file, at).column), [1, 1, 2]);
    }
}
