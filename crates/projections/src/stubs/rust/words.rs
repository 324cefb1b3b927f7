//! Names of the protocol as identifiers and strings of Rust.

use super::super::names::{Names, snake, upper_camel};

/// What only a raw identifier can be called.
const KEYWORDS: [&str; 50] = [
    "abstract",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "const",
    "continue",
    "do",
    "dyn",
    "else",
    "enum",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "let",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "priv",
    "pub",
    "ref",
    "return",
    "static",
    "struct",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "while",
    "yield",
    "macro_rules",
    "union",
];

/// What nothing can be called, not even raw.
const TAKEN: [&str; 5] = ["self", "Self", "super", "crate", "_"];

/// Types that generated code speaks of by their plain names, and what everybody takes them for.
pub(super) const TYPES: [&str; 20] = [
    "Self",
    "Vec",
    "Option",
    "String",
    "Result",
    "Some",
    "None",
    "Ok",
    "Err",
    "Box",
    "Bytes",
    "EntryPath",
    "Json",
    "WipField",
    "WipType",
    "TypedClient",
    "TypedFailure",
    "TypedObject",
    "Call",
    "Context",
];

/// An identifier, and the name that it stands for where that is another one.
pub(super) struct Word {
    pub(super) ident: String,
    pub(super) name: Option<String>,
}

/// The members (fields, parameters, methods) of one scope.
pub(super) struct Members(Names);

impl Members {
    pub(super) fn new() -> Self {
        Self(Names::without(&TAKEN))
    }

    pub(super) fn word(&mut self, name: &str) -> Word {
        let wish = snake(name);
        let ident = self.0.claim([wish.clone(), format!("{wish}_")]);
        let other = (ident != name).then(|| name.to_owned());
        let ident = if KEYWORDS.contains(&ident.as_str()) { format!("r#{ident}") } else { ident };
        Word { ident, name: other }
    }
}

/// The cases of one enum.
pub(super) struct Cases(Names);

impl Cases {
    pub(super) fn new() -> Self {
        Self(Names::without(&TAKEN))
    }

    pub(super) fn word(&mut self, name: &str) -> Word {
        let wish = upper_camel(name);
        let ident = self.0.claim([wish.clone(), format!("{wish}_")]);
        let comes_back = ident == wish && is_plain(name);
        Word { ident, name: (!comes_back).then(|| name.to_owned()) }
    }
}

/// Whether a name in camel case is certain to come back in snake case: words of small letters, of two at least, since shorter
/// ones may run into each other.
fn is_plain(name: &str) -> bool {
    let is_word = |word: &str| {
        let mut bytes = word.bytes();
        let begins = bytes.by_ref().take(2).filter(u8::is_ascii_lowercase).count() == 2;
        begins && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    name.split('_').all(is_word)
}

/// A string as a literal: `Debug` escapes what ends it and what cannot be seen.
pub(super) fn literal(text: &str) -> String {
    format!("{text:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_does_not_come_back_is_said() {
        let mut members = Members::new();
        for (name, ident, said) in [
            ("note", "note", None),
            ("type", "r#type", None),
            ("self", "self_", Some("self")),
            ("Note", "note_", Some("Note")),
            ("dueDate", "due_date", Some("dueDate")),
            ("", "unnamed", Some("")),
        ] {
            let word = members.word(name);
            assert_eq!((word.ident.as_str(), word.name.as_deref()), (ident, said));
        }
        let mut cases = Cases::new();
        for (name, ident, said) in [
            ("wont_fix", "WontFix", None),
            ("a_b", "AB", Some("a_b")),
            ("Done", "Done", Some("Done")),
            ("self", "Self_", Some("self")),
            ("v2", "V2", Some("v2")),
        ] {
            let word = cases.word(name);
            assert_eq!((word.ident.as_str(), word.name.as_deref()), (ident, said));
        }
    }
}
