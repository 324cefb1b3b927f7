//! Names of the protocol, which may be any string, as identifiers.

use std::collections::{HashMap, HashSet};

use unicode_normalization::UnicodeNormalization;

/// The words of a name: what underscores, other characters that no identifier has, and a change from small to capital
/// letters part.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut inside = false;
    let mut small = false;
    for c in name.chars() {
        if c == '_' || !unicode_ident::is_xid_continue(c) {
            inside = false;
            continue;
        }
        if !inside || (small && c.is_uppercase()) {
            words.push(String::new());
        }
        inside = true;
        small = c.is_lowercase() || c.is_numeric();
        if let Some(word) = words.last_mut() {
            word.push(c);
        }
    }
    words
}

/// A word with a capital first letter.
fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// What no identifier may begin with gets an underscore before it; what has no identifier at all is called `or`.
fn sound(identifier: String, or: &str) -> String {
    match identifier.chars().next() {
        None => or.to_owned(),
        Some(first) if unicode_ident::is_xid_start(first) => identifier,
        Some(_) => format!("_{identifier}"),
    }
}

/// As types are named: `issue.lifecycle` is `IssueLifecycle`.
pub(crate) fn upper_camel(name: &str) -> String {
    sound(words(name).iter().map(|word| capital(word)).collect(), "Unnamed")
}

/// As members are named in TypeScript: `read_body` is `readBody`.
pub(crate) fn lower_camel(name: &str) -> String {
    let mut words = words(name).into_iter();
    let first = words.next().map_or_else(String::new, |word| word.to_lowercase());
    sound(words.fold(first, |done, word| done + &capital(&word)), "unnamed")
}

/// As members are named in Rust and Python: `readBody` is `read_body`.
pub(crate) fn snake(name: &str) -> String {
    sound(words(name).iter().map(|word| word.to_lowercase()).collect::<Vec<_>>().join("_"), "unnamed")
}

/// Names of one scope, each given once.
#[derive(Debug, Default)]
pub(crate) struct Names {
    taken: HashSet<String>,
    /// The number that is tried next behind a name that is taken.
    next: HashMap<String, usize>,
}

impl Names {
    /// A scope in which these are taken already, such as the words of a language.
    pub(crate) fn without(taken: &[&str]) -> Self {
        Self { taken: taken.iter().map(|name| (*name).to_owned()).collect(), next: HashMap::new() }
    }

    /// The first of the wishes that is free, else the last one with a number.
    ///
    /// Compilers take names for the same that look the same, however they are composed.
    pub(crate) fn claim<const N: usize>(&mut self, wishes: [String; N]) -> String {
        let mut last = String::new();
        for wish in wishes {
            let wish: String = wish.nfc().collect();
            if self.taken.insert(wish.clone()) {
                return wish;
            }
            last = wish;
        }
        let next = self.next.entry(last.clone()).or_insert(2);
        loop {
            let wish = format!("{last}{next}");
            *next += 1;
            if self.taken.insert(wish.clone()) {
                return wish;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_becomes_an_identifier() {
        for (name, upper, lower, under) in [
            ("issue.lifecycle", "IssueLifecycle", "issueLifecycle", "issue_lifecycle"),
            ("read_body", "ReadBody", "readBody", "read_body"),
            ("CloseResult", "CloseResult", "closeResult", "close_result"),
            ("wont fix!", "WontFix", "wontFix", "wont_fix"),
            ("2nd", "_2nd", "_2nd", "_2nd"),
            ("", "Unnamed", "unnamed", "unnamed"),
            ("…", "Unnamed", "unnamed", "unnamed"),
            ("日本_x", "日本X", "日本X", "日本_x"),
            ("a\u{202e}b", "AB", "aB", "a_b"),
        ] {
            assert_eq!(
                (upper_camel(name).as_str(), lower_camel(name).as_str(), snake(name).as_str()),
                (upper, lower, under),
                "{name:?}"
            );
        }
    }

    #[test]
    fn a_name_is_given_once() {
        let mut names = Names::without(&["type"]);
        assert_eq!(names.claim(["type".into(), "kind".into()]), "kind");
        assert_eq!(names.claim(["kind".into()]), "kind2");
        assert_eq!(names.claim(["kind".into()]), "kind3");
        assert_eq!(names.claim(["\u{e9}".into()]), "\u{e9}");
        assert_eq!(names.claim(["e\u{301}".into()]), "\u{e9}2");
    }
}
