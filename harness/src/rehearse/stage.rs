//! Proxies between the client and the platform: they record every exchange and inject the fault of the run.
use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use futures::stream;
use parking_lot::Mutex;
use reqwest::Client;
use serde_json::{Value, json};
use slipway_sim::Ready;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::canary::Canaries;
use super::fault::{Fault, Treatment};
use super::operator::{Operator, OperatorError};
use super::record::{Asked, Exchange, Part};

/// Largest body that is read.
const LARGEST: usize = 32 * 1024 * 1024;
/// Delay of a slow answer.
const LATE: Duration = Duration::from_secs(3);
/// Seconds of the `Retry-After` of a rate-limit refusal.
const RETRY_AFTER: u64 = 2;
const LIST_PAGE: u64 = 20;
const OTHER_CHAIN: u64 = 1;
/// Headers that concern one connection, or would make answers unreadable here.
const OWN_HEADERS: [HeaderName; 7] = [
    header::HOST,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::TE,
    header::UPGRADE,
    header::ACCEPT_ENCODING,
];

/// The addresses of the platform for the client, before the platform exists.
pub(super) struct Listeners(Vec<(Part, TcpListener)>);

/// The proxies of a rehearsal; they end when this is dropped.
pub(super) struct Stage {
    pub(super) shared: Arc<Shared>,
    tasks: Vec<JoinHandle<()>>,
    /// The ready line that the client is given.
    pub(super) ready: Ready,
}

pub(super) struct Shared {
    client: Client,
    operator: Operator,
    /// What is planted in the texts of strangers.
    pub(super) canaries: Canaries,
    /// The run of new requests; requests that an earlier client left behind stay with the earlier run.
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

#[derive(Clone)]
struct Proxy {
    part: Part,
    upstream: String,
    shared: Arc<Shared>,
}

/// The answer that the client gets.
struct StagedAnswer {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
    is_cut: bool,
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
    pub(super) fn start(
        self,
        client: &Client,
        operator: &Operator,
        canaries: Canaries,
        ready: &Ready,
    ) -> io::Result<Stage> {
        let mut shown = ready.clone();
        shown.base_url = self.origin(Part::Rest)?;
        shown.swap_base_url = self.origin(Part::Swap)?;
        for chain in &mut shown.chains {
            chain.rpc_url = self.origin(Part::Node(chain.chain_id))?;
        }
        let scene = Mutex::new(Arc::new(Mutex::new(Scene::new(Fault::Nothing))));
        let shared = Arc::new(Shared { client: client.clone(), operator: operator.clone(), canaries, scene });
        let mut tasks = Vec::new();
        for (part, listener) in self.0 {
            let node = |id| {
                ready.chains.iter().find(|chain| chain.chain_id == id).map(|chain| chain.rpc_url.clone())
            };
            let upstream = match part {
                Part::Rest => ready.base_url.clone(),
                Part::Swap => ready.swap_base_url.clone(),
                Part::Node(id) => node(id).ok_or(io::ErrorKind::NotFound)?,
                Part::Tools => continue,
            };
            let proxy = Proxy { part, upstream, shared: Arc::clone(&shared) };
            let router = Router::new().fallback(pass).with_state(proxy);
            tasks.push(tokio::spawn(async move {
                // Serving ends only when the task is aborted.
                _ = axum::serve(listener, router).await;
            }));
        }
        Ok(Stage { shared, tasks, ready: shown })
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Stage {
    pub(super) fn begin(&self, fault: Fault) {
        *self.shared.scene.lock() = Arc::new(Mutex::new(Scene::new(fault)));
    }

    /// Ends it; returns its exchanges and how many of them the fault affected, or an error if the fault could not be injected.
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

    /// Records a request; returns what happens to it.
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

    /// Records the answer of a tool; none if it did not end.
    pub(super) fn returned(&mut self, number: usize, result: Option<&Value>) {
        let now = self.begun.elapsed();
        let Some(exchange) = self.exchanges.get_mut(number) else { return };
        if let Some(result) = result {
            exchange.answered = Some(now);
            exchange.answer = result.clone();
        }
    }

    fn close(&mut self, number: usize, answer: &StagedAnswer) {
        let now = self.begun.elapsed();
        let Some(exchange) = self.exchanges.get_mut(number) else { return };
        let text = |name: &str| answer.headers.get(name).and_then(|value| value.to_str().ok());
        exchange.answered = Some(now);
        exchange.request_id = text("x-request-id").map(str::to_owned);
        exchange.retry_after = text("retry-after").and_then(|seconds| seconds.parse().ok());
        if !answer.is_cut {
            exchange.status = Some(answer.status.as_u16());
            exchange.answer = serde_json::from_slice(&answer.body).unwrap_or_default();
        }
    }
}

async fn pass(State(proxy): State<Proxy>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    let asked = Asked::read(proxy.part, head.method.as_str(), target, &head.headers, &body);
    // The request is carried out even if the client does not wait for it.
    let done = tokio::spawn(async move {
        let scene = proxy.shared.scene();
        let (number, treatment) = scene.lock().admit(&asked);
        let answer = proxy.treat(&scene, (number, treatment), &asked, &head, body).await;
        scene.lock().close(number, &answer);
        answer
    });
    done.await.map_or_else(|_| StatusCode::BAD_GATEWAY.into_response(), StagedAnswer::into_response)
}

impl Proxy {
    async fn treat(
        &self,
        scene: &Mutex<Scene>,
        (number, treatment): (usize, Treatment),
        asked: &Asked,
        head: &Parts,
        body: Bytes,
    ) -> StagedAnswer {
        match treatment {
            Treatment::Refuse(status) => return refusal(status),
            Treatment::UsedCaptcha => return used_captcha(),
            Treatment::MovePrice | Treatment::Graduate => self.trade(scene, (number, treatment), asked).await,
            _ => {}
        }
        let mut answer = self.forward(head, body.clone()).await;
        match treatment {
            Treatment::Lose(status) => refusal(status),
            Treatment::Slow => {
                tokio::time::sleep(LATE).await;
                answer
            }
            Treatment::Cut => StagedAnswer { is_cut: true, ..answer },
            Treatment::OtherChain => {
                answer.body = other_chain(&body, &answer.body);
                answer
            }
            Treatment::Plant(_) => {
                let mut messages: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
                let planted = self.shared.canaries.plant_in_chat(&asked.target, &mut messages);
                scene.lock().acted(number, asked, Ok(planted));
                if planted {
                    answer.body = messages.to_string().into();
                }
                answer
            }
            Treatment::GrowList => {
                let longer = longer(asked, &answer.body);
                scene.lock().acted(number, asked, Ok(longer.is_some()));
                answer.body = longer.unwrap_or(answer.body);
                answer
            }
            Treatment::Reorganise => {
                let reported: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
                let acted = match asked.part {
                    Part::Node(chain) => self.shared.operator.reorganise(chain, &reported["result"]).await,
                    Part::Rest | Part::Swap | Part::Tools => Ok(false),
                };
                scene.lock().acted(number, asked, acted);
                answer
            }
            _ => answer,
        }
    }

    /// Others trade before the transaction that is about to be sent.
    async fn trade(&self, scene: &Mutex<Scene>, (number, treatment): (usize, Treatment), asked: &Asked) {
        let (Part::Node(chain), Some(broadcast)) = (asked.part, asked.broadcasts().next()) else { return };
        let operator = &self.shared.operator;
        let acted = match treatment {
            Treatment::Graduate => operator.graduate(chain, &broadcast).await,
            _ => operator.move_price(chain, &broadcast).await,
        };
        scene.lock().acted(number, asked, acted);
    }

    async fn forward(&self, head: &Parts, body: Bytes) -> StagedAnswer {
        let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
        let mut headers = head.headers.clone();
        for name in OWN_HEADERS {
            headers.remove(name);
        }
        let request = self.shared.client.request(head.method.clone(), format!("{}{target}", self.upstream));
        let answered = async {
            let response = request.headers(headers).body(body).send().await?;
            let (status, mut headers) = (response.status(), response.headers().clone());
            for name in OWN_HEADERS {
                headers.remove(name);
            }
            Ok::<_, reqwest::Error>(StagedAnswer {
                status,
                headers,
                body: response.bytes().await?,
                is_cut: false,
            })
        };
        answered.await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the platform did not answer a request of the client");
            refusal(502)
        })
    }
}

impl StagedAnswer {
    fn into_response(self) -> Response {
        let body = if self.is_cut {
            Body::from_stream(stream::iter([
                Ok(self.body.slice(..self.body.len() / 2)),
                Err(io::Error::other("cut")),
            ]))
        } else {
            Body::from(self.body)
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }
}

fn json_answer(status: u16, body: &Value) -> StagedAnswer {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    StagedAnswer { status, headers, body: body.to_string().into(), is_cut: false }
}

/// A refusal as the services word it.
fn refusal(status: u16) -> StagedAnswer {
    if status != 429 {
        let message =
            if status == 408 { "the request took too long" } else { "the service is not available" };
        return json_answer(status, &json!({ "error": message, "status": status }));
    }
    let body = json!({ "error": "too many requests", "status": status, "retryAfter": RETRY_AFTER });
    let mut answer = json_answer(status, &body);
    answer.headers.insert(header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER));
    answer
}

fn used_captcha() -> StagedAnswer {
    let error = "the captcha was not accepted: timeout-or-duplicate";
    json_answer(403, &json!({ "error": error, "details": "timeout-or-duplicate", "status": 403 }))
}

/// The answer of a node, changed to that of another chain.
fn other_chain(asked: &[u8], answered: &[u8]) -> Bytes {
    let asked: Value = serde_json::from_slice(asked).unwrap_or_default();
    let mut reported: Value = serde_json::from_slice(answered).unwrap_or_default();
    let calls = asked.as_array().cloned().unwrap_or_else(|| vec![asked]);
    let lie = |answer: &mut Value| {
        let call = calls.iter().find(|call| call["id"] == answer["id"]);
        match call.and_then(|call| call["method"].as_str()) {
            Some("eth_chainId") => answer["result"] = json!(format!("{OTHER_CHAIN:#x}")),
            Some("net_version") => answer["result"] = json!(OTHER_CHAIN.to_string()),
            _ => {}
        }
    };
    match &mut reported {
        Value::Array(answers) => answers.iter_mut().for_each(lie),
        answer => lie(answer),
    }
    reported.to_string().into()
}

/// The last page of a list after further launches; none for any other page.
fn longer(asked: &Asked, answered: &[u8]) -> Option<Bytes> {
    let mut list: Value = serde_json::from_slice(answered).ok()?;
    let pages = list["totalPages"].as_u64().filter(|pages| asked.page() == Some(*pages))?;
    list["totalCount"] = json!(pages * LIST_PAGE + 1);
    list["totalPages"] = json!(pages + 1);
    Some(list.to_string().into())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::other_chain;

    #[test]
    fn only_chain_ids_are_changed_also_in_batches() {
        let call = |id: u64, method: &str| json!({ "id": id, "method": method });
        let answer = |id: u64, result: &str| json!({ "id": id, "result": result });
        let changed = |asked: &Value, reported: &Value| -> Value {
            let text = other_chain(asked.to_string().as_bytes(), reported.to_string().as_bytes());
            serde_json::from_slice(&text).unwrap()
        };
        assert_eq!(changed(&call(1, "eth_chainId"), &answer(1, "0xdef1"))["result"], "0x1");
        let batch = json!([call(1, "eth_blockNumber"), call(2, "net_version")]);
        let reported = json!([answer(2, "57073"), answer(1, "0x9")]);
        assert_eq!(changed(&batch, &reported), json!([answer(2, "1"), answer(1, "0x9")]));
    }
}
