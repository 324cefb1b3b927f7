//! Foreign texts in TypeScript: as string literals, as comments, and in identifiers.

use worldspace_model::Documentation;

/// A string literal, which no character can end early or make to look like something else.
pub(super) fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            _ if disturbs(c) => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A member of a type or of an object: bare where it is plain, and where it means no more than its letters.
pub(super) fn member(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain && name != "__proto__" { name.to_owned() } else { literal(name) }
}

/// An identifier without the letters that are younger than compilers and runtimes in use.
pub(super) fn identifier(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if is_settled(c) { out.push(c) } else { out.push_str(&format!("u{:x}", u32::from(c))) }
    }
    out
}

/// ASCII, and blocks of letters in which nothing has been added for long: what is no letter there is none in a name.
fn is_settled(c: char) -> bool {
    c.is_ascii()
        || matches!(c, '\u{aa}'..='\u{556}' | '\u{5d0}'..='\u{5ea}' | '\u{620}'..='\u{6ff}' | '\u{900}'..='\u{97f}')
        || matches!(c, '\u{e00}'..='\u{e7f}' | '\u{10a0}'..='\u{10ff}' | '\u{1e00}'..='\u{1fff}')
        || matches!(c, '\u{3005}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
        || matches!(c, '\u{ac00}'..='\u{d7a3}')
}

/// Lines of a comment, each indented, or nothing.
pub(super) fn comment(paragraphs: &[String], indent: &str) -> String {
    let lines: Vec<&str> =
        paragraphs.iter().flat_map(|text| std::iter::once("").chain(text.lines())).skip(1).collect();
    match lines.as_slice() {
        [] => String::new(),
        [line] => format!("{indent}/** {line} */\n"),
        lines => {
            let mut out = format!("{indent}/**\n");
            for line in lines {
                out.push_str(format!("{indent} * {line}").trim_end());
                out.push('\n');
            }
            out + indent + " */\n"
        }
    }
}

/// What a documentation says, as paragraphs of a comment.
pub(super) fn paragraphs(documentation: Option<&Documentation>) -> Vec<String> {
    let Some(documentation) = documentation else { return Vec::new() };
    let texts = std::iter::once(&documentation.summary).chain(&documentation.details);
    texts.map(|text| harmless(text)).filter(|text| !text.is_empty()).collect()
}

/// A text that does not end the comment in which it stands, and begins no tag there.
pub(super) fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for c in text.trim().chars() {
        match c {
            '\r' | '\u{2028}' | '\u{2029}' | '\u{b}' | '\u{c}' | '\u{85}' => out.push('\n'),
            '\n' if before == '\r' => {}
            '\n' | '\t' => out.push(c),
            '/' if before == '*' => out.push_str("\\/"),
            '@' if !before.is_alphanumeric() => out.push_str("\\@"),
            _ if disturbs(c) => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            _ => out.push(c),
        }
        before = c;
    }
    out
}

/// Controls, line ends, and what cannot be seen or changes the direction of the text around it.
fn disturbs(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_what_it_stands_in() {
        for (text, quoted) in [
            ("it's", r#""it's""#),
            ("\"\\", r#""\"\\""#),
            ("a\nb\r\u{2028}\u{202e}\0", r#""a\nb\u{d}\u{2028}\u{202e}\u{0}""#),
            ("日本 ${x} `", r#""日本 ${x} `""#),
        ] {
            assert_eq!(literal(text), quoted);
        }
        for (text, harmless_one) in [
            ("ends */ here", r"ends *\/ here"),
            ("**/", r"**\/"),
            ("*\u{0}/", r"*\u{0}/"),
            ("@ts-ignore", r"\@ts-ignore"),
            ("a@b.example {@link x}", r"a@b.example {\@link x}"),
            ("one\r\ntwo\u{2028}@three", "one\ntwo\n\\@three"),
            ("\u{202e}", r"\u{202e}"),
            ("  spaced  ", "spaced"),
        ] {
            assert_eq!(harmless(text), harmless_one);
        }
    }

    #[test]
    fn members_stand_bare_where_that_means_no_more() {
        for (name, shown) in [
            ("class", "class"),
            ("updated_at", "updated_at"),
            ("__proto__", "\"__proto__\""),
            ("2nd", "\"2nd\""),
            ("a-b", "\"a-b\""),
            ("", "\"\""),
            ("日本", "\"日本\""),
        ] {
            assert_eq!(member(name), shown);
        }
    }

    #[test]
    fn identifiers_have_letters_that_every_compiler_knows() {
        for (name, shown) in
            [("日本X", "日本X"), ("Größe", "Größe"), ("\u{1d4b3}y", "u1d4b3y"), ("\u{88f}", "u88f")]
        {
            assert_eq!(identifier(name), shown);
        }
    }

    #[test]
    fn comments_have_one_line_or_a_line_for_each() {
        let said =
            |texts: &[&str]| comment(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>(), "  ");
        assert_eq!(said(&[]), "");
        assert_eq!(said(&["One."]), "  /** One. */\n");
        assert_eq!(said(&["One.", "Two\nlines."]), "  /**\n   * One.\n   *\n   * Two\n   * lines.\n   */\n");
    }
}
