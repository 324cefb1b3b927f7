//! Threads with room on the stack for a library that calls itself as deep as what it is given is nested.
//!
//! A stack that ends takes the whole process along. So what is asked of the database runs on threads of its own, which are
//! kept: to make one for each piece of work would cost ten times as much as most of them.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

use tokio::sync::{Semaphore, oneshot};
use worldspace_host::{Context, ProviderError};

use crate::pool::Patience;

/// SQLite puts views into each other until an expression is as deep as all of them together: some hundred bytes for each level,
/// and ten thousand levels in what a caller may write. Memory that is not touched costs nothing.
const SIZE: usize = 128 << 20;

/// Runs blocking work on such threads, so much of it at a time.
pub(super) struct DeepPool {
    most: usize,
    places: Arc<Semaphore>,
    threads: Mutex<Threads>,
}

struct Threads {
    made: usize,
    jobs: Sender<Job>,
    waiting: Arc<Mutex<Receiver<Job>>>,
}

type Job = Box<dyn FnOnce() + Send>;

impl DeepPool {
    /// For so many pieces of work at one time.
    pub(super) fn new(most: usize) -> Self {
        let (jobs, waiting) = channel();
        let threads = Threads { made: 0, jobs, waiting: Arc::new(Mutex::new(waiting)) };
        Self { most, places: Arc::new(Semaphore::new(most)), threads: Mutex::new(threads) }
    }

    /// Runs a piece of work. A place is taken until the work has ended, whoever waits for it.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        context: &Context,
        work: impl FnOnce(&Patience) -> T + Send + 'static,
    ) -> Result<T, ProviderError> {
        let place = self.places.clone().acquire_owned().await.map_err(ProviderError::failed)?;
        let patience = Patience::of(context);
        let (told, answer) = oneshot::channel();
        self.hand_over(Box::new(move || {
            let done = catch_unwind(AssertUnwindSafe(|| work(&patience)));
            drop(place);
            // Nobody may wait any more.
            let _ = told.send(done);
        }))?;
        match answer.await {
            Ok(Ok(done)) => Ok(done),
            // What a panic means depends on where the call stands, which the Host knows.
            Ok(Err(panic)) => resume_unwind(panic),
            Err(error) => Err(ProviderError::failed(error)),
        }
    }

    /// Gives work to a thread; there is one for each place that is taken.
    fn hand_over(&self, job: Job) -> Result<(), ProviderError> {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        if threads.made < self.most - self.places.available_permits() {
            let waiting = threads.waiting.clone();
            builder().spawn(move || work_off(&waiting)).map_err(ProviderError::failed)?;
            threads.made += 1;
        }
        threads.jobs.send(job).map_err(|_| ProviderError::failed("the threads have ended"))
    }
}

/// Runs jobs until there can be no more.
fn work_off(waiting: &Mutex<Receiver<Job>>) {
    loop {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match job {
            Ok(job) => job(),
            Err(_) => return,
        }
    }
}

fn builder() -> Builder {
    Builder::new().name("sql".to_owned()).stack_size(SIZE)
}

/// Runs one piece of work on such a thread, and waits for it.
///
/// # Errors
/// There is no thread to be had.
pub(super) fn deep<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, io::Error> {
    std::thread::scope(|scope| match builder().spawn_scoped(scope, work)?.join() {
        Ok(done) => Ok(done),
        Err(panic) => resume_unwind(panic),
    })
}
