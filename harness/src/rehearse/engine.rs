//! The engine: it records every exchange of a client, and injects the fault of the run. Proxies in front of the platform and the tool servers
//! of an agent put their exchanges through it.
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use hyper::header::{HeaderValue, RETRY_AFTER};
use hyper::http::request;
use hyper::{Request, Response, StatusCode};
use parking_lot::Mutex;
use serde_json::{Value, json};
use slipway_contracts::ChainId;
use slipway_defects::http::body::{ProxyBody, boxed, broken_off};
use slipway_defects::http::exchange::{ProxiedResponse, RequestParts};
use slipway_defects::http::{
    Addresses, ExchangeError, HostHeader, Link, Listeners, ListenersError, Message, Ports, Proxied, Rule,
    Servers, Unanswered, Upstream, UpstreamError, each_answer, payload, with_payload,
};

use super::canary::Canaries;
use super::fault::{Act, CLIENTS, Fault};
use super::operator::{Operator, OperatorError};
use super::record::{Asked, Exchange, MOST_OF_ANSWERS, Part, one_or_many};

/// Delay of a slow answer.
const LATE: Duration = Duration::from_secs(3);
/// Seconds of the `Retry-After` of a rate-limit refusal.
const WAIT: u64 = 2;
const LIST_PAGE: u64 = 20;
/// The chain that nodes and tools report under the fault of another chain.
pub(super) const OTHER_CHAIN: u64 = 1;

pub(super) struct Engine {
    pub(super) operator: Operator,
    /// The values planted in others' texts.
    pub(super) canaries: Canaries,
    /// The run of new requests; requests left behind by an earlier client stay with the earlier run.
    run: Mutex<Arc<Mutex<Journal>>>,
}

/// The exchanges of one run of the client.
struct Journal {
    fault: &'static Fault,
    begun: Instant,
    exchanges: Vec<Exchange>,
    /// How much of their answers may still be kept, in bytes.
    left: usize,
    /// Why the fault could not be injected.
    problem: Option<OperatorError>,
}

/// A recorded request without an answer yet.
pub(super) struct Open {
    pub(super) asked: Asked,
    pub(super) act: Act,
    number: usize,
    run: Arc<Mutex<Journal>>,
}

impl Engine {
    pub(super) fn new(operator: Operator, canaries: Canaries) -> Arc<Self> {
        Arc::new(Self { operator, canaries, run: Mutex::new(Journal::begun(&CLIENTS[0])) })
    }

    /// Begins a run.
    pub(super) fn begin(&self, fault: &'static Fault) {
        *self.run.lock() = Journal::begun(fault);
    }

    /// Ends the run; returns its exchanges, or an error if the fault could not be injected.
    pub(super) fn end(&self) -> Result<Vec<Exchange>, OperatorError> {
        let run = std::mem::replace(&mut *self.run.lock(), Journal::begun(&CLIENTS[0]));
        let Journal { exchanges, problem, .. } = &mut *run.lock();
        problem.take().map_or_else(|| Ok(std::mem::take(exchanges)), Err)
    }

    /// Records a request, and decides what is done to it.
    pub(super) fn admit(&self, asked: Asked) -> Open {
        let run = Arc::clone(&self.run.lock());
        let mut journal = run.lock();
        let (came, number) = (journal.begun.elapsed(), journal.exchanges.len());
        let act = journal.fault.act_on(&asked, &journal.exchanges);
        journal.exchanges.push(Exchange { asked: asked.clone(), act, came, ..Exchange::default() });
        drop(journal);
        Open { asked, act, number, run }
    }

    /// Starts proxies in front of a platform.
    pub(super) fn stand_before(
        self: &Arc<Self>,
        upstream: &Addresses,
        listeners: Listeners,
    ) -> Result<Servers, UpstreamError> {
        listeners.serve(upstream, HostHeader::Service, |place, upstream| {
            let part = match place {
                Proxied::Rest | Proxied::Control => Part::Rest,
                Proxied::Swap => Part::Swap,
                Proxied::Node(chain) => Part::Node(chain),
            };
            Proxy { part, upstream, engine: Arc::clone(self) }
        })
    }
}

/// Reserves addresses for the client before the platform exists; the control plane is not proxied.
pub(super) async fn listeners() -> Result<Listeners, ListenersError> {
    let rpc: BTreeMap<u64, u16> = ChainId::ALL.map(|chain| (chain.0, 0)).into();
    Listeners::bind(Ports { rest: Some(0), swap: Some(0), control: None, rpc }).await
}

impl Journal {
    fn begun(fault: &'static Fault) -> Arc<Mutex<Self>> {
        let (begun, exchanges) = (Instant::now(), Vec::new());
        Arc::new(Mutex::new(Self { fault, begun, exchanges, left: MOST_OF_ANSWERS, problem: None }))
    }
}

impl Open {
    /// Records the result of an act: if it found nothing to do, the fault waits for the next request of its kind.
    pub(super) fn acted(&self, acted: Result<bool, OperatorError>) {
        let mut run = self.run.lock();
        match acted {
            Err(problem) => _ = run.problem.get_or_insert(problem),
            Ok(is_done) => {
                if let Some(exchange) = run.exchanges.get_mut(self.number).filter(|_| !is_done) {
                    exchange.act = Act::Nothing;
                }
            }
        }
    }

    /// Records the answer; the number is how much of the run's answers may still be kept.
    pub(super) fn answered(&self, record: impl FnOnce(&mut Exchange, &mut usize)) {
        let Journal { begun, exchanges, left, .. } = &mut *self.run.lock();
        if let Some(exchange) = exchanges.get_mut(self.number) {
            exchange.answered = Some(begun.elapsed());
            record(exchange, left);
        }
    }
}

/// The rule of a proxy in front of a service or a node.
struct Proxy {
    part: Part,
    upstream: Upstream,
    engine: Arc<Engine>,
}

impl Rule for Proxy {
    const TAKES_WEBSOCKETS: bool = true;
    type Kept = Open;

    async fn exchange(
        self: &Arc<Self>,
        request: Request<Incoming>,
        service: &Link,
    ) -> Result<Response<ProxyBody>, ExchangeError> {
        let request = match RequestParts::read(request).await? {
            Ok(request) => request,
            // The platform refuses a body of this size.
            Err(request) => return Ok(service.send(request).await?.map(boxed)),
        };
        let method = request.method().clone();
        let proxy = Arc::clone(self);
        // The request is carried out even if the client does not wait for it.
        let done = tokio::spawn(async move {
            let open = proxy.admit(&request);
            let answer = proxy.answer(&open, &request).await;
            open.answered(|exchange, left| exchange.read(&answer, left));
            (answer, open.act == Act::Cut)
        });
        let (answer, is_cut) = done.await.unwrap_or_else(|_| (refusal(502), false));
        let begun = answer.written();
        let response = answer.response(&method);
        Ok(if is_cut { response.map(|_| broken_off(begun.slice(..begun.len() / 2))) } else { response })
    }

    async fn asked(
        &self,
        handshake: &request::Parts,
        unanswered: &mut Unanswered<Open>,
        message: Message,
    ) -> Message {
        let Some(bytes) = payload(&message) else { return message };
        let request = RequestParts::new(handshake.clone(), bytes);
        let open = self.admit(&request);
        self.before(&open).await;
        unanswered.add(request, open);
        message
    }

    async fn answered(
        &self,
        _handshake: &request::Parts,
        unanswered: &mut Unanswered<Open>,
        message: Message,
    ) -> Message {
        let Some(bytes) = payload(&message) else { return message };
        let answer = ProxiedResponse::of_message(bytes);
        let Some((request, open)) = unanswered.answered_by(&answer.body) else { return message };
        let answer = self.after(&open, &request, answer).await;
        open.answered(|exchange, left| exchange.read(&answer, left));
        match open.act {
            // A message has no status and cannot break off: the connection ends without it.
            Act::Refuse(_) | Act::Cut => Message::Close(None),
            _ => with_payload(&message, answer.written()),
        }
    }
}

impl Proxy {
    fn admit(&self, request: &RequestParts) -> Open {
        let (method, target) = (request.method().as_str(), request.target());
        self.engine.admit(Asked::read(self.part, method, target, request.headers(), &request.bytes))
    }

    async fn answer(&self, open: &Open, request: &RequestParts) -> ProxiedResponse {
        match open.act {
            Act::Refuse(status) if open.asked.sent.is_empty() => refusal(status),
            Act::UseCaptcha => used_captcha(),
            _ => {
                self.before(open).await;
                self.after(open, request, self.forward(request).await).await
            }
        }
    }

    /// Does what happens before a request reaches the platform.
    async fn before(&self, open: &Open) {
        if matches!(open.act, Act::MovePrice | Act::Graduate) {
            open.acted(self.engine.operator.trade(open.act, &open.asked).await);
        }
    }

    /// The answer that the client gets.
    async fn after(
        &self,
        open: &Open,
        request: &RequestParts,
        mut answer: ProxiedResponse,
    ) -> ProxiedResponse {
        let Engine { operator, canaries, .. } = &*self.engine;
        match open.act {
            Act::Refuse(status) => return refusal(status),
            Act::Delay => tokio::time::sleep(LATE).await,
            Act::OtherChain => each_answer(request, &mut answer, report_other_chain),
            Act::Plant(_) => open.acted(Ok(canaries.plant_in_chat(&open.asked.target, &mut answer.body))),
            Act::GrowList => open.acted(Ok(lengthen(&open.asked, &mut answer.body))),
            Act::Reorganise => open.acted(operator.reorganise(&open.asked, receipt(&answer.body)).await),
            _ => {}
        }
        answer
    }

    async fn forward(&self, request: &RequestParts) -> ProxiedResponse {
        let answered = async { ProxiedResponse::read(self.upstream.send(request.request()).await?).await };
        answered.await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the platform did not answer a request of the client");
            refusal(502)
        })
    }
}

/// A refusal in the words of the services.
fn refusal(status: u16) -> ProxiedResponse {
    let message = match status {
        429 => "too many requests",
        408 => "the request took too long",
        _ => "the service is not available",
    };
    let code = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    let mut refusal = ProxiedResponse::refusal(code, message);
    if status == 429 {
        refusal.body["retryAfter"] = json!(WAIT);
        refusal.headers.insert(RETRY_AFTER, HeaderValue::from(WAIT));
    }
    refusal
}

fn used_captcha() -> ProxiedResponse {
    let error = "the captcha was not accepted: timeout-or-duplicate";
    let body = json!({ "error": error, "details": "timeout-or-duplicate", "status": 403 });
    ProxiedResponse::of(StatusCode::FORBIDDEN, &body)
}

/// The first receipt of a mined transaction in an answer, which may be a batch.
fn receipt(answer: &Value) -> &Value {
    let mut results = one_or_many(answer).iter().map(|answer| &answer["result"]);
    let is_receipt =
        |result: &&Value| !result["transactionHash"].is_null() && !result["blockNumber"].is_null();
    results.find(is_receipt).unwrap_or(&Value::Null)
}

fn report_other_chain(call: &Value, answer: &mut Value) {
    match call["method"].as_str() {
        Some("eth_chainId") => answer["result"] = json!(format!("{OTHER_CHAIN:#x}")),
        Some("net_version") => answer["result"] = json!(OTHER_CHAIN.to_string()),
        Some("eth_fillTransaction") if !answer["result"].is_null() => {
            answer["result"]["tx"]["chainId"] = json!(format!("{OTHER_CHAIN:#x}"));
        }
        _ => {}
    }
}

/// Lengthens the last page of a list as further launches would; false for any other page.
fn lengthen(asked: &Asked, list: &mut Value) -> bool {
    let pages = list["totalPages"].as_u64().filter(|pages| asked.page() == Some(*pages));
    if let Some(pages) = pages {
        list["totalCount"] = json!(pages * LIST_PAGE + 1);
        list["totalPages"] = json!(pages + 1);
    }
    pages.is_some()
}
