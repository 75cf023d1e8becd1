//! The rule of defects and variants: the selected ones change the exchanges of a service, and the control plane gets their switches.
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::http::request;
use hyper::{Request, Response};
use tokio::time::sleep;
use tokio_tungstenite::tungstenite::protocol::Message;

use super::act::{Act, Context, Form, Need};
use super::body::{ProxyBody, boxed};
use super::control;
use super::exchange::{ProxiedResponse, RequestParts};
use super::server::{Link, Rule};
use super::switch::{Selected, Switch};
use super::upstream::{ExchangeError, Upstream};
use super::websocket::{Unanswered, payload, with_payload};
use crate::Layer;
use crate::changes::Step;

/// The service that a proxy is in front of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Service {
    /// A service with defects of this layer.
    Changed(Layer),
    /// The control plane, which switches the defects.
    Control,
}

pub(in crate::http) struct Proxy {
    pub(in crate::http) service: Service,
    pub(in crate::http) upstream: Upstream,
    pub(in crate::http) switch: Arc<Switch>,
}

impl Rule for Proxy {
    const TAKES_WEBSOCKETS: bool = true;
    type Kept = ();

    async fn exchange(
        self: &Arc<Self>,
        request: Request<Incoming>,
        service: &Link,
    ) -> Result<Response<ProxyBody>, ExchangeError> {
        if self.service == Service::Control
            && let Some(response) = control::answer(&self.switch, &request).await
        {
            return Ok(response);
        }
        let selected = self.selected(request.uri().path());
        if selected.is_empty() {
            service.pass(request).await
        } else {
            self.change(&selected, request, service).await
        }
    }

    async fn asked(
        &self,
        handshake: &request::Parts,
        unanswered: &mut Unanswered<()>,
        message: Message,
    ) -> Message {
        let mut selected = self.selected(handshake.uri.path());
        selected.retain(|selected| !selected.change.answers_itself());
        let Some(bytes) = payload(&message).filter(|_| !selected.is_empty()) else {
            return message;
        };
        let mut request = RequestParts::new(handshake.clone(), bytes);
        let sent = request.clone();
        self.before(&selected, &sent, &mut request).await;
        unanswered.add(sent, ());
        if !request.is_changed() {
            return message;
        }
        has_changed(&selected);
        with_payload(&message, request.written())
    }

    async fn answered(
        &self,
        handshake: &request::Parts,
        unanswered: &mut Unanswered<()>,
        message: Message,
    ) -> Message {
        let selected = self.selected(handshake.uri.path());
        let Some(bytes) = payload(&message).filter(|_| !selected.is_empty()) else {
            return message;
        };
        let mut response = ProxiedResponse::of_message(bytes.clone());
        let sent = if response.body.get("method").is_some() {
            RequestParts::new(handshake.clone(), Bytes::new())
        } else if let Some((sent, ())) = unanswered.answered_by(&response.body) {
            sent
        } else {
            return message;
        };
        match self.after(&selected, &sent, &sent, &mut response).await {
            Ok(()) if response.written() != bytes => {
                has_changed(&selected);
                with_payload(&message, response.written())
            }
            _ => message,
        }
    }
}

impl Proxy {
    fn selected(&self, path: &str) -> Vec<Selected> {
        match self.service {
            Service::Changed(layer) => self.switch.selected(layer, path),
            Service::Control => Vec::new(),
        }
    }

    /// Applies the selected changes in order; changes of a response see the request as sent.
    async fn change(
        &self,
        selected: &[Selected],
        request: Request<Incoming>,
        service: &Link,
    ) -> Result<Response<ProxyBody>, ExchangeError> {
        let mut request = match RequestParts::read(request).await? {
            Ok(request) => request,
            Err(request) => return Ok(service.send(request).await?.map(boxed)),
        };
        let sent = request.clone();
        if let Some(answer) = self.before(selected, &sent, &mut request).await {
            has_changed(selected);
            return Ok(answer.response(sent.method()));
        }
        let response = service.send(request.request()).await?;
        let mut response = ProxiedResponse::read(response).await?;
        self.after(selected, &sent, &request, &mut response).await?;
        if request.is_changed() || request.headers() != sent.headers() || response.is_changed() {
            has_changed(selected);
        }
        Ok(response.response(sent.method()))
    }

    /// Changes a request; returns the answer if a change answers instead of the service.
    async fn before(
        &self,
        selected: &[Selected],
        sent: &RequestParts,
        request: &mut RequestParts,
    ) -> Option<ProxiedResponse> {
        let number = self.switch.number();
        for selected in selected.iter().filter(|selected| selected.change.on.request(sent)) {
            for step in &selected.change.steps {
                match step {
                    Step::Wait(time) => {
                        has_changed(std::slice::from_ref(selected));
                        sleep(*time).await;
                    }
                    Step::Act(act) => {
                        let mut context = Context::new(sent, number, selected.memory());
                        match act.form {
                            Form::Instead(answer) => {
                                let answer = answer(&context);
                                if answer.is_some() {
                                    return answer;
                                }
                            }
                            Form::Before(change) => {
                                if let Some(need) = act.need {
                                    context.facts = self.switch.learner.learn(need, None).await;
                                }
                                change(&context, request);
                            }
                            Form::After(_) => {}
                        }
                    }
                    step => step.change_request(&selected.change.on, request),
                }
            }
        }
        None
    }

    /// Changes the response to a request that was passed on as `asked`.
    async fn after(
        &self,
        selected: &[Selected],
        sent: &RequestParts,
        asked: &RequestParts,
        response: &mut ProxiedResponse,
    ) -> Result<(), ExchangeError> {
        for selected in selected.iter().filter(|selected| selected.change.on.request(sent)) {
            if !selected.change.on.answer(response) {
                continue;
            }
            for step in &selected.change.steps {
                match step {
                    Step::Act(Act { form: Form::After(change), need, .. }) => {
                        let mut context = Context::new(sent, 0, selected.memory());
                        match need {
                            Some(Need::OtherAnswer(query)) => {
                                let Some(query) = query(&context) else { continue };
                                let mut second = asked.clone();
                                second.query = query;
                                let other = self.upstream.send(second.request()).await?;
                                context.facts.other = Some(ProxiedResponse::read(other).await?);
                            }
                            Some(need) => {
                                context.facts = self.switch.learner.learn(*need, Some(response)).await;
                            }
                            None => {}
                        }
                        change(&context, response);
                    }
                    step => step.change_answer(&selected.change.on, sent, response),
                }
            }
        }
        Ok(())
    }
}

/// An exchange is no longer what it was.
fn has_changed(selected: &[Selected]) {
    for selected in selected {
        selected.change.has_changed.store(true, Ordering::Relaxed);
    }
}
