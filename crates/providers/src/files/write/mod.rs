//! The operations that change something.
//!
//! **Atomic.** New content is made ready beside, and takes its place in one step; nobody ever sees a part of it, also not
//! after a crash. **Durable.** What is answered as done is on the disk: the content and the directory that names it are
//! synchronised before.
//!
//! **Guarded.** What an effect rests on is compared in the critical section of the effect, one at a time within this
//! process. Other processes know nothing of that section. So what an effect has moved out of the way is looked at once
//! more: if it is not what was compared, it is put back, and the caller is told that the target changed. Meanwhile others
//! may see the new content for a moment. The same goes for a directory that was moved while something was done in it.
//!
//! What cannot be made up for: a program that has the file open goes on writing into the old one, which has no name any
//! more; and of files above a mebibyte, a change within that moment counts only if it sets the time of the last change,
//! as every write does and only those avoid that set it back on purpose.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cap_std::fs::Dir;
use rustix::io::Errno;
use worldspace_host::{Call, Done, Fate, LocalPath, Refusal};
use worldspace_model::{Segment, Value};

use self::staging::Staging;
use super::interfaces::{DIRECTORY_WRITE, FILE_WRITE};
use super::open;
use super::root::{Inside, Root};
use super::stat::{Kind, Stat};
use super::task::Task;

mod basis;
mod content;
mod create;
pub(super) mod declare;
mod dress;
mod relocate;
mod remove;
mod replace;
pub(super) mod staging;

/// The longest name that filesystems take.
const LONGEST_NAME: usize = 255;

/// What writing needs at one root.
pub(super) struct Writer {
    root: Arc<Dir>,
    /// Held from the comparison with what the caller saw until the effect is there or undone.
    one_at_a_time: Mutex<()>,
    staging: Mutex<Option<Arc<Staging>>>,
}

impl Writer {
    pub(super) fn new(root: &Arc<Dir>) -> Self {
        staging::sweep(root);
        Self { root: root.clone(), one_at_a_time: Mutex::new(()), staging: Mutex::new(None) }
    }

    fn staging(&self) -> Result<Arc<Staging>, Refusal> {
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = &*staging {
            return Ok(open.clone());
        }
        let open = Arc::new(Staging::open(&self.root).map_err(unprepared)?);
        *staging = Some(open.clone());
        Ok(open)
    }

    fn begin(&self) -> MutexGuard<'_, ()> {
        self.one_at_a_time.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs an operation on a thread that may block.
pub(super) fn run(task: &Task<'_>, call: Call) -> Result<Done, Refusal> {
    let Some(writer) = &task.root.writer else {
        return Err(Refusal::failed("an operation that writes is called where writing is not offered"));
    };
    match (call.interface().name.as_str(), call.operation()) {
        (DIRECTORY_WRITE, "create_file") => create::file(task, writer, call),
        (DIRECTORY_WRITE, "create_directory") => create::directory(task, writer, call),
        (DIRECTORY_WRITE | FILE_WRITE, "move") => relocate::run(task, writer, call),
        (DIRECTORY_WRITE, "delete") => remove::directory(task, writer, call),
        (FILE_WRITE, "delete") => remove::file(task, writer, call),
        (FILE_WRITE, "write") => content::write(task, writer, call),
        (FILE_WRITE, "append") => content::append(task, writer, call),
        (FILE_WRITE, "replace_text") => content::replace_text(task, writer, call),
        (interface, operation) => {
            Err(Refusal::failed(format!("{interface} declares {operation} and has no code for it")))
        }
    }
}

/// Whether an operation is one of these.
pub(super) fn is_of(call: &Call) -> bool {
    matches!(call.interface().name.as_str(), DIRECTORY_WRITE | FILE_WRITE)
}

/// Whether the directory above a path is still the one that was found there.
fn is_still_at(root: &Root, path: &LocalPath, parent: &Dir) -> bool {
    path.parent().is_some_and(|above| leads_to(root, &above, parent))
}

/// Whether a path still leads to the directory that was found there.
fn leads_to(root: &Root, path: &LocalPath, directory: &Dir) -> bool {
    let place = Stat::of(directory).map(|stat| stat.place);
    root.find(path).is_ok_and(|found| place.is_ok_and(|place| found.stat.place == place))
}

/// Brings a directory's names to the disk.
fn synchronise(directory: &Dir) -> io::Result<()> {
    Ok(rustix::fs::fsync(open::readable(directory)?)?)
}

/// The argument `name` as a name that may be given to something new in a directory.
fn new_name(inside: &Inside, name: Segment, kind: Kind) -> Result<Segment, Refusal> {
    let text = name.as_str();
    let why = if text.len() > LONGEST_NAME {
        Some("is longer than 255 bytes, which no filesystem takes")
    } else if text.contains('\0') {
        Some("holds a zero byte, which no filesystem takes")
    } else if inside.rules.leaves_out(text, kind) {
        Some(
            "is one of those that are not offered here (hidden or ignored names), so it could not be found again",
        )
    } else {
        None
    };
    why.map_or(Ok(name), |why| Err(Refusal::argument("name", why)))
}

/// What keeps new content from being made ready. Nothing happened.
fn unprepared(error: io::Error) -> Refusal {
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(errno) => known(errno).unwrap_or_else(|| Refusal::failed(error)),
        None => Refusal::failed(error),
    }
}

/// What became of an effect whose one step failed.
fn not_done(error: io::Error) -> Fate {
    let Some(errno) = error.raw_os_error().map(Errno::from_raw_os_error) else { return Fate::unknown(error) };
    if !staging::is_certain(errno) {
        return Fate::unknown(error);
    }
    Fate::RolledBack(match errno {
        // What stood there went meanwhile, or a directory on the way to it did.
        Errno::NOENT | Errno::NOTDIR | Errno::ISDIR | Errno::LOOP => Refusal::StateChanged,
        errno => known(errno).unwrap_or_else(|| Refusal::failed(error)),
    })
}

/// What the system refuses, in words for the caller.
fn known(errno: Errno) -> Option<Refusal> {
    let denied = |text: &str| Some(Refusal::PermissionDenied(text.to_owned()));
    let limit = |text: &str| Some(Refusal::Limit(text.to_owned()));
    match errno {
        Errno::ACCESS | Errno::PERM => {
            denied("the Host itself may not write here; whoever runs it can allow that")
        }
        Errno::ROFS => denied("the filesystem can only be read; whoever runs the Host can change that"),
        Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP => denied(
            "the filesystem here cannot exchange two names in one step, so that changes of others could be \
             overwritten unseen; it can only be read",
        ),
        Errno::XDEV => denied(
            "another filesystem is mounted here than at the root of the mount; it can be written if it is mounted \
             in the Worldspace by itself",
        ),
        Errno::BUSY => denied("a filesystem is mounted there, or the system needs it; it stays where it is"),
        Errno::NOSPC | Errno::DQUOT => limit("there is no room left on the disk, and nothing was changed"),
        Errno::FBIG => limit("the file would be larger than the filesystem allows, and nothing was changed"),
        Errno::MFILE | Errno::NFILE => {
            limit("the Host has as many files open as it may, and nothing was changed; call again later")
        }
        _ => None,
    }
}

/// A case of an answer that carries an entry.
fn case_of(task: &Task<'_>, case: &str, path: &LocalPath) -> Result<Value, Refusal> {
    Ok(Value::case(case, Some(Value::Entry(task.context.entry(path))))?)
}

/// Whether something stands under a name, be it only in the Worldspace.
fn is_taken(task: &Task<'_>, inside: &Inside, path: &LocalPath, name: &Segment) -> bool {
    let shadowed = task.context.local(&task.context.entry(path)).is_none();
    shadowed || Stat::at(&inside.directory, name).is_ok()
}
