//! Names of a database as segments of paths, and names for what the database has none for.

use std::collections::HashSet;

use worldspace_model::{Name, Segment};

/// A name as a segment of a path: `~` is written `~0`, `/` is `~1`, and what cannot be a segment by itself (nothing at all, `.`
/// and `..`) has `~t` before it. Every text has exactly one such form.
pub(super) fn segment_of(text: &str) -> Option<Segment> {
    Segment::parse(&escaped_whole(text)).ok()
}

/// The text behind a segment, if it is the form of one.
pub(super) fn text_of(segment: &str) -> Option<String> {
    let text = match segment.strip_prefix("~t") {
        Some(rest) => unescaped(rest)?,
        None => unescaped(segment)?,
    };
    (escaped_whole(&text) == segment).then_some(text)
}

/// A text as a whole segment.
fn escaped_whole(text: &str) -> String {
    match text {
        "" | "." | ".." => format!("~t{text}"),
        _ => escaped(text),
    }
}

/// A text as a part of a segment.
pub(super) fn escaped(text: &str) -> String {
    text.replace('~', "~0").replace('/', "~1")
}

/// The text that was escaped, if the escapes are whole.
pub(super) fn unescaped(escaped: &str) -> Option<String> {
    let mut text = String::with_capacity(escaped.len());
    let mut rest = escaped.chars();
    while let Some(character) = rest.next() {
        text.push(match character {
            '~' => match rest.next()? {
                '0' => '~',
                '1' => '/',
                '2' => ',',
                _ => return None,
            },
            other => other,
        });
    }
    Some(text)
}

/// Gives each thing a name that no other has.
#[derive(Debug, Default)]
pub(super) struct Unique(HashSet<Name>);

impl Unique {
    /// With names that are taken.
    pub(super) fn beside<'a>(taken: impl IntoIterator<Item = &'a str>) -> Self {
        Self(taken.into_iter().map(Name::from).collect())
    }

    /// The first of these that is free, else the last one with a number behind it.
    pub(super) fn take(&mut self, wanted: &[&str]) -> Name {
        let free = wanted.iter().find(|name| !self.0.contains(**name)).map(|name| Name::from(*name));
        let last = wanted.last().copied().unwrap_or_default();
        let numbered = || {
            (2_u64..).map(|number| Name::from(format!("{last}_{number}"))).find(|name| !self.0.contains(name))
        };
        let name = free.or_else(numbered).unwrap_or_else(|| Name::from(last));
        self.0.insert(name.clone());
        name
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_that_cannot_be_segments_have_a_form_that_can() {
        for (text, segment) in [
            ("customers", "customers"),
            ("", "~t"),
            (".", "~t."),
            ("..", "~t.."),
            ("...", "..."),
            ("a/b", "a~1b"),
            ("~t", "~0t"),
            ("~", "~0"),
            ("a,b", "a,b"),
            ("naïve 🦀", "naïve 🦀"),
        ] {
            assert_eq!(segment_of(text).unwrap().as_str(), segment);
            assert_eq!(text_of(segment).as_deref(), Some(text));
        }
        for no_form in ["~", "~3", "~ta", "a~", "~t~", "~2"] {
            assert_eq!(text_of(no_form), None, "{no_form}");
        }
    }

    proptest! {
        #[test]
        fn every_text_has_one_segment_and_every_segment_at_most_one_text(text in "[~/.,a-c0-3t]{0,6}|.*") {
            prop_assume!(!text.contains('\0'));
            let segment = segment_of(&text).unwrap();
            prop_assert_eq!(text_of(segment.as_str()), Some(text.clone()));
            if let Some(behind) = text_of(&text) {
                let segment = segment_of(&behind).unwrap();
                prop_assert_eq!(segment.as_str(), text);
            }
        }
    }

    #[test]
    fn what_is_taken_gets_a_longer_name_or_a_number() {
        let mut unique = Unique::beside(["id"]);
        let mut take = |wanted: &[&str]| unique.take(wanted).to_string();
        assert_eq!(take(&["customers"]), "customers");
        assert_eq!(take(&["customers", "customers_by_id"]), "customers_by_id");
        assert_eq!(take(&["customers", "customers_by_id"]), "customers_by_id_2");
        assert_eq!(take(&["id"]), "id_2");
    }
}
