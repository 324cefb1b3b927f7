//! What people may write, and what is unusable whatever the state.

use worldspace_host::Refusal;

const TITLE: usize = 200;
const BODY: usize = 50_000;
/// A hundred of them are an answer.
const TEXT: usize = 5_000;
const LABEL: usize = 40;
const LABELS: usize = 20;

/// A title: one line.
pub(crate) fn title(name: &str, text: &str) -> Result<(), Refusal> {
    if text.trim().is_empty() || text.contains(char::is_control) {
        return Err(Refusal::argument(
            name,
            "is empty, or has more than one line; write one line that says something",
        ));
    }
    within(name, text, TITLE)
}

/// What somebody says.
pub(crate) fn text(name: &str, text: &str) -> Result<(), Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal::argument(name, "is empty; write what there is to say"));
    }
    within(name, text, TEXT)
}

/// The text of an issue, which may be empty.
pub(crate) fn body(name: &str, text: &str) -> Result<(), Refusal> {
    within(name, text, BODY)
}

/// A list of labels.
pub(crate) fn labels(name: &str, labels: &[String]) -> Result<(), Refusal> {
    if labels.len() > LABELS {
        return Err(Refusal::argument(name, format!("has more than {LABELS} labels; keep the most telling")));
    }
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    match labels.iter().position(|label| label.is_empty() || label.len() > LABEL || !label.chars().all(fits))
    {
        Some(at) => Err(Refusal::argument(
            &format!("{name}[{at}]"),
            format!("is a word of lower-case letters, digits and hyphens, {LABEL} at most, such as `ui`"),
        )),
        None => Ok(()),
    }
}

/// A text of at most so many characters.
pub(crate) fn within(name: &str, text: &str, most: usize) -> Result<(), Refusal> {
    match text.chars().count() {
        length if length > most => {
            Err(Refusal::argument(name, format!("has {length} characters; {most} fit")))
        }
        _ => Ok(()),
    }
}
