//! A peer of the tool server: writes lines, reads lines, knows nothing of the SDK.
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::Duration;

use serde_json::{Value, json};
use slipway_sim::defect::Defects;
use slipway_sim::mcp::{McpConfig, ServeError, serve_on};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::task::JoinHandle;

use super::host::Host;
use super::names::Names;

/// The first development key of every local chain.
pub(super) const KEY: &str = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
pub(super) const WALLET: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/// Longest wait for one answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// The environment of a tool server.
#[derive(Clone, Default)]
pub(super) struct Environment {
    variables: BTreeMap<String, String>,
    defects: Vec<&'static str>,
}

impl Environment {
    pub(super) fn of(host: &Host, names: &Names) -> Self {
        Self::default()
            .with("SERVICE_MCP_PRIVATE_KEY", KEY)
            .with("SERVICE_MCP_ENABLE_WRITES", "true")
            .with("SERVICE_MCP_RPC_URL", &host.rpc_url())
            .with("SERVICE_BASE_URL", &host.base_url())
            .with("SLIPWAY_DNS_SERVER", &names.address.to_string())
    }

    pub(super) fn with(mut self, variable: &str, value: &str) -> Self {
        self.variables.insert(variable.to_owned(), value.to_owned());
        self
    }

    pub(super) fn without(mut self, variable: &str) -> Self {
        self.variables.remove(variable);
        self
    }

    pub(super) fn defect(mut self, id: &'static str) -> Self {
        self.defects.push(id);
        self
    }

    pub(super) fn config(&self) -> Result<McpConfig, slipway_sim::mcp::ConfigError> {
        let lookup = |variable: &str| self.variables.get(variable).map(OsString::from);
        McpConfig::from_variables(&lookup, &Defects::select(self.defects.iter().copied()).unwrap())
    }
}

/// One connection to a tool server of its own.
pub(super) struct Client {
    output: Option<WriteHalf<DuplexStream>>,
    input: Lines<BufReader<ReadHalf<DuplexStream>>>,
    serving: JoinHandle<Result<(), ServeError>>,
    next_id: u64,
    /// Everything the tool server has said.
    pub(super) said: String,
}

impl Client {
    /// Starts a tool server without a word.
    pub(super) fn start(environment: &Environment) -> Self {
        let (near, far) = tokio::io::duplex(64 * 1024);
        let (far_read, far_write) = tokio::io::split(far);
        let serving = tokio::spawn(serve_on(environment.config().unwrap(), far_read, far_write));
        let (near_read, near_write) = tokio::io::split(near);
        Self {
            output: Some(near_write),
            input: BufReader::new(near_read).lines(),
            serving,
            next_id: 1,
            said: String::new(),
        }
    }

    /// Starts a tool server and opens the protocol.
    pub(super) async fn open(environment: &Environment) -> Self {
        let mut client = Self::start(environment);
        let answer = client.initialize("2025-11-25").await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
        client
    }

    pub(super) async fn initialize(&mut self, version: &str) -> Value {
        let client = json!({ "name": "test", "version": "0" });
        let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
        let answer = self.request("initialize", params).await;
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        answer
    }

    pub(super) async fn send_bytes(&mut self, bytes: &[u8]) {
        let output = self.output.as_mut().unwrap();
        output.write_all(bytes).await.unwrap();
        output.flush().await.unwrap();
    }

    pub(super) async fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes()).await;
    }

    /// The next line; nothing when the tool server has closed.
    pub(super) async fn line(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(PATIENCE, self.input.next_line())
            .await
            .expect("an answer in time")
            .unwrap()?;
        self.said.push_str(&line);
        self.said.push('\n');
        Some(serde_json::from_str(&line).unwrap_or(Value::String(line)))
    }

    /// Sends a request and leaves its answer for later.
    pub(super) async fn post(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        id
    }

    pub(super) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.post(method, params).await;
        loop {
            let answer = self.line().await.expect("an answer before the end");
            if answer["id"] == id {
                return answer;
            }
        }
    }

    /// The result of a tool call, error or not.
    pub(super) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let mut answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].take()
    }

    /// The result of a tool call whose parameters are given as text.
    pub(super) async fn call_raw(&mut self, params: &str) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        let line =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{params}}}\n");
        self.send_bytes(line.as_bytes()).await;
        let mut answer = self.line().await.unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        answer["result"].take()
    }

    /// The structured content of a call that must succeed.
    pub(super) async fn result(&mut self, tool: &str, arguments: Value) -> Value {
        let mut result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], false, "{result}");
        result["structuredContent"].take()
    }

    /// The code of a call that must be refused.
    pub(super) async fn refusal(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], true, "{result}");
        assert!(result["content"][0]["text"].as_str().unwrap().contains("Next: "));
        result["_meta"]["slipway/error"]["code"].as_str().unwrap().to_owned()
    }

    /// Closes the input and waits for the end.
    pub(super) async fn leave(mut self) -> Result<(), ServeError> {
        self.output.take().unwrap().shutdown().await.unwrap();
        while self.line().await.is_some() {}
        tokio::time::timeout(PATIENCE, self.serving).await.expect("an end in time").unwrap()
    }
}

/// Arguments of a launch that is right in every respect.
pub(super) fn launch() -> Value {
    json!({
        "name": "Slip", "ticker": "SLIP", "description": "Goes down the slipway",
        "imageUrl": "https://images.public.dev/a.png", "targetRaiseEth": 1, "confirm": "YES",
    })
}

/// The same with one argument set.
pub(super) fn launch_with(argument: &str, value: Value) -> Value {
    let mut arguments = launch();
    arguments[argument] = value;
    arguments
}

/// Names that every launch of these tests needs.
pub(super) async fn public_names() -> Names {
    Names::serve(&[("images.public.dev", &[&["1.1.1.1", "2606:4700::1111"]])]).await
}
