//! Whether a file is still the one that was read.

use std::fs::Metadata;
use std::time::{Duration, SystemTime};

/// Two changes this near to each other may bear the same time: the coarsest that file systems in use keep.
const GRAIN: Duration = Duration::from_secs(2);

/// What tells a file from what it was before and what it will be, as far as can be told without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    #[cfg(unix)]
    inode: (u64, u64),
    /// Set by the system alone, even where the time of the content is set back; and of the permissions too.
    #[cfg(unix)]
    changed: (i64, i64),
}

impl Stamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt as _;
        Self {
            length: metadata.len(),
            modified: metadata.modified().ok(),
            #[cfg(unix)]
            inode: (metadata.dev(), metadata.ino()),
            #[cfg(unix)]
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Whether a later change is certain to leave another stamp, if the file is read at `now`. It is not for a file that
    /// was changed a moment ago, or in the future.
    pub(crate) fn is_settled(&self, now: SystemTime) -> bool {
        let aged = |time: SystemTime| now.duration_since(time).is_ok_and(|age| age > GRAIN);
        #[cfg(unix)]
        {
            let seconds = u64::try_from(self.changed.0).unwrap_or(0);
            aged(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
        }
        #[cfg(not(unix))]
        {
            self.modified.is_some_and(aged)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_file_is_not_settled_and_an_old_one_is() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let stamp = Stamp::of(&file.as_file().metadata().unwrap());
        let now = SystemTime::now();
        assert!(!stamp.is_settled(now));
        assert!(!stamp.is_settled(now - Duration::from_secs(3600)), "a clock that was set back");
        assert!(stamp.is_settled(now + Duration::from_secs(5)));
    }
}
