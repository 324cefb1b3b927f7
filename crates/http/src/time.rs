//! Times that were set so long that they mean no limit.

use std::time::Duration;

/// As good as no limit, and short enough to be added to any point in time.
pub(crate) const FOREVER: Duration = Duration::from_secs(30 * 365 * 86_400);
