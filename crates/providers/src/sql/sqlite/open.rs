//! The first look at a file: whether it is a database that can be served, and if not, why.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use rusqlite::ffi;

use super::connect::Idle;
use super::failure::{self, Fault};
use super::{Sqlite, is_sqlite};
use crate::sql::engine::{Purpose, SqlError, Watch};
use crate::sql::{OpenError, Settings, stack};

/// How long another program may keep the file locked meanwhile.
const WAIT: Duration = Duration::from_secs(5);

const DAMAGED: &str = "it is damaged; `PRAGMA integrity_check` in the program `sqlite3` tells where, and its `.recover` \
                       saves what can be saved";
const NO_WRITE: &str =
    "it is to be served writable and this user may not write it; allow that, or serve it read-only";

pub(super) fn open(given: &Path, settings: &Settings) -> Result<Sqlite, OpenError> {
    let file = |source| OpenError::File { path: given.to_owned(), source };
    let kind = || OpenError::Kind { path: given.to_owned() };
    let path = given.canonicalize().map_err(file)?;
    let metadata = path.metadata().map_err(file)?;
    // SQLite would take nothing at all for a database; and to open a pipe waits for whoever writes to it.
    if !metadata.is_file() || metadata.len() == 0 {
        return Err(kind());
    }
    let sqlite = Sqlite {
        path,
        writable: settings.writable,
        exact_integers: settings.exact_integers,
        readers: Idle::default(),
        foreign: Idle::default(),
        writer: Mutex::default(),
        schema: Mutex::default(),
    };
    let looked = stack::deep(|| look(&sqlite)).map_err(file)?;
    let Err(fault) = looked else { return Ok(sqlite) };
    // No connection is open any more, so that nobody's lock is lost by a look at the file itself.
    let path = std::mem::take(&mut { sqlite }.path);
    match is_sqlite(&path) {
        Ok(true) => {
            Err(OpenError::Read { path: given.to_owned(), hint: hint(&fault), source: source(fault) })
        }
        Ok(false) => Err(kind()),
        Err(source) => Err(file(source)),
    }
}

/// Reads what there is; first with the connection that may write, which puts in order what was left in the middle.
fn look(sqlite: &Sqlite) -> Result<(), Fault> {
    let watch = Watch::lasting(WAIT);
    let purposes = if sqlite.writable { &[Purpose::Write, Purpose::Read][..] } else { &[Purpose::Read] };
    for purpose in purposes {
        let lent = sqlite.lend(*purpose, "BEGIN DEFERRED", &watch)?;
        let Some(link) = &lent.link else { continue };
        if *purpose == Purpose::Write && link.raw.is_readonly("main")? {
            return Err(SqlError::Limit(NO_WRITE.to_owned()).into());
        }
        lent.schema.listing(&link.raw)?;
    }
    Ok(())
}

fn hint(fault: &Fault) -> String {
    let error = match fault {
        Fault::Sqlite(error) => error,
        Fault::Told(SqlError::Limit(text)) => return text.clone(),
        Fault::Told(error) => return error.to_string(),
    };
    if let Some(hint) = failure::unready(error) {
        return hint.to_owned();
    }
    let hint = match failure::primary(error) {
        Some(code) => match code {
            ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB => DAMAGED,
            ffi::SQLITE_CANTOPEN => failure::SHARED,
            ffi::SQLITE_PERM | ffi::SQLITE_READONLY | ffi::SQLITE_AUTH => NO_WRITE,
            ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED => {
                "another program keeps it locked; try again when it has ended"
            }
            ffi::SQLITE_INTERRUPT => "it takes too long to read what tables there are",
            _ => "SQLite could not read it",
        },
        None => "SQLite could not read it",
    };
    hint.to_owned()
}

fn source(fault: Fault) -> Box<dyn std::error::Error + Send + Sync> {
    match fault {
        Fault::Sqlite(error) => Box::new(error),
        Fault::Told(error) => Box::new(error),
    }
}
