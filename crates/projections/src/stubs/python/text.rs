//! Foreign texts inside Python.

use std::fmt::Write;

use worldspace_model::Documentation;

/// A string literal.
pub(super) fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            _ => put(&mut out, c),
        }
    }
    out.push('"');
    out
}

/// A character that is neither a line end nor a quotation mark.
fn put(out: &mut String, c: char) {
    let shown = c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric() || unicode_ident::is_xid_continue(c);
    let code = u32::from(c);
    let written = match c {
        '\\' => {
            out.push_str("\\\\");
            return;
        }
        _ if shown || c.escape_debug().len() == 1 => {
            out.push(c);
            return;
        }
        _ if code < 0x100 => write!(out, "\\x{code:02x}"),
        _ if code < 0x10000 => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
    // A String takes whatever it is given.
    debug_assert!(written.is_ok());
}

/// A docstring of these paragraphs, each line behind that indent; nothing where there are none.
pub(super) fn docstring(indent: &str, paragraphs: &[String]) -> String {
    let text =
        paragraphs.iter().filter(|text| !text.trim().is_empty()).cloned().collect::<Vec<_>>().join("\n\n");
    if text.is_empty() {
        return String::new();
    }
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let several = text.contains('\n');
    let mut out = format!("{indent}\"\"\"");
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            out.push('\n');
            if !line.is_empty() {
                out.push_str(indent);
            }
        }
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                // Neither three in a row, nor one that would stand before those at the end.
                '"' if matches!(chars.peek(), Some('"') | None) => out.push_str("\\\""),
                _ => put(&mut out, c),
            }
        }
    }
    if several {
        out.push('\n');
        out.push_str(indent);
    }
    out.push_str("\"\"\"\n");
    out
}

/// Summary and details, as paragraphs.
pub(super) fn paragraphs(documentation: Option<&Documentation>) -> Vec<String> {
    let Some(documentation) = documentation else { return Vec::new() };
    let details = documentation.details.as_deref().map(str::to_owned);
    std::iter::once(documentation.summary.to_string()).chain(details).collect()
}

/// A name and what it means, as a line of a section.
pub(super) fn item(name: &str, documentation: Option<&Documentation>) -> Option<String> {
    let text = paragraphs(documentation).join("\n\n");
    let text = text.trim();
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', "\n        ");
    (!text.is_empty()).then(|| format!("    {name}: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_breaks_out_of_its_string() {
        assert_eq!(literal("a\"b\\c\n\0\u{202e}é\u{1f600}"), "\"a\\\"b\\\\c\\n\\x00\\u202eé\u{1f600}\"");
        for (text, shown) in [
            ("plain", "\"\"\"plain\"\"\"\n"),
            ("\"\"\"; evil() #", "\"\"\"\\\"\\\"\"; evil() #\"\"\"\n"),
            ("ends with \"", "\"\"\"ends with \\\"\"\"\"\n"),
            ("ends with \\", "\"\"\"ends with \\\\\"\"\"\n"),
            ("\0\r\u{2028}", "\"\"\"\\x00\n\\u2028\n\"\"\"\n"),
            ("a\"\n\"\"b", "\"\"\"a\\\"\n\\\"\"b\n\"\"\"\n"),
        ] {
            assert_eq!(docstring("", &[text.to_owned()]), shown, "{text:?}");
        }
        assert_eq!(docstring("", &[" \n".to_owned()]), "");
    }
}
