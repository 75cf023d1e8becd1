//! Generates the reference of the tools for readers, from the same declarations as the tools.
use std::fmt::Write as _;

use rmcp::model::Tool;
use serde_json::Value;

use crate::input;
use crate::refusal::{FIX_ARGUMENT, Refusal};
use crate::tools;

/// Refusals of every tool.
const ALWAYS: [&str; 2] = ["platform-failed", "crashed"];
/// Refusals of a launch and its preview for their arguments.
const PARAMETERS: [&str; 5] =
    ["raise-over-cap", "prebuy-over-cap", "prebuy-over-raise", "argument-secret", "start-past"];
/// Refusals of a launch that are only warnings in its preview.
const STATE: [&str; 9] = [
    "service-failed",
    "capabilities-chain",
    "creation-off",
    "deployment-inactive",
    "rpc-failed",
    "wrong-chain",
    "hook-without-code",
    "would-revert",
    "balance-short",
];
/// Refusals at the signature and in later steps.
const SENDING: [&str; 10] = [
    "writes-disabled",
    "base-fee-over-cap",
    "gas-limit",
    "chain-changed",
    "broadcast-refused",
    "broadcast-unknown",
    "receipt-timeout",
    "reverted",
    "event-missing",
    "response-malformed",
];
const RPC: [&str; 2] = ["rpc-failed", "response-malformed"];
/// The refusals of malformed arguments.
const SHAPES: [(&str, &str); 4] = [
    ("argument-unknown", "the tool has no argument of this name"),
    ("argument-missing", "a required argument is absent"),
    ("argument-type", "an argument has another JSON type"),
    ("amount", "an amount is not a plain decimal number that can be used exactly"),
];

/// The five tools with their arguments, results and refusals, in Markdown.
#[must_use]
pub fn reference() -> String {
    let mut text = String::new();
    for tool in tools::list() {
        described(&mut text, tool);
    }
    text.push_str("### Refusals\n\n| code | message | next |\n|---|---|---|\n");
    for (code, message) in SHAPES {
        let _ = writeln!(text, "| `{code}` | {message} | {FIX_ARGUMENT} |");
    }
    let _ =
        writeln!(text, "| codes of arguments | the argument is out of the bounds above | {FIX_ARGUMENT} |");
    for (code, message, next) in Refusal::ALL {
        let _ = writeln!(text, "| `{code}` | {} | {next} |", message.replace(":?", ""));
    }
    text
}

fn described(text: &mut String, tool: &Tool) {
    let description = tool.description.as_deref().unwrap_or_default();
    let _ = writeln!(text, "### `{}`\n\n{description}\n", tool.name);
    let arguments = tools::declared(&tool.name)["properties"].as_object().into_iter().flatten();
    let rows: Vec<String> = arguments.map(|(name, schema)| row(name, schema)).collect();
    if rows.is_empty() {
        text.push_str("It takes no arguments.\n\n");
    } else {
        text.push_str("| argument | type | default | meaning | refusals |\n|---|---|---|---|---|\n");
        let _ = writeln!(text, "{}\n", rows.join("\n"));
    }
    text.push_str("| result | type | meaning |\n|---|---|---|\n");
    let output =
        tool.output_schema.as_deref().map(|schema| Value::Object(schema.clone())).unwrap_or_default();
    results(text, "", &output);
    let codes: Vec<String> = refusals(&tool.name).iter().map(|code| format!("`{code}`")).collect();
    let _ = writeln!(text, "\nOther refusals: {}.\n", codes.join(", "));
}

/// The refusals of a tool that do not belong to one of its arguments.
fn refusals(tool: &str) -> Vec<&'static str> {
    let own: Vec<&str> = match tool {
        "launch_token" => [PARAMETERS.as_slice(), &STATE, &SENDING].concat(),
        "preview_launch" => PARAMETERS.to_vec(),
        "wallet_info" => RPC.to_vec(),
        "recent_launches" => vec!["service-failed"],
        _ => [RPC.as_slice(), &["wrong-chain", "service-failed", "capabilities-chain", "launch-unknown"]]
            .concat(),
    };
    [own.as_slice(), &ALWAYS].concat()
}

fn row(name: &str, schema: &Value) -> String {
    let default = schema.get("default").map_or("required".to_owned(), |default| format!("`{default}`"));
    let codes: Vec<String> = input::codes(schema).map(|code| format!("`{code}`")).collect();
    let meaning = schema["description"].as_str().unwrap_or_default();
    format!("| `{name}` | {} | {default} | {meaning} | {} |", kind(schema), codes.join(", "))
}

/// Adds the members of a result, nested ones with their path.
fn results(text: &mut String, path: &str, schema: &Value) {
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}{name}");
        let meaning = member["description"].as_str().unwrap_or_default().replace('\n', " ");
        let _ = writeln!(text, "| `{path}` | {} | {meaning} |", kind(member));
        results(text, &format!("{path}."), member);
        results(text, &format!("{path}[]."), &member["items"]);
    }
}

fn kind(schema: &Value) -> String {
    if let Some(kinds) = schema["anyOf"].as_array().filter(|_| schema["type"].is_null()) {
        return kinds.iter().map(kind).collect::<Vec<_>>().join(" or ");
    }
    let name = |value: &Value| match value.as_str() {
        Some("string") => "text",
        Some("array") => "list",
        Some("integer") => "integer",
        Some("number") => "number",
        Some("boolean") => "boolean",
        _ => "object",
    };
    match &schema["type"] {
        Value::Array(kinds) => format!("{} or null", name(&kinds[0])),
        one => name(one).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_refusal_belongs_to_a_tool_and_every_one_named_exists() {
        let known: BTreeSet<&str> = Refusal::ALL.iter().map(|(code, ..)| *code).collect();
        let mut named = BTreeSet::new();
        for tool in tools::NAMES {
            named.extend(refusals(tool));
            let arguments = tools::declared(tool)["properties"].as_object().unwrap();
            named.extend(arguments.values().flat_map(input::codes).filter(|code| known.contains(code)));
        }
        assert_eq!(named, known);
    }
}
