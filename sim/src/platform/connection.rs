//! The open connections of a listener: which of them serve a request, and which one is closed if there are too many. A connection whose
//! peer reads too slowly ends itself.
use std::collections::BTreeMap;
use std::io::{self, IoSlice};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::{Instant, Sleep, sleep};

/// Maximum number of connections of one peer that is not on this machine.
const MOST_OF_PEER: usize = 256;
/// Bytes that a peer must accept within the time limit of a write.
const LEAST_WRITTEN: usize = 16 * 1024;

/// The open connections of one listener.
#[derive(Debug, Default)]
pub(super) struct Connections {
    open: Mutex<Open>,
    /// Notified when a connection has become idle.
    pub(super) idle: Notify,
}

#[derive(Debug, Default)]
struct Open {
    last: u64,
    connections: BTreeMap<u64, Entry>,
}

#[derive(Debug)]
struct Entry {
    peer: IpAddr,
    /// Since when it is idle; `None` while it serves a request.
    idle_since: Option<Instant>,
    /// Whether its peer has not accepted everything that was sent.
    is_behind: Arc<AtomicBool>,
    close: Arc<Notify>,
}

/// One of the open connections; dropping it removes it.
#[derive(Debug)]
pub(super) struct Connection {
    connections: Arc<Connections>,
    number: u64,
    pub(super) is_behind: Arc<AtomicBool>,
    pub(super) close: Arc<Notify>,
}

/// A request in progress.
#[derive(Debug)]
pub(super) struct InProgress(Arc<Connection>);

impl Connections {
    /// Adds a connection; `None` if its peer has too many, none of them idle.
    pub(super) fn add(self: &Arc<Self>, peer: IpAddr) -> Option<Connection> {
        let mut open = self.open.lock();
        let of_peer = open.connections.values().filter(|entry| entry.peer == peer).count();
        if !peer.is_loopback() && of_peer >= MOST_OF_PEER && !open.close_idle(|entry| entry.peer == peer) {
            return None;
        }
        open.last += 1;
        let number = open.last;
        let (is_behind, close) = <(Arc<AtomicBool>, Arc<Notify>)>::default();
        open.connections.insert(
            number,
            Entry {
                peer,
                idle_since: Some(Instant::now()),
                is_behind: Arc::clone(&is_behind),
                close: Arc::clone(&close),
            },
        );
        Some(Connection { connections: Arc::clone(self), number, is_behind, close })
    }

    /// Closes the connection that has been idle longest, if one is idle.
    pub(super) fn close_idlest(&self) {
        self.open.lock().close_idle(|_| true);
    }

    #[cfg(test)]
    fn count(&self) -> usize {
        self.open.lock().connections.len()
    }
}

impl Open {
    /// Asks the one that has been idle longest among the matching ones to close.
    fn close_idle(&self, of: impl Fn(&Entry) -> bool) -> bool {
        let idle = self.connections.values().filter(|entry| entry.is_idle() && of(entry));
        let longest = idle.min_by_key(|entry| entry.idle_since);
        longest.inspect(|entry| entry.close.notify_one()).is_some()
    }
}

impl Entry {
    fn is_idle(&self) -> bool {
        self.idle_since.is_some() && !self.is_behind.load(Ordering::Relaxed)
    }
}

impl Connection {
    /// Whether none of its requests is in progress.
    pub(super) fn is_idle(&self) -> bool {
        self.connections.open.lock().connections.get(&self.number).is_some_and(Entry::is_idle)
    }

    /// Begins a request; it is in progress until its answer is sent.
    pub(super) fn begin(self: &Arc<Self>) -> InProgress {
        self.set(None);
        InProgress(Arc::clone(self))
    }

    fn set(&self, idle_since: Option<Instant>) {
        if let Some(entry) = self.connections.open.lock().connections.get_mut(&self.number) {
            entry.idle_since = idle_since;
        }
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        self.0.set(Some(Instant::now()));
        self.0.connections.idle.notify_one();
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.connections.open.lock().connections.remove(&self.number);
    }
}

/// A stream whose peer must accept data at a minimum rate.
#[derive(Debug)]
pub(super) struct PacedStream {
    stream: TcpStream,
    limit: Duration,
    is_behind: Arc<AtomicBool>,
    /// While the peer is behind: its deadline, and the bytes accepted so far.
    window: Option<(Pin<Box<Sleep>>, usize)>,
}

impl PacedStream {
    pub(super) fn new(stream: TcpStream, limit: Duration, is_behind: Arc<AtomicBool>) -> Self {
        Self { stream, limit, is_behind, window: None }
    }

    /// Checks the pace after a write.
    fn paced(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = written {
            if let (Ok(count), Some((_, taken))) = (&written, &mut self.window) {
                *taken += count;
            }
            return Poll::Ready(written);
        }
        self.is_behind.store(true, Ordering::Relaxed);
        let limit = self.limit;
        let (end, taken) = self.window.get_or_insert_with(|| (Box::pin(sleep(limit)), 0));
        while end.as_mut().poll(context).is_ready() {
            if *taken < LEAST_WRITTEN {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            *taken = 0;
            end.as_mut().reset(Instant::now() + limit);
        }
        Poll::Pending
    }
}

impl AsyncRead for PacedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for PacedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.paced(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.paced(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Called when everything is written: the peer is no longer behind.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = ready!(Pin::new(&mut self.stream).poll_flush(context));
        self.window = None;
        self.is_behind.store(false, Ordering::Relaxed);
        Poll::Ready(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use futures::FutureExt as _;

    use super::*;

    const STRANGER: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    const OTHER: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));

    fn is_closed(connection: &Connection) -> bool {
        connection.close.notified().now_or_never().is_some()
    }

    #[test]
    fn connection_that_is_idle_longest_is_closed_and_no_other() {
        let connections = Arc::<Connections>::default();
        let open: Vec<_> = (0..3).map(|_| Arc::new(connections.add(STRANGER).unwrap())).collect();
        let serving = open[0].begin();
        open[1].is_behind.store(true, Ordering::Relaxed);
        connections.close_idlest();
        assert_eq!([0, 1, 2].map(|at| is_closed(&open[at])), [false, false, true]);
        drop(serving);
        open[1].is_behind.store(false, Ordering::Relaxed);
        // The first became idle after the others.
        connections.close_idlest();
        assert_eq!([0, 1, 2].map(|at| is_closed(&open[at])), [false, true, false]);
        drop(open);
        assert_eq!(connections.count(), 0);
    }

    #[test]
    fn connections_of_a_peer_are_bounded_off_this_machine() {
        let connections = Arc::<Connections>::default();
        let mut open: Vec<_> =
            (0..MOST_OF_PEER).map(|_| Arc::new(connections.add(STRANGER).unwrap())).collect();
        let serving: Vec<_> = open.iter().skip(1).map(Connection::begin).collect();
        open.push(Arc::new(connections.add(STRANGER).unwrap()));
        assert!(is_closed(&open[0]), "the idle one makes way");
        open.remove(0);
        let _last = open.last().unwrap().begin();
        assert!(connections.add(STRANGER).is_none());
        assert!(connections.add(OTHER).is_some());
        let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let local: Vec<_> = (0..=MOST_OF_PEER).map(|_| connections.add(here).unwrap()).collect();
        assert!(!local.iter().any(is_closed));
        drop(serving);
    }
}
