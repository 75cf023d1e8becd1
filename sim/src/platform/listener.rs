//! One listener and its connections: how many there are at once and how long a slow peer is waited for. It knows no path.
use std::convert::Infallible;
use std::future::ready;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::response::Response;
use futures::future::Either;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tower::{Service, ServiceExt};

use super::write_timeout::WriteTimeout;
use crate::services::body::timely;
use crate::services::swap;

/// Most bytes of a request's head, and of what is read ahead of a body.
const HEAD_LIMIT: usize = 64 * 1024;
/// Most header lines of a request.
const HEADERS: usize = 100;
/// How long the system is left alone after it had no connection to give, for want of memory or files.
const BREATH: Duration = Duration::from_millis(50);

/// Bounds of each listener, so that slow or many peers cost a bounded part of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListenerLimits {
    /// Connections at once; more wait, unaccepted, until one ends.
    pub connections: usize,
    /// How long a connection may take until the head of its next request is whole; an idle one is closed after it.
    pub head_patience: Duration,
    /// How long a request's body may take from the first look at it; then it is 408.
    pub body_patience: Duration,
    /// How long a peer may read nothing of an answer before its connection is closed.
    pub reader_patience: Duration,
    /// How long answers in the making may take at the end before they are cut.
    pub last_answers: Duration,
}

impl Default for ListenerLimits {
    fn default() -> Self {
        Self {
            connections: 1024,
            head_patience: Duration::from_secs(30),
            body_patience: Duration::from_secs(20),
            reader_patience: Duration::from_secs(20),
            last_answers: Duration::from_secs(2),
        }
    }
}

/// What answers requests: a router, or a service of the same form.
pub(super) trait Answers:
    Service<Request, Response = Response, Error = Infallible, Future: Send> + Clone + Send + 'static
{
    /// An answer that needs neither a body nor the peer; none where the service has to be called.
    fn at_once(&self, _request: &Request<Incoming>) -> Option<Response> {
        None
    }
}

impl Answers for Router {}

impl Answers for swap::Service {
    fn at_once(&self, request: &Request<Incoming>) -> Option<Response> {
        swap::Service::at_once(self, request)
    }
}

/// Serves connections until `ending` is true; then takes no more, lets answers in the making finish, and cuts the rest.
pub(super) async fn serve<S: Answers>(
    listener: TcpListener,
    service: S,
    limits: ListenerLimits,
    ending: watch::Receiver<bool>,
) {
    let places = Arc::new(Semaphore::new(limits.connections));
    let mut connections = JoinSet::new();
    let mut end = pin!(ended(ending.clone()));
    loop {
        let (place, stream, peer) = tokio::select! {
            () = &mut end => break,
            Some(_) = connections.join_next() => continue,
            accepted = accept(&listener, &places) => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "a connection was not accepted");
                    sleep(BREATH).await;
                    continue;
                }
            },
        };
        connections.spawn(converse(stream, peer, service.clone(), limits, ending.clone(), place));
    }
    drop(listener);
    let all = async { while connections.join_next().await.is_some() {} };
    if timeout(limits.last_answers, all).await.is_err() {
        tracing::warn!(cut = connections.len(), "answers in the making were cut off");
        connections.shutdown().await;
    }
}

/// The next connection, taken only when there is a place for it.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> io::Result<(OwnedSemaphorePermit, TcpStream, SocketAddr)> {
    let place = Arc::clone(places).acquire_owned().await;
    let place = place.map_err(|_| io::Error::other("the places are closed"))?;
    let (stream, peer) = listener.accept().await?;
    Ok((place, stream, peer))
}

/// One connection to its end.
async fn converse<S: Answers>(
    stream: TcpStream,
    peer: SocketAddr,
    service: S,
    limits: ListenerLimits,
    ending: watch::Receiver<bool>,
    _place: OwnedSemaphorePermit,
) {
    // Answers are written whole; a peer that acknowledges late would only hold back the last part.
    _ = stream.set_nodelay(true);
    let answer = service_fn(move |request: Request<Incoming>| {
        if let Some(response) = service.at_once(&request) {
            return Either::Left(ready(Ok(response)));
        }
        let mut request = request.map(|body| timely(body, limits.body_patience));
        request.extensions_mut().insert(ConnectInfo(peer));
        Either::Right(service.clone().oneshot(request))
    });
    let io = TokioIo::new(WriteTimeout::new(stream, limits.reader_patience));
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.head_patience)
            .max_buf_size(HEAD_LIMIT)
            .max_headers(HEADERS)
            .serve_connection(io, answer)
    );
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = ended(ending) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::trace!(%error, "a connection broke off");
    }
}

/// Ends when the services are told to.
async fn ended(mut ending: watch::Receiver<bool>) {
    _ = ending.wait_for(|ending| *ending).await;
}
