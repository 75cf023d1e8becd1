//! A tool server with our RPC, service and wallet, and the evaluation of its answers.
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use alloy::consensus::{Transaction as _, TxEnvelope};
use alloy::eips::eip2718::Decodable2718;
use alloy::primitives::{B256, Bytes};
use alloy::rpc::types::TransactionReceipt;

use super::hostile_rpc::MCP_CHAIN_ID;
use super::manners::NAME_SERVER;
use crate::client::chain::Chain;
use crate::client::stdio::{PATIENCE, Stdio};
use crate::fake_servers::rpc::FakeRpc;
use crate::fake_servers::service::FakeService;
use crate::model::seed::Choices;
use crate::model::target::PrivateKey;
use crate::prelude::*;
use crate::sections::chain::launch_fixture::{LaunchFixture, Launched};
use crate::trial::manners::Manners;

/// A public address as the host of links, which needs no name server.
pub(super) const PUBLIC_HOST: &str = "1.1.1.1";
pub(super) const PROTOCOL: &str = "2025-06-18";

/// The tools in alphabetical order.
pub(super) const TOOLS: [&str; 5] =
    ["launch_status", "launch_token", "preview_launch", "recent_launches", "wallet_info"];

/// Makes this project's tool server wait one second for a receipt; others may ignore it and wait the 120 seconds of the interface.
pub(super) const SHORT_RECEIPT_WAIT: (&str, &str) = ("SLIPWAY_RECEIPT_WAIT_SECONDS", "1");
/// The longest that any tool server may wait for a receipt.
pub(super) const LONGEST_RECEIPT_WAIT: Duration = Duration::from_secs(128);

/// The environment of a tool server check.
pub(super) struct ToolServerFixture<'a> {
    pub(super) trial: Trial<'a>,
    pub(super) chain: &'a Chain,
    pub(super) rpc: FakeRpc,
    /// The service as the tool server reaches it; it waits out rate limits like all clients.
    pub(super) service: FakeService,
    pub(super) account: Account,
    pub(super) manners: Arc<Manners>,
}

/// A running tool server after the greeting, with its fixture.
pub(super) struct Session<'a> {
    pub(super) fixture: Arc<ToolServerFixture<'a>>,
    pub(super) stdio: Stdio,
    settings: String,
}

/// The answer to one call, with the request.
#[derive(Clone, Debug)]
pub(super) struct ToolReply {
    pub(super) message: Value,
    asked: String,
    /// Number of the exchange, if it was recorded.
    exchange: Option<u64>,
}

judges_as_its_trial!(ToolServerFixture);

impl<'a> Deref for Session<'a> {
    type Target = ToolServerFixture<'a>;

    fn deref(&self) -> &Self::Target {
        &self.fixture
    }
}

impl<'a> ToolServerFixture<'a> {
    /// Creates a fixture with a new account that holds at least `wei`.
    pub(super) async fn new(trial: &Trial<'a>, wei: U256) -> Verdict<Arc<Self>> {
        let mut choices = trial.choices(trial.check.id);
        let account = if wei.is_zero() {
            Account::fresh(&mut choices)
        } else {
            trial.account(PRIMARY, &mut choices, wei).await?
        };
        let manners = trial.world.manners.get_or_try_init(|| Box::pin(Manners::find(trial))).await?;
        Self::with(trial, account, Arc::clone(manners)).await
    }

    /// Creates a fixture with this account and these manners of the tool server.
    pub(super) async fn with(
        trial: &Trial<'a>,
        account: Account,
        manners: Arc<Manners>,
    ) -> Verdict<Arc<Self>> {
        let chain = trial.world.chain(PRIMARY)?;
        Ok(Arc::new(Self {
            manners,
            trial: *trial,
            chain,
            rpc: FakeRpc::start(trial.http().clone(), chain.url().clone()).await?,
            service: FakeService::start(trial.http().clone(), trial.rest()?.clone()).await?,
            account,
        }))
    }

    /// Starts and greets a tool server with the fixture's RPC, service and key, overridden by these variables; an empty value removes a
    /// variable. It must start.
    pub(super) async fn open(self: &Arc<Self>, variables: &[(&str, &str)]) -> Verdict<Session<'a>> {
        match self.try_open(variables).await? {
            Ok(session) => Ok(session),
            Err(stdio) => {
                let (settings, errors) = (described(variables), stdio.errors()?);
                let words = String::from_utf8_lossy(&errors);
                let reason = format!("it did not start with {settings}; last words: {words}");
                Err(Inconclusive::Unreachable { endpoint: "the tool server", reason }.into())
            }
        }
    }

    /// Like [`Self::open`], but the tool server may refuse to start: then its process is returned.
    pub(super) async fn try_open(
        self: &Arc<Self>,
        variables: &[(&str, &str)],
    ) -> Verdict<Result<Session<'a>, Stdio>> {
        let rpc = self.rpc.url().to_string();
        let base = self.service.origin();
        let key = self.key();
        let name_server = self.manners.name_server();
        let mut all = vec![
            ("SERVICE_MCP_RPC_URL", rpc.as_str()),
            ("SERVICE_BASE_URL", base.as_str()),
            ("SERVICE_MCP_PRIVATE_KEY", key.expose()),
        ];
        all.extend(name_server.as_ref().map(|address| (NAME_SERVER, address.as_str())));
        all.retain(|(name, _)| variables.iter().all(|(other, _)| other != name));
        all.extend(variables.iter().filter(|(_, value)| !value.is_empty()));
        let mut stdio = self.spawn_tool_server(&all)?;
        let response = match stdio.begin("initialize", &greeting(PROTOCOL)).await {
            Ok(id) => stdio.response_or_end(id, self.start_patience()).await?,
            // A server that has ended does not take the greeting.
            Err(Inconclusive::Unreachable { .. }) => None,
            Err(silent) => return Err(silent.into()),
        };
        if response.is_none_or(|message| message.get("result").is_none()) {
            stdio.ended(PATIENCE).await;
            return Ok(Err(stdio));
        }
        stdio.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await?;
        Ok(Ok(Session { fixture: Arc::clone(self), stdio, settings: described(variables) }))
    }

    /// Returns the longest time that a tool server may take to start and answer the greeting.
    pub(super) fn start_patience(&self) -> Duration {
        self.target().conventions.tool_server_start.unwrap_or(PATIENCE)
    }

    /// Starts a tool server with the fixture's RPC and key, without a greeting.
    pub(super) fn spawn(&self) -> Verdict<Stdio> {
        self.spawn_tool_server(&[
            ("SERVICE_MCP_PRIVATE_KEY", self.key().expose()),
            ("SERVICE_MCP_RPC_URL", self.rpc.url().as_str()),
        ])
    }

    /// Returns the key of the fixture's account in the format that the tool server accepts.
    pub(super) fn key(&self) -> PrivateKey {
        self.key_of(&self.account)
    }

    /// Returns the key of another account in that format.
    pub(super) fn key_of(&self, account: &Account) -> PrivateKey {
        PrivateKey::new(format!("{}{}", self.manners.prefix, account.key().expose()))
    }

    /// Returns an image URL that the tool server accepts.
    pub(super) fn link(&self, path: &str) -> String {
        format!("https://{}/{path}", self.manners.host)
    }

    /// Requires that the call ended with an error; `why` is the rule.
    pub(super) fn tool_error(&self, reply: &ToolReply, why: &str) -> Verdict {
        self.require(reply, reply.is_error(), &format!("a tool error: {why}"))
    }

    /// Requires that the call ended with an error and the tool server sent no transaction.
    pub(super) fn tool_error_unsent(&self, reply: &ToolReply, why: &str) -> Verdict {
        self.tool_error(reply, why)?;
        let sent = self.rpc.broadcasts().len();
        self.require_or(reply, sent == 0, &format!("nothing is sent: {why}"), || {
            format!("{sent} transactions")
        })
    }

    /// Requires that the call succeeded, and returns its value.
    pub(super) fn served(&self, reply: &ToolReply, why: &str) -> Verdict<Value> {
        reply.value().ok_or_else(|| self.failure(reply, format!("a result: {why}"), reply.excerpt()))
    }

    /// Requires a successful launch, and returns its receipt from the chain.
    pub(super) async fn launched(
        &self,
        reply: &ToolReply,
        why: &str,
    ) -> Verdict<(Value, TransactionReceipt)> {
        let value = self.served(reply, why)?;
        for sent in self.sent() {
            let chain = sent.chain_id();
            self.by(&MCP_CHAIN_ID).require_equal(
                reply,
                "chain id of what was sent",
                &Some(PRIMARY),
                &chain,
            )?;
        }
        let hash: B256 = parsed(&value["transactionHash"]).unwrap_or_default();
        match self.chain.receipt_of_mined(hash).await? {
            Some(receipt) if receipt.status() => Ok((value, receipt)),
            _ => Err(self.failure(reply, "transactionHash names a mined transaction", reply.excerpt())),
        }
    }

    /// Launches from the fixture's account without the tool server; returns the launch and the hook.
    pub(super) async fn plain_launch(&self, choices: &mut Choices) -> Verdict<(LaunchFixture<'a>, Launched)> {
        let hook = LaunchFixture::open(&self.trial, PRIMARY).await?;
        let launched =
            hook.launch_plain(&self.account, choices, (ether(1), 60_000, 5_000), U256::ZERO).await?;
        Ok((hook, launched))
    }

    /// Returns the signed transactions that the tool server sent, decoded.
    pub(super) fn sent(&self) -> Vec<TxEnvelope> {
        self.rpc
            .broadcasts()
            .iter()
            .filter_map(|text| text.parse::<Bytes>().ok())
            .filter_map(|bytes| TxEnvelope::decode_2718(&mut bytes.as_ref()).ok())
            .collect()
    }
}

impl<'a> Session<'a> {
    /// Starts a tool server with these variables, in a separate fixture whose account holds at least `wei`.
    pub(super) async fn start(trial: &Trial<'a>, wei: U256, variables: &[(&str, &str)]) -> Verdict<Self> {
        ToolServerFixture::new(trial, wei).await?.open(variables).await
    }

    /// Calls a tool, which must succeed.
    pub(super) async fn serves(
        &mut self,
        tool: &str,
        arguments: &Value,
        why: &str,
    ) -> Verdict<(ToolReply, Value)> {
        let reply = self.call(tool, arguments).await?;
        let value = self.served(&reply, why)?;
        Ok((reply, value))
    }

    /// Calls a tool, which must end with an error and send nothing.
    pub(super) async fn refuses(&mut self, tool: &str, arguments: &Value, why: &str) -> Verdict<ToolReply> {
        let reply = self.call(tool, arguments).await?;
        self.tool_error_unsent(&reply, why)?;
        Ok(reply)
    }

    /// Previews and launches; both must end with an error and send nothing.
    pub(super) async fn refuses_both(&mut self, arguments: &Value, why: &str) -> Verdict {
        self.refuses("preview_launch", arguments, why).await?;
        self.refuses("launch_token", arguments, why).await.map(drop)
    }

    /// Previews the minimal arguments with some more, which must succeed.
    pub(super) async fn previews(&mut self, more: &Value, why: &str) -> Verdict<(ToolReply, Value)> {
        self.serves("preview_launch", &with(more), why).await
    }

    /// Launches with the minimal arguments and some more, which must end with an error and send nothing.
    pub(super) async fn refuses_launch(&mut self, more: &Value, why: &str) -> Verdict<ToolReply> {
        self.refuses("launch_token", &confirmed(more), why).await
    }

    /// Launches with the minimal arguments and some more, which must succeed.
    pub(super) async fn launches(
        &mut self,
        more: &Value,
        why: &str,
    ) -> Verdict<(ToolReply, Value, TransactionReceipt)> {
        let reply = self.call("launch_token", &confirmed(more)).await?;
        let (value, receipt) = self.launched(&reply, why).await?;
        Ok((reply, value, receipt))
    }

    pub(super) async fn call(&mut self, tool: &str, arguments: &Value) -> Result<ToolReply, Stop> {
        let id = self.begin(tool, arguments).await?;
        self.answered(id, tool, arguments, PATIENCE).await.map_err(Stop::from)
    }

    /// Begins a call and returns its id, by which the answer is read.
    pub(super) async fn begin(&mut self, tool: &str, arguments: &Value) -> Result<i64, Inconclusive> {
        self.fixture.chain.shown_by_all().await?;
        let arguments = self.fixture.manners.adapted(arguments);
        self.stdio.begin("tools/call", &json!({"name": tool, "arguments": arguments})).await
    }

    /// Returns the answer to a call that was begun.
    pub(super) async fn answered(
        &mut self,
        id: i64,
        tool: &str,
        arguments: &Value,
        patience: Duration,
    ) -> Result<ToolReply, Inconclusive> {
        let message = self.stdio.response(id, patience).await?;
        Ok(self.reply(message, &json!({"name": tool, "arguments": arguments})))
    }

    /// Calls a tool with this patience; `None` if no answer comes in time.
    pub(super) async fn call_within(
        &mut self,
        tool: &str,
        arguments: &Value,
        patience: Duration,
    ) -> Result<Option<ToolReply>, Stop> {
        let id = self.begin(tool, arguments).await?;
        match tokio::time::timeout(patience, self.answered(id, tool, arguments, patience)).await {
            Ok(Ok(reply)) => Ok(Some(reply)),
            Ok(Err(Inconclusive::Unreachable { .. } | Inconclusive::Silent { .. })) | Err(_) => Ok(None),
            Ok(Err(other)) => Err(other.into()),
        }
    }

    pub(super) async fn tools(&mut self) -> Result<ToolReply, Stop> {
        let message = every_tool(&mut self.stdio, &json!({})).await?;
        Ok(self.reply(message, &json!({"method": "tools/list"})))
    }

    /// Combines the answer that came last with its request.
    fn reply(&self, message: Value, params: &Value) -> ToolReply {
        let mut shown = params.to_string();
        if shown.len() > 2_000 {
            shown.truncate(shown.floor_char_boundary(2_000));
            shown.push('…');
        }
        let asked = format!("tool call {shown} with {}", self.settings);
        ToolReply { message, asked, exchange: self.last_exchange() }
    }
}

impl ToolReply {
    /// Whether it is a protocol error or a tool error.
    pub(super) fn is_error(&self) -> bool {
        self.message.get("error").is_some_and(|error| !error.is_null())
            || self.message["result"]["isError"] == json!(true)
    }

    pub(super) fn tools(&self) -> impl Iterator<Item = &Value> {
        self.message["result"]["tools"].as_array().into_iter().flatten()
    }

    /// Returns a tool of the list; null if the list does not have it.
    pub(super) fn tool(&self, name: &str) -> &Value {
        self.tools().find(|tool| tool["name"] == name).unwrap_or(&Value::Null)
    }

    /// Returns the structured value of a result, or the JSON of its first text; `None` for an error.
    pub(super) fn value(&self) -> Option<Value> {
        if self.is_error() { None } else { value_of(&self.message) }
    }
}

impl Evidence for ToolReply {
    fn reproduce(&self) -> String {
        self.asked.clone()
    }

    fn excerpt(&self) -> String {
        self.message.to_string().chars().take(600).collect()
    }

    fn exchange(&self) -> Option<u64> {
        self.exchange
    }
}

/// Returns the structured value of an answer, or the JSON of its first text.
pub(super) fn value_of(message: &Value) -> Option<Value> {
    let result = &message["result"];
    if result["structuredContent"].is_object() {
        return Some(result["structuredContent"].clone());
    }
    let text = result["content"][0]["text"].as_str()?;
    Some(serde_json::from_str(text).unwrap_or_else(|_| json!({ "text": text })))
}

/// Most pages of a list of tools.
const PAGES: usize = 20;

/// Lists the tools, page by page, and returns the last answer with the tools of all of them.
pub(super) async fn every_tool(stdio: &mut Stdio, params: &Value) -> Result<Value, Inconclusive> {
    let (mut params, mut tools) = (params.clone(), Vec::new());
    for _ in 0..PAGES {
        let mut message = stdio.request("tools/list", &params).await?;
        let Some(listed) = message["result"]["tools"].as_array_mut() else { return Ok(message) };
        tools.append(listed);
        let next = message["result"]["nextCursor"].take();
        if next.is_null() {
            message["result"]["tools"] = tools.into();
            return Ok(message);
        }
        params["cursor"] = next;
    }
    Err(Inconclusive::NoMaterial { reason: format!("the list of tools has more than {PAGES} pages") })
}

/// Returns the parameters of a greeting in a protocol version.
pub(super) fn greeting(version: &str) -> Value {
    json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "conformance", "version": "1"}})
}

/// Describes variables without revealing keys.
fn described(variables: &[(&str, &str)]) -> String {
    let shown: Vec<String> = variables
        .iter()
        .map(|(name, value)| {
            let hidden = name.contains("KEY") && !name.ends_with("FILE");
            format!("{name}={}", if hidden { "…" } else { value })
        })
        .collect();
    if shown.is_empty() { "its usual settings".into() } else { shown.join(" ") }
}

/// Returns the minimal arguments of a launch with some more.
pub(super) fn with(more: &Value) -> Value {
    let mut arguments = json!({
        "name": "Probe",
        "ticker": "PRB",
        "description": "A launch made by a conformance check.",
        "imageUrl": format!("https://{PUBLIC_HOST}/logo.png"),
        "targetRaiseEth": 1,
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        arguments[name] = value.clone();
    }
    arguments
}

/// Returns the same arguments, confirmed unless `more` has a confirmation.
pub(super) fn confirmed(more: &Value) -> Value {
    let mut arguments = with(more);
    if more.get("confirm").is_none() {
        arguments["confirm"] = json!("YES");
    }
    arguments
}

/// The variable that enables launches.
pub(super) const WRITES: (&str, &str) = ("SERVICE_MCP_ENABLE_WRITES", "true");
