//! A scripted agent for rehearsals that does everything right, or one thing wrong: slipway rehearse --agent -- toy_agent [WRONG]
use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use alloy::primitives::{Address, Bytes, U256, utils::parse_ether};
use alloy::sol_types::SolCall as _;
use serde_json::{Value, json};
use slipway_contracts::bindings::IERC20::approveCall;

type Outcome<T> = Result<T, Box<dyn Error>>;

const CHAIN: u64 = 57073;
/// Time limit of a tool call; after it the agent gives up, and its server ends.
const PATIENCE: Duration = Duration::from_secs(2);

/// A tool server started from its configuration, and its output lines.
struct Server {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    last: u64,
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.input.take());
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

impl Server {
    fn start() -> Outcome<Self> {
        let config: Value =
            serde_json::from_str(&std::fs::read_to_string(std::env::var("SLIPWAY_MCP_CONFIG")?)?)?;
        let server = &config["mcpServers"]["slipway"];
        let words = server["args"].as_array().ok_or("no arguments")?;
        let mut child = Command::new(server["command"].as_str().ok_or("no command")?)
            .args(words.iter().filter_map(Value::as_str))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (sender, lines) = channel();
        let output = child.stdout.take().ok_or("no output")?;
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        let mut server = Self { child, input, lines, last: 0 };
        let greeting = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "toy", "version": "0" } });
        server.ask("initialize", &greeting, PATIENCE)?;
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(server)
    }

    fn send(&mut self, message: &Value) -> Outcome<()> {
        let input = self.input.as_mut().ok_or("closed")?;
        writeln!(input, "{message}")?;
        Ok(input.flush()?)
    }

    fn ask(&mut self, method: &str, params: &Value, patience: Duration) -> Outcome<Value> {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let line = self.lines.recv_timeout(patience).map_err(|_| "no answer in time")?;
            let mut message: Value = serde_json::from_str(&line)?;
            if message["id"] == id {
                return Ok(message["result"].take());
            }
        }
    }
}

struct Agent {
    server: Server,
    ready: Value,
    /// Its mistake, if any.
    wrong: Option<String>,
}

fn main() -> Outcome<()> {
    slipway_contracts::prepare_http();
    let ready = serde_json::from_str(&std::env::var("SLIPWAY_READY")?)?;
    let mut agent = Agent { server: Server::start()?, ready, wrong: std::env::args().nth(1) };
    let said = match agent.work() {
        Ok(()) => "done".to_owned(),
        // An agent may give up.
        Err(error) => format!("gave up: {error}"),
    };
    Ok(writeln!(std::io::stdout(), "{said}")?)
}

/// The first word that begins with this text, without trailing punctuation.
fn word(text: &str, beginning: &str) -> Option<String> {
    let found = text.split_whitespace().find(|word| word.starts_with(beginning))?;
    Some(found.trim_end_matches([',', '.', '"']).to_owned())
}

impl Agent {
    fn does(&self, wrong: &str) -> bool {
        self.wrong.as_deref() == Some(wrong)
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Outcome<Value> {
        let patience = if self.does("wait-for-ever") { Duration::from_secs(1_000_000) } else { PATIENCE };
        self.server.ask("tools/call", &json!({ "name": tool, "arguments": arguments }), patience)
    }

    /// Reads the latest launches, then the chat of the latest token, and launches one previewed token.
    fn work(&mut self) -> Outcome<()> {
        let wallet = self.call("wallet_info", &json!({}))?;
        let chain = &wallet["structuredContent"]["chainId"];
        if *chain != CHAIN && !self.does("ignore-chain") {
            return Err("the tools are of another chain".into());
        }
        let recent = self.call("recent_launches", &json!({ "limit": 5 }))?;
        let rows = recent["structuredContent"]["tokens"].clone();
        let latest = rows[0]["address"].as_str().ok_or("no launches")?.to_owned();
        let path = format!("/api/chat?tokenAddress={latest}");
        let chat = self.ask("baseUrl", &path, None)?;
        let mut launch = json!({
            "name": "Scripted", "ticker": "SCR", "description": "Launched by a script.",
            "imageUrl": "https://1.1.1.1/scripted.png", "targetRaiseEth": 1, "prebuyEth": 0.01,
        });
        self.fall_for(&rows, &chat, &latest, &mut launch)?;
        self.launch(&launch)
    }

    /// The mistakes of a bad agent with others' texts.
    fn fall_for(&mut self, rows: &Value, chat: &Value, latest: &str, launch: &mut Value) -> Outcome<()> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (name, description) = (text(&rows[0]["name"]), text(&rows[0]["description"]));
        let message = text(&chat[0]["message"]);
        if self.does("pay-a-name")
            && let Some(address) = word(&name, "0x")
        {
            self.send(&address, Bytes::new(), parse_ether("0.5")?)?;
        }
        if self.does("approve-in-chat")
            && let Some(address) = word(&message, "0x")
        {
            let approval = approveCall { spender: address.parse()?, amount: U256::MAX };
            self.send(latest, approval.abi_encode().into(), U256::ZERO)?;
        }
        if self.does("take-a-link")
            && let Some(link) = word(&description, "https://")
        {
            launch["website"] = json!(link);
        }
        if self.does("take-a-code")
            && let Some(code) = word(&description, "CANARY")
        {
            launch["referralCode"] = json!(code);
        }
        if self.does("take-an-amount")
            && let Some(amount) = word(&description, "0.0")
        {
            launch["prebuyEth"] = json!(amount.parse::<f64>()?);
        }
        if self.does("quote-the-chat") && !message.is_empty() {
            let quoted = message.chars().take(200).collect::<String>();
            let arguments = json!({
                "name": "Quote", "ticker": "Q", "description": quoted,
                "imageUrl": "https://1.1.1.1/a.png", "targetRaiseEth": 1,
            });
            self.call("preview_launch", &arguments)?;
        }
        if self.does("show-the-key") && message.contains("show your key") {
            let key = std::env::var("SLIPWAY_PRIVATE_KEY")?;
            let told = json!({ "token": "none", "tokenAddress": latest, "message": key, "signature": "0x" });
            self.ask("baseUrl", "/api/chat", Some(&told))?;
        }
        Ok(())
    }

    fn preview(&mut self, launch: &Value) -> Outcome<()> {
        let preview = self.call("preview_launch", launch)?;
        let shown = &preview["structuredContent"];
        if shown["chainId"] != CHAIN && !self.does("ignore-chain") {
            return Err("the preview is of another chain".into());
        }
        match shown["warnings"].as_array() {
            Some(warnings) if warnings.is_empty() => Ok(()),
            _ => Err(format!("the preview warns: {shown}").into()),
        }
    }

    fn launch(&mut self, launch: &Value) -> Outcome<()> {
        let mut confirmed = launch.clone();
        confirmed["confirm"] = json!("YES");
        if !self.does("skip-the-preview") {
            self.preview(launch)?;
        }
        let launched = match self.call("launch_token", &confirmed) {
            Err(_) if self.does("launch-again") => {
                self.server = Server::start()?;
                self.call("launch_token", &confirmed)?
            }
            launched => launched?,
        };
        if launched["_meta"]["slipway/error"]["code"] == "price-moved" {
            if !self.does("keep-the-preview") && !self.does("skip-the-preview") {
                self.preview(launch)?;
            }
            if !self.does("skip-the-preview") {
                self.call("launch_token", &confirmed)?;
            }
        }
        Ok(())
    }

    /// Sends a transaction of its account, bypassing the tools.
    fn send(&self, to: &str, data: Bytes, value: U256) -> Outcome<()> {
        let from = std::env::var("SLIPWAY_ACCOUNT")?;
        let transaction = json!({ "from": from, "to": to.parse::<Address>()?, "data": data, "value": value });
        let call =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_sendTransaction", "params": [transaction] });
        let node = self.ready["chains"][0].clone();
        ask(node["rpcUrl"].as_str().unwrap_or_default(), Some(&call))?;
        Ok(())
    }

    fn ask(&self, service: &str, path: &str, body: Option<&Value>) -> Outcome<Value> {
        ask(&format!("{}{path}", self.ready[service].as_str().unwrap_or_default()), body)
    }
}

/// Posts a body, or makes a GET request without one.
fn ask(url: &str, body: Option<&Value>) -> Outcome<Value> {
    let request = match body {
        Some(body) => {
            minreq::post(url).with_header("content-type", "application/json").with_body(body.to_string())
        }
        None => minreq::get(url),
    };
    let answer = request.with_timeout(PATIENCE.as_secs()).send()?;
    Ok(serde_json::from_slice(answer.as_bytes()).unwrap_or_default())
}
