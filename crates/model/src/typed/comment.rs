//! Documentation comments of Rust types and traits: plain, or in the quoted form of the IDL (SPEC 6), which says exactly what
//! plain lines cannot.

use std::str::Chars;

use crate::interface::Documentation;

/// What the lines of a comment say. Where each of them is one string, the first is the summary and the second the details.
pub(super) fn read(lines: &[&str]) -> Option<Documentation> {
    quoted(lines).or_else(|| Documentation::of_comment(lines.iter().copied()))
}

fn quoted(lines: &[&str]) -> Option<Documentation> {
    let mut said = lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).map(string);
    let summary = said.next()??;
    let details = said.next();
    let details = if let Some(details) = details { Some(details?) } else { None };
    said.next().is_none().then_some(Documentation { summary, details })
}

/// The text of a string with the escapes of JSON.
fn string(literal: &str) -> Option<String> {
    let mut chars = literal.strip_prefix('"')?.strip_suffix('"')?.chars();
    let mut text = String::new();
    while let Some(c) = chars.next() {
        match c {
            '"' => return None,
            '\\' => text.push(escape(&mut chars)?),
            c => text.push(c),
        }
    }
    Some(text)
}

fn escape(chars: &mut Chars<'_>) -> Option<char> {
    Some(match chars.next()? {
        c @ ('"' | '\\' | '`' | '/') => c,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => {
            let first = unit(chars)?;
            let mut units = vec![first];
            if (0xd800..0xdc00).contains(&first) {
                if (chars.next(), chars.next()) != (Some('\\'), Some('u')) {
                    return None;
                }
                units.push(unit(chars)?);
            }
            char::decode_utf16(units).next()?.ok()?
        }
        _ => return None,
    })
}

fn unit(chars: &mut Chars<'_>) -> Option<u16> {
    (0..4).try_fold(0, |unit, _| Some(unit << 4 | chars.next()?.to_digit(16)? as u16))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_plain_lines_cannot_say_stands_in_strings() {
        for (lines, summary, details) in [
            (&[" Plain.", "", " More."][..], "Plain.", Some("More.")),
            (&[r#" "two\nlines""#], "two\nlines", None),
            (
                &[r#" "a""#, "", r#" "\ud83d\ude00\u202e \"b\" \\ ""#],
                "a",
                Some("\u{1f600}\u{202e} \"b\" \\ "),
            ),
            (&[r#" """#], "", None),
            (&[r#" "not" a string""#], r#""not" a string""#, None),
            (&[r#" "not \x one""#], r#""not \x one""#, None),
            (&[r#" "a""#, r#" "b""#, r#" "c""#], r#""a" "b" "c""#, None),
            (&[r#" "a""#, " b"], r#""a" b"#, None),
            (&[r#" ""#], r#"""#, None),
        ] {
            let details = details.map(str::to_owned);
            assert_eq!(read(lines), Some(Documentation { summary: summary.into(), details }), "{lines:?}");
        }
        assert_eq!(read(&[]), None);
    }
}
