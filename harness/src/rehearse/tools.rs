//! The tool server of an agent under rehearsal. The process that the agent starts only relays its streams here; each connection has a
//! separate tool server. Calls are recorded with the other requests, and answers changed as the run requires.
use std::collections::BTreeMap;
use std::io;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use slipway_sim::Ready;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::tcp::OwnedWriteHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;
use tokio::time::{sleep, timeout};

use super::fault::Treatment;
use super::record::Asked;
use super::stage::{Scene, Shared};

/// The chain that tools report under the fault of another chain.
const OTHER_CHAIN: u64 = 1;
/// Time between two pieces of an answer that never ends, and the pieces.
const PAUSE: Duration = Duration::from_millis(20);
const PIECE: [u8; 1024] = [b'a'; 1024];
/// Maximum bytes that each side of a session may send.
const LONGEST_SESSION: u64 = 64 << 20;
/// How long a tool server may take to end after its client.
const FAREWELL: Duration = Duration::from_secs(5);

/// Starts tool servers for an agent.
pub(super) struct Tools {
    pub(super) shared: Arc<Shared>,
    pub(super) program: String,
    variables: Vec<(&'static str, String)>,
}

/// A call without an answer yet.
struct Open {
    number: usize,
    treatment: Treatment,
    asked: Asked,
    scene: Arc<Mutex<Scene>>,
}

impl Tools {
    /// Tool servers for the platform of the ready line, with the first account's key, and writes enabled.
    pub(super) fn new(shared: Arc<Shared>, program: String, ready: &Ready) -> Self {
        let rpc = ready.chains.first().map(|chain| chain.rpc_url.clone()).unwrap_or_default();
        let key = ready.accounts.first().map(|account| account.private_key.to_string()).unwrap_or_default();
        let variables = vec![
            ("SERVICE_MCP_RPC_URL", rpc),
            ("SERVICE_BASE_URL", ready.base_url.clone()),
            ("SERVICE_MCP_PRIVATE_KEY", key),
            ("SERVICE_MCP_ENABLE_WRITES", "true".to_owned()),
        ];
        Self { shared, program, variables }
    }

    /// Serves until the task is aborted.
    pub(super) async fn serve(self: Arc<Self>, listener: TcpListener) {
        while let Ok((stream, _)) = listener.accept().await {
            let tools = Arc::clone(&self);
            tokio::spawn(async move {
                if let Err(error) = tools.session(stream).await {
                    tracing::debug!(%error, "a connection of the agent's tool server ended");
                }
            });
        }
    }

    async fn session(&self, stream: TcpStream) -> io::Result<()> {
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
        let (Some(mut to_server), Some(from_server)) = (server.stdin.take(), server.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let mut requests = BufReader::new(from_agent.take(LONGEST_SESSION)).lines();
        let mut answers = BufReader::new(from_server.take(LONGEST_SESSION)).lines();
        let mut open: BTreeMap<String, Open> = BTreeMap::new();
        loop {
            tokio::select! {
                request = requests.next_line() => {
                    let Some(line) = request? else { break };
                    let Some((id, call)) = self.admit(&line) else {
                        to_server.write_all(format!("{line}\n").as_bytes()).await?;
                        continue;
                    };
                    if call.treatment == Treatment::MoveFee {
                        let result = fee_moved();
                        call.close(Some(&result));
                        send(&mut to_agent, &json!({ "jsonrpc": "2.0", "id": id, "result": result })).await?;
                    } else {
                        to_server.write_all(format!("{line}\n").as_bytes()).await?;
                        open.insert(id.to_string(), call);
                    }
                }
                answer = answers.next_line() => {
                    let Some(line) = answer? else { return Ok(()) };
                    self.answer(&line, &mut open, &mut to_agent).await?;
                }
            }
        }
        drop(to_server);
        // It is killed when dropped, if it does not end.
        _ = timeout(FAREWELL, server.wait()).await;
        Ok(())
    }

    /// Records a tool call; `None` for any other message.
    fn admit(&self, line: &str) -> Option<(Value, Open)> {
        let message: Value = serde_json::from_str(line).ok()?;
        let name = message["params"]["name"].as_str().filter(|_| message["method"] == "tools/call")?;
        let asked = Asked::of_tool(name, &message["params"]["arguments"]);
        let scene = self.shared.scene();
        let (number, treatment) = scene.lock().admit(&asked);
        Some((message["id"].clone(), Open { number, treatment, asked, scene }))
    }

    async fn answer(
        &self,
        line: &str,
        open: &mut BTreeMap<String, Open>,
        to_agent: &mut OwnedWriteHalf,
    ) -> io::Result<()> {
        let mut message: Value = serde_json::from_str(line).unwrap_or_default();
        let Some(call) = open.remove(&message["id"].to_string()) else {
            return to_agent.write_all(format!("{line}\n").as_bytes()).await;
        };
        if call.treatment == Treatment::Endless {
            call.close(None);
            return endless(&message["id"], to_agent).await;
        }
        if let Treatment::Plant(fault) = call.treatment {
            let planted = self.shared.canaries.plant_in_launches(fault, &mut message["result"]);
            call.scene.lock().acted(call.number, &call.asked, Ok(planted));
        }
        if call.treatment == Treatment::OtherChain {
            let shown = &mut message["result"]["structuredContent"];
            let reports = shown["chainId"].is_number();
            if reports {
                shown["chainId"] = json!(OTHER_CHAIN);
                let text = shown.to_string();
                message["result"]["content"] = json!([{ "type": "text", "text": text }]);
            }
            call.scene.lock().acted(call.number, &call.asked, Ok(reports));
        }
        call.close(Some(&message["result"]));
        if call.treatment == Treatment::Pass {
            return to_agent.write_all(format!("{line}\n").as_bytes()).await;
        }
        send(to_agent, &message).await
    }
}

impl Open {
    fn close(&self, result: Option<&Value>) {
        self.scene.lock().returned(self.number, result);
    }
}

async fn send(to_agent: &mut OwnedWriteHalf, message: &Value) -> io::Result<()> {
    to_agent.write_all(format!("{message}\n").as_bytes()).await
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
async fn endless(id: &Value, to_agent: &mut OwnedWriteHalf) -> io::Result<()> {
    let head = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":""#);
    to_agent.write_all(head.as_bytes()).await?;
    loop {
        to_agent.write_all(&PIECE).await?;
        sleep(PAUSE).await;
    }
}
