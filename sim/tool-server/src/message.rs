//! Parses a line of the peer: requests and notifications for the SDK, and answers to anything else.
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::RoleServer;
use rmcp::model::{ClientRequest, JsonRpcMessage, NumberOrString, ProtocolVersion};
use rmcp::service::RxJsonRpcMessage;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::book::{Book, Signed};
use crate::id::{Id, Search};
use crate::input::Literals;
use crate::repeated::repeated;

/// Most messages of a batch.
const MAX_BATCH: usize = 100;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMS: i32 = -32602;

/// JSON pointer to the member that names the revision in a request without a greeting.
const REVISION: &str = "/params/_meta/io.modelcontextprotocol~1protocolVersion";

/// The content of a line.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    /// For the SDK.
    pub(crate) messages: Vec<RxJsonRpcMessage<RoleServer>>,
    /// An answer to send at once.
    pub(crate) answer: Option<String>,
}

/// One message, or the answer to a part that is none.
enum Part {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    Ignored,
    /// A cancellation, which may complete the answer to a batch.
    Cancelled(Box<RxJsonRpcMessage<RoleServer>>, Option<String>),
    Refused {
        id: Option<Id>,
        code: i32,
        message: String,
    },
}

/// Reads the lines of a peer.
#[derive(Debug)]
pub(crate) struct Reader {
    book: Arc<Mutex<Book>>,
    /// Whether the peer has made a request; anything before that is ignored.
    opened: bool,
}

impl Reader {
    pub(crate) fn new(book: Arc<Mutex<Book>>) -> Self {
        Self { book, opened: false }
    }

    /// The answer to a line that is too long.
    pub(crate) fn too_long(&self, id: Option<&Id>) -> Parsed {
        self.refused(id, INVALID_REQUEST, "the message is longer than 4 MiB")
    }

    /// Parses a line.
    ///
    /// Clause: MCP-PROTO
    pub(crate) fn parse(&mut self, line: &[u8]) -> Parsed {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
        if line.is_empty() {
            return Parsed::default();
        }
        let Ok(text) = std::str::from_utf8(line) else {
            let id = Search::within(line);
            return self.refused(id.as_ref(), PARSE_ERROR, "the message is not valid UTF-8");
        };
        if text.starts_with('[') {
            return self.batch(text);
        }
        match self.part(text, None) {
            Part::Ignored => Parsed::default(),
            Part::Message(message) => Parsed { messages: self.opening(*message).collect(), answer: None },
            Part::Cancelled(message, answer) => Parsed { messages: self.opening(*message).collect(), answer },
            Part::Refused { id, code, message } => self.refused(id.as_ref(), code, &message),
        }
    }

    fn refused(&self, id: Option<&Id>, code: i32, message: &str) -> Parsed {
        let refusal = self.book.lock().refusal(id, code, message);
        Parsed { messages: Vec::new(), answer: Some(refusal.get().to_owned()) }
    }

    /// Passes the message on once the peer has made a request.
    fn opening(
        &mut self,
        message: RxJsonRpcMessage<RoleServer>,
    ) -> impl Iterator<Item = RxJsonRpcMessage<RoleServer>> {
        self.opened |= matches!(message, JsonRpcMessage::Request(_));
        self.opened.then_some(message).into_iter()
    }

    fn batch(&mut self, text: &str) -> Parsed {
        let parts: Vec<&RawValue> = match serde_json::from_str(text) {
            Ok(parts) => parts,
            Err(_) => return self.refused(None, PARSE_ERROR, "the message is not JSON"),
        };
        if !self.book.lock().takes_batches() {
            let message = "batches are not part of this revision of the protocol";
            return self.refused(None, INVALID_REQUEST, message);
        }
        if parts.is_empty() || parts.len() > MAX_BATCH {
            let message = format!("a batch has 1 to {MAX_BATCH} messages");
            return self.refused(None, INVALID_REQUEST, &message);
        }
        let batch = self.book.lock().begin_batch();
        let mut messages = Vec::new();
        for part in parts {
            match self.part(part.get(), Some(batch)) {
                Part::Ignored => {}
                Part::Message(message) | Part::Cancelled(message, _) => messages.push(*message),
                Part::Refused { id, code, message } => {
                    let mut book = self.book.lock();
                    let refusal = book.refusal(id.as_ref(), code, &message);
                    book.refuse_part(batch, refusal);
                }
            }
        }
        let answer = self.book.lock().end_batch(batch);
        Parsed { messages, answer }
    }

    /// Parses one message, alone or in a batch.
    fn part(&self, text: &str, batch: Option<i64>) -> Part {
        let refused =
            |id: Option<Id>, code, message: &str| Part::Refused { id, code, message: message.to_owned() };
        let Ok(members) = serde_json::from_str::<Members<'_>>(text) else {
            // JSON of another type, or not JSON.
            return match serde_json::from_str::<IgnoredAny>(text) {
                Ok(_) if !text.starts_with('{') => {
                    refused(None, INVALID_REQUEST, "the message is not an object")
                }
                _ => refused(Search::within(text.as_bytes()), PARSE_ERROR, "the message is not JSON"),
            };
        };
        let id = members.get("id").and_then(|raw| Id::of(raw));
        let method: Option<String> =
            members.get("method").and_then(|raw| serde_json::from_str(raw.get()).ok());
        // A response gets no answer, whatever its id is: the peer was not asked anything.
        if !members.contains_key("method")
            && ["result", "error"].iter().any(|name| members.contains_key(*name))
        {
            return Part::Ignored;
        }
        if let Some(name) = repeated(text) {
            let id = id.filter(|_| name != "id");
            return refused(id, INVALID_REQUEST, &format!("{name:?} is sent more than once"));
        }
        if members.get("jsonrpc").is_none_or(|version| version.get() != "\"2.0\"") {
            return refused(id, INVALID_REQUEST, "jsonrpc must be \"2.0\"");
        }
        if members.contains_key("id") && id.is_none() {
            return refused(None, INVALID_REQUEST, "id must be a string or an integer");
        }
        let Some(method) = method else {
            return refused(id, INVALID_REQUEST, "method must be a string");
        };
        if id.is_none() && method == "notifications/cancelled" {
            return self.cancelled(&members);
        }
        let Some(message) = without_id(&members) else {
            // It is JSON by its grammar, but a string is not valid Unicode, a number is out of range, or it is nested too deep.
            let problem =
                "the parameters have a lone surrogate, a number out of range, or more than 120 levels";
            return id.map_or(Part::Ignored, |id| refused(Some(id), INVALID_PARAMS, problem));
        };
        match id {
            Some(id) => self.request(message, &method, (id, batch), text),
            None => serde_json::from_value(message)
                .map_or(Part::Ignored, |message| Part::Message(Box::new(message))),
        }
    }

    /// Reads a cancellation, which may spell the id of its request differently.
    fn cancelled(&self, members: &Members<'_>) -> Part {
        let params =
            members.get("params").and_then(|raw| serde_json::from_str::<Members<'_>>(raw.get()).ok());
        let id = params.as_ref().and_then(|params| Id::of(params.get("requestId")?));
        let mut book = self.book.lock();
        let Some(number) = id.and_then(|id| book.number(&id)) else { return Part::Ignored };
        let answer = book.cancel(number);
        let message = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": number } });
        serde_json::from_value(message)
            .map_or(Part::Ignored, |message| Part::Cancelled(Box::new(message), answer))
    }

    /// Opens a request.
    fn request(&self, mut message: Value, method: &str, (id, batch): (Id, Option<i64>), text: &str) -> Part {
        if let Some(revision) = message.pointer(REVISION).cloned() {
            // A request without a greeting names its revision itself.
            self.book.lock().agree_unless_greeted(serde_json::from_value::<ProtocolVersion>(revision).ok());
        }
        // MCP 2025-03-26, lifecycle: "The initialize request MUST NOT be part of a JSON-RPC batch".
        if batch.is_some() && method == "initialize" {
            let message = "initialize is sent alone, not in a batch".to_owned();
            return Part::Refused { id: Some(id), code: INVALID_REQUEST, message };
        }
        let params = message["params"].clone();
        // The SDK reads parameters of another form as none at all.
        if method.ends_with("/list") && !(params["cursor"].is_null() || params["cursor"].is_string()) {
            let message = "cursor must be a string".to_owned();
            return Part::Refused { id: Some(id), code: INVALID_PARAMS, message };
        }
        message["id"] = 0.into();
        let Ok(JsonRpcMessage::Request(mut message)) =
            serde_json::from_value::<RxJsonRpcMessage<RoleServer>>(message)
        else {
            let message = "the message is not a request, a notification or a response".to_owned();
            return Part::Refused { id: Some(id), code: INVALID_REQUEST, message };
        };
        if method == "initialize" && !matches!(message.request, ClientRequest::InitializeRequest(_)) {
            let message = format!("initialize: {}", wrong_greeting(&params));
            return Part::Refused { id: Some(id), code: INVALID_PARAMS, message };
        }
        let (number, signed) = self.book.lock().open(id, batch);
        message.id = NumberOrString::Number(number);
        attach(&mut message.request, signed, text);
        Part::Message(Box::new(JsonRpcMessage::Request(message)))
    }
}

/// The members of an object, unparsed.
type Members<'text> = BTreeMap<Cow<'text, str>, &'text RawValue>;

/// A message without its id, which may have any size.
fn without_id(members: &Members<'_>) -> Option<Value> {
    let others = members.iter().filter(|(name, _)| *name != "id");
    let read = others.map(|(name, raw)| Some((name.to_string(), serde_json::from_str(raw.get()).ok()?)));
    read.collect::<Option<serde_json::Map<_, _>>>().map(Value::Object)
}

/// The missing or wrong parameter of a greeting.
fn wrong_greeting(params: &Value) -> &'static str {
    let client = &params["clientInfo"];
    if !params.is_object() {
        "params must be an object"
    } else if !params["protocolVersion"].is_string() {
        "protocolVersion must be a string"
    } else if !params["capabilities"].is_object() {
        "capabilities must be an object"
    } else if !client.is_object() {
        "clientInfo must be an object with name and version"
    } else if !client["name"].is_string() {
        "clientInfo.name must be a string"
    } else if !client["version"].is_string() {
        "clientInfo.version must be a string"
    } else {
        "a member of capabilities or clientInfo has another type than the protocol gives it"
    }
}

/// The raw arguments of a tool call.
#[derive(Deserialize)]
struct RawCall<'line> {
    #[serde(borrow)]
    params: RawParameters<'line>,
}

#[derive(Deserialize)]
struct RawParameters<'line> {
    #[serde(borrow)]
    arguments: BTreeMap<Cow<'line, str>, &'line RawValue>,
}

/// Attaches to a tool call its number literals as the caller wrote them, and a slot for the transaction that it signs.
fn attach(request: &mut ClientRequest, signed: Signed, text: &str) {
    let ClientRequest::CallToolRequest(call) = request else { return };
    call.extensions.insert(signed);
    if let Ok(raw) = serde_json::from_str::<RawCall<'_>>(text) {
        let is_number = |text: &str| text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
        let numbers = raw.params.arguments.into_iter().filter(|(_, value)| is_number(value.get()));
        let literals = numbers.map(|(name, value)| (name.into_owned(), value.get().to_owned())).collect();
        call.extensions.insert(Literals(literals));
    }
}
