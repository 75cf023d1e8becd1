//! The line transport beneath the SDK. It bounds lines, answers malformed messages to which the SDK would not respond, answers every
//! request before it ends, in the spelling of its id, and redacts every outgoing line. Independent of the tools.
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use parking_lot::Mutex;
use rmcp::RoleServer;
use rmcp::model::{JsonRpcMessage, NumberOrString, ServerResult};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::json;
use slipway_redaction::Redactor;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use crate::book::{Book, Outcome};
use crate::id::{Id, Search};
use crate::message::{Parsed, Reader};

/// Maximum length of a line, in bytes.
const MAX_LINE: usize = 4 * 1024 * 1024;
const OUTGOING_LINES: usize = 64;
/// The beginning of the SDK's answer to a request that neither follows a greeting nor names a revision.
const UNGREETED: &str = "request _meta is missing";
/// Time limit of open calls after the end of the input.
const FAREWELL: Duration = Duration::from_secs(5);
/// Time limit for a peer to read the last lines when the connection closes.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);

/// Resolves when the conversation must end although the peer has not ended it.
pub type Stop = BoxFuture<'static, ()>;

#[derive(Debug, thiserror::Error)]
#[error("the peer no longer reads")]
pub(crate) struct PeerGone;

enum Line {
    /// A whole line is in the buffer.
    Whole,
    /// A line was too long; its id, if found.
    Oversized(Option<Id>),
    /// The input has ended; the rest in the buffer has no newline.
    End,
}

/// A transport over a pair of byte streams.
pub(crate) struct LineTransport<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    /// The search for the id of an oversized line whose rest is being skipped.
    skipping: Option<Search>,
    reader: Reader,
    book: Arc<Mutex<Book>>,
    /// Notified when the book may have become empty.
    answered: Arc<Notify>,
    /// Messages that were read and not received yet; kept here because `receive` can be cancelled.
    read: VecDeque<RxJsonRpcMessage<RoleServer>>,
    /// Lines that have not been passed to the writer yet.
    unsent: VecDeque<Vec<u8>>,
    stop: Shared<Stop>,
    /// The time at which calls that are still open get an error as their answer; set at the end of the input.
    ends: Option<Instant>,
    outgoing: Option<mpsc::Sender<Vec<u8>>>,
    redactor: Arc<Redactor>,
}

/// The task that writes the lines of a transport.
pub(crate) struct Writer(JoinHandle<()>);

impl Writer {
    /// Waits until every line is written and the transport is gone, or the peer stops reading.
    pub(crate) async fn finish(mut self) {
        if tokio::time::timeout(CLOSE_TIMEOUT, &mut self.0).await.is_err() {
            self.0.abort();
        }
    }
}

impl<R: AsyncRead + Unpin + Send> LineTransport<R> {
    /// Reads from one stream and writes to the other, until the peer or `stop` ends it.
    pub(crate) fn new<W>(input: R, output: W, redactor: Arc<Redactor>, stop: Stop) -> (Self, Writer)
    where
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (outgoing, lines) = mpsc::channel(OUTGOING_LINES);
        let book = Arc::new(Mutex::new(Book::default()));
        let transport = Self {
            input: BufReader::new(input),
            line: Vec::new(),
            skipping: None,
            reader: Reader::new(Arc::clone(&book)),
            book,
            answered: Arc::default(),
            read: VecDeque::new(),
            unsent: VecDeque::new(),
            stop: stop.shared(),
            ends: None,
            outgoing: Some(outgoing),
            redactor,
        };
        (transport, Writer(tokio::spawn(write_lines(output, lines))))
    }

    /// Reads one line and never buffers more than the maximum. Cancellation-safe: bytes already read stay in the buffer.
    async fn read_line(&mut self) -> Line {
        loop {
            let Ok(available) = self.input.fill_buf().await else {
                return Line::End;
            };
            if available.is_empty() {
                return match self.skipping.take() {
                    Some(search) => Line::Oversized(search.found()),
                    None => Line::End,
                };
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(available.len(), |at| at + 1);
            let piece = &available[..taken];
            if self.skipping.is_none() && self.line.len() + taken <= MAX_LINE {
                self.line.extend_from_slice(piece);
            } else {
                let search = self.skipping.get_or_insert_with(|| {
                    let mut search = Search::default();
                    search.read(&std::mem::take(&mut self.line));
                    search
                });
                search.read(piece);
            }
            self.input.consume(taken);
            if newline.is_some() {
                return self.skipping.take().map_or(Line::Whole, |search| Line::Oversized(search.found()));
            }
        }
    }

    /// Reads and parses the next line.
    async fn read_messages(&mut self) {
        let parsed = match self.read_line().await {
            Line::Oversized(id) => self.reader.too_long(id.as_ref()),
            Line::End => {
                self.ends = Some(Instant::now() + FAREWELL);
                self.reader.parse(&std::mem::take(&mut self.line))
            }
            Line::Whole => self.reader.parse(&std::mem::take(&mut self.line)),
        };
        let Parsed { messages, answer } = parsed;
        self.read.extend(messages);
        self.unsent.extend(answer.map(|answer| encode(&self.redactor, &answer)));
    }

    /// Passes lines to the writer; returns false if the peer has disconnected.
    async fn send_lines(&mut self) -> bool {
        while !self.unsent.is_empty() {
            let Some(outgoing) = &self.outgoing else {
                return false;
            };
            let Ok(slot) = outgoing.reserve().await else {
                return false;
            };
            if let Some(line) = self.unsent.pop_front() {
                slot.send(line);
            }
        }
        true
    }

    async fn receive_message(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if !self.send_lines().await {
                return None;
            }
            if let Some(message) = self.read.pop_front() {
                return Some(message);
            }
            let Some(ends) = self.ends else {
                self.read_messages().await;
                continue;
            };
            let answered = Arc::clone(&self.answered);
            let answered = answered.notified();
            if self.book.lock().is_empty() {
                return None;
            }
            tokio::select! {
                () = answered => {}
                () = sleep_until(ends) => self.cut_calls(),
            }
        }
    }

    /// Answers every open call with an error, and cancels it.
    fn cut_calls(&mut self) {
        let mut book = self.book.lock();
        for number in book.numbers() {
            self.unsent.extend(book.cut(number).map(|line| encode(&self.redactor, &line)));
            let cancelled = json!({
                "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": number },
            });
            self.read.extend(serde_json::from_value(cancelled));
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
        let line = written(&item, &mut self.book.lock()).map(|text| encode(&self.redactor, &text));
        let answered = Arc::clone(&self.answered);
        async move {
            let outgoing = outgoing.ok_or(PeerGone)?;
            if let Some(line) = line {
                outgoing.send(line).await.map_err(|_| PeerGone)?;
            }
            answered.notify_waiters();
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let outgoing = self.outgoing.clone()?;
        let stopped = self.stop.clone();
        let received = tokio::select! {
            biased;
            () = outgoing.closed() => return None,
            message = self.receive_message() => Some(message),
            () = stopped => None,
        };
        match received {
            Some(message) => message,
            None => {
                // The conversation ends at once: no more is read or waited for.
                self.ends = Some(Instant::now());
                self.receive_message().await
            }
        }
    }

    async fn close(&mut self) -> Result<(), PeerGone> {
        self.outgoing = None;
        Ok(())
    }
}

/// Formats a message to the peer as a line, if it is to be sent.
fn written(item: &TxJsonRpcMessage<RoleServer>, book: &mut Book) -> Option<String> {
    match item {
        JsonRpcMessage::Response(response) => {
            if let ServerResult::InitializeResult(result) = &response.result {
                book.agree(result.protocol_version.clone());
            }
            let NumberOrString::Number(number) = response.id else { return None };
            book.answer(number, Outcome::Result(&response.result))
        }
        JsonRpcMessage::Error(error) => match error.id {
            Some(NumberOrString::Number(number)) => {
                let mut told = error.error.clone();
                // The SDK names what a request of the latest revision lacks, which other clients do not know.
                if told.message.starts_with(UNGREETED) && !book.has_agreed() {
                    told.message = format!("send initialize first; without it, {}", told.message).into();
                }
                book.answer(number, Outcome::Error(&told))
            }
            _ => Some(book.refusal(None, error.error.code.0, &error.error.message).get().to_owned()),
        },
        other => serde_json::to_string(other).ok(),
    }
}

/// Encodes a line to send: redacted, with its newline.
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
