//! Being asked to end, by Ctrl-C or SIGTERM: heard from the start, told to whoever waits for it.

use std::io;

use tokio::sync::watch;

/// Whether someone asked this program to end. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Interruption(watch::Receiver<bool>);

impl Interruption {
    /// Listens from now on; until then, the program just ends. To be called within the runtime.
    pub(crate) fn listen() -> io::Result<Self> {
        let (asked, heard) = watch::channel(false);
        let signal = signals()?;
        tokio::spawn(async move {
            signal.await;
            asked.send_replace(true);
            // Who comes later must not find the channel closed.
            asked.closed().await;
        });
        Ok(Self(heard))
    }

    /// Done once this program is asked to end.
    pub(crate) async fn asked(&self) {
        let mut heard = self.0.clone();
        if heard.wait_for(|asked| *asked).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(unix)]
fn signals() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn signals() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
