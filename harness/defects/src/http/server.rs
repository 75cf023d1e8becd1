//! One proxy: a listener, its connections, and what happens to each request. With nothing selected for a path both bodies are streamed.
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, EXPECT, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::body::{BodyError, Gate, ProxyBody, boxed};
use super::control;
use super::exchange::{ProxiedResponse, RequestParts};
use super::facts::Learner;
use super::mutation::Mutation;
use super::selection::Selection;
use super::upstream::{Connection, Upstream, UpstreamError};
use super::websocket::{Tunnel, is_handshake};
use crate::Layer;
use crate::chain::Mutants;
use crate::wire::{Wire, request_name};

/// How long a service that never permits a body is waited for, as clients do.
const PERMISSION: Duration = Duration::from_secs(1);
/// How long responses may take at the end before they are cut.
const LAST_RESPONSES: Duration = Duration::from_secs(2);
/// Pause after the system had no connection to give.
const PAUSE: Duration = Duration::from_millis(50);

/// What is proxied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Service {
    /// A service with defects of this layer.
    Mutated(Layer),
    /// The control plane, where the defects are switched.
    Control,
}

#[derive(Clone)]
pub(in crate::http) struct Proxy {
    pub(in crate::http) service: Service,
    pub(in crate::http) upstream: Upstream,
    pub(in crate::http) shared: Arc<Shared>,
}

/// What all proxies of a platform share.
pub(in crate::http) struct Shared {
    pub(in crate::http) selection: Selection,
    /// Mutants of single answers.
    pub(in crate::http) wire: Wire,
    pub(in crate::http) learner: Learner,
    /// The contracts, where an RPC was given.
    pub(in crate::http) mutants: Mutants,
    /// Whether the RPC is proxied too.
    pub(in crate::http) rpc_proxied: bool,
}

/// Why an exchange has no response; the connection to the client is closed then, or it is 502.
#[derive(Debug, thiserror::Error)]
pub(in crate::http) enum ExchangeError {
    #[error(transparent)]
    Upstream(#[from] UpstreamError),
    #[error(transparent)]
    Body(#[from] hyper::Error),
}

/// Serves connections until `ending` is true, lets responses finish, and cuts the rest.
pub(in crate::http) async fn serve(listener: TcpListener, proxy: Proxy, ending: watch::Receiver<bool>) {
    let mut connections = JoinSet::new();
    let mut end = pin!(ended(ending.clone()));
    loop {
        tokio::select! {
            () = &mut end => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => _ = connections.spawn(converse(stream, proxy.clone(), ending.clone())),
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

/// One connection of a client, with its own connection to the service.
async fn converse(stream: TcpStream, proxy: Proxy, ending: watch::Receiver<bool>) {
    _ = stream.set_nodelay(true);
    let (connection, tunnel) = (Mutex::new(Connection::default()), Mutex::new(None));
    let (proxy, connection, tunnel) = (&proxy, &connection, &tunnel);
    let service = service_fn(async |request| proxy.answer(request, connection, tunnel).await);
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
            () = proxy.relay(agreed) => {}
            () = self::ended(ending) => {}
        }
    }
}

impl Proxy {
    async fn answer(
        &self,
        request: Request<Incoming>,
        connection: &Mutex<Connection>,
        tunnel: &Mutex<Option<Tunnel>>,
    ) -> Result<Response<ProxyBody>, BodyError> {
        if is_handshake(&request) {
            return settled(match self.shake_hands(request).await {
                Ok((response, agreed)) => {
                    *tunnel.lock().await = agreed;
                    Ok(response)
                }
                Err(error) => Err(error),
            });
        }
        if self.service == Service::Control
            && let Some(response) = control::answer(&self.shared, &request).await
        {
            return Ok(response);
        }
        if let Service::Mutated(layer) = self.service
            && !self.shared.wire.is_empty()
        {
            return settled(self.mutate_on_wire(layer, request, connection).await);
        }
        let mutations = match self.service {
            Service::Mutated(layer) => self.shared.selection.mutations(layer, request.uri().path()),
            Service::Control => Vec::new(),
        };
        let answered = if mutations.is_empty() {
            self.stream(request, connection).await
        } else {
            self.mutate(&mutations, request, connection).await
        };
        settled(answered)
    }

    /// Applies the mutant in force to the answer.
    async fn mutate_on_wire(
        &self,
        layer: Layer,
        request: Request<Incoming>,
        connection: &Mutex<Connection>,
    ) -> Result<Response<ProxyBody>, ExchangeError> {
        let mut connection = connection.lock().await;
        let target = request.uri().path_and_query().map_or("", |target| target.as_str()).to_owned();
        let request = match RequestParts::read(request).await? {
            Ok(request) => request,
            Err(request) => return Ok(self.upstream.send_on(&mut connection, request).await?.map(boxed)),
        };
        let name = request_name(request.method().as_str(), &target);
        let response = self.upstream.send_on(&mut connection, request.request()).await?;
        let mut response = ProxiedResponse::read(response).await?;
        self.shared.wire.apply(layer.name(), &name, &mut response.status, &mut response.body);
        Ok(response.response(request.method()))
    }

    /// Passes an exchange through without looking into it.
    async fn stream(
        &self,
        request: Request<Incoming>,
        connection: &Mutex<Connection>,
    ) -> Result<Response<ProxyBody>, ExchangeError> {
        let mut connection = connection.lock().await;
        if !waits_for_permission(&request) {
            let response = self.upstream.send_on(&mut connection, request.map(boxed)).await?;
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
        let mut sent = pin!(self.upstream.send_on(&mut connection, request));
        let response = tokio::select! {
            response = &mut sent => response?,
            () = sleep(PERMISSION) => {
                gate.grant();
                sent.await?
            }
        };
        Ok(response.map(|body| gate.close_with(body)))
    }

    /// Applies the selected mutations in the order of their tables; those of a response see the request as it was sent.
    async fn mutate(
        &self,
        mutations: &[Mutation],
        request: Request<Incoming>,
        connection: &Mutex<Connection>,
    ) -> Result<Response<ProxyBody>, ExchangeError> {
        let mut connection = connection.lock().await;
        let mut request = match RequestParts::read(request).await? {
            Ok(request) => request,
            Err(request) => return Ok(self.upstream.send_on(&mut connection, request).await?.map(boxed)),
        };
        let sent = request.clone();
        if let Some(answer) = self.before(mutations, &sent, &mut request).await {
            return Ok(answer.response(sent.method()));
        }
        let response = self.upstream.send_on(&mut connection, request.request()).await?;
        let mut response = ProxiedResponse::read(response).await?;
        self.after(mutations, &sent, &request, &mut response).await?;
        Ok(response.response(sent.method()))
    }

    /// Changes a request; the answer, where one is given in the place of the service.
    pub(in crate::http) async fn before(
        &self,
        mutations: &[Mutation],
        sent: &RequestParts,
        request: &mut RequestParts,
    ) -> Option<ProxiedResponse> {
        let number = self.shared.selection.number();
        for mutation in mutations.iter().copied() {
            match mutation {
                Mutation::Delay(time) => sleep(time).await,
                Mutation::Instead(answer) => {
                    let answer = answer(sent, number);
                    if answer.is_some() {
                        return answer;
                    }
                }
                Mutation::Request(_, change)
                | Mutation::Exchange(_, change, _)
                | Mutation::InformedExchange(_, _, change, _)
                | Mutation::Lie(change, _) => change(request),
                Mutation::InformedRequest(_, need, change) => {
                    change(&self.shared.learner.learn(need, None).await, request);
                }
                _ => {}
            }
        }
        None
    }

    /// Changes the response to a request, which was passed on as `asked`.
    pub(in crate::http) async fn after(
        &self,
        mutations: &[Mutation],
        sent: &RequestParts,
        asked: &RequestParts,
        response: &mut ProxiedResponse,
    ) -> Result<(), ExchangeError> {
        for mutation in mutations.iter().copied() {
            match mutation {
                Mutation::Response(_, change)
                | Mutation::Exchange(_, _, change)
                | Mutation::Anywhere(change)
                | Mutation::Lie(_, change) => change(sent, response),
                Mutation::InformedResponse(_, need, change)
                | Mutation::InformedExchange(_, need, _, change) => {
                    change(&self.shared.learner.learn(need, Some(&*response)).await, sent, response);
                }
                Mutation::Comparison(_, other, change) => {
                    if let Some(query) = other(sent) {
                        let mut second = asked.clone();
                        second.query = query;
                        let other = self.upstream.send(second.request()).await?;
                        change(response, &ProxiedResponse::read(other).await?);
                    }
                }
                Mutation::Request(..)
                | Mutation::InformedRequest(..)
                | Mutation::Instead(_)
                | Mutation::Delay(_) => {}
            }
        }
        Ok(())
    }
}

fn settled(answered: Result<Response<ProxyBody>, ExchangeError>) -> Result<Response<ProxyBody>, BodyError> {
    match answered {
        Ok(response) => Ok(response),
        Err(ExchangeError::Upstream(error)) => Ok(bad_gateway(&error)),
        // The peer broke off in the middle, and so does the proxy.
        Err(ExchangeError::Body(error)) => Err(error.into()),
    }
}

fn waits_for_permission(request: &Request<Incoming>) -> bool {
    let expected = request.headers().get(EXPECT);
    request.version() == Version::HTTP_11
        && expected.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

fn bad_gateway(error: &UpstreamError) -> Response<ProxyBody> {
    tracing::debug!(%error, "no response from the service");
    json_response(
        StatusCode::BAD_GATEWAY,
        &json!({ "error": "the service behind the proxy gave no response", "details": error.to_string(), "status": 502 }),
    )
}

/// A response of the proxy itself.
pub(in crate::http) fn json_response(status: StatusCode, body: &serde_json::Value) -> Response<ProxyBody> {
    let mut response = Response::new(boxed(Full::new(Bytes::from(body.to_string()))));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
