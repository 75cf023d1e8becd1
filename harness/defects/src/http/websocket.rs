//! WebSockets through a proxy: the handshake passes, and so does each message, changed by the rule.
use std::collections::VecDeque;

use bytes::Bytes;
use futures::{SinkExt as _, StreamExt as _};
use hyper::body::Incoming;
use hyper::header::{SEC_WEBSOCKET_EXTENSIONS, UPGRADE};
use hyper::http::request;
use hyper::upgrade::OnUpgrade;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Message, Role};

use super::body::{ProxyBody, boxed};
use super::exchange::RequestParts;
use super::server::Rule;
use super::upstream::{Upstream, UpstreamError};

/// Maximum number of requests kept while unanswered.
const UNANSWERED: usize = 1024;

/// A WebSocket that both sides have agreed on.
pub(in crate::http) struct Tunnel {
    client: OnUpgrade,
    service: OnUpgrade,
    handshake: request::Parts,
}

/// Whether a request is a WebSocket handshake.
pub(in crate::http) fn is_handshake<B>(request: &Request<B>) -> bool {
    let protocol = request.headers().get(UPGRADE);
    protocol.is_some_and(|protocol| protocol.as_bytes().eq_ignore_ascii_case(b"websocket"))
}

/// The payload of a message of text or bytes.
pub fn payload(message: &Message) -> Option<Bytes> {
    match message {
        Message::Text(text) => Some(text.as_bytes().to_vec().into()),
        Message::Binary(bytes) => Some(bytes.clone()),
        _ => None,
    }
}

/// Replaces the payload of a message, keeping its kind.
pub fn with_payload(message: &Message, bytes: Bytes) -> Message {
    match (message, String::from_utf8(bytes.to_vec())) {
        (Message::Text(_), Ok(text)) => Message::text(text),
        _ => Message::Binary(bytes),
    }
}

/// The ids in a message, of calls or of answers.
fn ids(body: &Value) -> Vec<&Value> {
    let all = body.as_array().map_or(std::slice::from_ref(body), Vec::as_slice);
    all.iter().filter_map(|one| one.get("id")).collect()
}

/// Requests that are still unanswered, each with what a rule keeps of it.
pub struct Unanswered<K>(VecDeque<(RequestParts, K)>);

impl<K> Unanswered<K> {
    /// Keeps a request; beyond a bound the oldest is dropped.
    pub fn add(&mut self, sent: RequestParts, kept: K) {
        if self.0.len() == UNANSWERED {
            self.0.pop_front();
        }
        self.0.push_back((sent, kept));
    }

    /// The request that a message answers.
    pub fn answered_by(&mut self, answer: &Value) -> Option<(RequestParts, K)> {
        let answered = ids(answer);
        let is_answered = |sent: &RequestParts| ids(&sent.body).iter().any(|id| answered.contains(id));
        let place = self.0.iter().position(|(sent, _)| is_answered(sent))?;
        self.0.remove(place)
    }
}

/// Passes a handshake on; if it succeeds, the connection becomes a WebSocket.
pub(in crate::http) async fn shake_hands(
    upstream: &Upstream,
    mut request: Request<Incoming>,
) -> Result<(Response<ProxyBody>, Option<Tunnel>), UpstreamError> {
    let client = hyper::upgrade::on(&mut request);
    // Messages are read, so they must not be compressed.
    request.headers_mut().remove(SEC_WEBSOCKET_EXTENSIONS);
    let (handshake, body) = request.into_parts();
    let request = Request::from_parts(handshake.clone(), boxed(body));
    let mut response = upstream.send(request).await?;
    let agreed = response.status() == StatusCode::SWITCHING_PROTOCOLS;
    let tunnel = agreed.then(|| Tunnel { client, service: hyper::upgrade::on(&mut response), handshake });
    Ok((response.map(boxed), tunnel))
}

/// Passes messages until either side ends.
pub(in crate::http) async fn relay<R: Rule>(rule: &R, tunnel: Tunnel) {
    let (Ok(client), Ok(service)) = tokio::join!(tunnel.client, tunnel.service) else {
        return;
    };
    let client = WebSocketStream::from_raw_socket(TokioIo::new(client), Role::Server, None);
    let service = WebSocketStream::from_raw_socket(TokioIo::new(service), Role::Client, None);
    let (mut client, mut service) = tokio::join!(client, service);
    let mut unanswered = Unanswered(VecDeque::new());
    loop {
        // Each side answers the pings that it gets.
        let passed = tokio::select! {
            message = client.next() => match message {
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
                Some(Ok(message)) => {
                    service.send(rule.asked(&tunnel.handshake, &mut unanswered, message).await).await
                }
                _ => break,
            },
            message = service.next() => match message {
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
                Some(Ok(message)) => {
                    client.send(rule.answered(&tunnel.handshake, &mut unanswered, message).await).await
                }
                _ => break,
            },
        };
        if passed.is_err() {
            break;
        }
    }
    // A side that has already disconnected needs no close frame.
    _ = tokio::join!(client.close(None), service.close(None));
}
