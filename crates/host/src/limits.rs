//! The Host's own limits, in one place.

use std::time::Duration;

/// What a Host allows at most. Each limit says of itself when it was hit. 0 allows nothing, but for a tree, which has
/// its first node whatever the limit.
#[derive(Debug, Clone)]
pub struct HostLimits {
    /// Entries in one `fetch`. More are refused as a whole, so that an answer stays within a response.
    pub fetch_entries: usize,
    /// Nodes in one tree. More are cut and said to be (`host_limit`): about two megabytes of JSON.
    pub tree_nodes: u32,
    /// Levels in one tree. Deeper ones are cut and said to be.
    pub tree_depth: u32,
    /// Calls that run at one time, those that run on without their caller included.
    pub calls: usize,
    /// How long a request may take, whatever deadline its caller names.
    pub time: Duration,
}

impl HostLimits {
    /// What takes part in arithmetic is never nothing: a tree has its first node at least.
    pub(crate) fn sound(mut self) -> Self {
        self.tree_nodes = self.tree_nodes.max(1);
        self
    }
}

impl Default for HostLimits {
    fn default() -> Self {
        Self {
            fetch_entries: 256,
            tree_nodes: 10_000,
            tree_depth: 64,
            calls: 64,
            time: Duration::from_secs(60),
        }
    }
}
