//! How finely a filesystem's clock tells two changes apart.
//!
//! Two changes within one step of that clock leave the same time. So what changed a moment ago may change again and
//! look the same; what is older cannot.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::stat::Time;

/// Twice the longest tick of a kernel clock (10 ms).
const FINE: Duration = Duration::from_millis(20);
/// The coarsest step of a filesystem in use (FAT), with room for the clock of a server that is not ours.
const COARSE: Duration = Duration::from_secs(3);

/// The step of one filesystem's clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grain {
    window: Duration,
    /// Whether the filesystem may find names by another spelling than their own.
    pub(super) folds: bool,
}

impl Grain {
    /// For filesystems that nothing is known of.
    pub(super) const UNKNOWN: Self = Self { window: COARSE, folds: true };

    #[cfg(test)]
    pub(super) fn of_window(window: Duration) -> Self {
        Self { window, folds: false }
    }

    #[cfg(target_os = "linux")]
    pub(super) fn of(root: impl std::os::fd::AsFd) -> Self {
        // Local filesystems that take their times from the kernel's own clock and compare names byte by byte: ext, xfs,
        // btrfs, tmpfs, f2fs, zfs, bcachefs, overlayfs.
        const KNOWN: [i64; 8] = [
            0xEF53,
            0x5846_5342,
            0x9123_683E,
            0x0102_1994,
            0xF2F5_2010,
            0x2FC1_2FC1,
            0xCA45_1A4E,
            0x794C_7630,
        ];
        #[allow(
            clippy::unnecessary_cast,
            clippy::cast_lossless,
            reason = "the width differs between systems"
        )]
        let known =
            rustix::fs::fstatfs(root).is_ok_and(|found| KNOWN.contains(&(found.f_type as u32 as i64)));
        if known { Self { window: FINE, folds: false } } else { Self::UNKNOWN }
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn of(_: impl std::os::fd::AsFd) -> Self {
        Self::UNKNOWN
    }

    /// How long a time stays young.
    pub(super) fn window(self, time: Time) -> Duration {
        // Times of whole seconds are what a filesystem writes that keeps no finer ones.
        if time.nanos == 0 { self.window.max(COARSE) } else { self.window }
    }

    /// Whether another change could still bear the same time. A time in the future means a clock that was set, and
    /// tells nothing.
    pub(super) fn is_young(self, time: Time) -> bool {
        let Ok(now) = SystemTime::now().duration_since(UNIX_EPOCH) else { return true };
        let Ok(seconds) = u64::try_from(time.seconds) else { return false };
        let then = Duration::new(seconds, time.nanos.min(999_999_999));
        now.checked_sub(then).is_none_or(|age| age < self.window(time))
    }
}
