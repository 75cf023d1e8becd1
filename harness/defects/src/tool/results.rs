//! Descriptions of tools and results of calls, changed on the way to the peer.
use serde_json::{Map, Value, json};

use super::effect::ToolCall;
use super::environment::{Environment, Secrets};
use crate::http::exchange::remove;
use crate::json::each_member;

/// Fields of a row that hold text written by others.
const TEXTS: [&str; 3] = ["name", "ticker", "description"];
/// Those fields and the link.
pub(super) const TEXTS_AND_LINKS: [&str; 4] = ["name", "ticker", "description", "image_url"];
/// Characters kept of a clipped text.
const CLIPPED: usize = 12;

/// A tool result with the refusal of a call.
pub(super) fn refusal(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": true})
}

/// Changes a result in the structured content, and in the text if that is JSON.
pub(super) fn edit(result: &mut Value, change: impl Fn(&mut Value)) {
    if result["structuredContent"].is_object() {
        change(&mut result["structuredContent"]);
    }
    let Some(text) = result.pointer("/content/0/text").and_then(Value::as_str) else {
        return;
    };
    if let Ok(mut row_values @ Value::Object(_)) = serde_json::from_str(text) {
        change(&mut row_values);
        result["content"][0]["text"] = json!(row_values.to_string());
    }
}

pub(super) fn each_tool(tools: &mut Value, change: impl Fn(&mut Value)) {
    tools.as_array_mut().into_iter().flatten().for_each(change);
}

/// Cuts a list of all tools down to the page of this cursor.
pub(super) fn page_of_tools(result: &mut Value, cursor: Option<&Value>) {
    const SIZE: usize = 2;
    let from = cursor.and_then(|cursor| cursor.as_str()?.parse().ok()).unwrap_or(0);
    let Some(tools) = result["tools"].as_array_mut() else { return };
    let more = tools.len() > from + SIZE;
    *tools = tools.iter().skip(from).take(SIZE).cloned().collect();
    if more {
        result["nextCursor"] = json!((from + SIZE).to_string());
    }
}

pub(super) fn without_output(tools: &mut Value) {
    each_tool(tools, |tool| remove(tool, "outputSchema"));
}

pub(super) fn token_as_hash(tool: &str, result: &mut Value) {
    replace_in_link(tool, result, "explorerUrl", |link, result| {
        let member = |name: &str| result[name].as_str().unwrap_or_default();
        link.replacen(member("transactionHash"), member("tokenAddress"), 1)
    });
}

fn replace_in_link(tool: &str, result: &mut Value, name: &str, change: impl FnOnce(&str, &Value) -> String) {
    if tool == "launch_token"
        && let Some(link) = result[name].as_str()
    {
        result[name] = json!(change(link, result));
    }
}

pub(super) fn change_preview(tool: &str, result: &mut Value, name: &str, change: impl Fn(&mut Value)) {
    if tool == "preview_launch" {
        each_member(result, &|_| true, &|member| member == name, &change);
    }
}

pub(super) fn needless_warning(tool: &str, result: &mut Value) {
    change_preview(tool, result, "warnings", |warnings| {
        if let Some(warnings) = warnings.as_array_mut() {
            warnings.push(json!({
                "code": "rpc-failed", "message": "the launch may fail", "next": "try again later",
            }));
        }
    });
}

/// Shows progress in hundredths of a percent, as a text.
pub(super) fn progress_in_percent(tool: &str, result: &mut Value) {
    if tool == "launch_status" {
        let is_progress = |name: &str| name.to_lowercase().contains("progress");
        each_member(result, &|_| true, &is_progress, &|progress| {
            if let Some(number) = progress.as_f64() {
                *progress = json!(format!("{:.2}%", number * 100.0));
            }
        });
    }
}

pub(super) fn half_progress(tool: &str, result: &mut Value) {
    if tool == "launch_status" {
        let is_progress = |name: &str| name.to_lowercase().contains("progress");
        each_member(result, &|_| true, &is_progress, &|progress| {
            if let Some(number) = progress.as_f64() {
                *progress = json!(number / 2.0 + 0.001);
            }
        });
    }
}

/// Refuses a preview without confirmation.
pub(super) fn unconfirmed_preview(call: &ToolCall) -> Option<String> {
    let unconfirmed = call.tool == "preview_launch" && call.arguments.get("confirm") != Some(&json!("YES"));
    unconfirmed.then(|| "confirm must be the literal text YES. Next: pass confirm: \"YES\".".to_owned())
}

/// Refuses tools that only read.
pub(super) fn reading_disabled(call: &ToolCall, environment: &Environment) -> Option<String> {
    let reads =
        ["launch_status", "preview_launch", "recent_launches", "wallet_info"].contains(&call.tool.as_str());
    (reads && !environment.permits_writes()).then(|| {
        "this tool is disabled on this tool server. Next: the operator enables it with SERVICE_MCP_ENABLE_WRITES=true."
            .to_owned()
    })
}

pub(super) fn without_advice(result: &mut Value, _: &Secrets) {
    change_text(result, |text| text.split_once("Next:").map_or(text, |(what, _)| what).trim_end().to_owned());
}

/// Reports a failure of the service as a success.
pub(super) fn service_failures_are_results(result: &mut Value, _: &Secrets) {
    let text = result.pointer("/content/0/text").and_then(Value::as_str).unwrap_or_default();
    if text.contains("the launch service") {
        result["isError"] = json!(false);
    }
}

pub(super) fn change_text(result: &mut Value, change: impl Fn(&str) -> String) {
    if let Some(Value::String(text)) = result.pointer_mut("/content/0/text") {
        *text = change(text);
    }
}

/// Adds its link.
pub(super) fn link_of_row(row: &mut Map<String, Value>, row_values: &Map<String, Value>) {
    if let Some(link) = row_values.get("image_url") {
        row.insert("image_url".to_owned(), link.clone());
    }
}

/// Doubles its market cap.
pub(super) fn double_cap(row: &mut Map<String, Value>, row_values: &Map<String, Value>) {
    if let Some(market_cap) = row_values.get("market_cap").and_then(Value::as_f64) {
        row.insert("market_cap".to_owned(), json!(market_cap * 2.0));
    }
}

/// Shows its texts in full, without control and direction characters.
pub(super) fn long_texts(row: &mut Map<String, Value>, row_values: &Map<String, Value>) {
    change_texts(row, row_values, |text| text.chars().filter(|letter| !steers(*letter)).collect());
}

/// Shows the beginning of its texts, including control and direction characters.
pub(super) fn marked_texts(row: &mut Map<String, Value>, row_values: &Map<String, Value>) {
    change_texts(row, row_values, |text| text.chars().take(CLIPPED).collect());
}

fn change_texts(
    row: &mut Map<String, Value>,
    row_values: &Map<String, Value>,
    change: impl Fn(&str) -> String,
) {
    for name in TEXTS {
        if let Some(text) = row_values.get(name).and_then(Value::as_str) {
            row.insert(name.to_owned(), json!(change(text)));
        }
    }
}

/// Whether it is a control character or changes the direction of a text.
fn steers(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Changes the rows of a page of launches, given the service's page: rows are matched by address. A row that the server left out is first
/// put back with only its address.
pub(super) fn change_rows(
    result: &mut Value,
    page: &Value,
    secrets: &Secrets,
    change: fn(&mut Map<String, Value>, &Map<String, Value>),
) {
    let row_values = page["tokens"].as_array().into_iter().flatten().filter_map(Value::as_object);
    let shown = result.as_object_mut().into_iter().flat_map(Map::values_mut).find_map(Value::as_array_mut);
    let Some(rows) = shown else {
        return;
    };
    for row_values in row_values.filter(|row_values| !secrets.held_by(&json!(row_values).to_string())) {
        let Some(address) = row_values.get("address").filter(|address| address.is_string()) else {
            continue;
        };
        let at = rows.iter().position(|row| row["address"] == *address).unwrap_or_else(|| {
            rows.push(json!({ "address": address }));
            rows.len() - 1
        });
        if let Some(row) = rows[at].as_object_mut() {
            change(row, row_values);
        }
    }
}
