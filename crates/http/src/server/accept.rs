//! The listener: accepts connections up to a bound, serves each in a task of its own, and drains them at the end.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::body::Body as _;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{debug, warn};

use super::activity::{Activity, Overdue, Watched};
use super::config::ServerLimits;
use super::routes::Site;
use crate::tls::ServerTls;

/// For a connection that was told to end and has nothing under way.
const LINGER: Duration = Duration::from_secs(1);

/// For requests that are given up at the end to be told so, out of the time for draining.
const FAREWELL: Duration = Duration::from_secs(2);

/// For the machine to recover, when it has nothing left to accept connections with.
const RECOVERY: Duration = Duration::from_millis(100);

/// Serves until `shutdown`, then lets requests under way end, within the time that the limits give them; towards its end
/// what is left is given up, and at its end cut off.
pub(super) async fn serve(
    listener: TcpListener,
    site: Arc<Site>,
    limits: ServerLimits,
    tls: Option<ServerTls>,
    shutdown: impl Future<Output = ()>,
) {
    let tracker = TaskTracker::new();
    let (drain, abort) = (CancellationToken::new(), CancellationToken::new());
    let _abort_if_dropped = abort.clone().drop_guard();
    let server = Arc::new(Connections { builder: builder(&limits), limits, tls, site, drain, abort });

    tokio::select! {
        () = accept(listener, &server, &tracker) => {}
        () = shutdown => {}
    }

    server.drain.cancel();
    tracker.close();
    let under_way = tracker.len();
    debug!(under_way, "draining connections");
    let drain = server.limits.drain_timeout;
    let farewell = FAREWELL.min(drain / 4);
    if tokio::time::timeout(drain - farewell, tracker.wait()).await.is_ok() {
        return;
    }
    server.site.give_up();
    if tokio::time::timeout(farewell, tracker.wait()).await.is_err() {
        warn!(left = tracker.len(), "requests are cut off: they did not end in time after shutdown");
        server.abort.cancel();
        tracker.wait().await;
    }
}

struct Connections {
    builder: auto::Builder<TokioExecutor>,
    limits: ServerLimits,
    tls: Option<ServerTls>,
    site: Arc<Site>,
    /// No further requests.
    drain: CancellationToken,
    /// Nothing further at all.
    abort: CancellationToken,
}

async fn accept(listener: TcpListener, server: &Arc<Connections>, tracker: &TaskTracker) {
    let places = Arc::new(Semaphore::new(server.limits.connections.min(Semaphore::MAX_PERMITS)));
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, peer)) => {
                let server = server.clone();
                tracker.spawn(async move {
                    server.connection(stream, peer).await;
                    drop(place);
                });
            }
            Err(error) if is_of_one_connection(&error) => {
                debug!(%error, "a connection broke before it began")
            }
            Err(error) => {
                warn!(%error, "connections cannot be accepted; trying again");
                tokio::time::sleep(RECOVERY).await;
            }
        }
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

/// hyper's timers for heads stay off: [`Activity`] watches them.
fn builder(limits: &ServerLimits) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .max_headers(limits.headers)
        // hyper takes no less.
        .max_buf_size(usize::try_from(limits.header_bytes).unwrap_or(usize::MAX).max(8192));
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits.streams)
        .max_header_list_size(limits.header_bytes)
        // It also notices a peer that stops within a head: nothing can answer a ping there.
        .keep_alive_interval(limits.header_timeout.min(limits.idle_timeout / 3))
        .keep_alive_timeout(limits.header_timeout);
    builder
}

impl Connections {
    async fn connection(&self, stream: TcpStream, peer: SocketAddr) {
        let _ = stream.set_nodelay(true);
        let Some(tls) = &self.tls else { return self.requests(stream, peer).await };
        // In the task of this connection, so that nobody waits for it but its peer.
        let handshake = async { TlsAcceptor::from(tls.current().await).accept(stream).await };
        let handshake = tokio::time::timeout(self.limits.handshake_timeout, handshake);
        let agreed = tokio::select! {
            agreed = handshake => agreed,
            () = self.drain.cancelled() => return,
        };
        match agreed {
            Ok(Ok(stream)) => self.requests(stream, peer).await,
            Ok(Err(error)) => debug!(%peer, %error, "no TLS was agreed on"),
            Err(_) => debug!(%peer, "connection closed: it took too long to agree on TLS"),
        }
    }

    async fn requests<S>(&self, stream: S, peer: SocketAddr)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let activity = Activity::new(self.site.lets_everyone_in());
        let io = Watched::new(TokioIo::new(stream), activity.clone(), self.limits.write_timeout);
        let service = service_fn(|request: http::Request<hyper::body::Incoming>| {
            let under_way = activity.begin(request.version(), request.body().is_end_stream());
            let site = self.site.clone();
            async move { Ok::<_, Infallible>(site.answer(request, under_way).await) }
        });
        let mut connection = pin!(self.builder.serve_connection(io, service));
        let mut watch = pin!(tokio::time::sleep(Duration::ZERO));
        let (mut draining, mut lingering) = (false, false);
        loop {
            tokio::select! {
                ended = connection.as_mut() => {
                    if let Err(error) = ended {
                        debug!(%peer, error = &*error, "connection broke");
                    }
                    return;
                }
                () = watch.as_mut() => match activity.check(Instant::now(), &self.limits) {
                    Ok(next) if !lingering => watch.as_mut().reset(next.into()),
                    // A request crossed with the farewell.
                    Ok(_) => watch.as_mut().reset((Instant::now() + LINGER).into()),
                    Err(Overdue::Idle) if !lingering => {
                        connection.as_mut().graceful_shutdown();
                        lingering = true;
                        watch.as_mut().reset((Instant::now() + LINGER).into());
                    }
                    Err(overdue) => {
                        debug!(%peer, ?overdue, "connection closed: it took too long");
                        return;
                    }
                },
                () = self.drain.cancelled(), if !draining => {
                    draining = true;
                    connection.as_mut().graceful_shutdown();
                }
                () = self.abort.cancelled() => return,
            }
        }
    }
}
