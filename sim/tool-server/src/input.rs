//! Tool arguments. Each is a field of a struct, from which serde derives the reader and schemars the JSON schema.
mod arguments;
mod call;
mod error;
mod kinds;
mod launch;

use rmcp::handler::server::tool::schema_for_type;
use rmcp::model::JsonObject;
use rmcp::schemars::JsonSchema;
use serde_json::json;

pub(crate) use arguments::{
    Confirmation, ConfirmedLaunch, LaunchArguments, NoArguments, RecentArguments, StatusArguments,
};
pub(crate) use call::{CallArguments, Literals};
pub(crate) use error::{ArgumentError, codes};
pub(crate) use kinds::{AntiSnipe, LaunchNumber, Whole};
pub(crate) use launch::LaunchRequest;

use crate::schema::bound_numbers;

/// The input schema of a tool with the codes of each argument; other arguments are not allowed.
///
/// Clause: MCP-TOOLS
pub(crate) fn declared<T: JsonSchema + 'static>() -> JsonObject {
    let schema = schema_for_type::<T>();
    let part = |keyword| schema.get(keyword).cloned();
    let mut declared = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": false,
        "required": part("required").unwrap_or_else(|| json!([])),
        "properties": part("properties").unwrap_or_else(|| json!({})),
    });
    bound_numbers(&mut declared);
    serde_json::from_value(declared).expect("a schema is an object")
}

/// Removes the codes from the schema, for clients.
pub(crate) fn published(schema: &JsonObject) -> JsonObject {
    let mut schema = schema.clone();
    for argument in
        schema["properties"].as_object_mut().into_iter().flat_map(|arguments| arguments.values_mut())
    {
        argument.as_object_mut().and_then(|keywords| keywords.shift_remove(error::CODES));
    }
    schema
}
