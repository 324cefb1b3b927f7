//! Writing generated files: all or, where one of them may not be written, none; each in one step.

use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use worldspace_projections::stubs::{GeneratedFile, is_generated};

use crate::failure::Failure;

/// A file, and whether it is another one than before.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) file: PathBuf,
    pub(super) changed: bool,
}

/// Writes all files into a directory, which is made if there is none. A file that nobody changed keeps its times, so that
/// nothing is built anew for it.
pub(super) fn all(directory: &Path, files: &[GeneratedFile]) -> Result<Vec<Written>, Failure> {
    let mut written = Vec::with_capacity(files.len());
    for generated in files {
        let file = directory.join(&generated.name);
        written.push(Written { changed: may_write(&file, &generated.text)?, file });
    }
    fs::create_dir_all(directory).map_err(|error| cannot("make the directory", directory, &error))?;
    let mut ready = Vec::new();
    for (generated, Written { file, .. }) in files.iter().zip(&written).filter(|(_, written)| written.changed)
    {
        let draft = draft(directory, &generated.text).map_err(|error| cannot("write", file, &error))?;
        ready.push((draft, file));
    }
    for (draft, file) in ready {
        draft.persist(file).map_err(|error| cannot("write", file, &error.error))?;
    }
    Ok(written)
}

/// Whether what is there is of another text, if it may be written at all.
fn may_write(file: &Path, text: &str) -> Result<bool, Failure> {
    if fs::metadata(file).is_ok_and(|found| !found.is_file()) {
        let failure = Failure::local(format!("{} is no regular file, and is left alone", file.display()));
        return Err(failure.hint("write elsewhere with --to DIR or --module NAME"));
    }
    let mut known = Vec::new();
    // A file of somebody else may be of any size; a longer one is another one.
    let most = text.len() as u64 + 1024;
    match fs::File::open(file).and_then(|file| file.take(most).read_to_end(&mut known)) {
        Ok(_) if known == text.as_bytes() => Ok(false),
        Ok(_) if is_generated(&String::from_utf8_lossy(&known)) => Ok(true),
        Ok(_) => {
            let failure =
                Failure::local(format!("{} was not made by `wip gen`, and is left alone", file.display()));
            Err(failure.hint("move it away, or write elsewhere with --to DIR or --module NAME"))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        // Something on the way is a file; making the directory will tell.
        Err(error) if error.kind() == ErrorKind::NotADirectory => Ok(true),
        Err(error) => Err(cannot("read", file, &error)),
    }
}

fn draft(directory: &Path, text: &str) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".wip-gen-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file: what the process does not leave to others is taken away.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut draft = builder.tempfile_in(directory)?;
    draft.write_all(text.as_bytes())?;
    Ok(draft)
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::io(format_args!("cannot {what} {}", path.display()), error)
}
