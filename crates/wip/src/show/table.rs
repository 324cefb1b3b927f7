//! Aligned cells: fields below one another, and rows of a list.

use super::style::{self, styled};
use super::text;

/// How one column stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// `name:  value` for each field, the values in one column.
pub(crate) fn fields(out: &mut String, fields: &[(String, String)]) {
    let widest = fields.iter().map(|(name, _)| text::width(name)).max().unwrap_or(0);
    for (name, value) in fields {
        let padding = text::padding(text::width(name), widest);
        out.push_str(&format!("{}:{padding}  {value}\n", styled(style::FAINT, name)));
    }
}

/// A cell wider than this is clipped where lines are of limited width; elsewhere it makes its own row longer, and no
/// other.
const WIDEST_CELL: usize = 60;

/// Rows below a line of heads. Within a terminal, cells are clipped so that a row stays a line.
pub(crate) fn rows(out: &mut String, heads: &[(String, Align)], rows: &[Vec<String>], width: Option<usize>) {
    let mut rooms: Vec<usize> = heads.iter().map(|(head, _)| text::width(head)).collect();
    for row in rows {
        for (room, cell) in rooms.iter_mut().zip(row) {
            match text::width(cell) {
                cells if cells <= WIDEST_CELL => *room = (*room).max(cells),
                _ if width.is_some() => *room = (*room).max(WIDEST_CELL),
                _ => {}
            }
        }
    }
    if let Some(width) = width {
        squeeze(&mut rooms, width);
    }
    let line = |out: &mut String, cells: &mut dyn Iterator<Item = (&str, Align)>, head: bool| {
        let mut text = String::new();
        for (at, ((cell, align), room)) in cells.zip(&rooms).enumerate() {
            let cell = if width.is_some() { text::clip(cell, *room) } else { cell.into() };
            let padding = text::padding(text::width(&cell), *room);
            let between = if at == 0 { "" } else { "  " };
            text.push_str(between);
            match align {
                Align::Left => text.extend([&*cell, padding.as_str()]),
                Align::Right => text.extend([padding.as_str(), &*cell]),
            }
        }
        let text = text.trim_end();
        if head {
            out.push_str(&styled(style::FAINT, text))
        } else {
            out.push_str(text)
        }
        out.push('\n');
    };
    line(out, &mut heads.iter().map(|(head, align)| (head.as_str(), *align)), true);
    for row in rows {
        line(out, &mut row.iter().zip(heads).map(|(cell, (_, align))| (cell.as_str(), *align)), false);
    }
}

/// Takes from the widest columns until a row fits, but never so much that a column says nothing.
fn squeeze(rooms: &mut [usize], width: usize) {
    const LEAST: usize = 8;
    let between = 2 * rooms.len().saturating_sub(1);
    loop {
        let taken: usize = rooms.iter().sum::<usize>() + between;
        let Some(widest) = rooms.iter_mut().max() else { return };
        if taken <= width || *widest <= LEAST {
            return;
        }
        *widest -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(width: Option<usize>) -> String {
        let heads = [("name".to_owned(), Align::Left), ("size".to_owned(), Align::Right)];
        let row = |name: &str, size: &str| vec![name.to_owned(), size.to_owned()];
        let mut out = String::new();
        rows(&mut out, &heads, &[row("日本語の長い名前", "7"), row("b", "12345")], width);
        anstream::adapter::strip_str(&out).to_string()
    }

    #[test]
    fn cells_are_aligned() {
        assert_eq!(
            shown(None),
            "name               size\n日本語の長い名前      7\nb                 12345\n"
        );
    }

    #[test]
    fn a_long_cell_makes_no_other_row_long() {
        let long = "x".repeat(200);
        let row = |name: &str| vec![name.to_owned(), "1".to_owned()];
        let heads = [("name".to_owned(), Align::Left), ("size".to_owned(), Align::Right)];
        let mut out = String::new();
        rows(&mut out, &heads, &[row("a"), row(&long)], None);
        let out = anstream::adapter::strip_str(&out).to_string();
        assert_eq!(out, format!("name  size\na        1\n{long}     1\n"));
    }

    #[test]
    fn a_row_stays_within_the_terminal() {
        assert_eq!(shown(Some(18)), "name          size\n日本語の長…      7\nb            12345\n");
    }
}
