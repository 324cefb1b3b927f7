//! Keys of rows as segments of paths, so that no two keys share one and each has exactly one form.
//!
//! A value stands there as it is read: a number as its digits, text as text, with `~0` for `~`, `~1` for `/` and, where the
//! key has several columns, `~2` for `,`, which stands between their values. What would be taken for something else has a
//! tag before it: `~t` text (also the empty text, `.`, `..`, and text like a number in a column that is not one of text),
//! `~i` an integer and `~r` a real number in a column of text, `~x` bytes and `~u` text that is not UTF-8, in hexadecimal.
//! A row whose key holds a NULL is told by its rowid: `~rowid17`.

use worldspace_model::Segment;

use super::catalog::{Column, ColumnKind, Key, Relation};
use super::cell::{Cell, CellRef};
use super::engine::{SqlError, Statement};
use super::names::{escaped, unescaped};

const BY_ROWID: &str = "~rowid";

/// What tells a row from the others of its table.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RowKey {
    /// Values of the key's columns, in the order of the key; none of them NULL.
    Columns(Vec<Cell>),
    Rowid(i64),
}

impl RowKey {
    /// The segment of the row with this key.
    pub(super) fn segment(&self, relation: &Relation) -> Option<Segment> {
        Segment::parse(&self.text(relation)?).ok()
    }

    /// The key that a segment is the form of.
    pub(super) fn parse(relation: &Relation, segment: &str) -> Option<Self> {
        let key = match &relation.key {
            Key::None => None,
            Key::Rowid(_) => segment.parse().ok().map(Self::Rowid),
            Key::Columns { places, when_null } => match segment.strip_prefix(BY_ROWID) {
                Some(rowid) => when_null.and_then(|_| rowid.parse().ok()).map(Self::Rowid),
                None => {
                    let parts: Vec<&str> = match places.len() {
                        1 => vec![segment],
                        _ => segment.split(',').collect(),
                    };
                    let columns = places.iter().map(|place| &relation.columns[*place]);
                    let cells = parts.iter().zip(columns).map(|(part, column)| value(column, part));
                    let cells: Vec<Cell> = cells.collect::<Option<_>>()?;
                    let mut columns = places.iter().map(|place| &relation.columns[*place]);
                    if cells.iter().any(|cell| columns.next().is_some_and(|column| is_never_in(column, cell)))
                    {
                        return None;
                    }
                    (parts.len() == places.len()).then_some(Self::Columns(cells))
                }
            },
        }?;
        // Other forms of the same value name nothing.
        (key.text(relation)? == segment).then_some(key)
    }

    fn text(&self, relation: &Relation) -> Option<String> {
        match (self, &relation.key) {
            (Self::Rowid(rowid), Key::Rowid(_)) => Some(rowid.to_string()),
            (Self::Rowid(rowid), Key::Columns { when_null: Some(_), .. }) => {
                Some(format!("{BY_ROWID}{rowid}"))
            }
            (Self::Columns(cells), Key::Columns { places, .. }) if cells.len() == places.len() => {
                let columns = places.iter().map(|place| &relation.columns[*place]);
                let several = places.len() > 1;
                let parts: Vec<String> = cells
                    .iter()
                    .zip(columns)
                    .map(|(cell, column)| part(column, cell, several))
                    .collect::<Option<_>>()?;
                Some(parts.join(","))
            }
            _ => None,
        }
    }

    /// The value that this key has in that column, if the column is a part of it.
    pub(super) fn value(&self, relation: &Relation, column: &Column) -> Option<&Cell> {
        let (Self::Columns(cells), Key::Columns { places, .. }) = (self, &relation.key) else { return None };
        let at = places.iter().position(|place| relation.columns[*place].name == column.name)?;
        cells.get(at)
    }

    /// Writes the condition that the row has this key.
    pub(super) fn is(&self, relation: &Relation, statement: &mut Statement) {
        match (self, &relation.key) {
            (Self::Columns(cells), Key::Columns { places, .. }) => {
                let columns: Vec<&Column> = places.iter().map(|place| &relation.columns[*place]).collect();
                let all = columns.iter().zip(cells).map(|(column, cell)| (&*column.name, cell, None));
                equal(statement, all, bound);
                // The key may tell apart what its column, compared by itself, does not.
                for (column, cell) in
                    columns.iter().zip(cells).filter(|(column, _)| column.collation.is_some())
                {
                    statement.push(" AND ").name(&column.name).push(" = ").bind(cell.clone());
                    statement.push(" COLLATE \"BINARY\"");
                }
            }
            (Self::Rowid(rowid), Key::Rowid(name) | Key::Columns { when_null: Some(name), .. }) => {
                statement.push(name).push(" = ").bind(Cell::Integer(*rowid));
            }
            _ => {
                statement.push("FALSE");
            }
        }
    }
}

impl Relation {
    /// The rowid by which rows are told that nothing else tells, where there may be any.
    pub(super) fn rowid(&self) -> Option<&'static str> {
        match &self.key {
            Key::Rowid(name) | Key::Columns { when_null: Some(name), .. } => Some(name),
            _ => None,
        }
    }

    /// Writes `SELECT` and what [`Self::key_of`] takes.
    pub(super) fn select_key(&self, statement: &mut Statement) {
        self.list_key(statement.push("SELECT "));
        statement.push(" FROM ").name(&self.name);
    }

    /// Writes what [`Self::key_of`] takes, as it stands behind `SELECT` or `RETURNING`.
    pub(super) fn list_key(&self, statement: &mut Statement) {
        statement.push(self.rowid().unwrap_or("NULL"));
        if let Key::Columns { places, .. } = &self.key {
            for place in places {
                statement.push(", ").name(&self.columns[*place].name);
            }
        }
    }

    /// The key that was selected.
    pub(super) fn key_of(&self, row: &[CellRef<'_>]) -> Result<Option<RowKey>, SqlError> {
        let [rowid, key @ ..] = row else { return Err(SqlError::failed("a key was not selected")) };
        let cells: Vec<Cell> = key.iter().map(|cell| cell.to_cell(usize::MAX)).collect();
        let by_rowid = cells.is_empty() || cells.iter().any(Cell::is_null);
        Ok(match rowid {
            CellRef::Integer(rowid) if by_rowid => Some(RowKey::Rowid(*rowid)),
            _ if by_rowid => None,
            _ => Some(RowKey::Columns(cells)),
        })
    }
}

/// Writes that each of these columns has its value, which `write` writes, compared as another column compares where one is given.
pub(super) fn equal<'c, V>(
    statement: &mut Statement,
    columns: impl IntoIterator<Item = (&'c str, V, Option<&'c Column>)>,
    mut write: impl FnMut(&mut Statement, V),
) {
    for (at, (name, value, as_in)) in columns.into_iter().enumerate() {
        statement.push(if at > 0 { " AND " } else { "" }).name(name).push(" = ");
        write(statement, value);
        if let Some(column) = as_in {
            column.collated(statement);
        }
    }
}

/// Writes a value for [`equal`].
pub(super) fn bound(statement: &mut Statement, value: &Cell) {
    statement.bind(value.clone());
}

/// As [`bound`], of the type of that column, which decides what is the same: what is compared with it may be of another one.
pub(super) fn bound_as(statement: &mut Statement, value: &Cell, relation: &Relation, column: &Column) {
    bound(statement.push("(SELECT "), value);
    statement.push(" UNION ALL SELECT ").name(&column.name).push(" FROM ").name(&relation.name);
    statement.push(" WHERE FALSE)");
}

/// One value of a key.
fn part(column: &Column, cell: &Cell, several: bool) -> Option<String> {
    let written = |text: &str| {
        let text = escaped(text);
        if several { text.replace(',', "~2") } else { text }
    };
    let is_text = column.kind == ColumnKind::Text;
    Some(match cell {
        Cell::Null | Cell::Long { .. } => return None,
        Cell::Integer(value) if is_text => format!("~i{value}"),
        Cell::Real(value) if is_text => format!("~r{value:?}"),
        Cell::Integer(value) => value.to_string(),
        Cell::Real(value) => format!("{value:?}"),
        Cell::Text(text) => {
            let no_segment = !several && matches!(&**text, "" | "." | "..");
            let like_a_number = !is_text && number(text).is_some();
            let tag = if no_segment || like_a_number { "~t" } else { "" };
            format!("{tag}{}", written(text))
        }
        Cell::Garbled(bytes) => format!("~u{}", hexadecimal(bytes)),
        Cell::Blob(bytes) => format!("~x{}", hexadecimal(bytes)),
    })
}

/// The value that a part of a segment may be the form of.
fn value(column: &Column, part: &str) -> Option<Cell> {
    let tagged =
        part.strip_prefix('~').and_then(|rest| rest.chars().next().map(|tag| (tag, &rest[tag.len_utf8()..])));
    match tagged {
        Some(('t', text)) => Some(Cell::Text(unescaped(text)?.into())),
        Some(('i', digits)) => digits.parse().ok().map(Cell::Integer),
        Some(('r', digits)) => digits.parse().ok().map(Cell::Real),
        Some(('x', digits)) => Some(Cell::Blob(bytes(digits)?.into())),
        Some(('u', digits)) => Some(CellRef::Text(&bytes(digits)?).to_cell(usize::MAX)),
        _ if column.kind == ColumnKind::Text => Some(Cell::Text(unescaped(part)?.into())),
        _ => number(part).or_else(|| Some(Cell::Text(unescaped(part)?.into()))),
    }
}

/// Whether the database would store it as another value in that column, so that no row has it there.
fn is_never_in(column: &Column, cell: &Cell) -> bool {
    column.numeric && as_stored(column, cell) != *cell
}

/// The value as the database stores it in that column: it makes numbers of texts that look like them, and integers of whole
/// numbers or the other way round; and texts of numbers, where the column is one of text.
pub(super) fn as_stored(column: &Column, cell: &Cell) -> Cell {
    const INTEGERS: std::ops::Range<f64> = -9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0;
    let number = match cell {
        Cell::Text(text) if column.numeric => numeral(text),
        Cell::Integer(_) | Cell::Real(_) => Some(cell.clone()),
        _ => None,
    };
    match number {
        Some(Cell::Integer(value)) if column.numeric && column.real => Cell::Real(value as f64),
        Some(Cell::Real(value))
            if column.numeric && !column.real && value.fract() == 0.0 && INTEGERS.contains(&value) =>
        {
            Cell::Integer(value as i64)
        }
        Some(Cell::Integer(value)) if column.kind == ColumnKind::Text => Cell::Text(value.to_string().into()),
        Some(Cell::Real(value)) if column.kind == ColumnKind::Text => Cell::Text(format!("{value:?}").into()),
        Some(number) => number,
        None => cell.clone(),
    }
}

/// The number that a text looks like, however it is written.
fn numeral(text: &str) -> Option<Cell> {
    let text = text.trim_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']);
    let is_part =
        |character: char| character.is_ascii_digit() || matches!(character, '+' | '-' | '.' | 'e' | 'E');
    let real = || text.parse().ok().map(Cell::Real);
    text.chars().all(is_part).then(|| text.parse().ok().map(Cell::Integer).or_else(real))?
}

/// The number that a text is the canonical form of.
fn number(text: &str) -> Option<Cell> {
    let integer = text.parse().ok().filter(|value: &i64| value.to_string() == text).map(Cell::Integer);
    let real = || text.parse().ok().filter(|value: &f64| format!("{value:?}") == text).map(Cell::Real);
    integer.or_else(real)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.as_bytes();
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.len().is_multiple_of(2).then(|| digits.chunks(2).map(pair).collect())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sql::catalog::Kind;

    fn relation(kinds: &[ColumnKind], when_null: Option<&'static str>) -> Relation {
        let column = |(at, kind): (usize, &ColumnKind)| Column {
            name: format!("c{at}").into(),
            declared: String::new(),
            kind: *kind,
            numeric: matches!(kind, ColumnKind::Integer | ColumnKind::Number),
            real: *kind == ColumnKind::Number,
            nullable: false,
            collation: None,
            default: None,
            generated: false,
            automatic: false,
        };
        Relation {
            name: "t".into(),
            kind: Kind::Table,
            columns: kinds.iter().enumerate().map(column).collect(),
            key: Key::Columns { places: (0..kinds.len()).collect(), when_null },
            foreign_keys: Vec::new(),
        }
    }

    fn text(text: &str) -> Cell {
        Cell::Text(text.into())
    }

    #[test]
    fn keys_are_written_as_they_are_read_and_back() {
        use ColumnKind::*;
        for (kinds, cells, segment) in [
            (&[Integer][..], vec![Cell::Integer(42)], "42"),
            (&[Integer], vec![Cell::Integer(i64::MIN)], "-9223372036854775808"),
            (&[Integer], vec![text("n/a")], "n~1a"),
            (&[Text], vec![text("42")], "42"),
            (&[Text], vec![Cell::Integer(42)], "~i42"),
            (&[Any], vec![text("42")], "~t42"),
            (&[Any], vec![Cell::Integer(42)], "42"),
            (&[Any], vec![text("inf")], "~tinf"),
            (&[Number], vec![Cell::Real(1.5)], "1.5"),
            (&[Number], vec![Cell::Real(f64::INFINITY)], "inf"),
            (&[Text], vec![text("")], "~t"),
            (&[Text], vec![text(".")], "~t."),
            (&[Text], vec![text("..")], "~t.."),
            (&[Text], vec![text("~t")], "~0t"),
            (&[Text], vec![text("a/b,c")], "a~1b,c"),
            (&[Text, Integer], vec![text("a,b"), Cell::Integer(1)], "a~2b,1"),
            (&[Text, Text], vec![text(""), text("")], ","),
            (&[Text, Text], vec![text(","), text("~2")], "~2,~02"),
            (&[Bytes], vec![Cell::Blob(Box::new([0, 255]))], "~x00ff"),
            (&[Bytes], vec![Cell::Blob(Box::new([]))], "~x"),
            (&[Text], vec![Cell::Garbled(Box::new([255]))], "~uff"),
        ] {
            let relation = relation(kinds, None);
            let key = RowKey::Columns(cells);
            assert_eq!(key.segment(&relation).unwrap().as_str(), segment);
            assert_eq!(RowKey::parse(&relation, segment), Some(key), "{segment}");
        }
    }

    #[test]
    fn another_form_of_a_key_names_nothing() {
        use ColumnKind::*;
        for (kinds, segment) in [
            (&[Integer][..], "~i42"),
            (&[Integer], "~t042"),
            (&[Integer], "042"),
            (&[Integer], "+1"),
            (&[Integer], "1.0"),
            (&[Integer], " 1"),
            (&[Number], "1e2"),
            (&[Text], "~ta"),
            (&[Text], "~"),
            (&[Text], "~x0"),
            (&[Text], "~xFF"),
            (&[Text], "~u41"),
            (&[Text, Text], "a"),
            (&[Text, Text], "a,b,c"),
            (&[Text], "~rowid1"),
        ] {
            assert_eq!(RowKey::parse(&relation(kinds, None), segment), None, "{segment}");
        }
    }

    #[test]
    fn a_row_whose_key_holds_a_null_is_told_by_its_rowid() {
        let relation = relation(&[ColumnKind::Text], Some("rowid"));
        let key = RowKey::Rowid(17);
        assert_eq!(key.segment(&relation).unwrap().as_str(), "~rowid17");
        assert_eq!(RowKey::parse(&relation, "~rowid17"), Some(key));
        assert_eq!(RowKey::parse(&relation, "~rowid017"), None);
        // The text itself is another key.
        let same = RowKey::Columns(vec![text("~rowid17")]);
        assert_eq!(same.segment(&relation).unwrap().as_str(), "~0rowid17");
    }

    fn cells() -> impl Strategy<Value = Cell> {
        prop_oneof![
            any::<i64>().prop_map(Cell::Integer),
            any::<f64>().prop_filter("no NaN is stored", |value| !value.is_nan()).prop_map(Cell::Real),
            "[~/.,a-c0-3tiruxe-]{0,5}|[^\0]*".prop_map(|text| Cell::Text(text.into())),
            proptest::collection::vec(any::<u8>(), 0..4).prop_map(|bytes| Cell::Blob(bytes.into())),
        ]
    }

    fn kinds() -> impl Strategy<Value = ColumnKind> {
        use ColumnKind::*;
        proptest::sample::select(vec![Boolean, Integer, Number, Text, Time, Bytes, Any])
    }

    proptest! {
        #[test]
        fn every_key_has_one_segment_and_every_segment_at_most_one_key(
            columns in proptest::collection::vec((kinds(), cells()), 1..4),
            other in "[~/.,a-c0-3tiruxe-]{1,6}",
        ) {
            let (kinds, cells): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
            let relation = relation(&kinds, None);
            prop_assume!(!relation.columns.iter().zip(&cells).any(|(column, cell)| is_never_in(column, cell)));
            let key = RowKey::Columns(cells);
            let segment = key.segment(&relation).unwrap();
            prop_assert_eq!(RowKey::parse(&relation, segment.as_str()), Some(key));
            if let Some(key) = RowKey::parse(&relation, &other) {
                let segment = key.segment(&relation).unwrap();
                prop_assert_eq!(segment.as_str(), other.as_str());
            }
        }
    }
}
