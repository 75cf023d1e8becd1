//! The public address of a node, in front of the anvil that only this process can reach: decides which pages may call the node, and which
//! methods callers without the control token have. All input is bounded. Methods are interpreted only if the platform or a client depends
//! on their effect: only the platform replaces a chain or moves time, a sent transaction is mined when its hash is returned, and no empty
//! block takes the place of a block that a caller orders.
mod absent;
mod access;
mod accounts;
mod archive;
mod batch;
mod call;
mod fees;
mod filters;
mod forward;
mod heavy;
mod relay;
mod reverts;
mod rules;
mod snapshots;
mod sockets;
mod typed;
mod values;

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode, Version};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use futures::stream;
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Bytes;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::Role;
use url::Url;

use super::error::StartError;
use crate::api::refusal::Reason;
use crate::chain::Chain;
use crate::engine::Engine;
use crate::services::body::read_bounded;
use crate::services::guard::permit_private_network;
use crate::services::refusal::{status, status_code};
pub(super) use access::Access;
pub(super) use archive::{Archive, End, Origin};
use batch::Batch;
use call::{Asked, Refused, SERVER_ERROR};
use forward::{Answer, Backend};
use relay::Relay;
use sockets::Sockets;

/// Maximum size of a caller's message, the same as anvil's.
const MESSAGE_LIMIT: usize = 2 << 20;
const FOREIGN: &str = "no page of this origin may call the node: `slipway up --allow-origin ORIGIN` admits it; \
                       without a remote --host, pages of loopback names and browser extensions are admitted";
/// Maximum number of calls in a batch: for callers without and with access to every method.
const CALLS: [usize; 2] = [100, 1_000];

fn most_calls(is_trusted: bool) -> usize {
    CALLS[usize::from(is_trusted)]
}

/// Version of the WebSocket protocol, and length of a key in bytes.
const VERSION: &str = "13";
const KEY: usize = 16;

/// A node behind its public address.
#[derive(Debug)]
struct Filter {
    access: Access,
    backend: Arc<Backend>,
    sockets: Arc<Sockets>,
}

/// Serves the node of a chain at `url` to callers with access.
pub(super) fn filter(
    access: Access,
    url: &str,
    archive: Option<Archive>,
    engine: &Engine,
    chain: &Chain,
) -> Result<Router, StartError> {
    let address = Url::parse(url).expect("a started node has an address");
    let client = slipway_contracts::http_client(&address).build().map_err(StartError::Filter)?;
    let backend = Arc::new(Backend::new(client, url, archive, engine.clone(), chain.clone()));
    let filter = Filter { access, backend, sockets: Arc::default() };
    Ok(Router::new().fallback(answer).with_state(Arc::new(filter)))
}

async fn answer(State(filter): State<Arc<Filter>>, request: Request) -> Response {
    let headers = request.headers();
    let origin = headers.get(header::ORIGIN).cloned();
    let is_upgrade = is_upgrade(request.version(), headers);
    let mut response = match *request.method() {
        // A page that may not call learns why: its browser sends the call only after this, and shows it the answer.
        Method::OPTIONS => preflight(headers),
        _ if !filter.access.admits(headers) => refusal(StatusCode::FORBIDDEN, FOREIGN),
        Method::POST => filter.call(request).await,
        Method::GET if is_upgrade => filter.connect(request),
        _ => {
            let refused =
                refusal(StatusCode::METHOD_NOT_ALLOWED, "a node is called by POST or over a WebSocket");
            ([(header::ALLOW, "POST, OPTIONS")], refused).into_response()
        }
    };
    let headers = response.headers_mut();
    headers.insert(header::VARY, HeaderValue::from_static("origin"));
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    }
    response
}

impl Filter {
    /// Carries out a call or a batch, and returns the answer.
    async fn call(&self, request: Request) -> Response {
        let is_trusted = self.access.trusts(request.headers());
        let message = match read_bounded(request.into_body(), MESSAGE_LIMIT).await {
            Ok(message) => message,
            Err(refused) => {
                let is_large = refused.reason == Reason::TooLarge;
                let message = if is_large { "a call may have 2 MiB" } else { &*refused.message };
                return refusal(status_code(status(refused.reason)), message);
            }
        };
        let body = match call::read(&message, most_calls(is_trusted)) {
            Ok(Asked::One(call)) => {
                let Some(answer) = self.backend.answer(call, is_trusted).await else {
                    return (json_kind(), Body::empty()).into_response();
                };
                let length = HeaderValue::from(answer.text.len());
                let response = (json_kind(), held(answer)).into_response();
                return ([(header::CONTENT_LENGTH, length)], response).into_response();
            }
            Ok(Asked::Batch(calls)) => {
                let batch = Batch::new(Arc::clone(&self.backend), calls, is_trusted);
                Body::from_stream(stream::unfold(batch, |mut batch| async move {
                    let part = batch.next().await?;
                    Some((Ok::<Bytes, Infallible>(part), batch))
                }))
            }
            Err(refused) => Body::from(refused.response(None)),
        };
        (json_kind(), body).into_response()
    }

    /// Opens a WebSocket, whose messages are calls.
    fn connect(&self, mut request: Request) -> Response {
        let is_trusted = self.access.trusts(request.headers());
        // RFC 6455, sections 4.2.1 and 4.4.
        if only(request.headers(), &header::SEC_WEBSOCKET_VERSION) != Some(VERSION) {
            let refused = refusal(StatusCode::UPGRADE_REQUIRED, "a WebSocket has version 13 here");
            let offered = [
                (header::UPGRADE, "websocket"),
                (header::CONNECTION, "upgrade"),
                (header::SEC_WEBSOCKET_VERSION, VERSION),
            ];
            return (offered, refused).into_response();
        }
        let key = only(request.headers(), &header::SEC_WEBSOCKET_KEY);
        let Some(key) = key.filter(|key| BASE64.decode(key).is_ok_and(|key| key.len() == KEY)) else {
            return refusal(StatusCode::BAD_REQUEST, "the key of a WebSocket is 16 bytes in base64");
        };
        let accepted = derive_accept_key(key.as_bytes());
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
        let place = self
            .sockets
            .take(peer.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |peer| peer.0.ip().to_canonical()));
        let (upgrade, backend) = (hyper::upgrade::on(&mut request), Arc::clone(&self.backend));
        tokio::spawn(async move {
            if let Ok(caller) = upgrade.await {
                let caller = TokioIo::new(caller);
                let caller =
                    WebSocketStream::from_raw_socket(caller, Role::Server, Some(relay::bounds())).await;
                Relay::serve(backend, caller, place, is_trusted).await;
            }
        });
        let switch = [
            (header::UPGRADE, "websocket"),
            (header::CONNECTION, "upgrade"),
            (header::SEC_WEBSOCKET_ACCEPT, accepted.as_str()),
        ];
        (StatusCode::SWITCHING_PROTOCOLS, switch).into_response()
    }
}

/// Whether a request asks for a WebSocket. RFC 9110, section 7.8: an upgrade is ignored in HTTP/1.0, and without the option of the connection.
fn is_upgrade(version: Version, headers: &HeaderMap) -> bool {
    let has = |name: &HeaderName, word: &str| {
        let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).any(|value| value.trim().eq_ignore_ascii_case(word))
    };
    version >= Version::HTTP_11 && has(&header::UPGRADE, "websocket") && has(&header::CONNECTION, "upgrade")
}

/// The value of a header that is sent once.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut sent = headers.get_all(name).iter();
    let value = sent.next()?.to_str().ok()?;
    sent.next().is_none().then(|| value.trim())
}

/// The body of an answer, whose memory stays reserved until it is sent.
fn held(answer: Answer) -> Body {
    let part = |(text, answer): (Option<Bytes>, Answer)| async move {
        text.map(|text| (Ok::<Bytes, Infallible>(text), (None, answer)))
    };
    Body::from_stream(stream::unfold((Some(answer.text.clone()), answer), part))
}

fn json_kind() -> [(HeaderName, HeaderValue); 1] {
    [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))]
}

/// Answers a browser's preflight request, which precedes a call, with every header that it asks for.
fn preflight(asked: &HeaderMap) -> Response {
    const ALLOWED: [(HeaderName, &str); 2] =
        [(header::ACCESS_CONTROL_ALLOW_METHODS, "POST"), (header::ACCESS_CONTROL_MAX_AGE, "600")];
    let mut response = (StatusCode::NO_CONTENT, ALLOWED).into_response();
    let named = asked.get(header::ACCESS_CONTROL_REQUEST_HEADERS).cloned();
    let named = named.unwrap_or(HeaderValue::from_static("content-type, authorization"));
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_HEADERS, named);
    permit_private_network(asked, response.headers_mut());
    response
}

/// A refusal by the filter, in the format of the node's errors.
fn refusal(status: StatusCode, message: &str) -> Response {
    (status, json_kind(), Refused::new(SERVER_ERROR, message).response(None)).into_response()
}
