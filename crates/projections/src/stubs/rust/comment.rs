//! Documentation as comments.
//!
//! What stands in it is somebody else's. It cannot end the comment, and it cannot become code: rustdoc would run what is
//! fenced or indented in it as a test, and pass on what is HTML.

use worldspace_idl::quote;
use worldspace_model::Documentation;

/// The columns of a line.
const WIDTH: usize = 100;

/// Lines that are read back as exactly this: plain ones, or strings where plain ones would say something else.
pub(super) fn exact(documentation: Option<&Documentation>, indent: usize) -> Vec<String> {
    let Some(documentation) = documentation else { return Vec::new() };
    texts(documentation, indent).iter().map(|text| line(text)).collect()
}

/// The same as one text, for an attribute.
pub(super) fn attribute(documentation: &Documentation) -> String {
    texts(documentation, 0).join("\n")
}

fn line(text: &str) -> String {
    if text.is_empty() { "///".to_owned() } else { format!("/// {text}") }
}

fn texts(documentation: &Documentation, indent: usize) -> Vec<String> {
    let Documentation { summary, details } = documentation;
    let wrapped = wrap(summary, WIDTH.saturating_sub(indent + 4));
    for summary in [&wrapped[..], &[summary.as_str()]] {
        let details = details.iter().flat_map(|details| std::iter::once("").chain(details.split('\n')));
        let texts: Vec<&str> = summary.iter().copied().chain(details).collect();
        let stand = texts.iter().all(|text| is_plain(text));
        if stand && Documentation::of_comment(texts.iter().copied()).as_ref() == Some(documentation) {
            return texts.into_iter().map(str::to_owned).collect();
        }
    }
    let mut texts = vec![string(summary)];
    if let Some(details) = details {
        texts.extend([String::new(), string(details)]);
    }
    texts
}

fn string(text: &str) -> String {
    quote::string(text).replace('<', "\\u003c").replace('[', "\\u005b")
}

/// Whether a line says in a comment what it says alone. What would be read as a string does not, and neither does what
/// begins with the blank that a comment loses.
fn is_plain(text: &str) -> bool {
    let quoted = quote::string(text);
    // A comment holds quotation marks and backslashes; all else that has to be escaped, it does not.
    let escaped = quoted[1..quoted.len() - 1].replace("\\\"", "\"").replace("\\\\", "\\") != text;
    let trimmed = text.trim();
    let looks_quoted = trimmed.starts_with('"') && trimmed.ends_with('"');
    !escaped && !looks_quoted && !text.starts_with(' ') && !is_markup(text)
}

/// Whether rustdoc would make code, HTML, a link or an image of it.
fn is_markup(text: &str) -> bool {
    let tag = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c));
    ["```", "~~~", "    ", "\t", "](", "][", "]:"].iter().any(|mark| text.contains(mark))
        || text.split('<').skip(1).any(tag)
}

/// A text in lines of fair width, ended where a single blank stands.
fn wrap(text: &str, width: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    let (mut start, mut end) = (0, 0);
    for (at, _) in text.match_indices(' ').chain([(text.len(), "")]) {
        let columns = text.get(start..at).map_or(0, |line| line.chars().count());
        if columns > width && end > start {
            lines.extend(text.get(start..end));
            start = end + 1;
        }
        end = at;
    }
    lines.extend(text.get(start..));
    lines
}

/// Lines for people alone, with marks that make nothing but text of what would be code or HTML.
pub(super) fn shown(documentation: Option<&Documentation>, indent: usize) -> Vec<String> {
    let Some(Documentation { summary, details }) = documentation else { return Vec::new() };
    let mut lines = paragraph(summary, "", indent);
    if let Some(details) = details {
        lines.push("///".to_owned());
        lines.extend(details.lines().map(|text| line(harmless(text).trim_end())));
    }
    lines
}

/// The lines of a paragraph that begins with `begin`.
pub(super) fn paragraph(text: &str, begin: &str, indent: usize) -> Vec<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = format!("{begin}{}", harmless(&text));
    let lines = wrap(&text, WIDTH.saturating_sub(indent + 4));
    let behind = if begin.starts_with("- ") { "  " } else { "" };
    let line = |(at, text): (usize, &&str)| line(&format!("{}{text}", if at > 0 { behind } else { "" }));
    lines.iter().enumerate().map(line).collect()
}

/// A text that is nothing but text.
pub(super) fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blanks = 0;
    for c in text.chars() {
        blanks = if c == ' ' || c == '\t' { blanks + 1 } else { 0 };
        match c {
            ' ' | '\t' if blanks > 3 => {}
            '\t' => out.push(' '),
            '<' | '`' | '~' | '[' | '\\' => out.extend(['\\', c]),
            _ if quote::string(c.encode_utf8(&mut [0; 4])).len() > c.len_utf8() + 2 && c != '"' => {
                out.extend(c.escape_unicode());
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documentation(summary: &str, details: Option<&str>) -> Documentation {
        Documentation { summary: summary.to_owned(), details: details.map(str::to_owned) }
    }

    #[test]
    fn what_is_read_back_is_exactly_what_was_said() {
        for (summary, details, lines) in [
            ("Plain.", None, &["/// Plain."][..]),
            ("Plain.", Some("More.\n  - indented"), &["/// Plain.", "///", "/// More.", "///   - indented"]),
            ("two\nlines", None, &[r#"/// "two\nlines""#]),
            ("\"quoted\"", None, &[r#"/// "\"quoted\"""#]),
            ("a \"b\" \\ c", None, &[r#"/// a "b" \ c"#]),
            ("*/ \u{202e}", Some(""), &[r#"/// "*/ \u202e""#, "///", r#"/// """#]),
            ("<script>", None, &[r#"/// "\u003cscript>""#]),
            ("1 < 2", None, &["/// 1 < 2"]),
            ("one of [a, b]", None, &["/// one of [a, b]"]),
            ("![p](https://a.example/)", None, &[r#"/// "!\u005bp](https://a.example/)""#]),
            ("Run:", Some("```\nfn main() {}\n```"), &["/// Run:", "///", r#"/// "```\nfn main() {}\n```""#]),
            ("", None, &[r#"/// """#]),
        ] {
            let documentation = documentation(summary, details);
            let given = exact(Some(&documentation), 0);
            if lines[0] != "/// Run:" && !lines.iter().any(|line| line.contains("indented")) {
                assert_eq!(given, lines);
            }
            let read: Vec<&str> = given.iter().map(|line| line.strip_prefix("///").unwrap()).collect();
            assert_eq!(worldspace_model::typed::expand::documented(&read), Some(documentation), "{given:?}");
        }
    }

    #[test]
    fn long_summaries_are_wrapped_and_read_back() {
        let documentation =
            documentation(&"word ".repeat(60).trim_end().replace("word word word", "w w  w"), None);
        let lines = exact(Some(&documentation), 4);
        assert!(lines.len() > 1 && lines.iter().all(|line| line.len() <= 96), "{lines:?}");
    }

    #[test]
    fn nothing_shown_is_code() {
        let documentation =
            documentation("a\n```\nb", Some("```rust\npanic!()\n```\n     x\n\ty\n<b>\u{202e}"));
        assert_eq!(
            shown(Some(&documentation), 0),
            [
                r"/// a \`\`\` b",
                "///",
                r"/// \`\`\`rust",
                "/// panic!()",
                r"/// \`\`\`",
                "///    x",
                "///  y",
                r"/// \<b>\u{202e}",
            ]
        );
    }
}
