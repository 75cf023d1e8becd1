//! Proxies between the client and the platform: they record every exchange and inject the fault of the run.
use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use hyper::header::{HeaderValue, RETRY_AFTER};
use hyper::{Request, Response, StatusCode};
use parking_lot::Mutex;
use serde_json::{Value, json};
use slipway_defects::http::body::{ProxyBody, boxed, broken_off};
use slipway_defects::http::exchange::{ProxiedResponse, RequestParts};
use slipway_defects::http::{ExchangeError, HostHeader, Link, Rule, Servers, Upstream};
use slipway_sim::Ready;
use tokio::net::TcpListener;

use super::canary::Canaries;
use super::fault::{Fault, Treatment};
use super::operator::{Operator, OperatorError};
use super::record::{Asked, Exchange, Part};

/// Delay of a slow answer.
const LATE: Duration = Duration::from_secs(3);
/// Seconds of the `Retry-After` of a rate-limit refusal.
const WAIT: u64 = 2;
const LIST_PAGE: u64 = 20;
const OTHER_CHAIN: u64 = 1;
/// The platform's addresses for the client, reserved before the platform exists.
pub(super) struct Listeners(Vec<(Part, TcpListener)>);

/// The proxies of a rehearsal; dropping it ends them.
pub(super) struct Stage {
    pub(super) shared: Arc<Shared>,
    _servers: Servers,
    /// The ready line that the client is given.
    pub(super) ready: Ready,
}

pub(super) struct Shared {
    operator: Operator,
    /// The values planted in others' texts.
    pub(super) canaries: Canaries,
    /// The run of new requests; requests left behind by an earlier client stay with the earlier run.
    scene: Mutex<Arc<Mutex<Scene>>>,
}

/// One run of the client.
pub(super) struct Scene {
    fault: Fault,
    begun: Instant,
    exchanges: Vec<Exchange>,
    met: BTreeSet<String>,
    injected: usize,
    problem: Option<OperatorError>,
}

struct Proxy {
    part: Part,
    upstream: Upstream,
    shared: Arc<Shared>,
}

impl Listeners {
    /// Takes free ports for the services and the nodes of these chains.
    pub(super) async fn bind(chains: &[u64]) -> io::Result<Self> {
        let mut listeners = Vec::new();
        for part in [Part::Rest, Part::Swap].into_iter().chain(chains.iter().map(|chain| Part::Node(*chain)))
        {
            listeners.push((part, TcpListener::bind(("127.0.0.1", 0)).await?));
        }
        Ok(Self(listeners))
    }

    /// The address that this part will have.
    pub(super) fn origin(&self, part: Part) -> io::Result<String> {
        let found = self.0.iter().find(|(known, _)| *known == part);
        let (_, listener) = found.ok_or(io::ErrorKind::NotFound)?;
        Ok(format!("http://{}", listener.local_addr()?))
    }

    /// Starts the proxies in front of a platform.
    pub(super) fn start(self, operator: &Operator, canaries: Canaries, ready: &Ready) -> io::Result<Stage> {
        let mut shown = ready.clone();
        shown.base_url = self.origin(Part::Rest)?;
        shown.swap_base_url = self.origin(Part::Swap)?;
        for chain in &mut shown.chains {
            chain.rpc_url = self.origin(Part::Node(chain.chain_id))?;
        }
        let scene = Mutex::new(Arc::new(Mutex::new(Scene::new(Fault::Nothing))));
        let shared = Arc::new(Shared { operator: operator.clone(), canaries, scene });
        let mut servers = Servers::default();
        for (part, listener) in self.0 {
            let node =
                |id| ready.chains.iter().find(|chain| chain.chain_id == id).map(|chain| &chain.rpc_url);
            let origin = match part {
                Part::Rest => Some(&ready.base_url),
                Part::Swap => Some(&ready.swap_base_url),
                Part::Node(id) => node(id),
                Part::Tools => continue,
            };
            let origin = origin.and_then(|origin| origin.parse().ok()).ok_or(io::ErrorKind::NotFound)?;
            let upstream = Upstream::new(origin, HostHeader::Service).map_err(io::Error::other)?;
            let proxy = Proxy { part, upstream: upstream.clone(), shared: Arc::clone(&shared) };
            servers.add(listener, upstream, Arc::new(proxy));
        }
        Ok(Stage { shared, _servers: servers, ready: shown })
    }
}

impl Stage {
    pub(super) fn begin(&self, fault: Fault) {
        *self.shared.scene.lock() = Arc::new(Mutex::new(Scene::new(fault)));
    }

    /// Ends the run; returns its exchanges and how many of them the fault affected, or an error if the fault could not be injected.
    pub(super) fn end(&self) -> Result<(Vec<Exchange>, usize), OperatorError> {
        let Scene { exchanges, injected, problem, .. } =
            std::mem::replace(&mut *self.shared.scene().lock(), Scene::new(Fault::Nothing));
        problem.map_or(Ok((exchanges, injected)), Err)
    }
}

impl Shared {
    pub(super) fn scene(&self) -> Arc<Mutex<Scene>> {
        Arc::clone(&self.scene.lock())
    }
}

impl Scene {
    fn new(fault: Fault) -> Self {
        Self {
            fault,
            begun: Instant::now(),
            exchanges: Vec::new(),
            met: BTreeSet::new(),
            injected: 0,
            problem: None,
        }
    }

    /// Records a request; returns what is done to it.
    pub(super) fn admit(&mut self, asked: &Asked) -> (usize, Treatment) {
        let kind = self.fault.kind(asked);
        let treatment = self.fault.treatment(asked, !self.met.contains(&kind));
        if treatment != Treatment::Pass {
            self.met.insert(kind);
            self.injected += 1;
        }
        self.exchanges.push(Exchange {
            asked: asked.clone(),
            came: self.begun.elapsed(),
            answered: None,
            is_forwarded: !matches!(
                treatment,
                Treatment::Refuse(_) | Treatment::UsedCaptcha | Treatment::MoveFee
            ),
            is_disturbed: matches!(
                treatment,
                Treatment::Refuse(_)
                    | Treatment::Lose(_)
                    | Treatment::Cut
                    | Treatment::GrowList
                    | Treatment::Plant(_)
                    | Treatment::MoveFee
                    | Treatment::Endless
            ) || (asked.part == Part::Tools && treatment == Treatment::OtherChain),
            status: None,
            retry_after: None,
            answer: Value::Null,
            request_id: None,
            cause: None,
        });
        (self.exchanges.len() - 1, treatment)
    }

    /// Records the result of an action: if it found nothing to do, the fault waits for the next request of its kind.
    pub(super) fn acted(&mut self, number: usize, asked: &Asked, acted: Result<bool, OperatorError>) {
        match acted {
            Ok(true) => {}
            Ok(false) => {
                self.met.remove(&self.fault.kind(asked));
                self.injected -= 1;
                self.exchanges[number].is_disturbed = false;
            }
            Err(problem) => self.problem = self.problem.take().or(Some(problem)),
        }
    }

    /// Records the answer of a tool; `None` if it did not end.
    pub(super) fn returned(&mut self, number: usize, result: Option<&Value>) {
        let now = self.begun.elapsed();
        let Some(exchange) = self.exchanges.get_mut(number) else { return };
        if let Some(result) = result {
            exchange.answered = Some(now);
            exchange.answer = result.clone();
        }
    }

    fn close(&mut self, number: usize, answer: &ProxiedResponse, is_cut: bool) {
        let now = self.begun.elapsed();
        let Some(exchange) = self.exchanges.get_mut(number) else { return };
        let text = |name: &str| answer.headers.get(name).and_then(|value| value.to_str().ok());
        exchange.answered = Some(now);
        exchange.request_id = text("x-request-id").map(str::to_owned);
        exchange.retry_after = text("retry-after").and_then(|seconds| seconds.parse().ok());
        if !is_cut {
            exchange.status = Some(answer.status.as_u16());
            exchange.answer = answer.body.clone();
        }
    }
}

impl Rule for Proxy {
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
        let asked =
            Asked::read(self.part, method.as_str(), request.target(), request.headers(), &request.bytes);
        let proxy = Arc::clone(self);
        // The request is carried out even if the client does not wait for it.
        let done = tokio::spawn(async move {
            let scene = proxy.shared.scene();
            let (number, treatment) = scene.lock().admit(&asked);
            let answer = proxy.treat(&scene, (number, treatment), &asked, &request).await;
            let is_cut = treatment == Treatment::Cut;
            scene.lock().close(number, &answer, is_cut);
            (answer, is_cut)
        });
        let (answer, is_cut) = done.await.unwrap_or_else(|_| (refusal(502), false));
        let begun = answer.written();
        let response = answer.response(&method);
        Ok(if is_cut { response.map(|_| broken_off(begun.slice(..begun.len() / 2))) } else { response })
    }
}

impl Proxy {
    async fn treat(
        &self,
        scene: &Mutex<Scene>,
        (number, treatment): (usize, Treatment),
        asked: &Asked,
        request: &RequestParts,
    ) -> ProxiedResponse {
        match treatment {
            Treatment::Refuse(status) => return refusal(status),
            Treatment::UsedCaptcha => return used_captcha(),
            Treatment::MovePrice | Treatment::Graduate => self.trade(scene, (number, treatment), asked).await,
            _ => {}
        }
        let mut answer = self.forward(request).await;
        let acted = match treatment {
            Treatment::Lose(status) => return refusal(status),
            Treatment::Slow => {
                tokio::time::sleep(LATE).await;
                return answer;
            }
            Treatment::OtherChain => {
                other_chain(&request.body, &mut answer.body);
                return answer;
            }
            Treatment::Plant(_) => Ok(self.shared.canaries.plant_in_chat(&asked.target, &mut answer.body)),
            Treatment::GrowList => Ok(lengthen(asked, &mut answer.body)),
            Treatment::Reorganise => match asked.part {
                Part::Node(chain) => self.shared.operator.reorganise(chain, &answer.body["result"]).await,
                Part::Rest | Part::Swap | Part::Tools => Ok(false),
            },
            _ => return answer,
        };
        scene.lock().acted(number, asked, acted);
        answer
    }

    /// Other traders trade before the transaction that is about to be sent.
    async fn trade(&self, scene: &Mutex<Scene>, (number, treatment): (usize, Treatment), asked: &Asked) {
        let (Part::Node(chain), Some(broadcast)) = (asked.part, asked.broadcasts().next()) else { return };
        let operator = &self.shared.operator;
        let acted = match treatment {
            Treatment::Graduate => operator.graduate(chain, &broadcast).await,
            _ => operator.move_price(chain, &broadcast).await,
        };
        scene.lock().acted(number, asked, acted);
    }

    async fn forward(&self, request: &RequestParts) -> ProxiedResponse {
        let answered = async {
            let response = self.upstream.send(request.request()).await.map_err(ExchangeError::from)?;
            ProxiedResponse::read(response).await
        };
        answered.await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the platform did not answer a request of the client");
            refusal(502)
        })
    }
}

/// A refusal in the words of the services.
fn refusal(status: u16) -> ProxiedResponse {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    match status {
        StatusCode::TOO_MANY_REQUESTS => {
            let body = json!({ "error": "too many requests", "status": 429, "retryAfter": WAIT });
            let mut refusal = ProxiedResponse::of(status, &body);
            refusal.headers.insert(RETRY_AFTER, HeaderValue::from(WAIT));
            refusal
        }
        StatusCode::REQUEST_TIMEOUT => ProxiedResponse::refusal(status, "the request took too long"),
        _ => ProxiedResponse::refusal(status, "the service is not available"),
    }
}

fn used_captcha() -> ProxiedResponse {
    let error = "the captcha was not accepted: timeout-or-duplicate";
    let body = json!({ "error": error, "details": "timeout-or-duplicate", "status": 403 });
    ProxiedResponse::of(StatusCode::FORBIDDEN, &body)
}

/// Changes a node's answer to that of a node of another chain.
fn other_chain(asked: &Value, answered: &mut Value) {
    let calls = asked.as_array().map_or(std::slice::from_ref(asked), Vec::as_slice);
    let lie = |answer: &mut Value| {
        let call = calls.iter().find(|call| call["id"] == answer["id"]);
        match call.and_then(|call| call["method"].as_str()) {
            Some("eth_chainId") => answer["result"] = json!(format!("{OTHER_CHAIN:#x}")),
            Some("net_version") => answer["result"] = json!(OTHER_CHAIN.to_string()),
            _ => {}
        }
    };
    match answered {
        Value::Array(answers) => answers.iter_mut().for_each(lie),
        answer => lie(answer),
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::other_chain;

    #[test]
    fn only_chain_ids_are_changed_also_in_batches() {
        let call = |id: u64, method: &str| json!({ "id": id, "method": method });
        let answer = |id: u64, result: &str| json!({ "id": id, "result": result });
        let changed = |asked: &Value, mut reported: Value| -> Value {
            other_chain(asked, &mut reported);
            reported
        };
        assert_eq!(changed(&call(1, "eth_chainId"), answer(1, "0xdef1"))["result"], "0x1");
        let batch = json!([call(1, "eth_blockNumber"), call(2, "net_version")]);
        let reported = json!([answer(2, "57073"), answer(1, "0x9")]);
        assert_eq!(changed(&batch, reported), json!([answer(2, "1"), answer(1, "0x9")]));
    }
}
