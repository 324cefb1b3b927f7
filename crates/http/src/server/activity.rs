//! What goes on in one connection, watched from outside of hyper.
//!
//! hyper's own timers leave gaps: none runs while the version of HTTP is told apart, the one for heads closes idle
//! connections as well, and none sees a receiver that takes nothing. So one watch covers all of it: it notes when octets
//! come in and go out, and which requests are under way.

use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use hyper::rt::{Read, ReadBufCursor, Write};
use tokio::time::Sleep;

use super::config::ServerLimits;

/// What one connection is doing.
pub(super) struct Activity(Mutex<State>);

struct State {
    opened: Instant,
    /// Whether somebody was let in, so that the connection may be kept for later requests.
    let_in: bool,
    /// Whether any request has arrived.
    begun: bool,
    /// Whether octets that come in between requests begin a head. In HTTP/2 they may be anything.
    heads_show: bool,
    /// Whether the last request has arrived whole, so that what comes in now belongs to the next one.
    arrived: bool,
    /// When the octets came that begin the next head; it may not be read before the last request is done.
    head_since: Option<Instant>,
    /// When the last request was done.
    idle_since: Instant,
    /// When each request under way arrived; nothing for one that may take as long as it likes.
    under_way: BTreeMap<u64, Option<Instant>>,
    next: u64,
}

/// What a connection has taken too long for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overdue {
    /// Its first request, or a head that has begun.
    Head,
    /// The next request.
    Idle,
    /// The end of a request.
    Request,
}

impl Activity {
    /// Of a connection that everyone may keep, or not before somebody is let in.
    pub(super) fn new(let_in: bool) -> Arc<Self> {
        let now = Instant::now();
        Arc::new(Self(Mutex::new(State {
            opened: now,
            let_in,
            begun: false,
            heads_show: false,
            arrived: false,
            head_since: None,
            idle_since: now,
            under_way: BTreeMap::new(),
            next: 0,
        })))
    }

    /// Notes a request, which is under way until the token is dropped, and whether all of it has arrived.
    pub(super) fn begin(self: &Arc<Self>, version: http::Version, arrived: bool) -> UnderWay {
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        state.begun = true;
        state.heads_show = version <= http::Version::HTTP_11;
        state.arrived = arrived;
        state.head_since = None;
        state.under_way.insert(number, Some(Instant::now()));
        UnderWay { activity: self.clone(), number }
    }

    /// What the connection is overdue with, or when to look again: early enough for whatever begins in the meantime.
    pub(super) fn check(&self, now: Instant, limits: &ServerLimits) -> Result<Instant, Overdue> {
        let look_again = now + limits.header_timeout.min(limits.idle_timeout).min(limits.total_timeout);
        let state = self.state();
        let (since, allowed, reason) = if let Some(oldest) = state.under_way.values().flatten().min() {
            (*oldest, limits.total_timeout, Overdue::Request)
        } else if !state.under_way.is_empty() {
            return Ok(look_again);
        } else if !state.begun {
            (state.opened, limits.header_timeout, Overdue::Head)
        } else if let Some(since) = state.head_since {
            (since.max(state.idle_since), limits.header_timeout, Overdue::Head)
        } else if !state.let_in {
            (state.idle_since, limits.header_timeout.min(limits.idle_timeout), Overdue::Idle)
        } else {
            (state.idle_since, limits.idle_timeout, Overdue::Idle)
        };
        let due = since + allowed;
        if due <= now { Err(reason) } else { Ok(due.min(look_again)) }
    }

    fn note_read(&self) {
        let mut state = self.state();
        if state.heads_show && state.arrived && state.head_since.is_none() {
            state.head_since = Some(Instant::now());
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request under way.
pub(super) struct UnderWay {
    activity: Arc<Activity>,
    number: u64,
}

impl UnderWay {
    /// Notes that nothing of the request is yet to come.
    pub(super) fn arrived(&self) {
        self.activity.state().arrived = true;
    }

    /// Notes that whoever sent the request was let in.
    pub(super) fn let_in(&self) {
        self.activity.state().let_in = true;
    }

    /// Lets the request take as long as it likes.
    pub(super) fn lift_timeout(&self) {
        self.activity.state().under_way.insert(self.number, None);
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut state = self.activity.state();
        state.under_way.remove(&self.number);
        state.arrived = true;
        state.idle_since = Instant::now();
    }
}

/// A connection's octets, noted as they come in; fails once a write makes no progress for too long.
pub(super) struct Watched<T> {
    inner: T,
    activity: Arc<Activity>,
    write_timeout: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<T> Watched<T> {
    pub(super) fn new(inner: T, activity: Arc<Activity>, write_timeout: Duration) -> Self {
        Self { inner, activity, write_timeout, stalled: None }
    }

    fn watch<R>(&mut self, cx: &mut Context<'_>, polled: Poll<io::Result<R>>) -> Poll<io::Result<R>> {
        if polled.is_ready() {
            self.stalled = None;
            return polled;
        }
        let timeout = self.write_timeout;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(timeout)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the receiver takes nothing")))
    }
}

impl<T: Read + Unpin> Read for Watched<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.inner).poll_read(cx, buf);
        if matches!(polled, Poll::Ready(Ok(()))) {
            self.activity.note_read();
        }
        polled
    }
}

impl<T: Write + Unpin> Write for Watched<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.inner).poll_write(cx, buf);
        self.watch(cx, polled)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.inner).poll_flush(cx);
        self.watch(cx, polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.inner).poll_shutdown(cx);
        self.watch(cx, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.inner).poll_write_vectored(cx, bufs);
        self.watch(cx, polled)
    }
}
