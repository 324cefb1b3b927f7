//! Foreign text on a terminal: what cannot be seen or would move the text around it is written as an escape, and
//! widths are those of a terminal's cells.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// What somebody wrote for people, on one line: escaped, with line ends and tabs as spaces.
pub(crate) fn prose(text: &str) -> Cow<'_, str> {
    escaped(text, |c, _| if matches!(c, '\n' | '\r' | '\t') { Some(" ") } else { None })
}

/// A value on one line: escaped, line ends and tabs too.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    escaped(text, |c, _| short_escape(c))
}

/// A name or path on one line, so that no two of them look the same: as [`line()`], and a backslash is doubled where it
/// would pass for the beginning of an escape.
pub(crate) fn name(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return line(text);
    }
    let doubled = |next: Option<char>| {
        next.is_some_and(|next| matches!(next, '\\' | 'n' | 'r' | 't' | 'u') || is_hidden(next))
    };
    escaped(text, |c, next| match c {
        '\\' if doubled(next) => Some("\\\\"),
        c => short_escape(c),
    })
}

/// Text as it stands, line ends and tabs included, but for what is escaped. A line end of two characters is one.
pub(crate) fn block(text: &str) -> Cow<'_, str> {
    escaped(text, |c, next| match c {
        '\n' => Some("\n"),
        '\t' => Some("\t"),
        '\r' if next == Some('\n') => Some(""),
        c => short_escape(c),
    })
}

/// The escapes that people know better than the number of the character.
fn short_escape(c: char) -> Option<&'static str> {
    match c {
        '\n' => Some("\\n"),
        '\r' => Some("\\r"),
        '\t' => Some("\\t"),
        _ => None,
    }
}

/// `replace` sees each character and the one behind it.
fn escaped(text: &str, replace: impl Fn(char, Option<char>) -> Option<&'static str>) -> Cow<'_, str> {
    if !text.chars().any(|c| is_hidden(c) || c == '\\') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let joins =
            is_joiner(c) && before.is_some_and(is_foreign) && chars.peek().copied().is_some_and(is_foreign);
        match replace(c, chars.peek().copied()) {
            Some(replacement) => out.push_str(replacement),
            None if is_hidden(c) && !joins => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            None => out.push(c),
        }
        before = Some(c);
    }
    Cow::Owned(out)
}

/// Controls, and what [`is_unseen`].
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control() || is_unseen(c)
}

/// Characters that change how the text around them is read, or that cannot be seen.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Emoji and some scripts are written with these; between other letters they only hide a difference.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

fn is_foreign(c: char) -> bool {
    c > '\u{2ff}' && !is_unseen(c)
}

/// The cells that text without control characters takes.
pub(crate) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Text in at most so many cells, with `…` where something is left out.
pub(crate) fn clip(text: &str, cells: usize) -> Cow<'_, str> {
    // No character is wider than its bytes, so most text need not be measured.
    if text.len() <= cells || width(text) <= cells {
        return Cow::Borrowed(text);
    }
    let mut used = 0;
    let mut out = String::new();
    for grapheme in text.graphemes(true) {
        used += width(grapheme);
        if used + 1 > cells {
            break;
        }
        out.push_str(grapheme);
    }
    if cells > 0 {
        out.push('…');
    }
    Cow::Owned(out)
}

/// Spaces that fill text of `taken` cells up to `cells`.
pub(crate) fn padding(taken: usize, cells: usize) -> String {
    " ".repeat(cells.saturating_sub(taken))
}

/// A count and its noun.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

/// A size for people, in the units of disks: exact below a thousand, else with three digits.
pub(crate) fn size(bytes: usize) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    if bytes < 1000 {
        return count(bytes, "byte", "bytes");
    }
    let mut scaled = bytes as f64 / 1000.0;
    let mut unit = 0;
    while scaled >= 999.5 && unit + 1 < UNITS.len() {
        scaled /= 1000.0;
        unit += 1;
    }
    let digits = if scaled < 9.995 { 2 } else { usize::from(scaled < 99.95) };
    format!("{scaled:.digits$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_escaped() {
        for (text, shown) in [
            ("plain", "plain"),
            ("two\nlines\tand\r", "two\\nlines\\tand\\r"),
            (r"a\nb", r"a\nb"),
            ("\u{1b}[31mred", "\\u001b[31mred"),
            ("gnp.\u{202e}exe", "gnp.\\u202eexe"),
            ("a\u{200b}b", "a\\u200bb"),
            ("a\u{200d}b", "a\\u200db"),
            ("👩\u{200d}💻", "👩\u{200d}💻"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("\u{e0041}", "\\udb40\\udc41"),
            ("日本語", "日本語"),
        ] {
            assert_eq!(line(text), shown);
        }
        assert_eq!(block("two\n\tlines\u{7}"), "two\n\tlines\\u0007");
        assert_eq!(block("a\r\nb\rc\r\n"), "a\nb\\rc\n");
        assert_eq!(prose("two\nlines\tand\u{7}"), "two lines and\\u0007");
    }

    #[test]
    fn no_two_names_look_the_same() {
        let shown = [
            ("a\nb", r"a\nb"),
            (r"a\nb", r"a\\nb"),
            (r"a\\nb", r"a\\\\nb"),
            ("a\\\nb", r"a\\\nb"),
            ("a b", "a b"),
            ("a\tb", r"a\tb"),
            (r"C:\dir", r"C:\dir"),
            (r"C:\new", r"C:\\new"),
            ("a\u{200b}", r"a\u200b"),
            (r"a\u200b", r"a\\u200b"),
        ];
        for (text, wanted) in shown {
            assert_eq!(name(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn clipping_counts_cells_and_keeps_clusters_whole() {
        for (text, cells, shown) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("日本語", 6, "日本語"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
            ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
            ("👩‍💻👩‍💻", 3, "👩‍💻…"),
            ("abc", 0, ""),
        ] {
            assert_eq!(clip(text, cells), shown, "{text} in {cells}");
        }
    }

    #[test]
    fn sizes_are_exact_while_small() {
        for (bytes, shown) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (999, "999 bytes"),
            (1234, "1.23 kB"),
            (12_345, "12.3 kB"),
            (999_999, "1.00 MB"),
            (123_456_789, "123 MB"),
        ] {
            assert_eq!(size(bytes), shown);
        }
    }
}
