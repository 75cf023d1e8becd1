//! The reverse proxy: a listener, its connections, and the rule that decides what happens to each exchange.
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::future::ready;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, EXPECT, HeaderValue, UPGRADE};
use hyper::http::request;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::protocol::Message;

use super::body::{BodyError, Gate, ProxyBody, boxed};
use super::upstream::{Connection, ExchangeError, Upstream, UpstreamError};
use super::websocket::{self, Unanswered, is_handshake};

/// How long to wait for permission to send a body, as clients do, before sending it anyway.
const PERMISSION: Duration = Duration::from_secs(1);
/// How long responses may take at shutdown before they are cut off.
const LAST_RESPONSES: Duration = Duration::from_secs(2);
/// Pause after the system failed to accept a connection.
const PAUSE: Duration = Duration::from_millis(50);

/// Decides what a proxy does with the exchanges that pass through it.
pub trait Rule: Send + Sync + 'static {
    /// Whether WebSockets are relayed; if not, a handshake passes as a plain request.
    const TAKES_WEBSOCKETS: bool = false;
    /// What is kept beside a request over a WebSocket until it is answered.
    type Kept: Send;

    /// Answers a request: passes on the service's answer, changed or not, or answers in its place.
    fn exchange(
        self: &Arc<Self>,
        request: Request<Incoming>,
        service: &Link,
    ) -> impl Future<Output = Result<Response<ProxyBody>, ExchangeError>> + Send;

    /// A message of the client, as passed on to the service.
    fn asked(
        &self,
        _handshake: &request::Parts,
        _unanswered: &mut Unanswered<Self::Kept>,
        message: Message,
    ) -> impl Future<Output = Message> + Send {
        ready(message)
    }

    /// A message of the service, as passed on to the client: an answer, or a notification that no request asked for.
    fn answered(
        &self,
        _handshake: &request::Parts,
        _unanswered: &mut Unanswered<Self::Kept>,
        message: Message,
    ) -> impl Future<Output = Message> + Send {
        ready(message)
    }
}

/// Running proxies; they end when this is dropped.
#[derive(Default)]
pub struct Servers {
    ending: watch::Sender<bool>,
    servers: JoinSet<()>,
}

impl Servers {
    /// Serves in front of a service, with this rule.
    pub fn add<R: Rule>(&mut self, listener: TcpListener, upstream: Upstream, rule: Arc<R>) {
        self.servers.spawn(serve(listener, upstream, rule, self.ending.subscribe()));
    }

    /// Accepts no more requests, lets responses finish for a limited time, and ends.
    pub async fn stop(mut self) {
        self.ending.send_replace(true);
        while self.servers.join_next().await.is_some() {}
    }
}

/// The way from one client connection to the service.
pub struct Link {
    upstream: Upstream,
    connection: Mutex<Connection>,
}

impl Link {
    /// Sends a request.
    ///
    /// # Errors
    /// If the service cannot be reached or gives no response.
    pub async fn send(&self, request: Request<ProxyBody>) -> Result<Response<Incoming>, UpstreamError> {
        self.upstream.send_on(&mut *self.connection.lock().await, request).await
    }

    /// Passes an exchange through unread.
    ///
    /// # Errors
    /// If the service cannot be reached or gives no response.
    pub async fn pass(&self, request: Request<Incoming>) -> Result<Response<ProxyBody>, ExchangeError> {
        if !waits_for_permission(&request) {
            let response = self.send(request.map(boxed)).await?;
            return Ok(response.map(boxed));
        }
        let gate = Gate::closed();
        let mut request = request.map(|body| gate.hold(body));
        let permitted = gate.clone();
        hyper::ext::on_informational(&mut request, move |response| {
            if response.status() == StatusCode::CONTINUE {
                permitted.grant();
            }
        });
        let mut sent = pin!(self.send(request));
        let response = tokio::select! {
            response = &mut sent => response?,
            () = sleep(PERMISSION) => {
                gate.grant();
                sent.await?
            }
        };
        Ok(response.map(|body| gate.close_with(body)))
    }
}

/// Serves connections until `ending` is true, lets responses finish, and cuts off the rest.
async fn serve<R: Rule>(
    listener: TcpListener,
    upstream: Upstream,
    rule: Arc<R>,
    ending: watch::Receiver<bool>,
) {
    let mut connections = JoinSet::new();
    let mut end = pin!(ended(ending.clone()));
    loop {
        tokio::select! {
            () = &mut end => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => _ = connections.spawn(converse(stream, upstream.clone(), Arc::clone(&rule), ending.clone())),
                Err(error) => {
                    tracing::warn!(%error, "a connection was not accepted");
                    sleep(PAUSE).await;
                }
            },
        }
    }
    drop(listener);
    let all = async { while connections.join_next().await.is_some() {} };
    if timeout(LAST_RESPONSES, all).await.is_err() {
        connections.shutdown().await;
    }
}

async fn ended(mut ending: watch::Receiver<bool>) {
    _ = ending.wait_for(|ending| *ending).await;
}

/// Serves one client connection, with its own connection to the service.
async fn converse<R: Rule>(
    stream: TcpStream,
    upstream: Upstream,
    rule: Arc<R>,
    ending: watch::Receiver<bool>,
) {
    _ = stream.set_nodelay(true);
    let (service, tunnel) = (&Link { upstream, connection: Mutex::default() }, &Mutex::new(None));
    let rule = &rule;
    let service = service_fn(async |mut request: Request<Incoming>| {
        if !R::TAKES_WEBSOCKETS {
            request.headers_mut().remove(UPGRADE);
        }
        if !is_handshake(&request) {
            return settled(rule.exchange(request, service).await);
        }
        settled(
            async {
                let (response, agreed) = websocket::shake_hands(&service.upstream, request).await?;
                *tunnel.lock().await = agreed;
                Ok(response)
            }
            .await,
        )
    });
    let mut served = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .preserve_header_case(true)
            .auto_date_header(false)
            .max_buf_size(super::HEAD_LIMIT)
            .max_headers(super::HEADERS)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades()
    );
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        () = ended(ending.clone()) => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = ended {
        tracing::trace!(%error, "a connection broke off");
    }
    let agreed = tunnel.lock().await.take();
    if let Some(agreed) = agreed {
        tokio::select! {
            () = websocket::relay(&**rule, agreed) => {}
            () = self::ended(ending) => {}
        }
    }
}

fn settled(answered: Result<Response<ProxyBody>, ExchangeError>) -> Result<Response<ProxyBody>, BodyError> {
    match answered {
        Ok(response) => Ok(response),
        // The peer broke off midway, so the proxy does too.
        Err(ExchangeError::Body(error)) => Err(error.into()),
        Err(error) => Ok(bad_gateway(&error)),
    }
}

fn waits_for_permission(request: &Request<Incoming>) -> bool {
    let expected = request.headers().get(EXPECT);
    request.version() == Version::HTTP_11
        && expected.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

fn bad_gateway(error: &ExchangeError) -> Response<ProxyBody> {
    tracing::debug!(%error, "no response from the service");
    json_response(
        StatusCode::BAD_GATEWAY,
        &json!({ "error": "the service behind the proxy gave no response", "details": error.to_string(), "status": 502 }),
    )
}

/// Builds a response of the proxy itself.
pub(in crate::http) fn json_response(status: StatusCode, body: &serde_json::Value) -> Response<ProxyBody> {
    let mut response = Response::new(boxed(Full::new(Bytes::from(body.to_string()))));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
