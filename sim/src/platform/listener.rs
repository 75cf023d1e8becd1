//! One listener and its connections: the number of open connections, and the timeouts of slow peers. It handles no paths.
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;

use crate::services::body::with_timeout;
use crate::services::http::Shutdown;

/// Most bytes of a request's head, and of the read-ahead of a body.
const HEAD_LIMIT: usize = 64 * 1024;
/// Most header lines of a request.
const HEADERS: usize = 100;
/// Pause after `accept` failed, usually for lack of memory or file descriptors.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(50);

/// Limits of each listener: slow or many peers cost a bounded amount of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListenerLimits {
    /// Open connections; further ones wait in the backlog until one closes.
    pub connections: usize,
    /// Time until the head of the next request is complete; an idle connection is closed after it.
    pub header_timeout: Duration,
    /// Time limit of a request's body, from the first read to its end; then the request is refused with 408.
    pub body_timeout: Duration,
    /// Time limit of a write without progress; then the connection is closed.
    pub write_timeout: Duration,
    /// Time limit of responses in progress at shutdown; then their connections are closed.
    pub drain_timeout: Duration,
}

impl Default for ListenerLimits {
    fn default() -> Self {
        Self {
            connections: 1024,
            header_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(20),
            write_timeout: Duration::from_secs(20),
            drain_timeout: Duration::from_secs(2),
        }
    }
}

/// Serves connections until `shutdown` is true; then closes the listener, drains responses in progress
/// for [`ListenerLimits::drain_timeout`], and aborts the rest.
pub(super) async fn serve(
    listener: TcpListener,
    service: Router,
    limits: ListenerLimits,
    shutdown: watch::Receiver<bool>,
) {
    let permits = Arc::new(Semaphore::new(limits.connections));
    let mut connections = JoinSet::new();
    let mut end = pin!(shut_down(shutdown));
    // Connections learn of the shutdown through this channel, so that a peer whose connection closes finds the listener closed.
    let (closing, closed) = watch::channel(false);
    loop {
        let (permit, stream, peer) = tokio::select! {
            () = &mut end => break,
            Some(_) = connections.join_next() => continue,
            accepted = accept(&listener, &permits) => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "a connection was not accepted");
                    sleep(ACCEPT_BACKOFF).await;
                    continue;
                }
            },
        };
        connections.spawn(serve_connection(stream, peer, service.clone(), limits, closed.clone(), permit));
    }
    drop(listener);
    closing.send_replace(true);
    let all = async { while connections.join_next().await.is_some() {} };
    if timeout(limits.drain_timeout, all).await.is_err() {
        tracing::warn!(cut = connections.len(), "aborted responses in progress");
        connections.shutdown().await;
    }
}

/// The next connection, accepted only when fewer than [`ListenerLimits::connections`] are open.
async fn accept(
    listener: &TcpListener,
    permits: &Arc<Semaphore>,
) -> io::Result<(OwnedSemaphorePermit, TcpStream, SocketAddr)> {
    let permit = Arc::clone(permits).acquire_owned().await;
    let permit = permit.map_err(|_| io::Error::other("the semaphore is closed"))?;
    let (stream, peer) = listener.accept().await?;
    Ok((permit, stream, peer))
}

/// Serves one connection until it closes.
async fn serve_connection(
    stream: TcpStream,
    peer: SocketAddr,
    service: Router,
    limits: ListenerLimits,
    shutdown: watch::Receiver<bool>,
    _permit: OwnedSemaphorePermit,
) {
    // Responses are written whole: Nagle's algorithm would only delay the last segment.
    _ = stream.set_nodelay(true);
    let ends = Shutdown(shutdown.clone());
    let answer = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(|body| with_timeout(body, limits.body_timeout));
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(ends.clone());
        service.clone().oneshot(request)
    });
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.write_timeout));
    let io = TokioIo::new(Box::pin(stream));
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.header_timeout)
            .max_buf_size(HEAD_LIMIT)
            .max_headers(HEADERS)
            .serve_connection(io, answer)
            .with_upgrades()
    );
    let result = tokio::select! {
        result = connection.as_mut() => result,
        () = shut_down(shutdown) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = result {
        tracing::trace!(%error, "a connection failed");
    }
}

/// Resolves when `shutdown` becomes true.
async fn shut_down(mut shutdown: watch::Receiver<bool>) {
    _ = shutdown.wait_for(|shutdown| *shutdown).await;
}
