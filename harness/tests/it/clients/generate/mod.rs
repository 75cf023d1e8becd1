//! The typed calls of the launchers, generated from the OpenAPI document of the control plane: one model, three languages.
mod rust;

use std::fmt::Write as _;

pub(crate) use rust::rust;
use serde_json::Value;

/// A member of a request or an answer.
#[derive(Clone)]
struct Member {
    name: String,
    schema: Value,
    required: bool,
    place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Path,
    Query,
    Body,
}

struct ControlCall {
    id: String,
    summary: String,
    method: String,
    path: String,
    members: Vec<Member>,
    answer: Value,
}

const NOTE: &str = "Made from the OpenAPI document of the control plane; a test of the tree makes it again.";

fn calls(document: &Value) -> Vec<ControlCall> {
    let mut calls = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let text = |name: &str| operation[name].as_str().unwrap().to_owned();
            if text("operationId") == "getOpenApi" {
                continue;
            }
            calls.push(ControlCall {
                id: text("operationId"),
                summary: text("summary"),
                method: method.to_uppercase(),
                path: path.clone(),
                members: members(operation),
                answer: operation["responses"]["200"]["content"]["application/json"]["schema"].clone(),
            });
        }
    }
    calls
}

fn members(operation: &Value) -> Vec<Member> {
    let parameters = operation["parameters"].as_array().into_iter().flatten().map(|parameter| Member {
        name: parameter["name"].as_str().unwrap().to_owned(),
        schema: parameter["schema"].clone(),
        required: parameter["required"] == true,
        place: if parameter["in"] == "path" { Place::Path } else { Place::Query },
    });
    let body = &operation["requestBody"]["content"]["application/json"]["schema"];
    let required =
        |name: &str| body["required"].as_array().is_some_and(|names| names.iter().any(|known| known == name));
    let fields = body["properties"].as_object().into_iter().flatten().map(|(name, schema)| Member {
        name: name.clone(),
        schema: schema.clone(),
        required: required(name),
        place: Place::Body,
    });
    let mut members: Vec<Member> = parameters.chain(fields).collect();
    members.sort_by_key(|member| !member.required);
    members
}

fn snake(name: &str) -> String {
    name.chars().fold(String::new(), |mut text, letter| {
        if letter.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
        text
    })
}

fn pascal(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

/// The shape of a schema, as each language writes it.
enum Shape<'a> {
    Text,
    Number,
    Truth,
    List(&'a Value),
    Named(&'a Value),
    Object(&'a serde_json::Map<String, Value>),
    Anything,
}

/// The shape, and whether it may be null.
fn shape(schema: &Value) -> (Shape<'_>, bool) {
    if schema["const"].is_boolean() {
        return (Shape::Truth, false);
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.as_str().into_iter().collect(),
    };
    let nullable = kinds.contains(&"null");
    let shape = match kinds.first().copied() {
        Some("string") => Shape::Text,
        Some("integer" | "number") => Shape::Number,
        Some("boolean") => Shape::Truth,
        Some("array") => Shape::List(&schema["items"]),
        Some("object") => match (schema["properties"].as_object(), &schema["additionalProperties"]) {
            (Some(members), _) => Shape::Object(members),
            (None, values @ Value::Object(_)) => Shape::Named(values),
            (None, _) => Shape::Anything,
        },
        _ => Shape::Text,
    };
    (shape, nullable)
}

fn is_required(schema: &Value, name: &str) -> bool {
    schema["required"].as_array().is_some_and(|names| names.iter().any(|known| known == name))
}

/// `control.js`: a table of calls; `control.d.ts` has the types.
pub(crate) fn javascript(document: &Value) -> String {
    let mut text = format!(
        "// {NOTE}\n\nimport {{ define }} from './client.js'\n\nexport {{ Control, ControlError }} from './client.js'\n\ndefine({{\n"
    );
    for call in calls(document) {
        let names = |place| {
            let of = call.members.iter().filter(|member| member.place == place);
            of.map(|member| format!("'{}'", member.name)).collect::<Vec<_>>().join(", ")
        };
        let _ = writeln!(
            text,
            "  {}: ['{}', '{}', [{}], [{}]],",
            call.id,
            call.method,
            call.path,
            names(Place::Query),
            names(Place::Body)
        );
    }
    text.push_str("})\n");
    text
}

fn typescript_type(schema: &Value) -> String {
    if let Some(known) = schema["enum"].as_array() {
        return known.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    let (shape, nullable) = shape(schema);
    let text = match shape {
        Shape::Text if schema["pattern"].as_str().is_some_and(|pattern| pattern.starts_with("^0x")) => {
            "`0x${string}`".to_owned()
        }
        Shape::Text => "string".to_owned(),
        Shape::Number => "number".to_owned(),
        Shape::Truth => "boolean".to_owned(),
        Shape::List(items) => format!("Array<{}>", typescript_type(items)),
        Shape::Named(values) => format!("Record<string, {}>", typescript_type(values)),
        Shape::Anything => "Record<string, unknown>".to_owned(),
        Shape::Object(members) => {
            let members = members.iter().map(|(name, member)| {
                let mark = if is_required(schema, name) { "" } else { "?" };
                format!("{name}{mark}: {}", typescript_type(member))
            });
            format!("{{ {} }}", members.collect::<Vec<_>>().join("; "))
        }
    };
    if nullable { format!("{text} | null") } else { text }
}

/// `control.d.ts`.
pub(crate) fn typescript(document: &Value) -> String {
    let mut text = format!(
        "// {NOTE}\n\n/** The control plane refused a call. */\nexport declare class ControlError extends Error {{\n  \
         readonly status: number\n  readonly body: {{ error: string; status: number; details?: string }}\n}}\n\n\
         export declare class Control {{\n  constructor(url: string, token?: string)\n  readonly url: string\n"
    );
    for call in calls(document) {
        let given: Vec<String> = call
            .members
            .iter()
            .map(|member| {
                let mark = if member.required { "" } else { "?" };
                format!("{}{mark}: {}", member.name, typescript_type(&member.schema))
            })
            .collect();
        let optional = if call.members.iter().any(|member| member.required) { "" } else { "?" };
        let given = if given.is_empty() {
            String::new()
        } else {
            format!("given{optional}: {{ {} }}", given.join("; "))
        };
        let answer = typescript_type(&call.answer);
        let _ = writeln!(text, "  /** {}. */\n  {}({given}): Promise<{answer}>", call.summary, call.id);
    }
    text.push_str("}\n");
    text
}

fn python_type(schema: &Value) -> String {
    if let Some(known) = schema["enum"].as_array() {
        let known =
            known.iter().map(|value| if value.is_null() { "None".to_owned() } else { value.to_string() });
        return format!("Literal[{}]", known.collect::<Vec<_>>().join(", "));
    }
    let (shape, nullable) = shape(schema);
    let text = match shape {
        Shape::Text => "str".to_owned(),
        Shape::Number => "int".to_owned(),
        Shape::Truth => "bool".to_owned(),
        Shape::List(items) => format!("list[{}]", python_type(items)),
        Shape::Named(values) => format!("dict[str, {}]", python_type(values)),
        Shape::Anything | Shape::Object(_) => "dict[str, Any]".to_owned(),
    };
    if nullable { format!("{text} | None") } else { text }
}

/// `control.py`.
pub(crate) fn python(document: &Value) -> String {
    let mut text = format!(
        "\"\"\"The calls of the control plane. {NOTE}\"\"\"\n
from __future__ import annotations

from typing import Any, Literal, TypedDict
from urllib.parse import quote

from .client import Client, ControlError

__all__ = [\"Control\", \"ControlError\"]
"
    );
    for call in calls(document) {
        let Shape::Object(members) = shape(&call.answer).0 else { panic!("{} answers no object", call.id) };
        let _ = write!(text, "\n\nclass {}(TypedDict):\n", pascal(&call.id));
        for (name, member) in members {
            let _ = writeln!(text, "    {name}: {}", python_type(member));
        }
    }
    text.push_str("\n\nclass Control(Client):\n    \"\"\"The control plane of a platform.\"\"\"\n");
    for call in calls(document) {
        let parameters: String = call
            .members
            .iter()
            .map(|member| {
                let ty = python_type(&member.schema);
                if member.required {
                    format!(", {}: {ty}", snake(&member.name))
                } else {
                    format!(", {}: {ty} | None = None", snake(&member.name))
                }
            })
            .collect();
        let star = if parameters.is_empty() { "" } else { ", *" };
        let path = call.members.iter().filter(|member| member.place == Place::Path).fold(
            call.path.clone(),
            |path, member| {
                path.replace(
                    &format!("{{{}}}", member.name),
                    &format!("{{quote(str({}), safe='')}}", snake(&member.name)),
                )
            },
        );
        let formatted = if path == call.path { format!("\"{path}\"") } else { format!("f\"{path}\"") };
        let pairs = |place| {
            let of = call.members.iter().filter(|member| member.place == place);
            of.map(|member| format!("\"{}\": {}", member.name, snake(&member.name)))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let body = pairs(Place::Body);
        let body = if body.is_empty() { "None".to_owned() } else { format!("{{{body}}}") };
        let _ = write!(
            text,
            "\n    def {}(self{star}{parameters}) -> {}:\n        \"\"\"{}.\"\"\"\n        return self._call(\"{}\", {formatted}, {{{}}}, {body})\n",
            snake(&call.id),
            pascal(&call.id),
            call.summary,
            call.method,
            pairs(Place::Query),
        );
    }
    text
}
