//! The conduct of a session: protocol versions, concurrent calls, cancelled calls.
use std::collections::BTreeSet;
use std::time::Instant;

use alloy::consensus::Transaction;

use super::fixture::{Session, TOOLS, ToolServerFixture, WRITES, confirmed, every_tool, greeting, value_of};
use crate::audit::judge::{self, Forms};
use crate::client::stdio::{Line, PATIENCE, Stdio};
use crate::fake_servers::rpc::Reply;
use crate::model::shown::readable;
use crate::prelude::*;
use crate::sections::service::answers::{FORMS, binds};

/// Protocol versions that begin with a greeting, oldest first.
const GREETED: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// The protocol version without a greeting.
const UNGREETED: &str = "2026-07-28";
/// Calls made to see whether anything still happens.
const CALLS_AFTER: usize = 60;

clause! {
    MCP_FORM = "MCP-FORM" (standard "Model Context Protocol, lifecycle and tools"):
        "Every version of the protocol is greeted, and greetings, lists of tools and results have its form.";
    check!("tool-server-versions" [Read; ToolServer, Rest, PrimaryChain] every_version_is_greeted:
        "every version of the protocol is greeted and shown the tools");
    check!("tool-server-answers" [Read; ToolServer, Rest, PrimaryChain] answers_have_their_form after all:
        "judges the form of every answer of the tool server that any check of the run received");
}
pub(super) async fn every_version_is_greeted(trial: &Trial<'_>) -> Verdict {
    let fixture = ToolServerFixture::new(trial, U256::ZERO).await?;
    for version in GREETED.iter().copied().chain(["1999-01-01"]) {
        let mut stdio = fixture.spawn()?;
        let shown = format!("initialize with protocolVersion {version}");
        let message = match stdio.request("initialize", &greeting(version)).await {
            Ok(message) => message,
            Err(error @ (Inconclusive::Silent { .. } | Inconclusive::GivenUp { .. })) => {
                return Err(error.into());
            }
            Err(_) => return Err(fixture.failure(&shown, "a version of the protocol", "no answer")),
        };
        let agreed = message["result"]["protocolVersion"].as_str().unwrap_or_default();
        // A server may answer with another version that it supports, but may not refuse the client.
        fixture
            .require_or(&shown, !agreed.is_empty(), "a version of the protocol", || message.to_string())?;
        let result = &message["result"];
        let named = result["serverInfo"]["name"].is_string() && result["capabilities"]["tools"].is_object();
        fixture.require_or(&shown, named, "a server with a name and tools", || message.to_string())?;
        stdio.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await?;
        lists_the_tools(&fixture, &mut stdio, &json!({}), &shown).await?;
    }
    newest_without_greeting(&fixture).await
}

/// Judges the answers of tool servers in this run, and those that the check itself receives.
pub(super) async fn answers_have_their_form(trial: &Trial<'_>) -> Verdict {
    let own = trial.world.audited();
    let own = trial.within(&own);
    let trial = if trial.audit().is_some() { trial } else { &own };
    let mut session = Session::start(trial, U256::ZERO, &[]).await?;
    session.tools().await?;
    // One result and one error.
    for (tool, arguments) in [("wallet_info", json!({})), ("preview_launch", json!({}))] {
        session.call(tool, &arguments).await?;
    }
    let answered = trial.audit().is_some_and(|audit| !audit.calls().is_empty());
    need_material(answered, "no tool server answered anything")?;
    binds(judge::calls(trial, Forms { binding: &MCP_FORM, ..FORMS }))
}

/// A server that supports the newest version answers without a greeting; an older one says so.
async fn newest_without_greeting(fixture: &ToolServerFixture<'_>) -> Verdict {
    let mut stdio = fixture.spawn()?;
    let meta = json!({"_meta": {
        "io.modelcontextprotocol/protocolVersion": UNGREETED,
        "io.modelcontextprotocol/clientInfo": {"name": "conformance", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }});
    let shown = format!("server/discover in version {UNGREETED}");
    let id = stdio.begin("server/discover", &meta).await?;
    let Some(message) = stdio.response_or_end(id, PATIENCE).await? else { return Ok(()) };
    let spoken = message["result"]["supportedVersions"].as_array();
    if spoken.is_some_and(|versions| versions.contains(&json!(UNGREETED))) {
        return lists_the_tools(fixture, &mut stdio, &meta, &shown).await;
    }
    let answered = message.get("error").is_some() || spoken.is_some();
    fixture.require_or(&shown, answered, "versions or an error", || message.to_string())
}

async fn lists_the_tools(
    fixture: &ToolServerFixture<'_>,
    stdio: &mut Stdio,
    params: &Value,
    shown: &str,
) -> Verdict {
    let message = every_tool(stdio, params).await?;
    let tools = message["result"]["tools"].as_array();
    let names: BTreeSet<&str> =
        tools.into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect();
    let are_five = names == TOOLS.iter().copied().collect();
    fixture.require_or(shown, are_five, "the five tools after it", || message.to_string())
}

pub(super) async fn calls_run_side_by_side(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, U256::ZERO, &[]).await?;
    session.rpc.follow(|call, before| match call.method.as_str() {
        "eth_getBalance" if !before.iter().any(|earlier| earlier.method == "eth_getBalance") => {
            Reply::Silence
        }
        _ => Reply::Forward,
    });
    let first = session.begin("wallet_info", &json!({})).await?;
    asked_for(&mut session, "eth_getBalance").await?;
    let second = session.begin("wallet_info", &json!({})).await?;
    let shown = "wallet_info twice, the first while the RPC is silent";
    // Answers come as soon as they are ready: the first must be the second call's.
    let message = match session.stdio.answer(PATIENCE).await? {
        Line::Text(line) => serde_json::from_slice::<Value>(&line).unwrap_or_default(),
        other => {
            return Err(session.failure(shown, "an answer to the second call", readable(&other)));
        }
    };
    let right = message["id"] == json!(second) && message["result"]["isError"] != json!(true);
    let expected = format!("the answer to request {second} before the one to request {first}");
    session.require_or(shown, right, &expected, || message.to_string())
}

/// Waits until the RPC has received a call of this method, while the session continues.
pub(super) async fn asked_for(session: &mut Session<'_>, method: &str) -> Verdict {
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        if !session.rpc.calls_of(method).is_empty() {
            return Ok(());
        }
        session.stdio.request("ping", &json!({})).await?;
    }
    Err(session.failure("a tool call that needs it", format!("{method} is asked"), "it is not"))
}

/// Cancels a call. Once a later request is answered, the cancellation has been read.
pub(super) async fn cancel(session: &mut Session<'_>, id: i64) -> Verdict {
    let cancelled = json!({"requestId": id, "reason": "a conformance check"});
    session
        .stdio
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}))
        .await?;
    session.stdio.request("ping", &json!({})).await?;
    Ok(())
}

pub(super) async fn launches_take_turns(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, ether(1), &[WRITES]).await?;
    let mut asked = Vec::new();
    for name in ["First of two", "Second of two"] {
        asked.push(session.begin("launch_token", &confirmed(&json!({ "name": name }))).await?);
    }
    let shown = "launch_token twice at the same time";
    let mut hashes = BTreeSet::new();
    for _ in &asked {
        let Line::Text(line) = session.stdio.answer(PATIENCE).await? else {
            return Err(session.failure(shown, "two answers", "fewer"));
        };
        let message: Value = serde_json::from_slice(&line).unwrap_or_default();
        let value = value_of(&message).unwrap_or_default();
        let ours = asked.contains(&message["id"].as_i64().unwrap_or_default());
        let Some(hash) = value["transactionHash"].as_str().filter(|_| ours) else {
            return Err(session.failure(shown, "two launches", message.to_string()));
        };
        hashes.insert(hash.to_owned());
    }
    let nonces: BTreeSet<u64> = session.sent().iter().map(Transaction::nonce).collect();
    let apart = [hashes.len(), nonces.len(), session.sent().len()] == [2; 3];
    session.require_or(shown, apart, "two transactions with a nonce each", || {
        format!("{} {}", readable(&hashes), readable(&nonces))
    })
}

pub(super) async fn cancelled_waits_end(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, ether(1), &[WRITES]).await?;
    session.rpc.follow(|call, _| match call.method.as_str() {
        "eth_sendRawTransactionSync" => Reply::Error("there is no such method".into()),
        "eth_sendRawTransaction" => Reply::Result(json!(super::hostile_rpc::hash_of(call))),
        "eth_getTransactionReceipt" | "eth_getTransactionByHash" => Reply::Result(Value::Null),
        _ => Reply::Forward,
    });
    let id = session.begin("launch_token", &confirmed(&json!({}))).await?;
    asked_for(&mut session, "eth_getTransactionReceipt").await?;
    cancel(&mut session, id).await?;
    let shown = "launch_token, cancelled while it waits for its receipt";
    let before = session.rpc.calls_of("eth_getTransactionReceipt").len();
    for _ in 0..CALLS_AFTER {
        session.serves("wallet_info", &json!({}), "another call was cancelled, not this one").await?;
    }
    let after = session.rpc.calls_of("eth_getTransactionReceipt").len();
    // One request may have been in flight.
    session.require_or(shown, after <= before + 1, "the wait ends", || {
        format!("{} more looks for the receipt", after - before)
    })?;
    let sent = session.rpc.broadcasts().len();
    session.require_or(shown, sent == 1, "one transaction", || format!("{sent} transactions"))?;
    session.stdio.close_input();
    match session.stdio.ended(PATIENCE).await {
        Some(status) if status.success() => Ok(()),
        ended => Err(session.failure(shown, "a proper end", readable(&ended))),
    }
}
