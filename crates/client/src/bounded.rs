//! A map that holds so many things, and lets go of the one that was longest not used.

use std::borrow::Borrow;
use std::hash::Hash;

use lru::LruCache;

/// A bounded map in order of use. Every operation costs the same however much it holds.
pub(crate) struct Bounded<K: Hash + Eq, V> {
    /// Unbounded for `lru`, which would set aside room for all it may hold.
    cache: LruCache<K, V>,
    capacity: usize,
    #[cfg(test)]
    operations: std::cell::Cell<u64>,
}

impl<K: Hash + Eq, V> Bounded<K, V> {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            cache: LruCache::unbounded(),
            capacity: capacity.max(1),
            #[cfg(test)]
            operations: Default::default(),
        }
    }

    fn count(&self) {
        #[cfg(test)]
        self.operations.set(self.operations.get() + 1);
    }

    #[cfg(test)]
    pub(crate) fn operations(&self) -> u64 {
        self.operations.get()
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.cache.is_empty()
    }

    /// Uses the thing.
    pub(crate) fn get_mut<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.count();
        self.cache.get_mut(key)
    }

    /// Looks without using.
    pub(crate) fn peek<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.count();
        self.cache.peek(key)
    }

    /// Changes without using.
    pub(crate) fn peek_mut<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.count();
        self.cache.peek_mut(key)
    }

    /// Makes it the one used last, if it is there.
    pub(crate) fn touch<Q: Hash + Eq + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        self.count();
        self.cache.promote(key);
    }

    /// Puts it in, and gives what went for it.
    pub(crate) fn put(&mut self, key: K, value: V) -> Option<(K, V)> {
        self.count();
        self.cache.put(key, value);
        if self.cache.len() > self.capacity { self.cache.pop_lru() } else { None }
    }

    pub(crate) fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.count();
        self.cache.pop(key)
    }

    /// The keys, the one used last first.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.cache.iter().map(|(key, _)| key)
    }
}
