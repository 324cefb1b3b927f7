//! Single flight: those who ask for one thing at one time share one exchange.
//!
//! An exchange is a shared future that whoever waits for it drives. So one who gives up takes nobody along, and an
//! exchange that nobody waits for any more is dropped, which cancels its request.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use futures_util::future::{Shared, WeakShared};
use worldspace_model::BoxFuture;

use crate::error::ClientError;

/// An exchange that several may wait for.
pub(crate) type Flight<T> = Shared<BoxFuture<'static, Result<T, ClientError>>>;

/// The exchanges under way.
pub(crate) struct Flights<K: Eq + Hash, T: Clone>(Arc<Mutex<Table<K, T>>>);

struct Table<K, T: Clone> {
    /// Numbers the exchanges, so that one that ends takes only itself off the list.
    count: u64,
    under_way: HashMap<K, (u64, Weak<T>)>,
}

type Weak<T> = WeakShared<BoxFuture<'static, Result<T, ClientError>>>;

impl<K: Eq + Hash + Clone + Send + 'static, T: Clone + Send + Sync + 'static> Flights<K, T> {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Table { count: 0, under_way: HashMap::new() })))
    }

    /// The exchange for that key that is under way, or a new one.
    pub(crate) fn join(
        &self,
        key: K,
        start: impl FnOnce() -> BoxFuture<'static, Result<T, ClientError>>,
    ) -> Flight<T> {
        let mut table = lock(&self.0);
        if let Some(flight) = table.find(&key) {
            return flight;
        }
        self.enter(&mut table, key, start())
    }

    /// For each key the exchange that is under way, or its part of a new one that `start` begins for all that are
    /// left, each once and in their order.
    pub(crate) fn join_all<F>(&self, keys: &[K], start: impl FnOnce(Vec<K>) -> Vec<F>) -> Vec<Flight<T>>
    where
        F: Future<Output = Result<T, ClientError>> + Send + 'static,
    {
        let mut table = lock(&self.0);
        let mut flights: Vec<Option<Flight<T>>> = keys.iter().map(|key| table.find(key)).collect();
        let mut new: HashMap<&K, usize> = HashMap::new();
        let mut wanted = Vec::new();
        for (key, _) in keys.iter().zip(&flights).filter(|(_, flight)| flight.is_none()) {
            if let Entry::Vacant(vacant) = new.entry(key) {
                vacant.insert(wanted.len());
                wanted.push(key.clone());
            }
        }
        if !wanted.is_empty() {
            let parts = start(wanted.clone()).into_iter().zip(wanted);
            let started: Vec<Flight<T>> =
                parts.map(|(part, key)| self.enter(&mut table, key, part.boxed())).collect();
            for (key, flight) in keys.iter().zip(&mut flights) {
                if flight.is_none() {
                    *flight = started.get(new[key]).cloned();
                }
            }
        }
        flights.into_iter().flatten().collect()
    }

    fn enter(
        &self,
        table: &mut Table<K, T>,
        key: K,
        exchange: BoxFuture<'static, Result<T, ClientError>>,
    ) -> Flight<T> {
        table.count += 1;
        let landing = Landing { table: self.0.clone(), key: key.clone(), number: table.count };
        let flight = async move {
            // Dropped with the future, whether it ended or was given up by all.
            let _landing = landing;
            exchange.await
        }
        .boxed()
        .shared();
        if let Some(weak) = flight.downgrade() {
            table.under_way.insert(key, (table.count, weak));
        }
        flight
    }
}

impl<K: Eq + Hash, T: Clone> Table<K, T> {
    fn find(&self, key: &K) -> Option<Flight<T>> {
        self.under_way.get(key)?.1.upgrade()
    }
}

/// Takes an exchange off the list when it is over.
struct Landing<K: Eq + Hash, T: Clone> {
    table: Arc<Mutex<Table<K, T>>>,
    key: K,
    number: u64,
}

impl<K: Eq + Hash, T: Clone> Drop for Landing<K, T> {
    fn drop(&mut self) {
        let mut table = lock(&self.table);
        if table.under_way.get(&self.key).is_some_and(|(number, _)| *number == self.number) {
            table.under_way.remove(&self.key);
        }
    }
}

fn lock<K: Eq + Hash, T: Clone>(table: &Mutex<Table<K, T>>) -> MutexGuard<'_, Table<K, T>> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}
