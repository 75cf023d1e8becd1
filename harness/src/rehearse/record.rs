//! The requests of a client under rehearsal and their answers: the journal to which its rules apply.
use std::time::Duration;

use alloy::consensus::{Transaction as _, TxEnvelope};
use alloy::eips::eip2718::Decodable2718 as _;
use alloy::primitives::{Address, B256, Bytes, Signature, U256, keccak256};
use hyper::HeaderMap;
use serde_json::Value;

/// A part of the platform that clients reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Rest,
    Swap,
    Node(u64),
    /// The tool server of an agent.
    Tools,
}

#[derive(Clone, Debug)]
pub(super) struct NodeCall {
    pub(super) method: String,
    pub(super) params: Value,
}

/// A transaction that a node was asked to broadcast.
#[derive(Clone, Debug)]
pub(super) struct Broadcast {
    /// The sender, if known.
    pub(super) from: Option<Address>,
    pub(super) to: Option<Address>,
    pub(super) input: Bytes,
    pub(super) value: U256,
    /// Its hash, if the client signed it itself.
    pub(super) hash: Option<B256>,
}

/// A request as a client sent it.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) part: Part,
    pub(super) method: String,
    /// Path and query.
    pub(super) target: String,
    /// Whether it is conditional on an answer that the client has kept.
    pub(super) is_conditional: bool,
    /// The captcha token in its body.
    pub(super) captcha: Option<String>,
    /// The limit that counts it; requests that share a limit have the same value.
    pub(super) limit: String,
    pub(super) calls: Vec<NodeCall>,
    /// The body, unless it is for a node; JSON without its escapes.
    body: String,
    /// The transactions that they broadcast; recovering a sender takes a while.
    sent: Vec<Broadcast>,
}

/// A request with its answer.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    pub(super) asked: Asked,
    /// When it arrived and when it was answered, since the client was started.
    pub(super) came: Duration,
    pub(super) answered: Option<Duration>,
    /// Whether it reached the platform.
    pub(super) is_forwarded: bool,
    /// Whether the client's answer differs from the platform's, or is late or partial.
    pub(super) is_disturbed: bool,
    /// Status of the answer; `None` if it was cut.
    pub(super) status: Option<u16>,
    /// Seconds of its `Retry-After`.
    pub(super) retry_after: Option<u64>,
    /// Its body, if that is JSON.
    pub(super) answer: Value,
    pub(super) request_id: Option<String>,
    /// The rule that refused it, from the platform's journal.
    pub(super) cause: Option<String>,
}

impl Asked {
    pub(super) fn read(part: Part, method: &str, target: &str, headers: &HeaderMap, body: &[u8]) -> Self {
        let json: Value = serde_json::from_slice(body).unwrap_or_default();
        let is_conditional =
            ["if-none-match", "if-modified-since"].iter().any(|name| headers.contains_key(*name));
        let mut asked = Self {
            part,
            method: method.to_owned(),
            target: target.to_owned(),
            is_conditional,
            captcha: None,
            limit: limit(part, method, target, body),
            calls: Vec::new(),
            body: match part {
                Part::Node(_) => String::new(),
                _ if json.is_null() => String::from_utf8_lossy(body).into_owned(),
                _ => json.to_string(),
            },
            sent: Vec::new(),
        };
        match part {
            Part::Node(_) => {
                asked.calls = calls(&json);
                asked.sent = asked.calls.iter().filter_map(NodeCall::broadcast).collect();
            }
            Part::Rest if method == "POST" => {
                let named = |name: &str| json[name].as_str().map(str::to_owned);
                asked.captcha = match asked.path() {
                    "/api/chat" => named("token"),
                    "/api/upload" => form_field(body, "captchaToken"),
                    _ => None,
                };
            }
            Part::Rest | Part::Swap | Part::Tools => {}
        }
        asked
    }

    pub(super) fn of_tool(name: &str, arguments: &Value) -> Self {
        Self {
            part: Part::Tools,
            method: "tools/call".to_owned(),
            target: name.to_owned(),
            is_conditional: false,
            captcha: None,
            limit: name.to_owned(),
            calls: vec![NodeCall { method: name.to_owned(), params: arguments.clone() }],
            body: arguments.to_string(),
            sent: Vec::new(),
        }
    }

    /// The text that it sends to a service or a tool: target and body.
    pub(super) fn said(&self) -> String {
        format!("{} {}", self.target, self.body)
    }

    pub(super) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// The page of the list of tokens that it reads, from 1.
    pub(super) fn page(&self) -> Option<u64> {
        let is_list = self.part == Part::Rest && self.method == "GET" && self.path() == "/api/tokens";
        let query = self.target.split_once('?').map_or("", |(_, query)| query);
        let page = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "page");
        is_list.then(|| page.map_or(Some(1), |(_, page)| page.parse().ok()))?
    }

    /// Whether it calls an API endpoint of a service.
    pub(super) fn is_of_a_service(&self) -> bool {
        matches!(self.part, Part::Rest | Part::Swap) && self.path().starts_with("/api/")
    }

    pub(super) fn broadcasts(&self) -> impl Iterator<Item = Broadcast> {
        self.sent.iter().cloned()
    }

    /// A description: methods and paths, no bodies, hence no credentials.
    pub(super) fn shown(&self) -> String {
        match self.part {
            Part::Rest => format!("{} {}", self.method, self.target),
            Part::Swap => format!("{} {} of the swap service", self.method, self.target),
            Part::Tools => format!("{} of the tool server", self.target),
            Part::Node(chain) => {
                let methods: Vec<&str> = self.calls.iter().map(|call| call.method.as_str()).collect();
                format!("{} of chain {chain}", methods.join(", "))
            }
        }
    }
}

impl NodeCall {
    fn broadcast(&self) -> Option<Broadcast> {
        let first = &self.params[0];
        match self.method.as_str() {
            "eth_sendRawTransaction" | "eth_sendRawTransactionSync" => {
                let raw: Bytes = first.as_str()?.parse().ok()?;
                let signed = TxEnvelope::decode_2718(&mut raw.as_ref()).ok()?;
                Some(Broadcast {
                    from: signed.signature().recover_address_from_prehash(&signed.signature_hash()).ok(),
                    to: signed.to(),
                    input: signed.input().clone(),
                    value: signed.value(),
                    hash: Some(*signed.tx_hash()),
                })
            }
            "eth_sendTransaction" => {
                let text = |name: &str| first[name].as_str();
                Some(Broadcast {
                    from: text("from").and_then(|from| from.parse().ok()),
                    to: text("to").and_then(|to| to.parse().ok()),
                    input: text("input")
                        .or(text("data"))
                        .and_then(|data| data.parse().ok())
                        .unwrap_or_default(),
                    value: text("value").and_then(|value| value.parse().ok()).unwrap_or_default(),
                    hash: None,
                })
            }
            _ => None,
        }
    }

    /// The inputs of the transactions that it simulates.
    pub(super) fn simulated(&self) -> Vec<Bytes> {
        let first = &self.params[0];
        let calls = match self.method.as_str() {
            "eth_call" | "eth_estimateGas" | "eth_createAccessList" => vec![first],
            "eth_simulateV1" => {
                let blocks = first["blockStateCalls"].as_array().into_iter().flatten();
                blocks.flat_map(|block| block["calls"].as_array().into_iter().flatten()).collect()
            }
            _ => Vec::new(),
        };
        let input = |call: &Value| call["input"].as_str().or(call["data"].as_str())?.parse().ok();
        calls.into_iter().filter_map(input).collect()
    }
}

/// The limit that counts a request, as the interface states it: per wallet, per address, or per caller. A request without a stated limit is
/// counted by its kind.
fn limit(part: Part, method: &str, target: &str, body: &[u8]) -> String {
    let path = target.split('?').next().unwrap_or_default();
    let of = |text: String| format!("{part:?} {method} {text}");
    match (part, method, path) {
        (Part::Rest, "GET", "/api/referral/stats" | "/api/referral/leaderboard") => {
            of("referral reads".to_owned())
        }
        (Part::Rest, "POST", "/api/referral/code" | "/api/referral/register") => of(path.to_owned()),
        (Part::Rest, "POST", "/api/upload") => {
            of(format!("{path} {:?}", form_field(body, "walletAddress").map(|wallet| wallet.to_lowercase())))
        }
        (Part::Rest, "POST", "/api/chat") => of(format!("{path} {:?}", chat_sender(body))),
        _ => of(format!("{target} {}", keccak256(body))),
    }
}

fn chat_sender(body: &[u8]) -> Option<Address> {
    let json: Value = serde_json::from_slice(body).ok()?;
    let text = |name: &str| json[name].as_str();
    let signature: Signature = text("signature")?.parse().ok()?;
    let signed = format!(
        "Launch platform chat\nToken: {}\nCaptcha: {}\nMessage: {}",
        text("tokenAddress")?.to_lowercase(),
        text("token")?,
        text("message")?
    );
    signature.recover_address_from_msg(signed).ok()
}

fn calls(json: &Value) -> Vec<NodeCall> {
    let one = |call: &Value| {
        let method = call["method"].as_str()?.to_owned();
        Some(NodeCall { method, params: call["params"].clone() })
    };
    match json {
        Value::Array(batch) => batch.iter().filter_map(one).collect(),
        call => one(call).into_iter().collect(),
    }
}

fn form_field(body: &[u8], name: &str) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let (_, part) = text.split_once(&format!("name=\"{name}\""))?;
    let (_, value) = part.split_once("\r\n\r\n")?;
    value.split("\r\n").next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use hyper::HeaderMap;
    use serde_json::json;

    use super::{Asked, Part, form_field};

    #[test]
    fn captchas_are_read_from_both_kinds_of_bodies() {
        let form = b"--x\r\ncontent-disposition: form-data; name=\"captchaToken\"\r\n\r\nabc\r\n--x--\r\n";
        assert_eq!(form_field(form, "captchaToken").as_deref(), Some("abc"));
        assert_eq!(form_field(form, "walletAddress"), None);
        let read =
            |path: &str, body: &[u8]| Asked::read(Part::Rest, "POST", path, &HeaderMap::new(), body).captcha;
        assert_eq!(read("/api/upload", form).as_deref(), Some("abc"));
        assert_eq!(read("/api/chat?x=1", br#"{"token":"def"}"#).as_deref(), Some("def"));
        assert_eq!(read("/api/referral/register", br#"{"token":"def"}"#), None);
    }

    #[test]
    fn what_is_said_is_read_from_both_kinds_of_bodies_without_escapes() {
        let said = |body: &[u8]| Asked::read(Part::Rest, "POST", "/x", &HeaderMap::new(), body).said();
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
        let asked =
            Asked::read(Part::Node(57073), "POST", "/", &HeaderMap::new(), batch.to_string().as_bytes());
        let sent: Vec<_> = asked.broadcasts().collect();
        assert_eq!((asked.calls.len(), sent.len()), (4, 1));
        assert_eq!((sent[0].input.as_ref(), sent[0].value.to::<u64>()), ([1].as_slice(), 2));
    }
}
