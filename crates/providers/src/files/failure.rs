//! From what the system says to what a caller is told. No text of the system's is shown: it goes to the log.

use std::io;

use rustix::io::Errno;
use worldspace_host::{ProviderError, Refusal};

/// Of an observation. Whatever keeps a path from being followed answers as absence.
pub(super) fn observed(error: io::Error) -> ProviderError {
    if is_absence(&error) || error.kind() == io::ErrorKind::PermissionDenied {
        return ProviderError::NotFound;
    }
    ProviderError::failed(error)
}

/// Whether nothing is there that could be named so, or not the kind of thing that is needed.
pub(super) fn is_absence(error: &io::Error) -> bool {
    let kinds = [
        io::ErrorKind::NotFound,
        io::ErrorKind::NotADirectory,
        io::ErrorKind::InvalidFilename,
        io::ErrorKind::InvalidInput,
    ];
    kinds.contains(&error.kind()) || is_detour(error)
}

/// Of a call on something that was found.
pub(super) fn refused(error: io::Error) -> Refusal {
    if [Errno::MFILE, Errno::NFILE]
        .into_iter()
        .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
    {
        let text = "the Host has as many files open as it may, and nothing was changed; call again later";
        return Refusal::Limit(text.to_owned());
    }
    // Where no system has said it, a name was found to lead out of its directory, and led nowhere.
    if error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_some() {
        return Refusal::PermissionDenied(
            "the Host itself may not read this; whoever runs it can allow that".to_owned(),
        );
    }
    observed(error).into()
}

/// A link, where none is followed, or a way out.
fn is_detour(error: &io::Error) -> bool {
    [Errno::LOOP, Errno::XDEV, Errno::NXIO, Errno::NODEV]
        .into_iter()
        .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}
