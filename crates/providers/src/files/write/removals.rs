//! What has left its place is removed behind the answer, one after another, however much it is and whoever waits.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use super::lock;
use super::staging::Slot;

/// How long the end of a program waits for it. What is left then is cleared by the next start.
const PATIENCE: Duration = Duration::from_secs(10);

/// A thread of its own, once there is something to remove.
#[derive(Default)]
pub(super) struct Removals(Mutex<Option<Worker>>);

struct Worker {
    slots: Sender<Slot>,
    /// Says nothing; it is closed when the thread ends.
    ended: Receiver<()>,
}

impl Removals {
    pub(super) fn remove(&self, slot: Slot) {
        let mut worker = lock(&self.0);
        if worker.is_none() {
            *worker = Worker::start();
        }
        let left = match &*worker {
            Some(worker) => worker.slots.send(slot).err().map(|unsent| unsent.0),
            None => Some(slot),
        };
        // Where there is no thread to be had, whoever comes here does it himself.
        if let Some(slot) = left {
            clear(&slot);
        }
    }
}

impl Worker {
    fn start() -> Option<Self> {
        let (slots, received) = channel::<Slot>();
        let (ending, ended) = channel::<()>();
        let work = move || {
            let _ending = ending;
            received.iter().for_each(|slot| clear(&slot));
        };
        std::thread::Builder::new().name("removals".to_owned()).spawn(work).ok()?;
        Some(Self { slots, ended })
    }
}

impl Drop for Removals {
    fn drop(&mut self) {
        let Some(Worker { slots, ended }) = lock(&self.0).take() else { return };
        drop(slots);
        if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            tracing::warn!(
                "not all that was deleted is removed from the disk yet; the next start goes on with it"
            );
        }
    }
}

fn clear(slot: &Slot) {
    if let Err(error) = slot.clear() {
        // It has left its place for good; what is left of it is tried again with the next start.
        tracing::warn!(%error, "a part of what was deleted is still on the disk, where nobody sees it");
    }
}
