//! Being asked to end, by Ctrl-C or SIGTERM: heard from the start, told to whoever waits for it.

use std::io;
use std::time::Instant;

use tokio::sync::watch;

/// Whether and how someone asked this program to end. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Interruption(watch::Receiver<Asked>);

#[derive(Debug, Clone, Copy, Default)]
struct Asked {
    times: u32,
    /// The number of the last signal.
    signal: i32,
    /// When it was asked first.
    at: Option<Instant>,
}

impl Interruption {
    /// Listens from now on; until then, the program just ends. It also just ends when it is asked more often than
    /// `patience`, whatever it is doing. To be called within the runtime.
    pub(crate) fn listen(patience: u32) -> io::Result<Self> {
        let (asked, heard) = watch::channel(Asked::default());
        let mut signals = Signals::listen()?;
        tokio::spawn(async move {
            for times in 1.. {
                let signal = signals.next().await;
                if times > patience {
                    end_by(signal);
                }
                asked.send_modify(|asked| {
                    *asked = Asked { times, signal, at: asked.at.or_else(|| Some(Instant::now())) };
                });
            }
        });
        Ok(Self(heard))
    }

    /// Done once this program is asked to end.
    pub(crate) async fn asked(&self) {
        self.asked_times(1).await;
    }

    /// Done once this program is asked to end a second time.
    pub(crate) async fn insisted(&self) {
        self.asked_times(2).await;
    }

    /// When this program was first asked to end.
    pub(crate) fn asked_at(&self) -> Option<Instant> {
        self.0.borrow().at
    }

    async fn asked_times(&self, times: u32) {
        let mut heard = self.0.clone();
        if heard.wait_for(|asked| asked.times >= times).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Ends the program as the signal that it was sent would have, so that a shell which runs it sees that it was
    /// interrupted. Returns where there was none, or where signals mean nothing.
    pub(crate) fn end(&self) {
        let signal = self.0.borrow().signal;
        if signal != 0 {
            end_by(signal);
        }
    }
}

#[cfg(unix)]
fn end_by(signal: i32) {
    // What cannot be done leaves the exit status to say it.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}

#[cfg(not(unix))]
fn end_by(_: i32) {
    std::process::exit(i32::from(crate::failure::exit::INTERRUPTED));
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let (interrupt, terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        Ok(Self { interrupt, terminate })
    }

    async fn next(&mut self) -> i32 {
        use tokio::signal::unix::SignalKind;
        tokio::select! {
            _ = self.interrupt.recv() => SignalKind::interrupt().as_raw_value(),
            _ = self.terminate.recv() => SignalKind::terminate().as_raw_value(),
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> i32 {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        2
    }
}
