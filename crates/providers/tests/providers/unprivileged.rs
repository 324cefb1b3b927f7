//! Checks of what one may not read, whoever runs the tests.

use std::os::unix::fs::PermissionsExt;

/// Runs a check in a thread that the permissions of files bind, and all threads that it starts. Where that cannot be
/// had, says so and leaves the check out.
pub(crate) fn run(check: impl FnOnce() + Send) {
    let bound = || {
        give_up_privileges();
        if is_bound() {
            check();
        } else {
            eprintln!("skipped: whoever runs the tests may read everything, and cannot give that up");
        }
    };
    let ended = std::thread::scope(|scope| scope.spawn(bound).join());
    ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

/// Of this thread alone.
#[cfg(target_os = "linux")]
fn give_up_privileges() {
    use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
    let Ok(mut sets) = capabilities(None) else { return };
    let all = CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
    for set in [&mut sets.effective, &mut sets.permitted, &mut sets.inheritable] {
        set.remove(all);
    }
    // Whether it took effect is seen by what can be read.
    let _ = set_capabilities(None, sets);
}

#[cfg(not(target_os = "linux"))]
fn give_up_privileges() {}

fn is_bound() -> bool {
    let closed = tempfile::NamedTempFile::new().unwrap();
    std::fs::set_permissions(closed.path(), std::fs::Permissions::from_mode(0o000)).unwrap();
    std::fs::File::open(closed.path()).is_err()
}
