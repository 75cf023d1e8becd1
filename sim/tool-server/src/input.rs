//! Tool arguments. Each is declared once; its JSON schema, its reader and its refusal are derived from the declaration.
mod call;
mod declared;
mod error;
mod kinds;
mod launch;

use rmcp::model::JsonObject;
use serde_json::{Value, json};

pub(crate) use call::{CallArguments, Literals};
pub(crate) use declared::{
    CONFIRM, LAUNCH_ID, LAUNCH_STATUS, LAUNCH_TOKEN, LIMIT, OFFSET, PREVIEW_LAUNCH, RECENT_LAUNCHES,
    WALLET_INFO,
};
pub(crate) use error::ArgumentError;
pub(crate) use launch::LaunchRequest;

/// The declaration of one argument, as far as the tool's schema needs it. Each kind has its own reader.
pub(crate) trait Argument: Sync {
    fn name(&self) -> &'static str;

    fn meaning(&self) -> &'static str;

    /// Whether a call without it is refused.
    fn is_required(&self) -> bool;

    /// Stable codes of the refusals for its bounds.
    fn codes(&self) -> Vec<&'static str>;

    /// The keywords of its schema, without the description. Formats are those of JSON Schema 2020-12.
    fn keywords(&self) -> JsonObject;
}

pub(crate) type Arguments = &'static [&'static dyn Argument];

/// The input schema of a tool: only its arguments are allowed.
///
/// Clause: MCP-TOOLS
pub(crate) fn schema(arguments: Arguments) -> JsonObject {
    let property = |argument: &dyn Argument| {
        let mut schema = object(json!({ "description": argument.meaning() }));
        schema.extend(argument.keywords());
        (argument.name().to_owned(), Value::Object(schema))
    };
    let required: Vec<&str> =
        arguments.iter().filter(|argument| argument.is_required()).map(|argument| argument.name()).collect();
    let properties: JsonObject = arguments.iter().map(|argument| property(*argument)).collect();
    object(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": false,
        "required": required,
        "properties": properties,
    }))
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(members) => members,
        _ => JsonObject::new(),
    }
}
