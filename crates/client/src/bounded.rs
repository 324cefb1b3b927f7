//! A map that holds so many things of so much weight, and lets go of the one that was longest not used.

use std::borrow::Borrow;
use std::hash::Hash;

use lru::LruCache;

/// A bounded map in order of use. Every operation costs the same however much it holds.
pub(crate) struct Bounded<K: Hash + Eq, V> {
    /// Each with its weight. Unbounded for `lru`, which would set aside room for all it may hold.
    cache: LruCache<K, (usize, V)>,
    capacity: usize,
    bytes: usize,
    /// That of all it holds.
    weight: usize,
    #[cfg(test)]
    operations: std::cell::Cell<u64>,
}

impl<K: Hash + Eq, V> Bounded<K, V> {
    /// One of so many things, of so many bytes together.
    pub(crate) fn new(capacity: usize, bytes: usize) -> Self {
        Self {
            cache: LruCache::unbounded(),
            capacity: capacity.max(1),
            bytes,
            weight: 0,
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

    #[cfg(test)]
    pub(crate) fn fits(&self) -> bool {
        let weight: usize = self.cache.iter().map(|(_, (weight, _))| weight).sum();
        weight == self.weight && weight <= self.bytes && self.cache.len() <= self.capacity
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
        self.cache.get_mut(key).map(|(_, value)| value)
    }

    /// Looks without using.
    pub(crate) fn peek<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.count();
        self.cache.peek(key).map(|(_, value)| value)
    }

    /// Changes without using.
    pub(crate) fn peek_mut<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.count();
        self.cache.peek_mut(key).map(|(_, value)| value)
    }

    /// Makes it the one used last, if it is there.
    pub(crate) fn touch<Q: Hash + Eq + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        self.count();
        self.cache.promote(key);
    }

    /// Puts it in, in place of what is there, and tells whether it is kept: one thing that would push out much else is
    /// not. [`Self::pop_excess`] is to follow.
    pub(crate) fn put(&mut self, key: K, value: V, weight: usize) -> bool {
        self.remove(&key);
        if weight > self.bytes / 8 {
            return false;
        }
        self.weight += weight;
        self.cache.put(key, (weight, value));
        true
    }

    /// Lets go of what was longest not used, while it holds too much.
    pub(crate) fn pop_excess(&mut self) -> Option<(K, V)> {
        if self.cache.len() <= self.capacity && self.weight <= self.bytes {
            return None;
        }
        self.count();
        let (key, (weight, value)) = self.cache.pop_lru()?;
        self.weight -= weight;
        Some((key, value))
    }

    /// Lets go of all that is too much.
    pub(crate) fn trim(&mut self) {
        while self.pop_excess().is_some() {}
    }

    pub(crate) fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.count();
        let (weight, value) = self.cache.pop(key)?;
        self.weight -= weight;
        Some(value)
    }

    /// The keys, the one used last first.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.cache.iter().map(|(key, _)| key)
    }
}
