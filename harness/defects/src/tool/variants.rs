//! Variants of the tool server: servers that keep the interface and the Model Context Protocol and chose otherwise.
use serde_json::{Value, json};

use super::arguments::{nearest_snipe, start_now};
use super::effect::RpcEffect::Record;
use super::effect::{Effect, EffectRow, row};
use super::flow::Flow::{ChainTime, Chatter, DropMalformed, LogSettings, ReadAll, Spelt};
use super::results::{self, each_tool};
use crate::Layer;
use crate::http::exchange::remove;
use crate::json::push_escaped;
use crate::variants::Ground::{Choice, Standard};
use crate::variants::{Ground, Variant};
use Effect::{Answer, Arguments, Error, Flow, Result, Rpc, Tools};

/// A variant with its effects.
struct Varied {
    rests_on: Ground,
    row: EffectRow,
    together: bool,
}

pub(super) fn rows() -> impl Iterator<Item = &'static EffectRow> {
    ROWS.iter().map(|varied| &varied.row)
}

/// The table as the catalogue shows it.
pub(crate) fn variants() -> impl Iterator<Item = Variant> {
    ROWS.iter().map(|Varied { rests_on, row, together }| Variant {
        id: row.id,
        layers: &[Layer::ToolServer],
        rests_on: *rests_on,
        summary: row.summary,
        together: *together,
        file: row.place.file(),
        line: row.place.line(),
    })
}

/// A variant that can be in force with all others.
const fn beside(rests_on: Ground, row: EffectRow) -> Varied {
    Varied { rests_on, row, together: true }
}

/// A variant that contradicts another one.
const fn alone(rests_on: Ground, row: EffectRow) -> Varied {
    Varied { rests_on, row, together: false }
}

const LIFECYCLE: Ground = Standard("MCP 2025-06-18, lifecycle");
const TOOLS: Ground = Standard("MCP 2025-06-18, server features, tools");

#[rustfmt::skip]
const ROWS: &[Varied] = &[
    beside(TOOLS, row("mcp-tools-reordered", "tools are listed in another order", &[Tools(reordered)])),
    beside(TOOLS, row("mcp-more-annotations", "tools have titles and further annotations", &[Tools(annotated)])),
    beside(Standard("JSON Schema 2020-12, meta-data annotations"), row("mcp-annotated-schemas", "schemas have titles, examples and a dialect", &[Tools(with_annotated_schemas)])),
    alone(Choice("MCP-HINTS"), row("mcp-no-hints", "no tool declares whether it only reads", &[Tools(results::without_hints)])),
    alone(Choice("MCP-HINTS"), row("mcp-no-output-schemas", "tools state no output schemas", &[Tools(results::without_output)])),
    alone(TOOLS, row("mcp-results-as-text", "results are JSON in a text, without structured content or output schemas", &[Tools(results::without_output), Answer(|method, message| if method == "tools/call" { message.get_mut("result").into_iter().for_each(|result| remove(result, "structuredContent")) })])),
    alone(Choice("MCP-HINTS"), row("mcp-errors-without-advice", "errors do not name the next step", &[Error(results::without_advice)])),
    alone(TOOLS, row("mcp-refusals-as-protocol-errors", "refused calls are errors of the protocol", &[Answer(as_protocol_error)])),
    beside(TOOLS, row("mcp-more-content", "results have a second content item, and metadata", &[Answer(with_more_content)])),
    beside(LIFECYCLE, row("mcp-more-capabilities", "the server offers resources and prompts as well, and has instructions", &[Answer(|method, message| greeting(method, message, with_more_capabilities))])),
    alone(LIFECYCLE, row("mcp-newest-version", "the server negotiates the version that it speaks", &[Answer(|method, message| greeting(method, message, |result| result["protocolVersion"] = json!("2025-06-18")))])),
    beside(Standard("MCP 2025-06-18, logging"), row("mcp-log-notifications", "log notifications are sent between answers", &[Answer(|method, message| greeting(method, message, |result| result["capabilities"]["logging"] = json!({}))), Flow(Chatter)])),
    beside(Standard("RFC 8259 section 7"), row("mcp-json-spelling", "messages are written with escapes and spaces", &[Flow(Spelt)])),
    beside(Choice("MCP-PROTO"), row("mcp-malformed-unanswered", "malformed messages get no answer", &[Flow(DropMalformed)])),
    beside(Choice("MCP-LINKS"), row("mcp-trade-links-elsewhere", "tradeUrl is another path of the service", &[Result(results::dead_trade_link)])),
    alone(Choice("MCP-PREVIEW-REAL"), row("mcp-preview-without-warnings", "a preview warns of nothing", &[Tools(loose_output), Result(|tool, result| if tool == "preview_launch" { remove(result, "warnings") })])),
    alone(Choice("MCP-SENT"), row("mcp-status-without-launches", "launch_status lists no launches that were sent", &[Tools(loose_output), Result(|tool, result| if tool == "launch_status" { remove(result, "sentLaunches") })])),
    alone(Choice("MCP-STATUS-FIGURES"), row("mcp-status-lean", "launch_status reports the progress and nothing else", &[Tools(loose_output), Result(|tool, result| if tool == "launch_status" { *result = json!({ "launchId": result["launchId"], "fundingProgress": result["fundingProgress"] }) })])),
    alone(Choice("MCP-STRICT"), row("mcp-past-starts-are-now", "a start that has passed launches at once, and a protection that the contract does not offer is none", &[Flow(ChainTime), Rpc(Record), Arguments(start_now), Arguments(nearest_snipe)])),
    alone(Choice("MCP-RECENT-BOUNDS"), row("mcp-floods-read", "pages of any size are read to their end", &[Flow(ReadAll)])),
    alone(Choice("MCP-QUIET"), row("mcp-settings-logged", "the log shows the settings as they are", &[Flow(LogSettings)])),
];

fn reordered(tools: &mut Value) {
    if let Some(tools) = tools.as_array_mut() {
        tools.reverse();
    }
}

fn annotated(tools: &mut Value) {
    each_tool(tools, |tool| {
        tool["title"] = json!("A tool");
        tool["_meta"] = json!({ "example.dev/group": 1 });
        if tool["annotations"].is_object() {
            tool["annotations"]["title"] = json!("A tool");
        }
    });
}

fn with_annotated_schemas(tools: &mut Value) {
    each_tool(tools, |tool| {
        let schema = &mut tool["inputSchema"];
        schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
        schema["title"] = json!("Input");
        for property in schema["properties"].as_object_mut().into_iter().flat_map(|all| all.values_mut()) {
            property["title"] = json!("A parameter");
            property["$comment"] = json!("made by hand");
        }
    });
}

/// Output schemas that demand nothing, for results without some members.
fn loose_output(tools: &mut Value) {
    each_tool(tools, |tool| {
        if tool["outputSchema"].is_object() {
            tool["outputSchema"] = json!({ "type": "object" });
        }
    });
}

fn as_protocol_error(method: &str, message: &mut Value) {
    if method == "tools/call" && message["result"]["isError"] == json!(true) {
        let text = message["result"]["content"][0]["text"].take();
        *message =
            json!({ "jsonrpc": "2.0", "id": message["id"], "error": { "code": -32602, "message": text } });
    }
}

fn with_more_content(method: &str, message: &mut Value) {
    if method == "tools/call"
        && let Some(content) = message.pointer_mut("/result/content").and_then(Value::as_array_mut)
    {
        content.push(json!({ "type": "text", "text": "That is all.", "annotations": { "audience": ["user"], "priority": 0.1 } }));
        message["result"]["_meta"]["example.dev/took"] = json!(12);
    }
}

/// Changes the result of a greeting.
fn greeting(method: &str, message: &mut Value, change: fn(&mut Value)) {
    if method == "initialize" && message["result"].is_object() {
        change(&mut message["result"]);
    }
}

fn with_more_capabilities(result: &mut Value) {
    result["capabilities"]["resources"] = json!({ "subscribe": false });
    result["capabilities"]["prompts"] = json!({});
    result["instructions"] = json!("Preview before you launch.");
    result["serverInfo"]["title"] = json!("Launches");
}

/// A line with another spelling of the same message.
pub(super) fn spelt(message: &Value) -> Vec<u8> {
    let mut line = String::from(" ");
    for letter in message.to_string().chars() {
        match letter {
            ' '..='~' if letter != '/' => line.push(letter),
            _ => push_escaped(&mut line, letter),
        }
    }
    line.push_str("\t\n");
    line.into_bytes()
}

/// A notification that has nothing to do with the answer after it.
pub(super) fn chatter() -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "debug", "logger": "server", "data": "answering" } })
}
