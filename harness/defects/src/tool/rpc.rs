//! The RPC as the server hears it: requests and answers changed, repeated, remembered.
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use parking_lot::Mutex;
use serde_json::{Value, json};
use url::Url;

use super::WrapperError;
use super::effect::{RpcEffect, Scope};
use super::http::{BrokenOff, Upstream, listen, passed, with_body};
use super::unbound::Unbound;

/// Largest request that is read, in bytes.
const LARGEST_REQUEST: usize = 64 * 1024 * 1024;
/// How long a question of the wrapper itself may take.
const OWN_QUESTION: Duration = Duration::from_secs(10);
const LOOK: &str = "eth_getTransactionReceipt";
const SEND: &str = "eth_sendRawTransaction";

/// A proxy before the RPC.
pub(super) struct Rpc {
    upstream: Upstream,
    effects: Vec<RpcEffect>,
    /// Signs what [`RpcEffect::Unbound`] sends.
    unbound: Option<Unbound>,
    log: Mutex<Log>,
}

/// What was said so far.
#[derive(Default)]
struct Log {
    calls: u64,
    launches: usize,
    overlap: u64,
    first: BTreeMap<(&'static str, u64), Value>,
    looks: usize,
    last_look: Option<Value>,
    /// Parameters of transactions that were taken and have no receipt, by their hash.
    unmined: BTreeMap<String, Value>,
}

/// An answer of the RPC.
struct RpcAnswer {
    status: StatusCode,
    headers: HeaderMap,
    body: Value,
}

impl Rpc {
    /// Listens before the RPC at `url`; returns it with its own address.
    pub(super) async fn listen(
        url: &Url,
        effects: Vec<RpcEffect>,
        key: Option<&str>,
    ) -> Result<(Arc<Self>, Url), WrapperError> {
        let wanted = effects.iter().any(|effect| matches!(effect, RpcEffect::Unbound));
        let unbound = key.filter(|_| wanted).and_then(Unbound::new);
        let upstream = Upstream::new(url.clone())?;
        let rpc = Arc::new(Self { upstream, effects, unbound, log: Mutex::default() });
        let serving = Arc::clone(&rpc);
        let own = listen(url, move |request| Arc::clone(&serving).serve(request)).await?;
        Ok((rpc, own))
    }

    async fn serve(self: Arc<Self>, request: Request) -> Result<Response, BrokenOff> {
        let (parts, body) = request.into_parts();
        let body = to_bytes(body, LARGEST_REQUEST).await.map_err(|_| BrokenOff)?;
        let answer = match serde_json::from_slice(&body) {
            Ok(Value::Array(messages)) => {
                let (mut answers, mut status, mut headers) = (Vec::new(), StatusCode::OK, HeaderMap::new());
                for message in messages {
                    let answer = self.answer(&parts.headers, message).await?;
                    (status, headers) = (answer.status, answer.headers);
                    answers.push(answer.body);
                }
                RpcAnswer { status, headers, body: Value::Array(answers) }
            }
            Ok(message @ Value::Object(_)) => self.answer(&parts.headers, message).await?,
            _ => {
                let request = Request::from_parts(parts, Body::from(body));
                let response = self.upstream.send(request).await?;
                let (status, headers) = (response.status(), response.headers().clone());
                return Ok(with_body(status, &headers, passed(response)));
            }
        };
        Ok(with_body(answer.status, &answer.headers, Body::from(answer.body.to_string())))
    }

    async fn answer(&self, headers: &HeaderMap, mut message: Value) -> Result<RpcAnswer, BrokenOff> {
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        self.before(&method, &mut message);
        if let Some(unbound) = &self.unbound {
            unbound.send(&mut message);
        }
        if let Some(result) = self.first_answer(&method, None) {
            let body = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
            let headers =
                HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
            return Ok(RpcAnswer { status: StatusCode::OK, headers, body });
        }
        let mut answer = self.exchange(headers, &message).await;
        if answer.is_err() && self.has(|effect| matches!(effect, RpcEffect::Again(of) if *of == method)) {
            answer = self.exchange(headers, &message).await;
        }
        if self.has(|effect| matches!(effect, RpcEffect::Twice(of) if *of == method)) {
            answer = self.exchange(headers, &message).await;
        }
        let mut answer = answer?;
        if let Some(unbound) = &self.unbound {
            unbound.answer(&mut answer.body);
        }
        self.after(&method, &message, &mut answer.body);
        Ok(answer)
    }

    fn has(&self, matches: impl Fn(&RpcEffect) -> bool) -> bool {
        self.effects.iter().any(matches)
    }

    async fn exchange(&self, headers: &HeaderMap, message: &Value) -> Result<RpcAnswer, BrokenOff> {
        let response = self.upstream.post(headers, message.to_string()).await?;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.bytes().await.map_err(|_| BrokenOff)?;
        let body = serde_json::from_slice(&body).map_err(|_| BrokenOff)?;
        Ok(RpcAnswer { status, headers, body })
    }

    fn before(&self, method: &str, message: &mut Value) {
        for effect in &self.effects {
            if let RpcEffect::Parameters(of, change) = effect
                && *of == method
            {
                change(&mut message["params"]);
            }
        }
        if method == LOOK {
            let mut log = self.log.lock();
            log.looks += 1;
            log.last_look = Some(message["params"].clone());
        }
    }

    fn after(&self, method: &str, message: &Value, body: &mut Value) {
        let Some(result) = body.get_mut("result").filter(|result| !result.is_null()) else {
            return;
        };
        for effect in &self.effects {
            if let RpcEffect::Result(of, change) = effect
                && *of == method
            {
                change(result);
            }
        }
        if let Some(first) = self.first_answer(method, Some(result)) {
            *result = first;
        }
        let mut log = self.log.lock();
        match (method, message["params"][0].as_str(), result.as_str()) {
            (SEND, _, Some(hash)) => {
                log.unmined.insert(hash.to_owned(), message["params"].clone());
            }
            (LOOK, Some(hash), _) => {
                log.unmined.remove(hash);
            }
            _ => {}
        }
    }

    /// The first answer to a method in the scope that is open now; the one given when there was none.
    fn first_answer(&self, method: &str, given: Option<&Value>) -> Option<Value> {
        let mut log = self.log.lock();
        let (of, scope) = self.effects.iter().find_map(|effect| match effect {
            RpcEffect::FirstAnswer(of, Scope::Call) if *of == method => Some((*of, log.calls)),
            RpcEffect::FirstAnswer(of, Scope::OverlappingLaunches) if *of == method && log.launches > 0 => {
                Some((*of, log.overlap))
            }
            RpcEffect::FirstAnswer(of, Scope::Session) if *of == method => Some((*of, 0)),
            _ => None,
        })?;
        match given {
            None => log.first.get(&(of, scope)).cloned(),
            Some(given) => Some(log.first.entry((of, scope)).or_insert_with(|| given.clone()).clone()),
        }
    }

    /// A tool call is about to begin.
    pub(super) fn call_begins(&self, launches: bool) {
        let mut log = self.log.lock();
        log.calls += 1;
        if launches {
            log.overlap += u64::from(log.launches == 0);
            log.launches += 1;
        }
    }

    /// The answer to a launch has gone out.
    pub(super) fn launch_ends(&self) {
        let mut log = self.log.lock();
        log.launches = log.launches.saturating_sub(1);
    }

    /// How often a receipt was looked for.
    pub(super) fn looks(&self) -> usize {
        self.log.lock().looks
    }

    /// Looks for the receipt once more that was looked for last.
    pub(super) async fn look_again(&self) {
        let look = self.log.lock().last_look.clone();
        if let Some(parameters) = look {
            self.ask(LOOK, parameters).await;
        }
    }

    /// Sends every transaction again that was taken and has no receipt.
    pub(super) async fn send_again(&self) {
        let unmined = std::mem::take(&mut self.log.lock().unmined);
        for parameters in unmined.into_values() {
            self.ask(SEND, parameters).await;
        }
    }

    /// Time of the latest block, in Unix seconds.
    pub(super) async fn head_time(&self) -> Option<u64> {
        let block = self.ask("eth_getBlockByNumber", json!(["latest", false])).await?;
        u64::from_str_radix(block["timestamp"].as_str()?.strip_prefix("0x")?, 16).ok()
    }

    async fn ask(&self, method: &str, parameters: Value) -> Option<Value> {
        let message = json!({"jsonrpc": "2.0", "id": 0, "method": method, "params": parameters});
        let headers = HeaderMap::new();
        let asking = tokio::time::timeout(OWN_QUESTION, self.exchange(&headers, &message));
        let mut answer = asking.await.ok()?.ok()?;
        Some(answer.body["result"].take())
    }
}
