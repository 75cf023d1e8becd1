//! The public address of a node, in front of the anvil that only this process can reach: which pages may call the node, and which methods
//! callers without the control token have. It interprets methods only where a client waits for their effect: a sent transaction is mined
//! when its hash is returned, and no empty block replaces one that a caller orders.
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use alloy::primitives::B256;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{self, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use futures::future::join_all;
use futures::stream::FuturesOrdered;
use futures::{SinkExt as _, StreamExt as _};
use hyper_util::rt::TokioIo;
use reqwest::Client;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Message, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, connect_async};
use url::{Host, Url};

use super::error::StartError;
use crate::api::proof::is_secret;
use crate::chain::Chain;
use crate::services::http::{host_of, is_loopback};

/// Largest message of a caller, the same limit as anvil's.
const MESSAGE_LIMIT: usize = 2 << 20;
/// WebSockets that a node has open at once.
const SOCKETS: usize = 256;
/// A method that no node has: anvil itself answers a withheld call with an error, with the right id and position in a batch.
const WITHHELD: &str = "withheld";
/// Sent to the node instead of a message that is not JSON-RPC.
const NO_CALL: &[u8] = b"null";
/// Methods in `eth_*` that send for an account without its signature, or sign for it.
const WITHOUT_SIGNATURE: [&str; 3] = ["eth_sendTransaction", "eth_sendUnsigned", "eth_sign"];
/// Name parts of every method that sends a transaction, and of those that return its receipt.
const SEND: (&str, &str) = ("eth_send", "Sync");
/// Name parts of methods that mine blocks or configure the next one.
const NEXT_BLOCK: [&[u8]; 2] = [b"_mine", b"NextBlock"];

/// Who may call a node, and which methods.
#[derive(Clone, Debug)]
pub(super) struct Access {
    /// Origins whose pages may call, in the browser's spelling.
    pub(super) origins: Vec<String>,
    /// Port of the platform's own pages, which have the same host as the call.
    pub(super) page_port: u16,
    /// Whether other machines can reach the node; then only callers with the token have more than the methods of a public node.
    pub(super) is_public: bool,
    pub(super) token: Option<String>,
}

/// A node behind its public address.
#[derive(Debug)]
struct Filter {
    access: Access,
    client: Client,
    url: String,
    chain: Chain,
    sockets: Arc<Semaphore>,
}

/// Serves the node of a chain at `url` to callers with access.
pub(super) fn filter(access: Access, url: &str, chain: Chain) -> Result<Router, StartError> {
    let address = Url::parse(url).expect("a started node has an address");
    let client = slipway_contracts::http_client(&address).build().map_err(StartError::Filter)?;
    let sockets = Arc::new(Semaphore::new(SOCKETS));
    let filter = Filter { access, client, url: url.to_owned(), chain, sockets };
    Ok(Router::new().fallback(answer).with_state(Arc::new(filter)))
}

async fn answer(State(filter): State<Arc<Filter>>, request: Request) -> Response {
    let headers = request.headers();
    let origin = headers.get(header::ORIGIN).cloned();
    let is_upgrade = headers.contains_key(header::UPGRADE);
    if let Some(origin) = &origin
        && !filter.access.admits(origin, headers.get(header::HOST))
    {
        return refusal(
            StatusCode::FORBIDDEN,
            "no page of this origin may call the node; --allow-origin names one",
        );
    }
    let mut response = match *request.method() {
        Method::OPTIONS => preflight(),
        Method::POST => filter.call(request).await,
        Method::GET if is_upgrade => Arc::clone(&filter).connect(request).await,
        _ => refusal(StatusCode::METHOD_NOT_ALLOWED, "a node is called by POST or over a WebSocket"),
    };
    let headers = response.headers_mut();
    headers.insert(header::VARY, HeaderValue::from_static("origin"));
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    }
    response
}

impl Access {
    /// Whether pages of an origin may call the node at this host: the configured origins, and the platform's own pages.
    fn admits(&self, origin: &HeaderValue, host: Option<&HeaderValue>) -> bool {
        let Ok(origin) = origin.to_str() else {
            return false;
        };
        self.origins.iter().any(|named| named == origin) || self.is_own_page(origin, host).unwrap_or(false)
    }

    fn is_own_page(&self, origin: &str, host: Option<&HeaderValue>) -> Option<bool> {
        let page = origin.strip_prefix("http://")?;
        let (page, node) = (host_of(page)?, host_of(host?.to_str().ok()?)?);
        let is_same = page.0 == node.0 || (is_loopback(&page.0) && is_loopback(&node.0));
        // Others can point a domain name at this machine after the browser has loaded their page.
        let is_certain = self.is_public || !matches!(page.0, Host::Domain(_)) || is_loopback(&page.0);
        Some(page.1 == self.page_port && is_same && is_certain)
    }

    /// Whether a caller may use every method of the node.
    fn trusts(&self, headers: &HeaderMap) -> bool {
        let shown = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let shown = shown.and_then(|value| value.strip_prefix("Bearer "));
        let is_shown = |token: &String| shown.is_some_and(|shown| is_secret(shown, token));
        !self.is_public || self.token.as_ref().is_some_and(is_shown)
    }
}

impl Filter {
    /// Forwards a call to the node, and returns its response.
    async fn call(&self, request: Request) -> Response {
        let is_trusted = self.access.trusts(request.headers());
        let kind = request.headers().get(header::CONTENT_TYPE).cloned();
        let Ok(message) = to_bytes(request.into_body(), MESSAGE_LIMIT).await else {
            return refusal(StatusCode::PAYLOAD_TOO_LARGE, "a call may have 2 MiB");
        };
        let message = if is_trusted { message } else { Bytes::from(public_calls(&message)) };
        let sends = self.note(&message).await;
        let call = self.client.post(&self.url).body(message);
        let call = kind.into_iter().fold(call, |call, kind| call.header(header::CONTENT_TYPE, kind));
        let Ok(answer) = call.send().await else {
            return refusal(StatusCode::BAD_GATEWAY, "the node does not answer");
        };
        let (parts, body) = http::Response::<reqwest::Body>::from(answer).into_parts();
        let mut body = Body::new(body);
        if !sends.is_empty() {
            let Ok(whole) = to_bytes(body, usize::MAX).await else {
                return refusal(StatusCode::BAD_GATEWAY, "the node does not answer");
            };
            self.settle(sent(&one_or_many(&whole).unwrap_or_default(), &sends)).await;
            body = Body::from(whole);
        }
        let mut response = Response::new(body);
        *response.status_mut() = parts.status;
        let kept = [header::CONTENT_TYPE, header::CONTENT_LENGTH]
            .map(|name| (parts.headers.get(&name).cloned(), name));
        let kept = kept.into_iter().filter_map(|(value, name)| Some((name, value?)));
        response.headers_mut().extend(kept.map(|(name, value)| (Some(name), value)).collect::<Vec<_>>());
        response
    }

    /// Opens a WebSocket to the node and forwards messages both ways.
    async fn connect(self: Arc<Self>, mut request: Request) -> Response {
        let is_trusted = self.access.trusts(request.headers());
        let Some(key) = request.headers().get(header::SEC_WEBSOCKET_KEY) else {
            return refusal(StatusCode::BAD_REQUEST, "not the handshake of a WebSocket");
        };
        let accepted = derive_accept_key(key.as_bytes());
        let Ok(permit) = Arc::clone(&self.sockets).try_acquire_owned() else {
            return refusal(
                StatusCode::SERVICE_UNAVAILABLE,
                "the node has as many WebSockets as it may have",
            );
        };
        let Ok((node, _)) = connect_async(self.url.replacen("http", "ws", 1)).await else {
            return refusal(StatusCode::BAD_GATEWAY, "the node does not answer");
        };
        let upgrade = hyper::upgrade::on(&mut request);
        tokio::spawn(async move {
            if let Ok(caller) = upgrade.await {
                let bounds = WebSocketConfig::default().max_message_size(Some(MESSAGE_LIMIT));
                let caller = TokioIo::new(caller);
                let caller = WebSocketStream::from_raw_socket(caller, Role::Server, Some(bounds)).await;
                self.relay(caller, node, is_trusted).await;
            }
            drop(permit);
        });
        let switch = [
            (header::UPGRADE, "websocket"),
            (header::CONNECTION, "upgrade"),
            (header::SEC_WEBSOCKET_ACCEPT, accepted.as_str()),
        ];
        (StatusCode::SWITCHING_PROTOCOLS, switch).into_response()
    }

    /// Forwards messages until either side closes.
    async fn relay<C, N>(
        &self,
        mut caller: WebSocketStream<C>,
        mut node: WebSocketStream<N>,
        is_trusted: bool,
    ) where
        C: AsyncRead + AsyncWrite + Unpin,
        N: AsyncRead + AsyncWrite + Unpin,
    {
        let mut sends = HashSet::new();
        // In the node's order: a notification never arrives before the response that it follows.
        let mut answers = FuturesOrdered::new();
        loop {
            let sent = tokio::select! {
                asked = caller.next() => match asked {
                    Some(Ok(message)) => {
                        let message = if is_trusted { message } else { public_message(message) };
                        sends.extend(self.note(&message.clone().into_data()).await);
                        node.send(message).await
                    }
                    _ => break,
                },
                sent = node.next() => match sent {
                    Some(Ok(message)) => {
                        let hashes = answered(&message, &mut sends);
                        answers.push_back(async move {
                            self.settle(hashes).await;
                            message
                        });
                        Ok(())
                    }
                    _ => break,
                },
                Some(message) = answers.next() => caller.send(message).await,
            };
            if sent.is_err() {
                break;
            }
        }
        // A side that is already gone needs no close message.
        _ = tokio::join!(caller.close(None), node.close(None));
    }

    /// Records the calls to the node; returns the ids of those that send a transaction.
    async fn note(&self, message: &[u8]) -> HashSet<String> {
        if NEXT_BLOCK.iter().any(|part| contains(message, part)) {
            self.chain.end_trail().await;
        }
        if contains(message, SEND.0.as_bytes()) { sends(message) } else { HashSet::new() }
    }

    /// Waits until these transactions are mined.
    async fn settle(&self, transactions: Vec<B256>) {
        join_all(transactions.into_iter().map(|transaction| self.chain.settle(transaction))).await;
    }
}

fn contains(message: &[u8], part: &[u8]) -> bool {
    message.windows(part.len()).any(|window| window == part)
}

/// The ids of the calls that send a transaction and return its hash.
fn sends(message: &[u8]) -> HashSet<String> {
    let calls: Vec<NodeCall<'_>> = one_or_many(message).unwrap_or_default();
    let sends = calls.iter().filter(|call| call.method.starts_with(SEND.0) && !call.method.ends_with(SEND.1));
    sends.filter_map(|call| Some(call.id?.get().to_owned())).collect()
}

/// The transaction hashes in the responses to these calls.
fn sent(answers: &[NodeAnswer<'_>], sends: &HashSet<String>) -> Vec<B256> {
    let known = answers.iter().filter(|answer| answer.id.is_some_and(|id| sends.contains(id.get())));
    known.filter_map(|answer| serde_json::from_str(answer.result?.get()).ok()).collect()
}

/// The same for a WebSocket message; calls that are answered are removed.
fn answered(message: &Message, sends: &mut HashSet<String>) -> Vec<B256> {
    let Message::Text(text) = message else { return Vec::new() };
    if sends.is_empty() {
        return Vec::new();
    }
    let answers: Vec<NodeAnswer<'_>> = one_or_many(text.as_bytes()).unwrap_or_default();
    let hashes = sent(&answers, sends);
    for id in answers.iter().filter_map(|answer| answer.id) {
        sends.remove(id.get());
    }
    hashes
}

#[derive(Deserialize)]
struct NodeAnswer<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
}

/// The calls or responses in a message, whether a batch or a single one.
fn one_or_many<'a, T: Deserialize<'a>>(message: &'a [u8]) -> serde_json::Result<Vec<T>> {
    if is_batch(message) {
        serde_json::from_slice(message)
    } else {
        serde_json::from_slice(message).map(|one| vec![one])
    }
}

fn is_batch(message: &[u8]) -> bool {
    message.trim_ascii_start().starts_with(b"[")
}

/// A message reduced to the calls that a public node allows.
fn public_message(message: Message) -> Message {
    match message {
        Message::Text(text) => {
            let calls = Bytes::from(public_calls(text.as_bytes()));
            Message::Text(Utf8Bytes::try_from(calls).expect("JSON is text"))
        }
        Message::Binary(bytes) => Message::Binary(public_calls(&bytes).into()),
        other => other,
    }
}

/// One call in a message. A duplicate member, which the node might read differently, makes it invalid.
#[derive(Deserialize, Serialize)]
struct NodeCall<'a> {
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    params: Option<&'a RawValue>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
}

/// The calls of a message, serialized again, with those replaced that a public node does not allow.
fn public_calls(message: &[u8]) -> Vec<u8> {
    let Ok(mut calls) = one_or_many::<NodeCall<'_>>(message) else {
        return NO_CALL.to_vec();
    };
    for call in calls.iter_mut().filter(|call| !is_public(&call.method)) {
        call.method = Cow::Borrowed(WITHHELD);
    }
    let written = if is_batch(message) { serde_json::to_vec(&calls) } else { serde_json::to_vec(&calls[0]) };
    written.expect("what was JSON is JSON")
}

/// Whether a public node has a method: it reads, and accepts signed transactions.
fn is_public(method: &str) -> bool {
    let is_read = ["eth_", "net_", "web3_"].iter().any(|known| method.starts_with(known));
    is_read && !WITHOUT_SIGNATURE.iter().any(|withheld| method.starts_with(withheld))
}

fn preflight() -> Response {
    const ALLOWED: [(HeaderName, &str); 3] = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "POST"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "content-type, authorization"),
        (header::ACCESS_CONTROL_MAX_AGE, "600"),
    ];
    (StatusCode::NO_CONTENT, ALLOWED).into_response()
}

/// A refusal before the node, in the format of the node's errors.
fn refusal(status: StatusCode, message: &str) -> Response {
    let error = serde_json::json!({ "code": -32000, "message": message });
    (status, axum::Json(serde_json::json!({ "jsonrpc": "2.0", "id": null, "error": error }))).into_response()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use serde_json::{Value, json};

    use super::{Access, NO_CALL, is_public, public_calls};

    fn admits(is_public: bool, origin: &'static str, host: &'static str) -> bool {
        let origins = vec!["https://named.example".to_owned()];
        let access = Access { origins, page_port: 4700, is_public, token: None };
        access.admits(&HeaderValue::from_static(origin), Some(&HeaderValue::from_static(host)))
    }

    #[test]
    fn own_and_named_pages_are_admitted() {
        for (origin, host) in [
            ("http://127.0.0.1:4700", "127.0.0.1:4703"),
            ("http://localhost:4700", "127.0.0.1:4703"),
            ("http://127.0.0.1:4700", "[::1]:4703"),
            ("https://named.example", "anything"),
        ] {
            assert!(admits(false, origin, host), "{origin}");
        }
        for (origin, host) in [
            ("http://127.0.0.1:4701", "127.0.0.1:4703"),
            ("https://127.0.0.1:4700", "127.0.0.1:4703"),
            ("http://named.example", "127.0.0.1:4703"),
            ("http://192.168.1.5:4700", "127.0.0.1:4703"),
            // A domain name that was pointed at this machine.
            ("http://evil.example:4700", "evil.example:4703"),
            ("null", "127.0.0.1:4703"),
            ("", "127.0.0.1:4703"),
        ] {
            assert!(!admits(false, origin, host), "{origin}");
        }
        assert!(admits(true, "http://192.168.1.5:4700", "192.168.1.5:4703"));
        assert!(admits(true, "http://build.example:4700", "build.example:4703"));
        assert!(!admits(true, "http://other.example:4700", "build.example:4703"));
    }

    #[test]
    fn methods_of_a_public_node_read_and_take_signed_transactions() {
        for method in [
            "eth_call",
            "eth_sendRawTransaction",
            "eth_sendRawTransactionSync",
            "eth_subscribe",
            "net_version",
        ] {
            assert!(is_public(method), "{method}");
        }
        for method in [
            "eth_sendTransaction",
            "eth_sendTransactionSync",
            "eth_sendUnsignedTransaction",
            "eth_sign",
            "eth_signTypedData_v4",
            "evm_revert",
            "anvil_reset",
            "hardhat_setCode",
            "debug_traceTransaction",
            "personal_sign",
            "Eth_call",
            "",
        ] {
            assert!(!is_public(method), "{method}");
        }
    }

    #[test]
    fn withheld_calls_keep_their_place_and_id() {
        let calls = |text: &str| serde_json::from_slice::<Value>(&public_calls(text.as_bytes())).unwrap();
        let kept = json!({"jsonrpc": "2.0", "method": "eth_call", "params": [{"to": "0x1"}], "id": 1});
        assert_eq!(calls(&kept.to_string()), kept);
        let mixed = json!([kept, {"jsonrpc": "2.0", "method": "evm_revert", "params": ["0x0"], "id": "two"}]);
        let expected =
            json!([kept, {"jsonrpc": "2.0", "method": "withheld", "params": ["0x0"], "id": "two"}]);
        assert_eq!(calls(&format!(" {mixed}")), expected);
        assert_eq!(calls(r#"{"method":"\u0065vm_revert","id":1}"#), json!({"method": "withheld", "id": 1}));
    }

    #[test]
    fn what_two_readers_may_read_differently_reaches_no_node() {
        for text in [
            r#"{"method":"eth_call","method":"evm_revert","id":1}"#,
            r#"[{"method":"eth_call","id":1},7]"#,
            r#"{"method":"eth_call","id":1} {"method":"evm_revert","id":2}"#,
            r#"{"id":1}"#,
            "evm_revert",
            "",
        ] {
            assert_eq!(public_calls(text.as_bytes()), NO_CALL, "{text}");
        }
    }
}
