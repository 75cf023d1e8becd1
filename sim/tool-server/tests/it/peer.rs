//! A peer of the tool server: it writes and reads lines and does not know the SDK.
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::Duration;

use serde_json::{Value, json};
use slipway_tool_server::{
    ConfigError, Input, Output, Serving, Start, Stop, ToolServerConfig, serve_on, serve_starting_on,
};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::task::JoinHandle;

/// The first development key of every local chain.
pub(crate) const KEY: &str = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

/// Longest wait for one response.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The variables of a tool server.
#[derive(Clone, Default)]
pub(crate) struct Environment(BTreeMap<String, String>);

impl Environment {
    /// Has a key and permits writes. Nothing listens on the addresses of chain and service.
    pub(crate) fn offline() -> Self {
        Self::default()
            .with("SERVICE_MCP_PRIVATE_KEY", KEY)
            .with("SERVICE_MCP_ENABLE_WRITES", "true")
            .with("SERVICE_MCP_RPC_URL", "http://127.0.0.1:9")
            .with("SERVICE_BASE_URL", "http://127.0.0.1:9")
            .with("SLIPWAY_DNS_SERVER", "127.0.0.1:9")
    }

    pub(crate) fn with(mut self, variable: &str, value: &str) -> Self {
        self.0.insert(variable.to_owned(), value.to_owned());
        self
    }

    pub(crate) fn config(&self) -> Result<ToolServerConfig, ConfigError> {
        ToolServerConfig::from_variables(&|variable| self.0.get(variable).map(OsString::from))
    }
}

/// One connection to its own tool server.
pub(crate) struct Peer {
    output: Option<WriteHalf<DuplexStream>>,
    input: Lines<BufReader<ReadHalf<DuplexStream>>>,
    serving: JoinHandle<<Serving as Future>::Output>,
    next_id: u64,
}

impl Peer {
    /// Connects without initializing the protocol. Nothing listens on the addresses of chain and service.
    pub(crate) fn connect() -> Self {
        Self::connect_with(&Environment::offline())
    }

    /// Connects with the test's own variables.
    pub(crate) fn connect_with(environment: &Environment) -> Self {
        let config = environment.config().unwrap();
        Self::on(|input, output| serve_on(config, input, output))
    }

    /// Connects while the platform behind the tool server is starting.
    pub(crate) fn connect_starting(environment: &Environment, start: Start) -> Self {
        Self::connect_stopping(environment, start, Box::pin(std::future::pending()))
    }

    /// Connects with a `stop` that ends the conversation.
    pub(crate) fn connect_stopping(environment: &Environment, start: Start, stop: Stop) -> Self {
        let config = environment.config().unwrap();
        Self::on(|input, output| serve_starting_on(config, start, input, output, stop))
    }

    fn on(serve: impl FnOnce(Input, Output) -> Serving) -> Self {
        let (near, far) = tokio::io::duplex(64 * 1024);
        let (input, output) = tokio::io::split(far);
        let serving = tokio::spawn(serve(Box::new(input), Box::new(output)));
        let (near_input, near_output) = tokio::io::split(near);
        Self { output: Some(near_output), input: BufReader::new(near_input).lines(), serving, next_id: 1 }
    }

    /// Connects and initializes the protocol.
    pub(crate) async fn initialized() -> Self {
        let mut peer = Self::connect();
        let response = peer.initialize("2025-11-25").await;
        assert_eq!(response["result"]["protocolVersion"], "2025-11-25");
        peer
    }

    pub(crate) async fn initialize(&mut self, version: &str) -> Value {
        let client = json!({ "name": "test", "version": "0" });
        let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
        let response = self.request("initialize", params).await;
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        response
    }

    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        let output = self.output.as_mut().unwrap();
        output.write_all(bytes).await.unwrap();
        output.flush().await.unwrap();
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes()).await;
    }

    /// The next line; `None` once the tool server has closed the connection.
    pub(crate) async fn line(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(TIMEOUT, self.input.next_line()).await.unwrap().unwrap()?;
        Some(serde_json::from_str(&line).unwrap())
    }

    /// The next line as it was written.
    pub(crate) async fn raw_line(&mut self) -> String {
        tokio::time::timeout(TIMEOUT, self.input.next_line()).await.unwrap().unwrap().unwrap()
    }

    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        let response = self.line().await.unwrap();
        assert_eq!(response["id"], id, "{response}");
        response
    }

    /// The result of a tool call, with its parameters given as text.
    pub(crate) async fn call_raw(&mut self, params: &str) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        let line =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{params}}}\n");
        self.send_bytes(line.as_bytes()).await;
        let mut response = self.line().await.unwrap();
        assert_eq!(response["id"], id, "{response}");
        response["result"].take()
    }

    /// The result of `preview_launch`, error or not.
    pub(crate) async fn preview(&mut self, arguments: Value) -> Value {
        self.call_raw(&json!({ "name": "preview_launch", "arguments": arguments }).to_string()).await
    }

    /// Closes the input without waiting.
    pub(crate) async fn close_input(&mut self) {
        self.output.take().unwrap().shutdown().await.unwrap();
    }

    /// The lines up to the end of the conversation.
    pub(crate) async fn rest(&mut self) -> Vec<Value> {
        let mut rest = Vec::new();
        while let Some(line) = self.line().await {
            rest.push(line);
        }
        rest
    }

    /// Closes the input and waits for the end.
    pub(crate) async fn leave(mut self) -> <Serving as Future>::Output {
        self.output.take().unwrap().shutdown().await.unwrap();
        while self.line().await.is_some() {}
        tokio::time::timeout(TIMEOUT, self.serving).await.unwrap().unwrap()
    }
}

/// Code of the error of a tool; null for a success.
pub(crate) fn code(result: &Value) -> &Value {
    &result["_meta"]["slipway/error"]["code"]
}

/// Arguments of a launch that is valid in every respect and needs no name server, with one argument replaced.
pub(crate) fn launch_with(argument: &str, value: Value) -> Value {
    let mut arguments = json!({
        "name": "Slip", "ticker": "SLIP", "description": "Goes down the slipway",
        "imageUrl": "https://1.1.1.1/a.png", "targetRaiseEth": 1,
    });
    arguments[argument] = value;
    arguments
}
