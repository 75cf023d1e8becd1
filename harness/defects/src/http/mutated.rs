//! The rule of the defects and variants: what is selected changes the exchanges of a service, and the control plane has its switches.
use std::sync::Arc;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::http::request;
use hyper::{Request, Response};
use tokio::time::sleep;
use tokio_tungstenite::tungstenite::protocol::Message;

use super::body::{ProxyBody, boxed};
use super::control;
use super::exchange::{ProxiedResponse, RequestParts};
use super::facts::Learner;
use super::mutation::Mutation;
use super::selection::Selection;
use super::server::{Link, Rule};
use super::upstream::{ExchangeError, Upstream};
use super::websocket::{Unanswered, payload, with_payload};
use crate::Layer;
use crate::chain::Mutants;

/// What is proxied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Service {
    /// A service with defects of this layer.
    Mutated(Layer),
    /// The control plane, where the defects are switched.
    Control,
}

pub(in crate::http) struct Proxy {
    pub(in crate::http) service: Service,
    pub(in crate::http) upstream: Upstream,
    pub(in crate::http) shared: Arc<Shared>,
}

/// What all proxies of a platform share.
pub(in crate::http) struct Shared {
    pub(in crate::http) selection: Selection,
    pub(in crate::http) learner: Learner,
    /// The contracts, where an RPC was given.
    pub(in crate::http) mutants: Mutants,
    /// Whether the RPC is proxied too.
    pub(in crate::http) rpc_proxied: bool,
}

impl Rule for Proxy {
    const TAKES_WEBSOCKETS: bool = true;

    async fn exchange(
        self: &Arc<Self>,
        request: Request<Incoming>,
        service: &Link,
    ) -> Result<Response<ProxyBody>, ExchangeError> {
        if self.service == Service::Control
            && let Some(response) = control::answer(&self.shared, &request).await
        {
            return Ok(response);
        }
        let mutations = self.selected(request.uri().path());
        if mutations.is_empty() {
            service.pass(request).await
        } else {
            self.mutate(&mutations, request, service).await
        }
    }

    async fn asked(
        &self,
        handshake: &request::Parts,
        unanswered: &mut Unanswered,
        message: Message,
    ) -> Message {
        let mut selected = self.selected(handshake.uri.path());
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

    async fn answered(
        &self,
        handshake: &request::Parts,
        unanswered: &mut Unanswered,
        message: Message,
    ) -> Message {
        let selected = self.selected(handshake.uri.path());
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

impl Proxy {
    fn selected(&self, path: &str) -> Vec<Mutation> {
        match self.service {
            Service::Mutated(layer) => self.shared.selection.mutations(layer, path),
            Service::Control => Vec::new(),
        }
    }

    /// Applies the selected mutations in the order of their tables; those of a response see the request as it was sent.
    async fn mutate(
        &self,
        mutations: &[Mutation],
        request: Request<Incoming>,
        service: &Link,
    ) -> Result<Response<ProxyBody>, ExchangeError> {
        let mut request = match RequestParts::read(request).await? {
            Ok(request) => request,
            Err(request) => return Ok(service.send(request).await?.map(boxed)),
        };
        let sent = request.clone();
        if let Some(answer) = self.before(mutations, &sent, &mut request).await {
            return Ok(answer.response(sent.method()));
        }
        let response = service.send(request.request()).await?;
        let mut response = ProxiedResponse::read(response).await?;
        self.after(mutations, &sent, &request, &mut response).await?;
        Ok(response.response(sent.method()))
    }

    /// Changes a request; the answer, where one is given in the place of the service.
    async fn before(
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
    async fn after(
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
