//! The tool server of an agent under rehearsal. The process that the agent starts only relays its streams here; each connection has a
//! separate tool server. Calls are recorded with the other requests, and answers changed as the run requires.
use std::collections::BTreeMap;
use std::future::pending;
use std::io;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};

use super::RehearseError;
use super::engine::{Engine, OTHER_CHAIN, Open};
use super::fault::Act;
use super::record::Asked;
use crate::error::CommandError;
use crate::target::tool_server::this_program;

/// Time between two pieces of an answer that never ends, and the pieces.
const PAUSE: Duration = Duration::from_millis(20);
const PIECE: [u8; 1024] = [b'a'; 1024];
/// Maximum bytes that each side of a session may send.
const LONGEST_SESSION: u64 = 64 << 20;
/// How long a tool server may take to end after its client, before it is killed.
const FAREWELL: Duration = Duration::from_secs(10);

/// The tool servers of an agent; dropping it ends them.
pub(super) struct Tools {
    /// How the agent finds them: the path of a configuration in the format of MCP clients, and the equivalent command line.
    pub(super) variables: Vec<(String, String)>,
    task: JoinHandle<()>,
    _folder: TempDir,
}

impl Drop for Tools {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Starts a tool server for each connection.
struct Starter {
    engine: Arc<Engine>,
    program: String,
    variables: Vec<(String, String)>,
}

impl Tools {
    /// Tool servers for the platform that these variables describe, with the first account's key, and writes enabled.
    pub(super) async fn start(
        engine: &Arc<Engine>,
        platform: &[(String, String)],
        key: &str,
    ) -> Result<Self, CommandError> {
        let failed = |source| RehearseError::ToolServer { source };
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?.to_string();
        let program = this_program()?;
        let command = [program.as_str(), "relay-tools", &address];
        let server = json!({ "command": program, "args": &command[1..], "env": {} });
        let folder = tempfile::tempdir().map_err(failed)?;
        let file = folder.path().join("mcp.json");
        let config = json!({ "mcpServers": { "slipway": server } });
        std::fs::write(&file, format!("{config:#}\n")).map_err(failed)?;
        let variables = vec![
            ("SLIPWAY_MCP_CONFIG".to_owned(), file.display().to_string()),
            ("SLIPWAY_MCP_COMMAND".to_owned(), shlex::try_join(command).unwrap_or_default()),
        ];
        let own = [("SERVICE_MCP_PRIVATE_KEY", key), ("SERVICE_MCP_ENABLE_WRITES", "true")];
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let (engine, variables_of_server) = (Arc::clone(engine), [platform, &own].concat());
        let starter = Arc::new(Starter { engine, program, variables: variables_of_server });
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let starter = Arc::clone(&starter);
                tokio::spawn(async move {
                    if let Err(error) = starter.converse(stream).await {
                        tracing::debug!(%error, "a connection of the agent's tool server ended");
                    }
                });
            }
        });
        Ok(Self { variables, task, _folder: folder })
    }
}

impl Starter {
    async fn converse(&self, stream: TcpStream) -> io::Result<()> {
        let (from_agent, mut to_agent) = stream.into_split();
        let mut server = Command::new(&self.program)
            .arg("mcp")
            .env_remove("SERVICE_MCP_PRIVATE_KEY_FILE")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let (Some(to_server), Some(from_server)) = (server.stdin.take(), server.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        // Lines of any bytes: what is no text is the server's to refuse.
        let mut requests = BufReader::new(from_agent.take(LONGEST_SESSION)).split(b'\n');
        let mut answers = BufReader::new(from_server.take(LONGEST_SESSION)).split(b'\n');
        let mut open: BTreeMap<String, Open> = BTreeMap::new();
        // Once the agent has closed its side, what it asked before is still answered.
        let (mut to_server, mut end) = (Some(to_server), None);
        loop {
            let farewell = async {
                match end {
                    Some(end) => sleep_until(end).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                () = farewell => return Ok(()),
                request = requests.next_segment(), if to_server.is_some() => {
                    let Some(line) = request? else {
                        (to_server, end) = (None, Some(Instant::now() + FAREWELL));
                        continue;
                    };
                    let message: Value = serde_json::from_slice(&line).unwrap_or_default();
                    let call = self.admit(&message);
                    if let Some(call) = call.as_ref().filter(|call| call.act == Act::MoveFee) {
                        let result = fee_moved();
                        call.answered(|exchange, _| exchange.answer = result.clone());
                        let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
                        write(&mut to_agent, answer.to_string().into_bytes()).await?;
                        continue;
                    }
                    open.extend(call.map(|call| (message["id"].to_string(), call)));
                    if let Some(to_server) = &mut to_server {
                        write(to_server, line).await?;
                    }
                }
                answer = answers.next_segment() => {
                    let Some(line) = answer? else { return Ok(()) };
                    let mut message: Value = serde_json::from_slice(&line).unwrap_or_default();
                    let Some(call) = open.remove(&message["id"].to_string()) else {
                        write(&mut to_agent, line).await?;
                        continue;
                    };
                    if call.act == Act::Endless {
                        return endless(&message["id"], &mut to_agent).await;
                    }
                    if matches!(call.act, Act::Plant(_) | Act::OtherChain) {
                        self.change(&call, &mut message);
                    }
                    call.answered(|exchange, _| exchange.answer = message["result"].clone());
                    let answer = if call.act == Act::Nothing { line } else { message.to_string().into_bytes() };
                    write(&mut to_agent, answer).await?;
                }
            }
        }
    }

    /// Records a tool call; `None` for any other message.
    fn admit(&self, message: &Value) -> Option<Open> {
        let params = &message["params"];
        let name = params["name"].as_str().filter(|_| message["method"] == "tools/call")?;
        Some(self.engine.admit(Asked::of_tool(name, &params["arguments"])))
    }

    /// Changes the answer to a call as its fault requires.
    fn change(&self, call: &Open, answer: &mut Value) {
        let change = |shown: &mut Value| match call.act {
            Act::Plant(text) => self.engine.canaries.plant_in_launches(text, shown),
            _ => shown.get_mut("chainId").map(|chain| *chain = json!(OTHER_CHAIN)).is_some(),
        };
        let is_changed = answer.pointer_mut("/result/structuredContent").is_some_and(change);
        if is_changed {
            let text = answer["result"]["structuredContent"].to_string();
            answer["result"]["content"] = json!([{ "type": "text", "text": text }]);
        }
        call.acted(Ok(is_changed));
    }
}

async fn write(to: &mut (impl AsyncWrite + Unpin), mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    to.write_all(&line).await
}

/// The answer to a launch whose fee has moved since the preview.
fn fee_moved() -> Value {
    let message = "the price has moved since the preview: the launch was not sent";
    let next = "Call preview_launch again and show the user what it says before you confirm";
    json!({
        "content": [{ "type": "text", "text": format!("{message}. Next: {next}. (price-moved)") }],
        "isError": true,
        "_meta": { "slipway/error": { "code": "price-moved", "message": message, "next": next } },
    })
}

/// Sends an answer that begins and never ends.
async fn endless(id: &Value, to_agent: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
    let head = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":""#);
    to_agent.write_all(head.as_bytes()).await?;
    loop {
        to_agent.write_all(&PIECE).await?;
        sleep(PAUSE).await;
    }
}
