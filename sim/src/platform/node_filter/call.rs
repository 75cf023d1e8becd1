//! Parses the calls in a caller's message, each only once, so that the node gets exactly what was judged; a response has its call's id.
use std::collections::BTreeMap;

use alloy::rpc::json_rpc::ErrorPayload;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Bytes;

/// Error codes of JSON-RPC 2.0, and the one that nodes use for everything else.
pub(super) const PARSE_ERROR: i64 = -32_700;
pub(super) const INVALID_REQUEST: i64 = -32_600;
pub(super) const NO_METHOD: i64 = -32_601;
pub(super) const INVALID_PARAMS: i64 = -32_602;
pub(super) const SERVER_ERROR: i64 = -32_000;
/// Error code for a limit, from EIP-1474.
pub(super) const LIMIT_EXCEEDED: i64 = -32_005;

/// One call. A duplicate member, which two readers might read differently, makes it invalid; other members are left out.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Call {
    #[serde(default, deserialize_with = "stated", skip_serializing_if = "Option::is_none")]
    jsonrpc: Option<Box<RawValue>>,
    pub(super) method: String,
    #[serde(default, deserialize_with = "stated", skip_serializing_if = "Option::is_none")]
    pub(super) params: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "id", serialize_with = "known")]
    pub(super) id: Option<Box<RawValue>>,
}

/// The ids that a node reads.
#[derive(Deserialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "read for its form alone")]
enum KnownId {
    Number(i64),
    Text(String),
    Null(()),
}

/// A member that is present, possibly as `null`.
fn stated<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

/// JSON-RPC 2.0, section 4: an id is a string, a number or null.
fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    let id = Box::<RawValue>::deserialize(deserializer)?;
    if id.get().starts_with(['{', '[', 't', 'f']) {
        return Err(D::Error::custom("an id is a string, a number or null"));
    }
    Ok(Some(id))
}

/// Writes 0 for an id that the node does not read, and for none: without its response, the effect of a call is unknown.
fn known<S: Serializer>(id: &Option<Box<RawValue>>, serializer: S) -> Result<S::Ok, S::Error> {
    match id.as_deref().filter(|id| serde_json::from_str::<KnownId>(id.get()).is_ok()) {
        Some(id) => id.serialize(serializer),
        None => serializer.serialize_u64(0),
    }
}

/// A response with its call's id as the caller wrote it.
#[derive(Serialize)]
struct Response<'call> {
    jsonrpc: &'static str,
    id: Option<&'call RawValue>,
    #[serde(flatten)]
    end: Value,
}

fn response(id: Option<&RawValue>, end: Value) -> Bytes {
    let response = Response { jsonrpc: "2.0", id, end };
    serde_json::to_vec(&response).expect("what was JSON is JSON").into()
}

/// A node's response with the id of its caller's call; `None` if it has that id.
pub(super) fn with_id(answer: &[u8], id: &RawValue) -> Option<Vec<u8>> {
    let rest = answer.strip_prefix(br#"{"jsonrpc":"2.0","id":"#);
    let rest = rest.and_then(|rest| rest.strip_prefix(id.get().as_bytes()));
    if rest.is_some_and(|rest| rest.starts_with(b",")) {
        return None;
    }
    let mut parts: BTreeMap<&str, &RawValue> = serde_json::from_slice(answer).ok()?;
    parts.insert("id", id);
    serde_json::to_vec(&parts).ok()
}

/// The reason why a call is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) code: i64,
    pub(super) message: String,
}

impl Refused {
    pub(super) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The JSON-RPC response to a call with this id.
    pub(super) fn response(&self, id: Option<&RawValue>) -> Bytes {
        response(id, json!({ "error": { "code": self.code, "message": self.message } }))
    }
}

impl Call {
    /// The response to this call with a result.
    pub(super) fn result(&self, result: impl Serialize) -> Bytes {
        response(self.id.as_deref(), json!({ "result": json!(result) }))
    }

    /// The response to this call with an error.
    pub(super) fn error(&self, refused: &Refused) -> Bytes {
        refused.response(self.id.as_deref())
    }

    /// The response to this call with the error that the node returned to another call.
    pub(super) fn failure(&self, error: &ErrorPayload) -> Bytes {
        response(self.id.as_deref(), json!({ "error": error }))
    }

    /// The parameters, if they are a list.
    pub(super) fn list(&self) -> Option<Vec<Value>> {
        serde_json::from_str(self.params.as_ref()?.get()).ok()
    }

    /// A parameter; for the first one, the node also accepts an object with the member `params`.
    pub(super) fn parameter(&self, place: usize) -> Value {
        let params = self.params.as_ref().and_then(|params| serde_json::from_str(params.get()).ok());
        match params {
            Some(Value::Array(values)) => values.into_iter().nth(place).unwrap_or_default(),
            Some(Value::Object(mut members)) if place == 0 => members.remove("params").unwrap_or_default(),
            _ => Value::Null,
        }
    }

    /// The call as JSON.
    pub(super) fn to_bytes(&self) -> Bytes {
        serde_json::to_vec(self).expect("what was JSON is JSON").into()
    }

    /// The call as JSON with another id.
    pub(super) fn to_bytes_as(&self, id: u64) -> Bytes {
        Self { id: Some(to_raw_value(&id).expect("a number is JSON")), ..self.clone() }.to_bytes()
    }

    /// Another call, which is asked in place of this one.
    pub(super) fn instead(&self, method: &str, params: &impl Serialize) -> Self {
        let mut other = Self { method: method.to_owned(), id: None, ..self.clone() };
        other.set_params(params);
        other
    }

    pub(super) fn set_params(&mut self, params: &impl Serialize) {
        self.params = Some(to_raw_value(params).expect("what was JSON is JSON"));
    }
}

/// A caller's message.
#[derive(Debug)]
pub(super) enum Asked {
    One(Call),
    Batch(Vec<Result<Call, Refused>>),
}

/// Parses a message; a batch may have at most `most` calls.
pub(super) fn read(message: &[u8], most: usize) -> Result<Asked, Refused> {
    let invalid = || Refused::new(INVALID_REQUEST, "not a call of JSON-RPC 2.0, or one with a member twice");
    if !message.trim_ascii_start().starts_with(b"[") {
        return match serde_json::from_slice(message) {
            Ok(call) => Ok(Asked::One(call)),
            Err(error) if error.is_data() => Err(invalid()),
            Err(_) => Err(Refused::new(PARSE_ERROR, "the message is not JSON")),
        };
    }
    let parts: Vec<&RawValue> =
        serde_json::from_slice(message).map_err(|_| Refused::new(PARSE_ERROR, "the message is not JSON"))?;
    if parts.is_empty() {
        return Err(Refused::new(INVALID_REQUEST, "a batch has at least one call"));
    }
    if parts.len() > most {
        return Err(Refused::new(LIMIT_EXCEEDED, format!("a batch may have {most} calls here")));
    }
    let calls = parts.iter().map(|part| serde_json::from_str(part.get()).map_err(|_| invalid()));
    Ok(Asked::Batch(calls.collect()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Asked, INVALID_REQUEST, LIMIT_EXCEEDED, PARSE_ERROR, read, with_id};

    #[test]
    fn calls_reach_the_node_as_they_are() {
        for call in [
            json!({ "jsonrpc": "2.0", "method": "eth_call", "params": [{ "to": "0x1" }], "id": 1 }),
            json!({ "method": "eth_chainId", "id": null }),
            json!({ "method": "eth_chainId", "params": null, "id": "two" }),
        ] {
            let Ok(Asked::One(read)) = read(call.to_string().as_bytes(), 1) else { panic!("{call}") };
            assert_eq!(serde_json::from_slice::<Value>(&read.to_bytes()).unwrap(), call);
        }
    }

    /// JSON-RPC 2.0, section 5: the id of a response is the value of the id in its call.
    #[test]
    fn ids_that_the_node_does_not_read_come_back_as_they_were() {
        for id in ["1e400", "1.5", "1.0", "18446744073709551616", "9007199254740993.0", r#""\ud800""#] {
            let text = format!(r#"{{"jsonrpc":"2.0","method":"eth_chainId","id":{id}}}"#);
            let Ok(Asked::One(call)) = read(text.as_bytes(), 1) else { panic!("{text}") };
            let sent: Value = serde_json::from_slice(&call.to_bytes()).unwrap();
            assert_eq!(sent["id"], 0, "{text}");
            let expected = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":null}}"#);
            assert_eq!(call.result(Value::Null), expected.as_bytes());
            let id = call.id.as_deref().unwrap();
            assert_eq!(with_id(expected.as_bytes(), id), None);
            for answered in ["0", "null"] {
                let answer = format!(r#"{{"jsonrpc":"2.0","id":{answered},"result":null}}"#);
                let answer = String::from_utf8(with_id(answer.as_bytes(), id).unwrap()).unwrap();
                assert_eq!(answer, format!(r#"{{"id":{id},"jsonrpc":"2.0","result":null}}"#));
            }
        }
        let Ok(Asked::One(call)) = read(br#"{"jsonrpc":"2.0","method":"evm_mine"}"#, 1) else { panic!() };
        let sent: Value = serde_json::from_slice(&call.to_bytes()).unwrap();
        assert!(sent["id"] == 0 && call.id.is_none(), "its effect has an answer");
    }

    #[test]
    fn what_two_readers_may_read_differently_reaches_no_node() {
        for (text, code) in [
            (r#"{"method":"eth_call","method":"evm_revert","id":1}"#, INVALID_REQUEST),
            (r#"{"method":"eth_call","id":1} {"method":"evm_revert","id":2}"#, PARSE_ERROR),
            (r#"{"id":1}"#, INVALID_REQUEST),
            (r#"{"method":"eth_call","id":{}}"#, INVALID_REQUEST),
            (r#"{"method":"eth_call","id":[1]}"#, INVALID_REQUEST),
            (r#"{"method":"eth_call","id":true}"#, INVALID_REQUEST),
            ("7", INVALID_REQUEST),
            ("null", INVALID_REQUEST),
            ("evm_revert", PARSE_ERROR),
            ("", PARSE_ERROR),
            ("[]", INVALID_REQUEST),
            ("[1", PARSE_ERROR),
            ("[1,2,3]", LIMIT_EXCEEDED),
        ] {
            assert_eq!(read(text.as_bytes(), 2).unwrap_err().code, code, "{text}");
        }
        let Ok(Asked::Batch(calls)) = read(br#" [{"method":"eth_call","id":1},7]"#, 2) else { panic!() };
        assert!(calls[0].is_ok());
        assert_eq!(calls[1].as_ref().unwrap_err().code, INVALID_REQUEST);
    }
}
