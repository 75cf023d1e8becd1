//! WebSockets through a proxy: the handshake and each message pass, and what is selected changes a message as it changes a body. Leaves
//! out what only HTTP has: answers in the place of the service, statuses and headers.
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
use super::exchange::{ProxiedResponse, RequestParts};
use super::mutation::Mutation;
use super::server::{ExchangeError, Proxy, Service};

/// Requests that are kept until they are answered.
const UNANSWERED: usize = 1024;

/// A WebSocket that both sides have agreed on.
pub(in crate::http) struct Tunnel {
    client: OnUpgrade,
    service: OnUpgrade,
    handshake: request::Parts,
}

/// Whether a request asks for a WebSocket.
pub(in crate::http) fn is_handshake<B>(request: &Request<B>) -> bool {
    let protocol = request.headers().get(UPGRADE);
    protocol.is_some_and(|protocol| protocol.as_bytes().eq_ignore_ascii_case(b"websocket"))
}

fn payload(message: &Message) -> Option<Bytes> {
    match message {
        Message::Text(text) => Some(text.as_bytes().to_vec().into()),
        Message::Binary(bytes) => Some(bytes.clone()),
        _ => None,
    }
}

/// A message of the same kind with other bytes.
fn with_payload(message: &Message, bytes: Bytes) -> Message {
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

/// Requests that were not answered yet.
#[derive(Default)]
struct Unanswered(VecDeque<RequestParts>);

impl Unanswered {
    fn add(&mut self, sent: RequestParts) {
        if self.0.len() == UNANSWERED {
            self.0.pop_front();
        }
        self.0.push_back(sent);
    }

    /// The request that a message answers.
    fn answered_by(&mut self, answer: &Value) -> Option<RequestParts> {
        let answered = ids(answer);
        let place = self.0.iter().position(|sent| ids(&sent.body).iter().any(|id| answered.contains(id)))?;
        self.0.remove(place)
    }
}

impl Proxy {
    /// Passes a handshake on; once it has succeeded, the connection is to be a WebSocket.
    pub(in crate::http) async fn shake_hands(
        &self,
        mut request: Request<Incoming>,
    ) -> Result<(Response<ProxyBody>, Option<Tunnel>), ExchangeError> {
        let client = hyper::upgrade::on(&mut request);
        // Messages are looked into, so they must not be compressed.
        request.headers_mut().remove(SEC_WEBSOCKET_EXTENSIONS);
        let (handshake, body) = request.into_parts();
        let request = Request::from_parts(handshake.clone(), boxed(body));
        let mut response = self.upstream.send(request).await?;
        let agreed = response.status() == StatusCode::SWITCHING_PROTOCOLS;
        let tunnel = agreed.then(|| Tunnel { client, service: hyper::upgrade::on(&mut response), handshake });
        Ok((response.map(boxed), tunnel))
    }

    /// Passes messages until either side ends.
    pub(in crate::http) async fn relay(&self, tunnel: Tunnel) {
        let (Ok(client), Ok(service)) = tokio::join!(tunnel.client, tunnel.service) else {
            return;
        };
        let client = WebSocketStream::from_raw_socket(TokioIo::new(client), Role::Server, None);
        let service = WebSocketStream::from_raw_socket(TokioIo::new(service), Role::Client, None);
        let (mut client, mut service) = tokio::join!(client, service);
        let mut unanswered = Unanswered::default();
        loop {
            // Each side answers the pings that it gets.
            let passed = tokio::select! {
                message = client.next() => match message {
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
                    Some(Ok(message)) => {
                        service.send(self.asked(&tunnel.handshake, &mut unanswered, message).await).await
                    }
                    _ => break,
                },
                message = service.next() => match message {
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
                    Some(Ok(message)) => {
                        client.send(self.answered(&tunnel.handshake, &mut unanswered, message).await).await
                    }
                    _ => break,
                },
            };
            if passed.is_err() {
                break;
            }
        }
        // A side that has gone already needs no close frame.
        _ = tokio::join!(client.close(None), service.close(None));
    }

    fn selected(&self, handshake: &request::Parts) -> Vec<Mutation> {
        match self.service {
            Service::Mutated(layer) => self.shared.selection.mutations(layer, handshake.uri.path()),
            Service::Control => Vec::new(),
        }
    }

    /// A message of the client as the service gets it.
    async fn asked(
        &self,
        handshake: &request::Parts,
        unanswered: &mut Unanswered,
        message: Message,
    ) -> Message {
        let mut selected = self.selected(handshake);
        selected.retain(|mutation| !matches!(mutation, Mutation::Instead(_)));
        let Some(bytes) = payload(&message).filter(|_| !selected.is_empty()) else {
            return message;
        };
        let mut request = RequestParts::new(handshake.clone(), bytes);
        let sent = request.clone();
        self.before(&selected, &sent, &mut request).await;
        unanswered.add(sent);
        if request.is_changed() { with_payload(&message, request.written()) } else { message }
    }

    /// A message of the service as the client gets it: an answer, or a notification that no request asked for.
    async fn answered(
        &self,
        handshake: &request::Parts,
        unanswered: &mut Unanswered,
        message: Message,
    ) -> Message {
        let selected = self.selected(handshake);
        let Some(bytes) = payload(&message).filter(|_| !selected.is_empty()) else {
            return message;
        };
        let mut response = ProxiedResponse::new(Response::new(()).into_parts().0, bytes.clone());
        let sent = if response.body.get("method").is_some() {
            RequestParts::new(handshake.clone(), Bytes::new())
        } else if let Some(sent) = unanswered.answered_by(&response.body) {
            sent
        } else {
            return message;
        };
        match self.after(&selected, &sent, &sent, &mut response).await {
            Ok(()) if response.written() != bytes => with_payload(&message, response.written()),
            _ => message,
        }
    }
}
