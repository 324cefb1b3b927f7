//! What people and models are told of columns, and of rows.

use worldspace_model::{Quoted, nearest};

use super::catalog::{Column, ColumnKind, Key, Relation};
use super::cell::Cell;
use super::shape::Found;

/// The longest piece of a declaration, or of a value, that is repeated, in characters.
const CLIP: usize = 60;
/// How many columns a row is described by.
const TELLING: usize = 3;
/// So many near names are given, and so many where none is near.
const NEAR: usize = 3;
const SOME: usize = 12;
/// What columns that tell people which row it is are often named, the most telling first.
const NAMES: [&str; 12] = [
    "name",
    "title",
    "label",
    "subject",
    "first_name",
    "last_name",
    "username",
    "email",
    "code",
    "slug",
    "status",
    "kind",
];

/// A column in words: its type as it was declared, whether it is a key, its default, where it refers to.
pub(super) fn column(relation: &Relation, place: usize) -> String {
    let Some(column) = relation.columns.get(place) else { return String::new() };
    let mut words = vec![match column.declared.is_empty() {
        true => "No declared type".to_owned(),
        false => clipped(&column.declared),
    }];
    if let Key::Columns { places, .. } = &relation.key
        && places.contains(&place)
    {
        words.push(if places.len() == 1 { "primary key" } else { "part of the primary key" }.to_owned());
    }
    if !column.nullable {
        words.push("not null".to_owned());
    }
    if column.generated {
        words.push("computed by the database".to_owned());
    } else if column.automatic {
        words.push("numbered by the database where left out".to_owned());
    }
    if let Some(default) = &column.default {
        words.push(format!("default {}", clipped(default)));
    }
    for key in relation.foreign_keys.iter().filter(|key| key.columns.contains(&place)) {
        let at = key.columns.iter().position(|column| *column == place);
        let column = at.and_then(|at| key.referenced.get(at)).map(|name| format!(" ({})", clipped(name)));
        words.push(format!("refers to {}{}", clipped(&key.table), column.unwrap_or_default()));
    }
    let kind = match column.kind {
        ColumnKind::Boolean => "; stored as 0 and 1",
        ColumnKind::Digits => "; an integer of 64 bits in decimal digits",
        ColumnKind::Any => "; any value, in the exact form",
        _ => "",
    };
    format!("{}{kind}.", words.join(", "))
}

/// A row in a few words: the values of its most telling columns.
pub(super) fn row(relation: &Relation, found: &Found) -> Option<String> {
    let mut ranked: Vec<(Telling, usize)> = relation
        .columns
        .iter()
        .enumerate()
        .filter_map(|(place, column)| telling(relation, place, column).map(|telling| (telling, place)))
        .collect();
    ranked.sort_unstable();
    // What changes with every write is not what tells a row; it has to do where there is no text.
    if ranked.first().is_some_and(|(telling, _)| telling.is_text()) {
        ranked.retain(|(telling, _)| telling.is_text());
    }
    let mut told: Vec<String> = Vec::new();
    for (_, place) in ranked {
        let value = found.cells.get(place).and_then(|cell| told_of(&relation.columns[place], cell));
        if let Some(value) = value.filter(|value| !told.contains(value)) {
            told.push(value);
        }
        if told.len() == TELLING {
            break;
        }
    }
    (!told.is_empty()).then(|| told.join(" · "))
}

/// What a column tells people of a row, the most telling first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Telling {
    /// A text that is named so, by place in [`NAMES`].
    Named(usize),
    /// A text whose name ends so.
    Ending(usize),
    Text,
    /// The path says it already.
    TextOfKey,
    Time,
    Other,
    /// It tells of another row.
    Reference,
    /// A number, which the path says already.
    Key,
}

impl Telling {
    fn is_text(self) -> bool {
        self <= Self::TextOfKey
    }
}

/// What a column tells; none if nothing to people.
fn telling(relation: &Relation, place: usize, column: &Column) -> Option<Telling> {
    let is_key = matches!(&relation.key, Key::Columns { places, .. } if places.contains(&place));
    let refers = relation.foreign_keys.iter().any(|key| key.columns.contains(&place));
    let lower = column.name.to_ascii_lowercase();
    let named = NAMES.iter().position(|name| *name == lower);
    let ending = || NAMES.iter().position(|name| lower.ends_with(name));
    Some(match column.kind {
        ColumnKind::Bytes => return None,
        _ if refers => Telling::Reference,
        ColumnKind::Text => match named.map(Telling::Named).or_else(|| ending().map(Telling::Ending)) {
            Some(telling) => telling,
            None if is_key => Telling::TextOfKey,
            None => Telling::Text,
        },
        ColumnKind::Time => Telling::Time,
        _ if is_key => Telling::Key,
        _ => Telling::Other,
    })
}

fn told_of(column: &Column, cell: &Cell) -> Option<String> {
    let text = match cell {
        Cell::Text(text) => clipped(text.trim()),
        Cell::Integer(value) => value.to_string(),
        Cell::Real(value) => value.to_string(),
        _ => return None,
    };
    let is_text = matches!(column.kind, ColumnKind::Text | ColumnKind::Time | ColumnKind::Any);
    match (text.is_empty(), is_text) {
        (true, _) => None,
        (false, true) => Some(text),
        (false, false) => Some(format!("{} {text}", clipped(&column.name))),
    }
}

/// What was probably meant by a column that is none of these: the nearest ones, else all as far as they can be told.
pub(super) fn instead<'c>(columns: impl Iterator<Item = &'c Column>, name: &str) -> String {
    let known: Vec<&str> = columns.map(|column| &*column.name).collect();
    let mut near = near(name, known.iter().copied());
    // A part of a name is often all that is remembered.
    let lower = name.to_lowercase();
    for other in &known {
        let other_lower = other.to_lowercase();
        let within = lower.len() > 2
            && (other_lower.contains(&lower) || lower.contains(&other_lower) && other.len() > 2);
        if near.len() < NEAR && within && !near.contains(other) {
            near.push(other);
        }
    }
    let quoted = |names: &[&str]| names.iter().map(|name| Quoted(name).to_string()).collect::<Vec<_>>();
    match near.is_empty() {
        false => format!("did you mean {}?", quoted(&near).join(" or ")),
        true => {
            let some = quoted(&known[..known.len().min(SOME)]);
            let is = if known.len() == 1 { "is" } else { "are" };
            let more = if known.len() > SOME { ", …" } else { "" };
            format!("there {is} {}{more}", some.join(", "))
        }
    }
}

/// The names nearest to one that is none of them, the nearest first.
pub(super) fn near<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut left: Vec<&str> = known.collect();
    let mut near = Vec::new();
    while near.len() < NEAR
        && let Some(found) = nearest(name, left.iter().copied())
    {
        near.push(found);
        left.retain(|other| *other != found);
    }
    near
}

/// The text in one line, its end left out where it is long.
pub(super) fn clipped(text: &str) -> String {
    let plain =
        |character: char| if character.is_control() || character.is_whitespace() { ' ' } else { character };
    let mut line: String = text.chars().take(CLIP).map(plain).collect();
    if text.chars().nth(CLIP).is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_broken_texts_become_one_short_line() {
        assert_eq!(clipped("a\nb\tc\u{7}"), "a b c ");
        let long = clipped(&"x".repeat(CLIP + 1));
        assert_eq!(long.chars().count(), CLIP + 1);
        assert!(long.ends_with('…'));
        assert_eq!(clipped(&"x".repeat(CLIP)).chars().count(), CLIP);
    }
}
