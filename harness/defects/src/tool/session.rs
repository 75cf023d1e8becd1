//! One session between a peer and the server: each line is read, then changed, held or dropped by the plan.
//!
//! A line that no effect changes is passed on byte for byte.
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{BufReader, stdin, stdout};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use super::effect::{Effect, Launch, ToolCall};
use super::environment::{Environment, RPC_URL, Secrets};
use super::flow::Flow;
use super::frames::{next_line, write_all};
use super::plan::{Plan, of_kind};
use super::rpc::Rpc;
use super::service::Service;
use super::{links, results, spelling};
use crate::http::Servers;
use crate::http::exchange::remove;

/// The line printed by [`Flow::Banner`].
const BANNER: &[u8] = b"tool server ready\n";
/// How long an answer to a launch waits for a second launch.
const SECOND_LAUNCH: Duration = Duration::from_secs(2);
/// A refusal is additionally held for this many times the time that the server took.
const HELD: u32 = 9;
/// Minimum hold of a refusal: longer than a client takes for a short wait.
const HELD_AT_LEAST: Duration = Duration::from_secs(7);
/// Protocol versions that [`Flow::RefuseOlderVersions`] still accepts.
const GREETED: [&str; 2] = ["2025-06-18", "2025-11-25"];
const INVALID_PARAMS: i32 = -32602;

/// The proxies of a session, with the origins that replace others.
#[derive(Default)]
pub(super) struct Proxies {
    pub(super) rpc: Option<Arc<Rpc>>,
    pub(super) service: Option<Arc<Service>>,
    /// Origin of each proxy, and the origin behind it.
    pub(super) origins: Vec<(String, String)>,
    pub(super) servers: Servers,
}

/// One session.
struct Session {
    plan: Plan,
    environment: Environment,
    secrets: Secrets,
    proxies: Proxies,
    state: Mutex<State>,
    launches: watch::Sender<usize>,
    to_server: mpsc::UnboundedSender<Vec<u8>>,
    to_peer: mpsc::UnboundedSender<Vec<u8>>,
    held: Mutex<JoinSet<()>>,
}

#[derive(Default)]
struct State {
    /// Requests without an answer, by the text of their id.
    pending: BTreeMap<String, Pending>,
    /// Calls that wait for the previous one, with their ids.
    waiting: VecDeque<(String, Vec<u8>)>,
    /// The call that they wait for.
    running: Option<String>,
    /// Links of calls that succeeded.
    judged: BTreeSet<String>,
    has_cancelled: bool,
    has_input_ended: bool,
}

#[derive(Clone)]
struct Pending {
    method: String,
    call: ToolCall,
    began: Instant,
    looks: usize,
    launch: usize,
}

/// Writes to standard error.
pub(super) fn log(text: &str) {
    // No listener is left to report to.
    drop(std::io::stderr().lock().write_all(text.as_bytes()));
}

/// Passes lines between this process's standard streams and the server until the server's output ends.
pub(super) async fn converse(
    plan: Plan,
    environment: Environment,
    secrets: Secrets,
    proxies: Proxies,
    (server_input, server_output): (ChildStdin, ChildStdout),
) {
    let (to_server, server_pieces) = mpsc::unbounded_channel();
    let (to_peer, peer_pieces) = mpsc::unbounded_channel();
    let session = Arc::new(Session {
        plan,
        environment,
        secrets,
        proxies,
        state: Mutex::default(),
        launches: watch::Sender::new(0),
        to_server,
        to_peer,
        held: Mutex::default(),
    });
    if session.plan.has(Flow::Banner) {
        session.to_peer(BANNER.to_vec());
    }
    let writing = tokio::spawn(write_all(stdout(), peer_pieces));
    let feeding = tokio::spawn(write_all(server_input, server_pieces));
    let from_peer = tokio::spawn(Arc::clone(&session).read_peer());
    let mut input = BufReader::new(server_output);
    while let Some(line) = next_line(&mut input).await {
        session.on_server_line(line);
    }
    from_peer.abort();
    feeding.abort();
    session.held.lock().abort_all();
    // An empty piece closes the stream.
    session.to_peer(Vec::new());
    drop(writing.await);
}

impl Session {
    async fn read_peer(self: Arc<Self>) {
        let mut input = BufReader::new(stdin());
        while let Some(line) = next_line(&mut input).await {
            self.on_peer_line(line).await;
        }
        let mut state = self.state.lock();
        state.has_input_ended = true;
        if state.waiting.is_empty() {
            self.to_server(Vec::new());
        }
    }

    fn to_server(&self, bytes: Vec<u8>) {
        // A server that has ended reads nothing.
        drop(self.to_server.send(bytes));
    }

    fn to_peer(&self, bytes: Vec<u8>) {
        // The writer ends with the session.
        drop(self.to_peer.send(bytes));
    }

    /// Answers a request instead of the server.
    fn reply(&self, id: &Value, member: &str, value: Value) {
        self.to_peer(line_of(&json!({"jsonrpc": "2.0", "id": id, member: value})));
    }

    async fn on_peer_line(&self, line: Vec<u8>) {
        let Some(mut message) = message(&line) else {
            let is_blank = line.trim_ascii().is_empty();
            if is_blank || !self.plan.has(Flow::DropMalformed) {
                self.to_server(line);
            }
            return;
        };
        let id = message["id"].clone();
        match message["method"].as_str() {
            Some("notifications/cancelled") if self.plan.has(Flow::DropCancellations) => {
                let mut state = self.state.lock();
                let cancelled = state.pending.get(&message["params"]["requestId"].to_string());
                state.has_cancelled |= cancelled.is_some_and(|pending| pending.call.tool == "launch_token");
            }
            Some("notifications/cancelled") => {
                self.to_server(line);
                self.call_ended(&message["params"]["requestId"].to_string());
            }
            Some("initialize") if self.plan.has(Flow::RefuseOlderVersions) && is_older(&message) => {
                self.reply(
                    &id,
                    "error",
                    json!({"code": INVALID_PARAMS, "message": "this version is not spoken"}),
                );
            }
            Some("tools/call") if !id.is_null() => {
                let before = message.clone();
                if self.call(&mut message).await {
                    let line = if message == before { line } else { line_of(&message) };
                    self.queue(id.to_string(), line);
                }
            }
            Some(method) if !id.is_null() => {
                let arguments = message["params"].as_object().cloned().unwrap_or_default();
                self.expect(&id, method, ToolCall { tool: String::new(), arguments });
                // The server knows no cursor of this list.
                let is_page = self.plan.has(Flow::Paged) && !message["params"]["cursor"].is_null();
                let line = if is_page {
                    remove(&mut message["params"], "cursor");
                    line_of(&message)
                } else {
                    line
                };
                self.to_server(line);
            }
            _ => self.to_server(line),
        }
    }

    /// Changes a tool call; returns false if it is answered here.
    async fn call(&self, message: &mut Value) -> bool {
        let call = call_of(message);
        let id = message["id"].clone();
        if let Some(rpc) = self.proxies.rpc.as_ref().filter(|_| self.state.lock().has_cancelled) {
            rpc.look_again().await;
        }
        let refused = of_kind!(self.plan, Refusal).find_map(|refusal| refusal(&call, &self.environment));
        if let Some(text) = refused {
            if self.plan.has(Flow::Panic) {
                let origin = self.environment.url(RPC_URL).map(|url| url.origin().ascii_serialization());
                log(&format!("the tool panicked: no handler for {}\n", origin.unwrap_or_default()));
            }
            self.reply(&id, "result", results::refusal(&text));
            return false;
        }
        if let Some(rpc) = &self.proxies.rpc {
            rpc.call_begins(call.tool == "launch_token");
        }
        if let Some(arguments) = message.pointer_mut("/params/arguments") {
            self.plan.of_tool(&call.tool).for_each(|change| change.change_values(true, arguments));
        }
        if matches!(call.tool.as_str(), "launch_token" | "preview_launch") {
            self.change_arguments(&mut message["params"]["arguments"]).await;
        }
        self.expect(&id, "tools/call", call);
        true
    }

    async fn change_arguments(&self, arguments: &mut Value) {
        let Some(arguments) = arguments.as_object_mut() else {
            return;
        };
        let has_start =
            arguments.get("startTimestamp").and_then(Value::as_u64).is_some_and(|start| start > 0);
        let chain_time = match &self.proxies.rpc {
            Some(rpc) if has_start && self.plan.has(Flow::ChainTime) => rpc.head_time().await,
            _ => None,
        };
        let state = self.state.lock();
        of_kind!(self.plan, Arguments)
            .for_each(|change| change(&mut Launch { arguments, chain_time, judged: &state.judged }));
    }

    /// Remembers a request until it is answered.
    fn expect(&self, id: &Value, method: &str, call: ToolCall) {
        let launch = if call.tool == "launch_token" {
            self.launches.send_modify(|launches| *launches += 1);
            *self.launches.borrow()
        } else {
            0
        };
        let looks = self.proxies.rpc.as_ref().map_or(0, |rpc| rpc.looks());
        let pending = Pending { method: method.to_owned(), call, began: Instant::now(), looks, launch };
        self.state.lock().pending.insert(id.to_string(), pending);
    }

    fn queue(&self, id: String, line: Vec<u8>) {
        let mut state = self.state.lock();
        if self.plan.has(Flow::Queue) && state.running.is_some() {
            state.waiting.push_back((id, line));
        } else {
            state.running = Some(id);
            self.to_server(line);
        }
    }

    /// Ends an answered or cancelled call, and starts the next one if this one was running.
    fn call_ended(&self, id: &str) {
        let mut state = self.state.lock();
        state.waiting.retain(|(waiting, _)| waiting != id);
        if state.running.as_deref() != Some(id) {
            return;
        }
        let next = state.waiting.pop_front();
        state.running = next.map(|(id, line)| {
            self.to_server(line);
            id
        });
        if state.has_input_ended && state.waiting.is_empty() {
            self.to_server(Vec::new());
        }
    }

    fn on_server_line(self: &Arc<Self>, line: Vec<u8>) {
        let answered = message(&line).filter(|message| message["method"].is_null());
        let pending = answered
            .as_ref()
            .and_then(|message| self.state.lock().pending.remove(&message["id"].to_string()));
        let (Some(mut message), Some(pending)) = (answered, pending) else {
            return self.to_peer(self.with_real_origins(line));
        };
        let before = message.clone();
        let hold = match pending.method.as_str() {
            "tools/list" => {
                if let Some(tools) = message.pointer_mut("/result/tools") {
                    of_kind!(self.plan, Tools).for_each(|change| change(tools));
                }
                if self.plan.has(Flow::Paged) {
                    let cursor = pending.call.arguments.get("cursor");
                    results::page_of_tools(&mut message["result"], cursor);
                }
                None
            }
            "tools/call" => {
                self.call_ended(&message["id"].to_string());
                let hold = self.hold(&pending, &message["result"]);
                self.change_result(&pending.call, &mut message["result"]);
                hold
            }
            _ => None,
        };
        of_kind!(self.plan, Answer).for_each(|change| change(&pending.method, &mut message));
        self.plan.of_message(&pending.method).for_each(|change| change.change_values(false, &mut message));
        if self.plan.has(Flow::Chatter) && pending.method != "initialize" {
            self.to_peer(line_of(&spelling::chatter()));
        }
        let line = match message == before {
            _ if self.plan.has(Flow::Spelt) => spelling::spelt(&message),
            true => line,
            false => line_of(&message),
        };
        let (session, line) = (Arc::clone(self), self.with_real_origins(line));
        match hold {
            None => session.deliver(&pending, line),
            Some(wait) => {
                let mut held = self.held.lock();
                held.spawn(async move {
                    if wait.await {
                        session.deliver(&pending, line);
                    }
                });
            }
        }
    }

    fn change_result(&self, call: &ToolCall, result: &mut Value) {
        if !result.is_object() {
            return;
        }
        let refused = result["isError"] == json!(true);
        let afterthought = || of_kind!(self.plan, Afterthought).find_map(|refusal| refusal(call));
        if refused {
            of_kind!(self.plan, Error).for_each(|change| change(result, &self.secrets));
        } else if let Some(text) = afterthought() {
            *result = results::refusal(&text);
        } else {
            self.state.lock().judged.extend(links::of(&call.arguments).map(str::to_owned));
            self.change_served(call, result);
        }
    }

    fn change_served(&self, call: &ToolCall, result: &mut Value) {
        for change in self.plan.of_tool(&call.tool) {
            results::edit(result, |value| change.change_values(false, value));
        }
        for effect in self.plan.pick(|effect| Some(*effect)) {
            match effect {
                Effect::Result(change) => results::edit(result, |value| change(&call.tool, value)),
                Effect::Row(change) if call.tool == "recent_launches" => {
                    let page = self.proxies.service.as_ref().map_or(Value::Null, |service| service.page());
                    results::edit(result, |value| results::change_rows(value, &page, &self.secrets, change));
                }
                _ => {}
            }
        }
    }

    /// The wait before an answer to a call, and whether the answer goes out after it; `None` if it is not held.
    fn hold(self: &Arc<Self>, pending: &Pending, result: &Value) -> Option<BoxFuture<'static, bool>> {
        let session = Arc::clone(self);
        let refused = result["isError"] == json!(true);
        let looked = self.proxies.rpc.as_ref().is_some_and(|rpc| rpc.looks() > pending.looks);
        let has_begun = || self.proxies.service.as_ref().is_some_and(|service| service.has_only_begun());
        let wait = match pending.call.tool.as_str() {
            "launch_token" if refused && looked && self.plan.has(Flow::HoldReceipt) => {
                let time = (pending.began.elapsed() * HELD).max(HELD_AT_LEAST);
                async move { tokio::time::sleep(time).await }.boxed()
            }
            "launch_token" if refused && looked && self.plan.has(Flow::SendAgain) => async move {
                if let Some(rpc) = &session.proxies.rpc {
                    rpc.send_again().await;
                }
            }
            .boxed(),
            "launch_token" if self.plan.has(Flow::AwaitSecondLaunch) => {
                let number = pending.launch;
                async move {
                    let mut launches = session.launches.subscribe();
                    let second = launches.wait_for(|launches| *launches > number);
                    // A caller that launches only once gets the answer a little later.
                    drop(tokio::time::timeout(SECOND_LAUNCH, second).await);
                }
                .boxed()
            }
            "recent_launches" if self.plan.has(Flow::ReadAll) => async move {
                if let Some(service) = &session.proxies.service {
                    service.all_read().await;
                }
            }
            .boxed(),
            "recent_launches" if refused && self.plan.has(Flow::AwaitService) && has_begun() => {
                return Some(ready(false).boxed());
            }
            _ => return None,
        };
        Some(wait.map(|()| true).boxed())
    }

    fn deliver(&self, pending: &Pending, line: Vec<u8>) {
        self.to_peer(line);
        if let Some(rpc) = self.proxies.rpc.as_ref().filter(|_| pending.launch > 0) {
            rpc.launch_ends();
        }
    }

    /// The line with the real origins in place of those of proxies.
    fn with_real_origins(&self, line: Vec<u8>) -> Vec<u8> {
        let mut line = line;
        for (own, real) in &self.proxies.origins {
            if let Ok(text) = std::str::from_utf8(&line)
                && text.contains(own)
            {
                line = text.replace(own, real).into_bytes();
            }
        }
        line
    }
}

/// The JSON object on a line.
fn message(line: &[u8]) -> Option<Value> {
    serde_json::from_slice(line).ok().filter(Value::is_object)
}

fn line_of(message: &Value) -> Vec<u8> {
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

fn call_of(message: &Value) -> ToolCall {
    let params = &message["params"];
    ToolCall {
        tool: params["name"].as_str().unwrap_or_default().to_owned(),
        arguments: params["arguments"].as_object().cloned().unwrap_or_default(),
    }
}

fn is_older(message: &Value) -> bool {
    message["params"]["protocolVersion"].as_str().is_none_or(|version| !GREETED.contains(&version))
}
