//! The text of the file, and what is shown of it where something is wrong.

use std::ops::Range;

use crate::failure::Spot;
use crate::show::text;

/// How many cells of a line are shown before and behind the place that is marked.
const AROUND: usize = 60;

/// The file as it was read.
#[derive(Debug)]
pub(super) struct Text<'t> {
    /// As its user calls it.
    pub(super) name: &'t str,
    pub(super) content: &'t str,
}

impl Text<'_> {
    /// Where those bytes are: as text, and as the line itself with a marker below.
    pub(super) fn spot(&self, span: Range<usize>) -> Spot {
        let start = self.boundary(span.start);
        let end = self.boundary(span.end).max(start);
        let begin = self.content[..start].rfind('\n').map_or(0, |before| before + 1);
        let rest = &self.content[start..];
        let stop = start + rest.find('\n').unwrap_or(rest.len());
        let number = self.content[..begin].matches('\n').count() + 1;
        let column = self.content[begin..start].chars().count() + 1;

        let before = text::line(&self.content[begin..start]);
        let marked = text::line(&self.content[start..end.min(stop)]);
        let behind = text::line(self.content[end.min(stop)..stop].trim_end_matches('\r'));
        let (before, marked, behind) =
            (last_cells(&before), text::clip(&marked, AROUND), text::clip(&behind, AROUND));
        let margin = " ".repeat(number.to_string().len());
        let marker = "^".repeat(text::width(&marked).max(1));
        let indent = " ".repeat(text::width(&before));
        let name = text::name(self.name);
        let shown = format!("{before}{marked}{behind}");
        let line = if shown.is_empty() { format!("{number} |") } else { format!("{number} | {shown}") };
        Spot {
            name: format!("{name}:{number}:{column}"),
            excerpt: format!("{margin} |\n{line}\n{margin} | {indent}{marker}\n"),
        }
    }

    fn boundary(&self, at: usize) -> usize {
        let at = at.min(self.content.len());
        (0..=at).rev().find(|at| self.content.is_char_boundary(*at)).unwrap_or(0)
    }
}

/// The end of a text that is too long.
fn last_cells(line: &str) -> String {
    if text::width(line) <= AROUND {
        return line.to_owned();
    }
    let mut kept = line;
    while text::width(kept) >= AROUND {
        let mut rest = kept.chars();
        rest.next();
        kept = rest.as_str();
    }
    format!("…{kept}")
}
