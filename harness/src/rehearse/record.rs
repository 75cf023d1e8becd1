//! The requests of a client under rehearsal and their answers: the journal to which its rules apply.
use std::time::Duration;

use alloy::consensus::{Transaction as _, TxEnvelope};
use alloy::eips::eip2718::Decodable2718 as _;
use alloy::primitives::{Address, B256, Bytes, Signature, U256, keccak256};
use hyper::HeaderMap;
use serde_json::Value;
use slipway_contracts::decode::{self, Named};
use slipway_defects::http::exchange::ProxiedResponse;

use super::fault::Act;

/// Most that is kept of the answers of a run, in bytes as they were sent; parsed they take many times as much.
pub(super) const MOST_OF_ANSWERS: usize = 8 << 20;
/// Largest answer that is kept beyond that if a rule is about answers of its kind.
const SMALL: usize = 16 << 10;
/// The path of the capabilities.
pub(super) const CAPABILITIES: &str = "/api/capabilities";
/// The methods whose answer is a receipt; the last two broadcast and wait for it.
pub(super) const RECEIPTS: [&str; 3] =
    ["eth_getTransactionReceipt", "eth_sendRawTransactionSync", "eth_sendTransactionSync"];

/// A part of the platform that clients reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Part {
    #[default]
    Rest,
    Swap,
    Node(u64),
    /// The tool server of an agent.
    Tools,
}

/// A transaction that a node was asked to broadcast.
#[derive(Clone, Debug)]
pub(super) struct Broadcast {
    /// The sender, if known.
    pub(super) from: Option<Address>,
    pub(super) to: Option<Address>,
    pub(super) input: Bytes,
    /// The function that the input calls, if a known contract has it.
    pub(super) call: Option<Named>,
    pub(super) value: U256,
    /// Its hash, if the client signed it itself.
    pub(super) hash: Option<B256>,
}

/// A request as a client sent it.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    pub(super) part: Part,
    pub(super) method: String,
    /// Path and query; the name of a tool.
    pub(super) target: String,
    /// Whether it is conditional on an answer that the client has kept.
    pub(super) is_conditional: bool,
    /// The captcha token in its body.
    pub(super) captcha: Option<String>,
    /// The limit that counts it; requests that share a limit have the same value.
    pub(super) limit: String,
    /// The calls of a request to a node.
    calls: Vec<Value>,
    /// The transactions that they broadcast; recovering a sender takes a while.
    pub(super) sent: Vec<Broadcast>,
    /// The body, unless it is for a node; JSON without its escapes.
    body: String,
}

/// A request with its answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Exchange {
    pub(super) asked: Asked,
    /// What the fault of the run did to it.
    pub(super) act: Act,
    /// When it arrived and when it was answered, since the client was started.
    pub(super) came: Duration,
    pub(super) answered: Option<Duration>,
    /// Status of the answer; `None` if it was cut.
    pub(super) status: Option<u16>,
    /// Seconds of its `Retry-After`.
    pub(super) retry_after: Option<u64>,
    /// Its body, if that is JSON and was kept.
    pub(super) answer: Value,
    pub(super) request_id: Option<String>,
    /// The rule that refused it, from the platform's journal.
    pub(super) cause: Option<String>,
}

impl Exchange {
    /// Records the answer that the client gets; `left` is how much of the answers of its run may still be kept.
    pub(super) fn read(&mut self, answer: &ProxiedResponse, left: &mut usize) {
        let text = |name: &str| answer.headers.get(name).and_then(|value| value.to_str().ok());
        self.request_id = text("x-request-id").map(str::to_owned);
        self.retry_after = text("retry-after").and_then(|seconds| seconds.parse().ok());
        if self.act != Act::Cut {
            self.status = Some(answer.status.as_u16());
            let size = answer.written().len();
            if size <= *left || (size <= SMALL && self.asked.is_judged_by_its_answer()) {
                *left = left.saturating_sub(size);
                self.answer = answer.body.clone();
            }
        }
    }

    /// Whether it reached the platform.
    pub(super) fn is_forwarded(&self) -> bool {
        match self.act {
            Act::UseCaptcha | Act::MoveFee => false,
            Act::Refuse(_) => !self.asked.sent.is_empty(),
            _ => true,
        }
    }
}

impl Asked {
    pub(super) fn read(part: Part, method: &str, target: &str, headers: &HeaderMap, body: &[u8]) -> Self {
        let json: Value = serde_json::from_slice(body).unwrap_or_default();
        let calls = if matches!(part, Part::Node(_)) { one_or_many(&json) } else { &[] };
        let calls = calls.iter().filter(|call| call["method"].is_string());
        let mut asked = Self {
            part,
            method: method.to_owned(),
            target: target.to_owned(),
            is_conditional: headers.contains_key("if-none-match")
                || headers.contains_key("if-modified-since"),
            calls: calls.clone().cloned().collect(),
            sent: calls.filter_map(Broadcast::of).collect(),
            body: match part {
                Part::Node(_) => String::new(),
                _ if json.is_null() => String::from_utf8_lossy(body).into_owned(),
                _ => json.to_string(),
            },
            ..Self::default()
        };
        asked.captcha = match (part, method, asked.path()) {
            (Part::Rest, "POST", "/api/chat") => json["token"].as_str().map(str::to_owned),
            (Part::Rest, "POST", "/api/upload") => asked.form_field("captchaToken"),
            _ => None,
        };
        asked.limit = format!("{part:?} {method} {}", asked.limited_as(&json, body));
        asked
    }

    pub(super) fn of_tool(name: &str, arguments: &Value) -> Self {
        Self {
            part: Part::Tools,
            method: "tools/call".to_owned(),
            target: name.to_owned(),
            body: arguments.to_string(),
            ..Self::default()
        }
    }

    /// The limit that counts it, as the interface states it: per wallet, per address, or per caller. A request without a stated limit is
    /// counted by its kind.
    fn limited_as(&self, json: &Value, body: &[u8]) -> String {
        let path = self.path();
        match (self.part, self.method.as_str(), path) {
            (Part::Rest, "GET", "/api/referral/stats" | "/api/referral/leaderboard") => {
                "referral reads".to_owned()
            }
            (Part::Rest, "POST", "/api/referral/code" | "/api/referral/register") => path.to_owned(),
            (Part::Rest, "POST", "/api/upload") => {
                format!("{path} {:?}", self.form_field("walletAddress").map(|wallet| wallet.to_lowercase()))
            }
            (Part::Rest, "POST", "/api/chat") => format!("{path} {:?}", chat_sender(json)),
            _ => format!("{} {}", self.target, keccak256(body)),
        }
    }

    fn form_field(&self, name: &str) -> Option<String> {
        let (_, part) = self.body.split_once(&format!("name=\"{name}\""))?;
        let (_, value) = part.split_once("\r\n\r\n")?;
        value.split("\r\n").next().map(str::to_owned)
    }

    /// The text that it sends to a service or a tool: target and body.
    pub(super) fn said(&self) -> String {
        format!("{} {}", self.target, self.body)
    }

    pub(super) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// Whether it is for this path of the REST service.
    pub(super) fn is_for(&self, path: &str) -> bool {
        self.part == Part::Rest && self.path() == path
    }

    /// The page of the list of tokens that it reads, from 1.
    pub(super) fn page(&self) -> Option<u64> {
        let query = self.target.split_once('?').map_or("", |(_, query)| query);
        let page = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "page");
        let is_list = self.method == "GET" && self.is_for("/api/tokens");
        is_list.then(|| page.map_or(Some(1), |(_, page)| page.parse().ok()))?
    }

    /// Whether a rule is about answers of its kind: capabilities, quotes and receipts.
    fn is_judged_by_its_answer(&self) -> bool {
        self.part == Part::Swap || self.is_for(CAPABILITIES) || self.calls(&RECEIPTS)
    }

    /// Whether it calls one of these methods of a node.
    pub(super) fn calls(&self, methods: &[&str]) -> bool {
        self.calls.iter().any(|call| methods.iter().any(|method| call["method"] == *method))
    }

    /// The inputs of the transactions that it simulates.
    pub(super) fn simulated(&self) -> impl Iterator<Item = Bytes> {
        self.calls.iter().flat_map(|call| {
            let first = &call["params"][0];
            match call["method"].as_str().unwrap_or_default() {
                "eth_call" | "eth_estimateGas" | "eth_createAccessList" | "debug_traceCall" => {
                    vec![input(first)]
                }
                // It estimates the gas that is missing.
                "eth_fillTransaction" if first["gas"].is_null() => vec![input(first)],
                "eth_simulateV1" => {
                    let blocks = first["blockStateCalls"].as_array().into_iter().flatten();
                    blocks
                        .flat_map(|block| block["calls"].as_array().into_iter().flatten().map(input))
                        .collect()
                }
                _ => Vec::new(),
            }
        })
    }

    /// A description: methods and paths, no bodies, hence no credentials.
    pub(super) fn shown(&self) -> String {
        match self.part {
            Part::Rest => format!("{} {}", self.method, self.target),
            Part::Swap => format!("{} {} of the swap service", self.method, self.target),
            Part::Tools => format!("{} of the tool server", self.target),
            Part::Node(chain) => {
                let methods = self.calls.iter().filter_map(|call| call["method"].as_str());
                format!("{} of chain {chain}", methods.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl Broadcast {
    /// The transaction that a call broadcasts.
    fn of(call: &Value) -> Option<Self> {
        let first = &call["params"][0];
        match call["method"].as_str()? {
            "eth_sendRawTransaction" | "eth_sendRawTransactionSync" => {
                let raw: Bytes = first.as_str()?.parse().ok()?;
                let signed = TxEnvelope::decode_2718(&mut raw.as_ref()).ok()?;
                Some(Self {
                    from: signed.signature().recover_address_from_prehash(&signed.signature_hash()).ok(),
                    to: signed.to(),
                    input: signed.input().clone(),
                    call: decode::call(signed.input()),
                    value: signed.value(),
                    hash: Some(*signed.tx_hash()),
                })
            }
            "eth_sendTransaction" | "eth_sendTransactionSync" => Some(Self::unsigned(first)),
            _ => None,
        }
    }

    /// A transaction as a node signs it, or as a quote has it.
    pub(super) fn unsigned(transaction: &Value) -> Self {
        let address = |name: &str| transaction[name].as_str().and_then(|text| text.parse().ok());
        let input = input(transaction);
        Self {
            from: address("from"),
            to: address("to"),
            call: decode::call(&input),
            input,
            value: transaction["value"].as_str().and_then(|text| text.parse().ok()).unwrap_or_default(),
            hash: None,
        }
    }

    /// An argument of the function that it calls.
    pub(super) fn argument(&self, name: &str) -> Option<&str> {
        let arguments = &self.call.as_ref()?.arguments;
        arguments.iter().find(|argument| argument.name == name).map(|argument| argument.value.as_str())
    }

    pub(super) fn is_launch(&self) -> bool {
        self.call.as_ref().is_some_and(|call| call.name.starts_with("createLaunch"))
    }
}

fn input(transaction: &Value) -> Bytes {
    let text = transaction["input"].as_str().or(transaction["data"].as_str());
    text.and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// The messages of a JSON-RPC body, which may be a batch.
pub(super) fn one_or_many(body: &Value) -> &[Value] {
    body.as_array().map_or(std::slice::from_ref(body), Vec::as_slice)
}

fn chat_sender(message: &Value) -> Option<Address> {
    let text = |name: &str| message[name].as_str();
    let signature: Signature = text("signature")?.parse().ok()?;
    let signed = format!(
        "Launch platform chat\nToken: {}\nCaptcha: {}\nMessage: {}",
        text("tokenAddress")?.to_lowercase(),
        text("token")?,
        text("message")?
    );
    signature.recover_address_from_msg(signed).ok()
}

#[cfg(test)]
mod tests {
    use hyper::{HeaderMap, StatusCode};
    use serde_json::{Value, json};
    use slipway_defects::http::exchange::ProxiedResponse;

    use super::{Asked, Exchange, Part, SMALL};

    fn posted(part: Part, path: &str, body: &[u8]) -> Asked {
        Asked::read(part, "POST", path, &HeaderMap::new(), body)
    }

    #[test]
    fn answers_are_kept_up_to_a_bound_and_beyond_it_those_that_rules_are_about() {
        let answer = |size: usize| Value::from("x".repeat(size));
        let mut left = 2 * SMALL;
        let mut is_kept = |part: Part, path: &str, body: &Value, size: usize| {
            let asked = posted(part, path, body.to_string().as_bytes());
            let mut exchange = Exchange { asked, ..Exchange::default() };
            exchange.read(&ProxiedResponse::of(StatusCode::OK, &answer(size)), &mut left);
            assert_eq!(exchange.status, Some(200));
            !exchange.answer.is_null()
        };
        let none = Value::Null;
        let call = |method: &str| json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": [] });
        assert!(!is_kept(Part::Node(57073), "/", &call("eth_getLogs"), 3 * SMALL));
        assert!(is_kept(Part::Rest, "/api/tokens", &none, SMALL));
        assert!(!is_kept(Part::Rest, "/api/tokens", &none, SMALL));
        assert!(is_kept(Part::Rest, "/api/capabilities?chainId=57073", &none, SMALL - 2));
        assert!(!is_kept(Part::Rest, "/api/tokens", &none, 100), "nothing is left");
        assert!(is_kept(Part::Node(57073), "/", &call("eth_getTransactionReceipt"), 100));
        assert!(is_kept(Part::Swap, "/api/quote?amount=1", &none, 100));
        assert!(!is_kept(Part::Swap, "/api/pairs", &none, SMALL));
    }

    #[test]
    fn a_transaction_whose_gas_the_node_fills_in_is_simulated() {
        let simulates = |method: &str, transaction: Value| {
            let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": [transaction] });
            let asked = posted(Part::Node(57073), "/", call.to_string().as_bytes());
            asked.simulated().any(|input| input[..] == [1])
        };
        for method in ["eth_call", "eth_estimateGas", "eth_fillTransaction", "debug_traceCall"] {
            assert!(simulates(method, json!({ "data": "0x01" })), "{method}");
        }
        assert!(!simulates("eth_fillTransaction", json!({ "data": "0x01", "gas": "0x5208" })));
        assert!(!simulates("eth_sendTransaction", json!({ "data": "0x01" })));
    }

    #[test]
    fn captchas_are_read_from_both_kinds_of_bodies() {
        let form = b"--x\r\ncontent-disposition: form-data; name=\"captchaToken\"\r\n\r\nabc\r\n--x--\r\n";
        let captcha = |path: &str, body: &[u8]| posted(Part::Rest, path, body).captcha;
        assert_eq!(captcha("/api/upload", form).as_deref(), Some("abc"));
        assert_eq!(captcha("/api/upload", b"name=\"walletAddress\"\r\n\r\nabc"), None);
        assert_eq!(captcha("/api/chat?x=1", br#"{"token":"def"}"#).as_deref(), Some("def"));
        assert_eq!(captcha("/api/referral/register", br#"{"token":"def"}"#), None);
    }

    #[test]
    fn what_is_said_is_read_from_both_kinds_of_bodies_without_escapes() {
        let said = |body: &[u8]| posted(Part::Rest, "/x", body).said();
        assert_eq!(said(br#"{"message":"\u0030x1"}"#), r#"/x {"message":"0x1"}"#);
        assert!(said(b"--x\r\n\r\n0x1\r\n--x--\r\n").contains("0x1"));
    }

    #[test]
    fn broadcasts_are_read_from_batches_and_bad_ones_are_none() {
        let call =
            |method: &str, params| json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let batch = json!([
            call("eth_chainId", json!([])),
            call(
                "eth_sendTransaction",
                json!([{ "to": format!("0x{}", "11".repeat(20)), "data": "0x01", "value": "0x2" }])
            ),
            call("eth_sendRawTransaction", json!(["0x00"])),
            call("eth_sendRawTransaction", json!([])),
        ]);
        let Asked { calls, sent, .. } = posted(Part::Node(57073), "/", batch.to_string().as_bytes());
        assert_eq!((calls.len(), sent.len()), (4, 1));
        assert_eq!((sent[0].input.as_ref(), sent[0].value.to::<u64>()), ([1].as_slice(), 2));
    }
}
