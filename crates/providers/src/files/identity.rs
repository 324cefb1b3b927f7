//! Identities: a false "new" is allowed, a false "same" is not.
//!
//! A file is known by where its content is kept and when it was born there. One that this provider puts in the place of
//! another carries on the identity of that one, for as long as the Host runs: what was replaced is gone for certain,
//! and nothing else ever has its identity.

use std::io;
use std::num::NonZeroUsize;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lru::LruCache;
use worldspace_host::Identity;

use super::grain::Grain;
use super::newborn::Newborn;
use super::stat::{Kind, Place, Stat, Time};
use crate::pool::Patience;

/// Files whose carried identity is remembered; of those beyond, the longest unseen becomes new.
const CARRIED: usize = 65_536;

/// Makes identities for one root.
pub(super) struct Identities {
    grain: Grain,
    /// The mount of the root. Below another one, a second path may lead to the same thing.
    mount: Option<u64>,
    newborn: Newborn,
    carried: Mutex<LruCache<(Place, Time), Identity>>,
}

impl Identities {
    pub(super) fn new(grain: Grain, mount: Option<u64>) -> Self {
        let kept = NonZeroUsize::MIN.saturating_add(CARRIED - 1);
        Self { grain, mount, newborn: Newborn::new(), carried: Mutex::new(LruCache::new(kept)) }
    }

    /// The identity, if it is reliable: born at a known time, and reached by one path alone.
    pub(super) fn of(
        &self,
        stat: &Stat,
        patience: &Patience,
        hold: impl Fn() -> io::Result<OwnedFd>,
    ) -> Option<Identity> {
        self.hold(stat, patience, hold).and_then(|born| self.known(stat, born))
    }

    /// Lets what takes the place of another have its identity, which must be [given back](Self::give_back) or lost by
    /// the other. Where either has none, nothing is carried.
    pub(super) fn carry(
        &self,
        identity: Option<&Identity>,
        to: &Stat,
        patience: &Patience,
        hold: impl Fn() -> io::Result<OwnedFd>,
    ) -> bool {
        let Some(identity) = identity else { return false };
        let Some(born) = self.hold(to, patience, hold) else { return false };
        self.lock().put((to.place, born), identity.clone());
        true
    }

    /// Lets go of what was carried.
    pub(super) fn give_back(&self, to: &Stat) {
        if let Some(born) = to.born {
            self.lock().pop(&(to.place, born));
        }
    }

    /// The time of birth, if it tells this thing from all others.
    fn hold(&self, stat: &Stat, patience: &Patience, hold: impl Fn() -> io::Result<OwnedFd>) -> Option<Time> {
        let born = stat.born?;
        let one_path = stat.mount == self.mount && (stat.kind == Kind::Directory || stat.links == 1);
        let kept = || {
            !self.grain.is_young(born)
                || self.newborn.keep(stat, born, self.grain, || patience.check_caller().is_err(), hold)
        };
        (one_path && kept()).then_some(born)
    }

    fn known(&self, stat: &Stat, born: Time) -> Option<Identity> {
        if let Some(carried) = self.lock().get(&(stat.place, born)) {
            return Some(carried.clone());
        }
        let mut bytes = Vec::with_capacity(32);
        bytes.extend_from_slice(&stat.place.device.to_le_bytes());
        bytes.extend_from_slice(&stat.place.inode.to_le_bytes());
        born.write(&mut bytes);
        // Callers learn no inode numbers.
        let text: String = blake3::hash(&bytes).to_hex().chars().take(32).collect();
        Some(Identity::new(text))
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<(Place, Time), Identity>> {
        self.carried.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
