//! Raw stdio: a child process, the bytes it is sent, and everything it writes; it ends with its handle.
use std::collections::BTreeMap;
use std::io;
use std::process::{ExitStatus, Stdio as Pipe};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::audit::Audit;
use crate::record::{Content, Recorder};
use crate::target::ToolServerCommand;
use crate::verdict::Inconclusive;

/// How long a child may take for one answer.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// Variables that checks set: those of the interface, and those by which a tool server of this project waits for less and asks
/// another name server. None reaches the child unless a check sets it.
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

/// A running child.
#[derive(Debug)]
pub struct Stdio {
    child: Child,
    input: Option<ChildStdin>,
    lines: mpsc::UnboundedReceiver<Vec<u8>>,
    output: Arc<Mutex<Vec<u8>>>,
    errors: Arc<Mutex<Vec<u8>>>,
    readers: [JoinHandle<()>; 2],
    asked: i64,
    pub(crate) recorder: Option<Arc<dyn Recorder>>,
    /// Keeps what is answered, to be judged with all else.
    pub(crate) audit: Option<Arc<Audit>>,
    /// What was sent last.
    sent: Sent,
    /// Requests without an answer yet.
    pending: BTreeMap<i64, Sent>,
}

/// Bytes that went to the child, and when.
#[derive(Clone, Debug)]
struct Sent {
    bytes: Vec<u8>,
    at: Instant,
}

/// What reading a line came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line, without its end.
    Text(Vec<u8>),
    /// The child closed its output.
    End,
    /// Nothing came in time.
    Silence,
}

impl Stdio {
    /// Starts the command with these variables of the interface, and no others of them.
    pub fn spawn(command: &ToolServerCommand, variables: &[(&str, &str)]) -> Result<Self, Inconclusive> {
        let mut child = Command::new(&command.program);
        child
            .args(&command.arguments)
            .stdin(Pipe::piped())
            .stdout(Pipe::piped())
            .stderr(Pipe::piped())
            .kill_on_drop(true);
        for name in TOOL_SERVER_VARIABLES {
            child.env_remove(name).env_remove(command.variable(name));
        }
        for (name, value) in variables {
            child.env(command.variable(name), value);
        }
        let mut child = child.spawn().map_err(broken)?;
        let (sender, lines) = mpsc::unbounded_channel();
        let (output, errors) = (Arc::default(), Arc::default());
        let stdout = child.stdout.take().expect("stdout is piped");
        let stderr = child.stderr.take().expect("stderr is piped");
        Ok(Self {
            input: child.stdin.take(),
            lines,
            readers: [
                tokio::spawn(read(stdout, Arc::clone(&output), Some(sender))),
                tokio::spawn(read(stderr, Arc::clone(&errors), None)),
            ],
            output,
            errors,
            child,
            asked: 0,
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

    /// Sends bytes as they are; whether the child took them.
    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(input) = &mut self.input else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        self.sent = Sent { bytes: bytes.to_vec(), at: Instant::now() };
        input.write_all(bytes).await?;
        input.flush().await
    }

    /// Sends one message as a line.
    pub async fn send(&mut self, message: &Value) -> Result<(), Inconclusive> {
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        self.send_bytes(&line).await.map_err(|error| self.lost(&error.to_string()))
    }

    /// The next line of output.
    pub async fn line(&mut self, patience: Duration) -> Line {
        let line = self.next_line(patience).await;
        let answer = if let Line::Text(text) = &line { Some(text.as_slice()) } else { None };
        self.recorded(&self.sent, answer);
        line
    }

    async fn next_line(&mut self, patience: Duration) -> Line {
        match tokio::time::timeout(patience, self.lines.recv()).await {
            Ok(Some(line)) => Line::Text(line),
            Ok(None) => Line::End,
            Err(_) => Line::Silence,
        }
    }

    /// Sends a request and returns the answer with its id; other messages in between are passed over.
    pub async fn request(&mut self, method: &str, params: &Value) -> Result<Value, Inconclusive> {
        let id = self.begin(method, params).await?;
        self.response(id, PATIENCE).await
    }

    /// Sends a request; the answer is read by its id.
    pub async fn begin(&mut self, method: &str, params: &Value) -> Result<i64, Inconclusive> {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await?;
        self.pending.insert(id, self.sent.clone());
        Ok(id)
    }

    /// The answer to a request.
    pub async fn response(&mut self, id: i64, patience: Duration) -> Result<Value, Inconclusive> {
        let response = self.response_or_end(id, patience).await?;
        response.ok_or_else(|| self.lost("it closed its output"))
    }

    /// The answer to a request; none where the child closes its output instead.
    pub(crate) async fn response_or_end(
        &mut self,
        id: i64,
        patience: Duration,
    ) -> Result<Option<Value>, Inconclusive> {
        let sent = self.pending.remove(&id).unwrap_or_else(|| self.sent.clone());
        loop {
            let ended = match self.next_line(patience).await {
                Line::Text(line) => match serde_json::from_slice::<Value>(&line) {
                    Ok(message) if message["id"] == json!(id) && message.get("method").is_none() => {
                        self.recorded(&sent, Some(&line));
                        if let Some(audit) = &self.audit {
                            audit.keep_call(&sent.bytes, &line);
                        }
                        return Ok(Some(message));
                    }
                    _ => continue,
                },
                Line::End => Ok(None),
                Line::Silence => Err(self.lost(&format!("no answer to request {id}"))),
            };
            self.recorded(&sent, None);
            return ended;
        }
    }

    /// Ends the child's input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits until the child and its output have ended; none when it did not in time.
    pub async fn ended(&mut self, patience: Duration) -> Option<ExitStatus> {
        let ended = async {
            let status = self.child.wait().await.ok();
            for reader in &mut self.readers {
                // A second call finds readers whose end was already taken.
                if !reader.is_finished() {
                    let _ = reader.await;
                }
            }
            status
        };
        tokio::time::timeout(patience, ended).await.ok().flatten()
    }

    /// Everything written to standard output so far.
    pub fn output(&self) -> Vec<u8> {
        self.output.lock().clone()
    }

    /// Everything written to standard error so far.
    pub fn errors(&self) -> Vec<u8> {
        self.errors.lock().clone()
    }

    fn lost(&self, reason: &str) -> Inconclusive {
        let errors = self.errors();
        let tail = errors.len().saturating_sub(400);
        Inconclusive::Unreachable {
            endpoint: "the tool server",
            reason: format!("{reason}; last words: {}", String::from_utf8_lossy(&errors[tail..])),
        }
    }
}

fn broken(error: io::Error) -> Inconclusive {
    Inconclusive::Unreachable { endpoint: "the tool server", reason: error.to_string() }
}

/// Copies a pipe into a buffer and, where asked, its lines into a channel.
async fn read(
    pipe: impl AsyncRead + Unpin,
    all: Arc<Mutex<Vec<u8>>>,
    lines: Option<mpsc::UnboundedSender<Vec<u8>>>,
) {
    let (mut pipe, mut line) = (BufReader::new(pipe), Vec::new());
    while pipe.read_until(b'\n', &mut line).await.is_ok_and(|count| count > 0) {
        all.lock().extend_from_slice(&line);
        if let (Some(lines), Some(b'\n')) = (&lines, line.pop()) {
            let _ = lines.send(std::mem::take(&mut line));
        }
        line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, PATIENCE, Stdio};
    use crate::target::ToolServerCommand;

    fn shell(script: &str) -> ToolServerCommand {
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
        assert_eq!(child.line(PATIENCE).await, Line::Text(b"3".to_vec()));
        child.send_bytes(b"hello\n").await.unwrap();
        assert_eq!(child.line(PATIENCE).await, Line::Text(b"hello".to_vec()));
        assert_eq!(child.line(PATIENCE).await, Line::End);
        assert!(child.ended(PATIENCE).await.unwrap().success());
        assert_eq!(child.output(), b"3\nhello\n");
        assert_eq!(child.errors(), b"oops\n");
    }
}
