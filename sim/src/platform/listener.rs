//! One listener and its connections: limits the number of open connections and the time of slow peers. It knows no paths.
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::header::{CONNECTION, HOST, TRANSFER_ENCODING};
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode};
use axum::response::{IntoResponse as _, Response};
use futures::TryFutureExt as _;
use futures::future::{Either, ready};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tower::ServiceExt;

use super::connection::{Connection, Connections, InProgress, PacedStream};
use crate::services::body::with_timeout;
use crate::services::guard::names_host;
use crate::services::http::Shutdown;

/// Maximum bytes of a request's head, and of the read-ahead of a body.
const HEAD_LIMIT: usize = 64 * 1024;
/// Maximum number of header lines of a request.
const HEADERS: usize = 100;
/// Pause after `accept` failed, usually for lack of memory or file descriptors.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(50);

/// Limits of each listener: slow or many peers cost a bounded amount of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListenerLimits {
    /// Maximum number of open connections; beyond it, the one that is idle longest is closed, or another one waits until one closes.
    pub connections: usize,
    /// Time until the head of the next request is complete; an idle connection is closed after it.
    pub header_timeout: Duration,
    /// Time limit of a request's body, from the first read to its end; then the request is refused with 408.
    pub body_timeout: Duration,
    /// Time within which a peer must accept 16 KiB of the data sent to it, or the rest; otherwise the connection is closed.
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
    let open = Arc::<Connections>::default();
    let mut connections = JoinSet::new();
    let mut end = pin!(shut_down(shutdown));
    // Connections learn of the shutdown through this channel, so that a peer whose connection closes finds the listener closed.
    let (closing, closed) = watch::channel(false);
    // An accepted connection without a place; further ones wait in the backlog.
    let mut waiting: Option<(TcpStream, SocketAddr)> = None;
    loop {
        if waiting.is_some() && permits.available_permits() == 0 {
            open.close_idlest();
        }
        let permit = tokio::select! {
            () = &mut end => break,
            Some(_) = connections.join_next() => continue,
            accepted = listener.accept(), if waiting.is_none() => {
                match accepted {
                    Ok(accepted) => waiting = Some(accepted),
                    Err(error) => {
                        tracing::warn!(%error, "a connection was not accepted");
                        sleep(ACCEPT_BACKOFF).await;
                    }
                }
                continue;
            }
            permit = Arc::clone(&permits).acquire_owned(), if waiting.is_some() => permit,
            () = open.idle.notified(), if waiting.is_some() => continue,
        };
        let (Ok(permit), Some((stream, peer))) = (permit, waiting.take()) else { continue };
        // If the peer has too many connections, this one is closed.
        if let Some(connection) = open.add(peer.ip()) {
            let serving =
                Serving { connection: Arc::new(connection), peer, service: service.clone(), limits };
            connections.spawn(serving.serve(stream, closed.clone(), permit));
        }
    }
    drop(listener);
    closing.send_replace(true);
    let all = async { while connections.join_next().await.is_some() {} };
    if timeout(limits.drain_timeout, all).await.is_err() {
        tracing::warn!(cut = connections.len(), "aborted responses in progress");
        connections.shutdown().await;
    }
}

/// Whether a body has a coding besides chunks. RFC 9112, section 6.1: who does not understand a transfer coding answers with 501.
fn has_other_coding(headers: &HeaderMap) -> bool {
    let values = headers.get_all(TRANSFER_ENCODING).iter();
    let mut codings = values.flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    codings.any(|coding| {
        let coding = coding.trim_ascii();
        !coding.is_empty() && !coding.eq_ignore_ascii_case(b"chunked")
    })
}

/// RFC 9112, section 3.2.2: a server ignores the `Host` of a request whose target is in absolute form, and takes the host of the target. An
/// invalid `Host` stays and is refused.
fn take_host_of_target<B>(request: &mut Request<B>) {
    let authority = request.uri().authority().and_then(|named| HeaderValue::from_str(named.as_str()).ok());
    let mut hosts = request.headers().get_all(HOST).iter();
    if let (Some(authority), Some(host), None) = (authority, hosts.next(), hosts.next())
        && names_host(host)
    {
        request.headers_mut().insert(HOST, authority);
    }
}

fn not_decoded() -> Response {
    (StatusCode::NOT_IMPLEMENTED, [(CONNECTION, "close")]).into_response()
}

/// One connection with everything that serves it.
struct Serving {
    connection: Arc<Connection>,
    peer: SocketAddr,
    service: Router,
    limits: ListenerLimits,
}

impl Serving {
    /// Serves until the connection closes, or makes way for another one while idle.
    async fn serve(self, stream: TcpStream, shutdown: watch::Receiver<bool>, _permit: OwnedSemaphorePermit) {
        let Self { connection, peer, service, limits } = self;
        // Responses are written whole: Nagle's algorithm would only delay the last segment.
        _ = stream.set_nodelay(true);
        let ends = Shutdown(shutdown.clone());
        let served = Arc::clone(&connection);
        let answer = service_fn(move |request: Request<Incoming>| {
            let progress = served.begin();
            let mut request = request.map(|body| with_timeout(body, limits.body_timeout));
            take_host_of_target(&mut request);
            request.extensions_mut().insert(ConnectInfo(peer));
            request.extensions_mut().insert(ends.clone());
            let answered = if has_other_coding(request.headers()) {
                Either::Left(ready(Ok(not_decoded())))
            } else {
                Either::Right(service.clone().oneshot(request))
            };
            answered.map_ok(|response| response.map(|body| until_sent(body, progress)))
        });
        let stream = PacedStream::new(stream, limits.write_timeout, Arc::clone(&connection.is_behind));
        let mut served = pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(limits.header_timeout)
                .max_buf_size(HEAD_LIMIT)
                .max_headers(HEADERS)
                .serve_connection(TokioIo::new(stream), answer)
                .with_upgrades()
        );
        let mut shutdown = pin!(shut_down(shutdown));
        let mut is_closing = false;
        loop {
            tokio::select! {
                result = served.as_mut() => {
                    if let Err(error) = result {
                        tracing::trace!(%error, "a connection failed");
                    }
                    return;
                }
                () = connection.close.notified() => {
                    // A request may have come in the meantime.
                    if connection.is_idle() {
                        return;
                    }
                }
                () = &mut shutdown, if !is_closing => {
                    is_closing = true;
                    served.as_mut().graceful_shutdown();
                }
            }
        }
    }
}

/// A body that keeps its request in progress until it is sent or dropped.
fn until_sent(body: Body, progress: InProgress) -> Body {
    Body::new(body.map_frame(move |frame| {
        let _sending = &progress;
        frame
    }))
}

/// Resolves when `shutdown` becomes true.
async fn shut_down(mut shutdown: watch::Receiver<bool>) {
    _ = shutdown.wait_for(|shutdown| *shutdown).await;
}
