//! The RPC as the server sees it: requests and answers are changed, repeated and remembered.
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{
    ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, TRANSFER_ENCODING,
};
use hyper::http::request;
use hyper::{Method, Request, Response, StatusCode, Uri};
use parking_lot::Mutex;
use serde_json::{Value, json};
use url::{Position, Url};

use super::WrapperError;
use super::effect::{RpcEffect, Scope};
use super::http::{promised, upstream};
use super::unbound::Unbound;
use crate::changes::Change;
use crate::http::body::{ProxyBody, boxed, full, read};
use crate::http::exchange::ProxiedResponse;
use crate::http::{ExchangeError, Link, Rule, Upstream};

/// Largest request read, in bytes.
const LARGEST: usize = 64 * 1024 * 1024;
/// Timeout of a request of the wrapper itself.
const OWN_QUESTION: Duration = Duration::from_secs(10);
const LOOK: &str = "eth_getTransactionReceipt";
const SEND: &str = "eth_sendRawTransaction";

/// A proxy in front of the RPC.
pub(super) struct Rpc {
    upstream: Upstream,
    target: Uri,
    effects: Vec<RpcEffect>,
    changes: Vec<&'static Change>,
    /// Signs the transactions of [`RpcEffect::Unbound`].
    unbound: Option<Unbound>,
    log: Mutex<Log>,
}

/// The requests and answers recorded so far.
#[derive(Default)]
struct Log {
    /// Headers of the last request, for requests of the wrapper itself.
    headers: HeaderMap,
    calls: u64,
    launches: usize,
    overlap: u64,
    first: BTreeMap<(&'static str, u64), Value>,
    looks: usize,
    last_look: Option<Value>,
    /// Parameters of transactions that were accepted and have no receipt, by hash.
    unmined: BTreeMap<String, Value>,
}

impl Rule for Rpc {
    type Kept = ();

    async fn exchange(
        self: &Arc<Self>,
        request: Request<Incoming>,
        service: &Link,
    ) -> Result<Response<ProxyBody>, ExchangeError> {
        let (parts, body) = request.into_parts();
        promised(self.served(parts, body, service).await)
    }
}

impl Rpc {
    pub(super) fn new(
        url: &Url,
        effects: Vec<RpcEffect>,
        changes: Vec<&'static Change>,
        key: Option<&str>,
    ) -> Result<Self, WrapperError> {
        let wanted = effects.iter().any(|effect| matches!(effect, RpcEffect::Unbound));
        let unbound = key.filter(|_| wanted).and_then(Unbound::new);
        let target = url[Position::BeforePath..Position::AfterQuery].parse().unwrap_or_default();
        Ok(Self { upstream: upstream(url)?, target, effects, changes, unbound, log: Mutex::default() })
    }

    async fn served(
        &self,
        parts: request::Parts,
        body: Incoming,
        service: &Link,
    ) -> Result<Response<ProxyBody>, ExchangeError> {
        let body = match read(body, LARGEST).await? {
            Ok(body) => body,
            Err(body) => return Ok(service.send(Request::from_parts(parts, body)).await?.map(boxed)),
        };
        let answer = match serde_json::from_slice(&body) {
            Ok(Value::Array(messages)) => {
                let mut whole = ProxiedResponse::of(StatusCode::OK, &json!([]));
                let mut answers = Vec::new();
                for message in messages {
                    whole = self.answer(&parts.headers, message).await?;
                    answers.push(whole.body.take());
                }
                whole.body = Value::Array(answers);
                whole
            }
            Ok(message @ Value::Object(_)) => self.answer(&parts.headers, message).await?,
            _ => {
                let request = Request::from_parts(parts, full(body));
                return Ok(service.send(request).await?.map(boxed));
            }
        };
        Ok(answer.response(&Method::POST))
    }

    async fn answer(
        &self,
        headers: &HeaderMap,
        mut message: Value,
    ) -> Result<ProxiedResponse, ExchangeError> {
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        self.before(&method, &mut message);
        if let Some(unbound) = &self.unbound {
            unbound.send(&mut message);
        }
        if let Some(result) = self.first_answer(&method, None) {
            let body = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
            return Ok(ProxiedResponse::of(StatusCode::OK, &body));
        }
        self.log.lock().headers.clone_from(headers);
        let mut answer = self.ask_once(headers.clone(), &message).await;
        if answer.is_err() && self.has(|effect| matches!(effect, RpcEffect::Again(of) if *of == method)) {
            answer = self.ask_once(headers.clone(), &message).await;
        }
        if self.has(|effect| matches!(effect, RpcEffect::Twice(of) if *of == method)) {
            answer = self.ask_once(headers.clone(), &message).await;
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

    async fn ask_once(
        &self,
        mut headers: HeaderMap,
        message: &Value,
    ) -> Result<ProxiedResponse, ExchangeError> {
        for name in [ACCEPT_ENCODING, CONTENT_LENGTH, TRANSFER_ENCODING] {
            headers.remove(name);
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        // Replaced by the address of the RPC.
        headers.insert(HOST, HeaderValue::from_static("rpc"));
        let mut request = Request::new(full(message.to_string()));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.target.clone();
        *request.headers_mut() = headers;
        ProxiedResponse::read_json(self.upstream.send(request).await?).await
    }

    /// The changes of calls to a method.
    fn changes(&self, method: &str) -> impl Iterator<Item = &&'static Change> {
        self.changes.iter().filter(move |change| change.on.rpc.as_ref().is_some_and(|on| on.matches(method)))
    }

    fn before(&self, method: &str, message: &mut Value) {
        self.changes(method).for_each(|change| change.change_values(true, message));
        if method == LOOK {
            let mut log = self.log.lock();
            log.looks += 1;
            log.last_look = Some(message["params"].clone());
        }
    }

    fn after(&self, method: &str, message: &Value, body: &mut Value) {
        self.changes(method).for_each(|change| change.change_values(false, body));
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

    /// The first answer to a method in the current scope; records `given` if there was none.
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

    /// The answer to a launch has been sent.
    pub(super) fn launch_ends(&self) {
        let mut log = self.log.lock();
        log.launches = log.launches.saturating_sub(1);
    }

    /// How many times a receipt was looked up.
    pub(super) fn looks(&self) -> usize {
        self.log.lock().looks
    }

    /// Repeats the last receipt lookup.
    pub(super) async fn look_again(&self) {
        let look = self.log.lock().last_look.clone();
        if let Some(parameters) = look {
            self.ask(LOOK, parameters).await;
        }
    }

    /// Sends every accepted transaction without a receipt again.
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
        let headers = self.log.lock().headers.clone();
        let asking = tokio::time::timeout(OWN_QUESTION, self.ask_once(headers, &message));
        let mut answer = asking.await.ok()?.ok()?;
        Some(answer.body["result"].take())
    }
}
