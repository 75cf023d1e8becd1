//! Raw stdio: a child process, the bytes sent to it, and everything that it writes; dropping the handle ends the child.
mod requests;

use std::collections::BTreeMap;
use std::process::{ExitStatus, Stdio as Pipe};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc::{self, UnboundedReceiver, WeakUnboundedSender};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::bounds::{Bounds, Held, LARGEST_ANSWER};
use super::group::ProcessGroup;
use crate::client::kept::Audit;
use crate::client::record::{Content, Recorder};
use crate::model::target::ToolServerCommand;
use crate::model::verdict::Inconclusive;

/// The longest wait for one answer of a child, and for it to read one message.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// The child's name in verdicts.
const SERVER: &str = "the tool server";
/// Most bytes that a child may write to one of its outputs.
const MOST_OUTPUT: usize = LARGEST_ANSWER + LARGEST_ANSWER / 2;
/// Memory overhead of a line, in bytes.
const OF_LINE: usize = 64;
/// Variables that checks set: those of the interface, and those with which this project's tool server waits less or uses another name
/// server. The child inherits none of them.
pub const TOOL_SERVER_VARIABLES: &[&str] = &[
    "SERVICE_BASE_URL",
    "SERVICE_MCP_ENABLE_WRITES",
    "SERVICE_MCP_MAX_GAS_GWEI",
    "SERVICE_MCP_MAX_PREBUY_ETH",
    "SERVICE_MCP_MAX_RAISE_ETH",
    "SERVICE_MCP_PRIVATE_KEY",
    "SERVICE_MCP_PRIVATE_KEY_FILE",
    "SERVICE_MCP_RPC_URL",
    "SLIPWAY_ANSWER_WAIT_SECONDS",
    "SLIPWAY_DNS_SERVER",
    "SLIPWAY_PUBLIC_URL",
    "SLIPWAY_RECEIPT_WAIT_SECONDS",
];

/// A running child process, which ends with all that it has started.
#[derive(Debug)]
pub struct Stdio {
    child: Child,
    _group: Option<ProcessGroup>,
    input: Option<ChildStdin>,
    lines: UnboundedReceiver<Vec<u8>>,
    output: Arc<Mutex<Output>>,
    errors: Arc<Mutex<Output>>,
    bounds: Arc<Bounds>,
    readers: [JoinHandle<()>; 2],
    asked: i64,
    /// Whether it has left a message unread, so that no other can follow.
    is_deaf: bool,
    /// How many of its requests were answered.
    obliged: usize,
    pub(crate) recorder: Option<Arc<dyn Recorder>>,
    /// Keeps the answers for the audit, if there is one.
    pub(crate) audit: Option<Arc<Audit>>,
    /// The last bytes that were sent.
    sent: Sent,
    /// Unanswered requests by id.
    pending: BTreeMap<i64, Sent>,
}

/// The bytes that a child wrote to one of its outputs.
#[derive(Debug)]
struct Output {
    bytes: Vec<u8>,
    held: Held,
    /// Why reading stopped early.
    too_large: Option<String>,
}

/// Bytes sent to the child, with the time.
#[derive(Clone, Debug)]
struct Sent {
    bytes: Vec<u8>,
    at: Instant,
}

/// The outcome of reading a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line, without its line end.
    Text(Vec<u8>),
    /// The child closed its output.
    End,
    /// Nothing came in time.
    Silence,
}

impl Stdio {
    /// Starts the command with these variables of the interface and no others.
    pub fn spawn(command: &ToolServerCommand, variables: &[(&str, &str)]) -> Result<Self, Inconclusive> {
        Self::spawn_within(command, variables, &Arc::default())
    }

    /// Like [`Stdio::spawn`], within the bounds of its target.
    pub(crate) fn spawn_within(
        command: &ToolServerCommand,
        variables: &[(&str, &str)],
        bounds: &Arc<Bounds>,
    ) -> Result<Self, Inconclusive> {
        bounds.admit(SERVER, Instant::now())?;
        let mut child = Command::new(&command.program);
        child
            .args(&command.arguments)
            .stdin(Pipe::piped())
            .stdout(Pipe::piped())
            .stderr(Pipe::piped())
            .process_group(0)
            .kill_on_drop(true);
        for name in TOOL_SERVER_VARIABLES {
            child.env_remove(name).env_remove(command.variable(name));
        }
        for (name, value) in variables {
            child.env(command.variable(name), value);
        }
        let mut child = child.spawn().map_err(|error| {
            let reason = format!("{:?} cannot be run: {error}; is it on PATH?", command.program);
            Inconclusive::Unreachable { endpoint: SERVER, reason }
        })?;
        let (sender, lines) = mpsc::unbounded_channel();
        let of_pipe = || Arc::new(Mutex::new(Output::new(bounds.hold())));
        let (output, errors) = (of_pipe(), of_pipe());
        let woken = sender.downgrade();
        let stdout = child.stdout.take().expect("stdout is piped");
        let stderr = child.stderr.take().expect("stderr is piped");
        Ok(Self {
            input: child.stdin.take(),
            lines,
            readers: [
                tokio::spawn(read(stdout, Arc::clone(&output), Lines::To(sender))),
                tokio::spawn(read(stderr, Arc::clone(&errors), Lines::Unread(woken))),
            ],
            output,
            errors,
            bounds: Arc::clone(bounds),
            _group: ProcessGroup::of_child(&child),
            child,
            asked: 0,
            is_deaf: false,
            obliged: 0,
            recorder: None,
            audit: None,
            sent: Sent { bytes: Vec::new(), at: Instant::now() },
            pending: BTreeMap::new(),
        })
    }

    fn recorded(&self, sent: &Sent, answer: Option<&[u8]>) {
        if let Some(recorder) = &self.recorder {
            recorder.exchanged(sent.at, &Content::Tool { request: &sent.bytes, answer });
        }
    }

    /// Sends bytes as they are; an error if the child does not take them in time.
    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) -> Result<(), Inconclusive> {
        let unread = || format!("it does not read its input within {} s", PATIENCE.as_secs());
        if self.is_deaf {
            return Err(self.silent(&unread()));
        }
        let Some(input) = &mut self.input else {
            return Err(self.lost("its input is closed"));
        };
        self.sent = Sent { bytes: bytes.to_vec(), at: Instant::now() };
        let write = async {
            input.write_all(bytes).await?;
            input.flush().await
        };
        match timeout(PATIENCE, write).await {
            Ok(written) => written.map_err(|error| self.lost(&error.to_string())),
            Err(_) => {
                self.is_deaf = true;
                self.bounds.silent(SERVER);
                Err(self.silent(&unread()))
            }
        }
    }

    /// Sends one message as a line.
    pub async fn send(&mut self, message: &Value) -> Result<(), Inconclusive> {
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        self.send_bytes(&line).await
    }

    /// Returns the next line of output.
    pub async fn line(&mut self, patience: Duration) -> Result<Line, Inconclusive> {
        let line = self.next_line(patience).await;
        let answer = if let Ok(Line::Text(text)) = &line { Some(text.as_slice()) } else { None };
        self.recorded(&self.sent, answer);
        line
    }

    /// Returns the next line of output that may be an answer; skips unsolicited messages, such as notifications.
    pub(crate) async fn answer(&mut self, patience: Duration) -> Result<Line, Inconclusive> {
        let begun = Instant::now();
        loop {
            let line = self.line(patience.saturating_sub(begun.elapsed())).await?;
            let is_unasked = |text: &[u8]| {
                serde_json::from_slice::<Value>(text).is_ok_and(|message| message["method"].is_string())
            };
            match &line {
                Line::Text(text) if is_unasked(text) => {}
                _ => return Ok(line),
            }
        }
    }

    async fn next_line(&mut self, patience: Duration) -> Result<Line, Inconclusive> {
        let line = match timeout(patience, self.lines.recv()).await {
            Ok(Some(line)) => Line::Text(line),
            Ok(None) => Line::End,
            Err(_) => Line::Silence,
        };
        self.sound()?;
        if let Line::Text(text) = &line {
            self.oblige(text).await?;
        }
        Ok(line)
    }

    /// Returns an error if the child wrote more than is read: the output is then incomplete.
    fn sound(&self) -> Result<(), Inconclusive> {
        let reason = |output: &Mutex<Output>| output.lock().too_large.clone();
        match reason(&self.output).or_else(|| reason(&self.errors)) {
            Some(reason) => Err(Inconclusive::TooLarge { address: SERVER.to_owned(), reason }),
            None => Ok(()),
        }
    }

    /// Sends a request and returns the answer with its id; skips other messages.
    pub async fn request(&mut self, method: &str, params: &Value) -> Result<Value, Inconclusive> {
        let id = self.begin(method, params).await?;
        self.response(id, PATIENCE).await
    }

    /// Sends a request and returns its id, by which the answer is read later.
    pub async fn begin(&mut self, method: &str, params: &Value) -> Result<i64, Inconclusive> {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await?;
        self.pending.insert(id, self.sent.clone());
        Ok(id)
    }

    /// Returns the answer to a request.
    pub async fn response(&mut self, id: i64, patience: Duration) -> Result<Value, Inconclusive> {
        let response = self.response_or_end(id, patience).await?;
        response.ok_or_else(|| self.lost("it closed its output"))
    }

    /// Returns the answer to a request; `None` if the child closes its output instead. Messages in between do not extend the wait.
    pub(crate) async fn response_or_end(
        &mut self,
        id: i64,
        patience: Duration,
    ) -> Result<Option<Value>, Inconclusive> {
        let sent = self.pending.remove(&id).unwrap_or_else(|| self.sent.clone());
        let begun = Instant::now();
        loop {
            let ended = match self.next_line(patience.saturating_sub(begun.elapsed())).await {
                Err(too_large) => Err(too_large),
                Ok(Line::Text(line)) => match serde_json::from_slice::<Value>(&line) {
                    Ok(message) if message["id"] == json!(id) && message.get("method").is_none() => {
                        self.bounds.answered(SERVER);
                        self.recorded(&sent, Some(&line));
                        if let Some(audit) = &self.audit {
                            audit.keep_call(&sent.bytes, &line);
                        }
                        return Ok(Some(message));
                    }
                    _ => continue,
                },
                Ok(Line::End) => Ok(None),
                Ok(Line::Silence) => {
                    if patience >= PATIENCE {
                        self.bounds.silent(SERVER);
                    }
                    Err(self.silent(&format!("no answer to request {id} within {} s", patience.as_secs())))
                }
            };
            self.recorded(&sent, None);
            return ended;
        }
    }

    /// Closes the child's input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits until the child and its output have ended; `None` if they do not in time.
    pub async fn ended(&mut self, patience: Duration) -> Option<ExitStatus> {
        let ended = async {
            let status = self.child.wait().await.ok();
            for reader in &mut self.readers {
                // On a second call the reader may already have been joined.
                if !reader.is_finished() {
                    let _ = reader.await;
                }
            }
            status
        };
        timeout(patience, ended).await.ok().flatten()
    }

    /// Returns everything written to standard output so far.
    pub fn output(&self) -> Result<Vec<u8>, Inconclusive> {
        self.sound()?;
        Ok(self.output.lock().bytes.clone())
    }

    /// Returns everything written to standard error so far.
    pub fn errors(&self) -> Result<Vec<u8>, Inconclusive> {
        self.sound()?;
        Ok(self.errors.lock().bytes.clone())
    }

    fn lost(&self, reason: &str) -> Inconclusive {
        Inconclusive::Unreachable { endpoint: SERVER, reason: self.with_last_words(reason) }
    }

    /// Returns the error for an answer that did not come in time.
    pub(crate) fn silent(&self, reason: &str) -> Inconclusive {
        Inconclusive::Silent { endpoint: SERVER, reason: self.with_last_words(reason) }
    }

    fn with_last_words(&self, reason: &str) -> String {
        let errors = &self.errors.lock().bytes;
        let tail = errors.len().saturating_sub(400);
        format!("{reason}; last words: {}", String::from_utf8_lossy(&errors[tail..]))
    }
}

impl Output {
    fn new(held: Held) -> Self {
        Self { bytes: Vec::new(), held, too_large: None }
    }

    /// Appends bytes; `false` if that exceeds a bound.
    fn add(&mut self, piece: &[u8], of_line: usize) -> bool {
        let whole = self.bytes.len() + piece.len();
        let too_large = if of_line > LARGEST_ANSWER {
            Some(format!("a line is longer than {} MiB", LARGEST_ANSWER >> 20))
        } else if whole > MOST_OUTPUT {
            Some(format!("it writes more than {} MiB", MOST_OUTPUT >> 20))
        } else {
            // A line is held twice until it is read.
            self.held.grow(2 * piece.len() + OF_LINE).err()
        };
        if too_large.is_none() {
            self.bytes.extend_from_slice(piece);
        }
        self.too_large = too_large;
        self.too_large.is_none()
    }
}

/// The destination of an output's lines.
enum Lines {
    To(mpsc::UnboundedSender<Vec<u8>>),
    /// Discarded; whoever waits for a line of the other output is woken when a bound is exceeded.
    Unread(WeakUnboundedSender<Vec<u8>>),
}

/// Copies a pipe into a buffer, and its lines into a channel if requested; stops at a bound.
async fn read(pipe: impl AsyncRead + Unpin, all: Arc<Mutex<Output>>, lines: Lines) {
    let (mut pipe, mut line) = (BufReader::new(pipe), Vec::new());
    loop {
        let piece = match pipe.fill_buf().await {
            Ok(available) if !available.is_empty() => {
                let end = memchr::memchr(b'\n', available).map_or(available.len(), |at| at + 1);
                &available[..end]
            }
            _ => return,
        };
        let taken = piece.len();
        if !all.lock().add(piece, line.len() + taken) {
            if let Lines::Unread(other) = &lines {
                drop(other.upgrade().map(|other| other.send(Vec::new())));
            }
            return;
        }
        if let Lines::To(lines) = &lines {
            line.extend_from_slice(piece);
            if line.pop_if(|last| *last == b'\n').is_some() {
                let _ = lines.send(std::mem::take(&mut line));
            }
        }
        pipe.consume(taken);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use serde_json::json;

    use super::{Line, PATIENCE, Stdio};
    use crate::client::bounds::MOST_SILENCES;
    use crate::model::target::ToolServerCommand;
    use crate::model::verdict::Inconclusive;

    pub(super) fn shell(script: &str) -> ToolServerCommand {
        ToolServerCommand {
            program: "sh".into(),
            arguments: vec!["-c".into(), script.into()],
            ..ToolServerCommand::default()
        }
    }

    #[tokio::test]
    async fn reads_lines_stderr_and_exit() {
        let script = "echo $MY_RAISE; echo oops >&2; read line; echo \"$line\"";
        let mut command = shell(script);
        command.variables.insert("SERVICE_MCP_MAX_RAISE_ETH".into(), "MY_RAISE".into());
        let mut child = Stdio::spawn(&command, &[("SERVICE_MCP_MAX_RAISE_ETH", "3")]).unwrap();
        assert_eq!(child.line(PATIENCE).await.unwrap(), Line::Text(b"3".to_vec()));
        child.send_bytes(b"hello\n").await.unwrap();
        assert_eq!(child.line(PATIENCE).await.unwrap(), Line::Text(b"hello".to_vec()));
        assert_eq!(child.line(PATIENCE).await.unwrap(), Line::End);
        assert!(child.ended(PATIENCE).await.unwrap().success());
        assert_eq!(child.output().unwrap(), b"3\nhello\n");
        assert_eq!(child.errors().unwrap(), b"oops\n");
    }

    #[tokio::test]
    async fn endless_output_is_no_verdict() {
        for (script, reason) in [
            ("tr '\\0' a </dev/zero", "a line is longer than 16 MiB"),
            ("yes", "one takes more than"),
            ("yes >&2; read line", "one takes more than"),
            ("tr '\\0' a </dev/zero >&2; read line", "it writes more than 24 MiB"),
        ] {
            let mut child = Stdio::spawn(&shell(script), &[]).unwrap();
            let error = loop {
                match child.line(PATIENCE).await {
                    Ok(Line::Text(_)) => {}
                    Ok(other) => panic!("{script}: {other:?}"),
                    Err(error) => break error,
                }
            };
            assert!(matches!(error, Inconclusive::TooLarge { .. }), "{script}: {error}");
            assert!(error.to_string().contains(reason), "{script}: {error}");
            assert!(child.output().is_err() && child.errors().is_err());
        }
    }

    #[tokio::test]
    async fn messages_in_between_do_not_extend_the_wait() {
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let script = format!("while echo '{ping}'; do sleep 0.02; done");
        let mut child = Stdio::spawn(&shell(&script), &[]).unwrap();
        let id = child.begin("ping", &json!({})).await.unwrap();
        let error = child.response(id, Duration::from_millis(300)).await.unwrap_err();
        assert!(matches!(error, Inconclusive::Silent { .. }), "{error}");
    }

    #[tokio::test(start_paused = true)]
    async fn server_that_does_not_read_is_given_up() {
        let (bounds, long) = (Arc::default(), vec![b'a'; 1 << 20]);
        for _ in 0..MOST_SILENCES {
            let mut child = Stdio::spawn_within(&shell("sleep 1000"), &[], &bounds).unwrap();
            let error = child.send_bytes(&long).await.unwrap_err();
            assert!(error.to_string().contains("does not read its input within 30 s"), "{error}");
            let next = child.begin("ping", &json!({})).await.unwrap_err();
            assert!(matches!(next, Inconclusive::Silent { .. }), "{next}");
        }
        let refused = Stdio::spawn_within(&shell("sleep 1000"), &[], &bounds).unwrap_err();
        assert!(matches!(refused, Inconclusive::GivenUp { .. }), "{refused}");
    }

    #[tokio::test(start_paused = true)]
    async fn silent_server_is_given_up() {
        let bounds = Arc::default();
        for _ in 0..MOST_SILENCES {
            let mut child = Stdio::spawn_within(&shell("sleep 1000"), &[], &bounds).unwrap();
            assert!(child.request("ping", &json!({})).await.is_err());
        }
        let refused = Stdio::spawn_within(&shell("sleep 1000"), &[], &bounds).unwrap_err();
        assert!(matches!(refused, Inconclusive::GivenUp { .. }), "{refused}");
    }
}
