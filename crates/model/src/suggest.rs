//! The nearest known name to one that is not known, so that an error can say what was probably meant.

/// Names longer than this are not compared: the cost grows with the product of the lengths.
const LONGEST: usize = 64;
/// So many known names are looked at, so that an error costs the same however many there are.
const MOST: usize = 1_000;

/// The known name that is nearest to `wanted`, if one is near enough to be a slip.
///
/// ```
/// use worldspace_model::nearest;
/// assert_eq!(nearest("read_txt", ["read_text", "metadata"]), Some("read_text"));
/// assert_eq!(nearest("Close", ["close", "open"]), Some("close"));
/// assert_eq!(nearest("banana", ["close", "open"]), None);
/// ```
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = wanted.chars().flat_map(char::to_lowercase).take(LONGEST + 1).collect();
    if wanted.is_empty() || wanted.len() > LONGEST {
        return None;
    }
    let allowed = 1 + wanted.len() / 4;
    known
        .into_iter()
        .take(MOST)
        .filter_map(|name| distance(&wanted, name).map(|distance| (distance, name)))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Insertions, deletions and replacements between the two, case ignored; none where `name` is too long.
fn distance(wanted: &[char], name: &str) -> Option<usize> {
    let name: Vec<char> = name.chars().flat_map(char::to_lowercase).take(LONGEST + 1).collect();
    if name.len() > LONGEST {
        return None;
    }
    let mut row: Vec<usize> = (0..=name.len()).collect();
    for (i, a) in wanted.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in name.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row.last().copied()
}
