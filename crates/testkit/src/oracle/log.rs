//! The durable record of what really happened: one line in a file for each part of an effect, and for each undone.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A part of an effect that was done or undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// The first part was done.
    First,
    /// The second part was done, and with it the whole.
    Second,
    /// The second part was undone.
    UndidSecond,
    /// The first part was undone, and with it the whole.
    UndidFirst,
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The unique id of the call.
    pub id: String,
    /// What it did.
    pub step: Step,
}

/// What a call has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Net {
    /// Nothing: it did nothing, or undid all of it.
    None,
    /// A part.
    Half,
    /// The whole effect, once.
    Once,
    /// Something was done more than once.
    Repeated,
    /// Something was undone that was not there, or undone out of order.
    Broken,
}

/// The log. Each record is on disk before whoever wrote it goes on. Cheap to clone.
#[derive(Debug, Clone)]
pub struct EffectLog(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    file: Mutex<File>,
}

impl Step {
    const ALL: [Self; 4] = [Self::First, Self::Second, Self::UndidSecond, Self::UndidFirst];

    fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Second => "second",
            Self::UndidSecond => "undid-second",
            Self::UndidFirst => "undid-first",
        }
    }
}

impl EffectLog {
    /// The log in that file, which is made if it is not there.
    ///
    /// # Errors
    /// The file cannot be opened for writing.
    pub fn open(path: impl Into<PathBuf>) -> io::Result<Self> {
        let path = path.into();
        let file = OpenOptions::new().create(true).append(true).open(&path)?;
        Ok(Self(Arc::new(Inner { path, file: Mutex::new(file) })))
    }

    /// Writes a record, and returns once it is on disk.
    ///
    /// # Errors
    /// It could not be written.
    pub fn append(&self, id: &str, step: Step) -> io::Result<()> {
        let mut file = self.0.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(format!("{} {id}\n", step.name()).as_bytes())?;
        file.sync_data()
    }

    /// All records so far.
    ///
    /// # Errors
    /// The file cannot be read, or holds something else.
    pub fn records(&self) -> io::Result<Vec<Record>> {
        Self::read(&self.0.path)
    }

    /// All records of the log in that file, which another process may be writing. A last line that is not finished does
    /// not count: whoever wrote it has not gone on to the effect's next part.
    ///
    /// # Errors
    /// The file cannot be read, or holds something else.
    pub fn read(path: &Path) -> io::Result<Vec<Record>> {
        let mut text = String::new();
        File::open(path)?.read_to_string(&mut text)?;
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let record = |line: &str| {
            let (name, id) = line.split_once(' ')?;
            let step = Step::ALL.into_iter().find(|step| step.name() == name)?;
            Some(Record { id: id.to_owned(), step })
        };
        let foreign = |line| io::Error::new(io::ErrorKind::InvalidData, format!("no record: {line:?}"));
        whole.lines().map(|line| record(line).ok_or_else(|| foreign(line))).collect()
    }

    /// What the call of that id has left.
    ///
    /// # Errors
    /// As [`EffectLog::records`].
    pub fn net(&self, id: &str) -> io::Result<Net> {
        let records = self.records()?;
        Ok(Net::of(records.iter().filter(|record| record.id == id).map(|record| record.step)))
    }
}

impl Net {
    /// What these steps of one call leave.
    pub fn of(steps: impl IntoIterator<Item = Step>) -> Self {
        let (mut first, mut second) = (0, 0);
        let (mut firsts, mut broken) = (0, false);
        for step in steps {
            match step {
                Step::First => {
                    first += 1;
                    firsts += 1;
                }
                Step::Second => second += 1,
                Step::UndidSecond => second -= 1,
                Step::UndidFirst => first -= 1,
            }
            broken |= second < 0 || first < second;
        }
        match (first, second) {
            _ if broken => Self::Broken,
            _ if firsts > 1 => Self::Repeated,
            (0, _) => Self::None,
            (1, 0) => Self::Half,
            (1, 1) => Self::Once,
            _ => Self::Repeated,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_what_was_done_and_not_undone() {
        use Step::*;
        for (steps, net) in [
            (&[][..], Net::None),
            (&[First], Net::Half),
            (&[First, Second], Net::Once),
            (&[First, UndidFirst], Net::None),
            (&[First, Second, UndidSecond, UndidFirst], Net::None),
            (&[First, Second, UndidSecond], Net::Half),
            (&[First, Second, First, Second], Net::Repeated),
            (&[First, UndidFirst, First, Second], Net::Repeated),
            (&[First, Second, Second], Net::Broken),
            (&[Second], Net::Broken),
            (&[UndidFirst], Net::Broken),
        ] {
            assert_eq!(Net::of(steps.iter().copied()), net, "{steps:?}");
        }
    }
}
