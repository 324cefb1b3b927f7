//! Blocking work on threads of its own, so much of it at a time, and as long as anyone waits for it.

#[cfg(feature = "files")]
use std::io::{self, Read};
#[cfg(feature = "files")]
use std::sync::Arc;
use std::time::{Duration, Instant};

#[cfg(feature = "files")]
use tokio::sync::Semaphore;
use worldspace_host::Context;
#[cfg(feature = "files")]
use worldspace_host::ProviderError;

/// Runs blocking work.
#[cfg(feature = "files")]
pub(crate) struct Pool(Arc<Semaphore>);

#[cfg(feature = "files")]
impl Pool {
    /// For so many pieces of work at one time.
    pub(crate) fn new(places: usize) -> Self {
        Self(Arc::new(Semaphore::new(places)))
    }

    /// Runs a piece of work. A place is taken until the work has ended, whoever waits for it.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        context: &Context,
        work: impl FnOnce(&Patience) -> T + Send + 'static,
    ) -> Result<T, ProviderError> {
        let place = self.0.clone().acquire_owned().await.map_err(ProviderError::failed)?;
        let patience = Patience::of(context);
        let running = tokio::task::spawn_blocking(move || {
            let _place = place;
            work(&patience)
        });
        match running.await {
            Ok(done) => Ok(done),
            Err(error) => match error.try_into_panic() {
                // What a panic means depends on where the call stands, which the Host knows.
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(error) => Err(ProviderError::failed(error)),
            },
        }
    }
}

/// How long work may go on.
#[derive(Clone)]
pub(crate) struct Patience {
    context: Context,
    /// When it should come to its end with what it has, so that this still arrives.
    end: End,
}

#[derive(Clone)]
enum End {
    Never,
    At(Instant),
    /// When it was looked at so many times.
    #[cfg(all(test, feature = "files"))]
    Behind(std::sync::Arc<std::sync::atomic::AtomicU64>),
}

impl Patience {
    pub(crate) fn of(context: &Context) -> Self {
        let now = Instant::now();
        let end = context.deadline().map_or(End::Never, |deadline| {
            let left = deadline.saturating_duration_since(now);
            End::At(deadline.checked_sub((left / 8).min(Duration::from_millis(500))).unwrap_or(now))
        });
        Self { context: context.clone(), end }
    }

    /// Until somebody looked at it so many times.
    #[cfg(all(test, feature = "files"))]
    pub(crate) fn of_looks(context: &Context, looks: u64) -> Self {
        Self { context: context.clone(), end: End::Behind(std::sync::Arc::new(looks.into())) }
    }

    /// Whether to stop now.
    pub(crate) fn is_over(&self) -> bool {
        self.context.is_cancelled() || self.end.is_over()
    }

    /// For work whose caller sees to the time itself.
    ///
    /// # Errors
    /// Nobody waits any more.
    #[cfg(feature = "files")]
    pub(crate) fn check_caller(&self) -> Result<(), ProviderError> {
        if self.context.is_cancelled() {
            let text = "the time ran out; allow more time, or ask for less";
            return Err(ProviderError::Limit(text.to_owned()));
        }
        Ok(())
    }

    /// A reader that ends with [`is_end`] when it is time to stop.
    #[cfg(feature = "files")]
    pub(crate) fn watch<R: Read>(&self, reader: R) -> Watched<'_, R> {
        Watched { patience: self, reader }
    }
}

impl End {
    fn is_over(&self) -> bool {
        match self {
            Self::Never => false,
            Self::At(end) => Instant::now() >= *end,
            #[cfg(all(test, feature = "files"))]
            Self::Behind(looks) => {
                use std::sync::atomic::Ordering::Relaxed;
                looks.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err()
            }
        }
    }
}

/// A reader that looks at the time.
#[cfg(feature = "files")]
pub(crate) struct Watched<'p, R> {
    patience: &'p Patience,
    reader: R,
}

#[cfg(feature = "files")]
impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.patience.is_over() {
            return Err(io::Error::from(io::ErrorKind::TimedOut));
        }
        self.reader.read(buffer)
    }
}

/// Whether a watched reader stopped because it was time to.
#[cfg(feature = "files")]
pub(crate) fn is_end(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::TimedOut
}
