//! Finding issues by their words.

use worldspace_host::{Call, Refusal};

use crate::interfaces::{IssuePage, State, TrackerSearch};
use crate::part::Part;
use crate::target::Target;
use crate::{rows, text};

/// More would only make the search slower.
const WORDS: usize = 32;
const LENGTH: usize = 1_000;

/// The tracker as a whole.
pub(crate) struct Tracker(pub(crate) Target);

impl TrackerSearch for Tracker {
    async fn search(
        &self,
        call: &Call,
        text: String,
        state: Option<State>,
        limit: Option<u32>,
        cursor: Option<String>,
    ) -> Result<IssuePage, Refusal> {
        let part = Part::of(call, limit, cursor)?;
        search(&self.0, call, &text, state, part).await
    }
}

/// Finds issues of the project that is called, or of all.
pub(crate) async fn search(
    target: &Target,
    call: &Call,
    text: &str,
    state: Option<State>,
    part: Part,
) -> Result<IssuePage, Refusal> {
    let query = query(text)?;
    // Matches have no order that lasts, so that a place among them is a number.
    let (skipped, most) = (part.after.unwrap_or(0), part.to_look_for());
    let found = target.read(call, move |db, standing| {
        let rest =
            "words JOIN issues ON issues.id = words.rowid JOIN projects ON projects.id = issues.project_id
            WHERE words MATCH ?1 AND ?2 IN (0, issues.project_id) AND ?3 IS NOT (issues.closed_as IS NOT NULL)
            ORDER BY bm25(words, 5.0, 1.0), issues.id DESC LIMIT ?4 OFFSET ?5";
        let other = state.map(|state| state == State::Open);
        rows::issues(db, "0", rest, (query, standing.project, other, most, skipped))
    });
    let numbered = (skipped + 1..).zip(found.await?).map(|(place, (_, line))| (place, line));
    let (issues, next_cursor) = part.cut(call, numbered.collect())?;
    Ok(IssuePage { issues, next_cursor })
}

/// Marks that belong to the letter before them, as the index takes them.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{3099}' | '\u{309a}')
}

/// The query for texts that hold all these words. Whatever is no word only parts them, so that nothing that is typed
/// means anything to the full-text index.
fn query(text: &str) -> Result<String, Refusal> {
    text::within("text", text, LENGTH)?;
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric() && !is_mark(c)).filter(|word| !word.is_empty()).collect();
    match words.len() {
        0 => Err(Refusal::argument("text", "holds no word to look for; give one, such as `crash`")),
        1..=WORDS => Ok(format!("\"{}\" *", words.join("\" \""))),
        _ => Err(Refusal::argument("text", format!("holds more than {WORDS} words; keep the most telling"))),
    }
}

#[cfg(test)]
mod tests {
    use super::query;

    #[test]
    fn whatever_is_typed_is_words_to_look_for() {
        for (text, wanted) in [
            ("crash", r#""crash" *"#),
            ("crash on start", r#""crash" "on" "start" *"#),
            (r#""crash" OR NEAR(a*, b) ^c - {title}: d"#, r#""crash" "OR" "NEAR" "a" "b" "c" "title" "d" *"#),
            ("a\0b", r#""a" "b" *"#),
            ("日本 ü", r#""日本" "ü" *"#),
        ] {
            assert_eq!(query(text).unwrap(), wanted);
        }
        for text in ["", " ", "\0", "\"*()", &"a ".repeat(33)] {
            assert!(query(text).is_err(), "{text:?}");
        }
    }
}
