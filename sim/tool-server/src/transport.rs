//! The line transport beneath the SDK: limited, tolerant of malformed messages, which it answers where the SDK would not respond;
//! every outgoing line is redacted. Independent of the tools.
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::ClientRequest;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use slipway_redaction::Redactor;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::input::Literals;

/// Longest line accepted, in bytes.
const MAX_LINE: usize = 4 * 1024 * 1024;
const OUTGOING_LINES: usize = 64;
/// How long a peer may take to read the last lines when the connection closes.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

#[derive(Debug, thiserror::Error)]
#[error("the peer no longer reads")]
pub(crate) struct PeerGone;

enum Line {
    /// A whole line is in the buffer.
    Whole,
    /// A line was too long and is being skipped.
    Oversized,
    /// The input has ended; the rest in the buffer has no newline.
    End,
}

enum Parsed {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// Nothing to do.
    Ignored,
    /// Answered by a JSON-RPC error.
    Malformed {
        id: Value,
        code: i32,
        message: &'static str,
    },
}

/// A transport over a pair of byte streams.
pub(crate) struct LineTransport<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    /// Whether the rest of an oversized line is being skipped.
    skipping: bool,
    /// An error response that has not been passed to the writer yet; kept here because `receive` can be cancelled.
    pending_error: Option<Vec<u8>>,
    ended: bool,
    /// Whether the peer has made a request; anything before that is ignored.
    opened: bool,
    outgoing: Option<mpsc::Sender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
    redactor: Arc<Redactor>,
}

impl<R: AsyncRead + Unpin + Send> LineTransport<R> {
    /// Reads from one stream and writes to the other.
    pub(crate) fn new<W>(input: R, output: W, redactor: Arc<Redactor>) -> Self
    where
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (outgoing, lines) = mpsc::channel(OUTGOING_LINES);
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            skipping: false,
            pending_error: None,
            ended: false,
            opened: false,
            outgoing: Some(outgoing),
            writer: Some(tokio::spawn(write_lines(output, lines))),
            redactor,
        }
    }

    /// Reads one line and never buffers more than the maximum. Cancellation-safe: bytes that were read stay in the buffer.
    async fn read_line(&mut self) -> Line {
        loop {
            let Ok(available) = self.input.fill_buf().await else {
                return Line::End;
            };
            if available.is_empty() {
                return Line::End;
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(available.len(), |at| at + 1);
            let fits = self.line.len() + taken <= MAX_LINE;
            if !self.skipping && fits {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.input.consume(taken);
            let was_skipping = self.skipping;
            self.skipping = (was_skipping || !fits) && newline.is_none();
            if !was_skipping && !fits {
                self.line.clear();
                return Line::Oversized;
            }
            if !was_skipping && newline.is_some() {
                return Line::Whole;
            }
        }
    }

    /// The next line; `None` at the end of the input.
    async fn next(&mut self) -> Option<Parsed> {
        if self.ended {
            return None;
        }
        match self.read_line().await {
            Line::Oversized => {
                return Some(malformed(Value::Null, INVALID_REQUEST, "the message is longer than 4 MiB"));
            }
            Line::End => self.ended = true,
            Line::Whole => {}
        }
        let parsed = parse(&self.line);
        self.line.clear();
        Some(parsed)
    }

    /// Passes a pending error response to the writer; false when the peer has disconnected.
    async fn send_pending_error(&mut self) -> bool {
        if self.pending_error.is_none() {
            return true;
        }
        let Some(outgoing) = &self.outgoing else {
            return false;
        };
        let Ok(slot) = outgoing.reserve().await else {
            return false;
        };
        if let Some(error) = self.pending_error.take() {
            slot.send(error);
        }
        true
    }

    async fn receive_message(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if !self.send_pending_error().await {
                return None;
            }
            match self.next().await? {
                Parsed::Ignored => {}
                Parsed::Malformed { id, code, message } => {
                    let error =
                        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } });
                    self.pending_error = Some(encode(&self.redactor, &error.to_string()));
                }
                Parsed::Message(message) => {
                    self.opened |= matches!(*message, RxJsonRpcMessage::<RoleServer>::Request(_));
                    if self.opened {
                        return Some(*message);
                    }
                }
            }
        }
    }
}

impl<R: AsyncRead + Unpin + Send + 'static> Transport<RoleServer> for LineTransport<R> {
    type Error = PeerGone;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), PeerGone>> + Send + 'static {
        let outgoing = self.outgoing.clone();
        let line = serde_json::to_string(&item).map(|text| encode(&self.redactor, &text));
        async move {
            let (Some(outgoing), Ok(line)) = (outgoing, line) else {
                return Err(PeerGone);
            };
            outgoing.send(line).await.map_err(|_| PeerGone)
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let outgoing = self.outgoing.clone()?;
        tokio::select! {
            biased;
            () = outgoing.closed() => None,
            message = self.receive_message() => message,
        }
    }

    async fn close(&mut self) -> Result<(), PeerGone> {
        self.outgoing = None;
        if let Some(mut writer) = self.writer.take()
            && tokio::time::timeout(CLOSE_TIMEOUT, &mut writer).await.is_err()
        {
            writer.abort();
        }
        Ok(())
    }
}

/// A line ready to send: redacted, with its newline.
fn encode(redactor: &Redactor, text: &str) -> Vec<u8> {
    let mut line = redactor.redact(text).into_owned().into_bytes();
    line.push(b'\n');
    line
}

async fn write_lines<W: AsyncWrite + Unpin>(mut output: W, mut lines: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if output.write_all(&line).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}

fn malformed(id: Value, code: i32, message: &'static str) -> Parsed {
    Parsed::Malformed { id, code, message }
}

/// Parses a line.
///
/// Clause: MCP-PROTO
fn parse(line: &[u8]) -> Parsed {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Parsed::Ignored;
    }
    if std::str::from_utf8(line).is_err() {
        return malformed(Value::Null, PARSE_ERROR, "the message is not valid UTF-8");
    }
    let members = match serde_json::from_slice(line) {
        Err(_) => return malformed(Value::Null, PARSE_ERROR, "the message is not JSON"),
        Ok(Value::Array(_)) => return malformed(Value::Null, INVALID_REQUEST, "batches are not supported"),
        Ok(Value::Object(members)) => members,
        Ok(_) => return malformed(Value::Null, INVALID_REQUEST, "the message is not an object"),
    };
    let id = members.get("id").filter(|id| id.is_string() || id.is_i64()).cloned().unwrap_or_default();
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return malformed(id, INVALID_REQUEST, "jsonrpc must be \"2.0\"");
    }
    if members.contains_key("id") && id.is_null() {
        return malformed(id, INVALID_REQUEST, "id must be a string or an integer");
    }
    let is_notification = !members.contains_key("id") && members.get("method").is_some_and(Value::is_string);
    match serde_json::from_value(Value::Object(members)) {
        Ok(message) => Parsed::Message(Box::new(with_literals(message, line))),
        Err(_) if is_notification => Parsed::Ignored,
        Err(_) => {
            malformed(id, INVALID_REQUEST, "the message is not a request, a notification or a response")
        }
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

/// Attaches the number literals of a tool call as the caller wrote them.
fn with_literals(mut message: RxJsonRpcMessage<RoleServer>, line: &[u8]) -> RxJsonRpcMessage<RoleServer> {
    if let RxJsonRpcMessage::<RoleServer>::Request(request) = &mut message
        && let ClientRequest::CallToolRequest(call) = &mut request.request
        && let Ok(raw) = serde_json::from_slice::<RawCall<'_>>(line)
    {
        let is_number = |text: &str| text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
        let numbers = raw.params.arguments.into_iter().filter(|(_, value)| is_number(value.get()));
        let literals = numbers.map(|(name, value)| (name.into_owned(), value.get().to_owned())).collect();
        call.extensions.insert(Literals(literals));
    }
    message
}
