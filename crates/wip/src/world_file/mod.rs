//! `world.toml`: what to mount, where to listen and how much to take. One reading finds all mistakes.

mod keys;
mod limits;
mod listeners;
mod mounts;
mod section;
#[cfg(test)]
mod tests;
mod text;
mod values;

use std::path::Path;

use toml::de::DeTable;

pub(crate) use limits::Limits;

use crate::access::masked;
use crate::failure::Failure;
use crate::listen::Listen;
use crate::show;
use crate::world::Mount;
use section::{Mistake, Mistakes, Section};
use text::Text;

/// A Worldspace and how it is offered.
#[derive(Debug)]
pub(crate) struct WorldFile {
    pub(crate) mounts: Vec<Mount>,
    /// None where the file leaves it to the command line.
    pub(crate) listeners: Vec<Listen>,
    pub(crate) limits: Limits,
}

/// Reads the file at that path.
///
/// # Errors
/// All that is wrong with it.
pub(crate) fn read(path: &str) -> Result<WorldFile, Failure> {
    let content = std::fs::read(path).map_err(|error| {
        let failure = Failure::io(format!("cannot read {}", show::text::name(path)), &error);
        match Path::new(path).is_dir() {
            true => failure.hint("--config takes the file itself, such as world.toml"),
            false => failure,
        }
    })?;
    let content = match String::from_utf8(content) {
        Ok(content) => content,
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let content = masked(&String::from_utf8_lossy(error.as_bytes()));
            let text = Text { name: path, content: &content };
            let what = "this is not valid UTF-8";
            return Err(failure(&text, Mistake::new(at..at + 1, what, "save the file as UTF-8")));
        }
    };
    let base = Path::new(path).parent().unwrap_or(Path::new(""));
    let (file, mistakes) = understand(&content, base);
    let content = masked(&content);
    let text = Text { name: path, content: &content };
    let mut failures = mistakes.into_iter().map(|mistake| failure(&text, mistake));
    match failures.next() {
        None => Ok(file),
        Some(first) => Err(Failure { others: failures.collect(), ..first }),
    }
}

fn failure(text: &Text<'_>, mistake: Mistake) -> Failure {
    let Mistake { span, what, right, .. } = mistake;
    Failure { spot: Some(text.spot(span)), ..Failure::usage(masked(&what)).hint(masked(&right)) }
}

/// What the text says, and what is wrong with it in the order of the text.
fn understand(content: &str, base: &Path) -> (WorldFile, Vec<Mistake>) {
    let (table, mut errors) = DeTable::parse_recoverable(content);
    let legible = without_lost_keys(content, &errors);
    let table = match &legible {
        None => table,
        Some(legible) => {
            let (table, others) = DeTable::parse_recoverable(legible);
            errors.retain(is_of_lost_key);
            errors.extend(others);
            table
        }
    };
    let mistakes = Mistakes::default();
    let top = Section::new(&mistakes, &keys::TOP, table.get_ref(), 0..0);
    let (mounts, writable) = mounts::read(&top, base);
    let listeners = listeners::read(&top, base, writable);
    let limits = limits::read(&top);
    let mut found = mistakes.into_inner();
    if !errors.is_empty() {
        let broken: Vec<Mistake> = errors.iter().map(unreadable).collect();
        let line = |mistake: &Mistake| content[..mistake.span.start].matches('\n').count();
        let lines: Vec<usize> = broken.iter().map(line).collect();
        let is_head = |line: &&usize| content.lines().nth(**line).is_some_and(|line| line.starts_with('['));
        let lost = lines.iter().filter(is_head).min();
        // What could not be read may be what seems to be missing or wrong, and behind the head of a table that could not
        // be, nobody knows what belongs to which one.
        found.retain(|mistake| {
            let line = line(mistake);
            !mistake.missing && !lines.contains(&line) && lost.is_none_or(|lost| line < *lost)
        });
        found.extend(broken);
    }
    found.sort_by_key(|mistake| (mistake.span.start, mistake.span.end));
    (WorldFile { mounts, listeners, limits }, found)
}

/// At a key without a `=`, reading ends, and what stands below would be as if it were right. The text without such
/// lines, all else being where it was.
fn without_lost_keys(content: &str, errors: &[toml::de::Error]) -> Option<String> {
    let mut legible: Option<String> = None;
    for at in errors.iter().filter(|error| is_of_lost_key(error)).filter_map(|error| error.span()) {
        let line = content.get(..at.start)?.rfind('\n').map_or(0, |end| end + 1);
        let end = content[line..].find('\n').map_or(content.len(), |length| line + length);
        let blank = " ".repeat(end - line);
        legible.get_or_insert_with(|| content.to_owned()).replace_range(line..end, &blank);
    }
    legible
}

fn is_of_lost_key(error: &toml::de::Error) -> bool {
    ["key with no value", "missing value for key"].iter().any(|lost| error.message().starts_with(lost))
}

/// What is wrong with the text before it says anything.
fn unreadable(error: &toml::de::Error) -> Mistake {
    let span = error.span().unwrap_or_default();
    match error.message().split_once(", expected ") {
        Some(("string values must be quoted", _)) => match span.is_empty() {
            true => Mistake::new(span, "a value is missing", "write one behind the `=`"),
            false => Mistake::new(span, "this is no value", "write a text in quotes"),
        },
        Some((what, expected)) => Mistake::new(span, what, format!("expected {expected}")),
        None if error.message() == "duplicate key" => {
            Mistake::new(span, "the key stands here a second time", "leave one of the two out")
        }
        None => Mistake::new(span, error.message(), "see https://toml.io for how the file is written"),
    }
}
