//! Functions of SQLite whose time grows with the product of what they are given, in another form, for callers' statements.
//!
//! SQLite looks at the time between the steps of a statement, and the call of a function is one step: `instr` of two long texts
//! would go on for hours. These mean the same (<https://www.sqlite.org/lang_corefunc.html>), so that views, generated columns
//! and indexes over expressions stay what they are.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use memchr::memmem;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, Error, ffi};

use super::connect::LONGEST;

/// Functions that have a form of their own.
const FLAGS: FunctionFlags = FunctionFlags::SQLITE_UTF8
    .union(FunctionFlags::SQLITE_DETERMINISTIC)
    .union(FunctionFlags::SQLITE_INNOCUOUS);

/// Puts them in the place of SQLite's. The connection has its encoding: it reads from the file.
pub(super) fn replace_slow(raw: &Connection) -> Result<(), Error> {
    let encoding: String = raw.query_row("PRAGMA main.encoding", [], |row| row.get(0))?;
    let texts = Texts { encoding: Arc::from(encoding), asked: Arc::default() };
    let of = texts.clone();
    raw.create_scalar_function("instr", 2, FLAGS, move |context| instr(context, &of))?;
    let of = texts.clone();
    raw.create_scalar_function("replace", 3, FLAGS, move |context| replace(context, &of))?;
    for (name, left, right) in [("trim", true, true), ("ltrim", true, false), ("rtrim", false, true)] {
        let of = texts.clone();
        raw.create_scalar_function(name, 2, FLAGS, move |context| trim(context, &of, left, right))?;
    }
    raw.create_scalar_function("unhex", 2, FLAGS, |_| {
        Err::<Option<i64>, _>(Error::UserFunctionError("unhex takes one argument here".into()))
    })
}

/// A text that may not be UTF-8.
struct Text(Vec<u8>);

impl ToSql for Text {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>, Error> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Text(&self.0)))
    }
}

/// Gives values as texts.
#[derive(Clone)]
struct Texts {
    encoding: Arc<str>,
    /// A database of nothing, which is asked where only SQLite knows how it writes a value.
    asked: Arc<Mutex<Option<Connection>>>,
}

impl Texts {
    /// None of NULL.
    fn of(&self, value: ValueRef<'_>) -> Result<Option<Vec<u8>>, Error> {
        match value {
            ValueRef::Null => Ok(None),
            ValueRef::Integer(value) => Ok(Some(value.to_string().into_bytes())),
            ValueRef::Text(bytes) => Ok(Some(bytes.to_vec())),
            ValueRef::Blob(bytes) if &*self.encoding == "UTF-8" => Ok(Some(bytes.to_vec())),
            ValueRef::Real(_) | ValueRef::Blob(_) => self.ask(value).map(Some),
        }
    }

    fn ask(&self, value: ValueRef<'_>) -> Result<Vec<u8>, Error> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let raw = match &mut *asked {
            Some(raw) => raw,
            none => {
                let raw = Connection::open_in_memory()?;
                raw.pragma_update(None, "encoding", &*self.encoding)?;
                none.insert(raw)
            }
        };
        let mut cast = raw.prepare_cached("SELECT CAST(? AS TEXT)")?;
        cast.query_row([ToSqlOutput::Borrowed(value)], |row| Ok(row.get_ref(0)?.as_bytes()?.to_vec()))
    }
}

/// Where the second stands in the first, from 1 on: in bytes if both are blobs, else in characters.
fn instr(context: &Context<'_>, texts: &Texts) -> Result<Option<i64>, Error> {
    let (hay, needle) = (context.get_raw(0), context.get_raw(1));
    if let (ValueRef::Blob(hay), ValueRef::Blob(needle)) = (hay, needle) {
        return Ok(Some(memmem::find(hay, needle).map_or(0, |at| number(at + 1))));
    }
    let (Some(hay), Some(needle)) = (texts.of(hay)?, texts.of(needle)?) else { return Ok(None) };
    let found = match needle.first() {
        // A character begins at the beginning, whatever stands there, and nowhere else with such a byte.
        Some(first) if is_inner(*first) => hay.starts_with(&needle).then_some(0),
        _ => memmem::find(&hay, &needle),
    };
    let characters = |at: usize| 1 + hay.iter().take(at + 1).skip(1).filter(|byte| !is_inner(**byte)).count();
    Ok(Some(found.map_or(0, |at| number(characters(at)))))
}

/// The first, with the third wherever the second stood.
fn replace(context: &Context<'_>, texts: &Texts) -> Result<Option<Text>, Error> {
    let Some(text) = texts.of(context.get_raw(0))? else { return Ok(None) };
    let Some(wanted) = texts.of(context.get_raw(1))? else { return Ok(None) };
    // Nothing stands nowhere; so does, to SQLite, what begins with NUL.
    if wanted.first().is_none_or(|first| *first == 0) {
        return Ok(Some(Text(text)));
    }
    let Some(instead) = texts.of(context.get_raw(2))? else { return Ok(None) };
    let longest = usize::try_from(LONGEST).unwrap_or(usize::MAX);
    let mut made = Vec::with_capacity(text.len());
    let mut from = 0;
    for at in memmem::find_iter(&text, &wanted) {
        made.extend_from_slice(&text[from..at]);
        made.extend_from_slice(&instead);
        from = at + wanted.len();
        if made.len() > longest {
            return Err(Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_TOOBIG), None));
        }
    }
    made.extend_from_slice(&text[from..]);
    Ok(Some(Text(made)))
}

/// The first without the characters of the second at its ends.
fn trim(context: &Context<'_>, texts: &Texts, left: bool, right: bool) -> Result<Option<Text>, Error> {
    let Some(text) = texts.of(context.get_raw(0))? else { return Ok(None) };
    let Some(characters) = texts.of(context.get_raw(1))? else { return Ok(None) };
    let characters = Characters::of(&characters);
    let start = if left { characters.at_start(&text) } else { 0 };
    let rest = &text[start..];
    let end = if right { characters.at_end(rest) } else { rest.len() };
    Ok(Some(Text(rest[..end].to_vec())))
}

/// Characters to look for, each with its place: in what is not UTF-8 one may be the beginning of another, and the first counts.
struct Characters<'c> {
    places: HashMap<&'c [u8], usize>,
    /// From the shortest.
    lengths: Vec<usize>,
}

impl<'c> Characters<'c> {
    /// As SQLite takes a text apart, which ends at a NUL.
    fn of(text: &'c [u8]) -> Self {
        let mut rest = &text[..memchr::memchr(0, text).unwrap_or(text.len())];
        let mut places = HashMap::new();
        while let Some(first) = rest.first() {
            let inner =
                if *first < 0xc0 { 0 } else { rest[1..].iter().take_while(|b| is_inner(**b)).count() };
            let (character, behind) = rest.split_at(1 + inner);
            let place = places.len();
            places.entry(character).or_insert(place);
            rest = behind;
        }
        let mut lengths: Vec<usize> = places.keys().map(|character| character.len()).collect();
        lengths.sort_unstable();
        lengths.dedup();
        Self { places, lengths }
    }

    /// Where behind all of them at its start the text goes on.
    fn at_start(&self, text: &[u8]) -> usize {
        let mut start = 0;
        while let Some(first) = text.get(start) {
            let rest = &text[start..];
            // What begins with such a byte goes on with others; any other is a character by itself.
            let most =
                if *first < 0xc0 { 1 } else { 1 + rest[1..].iter().take_while(|b| is_inner(**b)).count() };
            let fitting = self.lengths.iter().take_while(|length| **length <= most);
            let Some(length) = self.first_of(fitting.map(|length| &rest[..*length])) else { break };
            start += length;
        }
        start
    }

    /// Where before all of them at its end the text ends.
    fn at_end(&self, text: &[u8]) -> usize {
        let mut end = text.len();
        // Of the last bytes that belong together the first; looked for once, however many are taken away one by one.
        let mut first = end;
        while end > 0 {
            if first >= end {
                first = text[..end].iter().rposition(|byte| !is_inner(*byte)).unwrap_or(0);
            }
            let whole = Some(first).filter(|first| self.lengths.binary_search(&(end - first)).is_ok());
            let pieces = [Some(end - 1), whole].into_iter().flatten().map(|from| &text[from..end]);
            let Some(length) = self.first_of(pieces) else { break };
            end -= length;
        }
        end
    }

    /// The length of the piece that is the first of the characters.
    fn first_of<'t>(&self, pieces: impl Iterator<Item = &'t [u8]>) -> Option<usize> {
        pieces
            .filter_map(|piece| Some((*self.places.get(piece)?, piece.len())))
            .min()
            .map(|(_, length)| length)
    }
}

/// Whether a character of UTF-8 goes on with that byte.
fn is_inner(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

fn number(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}
