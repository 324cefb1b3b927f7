//! SQLite: one file, with the library that is built into this program.

use std::io::{self, Read as _};
use std::path::Path;

use super::engine::{Engine, Purpose, Session, SqlError, Watch};
use super::{OpenError, Settings};

/// What every SQLite file begins with (<https://www.sqlite.org/fileformat.html#magic_header_string>).
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Whether a file is a SQLite database, by its header.
///
/// # Errors
/// The file cannot be read.
pub fn is_sqlite(path: &Path) -> io::Result<bool> {
    let mut head = [0; MAGIC.len()];
    match std::fs::File::open(path)?.read_exact(&mut head) {
        Ok(()) => Ok(&head == MAGIC),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// A SQLite file.
pub(super) struct Sqlite;

impl Sqlite {
    pub(super) fn open(path: &Path, _settings: &Settings) -> Result<Self, OpenError> {
        let file = |source| OpenError::File { path: path.to_owned(), source };
        if !is_sqlite(path).map_err(file)? {
            return Err(OpenError::Kind { path: path.to_owned() });
        }
        Ok(Self)
    }
}

impl Engine for Sqlite {
    fn begin(&self, _purpose: Purpose, _watch: &Watch) -> Result<Box<dyn Session + '_>, SqlError> {
        Err(SqlError::failed("not there yet"))
    }
}
