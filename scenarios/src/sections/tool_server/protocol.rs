//! The protocol itself: the five tools and their schemas, reads while writes are disabled, and invalid messages.
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::fixture::{PROTOCOL, Session, TOOLS, ToolReply, ToolServerFixture, with};
use crate::client::stdio::{Line, PATIENCE, Stdio};
use crate::prelude::*;

/// The longest that an invalid message may stay unanswered.
const SOON: Duration = Duration::from_secs(10);
/// A line longer than any message.
const LONG_LINE: usize = 10 * 1024 * 1024;

clause! {
    MCP_TOOLS = "MCP-TOOLS" (S4, S230, S258):
        "Over stdio there are exactly five tools, each with a schema of its arguments.";
    check!("tool-server-tools" [Read; ToolServer, Rest, PrimaryChain] five_tools_with_schemas:
        "exactly five tools, each with a schema that has its arguments");
}
pub(super) async fn five_tools_with_schemas(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, U256::ZERO, &[]).await?;
    let reply = session.tools().await?;
    let mut names: Vec<&str> = reply.tools().filter_map(|tool| tool["name"].as_str()).collect();
    names.sort_unstable();
    session.require_equal(&reply, "names of the tools", &TOOLS.to_vec(), &names)?;
    for tool in reply.tools() {
        let described = tool["description"].as_str().is_some_and(|text| !text.is_empty());
        session.require_equal(&reply, "each tool is described", &true, &described)?;
        let kind = tool["inputSchema"]["type"].as_str();
        session.require_equal(&reply, "type of each input", &Some("object"), &kind)?;
    }
    let mut required = BTreeSet::from(["name", "ticker", "description", "imageUrl", "targetRaiseEth"]);
    launch_schema(&session, &reply, "preview_launch", &required)?;
    required.insert("confirm");
    launch_schema(&session, &reply, "launch_token", &required)
}

fn launch_schema(
    fixture: &ToolServerFixture<'_>,
    reply: &ToolReply,
    tool: &str,
    required: &BTreeSet<&str>,
) -> Verdict {
    let schema = &reply.tool(tool)["inputSchema"];
    let stated = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    fixture.require_equal(reply, "required arguments", required, &stated)?;
    let optional = [
        "messenger",
        "microblog",
        "website",
        "curveGainMultiplier",
        "creatorFeeSplitBps",
        "antiSnipeSeconds",
        "startTimestamp",
        "prebuyEth",
        "referralCode",
    ];
    for name in required.iter().chain(&optional) {
        let stated = schema["properties"][name].is_object();
        fixture.require_equal(reply, &format!("{name} is in the schema"), &true, &stated)?;
    }
    Ok(())
}

clause! {
    MCP_READ_ONLY = "MCP-READ-ONLY" (S290): "The four tools that only read work while writes are off.";
    check!("tool-server-read-only" [Write; ToolServer, Rest, PrimaryChain, Accounts] reading_works_without_writes:
        "four tools work while writes are off");
}
pub(super) async fn reading_works_without_writes(trial: &Trial<'_>) -> Verdict {
    let fixture = ToolServerFixture::new(trial, ether(1)).await?;
    let launched = fixture.plain_launch(&mut trial.choices("read-only")).await?.1;
    let mut session = fixture.open(&[]).await?;
    let tools = session.tools().await?;
    for (tool, arguments) in
        [("wallet_info", json!({})), ("preview_launch", with(&json!({}))), ("recent_launches", json!({}))]
    {
        session.serves(tool, &arguments, "the tool only reads").await?;
    }
    let reply = super::status::status(&mut session, &tools, launched.id).await?;
    fixture.served(&reply, "the tool only reads")?;
    session.refuses_launch(&json!({}), "writes are off").await.map(drop)
}

clause! {
    MCP_PROTO = "MCP-PROTO" (choice):
        "Broken, unknown or oversized input never hangs or ends the server badly, nor dirties stdout.";
    check!("tool-server-garbage" [Read; ToolServer, Rest, PrimaryChain] garbage_is_answered:
        "messages that are none are answered by an error or an end");
    check!("tool-server-side-by-side" [Read; ToolServer, Rest, PrimaryChain] super::conventions::calls_run_side_by_side:
        "a call that waits holds up no other");
    check!("tool-server-two-launches" [Write; ToolServer, Rest, PrimaryChain, Accounts] super::conventions::launches_take_turns:
        "two launches at the same time are two transactions");
    check!("tool-server-cancelled" [Write; ToolServer, Rest, PrimaryChain, Accounts] super::conventions::cancelled_waits_end:
        "a launch cancelled while it waits asks and sends no more");
}
pub(super) async fn garbage_is_answered(trial: &Trial<'_>) -> Verdict {
    let fixture = ToolServerFixture::new(trial, U256::ZERO).await?;
    let mut huge = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"x\":\"".to_vec();
    huge.resize(LONG_LINE, b'a');
    huge.extend(b"\"}}\n");
    let garbage: [(&str, Vec<u8>); 6] = [
        ("a line that is not JSON", b"{not json}\n".to_vec()),
        ("a broken line", b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\n".to_vec()),
        ("bytes that are not UTF-8", b"\xff\xfe{\"jsonrpc\"\xc3\x28}\n".to_vec()),
        ("a line of 10 MiB", huge),
        ("a batch of garbage", b"[1, null, \"x\", {}]\n".to_vec()),
        ("a value that is no message", b"42\n".to_vec()),
    ];
    for (what, bytes) in garbage {
        let mut session = fixture.open(&[]).await?;
        let shown = format!("{what}, sent to the tool server");
        // A server that ends during the write has answered by ending.
        match session.stdio.send_bytes(&bytes).await {
            Ok(()) | Err(Inconclusive::Unreachable { .. }) => {}
            Err(silent) => return Err(silent.into()),
        }
        fixture.part(answered_or_ended(&fixture, &mut session.stdio, &shown).await)?;
        fixture.part(protocol_only(&fixture, &session.stdio, &shown))?;
    }
    fixture.part(wrong_requests(&fixture).await)?;
    early_ends(&fixture).await
}

/// An error comes and the server still answers, or the server ends.
async fn answered_or_ended(fixture: &ToolServerFixture<'_>, stdio: &mut Stdio, shown: &str) -> Verdict {
    match stdio.answer(SOON).await? {
        Line::Text(line) => {
            let message: Value = serde_json::from_slice(&line).unwrap_or_default();
            if message["error"]["code"].is_i64() {
                still_answers(fixture, stdio, shown).await
            } else {
                Err(fixture.failure(shown, "an error of the protocol", String::from_utf8_lossy(&line)))
            }
        }
        Line::End => ended_properly(fixture, stdio, shown).await,
        Line::Silence => {
            // If the server answers the next request, it was not just slow.
            stdio.request("tools/list", &json!({})).await?;
            Err(fixture.failure(shown, "an error or an end", "silence, and an answer to the next request"))
        }
    }
}

async fn still_answers(fixture: &ToolServerFixture<'_>, stdio: &mut Stdio, shown: &str) -> Verdict {
    match stdio.request("tools/list", &json!({})).await {
        Ok(message) if message["result"]["tools"].is_array() => Ok(()),
        Ok(message) => Err(fixture.failure(shown, "the next request is served", message.to_string())),
        Err(
            error @ (Inconclusive::TooLarge { .. }
            | Inconclusive::GivenUp { .. }
            | Inconclusive::Silent { .. }),
        ) => Err(error.into()),
        Err(error) => Err(fixture.failure(shown, "the next request is served", error.to_string())),
    }
}

/// Requires that it ended, neither by a signal nor by a panic.
async fn ended_properly(fixture: &ToolServerFixture<'_>, stdio: &mut Stdio, shown: &str) -> Verdict {
    match stdio.ended(PATIENCE).await {
        Some(status) if status.code().is_some_and(|code| code != 101) => Ok(()),
        Some(status) => Err(fixture.failure(shown, "an end with an exit code", status.to_string())),
        None => Err(fixture.failure(shown, "an end", "its output is closed and it still runs")),
    }
}

/// Well-formed requests for something that does not exist.
async fn wrong_requests(fixture: &Arc<ToolServerFixture<'_>>) -> Verdict {
    let mut session = fixture.open(&[]).await?;
    for (method, params) in [
        ("no/such/method", json!({})),
        ("tools/call", json!({"name": "no_such_tool", "arguments": {}})),
        ("tools/call", json!({})),
        ("tools/call", json!({"name": 7})),
        ("tools/call", json!({"name": "launch_token", "arguments": 5})),
        ("tools/call", json!({"name": "launch_status", "arguments": {}})),
        ("tools/call", json!({"name": "launch_status", "arguments": {"launchId": {"a": 1}}})),
        ("tools/call", json!(["launch_token"])),
    ] {
        let shown = format!("{method} with {params}");
        let message = session.stdio.request(method, &params).await?;
        let refused = message.get("error").is_some() || message["result"]["isError"] == json!(true);
        fixture.require_or(&shown, refused, "an error", || message.to_string())?;
    }
    let message = session.stdio.request("ping", &json!({})).await?;
    if message["result"].is_object() {
        protocol_only(fixture, &session.stdio, "wrong requests")
    } else {
        Err(fixture.failure("ping after wrong requests", "ping is answered", message.to_string()))
    }
}

/// Input that ends before or after the greeting, or in the middle of a line.
async fn early_ends(fixture: &Arc<ToolServerFixture<'_>>) -> Verdict {
    for part in [&b""[..], b"{\"jsonrpc\":\"2.0\",", b"\n\n"] {
        let mut stdio = fixture.spawn()?;
        let _ = stdio.send_bytes(part).await;
        stdio.close_input();
        let shown = format!("input that ends after {:?}", String::from_utf8_lossy(part));
        ended_properly(fixture, &mut stdio, &shown).await?;
        protocol_only(fixture, &stdio, &shown)?;
    }
    let mut session = fixture.open(&[]).await?;
    session.stdio.close_input();
    ended_properly(fixture, &mut session.stdio, "input that ends after the greeting").await?;
    // A request before any greeting leads to an error or an end.
    let mut stdio = fixture.spawn()?;
    let call = json!({"name": "wallet_info", "arguments": {}, "protocolVersion": PROTOCOL});
    stdio.begin("tools/call", &call).await?;
    let shown = "a call before any greeting";
    match stdio.answer(PATIENCE).await? {
        Line::Text(line) => {
            let message: Value = serde_json::from_slice(&line).unwrap_or_default();
            fixture.require_or(shown, message.get("error").is_some(), "an error", || message.to_string())
        }
        Line::End | Line::Silence => {
            stdio.close_input();
            ended_properly(fixture, &mut stdio, shown).await
        }
    }
}

/// Every output line is a protocol message.
fn protocol_only(fixture: &ToolServerFixture<'_>, stdio: &Stdio, shown: &str) -> Verdict {
    let output = stdio.output()?;
    for line in output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let message: Value = serde_json::from_slice(line).unwrap_or_default();
        let expected = "standard output carries messages of the protocol only";
        let shows = || String::from_utf8_lossy(line).into_owned();
        fixture.require_or(shown, message["jsonrpc"] == "2.0", expected, shows)?;
    }
    Ok(())
}
