//! The operations that change something.
//!
//! **Atomic.** New content is made ready beside, and takes its place in one step; nobody ever sees a part of it, also not
//! after a crash. **Durable.** What is answered as done is on the disk: the content and the directory that names it are
//! synchronised before.
//!
//! **Guarded.** What an effect rests on is compared in the critical section of the effect, one at a time within a mount.
//! Other processes know nothing of that section. So what an effect has moved out of the way is looked at once more: if it
//! is not what was compared, it is put back, wherever others have moved the new thing by then, and the caller is told that
//! the target changed. Meanwhile others may see the new content for a moment. The same goes for a directory that was moved
//! while something was done in it.
//!
//! What cannot be made up for: a program that has the file open goes on writing into the old one, which has no name any
//! more; and of files above a mebibyte, a change within that moment counts only if it sets the time of the last change,
//! as every write does and only those avoid that set it back on purpose.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use cap_std::fs::Dir;
use rustix::io::Errno;
use worldspace_host::{Call, Done, Fate, LocalPath, Refusal};
use worldspace_model::{Segment, Value};

use self::removals::Removals;
use self::staging::Staging;
use super::failure::refused;
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
mod removals;
mod remove;
mod replace;
pub(super) mod staging;
mod whereabouts;

/// The longest name that filesystems take.
const LONGEST_NAME: usize = 255;

/// What writing needs at one root.
pub(super) struct Writer {
    root: Arc<Dir>,
    /// Held from the comparison with what the caller saw until the effect is there or undone.
    one_at_a_time: Mutex<()>,
    /// Held while a directory is looked through, which takes a descriptor for each level of it.
    looking_through: Mutex<()>,
    staging: Mutex<Option<Arc<Staging>>>,
    removals: Removals,
}

impl Writer {
    pub(super) fn new(root: &Arc<Dir>) -> Self {
        staging::sweep(root);
        Self {
            root: root.clone(),
            one_at_a_time: Mutex::new(()),
            looking_through: Mutex::new(()),
            staging: Mutex::new(None),
            removals: Removals::default(),
        }
    }

    fn staging(&self) -> Result<Arc<Staging>, Refusal> {
        let mut staging = lock(&self.staging);
        match &*staging {
            Some(open) if open.is_in_place() => return Ok(open.clone()),
            _ => {}
        }
        let open = Staging::open(&self.root).map_err(|error| {
            let foreign = error.get_ref().is_some_and(|inner| inner.is::<staging::Foreign>());
            if !foreign {
                return unprepared(error);
            }
            tracing::error!("nothing can be changed: {error}");
            Refusal::PermissionDenied(error.to_string())
        })?;
        Ok(staging.insert(Arc::new(open)).clone())
    }

    fn begin(&self, task: &Task<'_>) -> Result<MutexGuard<'_, ()>, Refusal> {
        wait_for(task, &self.one_at_a_time)
    }
}

/// Waits for a lock as long as somebody waits for what comes of it.
fn wait_for<'m>(task: &Task<'_>, mutex: &'m Mutex<()>) -> Result<MutexGuard<'m, ()>, Refusal> {
    /// What others do under it takes about as long.
    const LOOK: Duration = Duration::from_micros(200);
    loop {
        match mutex.try_lock() {
            Ok(guard) => return Ok(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {}
        }
        task.patience.check_caller()?;
        std::thread::sleep(LOOK);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The names in a directory, to be brought to the disk. Opened before the effect, so that what cannot be is refused.
struct Names(OwnedFd);

impl Names {
    fn of(directory: &Dir) -> Result<Self, Refusal> {
        open::readable(directory).map(Self).map_err(unprepared)
    }

    fn synchronise(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.0)?)
    }

    /// For an effect that was undone.
    fn undone(&self) -> Fate {
        match self.synchronise() {
            Ok(()) => Fate::RolledBack(Refusal::StateChanged),
            Err(error) => Fate::unknown(error),
        }
    }
}

/// Whether a directory stands on the filesystem of the root: only there can what is made ready be exchanged.
fn require_own_filesystem(task: &Task<'_>, directory: &Dir) -> Result<(), Refusal> {
    let (there, root) =
        (Stat::of(directory).map_err(unprepared)?, Stat::of(task.root.directory()).map_err(unprepared)?);
    if there.mount == root.mount { Ok(()) } else { Err(unprepared(Errno::XDEV.into())) }
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

/// What became of an effect whose one step, a rename, failed.
fn not_done(error: io::Error, slot: Option<&staging::Slot>) -> Fate {
    let Some(errno) = error.raw_os_error().map(Errno::from_raw_os_error) else { return Fate::unknown(error) };
    if !staging::is_certain(errno) {
        return Fate::unknown(error);
    }
    Fate::RolledBack(match errno {
        Errno::NOENT if slot.is_some_and(staging::Slot::is_lost) => {
            Refusal::failed(format!("{} was taken away while something was changed: {error}", staging::NAME))
        }
        // What stood there went meanwhile, or a directory on the way to it did.
        Errno::NOENT | Errno::NOTDIR | Errno::ISDIR | Errno::LOOP => Refusal::StateChanged,
        Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP => Refusal::PermissionDenied(
            "the filesystem here cannot exchange two names in one step, so that changes of others could be \
             overwritten unseen; it can only be read"
                .to_owned(),
        ),
        errno => known(errno).unwrap_or_else(|| Refusal::failed(error)),
    })
}

/// What the system refuses, in words for the caller.
fn known(errno: Errno) -> Option<Refusal> {
    let denied = |text: &str| Some(Refusal::PermissionDenied(text.to_owned()));
    let limit = |text: &str| Some(Refusal::Limit(text.to_owned()));
    match errno {
        Errno::ACCESS | Errno::PERM => {
            denied("the Host itself is not permitted to do this here; whoever runs it can allow that")
        }
        Errno::ROFS => denied("the filesystem can only be read; whoever runs the Host can change that"),
        Errno::XDEV => denied(
            "this stands on another filesystem than the root of the mount, or the filesystem cannot move it; what is \
             mounted in the Worldspace by itself can be changed",
        ),
        Errno::BUSY => denied("a filesystem is mounted there, or the system needs it; it stays where it is"),
        Errno::NOSPC | Errno::DQUOT => limit("there is no room left on the disk, and nothing was changed"),
        Errno::FBIG => limit("the file would be larger than the filesystem allows, and nothing was changed"),
        Errno::MLINK => limit("a directory there holds as many as it may, and nothing was changed"),
        Errno::MFILE | Errno::NFILE => Some(refused(errno.into())),
        Errno::NAMETOOLONG | Errno::ILSEQ => {
            Some(Refusal::argument("name", "is none that the filesystem here takes; give another"))
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
