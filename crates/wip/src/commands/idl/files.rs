//! Files of the IDL as the file system has them.

use std::collections::HashMap;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use worldspace_idl::Loader;

use crate::failure::Failure;
use crate::show::text;

/// What stands for stdin where a file is named.
pub(in crate::commands) const STDIN: &str = "-";

/// The bytes of the largest file that is read.
const MOST: u64 = 64 << 20;

/// The files of a run. Each has one name: the path by which it was met first.
#[derive(Debug, Default)]
pub(in crate::commands) struct Files {
    names: HashMap<PathBuf, String>,
    paths: HashMap<String, PathBuf>,
}

/// Why a file cannot be had, and what to do.
#[derive(Debug)]
pub(in crate::commands) struct Unread {
    pub(in crate::commands) message: String,
    pub(in crate::commands) help: Option<String>,
}

impl Unread {
    pub(in crate::commands) fn new(message: String, help: Option<&str>) -> Self {
        Self { message, help: help.map(str::to_owned) }
    }
}

/// Stdin gives what it has once.
pub(super) fn stdin_once<'a>(given: impl IntoIterator<Item = &'a String>) -> Result<(), Failure> {
    match given.into_iter().filter(|file| *file == STDIN).count() {
        0 | 1 => Ok(()),
        _ => Err(Failure::usage("`-` stands for stdin, which can be read only once")),
    }
}

impl Files {
    /// The name and the text of a file that the command line names.
    pub(in crate::commands) fn read(&mut self, given: &str) -> Result<(String, String), Unread> {
        if given != STDIN {
            return self.read_at(Path::new(given), given);
        }
        let mut bytes = Vec::new();
        let read = io::stdin().lock().take(MOST + 1).read_to_end(&mut bytes);
        read.map_err(|error| Unread::new(format!("cannot read stdin: {error}"), None))?;
        let name = "(stdin)".to_owned();
        bounded(&bytes, "stdin")?;
        let text = utf8(bytes, "stdin")?;
        Ok((name, text))
    }

    fn read_at(&mut self, path: &Path, name: &str) -> Result<(String, String), Unread> {
        let shown = text::name(name);
        let cannot = |error: io::Error| match error.kind() {
            ErrorKind::NotFound => Unread::new(format!("there is no file {shown}"), None),
            ErrorKind::IsADirectory => directory(&shown),
            _ => Unread::new(format!("cannot read {shown}: {error}"), None),
        };
        // A pipe has a name that leads nowhere else.
        let real = fs::canonicalize(path).or_else(|error| match path.exists() {
            true => Ok(path.to_owned()),
            false => Err(error),
        });
        let real = real.map_err(cannot)?;
        if real.is_dir() {
            return Err(directory(&shown));
        }
        let mut bytes = Vec::new();
        // What is no regular file, such as a pipe, is found by the name that was given alone.
        let file = fs::File::open(path).map_err(cannot)?;
        file.take(MOST + 1).read_to_end(&mut bytes).map_err(cannot)?;
        bounded(&bytes, &shown)?;
        let text = utf8(bytes, &shown)?;
        let known = self.names.entry(real.clone()).or_insert_with(|| name.to_owned()).clone();
        self.paths.insert(known.clone(), real);
        Ok((known, text))
    }

    /// Where a file is that was read, links resolved.
    pub(in crate::commands) fn path(&self, name: &str) -> Option<&Path> {
        self.paths.get(name).map(PathBuf::as_path)
    }
}

impl Loader for Files {
    /// Paths are seen from the file that names them.
    fn load(&mut self, from: &str, path: &str) -> Result<(String, String), String> {
        let beside = Path::new(from).parent().unwrap_or(Path::new(""));
        let seen = beside.join(path.strip_prefix("./").unwrap_or(path));
        if fs::metadata(&seen).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            return Err(format!("{} is no regular file", text::name(&seen.to_string_lossy())));
        }
        // The name is made of two texts.
        let name = seen.to_string_lossy().into_owned();
        self.read_at(&seen, &name).map_err(|unread| match unread.help {
            Some(help) => format!("{}; {help}", unread.message),
            None => unread.message,
        })
    }
}

/// Who gives more than this did not mean to.
fn bounded(bytes: &[u8], shown: &str) -> Result<(), Unread> {
    if bytes.len() as u64 <= MOST {
        return Ok(());
    }
    let message = format!("{shown} has more than {} MiB", MOST >> 20);
    Err(Unread::new(message, Some("declare interfaces in several files")))
}

fn directory(shown: &str) -> Unread {
    Unread::new(format!("{shown} is a directory"), Some("name the files in it, such as `DIR/*.wip`"))
}

fn utf8(bytes: Vec<u8>, shown: &str) -> Result<String, Unread> {
    String::from_utf8(bytes).map_err(|error| {
        let before = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        Unread::new(
            format!("{shown} is not UTF-8 text: line {line} has other bytes"),
            Some("save it as UTF-8"),
        )
    })
}
