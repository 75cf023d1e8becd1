//! `/docs/api`: the API reference, rendered from the services' OpenAPI documents without third-party scripts.
use std::sync::{Arc, LazyLock};

use axum::extract::State;
use axum::http::Uri;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::layout::{Frame, LINKS, page, with};
use super::{Pages, Problem};
use crate::services::input::{query, word};
use crate::services::{control, rest, swap};

/// The path of this page.
pub(in crate::services) const PATH: &str = "/docs/api";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Documented {
    #[default]
    Rest,
    Swap,
    Control,
}

const DOCUMENTED: [Documented; 3] = [Documented::Rest, Documented::Swap, Documented::Control];

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct ReferenceParameters {
    /// the service whose reference is shown
    #[schemars(extend("x-cause" = "page-service"))]
    service: Documented,
}

impl Documented {
    fn name(self) -> &'static str {
        match self {
            Self::Rest => "REST",
            Self::Swap => "Swap",
            Self::Control => "Control",
        }
    }

    /// The rendered reference, the same for every platform of this build.
    fn reference(self) -> &'static Markup {
        static ALL: [LazyLock<Markup>; 3] = [
            LazyLock::new(|| reference(&rest::document("/"))),
            LazyLock::new(|| reference(&swap::document("/"))),
            LazyLock::new(|| reference(&control::document("/"))),
        ];
        &ALL[self as usize]
    }
}

pub(super) async fn get(State(pages): State<Arc<Pages>>, uri: Uri) -> Result<Markup, Problem> {
    let ReferenceParameters { service: shown } = query(&uri)?;
    let links = DOCUMENTED.map(|one| (with(&uri, "service", &word(one)), one.name(), one == shown));
    let frame = Frame { title: "API reference", source: None, scripts: &[], links: LINKS };
    let content = html! {
        h1 { "API reference" }
        nav.tabs aria-label="Services" {
            @for (path, name, is_present) in &links {
                a href=(path) aria-current=[is_present.then_some("true")] { (name) }
            }
        }
        (shown.reference())
    };
    Ok(page(&frame, &pages.standing(), &content))
}

/// The operations of a document, each with its inputs and answers, and the schemas that they refer to.
fn reference(document: &Value) -> Markup {
    let operations: Vec<_> = operations(document).collect();
    html! {
        section.reference {
            h2 { (text(&document["info"]["title"])) }
            p { (text(&document["info"]["description"])) " The same as OpenAPI 3.1: " code { "/openapi.json" } " of the service." }
            nav aria-label="Operations" {
                ul.links {
                    @for (method, path, operation) in &operations {
                        li { a href={ "#" (text(&operation["operationId"])) } { (method) " " (path) } }
                    }
                }
            }
            @for (method, path, operation) in &operations { (self::operation(method, path, operation)) }
            h2 { "Schemas" }
            @for (name, schema) in members(&document["components"]["schemas"]) {
                article id={ "schema-" (name) } {
                    h3 { (name) }
                    (described(schema))
                    (fields(schema))
                }
            }
        }
    }
}

fn operations(document: &Value) -> impl Iterator<Item = (String, &str, &Value)> {
    members(&document["paths"]).flat_map(|(path, methods)| {
        members(methods).map(move |(method, operation)| (method.to_uppercase(), path, operation))
    })
}

fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let members = value.as_object().map(Map::iter);
    members.into_iter().flatten().map(|(name, value)| (name.as_str(), value))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn operation(method: &str, path: &str, operation: &Value) -> Markup {
    let parameters: Vec<&Value> = operation["parameters"].as_array().into_iter().flatten().collect();
    html! {
        article id=(text(&operation["operationId"])) {
            h3 { a href={ "#" (text(&operation["operationId"])) } { (method) " " (path) } }
            p { (text(&operation["summary"])) }
            @if let Some(schemes) = operation["security"].as_array() {
                p { "Credentials: " (listed(schemes.iter().flat_map(|one| members(one).map(|(name, _)| name)))) }
            }
            @if !parameters.is_empty() {
                dl {
                    @for parameter in parameters {
                        dt { code { (text(&parameter["name"])) } @if parameter["required"] == true { " required" } }
                        dd { (told(&parameter["schema"], &parameter["description"])) }
                    }
                }
            }
            @for (kind, content) in members(&operation["requestBody"]["content"]) {
                p { "Body: " code { (kind) } }
                (fields(&content["schema"]))
            }
            dl {
                @for (status, response) in members(&operation["responses"]) {
                    dt { code { (status) } }
                    dd {
                        (text(&response["description"]))
                        @for (kind, content) in members(&response["content"]) {
                            @if !status.starts_with('4') && !status.starts_with('5') {
                                ": " (shape(&content["schema"]))
                                @if kind != "application/json" { " as " code { (kind) } }
                                (fields(&content["schema"]))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

fn described(schema: &Value) -> Markup {
    html! { @if let Some(text) = schema["description"].as_str() { p { (text) } } }
}

/// The members of an object, each with its type and bounds; empty for other types.
fn fields(schema: &Value) -> Markup {
    let required = |name: &str| {
        schema["required"].as_array().is_some_and(|names| names.iter().any(|known| known == name))
    };
    let mut fields = members(&schema["properties"]).peekable();
    html! {
        @if fields.peek().is_some() {
            dl.fields {
                @for (name, field) in fields {
                    dt { code { (name) } @if !required(name) { " optional" } }
                    dd { (told(field, &field["description"])) (fields_within(field)) }
                }
            }
        }
    }
}

/// The members of a field's object, or of the objects in its list.
fn fields_within(field: &Value) -> Markup {
    html! { (fields(field)) (fields(&field["items"])) }
}

/// The meaning of a value, followed by its type and bounds.
fn told(schema: &Value, description: &Value) -> Markup {
    let meaning = text(description);
    html! { (meaning) @if !meaning.is_empty() { span.muted { " · " } } (shape(schema)) }
}

/// A type with its bounds in brief; a link if it is a named schema.
fn shape(schema: &Value) -> Markup {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return html! { a href={ "#schema-" (name) } { (name) } };
    }
    if let Some(all) = schema["anyOf"].as_array() {
        return html! { @for (place, one) in all.iter().enumerate() { @if place > 0 { " or " } (shape(one)) } };
    }
    let bound = |name: &str| {
        schema.get(name).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    };
    let kind = match &schema["type"] {
        Value::String(kind) => kind.clone(),
        // Only text has a format or a pattern.
        Value::Null if ["format", "pattern"].iter().any(|name| schema.get(*name).is_some()) => {
            "string".to_owned()
        }
        Value::Array(kinds) => kinds.iter().map(text).collect::<Vec<_>>().join(" or "),
        _ => String::new(),
    };
    html! {
        span.muted {
            (kind)
            @if schema["items"].is_object() { " of " (shape(&schema["items"])) }
            @if let Some(value) = bound("const") { " always " code { (value) } }
            @if let Some(values) = schema["enum"].as_array() {
                @if !kind.is_empty() { ", " }
                "one of "
                @for (place, value) in values.iter().enumerate() {
                    @if place > 0 { ", " }
                    code { (value.as_str().map_or_else(|| value.to_string(), str::to_owned)) }
                }
            }
            @for (name, words) in [
                ("minimum", "at least"),
                ("maximum", "at most"),
                ("minLength", "length at least"),
                ("maxLength", "length at most"),
                ("minItems", "items at least"),
                ("maxItems", "items at most"),
                ("default", "default"),
                ("format", "as"),
            ] {
                @if let Some(value) = bound(name) { ", " (words) " " (value) }
            }
            @if let Some(pattern) = bound("pattern") { ", matches " code { (pattern) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{DOCUMENTED, operations, reference, shape};
    use crate::services::{control, rest, swap};

    /// Bytes of the page around a reference, with its style and script.
    const AROUND: usize = 40_000;
    const MOST: usize = 120_000;

    #[test]
    fn every_operation_parameter_and_schema_of_a_document_is_on_its_page() {
        for document in [rest::document("/"), swap::document("/"), control::document("/")] {
            let page = reference(&document).into_string();
            let mut seen = 0;
            for (method, path, operation) in operations(&document) {
                assert!(page.contains(&format!("{method} {path}</a>")), "{method} {path}");
                let id = operation["operationId"].as_str().unwrap();
                assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
                for parameter in operation["parameters"].as_array().into_iter().flatten() {
                    let name = parameter["name"].as_str().unwrap();
                    assert!(page.contains(&format!("<code>{name}</code>")), "{id}: {name}");
                }
                seen += 1;
            }
            assert!(seen >= 4);
            for link in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(page.contains(&format!("id=\"{link}\"")), "{link}");
            }
            assert!(page.len() + AROUND <= MOST, "{} bytes", page.len());
        }
    }

    #[test]
    fn choices_are_apart_from_their_kind() {
        let text = |schema| shape(&schema).into_string();
        let choices = "one of <code>1h</code>, <code>1d</code>";
        let written = text(json!({ "type": "string", "enum": ["1h", "1d"] }));
        assert!(written.contains(&format!("string, {choices}")), "{written}");
        let written = text(json!({ "enum": ["1h", "1d"] }));
        assert!(written.contains(&format!(">{choices}")), "{written}");
    }

    #[test]
    fn each_service_has_its_own_reference() {
        let all = DOCUMENTED.map(|one| one.reference().clone().into_string());
        for (place, path) in ["/api/chat", "/api/pairs", "/_sim/clock"].iter().enumerate() {
            for (other, text) in all.iter().enumerate() {
                assert_eq!(text.contains(path), other == place, "{path}");
            }
        }
    }
}
