//! How much a server holds at once, over all of its connections: requests under way, and the octets of their bodies and
//! answers. What comes beyond it is refused at once; nothing here waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use worldspace_model::{ErrorCode, ProtocolError};

use super::config::ServerLimits;

/// What is held, and how much may be.
#[derive(Clone)]
pub(super) struct Load {
    requests: Arc<Budget>,
    octets: Arc<Budget>,
}

struct Budget {
    /// What people call it, and the limit that it comes from.
    of: (&'static str, &'static str),
    size: usize,
    used: AtomicUsize,
}

/// A part of a budget, given back when dropped.
pub(super) struct Share {
    budget: Arc<Budget>,
    amount: usize,
}

impl Load {
    pub(super) fn new(limits: &ServerLimits) -> Self {
        let budget = |of, size| Arc::new(Budget { of, size, used: AtomicUsize::new(0) });
        Self {
            requests: budget(("requests under way", "requests"), limits.requests),
            octets: budget(
                ("bytes of bodies and answers under way", "in_flight_bytes"),
                limits.in_flight_bytes,
            ),
        }
    }

    /// Room for one request, until its answer is taken.
    pub(super) fn request(&self) -> Result<Share, ProtocolError> {
        let mut share = Share::none(&self.requests);
        share.grow(1)?;
        Ok(share)
    }

    /// Room for a body that is yet to come.
    pub(super) fn body(&self) -> Share {
        Share::none(&self.octets)
    }

    /// Whether that many octets could be held now.
    pub(super) fn require_room(&self, octets: usize) -> Result<(), ProtocolError> {
        let used = self.octets.used.load(Ordering::Relaxed);
        self.octets.with(used, octets).map(drop).ok_or_else(|| self.octets.exhausted())
    }

    /// Holds an answer until its last octet is taken.
    pub(super) fn answer(&self, octets: Vec<u8>) -> Result<Bytes, ProtocolError> {
        let mut share = self.body();
        share.grow(octets.len())?;
        Ok(Bytes::from_owner(Held { octets, _share: share }))
    }

    /// As [`Self::answer`], even where there is no room: for an answer that has to be given.
    pub(super) fn answer_regardless(&self, octets: Vec<u8>) -> Bytes {
        let mut share = self.body();
        share.grow_regardless(octets.len());
        Bytes::from_owner(Held { octets, _share: share })
    }
}

impl Share {
    fn none(budget: &Arc<Budget>) -> Self {
        Self { budget: budget.clone(), amount: 0 }
    }

    /// Takes that much more, or says which limit is in the way.
    pub(super) fn grow(&mut self, by: usize) -> Result<(), ProtocolError> {
        let grown = |used| self.budget.with(used, by);
        match self.budget.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown) {
            Ok(_) => {
                self.amount += by;
                Ok(())
            }
            Err(_) => Err(self.budget.exhausted()),
        }
    }

    fn grow_regardless(&mut self, by: usize) {
        self.budget.used.fetch_add(by, Ordering::Relaxed);
        self.amount += by;
    }
}

impl Budget {
    /// What would be used with that much more, if there is room for it.
    fn with(&self, used: usize, more: usize) -> Option<usize> {
        used.checked_add(more).filter(|used| *used <= self.size)
    }

    fn exhausted(&self) -> ProtocolError {
        let (what, limit) = self.of;
        ProtocolError::new(
            ErrorCode::ResourceLimitExceeded,
            format!(
                "this server has as many {what} as it takes at once ({limit}: {}): ask again in a moment",
                self.size
            ),
        )
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.amount, Ordering::Relaxed);
    }
}

/// An answer with its share; what goes out are slices of it, so it ends with the last of them.
struct Held {
    octets: Vec<u8>,
    _share: Share,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.octets
    }
}
